// Products of 8-bit floats in float32: every value is one, so only sums round.
#include "core/cpu/dense.h"
#include "core/cpu/matmul.h"
#include "core/cpu/rows.h"

namespace haft::cpu {

void k_scaled_mm(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &a = k.in(0), &b = k.in(1), &out = k.out();
  if (out.numel == 0) return;
  Gemm<float> g;
  g.m = a.sizes[0], g.k = a.sizes[1], g.n = b.sizes[1];
  // Columns of mat2 are usually dense: they stay rows of what is multiplied.
  const bool turned = b.strides[0] == 1 && b.strides[1] != 1;
  haft_tensor_view rows = b;
  if (turned) {
    std::swap(rows.sizes[0], rows.sizes[1]);
    std::swap(rows.strides[0], rows.strides[1]);
    rows.contiguous = rows.strides[0] == g.k || g.n == 1;
  }
  const DenseIn left(a, DType::f32), right(rows, DType::f32);
  g.a = left.as<float>(), g.a_row = g.k, g.a_col = 1;
  g.b = right.as<float>(), g.b_row = turned ? 1 : g.n, g.b_col = turned ? g.k : 1;
  const DenseOut result(out, DType::f32);
  g.c = result.as<float>(), g.ldc = g.n;
  gemm(g);

  const float *row_scale = k.data<float>(2), *column_scale = k.data<float>(3);
  const int64_t row_step = k.in(2).numel > 1, column_step = k.in(3).numel > 1;
  HostBuffer wide;
  const float* bias = k.has(4) ? as_compute<float>(&k.in(4), wide) : nullptr;
  parallel_for(g.m, 65536 / g.n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* y = g.c + i * g.n;
      const float by = row_scale[i * row_step];
      for (int64_t j = 0; j < g.n; ++j)
        y[j] = y[j] * by * column_scale[j * column_step] + (bias ? bias[j] : 0.0f);
    }
  });
  result.finish();
}

}  // namespace haft::cpu
