// Ranks that call collectives together, and the calls that were begun.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Haft {

/// <summary>How the values of ranks are joined. Of bool, Sum and Max are "or", Product and Min "and".</summary>
public enum ReduceOp {
  /// <summary>Their sum.</summary>
  Sum = 0,
  /// <summary>Their product.</summary>
  Product = 1,
  /// <summary>The smallest.</summary>
  Min = 2,
  /// <summary>The largest.</summary>
  Max = 3,
  /// <summary>Their mean; of floating types only.</summary>
  Avg = 4,
  /// <summary>The bits that all have; of integers and bool only.</summary>
  Band = 5,
  /// <summary>The bits that one has; of integers and bool only.</summary>
  Bor = 6,
  /// <summary>The bits that an odd number of them has; of integers and bool only.</summary>
  Bxor = 7
}

/// <summary>What a group is and whether it lives.</summary>
public sealed class ProcessGroupInfo {
  internal ProcessGroupInfo(ProcessGroup group) {
    long[] n = Functions.GroupNumbers(group);
    Rank = group.Rank;
    Size = group.Size;
    Failure = (ErrorCode)n[GroupPlaces.failure];
    Culprit = (int)n[GroupPlaces.culprit];
    Issued = n[GroupPlaces.issued];
    Finished = n[GroupPlaces.finished];
    Timeout = TimeSpan.FromTicks(n[GroupPlaces.timeoutUs] * (TimeSpan.TicksPerMillisecond / 1000));
    Engine = Functions.GroupEngine(group);
    Name = Functions.GroupName(group);
  }
  /// <summary>Of this process.</summary>
  public int Rank { get; }
  /// <summary>How many ranks there are.</summary>
  public int Size { get; }
  /// <summary>What the group died of; None: it lives.</summary>
  public ErrorCode Failure { get; }
  /// <summary>The rank at fault, as far as one is known; -1.</summary>
  public int Culprit { get; }
  /// <summary>Collectives of this rank so far.</summary>
  public long Issued { get; }
  /// <summary>Those of them that are done.</summary>
  public long Finished { get; }
  /// <summary>Of every call that gives none of its own.</summary>
  public TimeSpan Timeout { get; }
  /// <summary>What moves the data.</summary>
  public string Engine { get; }
  /// <summary>Tells groups of one store apart.</summary>
  public string Name { get; }
}

/// <summary>Ranks, processes of one or many machines or threads of one process, that call collectives together and send each other
/// messages. Every rank calls the same collectives in the same order, with fitting arguments. What ends in Async answers a
/// <see cref="Work"/> at once, which can be awaited; its tensors are not to be changed until that is done.</summary>
/// <remarks>A group dies as a whole: when ranks have called different things (<see cref="MismatchException"/>), when one is gone
/// (<see cref="PeerLostException"/>) or late (<see cref="HaftTimeoutException"/>), when somebody aborts it
/// (<see cref="HaftCancelledException"/>). Calls under way and all later ones fail so on every rank. Make a new group then, also of fewer
/// ranks.</remarks>
/// <example><code>
/// using (ProcessGroup world = ProcessGroup.Init("env://")) {  // haft-run --nproc-per-node 4 mono train.exe
///   world.AllReduce(gradient, ReduceOp.Avg);
///   await world.AllReduceAsync(bucket);
/// }
/// </code></example>
public partial class ProcessGroup : IDisposable {
  /// <summary>As the peer of Recv: whoever is first.</summary>
  public const int AnySource = -1;

