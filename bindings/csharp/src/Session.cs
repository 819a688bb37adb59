// Serving a model to many requests at once, and cancelling what a thread computes.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Haft {

/// <summary>What a session has done and does.</summary>
public sealed class SessionMetrics {
  internal SessionMetrics(InferenceSession session) {
    double[] n = Support.SessionNumbers(session);
    Running = (long)n[SessionPlaces.running];
    Requests = (long)n[SessionPlaces.requests];
    Completed = (long)n[SessionPlaces.completed];
    Failed = (long)n[SessionPlaces.failed];
    Refused = (long)n[SessionPlaces.refused];
    Cancelled = (long)n[SessionPlaces.cancelled];
    TimedOut = (long)n[SessionPlaces.timedOut];
    Batches = (long)n[SessionPlaces.batches];
    MeanBatch = n[SessionPlaces.meanBatch];
    QueueLength = (long)n[SessionPlaces.queueLength];
    QueuePeak = (long)n[SessionPlaces.queuePeak];
    BytesLive = (long)n[SessionPlaces.bytesLive];
    BytesPeak = (long)n[SessionPlaces.bytesPeak];
    LatencyP50 = Microseconds(n[SessionPlaces.latencyP50Us]);
    LatencyP90 = Microseconds(n[SessionPlaces.latencyP90Us]);
    LatencyP99 = Microseconds(n[SessionPlaces.latencyP99Us]);
    LatencyMax = Microseconds(n[SessionPlaces.latencyMaxUs]);
    Invalid = (long)n[SessionPlaces.invalid];
  }
  private static TimeSpan Microseconds(double us) { return TimeSpan.FromTicks((long)(us * 10)); }
  /// <summary>Batches that run now.</summary>
  public long Running { get; }
  /// <summary>Requests since creation or reset.</summary>
  public long Requests { get; }
  /// <summary>Of these, answered.</summary>
  public long Completed { get; }
  /// <summary>The module failed, or memory was short.</summary>
  public long Failed { get; }
  /// <summary>Sent what the module does not take: shapes, dtypes or values unlike those that it has answered.</summary>
  public long Invalid { get; }
  /// <summary>The queue was full.</summary>
  public long Refused { get; }
  /// <summary>Cancelled by the caller or the session's end.</summary>
  public long Cancelled { get; }
  /// <summary>Their time had passed.</summary>
  public long TimedOut { get; }
  /// <summary>Batches that have run.</summary>
  public long Batches { get; }
  /// <summary>Requests in a batch, on average.</summary>
  public double MeanBatch { get; }
  /// <summary>Requests that wait now.</summary>
  public long QueueLength { get; }
  /// <summary>The most that have waited.</summary>
  public long QueuePeak { get; }
  /// <summary>Bytes of tensors that runs made.</summary>
  public long BytesLive { get; }
  /// <summary>The most there have been.</summary>
  public long BytesPeak { get; }
  /// <summary>Half of the last requests were answered within it.</summary>
  public TimeSpan LatencyP50 { get; }
  /// <summary>90 of 100 of the last requests were answered within it.</summary>
  public TimeSpan LatencyP90 { get; }
  /// <summary>99 of 100 of the last requests were answered within it.</summary>
  public TimeSpan LatencyP99 { get; }
  /// <summary>The slowest of the last requests.</summary>
  public TimeSpan LatencyMax { get; }
}

/// <summary>One frozen module run for many threads: batches, limits, cancellation, metrics. Any thread may call it.</summary>
public partial class InferenceSession : IDisposable, IAsyncDisposable {
  private static long unnamed;
  /// <summary>What new batches run; it lives as long as the session.</summary>
  public Module Module { get; private set; }
  /// <summary>What figures, events and logs call it.</summary>
  public string Name { get; }
  internal InferenceSession(IntPtr p) { swigCPtr = new NativeHandle(p); }

