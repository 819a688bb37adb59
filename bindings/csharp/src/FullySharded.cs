// Parameters that are spread over ranks.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Haft {

/// <summary>How <see cref="FullySharded"/> spreads parameters: the same on every rank.</summary>
public sealed class FullyShardedOptions {
  /// <summary>Whether parameters go after forward and are gathered again for backward; null: yes, but for a unit around others.</summary>
  public bool? ReshardAfterForward { get; set; }
  /// <summary>Units that are gathered ahead, each of which needs memory.</summary>
  public int Prefetch { get; set; } = 1;
  /// <summary>Values of rank 0 become every rank's.</summary>
  public bool InitSync { get; set; } = true;
  /// <summary>Rows, their gradients and states are on the host, whatever device the module is on.</summary>
  public bool Offload { get; set; }
  /// <summary>Floating inputs are cast to ParamDType.</summary>
  public bool CastForwardInputs { get; set; } = true;
  /// <summary>What is gathered, and what the module computes in; None: as the parameters are. Rows stay what they are.</summary>
  public DType ParamDType { get; set; }
  /// <summary>In which gradients are joined; None: ParamDType.</summary>
  public DType ReduceDType { get; set; }
  /// <summary>To which floating results are cast; None: they stay.</summary>
  public DType OutputDType { get; set; }
  /// <summary>Hybrid sharding: ranks that have equal rows, over which gradients are joined, too; null: none.</summary>
  [MaybeNull]
  public ProcessGroup Replicas { get; set; }
}

/// <summary>Numbers of a <see cref="FullySharded"/>.</summary>
public sealed class FullyShardedInfo {
  internal FullyShardedInfo(long[] n) {
    Ranks = n[FullyShardedPlaces.ranks];
    Whole = n[FullyShardedPlaces.whole] != 0;
    Parameters = n[FullyShardedPlaces.parameters];
    Elements = n[FullyShardedPlaces.elements];
    OwnElements = n[FullyShardedPlaces.ownElements];
    WholeBytes = n[FullyShardedPlaces.wholeBytes];
    ParameterBytes = n[FullyShardedPlaces.parameterBytes];
    GradientBytes = n[FullyShardedPlaces.gradientBytes];
    Gathers = n[FullyShardedPlaces.gathers];
    Prefetched = n[FullyShardedPlaces.prefetched];
    Scatters = n[FullyShardedPlaces.scatters];
    SentBytes = n[FullyShardedPlaces.sentBytes];
  }
  /// <summary>How many ranks have a part each.</summary>
  public long Ranks { get; }
  /// <summary>Whether the parameters have memory now.</summary>
  public bool Whole { get; }
  /// <summary>How many parameters there are.</summary>
  public long Parameters { get; }
  /// <summary>Elements of all of them.</summary>
  public long Elements { get; }
  /// <summary>Elements of this rank's rows.</summary>
  public long OwnElements { get; }
  /// <summary>Bytes of the parameters while they are whole.</summary>
  public long WholeBytes { get; }
  /// <summary>Bytes of parameters that this rank has now.</summary>
  public long ParameterBytes { get; }
  /// <summary>Bytes of the gradients of this rank's rows, and of what waits to be joined.</summary>
  public long GradientBytes { get; }
  /// <summary>How often parameters were gathered.</summary>
  public long Gathers { get; }
  /// <summary>How often of those ahead of their use.</summary>
  public long Prefetched { get; }
  /// <summary>How often gradients were joined.</summary>
  public long Scatters { get; }
  /// <summary>Bytes that this rank gave to others.</summary>
  public long SentBytes { get; }
}

/// <summary>How a parameter is spread.</summary>
public sealed class ParameterShardInfo {
  internal ParameterShardInfo(long[] n) {
    Rank = n[TensorShardPlaces.rank];
    Ranks = n[TensorShardPlaces.ranks];
    Replica = n[TensorShardPlaces.replica];
    Replicas = n[TensorShardPlaces.replicas];
    IsShard = n[TensorShardPlaces.isShard] != 0;
    Rows = n[TensorShardPlaces.rows];
    First = n[TensorShardPlaces.first];
    Count = n[TensorShardPlaces.count];
  }
  /// <summary>This process among those that have a part each.</summary>
  public long Rank { get; }
  /// <summary>How many they are; 0: the tensor is not spread.</summary>
  public long Ranks { get; }
  /// <summary>This rank's number among those with equal rows.</summary>
  public long Replica { get; }
  /// <summary>How many they are.</summary>
  public long Replicas { get; }
  /// <summary>Whether the tensor is the rows themselves.</summary>
  public bool IsShard { get; }
  /// <summary>Rows of dimension 0 of the parameter.</summary>
  public long Rows { get; }
  /// <summary>Where this rank's rows begin.</summary>
  public long First { get; }
  /// <summary>How many they are.</summary>
  public long Count { get; }
}

