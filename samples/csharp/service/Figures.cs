// What the service counts itself, and the engine's figures behind it, in Prometheus' text format.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Haft;

sealed class Figures {
  static readonly double[] bounds = { 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 };
  sealed class Histogram {
    internal readonly long[] Counts = new long[bounds.Length + 1];
    internal double Sum;
  }
  readonly Dictionary<(string Model, int Status), long> requests = new Dictionary<(string, int), long>();
  readonly Dictionary<string, Histogram> durations = new Dictionary<string, Histogram>();

  internal void Count(string model, int status, TimeSpan duration) {
    int at = Array.FindIndex(bounds, b => duration.TotalSeconds <= b);
    lock (requests) {
      long n;
      requests.TryGetValue((model, status), out n);
      requests[(model, status)] = n + 1;
      Histogram h;
      if (!durations.TryGetValue(model, out h)) durations.Add(model, h = new Histogram());
      ++h.Counts[at < 0 ? bounds.Length : at];
      h.Sum += duration.TotalSeconds;
    }
  }

  internal string Text(Models models, bool ready, long open) {
    var s = new StringBuilder();
    lock (requests) {
      Head(s, "service_requests_total", "counter", "Predictions that were asked for, by how the service answered.");
      foreach (var p in requests.OrderBy(p => p.Key))
        Line(s, "service_requests_total", Labels(p.Key.Model, "status", p.Key.Status.ToString()), p.Value);
      Head(s, "service_request_seconds", "histogram", "From a request's head to its answer.");
      foreach (var p in durations.OrderBy(p => p.Key)) {
        long sum = 0;
        for (int i = 0; i <= bounds.Length; ++i)
          Line(s, "service_request_seconds_bucket",
               Labels(p.Key, "le", i < bounds.Length ? bounds[i].ToString(CultureInfo.InvariantCulture) : "+Inf"),
               sum += p.Value.Counts[i]);
        Line(s, "service_request_seconds_sum", Labels(p.Key), p.Value.Sum);
        Line(s, "service_request_seconds_count", Labels(p.Key), sum);
      }
    }
    Head(s, "service_model_updates_total", "counter", "Weights that were loaded anew, by what came of it.");
    foreach (Model m in models.All) {
      Line(s, "service_model_updates_total", Labels(m.Name, "outcome", "updated"),
           System.Threading.Interlocked.Read(ref m.Updates));
      Line(s, "service_model_updates_total", Labels(m.Name, "outcome", "refused"),
           System.Threading.Interlocked.Read(ref m.Refusals));
    }
    One(s, "service_ready", "gauge", "Whether it takes requests: its models are warm and it does not end.",
        ready ? 1 : 0);
    One(s, "service_open_requests", "gauge", "Requests in work.", open);
    One(s, "service_leaks_total", "counter", "Sampled objects that nobody disposed.", LeakReports.Count);
    One(s, "service_managed_bytes", "gauge", "What the garbage collector manages.", GC.GetTotalMemory(false));
    One(s, "service_full_collections_total", "counter", "Runs of the garbage collector over all generations.",
        GC.CollectionCount(GC.MaxGeneration));
    One(s, "process_resident_memory_bytes", "gauge", "Memory of the process.", Resident());
    return s.Append(Runtime.MetricsText()).ToString();
  }

  static void Head(StringBuilder s, string name, string type, string help) {
    s.Append("# HELP ")
        .Append(name)
        .Append(' ')
        .Append(help)
        .Append("\n# TYPE ")
        .Append(name)
        .Append(' ')
        .Append(type)
        .Append('\n');
  }
  static string Labels(string model, string name = null, string value = null) {
    return "{model=\"" + model + "\"" + (name == null ? "" : "," + name + "=\"" + value + "\"") + "}";
  }
  static void Line(StringBuilder s, string name, string labels, double value) {
    s.Append(name).Append(labels).Append(' ').Append(value.ToString("R", CultureInfo.InvariantCulture)).Append('\n');
  }
  static void One(StringBuilder s, string name, string type, string help, double value) {
    Head(s, name, type, help);
    Line(s, name, "", value);
  }
  static long Resident() {
    foreach (string line in File.ReadLines("/proc/self/status"))
      if (line.StartsWith("VmRSS:", StringComparison.Ordinal))
        return 1024 * long.Parse(line.Substring(6).Replace("kB", "").Trim(), CultureInfo.InvariantCulture);
    return 0;
  }
}
