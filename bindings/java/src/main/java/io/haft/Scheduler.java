package io.haft;

import java.util.Map;

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

  /**
   * What another schedule of this kind goes on from: "last_epoch", "base_lrs.0" and so on, a number each.
   *
   * @return float64 tensors without dimensions
   */
  public Map<String, Tensor> stateDict() {
    return Haft.scheduleState(this);
  }

  /**
   * Goes on from what {@link #stateDict} told; the rates themselves are the optimizer's.
   *
   * @param state of a schedule of the same kind
   */
  public void loadStateDict(Map<String, Tensor> state) {
    Haft.setScheduleState(this, state);
  }
}
