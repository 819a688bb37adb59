// Models over several ranks: collectives that take part in gradients, the device mesh, layers that are spread.
using System;
using System.Collections.Generic;

namespace Haft {

/// <summary>Collectives that take part in gradients, and what models over several ranks are made of besides. The results are new tensors; the
/// gradient of each collective is another of them, so gradients of every order exist.</summary>
/// <remarks>All ranks call the same things in the same order, also backward, and whether a tensor requires a gradient is the same on all. What
/// is recorded does not keep the group: hold it, and dispose it behind the last backward. All of these throw what calls of a
/// <see cref="ProcessGroup"/> throw, backward too. docs/sharding.md tells how a model is put together. Since 1.0.</remarks>
public static class Collectives {
  /// <summary>The tensors of all ranks joined, for all.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">of the same shape on every rank</param>
  /// <param name="op">how; those but Sum and Avg take part in no gradient</param>
  /// <returns>a new tensor; its gradient is that of all ranks joined in the same way</returns>
  public static Tensor AllReduce(ProcessGroup group, Tensor x, ReduceOp op = ReduceOp.Sum) { return ParallelCalls.AllReduce(group, x, op); }
  /// <summary>The root's tensor for all.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">of the same shape on every rank</param>
  /// <param name="root">whose</param>
  /// <returns>a new tensor; its gradient is the sum over ranks at the root, 0 elsewhere</returns>
  public static Tensor Broadcast(ProcessGroup group, Tensor x, int root) { return ParallelCalls.Broadcast(group, x, root); }
  /// <summary>The tensors of all ranks joined at the root, 0 elsewhere.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">of the same shape on every rank</param>
  /// <param name="root">who gets it</param>
  /// <param name="op">Sum or Avg</param>
  /// <returns>a new tensor; its gradient is the root's, on all</returns>
  public static Tensor Reduce(ProcessGroup group, Tensor x, int root, ReduceOp op = ReduceOp.Sum) { return ParallelCalls.Reduce(group, x, root, op); }
  /// <summary>All ranks' tensors behind each other.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">this rank's</param>
  /// <param name="dim">along which</param>
  /// <param name="rows">each rank's size there; none: all have this one's</param>
  /// <returns>a new tensor; its gradient is each rank's part of the sum over ranks</returns>
  public static Tensor AllGather(ProcessGroup group, Tensor x, long dim = 0, Dims rows = default(Dims)) { return ParallelCalls.AllGather(group, x, dim, rows); }
  /// <summary>This rank's part of the joined tensors.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">of the same shape on every rank</param>
  /// <param name="dim">along which there is a part for each rank</param>
  /// <param name="op">Sum or Avg</param>
  /// <param name="rows">the parts' sizes; none: equal ones</param>
  /// <returns>a new tensor; its gradient is all ranks' behind each other</returns>
  public static Tensor ReduceScatter(ProcessGroup group, Tensor x, long dim = 0, ReduceOp op = ReduceOp.Sum, Dims rows = default(Dims)) {
    return ParallelCalls.ReduceScatter(group, x, dim, op, rows);
  }
  /// <summary>Rows of dimension 0 for each rank and from each rank.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">what goes</param>
  /// <param name="outputRows">how many come from each rank; none: equal parts of as many as go</param>
  /// <param name="inputRows">how many go to each; none: equal parts</param>
  /// <returns>a new tensor; its gradient goes the way back</returns>
  public static Tensor AllToAllSingle(ProcessGroup group, Tensor x, Dims outputRows = default(Dims), Dims inputRows = default(Dims)) {
    return ParallelCalls.AllToAllSingle(group, x, outputRows, inputRows);
  }
  /// <summary>The tensor itself, before ranks do different things with it.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">the same on all ranks</param>
  /// <returns>a new tensor on its memory; its gradient is the sum over ranks</returns>
  public static Tensor CopyTo(ProcessGroup group, Tensor x) { return ParallelCalls.CopyTo(group, x); }
  /// <summary>The sum over ranks, with which all go on alike.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">of the same shape on every rank</param>
  /// <returns>a new tensor; its gradient is taken as it is, because it is whole on each rank</returns>
  public static Tensor ReduceFrom(ProcessGroup group, Tensor x) { return ParallelCalls.ReduceFrom(group, x); }
  /// <summary>This rank's part of what all have: of n, n / ranks rounded up; the last ranks have the rest, or nothing.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">the same on all ranks</param>
  /// <param name="dim">along which</param>
  /// <returns>a new tensor; its gradient is all ranks' parts</returns>
  public static Tensor SplitTo(ProcessGroup group, Tensor x, long dim = -1) { return ParallelCalls.SplitTo(group, x, dim); }
  /// <summary>All ranks' parts behind each other, with which all go on alike.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">this rank's part</param>
  /// <param name="dim">along which</param>
  /// <param name="rows">each rank's size there; none: all have this one's</param>
  /// <returns>a new tensor; its gradient is this rank's part</returns>
  public static Tensor GatherFrom(ProcessGroup group, Tensor x, long dim = -1, Dims rows = default(Dims)) { return ParallelCalls.GatherFrom(group, x, dim, rows); }
  /// <summary>x (N, C, *) normalised by mean and variance over the batches of all ranks, whose sizes may differ, also be 0. Gradients go through
  /// the statistics to all ranks. <see cref="Haft.SyncBatchNorm"/> makes modules of it.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">this rank's batch</param>
  /// <param name="weight">(C), or null</param>
  /// <param name="bias">(C), or null</param>
  /// <param name="runningMean">(C), moved towards the mean by momentum; or null</param>
  /// <param name="runningVar">(C), moved towards the variance with divisor n - 1; or null</param>
  /// <param name="momentum">part of the new statistics in the running ones</param>
  /// <param name="eps">added to the variance</param>
  /// <exception cref="ShapeException">all ranks together have fewer than 2 values a channel</exception>
  public static Tensor SyncBatchNorm(ProcessGroup group, Tensor x, Tensor weight = null, Tensor bias = null, Tensor runningMean = null, Tensor runningVar = null,
                                     double momentum = 0.1, double eps = 1e-5) {
    return ParallelCalls.SyncBatchNorm(group, x, weight, bias, runningMean, runningVar, momentum, eps);
  }
  /// <summary>Joins gradients over ranks, in place, between backward and step: data parallel for models of which a step has many backwards, such as
  /// pipelines. <see cref="DistributedDataParallel"/> overlaps the same with backward where a step has one.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="parameters">as many of the same shapes on every rank; those that require no gradient do not count, one that has none counts as 0
  /// and has one afterwards</param>
  /// <param name="op">how</param>
  public static void JoinGradients(ProcessGroup group, IEnumerable<Tensor> parameters, ReduceOp op = ReduceOp.Avg) {
    if (parameters == null) throw new ArgumentNullException("parameters");
    ParallelCalls.JoinGradients(group, parameters, op);
  }
  /// <summary>Limits the norm of the gradients of a model that the ranks have together, in place: what <see cref="Clip.GradNorm_"/> does for one
  /// process.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="parameters">this rank's; those without a gradient do not count. Other ranks may have others</param>
  /// <param name="maxNorm">the limit, the same on every rank</param>
  /// <param name="normType">2: Euclidean; positive, may be infinity</param>
  /// <param name="copies">for each parameter how many ranks of the group have the same gradient: 1 for those of spread layers; for norms between
  /// these and for biases of <see cref="RowParallelLinear"/> as many as spread them. None: all 1</param>
  /// <returns>the norm of all ranks' gradients before, the same on every rank</returns>
  /// <exception cref="ArgumentException">copies are of another number than parameters, or no number of ranks; maxNorm is negative, normType not
  /// positive</exception>
  public static double ClipGradNorm(ProcessGroup group, IEnumerable<Tensor> parameters, double maxNorm, double normType = 2, Dims copies = default(Dims)) {
    if (parameters == null) throw new ArgumentNullException("parameters");
    return ParallelCalls.ClipGradNorm(group, parameters, copies, maxNorm, normType);
  }
  /// <summary>Sums over all ranks of losses, hits and counts that a metric is made of.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="values">as many on every rank</param>
  /// <returns>the sums, in order</returns>
  public static double[] SumValues(ProcessGroup group, params double[] values) { return ParallelCalls.SumValues(group, values); }
  /// <summary>Of all ranks' processes one logs everything, the others errors only, whatever their sink's level. It calls no other rank, and the
  /// last call in a process counts.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="rank">who logs; <see cref="ProcessGroup.AnySource"/>: all, again</param>
  public static void LogRank(ProcessGroup group, int rank = 0) { ParallelCalls.LogRank(group, rank); }
  /// <summary>Adds up the gradients of a module's parameters over ranks as they come: of norms that all ranks have and use on their parts of a
  /// sequence. Call it once. The module keeps the group.</summary>
  /// <param name="module">whose</param>
  /// <param name="group">of the ranks</param>
  public static void SumGradients(Module module, ProcessGroup group) {
    ParallelCalls.SumGradients(module, group);
    module.Hold(group);
  }
  /// <summary>Cross entropy over classes of which each rank has a part, as <see cref="ColumnParallelLinear"/> gives them; no rank sees all.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="x">(*, part): this rank's logits</param>
  /// <param name="target">(*): classes of all, the same on all ranks</param>
  /// <param name="classes">how many there are on all ranks together</param>
  /// <param name="reduction">of the losses to one</param>
  /// <param name="ignoreIndex">a target that counts nothing</param>
  /// <param name="labelSmoothing">the part of a target that is spread over all classes</param>
  /// <returns>the loss, the same on all ranks</returns>
  /// <exception cref="HaftIndexException">a target is no class</exception>
  public static Tensor CrossEntropy(ProcessGroup group, Tensor x, Tensor target, long classes, Reduction reduction = Reduction.Mean, long ignoreIndex = -100,
                                    double labelSmoothing = 0) {
    return ParallelCalls.CrossEntropy(group, x, target, classes, (int)reduction, ignoreIndex, labelSmoothing);
  }
  /// <summary>softmax(query key^T scale) value over a sequence of which rank r has the r-th part. Keys and values go around the ranks, so nobody
  /// ever holds those of the whole. It has a first gradient.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="query">(..., positions, width), of one shape on all ranks; a floating type</param>
  /// <param name="key">(..., positions, width)</param>
  /// <param name="value">(..., positions, any width)</param>
  /// <param name="isCausal">whether a query sees no later position</param>
  /// <param name="scale">0: 1 / sqrt(width)</param>
  /// <returns>this rank's part</returns>
  public static Tensor RingAttention(ProcessGroup group, Tensor query, Tensor key, Tensor value, bool isCausal = false, double scale = 0) {
    return ParallelCalls.RingAttention(group, query, key, value, isCausal, scale);
  }
}

/// <summary>Batch normalisation by the batches of all ranks together. Since 1.0.</summary>
public static class SyncBatchNorm {
  /// <summary>Turns every <see cref="BatchNorm1d"/> and <see cref="BatchNorm2d"/> of a tree into one over all ranks, with the same parameters and
  /// buffers; all ranks call it (torch.nn.SyncBatchNorm.convert_sync_batchnorm).</summary>
  /// <remarks>The objects stay: fields and variables that hold a converted module compute over all ranks from now on. In evaluation nothing
  /// changes. Hooks on the modules that are converted are left behind. The modules keep the group.</remarks>
  /// <param name="root">of the tree</param>
  /// <param name="group">whose ranks' batches count together</param>
  /// <returns>root</returns>
  /// <exception cref="BusyException">a module is running</exception>
  public static Module ConvertSyncBatchnorm(Module root, ProcessGroup group) {
    if (root == null) throw new ArgumentNullException("root");
    Convert(root, group, new HashSet<Module>(), new HashSet<Module>());
    return root;
  }
  // Children first: what the engine finds below a module is then what C# has no object for.
  private static void Convert(Module m, ProcessGroup group, HashSet<Module> done, HashSet<Module> converted) {
    if (!done.Add(m)) return;
    foreach (KeyValuePair<string, Module> child in m.NamedChildren) {
      Convert(child.Value, group, done, converted);
      if (converted.Contains(child.Value)) m.AddChildNative(child.Key, child.Value);
    }
    string before = m.TypeName;
    Module made = ParallelCalls.ConvertSyncBatchnorm(m, group);
    if (made.TypeName == "SyncBatchNorm" && before != "SyncBatchNorm") {
      m.Become(made);
      converted.Add(m);
    } else {
      made.Dispose();
    }
    m.Hold(group);
  }
}

/// <summary>Ranks seen as an array: along each dimension stand ranks that work together in one way, such as data or tensor parallel. Each slice
/// of a mesh and each group that it answers is an object of its own; this rank leaves the mesh's groups when all of them are disposed.</summary>
/// <example><code>
/// using (var mesh = new DeviceMesh(world, new Dims(2, 4), "dp", "tp"))
/// using (ProcessGroup tp = mesh.Group("tp")) {
///   var up = new ColumnParallelLinear(tp, new Linear(512, 2048));
/// }
/// </code></example>
public partial class DeviceMesh : IDisposable {
  internal DeviceMesh(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>A mesh of all ranks of a group, which fill it in row-major order, and a group of the ranks along each dimension. All ranks call
  /// it.</summary>
  /// <param name="group">of the ranks</param>
  /// <param name="shape">sizes that multiply to the group's</param>
  /// <param name="names">one a dimension, all different; none: the dimensions have no names</param>
  /// <exception cref="ShapeException">the sizes do not multiply to the group's</exception>
  public DeviceMesh(ProcessGroup group, Dims shape, params string[] names) { swigCPtr = ParallelCalls.MakeMesh(group, shape, names).swigCPtr; }
  /// <summary>How many dimensions it has.</summary>
  public long NDim { get { return GetNDim(); } }
  /// <summary>How many ranks stand along each dimension.</summary>
  public Dims Shape {
    get {
      var sizes = new long[NDim];
      for (int d = 0; d < sizes.Length; ++d) sizes[d] = Size(d);
      return sizes;
    }
  }
  /// <summary>The group of the ranks along a dimension.</summary>
  /// <param name="name">of the dimension</param>
  /// <returns>a new object of it</returns>
  public ProcessGroup Group(string name) { return Group(Find(name)); }
  /// <summary>Gives the mesh up.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>A linear layer of whose outputs each rank of a group computes a part. With a <see cref="RowParallelLinear"/> behind it, it makes a
/// block that costs one all-reduce in each direction. Since 1.0.</summary>
public sealed class ColumnParallelLinear : Module {
  /// <summary>Made of a dense layer, of which rank 0's values count: each rank keeps its rows. All ranks call it.</summary>
  /// <param name="group">of the ranks; the layer keeps it</param>
  /// <param name="dense">a <see cref="Linear"/>, which may be disposed afterwards</param>
  /// <param name="splitOutput">whether each rank keeps its part of the last dimension, or all get the whole</param>
  /// <param name="sequenceDim">the dimension of the input along which each rank has a part of the sequence; null: all have the whole</param>
  /// <param name="blocks">blocks of equal size that the outputs are, each of which is spread: 3 for query, key and value</param>
  /// <exception cref="ShapeException">there are too few outputs: the last rank would have none</exception>
  public ColumnParallelLinear(ProcessGroup group, Module dense, bool splitOutput = true, long? sequenceDim = null, long blocks = 1)
      : base(ParallelCalls.ColumnParallelLinear(group, dense, splitOutput, sequenceDim ?? long.MinValue, blocks)) {
    Hold(group);
  }
}
/// <summary>A linear layer of whose inputs each rank of a group has a part. Since 1.0.</summary>
public sealed class RowParallelLinear : Module {
  /// <summary>Made of a dense layer, of which rank 0's values count: each rank keeps its columns. All ranks call it.</summary>
  /// <param name="group">of the ranks; the layer keeps it</param>
  /// <param name="dense">a <see cref="Linear"/>, which may be disposed afterwards</param>
  /// <param name="splitInput">whether each rank brings its part of the last dimension, or all bring the whole</param>
  /// <param name="sequenceDim">the dimension of the output along which each rank gets a part of the sequence; null: all have the whole</param>
  /// <exception cref="ShapeException">there are too few inputs: the last rank would have none</exception>
  public RowParallelLinear(ProcessGroup group, Module dense, bool splitInput = true, long? sequenceDim = null)
      : base(ParallelCalls.RowParallelLinear(group, dense, splitInput, sequenceDim ?? long.MinValue)) {
    Hold(group);
  }
}
/// <summary>An embedding of whose rows each rank of a group has a part. Since 1.0.</summary>
public sealed class VocabParallelEmbedding : Module {
  /// <summary>Made of a dense one, of which rank 0's values count. All ranks call it.</summary>
  /// <param name="group">of the ranks; the layer keeps it</param>
  /// <param name="dense">an <see cref="Embedding"/>, which may be disposed afterwards</param>
  /// <param name="sequenceDim">the dimension of the output along which each rank gets a part of the sequence; null: all have the whole</param>
  /// <exception cref="ShapeException">there are too few rows: the last rank would have none</exception>
  public VocabParallelEmbedding(ProcessGroup group, Module dense, long? sequenceDim = null)
      : base(ParallelCalls.VocabParallelEmbedding(group, dense, sequenceDim ?? long.MinValue)) {
    Hold(group);
  }
}
}
