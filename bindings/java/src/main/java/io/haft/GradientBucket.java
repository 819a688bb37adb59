package io.haft;

/**
 * The gradients of some parameters, as a {@link GradientHook} sees them: tensors over the bucket's memory, closed when the hook returns.
 *
 * @param index its place among the buckets
 * @param buffer of one dimension: the gradients, one behind the other
 * @param gradients views of the buffer in the shapes of the parameters
 * @param parameters the parameters
 */
public record GradientBucket(int index, Tensor buffer, Tensor[] gradients, Tensor[] parameters) {}
