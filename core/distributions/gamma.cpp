// The gamma distribution and those that are made of gamma variables.
#include <cmath>
#include <numbers>

#include "core/distributions/distribution.h"

namespace haft {

namespace {

// Logarithms of what underflowed stay finite.
Tensor above_zero(const Tensor& x) {
  const Tensor plain = ops::detach(x);
  return x + (ops::clamp(plain, facts_of(x.dtype()).tiny) - plain);
}

Tensor gamma_numbers(const Tensor& concentration, IntList shape, Generator* gen) {
  return ops::standard_gamma(ops::expand(concentration, shape), gen);
}

class GammaLike : public Distribution {
 protected:
  virtual Tensor concentration() const = 0;
  virtual Tensor rate() const = 0;

 public:
  Tensor parameter(std::string_view name) const override {
    return name == "concentration" ? concentration()
           : name == "rate"        ? rate()
                                   : Distribution::parameter(name);
  }
  Tensor mean() const override { return concentration() / rate(); }
  Tensor mode() const override { return ops::clamp((concentration() - 1) / rate(), 0); }
  Tensor variance() const override { return concentration() / ops::square(rate()); }
  Tensor entropy() const override {
    const Tensor a = concentration();
    return a - ops::log(rate()) + ops::lgamma(a) + (1 - a) * ops::digamma(a);
  }
  Tensor below(const Tensor& x) const override { return ops::igamma(concentration(), rate() * x); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return above_zero(gamma_numbers(concentration(), shape, gen) / rate());
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor a = concentration();
    return ops::xlogy(a, rate()) + ops::xlogy(a - 1, x) - rate() * x - ops::lgamma(a);
  }
};

class Gamma final : public GammaLike {
  Tensor concentration() const override { return p(0); }
  Tensor rate() const override { return p(1); }
};

class Chi2 final : public GammaLike {
  Tensor concentration() const override { return p(0) * 0.5; }
  Tensor rate() const override { return filled(0.5); }
};

class InverseGamma final : public Distribution {
  const Tensor& shape() const { return p(0); }
  const Tensor& rate() const { return p(1); }
  Tensor mean() const override {
    const Tensor known = ops::gt_scalar(shape(), 1), safe = where_else(known, shape(), 2);
    return where_else(known, rate() / (safe - 1), INFINITY);
  }
  Tensor mode() const override { return rate() / (shape() + 1); }
  Tensor variance() const override {
    const Tensor known = ops::gt_scalar(shape(), 2), safe = where_else(known, shape(), 3);
    return where_else(known, ops::square(rate() / (safe - 1)) / (safe - 2), INFINITY);
  }
  Tensor entropy() const override {
    return shape() + ops::log(rate()) + ops::lgamma(shape()) - (shape() + 1) * ops::digamma(shape());
  }
  Tensor draw(IntList sizes, Generator* gen) const override {
    return rate() / above_zero(gamma_numbers(shape(), sizes, gen));
  }
  Tensor below(const Tensor& x) const override { return ops::igammac(shape(), rate() / x); }
  Tensor log_density(const Tensor& x) const override {
    return shape() * ops::log(rate()) - ops::lgamma(shape()) - (shape() + 1) * ops::log(x) - rate() / x;
  }
};

// ---- parts of a whole ----

Tensor parts_mode(const Tensor& concentration) {
  const int64_t last[] = {-1};
  const Tensor most = ops::clamp(concentration - 1, 0),
               flat = ops::all(ops::lt_scalar(concentration, 1), last, true);
  const Tensor corner = ops::one_hot(ops::argmax(concentration, -1), concentration.size(-1));
  return ops::where(flat, ops::cast(corner, most.dtype()), most / sum_last(most, true));
}

Tensor parts_density(const Tensor& a, const Tensor& x) {
  return sum_last(ops::xlogy(a - 1, x)) + ops::lgamma(sum_last(a)) - sum_last(ops::lgamma(a));
}

Tensor parts_entropy(const Tensor& a) {
  const Tensor total = sum_last(a);
  return sum_last(ops::lgamma(a)) - ops::lgamma(total) + (total - double(a.size(-1))) * ops::digamma(total) -
         sum_last((a - 1) * ops::digamma(a));
}

Tensor parts(const Tensor& concentration, IntList shape, Generator* gen) {
  const Tensor each = gamma_numbers(concentration, shape, gen);
  return each / sum_last(each, true);
}

Tensor share_variance(const Tensor& a, const Tensor& total) {
  return a * (total - a) / (ops::square(total) * (total + 1));
}

class Dirichlet final : public Distribution {
  Tensor mean() const override { return p(0) / sum_last(p(0), true); }
  Tensor mode() const override { return parts_mode(p(0)); }
  Tensor variance() const override { return share_variance(p(0), sum_last(p(0), true)); }
  Tensor entropy() const override { return parts_entropy(p(0)); }
  Tensor draw(IntList shape, Generator* gen) const override { return parts(p(0), shape, gen); }
  Tensor log_density(const Tensor& x) const override { return parts_density(p(0), x); }
};

class Beta final : public Distribution {
  Tensor both() const {
    const Tensor two[] = {p(0), p(1)};
    return ops::stack(two, -1);
  }
  Tensor mean() const override { return p(0) / (p(0) + p(1)); }
  Tensor mode() const override { return ops::select(parts_mode(both()), -1, 0); }
  Tensor variance() const override { return share_variance(p(0), p(0) + p(1)); }
  Tensor entropy() const override { return parts_entropy(both()); }
  Tensor draw(IntList shape, Generator* gen) const override {
    const int64_t two[] = {2};
    return ops::select(parts(both(), joined_shape(shape, two), gen), -1, 0);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor two[] = {x, 1 - x};
    return parts_density(both(), ops::stack(two, -1));
  }
};

// ---- ratios ----

class StudentT final : public Distribution {
  const Tensor& df() const { return p(0); }
  const Tensor& loc() const { return p(1); }
  const Tensor& scale() const { return p(2); }
  Tensor mean() const override { return where_else(ops::gt_scalar(df(), 1), loc(), NAN); }
  Tensor mode() const override { return loc(); }
  Tensor variance() const override {
    const Tensor of_many = ops::square(scale()) * df() / (df() - 2);
    return ops::where(ops::gt_scalar(df(), 2), of_many,
                      where_else(ops::gt_scalar(df(), 1), filled(INFINITY), NAN));
  }
  Tensor entropy() const override {
    const Tensor half = (df() + 1) * 0.5,
                 beta = ops::lgamma(df() * 0.5) + std::log(std::numbers::pi) / 2 - ops::lgamma(half);
    return ops::log(scale()) + half * (ops::digamma(half) - ops::digamma(df() * 0.5)) + ops::log(df()) * 0.5 +
           beta;
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor x = normal_numbers(shape, gen), chi2 = above_zero(gamma_numbers(df() * 0.5, shape, gen) * 2);
    return loc() + scale() * x * ops::rsqrt(chi2 / df());
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor half = (df() + 1) * 0.5, z = (x - loc()) / scale();
    const Tensor norm = ops::log(scale()) + ops::log(df()) * 0.5 + std::log(std::numbers::pi) / 2 +
                        ops::lgamma(df() * 0.5) - ops::lgamma(half);
    return -(half * ops::log1p(ops::square(z) / df())) - norm;
  }
};

class FisherSnedecor final : public Distribution {
  Tensor mean() const override { return where_else(ops::gt_scalar(p(1), 2), p(1) / (p(1) - 2), NAN); }
  Tensor mode() const override {
    return where_else(ops::gt_scalar(p(0), 2), (p(0) - 2) / p(0) * p(1) / (p(1) + 2), NAN);
  }
  Tensor variance() const override {
    const Tensor &a = p(0), &b = p(1), known = ops::gt_scalar(b, 4), safe = where_else(known, b, 5);
    return where_else(known,
                      ops::square(safe) * (a + safe - 2) * 2 / (a * ops::square(safe - 2) * (safe - 4)), NAN);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor above = gamma_numbers(p(0) * 0.5, shape, gen) / p(0),
                 under = gamma_numbers(p(1) * 0.5, shape, gen) / p(1);
    return above_zero(above / above_zero(under));
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor a = p(0) * 0.5, b = p(1) * 0.5, ratio = p(0) / p(1);
    return ops::lgamma(a + b) - ops::lgamma(a) - ops::lgamma(b) + a * ops::log(ratio) +
           (a - 1) * ops::log(x) - (a + b) * ops::log1p(ratio * x);
  }
};

}  // namespace

HAFT_DISTRIBUTION(Gamma)
HAFT_DISTRIBUTION(Chi2)
HAFT_DISTRIBUTION(InverseGamma)
HAFT_DISTRIBUTION(Beta)
HAFT_DISTRIBUTION(Dirichlet)
HAFT_DISTRIBUTION(StudentT)
HAFT_DISTRIBUTION(FisherSnedecor)

}  // namespace haft
