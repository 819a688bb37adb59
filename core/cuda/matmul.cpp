// mm, bmm, addmm and linear, and the choice between cuBLASLt and the plug-in's own kernel.
#include "core/cuda/matmul.h"

#include <algorithm>

#include "core/cuda/reduce.h"

namespace haft::cuda {

namespace {

haft_tensor_view matrices(const void* data, DType t, int64_t batch, int64_t rows, int64_t columns,
                          int64_t batch_step, int64_t row, int64_t column) {
  haft_tensor_view v{};
  v.data = const_cast<void*>(data);
  v.dtype = uint8_t(t);
  v.ndim = 3;
  v.numel = batch * rows * columns;
  const int64_t n[] = {batch, rows, columns}, s[] = {batch_step, row, column};
  std::copy_n(n, 3, v.sizes);
  std::copy_n(s, 3, v.strides);
  v.contiguous = (columns == 1 || column == 1) && (rows == 1 || row == columns) &&
                 (batch == 1 || batch_step == rows * columns);
  return v;
}

// uint8, int8 and int16 are multiplied as int32, of which they keep the low bits.
void narrow_gemm(const Call& c, const Gemm& g) {
  const haft_tensor_view a = dense(c, matrices(g.a, g.type, g.batch, g.m, g.k, g.a_batch, g.a_row, g.a_col),
                                   DType::i32),
                         b = dense(c, matrices(g.b, g.type, g.batch, g.k, g.n, g.b_batch, g.b_row, g.b_col),
                                   DType::i32);
  const int64_t sizes[] = {g.batch, g.m, g.n};
  const haft_tensor_view out = scratch_view(c, sizes, DType::i32);
  Gemm wide = product_of(a, b, out);
  wide.alpha = g.alpha;
  wide.beta = g.beta;
  if (g.bias) {
    const haft_tensor_view bias = dense(
        c, matrices(g.bias, g.type, g.batch, g.m, g.n, g.bias_batch, g.bias_row, g.bias_col), DType::i32);
    wide.bias = bias.data;
    wide.bias_batch = g.m * g.n;
    wide.bias_row = g.n;
    wide.bias_col = 1;
  }
  tiled_gemm(c, wide);
  copy_view(c, matrices(g.c, g.type, g.batch, g.m, g.n, g.c_batch, g.c_row, g.c_col), out);
}

}  // namespace

Gemm product_of(const haft_tensor_view& a, const haft_tensor_view& b, const haft_tensor_view& out) {
  Gemm g;
  g.type = DType(a.dtype);
  g.c_type = DType(out.dtype);
  const int d = a.ndim - 2;
  g.m = a.sizes[d], g.k = a.sizes[d + 1], g.n = b.sizes[d + 1];
  g.a = a.data, g.a_row = a.strides[d], g.a_col = a.strides[d + 1];
  g.b = b.data, g.b_row = b.strides[d], g.b_col = b.strides[d + 1];
  g.c = out.data, g.c_row = out.strides[d], g.c_col = out.strides[d + 1];
  if (d == 1)
    g.batch = a.sizes[0], g.a_batch = a.strides[0], g.b_batch = b.strides[0], g.c_batch = out.strides[0];
  return g;
}

void gemm(const Call& c, const Gemm& given) {
  Gemm g = given;
  if (g.c_type == DType::none) g.c_type = g.type;
  if (g.batch == 0 || g.m == 0 || g.n == 0) return;
  if (g.bias && g.beta.to_double() == 0) g.bias = nullptr;
  if (!is_float(g.type) && !is_integer(g.type)) fail_dtype(c, g.type, "a number type");
  if (is_float(g.type) && g.k > 0 && library_gemm(c, g)) return;
  if (item_size(g.type) < 4 && !is_float(g.type)) return narrow_gemm(c, g);
  tiled_gemm(c, g);
}

void k_mm(const Call& c) { gemm(c, product_of(c.in(0), c.in(1), c.out())); }
void k_bmm(const Call& c) { gemm(c, product_of(c.in(0), c.in(1), c.out())); }

void k_addmm(const Call& c) {
  Gemm g = product_of(c.in(1), c.in(2), c.out());
  const haft_tensor_view& bias = c.in(0);
  g.bias = bias.data;
  g.bias_row = bias.ndim >= 2 ? bias.strides[bias.ndim - 2] : 0;
  g.bias_col = bias.ndim >= 1 ? bias.strides[bias.ndim - 1] : 0;
  g.beta = c.attrs.scalar(0);
  g.alpha = c.attrs.scalar(2);
  gemm(c, g);
}

// x (*, in) is one matrix whenever its leading dimensions collapse; otherwise it is copied.
void k_linear(const Call& c) {
  const haft_tensor_view &x = c.in(0), &w = c.in(1), &y = c.out();
  if (y.numel == 0) return;
  const bool two = x.ndim == 2;
  const haft_tensor_view from = x.ndim <= 2 ? x : dense(c, x),
                         to = y.ndim <= 2 || y.contiguous ? y : scratch_view(c, sizes(y), c.out_dtype());
  Gemm g;
  g.type = c.dtype();
  g.k = w.sizes[1], g.n = w.sizes[0], g.m = y.numel / g.n;
  g.a = from.data, g.a_row = two ? from.strides[0] : g.k,
  g.a_col = from.ndim <= 2 ? from.strides[from.ndim - 1] : 1;
  g.b = w.data, g.b_row = w.strides[1], g.b_col = w.strides[0];
  g.c = to.data, g.c_row = two ? to.strides[0] : g.n, g.c_col = to.ndim <= 2 ? to.strides[to.ndim - 1] : 1;
  if (c.has(2)) g.bias = c.in(2).data, g.bias_col = c.in(2).strides[0];
  gemm(c, g);
  if (to.data != y.data) copy_view(c, y, to);
}

// Of 16-bit floats the library adds grad up while it multiplies; of wider ones its sums might be of rounded numbers.
void k_linear_weight_backward(const Call& c) {
  haft_tensor_view turned = c.in(0);
  std::swap(turned.sizes[0], turned.sizes[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  Gemm g = product_of(turned, c.in(1), c.out());
  if (item_size(c.dtype()) == 2 && g.k > 0 && c.out().numel > 0 && !c.deterministic()) {
    g.row_sums = c.out(1).data;
    if (library_gemm(c, g)) return;
    g.row_sums = nullptr;
  }
  gemm(c, g);
  const int64_t rows[] = {0};
  sum_over(c, c.in(0), rows, c.out(1));
}

}  // namespace haft::cuda
