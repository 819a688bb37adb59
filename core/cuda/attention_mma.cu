// Attention of 16-bit floats by tensor cores, where cuDNN does not take it: dropout, sums in a fixed order, widths
// that are no multiple of 8. Heads are up to 128 wide; weights are rounded to the type before they meet values.
//
// A block is four warps of 16 rows each: queries of the result and of dq, keys of dk and dv. What a warp's rows come
// to stays in its registers; the other side comes through shared memory, a tile at a time.
#include "core/cuda/attention.cuh"
#include "core/cuda/mma.cuh"
#include "core/cuda/numbers.cuh"

namespace haft::cuda {

namespace {

constexpr int kWarps = 4, kBlock = kWarps * kWarp, kTile = 16 * kWarps;

// Which tensors' rows are vectors of eight.
struct Vectors {
  bool q, k, v, grad;
};

// kRows rows of a head from `first` on, zeros where there is nothing.
template <class T, int kN>
__device__ inline void load_tile(const Heads& x, int64_t b, int64_t h, int64_t first, int64_t rows,
                                 int64_t width, bool vectors, int count, TileRow<T, kN>* to) {
  constexpr int kVectors = kN - 1;
  const T* const base = static_cast<const T*>(x.data) + b * x.batch + h * x.head;
  for (int i = int(threadIdx.x); i < count * kVectors; i += kBlock) {
    const int r = i / kVectors, d = i % kVectors * 8;
    const T* from = base + (first + r) * x.row + d * x.column;
    Vector<T, 8> v;
    if (vectors && first + r < rows && d + 8 <= width) {
      v = *reinterpret_cast<const Vector<T, 8>*>(from);
    } else {
#pragma unroll
      for (int m = 0; m < 8; ++m) v.at[m] = first + r < rows && d + m < width ? from[m * x.column] : T{};
    }
    to[r][d / 8] = v;
  }
}

// Joins the four lanes of a row.
template <class Join>
__device__ inline float across(float x, Join join) {
  x = join(x, __shfl_xor_sync(kAllLanes, x, 1));
  return join(x, __shfl_xor_sync(kAllLanes, x, 2));
}

// to += weights, of 16 rows a warp, times kRows rows.
template <class T, int W, int kRows>
__device__ inline void add_product(float (&to)[W / 8][4], const float (&weights)[kRows / 8][4],
                                   const TileRow<T, W / 8 + 1>* rows) {
#pragma unroll
  for (int k = 0; k < kRows / 16; ++k) {
    uint32_t left[4], right[2];
    as_left_factor<T>(left, weights[2 * k], weights[2 * k + 1]);
#pragma unroll
    for (int n = 0; n < W / 8; ++n) {
      right_factor<T, W / 8 + 1>(right, rows, 16 * k, 8 * n);
      multiply_add<T>(to[n], left, right);
    }
  }
}

// Grid: (query tiles, heads, batch).
template <class T, int W>
__global__ void __launch_bounds__(kBlock) mma_forward(AttentionArgs a, Vectors whole, void* out, float* lse) {
  constexpr int kN = W / 8 + 1;
  __shared__ Vector<T, 8> keys[kTile][kN], values[kTile][kN];
  const int lane = int(threadIdx.x) % kWarp, r0 = int(threadIdx.x) / kWarp * 16, g = lane / 4, t = lane % 4;
  const int64_t i0 = (int64_t(gridDim.x) - 1 - blockIdx.x) * kTile, h = blockIdx.y, b = blockIdx.z,
                own = h / a.group;
  const float lowest = -fn::infinity();
  load_tile<T, kN>(a.q, b, h, i0, a.queries, a.width, whole.q, kTile, keys);
  __syncthreads();
  uint32_t q[W / 16][4];
#pragma unroll
  for (int k = 0; k < W / 16; ++k) left_factor<T, kN>(q[k], keys, r0, 16 * k);
  float o[W / 8][4] = {}, top[2] = {lowest, lowest}, sum[2] = {0, 0};
  const int64_t last = a.causal && i0 + kTile < a.keys ? i0 + kTile : a.keys;
  for (int64_t j0 = 0; j0 < last; j0 += kTile) {
    __syncthreads();
    load_tile<T, kN>(a.k, b, own, j0, a.keys, a.width, whole.k, kTile, keys);
    load_tile<T, kN>(a.v, b, own, j0, a.keys, a.value_width, whole.v, kTile, values);
    __syncthreads();
    float s[kTile / 8][4] = {};
#pragma unroll
    for (int k = 0; k < W / 16; ++k)
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n) {
        uint32_t key[2];
        turned_factor<T, kN>(key, keys, 8 * n, 16 * k);
        multiply_add<T>(s[n], q[k], key);
      }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t row = i0 + r0 + g + 8 * half;
      float most = lowest, total = 0.0f;
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n)
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          float& score = s[n][2 * half + x];
          score = masked<float>(a, b, h, row, j0 + 8 * n + 2 * t + x, score * float(a.scale));
          most = Largest()(most, score);
        }
      const float highest = Largest()(top[half], across(most, Largest())),
                  shift = highest == lowest ? 0.0f : highest;
      const float fix = top[half] == lowest ? 0.0f : fn::exp(top[half] - shift);
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n) {
        float* w = s[n] + 2 * half;
        w[0] = fn::exp(w[0] - shift), w[1] = fn::exp(w[1] - shift);
        total += w[0] + w[1];
        if (a.drops) {
          float f[2];
          drawn<float, 2>(a, b, h, row, j0 + 8 * n + 2 * t, f);
          w[0] = dropped(w[0], f[0]), w[1] = dropped(w[1], f[1]);
        }
      }
      sum[half] = sum[half] * fix + total;
      top[half] = highest;
