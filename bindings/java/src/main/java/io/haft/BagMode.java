package io.haft;

/** How the rows of a bag of embeddings become one. */
public enum BagMode {
  /** Their sum. */
  SUM,
  /** Their mean. */
  MEAN,
  /** The maximum of each column. */
  MAX;

  static int code(BagMode mode) {
    if (mode == null) throw new IllegalArgumentException("the mode of bags is null");
    return mode.ordinal();
  }
}
