// Pruning.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Haft {

/// <summary>Parts of parameters held at 0 (torch.nn.utils.prune): a parameter becomes NAME_orig and the buffer NAME_mask, and a forward
/// call reads their product. What is pruned already stays so.</summary>
/// <example><code>
/// Prune.L1Unstructured(net["fc"], "weight", 0.3);  // a part
/// Prune.L1Unstructured(net["fc"], "weight", 10);   // a number
/// </code></example>
public static class Prune {
  /// <summary>How many elements or slices go: a number of them, or a part of those that are left.</summary>
  public struct Amount {
    internal readonly double Fraction;
    internal readonly long Count;
    private Amount(double fraction, long count) {
      Fraction = fraction;
      Count = count;
    }
    /// <summary>A part, from 0 to 1.</summary>
    /// <param name="fraction">of those that are left</param>
    public static implicit operator Amount(double fraction) { return new Amount(fraction, -1); }
    /// <summary>A number of them.</summary>
    /// <param name="count">from 0 up</param>
    public static implicit operator Amount(long count) {
      if (count < 0) throw new ArgumentOutOfRangeException("count");
      return new Amount(0, count);
    }
    /// <summary>A number of them.</summary>
    /// <param name="count">from 0 up</param>
    public static implicit operator Amount(int count) { return (long)count; }
  }

  private const int None = 0, Random = 1, L1 = 2, RandomSlices = 3, LnSlices = 4;

  /// <summary>Makes the mask and prunes nothing.</summary>
  /// <param name="module">whose own parameter it is</param>
  /// <param name="name">of the parameter</param>
  public static void Identity(Module module, string name) { Functions.PruneNative(module, name, None, 0, -1, 2, -1, null, null); }
  /// <summary>Prunes elements at random.</summary>
  /// <param name="module">whose own parameter it is</param>
  /// <param name="name">of the parameter</param>
  /// <param name="amount">how many</param>
  /// <param name="generator">draws; null: the default one</param>
  public static void RandomUnstructured(Module module, string name, Amount amount, Generator generator = null) {
    Functions.PruneNative(module, name, Random, amount.Fraction, amount.Count, 2, -1, null, generator);
  }
  /// <summary>Prunes the elements nearest to 0, or of the least scores.</summary>
  /// <param name="module">whose own parameter it is</param>
  /// <param name="name">of the parameter</param>
  /// <param name="amount">how many</param>
  /// <param name="scores">of the parameter's shape; null: its values</param>
  public static void L1Unstructured(Module module, string name, Amount amount, Tensor scores = null) {
    Functions.PruneNative(module, name, L1, amount.Fraction, amount.Count, 2, -1, scores, null);
  }
  /// <summary>Prunes slices along a dimension at random.</summary>
  /// <param name="module">whose own parameter it is</param>
  /// <param name="name">of the parameter</param>
  /// <param name="amount">how many</param>
  /// <param name="dim">of the slices; negative counts from the end</param>
  /// <param name="generator">draws; null: the default one</param>
  public static void RandomStructured(Module module, string name, Amount amount, long dim, Generator generator = null) {
    Functions.PruneNative(module, name, RandomSlices, amount.Fraction, amount.Count, 2, dim, null, generator);
  }
  /// <summary>Prunes the slices along a dimension that have the least norms.</summary>
  /// <param name="module">whose own parameter it is</param>
  /// <param name="name">of the parameter</param>
  /// <param name="amount">how many</param>
  /// <param name="n">of the norm; infinities, too</param>
  /// <param name="dim">of the slices; negative counts from the end</param>
  /// <param name="scores">of the parameter's shape; null: its values</param>
  public static void LnStructured(Module module, string name, Amount amount, double n, long dim, Tensor scores = null) {
    Functions.PruneNative(module, name, LnSlices, amount.Fraction, amount.Count, n, dim, scores, null);
  }
  /// <summary>Prunes by a mask.</summary>
  /// <param name="module">whose own parameter it is</param>
  /// <param name="name">of the parameter</param>
  /// <param name="mask">of the parameter's shape, 0 or false where it is pruned</param>
  public static void CustomFromMask(Module module, string name, Tensor mask) { Functions.PruneByMaskNative(module, name, mask); }
  /// <summary>Prunes elements of several parameters together, those nearest to 0.</summary>
  /// <param name="parameters">modules and names of own parameters of theirs</param>
  /// <param name="amount">how many of all elements</param>
  public static void GlobalL1Unstructured(IEnumerable<KeyValuePair<Module, string>> parameters, Amount amount) {
    var all = parameters.ToArray();
    Functions.PruneGlobalNative(all.Select(p => p.Key).ToArray(), string.Join("\n", all.Select(p => p.Value)), L1, amount.Fraction, amount.Count, null);
  }
  /// <summary>The zeros become part of the parameter.</summary>
  /// <param name="module">whose parameter it is</param>
  /// <param name="name">of the parameter</param>
  public static void Remove(Module module, string name) { module.RemovePruning(name); }
}
}
