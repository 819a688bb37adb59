// Kernels of haft's own beside cuFFT's.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// n dense elements, float32 or float64, times `by`.
void scale_elements(const Call& c, void* x, int64_t n, double by);
// The halves of `lines` real lines of n numbers, in dense pairs, without the imaginary parts that their being real
// rules out: `to` may be `from`.
void copy_halves(const Call& c, const void* from, void* to, int64_t lines, int64_t n);

}  // namespace haft::cuda
