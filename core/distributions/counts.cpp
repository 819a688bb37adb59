// Distributions of whole numbers without an end, or up to a number of trials.
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/distributions/either.h"

namespace haft {

namespace {

class Poisson final : public Distribution {
 public:
  Tensor mean() const override { return p(0); }
  Tensor mode() const override { return ops::floor(p(0)); }
  Tensor variance() const override { return p(0); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return ops::poisson(ops::expand(p(0), shape), gen);
  }
  Tensor below(const Tensor& x) const override {
    return ops::igammac(ops::floor(as_dtype(x, dtype())) + 1, p(0));
  }
  Tensor log_density(const Tensor& x) const override {
    return ops::xlogy(x, p(0)) - p(0) - ops::lgamma(as_dtype(x, dtype()) + 1);
  }
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
  std::string support_text() const override {
    return "IntegerInterval(lower_bound=0, upper_bound=total_count)";
  }
  Tensor holds(const Tensor& x) const override {
    return ops::logical_and(satisfies(Constraint::nonnegative_integer, x), ops::le(x, ops::detach(trials())));
  }
  Tensor mean() const override { return trials() * probs(); }
  Tensor mode() const override { return ops::minimum(ops::floor((trials() + 1) * probs()), trials()); }
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
    return ops::binomial(ops::expand(trials(), shape), ops::expand(probs(), shape), gen);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor k = as_dtype(x, dtype()), l = logits(), n = trials();
    const Tensor ways = ops::lgamma(n + 1) - ops::lgamma(k + 1) - ops::lgamma(n - k + 1);
    return k * l + ways + n * ops::logsigmoid(-l);  // -softplus(l), without a threshold
  }
  Tensor values() const override {
    return ops::arange(0, one_count("enumerate_support") + 1, 1, dtype(), device());
  }
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
    return ops::poisson(rate, gen);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor k = as_dtype(x, dtype()), n = failures(), l = logits();
    const Tensor norm = ops::lgamma(n) + ops::lgamma(k + 1) - ops::lgamma(n + k);
    return n * ops::logsigmoid(-l) + k * ops::logsigmoid(l) -
           ops::where(ops::eq_scalar(n + k, 0), constant_like(n, 0), norm);
  }
};

}  // namespace

HAFT_DISTRIBUTION(Poisson)
HAFT_DISTRIBUTION(Binomial)
HAFT_DISTRIBUTION(NegativeBinomial)

}  // namespace haft
