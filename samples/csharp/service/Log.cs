// What happens, as one JSON object a line on standard output: {"time": "...", "level": "info", "event": "ready", ...}
using System;
using System.Globalization;
using System.Text;

static class Log {
  internal enum Level { Debug, Info, Warning, Error }

  internal static Level Least = Level.Info;

  // fields: names and values in turn
  internal static void Write(Level level, string name, params object[] fields) {
    if (level < Least) return;
    var line = new StringBuilder("{\"time\": \"")
                   .Append(DateTime.UtcNow.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture));
    line.Append("\", \"level\": \"")
        .Append(level.ToString().ToLowerInvariant())
        .Append("\", \"event\": \"")
        .Append(name)
        .Append('"');
    for (int i = 0; i < fields.Length; i += 2) {
      line.Append(", \"").Append(fields[i]).Append("\": ");
      Json.Append(line, fields[i + 1]);
    }
    line.Append("}\n");
    lock (Console.Out) {
      Console.Out.Write(line.ToString());
      Console.Out.Flush();
    }
  }
  internal static Level Of(Haft.LogLevel level) {
    return level == Haft.LogLevel.Error ? Level.Error : level == Haft.LogLevel.Warning ? Level.Warning : Level.Info;
  }
  internal static void Debug(string name, params object[] fields) { Write(Level.Debug, name, fields); }
  internal static void Info(string name, params object[] fields) { Write(Level.Info, name, fields); }
  internal static void Warning(string name, params object[] fields) { Write(Level.Warning, name, fields); }
  internal static void Error(string name, params object[] fields) { Write(Level.Error, name, fields); }
}
