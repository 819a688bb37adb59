package io.haft;

/** x times the normal distribution function, or its approximation by tanh (torch.nn.GELU). */
public class GELU extends Module {
  /** With tanh = false. */
  public GELU() {
    this(false);
  }

  /** With a given tanh. */
  public GELU(boolean tanh) {
    super(Haft.gELU(tanh));
  }
}
