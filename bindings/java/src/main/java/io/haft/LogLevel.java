package io.haft;

/** How urgent a log line is. */
public enum LogLevel {
  /** Nothing. */
  NONE,
  /** What failed. */
  ERROR,
  /** And what may be wrong. */
  WARNING,
  /** And what happens. */
  INFO,
  /** And every detail. */
  DEBUG;

  static LogLevel of(int code) {
    return values()[Math.max(0, Math.min(code, values().length - 1))];
  }
}