#pragma unroll
      for (int n = 0; n < W / 8; ++n) o[n][2 * half] *= fix, o[n][2 * half + 1] *= fix;
    }
    add_product<T, W, kTile>(o, s, values);
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = i0 + r0 + g + 8 * half;
    const float total = across(sum[half], Plus());
    if (row >= a.queries) continue;
    const bool blind = top[half] == lowest && total == 0.0f;
    const float f = blind ? 0.0f : 1.0f / total;
    const int64_t to = ((b * a.queries + row) * a.heads + h) * a.value_width;
#pragma unroll
    for (int n = 0; n < W / 8; ++n)
#pragma unroll
      for (int x = 0; x < 2; ++x)
        if (const int64_t d = 8 * n + 2 * t + x; d < a.value_width)
          store(static_cast<T*>(out) + to + d, blind ? 0.0f : o[n][2 * half + x] * f);
    if (t == 0) lse[(b * a.heads + h) * a.queries + row] = blind ? lowest : top[half] + fn::log(total);
  }
}

// This lane's part of 16 rows of a result.
template <class T, int W>
__device__ inline void put_rows(const Heads& to, int64_t b, int64_t h, int64_t first, int64_t rows,
                                int64_t width, float scale, const float (&x)[W / 8][4]) {
  const int lane = int(threadIdx.x) % kWarp;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = first + lane / 4 + 8 * half;
    if (row >= rows) continue;
    T* at = static_cast<T*>(const_cast<void*>(to.data)) + b * to.batch + h * to.head + row * to.row;
#pragma unroll
    for (int n = 0; n < W / 8; ++n)
#pragma unroll
      for (int m = 0; m < 2; ++m)
        if (const int64_t d = 8 * n + lane % 4 * 2 + m; d < width) store(at + d, x[n][2 * half + m] * scale);
  }
}

