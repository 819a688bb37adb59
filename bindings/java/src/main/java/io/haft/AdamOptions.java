package io.haft;

/** What Adam and AdamW share: rates and the like. */
abstract class AdamOptions<O extends AdamOptions<O>> {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weightDecay = 0;
  boolean amsgrad = false;
  boolean maximize = false;

  /** Learning rate; default 1e-3. */
  public O lr(double lr) {
    this.lr = lr;
    return self();
  }

  /** Decay of the mean of gradients; default 0.9. */
  public O beta1(double beta1) {
    this.beta1 = beta1;
    return self();
  }

  /** Decay of the mean of their squares; default 0.999. */
  public O beta2(double beta2) {
    this.beta2 = beta2;
    return self();
  }

  /** Added to the root; default 1e-8. */
  public O eps(double eps) {
    this.eps = eps;
    return self();
  }

  /** Weight decay; default 0 for Adam, 1e-2 for AdamW. */
  public O weightDecay(double weightDecay) {
    this.weightDecay = weightDecay;
    return self();
  }

  /** Whether the largest mean of squares counts; default false. */
  public O amsgrad(boolean amsgrad) {
    this.amsgrad = amsgrad;
    return self();
  }

  /** Whether to climb; default false. */
  public O maximize(boolean maximize) {
    this.maximize = maximize;
    return self();
  }

  @SuppressWarnings("unchecked")
  private O self() {
    return (O) this;
  }
}
