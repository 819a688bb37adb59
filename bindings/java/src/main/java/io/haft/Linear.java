package io.haft;

/** x W^T + b (torch.nn.Linear). */
public class Linear extends Module {
  /** With a bias. */
  public Linear(long inFeatures, long outFeatures) {
    this(inFeatures, outFeatures, true);
  }

  /** With or without a bias. */
  public Linear(long inFeatures, long outFeatures, boolean bias) {
    this(inFeatures, outFeatures, bias, null);
  }

  /** With parameters made as `build` says. */
  public Linear(long inFeatures, long outFeatures, boolean bias, Build build) {
    super(Haft.linear(inFeatures, outFeatures, bias, build));
  }
}
