// What kernels over rows and columns share: numbers whose type in memory is known at launch alone, places of
// elements, sums of a group of threads.
#pragma once
#include "core/cuda/device.cuh"
#include "core/cuda/kernel.h"

namespace haft::cuda {

// The dtype of a type in memory; computed: what it is computed in.
template <class T>
constexpr DType kStored = DTypeOf<T>::value;
template <>
constexpr DType kStored<half> = DType::f16;
template <>
constexpr DType kStored<bfloat16> = DType::bf16;
constexpr DType computed_float(DType t) { return t == DType::f64 ? DType::f64 : DType::f32; }

// A switch that all threads take alike: any float type takes a float or double, any integer type and bool an int64.
template <class C>
__device__ inline void write_number(void* base, DType t, int64_t i, C x) {
  if constexpr (fn::is_int<C>) {
    switch (t) {
      case DType::boolean: static_cast<bool*>(base)[i] = x != C(0); return;
      case DType::u8: static_cast<uint8_t*>(base)[i] = uint8_t(x); return;
      case DType::i8: static_cast<int8_t*>(base)[i] = int8_t(x); return;
      case DType::i16: static_cast<int16_t*>(base)[i] = int16_t(x); return;
      case DType::i32: static_cast<int32_t*>(base)[i] = int32_t(x); return;
      default: static_cast<int64_t*>(base)[i] = int64_t(x); return;
    }
  } else {
    switch (t) {
      case DType::f16: store(static_cast<half*>(base) + i, float(x)); return;
      case DType::bf16: store(static_cast<bfloat16*>(base) + i, float(x)); return;
      case DType::f64: static_cast<double*>(base)[i] = double(x); return;
      default: static_cast<float*>(base)[i] = float(x); return;
    }
  }
}

// A float of any type in memory as C.
template <class C>
__device__ inline C read_float(const void* base, DType t, int64_t i) {
  switch (t) {
    case DType::f16: return C(load(static_cast<const half*>(base)[i]));
    case DType::bf16: return C(load(static_cast<const bfloat16*>(base)[i]));
    case DType::f64: return C(static_cast<const double*>(base)[i]);
    default: return C(static_cast<const float*>(base)[i]);
  }
}

// Divider's like for numbers up to 2^63.
struct WideDivider {
  uint64_t divisor = 1, magic = 0;
  uint32_t shift = 0;
  WideDivider() = default;
  explicit WideDivider(int64_t d) : divisor(uint64_t(d)) {
    while (shift < 63 && (uint64_t(1) << shift) < divisor) ++shift;
    magic = uint64_t((static_cast<unsigned __int128>((uint64_t(1) << shift) - divisor) << 64) / divisor + 1);
  }
  __device__ uint64_t operator()(uint64_t n) const { return (__umul64hi(n, magic) + n) >> shift; }
};

// Numbers of the elements of some dimensions, row-major, to places in a tensor, in elements.
struct Places {
  int ndim = 0;
  int64_t count = 1, outer = 0;      // outer: the stride of the outermost dimension
  WideDivider sizes[HAFT_MAX_DIMS];  // innermost first; the outermost is never divided by
  int64_t strides[HAFT_MAX_DIMS] = {};

