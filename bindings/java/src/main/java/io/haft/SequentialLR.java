package io.haft;

/** Schedules one after the other. Nobody else steps them from here on. */
public class SequentialLR extends Scheduler {
  /**
   * Of several.
   *
   * @param optimizer whose learning rate
   * @param schedulers its schedules
   * @param milestones the steps at which the next one begins, one fewer than there are schedules
   */
  public SequentialLR(Optimizer optimizer, Scheduler[] schedulers, long... milestones) {
    super(ChainedScheduler.joined(all -> all.sequential(optimizer, milestones), schedulers));
  }
}
