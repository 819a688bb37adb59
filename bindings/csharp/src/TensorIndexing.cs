// t[1, Slice.All, mask]: views for numbers and slices, advanced indexing for tensors, as in PyTorch.
using System;
using System.Collections.Generic;

namespace Haft {

public partial class Tensor {
  /// <summary>A part of the tensor, as in PyTorch: numbers and slices answer a view, tensors a copy.</summary>
  /// <param name="index">a number, slice, <see cref="TensorIndex.Ellipsis"/>, <see cref="TensorIndex.NewAxis"/> or tensor for each dimension</param>
  [System.Runtime.CompilerServices.IndexerName("At")]
  public Tensor this[params TensorIndex[] index] {
    get {
      List<Tensor> advanced;
      Tensor part = Basic(index, out advanced);
      if (advanced == null) return part;
      using (part) {
        return part.Index(advanced);
      }
    }
    set {
      if (value == null) throw new ArgumentNullException("value");
      List<Tensor> advanced;
      using (Tensor part = Basic(index, out advanced)) {
        if (advanced == null) {
          part.Copy_(value);
          return;
        }
        using (Tensor cast = value.To(DType, Device)) {
          part.IndexPut_(advanced, cast, false);
        }
      }
    }
  }

  /// <summary>The parts along the first dimension, for foreach.</summary>
  /// <remarks>Each is a view of its own, which shares the memory and may be kept: dispose it, or let a <see cref="DisposeScope"/> do so.
  /// <see cref="Unbind(long)"/> answers all at once.</remarks>
  public IEnumerator<Tensor> GetEnumerator() {
    if (NDim == 0) throw new InvalidOperationException("Haft: a tensor without dimensions has no parts to go through; Item() is its number");
    return Parts();
  }
  private IEnumerator<Tensor> Parts() {
    for (long i = 0; i < Size(0); ++i) yield return Select(0, i);
  }

  /// <summary>The view that numbers and slices ask for; tensors are left for the dimensions of that view.</summary>
  private Tensor Basic(TensorIndex[] index, out List<Tensor> advanced) {
    long used = 0;
    int ellipses = 0;
    foreach (TensorIndex i in index) {
      if (i.Type == TensorIndex.Kind.Ellipsis) ++ellipses;
      else if (i.Type == TensorIndex.Kind.Tensor) used += i.Indices.DType == DType.Bool ? i.Indices.NDim : 1;
      else if (i.Type != TensorIndex.Kind.NewAxis) ++used;
    }
    if (ellipses > 1) throw new ArgumentException("Haft: an index can only have a single ellipsis");
    if (used > NDim) throw new ArgumentOutOfRangeException("index", "Haft: too many indices for a tensor of " + NDim + " dimensions, got " + used);
    advanced = null;
    Tensor view = Alias();
    long dim = 0;
    try {
      foreach (TensorIndex i in index) {
        Tensor next = view;
        switch (i.Type) {
          case TensorIndex.Kind.Number: next = view.Select(dim, i.Number); break;
          case TensorIndex.Kind.Slice:
            next = view.Slice(dim, i.Part.Start ?? 0, i.Part.Stop ?? long.MaxValue, i.Part.Step);
            ++dim;
            break;
          case TensorIndex.Kind.NewAxis: next = view.Unsqueeze(dim++); break;
          case TensorIndex.Kind.Ellipsis: dim += NDim - used; break;
          case TensorIndex.Kind.Tensor:
            advanced = advanced ?? new List<Tensor>();
            while (advanced.Count < dim) advanced.Add(null);
            advanced.Add(i.Indices);
            dim += i.Indices.DType == DType.Bool ? i.Indices.NDim : 1;
            break;
        }
        if (!ReferenceEquals(next, view)) {
          view.Dispose();
          view = next;
        }
      }
      return view;
    } catch {
      view.Dispose();
      throw;
    }
  }
  // Another owner of the same tensor.
  internal Tensor Alias() { return Own(Give(this)); }
}
}
