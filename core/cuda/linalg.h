// Kernels of haft's own beside cuSOLVER's.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// Unit matrices (count, rows, columns), dense, of x's dtype.
void fill_unit(const Call& c, const haft_tensor_view& x);
// Exchanged rows of `count` matrices, `k` of `rows` each, counted from 1: as int32, and the order that they come to.
void order_of_rows(const Call& c, const int64_t* exchanged, int64_t count, int64_t k, int64_t rows,
                   int32_t* pivots, int64_t* order);

}  // namespace haft::cuda
