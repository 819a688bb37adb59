package io.haft;

/** Several dimensions as one (torch.nn.Flatten). */
public class Flatten extends Module {
  /** All but the first dimension. */
  public Flatten() {
    this(1, -1);
  }

  /** The dimensions from one to another. */
  public Flatten(long startDim, long endDim) {
    super(Haft.flatten(startDim, endDim));
  }
}
