package io.haft;

/** How a loss becomes one number, or not. */
public enum Reduction {
  /** The loss of each element. */
  NONE,
  /** Their mean. */
  MEAN,
  /** Their sum. */
  SUM;

  int code() {
    return ordinal();
  }
}
