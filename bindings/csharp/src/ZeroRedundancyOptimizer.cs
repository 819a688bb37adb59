// Optimizers whose state is spread over ranks.
using System;

namespace Haft {

/// <summary>What a rank has of an optimizer that is spread.</summary>
public sealed class ShardInfo {
  internal ShardInfo(long[] n) {
    Stage = n[OptimizerShardPlaces.stage];
    Ranks = n[OptimizerShardPlaces.ranks];
    Buckets = n[OptimizerShardPlaces.buckets];
    Elements = n[OptimizerShardPlaces.elements];
    OwnElements = n[OptimizerShardPlaces.ownElements];
    StateBytes = n[OptimizerShardPlaces.stateBytes];
    GradientBytes = n[OptimizerShardPlaces.gradientBytes];
  }
  /// <summary>1: a part of the state; 2: of gradients, too.</summary>
  public long Stage { get; }
  /// <summary>How many ranks there are.</summary>
  public long Ranks { get; }
  /// <summary>How many buckets of parameters travel.</summary>
  public long Buckets { get; }
  /// <summary>Elements of all parameters.</summary>
  public long Elements { get; }
  /// <summary>Elements whose state is this rank's.</summary>
  public long OwnElements { get; }
  /// <summary>Bytes of this rank's state.</summary>
  public long StateBytes { get; }
  /// <summary>Bytes of this rank's gradients.</summary>
  public long GradientBytes { get; }
}

/// <summary>ZeRO: spreads the state of an optimizer over the ranks of a group, so that each has 1/N of it (docs/sharding.md).</summary>
/// <remarks>The optimizer stays what it was: schedules, groups of parameters and checkpoints are its own. All ranks make it over the same
/// parameters and call Step and AddParamGroup together. Gradients are the same on all, as <see cref="DistributedDataParallel"/> leaves them; with
/// shardGradients backward joins them, without a DistributedDataParallel, leaves this rank its part, and no gradient at the parameters. States and
/// checkpoints are told after <see cref="Consolidate"/> and loaded whole, at any number of ranks. Since 1.0.</remarks>
public sealed class ZeroRedundancyOptimizer {
  /// <summary>Spreads an optimizer's state. All ranks call it.</summary>
  /// <param name="optimizer">over the same parameters on every rank</param>
  /// <param name="group">of the ranks</param>
  /// <param name="shardGradients">gradients are spread, too (ZeRO-2)</param>
  /// <param name="initSync">parameters of rank 0 become every rank's</param>
  /// <param name="bucketBytes">bytes of parameters that travel together</param>
  public ZeroRedundancyOptimizer(Optimizer optimizer, ProcessGroup group, bool shardGradients = false, bool initSync = true,
                                 long bucketBytes = 25L << 20) {
    if (optimizer == null) throw new ArgumentNullException(nameof(optimizer));
    if (group == null) throw new ArgumentNullException(nameof(group));
    Optimizer = optimizer;
    Group = group;
    Functions.ShardOptimizer(optimizer, group, shardGradients ? 2 : 1, initSync, bucketBytes);
  }
  /// <summary>The optimizer whose state is spread.</summary>
  public Optimizer Optimizer { get; }
  /// <summary>The group of the ranks.</summary>
  public ProcessGroup Group { get; }
  /// <summary>What this rank has.</summary>
  public ShardInfo Info { get { return new ShardInfo(Functions.ShardNumbers(Optimizer)); } }
  /// <summary>The optimizer's step. All ranks call it.</summary>
  public void Step() { Optimizer.Step(); }
  /// <summary>Forgets the gradients of all parameters, this rank's part of them, too.</summary>
  public void ZeroGrad() { Optimizer.ZeroGrad(); }
  /// <summary>Brings the state together, so that the optimizer's State and checkpoints tell it until the next step. All ranks call it.</summary>
  /// <param name="to">the rank that gets it; -1: all</param>
  public void Consolidate(int to = -1) { Functions.ConsolidateOptimizer(Optimizer, to); }
  /// <summary>Limits the norm of all gradients, whoever has them. All ranks call it.</summary>
  /// <param name="maxNorm">the limit</param>
  /// <param name="normType">2: Euclidean; positive, may be infinity</param>
  /// <returns>the norm before</returns>
  public double ClipGradNorm(double maxNorm, double normType = 2) { return Functions.ClipOptimizer(Optimizer, maxNorm, normType); }
}
}