  /// <summary>Of a module, which is put into evaluation mode and may not be changed while the session has it.</summary>
  /// <param name="module">what runs</param>
  /// <param name="maxBatch">rows (size 0 of the inputs) that run as one; 1: no batching</param>
  /// <param name="maxDelay">how long the first request of a batch waits for others; null: only while all workers run</param>
  /// <param name="maxQueue">requests that wait; one more is refused</param>
  /// <param name="memoryLimit">bytes of tensors made by runs that may be alive; 0: no limit. Before it says no, the collector looks
  /// for tensors that nobody disposed; then a run throws <see cref="MemoryLimitException"/></param>
  /// <param name="timeout">from a request to its answer; null, Timeout.InfiniteTimeSpan: no limit</param>
  /// <param name="workers">batches that run at once; 0: as many as threads</param>
  /// <param name="name">its label in <see cref="Runtime.MetricsText"/> and in events; null: "csharp-" and a number</param>
  public InferenceSession(Module module, long maxBatch = 1, TimeSpan? maxDelay = null, long maxQueue = 1024, long memoryLimit = 0, TimeSpan? timeout = null,
                          int workers = 0, string name = null) {
    if (module == null) throw new ArgumentNullException("module");
    Module = module;
    Name = string.IsNullOrEmpty(name) ? "csharp-" + Interlocked.Increment(ref unnamed) : name;
    swigCPtr = Functions.MakeSession(module, workers, maxBatch, Times.Micros(maxDelay ?? TimeSpan.Zero, "maxDelay"), maxQueue, memoryLimit, Times.Micros(timeout), Name).swigCPtr;
    CallbackGuard.Own(this);
    SessionFigures.Add(this);
    if (HaftEventSource.Log.IsEnabled()) HaftEventSource.Log.SessionCreated(Name, module.TypeName, maxQueue);
  }
  /// <summary>Runs the module on one tensor and waits for its output, which takes part in no gradient.</summary>
  /// <param name="input">shared: not to be written until the call returns</param>
  /// <param name="timeout">null: the session's</param>
  /// <param name="cancellation">cancels the request, waiting or running</param>
  /// <exception cref="QueueFullException">as many requests wait as may</exception>
  /// <exception cref="TimeoutException">the time has passed</exception>
  /// <exception cref="OperationCanceledException">the token was cancelled</exception>
  public Tensor Run(Tensor input, TimeSpan? timeout = null, CancellationToken cancellation = default(CancellationToken)) {
    long begun = HaftEventSource.Begin();
    try {
      Tensor output = cancellation.CanBeCanceled ? RunWith(cancellation, input, Times.Micros(timeout)) : RunOne(input, Times.Micros(timeout));
      HaftEventSource.Answered(this, begun);
      return output;
    } catch (Exception e) when (HaftEventSource.Refused(this, e)) {
      throw;
    }
  }
  /// <summary>Runs the module on several tensors and waits for its outputs.</summary>
  /// <param name="inputs">shared: not to be written until the call returns</param>
  /// <param name="timeout">null: the session's</param>
  /// <param name="cancellation">cancels the request, waiting or running</param>
  public Tensor[] Run(IEnumerable<Tensor> inputs, TimeSpan? timeout = null, CancellationToken cancellation = default(CancellationToken)) {
    long begun = HaftEventSource.Begin();
    try {
      Tensor[] outputs = cancellation.CanBeCanceled ? RunWith(cancellation, inputs, Times.Micros(timeout)) : RunNative(inputs, Times.Micros(timeout));
      HaftEventSource.Answered(this, begun);
      return outputs;
    } catch (Exception e) when (HaftEventSource.Refused(this, e)) {
      throw;
    }
  }
  // Apart, so that a call without a token makes no closure.
  private Tensor RunWith(CancellationToken cancellation, Tensor input, long timeout) {
    return CancelHandle.Run(cancellation, token => RunCancellable(input, token, timeout));
  }
  private Tensor[] RunWith(CancellationToken cancellation, IEnumerable<Tensor> inputs, long timeout) {
    return CancelHandle.Run(cancellation, token => RunCancellable(inputs, token, timeout));
  }
  /// <summary>Hands a request in; no thread waits for its answer.</summary>
  /// <remarks>The outputs belong to the <see cref="DisposeScope"/> around this call, whichever thread computes them.</remarks>
  /// <param name="inputs">shared: not to be written until the task is over</param>
  /// <param name="cancellation">cancels the request, waiting or running</param>
  /// <param name="timeout">null: the session's</param>
  public Task<Tensor[]> RunAsync(IEnumerable<Tensor> inputs, CancellationToken cancellation = default(CancellationToken), TimeSpan? timeout = null) {
    if (cancellation.IsCancellationRequested) return Task.FromCanceled<Tensor[]>(cancellation);
    var answer = new Answer(this, cancellation);
    try {
      answer.Begin(Functions.SubmitWith(this, inputs, answer, Times.Micros(timeout)));
    } catch (Exception e) {
      HaftEventSource.Refused(this, e);
      return Task.FromException<Tensor[]>(e);
    }
    return answer.Task;
  }
  /// <summary>Hands a request of one tensor in; no thread waits for its answer.</summary>
  /// <remarks>The output belongs to the <see cref="DisposeScope"/> around this call, whichever thread computes it.</remarks>
  /// <param name="input">shared: not to be written until the task is over</param>
  /// <param name="cancellation">cancels the request, waiting or running</param>
  /// <param name="timeout">null: the session's</param>
  public async Task<Tensor> RunAsync(Tensor input, CancellationToken cancellation = default(CancellationToken), TimeSpan? timeout = null) {
    return (await RunAsync(new[] { input }, cancellation, timeout).ConfigureAwait(false))[0];
  }
  /// <summary>Batches that start from now on run this module.</summary>
  /// <remarks>It first runs here, on zeros like the inputs that were answered last: when it throws, or answers other dtypes or sizes
  /// than the session has, the session goes on with the module that it has. It returns when the last batch of the module before is
  /// over, which may be disposed then; inside a module or callback of the session it does not wait.</remarks>
  /// <param name="next">put into evaluation mode</param>
  public void Update(Module next) {
    long begun = Stopwatch.GetTimestamp();
    try {
      UpdateNative(next);
    } catch (Exception e) when (HaftEventSource.UpdateRefused(this, e)) {
      throw;
    }
    Module = next;
    HaftEventSource.Updated(this, begun);
  }
  /// <summary>Takes no more requests and answers those it has.</summary>
  /// <param name="timeout">null: no limit</param>
  /// <returns>false when requests were left after the time</returns>
  public bool Drain(TimeSpan? timeout = null) {
    long limit = Times.Micros(timeout);
    HaftEventSource.Log.SessionDraining(Name);
    return DrainNative(limit);
  }
  /// <summary>Takes no more requests and answers those it has; no thread waits for it.</summary>
  /// <param name="timeout">null: no limit</param>
  /// <param name="cancellation">ends the waiting; the session goes on to answer</param>
  /// <returns>false when requests were left after the time</returns>
  public async Task<bool> DrainAsync(TimeSpan? timeout = null, CancellationToken cancellation = default(CancellationToken)) {
    long limit = Times.Micros(timeout);
    Stopwatch begun = Stopwatch.StartNew();
    HaftEventSource.Log.SessionDraining(Name);
    while (!DrainNative(0)) {
      if (limit >= 0 && begun.Elapsed.Ticks / 10 >= limit) return false;
      await Task.Delay(5, cancellation).ConfigureAwait(false);
    }
    return true;
  }
  /// <summary>As <see cref="Dispose"/>; no thread of the caller waits for what runs.</summary>
  public ValueTask DisposeAsync() { return new ValueTask(Task.Run((Action)Dispose)); }
  /// <summary>What it has done and does.</summary>
  public SessionMetrics Metrics { get { return new SessionMetrics(this); } }
  /// <summary>Closes the session: what waits or runs is cancelled, also for threads that wait for it; again: nothing.</summary>
  public void Dispose() {
    try {
      Close();
    } catch (ObjectDisposedException) {
      // before, or by another thread meanwhile
    } catch (BusyException) {
      // inside a module or callback of its own: the last share closes it, and waits for nobody
    }
    SessionFigures.Remove(this);
    GiveUp();
  }

