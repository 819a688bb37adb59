package io.haft;

/** Pictures and labels from files of the MNIST family, plain or .gz: uint8 (1, height, width) and int64 (). */
public final class IdxDataset extends Dataset.Held {
  /**
   * Reads both files.
   *
   * @param images path of the pictures
   * @param labels path of the labels
   */
  public IdxDataset(String images, String labels) {
    super(Haft.idxDataset(images, labels));
  }
}
