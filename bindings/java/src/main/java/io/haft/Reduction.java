package io.haft;

/** How a loss becomes one number, or not. */
public enum Reduction {
  /** The loss of each element. */
  NONE,
  /** Their mean. */
  MEAN,
  /** Their sum. */
  SUM,
  /** Their sum over the size of the first dimension; of {@code klDiv} and {@code KLDivLoss} alone. */
  BATCHMEAN;

  int code() {
    return ordinal();
  }

  static int code(Reduction reduction) {
    if (reduction == null) throw new IllegalArgumentException("reduction is null");
    return reduction.ordinal();
  }
}
