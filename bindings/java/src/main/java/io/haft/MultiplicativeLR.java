package io.haft;

import java.util.function.LongToDoubleFunction;

/** The rate of the step before times a function of the step. */
public class MultiplicativeLR extends Scheduler {
  /**
   * With a function.
   *
   * @param optimizer whose learning rate
   * @param factor of the step, from 1 on
   */
  public MultiplicativeLR(Optimizer optimizer, LongToDoubleFunction factor) {
    super(Haft.multiplicativeLr(optimizer, factor));
  }
}
