package io.haft;

import java.util.Arrays;

/**
 * Functions of functions: products with a Jacobian or a Hessian, these matrices themselves, and checkpoints, which trade time
 * for memory. A module is such a function, too: {@code in -> new Tensor[] {net.forward(in[0])}}.
 *
 * <p>The functions get tensors of their own, and what they compute is recorded, whatever the thread's mode.
 */
public final class Autograd {
  private static final int CREATE_GRAPH = 2;
  private static final Tensor[] NONE = {};

  private Autograd() {}

  /**
   * The outputs of a function, and products.
   *
   * @param outputs what the function answered
   * @param products one for each input (of vjp and hvp) or output (of jvp), of its shape
   */
  public record Products(Tensor[] outputs, Tensor[] products) {}

  private static Products split(Tensor[] all, int outputs) {
    return new Products(Arrays.copyOf(all, outputs), Arrays.copyOfRange(all, outputs, all.length));
  }

  private static int flags(boolean createGraph) {
    return createGraph ? CREATE_GRAPH : 0;
  }

  private static Tensor[] orNone(Tensor[] vectors) {
    return vectors == null ? NONE : vectors;
  }

  private static Tensor[][] rows(Tensor[] all, int columns) {
    Tensor[][] out = new Tensor[all.length / columns][];
    for (int i = 0; i < out.length; i++) out[i] = Arrays.copyOfRange(all, i * columns, (i + 1) * columns);
    return out;
  }

  /**
   * Vectors times the Jacobian.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @param vectors one for each output, of its shape; null: 1, for a single output of one element
   * @return the outputs, and a product for each input
   */
  public static Products vjp(TensorsFunction function, Tensor[] inputs, Tensor[] vectors) {
    return vjp(function, inputs, vectors, false);
  }

  /**
   * Vectors times the Jacobian.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @param vectors one for each output, of its shape; null: 1, for a single output of one element
   * @param createGraph record the results, which then depend on inputs that require a gradient
   * @return the outputs, and a product for each input
   */
  public static Products vjp(TensorsFunction function, Tensor[] inputs, Tensor[] vectors, boolean createGraph) {
    Tensor[] all = Haft.vjp(function, inputs, orNone(vectors), flags(createGraph));
    return split(all, all.length - inputs.length);
  }

  /**
   * The Jacobian times vectors.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @param vectors one for each input, of its shape; null: 1, for a single input of one element
   * @return the outputs, and a product for each output
   */
  public static Products jvp(TensorsFunction function, Tensor[] inputs, Tensor[] vectors) {
    return jvp(function, inputs, vectors, false);
  }

  /**
   * The Jacobian times vectors.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @param vectors one for each input, of its shape; null: 1, for a single input of one element
   * @param createGraph record the results, which then depend on inputs that require a gradient
   * @return the outputs, and a product for each output
   */
  public static Products jvp(TensorsFunction function, Tensor[] inputs, Tensor[] vectors, boolean createGraph) {
    Tensor[] all = Haft.jvp(function, inputs, orNone(vectors), flags(createGraph));
    return split(all, all.length / 2);
  }

  /**
   * The Hessian times vectors, of a function with one output of one element; vectors times the Hessian are the same.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @param vectors one for each input, of its shape; null: 1, for a single input of one element
   * @return the output, and a product for each input
   */
  public static Products hvp(TensorsFunction function, Tensor[] inputs, Tensor[] vectors) {
    return hvp(function, inputs, vectors, false);
  }

  /**
   * The Hessian times vectors, of a function with one output of one element; vectors times the Hessian are the same.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @param vectors one for each input, of its shape; null: 1, for a single input of one element
   * @param createGraph record the results, which then depend on inputs that require a gradient
   * @return the output, and a product for each input
   */
  public static Products hvp(TensorsFunction function, Tensor[] inputs, Tensor[] vectors, boolean createGraph) {
    return split(Haft.hvp(function, inputs, orNone(vectors), flags(createGraph)), 1);
  }

  /**
   * The Jacobian of a function.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @return for each output and each input a tensor of the sizes of the one and then of the other
   */
  public static Tensor[][] jacobian(TensorsFunction function, Tensor... inputs) {
    return jacobian(function, false, inputs);
  }

