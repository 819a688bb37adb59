// Reading indices on the device.
#pragma once
#include "core/cuda/fault.cuh"
#include "core/cuda/indices.h"
#include "core/cuda/space.cuh"

namespace haft::cuda {

// How the indices of an Indexed are read and checked.
struct IndexRule {
  Fault* fault;
  uint32_t op;
  bool wide, negative, checked;
  int64_t size, step, dim;

  IndexRule(const Call& c, const Indexed& x)
      : fault(fault_of(c.device())),
        op(uint32_t(c.op())),
        wide(x.wide),
        negative(x.negative),
        checked(x.checked),
        size(x.size),
        step(x.step),
        dim(x.dim) {}

  // The index at p, whose place in its tensor is `place`; -1 for one that is out of range, which is told.
  __device__ int64_t read(const char* p, int64_t place) const {
    const int64_t given = wide ? *reinterpret_cast<const int64_t*>(p) : *reinterpret_cast<const int32_t*>(p);
    const int64_t i = given < 0 && negative ? given + size : given;
    if (i >= 0 && i < size) return i;
    if (!checked) raise(fault, op, given, place, dim, size);
    return -1;
  }
};

// A number that is counted like an address: its strides are how it grows along each dimension.
__device__ inline int64_t counted(const char* p) { return reinterpret_cast<int64_t>(p); }

}  // namespace haft::cuda
