// What the kernels of attention share: the call as they see it, elements of its tensors, masks.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/cuda/attention.h"
#include "core/cuda/philox.cuh"

namespace haft::cuda {

// A tensor (N, H, rows, width), in elements.
struct Heads {
  const void* data;
  int64_t batch, head, row, column;
};

struct AttentionArgs {
  Heads q, k, v, grad, out, dq, dk, dv;
  Heads mask;
  DType dtype, mask_dtype;  // the mask's is none where there is none
  int64_t heads, group, queries, keys, width, value_width;
  int64_t first_batch;  // of a call that goes in several launches
  double scale, keep;   // keep: 1 / (1 - p)
  bool causal;
  bool drops;
  uint64_t threshold;  // a word at least as large keeps its weight; 2^32 and more: none does
  LivePhilox drawn;
};

// Types in memory are numbers, the same for all threads: what a kernel does long is the products.
template <class C>
__device__ inline C element(const Heads& x, DType t, int64_t b, int64_t h, int64_t row, int64_t column) {
  const int64_t at = b * x.batch + h * x.head + row * x.row + column * x.column;
  if constexpr (sizeof(C) == 4) {
    if (t == DType::f16) return load(static_cast<const half*>(x.data)[at]);
    if (t == DType::bf16) return load(static_cast<const bfloat16*>(x.data)[at]);
  }
  return static_cast<const C*>(x.data)[at];
}
template <class C>
__device__ inline void put(void* to, DType t, int64_t at, C x) {
  if constexpr (sizeof(C) == 4) {
    if (t == DType::f16) return store(static_cast<half*>(to) + at, x);
    if (t == DType::bf16) return store(static_cast<bfloat16*>(to) + at, x);
  }
  static_cast<C*>(to)[at] = x;
}

// A score as the mask, the diagonal and the ends leave it.
template <class C>
__device__ inline C masked(const AttentionArgs& a, int64_t b, int64_t h, int64_t i, int64_t j, C s) {
  const C lowest = C(-fn::infinity());
  if (i >= a.queries || j >= a.keys || (a.causal && j > i)) return lowest;
  if (a.mask_dtype == DType::none) return s;
  const int64_t at = b * a.mask.batch + h * a.mask.head + i * a.mask.row + j * a.mask.column;
  if (a.mask_dtype == DType::boolean) return static_cast<const bool*>(a.mask.data)[at] ? s : lowest;
  return s + static_cast<const C*>(a.mask.data)[at];
}

__device__ inline uint64_t number_of(const AttentionArgs& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  return uint64_t((((a.first_batch + b) * a.heads + h) * a.queries + i) * a.keys + j);
}
// Factors of dropout of kCount neighbouring columns from j on: 0 or keep. Element (b, h, i, j) has its own number, so
// tiles do not matter.
template <class C, int kCount>
__device__ inline void drawn(const AttentionArgs& a, int64_t b, int64_t h, int64_t i, int64_t j,
                             C (&f)[kCount]) {
  const uint64_t first = number_of(a, b, h, i, j);
  fn::PhiloxWords words;
  uint64_t have = ~uint64_t(0);
#pragma unroll
  for (int c = 0; c < kCount; ++c) {
    const uint64_t at = first + uint64_t(c);
    if (at / 4 != have) {
      have = at / 4;
      words = a.drawn.now().words(have);
    }
    const uint32_t word = at & 2 ? at & 1 ? words.at[3] : words.at[2] : at & 1 ? words.at[1] : words.at[0];
    f[c] = word >= a.threshold ? C(a.keep) : C(0);
  }
}
template <class C>
__device__ inline C dropped(C x, C factor) {  // 0 where dropped, even where x is NaN
  return factor == C(0) ? C(0) : x * factor;
}

// A weight after dropout (s) and the gradient of its score (dp), from the masked score x, dropout's factor and the
// product in dp.
template <class C>
__device__ inline void weigh(C x, C factor, C lse, C delta, C& s, C& dp) {
  const C lowest = C(-fn::infinity());
  const C p = x == lowest || lse == lowest ? C(0) : fn::exp(x - lse);
  s = dropped(p, factor);
  dp = p == C(0) ? C(0) : p * (dropped(dp, factor) - delta);
}
// Those of R neighbouring columns, from the products in s and dp.
template <class C, int R>
__device__ inline void weigh(const AttentionArgs& a, int64_t b, int64_t h, int64_t i, int64_t j, C lse,
                             C delta, C (&s)[R], C (&dp)[R]) {
  C f[R];
  if (a.drops) drawn<C, R>(a, b, h, i, j, f);
#pragma unroll
  for (int c = 0; c < R; ++c)
    weigh(masked<C>(a, b, h, i, j + c, s[c] * C(a.scale)), a.drops ? f[c] : C(1), lse, delta, s[c], dp[c]);
}

inline Heads heads_of(const haft_tensor_view& v) {
  return {v.data, v.strides[0], v.strides[1], v.strides[2], v.strides[3]};
}
// (N, L, H, E) as (N, H, L, E)
inline Heads heads_of_rows(const haft_tensor_view& v) {
  return {v.data, v.strides[0], v.strides[2], v.strides[1], v.strides[3]};
}

// q, k, v and the mask at inputs i to i + 3.
inline AttentionArgs args_of(const Call& c, int i) {
  const haft_tensor_view &q = c.in(i), &k = c.in(i + 1), &v = c.in(i + 2);
  const double p = c.attrs.d(2);
  AttentionArgs a{};
  a.q = heads_of(q), a.k = heads_of(k), a.v = heads_of(v);
  if (c.has(i + 3)) a.mask = heads_of(c.in(i + 3)), a.mask_dtype = c.dtype(i + 3);
  a.dtype = c.dtype(i);
  a.heads = q.sizes[1], a.group = k.sizes[1] ? q.sizes[1] / k.sizes[1] : 1;
  a.queries = q.sizes[2], a.keys = k.sizes[2], a.width = q.sizes[3], a.value_width = v.sizes[3];
  a.scale = c.attrs.d(0), a.causal = c.attrs.b(1);
  a.drops = p > 0;
  a.keep = p < 1 ? 1 / (1 - p) : 0;
  a.threshold = p < 1 ? uint64_t(std::ceil(p * 0x1p24)) << 8 : uint64_t(1) << 32;
  a.drawn = live_philox(c, 3, 4);
  return a;
}

// By tensor cores (attention_mma.cu): what they take, and the kernels of attention and of its gradient.
bool takes_mma(const Call& c, const AttentionArgs& a);
void mma_attention(const Call& c, const AttentionArgs& a, int64_t batch);
void mma_attention_backward(const Call& c, const AttentionArgs& a, int64_t batch, const float* lse,
                            const float* delta);

// The grid, whose y and z count to 65535: more batches than that go in several launches.
template <class F>
void each_batch(int64_t batch, int64_t slices, F&& f) {
  const int64_t most = std::max<int64_t>(1, 65535 / slices);
  for (int64_t b = 0; b < batch; b += most) f(b, std::min(most, batch - b));
}
inline AttentionArgs from_batch(AttentionArgs a, int64_t b) {
  auto move = [&](Heads& x, DType t) {
    if (x.data) x.data = static_cast<const char*>(x.data) + b * x.batch * item_size(t);
  };
  for (Heads* x : {&a.q, &a.k, &a.v, &a.grad, &a.out, &a.dq, &a.dk, &a.dv}) move(*x, a.dtype);
  move(a.mask, a.mask_dtype);
  a.first_batch += b;
  return a;
}

}  // namespace haft::cuda
