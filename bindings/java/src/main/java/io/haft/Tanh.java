package io.haft;

/** Hyperbolic tangent (torch.nn.Tanh). */
public class Tanh extends Module {
  /** Without parameters. */
  public Tanh() {
    super(Haft.tanh());
  }
}
