#include <cmath>
#include <numbers>

#include "core/distributions/distribution.h"
#include "core/distributions/triangular.h"

namespace haft {

namespace {

Tensor transposed(const Tensor& x) { return ops::transpose(x, -2, -1); }
Tensor log_diagonal(const Tensor& factor) { return sum_last(ops::log(ops::diagonal(factor, 0, -2, -1))); }

class Wishart final : public Distribution {
  Tensor factor_;  // of the covariance, lower, (..., n, n)

  const Tensor& df() const { return p(0); }
  const Tensor& given() const { return p(1) ? p(1) : p(2) ? p(2) : p(3); }
  int64_t n() const { return given().size(-1); }

  void prepare() override {
    if (given().size(-1) != given().size(-2) || given().size(-1) == 0)
      fail(Code::shape, concat("Wishart wants square matrices, got ", given().sizes()), {},
           "covariance_matrix");
    const Tensor even = p(3) ? p(3) : (given() + transposed(given())) * 0.5;
    factor_ = p(1) ? cholesky(even) : p(2) ? factor_of_inverse(even) : even;
  }
  void check() const override {
    if (!all_true(ops::gt_scalar(ops::detach(df()), double(n() - 1))))
      fail(Code::invalid_argument,
           concat("Value of df must be greater than n - 1 = ", n() - 1, " of matrices of shape ",
                  given().sizes()),
           {}, "df");
  }
  // Its degrees of freedom less 0, 1, ..., n - 1: (..., n).
  Tensor each_df() const { return ops::unsqueeze(df(), -1) - ops::arange(0, n(), 1, dtype(), device()); }
  Tensor for_matrices(const Tensor& x) const { return ops::unsqueeze(ops::unsqueeze(x, -1), -1); }

 public:
  Tensor parameter(std::string_view name) const override {
    if (name == "scale_tril") return factor_;
    if (name == "covariance_matrix") return p(1) ? p(1) : ops::matmul(factor_, transposed(factor_));
    if (name != "precision_matrix") return Distribution::parameter(name);
    if (p(2)) return p(2);
    const Tensor inverse = inverse_lower(factor_);
    return ops::matmul(transposed(inverse), inverse);
  }
  Tensor mean() const override { return for_matrices(df()) * parameter("covariance_matrix"); }
  Tensor mode() const override {
    const Tensor rest = df() - double(n() + 1);
    return for_matrices(where_else(ops::gt_scalar(rest, 0), rest, NAN)) * parameter("covariance_matrix");
  }
  Tensor variance() const override {
    const Tensor v = parameter("covariance_matrix"), own = ops::diagonal(v, 0, -2, -1);
    return for_matrices(df()) * (ops::square(v) + ops::unsqueeze(own, -1) * ops::unsqueeze(own, -2));
  }
  Tensor entropy() const override {
    const double size = double(n());
    const Tensor digammas = sum_last(ops::digamma(each_df() * 0.5));
    return (log_diagonal(factor_) + size * std::numbers::ln2 / 2) * (size + 1) +
           ops::mvlgamma(df() * 0.5, n()) - (df() - size - 1) * 0.5 * digammas + df() * (size / 2);
  }
  // Bartlett's factor: normal numbers below a diagonal of chi variables (Smith and Hocking, Applied Statistics 21,
  // 1972).
  Tensor draw(IntList shape, Generator* gen) const override {
    const IntList vectors = shape.first(shape.size() - 1);
    const Tensor squares = ops::standard_gamma(ops::expand(each_df() * 0.5, vectors), gen) * 2;
    const Tensor noise =
        ops::matmul(factor_, ops::tril(normal_numbers(shape, gen), -1) + ops::diag_embed(ops::sqrt(squares)));
    return ops::matmul(noise, transposed(noise));
  }
  Tensor log_density(const Tensor& x) const override {
    const double size = double(n());
    const int64_t both[] = {-2, -1};
    const Tensor of_value = cholesky(x),
                 trace = ops::sum(ops::square(ops::matmul(inverse_lower(factor_), of_value)), both);
    return -(df() * (log_diagonal(factor_) + size * std::numbers::ln2 / 2)) - ops::mvlgamma(df() * 0.5, n()) +
           (df() - size - 1) * log_diagonal(of_value) - trace * 0.5;
  }
};

}  // namespace

HAFT_DISTRIBUTION(Wishart)

}  // namespace haft
