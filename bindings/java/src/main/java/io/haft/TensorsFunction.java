package io.haft;

/** A function of several tensors. */
@FunctionalInterface
public interface TensorsFunction {
  /** Computes the results. */
  Tensor[] apply(Tensor... inputs);
}
