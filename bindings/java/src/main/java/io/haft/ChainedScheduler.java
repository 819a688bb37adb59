package io.haft;

/** Schedules of one optimizer that all act at each step. Nobody else steps them from here on. */
public class ChainedScheduler extends Scheduler {
  /**
   * Of several.
   *
   * @param schedulers of one optimizer, each once
   */
  public ChainedScheduler(Scheduler... schedulers) {
    super(list(schedulers).chained());
  }

  static Schedules list(Scheduler... schedulers) {
    Schedules all = new Schedules();
    for (Scheduler s : schedulers) all.add(s);
    return all;
  }
}
