// CUDA C++ for the host's compiler: what core/cuda/device.cuh says that device code may use. Included before each .cu
// file that the tests compile (HAFT_CUDA_ON_HOST). Threads of a block are fibers that run one after the other and
// change places at barriers and shuffles; every second block runs them from the last to the first, so that what lacks
// a barrier shows.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __constant__
#define __shared__ static thread_local  // one block at a time on a thread of the host
#define __align__(n) alignas(n)
#define __launch_bounds__(...)

namespace haft::cuda_on_host {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};
struct Place {
  Index3 thread, block, block_size, grid_size;
};
Place& place();  // of the fiber that runs

void* dynamic_shared();
void sync_block();
void sync_warp();
// Puts 8 bytes where the lanes of the warp see them, waits for all lanes, and answers those of `lane`; a lane that
// has ended, or is none, gives bits that nobody expects.
uint64_t exchange(uint64_t mine, int lane);
unsigned ballot(bool mine);
int lane();  // this thread's in its warp

template <class T>
T shuffle(T x, int from) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(T));
  bits = exchange(bits, from);
  std::memcpy(&x, &bits, sizeof(T));
  return x;
}

template <class T, class F>
T atomically(T* p, F f) {  // fibers change places at barriers alone
  const T old = *p;
  *p = f(old);
  return old;
}

}  // namespace haft::cuda_on_host

#define threadIdx (haft::cuda_on_host::place().thread)
#define blockIdx (haft::cuda_on_host::place().block)
#define blockDim (haft::cuda_on_host::place().block_size)
#define gridDim (haft::cuda_on_host::place().grid_size)

inline void __syncthreads() { haft::cuda_on_host::sync_block(); }
inline void __syncwarp(unsigned = 0xffffffffu) { haft::cuda_on_host::sync_warp(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
template <class T>
T __shfl_sync(unsigned, T x, int from, int width = 32) {
  const int me = haft::cuda_on_host::lane();
  return haft::cuda_on_host::shuffle(x, me / width * width + (from & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned, T x, int mask, int = 32) {
  return haft::cuda_on_host::shuffle(x, haft::cuda_on_host::lane() ^ mask);
}
// Beyond the ends of its part a lane keeps its own.
template <class T>
T __shfl_down_sync(unsigned, T x, int step, int width = 32) {
  const int me = haft::cuda_on_host::lane(), from = me % width + step < width ? me + step : me;
  return haft::cuda_on_host::shuffle(x, from);
}
template <class T>
T __shfl_up_sync(unsigned, T x, int step, int width = 32) {
  const int me = haft::cuda_on_host::lane(), from = me % width >= step ? me - step : me;
  return haft::cuda_on_host::shuffle(x, from);
}
inline unsigned __ballot_sync(unsigned, bool x) { return haft::cuda_on_host::ballot(x); }
inline int __any_sync(unsigned, bool x) { return haft::cuda_on_host::ballot(x) != 0; }
inline int __all_sync(unsigned, bool x) { return haft::cuda_on_host::ballot(!x) == 0; }

template <class T>
T atomicAdd(T* p, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T old) { return T(old + x); });
}
template <class T>
T atomicMax(T* p, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T old) { return old > x ? old : x; });
}
template <class T>
T atomicMin(T* p, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T old) { return old < x ? old : x; });
}
template <class T>
T atomicExch(T* p, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T) { return x; });
}
template <class T>
T atomicOr(T* p, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T old) { return T(old | x); });
}
template <class T>
T atomicAnd(T* p, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T old) { return T(old & x); });
}
template <class T>
T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> x) {
  return haft::cuda_on_host::atomically(p, [&](T old) { return old == expected ? x : old; });
}

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return std::countl_zero(unsigned(x)); }
inline int __clzll(long long x) { return std::countl_zero((unsigned long long)(x)); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)(a)*b >> 64);
}
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
// The host's compiler has no fused ones for plain x86-64.
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
