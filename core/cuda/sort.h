// Sorting along a dimension, for the operators that need it.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// The k least elements of each row along `dim` (the largest where it is descending), in order, as `values` and as
// their positions; stable, NaN is the largest. Any strides; `values` may be NULL.
void sort_along(const Call& c, const haft_tensor_view& x, const haft_tensor_view* values,
                const haft_tensor_view& indices, int64_t dim, int64_t k, bool descending);

}  // namespace haft::cuda
