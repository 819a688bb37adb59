package io.haft;

/** Takes haft's log lines, on any thread. */
@FunctionalInterface
public interface LogSink {
  /** One line. */
  void log(LogLevel level, String text);
}
