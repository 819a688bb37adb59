// What .NET's EventSource does and mono's does not: events reach listeners, and a method that does not fit its event is
// a mistake. Compiled together with haft's sources, these take the place of mono's.
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Linq;
using System.Reflection;

namespace System.Diagnostics.Tracing {

public class EventCommandEventArgs : EventArgs {
  public EventCommand Command { get; internal set; }
  public IDictionary<string, string> Arguments { get; internal set; }
}

public class EventWrittenEventArgs : EventArgs {
  public int EventId { get; internal set; }
  public string EventName { get; internal set; }
  public EventLevel Level { get; internal set; }
  public EventKeywords Keywords { get; internal set; }
  public string Message { get; internal set; }
  public EventSource EventSource { get; internal set; }
  public ReadOnlyCollection<object> Payload { get; internal set; }
  public ReadOnlyCollection<string> PayloadNames { get; internal set; }
}

public class EventSource : IDisposable {
  internal static readonly object Gate = new object();
  internal static readonly List<EventSource> Sources = new List<EventSource>();
  internal static readonly List<EventListener> Listeners = new List<EventListener>();
  private static readonly Type[] kinds = { typeof(string), typeof(int), typeof(long), typeof(double), typeof(bool) };
  internal readonly Dictionary<EventListener, KeyValuePair<EventLevel, EventKeywords>> Enabled =
      new Dictionary<EventListener, KeyValuePair<EventLevel, EventKeywords>>();
  internal readonly List<DiagnosticCounter> Counters = new List<DiagnosticCounter>();
  private readonly Dictionary<int, MethodInfo> events = new Dictionary<int, MethodInfo>();
  private volatile bool on;
  public string Name { get; }

  public EventSource() {
    Name = GetType().GetCustomAttribute<EventSourceAttribute>().Name;
    foreach (MethodInfo m in GetType().GetMethods(BindingFlags.DeclaredOnly | BindingFlags.Instance |
                                                  BindingFlags.Public | BindingFlags.NonPublic)) {
      var e = m.GetCustomAttribute<EventAttribute>();
      if (e == null) {
        // .NET would take it for an event of the next free number.
        if (m.ReturnType == typeof(void) && !m.IsVirtual && m.GetCustomAttribute<NonEventAttribute>() == null)
          throw new ArgumentException(m.Name + " is no event and does not say so");
        continue;
      }
      if (m.ReturnType != typeof(void) || e.EventId <= 0 || m.Name.EndsWith("Start") || m.Name.EndsWith("Stop"))
        throw new ArgumentException(m.Name + " cannot be an event");
      foreach (ParameterInfo p in m.GetParameters())
        if (!kinds.Contains(p.ParameterType))
          throw new ArgumentException(m.Name + " has a parameter that no event may have: " + p.Name);
      string.Format(e.Message, m.GetParameters().Select(p => p.Name).ToArray());
      events.Add(e.EventId, m);
    }
    lock (Gate) {
      Sources.Add(this);
      foreach (EventListener l in Listeners) l.Created(this);
    }
  }
  public bool IsEnabled() { return on; }
  public bool IsEnabled(EventLevel level, EventKeywords keywords) {
    if (!on) return false;
    lock (Gate) return Enabled.Values.Any(l => Takes(l, level, keywords));
  }
  private static bool Takes(KeyValuePair<EventLevel, EventKeywords> wanted, EventLevel level, EventKeywords keywords) {
    return wanted.Key >= level && (keywords & wanted.Value) != 0;
  }
  internal void Enable(EventListener l, EventLevel level, EventKeywords keywords,
                       IDictionary<string, string> arguments) {
    lock (Gate) {
      Enabled[l] = new KeyValuePair<EventLevel, EventKeywords>(level, keywords);
      on = true;
    }
    OnEventCommand(new EventCommandEventArgs { Command = EventCommand.Enable, Arguments = arguments });
  }
  internal void Disable(EventListener l) {
    lock (Gate) {
      Enabled.Remove(l);
      on = Enabled.Count != 0;
    }
  }
  protected void WriteEvent(int id, params object[] values) {
    MethodInfo m = events[id];
    ParameterInfo[] wanted = m.GetParameters();
    if (new StackTrace().GetFrames().All(f => f.GetMethod() != m) ||
        !wanted.Select(p => p.ParameterType).SequenceEqual(values.Select(v => v.GetType())))
      throw new ArgumentException("event " + id + " is " + m + ", not (" +
                                  string.Join(", ", values.Select(v => v.GetType().Name)) + ")");
    var e = m.GetCustomAttribute<EventAttribute>();
    var written = new EventWrittenEventArgs { EventId = id,
                                              EventName = m.Name,
                                              Level = e.Level,
                                              Keywords = e.Keywords,
                                              Message = e.Message,
                                              EventSource = this,
                                              Payload = new ReadOnlyCollection<object>(values),
                                              PayloadNames = new ReadOnlyCollection<string>(
                                                  wanted.Select(p => p.Name).ToArray()) };
    List<EventListener> to;
    lock (Gate) to = Enabled.Where(l => Takes(l.Value, e.Level, e.Keywords)).Select(l => l.Key).ToList();
    foreach (EventListener l in to) l.Written(written);
  }
  protected virtual void OnEventCommand(EventCommandEventArgs command) {}
  public void Dispose() {}
}

public abstract class EventListener : IDisposable {
  protected EventListener() {
    lock (EventSource.Gate) {
      EventSource.Listeners.Add(this);
      foreach (EventSource s in EventSource.Sources) OnEventSourceCreated(s);
    }
  }
  public void EnableEvents(EventSource source, EventLevel level, EventKeywords keywords) {
    source.Enable(this, level, keywords, null);
  }
  public void EnableEvents(EventSource source, EventLevel level, EventKeywords keywords,
                           IDictionary<string, string> arguments) {
    source.Enable(this, level, keywords, arguments);
  }
  public void DisableEvents(EventSource source) { source.Disable(this); }
  internal void Created(EventSource source) { OnEventSourceCreated(source); }
  internal void Written(EventWrittenEventArgs e) { OnEventWritten(e); }
  protected virtual void OnEventSourceCreated(EventSource source) {}
  protected virtual void OnEventWritten(EventWrittenEventArgs e) {}
  public virtual void Dispose() {
    lock (EventSource.Gate) {
      EventSource.Listeners.Remove(this);
      foreach (EventSource s in EventSource.Sources) s.Disable(this);
    }
  }
}

public abstract class DiagnosticCounter {
  internal readonly Func<double> Value;
  internal DiagnosticCounter(string name, EventSource source, Func<double> value) {
    Name = name;
    Value = value;
    source.Counters.Add(this);
  }
  public string Name { get; }
  public string DisplayName { get; set; }
  public string DisplayUnits { get; set; }
}
public class PollingCounter : DiagnosticCounter {
  public PollingCounter(string name, EventSource source, Func<double> value) : base(name, source, value) {}
}
public class IncrementingPollingCounter : DiagnosticCounter {
  public IncrementingPollingCounter(string name, EventSource source, Func<double> value) : base(name, source, value) {}
  public TimeSpan DisplayRateTimeScale { get; set; }
}
}
