// Division in kernels; host code makes the numbers.
#pragma once
#ifndef __CUDACC_RTC__
#include <cstdint>
#endif

#ifdef __CUDACC__
#define HAFT_HOST_DEVICE __host__ __device__
#else
#define HAFT_HOST_DEVICE
#endif

namespace haft::cuda {

// Division by a number that is known at launch: one multiplication instead of ~20 instructions. Exact for n < 2^31.
struct Divider {
  uint32_t divisor = 1, magic = 0, shift = 0;
  Divider() = default;
  HAFT_HOST_DEVICE explicit Divider(uint32_t d) : divisor(d) {
    while (shift < 32 && (uint64_t(1) << shift) < d) ++shift;
    magic = uint32_t(((uint64_t(1) << 32) * ((uint64_t(1) << shift) - d)) / d + 1);
  }
#if defined(__CUDACC__) || defined(__device__)
  __device__ uint32_t operator()(uint32_t n) const { return (__umulhi(n, magic) + n) >> shift; }
#endif
};

}  // namespace haft::cuda
