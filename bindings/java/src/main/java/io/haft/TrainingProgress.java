package io.haft;

import java.time.Duration;

/**
 * Where a training run stands.
 *
 * @param epoch the epoch, from 1
 * @param epochs how many there will be at most
 * @param step the step of this epoch, from 1
 * @param steps steps an epoch
 * @param samples items seen in this epoch
 * @param loss the mean loss of this epoch so far
 * @param accuracy the part of this epoch's items that were classified right; NaN where targets are no classes
 * @param validationLoss the mean loss of the validation at the end of this epoch; NaN before, and without one
 * @param validationAccuracy the part of the validation's items that were classified right; NaN as its loss is
 * @param bestEpoch the epoch with the lowest loss, of the validation where there is one; 0: none yet
 * @param stoppedEarly whether the run is over because its loss got no better
 * @param elapsed time since the epoch began
 */
public record TrainingProgress(long epoch, long epochs, long step, long steps, long samples, double loss, double accuracy, double validationLoss,
    double validationAccuracy, long bestEpoch, boolean stoppedEarly, Duration elapsed) {
  /** {@return whether the epoch is over with this step} */
  public boolean epochEnds() {
    return step == steps;
  }
}
