package io.haft;

/** A dataset of the engine. */
final class NativeDataset extends DatasetOperators {
  private NativeDataset(long handle) {
    super(DATASET, handle);
  }

  static NativeDataset adopt(long handle) {
    return new NativeDataset(handle);
  }
}
