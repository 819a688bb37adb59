// Optimizers, schedules and clipping.
using System;
using System.Collections.Generic;

namespace Haft {

/// <summary>Changes parameters by their gradients.</summary>
public partial class Optimizer : IDisposable {
  internal Optimizer(IntPtr p) { swigCPtr = new NativeHandle(p); }
  // Takes the engine's optimizer over.
  internal Optimizer(Optimizer native) { swigCPtr = native.swigCPtr; }

  /// <summary>The learning rate of the first group; setting it sets that of all groups.</summary>
  public double LearningRate {
    get { return GetLr(0); }
    set {
      for (long g = 0; g < GetGroupCount(); ++g) SetLrNative(value, g);
    }
  }
  /// <summary>The groups of parameters, each with its options.</summary>
  public IReadOnlyList<ParamGroup> ParamGroups {
    get {
      var groups = new List<ParamGroup>();
      for (long g = 0; g < GetGroupCount(); ++g) groups.Add(new ParamGroup(this, g));
      return groups;
    }
  }
  /// <summary>Adds a group with the options that the optimizer was made with.</summary>
  /// <param name="parameters">leaves that no group has</param>
  /// <returns>the group, whose options may be changed</returns>
  public ParamGroup AddParamGroup(IEnumerable<Tensor> parameters) { return new ParamGroup(this, AddGroup(parameters)); }
  /// <summary>A step after a closure: <see cref="LBFGS"/> calls it again and again, all others once, before.</summary>
  /// <param name="closure">clears the gradients, computes the loss and its gradients, answers the loss</param>
  /// <returns>the first loss</returns>
  public Tensor Step(Func<Tensor> closure) {
    if (closure == null) throw new ArgumentNullException("closure");
    return Functions.StepClosure(this, new TensorsBridge(none => {
      Tensor loss = closure();
      return loss == null ? new Tensor[0] : new[] { loss };
    }));
  }
  /// <summary>Limits the norm of the gradients of all parameters together, between backward and the step, whoever has them: where a
  /// <see cref="ZeroRedundancyOptimizer"/> spreads the state all ranks call it.</summary>
  /// <param name="maxNorm">the limit</param>
  /// <param name="normType">2: Euclidean; positive, may be infinity</param>
  /// <returns>the norm before</returns>
  public double ClipGradNorm(double maxNorm, double normType = 2) { return Functions.ClipOptimizer(this, maxNorm, normType); }
  /// <summary>Its class, its first learning rate and how many parameters it changes.</summary>
  public override string ToString() {
    if (IsGone) return GetType().Name + "(disposed)";
    long parameters = 0;
    foreach (ParamGroup g in ParamGroups) {
      foreach (Tensor p in g.Parameters) {
        p.Dispose();
        ++parameters;
      }
    }
    return FormattableString.Invariant($"{GetType().Name}(lr={LearningRate}, groups={GetGroupCount()}, parameters={parameters})");
  }
  /// <summary>Gives the optimizer up; again: nothing.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>Parameters of an optimizer that share options.</summary>
public sealed class ParamGroup {
  private readonly Optimizer optimizer;
  private readonly long index;
  internal ParamGroup(Optimizer optimizer, long index) {
    this.optimizer = optimizer;
    this.index = index;
  }
  /// <summary>Its learning rate.</summary>
  public double LearningRate {
    get { return optimizer.GetLr(index); }
    set { optimizer.SetLrNative(value, index); }
  }
  /// <summary>An option by its name in PyTorch's state dict: "momentum", "beta1", "weight_decay"; flags are 0 or 1.</summary>
  /// <param name="name">its name</param>
  public double this[string name] {
    get { return optimizer.Option(name, index); }
    set { optimizer.SetOption(name, value, index); }
  }
  /// <summary>The parameters.</summary>
  public Tensor[] Parameters { get { return optimizer.Params(index); } }
}

/// <summary>Changes an optimizer's learning rate step by step; call Step after the optimizer's.</summary>
public partial class Scheduler : IDisposable {
  internal Scheduler(IntPtr p) { swigCPtr = new NativeHandle(p); }
  internal Scheduler(Scheduler native) { swigCPtr = native.swigCPtr; }
  /// <summary>How many steps it took.</summary>
  public long LastEpoch { get { return GetLastEpoch(); } }
  /// <summary>What another schedule of this kind goes on from: "last_epoch", "base_lrs.0" and so on, a float64 number each.</summary>
  /// <returns>tensors without dimensions</returns>
  public StateDict StateDict() { return Functions.ScheduleState(this); }
  /// <summary>Goes on from what <see cref="StateDict"/> told; the rates themselves are the optimizer's.</summary>
  /// <param name="state">of a schedule of the same kind</param>
  public void LoadStateDict(StateDict state) { Functions.SetScheduleState(this, state); }
  /// <summary>Gives the schedule up; again: nothing.</summary>
  public void Dispose() { GiveUp(); }
}
/// <summary>The first rate times a function of the step.</summary>
public sealed class LambdaLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="factor">of the step</param>
  public LambdaLR(Optimizer optimizer, Func<long, double> factor) : base(Functions.LambdaLr(optimizer, new RateBridge(factor))) {}
}

/// <summary>The rate of the step before times a function of the step.</summary>
public sealed class MultiplicativeLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="factor">of the step, from 1 on</param>
  public MultiplicativeLR(Optimizer optimizer, Func<long, double> factor) : base(Functions.MultiplicativeLr(optimizer, new RateBridge(factor))) {}
}

