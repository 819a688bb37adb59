// Where the processes of a job meet, and what their launcher said.
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

namespace Haft {

/// <summary>Keys with bytes that all processes of a job see: for finding each other and agreeing, some calls a second, never for data.
/// Any thread may call anything; one that waits holds up no other.</summary>
/// <example><code>
/// using (var store = Store.Open("tcp://10.0.0.1:29500")) {
///   store.Set("address/3", "10.0.0.4:4711");
///   string other = store.GetString("address/0", TimeSpan.FromSeconds(30));
///   long number = store.Add("joined", 1);  // no two processes get the same
/// }
/// </code></example>
public partial class Store : IDisposable {
  internal Store(IntPtr p) { swigCPtr = new NativeHandle(p); }

  /// <summary>A store that several processes reach.</summary>
  /// <param name="url">tcp://host:port (port 0 with serve: any free one; ?bind=address listens there), file:///folder,
  /// redis://user:password@host:port/database, etcd://host:port, or hash:// for this process alone</param>
  /// <param name="serve">this process holds the store of a tcp:// url, at that address and at no other, until it disposes it</param>
  /// <param name="timeout">how long to try to reach it; null: five minutes</param>
  /// <param name="secret">what processes must know to use a tcp:// store; null: the environment variable HAFT_SECRET; empty: none</param>
  /// <param name="run">keeps the keys of this run apart from others' in the same folder or server; null: nothing does</param>
  public static Store Open(string url, bool serve = false, TimeSpan? timeout = null, string secret = null, string run = null) {
    return Functions.MakeStore(url, serve, Times.Micros(timeout ?? Rendezvous.Patience), secret != null, secret ?? "", run ?? "");
  }
  /// <summary>The port of a tcp:// store; 0 for others.</summary>
  public int Port { get { return GetPort(); } }
  /// <summary>Sets a key for all.</summary>
  /// <param name="key">its name, of 1 to 4096 bytes</param>
  /// <param name="value">up to 16 MiB</param>
  public void Set(string key, byte[] value) { Functions.StoreSet(this, key, value); }
  /// <summary>Sets a key for all to a text.</summary>
  /// <param name="key">its name, of 1 to 4096 bytes</param>
  /// <param name="value">stands there in UTF-8</param>
  public void Set(string key, string value) {
    if (value == null) throw new ArgumentNullException("value");
    Set(key, Encoding.UTF8.GetBytes(value));
  }
  /// <summary>What a key holds; waits until somebody has set it.</summary>
  /// <param name="key">its name</param>
  /// <param name="timeout">how long to wait; null: no limit</param>
  /// <param name="cancellation">ends the waiting, within a quarter of a second</param>
  /// <exception cref="TimeoutException">the time has passed; it names the key</exception>
  /// <exception cref="OperationCanceledException">the token was cancelled</exception>
  public byte[] Get(string key, TimeSpan? timeout = null, CancellationToken cancellation = default(CancellationToken)) {
    return CancelHandle.Run(cancellation, token => Functions.StoreAwait(this, key, token, Times.Micros(timeout)));
  }
  /// <summary>The text that a key holds; waits until somebody has set it.</summary>
  /// <param name="key">its name</param>
  /// <param name="timeout">how long to wait; null: no limit</param>
  /// <param name="cancellation">ends the waiting, within a quarter of a second</param>
  public string GetString(string key, TimeSpan? timeout = null, CancellationToken cancellation = default(CancellationToken)) {
    return Encoding.UTF8.GetString(Get(key, timeout, cancellation));
  }
  /// <summary>Waits until all keys are there.</summary>
  /// <param name="keys">their names</param>
  /// <param name="timeout">how long to wait; null: no limit</param>
  /// <param name="cancellation">ends the waiting, within a quarter of a second</param>
  /// <exception cref="TimeoutException">the time has passed; it names the first key that is missing</exception>
  /// <exception cref="OperationCanceledException">the token was cancelled</exception>
  public void Wait(IEnumerable<string> keys, TimeSpan? timeout = null, CancellationToken cancellation = default(CancellationToken)) {
    CancelHandle.Run<object>(cancellation, token => {
      Functions.StoreAwaitAll(this, token, Times.Micros(timeout), keys);
      return null;
    });
  }
  /// <summary>Sets a key if it holds what is expected, in one step for all processes.</summary>
  /// <param name="key">its name</param>
  /// <param name="expected">empty: the key holds nothing or is not there</param>
  /// <param name="desired">what it shall hold</param>
  /// <returns>whether it holds what is desired now; else it is as it was</returns>
  public bool CompareAndSet(string key, byte[] expected, byte[] desired) { return Functions.StoreCompareSet(this, key, expected, desired); }
  /// <summary><see cref="CompareAndSet"/> that tells what the key holds then, whoever has set it.</summary>
  /// <param name="key">its name</param>
  /// <param name="expected">empty: the key holds nothing or is not there</param>
  /// <param name="desired">what it shall hold</param>
  /// <returns>what is desired, or what stood there and stands; empty: the key is not there</returns>
  public byte[] CompareExchange(string key, byte[] expected, byte[] desired) {
    return Functions.StoreCompareExchange(this, key, expected, desired);
  }
  /// <summary>Sets a key for a time: a sign of life, which is gone unless it is given again.</summary>
  /// <param name="key">its name</param>
  /// <param name="value">up to 16 MiB</param>
  /// <param name="life">above zero; etcd counts whole seconds</param>
  public void Lease(string key, byte[] value, TimeSpan life) { Functions.StoreLease(this, key, value, Times.Micros(life, "life")); }
  /// <summary>Gives the store up; one that serves ends for all.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>The store of a job, and who this process is in it.</summary>
public sealed class Rendezvous : IDisposable {
  internal static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);
  private Rendezvous(Store store, long rank, long worldSize) {
    Store = store;
    Rank = (int)rank;
    WorldSize = (int)worldSize;
  }
  /// <summary>Of the job; who has met the others disposes it, groups made with it keep it.</summary>
  public Store Store { get; }
  /// <summary>Of this process.</summary>
  public int Rank { get; }
  /// <summary>How many processes there are.</summary>
  public int WorldSize { get; }
  /// <summary>Waits until all processes of the job are there.</summary>
  /// <param name="url">one of <see cref="Haft.Store.Open"/>'s, where rank 0 serves tcp:// and ?rank= and &amp;world_size= may stand;
  /// env:// takes everything from the launcher's variables</param>
  /// <param name="rank">of this process; -1: the url or the launcher says it</param>
  /// <param name="worldSize">how many processes there are; -1: the url or the launcher says it</param>
  /// <param name="timeout">how long to wait; null: five minutes</param>
  /// <exception cref="TimeoutException">the time has passed; it names the ranks that are missing</exception>
  public static unsafe Rendezvous Meet(string url = "env://", int rank = -1, int worldSize = -1, TimeSpan? timeout = null) {
    long* met = stackalloc long[2];
    Store store = Support.Rendezvous(url, rank, worldSize, Times.Micros(timeout ?? Patience), (IntPtr)met);
    return new Rendezvous(store, met[0], met[1]);
  }
  /// <summary>Disposes the store.</summary>
  public void Dispose() { Store.Dispose(); }
}

/// <summary>What the launcher of this process said: haft-run, torchrun, mpirun, srun or a Kubernetes indexed job. A process that none
/// started is rank 0 of 1.</summary>
public sealed class LaunchEnvironment {
  private LaunchEnvironment(long[] n, string[] t) {
    Rank = (int)n[LaunchPlaces.rank];
    WorldSize = (int)n[LaunchPlaces.worldSize];
    LocalRank = (int)n[LaunchPlaces.localRank];
    LocalWorldSize = (int)n[LaunchPlaces.localWorldSize];
    NodeRank = (int)n[LaunchPlaces.nodeRank];
    RestartCount = (int)n[LaunchPlaces.restartCount];
    MasterPort = (int)n[LaunchPlaces.masterPort];
    Launcher = t[0];
    MasterHost = t[1];
    RunId = t[2];
  }
  /// <summary>Reads the launcher's variables.</summary>
  public static LaunchEnvironment Get() { return new LaunchEnvironment(Functions.LaunchNumbers(), Functions.LaunchTexts().Split('\n')); }
  /// <summary>"none", "haft-run", "torchrun", "openmpi", "pmix", "slurm" or "kubernetes".</summary>
  public string Launcher { get; }
  /// <summary>Of this process.</summary>
  public int Rank { get; }
  /// <summary>How many processes the job has.</summary>
  public int WorldSize { get; }
  /// <summary>Among the processes of this machine.</summary>
  public int LocalRank { get; }
  /// <summary>How many of them there are.</summary>
  public int LocalWorldSize { get; }
  /// <summary>Of this machine.</summary>
  public int NodeRank { get; }
  /// <summary>How often all processes were started again.</summary>
  public int RestartCount { get; }
  /// <summary>Where rank 0 is; empty: nobody said it.</summary>
  public string MasterHost { get; }
  /// <summary>Its port.</summary>
  public int MasterPort { get; }
  /// <summary>Differs between jobs; empty: nobody said it.</summary>
  public string RunId { get; }
}
}
