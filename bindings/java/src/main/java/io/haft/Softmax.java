package io.haft;

/** Softmax along a dimension (torch.nn.Softmax). */
public class Softmax extends Module {
  /** Along dim. */
  public Softmax(long dim) {
    super(Haft.softmax(dim));
  }
}
