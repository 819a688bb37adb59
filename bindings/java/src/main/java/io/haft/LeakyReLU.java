package io.haft;

/** x above 0, negativeSlope * x below (torch.nn.LeakyReLU). */
public class LeakyReLU extends Module {
  /** With negativeSlope = 0.01. */
  public LeakyReLU() {
    this(0.01);
  }

  /** With a given negativeSlope. */
  public LeakyReLU(double negativeSlope) {
    super(Haft.leakyReLU(negativeSlope));
  }
}
