package io.haft;

/** The cross entropy of probabilities and targets from 0 to 1 (torch.nn.BCELoss). */
public class BCELoss extends Loss {
  private final boolean hasWeight;

  /** The mean over all elements. */
  public BCELoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public BCELoss(Reduction reduction) {
    this(null, reduction);
  }

  /**
   * With all options.
   *
   * @param weight of each element; null: 1
   * @param reduction how it becomes one number, or not
   */
  public BCELoss(Tensor weight, Reduction reduction) {
    super(reduction);
    weight("weight", weight);
    hasWeight = weight != null;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    try (Tensor w = weight("weight", hasWeight)) {
      return x.binaryCrossEntropy(target, w, reduction);
    }
  }
}
