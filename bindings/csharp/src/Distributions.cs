namespace Haft {

/// <summary>A parameter of a distribution: a tensor or a number.</summary>
public struct DistributionValue {
  internal readonly Tensor Tensor;
  private DistributionValue(Tensor tensor) { Tensor = tensor; }
  /// <summary>A tensor.</summary>
  public static implicit operator DistributionValue(Tensor tensor) { return new DistributionValue(tensor); }
  /// <summary>A number, in the default dtype.</summary>
  public static implicit operator DistributionValue(double number) { return new DistributionValue(Tensor.Full(Dims.Empty, number)); }
}
}
