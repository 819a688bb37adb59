package io.haft;

import java.util.function.Function;

/** Schedules of one optimizer that all act at each step. Nobody else steps them from here on. */
public class ChainedScheduler extends Scheduler {
  /**
   * Of several.
   *
   * @param schedulers of one optimizer, each once
   */
  public ChainedScheduler(Scheduler... schedulers) {
    super(joined(Schedules::chained, schedulers));
  }

  // What becomes of several; the list of them is given back at once.
  static Scheduler joined(Function<Schedules, Scheduler> join, Scheduler... schedulers) {
    Schedules all = new Schedules();
    try {
      for (Scheduler s : schedulers) all.add(s);
      return join.apply(all);
    } finally {
      all.delete();
    }
  }
}
