package io.haft;

/** Whether operators must give equal bits for equal inputs. */
public enum Determinism {
  /** They need not. */
  OFF,
  /** An operator that cannot runs all the same, after a warning in the log. */
  WARN,
  /** An operator that cannot fails. */
  ERROR;

  int code() {
    return ordinal();
  }

  static Determinism of(int code) {
    return values()[code];
  }
}
