#include "core/distributions/triangular.h"

#include "core/ops/arithmetic.h"

namespace haft {

namespace {

Tensor block(const Tensor& a, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  return ops::narrow(ops::narrow(a, -2, row, rows), -1, column, columns);
}

Tensor turned(const Tensor& a) { return ops::transpose(a, -2, -1); }

// [[a, 0], [b, c]]
Tensor joined(const Tensor& a, const Tensor& b, const Tensor& c) {
  Shape corner(a.sizes());
  corner[corner.size() - 1] = side(c);
  const Tensor above[] = {a, ops::zeros(corner, a.dtype(), a.device())}, below[] = {b, c};
  const Tensor rows[] = {ops::cat(above, -1), ops::cat(below, -1)};
  return ops::cat(rows, -2);
}

}  // namespace

Tensor inverse_lower(const Tensor& l) {
  const int64_t n = side(l), h = n / 2;
  if (n == 1) return ops::reciprocal(l);
  const Tensor a = inverse_lower(block(l, 0, h, 0, h)), c = inverse_lower(block(l, h, n - h, h, n - h));
  return joined(a, -ops::matmul(ops::matmul(c, block(l, h, n - h, 0, h)), a), c);
}

Tensor cholesky(const Tensor& m) {
  const int64_t n = side(m), h = n / 2;
  if (n == 1) return ops::sqrt(m);
  const Tensor a = cholesky(block(m, 0, h, 0, h));
  const Tensor b = ops::matmul(block(m, h, n - h, 0, h), turned(inverse_lower(a)));
  return joined(a, b, cholesky(block(m, h, n - h, h, n - h) - ops::matmul(b, turned(b))));
}

// Rows and columns from the back: the factor of the flipped matrix is an upper one of the matrix, whose inverse is
// lower.
Tensor factor_of_inverse(const Tensor& precision) {
  const int64_t both[] = {-2, -1};
  return inverse_lower(turned(ops::flip(cholesky(ops::flip(precision, both)), both)));
}

}  // namespace haft
