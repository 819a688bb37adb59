package io.haft;

/** How urgent a log line is. */
public enum LogLevel {
  NONE,
  ERROR,
  WARNING,
  INFO,
  DEBUG;

  static LogLevel of(int code) {
    return values()[Math.max(0, Math.min(code, values().length - 1))];
  }
}
