// What is done with gradients of rows (core/tensor/row_gradient.h) in work proportional to the rows.
#pragma once
#include "core/tensor/row_gradient.h"

namespace haft {

// A tensor from indices (n), int64 or int32, and values (n, ...) for a whole of `rows` rows. Copies; fails for what
// does not fit.
Tensor rows_from(const Tensor& indices, const Tensor& values, int64_t rows);

// Each row once, in order, the numbers of equal ones added up; a copy unless it was so already. Reads indices on the
// host.
RowGradient coalesce(const Tensor& t);
// The same in place: the tensor has memory of its own afterwards, which may be written.
RowGradient coalesce_in_place(const Tensor& t);
// No rows any more: zeros.
void clear_rows(const Tensor& t);
// The whole tensor; what is no gradient of rows is answered as it is.
Tensor to_dense(const Tensor& t);

// a + b, of which at least one is rows. Rows stay rows if both are.
Tensor sum_with_rows(const Tensor& a, const Tensor& b);
// What a leaf's gradient is when g has come: in the memory of what was there where that can be.
Tensor accumulate_rows(const Tensor& grad, const Tensor& g, DType dtype, bool create_graph);

}  // namespace haft
