// Data parallel: gradients that are the means of all ranks', and a module on several devices.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Haft {

/// <summary>What <see cref="DistributedDataParallel.SetCompression"/> sends instead of the gradients.</summary>
public sealed class Compression {
  private Compression(int kind) { Kind = kind; }
  internal int Kind { get; }
  /// <summary>Whether what is lost is added to the next step's gradients; not of Fp16 and Bf16.</summary>
  public bool ErrorFeedback { get; set; } = true;
  /// <summary>Whether PowerSgd begins where the last step ended.</summary>
  public bool WarmStart { get; set; } = true;
  /// <summary>Of TopK and RandomK: part of the elements that is sent.</summary>
  public double Ratio { get; private set; } = 0.01;
  /// <summary>PowerSgd leaves matrices alone that it would not make this many times smaller.</summary>
  public double MinRate { get; set; } = 2;
  /// <summary>Of PowerSgd: width of the thin matrices.</summary>
  public long Rank { get; private set; } = 1;
  /// <summary>Plain means in the steps before.</summary>
  public long StartStep { get; set; }
  /// <summary>Where the draws of RandomK and PowerSgd begin, the same on every rank.</summary>
  public long Seed { get; set; }
  /// <summary>Half the bytes.</summary>
  public static Compression Fp16() { return new Compression(1); }
  /// <summary>Half the bytes, with the range of float32.</summary>
  public static Compression Bf16() { return new Compression(2); }
  /// <summary>A byte an element; all ranks' go to all.</summary>
  public static Compression Int8() { return new Compression(3); }
  /// <summary>Signs and a mean size; all ranks' go to all.</summary>
  public static Compression OneBit() { return new Compression(4); }
  /// <summary>The largest elements with their places; all ranks' go to all.</summary>
  /// <param name="ratio">part of the elements that is sent</param>
  public static Compression TopK(double ratio) { return new Compression(5) { Ratio = ratio }; }
  /// <summary>Elements that all ranks draw alike.</summary>
  /// <param name="ratio">part of the elements that is sent</param>
  public static Compression RandomK(double ratio) { return new Compression(6) { Ratio = ratio }; }
  /// <summary>Matrices as products of two thin ones.</summary>
  /// <param name="rank">width of the thin matrices</param>
  public static Compression PowerSgd(long rank) { return new Compression(7) { Rank = rank }; }
}

/// <summary>The gradients of some parameters, as a communication hook sees them: tensors over the bucket's memory, disposed when the hook
/// returns.</summary>
public sealed class GradientBucket {
  internal GradientBucket(long index, Tensor[] tensors) {
    int n = (tensors.Length - 1) / 2;
    Index = (int)index;
    Buffer = tensors[0];
    Gradients = new ArraySegment<Tensor>(tensors, 1, n);
    Parameters = new ArraySegment<Tensor>(tensors, 1 + n, n);
  }
  /// <summary>Its place among the buckets.</summary>
  public int Index { get; }
  /// <summary>Of one dimension: the gradients, one behind the other.</summary>
  public Tensor Buffer { get; }
  /// <summary>Views of the buffer in the shapes of the parameters.</summary>
  public IReadOnlyList<Tensor> Gradients { get; }
  /// <summary>The parameters.</summary>
  public IReadOnlyList<Tensor> Parameters { get; }
}

