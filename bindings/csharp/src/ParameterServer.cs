// Processes that hold parameters, and their workers.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Haft {

/// <summary>When a worker's step is answered.</summary>
public enum ServerMode {
  /// <summary>When all workers that live have made it: their mean gradient is applied once.</summary>
  Synchronous = 0,
  /// <summary>At once: gradients are applied as they come.</summary>
  Asynchronous = 1,
  /// <summary>So, but when the slowest worker is at most "staleness" steps behind.</summary>
  Bounded = 2
}

/// <summary>What a server holds and who is there.</summary>
public sealed class ParameterServerInfo {
  internal ParameterServerInfo(long[] n) {
    Workers = (int)n[ServerPlaces.workers];
    Version = n[ServerPlaces.version];
    Slowest = n[ServerPlaces.slowest];
    Fastest = n[ServerPlaces.fastest];
    Waiting = n[ServerPlaces.waiting];
    Parameters = n[ServerPlaces.parameters];
    Elements = n[ServerPlaces.elements];
    Rows = n[ServerPlaces.rows];
  }
  /// <summary>Those that live.</summary>
  public int Workers { get; }
  /// <summary>Synchronous: steps; otherwise pushes.</summary>
  public long Version { get; }
  /// <summary>How many steps the slowest worker that lives has made.</summary>
  public long Slowest { get; }
  /// <summary>How many the fastest.</summary>
  public long Fastest { get; }
  /// <summary>Steps that are not answered yet.</summary>
  public long Waiting { get; }
  /// <summary>And tables, of which this server has a part.</summary>
  public long Parameters { get; }
  /// <summary>Of this server's part.</summary>
  public long Elements { get; }
  /// <summary>Of tables, those that have been used.</summary>
  public long Rows { get; }
}

/// <summary>Holds parameters, or a part of them when there are several servers, and steps them with an optimizer; workers push gradients and pull
/// values with a <see cref="ParameterClient"/>. It serves on the threads of its agent until it is disposed. docs/asynchronous-training.md tells
/// how it behaves. Since 1.0.</summary>
public partial class ParameterServer : IDisposable {
  internal ParameterServer(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Makes this process a parameter server.</summary>
  /// <param name="rpc">an agent that is started; the server keeps it</param>
  /// <param name="mode">when a worker's step is answered</param>
  /// <param name="workers">that are waited for at the beginning</param>
  /// <param name="optimizer">"SGD", "Adam", ...</param>
  /// <param name="options">of the optimizer by name: "lr", "momentum", ...; null: its own</param>
  /// <param name="staleness">of Bounded: how far the slowest worker may be behind</param>
  /// <param name="name">servers that work together have the same</param>
  /// <param name="snapshot">a file of Save to begin with, where there is one; null: none</param>
  /// <exception cref="HaftArgumentException">it names the optimizers that there are</exception>
  /// <exception cref="HaftIOException">the snapshot is none</exception>
  public ParameterServer(Rpc rpc, ServerMode mode = ServerMode.Synchronous, int workers = 1, string optimizer = "SGD",
                         IEnumerable<KeyValuePair<string, double>> options = null, long staleness = 0, string name = "parameters", string snapshot = null) {
    KeyValuePair<string, double>[] all = (options ?? new KeyValuePair<string, double>[0]).ToArray();
    Rpc = rpc;
    swigCPtr = AsynchronousCalls.MakeServer(rpc, (int)mode, workers, optimizer, staleness, name, snapshot ?? "", Array.ConvertAll(all, o => o.Value),
                                            Array.ConvertAll(all, o => o.Key)).swigCPtr;
    CallbackGuard.Own(this);
  }
  /// <summary>The agent that it serves by.</summary>
  public Rpc Rpc { get; }
  /// <summary>What it holds and who is there.</summary>
  public ParameterServerInfo Info { get { return new ParameterServerInfo(AsynchronousCalls.ServerNumbers(this)); } }
  /// <summary>Ends the server: workers that wait are answered with <see cref="HaftCancelledException"/>.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>A worker of parameter servers. Its calls wait, for its time at most, and throw <see cref="PeerLostException"/> when a server has
/// ended. docs/asynchronous-training.md tells how they behave. Since 1.0.</summary>
/// <example><code>
/// using (var client = new ParameterClient(rpc, new Dims(0, 1))) {  // the servers' ranks
///   client.Add("weight", weight);
///   client.AddTable("users", 1000000000, 16, 0.01);
///   for (...) {
///     client.Pull(new StateDict { { "weight", weight } });
///     Tensor rows = client.PullRows("users", ids);
///     ...
///     client.Push(new StateDict { { "weight", weight.Grad } });
///     client.PushRows("users", ids, rows.Grad);
///     client.Step();
///   }
///   client.Leave();
/// }
/// </code></example>
public partial class ParameterClient : IDisposable {
  internal ParameterClient(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Makes this process a worker. Waits until the servers are there.</summary>
  /// <param name="rpc">an agent that is started; the worker keeps it</param>
  /// <param name="servers">their ranks; all workers give the same, in the same order</param>
  /// <param name="name">of the servers</param>
  /// <param name="timeout">of every call, also of a step that waits for others; null: five minutes</param>
  /// <exception cref="TimeoutException">the time has passed; it names the server that has not come</exception>
  public ParameterClient(Rpc rpc, Dims servers, string name = "parameters", TimeSpan? timeout = null) {
    Rpc = rpc;
    swigCPtr = AsynchronousCalls.MakeClient(rpc, servers, name, Times.Micros(timeout ?? TimeSpan.FromMinutes(5))).swigCPtr;
  }
  /// <summary>The agent by which it calls.</summary>
  public Rpc Rpc { get; }
  /// <summary>Writes the servers' values into tensors; when it throws, none is changed.</summary>
  /// <param name="values">tensors by the names that they were added under</param>
  /// <returns>how many steps each value has seen, in order</returns>
  public long[] Pull(IEnumerable<KeyValuePair<string, Tensor>> values) { return AsynchronousCalls.Pull(this, values); }
  /// <summary>Begins to send gradients, which Step waits for.</summary>
  /// <param name="gradients">by the names that their parameters were added under; a null is none</param>
  public void Push(IEnumerable<KeyValuePair<string, Tensor>> gradients) { AsynchronousCalls.Push(this, gradients); }
  /// <summary>Gives the worker up. It does not leave: Leave does.</summary>
  public void Dispose() { GiveUp(); }
}
}
