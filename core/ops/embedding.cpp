// Rows of a table by index.
#include <algorithm>

#include "core/ops/gradient.h"
#include "core/tensor/row_gradient.h"

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
// A leaf gets rows; operators behind the table would need the whole one, and so would a graph.
static void fused_embedding(Backward& b) {
  const int64_t padding = b.attrs.i(0);
  if (!b.attrs.b(1) || !b.ends_at(0) || thread_state().modes & kModeCapture) {
    b.set(0, ops::embedding_backward(b.grad(), b.in(1), b.in_sizes(0)[0], padding));
    return;
  }
  Tensor index = ops::reshape(as_dtype(b.in(1), DType::i64), Shape{-1});
  Tensor values = ops::reshape(b.take_grad(), Shape{index.numel(), b.in_sizes(0)[1]});
  if (padding >= 0) {
    const Tensor kept = ops::reshape(ops::nonzero(ops::ne_scalar(index, Scalar(padding))), Shape{-1});
    if (kept.numel() != index.numel()) {
      index = ops::index_select(index, 0, kept);
      values = ops::index_select(values, 0, kept);
    }
  }
  b.set(0, make_rows({std::move(index), std::move(values), false}, b.in_sizes(0)));
}
GRADIENT(embedding, .fused = fused_embedding, .saves = {IN1 | SIZES}) {
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

namespace ops {

Tensor embedding_bag(const Tensor& weight, const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights, int64_t mode,
                     bool include_last_offset, int64_t padding_idx, bool sparse) {
  enum { kSum, kMean, kMax };
  if (mode < kSum || mode > kMax)
    fail(Code::invalid_argument, concat("[embedding_bag] mode must be 0 (sum), 1 (mean) or 2 (max), got ", mode), {}, "mode");
  if (input.ndim() != 1 && input.ndim() != 2)
    fail(Code::shape, concat("[embedding_bag] input has to be 1D or 2D Tensor, but got shape ", input.sizes()), {}, "input");
  if (offsets.defined() ? input.ndim() == 2 || offsets.ndim() != 1 : input.ndim() == 1)
    fail(Code::shape, "[embedding_bag] a vector of indices wants a vector of offsets, rows of indices none", {}, "offsets");
  if (include_last_offset && (!offsets.defined() || offsets.numel() == 0))
    fail(Code::invalid_argument, "[embedding_bag] include_last_offset wants offsets", {}, "offsets");
  if (per_sample_weights.defined() && (mode != kSum || !std::ranges::equal(per_sample_weights.sizes(), input.sizes())))
    fail(Code::invalid_argument,
         concat("[embedding_bag] per_sample_weights are for sums and have the shape of input ", input.sizes(), ", got mode ", mode, " and shape ",
                per_sample_weights.sizes()),
         {}, "per_sample_weights");
  if (sparse && mode == kMax)
    fail(Code::unsupported, "[embedding_bag] maxima have no gradient of rows", "leave sparse out, or take sums or means", "sparse");
  const Tensor index = flatten(input);
  const int64_t n = index.numel(), bags = input.ndim() == 2 ? input.size(0) : offsets.numel() - include_last_offset;
  auto numbers = [&](int64_t end) { return arange(Scalar(int64_t(0)), Scalar(end), Scalar(1), DType::i64, index.device()); };
  Tensor bag = input.ndim() == 2 ? flatten(expand(unsqueeze(numbers(bags), 1), input.sizes()))
                                 : sub_scalar(searchsorted(as_dtype(offsets, DType::i64), numbers(n), true), Scalar(1));
  if (padding_idx >= 0) bag = masked_fill(bag, eq_scalar(index, Scalar(padding_idx)), Scalar(bags));  // one more bag, which nobody sees
  Tensor rows = embedding(weight, index, padding_idx, sparse);
  if (mode == kMean) rows = as_dtype(rows, wide_dtype(rows.dtype()));  // the sum behind a mean may be no float16
  if (per_sample_weights.defined()) rows = rows * reshape(per_sample_weights, Shape{n, 1});
  const Tensor none = zeros(Shape{bags + 1, weight.size(1)}, rows.dtype(), rows.device());
  if (mode == kMax) return narrow(index_reduce(none, 0, bag, rows, 3, false), 0, 0, bags);
  Tensor out = narrow(index_add(none, 0, bag, rows), 0, 0, bags);
  if (mode == kSum) return out;
  const Tensor one = ones(Shape{n}, rows.dtype(), rows.device());
  const Tensor count = index_add(zeros(Shape{bags + 1}, rows.dtype(), rows.device()), 0, bag, one);
  return as_dtype(out / unsqueeze(clamp(narrow(count, 0, 0, bags), Scalar(1)), 1), weight.dtype());
}

}  // namespace ops

}  // namespace haft
