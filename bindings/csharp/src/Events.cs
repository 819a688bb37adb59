// What sessions do, as events and counters: dotnet-trace, dotnet-counters, PerfView, Application Insights and every
// EventListener take them by the name "Haft". Nobody listens: a comparison a request.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Tracing;

namespace Haft {

[EventSource(Name = "Haft")]
internal sealed class HaftEventSource : EventSource {
  internal static readonly HaftEventSource Log = new HaftEventSource();

  // By these names a listener chooses; they and the numbers of the events never change.
  public static class Keywords {
    public const EventKeywords Sessions = (EventKeywords)1;
    public const EventKeywords Requests = (EventKeywords)2;
    public const EventKeywords Models = (EventKeywords)4;
  }

  [Event(1, Level = EventLevel.Informational, Keywords = Keywords.Sessions,
         Message = "Session {0} serves {1}: up to {2} requests wait")]
  internal void SessionCreated(string session, string module, long maxQueue) {
    WriteEvent(1, session, module, maxQueue);
  }
  [Event(2, Level = EventLevel.Informational, Keywords = Keywords.Sessions,
         Message = "Session {0} takes no more requests and answers those it has")]
  internal void SessionDraining(string session) {
    if (IsEnabled()) WriteEvent(2, session);
  }
  [Event(3, Level = EventLevel.Informational, Keywords = Keywords.Sessions,
         Message = "Session {0} is closed: it has answered {2} of {1} requests")]
  internal void SessionClosed(string session, long requests, long completed) {
    WriteEvent(3, session, requests, completed);
  }

  [Event(10, Level = EventLevel.Verbose, Keywords = Keywords.Requests,
         Message = "Session {0} answered a request after {1} ms")]
  private void RequestCompleted(string session, double milliseconds) { WriteEvent(10, session, milliseconds); }
  [Event(11, Level = EventLevel.Error, Keywords = Keywords.Requests, Message = "A request of session {0} failed: {2}")]
  private void RequestFailed(string session, string error, string message) { WriteEvent(11, session, error, message); }
  [Event(12, Level = EventLevel.Warning, Keywords = Keywords.Requests,
         Message = "Session {0} refused a request, its queue is full: {1}")]
  private void QueueFull(string session, string message) { WriteEvent(12, session, message); }
  [Event(13, Level = EventLevel.Warning, Keywords = Keywords.Requests,
         Message = "Session {0} had no memory for a request: {1}")]
  private void MemoryLimitReached(string session, string message) { WriteEvent(13, session, message); }
  [Event(14, Level = EventLevel.Warning, Keywords = Keywords.Requests,
         Message = "A request of session {0} was not answered in time: {1}")]
  private void RequestTimedOut(string session, string message) { WriteEvent(14, session, message); }
  [Event(15, Level = EventLevel.Informational, Keywords = Keywords.Requests,
         Message = "A request of session {0} was cancelled: {1}")]
  private void RequestCancelled(string session, string message) { WriteEvent(15, session, message); }

  [Event(20, Level = EventLevel.Informational, Keywords = Keywords.Models,
         Message = "Session {0} has a new model, {1}, tried out and exchanged in {2} ms")]
  private void ModelUpdated(string session, string module, double milliseconds) {
    WriteEvent(20, session, module, milliseconds);
  }
  [Event(21, Level = EventLevel.Warning, Keywords = Keywords.Models,
         Message = "Session {0} keeps its model, the new one does not do: {1}")]
  private void ModelRefused(string session, string message) { WriteEvent(21, session, message); }

  // ---- what Session.cs calls

  /// <summary>When a request begins; 0: nobody wants to know of those that are answered.</summary>
  [NonEvent]
  internal static long Begin() {
    return Log.IsEnabled(EventLevel.Verbose, Keywords.Requests) ? Stopwatch.GetTimestamp() : 0;
  }
  [NonEvent]
  private static double Since(long begun) { return (Stopwatch.GetTimestamp() - begun) * 1000.0 / Stopwatch.Frequency; }
  [NonEvent]
  internal static void Answered(InferenceSession session, long begun) {
    if (begun != 0) Log.RequestCompleted(session.Name, Since(begun));
  }
  /// <summary>Tells why a request has no answer; false, for filters of exceptions.</summary>
  [NonEvent]
  internal static bool Refused(InferenceSession session, Exception e) {
    if (!Log.IsEnabled()) return false;
    if (e is QueueFullException) Log.QueueFull(session.Name, e.Message);
    else if (e is MemoryLimitException) Log.MemoryLimitReached(session.Name, e.Message);
    else if (e is TimeoutException) Log.RequestTimedOut(session.Name, e.Message);
    else if (e is OperationCanceledException) Log.RequestCancelled(session.Name, e.Message);
    else Log.RequestFailed(session.Name, Code(e), e.Message);
    return false;
  }
  // haft's word for it, or the class of what the module threw.
  [NonEvent]
  private static string Code(Exception e) {
    ErrorInfo info = HaftException.Of(e);
    return info == null ? e.GetType().Name : info.Code.ToString();
  }
  [NonEvent]
  internal static void Updated(InferenceSession session, long begun) {
    if (Log.IsEnabled()) Log.ModelUpdated(session.Name, session.Module.TypeName, Since(begun));
  }
  /// <summary>False, for filters of exceptions.</summary>
  [NonEvent]
  internal static bool UpdateRefused(InferenceSession session, Exception e) {
    if (Log.IsEnabled()) Log.ModelRefused(session.Name, e.Message);
    return false;
  }

