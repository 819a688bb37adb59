#include <cmath>
#include <numbers>

#include "core/distributions/distribution.h"
#include "core/distributions/triangular.h"

namespace haft {

namespace {

// Everything goes by the factor of 1 + W^T D^-1 W, which is m x m (Woodbury's identity; W cov_factor, D the diagonal).
class LowRankMultivariateNormal final : public Distribution {
  Tensor capacitance_;  // lower, (..., m, m)

  const Tensor& factor() const { return p(1); }
  const Tensor& diagonal() const { return p(2); }
  Tensor turned(const Tensor& x) const { return ops::transpose(x, -2, -1); }
  Tensor scaled() const { return turned(factor() / ops::unsqueeze(diagonal(), -1)); }  // W^T D^-1

  void prepare() override {
    if (factor().size(-2) != p(0).size(-1) || diagonal().size(-1) != p(0).size(-1))
      fail(Code::shape,
           concat("LowRankMultivariateNormal: loc of shape ", p(0).sizes(),
                  " wants a cov_factor (..., n, m) and a cov_diag (..., n) of its size, got ",
                  factor().sizes(), " and ", diagonal().sizes()),
           {}, "loc");
    const int64_t m = factor().size(-1);
    if (m) capacitance_ = cholesky(ops::matmul(scaled(), factor()) + ops::eye(m, m, dtype(), device()));
  }
  Tensor log_determinant() const {
    const Tensor own = sum_last(ops::log(diagonal()));
    return capacitance_ ? own + sum_last(ops::log(ops::diagonal(capacitance_, 0, -2, -1))) * 2 : own;
  }
  double n() const { return double(event_[0]); }

 public:
  Tensor parameter(std::string_view name) const override {
    if (name == "covariance_matrix")
      return ops::matmul(factor(), turned(factor())) + ops::diag_embed(diagonal());
    if (name == "scale_tril") {
      // Of what is 1 and more: no eigenvalue is near 0 after a division by the diagonal.
      const Tensor root = ops::unsqueeze(ops::sqrt(diagonal()), -1), own = factor() / root;
      const int64_t n = factor().size(-2);
      return root * cholesky(ops::matmul(own, turned(own)) + ops::eye(n, n, dtype(), device()));
    }
    if (name != "precision_matrix") return Distribution::parameter(name);
    const Tensor own = ops::diag_embed(ops::reciprocal(diagonal()));
    if (!capacitance_) return own;
    const Tensor part = ops::matmul(inverse_lower(capacitance_), scaled());
    return own - ops::matmul(turned(part), part);
  }
  Tensor mean() const override { return p(0); }
  Tensor mode() const override { return p(0); }
  Tensor variance() const override { return sum_last(ops::square(factor())) + diagonal(); }
  Tensor entropy() const override {
    return (log_determinant() + n() * (1 + std::log(2 * std::numbers::pi))) * 0.5;
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    Shape common(shape);
    common.back() = factor().size(-1);
    const Tensor shared =
        ops::squeeze(ops::matmul(factor(), ops::unsqueeze(normal_numbers(common, gen), -1)), -1);
    return p(0) + shared + ops::sqrt(diagonal()) * normal_numbers(shape, gen);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor off = x - p(0);
    Tensor squared = sum_last(ops::square(off) / diagonal());
    if (capacitance_) {
      const Tensor part = ops::matmul(scaled(), ops::unsqueeze(off, -1));
      squared =
          squared - sum_last(ops::square(ops::squeeze(ops::matmul(inverse_lower(capacitance_), part), -1)));
    }
    return (squared + log_determinant() + n() * std::log(2 * std::numbers::pi)) * -0.5;
  }
};

}  // namespace

HAFT_DISTRIBUTION(LowRankMultivariateNormal)

}  // namespace haft
