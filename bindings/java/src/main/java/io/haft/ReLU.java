package io.haft;

/** max(x, 0) (torch.nn.ReLU). */
public class ReLU extends Module {
  /** Without parameters. */
  public ReLU() {
    super(Haft.reLU());
  }
}
