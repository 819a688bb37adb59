package io.haft;

import java.util.function.LongToDoubleFunction;

/** Changes an optimizer's learning rate step by step. */
public class Scheduler extends SchedulerOperators {
  private Scheduler(long handle) {
    super(SCHEDULER, handle);
  }

  static Scheduler adopt(long handle) {
    return new Scheduler(handle);
  }

  /** Times gamma every stepSize steps. */
  public static Scheduler step(Optimizer o, long stepSize, double gamma) {
    return Haft.stepLr(o, stepSize, gamma);
  }

  /** Times gamma at each milestone. */
  public static Scheduler multiStep(Optimizer o, double gamma, long... milestones) {
    return Haft.multiStepLr(o, milestones, gamma);
  }

  /** Times gamma at every step. */
  public static Scheduler exponential(Optimizer o, double gamma) {
    return Haft.exponentialLr(o, gamma);
  }

  /** Along half a cosine to etaMin at step tMax. */
  public static Scheduler cosine(Optimizer o, long tMax, double etaMin) {
    return Haft.cosineLr(o, tMax, etaMin);
  }

  /** From start to end times the first rate, over `total` steps. */
  public static Scheduler linear(Optimizer o, double start, double end, long total) {
    return Haft.linearLr(o, start, end, total);
  }

  /** The first rate times f(step). */
  public static Scheduler lambda(Optimizer o, LongToDoubleFunction f) {
    return Haft.lambdaLr(o, f);
  }
}
