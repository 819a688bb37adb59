// Kernels of haft's own beside cuSOLVER's.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// Unit matrices (count, rows, columns), dense, of x's dtype.
void fill_unit(const Call& c, const haft_tensor_view& x);
// Exchanged rows of `count` matrices, `k` of `rows` each, counted from 1: as int32, and the order that they come to.
void order_of_rows(const Call& c, const int64_t* exchanged, int64_t count, int64_t k, int64_t rows,
                   int32_t* pivots, int64_t* order);

// Diagonals of matrices that lie `each` elements apart, `step` from one of its numbers to the next.
struct Diagonals {
  const void* data;
  DType dtype;
  int64_t each, step;
};
// Of LU factors: info is where the first 0 stands, counted from 1, and 0 where there is none, whatever the library
// says of matrices with NaN. Of Cholesky's, where info is still 0: the first number that is not positive.
void find_zeros(const Call& c, const Diagonals& d, int64_t count, int64_t k, int32_t* info);
void find_not_positive(const Call& c, const Diagonals& d, int64_t count, int64_t k, int32_t* info);
// Dense matrices with a NaN become NaN in whole, for cuSOLVER's factors of them need not have one.
void spread_nan(const Call& c, const haft_tensor_view& x);
// Who waits for the device is told of numbers that are not finite (with `lower` of those on and below the diagonal of
// rows) and, by info, of iterations without an end.
void tell_not_finite(const Call& c, const haft_tensor_view& dense, bool lower);
void tell_not_ended(const Call& c, const int* info, int64_t count);

}  // namespace haft::cuda
