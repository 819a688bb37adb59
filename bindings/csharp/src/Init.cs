// Initial values of tensors.
namespace Haft {

/// <summary>Initial values, in place (torch.nn.init).</summary>
public static class Init {
  /// <summary>Uniform in [low, high).</summary>
  /// <param name="t">what is filled</param>
  /// <param name="low">the lowest</param>
  /// <param name="high">above the highest</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor Uniform_(Tensor t, double low = 0, double high = 1, Generator generator = null) { Functions.Uniform_(t, low, high, generator); return t; }
  /// <summary>Fills a tensor with numbers of a normal distribution.</summary>
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
  /// <summary>The weight of a convolution that answers its input, as far as there are channels.</summary>
  /// <param name="t">what is filled, of 3 to 5 dimensions</param>
  /// <param name="groups">groups of the convolution</param>
  public static Tensor Dirac_(Tensor t, long groups = 1) { Functions.Dirac_(t, groups); return t; }
  /// <summary>Normal numbers with a part of each column set to 0.</summary>
  /// <param name="t">what is filled, a matrix</param>
  /// <param name="sparsity">that part</param>
  /// <param name="std">standard deviation of the others</param>
  /// <param name="generator">null: the default one</param>
  public static Tensor Sparse_(Tensor t, double sparsity, double std = 0.01, Generator generator = null) {
    Functions.Sparse_(t, sparsity, std, generator);
    return t;
  }
}
}
