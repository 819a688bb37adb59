// Tensors joined along a dimension.
#include <algorithm>

#include "core/ops/gradient.h"

namespace haft {

namespace {

// PyTorch's legacy: an empty vector may be joined with anything.
bool is_skipped(IntList sizes) { return sizes.size() == 1 && sizes[0] == 0; }

}  // namespace

SHAPE(cat) {
  if (c.n_in() == 0) fail(Code::invalid_argument, "[cat] needs at least one tensor", {}, "tensors");
  int lead = 0;
  while (lead + 1 < c.n_in() && is_skipped(c.in(lead).sizes())) ++lead;
  Shape sizes(c.in(lead).sizes());
  const int64_t dim = wrap_dim(c.attrs.i(0), sizes.size(), "cat");
  DType t = c.in(0).dtype();
  for (int i = 0; i < c.n_in(); ++i) {
    const Tensor& x = c.in(i);
    t = promote(t, x.dtype());
    if (x.ndim() == 0)
      fail(Code::shape, concat("[cat] tensor ", i, " has no dimensions"), "use stack()", "tensors");
    if (i == lead || is_skipped(x.sizes())) continue;
    bool fits = x.ndim() == sizes.size();
    for (int64_t d = 0; fits && d < x.ndim(); ++d) fits = d == dim || x.size(d) == sizes[d];
    if (!fits)
      fail(Code::shape,
           concat("[cat] tensor ", i, " has shape ", x.sizes(), ", tensor ", lead, " has ",
                  c.in(lead).sizes(), ": they may differ only in dimension ", dim),
           {}, "tensors");
    if (__builtin_add_overflow(sizes[dim], x.size(dim), &sizes[dim]))
      fail(Code::overflow, "[cat] the result is too large", {}, "tensors");
  }
  c.set_word(0, word(dim));
  uint8_t layout = sizes.size() == 4 ? HAFT_LAYOUT_CHANNELS_LAST : HAFT_LAYOUT_STRIDED;  // where all lie so
  for (int i = 0; i < c.n_in(); ++i) {
    if (c.in(i).dtype() != t) c.set_in(i, ops::cast(c.in(i), t));
    if (layout && !is_skipped(c.in(i).sizes()) && layout_of(c, i, sizes) != layout)
      layout = HAFT_LAYOUT_STRIDED;
  }
  c.out(0, t, sizes, layout);
}
GRADIENT(cat, .saves = {SIZES, SIZES, SIZES, SIZES}) {
  const int64_t dim = b.attrs.i(0);
  int64_t at = 0;
  for (int i = 0; i < b.n_in(); ++i) {
    const IntList sizes = b.in_sizes(i);
    if (is_skipped(sizes)) {
      if (b.needs(i)) b.set(i, ops::zeros(sizes, b.in_dtype(i), b.in_device(i)));
      continue;
    }
    if (b.needs(i)) b.set(i, ops::slice(b.grad(), dim, at, at + sizes[dim], 1));
    at += sizes[dim];
  }
}

namespace ops {

Tensor uncast::stack(std::span<const Tensor> xs, int64_t dim) {
  if (xs.empty()) fail(Code::invalid_argument, "[stack] needs at least one tensor", {}, "tensors");
  const int64_t d = wrap_dim(dim, xs[0].ndim() + 1, "stack");
  std::vector<Tensor> parts;
  parts.reserve(xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!std::ranges::equal(xs[i].sizes(), xs[0].sizes()))
      fail(Code::shape,
           concat("[stack] tensor ", i, " has shape ", xs[i].sizes(), ", tensor 0 has ", xs[0].sizes()),
           "shapes must be equal", "tensors");
    parts.push_back(unsqueeze(xs[i], d));
  }
  return cat(parts, d);
}

}  // namespace ops
}  // namespace haft
