// Calls of functions of other processes.
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Haft {

/// <summary>What goes to a function of another process, and what comes back: tensors and bytes. Tensors arrive as copies, those of devices on
/// the CPU. Since 1.0.</summary>
public sealed class RpcMessage : IDisposable {
  private static readonly byte[] noBytes = new byte[0];
  /// <summary>Of tensors alone.</summary>
  /// <param name="tensors">any number</param>
  public RpcMessage(params Tensor[] tensors) : this(noBytes, tensors) {}
  /// <summary>Of a text, in UTF-8, and tensors.</summary>
  /// <param name="text">becomes the bytes</param>
  /// <param name="tensors">any number</param>
  public RpcMessage(string text, params Tensor[] tensors) : this(Bytes8(text), tensors) {}
  /// <summary>Of bytes and tensors.</summary>
  /// <param name="bytes">any number; not copied</param>
  /// <param name="tensors">any number</param>
  public RpcMessage(byte[] bytes, params Tensor[] tensors) {
    if (bytes == null) throw new ArgumentNullException("bytes");
    if (tensors == null) throw new ArgumentNullException("tensors");
    Bytes = bytes;
    Tensors = tensors;
  }
  private static byte[] Bytes8(string text) {
    if (text == null) throw new ArgumentNullException("text");
    return Encoding.UTF8.GetBytes(text);
  }
  /// <summary>The tensors.</summary>
  public IReadOnlyList<Tensor> Tensors { get; }
  /// <summary>The bytes.</summary>
  public byte[] Bytes { get; }
  /// <summary>The bytes as a text, which they are in UTF-8.</summary>
  public string Text { get { return Encoding.UTF8.GetString(Bytes); } }
  /// <summary>One of the tensors.</summary>
  /// <param name="index">which, from 0</param>
  public Tensor this[int index] { get { return Tensors[index]; } }
  /// <summary>Disposes the tensors.</summary>
  public void Dispose() {
    foreach (Tensor t in Tensors)
      if (t != null) t.Dispose();
  }
}

/// <summary>This process' agent: it registers functions by name, and calls those of the job's other processes.</summary>
/// <remarks>A call is answered exactly once: by the function, by its time limit (<see cref="HaftTimeoutException"/>), or with
/// <see cref="PeerLostException"/> as soon as the peer's connection ends. What a function throws is its caller's failure: an exception of haft
/// arrives as its class, others as <see cref="HaftException"/> (those of arguments as <see cref="HaftArgumentException"/>), with the peer and the
/// function before the text. Who knows the job's secret may call what is registered. docs/asynchronous-training.md tells more. Since 1.0.
/// </remarks>
/// <example><code>
/// using (Rendezvous job = Rendezvous.Meet("env://"))
/// using (var rpc = new Rpc(job.Store, job.Rank, job.WorldSize)) {
///   rpc.Register("twice", (arguments, caller) => new RpcMessage(arguments[0].Mul(2)));
///   rpc.Start();
///   using (RpcMessage answer = await rpc.CallAsync(1, "twice", new RpcMessage(x))) { ... }
///   rpc.Shutdown();
/// }
/// </code></example>
public partial class Rpc : IDisposable {
  private static readonly TimeSpan patience = TimeSpan.FromMinutes(5);
  internal Rpc(IntPtr p) {
    swigCPtr = new NativeHandle(p);
    CallbackGuard.Own(this);
  }
  /// <summary>An agent that listens, but is known to nobody yet: register functions, then start it.</summary>
  /// <param name="store">where agents find each other; the agent keeps it</param>
  /// <param name="rank">this one's number, from 0 to size - 1</param>
  /// <param name="size">how many processes there are</param>
  /// <param name="name">of this process; null: "worker" and its rank</param>
  /// <param name="threads">functions that run at once, at most; those that wait for each other in a circle want more than the circle is long</param>
  /// <param name="timeout">of calls that name none; null: a minute</param>
  /// <param name="maxMessageBytes">of one call or answer; larger ones are refused on both sides</param>
  /// <param name="host">the address to listen at, by which others reach it; null: 127.0.0.1 where the launcher started all processes on one
  /// machine, else the interface towards rank 0's</param>
  /// <param name="secret">what processes must know to be let in; null: the environment variable HAFT_SECRET; empty: none</param>
  /// <param name="job">tells the agents of one store apart; null: "rpc"</param>
  public Rpc(Store store, int rank, int size, string name = null, int threads = 16, TimeSpan? timeout = null, long maxMessageBytes = 1L << 30,
             string host = null, string secret = null, string job = null) {
    swigCPtr = AsynchronousCalls.MakeRpc(store, rank, size, threads, Times.Micros(timeout ?? TimeSpan.FromMinutes(1)), maxMessageBytes, name ?? "", host ?? "",
                                         secret != null, secret ?? "", job ?? "").swigCPtr;
    CallbackGuard.Own(this);
  }
  /// <summary>Registers a function that other processes may call; one of the same name is replaced.</summary>
  /// <remarks>It runs on a thread of the agent, in a scope of its own: when it returns, its arguments and the tensors that it made are disposed,
  /// those of its answer when they are on their way. What shall stay is taken out by DisposeScope.Current.Keep.</remarks>
  /// <param name="name">what they call it by. What peers call at once is registered before the start</param>
  /// <param name="function">gets the arguments and the rank of who calls; answers what goes back, null for nothing</param>
  public void Register(string name, Func<RpcMessage, int, RpcMessage> function) {
    if (function == null) throw new ArgumentNullException("function");
    Functions.RpcRegister(this, name, new RpcBridge(request => {
      DisposeScope scope = DisposeScope.EnterCallback();
      try {
        request.Reply(function(request.Arguments(), request.Caller));
      } catch (Exception e) {
        request.Fail(e);
      } finally {
        request.Dispose();
        scope.LeaveCallback();
      }
    }));
  }
  /// <summary>Registers a function that other processes may call, and that answers later; one of the same name is replaced.</summary>
  /// <remarks>It begins on a thread of the agent, which is free again when it returns. Its scope lives until the answer has gone: then its
  /// arguments and the tensors that its flow has made are disposed.</remarks>
  /// <param name="name">what they call it by. What peers call at once is registered before the start</param>
  /// <param name="function">gets the arguments and the rank of who calls; its task answers what goes back, null for nothing</param>
  public void RegisterAsync(string name, Func<RpcMessage, int, Task<RpcMessage>> function) {
    if (function == null) throw new ArgumentNullException("function");
    Functions.RpcRegister(this, name, new RpcBridge(request => {
      DisposeScope scope = DisposeScope.EnterCallback();
      try {
        Task<RpcMessage> later = function(request.Arguments(), request.Caller);
        if (later == null) throw new InvalidOperationException("the function answered null instead of a task");
        Answer(request, scope, later);
      } catch (Exception e) {
        request.Fail(e);
        request.Dispose();
        scope.Dispose();
      }
      scope.Detach();
    }));
  }
  private static async void Answer(RpcRequest request, DisposeScope scope, Task<RpcMessage> later) {
    try {
      request.Reply(await later.ConfigureAwait(false));
    } catch (Exception e) {
      request.Fail(e);
    } finally {
      request.Dispose();
      scope.Dispose();
    }
  }
  /// <summary>Tells the others where this agent is, and waits until all have come. A process that takes the rank of one that has ended is found
  /// by the others at their next call.</summary>
  /// <param name="timeout">how long to wait; null: five minutes</param>
  /// <exception cref="TimeoutException">the time has passed; it names the ranks that are missing</exception>
  /// <exception cref="HaftArgumentException">another process has this name</exception>
  public void Start(TimeSpan? timeout = null) { AsynchronousCalls.Start(this, Times.Micros(timeout ?? patience)); }
  /// <summary>Waits until no call is under way on any rank that lives, then ends the agent: all processes call it.</summary>
  /// <param name="timeout">how long to wait; null: five minutes</param>
  /// <exception cref="TimeoutException">the time has passed; it names what is waited for, and the agent goes on</exception>
  public void Shutdown(TimeSpan? timeout = null) { AsynchronousCalls.Shutdown(this, Times.Micros(timeout ?? patience)); }
  /// <summary>The name of this process.</summary>
  public string Name { get { return NameOf(-1); } }
  /// <summary>The name of a process.</summary>
  /// <param name="rank">its rank</param>
  public string NameOf(int rank) { return AsynchronousCalls.NameOf(this, rank); }
  /// <summary>Where this agent listens.</summary>
  public int Port { get { return GetPort(); } }
  /// <summary>Calls a function of another process, and waits for the answer.</summary>
  /// <param name="to">the rank that is called; this one's own is allowed</param>
  /// <param name="function">its name there</param>
  /// <param name="arguments">null: none</param>
  /// <param name="timeout">until the answer is there; null: the agent's</param>
  /// <param name="cancellation">ends the waiting; the call goes on</param>
  /// <exception cref="PeerLostException">the process has ended</exception>
  /// <exception cref="QueueFullException">too much waits for it already</exception>
  /// <exception cref="TimeoutException">the time has passed</exception>
  public RpcMessage Call(int to, string function, RpcMessage arguments = null, TimeSpan? timeout = null,
                         CancellationToken cancellation = default(CancellationToken)) {
    return CallAsync(to, function, arguments, timeout, cancellation).GetAwaiter().GetResult();
  }
  /// <summary>Calls a function of another process; no thread waits for the answer.</summary>
  /// <remarks>The answer's tensors belong to the <see cref="DisposeScope"/> around this call, whichever thread brings them.</remarks>
  /// <param name="to">the rank that is called; this one's own is allowed</param>
  /// <param name="function">its name there</param>
  /// <param name="arguments">may change once this returns; null: none</param>
  /// <param name="timeout">until the answer is there; null: the agent's</param>
  /// <param name="cancellation">ends the task; the call goes on</param>
  public Task<RpcMessage> CallAsync(int to, string function, RpcMessage arguments = null, TimeSpan? timeout = null,
                                    CancellationToken cancellation = default(CancellationToken)) {
    if (cancellation.IsCancellationRequested) return Task.FromCanceled<RpcMessage>(cancellation);
    var answer = new TaskCompletionSource<RpcMessage>(TaskCreationOptions.RunContinuationsAsynchronously);
    DisposeScope scope = DisposeScope.Current;  // of the flow that calls
    RpcMessage given = arguments ?? new RpcMessage();
    try {
      using (RpcFuture begun = AsynchronousCalls.Call(this, to, function, given.Bytes, Times.Micros(timeout), given.Tensors))
        Functions.FutureOnDone(begun, new FutureBridge(future => {
          try {
            RpcMessage came;
            using (future)
              came = new RpcMessage(AsynchronousCalls.AnswerBytes(future), DisposeScope.Within(scope, () => AsynchronousCalls.AnswerTensors(future)));
            if (!answer.TrySetResult(came)) came.Dispose();
          } catch (Exception e) {
            answer.TrySetException(e);
          }
          GC.KeepAlive(this);  // until now: an agent that is collected ends its calls
        }));
    } catch (Exception e) {
      return Task.FromException<RpcMessage>(e);
    }
    if (cancellation.CanBeCanceled) {
      CancellationTokenRegistration registration = cancellation.Register(() => answer.TrySetCanceled(cancellation));
      answer.Task.ContinueWith(t => registration.Dispose(), TaskScheduler.Default);
    }
    return answer.Task;
  }
  /// <summary>Ends the agent at once: its own calls are answered with <see cref="HaftCancelledException"/>, others find it gone.</summary>
  public void Dispose() { GiveUp(); }
}

internal partial class RpcRequest : IDisposable {
  internal RpcRequest(IntPtr p) { swigCPtr = new NativeHandle(p); }
  internal int Caller { get { return AsynchronousCalls.RequestCaller(this); } }
  internal RpcMessage Arguments() { return new RpcMessage(AsynchronousCalls.RequestBytes(this), AsynchronousCalls.RequestTensors(this)); }
  internal void Reply(RpcMessage answer) {
    if (answer == null) AsynchronousCalls.Reply(this, new byte[0], new Tensor[0]);
    else AsynchronousCalls.Reply(this, answer.Bytes, answer.Tensors);
  }
  internal void Fail(Exception e) {
    try {
      AsynchronousCalls.Fail(this, (int)CallbackGuard.StatusOf(e), HaftException.Of(e) != null ? e.Message : e.GetType() + ": " + e.Message);
    } catch (Exception) {
      // It is answered already, or the agent has ended: nobody is left who could be told.
    }
  }
  public void Dispose() { GiveUp(); }
}
internal partial class RpcFuture : IDisposable {
  internal RpcFuture(IntPtr p) { swigCPtr = new NativeHandle(p); }
  public void Dispose() { GiveUp(); }
}
internal sealed class RpcBridge : RpcCallback {
  private readonly Action<RpcRequest> f;
  internal RpcBridge(Action<RpcRequest> f) { this.f = f; }
  public override void Call(RpcRequest request) { f(request); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class FutureBridge : FutureCallback {
  private readonly Action<RpcFuture> f;
  internal FutureBridge(Action<RpcFuture> f) { this.f = f; }
  public override void Done(RpcFuture future, int status) { f(future); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
}
