// Order along a dimension. Gradients go back to where the values came from.
#include "core/ops/gradient.h"

namespace haft {

SHAPE(sort) {
  const Tensor& x = c.in(0);
  c.set_word(0, word(wrap_dim(c.attrs.i(0), x.ndim(), "sort")));
  c.out(0, x.dtype(), x.sizes());
  c.out(1, DType::i64, x.sizes());
}
// Every position receives exactly one value, so what the memory held does not matter.
GRADIENT(sort, .saves = {OUT1 | SIZES}) {
  const Tensor memory = ops::empty(b.in_sizes(0), b.in_dtype(0), b.in_device(0));
  b.set(0, ops::scatter_(memory, b.attrs.i(0), b.out(1), b.grad()));
}

SHAPE(topk) {
  const Tensor& x = c.in(0);
  const int64_t k = c.attrs.i(0), dim = wrap_dim(c.attrs.i(1), x.ndim(), "topk"),
                n = x.ndim() ? x.size(dim) : 1;
  if (k < 0 || k > n)
    fail(Code::index, concat("[topk] k must be in 0..", n, ", the size of dimension ", dim, ", got ", k), {},
         "k");
  Shape sizes(x.sizes());
  if (x.ndim())
    sizes[dim] = k;
  else if (k == 0)
    fail(Code::index, "[topk] k must be 1 for a 0-dim tensor, got 0", {}, "k");
  c.set_word(1, word(dim));
  c.out(0, x.dtype(), sizes);
  c.out(1, DType::i64, sizes);
}
GRADIENT(topk, .saves = {OUT1 | SIZES}) {
  const Tensor zero = ops::zeros(b.in_sizes(0), b.in_dtype(0), b.in_device(0));
  b.set(0, ops::scatter_(zero, b.attrs.i(1), b.out(1), b.grad()));
}

namespace ops {

Tensor argsort(const Tensor& x, int64_t dim, bool descending) {
  NoGradGuard none;
  return sort(x, dim, descending)[1];
}

}  // namespace ops
}  // namespace haft