  // A request on its way: the task it completes, and what cancels it.
  private sealed class Answer : RequestCallback {
    private readonly TaskCompletionSource<Tensor[]> task = new TaskCompletionSource<Tensor[]>(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly InferenceSession session;
    private readonly long begun = HaftEventSource.Begin();
    private readonly CancellationToken cancellation;
    private readonly DisposeScope scope = DisposeScope.Current;  // of the flow that asks
    private CancellationTokenRegistration registration;
    private Request request;
    private bool over;
    internal Answer(InferenceSession session, CancellationToken cancellation) {
      this.session = session;
      this.cancellation = cancellation;
    }
    internal Task<Tensor[]> Task { get { return task.Task; } }
    internal void Begin(Request r) {
      lock (this) {
        if (over) {
          r.Dispose();
          return;
        }
        request = r;
      }
      CancellationTokenRegistration made = cancellation.Register(Cancel);
      lock (this) {
        if (!over) {
          registration = made;
          return;
        }
      }
      made.Dispose();
    }
    private void Cancel() {
      lock (this) {
        if (!over && request != null) request.Cancel();
      }
    }
    public override void Done(Request answered, int status) {
      CancellationTokenRegistration made;
      Request mine;
      lock (this) {
        over = true;
        made = registration;
        mine = request;
        request = null;
      }
      try {
        Tensor[] outputs;
        // The flow of whoever handed the request in owns what comes out, not that of this thread, which may compute for many.
        using (answered) outputs = DisposeScope.Within(scope, answered.Result);
        HaftEventSource.Answered(session, begun);
        if (!task.TrySetResult(outputs))
          foreach (Tensor t in outputs) t.Dispose();
      } catch (OperationCanceledException e) {
        HaftEventSource.Refused(session, e);
        if (cancellation.IsCancellationRequested) task.TrySetCanceled(cancellation);
        else task.TrySetException(e);
      } catch (Exception e) {
        HaftEventSource.Refused(session, e);
        task.TrySetException(e);
      }
      if (mine != null) mine.Dispose();
      // Not here: it waits for a Cancel that runs, which may wait for this thread.
      System.Threading.Tasks.Task.Run(() => made.Dispose());
    }
    public override void OnRelease() { Bridges.Unpin(this); }
  }
}
internal partial class Request : IDisposable {
  internal Request(IntPtr p) { swigCPtr = new NativeHandle(p); }
  public void Dispose() { GiveUp(); }
}
internal partial class CancelHandle : IDisposable {
  internal CancelHandle(IntPtr p) { swigCPtr = new NativeHandle(p); }
  public void Dispose() { GiveUp(); }
  // Runs what a token of .NET's cancels; a token that cannot be cancelled comes as null.
  internal static T Run<T>(CancellationToken cancellation, Func<CancelHandle, T> run) {
    if (!cancellation.CanBeCanceled) return run(null);
    cancellation.ThrowIfCancellationRequested();
    using (var handle = new CancelHandle())
    using (cancellation.Register(handle.Cancel)) {
      try {
        return run(handle);
      } catch (HaftCancelledException e) when (cancellation.IsCancellationRequested) {
        throw new OperationCanceledException(e.Message, e, cancellation);
      }
    }
  }
}

internal static class Times {
  // For the engine in microseconds, rounded up, so that a short time is not none; Timeout.InfiniteTimeSpan has no end.
  internal static long Micros(TimeSpan? t, string name = "timeout") {
    if (t == null) return long.MinValue;
    if (t.Value == Timeout.InfiniteTimeSpan) return long.MaxValue;
    if (t.Value < TimeSpan.Zero) throw new ArgumentOutOfRangeException(name, t.Value, "Haft: a time is TimeSpan.Zero or more, or Timeout.InfiniteTimeSpan");
    return t.Value.Ticks / 10 + (t.Value.Ticks % 10 == 0 ? 0 : 1);
  }
}

/// <summary>This thread's operators obey a cancellation token while it lives: a running call ends with
/// OperationCanceledException. Inside another one both tokens are obeyed. Do not await inside.</summary>
public sealed class CancelScope : ThreadMode {
  [ThreadStatic] private static Level innermost;
  private sealed class Level {
    internal CancellationToken Token;
    internal CancelHandle Handle;
  }

  /// <summary>Begins here.</summary>
  /// <param name="cancellation">cancels what this thread computes</param>
  /// <exception cref="BusyException">inside a module that a session runs: the session's own cancelling holds there</exception>
  public CancelScope(CancellationToken cancellation) : base(Enter(cancellation)) {}
  private static Action Enter(CancellationToken cancellation) {
    Level outer = innermost;
    CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(cancellation, outer == null ? CancellationToken.None : outer.Token);
    var level = new Level { Token = both.Token, Handle = new CancelHandle() };
    CancellationTokenRegistration registration = both.Token.Register(level.Handle.Cancel);
    Action end = () => {
      registration.Dispose();
      both.Dispose();
      level.Handle.Dispose();
    };
    try {
      Support.TakeCancelToken(level.Handle);
    } catch {
      end();
      throw;
    }
    innermost = level;
    return () => {
      innermost = outer;
      Support.TakeCancelToken(outer == null ? null : outer.Handle);
      end();
    };
  }
}
}
