package io.haft;

/** How a loss becomes one number, or not. */
public enum Reduction {
  NONE,
  MEAN,
  SUM;

  int code() {
    return ordinal();
  }
}
