package io.haft;

/** Takes haft's log lines, on any thread. */
@FunctionalInterface
public interface LogSink {
  /**
   * One line.
   *
   * @param level how serious it is
   * @param text one line
   */
  void log(LogLevel level, String text);
}
