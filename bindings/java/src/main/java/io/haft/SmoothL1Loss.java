package io.haft;

/** Differences, squared below beta (torch.nn.SmoothL1Loss). */
public class SmoothL1Loss extends Loss {
  private final double beta;

  /** The mean over all elements. */
  public SmoothL1Loss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction what becomes of the losses of the elements
   */
  public SmoothL1Loss(Reduction reduction) {
    this(reduction, 1);
  }

  /**
   * With all options.
   *
   * @param reduction how it becomes one number, or not
   * @param beta where the parabola meets the line; 0: L1Loss
   */
  public SmoothL1Loss(Reduction reduction, double beta) {
    super(reduction);
    this.beta = beta;
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    return x.smoothL1Loss(target, reduction, beta);
  }
}