  internal ProcessGroup(IntPtr p) {
    swigCPtr = new NativeHandle(p);
    CallbackGuard.Own(this);
  }
  /// <summary>Waits until all ranks have come.</summary>
  /// <param name="store">where they find each other; the group keeps it</param>
  /// <param name="rank">this one's number, from 0 to size - 1</param>
  /// <param name="size">how many there are</param>
  /// <param name="timeout">of every call, and of the making of the group; null: five minutes</param>
  /// <param name="engine">what moves the data, for instance "shm" within a host; null: the fastest that reaches all ranks</param>
  /// <param name="name">tells groups of one store apart; null: "default"</param>
  /// <exception cref="TimeoutException">the time has passed; it names the ranks that have not come</exception>
  public ProcessGroup(Store store, int rank, int size, TimeSpan? timeout = null, string engine = null, string name = null) {
    swigCPtr = Functions.MakeGroup(store, rank, size, engine ?? "", name ?? "", Patience(timeout)).swigCPtr;
    CallbackGuard.Own(this);
  }
  private static long Patience(TimeSpan? timeout) { return Times.Micros(timeout ?? Rendezvous.Patience); }

  /// <summary>The group of all processes of the job, which meet at a url.</summary>
  /// <param name="url">as <see cref="Rendezvous.Meet"/> takes it; env:// takes everything from the launcher</param>
  /// <param name="timeout">of every call, and of the meeting; null: five minutes</param>
  /// <param name="engine">what moves the data, for instance "shm" within a host; null: the fastest that reaches all ranks</param>
  public static ProcessGroup Init(string url = "env://", TimeSpan? timeout = null, string engine = null) {
    using (Rendezvous job = Rendezvous.Meet(url, timeout: timeout)) return new ProcessGroup(job.Store, job.Rank, job.WorldSize, timeout, engine);
  }
  /// <summary>A group of some ranks of this one, in the order given, with a time or an engine of its own. All ranks of this group call it, in
  /// the same order.</summary>
  /// <param name="ranks">different ranks of it</param>
  /// <param name="timeout">of every call; null: five minutes</param>
  /// <param name="engine">what moves the data; null: the fastest that reaches all ranks</param>
  /// <returns>a new group; null for a rank that is not among them</returns>
  [return: System.Diagnostics.CodeAnalysis.MaybeNull]
  public ProcessGroup Subgroup(Dims ranks, TimeSpan? timeout, string engine = null) {
    return Functions.MakeSubgroup(this, ranks, engine ?? "", Patience(timeout));
  }
  /// <summary>A group of the ranks that give the same color, with a time or an engine of its own. All ranks of this group call it, in the
  /// same order.</summary>
  /// <param name="color">0 or more; negative: this rank joins none</param>
  /// <param name="key">the order of ranks in the new group; of equal ones that of this</param>
  /// <param name="timeout">of every call; null: five minutes</param>
  /// <param name="engine">what moves the data; null: the fastest that reaches all ranks</param>
  /// <returns>a new group; null for a negative color</returns>
  [return: System.Diagnostics.CodeAnalysis.MaybeNull]
  public ProcessGroup Split(long color, long key, TimeSpan? timeout, string engine = null) {
    return Functions.MakeSplit(this, color, key, engine ?? "", Patience(timeout));
  }
  /// <summary>Of this process.</summary>
  public int Rank { get { return GetRank(); } }
  /// <summary>How many ranks there are.</summary>
  public int Size { get { return GetSize(); } }
  /// <summary>What the group is and whether it lives.</summary>
  public ProcessGroupInfo Info { get { return new ProcessGroupInfo(this); } }
  /// <summary>Waits until all ranks have come; those that have not within the time are named to all that have.</summary>
  /// <param name="timeout">null: the group's</param>
  public void Barrier(TimeSpan? timeout = null) { BarrierFor(Times.Micros(timeout)); }
  /// <summary>Begins to wait until all ranks have come; those that have not within the time are named to all that have.</summary>
  /// <param name="timeout">null: the group's</param>
  public Work BarrierAsync(TimeSpan? timeout = null) { return BarrierForAsync(Times.Micros(timeout)); }
  /// <summary>Collectives of objects.</summary>
  /// <param name="serializer">makes bytes of objects; null: <see cref="DataContractObjects"/></param>
  public ObjectCollectives Objects(IObjectSerializer serializer = null) { return new ObjectCollectives(this, serializer ?? DataContractObjects.Instance); }
  /// <summary>Leaves the group: what is under way is cancelled on every rank.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>A call of a <see cref="ProcessGroup"/> that was begun: await it, wait for it, or ask for its task. It goes on whether or not
/// anybody does, and Dispose does not stop it; while this object is reachable, so is its group.</summary>
public partial class Work : IDisposable {
  private ProcessGroup group;  // reachable as long as this is
  internal Work(IntPtr p) { swigCPtr = new NativeHandle(p); }
  internal static Work Of(ProcessGroup group, IntPtr p) { return new Work(p) { group = group }; }

