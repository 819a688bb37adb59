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
  /// <summary>Gives the optimizer up; again: nothing.</summary>
  public void Dispose() { swigCPtr.Dispose(); }
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

/// <summary>Stochastic gradient descent, with momentum if asked.</summary>
public sealed class SGD : Optimizer {
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="parameters">leaves of a floating dtype</param>
  /// <param name="lr">the learning rate</param>
  /// <param name="momentum">part of the last step in this one</param>
  /// <param name="dampening">taken off the gradient when there is momentum</param>
  /// <param name="weightDecay">added to the gradient, times the parameter</param>
  /// <param name="nesterov">Nesterov's momentum</param>
  /// <param name="maximize">go up instead of down</param>
  public SGD(IEnumerable<Tensor> parameters, double lr = 1e-3, double momentum = 0, double dampening = 0, double weightDecay = 0, bool nesterov = false,
             bool maximize = false)
      : base(Make(parameters, new SgdOptions(lr) { Momentum = momentum, Dampening = dampening, WeightDecay = weightDecay, Nesterov = nesterov ? 1 : 0,
                                                   Maximize = maximize ? 1 : 0 })) {}
  private static Optimizer Make(IEnumerable<Tensor> parameters, SgdOptions o) {
    using (o) return Functions.SGD(parameters, o);
  }
}
/// <summary>Adam (Kingma and Ba, arXiv:1412.6980).</summary>
public sealed class Adam : Optimizer {
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="parameters">leaves of a floating dtype</param>
  /// <param name="lr">the learning rate</param>
  /// <param name="beta1">memory of the gradient</param>
  /// <param name="beta2">memory of its square</param>
  /// <param name="eps">added to the root</param>
  /// <param name="weightDecay">added to the gradient, times the parameter</param>
  /// <param name="amsgrad">the variant with the largest second moment</param>
  /// <param name="maximize">go up instead of down</param>
  public Adam(IEnumerable<Tensor> parameters, double lr = 1e-3, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8, double weightDecay = 0,
              bool amsgrad = false, bool maximize = false)
      : base(Make(parameters, new AdamOptions(lr) { Beta1 = beta1, Beta2 = beta2, Eps = eps, WeightDecay = weightDecay, Amsgrad = amsgrad ? 1 : 0,
                                                    Maximize = maximize ? 1 : 0 })) {}
  private static Optimizer Make(IEnumerable<Tensor> parameters, AdamOptions o) {
    using (o) return Functions.Adam(parameters, o);
  }
}
/// <summary>AdamW (Loshchilov and Hutter, arXiv:1711.05101): the weight decay shrinks the parameter itself.</summary>
public sealed class AdamW : Optimizer {
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="parameters">leaves of a floating dtype</param>
  /// <param name="lr">the learning rate</param>
  /// <param name="beta1">memory of the gradient</param>
  /// <param name="beta2">memory of its square</param>
  /// <param name="eps">added to the root</param>
  /// <param name="weightDecay">shrinks the parameter</param>
  /// <param name="amsgrad">the variant with the largest second moment</param>
  /// <param name="maximize">go up instead of down</param>
  public AdamW(IEnumerable<Tensor> parameters, double lr = 1e-3, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8, double weightDecay = 1e-2,
               bool amsgrad = false, bool maximize = false)
      : base(Make(parameters, new AdamWOptions(lr) { Beta1 = beta1, Beta2 = beta2, Eps = eps, WeightDecay = weightDecay, Amsgrad = amsgrad ? 1 : 0,
                                                     Maximize = maximize ? 1 : 0 })) {}
  private static Optimizer Make(IEnumerable<Tensor> parameters, AdamWOptions o) {
    using (o) return Functions.Adamw(parameters, o);
  }
}

/// <summary>Changes an optimizer's learning rate step by step; call Step after the optimizer's.</summary>
public partial class Scheduler : IDisposable {
  internal Scheduler(IntPtr p) { swigCPtr = new NativeHandle(p); }
  internal Scheduler(Scheduler native) { swigCPtr = native.swigCPtr; }
  /// <summary>How many steps it took.</summary>
  public long LastEpoch { get { return GetLastEpoch(); } }
  /// <summary>Gives the schedule up; again: nothing.</summary>
  public void Dispose() { swigCPtr.Dispose(); }
}
/// <summary>Times gamma every stepSize steps.</summary>
public sealed class StepLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="stepSize">steps between changes</param>
  /// <param name="gamma">the factor</param>
  public StepLR(Optimizer optimizer, long stepSize, double gamma = 0.1) : base(Functions.StepLr(optimizer, stepSize, gamma)) {}
}
/// <summary>Times gamma at given steps.</summary>
public sealed class MultiStepLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="milestones">the steps</param>
  /// <param name="gamma">the factor</param>
  public MultiStepLR(Optimizer optimizer, Dims milestones, double gamma = 0.1) : base(Functions.MultiStepLr(optimizer, milestones, gamma)) {}
}
/// <summary>Times gamma every step.</summary>
public sealed class ExponentialLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="gamma">the factor</param>
  public ExponentialLR(Optimizer optimizer, double gamma) : base(Functions.ExponentialLr(optimizer, gamma)) {}
}
/// <summary>Down along a cosine.</summary>
public sealed class CosineAnnealingLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="tMax">steps to the lowest rate</param>
  /// <param name="etaMin">the lowest rate</param>
  public CosineAnnealingLR(Optimizer optimizer, long tMax, double etaMin = 0) : base(Functions.CosineLr(optimizer, tMax, etaMin)) {}
}
/// <summary>From one factor to another along a line.</summary>
public sealed class LinearLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="startFactor">the first factor</param>
  /// <param name="endFactor">the last factor</param>
  /// <param name="totalIters">steps between them</param>
  public LinearLR(Optimizer optimizer, double startFactor = 1.0 / 3, double endFactor = 1, long totalIters = 5)
      : base(Functions.LinearLr(optimizer, startFactor, endFactor, totalIters)) {}
}
/// <summary>The first rate times a function of the step.</summary>
public sealed class LambdaLR : Scheduler {
  /// <summary>On an optimizer.</summary>
  /// <param name="optimizer">whose rate</param>
  /// <param name="factor">of the step</param>
  public LambdaLR(Optimizer optimizer, Func<long, double> factor) : base(Functions.LambdaLr(optimizer, new RateBridge(factor))) {}
}

/// <summary>Limits for gradients, between backward and the optimizer's step.</summary>
public static class Clip {
  /// <summary>Limits the norm of all gradients together.</summary>
  /// <param name="parameters">whose gradients</param>
  /// <param name="maxNorm">the limit</param>
  /// <param name="normType">2: Euclidean; positive, may be infinity</param>
  /// <returns>the norm before</returns>
  public static double GradNorm_(IEnumerable<Tensor> parameters, double maxNorm, double normType = 2) { return Functions.ClipGradNorm(parameters, maxNorm, normType); }
  /// <summary>Limits each element of the gradients to [-limit, limit].</summary>
  /// <param name="parameters">whose gradients</param>
  /// <param name="limit">positive</param>
  public static void GradValue_(IEnumerable<Tensor> parameters, double limit) { Functions.ClipGradValue(parameters, limit); }
}
}
