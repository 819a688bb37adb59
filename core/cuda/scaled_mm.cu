// Products of 8-bit floats: cuBLASLt's where it takes them, else of the same numbers in bfloat16, which holds each of
// them.
#include "core/cuda/device.h"
#include "core/cuda/float8.cuh"
#include "core/cuda/matmul.h"

namespace haft::cuda {

namespace {

// A factor NULL is 1; a step is 0 where one number stands for all.
struct Scales {
  const float *rows, *columns;
  int64_t row_step, column_step;
  const void* bias;
  DType bias_type;
};

// A block takes rows.
__global__ void __launch_bounds__(kThreads)
    scale_and_add(const float* product, void* out, DType type, int64_t m, int64_t n, Scales s) {
  for (int64_t i = blockIdx.x; i < m; i += gridDim.x) {
    const float by = s.rows ? s.rows[i * s.row_step] : 1.0f;
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
      float y = product[i * n + j];
      if (s.rows) y = __fmul_rn(__fmul_rn(y, by), s.columns[j * s.column_step]);
      if (s.bias) y = __fadd_rn(y, read_as_float(s.bias, s.bias_type, j));
      write_from_float(out, type, i * n + j, y);
    }
  }
}

// b (K, N) as the view of its transpose.
haft_tensor_view turned(const haft_tensor_view& b) {
  haft_tensor_view t = b;
  t.sizes[0] = b.sizes[1], t.sizes[1] = b.sizes[0];
  t.strides[0] = b.strides[1], t.strides[1] = b.strides[0];
  t.contiguous = (t.sizes[1] == 1 || t.strides[1] == 1) && (t.sizes[0] == 1 || t.strides[0] == t.sizes[1]);
  return t;
}

// Rows of a and columns of b dense, in one type or each in its own.
Gemm product(const Call& c, DType as, void* out, DType out_type) {
  const haft_tensor_view a = dense(c, c.in(0), as), b = dense(c, turned(c.in(1)), as);
  Gemm g;
  g.type = DType(a.dtype), g.b_type = DType(b.dtype), g.c_type = out_type;
  g.m = a.sizes[0], g.k = a.sizes[1], g.n = b.sizes[0];
  g.a = a.data, g.a_row = g.k, g.a_col = 1;
  g.b = b.data, g.b_row = 1, g.b_col = g.k;
  g.c = out, g.c_row = g.n, g.c_col = 1;
  return g;
}

// What the library takes: capability 8.9 or newer, one factor at least in e4m3fn, sizes of whole 16 bytes, scales of
// one kind.
bool library_fits(const Call& c) {
  const DeviceFacts& f = device_facts(c.device());
  const haft_tensor_view &a = c.in(0), &b = c.in(1);
  return (f.major > 8 || (f.major == 8 && f.minor >= 9)) &&
         (c.dtype(0) == DType::f8e4m3fn || c.dtype(1) == DType::f8e4m3fn) && a.sizes[1] > 0 &&
         a.sizes[1] % 16 == 0 && b.sizes[1] % 16 == 0 && (c.in(2).numel > 1) == (c.in(3).numel > 1);
}

}  // namespace

// in: a (M, K), b (K, N), scales of 1 or M and N numbers, bias (N) in the type of the result (float32 for an 8-bit
// one); out (M, N)
void k_scaled_mm(const Call& c) {
  const haft_tensor_view& out = c.out();
  if (out.numel == 0) return;
  const int64_t m = out.sizes[0], n = out.sizes[1];
  const DType type = c.out_dtype();
  const bool vectors = c.in(2).numel > 1 || c.in(3).numel > 1;
  Scales s{c.data<float>(2), c.data<float>(3), c.in(2).numel > 1, c.in(3).numel > 1, nullptr, DType::f32};
  if (c.has(4)) s.bias = c.in(4).data, s.bias_type = c.dtype(4);
  void* const wide = type == DType::f32 ? out.data : c.scratch<float>(out.numel);
  auto finish = [&](const void* product) {
    Shape3 shape;
    shape.grid.x = uint32_t(m < 65536 ? m : 65536);
    shape.block.x = kThreads;
    launch(c, shape, scale_and_add, static_cast<const float*>(product), out.data, type, m, n, s);
  };

  if (library_fits(c)) {
    // The library adds a bias of 16 bits only, and its results of 8 bits want a scale of their own.
    const bool last = !is_float8(type);
    Gemm g = product(c, DType::none, last ? out.data : wide, last ? type : DType::f32);
    g.a_scale = s.rows, g.b_scale = s.columns, g.scale_vectors = vectors;
    const bool adds = s.bias && item_size(type) == 2;
    if (adds) g.bias = s.bias, g.bias_col = 1;
    if (library_gemm(c, g)) {
      s.rows = nullptr;
      if (!last || (s.bias && !adds)) finish(g.c);
      return;
    }
  }
  gemm(c, product(c, DType::bf16, wide, DType::f32));
  finish(wide);
}

}  // namespace haft::cuda
