// The event source "Haft", and what takes haft's figures, lines and events into the monitoring packages of .NET.
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using Haft.Extensions.Logging;
using Microsoft.Extensions.Logging;
using Severity = Microsoft.Extensions.Logging.LogLevel;

sealed class Listener : EventListener {
  internal readonly List<string> Seen = new List<string>();
  internal EventSource Source;
  protected override void OnEventSourceCreated(EventSource source) {
    if (source.Name == "Haft") Source = source;
  }
  protected override void OnEventWritten(EventWrittenEventArgs e) {
    if (e.EventId > 0)
      lock (Seen) Seen.Add(e.Level + " " + e.EventName + " " + e.Payload[0] + "|" +
                           string.Format(e.Message, e.Payload.ToArray()));
  }
  // The one event since the last call, of those named so.
  internal string Take(string start) {
    lock (Seen) {
      string[] found = Seen.Where(s => s.StartsWith(start, StringComparison.Ordinal)).ToArray();
      if (found.Length != 1) throw new Exception("wanted one '" + start + "', got:\n" + string.Join("\n", Seen));
      Seen.Clear();
      return found[0];
    }
  }
}

// Answers when it may, and fails when it shall.
sealed class Gate : Haft.Module {
  internal readonly SemaphoreSlim Inside = new SemaphoreSlim(0), Go = new SemaphoreSlim(0);
  internal volatile bool Closed, Fails;
  public override Tensor Forward(Tensor x) {
    if (Fails) throw new FormatException("of its own");
    if (Closed) {
      Inside.Release();
      Go.Wait();
    }
    return x * 2;
  }
}

sealed class Logger : ILogger {
  internal string Category;
  internal Severity Least;
  internal List<string> Lines;
  internal IReadOnlyList<KeyValuePair<string, object>> Values;
  public bool IsEnabled(Severity level) { return level >= Least; }
  public IDisposable BeginScope<TState>(TState state) { return null; }
  public void Log<TState>(Severity level, EventId id, TState state, Exception exception,
                          Func<TState, Exception, string> formatter) {
    Values = state as IReadOnlyList<KeyValuePair<string, object>>;
    lock (Lines) Lines.Add(Category + " " + level + " " + id.Name + " " + formatter(state, exception));
  }
}
sealed class LoggerFactory : ILoggerFactory {
  internal readonly List<string> Lines = new List<string>();
  internal readonly Dictionary<string, Logger> Made = new Dictionary<string, Logger>();
  internal Severity Least;
  public ILogger CreateLogger(string category) {
    return Made[category] = new Logger { Category = category, Least = Least, Lines = Lines };
  }
  public void AddProvider(ILoggerProvider provider) {}
  public void Dispose() {}
}

static class Adapters {
  static void Equal(object want, object got) {
    if (!Equals(want, got)) throw new Exception("wanted " + want + ", got " + got);
  }
  static void True(bool yes, string what) {
    if (!yes) throw new Exception(what);
  }
  static T Throws<T>(Action f)
      where T : Exception {
    try {
      f();
    } catch (T e) {
      return e;
    } catch (AggregateException e) when (e.InnerException is T) {
      return (T)e.InnerException;
    }
    throw new Exception("wanted " + typeof(T).Name);
  }

