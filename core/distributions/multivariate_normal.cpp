#include <cmath>
#include <numbers>

#include "core/distributions/distribution.h"
#include "core/distributions/triangular.h"

namespace haft {

namespace {

class MultivariateNormal final : public Distribution {
  Tensor factor_;  // lower, (..., n, n)

  void prepare() override {
    const Tensor& first = p(1) ? p(1) : p(2) ? p(2) : p(3);
    if (first.size(-1) != first.size(-2) || first.size(-1) == 0 || p(0).size(-1) != first.size(-1))
      fail(Code::shape,
           concat("MultivariateNormal: loc of shape ", p(0).sizes(),
                  " wants square matrices of its size, got ", first.sizes()),
           {}, "loc");
    // Of halves, so that the gradient is symmetric, too.
    const Tensor even = p(3) ? p(3) : (first + ops::transpose(first, -2, -1)) * 0.5;
    factor_ = p(1) ? cholesky(even) : p(2) ? factor_of_inverse(even) : even;
  }
  Tensor log_diagonal() const { return sum_last(ops::log(ops::diagonal(factor_, 0, -2, -1))); }
  Tensor squared() const { return ops::matmul(factor_, ops::transpose(factor_, -2, -1)); }
  double n() const { return double(side(factor_)); }

 public:
  Tensor parameter(std::string_view name) const override {
    if (name == "scale_tril") return factor_;
    if (name == "covariance_matrix") return p(1) ? p(1) : squared();
    if (name != "precision_matrix") return Distribution::parameter(name);
    if (p(2)) return p(2);
    const Tensor inverse = inverse_lower(factor_);
    return ops::matmul(ops::transpose(inverse, -2, -1), inverse);
  }
  Tensor mean() const override { return p(0); }
  Tensor mode() const override { return p(0); }
  Tensor variance() const override { return sum_last(ops::square(factor_)); }
  Tensor entropy() const override { return log_diagonal() + n() / 2 * (1 + std::log(2 * std::numbers::pi)); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return p(0) + ops::squeeze(ops::matmul(factor_, ops::unsqueeze(normal_numbers(shape, gen), -1)), -1);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor z = ops::squeeze(ops::matmul(inverse_lower(factor_), ops::unsqueeze(x - p(0), -1)), -1);
    return sum_last(ops::square(z)) * -0.5 - log_diagonal() - n() / 2 * std::log(2 * std::numbers::pi);
  }
};

}  // namespace

HAFT_DISTRIBUTION(MultivariateNormal)

}  // namespace haft
