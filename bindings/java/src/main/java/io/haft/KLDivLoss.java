package io.haft;

/** The divergence of Kullback and Leibler of log-probabilities x from a target (torch.nn.KLDivLoss). */
public class KLDivLoss extends Loss {
  private final boolean logTarget;

  /** The mean over all elements. */
  public KLDivLoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public KLDivLoss(Reduction reduction) {
    this(reduction, false);
  }

  /**
   * With all options.
   *
   * @param reduction how it becomes one number, or not
   * @param logTarget whether the target is log-probabilities, too
   */
  public KLDivLoss(Reduction reduction, boolean logTarget) {
    super(reduction);
    this.logTarget = logTarget;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    return x.klDiv(target, reduction, logTarget);
  }
}