/// <summary>Fully sharded data parallel: parameters of which each rank keeps its rows, and has the whole only while their module computes
/// (docs/sharding.md).</summary>
/// <example><code>
/// foreach (Module block in blocks) new FullySharded(block, world).Dispose();  // the module keeps what it needs
/// var root = new FullySharded(model, world);
/// var adam = new Adam(model.Parameters(), lr: 1e-3);                          // behind it: it steps the rows
/// </code></example>
/// <remarks>Forward, backward and steps stay what they were; parameters stay the objects that they were, and who reads one between its uses is
/// refused by its name. Gradients and the optimizer's state are those of this rank's rows (<see cref="ShardOf"/>). All ranks call the same in the
/// same order. Since 1.0.</remarks>
public partial class FullySharded : IDisposable {
  internal FullySharded(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>The parameters of a module that no unit has yet. Innermost modules first. All ranks call it.</summary>
  /// <param name="module">whose forward gathers them from now on; it keeps what that needs, also when this object is disposed</param>
  /// <param name="group">of the ranks that have a part each</param>
  /// <param name="options">null: the defaults</param>
  public FullySharded(Module module, ProcessGroup group, FullyShardedOptions options = null) {
    FullyShardedOptions o = options ?? new FullyShardedOptions();
    swigCPtr = ShardingCalls.FullyShard(module, group, o.Replicas != null, o.Replicas ?? group, Reshard(o), o.Prefetch, o.InitSync, o.Offload,
                                        o.CastForwardInputs, o.ParamDType, o.ReduceDType, o.OutputDType).swigCPtr;
  }
  /// <summary>A list of parameters: <see cref="Forward"/> stands around what computes with them. All ranks call it.</summary>
  /// <param name="parameters">with their names</param>
  /// <param name="group">of the ranks that have a part each</param>
  /// <param name="options">null: the defaults</param>
  public FullySharded(IEnumerable<KeyValuePair<string, Tensor>> parameters, ProcessGroup group, FullyShardedOptions options = null) {
    FullyShardedOptions o = options ?? new FullyShardedOptions();
    swigCPtr = ShardingCalls.FullyShardParameters(parameters, group, o.Replicas != null, o.Replicas ?? group, Reshard(o), o.Prefetch, o.InitSync,
                                                  o.Offload, o.CastForwardInputs, o.ParamDType, o.ReduceDType, o.OutputDType).swigCPtr;
  }
  private static int Reshard(FullyShardedOptions o) { return o.ReshardAfterForward == null ? -1 : o.ReshardAfterForward.Value ? 1 : 0; }
  /// <summary>Runs what computes with the parameters of a list: they are whole meanwhile, and again for its backward. All ranks call it.</summary>
  /// <param name="compute">the results of the inputs</param>
  /// <param name="inputs">what it takes</param>
  /// <returns>the results to go on with</returns>
  public Tensor[] Forward(Func<Tensor[], Tensor[]> compute, params Tensor[] inputs) {
    Tensor[] given = BeforeForward(inputs), results = Array.Empty<Tensor>();
    try {
      results = compute(given);
    } finally {
      results = AfterForward(results);
    }
    return results;
  }
  /// <summary>Whether parameters go after forward, from the next one on.</summary>
  /// <param name="on">the same on every rank</param>
  public void SetReshardAfterForward(bool on) { ReshardAfterForward(on ? 1 : 0); }
  /// <summary>The numbers of now.</summary>
  public FullyShardedInfo Info { get { return new FullyShardedInfo(ShardingCalls.Numbers(this)); } }
  /// <summary>This rank's rows of a parameter: a leaf with the values, the gradient and the optimizer.</summary>
  /// <param name="parameter">of a module</param>
  /// <returns>its rows, perhaps none; null for a tensor that is not spread</returns>
  [return: MaybeNull]
  public static Tensor ShardOf(Tensor parameter) {
    Tensor[] found = ShardingCalls.Shard(parameter);
    return found.Length == 0 ? null : found[0];
  }
  /// <summary>How a parameter is spread.</summary>
  /// <param name="parameter">of a module, or the rows of one</param>
  /// <returns>its numbers</returns>
  public static ParameterShardInfo ShardInfoOf(Tensor parameter) { return new ParameterShardInfo(ShardingCalls.ShardNumbers(parameter)); }
  /// <summary>Gives the object up; a module keeps what its forward needs.</summary>
  public void Dispose() { GiveUp(); }
}
}