/// <summary>Schedules of one optimizer that all act at each step. Nobody else steps them from here on.</summary>
public sealed class ChainedScheduler : Scheduler {
  /// <summary>Of several.</summary>
  /// <param name="schedulers">of one optimizer, each once</param>
  public ChainedScheduler(params Scheduler[] schedulers) : base(Joined(all => all.Chained(), schedulers)) {}
  // What becomes of several; the list of them is given back at once.
  internal static Scheduler Joined(Func<Schedules, Scheduler> join, IEnumerable<Scheduler> schedulers) {
    using (var all = new Schedules()) {
      foreach (Scheduler s in schedulers) all.Add(s);
      return join(all);
    }
  }
}

/// <summary>Schedules one after the other. Nobody else steps them from here on.</summary>
public sealed class SequentialLR : Scheduler {
  /// <summary>Of several.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="schedulers">its schedules</param>
  /// <param name="milestones">the steps at which the next one begins, one fewer than there are schedules</param>
  public SequentialLR(Optimizer optimizer, IEnumerable<Scheduler> schedulers, Dims milestones)
      : base(ChainedScheduler.Joined(all => all.Sequential(optimizer, milestones), schedulers)) {}
}

/// <summary>Limits for gradients, between backward and the optimizer's step.</summary>
public static class Clip {
  /// <summary>Limits the norm of all gradients together.</summary>
  /// <param name="parameters">whose gradients</param>
  /// <param name="maxNorm">the limit</param>
  /// <param name="normType">2: Euclidean; positive, may be infinity</param>
  /// <returns>the norm before, a tensor without dimensions</returns>
  public static Tensor GradNorm_(IEnumerable<Tensor> parameters, double maxNorm, double normType = 2) { return Functions.ClipGradNorm(parameters, maxNorm, normType); }
  /// <summary>Limits each element of the gradients to [-limit, limit].</summary>
  /// <param name="parameters">whose gradients</param>
  /// <param name="limit">positive</param>
  public static void GradValue_(IEnumerable<Tensor> parameters, double limit) { Functions.ClipGradValue(parameters, limit); }
}

/// <summary>Averages of weights over a training (Izmailov et al., arXiv:1803.05407); Functions.AveragedModel makes one.</summary>
public static class WeightAverages {
  /// <summary>Takes a model into the average by a function of one's own.</summary>
  /// <param name="averaged">of Functions.AveragedModel</param>
  /// <param name="model">of the structure of its child; the first one is copied without asking the function</param>
  /// <param name="average">writes the next averages into its first argument; the second has the model's tensors</param>
  public static void Update(Module averaged, Module model, Action<Tensor[], Tensor[]> average) {
    if (average == null) throw new ArgumentNullException("average");
    Functions.UpdateAverageBy(averaged, model, new TensorsBridge(all => {
      var averages = new Tensor[all.Length / 2];
      var values = new Tensor[all.Length / 2];
      Array.Copy(all, averages, averages.Length);
      Array.Copy(all, averages.Length, values, 0, values.Length);
      average(averages, values);
      return new Tensor[0];
    }));
  }
  /// <summary>The running statistics of all batch norms of a module anew, as the plain means over some inputs.</summary>
  /// <param name="module">runs in training mode without gradients; mode and momentum are as before afterwards</param>
  /// <param name="inputs">what it is run with</param>
  public static void UpdateBatchNorm(Module module, IEnumerable<Tensor> inputs) {
    if (inputs == null) throw new ArgumentNullException("inputs");
    using (IEnumerator<Tensor> next = inputs.GetEnumerator()) {
      Functions.UpdateBnNative(module, new TensorsBridge(none => next.MoveNext() ? new[] { next.Current } : new Tensor[0]));
    }
  }
}
}
