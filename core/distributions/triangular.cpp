#include "core/distributions/triangular.h"

#include <cmath>

#include "core/ops/arithmetic.h"

namespace haft {

namespace {

Tensor turned(const Tensor& a) { return ops::transpose(a, -2, -1); }

}  // namespace

Tensor inverse_lower(const Tensor& l) {
  return ops::linalg_solve_triangular(l, ops::eye(side(l), -1, l.dtype(), l.device()), false);
}

Tensor cholesky(const Tensor& m) {
  auto [l, info] = ops::linalg_cholesky_ex(m);
  const Tensor failed = ops::unsqueeze(ops::unsqueeze(ops::ne_scalar(info, 0), -1), -1);
  return ops::masked_fill(l, failed, NAN);
}

// Rows and columns from the back: the factor of the flipped matrix is an upper one of the matrix, whose inverse is
// lower.
Tensor factor_of_inverse(const Tensor& precision) {
  const int64_t both[] = {-2, -1};
  return inverse_lower(turned(ops::flip(cholesky(ops::flip(precision, both)), both)));
}

}  // namespace haft
