// Transforms whose values are matrices: of vectors, and of matrices without conditions.
#include <cmath>
#include <numbers>

#include "core/distributions/triangular.h"
#include "core/distributions/variable_transform.h"

namespace haft {

namespace {

Tensor below_diagonal(const Tensor& m) { return ops::tril(m, -1); }
Tensor own_diagonal(const Tensor& m) { return ops::diagonal(m, 0, -2, -1); }

class MatrixTransform : public VariableTransform {
 public:
  int64_t domain_ndim() const override { return 2; }
  int64_t codomain_ndim() const override { return 2; }
  Tensor turned(const Tensor&) const override {
    fail(Code::unsupported, concat(text(), " makes matrices, which have no order"));
  }
  Tensor takes(const Tensor& x) const override { return satisfies(Constraint::real_matrix, x); }
  bool same(const VariableTransform& other) const override { return text() == other.text(); }
};

// What is above the diagonal goes nowhere, so that there is no determinant.
class OfLowerPart : public MatrixTransform {
  Tensor log_abs_det_jacobian(const Tensor&, const Tensor&) const override {
    fail(Code::unsupported, concat(text(), " is not one to one: it has no determinant"));
  }
  bool bijective() const override { return false; }

 protected:
  static Tensor lower(const Tensor& x) {
    return below_diagonal(x) + ops::diag_embed(ops::exp(own_diagonal(x)));
  }
  static Tensor from_lower(const Tensor& y) {
    return below_diagonal(y) + ops::diag_embed(ops::log(own_diagonal(y)));
  }
};

class LowerCholesky final : public OfLowerPart {
  Tensor forward(const Tensor& x) const override { return lower(x); }
  Tensor inverse(const Tensor& y) const override { return from_lower(y); }
  Constraint reached() const override { return Constraint::lower_cholesky; }
  std::string text() const override { return "LowerCholeskyTransform"; }
};

class PositiveDefinite final : public OfLowerPart {
  Tensor forward(const Tensor& x) const override {
    const Tensor factor = lower(x);
    return ops::matmul(factor, ops::transpose(factor, -2, -1));
  }
  Tensor inverse(const Tensor& y) const override { return from_lower(cholesky(y)); }
  Constraint reached() const override { return Constraint::positive_definite; }
  std::string text() const override { return "PositiveDefiniteTransform"; }
};

// Each row has the length 1: of the square that is left of it, the square of a hyperbolic tangent goes to the next
// element, what is left in the end to the diagonal (Lewandowski, Kurowicka and Joe, Journal of Multivariate Analysis
// 100, 2009). The determinant is that of the elements below the diagonal.
class CorrCholesky final : public MatrixTransform {
  static int64_t rows_of(int64_t count) {
    return int64_t(std::llround(0.5 + std::sqrt(0.25 + 2.0 * double(count))));
  }
  // Where the elements of a vector stand in the flattened matrix, row by row.
  static Tensor places(int64_t n, Device device) {
    const Tensor both = ops::tril_indices(n, n, -1, DType::i64, device);
    return ops::mul_scalar(ops::select(both, 0, 0), n) + ops::select(both, 0, 1);
  }
  static Tensor to_matrix(const Tensor& v) {
    const int64_t n = rows_of(v.size(-1));
    Shape flat(v.sizes());
    flat.back() = n * n;
    const Tensor all = ops::index_copy(ops::zeros(flat, v.dtype(), v.device()), -1, places(n, v.device()), v);
    flat.back() = n;
    flat.push_back(n);
    return ops::reshape(all, flat);
  }
  static Tensor to_vector(const Tensor& m) {
    return ops::index_select(ops::flatten(m, -2, -1), -1, places(side(m), m.device()));
  }
  // A row shifted by one, 1 in front.
  static Tensor before(const Tensor& m) {
    return ops::pad(ops::narrow(m, -1, 0, side(m) - 1), Shape{1, 0}, 0, Scalar(1));
  }
  // What the elements up to the one before leave of a row's square.
  static Tensor left_of(const Tensor& y) { return before(1 - ops::cumsum(ops::square(y), -1)); }

  Tensor forward(const Tensor& x) const override {
    forward_shape(x.sizes());
    const double most = 1 - facts_of(x.dtype()).eps;
    const Tensor share = to_matrix(ops::clamp(ops::tanh(x), -most, most));
    const Tensor left = ops::cumprod(ops::sqrt(1 - ops::square(share)), -1);
    return (share + ops::eye(side(share), -1, x.dtype(), x.device())) * before(left);
  }
  Tensor inverse(const Tensor& y) const override {
    inverse_shape(y.sizes());
    return ops::atanh(to_vector(y) / ops::sqrt(to_vector(left_of(y))));
  }
  // Of tanh log(1 - tanh(x)^2), without cancellation, and the roots that it is multiplied by.
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    forward_shape(x.sizes());
    inverse_shape(y.sizes());
    const Tensor of_tanh = (std::numbers::ln2 - x + ops::logsigmoid(x * 2)) * 2;
    return sum_last(of_tanh + ops::log(to_vector(left_of(y))) * 0.5);
  }
  int64_t domain_ndim() const override { return 1; }
  Tensor takes(const Tensor& x) const override { return satisfies(Constraint::real_vector, x); }
  Shape forward_shape(IntList shape) const override {
    checked_numel(shape);  // its square root below is exact
    const int64_t n = shape.empty() ? 0 : rows_of(shape.back());
    if (shape.empty() || n * (n - 1) / 2 != shape.back())
      fail(Code::shape,
           concat("CorrCholeskyTransform takes vectors of n (n - 1) / 2 numbers, for n rows, got shape ",
                  shape),
           {}, "x");
    Shape s(shape);
    s.back() = n;
    s.push_back(n);
    return s;
  }
  Shape inverse_shape(IntList shape) const override {
    if (shape.size() < 2 || shape[shape.size() - 1] != shape[shape.size() - 2])
      fail(Code::shape, concat("CorrCholeskyTransform makes square matrices, got shape ", shape), {}, "y");
    checked_numel(shape);
    Shape s(shape.first(shape.size() - 1));
    s.back() = shape.back() * (shape.back() - 1) / 2;
    return s;
  }
  Constraint reached() const override { return Constraint::corr_cholesky; }
  std::string text() const override { return "CorrCholeskyTransform"; }
};

}  // namespace

Ref<VariableTransform> make_lower_cholesky_transform() { return make_ref<LowerCholesky>(); }
Ref<VariableTransform> make_positive_definite_transform() { return make_ref<PositiveDefinite>(); }
Ref<VariableTransform> make_corr_cholesky_transform() { return make_ref<CorrCholesky>(); }

}  // namespace haft
