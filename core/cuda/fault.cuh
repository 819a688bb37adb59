// How device code says that an index is out of range: it goes on with index 0, and the host learns of it at the next
// wait.
#pragma once
#include "core/cuda/device.cuh"
#include "core/cuda/device.h"

namespace haft::cuda {

__device__ inline void raise(Fault* f, uint32_t op, int64_t value, int64_t position, int64_t dim,
                             int64_t size, FaultKind kind = kBadIndex) {
  if (atomicCAS(&f->raised, uint32_t(kNotRaised), uint32_t(kBeingWritten)) != kNotRaised) return;
  f->op = op, f->kind = kind, f->value = value, f->position = position, f->dim = dim, f->size = size;
  __threadfence_system();
  atomicExch(&f->raised, uint32_t(kRaised));
}
// An index with Python's negative ones counted from the end, checked; `position` is where it stands in its tensor.
__device__ inline int64_t checked_index(Fault* f, uint32_t op, int64_t value, int64_t position, int64_t dim,
                                        int64_t size, bool negative = true) {
  const int64_t i = value < 0 && negative ? value + size : value;
  if (i >= 0 && i < size) return i;
  raise(f, op, value, position, dim, size);
  return 0;
}

}  // namespace haft::cuda