  static void EventsOfSessions() {
    using (new DisposeScope())
    using (var l = new Listener())
    using (var net = new Gate()) {
      Tensor x = Tensor.Ones(1, 3);
      using (var quiet = new InferenceSession(net)) quiet.Run(x);  // the source is there from the first session on
      l.EnableEvents(l.Source, EventLevel.Verbose, EventKeywords.All);
      var session = new InferenceSession(net, workers: 1, maxQueue: 1, name: "one");
      Equal("Informational SessionCreated one|Session one serves Gate: up to 1 requests wait", l.Take(""));
      session.Run(x);
      True(l.Take("").StartsWith("Verbose RequestCompleted one|Session one answered a request after "), "completed");
      session.RunAsync(x).Wait();
      l.Take("Verbose RequestCompleted one|");
      session.Run(new[] { x });
      l.Take("Verbose RequestCompleted one|");
      net.Fails = true;
      Throws<FormatException>(() => session.Run(x));
      Equal("Error RequestFailed one|A request of session one failed: of its own", l.Take(""));
      Throws<FormatException>(() => session.RunAsync(x).Wait());
      l.Take("Error RequestFailed one|");
      net.Fails = false;
      // A full queue, a time that passes, a token.
      net.Closed = true;
      Task<Tensor> running = session.RunAsync(x);
      net.Inside.Wait();
      using (var stop = new CancellationTokenSource()) {
        Task<Tensor> waiting = session.RunAsync(x, stop.Token);
        Throws<QueueFullException>(() => session.Run(x));
        True(l.Take("").StartsWith("Warning QueueFull one|Session one refused a request, its queue is full: "), "full");
        Throws<QueueFullException>(() => session.RunAsync(x).Wait());
        l.Take("Warning QueueFull one|");
        stop.Cancel();
        Throws<TaskCanceledException>(() => waiting.Wait());
        l.Take("Informational RequestCancelled one|");
      }
      Throws<TimeoutException>(() => session.Run(x, TimeSpan.FromMilliseconds(1)));
      l.Take("Warning RequestTimedOut one|");
      net.Closed = false;
      net.Go.Release();
      running.Wait();
      l.Take("Verbose RequestCompleted one|");
      // Models.
      using (var wide = new Linear(3, 7))
      using (var fits = new Linear(3, 3)) {
        Throws<ShapeException>(() => session.Update(wide));
        True(l.Take("Warning ModelRefused one|").Contains("[1, 7]"), "the sizes");
        session.Update(fits);
        l.Take("Informational ModelUpdated one|Session one has a new model, Linear, ");
        session.Run(x);
        l.Take("Verbose RequestCompleted one|");
        True(session.Drain(), "drained");
        Equal("Informational SessionDraining one|Session one takes no more requests and answers those it has",
              l.Take(""));
        session.Dispose();
        Equal("Informational SessionClosed one|Session one is closed: it has answered 5 of 11 requests", l.Take(""));
        session.Dispose();
      }
      using (var small = new InferenceSession(net, memoryLimit: 4096, name: "small")) {
        Throws<MemoryLimitException>(() => small.Run(Tensor.Ones(1, 4096)));
        True(l.Take("Warning MemoryLimitReached small|").Contains("4096"), "the limit");
        True(small.DrainAsync().Result, "drained");
        l.Take("Informational SessionDraining small|");
      }
      l.Take("Informational SessionClosed small|");
      // Only what was asked for.
      l.EnableEvents(l.Source, EventLevel.Warning, EventKeywords.All);
      using (var other = new InferenceSession(net)) {
        other.Run(x);
        net.Fails = true;
        Throws<FormatException>(() => other.Run(x));
        net.Fails = false;
      }
      True(l.Take("").StartsWith("Error RequestFailed csharp-"), "the name of one without a name");
      l.DisableEvents(l.Source);
      using (var other = new InferenceSession(net)) other.Run(x);
      Equal(0, l.Seen.Count);
    }
  }

#if !REAL_TRACING
  static void CountersOfSessions() {
    using (new DisposeScope())
    using (var l = new Listener())
    using (var net = new Gate()) {
      Tensor x = Tensor.Ones(1, 3);
      l.EnableEvents(l.Source, EventLevel.Critical, EventKeywords.All);
      l.EnableEvents(l.Source, EventLevel.Critical, EventKeywords.All,
                     new Dictionary<string, string> { { "EventCounterIntervalSec", "1" } });
      Dictionary<string, DiagnosticCounter> all = l.Source.Counters.ToDictionary(c => c.Name);  // each once
      Func<string, double> value = name => all[name].Value();
      True(all.Values.All(c => c.DisplayName.Length > 0), "names to show");
      double before = value("requests-per-second"), failed = value("failures-per-second");
      Equal(0.0, value("sessions"));
      using (var first = new InferenceSession(net))
      using (var second = new InferenceSession(net)) {
        Equal(2.0, value("sessions"));
        first.Run(x);
        second.Run(x);
        Equal(before + 2, value("requests-per-second"));
        True(value("latency-p50") > 0 && value("latency-p99") >= value("latency-p50"), "latencies");
        first.Dispose();
        Equal(1.0, value("sessions"));
        net.Fails = true;
        Throws<FormatException>(() => second.Run(x));
        net.Fails = false;
        Equal(before + 3, value("requests-per-second"));  // the closed one's among them
        Equal(failed + 1, value("failures-per-second"));
      }
      Equal(before + 3, value("requests-per-second"));
      Equal(0.0, value("session-memory"));
      foreach (string gauge in new[] { "refusals-per-second", "timeouts-per-second", "queued-requests",
                                       "running-batches" })
        True(value(gauge) >= 0, gauge);
    }
  }
#endif

