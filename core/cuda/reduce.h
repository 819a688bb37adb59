// Reductions that other operators are made of.
#pragma once
#include <span>

#include "core/cuda/kernel.h"

namespace haft::cuda {

// Mean and variance (divisor n - correction) over dims of floating x, dense results in its computed type; either may
// be null.
void moments(const Call& c, const haft_tensor_view& x, std::span<const int64_t> dims, int64_t correction,
             void* mean, void* variance);
// The sum over dims of a floating tensor; `to` is dense. With `add` it is added to what stands there, in the computed
// type.
void sum_over(const Call& c, const haft_tensor_view& x, std::span<const int64_t> dims,
              const haft_tensor_view& to, bool add = false);
// Per channel (dimension 1) the sums of g and of g * (x - mean); views of equal strides. mean, of_g and of_gx are of
// x's computed type.
void gradient_sums(const Call& c, const haft_tensor_view& g, const haft_tensor_view& x, const void* mean,
                   void* of_g, void* of_gx);

}  // namespace haft::cuda
