// Cross entropy of a linear layer, whose logits are there a few rows at a time: products (matmul.cpp) and the losses of
// their rows (loss.cu). Logits are of the computed type; of 16-bit floats their gradients, factors of the next
// products, are of the inputs' type.
#include <algorithm>

#include "core/cuda/device.h"
#include "core/cuda/loss.h"
#include "core/cuda/matmul.h"
#include "core/cuda/reduce.h"

namespace haft::cuda {

namespace {

// Bytes of the logits that are there at a time: products of few rows would read the weight for little work.
int64_t logits_bytes(int device) {
  return std::min<int64_t>(int64_t(256) << 20, device_facts(device).total_memory / 512);
}
// Rows of them: whole tiles of a product, where they are many.
int64_t rows_at_once(const Call& c, int64_t rows, int64_t classes, int64_t item) {
  const int64_t fit = logits_bytes(c.device()) / item / std::max<int64_t>(1, classes);
  return std::min(rows, fit < 128 ? std::max<int64_t>(16, fit) : fit / 128 * 128);
}

DType computed(DType t) { return t == DType::f64 ? t : DType::f32; }

struct Head {
  const Call& c;
  const haft_tensor_view &x, &w, &target;
  DType type, wide;
  int64_t rows, depth, classes, block;
  haft_tensor_view logits;
  const void *bias_data = nullptr, *weight, *weight_sum = nullptr;

  // in: input, linear_weight, target, linear_bias, weight from `at` on
  Head(const Call& c, int at, bool gradient)
      : c(c),
        x(c.in(at)),
        w(c.in(at + 1)),
        target(c.in(at + 2)),
        type(c.dtype(at)),
        wide(computed(type)),
        rows(x.sizes[0]),
        depth(x.sizes[1]),
        classes(w.sizes[0]),
        block(rows_at_once(c, rows, classes, item_size(wide))) {
    const int64_t sizes[] = {block, classes};
    logits = scratch_view(c, sizes, wide);
    if (c.has(at + 3)) bias_data = dense(c, c.in(at + 3), wide).data;
    weight = class_weights(c, at + 4, wide, gradient ? &weight_sum : nullptr);
  }
  const char* row_of(const haft_tensor_view& v, int64_t row, int64_t n) const {
    return static_cast<const char*>(v.data) + row * n * item_size(DType(v.dtype));
  }
  haft_tensor_view target_from(int64_t first, int64_t count) const {
    haft_tensor_view v = target;
    v.data = const_cast<char*>(row_of(target, first, 1));
    v.sizes[0] = v.numel = count;
    return v;
  }
  void compute(int64_t first, int64_t count) const {
    Gemm g{.type = type,
           .c_type = wide,
           .m = count,
           .n = classes,
           .k = depth,
           .a = row_of(x, first, depth),
           .a_row = depth,
           .a_col = 1,
           .b = w.data,
           .b_row = 1,
           .b_col = depth,
           .c = logits.data,
           .c_row = classes};
    if (bias_data)
      g.bias = bias_data, g.bias_col = 1;
    else
      g.beta = Scalar(int64_t(0));
    gemm(c, g);
  }
  LossRows losses(const haft_tensor_view& part, int64_t first, int64_t count) const {
    return {logits.data, wide, weight, part, count, classes, c.attrs.i(0), c.attrs.d(1), first};
  }
};

}  // namespace

// out: loss, row_weight, lse
void k_linear_cross_entropy_rows(const Call& c) {
  const Head h(c, 0, false);
  const int64_t item = item_size(h.wide);
  for (int64_t first = 0; first < h.rows; first += h.block) {
    const int64_t count = std::min(h.block, h.rows - first);
    h.compute(first, count);
    const haft_tensor_view target = h.target_from(first, count);
    void* to[3];
    for (int k = 0; k < 3; ++k) to[k] = static_cast<char*>(c.out(k).data) + first * item;
    loss_of_rows(c, h.losses(target, first, count), to[0], to[1], to[2]);
  }
}

// in: grad, input, linear_weight, target, linear_bias, weight, lse; out: dinput, dlinear_weight, dlinear_bias
void k_linear_cross_entropy_backward(const Call& c) {
  const Head h(c, 1, true);
  const int64_t d = h.depth, v = h.classes, wanted = c.attrs.i(2);
  const bool of_input = wanted & 1, of_weight = wanted & 2, of_bias = wanted & 4, narrow = h.type != h.wide;
  const haft_tensor_view grad = dense(c, c.in(0), h.wide), lse = dense(c, c.in(6), h.wide);
  // Sums over all rows stay in the type of computation to the end.
  const int64_t w_sizes[] = {v, d}, b_sizes[] = {v}, part_sizes[] = {h.block, v};
  const haft_tensor_view dw = !of_weight ? haft_tensor_view{}
                              : narrow   ? scratch_view(c, w_sizes, h.wide)
                                         : c.out(1);
  const haft_tensor_view db = !of_bias                          ? haft_tensor_view{}
                              : DType(c.out(2).dtype) != h.wide ? scratch_view(c, b_sizes, h.wide)
                                                                : c.out(2);
  const haft_tensor_view slopes = narrow ? scratch_view(c, part_sizes, h.type) : h.logits;
  if (h.rows == 0 || v == 0) {
    for (int k = 0; k < 3; ++k) c.zero(c.out(k).data, bytes(c.out(k)));
    return;
  }
  for (int64_t first = 0; first < h.rows; first += h.block) {
    const int64_t count = std::min(h.block, h.rows - first), item = item_size(h.wide);
    h.compute(first, count);
    const haft_tensor_view target = h.target_from(first, count);
    loss_gradient(c, h.losses(target, first, count), static_cast<const char*>(grad.data) + first * item,
                  h.weight_sum, static_cast<const char*>(lse.data) + first * item, slopes.data, h.type);
    const Scalar none(int64_t(0));
    if (of_input)
      gemm(c, {.type = h.type,
               .m = count,
               .n = d,
               .k = v,
               .a = slopes.data,
               .a_row = v,
               .a_col = 1,
               .b = h.w.data,
               .b_row = d,
               .b_col = 1,
               .c = const_cast<char*>(h.row_of(c.out(0), first, d)),
               .c_row = d,
               .beta = none});
    if (of_weight)
      gemm(c, {.type = h.type,
               .c_type = h.wide,
               .m = v,
               .n = d,
               .k = count,
               .a = slopes.data,
               .a_row = 1,
               .a_col = v,
               .b = h.row_of(h.x, first, d),
               .b_row = d,
               .b_col = 1,
               .c = dw.data,
               .c_row = d,
               .bias = first ? dw.data : nullptr,
               .bias_row = d,
               .bias_col = 1,
               .beta = first ? Scalar(int64_t(1)) : none});
    if (of_bias) {
      haft_tensor_view part = slopes;
      part.sizes[0] = count, part.numel = count * v;
      const int64_t rows[] = {0};
      sum_over(c, part, rows, db, first != 0);
    }
  }
  if (of_weight && narrow) copy_view(c, c.out(1), dw);
  if (of_bias && db.data != c.out(2).data) copy_view(c, c.out(2), db);
}

}  // namespace haft::cuda
