package io.haft;

/** x * sigmoid(x) (torch.nn.SiLU). */
public class SiLU extends Module {
  /** Without parameters. */
  public SiLU() {
    super(Haft.siLU());
  }
}
