// The engine's layers as classes, with PyTorch's names and defaults.
using System;

namespace Haft {

/// <summary>Height and width; one number stands for both.</summary>
public partial class Pair {
  /// <summary>Both the same.</summary>
  /// <param name="both">height and width</param>
  public static implicit operator Pair(long both) { return new Pair(both); }
  /// <summary>Both the same.</summary>
  /// <param name="both">height and width</param>
  public static implicit operator Pair(int both) { return new Pair(both); }
  /// <summary>Height and width.</summary>
  /// <param name="pair">height and width</param>
  public static implicit operator Pair(ValueTuple<long, long> pair) { return new Pair(pair.Item1, pair.Item2); }
}

internal static class Building {
  internal static Build With(DType dtype, Device device, Generator generator) {
    var b = new Build { Dtype = dtype, Device = device };
    b.Keep(generator);
    return b;
  }
  internal static NormOptions Norm(double eps, double momentum, bool affine, bool track) {
    return new NormOptions { Eps = eps, Momentum = momentum, Affine = affine, TrackRunningStats = track };
  }
  internal static Module Conv2d(long inChannels, long outChannels, Pair kernelSize, Pair stride, Pair padding, Pair dilation, long groups, bool bias, Build build) {
    using (var o = new ConvOptions { Groups = groups, Bias = bias }) {
      if (stride != null) o.Stride = stride;
      if (padding != null) o.Padding = padding;
      if (dilation != null) o.Dilation = dilation;
      return Functions.Conv2d(inChannels, outChannels, kernelSize, o, build);
    }
  }
}
public partial class Build {
  internal Generator Kept { get; private set; }  // C++ holds the bare handle
  internal void Keep(Generator generator) {
    Kept = generator;
    UseGenerator(generator);
  }
}

/// <summary>y = x weight^T + bias: x (*, inFeatures) to (*, outFeatures).</summary>
public sealed class Linear : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="inFeatures">the last size of the input</param>
  /// <param name="outFeatures">the last size of the output</param>
  /// <param name="bias">whether there is one</param>
  /// <param name="dtype">of the parameters; None: the default</param>
  /// <param name="device">where they live</param>
  /// <param name="generator">source of the initial numbers; null: the default one</param>
  public Linear(long inFeatures, long outFeatures, bool bias = true, DType dtype = DType.None, Device device = default(Device), Generator generator = null) : base(Functions.Linear(inFeatures, outFeatures, bias, Building.With(dtype, device, generator))) {}
}

/// <summary>Convolution of images (N, C, H, W).</summary>
public sealed class Conv2d : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="inChannels">channels of the input</param>
  /// <param name="outChannels">channels of the output</param>
  /// <param name="kernelSize">height and width, or one number for both</param>
  /// <param name="stride">null: 1</param>
  /// <param name="padding">null: 0</param>
  /// <param name="dilation">null: 1</param>
  /// <param name="groups">divides both numbers of channels</param>
  /// <param name="bias">whether there is one</param>
  /// <param name="dtype">of the parameters; None: the default</param>
  /// <param name="device">where they live</param>
  /// <param name="generator">source of the initial numbers; null: the default one</param>
  public Conv2d(long inChannels, long outChannels, Pair kernelSize, Pair stride = null, Pair padding = null, Pair dilation = null, long groups = 1, bool bias = true, DType dtype = DType.None, Device device = default(Device), Generator generator = null) : base(Building.Conv2d(inChannels, outChannels, kernelSize, stride, padding, dilation, groups, bias, Building.With(dtype, device, generator))) {}
}

/// <summary>Batch normalisation of (N, C) or (N, C, L).</summary>
public sealed class BatchNorm1d : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="numFeatures">C</param>
  /// <param name="eps">added to the variance</param>
  /// <param name="momentum">part of a new batch in the running statistics</param>
  /// <param name="affine">with weight and bias</param>
  /// <param name="trackRunningStats">false: the batch's own in evaluation, too</param>
  /// <param name="dtype">of the parameters; None: the default</param>
  /// <param name="device">where they live</param>
  public BatchNorm1d(long numFeatures, double eps = 1e-5, double momentum = 0.1, bool affine = true, bool trackRunningStats = true, DType dtype = DType.None, Device device = default(Device)) : base(Functions.BatchNorm1d(numFeatures, Building.Norm(eps, momentum, affine, trackRunningStats), Building.With(dtype, device, null))) {}
}

/// <summary>Batch normalisation of (N, C, H, W).</summary>
public sealed class BatchNorm2d : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="numFeatures">C</param>
  /// <param name="eps">added to the variance</param>
  /// <param name="momentum">part of a new batch in the running statistics</param>
  /// <param name="affine">with weight and bias</param>
  /// <param name="trackRunningStats">false: the batch's own in evaluation, too</param>
  /// <param name="dtype">of the parameters; None: the default</param>
  /// <param name="device">where they live</param>
  public BatchNorm2d(long numFeatures, double eps = 1e-5, double momentum = 0.1, bool affine = true, bool trackRunningStats = true, DType dtype = DType.None, Device device = default(Device)) : base(Functions.BatchNorm2d(numFeatures, Building.Norm(eps, momentum, affine, trackRunningStats), Building.With(dtype, device, null))) {}
}

