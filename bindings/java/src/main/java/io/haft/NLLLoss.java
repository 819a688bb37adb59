package io.haft;

/** The negative log-likelihood of log-probabilities (N, C, *) and class indices (N, *) (torch.nn.NLLLoss). */
public class NLLLoss extends Loss {
  private final boolean hasWeight;
  private final long ignoreIndex;

  /** The mean over all elements. */
  public NLLLoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public NLLLoss(Reduction reduction) {
    this(null, reduction, -100);
  }

  /**
   * With all options.
   *
   * @param weight of each class; null: 1
   * @param reduction how it becomes one number, or not
   * @param ignoreIndex a class that does not count
   */
  public NLLLoss(Tensor weight, Reduction reduction, long ignoreIndex) {
    super(reduction);
    weight("weight", weight);
    hasWeight = weight != null;
    this.ignoreIndex = ignoreIndex;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    try (Tensor w = weight("weight", hasWeight)) {
      return x.nllLoss(target, w, reduction, ignoreIndex);
    }
  }
}
