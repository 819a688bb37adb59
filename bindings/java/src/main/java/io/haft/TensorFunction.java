package io.haft;

/** A function of one tensor, for example a hook that sees a gradient; null where "as it was" makes sense. */
@FunctionalInterface
public interface TensorFunction {
  /** Computes the result. */
  Tensor apply(Tensor x);
}
