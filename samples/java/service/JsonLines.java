package service;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ResourceBundle;

/**
 * What goes to any System.Logger, one JSON line each on standard output: this service's events, haft's lines and reports of
 * leaks, the JDK's. META-INF/services names it to the JDK. With Log4j or SLF4J, which bring such a class, delete this one and
 * that file.
 */
public final class JsonLines extends System.LoggerFinder {
  private static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out));
  private static volatile System.Logger.Level least = System.Logger.Level.INFO;

  /** From which level on lines of the service and of haft are written; of all others, from INFO. */
  static void least(System.Logger.Level level) {
    least = level;
  }

  @Override
  public System.Logger getLogger(String name, Module module) {
    return new Lines(name, name.equals("service") || name.startsWith("io.haft"));
  }

  private record Lines(String name, boolean ours) implements System.Logger {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return level != Level.OFF && level.getSeverity() >= (ours ? least : Level.INFO).getSeverity();
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      if (!isLoggable(level)) return;
      if (thrown == null) line(level, "message", message);
      else line(level, "message", message, "exception", Log.trace(thrown));
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... values) {
      if (!isLoggable(level)) return;
      if (values == null || values.length == 0) line(level, "message", format);
      else if (values[0] instanceof Log.Event e) line(level, "event", e.name(), e.fields());
      else line(level, "message", MessageFormat.format(format, values));
    }

    private void line(Level level, String kind, String text, Object... fields) {
      StringBuilder out = new StringBuilder("{");
      Json.members(out, "time", Instant.now().truncatedTo(ChronoUnit.MILLIS), "level", level, "logger", name);
      Json.members(out, kind, text);
      Json.members(out, fields);
      byte[] line = out.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
      synchronized (OUT) {
        OUT.write(line, 0, line.length);
        OUT.flush();
      }
    }
  }
}
