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

// Whether the mask, the diagonal and the ends leave all scores of a tile as they are.
__device__ inline bool leaves(const AttentionArgs& a, int64_t i0, int64_t queries, int64_t j0, int64_t keys) {
  return a.mask_dtype == DType::none && i0 + queries <= a.queries && j0 + keys <= a.keys &&
         (!a.causal || j0 + keys - 1 <= i0);
}

// What dropout keeps of a lane's elements: bit 4 n + c for element c of the n-th tile of 16 x 8. Four neighbouring keys
// are words of one counter, so lanes that share a counter draw one each, and tell each other.
//
// Rows are queries, i is that of elements 0 and 1; j is the first key.
template <int kTiles>
__device__ inline uint32_t kept(const AttentionArgs& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  const fn::Philox from = a.drawn.now();
  const int t = int(threadIdx.x) % 4;
  const uint64_t rows[2] = {number_of(a, b, h, i, j), number_of(a, b, h, i + 8, j)};
  auto keeps = [&](uint32_t word) { return uint32_t(word >= a.threshold); };
  uint32_t bits = 0;
  if (a.keys % 4 != 0) {
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
#pragma unroll
      for (int c = 0; c < 4; ++c)
        bits |= keeps(from.word(rows[c / 2] + uint64_t(8 * n + 2 * t + c % 2))) << (4 * n + c);
    return bits;
  }
  const bool odd = t % 2;  // draws for row i + 8, and has words 2 and 3 of both rows
  const uint64_t first = ((odd ? rows[1] : rows[0]) + uint64_t(t / 2 * 4)) / 4;
#pragma unroll
  for (int n = 0; n < kTiles; ++n) {
    const fn::PhiloxWords w = from.words(first + uint64_t(2 * n));
    const uint32_t mine = odd ? keeps(w.at[2]) | keeps(w.at[3]) << 1 : keeps(w.at[0]) | keeps(w.at[1]) << 1,
                   other = odd ? keeps(w.at[0]) | keeps(w.at[1]) << 1 : keeps(w.at[2]) | keeps(w.at[3]) << 1,
                   told = __shfl_xor_sync(kAllLanes, other, 1);
    bits |= (odd ? told | mine << 2 : mine | told << 2) << (4 * n);
  }
  return bits;
}
// Rows are keys, j is that of elements 0 and 1; i is the first query.
template <int kTiles>
__device__ inline uint32_t kept_turned(const AttentionArgs& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  const fn::Philox from = a.drawn.now();
  const int lane = int(threadIdx.x) % kWarp, t = lane % 4, l = lane / 4 % 4;
  auto keeps = [&](uint32_t word) { return uint32_t(word >= a.threshold); };
  uint32_t bits = 0;
#pragma unroll
  for (int n = 0; n < kTiles; ++n) {
    if (a.keys % 4 != 0) {
#pragma unroll
      for (int c = 0; c < 4; ++c)
        bits |= keeps(from.word(number_of(a, b, h, i + 8 * n + 2 * t + c % 2, j + c / 2 * 8))) << (4 * n + c);
      continue;
    }
    // Of four lanes with neighbouring keys each draws one element's counter: bits 4 l to 4 l + 3 for lanes 0 to 3.
    const fn::PhiloxWords w =
        from.words(number_of(a, b, h, i + 8 * n + 2 * t + l % 2, j - l + l / 2 * 8) / 4);
    uint32_t all = (keeps(w.at[0]) | keeps(w.at[1]) << 1 | keeps(w.at[2]) << 2 | keeps(w.at[3]) << 3)
                   << (4 * l);
    all |= __shfl_xor_sync(kAllLanes, all, 4);
    all |= __shfl_xor_sync(kAllLanes, all, 8);
#pragma unroll
    for (int c = 0; c < 4; ++c) bits |= (all >> (4 * c + l) & 1) << (4 * n + c);
  }
  return bits;
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
    const bool as_they_are = leaves(a, i0, kTile, j0, kTile);
    const uint32_t keeps = a.drops ? kept<kTile / 8>(a, b, h, i0 + r0 + g, j0) : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t row = i0 + r0 + g + 8 * half;
      float most = lowest, total = 0.0f;
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n)
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          float& score = s[n][2 * half + x];
          score *= float(a.scale);
          if (!as_they_are) score = masked<float>(a, b, h, row, j0 + 8 * n + 2 * t + x, score);
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
        if (a.drops)
#pragma unroll
          for (int x = 0; x < 2; ++x)
            w[x] = keeps >> (4 * n + 2 * half + x) & 1 ? w[x] * float(a.keep) : 0.0f;
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
    const bool as_they_are = leaves(a, i0, kTile, j0, kKeys);
    const uint32_t keeps = a.drops ? kept<kKeys / 8>(a, b, h, i0 + r0 + g, j0) : 0;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        float x = s[n][c] * float(a.scale);
        if (!as_they_are) x = masked<float>(a, b, h, i0 + r0 + g + c / 2 * 8, j0 + 8 * n + 2 * t + c % 2, x);
        const float factor = !a.drops ? 1.0f : keeps >> (4 * n + c) & 1 ? float(a.keep) : 0.0f;
        weigh(x, factor, logs[c / 2], deltas[c / 2], s[n][c], ds[n][c]);
      }
    add_product<T, W, kKeys>(dq, ds, rows);
  }
  put_rows<T, W>(a.dq, b, h, i0 + r0, a.queries, a.width, float(a.scale), dq);
}

// Grid: (key tiles, key heads, batch): dk and dv, the scores turned: a warp's rows are keys.
template <class T, int W>
__global__ void __launch_bounds__(kBlock)
    mma_keys(AttentionArgs a, Vectors whole, const float* lse, const float* delta) {
  constexpr int kN = W / 8 + 1, kQueries = W <= 64 ? 32 : 16;
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
      float s[kQueries / 8][4] = {}, ds[kQueries / 8][4] = {};
#pragma unroll
      for (int k = 0; k < W / 16; ++k) {
        uint32_t left[4], right[2];
        left_factor<T, kN>(left, keys, r0, 16 * k);
#pragma unroll
        for (int n = 0; n < kQueries / 8; ++n) {
          turned_factor<T, kN>(right, q, 8 * n, 16 * k);
          multiply_add<T>(s[n], left, right);
        }
        left_factor<T, kN>(left, values, r0, 16 * k);
#pragma unroll
        for (int n = 0; n < kQueries / 8; ++n) {
          turned_factor<T, kN>(right, grad, 8 * n, 16 * k);
          multiply_add<T>(ds[n], left, right);
        }
      }
      const bool as_they_are = leaves(a, i0, kQueries, j0, kTile);
      const uint32_t keeps = a.drops ? kept_turned<kQueries / 8>(a, b, h, i0, j0 + r0 + g) : 0;
#pragma unroll
      for (int n = 0; n < kQueries / 8; ++n)
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          const int64_t row = i0 + 8 * n + 2 * t + x, at = (b * a.heads + h) * a.queries + row;
          const bool there = row < a.queries;
          const float log = there ? lse[at] : -fn::infinity(), mean = there ? delta[at] : 0.0f;
#pragma unroll
          for (int c = x; c < 4; c += 2) {
            float score = s[n][c] * float(a.scale);
            if (!as_they_are) score = masked<float>(a, b, h, row, j0 + r0 + g + c / 2 * 8, score);
            const float factor = !a.drops ? 1.0f : keeps >> (4 * n + c) & 1 ? float(a.keep) : 0.0f;
            weigh(score, factor, log, mean, s[n][c], ds[n][c]);
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