  /// <summary>Whether it is done, in whatever way.</summary>
  public bool IsDone { get { return GetIsDone(); } }
  /// <summary>Who sent what a receive has got; -1: it is no such call.</summary>
  public int Source { get { return GetSource(); } }
  /// <summary>Waits until it is done, as long as the call may take.</summary>
  /// <param name="cancellation">ends the waiting; the work goes on</param>
  /// <exception cref="PeerLostException">a process of the group is gone</exception>
  /// <exception cref="MismatchException">the processes called different things</exception>
  /// <exception cref="TimeoutException">the call's own time has passed: the group is dead</exception>
  /// <exception cref="OperationCanceledException">somebody aborted or left the group, or the token was cancelled</exception>
  public void Wait(CancellationToken cancellation = default(CancellationToken)) { Wait(null, cancellation); }
  /// <summary>Waits until it is done; throws what it failed with.</summary>
  /// <param name="timeout">how long to wait; null: as long as the call may take</param>
  /// <param name="cancellation">ends the waiting; the work goes on</param>
  /// <returns>false when it was not done within the time; it goes on</returns>
  public bool Wait(TimeSpan? timeout, CancellationToken cancellation = default(CancellationToken)) {
    return CancelHandle.Run(cancellation, token => Functions.WorkAwait(this, token, Times.Micros(timeout)));
  }
  /// <summary>A task that is over with the call, and fails as it does. No thread waits for it.</summary>
  /// <param name="cancellation">ends the task; the work goes on, because a call of several processes cannot be taken back by one</param>
  public Task AsTask(CancellationToken cancellation = default(CancellationToken)) {
    if (cancellation.IsCancellationRequested) return Task.FromCanceled(cancellation);
    var over = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
    Functions.WorkOnDone(this, new WorkBridge(done => {
      try {
        using (done) Functions.WorkAwait(done, null, 0);
        over.TrySetResult(true);
        GC.KeepAlive(group);  // until now
      } catch (Exception e) {
        over.TrySetException(e);
      }
    }));
    if (cancellation.CanBeCanceled) {
      CancellationTokenRegistration registration = cancellation.Register(() => over.TrySetCanceled(cancellation));
      over.Task.ContinueWith(t => registration.Dispose(), TaskScheduler.Default);
    }
    return over.Task;
  }
  /// <summary>What await calls.</summary>
  public TaskAwaiter GetAwaiter() { return AsTask().GetAwaiter(); }
  /// <summary>Calls a function once when it is done, in whatever way, on the thread that finds it so: at once when it is. There it may begin
  /// calls of the group but not wait for them. What it throws goes to <see cref="TaskScheduler.UnobservedTaskException"/>.</summary>
  /// <param name="callback">gets this work</param>
  public void OnDone(Action<Work> callback) {
    if (callback == null) throw new ArgumentNullException("callback");
    Functions.WorkOnDone(this, new WorkBridge(done => {
      done.Dispose();
      try {
        callback(this);
      } catch (Exception e) {
        Task.FromException(e);
      }
    }));
  }
  /// <summary>Gives the native object up; the call goes on.</summary>
  public void Dispose() { GiveUp(); }
}
}
