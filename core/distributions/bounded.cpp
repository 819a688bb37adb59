// Numbers in (0, 1) by two powers, and angles.
#include <cmath>
#include <numbers>

#include "core/dispatch/host_access.h"
#include "core/distributions/distribution.h"

namespace haft {

namespace {

class Kumaraswamy final : public Distribution {
  const Tensor& a() const { return p(0); }
  const Tensor& b() const { return p(1); }
  // The mean of x^n: b B(1 + n / a, b).
  Tensor moment(double n) const {
    const Tensor at = ops::reciprocal(a()) * n + 1;
    return ops::exp(ops::log(b()) + ops::lgamma(at) + ops::lgamma(b()) - ops::lgamma(at + b()));
  }
  Tensor mean() const override { return moment(1); }
  Tensor mode() const override {
    const Tensor one = ops::logical_and(ops::ge_scalar(a(), 1), ops::ge_scalar(b(), 1)),
                 known = ops::logical_and(one, ops::gt_scalar(a() * b(), 1));
    const Tensor first = where_else(known, a(), 2), second = where_else(known, b(), 2);
    return where_else(known, ops::pow((first - 1) / (first * second - 1), ops::reciprocal(first)), NAN);
  }
  Tensor variance() const override { return moment(2) - ops::square(moment(1)); }
  Tensor entropy() const override {
    const Tensor harmonic = ops::digamma(b() + 1) + std::numbers::egamma;
    return (1 - ops::reciprocal(b())) + (1 - ops::reciprocal(a())) * harmonic - ops::log(a()) - ops::log(b());
  }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(open_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override {
    return ops::log(a()) + ops::log(b()) + ops::xlogy(a() - 1, x) + ops::xlog1py(b() - 1, -ops::pow(x, a()));
  }
  // 1 - (1 - x^a)^b and its inverse, by what stays exact near 0, and by the power near 1, where the logarithm's slope
  // is infinite.
  Tensor below(const Tensor& x) const override {
    const Tensor y = ops::pow(x, a()), far = ops::gt_scalar(y, 0.5);
    return ops::where(far, 1 - ops::pow(1 - y, b()),
                      -ops::expm1(b() * ops::log1p(-ops::masked_fill(y, far, 0.0))));
  }
  Tensor quantile(const Tensor& u) const override {
    return ops::pow(-ops::expm1(ops::log1p(-u) / b()), ops::reciprocal(a()));
  }
};

// Best and Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics 28, 1979, in float64: all
// variables at once until each has its value.
class VonMises final : public Distribution {
  const Tensor& loc() const { return p(0); }
  const Tensor& concentration() const { return p(1); }
  Tensor mean() const override { return loc(); }
  Tensor mode() const override { return loc(); }
  // Of the circle: 1 less the mean of cos(x - loc).
  Tensor variance() const override { return 1 - ops::i1e(concentration()) / ops::i0e(concentration()); }
  Tensor log_density(const Tensor& x) const override {
    return concentration() * (ops::cos(x - loc()) - 1) - ops::log(ops::i0e(concentration())) -
           std::log(2 * std::numbers::pi);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const auto numbers = [&] { return ops::rand(shape, DType::f64, device(), gen); };
    const Tensor k = ops::expand(as_dtype(ops::detach(concentration()), DType::f64), shape),
                 tau = ops::sqrt(ops::square(k) * 4 + 1) + 1;
    const Tensor rho = (tau - ops::sqrt(tau * 2)) / (k * 2), flat = ops::reciprocal(k) + k;
    const Tensor r = ops::where(ops::lt_scalar(k, 1e-5), flat, (ops::square(rho) + 1) / (rho * 2));
    Tensor x = ops::zeros(shape, DType::f64, device()), left = ops::eq(k, k);
    while (item(ops::any(left)).to<bool>()) {
      const Tensor z = ops::cos(numbers() * std::numbers::pi), f = (r * z + 1) / (r + z), c = k * (r - f),
                   u = numbers(), side = ops::sign(numbers() - 0.5);
      const Tensor quick = ops::gt(c * (2 - c), u), slow = ops::ge_scalar(ops::log(c / u) + 1 - c, 0);
      const Tensor taken = ops::logical_and(left, ops::logical_or(quick, slow));
      x = ops::where(taken, side * ops::acos(ops::clamp(f, -1, 1)), x);
      left = ops::logical_and(left, ops::logical_not(taken));
    }
    const Tensor turned =
        ops::remainder_scalar(x + as_dtype(ops::detach(loc()), DType::f64) + std::numbers::pi,
                              2 * std::numbers::pi) -
        std::numbers::pi;
    return as_dtype(turned, dtype());
  }
};

}  // namespace

HAFT_DISTRIBUTION(Kumaraswamy)
HAFT_DISTRIBUTION(VonMises)

}  // namespace haft
