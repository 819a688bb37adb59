package io.haft;

/** Absolute differences (torch.nn.L1Loss). */
public class L1Loss extends Loss {
  /** The mean over all elements. */
  public L1Loss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction how it becomes one number, or not
   */
  public L1Loss(Reduction reduction) {
    super(reduction);
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    return x.l1Loss(target, reduction);
  }
}