  // ---- counters, of all sessions together; they begin with the first listener

  private DiagnosticCounter[] counters;
  protected override void OnEventCommand(EventCommandEventArgs command) {
    if (command.Command != EventCommand.Enable || counters != null) return;
    counters = new[] {
      Rate("requests-per-second", "Requests", f => f.Requests),
      Rate("failures-per-second", "Requests whose module threw, or for which memory was short", f => f.Failed),
      Rate("refusals-per-second", "Requests that found the queue full", f => f.Refused),
      Rate("timeouts-per-second", "Requests not answered in time", f => f.TimedOut),
      Gauge("queued-requests", "Requests that wait", "", f => f.Queued),
      Gauge("running-batches", "Batches that run", "", f => f.Running),
      Gauge("latency-p50", "Median latency of the slowest session", "ms", f => f.LatencyP50),
      Gauge("latency-p99", "99th percentile of latency of the slowest session", "ms", f => f.LatencyP99),
      Gauge("session-memory", "Tensors that runs have made and that live", "bytes", f => f.Bytes),
      Gauge("sessions", "Sessions", "", f => f.Sessions)
    };
  }
  [NonEvent]
  private DiagnosticCounter Rate(string name, string text, Func<SessionFigures, double> figure) {
    return new IncrementingPollingCounter(name, this, () => figure(SessionFigures.Now())) {
      DisplayName = text, DisplayRateTimeScale = TimeSpan.FromSeconds(1)
    };
  }
  [NonEvent]
  private DiagnosticCounter Gauge(string name, string text, string unit, Func<SessionFigures, double> figure) {
    return new PollingCounter(name, this, () => figure(SessionFigures.Now())) { DisplayName = text,
                                                                                DisplayUnits = unit };
  }
}

/// <summary>The figures of all sessions of the process together. What only grows keeps that of closed sessions.</summary>
internal sealed class SessionFigures {
  internal long Requests, Completed, Failed, Refused, TimedOut, Queued, Running, Bytes, Sessions;
  internal double LatencyP50, LatencyP99;

  private sealed class Entry {
    internal WeakReference<InferenceSession> Session;
    internal SessionFigures Last = new SessionFigures();  // what is known of one that was never disposed
  }
  private static readonly List<Entry> entries = new List<Entry>();
  private static readonly SessionFigures closed = new SessionFigures();

  internal static void Add(InferenceSession session) {
    lock (entries) entries.Add(new Entry { Session = new WeakReference<InferenceSession>(session) });
  }
  internal static void Remove(InferenceSession session) {
    SessionFigures last = null;
    lock (entries) {
      int at = entries.FindIndex(e => ReferenceEquals(Target(e), session));
      if (at < 0) return;
      last = Of(session) ?? entries[at].Last;
      closed.Count(last);
      entries.RemoveAt(at);
    }
    if (HaftEventSource.Log.IsEnabled()) HaftEventSource.Log.SessionClosed(session.Name, last.Requests, last.Completed);
  }
  internal static SessionFigures Now() {
    var all = new SessionFigures();
    lock (entries) {
      for (int i = entries.Count - 1; i >= 0; --i) {
        InferenceSession session = Target(entries[i]);
        SessionFigures f = session == null ? null : Of(session);
        if (session == null) {
          closed.Count(entries[i].Last);
          entries.RemoveAt(i);
          continue;
        }
        if (f != null) entries[i].Last = f;
        else f = entries[i].Last;
        all.Count(f);
        all.Queued += f.Queued;
        all.Running += f.Running;
        all.Bytes += f.Bytes;
        all.LatencyP50 = Math.Max(all.LatencyP50, f.LatencyP50);
        all.LatencyP99 = Math.Max(all.LatencyP99, f.LatencyP99);
        ++all.Sessions;
      }
      all.Count(closed);
    }
    return all;
  }

  private static InferenceSession Target(Entry e) {
    InferenceSession session;
    return e.Session.TryGetTarget(out session) ? session : null;
  }
  private void Count(SessionFigures f) {
    Requests += f.Requests;
    Completed += f.Completed;
    Failed += f.Failed;
    Refused += f.Refused;
    TimedOut += f.TimedOut;
  }
  // null: it was given up meanwhile.
  private static SessionFigures Of(InferenceSession session) {
    try {
      SessionMetrics m = session.Metrics;
      return new SessionFigures { Requests = m.Requests,
                                  Completed = m.Completed,
                                  Failed = m.Failed,
                                  Refused = m.Refused,
                                  TimedOut = m.TimedOut,
                                  Queued = m.QueueLength,
                                  Running = m.Running,
                                  Bytes = m.BytesLive,
                                  LatencyP50 = m.LatencyP50.TotalMilliseconds,
                                  LatencyP99 = m.LatencyP99.TotalMilliseconds };
    } catch (ObjectDisposedException) {
      return null;
    }
  }
}
}
