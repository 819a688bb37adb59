package io.haft;

/** Rows of tensors of equal length. */
public final class TensorDataset extends Dataset.Held {
  /**
   * The i-th item is the i-th row of each.
   *
   * @param tensors one a field, of equal first sizes
   */
  public TensorDataset(Tensor... tensors) {
    super(Haft.tensorDataset(tensors));
  }
}
