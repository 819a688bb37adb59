package io.haft;

/** Squared differences (torch.nn.MSELoss). */
public class MSELoss extends Loss {
  /** The mean over all elements. */
  public MSELoss() {
    this(Reduction.MEAN);
  }

  /**
   * With a reduction.
   *
   * @param reduction how it becomes one number, or not
   */
  public MSELoss(Reduction reduction) {
    super(reduction);
  }

  @Override
  public Tensor forward(Tensor x, Tensor target) {
    return x.mseLoss(target, reduction);
  }
}
