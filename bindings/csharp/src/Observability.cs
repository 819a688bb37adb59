// What monitoring libraries want to know, and who did not dispose what.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Haft {

/// <summary>How a figure moves.</summary>
public enum MeterKind {
  /// <summary>It only grows.</summary>
  Counter,
  /// <summary>It goes up and down.</summary>
  Gauge
}

/// <summary>Takes one figure into a monitoring library.</summary>
/// <param name="name">its name in dots, the unit last: haft.session.latency.p99.seconds</param>
/// <param name="description">what it is</param>
/// <param name="kind">how it moves</param>
/// <param name="value">what it is now, on any thread; NaN once the session is closed</param>
public delegate void MeterRegistry(string name, string description, MeterKind kind, Func<double> value);

/// <summary>The figures of a session one by one, for a monitoring library that keeps a registry of its own. haft needs none: the few
/// lines between are the application's. Histograms are in <see cref="Runtime.MetricsText"/>.</summary>
/// <example>System.Diagnostics.Metrics, and so OpenTelemetry and dotnet-counters:<code>
/// var meter = new Meter("haft");
/// Meters.Of(session, (name, description, kind, value) => {
///   if (kind == MeterKind.Counter) meter.CreateObservableCounter(name, value, null, description);
///   else meter.CreateObservableGauge(name, value, null, description);
/// });
/// </code></example>
public static class Meters {
  private static readonly TimeSpan fresh = TimeSpan.FromMilliseconds(100);

  /// <summary>Hands every figure of a session to a registry. Those asked for together are of one moment: they are read anew when the
  /// last reading is older than a tenth of a second.</summary>
  /// <param name="session">kept reachable by what is handed over</param>
  /// <param name="registry">takes each figure, once</param>
  public static void Of(InferenceSession session, MeterRegistry registry) {
    if (session == null) throw new ArgumentNullException("session");
    if (registry == null) throw new ArgumentNullException("registry");
    SessionMetrics last = null;
    var age = new Stopwatch();
    var gate = new object();
    Action<string, string, MeterKind, Func<SessionMetrics, double>> add = (name, description, kind, figure) =>
        registry("haft.session." + name, description, kind, () => {
          lock (gate) {
            if (last == null || age.Elapsed > fresh) {
              try {
                last = session.Metrics;
              } catch (ObjectDisposedException) {
                return double.NaN;
              }
              age.Restart();
            }
            return figure(last);
          }
        });
    add("requests.completed", "Requests answered with a result", MeterKind.Counter, m => m.Completed);
    add("requests.failed", "Requests whose module threw, or for which memory was short", MeterKind.Counter, m => m.Failed);
    add("requests.invalid", "Requests with inputs that the module does not take", MeterKind.Counter, m => m.Invalid);
    add("requests.refused", "Requests that found the queue full", MeterKind.Counter, m => m.Refused);
    add("requests.cancelled", "Requests that were cancelled", MeterKind.Counter, m => m.Cancelled);
    add("requests.timedout", "Requests not answered in time", MeterKind.Counter, m => m.TimedOut);
    add("batches", "Batches that have run", MeterKind.Counter, m => m.Batches);
    add("batch.mean", "Requests in a batch, on average", MeterKind.Gauge, m => m.MeanBatch);
    add("batches.running", "Batches that run now", MeterKind.Gauge, m => m.Running);
    add("queue.length", "Requests that wait now", MeterKind.Gauge, m => m.QueueLength);
    add("queue.peak", "The most requests that have waited", MeterKind.Gauge, m => m.QueuePeak);
    add("memory.live.bytes", "Tensors that runs have made and that live", MeterKind.Gauge, m => m.BytesLive);
    add("memory.peak.bytes", "The most of them", MeterKind.Gauge, m => m.BytesPeak);
    add("latency.p50.seconds", "Half of the last requests were answered within it", MeterKind.Gauge, m => m.LatencyP50.TotalSeconds);
    add("latency.p90.seconds", "90 of 100 of the last requests were answered within it", MeterKind.Gauge, m => m.LatencyP90.TotalSeconds);
    add("latency.p99.seconds", "99 of 100 of the last requests were answered within it", MeterKind.Gauge, m => m.LatencyP99.TotalSeconds);
    add("latency.max.seconds", "The slowest of the last requests", MeterKind.Gauge, m => m.LatencyMax.TotalSeconds);
  }
}

/// <summary>Tells where objects were made that nobody disposed: their memory waited for the garbage collector, which does not know how
/// much it is. Off, and then without cost, until <see cref="Every"/> is set.</summary>
public static class LeakReports {
  private const int Places = 1000;
  private static readonly HashSet<string> seen = new HashSet<string>();
  private static int every = FromEnvironment();
  private static int made;
  private static long count;

  /// <summary>Of so many objects one remembers where it was made; 0: none. 128 is a good one for a service, 1 for a test. At first what the
  /// environment variable HAFT_LEAKS says.</summary>
  public static int Every {
    get { return Volatile.Read(ref every); }
    set {
      if (value < 0) throw new ArgumentOutOfRangeException("value", "Haft: one in " + value + " objects cannot be sampled; 0 is none");
      Volatile.Write(ref every, value);
    }
  }
  /// <summary>How many of the sampled objects the collector has found undisposed, those of places that were reported already among
  /// them.</summary>
  public static long Count { get { return Interlocked.Read(ref count); } }
  /// <summary>Gets what was not disposed and where it was made, each place once, on the finalizer's thread; what it throws is dropped. Without
  /// one, lines go to <see cref="System.Diagnostics.Trace"/> as warnings.</summary>
  public static event Action<string> Found;

  private static int FromEnvironment() {
    int n;
    return int.TryParse(Environment.GetEnvironmentVariable("HAFT_LEAKS"), out n) && n > 0 ? n : 0;
  }

  // Where an object of the class is made, when it is a sample.
  internal static StackTrace Sample() {
    int n = every;
    return n != 0 && (n == 1 || (uint)Interlocked.Increment(ref made) % (uint)n == 0) ? new StackTrace(2, true) : null;
  }
  internal static void Report(string what, StackTrace where) {
    Interlocked.Increment(ref count);
    try {
      string text = what + " was not disposed (using or a DisposeScope does); it was made\n" + where;
      lock (seen)
        if (seen.Count >= Places || !seen.Add(text)) return;
      Action<string> found = Found;
      if (found != null) found(text);
      else Trace.TraceWarning(text);
    } catch (Exception) {
      // the listener's own trouble, on the finalizer's thread, which must go on
    }
  }
}
}
