// Triangular matrices (..., n, n), in operators, so that gradients of every order exist.
#pragma once
#include "core/tensor/tensor.h"

namespace haft {

// The lower factor L of positive definite matrices, a = L L^T; NaN where they are not.
Tensor cholesky(const Tensor& a);
// The inverse of lower triangular matrices.
Tensor inverse_lower(const Tensor& l);
// L L^T's lower factor from the inverse of L L^T.
Tensor factor_of_inverse(const Tensor& precision);
inline int64_t side(const Tensor& matrices) { return matrices.size(-1); }

}  // namespace haft
