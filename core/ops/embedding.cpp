// Rows of a table by index.
#include <algorithm>

#include "core/ops/gradient.h"
#include "core/ops/windows.h"
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
// Gradients of the rows that are looked up, each divided by how often its row is where the call says so.
static Tensor row_gradients(Backward& b) {
  if (!b.attrs.b(2)) return b.take_grad();
  const DType wide = wide_dtype(b.grad().dtype());
  const Tensor index = ops::flatten(as_dtype(b.in(1), DType::i64)),
               none = ops::zeros(b.in_sizes(0).first(1), wide, index.device());
  const Tensor counts = ops::index_add(none, 0, index, ops::ones(index.sizes(), wide, index.device()));
  Shape column(b.in(1).sizes());
  column.push_back(1);
  return as_dtype(as_dtype(b.grad(), wide) / ops::reshape(ops::index_select(counts, 0, index), column),
                  b.grad().dtype());
}
// A leaf gets rows; operators behind the table would need the whole one, and so would a graph.
static void fused_embedding(Backward& b) {
  const int64_t padding = b.attrs.i(0);
  if (!b.attrs.b(1) || !b.ends_at(0) || thread_state().modes & kModeCapture) {
    b.set(0, ops::embedding_backward(row_gradients(b), b.in(1), b.in_sizes(0)[0], padding));
    return;
  }
  Tensor index = ops::reshape(as_dtype(b.in(1), DType::i64), Shape{-1});
  Tensor values = ops::reshape(row_gradients(b), Shape{index.numel(), b.in_sizes(0)[1]});
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
  b.set(0, ops::embedding_backward(row_gradients(b), b.in(1), b.in_sizes(0)[0], b.attrs.i(0)));
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

SHAPE(bag_numbers) {
  const Tensor& offsets = c.in(0);
  const int64_t count[] = {c.attrs.i(0)};
  if (offsets.ndim() != 1 || count[0] < 0)
    fail(Code::shape,
         concat("[bag_numbers] takes a vector of offsets, got shape ", offsets.sizes(), " for ", count[0],
                " places"),
         {}, "offsets");
  if (offsets.dtype() != DType::i64)
    fail(Code::dtype, concat("[bag_numbers] offsets must be int64, got ", dtype_name(offsets.dtype())),
         "convert with to()", "offsets");
  c.out(0, DType::i64, count);
}

namespace ops {

Tensor embedding_renorm(const Tensor& weight, const Tensor& input, double max_norm, double norm_type) {
  check_float("embedding_renorm", weight, "weight");
  if (weight.ndim() != 2)
    fail(Code::shape, concat("[embedding_renorm] weight has shape (rows, width), got ", weight.sizes()), {},
         "weight");
  NoGradGuard off;
  const int64_t last[] = {1};
  const Tensor table = detach(weight), index = flatten(as_dtype(input, DType::i64));
  const Tensor rows = index_select(table, 0, index), wide = as_dtype(rows, wide_dtype(rows.dtype()));
  const Tensor length = norm(wide, norm_type, last, true);
  const Tensor factor =
      where(gt_scalar(length, Scalar(max_norm)),
            rdiv_scalar(add_scalar(length, Scalar(1e-7)), Scalar(max_norm)), ones_like(length));
  index_put_(table, {&index, 1},
             as_dtype(wide * factor, rows.dtype()));  // rows that come twice are written alike
  return weight;
}

Tensor embedding_bag(const Tensor& weight, const Tensor& input, const Tensor& offsets,
                     const Tensor& per_sample_weights, int64_t mode, bool include_last_offset,
                     int64_t padding_idx, bool sparse, bool scale_grad_by_freq) {
  enum { kSum, kMean, kMax };
  if (mode < kSum || mode > kMax)
    fail(Code::invalid_argument,
         concat("[embedding_bag] mode must be 0 (sum), 1 (mean) or 2 (max), got ", mode), {}, "mode");
  if (input.ndim() != 1 && input.ndim() != 2)
    fail(Code::shape,
         concat("[embedding_bag] input has to be 1D or 2D Tensor, but got shape ", input.sizes()), {},
         "input");
  if (offsets.defined() ? input.ndim() == 2 || offsets.ndim() != 1 : input.ndim() == 1)
    fail(Code::shape, "[embedding_bag] a vector of indices wants a vector of offsets, rows of indices none",
         {}, "offsets");
  if (include_last_offset && (!offsets.defined() || offsets.numel() == 0))
    fail(Code::invalid_argument, "[embedding_bag] include_last_offset wants offsets", {}, "offsets");
  if (per_sample_weights.defined() &&
      (mode != kSum || !std::ranges::equal(per_sample_weights.sizes(), input.sizes())))
    fail(Code::invalid_argument,
         concat("[embedding_bag] per_sample_weights are for sums and have the shape of input ", input.sizes(),
                ", got mode ", mode, " and shape ", per_sample_weights.sizes()),
         {}, "per_sample_weights");
  if (sparse && mode == kMax)
    fail(Code::unsupported, "[embedding_bag] maxima have no gradient of rows",
         "leave sparse out, or take sums or means", "sparse");
  if (scale_grad_by_freq && mode == kMax)
    fail(Code::unsupported, "[embedding_bag] gradients of maxima are not divided by frequency",
         "leave scale_grad_by_freq out, or take sums or means", "scale_grad_by_freq");
  if (offsets.defined() && offsets.dtype() != DType::i64 && offsets.dtype() != DType::i32)
    fail(Code::dtype,
         concat("[embedding_bag] offsets must be int64 or int32, got ", dtype_name(offsets.dtype())),
         "convert with to()", "offsets");
  const Tensor index = flatten(input);
  const int64_t n = index.numel(),
                bags = input.ndim() == 2 ? input.size(0) : offsets.numel() - include_last_offset;
  auto numbers = [&](int64_t end) {
    return arange(Scalar(int64_t(0)), Scalar(end), Scalar(1), DType::i64, index.device());
  };
  Tensor bag = input.ndim() == 2 ? flatten(expand(unsqueeze(numbers(bags), 1), input.sizes()))
                                 : bag_numbers(as_dtype(offsets, DType::i64), n);
  // One more bag, which nobody sees.
  if (padding_idx >= 0) bag = masked_fill(bag, eq_scalar(index, Scalar(padding_idx)), Scalar(bags));
  Tensor rows = embedding(weight, index, padding_idx, sparse, scale_grad_by_freq);
  // The sum behind a mean may be no float16.
  if (mode == kMean) rows = as_dtype(rows, wide_dtype(rows.dtype()));
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
