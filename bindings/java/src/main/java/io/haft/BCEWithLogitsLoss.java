package io.haft;

/** The cross entropy of sigmoid(x) and targets from 0 to 1, without overflow (torch.nn.BCEWithLogitsLoss). */
public class BCEWithLogitsLoss extends Loss {
  private final boolean hasWeight;
  private final boolean hasPosWeight;

  /** The mean over all elements. */
  public BCEWithLogitsLoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public BCEWithLogitsLoss(Reduction reduction) {
    this(null, null, reduction);
  }

  /**
   * With all options.
   *
   * @param weight of each element; null: 1
   * @param posWeight of the positive targets, by class; null: 1
   * @param reduction how it becomes one number, or not
   */
  public BCEWithLogitsLoss(Tensor weight, Tensor posWeight, Reduction reduction) {
    super(reduction);
    weight("weight", weight);
    hasWeight = weight != null;
    weight("pos_weight", posWeight);
    hasPosWeight = posWeight != null;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    try (Tensor w = weight("weight", hasWeight); Tensor p = weight("pos_weight", hasPosWeight)) {
      return x.binaryCrossEntropyWithLogits(target, w, p, reduction);
    }
  }
}
