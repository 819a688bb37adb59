// The engine's losses as classes, with PyTorch's names and defaults.
using System;

namespace Haft {

/// <summary>A loss: a module of a prediction and its target. Weights are buffers, so that they move and are saved with it.</summary>
public abstract class Loss : Module {
  internal readonly Reduction Kind;
  internal Loss(Reduction reduction) { Kind = reduction; }
  internal bool Weight(string name, Tensor t) {
    if (t != null) RegisterBuffer(name, t);
    return t != null;
  }
  internal Tensor Weight(string name, bool there) { return there ? Buffer(name) : null; }
  /// <summary>The loss, with hooks.</summary>
  /// <param name="x">the prediction</param>
  /// <param name="target">what it should be</param>
  public Tensor Call(Tensor x, Tensor target) { return Call(new[] { x, target })[0]; }
  /// <summary>The loss; <see cref="Call(Tensor, Tensor)"/> runs hooks, too.</summary>
  /// <param name="x">the prediction</param>
  /// <param name="target">what it should be</param>
  public abstract Tensor Forward(Tensor x, Tensor target);
  /// <inheritdoc/>
  public sealed override Tensor[] ForwardMany(Tensor[] inputs) {
    if (inputs.Length != 2) throw new ArgumentException("Haft: " + TypeName + " takes a prediction and a target, got " + inputs.Length + " tensors");
    return new[] { Forward(inputs[0], inputs[1]) };
  }
}

/// <summary>The cross entropy of scores (N, C, *) and class indices (N, *) or probabilities.</summary>
public sealed class CrossEntropyLoss : Loss {
  private readonly bool hasWeight;
  private readonly long ignoreIndex;
  private readonly double labelSmoothing;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="weight">of each class; null: 1</param>
  /// <param name="reduction">how it becomes one number, or not</param>
  /// <param name="ignoreIndex">a class that does not count</param>
  /// <param name="labelSmoothing">from 0 to 1</param>
  public CrossEntropyLoss(Tensor weight = null, Reduction reduction = Reduction.Mean, long ignoreIndex = -100, double labelSmoothing = 0) : base(reduction) {
    hasWeight = Weight("weight", weight);
    this.ignoreIndex = ignoreIndex;
    this.labelSmoothing = labelSmoothing;
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) {
    using (Tensor w = Weight("weight", hasWeight)) return x.CrossEntropy(target, w, Kind, ignoreIndex, labelSmoothing);
  }
}

/// <summary>The negative log-likelihood of log-probabilities (N, C, *) and class indices (N, *).</summary>
public sealed class NLLLoss : Loss {
  private readonly bool hasWeight;
  private readonly long ignoreIndex;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="weight">of each class; null: 1</param>
  /// <param name="reduction">how it becomes one number, or not</param>
  /// <param name="ignoreIndex">a class that does not count</param>
  public NLLLoss(Tensor weight = null, Reduction reduction = Reduction.Mean, long ignoreIndex = -100) : base(reduction) {
    hasWeight = Weight("weight", weight);
    this.ignoreIndex = ignoreIndex;
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) {
    using (Tensor w = Weight("weight", hasWeight)) return x.NllLoss(target, w, Kind, ignoreIndex);
  }
}

/// <summary>Squared differences.</summary>
public sealed class MSELoss : Loss {
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="reduction">how it becomes one number, or not</param>
  public MSELoss(Reduction reduction = Reduction.Mean) : base(reduction) {}
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) { return x.MseLoss(target, Kind); }
}

/// <summary>Absolute differences.</summary>
public sealed class L1Loss : Loss {
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="reduction">how it becomes one number, or not</param>
  public L1Loss(Reduction reduction = Reduction.Mean) : base(reduction) {}
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) { return x.L1Loss(target, Kind); }
}

/// <summary>Differences, squared below beta.</summary>
public sealed class SmoothL1Loss : Loss {
  private readonly double beta;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="reduction">how it becomes one number, or not</param>
  /// <param name="beta">where the parabola meets the line; 0: L1Loss</param>
  public SmoothL1Loss(Reduction reduction = Reduction.Mean, double beta = 1) : base(reduction) {
    this.beta = beta;
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) { return x.SmoothL1Loss(target, Kind, beta); }
}

/// <summary>Differences, squared below delta, with a slope of delta above.</summary>
public sealed class HuberLoss : Loss {
  private readonly double delta;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="reduction">how it becomes one number, or not</param>
  /// <param name="delta">where the parabola meets the line; positive</param>
  public HuberLoss(Reduction reduction = Reduction.Mean, double delta = 1) : base(reduction) {
    this.delta = delta;
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) { return x.HuberLoss(target, Kind, delta); }
}

/// <summary>The cross entropy of probabilities and targets from 0 to 1.</summary>
public sealed class BCELoss : Loss {
  private readonly bool hasWeight;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="weight">of each element; null: 1</param>
  /// <param name="reduction">how it becomes one number, or not</param>
  public BCELoss(Tensor weight = null, Reduction reduction = Reduction.Mean) : base(reduction) {
    hasWeight = Weight("weight", weight);
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) {
    using (Tensor w = Weight("weight", hasWeight)) return x.BinaryCrossEntropy(target, w, Kind);
  }
}

/// <summary>The cross entropy of sigmoid(x) and targets from 0 to 1, without overflow.</summary>
public sealed class BCEWithLogitsLoss : Loss {
  private readonly bool hasWeight;
  private readonly bool hasPosWeight;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="weight">of each element; null: 1</param>
  /// <param name="posWeight">of the positive targets, by class; null: 1</param>
  /// <param name="reduction">how it becomes one number, or not</param>
  public BCEWithLogitsLoss(Tensor weight = null, Tensor posWeight = null, Reduction reduction = Reduction.Mean) : base(reduction) {
    hasWeight = Weight("weight", weight);
    hasPosWeight = Weight("pos_weight", posWeight);
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) {
    using (Tensor w = Weight("weight", hasWeight), p = Weight("pos_weight", hasPosWeight)) return x.BinaryCrossEntropyWithLogits(target, w, p, Kind);
  }
}

/// <summary>The divergence of Kullback and Leibler of log-probabilities x from a target.</summary>
public sealed class KLDivLoss : Loss {
  private readonly bool logTarget;
  /// <summary>With PyTorch's defaults.</summary>
  /// <param name="reduction">how it becomes one number, or not</param>
  /// <param name="logTarget">whether the target is log-probabilities, too</param>
  public KLDivLoss(Reduction reduction = Reduction.Mean, bool logTarget = false) : base(reduction) {
    this.logTarget = logTarget;
  }
  /// <inheritdoc/>
  public override Tensor Forward(Tensor x, Tensor target) { return x.KlDiv(target, Kind, logTarget); }
}
}