/// <summary>What a <see cref="DistributedDataParallel"/> has done.</summary>
public sealed class DataParallelInfo {
  internal DataParallelInfo(long[] n) {
    Rebuilt = n[DataParallelPlaces.rebuilt] != 0;
    Buckets = n[DataParallelPlaces.buckets];
    Steps = n[DataParallelPlaces.steps];
    GradientBytes = n[DataParallelPlaces.gradientBytes];
    SentBytes = n[DataParallelPlaces.sentBytes];
    Unused = n[DataParallelPlaces.unused];
    Copies = n[DataParallelPlaces.copies];
  }
  /// <summary>Whether buckets lie in the order in which gradients came in the first step.</summary>
  public bool Rebuilt { get; }
  /// <summary>How many buckets there are.</summary>
  public long Buckets { get; }
  /// <summary>Steps that were joined.</summary>
  public long Steps { get; }
  /// <summary>Bytes of the gradients joined so far.</summary>
  public long GradientBytes { get; }
  /// <summary>Bytes that this rank gave to the group for them; a program's own hook counts nothing.</summary>
  public long SentBytes { get; }
  /// <summary>Parameters that no rank used in the last step; needs findUnusedParameters or staticGraph.</summary>
  public long Unused { get; }
  /// <summary>Gradients that were copied into buckets so far.</summary>
  public long Copies { get; }
}

