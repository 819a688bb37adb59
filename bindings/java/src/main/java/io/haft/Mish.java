package io.haft;

/** x * tanh(softplus(x)) (torch.nn.Mish). */
public class Mish extends Module {
  /** Without parameters. */
  public Mish() {
    super(Haft.mish());
  }
}