/// <summary>Layer normalisation over the last dimensions.</summary>
public sealed class LayerNorm : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="shape">their sizes</param>
  /// <param name="eps">added to the variance</param>
  /// <param name="affine">with weight and bias</param>
  /// <param name="dtype">of the parameters; None: the default</param>
  /// <param name="device">where they live</param>
  public LayerNorm(Dims shape, double eps = 1e-5, bool affine = true, DType dtype = DType.None, Device device = default(Device)) : base(Functions.LayerNorm(shape, eps, affine, Building.With(dtype, device, null))) {}
}

/// <summary>Sets elements to 0 with probability p while training, and scales the others.</summary>
public sealed class Dropout : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="p">from 0 to 1</param>
  /// <param name="generator">source of the numbers; null: the default one</param>
  public Dropout(double p = 0.5, Generator generator = null) : base(Functions.Dropout(p, generator)) {}
}

/// <summary>Rows of a table by their numbers.</summary>
public sealed class Embedding : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="numEmbeddings">how many rows</param>
  /// <param name="embeddingDim">the size of a row</param>
  /// <param name="paddingIdx">a row that gets no gradient</param>
  /// <param name="dtype">of the parameters; None: the default</param>
  /// <param name="device">where they live</param>
  /// <param name="generator">source of the initial numbers; null: the default one</param>
  public Embedding(long numEmbeddings, long embeddingDim, long? paddingIdx = null, DType dtype = DType.None, Device device = default(Device), Generator generator = null) : base(Functions.Embedding(numEmbeddings, embeddingDim, paddingIdx ?? long.MinValue, Building.With(dtype, device, generator))) {}
}

/// <summary>The maximum of each window of images (N, C, H, W).</summary>
public sealed class MaxPool2d : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="kernelSize">height and width, or one number for both</param>
  /// <param name="stride">null: the kernel's size</param>
  /// <param name="padding">null: 0</param>
  /// <param name="dilation">null: 1</param>
  /// <param name="ceilMode">windows that begin inside count, too</param>
  public MaxPool2d(Pair kernelSize, Pair stride = null, Pair padding = null, Pair dilation = null, bool ceilMode = false) : base(Functions.MaxPool2d(kernelSize, stride ?? 0, padding ?? 0, dilation ?? 1, ceilMode)) {}
}

/// <summary>The mean of each window of images (N, C, H, W).</summary>
public sealed class AvgPool2d : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="kernelSize">height and width, or one number for both</param>
  /// <param name="stride">null: the kernel's size</param>
  /// <param name="padding">null: 0</param>
  /// <param name="ceilMode">windows that begin inside count, too</param>
  /// <param name="countIncludePad">whether padding counts</param>
  public AvgPool2d(Pair kernelSize, Pair stride = null, Pair padding = null, bool ceilMode = false, bool countIncludePad = true) : base(Functions.AvgPool2d(kernelSize, stride ?? 0, padding ?? 0, ceilMode, countIncludePad)) {}
}

/// <summary>The mean over a grid of windows.</summary>
public sealed class AdaptiveAvgPool2d : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="outputSize">height and width of the grid</param>
  public AdaptiveAvgPool2d(Pair outputSize) : base(Functions.AdaptiveAvgPool2d(outputSize)) {}
}

/// <summary>max(x, 0).</summary>
public sealed class ReLU : Module {
  /// <summary>It has no options.</summary>
  public ReLU() : base(Functions.ReLU()) {}
}

/// <summary>x sigmoid(x).</summary>
public sealed class SiLU : Module {
  /// <summary>It has no options.</summary>
  public SiLU() : base(Functions.SiLU()) {}
}

/// <summary>1 / (1 + exp(-x)).</summary>
public sealed class Sigmoid : Module {
  /// <summary>It has no options.</summary>
  public Sigmoid() : base(Functions.Sigmoid()) {}
}

/// <summary>Hyperbolic tangent.</summary>
public sealed class Tanh : Module {
  /// <summary>It has no options.</summary>
  public Tanh() : base(Functions.Tanh()) {}
}

/// <summary>x relu6(x + 3) / 6.</summary>
public sealed class Hardswish : Module {
  /// <summary>It has no options.</summary>
  public Hardswish() : base(Functions.Hardswish()) {}
}

/// <summary>x tanh(softplus(x)).</summary>
public sealed class Mish : Module {
  /// <summary>It has no options.</summary>
  public Mish() : base(Functions.Mish()) {}
}

