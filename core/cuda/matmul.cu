// The plug-in's own product: for integers, and for floats where cuBLASLt is missing or refuses.
#include "core/cuda/matmul.h"

#include "core/cuda/tiles.cuh"

namespace haft::cuda {

namespace {

template <class T, class Out>
struct Product {
  MatrixSource<T> a, b;
  int64_t a_batch, b_batch, batch, m, n, k;
  Out* c;
  int64_t c_batch, c_row, c_col;
  const Out* bias;  // NULL: none
  int64_t bias_batch, bias_row, bias_col;
  FactorType<T> alpha, beta;
  bool vectors;  // of C
};

template <class T, class Out>
__global__ void __launch_bounds__(kTileThreads) multiply(Product<T, Out> p) {
  using F = FactorType<T>;
  const int64_t tiles_m = (p.m + kTileSide - 1) / kTileSide, tiles_n = (p.n + kTileSide - 1) / kTileSide;
  const int i0 = int(threadIdx.x) / 16 * 4, j0 = int(threadIdx.x) % 16 * 4;
  for (int64_t t = blockIdx.x; t < p.batch * tiles_m * tiles_n; t += gridDim.x) {
    const int64_t which = t / (tiles_m * tiles_n), tile = t - which * tiles_m * tiles_n;
    const int64_t m0 = tile / tiles_n * kTileSide, n0 = tile % tiles_n * kTileSide;
    MatrixSource<T> a = p.a, b = p.b;
    a.data += which * p.a_batch;
    b.data += which * p.b_batch;
    F sum[4][4];
    multiply_tile<T>(a, b, m0, n0, 0, p.k, sum);
    const int64_t left = p.n - n0 - j0;
    const int columns = left < 0 ? 0 : left < 4 ? int(left) : 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int64_t r = m0 + i0 + i;
      if (r >= p.m) break;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum[i][j] = p.alpha * sum[i][j];
        if (p.bias && j < columns)
          sum[i][j] +=
              p.beta * F(load(p.bias[which * p.bias_batch + r * p.bias_row + (n0 + j0 + j) * p.bias_col]));
      }
      store_four(p.c + which * p.c_batch + r * p.c_row + (n0 + j0) * p.c_col, p.c_col, columns, p.vectors,
                 sum[i]);
    }
  }
}

template <class T>
MatrixSource<T> source(const void* data, int64_t rows, int64_t row, int64_t k_step, int64_t batch) {
  MatrixSource<T> s{
      static_cast<const T*>(data), row, k_step, rows, k_step == 1 || (row != 1 && k_step < row), false};
  constexpr int64_t kLanes = MatrixSource<T>::kLanes;
  s.vectors =
      (s.along_k ? k_step == 1 : row == 1) && aligned(s.data, kLanes, {s.along_k ? row : k_step, batch});
  return s;
}

template <class T, class Out>
void start(const Call& c, const Gemm& g) {
  using F = FactorType<T>;
  auto number = [](Scalar s) {
    if constexpr (fn::is_int<T>)
      return F(s.to_int());
    else
      return F(s.to_double());
  };
  Product<T, Out> p;
  const int64_t batches = g.batch;
  p.a = source<T>(g.a, g.m, g.a_row, g.a_col, batches == 1 ? 0 : g.a_batch);
  p.b = source<T>(g.b, g.n, g.b_col, g.b_row, batches == 1 ? 0 : g.b_batch);
  p.a_batch = g.a_batch, p.b_batch = g.b_batch, p.batch = batches, p.m = g.m, p.n = g.n, p.k = g.k;
  p.c = static_cast<Out*>(g.c), p.c_batch = g.c_batch, p.c_row = g.c_row, p.c_col = g.c_col;
  p.bias = static_cast<const Out*>(g.bias), p.bias_batch = g.bias_batch, p.bias_row = g.bias_row,
  p.bias_col = g.bias_col;
  p.alpha = number(g.alpha), p.beta = number(g.beta);
  p.vectors = g.c_col == 1 &&
              aligned(p.c, sizeof(Out) == 8 ? 2 : 4, {g.m == 1 ? 0 : g.c_row, batches == 1 ? 0 : g.c_batch});
  const int64_t tiles = batches * ((g.m + kTileSide - 1) / kTileSide) * ((g.n + kTileSide - 1) / kTileSide);
  Shape3 s;
  s.grid.x = uint32_t(tiles < INT32_MAX ? tiles : INT32_MAX);
  s.block.x = kTileThreads;
  launch(c, s, multiply<T, Out>, p);
}

}  // namespace

void tiled_gemm(const Call& c, const Gemm& g) {
  const bool wide = g.c_type == DType::f32;
  switch (g.type) {
    case DType::f32: return start<float, float>(c, g);
    case DType::f64: return start<double, double>(c, g);
    case DType::f16: return wide ? start<half, float>(c, g) : start<half, half>(c, g);
    case DType::bf16: return wide ? start<bfloat16, float>(c, g) : start<bfloat16, bfloat16>(c, g);
    case DType::i32: return start<int32_t, int32_t>(c, g);
    case DType::i64: return start<int64_t, int64_t>(c, g);
    default: fail_dtype(c, g.type, "a number type");
  }
}

}  // namespace haft::cuda
