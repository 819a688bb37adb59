package io.haft;

/** A function of several tensors. */
@FunctionalInterface
public interface TensorsFunction {
  /**
   * Computes the results.
   *
   * @param inputs the inputs, in order
   */
  Tensor[] apply(Tensor... inputs);
}
