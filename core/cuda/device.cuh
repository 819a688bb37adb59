// Device code's vocabulary. Under nvcc it is CUDA C++; the tests compile the same text for the host
// (HAFT_CUDA_ON_HOST) with blocks, warps and shared memory that they simulate, so a .cu file uses what is declared
// here and CUDA's own
//   threadIdx blockIdx blockDim gridDim __syncthreads __syncwarp __shfl_sync __shfl_xor_sync __shfl_down_sync
//   __shfl_up_sync __ballot_sync __any_sync __all_sync atomicAdd atomicMax atomicMin atomicCAS atomicExch atomicOr
//   __popc __ffs __clz __umulhi __umul64hi __threadfence __threadfence_system __float_as_uint __uint_as_float
//   __float_as_int __double_as_longlong __longlong_as_double
//   __fmul_rn __fadd_rn __dmul_rn __dadd_rn (never fused: where every device has to give the same bits)
// and nothing more; arithmetic functions are those of haft::fn (exp, log, sqrt, ...).
#pragma once
#ifndef __CUDACC_RTC__
#include <cstdint>
#endif

#include "core/schema/functors.h"

#ifdef __CUDACC_RTC__
namespace haft::cuda {
using fn::int16_t, fn::int32_t, fn::int64_t, fn::int8_t, fn::uint16_t, fn::uint32_t, fn::uint64_t,
    fn::uint8_t;
}
#endif
#include "core/cuda/divider.h"

#ifndef __CUDACC__
#include "core/tensor/half.h"
namespace haft::fn {
struct half {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};
inline float load(half h) { return Half::decode(h.bits); }
inline float load(bfloat16 h) { return __builtin_bit_cast(float, uint32_t(h.bits) << 16); }
template <class T>
inline T load(T x) {
  return x;
}
inline void store(half* p, float f) { p->bits = Half::encode(f); }
inline void store(bfloat16* p, float f) { p->bits = BFloat16::encode(f); }
inline void store(bool* p, bool x) { *p = x; }
template <class T>
inline void store(T* p, T x) {
  *p = x;
}
}  // namespace haft::fn
#endif

// Shared memory whose size the launch says: HAFT_DYNAMIC_SHARED(float, tile).
#ifdef __CUDACC__
#define HAFT_DYNAMIC_SHARED(T, name)                           \
  extern __shared__ __align__(16) unsigned char haft_shared[]; \
  T* name = reinterpret_cast<T*>(haft_shared)
#else
#define HAFT_DYNAMIC_SHARED(T, name) T* name = static_cast<T*>(haft::cuda_on_host::dynamic_shared())
#endif

namespace haft::cuda {

using fn::bfloat16;
using fn::half;
using fn::load;
using fn::store;

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// What a stored type is computed in: 16-bit floats in float, everything else as it is.
template <class T>
struct ComputedOf {
  using type = T;
};
template <>
struct ComputedOf<half> : ComputedOf<float> {};
template <>
struct ComputedOf<bfloat16> : ComputedOf<float> {};
template <class T>
using Computed = typename ComputedOf<T>::type;

// What long sums of a stored type are kept in: float for 16-bit floats and float, int64 for integers and bool.
template <class C>
struct SummedOf : ComputedOf<int64_t> {};
template <>
struct SummedOf<float> : ComputedOf<float> {};
template <>
struct SummedOf<double> : ComputedOf<double> {};
template <class T>
using Summed = typename SummedOf<Computed<T>>::type;

// Values of one number type as another, defined for every value: floats are truncated towards 0, what does not fit is
// clamped to int32 (int64 for int64), NaN is 0, narrower types keep the low bits. The CPU's rule
// (core/cpu/elementwise_convert.cpp).
template <class To, class From>
__device__ inline To convert(From x) {
  if constexpr (fn::is_bool<To>) {
    return x != From(0);
  } else if constexpr (!fn::is_int<From> && fn::is_int<To>) {
    if (x != x) return To(0);
    if constexpr (sizeof(To) == 8) {
      if (x >= From(9223372036854775808.0))
        return To(sizeof(From) == 4 ? 9223371487098961920ll : 9223372036854774784ll);
      if (x < From(-9223372036854775808.0)) return To(-9223372036854775807ll - 1);
      return To(x);
    } else {
      if (x >= From(2147483648.0)) return To(int32_t(sizeof(From) == 4 ? 2147483520 : 2147483647));
      if (x < From(-2147483648.0)) return To(int32_t(-2147483647 - 1));
      return To(int32_t(x));
    }
  } else {
    return To(x);
  }
}
template <class To>
__device__ inline Computed<To> convert_to(auto x) {
  return convert<Computed<To>>(x);
}

// kN elements that are read or written at once; the address must be a multiple of the whole.
template <class T, int kN>
struct alignas(sizeof(T) * kN) Vector {
  T at[kN];
};

// A store of the whole vector, where the compiler would make single elements of it: beside a branch that stores them
// one by one.
template <class T, int kN>
__device__ inline void store_whole(T* p, const Vector<T, kN>& v) {
#ifdef __CUDACC__
  if constexpr (sizeof(v) == 8) {
    uint32_t w[2];
    __builtin_memcpy(w, &v, 8);
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), "r"(w[0]), "r"(w[1])
                 : "memory");
    return;
  }
  if constexpr (sizeof(v) == 16) {
    uint32_t w[4];
    __builtin_memcpy(w, &v, 16);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(w[0]),
                 "r"(w[1]), "r"(w[2]), "r"(w[3])
                 : "memory");
    return;
  }
#endif
  *reinterpret_cast<Vector<T, kN>*>(p) = v;
}

// The thread's number in the grid, and how many there are: for (int64_t i = grid_index(); i < n; i += grid_size()).
__device__ inline int64_t grid_index() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t grid_size() { return int64_t(gridDim.x) * blockDim.x; }

// ---- sums and other joins of a warp and of a block ----

// Every lane gets the result. Lanes are joined in a fixed order, so equal calls give equal bits.
template <class T, class Join>
__device__ inline T warp_reduce(T x, Join join) {
  for (int step = kWarp / 2; step > 0; step /= 2) x = join(x, __shfl_xor_sync(kAllLanes, x, step));
  return x;
}
// Every thread of a block of whole warps (at most 32 of them) gets the result. `shared` has room for 32 of T; a block
// that calls it twice with the same room synchronises in between.
template <class T, class Join>
__device__ inline T block_reduce(T x, T neutral, T* shared, Join join) {
  x = warp_reduce(x, join);
  const int lane = int(threadIdx.x) % kWarp, warp = int(threadIdx.x) / kWarp, warps = int(blockDim.x) / kWarp;
  if (lane == 0) shared[warp] = x;
  __syncthreads();
  return warp_reduce(lane < warps ? shared[lane] : neutral, join);
}
struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return fn::add(a, b);
  }
};
// NaN wins, as in PyTorch.
struct Largest {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Smallest {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

}  // namespace haft::cuda
