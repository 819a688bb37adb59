// Distributions of real numbers by a location and a scale, and what is made of uniform numbers.
#include <cmath>
#include <numbers>

#include "core/dispatch/host_access.h"
#include "core/distributions/distribution.h"

namespace haft {

namespace {

constexpr double kPi = std::numbers::pi, kEuler = std::numbers::egamma, kRoot2 = std::numbers::sqrt2,
                 kLog2 = std::numbers::ln2;
const double kHalfLogTwoPi = std::log(2 * kPi) / 2;

class LocScale : public Distribution {
 public:
  Tensor mean() const override { return loc(); }
  Tensor mode() const override { return loc(); }

 protected:
  const Tensor& loc() const { return p(0); }
  const Tensor& scale() const { return p(1); }
  Tensor z(const Tensor& x) const { return (x - loc()) / scale(); }
};

// ---- normal ----

Tensor normal_density(const Tensor& z, const Tensor& scale) {
  return ops::square(z) * -0.5 - ops::log(scale) - kHalfLogTwoPi;
}
Tensor normal_below(const Tensor& z) { return (ops::erf(z / kRoot2) + 1) / 2; }
Tensor normal_entropy(const Tensor& scale) { return ops::log(scale) + (0.5 + kHalfLogTwoPi); }

class Normal final : public LocScale {
  Tensor variance() const override { return ops::square(scale()); }
  Tensor stddev() const override { return scale(); }
  Tensor entropy() const override { return normal_entropy(scale()); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return loc() + normal_numbers(shape, gen) * scale();
  }
  Tensor log_density(const Tensor& x) const override { return normal_density(z(x), scale()); }
  Tensor below(const Tensor& x) const override { return normal_below(z(x)); }
  Tensor quantile(const Tensor& u) const override {
    return loc() + scale() * ops::erfinv(u * 2 - 1) * kRoot2;
  }
};

class LogNormal final : public LocScale {
  Tensor mean() const override { return ops::exp(loc() + ops::square(scale()) / 2); }
  Tensor mode() const override { return ops::exp(loc() - ops::square(scale())); }
  Tensor variance() const override {
    const Tensor s = ops::square(scale());
    return ops::expm1(s) * ops::exp(loc() * 2 + s);
  }
  Tensor entropy() const override { return normal_entropy(scale()) + loc(); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return ops::exp(loc() + normal_numbers(shape, gen) * scale());
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor log = ops::log(x);
    return normal_density(z(log), scale()) - log;
  }
  Tensor below(const Tensor& x) const override { return normal_below(z(ops::log(x))); }
  Tensor quantile(const Tensor& u) const override {
    return ops::exp(loc() + scale() * ops::erfinv(u * 2 - 1) * kRoot2);
  }
};

class HalfNormal final : public Distribution {
  Tensor mean() const override { return p(0) * std::sqrt(2 / kPi); }
  Tensor mode() const override { return ops::zeros_like(p(0)); }
  Tensor variance() const override { return ops::square(p(0)) * (1 - 2 / kPi); }
  Tensor entropy() const override { return normal_entropy(p(0)) - kLog2; }
  Tensor draw(IntList shape, Generator* gen) const override {
    return ops::abs(normal_numbers(shape, gen) * p(0));
  }
  Tensor log_density(const Tensor& x) const override {
    return where_else(ops::ge_scalar(x, 0), normal_density(x / p(0), p(0)) + kLog2, -INFINITY);
  }
  Tensor below(const Tensor& x) const override { return ops::erf(x / p(0) / kRoot2); }
  Tensor quantile(const Tensor& u) const override { return p(0) * ops::erfinv(u) * kRoot2; }
};

// ---- Cauchy ----

class Cauchy final : public LocScale {
  Tensor mean() const override { return filled(NAN); }
  Tensor variance() const override { return filled(INFINITY); }
  Tensor entropy() const override { return ops::log(scale()) + std::log(4 * kPi); }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(open_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override {
    return -ops::log1p(ops::square(z(x))) - ops::log(scale()) - std::log(kPi);
  }
  Tensor below(const Tensor& x) const override { return ops::atan(z(x)) / kPi + 0.5; }
  Tensor quantile(const Tensor& u) const override { return loc() + scale() * ops::tan((u - 0.5) * kPi); }
};

class HalfCauchy final : public Distribution {
  Tensor mean() const override { return filled(INFINITY); }
  Tensor mode() const override { return ops::zeros_like(p(0)); }
  Tensor variance() const override { return filled(INFINITY); }
  Tensor entropy() const override { return ops::log(p(0)) + std::log(2 * kPi); }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(open_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override {
    return where_else(ops::ge_scalar(x, 0),
                      -ops::log1p(ops::square(x / p(0))) - ops::log(p(0)) + std::log(2 / kPi), -INFINITY);
  }
  Tensor below(const Tensor& x) const override { return ops::atan(x / p(0)) * (2 / kPi); }
  Tensor quantile(const Tensor& u) const override { return p(0) * ops::tan(u * (kPi / 2)); }
};

// ---- exponentials ----

class Laplace final : public LocScale {
  Tensor variance() const override { return ops::square(scale()) * 2; }
  Tensor stddev() const override { return scale() * kRoot2; }
  Tensor entropy() const override { return ops::log(scale() * 2) + 1; }
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor u = open_numbers(shape, gen) * 2 - 1;
    const Tensor tail = ops::clamp(-ops::abs(u), facts_of(dtype()).eps - 1);
    return loc() - scale() * ops::sign(u) * ops::log1p(tail);
  }
  Tensor log_density(const Tensor& x) const override {
    return -ops::log(scale() * 2) - ops::abs(x - loc()) / scale();
  }
  Tensor below(const Tensor& x) const override {
    const Tensor d = x - loc();
    return 0.5 - ops::sign(d) * ops::expm1(-ops::abs(d) / scale()) * 0.5;
  }
  Tensor quantile(const Tensor& u) const override {
    const Tensor d = u - 0.5;
    return loc() - scale() * ops::sign(d) * ops::log1p(ops::abs(d) * -2);
  }
};

class Gumbel final : public LocScale {
  Tensor mean() const override { return loc() + scale() * kEuler; }
  Tensor variance() const override { return ops::square(scale()) * (kPi * kPi / 6); }
  Tensor entropy() const override { return ops::log(scale()) + (1 + kEuler); }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(open_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override {
    const Tensor at = z(x);
    return -at - ops::exp(-at) - ops::log(scale());
  }
  Tensor below(const Tensor& x) const override { return ops::exp(-ops::exp(-z(x))); }
  Tensor quantile(const Tensor& u) const override { return loc() - scale() * ops::log(-ops::log(u)); }
};

class Exponential final : public Distribution {
  Tensor mean() const override { return ops::reciprocal(p(0)); }
  Tensor mode() const override { return ops::zeros_like(p(0)); }
  Tensor variance() const override { return ops::pow_scalar(p(0), -2); }
  Tensor stddev() const override { return mean(); }
  Tensor entropy() const override { return 1 - ops::log(p(0)); }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(uniform_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override { return ops::log(p(0)) - p(0) * x; }
  Tensor below(const Tensor& x) const override { return -ops::expm1(-(p(0) * x)); }
  Tensor quantile(const Tensor& u) const override { return -ops::log1p(-u) / p(0); }
};

class Weibull final : public Distribution {
  const Tensor& scale() const { return p(0); }
  const Tensor& shape() const { return p(1); }
  Tensor moment(double k) const { return ops::exp(ops::lgamma(ops::reciprocal(shape()) * k + 1)); }
  Tensor mean() const override { return scale() * moment(1); }
  Tensor mode() const override {
    const Tensor c = shape(), far = ops::gt_scalar(c, 1), safe = where_else(far, c, 2);
    return where_else(far, scale() * ops::pow((safe - 1) / safe, ops::reciprocal(safe)), 0);
  }
  Tensor variance() const override { return ops::square(scale()) * (moment(2) - ops::square(moment(1))); }
  Tensor entropy() const override {
    return (1 - ops::reciprocal(shape())) * kEuler + ops::log(scale() / shape()) + 1;
  }
  Tensor draw(IntList sizes, Generator* gen) const override { return quantile(open_numbers(sizes, gen)); }
  Tensor log_density(const Tensor& x) const override {
    const Tensor ratio = ops::log(x / scale());
    return ops::log(shape() / scale()) + (shape() - 1) * ratio - ops::exp(shape() * ratio);
  }
  Tensor below(const Tensor& x) const override { return -ops::expm1(-ops::pow(x / scale(), shape())); }
  Tensor quantile(const Tensor& u) const override {
    return scale() * ops::pow(-ops::log1p(-u), ops::reciprocal(shape()));
  }
};

class Pareto final : public Distribution {
  const Tensor& scale() const { return p(0); }
  const Tensor& alpha() const { return p(1); }
  std::string support_text() const override { return "GreaterThanEq(lower_bound=scale)"; }
  Tensor holds(const Tensor& x) const override { return ops::ge(x, ops::detach(scale())); }
  // Infinite where the power is too flat for a moment.
  Tensor mean() const override {
    const Tensor a = ops::clamp(alpha(), 1);
    return a * scale() / (a - 1);
  }
  Tensor mode() const override { return scale(); }
  Tensor variance() const override {
    const Tensor a = ops::clamp(alpha(), 2);
    return ops::square(scale()) * a / (ops::square(a - 1) * (a - 2));
  }
  Tensor entropy() const override { return ops::log(scale() / alpha()) + ops::reciprocal(alpha()) + 1; }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(uniform_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override {
    return ops::log(alpha()) + alpha() * ops::log(scale()) - (alpha() + 1) * ops::log(x);
  }
  Tensor below(const Tensor& x) const override { return 1 - ops::pow(scale() / x, alpha()); }
  Tensor quantile(const Tensor& u) const override { return scale() * ops::exp(-ops::log1p(-u) / alpha()); }
};

// Of z = (x - loc) / scale more than x stays beyond: (1 + c z)^(-1 / c), c the concentration; exp(-z) at c = 0.
class GeneralizedPareto final : public LocScale {
  const Tensor& shape() const { return p(2); }
  // Functions of t = c by, over c: where t is near 0 they are `by` times a series in t, so that neither they nor their
  // slopes cancel. What the other form takes there is harmless.
  struct Parted {
    Tensor far, small, large, c;
    Parted(const Tensor& shape, const Tensor& by) {
      const Tensor t = shape * by, size = ops::abs(t);
      far = ops::gt_scalar(size, kNear);
      small = where_else(ops::le_scalar(size, kNear), t, 0);
      large = where_else(far, t, 1);
      c = where_else(far, shape, 1);
    }
    template <size_t kCount>
    Tensor series(const double (&factors)[kCount]) const {
      Tensor sum = ops::full_like(small, factors[kCount - 1]);
      for (size_t k = kCount - 1; k-- > 0;) sum = sum * small + factors[k];
      return sum;
    }
  };
  static constexpr double kNear = 0.01;
  static constexpr double kLog1p[] = {1, -1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8};
  static constexpr double kExpm1[] = {1,         1.0 / 2,   1.0 / 6,    1.0 / 24,
                                      1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320};