/// <summary>Every rank of a group trains its copy of a module on its share of the data, and gradients are the means of all ranks'
/// (torch.nn.parallel.DistributedDataParallel). They are joined bucket by bucket while backward goes on.</summary>
/// <example><code>
/// using (ProcessGroup world = ProcessGroup.Init("env://"))
/// using (var ddp = new DistributedDataParallel(net, world))
///   foreach (Tensor[] batch in mine)
///     using (new DisposeScope()) {
///       Tensor loss = ddp.Call(batch[0]).CrossEntropy(batch[1]);
///       optimizer.ZeroGrad(false);  // gradients lie in the buckets: they are kept, and nothing is copied
///       loss.Backward();
///       optimizer.Step();
///     }
/// </code></example>
public partial class DistributedDataParallel : IDisposable {
  internal DistributedDataParallel(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Joins the gradients of a module's parameters. Every rank of the group calls it.</summary>
  /// <param name="module">the same on every rank; rank 0's parameters and buffers become every rank's</param>
  /// <param name="group">of the ranks</param>
  /// <param name="broadcastBuffers">each forward pass in training begins with rank 0's buffers</param>
  /// <param name="findUnusedParameters">parameters that a backward does not reach on some rank count as 0 there</param>
  /// <param name="gradientAsBucketView">gradients are views of buckets, not copied in and out</param>
  /// <param name="staticGraph">each step is like the first: which gradients come, and how often</param>
  /// <param name="initSync">modules are compared, and rank 0's values become every rank's</param>
  /// <param name="bucketBytes">how large buckets are</param>
  /// <param name="firstBucketBytes">how large the first one is, which begins early</param>
  /// <exception cref="MismatchException">it names what differs between ranks</exception>
  public DistributedDataParallel(Module module, ProcessGroup group, bool broadcastBuffers = true, bool findUnusedParameters = false,
                                 bool gradientAsBucketView = true, bool staticGraph = false, bool initSync = true, long bucketBytes = 26214400,
                                 long firstBucketBytes = 1048576) {
    Module = module;
    Group = group;
    swigCPtr = Functions.MakeDataParallel(module, group, broadcastBuffers, findUnusedParameters, gradientAsBucketView, staticGraph, initSync, bucketBytes,
                                          firstBucketBytes).swigCPtr;
  }
  /// <summary>Joins the gradients of a list of parameters. <see cref="Prepare()"/> stands before the program's own forward pass. Every rank of
  /// the group calls it.</summary>
  /// <param name="parameters">leaves by their names, the same on every rank; rank 0's values become every rank's</param>
  /// <param name="buffers">tensors that are rank 0's in each forward pass; null: none</param>
  /// <param name="group">of the ranks</param>
  /// <param name="broadcastBuffers">each forward pass in training begins with rank 0's buffers</param>
  /// <param name="findUnusedParameters">parameters that a backward does not reach on some rank count as 0 there</param>
  /// <param name="gradientAsBucketView">gradients are views of buckets, not copied in and out</param>
  /// <param name="staticGraph">each step is like the first: which gradients come, and how often</param>
  /// <param name="initSync">parameters are compared, and rank 0's values become every rank's</param>
  /// <param name="bucketBytes">how large buckets are</param>
  /// <param name="firstBucketBytes">how large the first one is, which begins early</param>
  /// <exception cref="MismatchException">it names what differs between ranks</exception>
  public DistributedDataParallel(IEnumerable<KeyValuePair<string, Tensor>> parameters, IEnumerable<Tensor> buffers, ProcessGroup group,
                                 bool broadcastBuffers = true, bool findUnusedParameters = false, bool gradientAsBucketView = true,
                                 bool staticGraph = false, bool initSync = true, long bucketBytes = 26214400, long firstBucketBytes = 1048576) {
    Group = group;
    swigCPtr = Functions.MakeDataParallelOver(parameters, buffers, group, broadcastBuffers, findUnusedParameters, gradientAsBucketView, staticGraph,
                                              initSync, bucketBytes, firstBucketBytes).swigCPtr;
  }
  private Module Called {
    get {
      if (Module == null)
        throw new InvalidOperationException("Haft: it is over a list of parameters, not over a module; Prepare stands before a forward pass of the program's own");
      return Module;
    }
  }
  /// <summary>The module whose gradients are joined; null: it is over a list of parameters.</summary>
  [System.Diagnostics.CodeAnalysis.MaybeNull]
  public Module Module { get; }
  /// <summary>The group over which they are.</summary>
  public ProcessGroup Group { get; }
  /// <summary>Prepares a step and calls the module.</summary>
  /// <param name="x">the input</param>
  public Tensor Call(Tensor x) {
    Module m = Called;
    Prepare();
    return m.Call(x);
  }
  /// <summary>Prepares a step and calls the module.</summary>
  /// <param name="inputs">the inputs, in order</param>
  public Tensor[] Call(params Tensor[] inputs) {
    Module m = Called;
    Prepare();
    return m.Call(inputs);
  }
  private sealed class Stretch : IDisposable {
    private Action end;
    internal Stretch(Action end) { this.end = end; }
    public void Dispose() {
      Action now = end;
      end = null;
      if (now != null) now();
    }
  }
  /// <summary>Until the answer is disposed gradients add up on each rank, of the steps that begin until then; the step behind joins what has
  /// come together.</summary>
  public IDisposable NoSync() {
    bool before = GetSync();
    SetSyncNative(false);
    return new Stretch(() => SetSyncNative(before));
  }
  /// <summary>Begins a stretch of steps of which some ranks may have fewer than others. Every rank calls it, and disposes the answer when it has
  /// no more data: that takes part in what the others call until they have none either.</summary>
  /// <param name="divideByWorld">means are over all ranks, not over those that still have data</param>
  /// <param name="failEarly">all end with <see cref="HaftCancelledException"/> when a rank has no more data</param>
  public IDisposable Join(bool divideByWorld = true, bool failEarly = false) {
    JoinBegin(divideByWorld, failEarly);
    return new Stretch(JoinEnd);
  }
  /// <summary>What it has done.</summary>
  public DataParallelInfo Info { get { return new DataParallelInfo(Functions.DataParallelNumbers(this)); } }
  /// <summary>Sends less than the gradients.</summary>
  /// <param name="compression">how</param>
  public void SetCompression(Compression compression) {
    if (compression == null) throw new ArgumentNullException("compression");
    Compression c = compression;
    Functions.DataParallelCompress(this, c.Kind, c.ErrorFeedback, c.WarmStart, c.Ratio, c.MinRate, c.Rank, c.StartStep, c.Seed);
  }
  /// <summary>Joins gradients by functions instead of a plain mean (torch's communication hooks). Both run on the thread of backward, for the
  /// same buckets in the same order on every rank; what they throw comes out of backward.</summary>
  /// <param name="begin">begins to join a bucket and does not wait; it answers what is waited for before finish, or nothing</param>
  /// <param name="finish">ends it at the end of backward: the bucket's buffer holds the mean of all ranks afterwards; null: the work leaves it there</param>
  /// <example><code>
  /// ddp.SetHook(bucket => group.AllReduceAsync(bucket.Buffer, ReduceOp.Avg));  // what happens without a hook
  /// </code></example>
  public void SetHook(Func<GradientBucket, Work> begin, Action<GradientBucket> finish = null) {
    Functions.DataParallelHook(this, new GradientBridge(begin, finish));
  }
  /// <summary>Takes its hooks off the parameters.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>Joins the parameters of all ranks every some steps: local SGD, or DiLoCo with an outer optimizer.</summary>
public partial class ModelAverager : IDisposable {
  private readonly ProcessGroup group;
  internal ModelAverager(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Of some parameters.</summary>
  /// <param name="parameters">the same on every rank</param>
  /// <param name="group">of the ranks</param>
  /// <param name="period">steps from one time to the next</param>
  /// <param name="warmupSteps">steps before the first time</param>
  /// <param name="outer">a step of an outer optimizer along what the mean has moved (DiLoCo) instead of the mean itself</param>
  /// <param name="outerLr">its learning rate</param>
  /// <param name="outerMomentum">its momentum</param>
  /// <param name="nesterov">whether it looks ahead</param>
  public ModelAverager(IEnumerable<Tensor> parameters, ProcessGroup group, long period = 1, long warmupSteps = 0, bool outer = false, double outerLr = 0.7,
                       double outerMomentum = 0.9, bool nesterov = true) {
    this.group = group;
    swigCPtr = Functions.MakeAverager(parameters, group, period, warmupSteps, outer, outerLr, outerMomentum, nesterov).swigCPtr;
  }
  /// <summary>The group over which they are joined.</summary>
  public ProcessGroup Group { get { return group; } }
  /// <summary>Gives the native object up.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>A module on several devices of this process at once, each of which computes a part of the batch (torch.nn.DataParallel).</summary>
/// <remarks>Parameters stay where they are: each call copies them to the other devices, and gradients come back to them. Buffers are copied as
/// well; what the first device's part writes into them stays. Results are gathered on the first device. A part is computed by a thread of its own,
/// whose default device is the part's. A module of your own therefore takes its tensors anew in each Forward, by Parameter(name) and Buffer(name) or
/// through its layers: a field has the first device's. What Forward throws comes out of the call; errors of the engine name the part and its
/// device. <see cref="DistributedDataParallel"/> over several processes is faster. Since 1.0.</remarks>
/// <example><code>
/// var many = new DataParallel(net.To("cuda:0"), new Device[] { "cuda:0", "cuda:1" });
/// many.Call(batch).Square().Mean().Backward();  // gradients come to the parameters of net
/// </code></example>
public sealed class DataParallel : Module {
  /// <summary>Parts have ceil(n / devices) of the n rows of a batch, the last ones fewer or none; inputs without dimensions go to all, and results
  /// without become a vector with one element a part.</summary>
  /// <param name="module">on the first of the devices; it is the child "module", and disposed with this. A call throws
  /// <see cref="DeviceException"/> when it is elsewhere, <see cref="ShapeException"/> for inputs without a common batch</param>
  /// <param name="devices">at least one, all different; the default value among them: the thread's</param>
  /// <param name="dim">of the batch in inputs and results; negative counts from the end</param>
  /// <exception cref="ArgumentException">there is no device, or one is named twice</exception>
  public DataParallel(Module module, IEnumerable<Device> devices, long dim = 0) : base(ParallelCalls.DataParallel(module, Numbers(devices), dim)) {
    Hold("module", module);
  }
  private static Dims Numbers(IEnumerable<Device> devices) {
    if (devices == null) throw new ArgumentNullException("devices");
    return devices.Select(d => (long)d.Number).ToArray();
  }
}
}
