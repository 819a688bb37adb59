package io.haft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Indexing as views first, then tensors of positions. */
final class Indexing {
  /** The views' result, and for each of its dimensions a tensor of positions or null. */
  private record Plan(Tensor view, Tensor[] tensors) {}

  private Indexing() {}

  static Tensor read(Tensor x, Index[] parts) {
    Plan p = plan(x, parts);
    if (p.tensors == null) return p.view;
    try (p.view) {
      return p.view.index(p.tensors);
    }
  }

  static void write(Tensor x, Tensor values, Index[] parts) {
    Plan p = plan(x, parts);
    try (p.view) {
      if (p.tensors == null) {
        p.view.copy_(values);
        return;
      }
      Tensor like = values.like(x);
      p.view.indexPut_(p.tensors, like, false);
      if (like != values) like.close();
    }
  }

  private static Tensor next(Tensor before, Tensor after) {
    before.close();
    return after;
  }

  private static int dimsOf(Index part) {
    if (part.kind != Index.Kind.TENSOR) return part.kind == Index.Kind.NEW || part.kind == Index.Kind.ELLIPSIS ? 0 : 1;
    return part.tensor.dtype() == DType.BOOL ? (int) part.tensor.ndim() : 1;
  }

  private static Plan plan(Tensor x, Index[] parts) {
    int used = 0, ellipses = 0;
    for (Index part : parts) {
      used += dimsOf(part);
      if (part.kind == Index.Kind.ELLIPSIS) ellipses++;
    }
    if (ellipses > 1) throw new IllegalArgumentException("index: only one ellipsis");
    long ndim = x.ndim();
    if (used > ndim) throw new IndexOutOfBoundsException("index: " + used + " indices for a tensor of " + ndim + " dimensions");
    // A share of x, so that what is answered is never x itself.
    Tensor view = x.alias();
    List<Tensor> tensors = new ArrayList<>();
    boolean any = false;
    int dim = 0;
    for (Index part : parts) {
      switch (part.kind) {
        case AT -> view = next(view, view.select(dim, part.start));
        case SLICE -> {
          long size = view.size(dim), start = part.start == Index.NONE ? 0 : part.start, end = part.end == Index.NONE ? size : part.end;
          if (start != 0 || end != size || part.step != 1) view = next(view, view.slice(dim, start, end, part.step));
          tensors.add(null);
          dim++;
        }
        case NEW -> {
          view = next(view, view.unsqueeze(dim));
          tensors.add(null);
          dim++;
        }
        case ELLIPSIS -> {
          for (long i = ndim - used; i > 0; i--) tensors.add(null);
          dim += (int) (ndim - used);
        }
        case TENSOR -> {
          any = true;
          tensors.add(part.tensor);
          dim += dimsOf(part);
        }
      }
    }
    return new Plan(view, any ? tensors.toArray(new Tensor[0]) : null);
  }
}
