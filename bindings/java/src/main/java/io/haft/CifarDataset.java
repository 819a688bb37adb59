package io.haft;

/** Pictures, uint8 (3, 32, 32), and labels of the binary version of CIFAR-10 and CIFAR-100. */
public final class CifarDataset extends Dataset.Held {
  /**
   * Opens files, one behind the other.
   *
   * @param labelBytes 1: CIFAR-10; 2: CIFAR-100, of whose two labels the second, the fine one, is taken
   * @param paths data_batch_1.bin, ...
   */
  public CifarDataset(long labelBytes, String... paths) {
    super(Haft.cifarDataset(labelBytes, paths));
  }
}
