// Distributions of whole numbers without an end, or up to a number of trials.
#include <cmath>
#include <functional>

#include "core/dispatch/host_access.h"
#include "core/distributions/either.h"

namespace haft {

namespace {

using OfCount = std::function<Tensor(const Tensor&)>;

// A law of whole numbers, in float64.
struct CountLaw {
  Tensor mean, center;
  Tensor a, b, quick, width;  // of the hat, and of what is taken without a look at the law
  OfCount log_mass;           // at k, up to `norm`
  OfCount growth;             // the mass of k over that of k - 1
  Tensor log_first;           // the logarithm of the mass of 0
  Tensor norm;
};

constexpr double kFewExpected = 10;

// Where few are expected: adds up the masses from 0 on until they exceed a uniform number.
Tensor search(const CountLaw& law, const Tensor& few, IntList shape, Generator* gen) {
  const Tensor u = ops::where(few, ops::rand(shape, DType::f64, law.mean.device(), gen), constant_like(law.mean, 0));
  Tensor mass = ops::exp(ops::where(few, law.log_first, constant_like(law.mean, 0))), reached = mass, k = ops::zeros(shape, DType::f64, u.device());
  for (int n = 1; n < 200; ++n) {  // nobody reaches 200 of 10
    const Tensor on = ops::gt(u, reached);
    if (!item(ops::any(on)).to<bool>()) break;
    k = k + as_dtype(on, DType::f64);
    mass = mass * law.growth(ops::full({}, double(n), DType::f64, u.device()));
    reached = reached + mass;
  }
  return k;
}

// Where many are: transformed rejection (Hörmann, 1993), all variables at once until each has its value.
Tensor reject(const CountLaw& law, const Tensor& few, IntList shape, Generator* gen) {
  const Device d = law.mean.device();
  Tensor k = ops::zeros(shape, DType::f64, d), left = ops::logical_and(ops::logical_not(few), ops::isfinite(law.mean));
  while (item(ops::any(left)).to<bool>()) {
    const Tensor u = ops::rand(shape, DType::f64, d, gen) - 0.5, v = ops::clamp(ops::rand(shape, DType::f64, d, gen), 1e-300);
    const Tensor us = 0.5 - ops::abs(u), tried = ops::floor((law.a * 2 / us + law.b) * u + law.center);
    const Tensor quick = ops::logical_and(ops::ge_scalar(us, 0.07), ops::le(v, law.quick));
    const Tensor height = ops::log(v) + law.width - ops::log(law.a / ops::square(us) + law.b);
    const Tensor inside = ops::logical_and(ops::ge_scalar(tried, 0), ops::le(height, law.log_mass(ops::clamp(tried, 0)) - law.norm));
    const Tensor taken = ops::logical_and(left, ops::logical_or(quick, inside));
    k = ops::where(taken, tried, k);
    left = ops::logical_and(left, ops::logical_not(taken));
  }
  return k;
}

Tensor draw_counts(const CountLaw& law, IntList shape, Generator* gen) {
  const Tensor few = ops::lt_scalar(law.mean, kFewExpected);
  const Tensor k = ops::where(few, search(law, few, shape, gen), reject(law, few, shape, gen));
  return ops::where(ops::isfinite(law.mean), k, law.mean);
}

Tensor in_doubles(const Tensor& x) { return as_dtype(ops::detach(x), DType::f64); }

}  // namespace

Tensor draw_poisson(const Tensor& rate, Generator* gen) {
  const Tensor mean = in_doubles(rate), log = ops::log(mean);
  CountLaw law{.mean = mean, .center = mean + 0.43, .a = {}, .b = ops::sqrt(mean) * 2.53 + 0.931, .quick = {}, .width = {},
               .log_mass = [=](const Tensor& k) { return k * log - mean - ops::lgamma(k + 1); },
               .growth = [=](const Tensor& k) { return mean / k; }, .log_first = -mean, .norm = ops::zeros_like(mean)};
  law.a = law.b * 0.02483 - 0.059;
  law.quick = 0.9277 - ops::reciprocal(law.b - 2) * 3.6224;
  law.width = ops::log(ops::reciprocal(law.b - 3.4) * 1.1328 + 1.1239);
  return ops::cast(draw_counts(law, rate.sizes(), gen), rate.dtype());
}

// By the rarer of success and failure.
Tensor draw_binomial(const Tensor& trials, const Tensor& probs, Generator* gen) {
  const Tensor n = in_doubles(trials), success = in_doubles(probs), swapped = ops::gt_scalar(success, 0.5);
  const Tensor p = ops::where(swapped, 1 - success, success), q = 1 - p, odds = p / q, mean = n * p;
  const Tensor spread = ops::sqrt(mean * q), top = ops::floor((n + 1) * p);
  const auto log_mass = [=](const Tensor& k) {
    const Tensor in = ops::minimum(k, n);
    const Tensor mass = k * ops::log(odds) - ops::lgamma(in + 1) - ops::lgamma(n - in + 1);
    return where_else(ops::le(k, n), mass, -INFINITY);
  };
  CountLaw law{.mean = mean, .center = mean + 0.5, .a = {}, .b = spread * 2.53 + 1.15, .quick = {}, .width = {}, .log_mass = log_mass,
               .growth = [=](const Tensor& k) { return odds * ops::clamp(n - k + 1, 0) / k; }, .log_first = n * ops::log1p(-p), .norm = log_mass(top)};
  law.a = law.b * 0.0248 + p * 0.01 - 0.0873;
  law.quick = 0.92 - ops::reciprocal(law.b) * 4.2;
  law.width = ops::log((ops::reciprocal(law.b) * 5.1 + 2.83) * spread);
  const Tensor k = draw_counts(law, trials.sizes(), gen);
  return ops::cast(ops::where(swapped, n - k, k), probs.dtype());
}

namespace {

class Poisson final : public Distribution {
 public:
  Tensor mean() const override { return p(0); }
  Tensor mode() const override { return ops::floor(p(0)); }
  Tensor variance() const override { return p(0); }
  Tensor draw(IntList shape, Generator* gen) const override { return draw_poisson(ops::expand(p(0), shape), gen); }
  Tensor log_density(const Tensor& x) const override { return ops::xlogy(x, p(0)) - p(0) - ops::lgamma(as_dtype(x, dtype()) + 1); }
};

class Binomial final : public Trials {
  const Tensor& trials() const { return p(0); }
  // One number, without which values cannot be listed.
  int64_t one_count(const char* what) const {
    if (trials().numel() == 0) return 0;
    const Tensor most = ops::amax(ops::detach(trials()));
    if (!all_true(ops::eq(ops::detach(trials()), most)))
      fail(Code::unsupported, concat("Binomial.", what, " wants one total_count for the whole batch"));
    return item(most).to_int();
  }