// Grid: (query tiles, heads, batch): dq.
template <class T, int W>
__global__ void __launch_bounds__(kBlock)
    mma_queries(AttentionArgs a, Vectors whole, const float* lse, const float* delta) {
  constexpr int kN = W / 8 + 1, kKeys = kTile / 2;  // of a tile, as many values behind them
  __shared__ Vector<T, 8> rows[kTile][kN];
  const int lane = int(threadIdx.x) % kWarp, r0 = int(threadIdx.x) / kWarp * 16, g = lane / 4, t = lane % 4;
  const int64_t i0 = (int64_t(gridDim.x) - 1 - blockIdx.x) * kTile, h = blockIdx.y, b = blockIdx.z,
                own = h / a.group;
  uint32_t q[W / 16][4], grad[W / 16][4];
  load_tile<T, kN>(a.q, b, h, i0, a.queries, a.width, whole.q, kTile, rows);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < W / 16; ++k) left_factor<T, kN>(q[k], rows, r0, 16 * k);
  __syncthreads();
  load_tile<T, kN>(a.grad, b, h, i0, a.queries, a.value_width, whole.grad, kTile, rows);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < W / 16; ++k) left_factor<T, kN>(grad[k], rows, r0, 16 * k);
  float dq[W / 8][4] = {}, logs[2], deltas[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = i0 + r0 + g + 8 * half, at = (b * a.heads + h) * a.queries + row;
    logs[half] = row < a.queries ? lse[at] : -fn::infinity(),
    deltas[half] = row < a.queries ? delta[at] : 0.0f;
  }
  const int64_t last = a.causal && i0 + kTile < a.keys ? i0 + kTile : a.keys;
  for (int64_t j0 = 0; j0 < last; j0 += kKeys) {
    __syncthreads();
    load_tile<T, kN>(a.k, b, own, j0, a.keys, a.width, whole.k, kKeys, rows);
    load_tile<T, kN>(a.v, b, own, j0, a.keys, a.value_width, whole.v, kKeys, rows + kKeys);
    __syncthreads();
    float s[kKeys / 8][4] = {}, ds[kKeys / 8][4] = {};
#pragma unroll
    for (int k = 0; k < W / 16; ++k)
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n) {
        uint32_t factor[2];
        turned_factor<T, kN>(factor, rows, 8 * n, 16 * k);
        multiply_add<T>(s[n], q[k], factor);
        turned_factor<T, kN>(factor, rows, kKeys + 8 * n, 16 * k);
        multiply_add<T>(ds[n], grad[k], factor);
      }
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float p[2] = {s[n][2 * half], s[n][2 * half + 1]}, d[2] = {ds[n][2 * half], ds[n][2 * half + 1]};
        weigh<float, 2>(a, b, h, i0 + r0 + g + 8 * half, j0 + 8 * n + 2 * t, logs[half], deltas[half], p, d);
        ds[n][2 * half] = d[0], ds[n][2 * half + 1] = d[1];
      }
    add_product<T, W, kKeys>(dq, ds, rows);
  }
  put_rows<T, W>(a.dq, b, h, i0 + r0, a.queries, a.width, float(a.scale), dq);
}

// Grid: (key tiles, key heads, batch): dk and dv, the scores turned: a warp's rows are keys.
template <class T, int W>
__global__ void __launch_bounds__(kBlock)
    mma_keys(AttentionArgs a, Vectors whole, const float* lse, const float* delta) {
  constexpr int kN = W / 8 + 1, kQueries = 16;
  __shared__ Vector<T, 8> keys[kTile][kN], values[kTile][kN], q[kQueries][kN], grad[kQueries][kN];
  const int lane = int(threadIdx.x) % kWarp, r0 = int(threadIdx.x) / kWarp * 16, g = lane / 4, t = lane % 4;
  const int64_t j0 = int64_t(blockIdx.x) * kTile, own = blockIdx.y, b = blockIdx.z;
  load_tile<T, kN>(a.k, b, own, j0, a.keys, a.width, whole.k, kTile, keys);
  load_tile<T, kN>(a.v, b, own, j0, a.keys, a.value_width, whole.v, kTile, values);
  float dk[W / 8][4] = {}, dv[W / 8][4] = {};
  for (int64_t m = 0; m < a.group; ++m) {
    const int64_t h = own * a.group + m;
    for (int64_t i0 = a.causal ? j0 : 0; i0 < a.queries; i0 += kQueries) {
      __syncthreads();
      load_tile<T, kN>(a.q, b, h, i0, a.queries, a.width, whole.q, kQueries, q);
      load_tile<T, kN>(a.grad, b, h, i0, a.queries, a.value_width, whole.grad, kQueries, grad);
      __syncthreads();
      float s[2][4] = {}, ds[2][4] = {};
#pragma unroll
      for (int k = 0; k < W / 16; ++k) {
        uint32_t left[4], right[2];
        left_factor<T, kN>(left, keys, r0, 16 * k);
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          turned_factor<T, kN>(right, q, 8 * n, 16 * k);
          multiply_add<T>(s[n], left, right);
        }
        left_factor<T, kN>(left, values, r0, 16 * k);
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          turned_factor<T, kN>(right, grad, 8 * n, 16 * k);
          multiply_add<T>(ds[n], left, right);
        }
      }
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          const int64_t row = i0 + 8 * n + 2 * t + x, at = (b * a.heads + h) * a.queries + row;
          const bool there = row < a.queries;
          const float log = there ? lse[at] : -fn::infinity(), mean = there ? delta[at] : 0.0f;
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            float p[1] = {s[n][2 * half + x]}, d[1] = {ds[n][2 * half + x]};
            weigh<float, 1>(a, b, h, row, j0 + r0 + g + 8 * half, log, mean, p, d);
            s[n][2 * half + x] = p[0], ds[n][2 * half + x] = d[0];
          }
        }
      add_product<T, W, kQueries>(dv, s, grad);
      add_product<T, W, kQueries>(dk, ds, q);
    }
  }
  put_rows<T, W>(a.dk, b, own, j0 + r0, a.keys, a.width, float(a.scale), dk);
  put_rows<T, W>(a.dv, b, own, j0 + r0, a.keys, a.value_width, 1.0f, dv);
}