  static void LinesForLoggers() {
    int held = Runtime.HeldCallbacks;
    var factory = new LoggerFactory { Least = Severity.Information };
    using (new DisposeScope())
    using (var net = new Gate()) {
      int withNet = Runtime.HeldCallbacks;
      using (new HaftLogging(factory)) {
        Equal(withNet + 1, Runtime.HeldCallbacks);
        var sink = ((HashSet<object>)typeof(Bridges)
                        .GetField("held", BindingFlags.NonPublic | BindingFlags.Static)
                        .GetValue(null))
                       .OfType<LogBridge>()
                       .Single();
        sink.Log((int)Haft.LogLevel.Warning, "a line");
        sink.Log((int)Haft.LogLevel.Info, "another");
        using (var session = new InferenceSession(net, name: "logged")) {
          session.Run(Tensor.Ones(1, 3));
          net.Fails = true;
          Throws<FormatException>(() => session.Run(Tensor.Ones(1, 3)));
          Equal(
              "session=logged error=FormatException message=of its own {OriginalFormat}=A request of session {session} failed: {message}",
              string.Join(" ", factory.Made["Haft.Sessions"].Values.Select(v => v.Key + "=" + v.Value)));
        }
      }
      Equal(
          "Haft Warning  a line\nHaft Information  another\nHaft.Sessions Information SessionCreated Session logged serves Gate: up to 1024 requests wait\n" +
              "Haft.Sessions Error RequestFailed A request of session logged failed: of its own\n" +
              "Haft.Sessions Information SessionClosed Session logged is closed: it has answered 1 of 2 requests",
          string.Join("\n", factory.Lines));
      Equal(withNet, Runtime.HeldCallbacks);
      using (new InferenceSession(net)) Equal(5, factory.Lines.Count);
    }
    factory.Least = Severity.None;
    using (new HaftLogging(factory))
    using (var net = new Gate())
    using (new InferenceSession(net))
        Equal(5, factory.Lines.Count);
    Throws<ArgumentNullException>(() => new HaftLogging(null));
  }

  // As Meters' documentation says it.
  static void FiguresForMeters() {
    using (var net = new Gate())
    using (var session = new InferenceSession(net)) {
      var meter = new Meter("haft");
      Meters.Of(session, (name, description, kind, value) => {
        if (kind == MeterKind.Counter) meter.CreateObservableCounter(name, value, null, description);
        else meter.CreateObservableGauge(name, value, null, description);
      });
      using (Tensor x = Tensor.Ones(1, 3)) session.Run(x).Dispose();
      Equal(17, meter.Instruments.Count);
      Equal(1.0, ((ObservableCounter<double>)meter.Instruments["haft.session.requests.completed"]).Observe());
      Equal(0.0, ((ObservableGauge<double>)meter.Instruments["haft.session.queue.length"]).Observe());
    }
  }

  static int Main() {
    EventsOfSessions();
#if !REAL_TRACING
    CountersOfSessions();
#endif
    LinesForLoggers();
    FiguresForMeters();
    Console.WriteLine("adapters: all is well");
    return 0;
  }
}
