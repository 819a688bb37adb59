package io.haft;

/**
 * Values and where they stood: what max, min, sort and topk answer.
 *
 * @param values the elements
 * @param indices their positions along the dimension, int64
 */
public record Values(Tensor values, Tensor indices) implements AutoCloseable {
  static Values of(Tensor[] pair) {
    return new Values(pair[0], pair[1]);
  }

  @Override
  public void close() {
    values.close();
    indices.close();
  }
}
