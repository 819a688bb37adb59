package io.haft;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Hears how training goes; what {@link Trainer#fit} reports to. */
@FunctionalInterface
public interface ProgressListener extends Consumer<TrainingProgress> {
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

  /** A trainer's report: a step, and at its end the epoch. */
  @Override
  default void accept(TrainingProgress at) {
    Map<String, Double> metrics = new LinkedHashMap<>();
    metrics.put("loss", at.loss());
    if (!Double.isNaN(at.accuracy())) metrics.put("accuracy", at.accuracy());
    if (!Double.isNaN(at.validationLoss())) metrics.put("validation loss", at.validationLoss());
    if (!Double.isNaN(at.validationAccuracy())) metrics.put("validation accuracy", at.validationAccuracy());
    onStep((int) at.epoch(), at.step(), at.steps(), at.samples(), metrics);
    if (at.epochEnds()) onEpochEnd((int) at.epoch(), metrics);
  }
}
