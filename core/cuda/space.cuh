// A piece of a Walk as kernels take it: 32-bit element numbers to addresses of all operands.
#pragma once
#include "core/cuda/device.cuh"
#include "core/cuda/walk.h"

namespace haft::cuda {

template <int kOperands>
struct Space {
  int ndim;  // 0: element i stands at i * item in every operand
  uint32_t count;
  union {
    Divider sizes[HAFT_MAX_DIMS];  // innermost first; neither made nor read where ndim is 0
  };
  int64_t strides[kOperands][HAFT_MAX_DIMS];  // bytes
  char* data[kOperands];
  int32_t items[kOperands];

  // `vector`: how many neighbouring elements count as one along the innermost dimension.
  explicit Space(const Walk& w, int64_t vector = 1) : ndim(w.ndim), count(uint32_t(w.numel / vector)) {
    bool linear = true;
    for (int k = 0; k < kOperands; ++k) {
      data[k] = w.operands[k].data;
      items[k] = int32_t(w.operands[k].item * vector);
      linear = linear && w.contiguous(k);
    }
    if (linear) {  // nothing else is read
      ndim = 0;
      return;
    }
    for (int i = 0; i < w.ndim; ++i) {
      const int d = w.ndim - 1 - i;
      sizes[i] = Divider(uint32_t(i ? w.sizes[d] : w.sizes[d] / vector));
      for (int k = 0; k < kOperands; ++k) strides[k][i] = w.operands[k].strides[d] * (i ? 1 : vector);
    }
  }

  __device__ void at(uint32_t i, char** p) const {
    if (ndim == 0) {
#pragma unroll
      for (int k = 0; k < kOperands; ++k) p[k] = data[k] + int64_t(i) * items[k];
      return;
    }
#pragma unroll
    for (int k = 0; k < kOperands; ++k) p[k] = data[k];
#pragma unroll
    for (int d = 0; d < HAFT_MAX_DIMS; ++d) {
      if (d == ndim) break;
      const uint32_t q = d + 1 == ndim ? 0 : sizes[d](i), r = i - q * sizes[d].divisor;
#pragma unroll
      for (int k = 0; k < kOperands; ++k) p[k] += int64_t(r) * strides[k][d];
      i = q;
    }
  }
};

}  // namespace haft::cuda
