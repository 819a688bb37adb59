package io.haft;

/** 1 / (1 + exp(-x)) (torch.nn.Sigmoid). */
public class Sigmoid extends Module {
  /** Without parameters. */
  public Sigmoid() {
    super(Haft.sigmoid());
  }
}
