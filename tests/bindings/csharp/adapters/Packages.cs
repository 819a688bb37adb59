// Of packages that are not on this machine, what haft's adapters use, with the signatures that it has there.
using System;
using System.Collections.Generic;

namespace Microsoft.Extensions.Logging {

public enum LogLevel { Trace, Debug, Information, Warning, Error, Critical, None }

public struct EventId {
  public EventId(int id, string name = null) : this() {
    Id = id;
    Name = name;
  }
  public int Id { get; }
  public string Name { get; }
}

public interface ILogger {
  void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception exception,
                   Func<TState, Exception, string> formatter);
  bool IsEnabled(LogLevel logLevel);
  IDisposable BeginScope<TState>(TState state);
}
public interface ILoggerProvider : IDisposable {
  ILogger CreateLogger(string categoryName);
}
public interface ILoggerFactory : IDisposable {
  ILogger CreateLogger(string categoryName);
  void AddProvider(ILoggerProvider provider);
}
}

namespace System.Diagnostics.Metrics {

public abstract class ObservableInstrument<T>
    where T : struct {
  internal Func<T> Observe;
}
public sealed class ObservableCounter<T> : ObservableInstrument<T>
    where T : struct {
}
public sealed class ObservableGauge<T> : ObservableInstrument<T>
    where T : struct {
}

public class Meter : IDisposable {
  internal readonly Dictionary<string, object> Instruments = new Dictionary<string, object>();
  public Meter(string name) {}
  public ObservableCounter<T> CreateObservableCounter<T>(string name, Func<T> observeValue, string unit = null,
                                                         string description = null)
      where T : struct {
    var made = new ObservableCounter<T> { Observe = observeValue };
    Instruments.Add(name, made);
    return made;
  }
  public ObservableGauge<T> CreateObservableGauge<T>(string name, Func<T> observeValue, string unit = null,
                                                     string description = null)
      where T : struct {
    var made = new ObservableGauge<T> { Observe = observeValue };
    Instruments.Add(name, made);
    return made;
  }
  public void Dispose() {}
}
}
