package io.haft;

/** Changes an optimizer's learning rate step by step; call step() after the optimizer's. */
public class Scheduler extends SchedulerOperators {
  Scheduler(Scheduler made) {
    super(SCHEDULER, made.steal());
  }

  private Scheduler(long handle) {
    super(SCHEDULER, handle);
  }

  static Scheduler adopt(long handle) {
    return new Scheduler(handle);
  }
}
