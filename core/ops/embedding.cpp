// Rows of a table by index.
#include <algorithm>

#include "core/ops/gradient.h"

namespace haft {

SHAPE(embedding) {
  const Tensor &weight = c.in(0), &index = c.in(1);
  require_index(c, index);
  if (weight.ndim() != 2)
    fail(Code::shape, concat("[embedding] weight has shape (rows, width), got ", weight.sizes()), {},
         "weight");
  if (c.attrs.i(0) >= weight.size(0))
    fail(Code::index,
         concat("[embedding] padding_idx is ", c.attrs.i(0), ", weight has ", weight.size(0), " rows"), {},
         "padding_idx");
  Shape sizes(index.sizes());
  sizes.push_back(weight.size(1));
  c.out(0, weight.dtype(), sizes);
}
GRADIENT(embedding, .saves = {IN1 | SIZES}) {
  b.set(0, ops::embedding_backward(b.grad(), b.in(1), b.in_sizes(0)[0], b.attrs.i(0)));
}

SHAPE(embedding_backward) {
  const Tensor &grad = c.in(0), &index = c.in(1);
  require_index(c, index);
  const int64_t rows = c.attrs.i(0);
  if (rows < 0 || grad.ndim() != index.ndim() + 1 ||
      !std::ranges::equal(grad.sizes().first(index.ndim()), index.sizes()))
    fail(Code::shape,
         concat("[embedding_backward] grad has shape ", grad.sizes(), ", indices ", index.sizes(), ", rows ",
                rows),
         {}, "grad");
  const int64_t sizes[] = {rows, grad.size(-1)};
  c.out(0, grad.dtype(), sizes);
}
GRADIENT(embedding_backward, .saves = {IN1}) {
  const Tensor index = b.in(1);
  const int64_t padding = b.attrs.i(1);
  Tensor g = ops::embedding(b.grad(), index, padding);
  if (padding >= 0) g = ops::masked_fill(g, ops::unsqueeze(ops::eq_scalar(index, padding), -1), int64_t(0));
  b.set(0, g);
}

}  // namespace haft
