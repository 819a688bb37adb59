package io.haft;

import java.util.function.LongToDoubleFunction;

/** The first rate times a function of the step. */
public class LambdaLR extends Scheduler {
  /**
   * With a function.
   *
   * @param optimizer whose learning rate
   * @param factor of the step
   */
  public LambdaLR(Optimizer optimizer, LongToDoubleFunction factor) {
    super(Haft.lambdaLr(optimizer, factor));
  }
}