 public:
  Binomial() : Trials(1) {}
  std::string support_text() const override { return "IntegerInterval(lower_bound=0, upper_bound=total_count)"; }
  Tensor holds(const Tensor& x) const override {
    return ops::logical_and(satisfies(Constraint::nonnegative_integer, x), ops::le(x, ops::detach(trials())));
  }
  Tensor mean() const override { return trials() * probs(); }
  Tensor mode() const override {
    const Tensor most = ops::floor((trials() + 1) * probs());
    return ops::where(ops::gt(most, trials()), trials(), most);
  }
  Tensor variance() const override {
    const Tensor a = probs();
    return trials() * a * (1 - a);
  }
  Tensor entropy() const override {
    one_count("entropy");
    const Tensor log = log_density(enumerate_support(false));
    const int64_t first[] = {0};
    return -ops::sum(ops::exp(log) * log, first);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    return draw_binomial(ops::expand(trials(), shape), ops::expand(probs(), shape), gen);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor k = as_dtype(x, dtype()), l = logits(), n = trials();
    const Tensor ways = ops::lgamma(n + 1) - ops::lgamma(k + 1) - ops::lgamma(n - k + 1);
    // n * softplus(l), without a threshold
    return k * l + ways - n * (ops::clamp(l, 0) + ops::log1p(ops::exp(-ops::abs(l))));
  }
  Tensor values() const override { return ops::arange(0, one_count("enumerate_support") + 1, 1, dtype(), device()); }
};

class NegativeBinomial final : public Trials {
  const Tensor& failures() const { return p(0); }

 public:
  NegativeBinomial() : Trials(1) {}
  Tensor mean() const override { return failures() * ops::exp(logits()); }
  Tensor mode() const override { return ops::clamp(ops::floor((failures() - 1) * ops::exp(logits())), 0); }
  Tensor variance() const override { return mean() / ops::sigmoid(-logits()); }
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor rate = ops::standard_gamma(ops::expand(failures(), shape), gen) * ops::exp(logits());
    return draw_poisson(rate, gen);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor k = as_dtype(x, dtype()), n = failures(), l = logits();
    const Tensor norm = ops::lgamma(n) + ops::lgamma(k + 1) - ops::lgamma(n + k);
    return n * ops::logsigmoid(-l) + k * ops::logsigmoid(l) - ops::where(ops::eq_scalar(n + k, 0), constant_like(n, 0), norm);
  }
};

}  // namespace

HAFT_DISTRIBUTION(Poisson)
HAFT_DISTRIBUTION(Binomial)
HAFT_DISTRIBUTION(NegativeBinomial)

}  // namespace haft
