package io.haft;

import java.util.Map;

/** Hears how training goes. */
@FunctionalInterface
public interface ProgressListener {
  /**
   * Called after a step.
   *
   * @param epoch from 1
   * @param step of this epoch, from 1
   * @param steps of an epoch
   * @param samples seen in this epoch
   * @param metrics what to show, in order
   */
  void onStep(int epoch, long step, long steps, long samples, Map<String, Double> metrics);

  /**
   * Called at the end of an epoch.
   *
   * @param epoch the number of the epoch
   * @param metrics their names and values
   */
  default void onEpochEnd(int epoch, Map<String, Double> metrics) {}
}
