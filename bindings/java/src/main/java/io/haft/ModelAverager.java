package io.haft;

import java.util.Collection;

/** Joins the parameters of all ranks every some steps: local SGD, or DiLoCo with an outer optimizer. */
public class ModelAverager extends ModelAveragerOperators {
  /** When and how models are joined. */
  public static final class Options {
    private long period = 1, warmupSteps;
    private boolean outer, nesterov = true;
    private double outerLr = 0.7, outerMomentum = 0.9;

    /**
     * Steps from one time to the next; default: 1.
     *
     * @param steps how many
     * @return this
     */
    public Options period(long steps) {
      period = steps;
      return this;
    }

    /**
     * Steps before the first time; default: 0.
     *
     * @param steps how many
     * @return this
     */
    public Options warmupSteps(long steps) {
      warmupSteps = steps;
      return this;
    }

    /**
     * A step of an outer optimizer along what the mean has moved (DiLoCo) instead of the mean itself.
     *
     * @param lr its learning rate
     * @param momentum its momentum
     * @param nesterov whether it looks ahead
     * @return this
     */
    public Options outer(double lr, double momentum, boolean nesterov) {
      outer = true;
      outerLr = lr;
      outerMomentum = momentum;
      this.nesterov = nesterov;
      return this;
    }
  }

  private final ProcessGroup group;  // reachable as long as this is

  /**
   * Of some parameters.
   *
   * @param parameters the same on every rank
   * @param group of the ranks
   * @param o the options
   */
  public ModelAverager(Collection<Tensor> parameters, ProcessGroup group, Options o) {
    this(parameters.toArray(new Tensor[0]), group, o);
  }

  /**
   * Of some parameters.
   *
   * @param parameters the same on every rank
   * @param group of the ranks
   * @param o the options
   */
  public ModelAverager(Tensor[] parameters, ProcessGroup group, Options o) {
    super(MODEL_AVERAGER, Haft.makeAverager(parameters, group, o.period, o.warmupSteps, o.outer, o.outerLr, o.outerMomentum, o.nesterov).steal());
    this.group = group;
  }

  private ModelAverager(long handle) {
    super(MODEL_AVERAGER, handle);
    group = null;
  }

  static ModelAverager adopt(long handle) {
    return new ModelAverager(handle);
  }
}
