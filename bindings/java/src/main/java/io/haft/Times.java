package io.haft;

import java.time.Duration;

/** Durations for the engine. */
final class Times {
  static final long NO_LIMIT = Long.MIN_VALUE;
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE - 999);

  private Times() {}

  /** In microseconds, rounded up, so that a short time is not none; what is longer than the engine counts has no end. */
  static long micros(String name, Duration d) {
    if (d == null) return NO_LIMIT;
    if (d.isNegative()) throw new IllegalArgumentException(name + " is negative: " + d);
    return d.compareTo(LONGEST) > 0 ? Long.MAX_VALUE : (d.toNanos() + 999) / 1000;
  }

  /** The same where there is no absent one. */
  static long required(String name, Duration d) {
    return micros(name, java.util.Objects.requireNonNull(d, name + " is null"));
  }
}
