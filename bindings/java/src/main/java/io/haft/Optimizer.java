package io.haft;

import java.util.Collection;
import java.util.function.Supplier;

/** Changes parameters by their gradients. */
public class Optimizer extends OptimizerOperators {
  private volatile ProcessGroup group;  // over whose ranks its state is spread

  Optimizer(Optimizer made) {
    super(OPTIMIZER, made.steal());
  }

  private Optimizer(long handle) {
    super(OPTIMIZER, handle);
  }

  static Optimizer adopt(long handle) {
    return new Optimizer(handle);
  }

  void spreadOver(ProcessGroup ranks) {
    group = ranks;
  }

  /** Changes the parameters. Where a {@link ZeroRedundancyOptimizer} spreads the state, an interruption aborts the group. */
  @Override
  public void step() {
    ProcessGroup ranks = group;
    if (ranks == null) {
      super.step();
      return;
    }
    ProcessGroup.run(ranks, () -> {
      super.step();
      return null;
    });
  }

  /**
   * A step after a closure: {@link LBFGS} calls it again and again, all others once, before.
   *
   * @param closure clears the gradients, computes the loss and its gradients, answers the loss
   * @return the first loss
   */
  public Tensor step(Supplier<Tensor> closure) {
    TensorsFunction once = none -> {
      Tensor loss = closure.get();
      return loss == null ? new Tensor[0] : new Tensor[] {loss};
    };
    ProcessGroup ranks = group;
    return ranks == null ? Haft.stepClosure(this, once) : ProcessGroup.run(ranks, () -> Haft.stepClosure(this, once));
  }

  /**
   * Limits the Euclidean norm of the gradients of all parameters together, between backward and the step.
   *
   * @param maxNorm the limit
   * @return the norm before
   */
  public double clipGradNorm(double maxNorm) {
    return clipGradNorm(maxNorm, 2);
  }

  /**
   * Limits the norm of the gradients of all parameters together, whoever has them: where a {@link ZeroRedundancyOptimizer} spreads the state all
   * ranks call it.
   *
   * @param maxNorm the limit
   * @param normType 2: Euclidean; positive, may be infinity
   * @return the norm before
   */
  public double clipGradNorm(double maxNorm, double normType) {
    ProcessGroup ranks = group;
    return ranks == null ? Haft.clipOptimizer(this, maxNorm, normType) : ProcessGroup.run(ranks, () -> Haft.clipOptimizer(this, maxNorm, normType));
  }

  static Tensor[] array(Collection<Tensor> params) {
    return params.toArray(new Tensor[0]);
  }

  /**
   * Adds parameters as a group with the same options. Answers its number.
   *
   * @param params leaves that no group has
   * @return the group's number
   */
  public long addGroup(Collection<Tensor> params) {
    return addGroup(array(params));
  }

  /** {@return its class, its first learning rate and how many parameters it changes} */
  @Override
  public String toString() {
    String name = getClass().getSimpleName();
    try {
      long parameters = 0;
      for (long group = 0; group < groupCount(); group++) {
        Tensor[] of = params(group);
        parameters += of.length;
        for (Tensor p : of) p.close();
      }
      return name + "(lr=" + lr() + ", groups=" + groupCount() + ", parameters=" + parameters + ")";
    } catch (ClosedException e) {
      return name + "(closed)";
    }
  }
}
