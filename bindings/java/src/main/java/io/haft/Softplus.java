package io.haft;

/** log(1 + exp(beta x)) / beta, x itself above the threshold (torch.nn.Softplus). */
public class Softplus extends Module {
  /** With beta 1 and threshold 20. */
  public Softplus() {
    this(1, 20);
  }

  /** With given numbers. */
  public Softplus(double beta, double threshold) {
    super(Haft.softplus(beta, threshold));
  }
}
