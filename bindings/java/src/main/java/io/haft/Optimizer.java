package io.haft;

import java.util.Collection;

/** Changes parameters by their gradients. */
public class Optimizer extends OptimizerOperators {
  Optimizer(Optimizer made) {
    super(OPTIMIZER, made.steal());
  }

  private Optimizer(long handle) {
    super(OPTIMIZER, handle);
  }

  static Optimizer adopt(long handle) {
    return new Optimizer(handle);
  }

  static Tensor[] array(Collection<Tensor> params) {
    return params.toArray(new Tensor[0]);
  }

  /** Adds parameters as a group with the same options. Answers its number. */
  public long addGroup(Collection<Tensor> params) {
    return addGroup(array(params));
  }
}
