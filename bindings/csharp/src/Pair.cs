using System;

namespace Haft {

/// <summary>Height and width; one number stands for both.</summary>
public struct Pair : IEquatable<Pair> {
  /// <summary>Rows.</summary>
  public long Height { get; }
  /// <summary>Columns.</summary>
  public long Width { get; }
  /// <summary>Both the same.</summary>
  /// <param name="both">height and width</param>
  public Pair(long both) : this(both, both) {}
  /// <summary>Height and width.</summary>
  /// <param name="height">rows</param>
  /// <param name="width">columns</param>
  public Pair(long height, long width) {
    Height = height;
    Width = width;
  }
  /// <summary>Both the same.</summary>
  /// <param name="both">height and width</param>
  public static implicit operator Pair(long both) { return new Pair(both); }
  /// <summary>Both the same.</summary>
  /// <param name="both">height and width</param>
  public static implicit operator Pair(int both) { return new Pair(both); }
  /// <summary>Height and width.</summary>
  /// <param name="pair">height and width</param>
  public static implicit operator Pair(ValueTuple<long, long> pair) { return new Pair(pair.Item1, pair.Item2); }
  /// <inheritdoc/>
  public bool Equals(Pair other) { return Height == other.Height && Width == other.Width; }
  /// <inheritdoc/>
  public override bool Equals(object other) { return other is Pair && Equals((Pair)other); }
  /// <inheritdoc/>
  public override int GetHashCode() { return Height.GetHashCode() * 31 + Width.GetHashCode(); }
  /// <inheritdoc/>
  public override string ToString() { return "(" + Height + ", " + Width + ")"; }
}
}