  // Outermost first.
  Places(const int64_t* size, const int64_t* stride, int n) : ndim(n) {
    for (int d = 0; d < n; ++d) count *= size[d];
    for (int d = 0; d < n && count; ++d) {
      if (d + 1 < n) sizes[d] = WideDivider(size[n - 1 - d]);
      strides[d] = stride[n - 1 - d];
    }
    if (n) outer = stride[0];
  }
  __device__ int64_t at(int64_t i) const {
    int64_t place = 0;
    uint64_t left = uint64_t(i);
#pragma unroll 1
    for (int d = 0; d + 1 < ndim; ++d) {
      const uint64_t q = sizes[d](left);
      place += int64_t(left - q * sizes[d].divisor) * strides[d];
      left = q;
    }
    return place + int64_t(left) * outer;
  }
};

// Numbers of several words from another lane: `shuffle` is one of CUDA's.
template <class A, class Shuffle>
__device__ inline A from_lane(A a, Shuffle shuffle) {
  if constexpr (sizeof(A) <= 8 && std::is_arithmetic_v<A>) {
    return shuffle(a);
  } else {
    static_assert(sizeof(A) % 4 == 0);
    uint32_t words[sizeof(A) / 4];
    __builtin_memcpy(words, &a, sizeof(A));
#pragma unroll
    for (uint32_t& w : words) w = shuffle(w);
    __builtin_memcpy(&a, words, sizeof(A));
    return a;
  }
}
template <class A>
__device__ inline A shuffle_xor(const A& a, int mask) {
  return from_lane(a, [=](auto w) { return __shfl_xor_sync(kAllLanes, w, mask); });
}
template <class A>
__device__ inline A shuffle_up(const A& a, int step) {
  return from_lane(a, [=](auto w) { return __shfl_up_sync(kAllLanes, w, step); });
}
// Of `lanes` neighbouring lanes (a power of two, at most a warp); the first of them has the result.
template <class A, class Join>
__device__ inline A lanes_join(A a, int lanes, Join join) {
  for (int step = lanes / 2; step > 0; step /= 2) a = join(a, shuffle_xor(a, step));
  return a;
}
// Of a group of threads of a row: a warp's lanes, or the whole block of whole warps, whose `shared` holds 32 of them.
// All threads get the result; a block synchronises before it uses `shared` again.
template <class A, class Join>
__device__ inline A group_join(A a, int threads, A* shared, Join join) {
  a = lanes_join(a, threads < kWarp ? threads : kWarp, join);
  if (threads <= kWarp) {
    const int first = (int(threadIdx.x) & (kWarp - 1)) & -threads;  // threads is a power of two
    return from_lane(a, [=](auto w) { return __shfl_sync(kAllLanes, w, first); });
  }
  const int lane = int(threadIdx.x) % kWarp, warp = int(threadIdx.x) / kWarp, warps = threads / kWarp;
  if (lane == 0) shared[warp] = a;
  __syncthreads();
  A all = shared[0];
  for (int w = 1; w < warps; ++w) all = join(all, shared[w]);
  return all;
}

// Mean and squared deviations of n numbers: Welford's step, and Chan's formula for two of them. One read of the
// numbers, and the digits that a mean far from 0 would take from sums of squares stay.
template <class C>
struct Moments {
  C n, mean, squares;

  __device__ static Moments none() { return {C(0), C(0), C(0)}; }
  __device__ void add(C x, C share) {  // share: 1 / k for the k-th number; n is set at the end
    const C d = x - mean;
    mean += d * share;
    squares += d * (x - mean);
  }
  __device__ Moments joined(const Moments& b) const {
    if (b.n == C(0)) return *this;
    if (n == C(0)) return b;
    const C all = n + b.n, d = b.mean - mean, share = b.n / all;
    return {all, mean + d * share, squares + b.squares + d * d * n * share};
  }
};
template <class C>
struct JoinMoments {
  __device__ Moments<C> operator()(const Moments<C>& a, const Moments<C>& b) const { return a.joined(b); }
};
// Two sums side by side.
template <class C>
struct Pair {
  C a, b;
};
template <class C>
struct JoinPairs {
  __device__ Pair<C> operator()(const Pair<C>& p, const Pair<C>& q) const { return {p.a + q.a, p.b + q.b}; }
};

inline int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
inline int64_t blocks_of(int64_t n, int64_t each) { return (n + each - 1) / each; }
inline int power_of_two(int64_t n, int most) {  // the least one that is n or more, at most `most`
  int p = 1;
  while (p < n && p < most) p *= 2;
  return p;
}

}  // namespace haft::cuda