bool has_vectors(const Heads& x, int64_t width) {
  return x.data && reinterpret_cast<uintptr_t>(x.data) % 16 == 0 && x.column == 1 && width % 8 == 0 &&
         x.batch % 8 == 0 && x.head % 8 == 0 && x.row % 8 == 0;
}
Vectors vectors_of(const AttentionArgs& a) {
  return {has_vectors(a.q, a.width), has_vectors(a.k, a.width), has_vectors(a.v, a.value_width),
          has_vectors(a.grad, a.value_width)};
}
Shape3 shape_of(int64_t places, int64_t heads, int64_t batch) {
  Shape3 s;
  s.grid = {uint32_t(blocks_of(places, kTile)), uint32_t(heads), uint32_t(batch)};
  s.block = {kBlock, 1, 1};
  return s;
}
// f.template operator()<T, W>()
template <class F>
void visit(const AttentionArgs& a, F&& f) {
  const bool narrow = std::max(a.width, a.value_width) <= 64;
  if (a.dtype == DType::f16)
    narrow ? f.template operator()<half, 64>() : f.template operator()<half, 128>();
  else
    narrow ? f.template operator()<bfloat16, 64>() : f.template operator()<bfloat16, 128>();
}

}  // namespace

bool takes_mma(const Call& c, const AttentionArgs& a) {
  // What is left of weights by a dropout of more than 1 - 2^-15 may exceed what float16 holds.
  if (a.dtype == DType::f16 && a.drops && a.keep > 0x1p15) return false;
  return (a.dtype == DType::f16 || a.dtype == DType::bf16) && !c.exact() &&
         std::max(a.width, a.value_width) <= 128;
}

void mma_attention(const Call& c, const AttentionArgs& all, int64_t batch) {
  visit(all, [&]<class T, int W>() {
    each_batch(batch, 1, [&](int64_t b, int64_t n) {
      const AttentionArgs a = from_batch(all, b);
      launch(c, shape_of(a.queries, a.heads, n), mma_forward<T, W>, a, vectors_of(a),
             c.out_data<T>(0) + b * a.queries * a.heads * a.value_width,
             c.out_data<float>(1) + b * a.heads * a.queries);
    });
  });
}

void mma_attention_backward(const Call& c, const AttentionArgs& all, int64_t batch, const float* lse,
                            const float* delta) {
  visit(all, [&]<class T, int W>() {
    each_batch(batch, 1, [&](int64_t b, int64_t n) {
      const AttentionArgs a = from_batch(all, b);
      const int64_t first = b * a.heads * a.queries;
      launch(c, shape_of(a.keys, a.heads / a.group, n), mma_keys<T, W>, a, vectors_of(a), lse + first,
             delta + first);
      launch(c, shape_of(a.queries, a.heads, n), mma_queries<T, W>, a, vectors_of(a), lse + first,
             delta + first);
    });
  });
}

}  // namespace haft::cuda