  Tensor end() const {  // infinite where c is not below 0
    const Tensor bounded = ops::lt_scalar(shape(), 0);
    return where_else(bounded, loc() + scale() * -ops::reciprocal(where_else(bounded, shape(), -1)),
                      INFINITY);
  }
  std::string support_text() const override { return "Interval(lower_bound=loc, upper_bound=end)"; }
  Tensor holds(const Tensor& x) const override {
    return ops::logical_and(ops::ge(x, ops::detach(loc())), ops::le(x, ops::detach(end())));
  }
  // NaN where the tail is too heavy for a moment.
  Tensor mean() const override {
    const Tensor known = ops::lt_scalar(shape(), 1);
    return where_else(known, loc() + scale() / (1 - where_else(known, shape(), 0.5)), NAN);
  }
  Tensor variance() const override {
    const Tensor known = ops::lt_scalar(shape(), 0.5), c = where_else(known, shape(), 0.25);
    return where_else(known, ops::square(scale() / (1 - c)) / (1 - c * 2), NAN);
  }
  Tensor entropy() const override { return ops::log(scale()) + shape() + 1; }
  Tensor draw(IntList sizes, Generator* gen) const override { return quantile(uniform_numbers(sizes, gen)); }
  // -log of what stays beyond, times 1 + c: 0 at c = -1 up to the end itself.
  Tensor log_density(const Tensor& x) const override {
    const Tensor at = z(x);
    const Parted t(shape(), at);
    const Tensor tail =
        ops::where(t.far, ops::xlog1py(t.c + 1, t.large) / t.c, at * t.series(kLog1p) * (shape() + 1));
    return -ops::log(scale()) - tail;
  }
  Tensor below(const Tensor& x) const override {
    const Tensor at = z(x);
    const Parted t(shape(), at);
    return -ops::expm1(-ops::where(t.far, ops::log1p(t.large) / t.c, at * t.series(kLog1p)));
  }
  Tensor quantile(const Tensor& u) const override {
    const Tensor unit = -ops::log1p(-u);
    const Parted t(shape(), unit);
    return loc() + scale() * ops::where(t.far, ops::expm1(t.large) / t.c, unit * t.series(kExpm1));
  }
};

class Uniform final : public Distribution {
  const Tensor& low() const { return p(0); }
  const Tensor& high() const { return p(1); }
  void check() const override {
    const Tensor from = ops::detach(low()), to = ops::detach(high()), fits = ops::lt(from, to);
    if (all_true(fits)) return;
    const Tensor bad = ops::logical_not(fits);
    auto first = [&](const Tensor& x) {
      return item(ops::select(ops::masked_select(x, bad), 0, 0)).to_double();
    };
    fail(Code::invalid_argument,
         concat("Uniform is not defined when low >= high, got low ", first(from), " and high ", first(to)),
         "every element of low must be below high's", "high");
  }
  std::string support_text() const override { return "Interval(lower_bound=low, upper_bound=high)"; }
  Tensor holds(const Tensor& x) const override {
    return ops::logical_and(ops::ge(x, ops::detach(low())), ops::le(x, ops::detach(high())));
  }
  Tensor mean() const override { return (high() + low()) / 2; }
  Tensor mode() const override { return filled(NAN); }
  Tensor variance() const override { return ops::square(high() - low()) / 12; }
  Tensor entropy() const override { return ops::log(high() - low()); }
  Tensor draw(IntList shape, Generator* gen) const override { return quantile(uniform_numbers(shape, gen)); }
  Tensor log_density(const Tensor& x) const override {
    const Tensor inside = ops::logical_and(ops::ge(x, low()), ops::lt(x, high()));
    return ops::log(ops::cast(inside, dtype())) - ops::log(high() - low());
  }
  Tensor below(const Tensor& x) const override { return ops::clamp((x - low()) / (high() - low()), 0, 1); }
  Tensor quantile(const Tensor& u) const override { return low() + u * (high() - low()); }
};

}  // namespace

HAFT_DISTRIBUTION(Normal)
HAFT_DISTRIBUTION(LogNormal)
HAFT_DISTRIBUTION(HalfNormal)
HAFT_DISTRIBUTION(Cauchy)
HAFT_DISTRIBUTION(HalfCauchy)
HAFT_DISTRIBUTION(Laplace)
HAFT_DISTRIBUTION(Gumbel)
HAFT_DISTRIBUTION(Exponential)
HAFT_DISTRIBUTION(Weibull)
HAFT_DISTRIBUTION(Pareto)
HAFT_DISTRIBUTION(GeneralizedPareto)
HAFT_DISTRIBUTION(Uniform)

}  // namespace haft
