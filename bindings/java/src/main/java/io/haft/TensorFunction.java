package io.haft;

/** A function of one tensor, for example a hook that sees a gradient; null where "as it was" makes sense. */
@FunctionalInterface
public interface TensorFunction {
  /**
   * Computes the result.
   *
   * @param x a tensor; closed by the caller
   */
  Tensor apply(Tensor x);
}
