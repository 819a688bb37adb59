package service;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The service's events, through System.Logger: whatever library a house has behind it gets them as JSON. */
final class Log {
  private static final System.Logger LOGGER = System.getLogger("service");

  private Log() {}

  /** Something that happened, and what there is to know of it: names and values by turns. */
  record Event(String name, Object... fields) {
    @Override
    public String toString() {
      StringBuilder out = new StringBuilder("{");
      Json.members(out, "event", name);
      Json.members(out, fields);
      return out.append('}').toString();
    }
  }

  static void debug(String event, Object... fields) {
    write(System.Logger.Level.DEBUG, event, fields);
  }

  static void info(String event, Object... fields) {
    write(System.Logger.Level.INFO, event, fields);
  }

  static void warning(String event, Object... fields) {
    write(System.Logger.Level.WARNING, event, fields);
  }

  static void error(String event, Object... fields) {
    write(System.Logger.Level.ERROR, event, fields);
  }

  private static void write(System.Logger.Level level, String event, Object... fields) {
    if (LOGGER.isLoggable(level)) LOGGER.log(level, "{0}", new Event(event, fields));
  }

  /** An exception with its frames, for a field. */
  static String trace(Throwable thrown) {
    StringWriter out = new StringWriter();
    thrown.printStackTrace(new PrintWriter(out));
    return out.toString();
  }
}
