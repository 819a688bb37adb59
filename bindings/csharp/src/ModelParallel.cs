// Models cut into stages, and layers of experts, on the ranks of a group.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;

namespace Haft {

/// <summary>In which order a rank takes its forwards and backwards.</summary>
public enum PipelineSchedule {
  /// <summary>All forwards, then all backwards.</summary>
  GPipe = 0,
  /// <summary>Backwards as soon as they can, so that fewer micro-batches are held.</summary>
  OneFOneB = 1,
  /// <summary>Several stages a rank, which makes ranks wait less.</summary>
  Interleaved1F1B = 2
}

/// <summary>What a rank gets of a step; the caller disposes it.</summary>
public sealed class PipelineResults : IDisposable {
  internal PipelineResults(Tensor[] all) {
    Losses = all[0];
    Outputs = all.Skip(1).ToArray();
  }
  /// <summary>Of the last stage, for the whole batch; empty on other ranks and when nobody asked for them.</summary>
  public IReadOnlyList<Tensor> Outputs { get; }
  /// <summary>One a micro-batch, on the last stage's rank; null: there are none, on other ranks and without a target.</summary>
  [MaybeNull]
  public Tensor Losses { get; }
  /// <summary>Disposes the tensors.</summary>
  public void Dispose() {
    foreach (Tensor t in Outputs) t.Dispose();
    if (Losses != null) Losses.Dispose();
  }
}

/// <summary>What a pipeline is.</summary>
public sealed class PipelineInfo {
  internal PipelineInfo(long[] n, double bubble) {
    Stages = (int)n[PipelinePlaces.stages];
    MicroBatches = (int)n[PipelinePlaces.microBatches];
    HasFirst = n[PipelinePlaces.hasFirst] != 0;
    HasLast = n[PipelinePlaces.hasLast] != 0;
    PeakLive = (int)n[PipelinePlaces.peakLive];
    Bubble = bubble;
  }
  /// <summary>Of all ranks.</summary>
  public int Stages { get; }
  /// <summary>Equal parts of a batch.</summary>
  public int MicroBatches { get; }
  /// <summary>Whether this rank gives the inputs.</summary>
  public bool HasFirst { get; }
  /// <summary>Whether this rank gives the target and gets losses and outputs.</summary>
  public bool HasLast { get; }
  /// <summary>Micro-batches whose activations this rank's stages held at once in the last step, added up.</summary>
  public int PeakLive { get; }
  /// <summary>The share of a step in which ranks wait when all forwards and backwards take equally long.</summary>
  public double Bubble { get; }
}

/// <summary>One thing that a rank did.</summary>
public struct PipelineAction {
  internal PipelineAction(long[] n, int at) {
    IsBackward = n[at + ActionPlaces.isBackward] != 0;
    Stage = (int)n[at + ActionPlaces.stage];
    MicroBatch = (int)n[at + ActionPlaces.microBatch];
    Live = (int)n[at + ActionPlaces.live];
  }
  /// <summary>Whether it was a backward.</summary>
  public bool IsBackward { get; }
  /// <summary>Of which stage.</summary>
  public int Stage { get; }
  /// <summary>Of which micro-batch.</summary>
  public int MicroBatch { get; }
  /// <summary>Micro-batches held after it.</summary>
  public int Live { get; }
}

/// <summary>A model that is cut into stages on the ranks of a group, through which the micro-batches of a batch follow each other. Rank r has the
/// stages r, r + size, ... All ranks make it and call it together.</summary>
/// <remarks>Whatever fails on a rank kills the group: that rank throws what it was, the others <see cref="HaftCancelledException"/> with the
/// reason, at the latest from their next call. docs/pipelines.md tells more. Since 1.0.</remarks>
/// <example><code>
/// using (var pipeline = new Pipeline(world, new[] { stage }, microBatches: 8, loss: last ? new MSELoss() : null)) {
///   using (PipelineResults r = pipeline.Step(first ? new[] { batch } : null, last ? target : null)) Report(r.Losses);
///   optimizer.Step();
/// }
/// </code></example>
public partial class Pipeline : IDisposable {
  private readonly Module loss;  // reachable as long as this is
  internal Pipeline(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Options are the same on every rank, but for the loss.</summary>
  /// <param name="group">of the ranks; its messages' tags from 2^30 on are the pipeline's</param>
  /// <param name="stages">this rank's, as many on every rank: one, or more with the interleaved schedule; each takes what the one before it
  /// answers, up to 64 tensors</param>
  /// <param name="schedule">the order of forwards and backwards</param>
  /// <param name="microBatches">equal parts of a batch</param>
  /// <param name="loss">on the last stage's rank: a module of that stage's results and the target, which answers one element; null: to evaluate
  /// only</param>
  /// <param name="scaleGradients">whether gradients are divided by the number of micro-batches, for a loss that is a mean over its rows</param>
  /// <exception cref="MismatchException">ranks want different pipelines</exception>
  public Pipeline(ProcessGroup group, IEnumerable<Module> stages, PipelineSchedule schedule = PipelineSchedule.OneFOneB, int microBatches = 1,
                  Module loss = null, bool scaleGradients = true) {
    if (stages == null) throw new ArgumentNullException("stages");
    Group = group;
    Stages = stages.ToArray();
    this.loss = loss;
    swigCPtr = ParallelCalls.MakePipeline(group, Stages, (int)schedule, microBatches, loss, scaleGradients).swigCPtr;
  }
  /// <summary>Of its ranks.</summary>
  public ProcessGroup Group { get; }
  /// <summary>This rank's, in order.</summary>
  public IReadOnlyList<Module> Stages { get; }
  /// <summary>The module of the last stage's results and the target; null: this rank has none.</summary>
  [MaybeNull]
  public Module Loss { get { return loss; } }
  /// <summary>One step of training: forwards and backwards of all micro-batches. Gradients are added to those of the parameters; optimizers are
  /// the caller's.</summary>
  /// <param name="inputs">on the first stage's rank: what the stage takes, each with the whole batch in its first dimension; null on others</param>
  /// <param name="target">on the last stage's rank: the loss's, with the batch in its first dimension; null on others</param>
  /// <param name="wantOutputs">whether the last stage's results are kept</param>
  /// <returns>on the last stage's rank the losses and the outputs</returns>
  /// <exception cref="ShapeException">the batch has no equal parts, or results change their shape from one micro-batch to the next</exception>
  public PipelineResults Step(IEnumerable<Tensor> inputs, Tensor target, bool wantOutputs = false) {
    return new PipelineResults(ParallelCalls.RunPipeline(this, inputs, target, true, wantOutputs));
  }
  /// <summary>Forwards alone, without gradients. Modules stay in the mode they are in.</summary>
  /// <param name="inputs">as for a step</param>
  /// <param name="target">as for a step; null: no losses</param>
  /// <returns>on the last stage's rank the outputs, and losses where there is a target</returns>
  public PipelineResults Evaluate(IEnumerable<Tensor> inputs, Tensor target = null) {
    return new PipelineResults(ParallelCalls.RunPipeline(this, inputs, target, false, true));
  }
  /// <summary>What the pipeline is.</summary>
  public PipelineInfo Info { get { return new PipelineInfo(ParallelCalls.PipelineNumbers(this), ParallelCalls.PipelineBubble(this)); } }
  /// <summary>What this rank did in the last step, in order.</summary>
  public PipelineAction[] Trace() {
    long[] n = ParallelCalls.PipelineTrace(this);
    return Enumerable.Range(0, n.Length / ActionPlaces.SIZE).Select(i => new PipelineAction(n, ActionPlaces.SIZE * i)).ToArray();
  }
  /// <summary>Gives the pipeline up.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>A layer of experts that are spread over the ranks of a group: tokens go to the ranks of their experts and come back. All ranks make
/// it, and call it together.</summary>
/// <remarks>It takes a tensor of shape (..., width) and answers one of the same shape, and a loss (arXiv:2101.03961) that is 1 when experts are
/// equally loaded. Gradients of experts are of the sum of all ranks' losses; those of the router are this rank's part of it. What fails on a
/// rank, in an expert say, kills the group. docs/pipelines.md tells more. Since 1.0.</remarks>
/// <example><code>
/// Tensor[] y = moe.Call(new[] { tokens });  // y[0]: what the experts make of them, y[1]: the loss of the load
/// </code></example>
public sealed class MixtureOfExperts : Module {
  /// <summary>Options are the same on every rank.</summary>
  /// <param name="group">of the ranks; the layer keeps it</param>
  /// <param name="router">answers, for (tokens, width), a logit of each of all experts; the same on every rank</param>
  /// <param name="experts">this rank's, as many on every rank; each answers the shape that it takes</param>
  /// <param name="topK">experts a token</param>
  /// <param name="capacityFactor">an expert takes capacityFactor * topK * tokens / experts of each rank's tokens, and what finds no room is left
  /// out; 0: it takes all that come</param>
  /// <param name="normalize">whether the weights of a token's experts add up to 1, when it has several</param>
  /// <exception cref="MismatchException">ranks want different ones</exception>
  public MixtureOfExperts(ProcessGroup group, Module router, IEnumerable<Module> experts, int topK = 2, double capacityFactor = 0, bool normalize = true)
      : this((experts ?? new Module[0]).ToArray(), group, router, topK, capacityFactor, normalize) {}
  private MixtureOfExperts(Module[] experts, ProcessGroup group, Module router, int topK, double capacityFactor, bool normalize)
      : base(ParallelCalls.MixtureOfExperts(group, router, topK, capacityFactor, normalize, experts)) {
    Hold(group);
    Hold("router", router);
    var own = new ModuleDict();
    for (int i = 0; i < experts.Length; ++i) own.Add((group.Rank * experts.Length + i).ToString(), experts[i]);
    Hold("experts", own);
  }
}
}