/// <summary>x itself.</summary>
public sealed class Identity : Module {
  /// <summary>It has no options.</summary>
  public Identity() : base(Functions.Identity()) {}
}

/// <summary>x, and slope times x below 0.</summary>
public sealed class LeakyReLU : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="negativeSlope">below 0</param>
  public LeakyReLU(double negativeSlope = 0.01) : base(Functions.LeakyReLU(negativeSlope)) {}
}

/// <summary>x times the normal distribution function.</summary>
public sealed class GELU : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="tanh">the approximation by tanh</param>
  public GELU(bool tanh = false) : base(Functions.GELU(tanh)) {}
}

/// <summary>x, and alpha (exp(x) - 1) below 0.</summary>
public sealed class ELU : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="alpha">below 0</param>
  public ELU(double alpha = 1) : base(Functions.ELU(alpha)) {}
}

/// <summary>log(1 + exp(beta x)) / beta.</summary>
public sealed class Softplus : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="beta">sharpness</param>
  /// <param name="threshold">linear above it</param>
  public Softplus(double beta = 1, double threshold = 20) : base(Functions.Softplus(beta, threshold)) {}
}

/// <summary>exp(x) / sum(exp(x)) along a dimension.</summary>
public sealed class Softmax : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="dim">a dimension</param>
  public Softmax(long dim) : base(Functions.Softmax(dim)) {}
}

/// <summary>The logarithm of softmax.</summary>
public sealed class LogSoftmax : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="dim">a dimension</param>
  public LogSoftmax(long dim) : base(Functions.LogSoftmax(dim)) {}
}

/// <summary>Some dimensions as one.</summary>
public sealed class Flatten : Module {
  /// <summary>With PyTorch's initial values and defaults.</summary>
  /// <param name="startDim">the first</param>
  /// <param name="endDim">the last</param>
  public Flatten(long startDim = 1, long endDim = -1) : base(Functions.Flatten(startDim, endDim)) {}
}

/// <summary>Initial values, in place (torch.nn.init).</summary>
public static class Init {
  /// <summary>Uniform in [low, high).</summary>
  /// <param name="t">what is filled</param>
  /// <param name="low">the lowest</param>
  /// <param name="high">above the highest</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor Uniform_(Tensor t, double low = 0, double high = 1, Generator generator = null) { Functions.Uniform_(t, low, high, generator); return t; }
  /// <summary>Normal.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="mean">the mean</param>
  /// <param name="std">the deviation</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor Normal_(Tensor t, double mean = 0, double std = 1, Generator generator = null) { Functions.Normal_(t, mean, std, generator); return t; }
  /// <summary>Normal between low and high.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="mean">the mean</param>
  /// <param name="std">the deviation</param>
  /// <param name="low">the lowest</param>
  /// <param name="high">the highest</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor TruncNormal_(Tensor t, double mean = 0, double std = 1, double low = -2, double high = 2, Generator generator = null) {
    Functions.TruncNormal_(t, mean, std, low, high, generator);
    return t;
  }
  /// <summary>One value.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="value">the value</param>
  public static Tensor Constant_(Tensor t, double value) { Functions.Constant_(t, value); return t; }
  /// <summary>Glorot and Bengio's, uniform.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="gain">a factor</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor XavierUniform_(Tensor t, double gain = 1, Generator generator = null) { Functions.XavierUniform_(t, gain, generator); return t; }
  /// <summary>Glorot and Bengio's, normal.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="gain">a factor</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor XavierNormal_(Tensor t, double gain = 1, Generator generator = null) { Functions.XavierNormal_(t, gain, generator); return t; }
  /// <summary>He's, uniform.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="a">the slope of LeakyReLU</param>
  /// <param name="mode">which side counts</param>
  /// <param name="nonlinearity">what follows</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor KaimingUniform_(Tensor t, double a = 0, FanMode mode = FanMode.FanIn, Nonlinearity nonlinearity = Nonlinearity.LeakyReLU, Generator generator = null) {
    Functions.KaimingUniform_(t, a, mode, nonlinearity, generator);
    return t;
  }
  /// <summary>He's, normal.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="a">the slope of LeakyReLU</param>
  /// <param name="mode">which side counts</param>
  /// <param name="nonlinearity">what follows</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor KaimingNormal_(Tensor t, double a = 0, FanMode mode = FanMode.FanIn, Nonlinearity nonlinearity = Nonlinearity.LeakyReLU, Generator generator = null) {
    Functions.KaimingNormal_(t, a, mode, nonlinearity, generator);
    return t;
  }
  /// <summary>Rows or columns orthogonal to each other.</summary>
  /// <param name="t">what is filled</param>
  /// <param name="gain">a factor</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor Orthogonal_(Tensor t, double gain = 1, Generator generator = null) { Functions.Orthogonal_(t, gain, generator); return t; }
}
}
