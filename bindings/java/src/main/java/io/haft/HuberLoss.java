package io.haft;

/** Differences, squared below delta, with a slope of delta above (torch.nn.HuberLoss). */
public class HuberLoss extends Loss {
  private final double delta;

  /** The mean over all elements. */
  public HuberLoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public HuberLoss(Reduction reduction) {
    this(reduction, 1);
  }

  /**
   * With all options.
   *
   * @param reduction how it becomes one number, or not
   * @param delta where the parabola meets the line; positive
   */
  public HuberLoss(Reduction reduction, double delta) {
    super(reduction);
    this.delta = delta;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    return x.huberLoss(target, reduction, delta);
  }
}
