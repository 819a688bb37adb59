// What the kernels are written with that fuse_emit.cpp makes of chains of POINTWISE ops. NVRTC compiles it beside
// device.cuh, so it includes nothing else; numbers are what the operators' own kernels (pointwise.cuh) have.
#pragma once
#include "core/cuda/device.cuh"

namespace haft::cuda {

// What a stored type is computed in: as in pointwise.cuh, where narrow integers are computed as int32.
template <class T>
struct FusedOf {
  using type = Computed<T>;
};
template <>
struct FusedOf<uint8_t> {
  using type = int32_t;
};
template <>
struct FusedOf<int8_t> {
  using type = int32_t;
};
template <>
struct FusedOf<int16_t> {
  using type = int32_t;
};
template <class T>
using Fused = typename FusedOf<T>::type;

template <class T>
__device__ inline Fused<T> widened(T x) {
  return Fused<T>(load(x));
}
template <class T>
__device__ inline T narrowed(Fused<T> x) {
  T y;
  if constexpr (fn::is_int<T>)
    y = T(x);
  else
    store(&y, x);
  return y;
}
// The result of a step as memory would hold it, so that a chain gives what its operators give one by one.
template <class T>
__device__ inline Fused<T> rounded(Fused<T> x) {
  if constexpr (sizeof(T) == sizeof(Fused<T>))
    return x;
  else
    return widened<T>(narrowed<T>(x));
}
template <class T, class From>
__device__ inline Fused<T> cast_to(From x) {
  return rounded<T>(Fused<T>(convert_to<T>(x)));
}

// An attribute as a functor of type C takes it; see read_pointwise_params.
template <class C>
__device__ inline auto number(uint64_t word) {
  if constexpr (fn::is_int<C>)
    return int64_t(word);
  else
    return C(__longlong_as_double((long long)(word)));
}
template <int kN>
struct Words {
  uint64_t at[kN];
};

// kN neighbouring elements, at most 16 bytes an access.
template <class T, int kN>
struct alignas(sizeof(T) * kN < 16 ? sizeof(T) * kN : 16) Pack {
  T at[kN];
};
// One element stands for all where `kSingle`.
template <class T, int kN, bool kSingle>
__device__ inline Pack<T, kN> read_pack(const char* p) {
  if constexpr (kSingle) {
    Pack<T, kN> v;
    const T x = *reinterpret_cast<const T*>(p);
#pragma unroll
    for (int j = 0; j < kN; ++j) v.at[j] = x;
    return v;
  } else {
    return *reinterpret_cast<const Pack<T, kN>*>(p);
  }
}
template <class T, int kN>
__device__ inline void write_pack(char* p, const Pack<T, kN>& v) {
  *reinterpret_cast<Pack<T, kN>*>(p) = v;
}

// Element numbers (of packs, or of rows) to addresses; kDims is at least 1. fuse.cpp writes the same bytes.
template <int kOperands, int kDims>
struct Layout {
  char* data[kOperands];
  int64_t strides[kOperands][kDims];  // bytes, innermost dimension first
  Divider sizes[kDims];
  uint32_t count, rest;  // rest: elements behind the last pack

  __device__ void at(uint32_t i, char** p) const {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) p[k] = data[k];
#pragma unroll
    for (int d = 0; d < kDims; ++d) {
      const uint32_t q = d + 1 == kDims ? 0 : sizes[d](i), r = i - q * sizes[d].divisor;
#pragma unroll
      for (int k = 0; k < kOperands; ++k) p[k] += int64_t(r) * strides[k][d];
      i = q;
    }
  }
};
// The elements of a row: `threads` of them are read at once, lanes of a warp (a power of two) or a whole block.
template <int kOperands>
struct RowOf {
  int64_t n;
  int64_t steps[kOperands];  // bytes
  int64_t threads;
};

// ---- reductions of rows ----

template <class A>
__device__ inline A lowest() {
  if constexpr (!fn::is_int<A>)
    return A(-fn::infinity());
  else if constexpr (sizeof(A) == 8)
    return A(-9223372036854775807l - 1);
  else
    return A(-2147483647 - 1);
}
template <class A>
__device__ inline A highest() {
  if constexpr (!fn::is_int<A>)
    return A(fn::infinity());
  else if constexpr (sizeof(A) == 8)
    return A(9223372036854775807l);
  else
    return A(2147483647);
}
// What the extremes of a type are kept in.
template <class T>
struct ExtremeOf {
  using type = Fused<T>;
};
template <>
struct ExtremeOf<bool> {
  using type = int32_t;
};
template <class T>
using Extreme = typename ExtremeOf<T>::type;

// Of the threads of a row, in a fixed order; the first of them has the result. `shared` has room for a block's warps.
template <class A, class Join>
__device__ inline A row_join(A a, int threads, A* shared, Join join) {
  const int lanes = threads < kWarp ? threads : kWarp;
  for (int step = lanes / 2; step > 0; step /= 2) a = join(a, __shfl_xor_sync(kAllLanes, a, step));
  if (threads <= kWarp) return a;
  const int lane = int(threadIdx.x) % kWarp, warp = int(threadIdx.x) / kWarp, warps = threads / kWarp;
  __syncthreads();  // the room is read no more
  if (lane == 0) shared[warp] = a;
  __syncthreads();
  A all = shared[0];
  for (int w = 1; w < warps; ++w) all = join(all, shared[w]);
  return all;
}

}  // namespace haft::cuda