  /**
   * The Jacobian of a function.
   *
   * @param function called once
   * @param createGraph record the results, which then depend on inputs that require a gradient
   * @param inputs of floating dtypes
   * @return for each output and each input a tensor of the sizes of the one and then of the other
   */
  public static Tensor[][] jacobian(TensorsFunction function, boolean createGraph, Tensor... inputs) {
    return jacobian(function, createGraph, 0, inputs);
  }

  /**
   * The Jacobian of a function, some rows at a time.
   *
   * @param function called once
   * @param createGraph record the results, which then depend on inputs that require a gradient
   * @param chunkSize how many elements of the outputs a walk of the graph serves: memory against time; 0: as memory allows
   * @param inputs of floating dtypes
   * @return for each output and each input a tensor of the sizes of the one and then of the other
   */
  public static Tensor[][] jacobian(TensorsFunction function, boolean createGraph, long chunkSize, Tensor... inputs) {
    return rows(Haft.jacobian(function, inputs, flags(createGraph), chunkSize), inputs.length);
  }

  /** As a dimension of vmap: the tensor has no examples, it is the same for all. */
  public static final long WHOLE = Long.MIN_VALUE;

  /** What random operators do inside of vmap. */
  public enum Randomness {
    /** None may run. */
    ERROR,
    /** Each example has numbers of its own. */
    DIFFERENT,
    /** All examples have the same. */
    SAME
  }

  /**
   * The results of a function of one example for many, which lie in dimension 0 of inputs and results (torch.func.vmap).
   *
   * @param function called once, with tensors of one example's sizes that stand for all of them; it can read no values
   * @param inputs all with as many examples
   * @return the outputs of all examples
   */
  public static Tensor[] vmap(TensorsFunction function, Tensor... inputs) {
    return vmap(function, null, null, Randomness.ERROR, 0, inputs);
  }

  /**
   * The results of a function of one example for many.
   *
   * @param function called once for each chunk, with tensors of one example's sizes that stand for all of them
   * @param inDims along which dimension each input has its examples, or {@link #WHOLE}; null: 0 for all
   * @param outDims where outputs get theirs, one for all or one for each, or {@link #WHOLE}; null: 0
   * @param randomness what random operators do
   * @param chunkSize examples at a time; 0: all
   * @param inputs with examples or without
   * @return the outputs of all examples
   */
  public static Tensor[] vmap(TensorsFunction function, long[] inDims, long[] outDims, Randomness randomness, long chunkSize, Tensor... inputs) {
    return Haft.vmap(function, inputs, orEmpty(inDims), orEmpty(outDims), randomness.ordinal(), chunkSize, false);
  }

  private static long[] orEmpty(long[] dims) {
    return dims == null ? new long[0] : dims;
  }

  /**
   * The Hessian of a function with one output of one element.
   *
   * @param function called once
   * @param inputs of floating dtypes
   * @return for each pair of inputs a tensor of the sizes of the one and then of the other
   */
  public static Tensor[][] hessian(TensorsFunction function, Tensor... inputs) {
    return hessian(function, false, inputs);
  }

  /**
   * The Hessian of a function with one output of one element.
   *
   * @param function called once
   * @param createGraph record the results, which then depend on inputs that require a gradient
   * @param inputs of floating dtypes
   * @return for each pair of inputs a tensor of the sizes of the one and then of the other
   */
  public static Tensor[][] hessian(TensorsFunction function, boolean createGraph, Tensor... inputs) {
    return rows(Haft.hessian(function, inputs, flags(createGraph)), inputs.length);
  }

  /**
   * Calls a function of which only the inputs are kept for backward: it runs once more when backward reads what it would have
   * kept, and draws the same random numbers then (torch.utils.checkpoint).
   *
   * @param function must do the same each time; runs on the thread of backward then
   * @param inputs tensors
   * @return what the function answered
   */
  public static Tensor[] checkpoint(TensorsFunction function, Tensor... inputs) {
    return checkpoint(function, true, inputs);
  }

  /**
   * Calls a function of which only the inputs are kept for backward.
   *
   * @param function must do the same each time; runs on the thread of backward then
   * @param preserveRandom whether the second run draws the random numbers of the first
   * @param inputs tensors
   * @return what the function answered
   */
  public static Tensor[] checkpoint(TensorsFunction function, boolean preserveRandom, Tensor... inputs) {
    return Haft.checkpoint(function, inputs, preserveRandom);
  }
}
