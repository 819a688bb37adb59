namespace Haft {

public partial class Distribution {
  /// <summary>Its kind and parameters: "Normal(loc: 0, scale: 1)".</summary>
  public override string ToString() { return Text(); }
}

public partial class VariableTransform {
  /// <summary>Its kind: "AffineTransform".</summary>
  public override string ToString() { return Text(); }
}

/// <summary>A parameter of a distribution: a tensor or a number.</summary>
public struct DistributionValue {
  internal readonly Tensor Tensor;
  private DistributionValue(Tensor tensor) { Tensor = tensor; }
  /// <summary>A tensor.</summary>
  /// <param name="tensor">broadcast with the other parameters</param>
  public static implicit operator DistributionValue(Tensor tensor) { return new DistributionValue(tensor); }
  /// <summary>A number, in the default dtype.</summary>
  /// <param name="number">a tensor without dimensions is made of it</param>
  public static implicit operator DistributionValue(double number) { return new DistributionValue(Tensor.Full(Dims.Empty, number)); }
}
}
