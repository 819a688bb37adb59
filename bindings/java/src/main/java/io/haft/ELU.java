package io.haft;

/** x above 0, alpha * (exp(x) - 1) below (torch.nn.ELU). */
public class ELU extends Module {
  /** With alpha = 1. */
  public ELU() {
    this(1);
  }

  /** With a given alpha. */
  public ELU(double alpha) {
    super(Haft.eLU(alpha));
  }
}
