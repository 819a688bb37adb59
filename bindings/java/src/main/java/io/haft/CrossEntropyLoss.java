package io.haft;

/** The cross entropy of scores (N, C, *) and class indices (N, *) or probabilities (torch.nn.CrossEntropyLoss). */
public class CrossEntropyLoss extends Loss {
  private final boolean hasWeight;
  private final long ignoreIndex;
  private final double labelSmoothing;

  /** The mean over all elements. */
  public CrossEntropyLoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public CrossEntropyLoss(Reduction reduction) {
    this(null, reduction, -100, 0);
  }

  /**
   * With all options.
   *
   * @param weight of each class; null: 1
   * @param reduction how it becomes one number, or not
   * @param ignoreIndex a class that does not count
   * @param labelSmoothing from 0 to 1
   */
  public CrossEntropyLoss(Tensor weight, Reduction reduction, long ignoreIndex, double labelSmoothing) {
    super(reduction);
    weight("weight", weight);
    hasWeight = weight != null;
    this.ignoreIndex = ignoreIndex;
    this.labelSmoothing = labelSmoothing;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    try (Tensor w = weight("weight", hasWeight)) {
      return x.crossEntropy(target, w, reduction, ignoreIndex, labelSmoothing);
    }
  }
}
