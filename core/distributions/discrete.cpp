// Distributions of a finite number of values.
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/distributions/either.h"

namespace haft {

Tensor Classes::draw_classes(int64_t count, Generator* gen) const {
  const Tensor w = ops::reshape(probs(), Shape{-1, classes()});
  const int64_t rows = w.size(0);
  Shape all(1, count);
  all.append(batch_.data(), batch_.size());
  if (count == 0 || rows == 0) return ops::empty(all, DType::i64, w.device());
  return ops::reshape(ops::transpose(ops::multinomial(w, count, true, gen), 0, 1), all);
}

Tensor Classes::class_density(const Tensor& index) const {
  const Shape batch = broadcast_shapes(index.sizes(), batch_, "log_prob");
  const int64_t k[] = {classes()};
  const Tensor at = ops::unsqueeze(ops::expand(as_dtype(index, DType::i64), batch), -1);
  return ops::squeeze(ops::gather(ops::expand(logits(), joined_shape(batch, k)), -1, at), -1);
}

namespace {

int64_t product(IntList sizes) { return checked_numel(sizes); }

// The sizes of a draw before the batch's.
IntList before(IntList shape, int64_t own) { return shape.first(shape.size() - size_t(own)); }

class Bernoulli final : public Trials {
 public:
  Bernoulli() : Trials(0) {}
  Tensor mean() const override { return probs(); }
  Tensor mode() const override {
    const Tensor a = probs(), one = ops::cast(ops::gt_scalar(a, 0.5), a.dtype());
    return where_else(ops::ne_scalar(a, 0.5), one, NAN);
  }
  Tensor variance() const override {
    const Tensor a = probs();
    return a * (1 - a);
  }
  Tensor entropy() const override {
    return ops::binary_cross_entropy_with_logits(logits(), probs(), {}, {}, 0);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    return ops::bernoulli(ops::expand(probs(), shape), gen);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor l = logits(), both[] = {l, as_dtype(x, l.dtype())};
    const std::vector<Tensor> same = ops::broadcast_tensors(both);
    return -ops::binary_cross_entropy_with_logits(same[0], same[1], {}, {}, 0);
  }
  Tensor values() const override { return ops::arange(0, 2, 1, given().dtype(), given().device()); }
};

class Geometric final : public Trials {
  void check() const override {
    if (const Tensor a = given_probs(); a && !all_true(ops::gt_scalar(ops::detach(a), 0)))
      fail(Code::invalid_argument, "Geometric: every element of probs must be positive, got 0",
           "what never succeeds has no last failure", "probs");
  }

 public:
  Geometric() : Trials(0) {}
  Tensor mean() const override { return ops::reciprocal(probs()) - 1; }
  Tensor mode() const override { return ops::zeros_like(probs()); }
  Tensor variance() const override {
    const Tensor a = probs();
    return (ops::reciprocal(a) - 1) / a;
  }
  Tensor entropy() const override {
    return ops::binary_cross_entropy_with_logits(logits(), probs(), {}, {}, 0) / probs();
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor a = probs(),
                 u = ops::clamp(ops::rand(shape, a.dtype(), a.device(), gen), facts_of(a.dtype()).tiny);
    return ops::floor(ops::log(u) / ops::log1p(-a));
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor a = probs(), never = ops::logical_and(ops::eq_scalar(a, 1), ops::eq_scalar(x, 0));
    return x * ops::where(never, constant_like(a, 0), ops::log1p(-a)) + ops::log(a);
  }
};

class Categorical final : public Classes {
 public:
  Categorical() : Classes(0) {}
  std::string support_text() const override {
    return concat("IntegerInterval(lower_bound=0, upper_bound=", classes() - 1, ")");
  }
  Tensor mean() const override { return ops::full(batch_, NAN, given().dtype(), given().device()); }
  Tensor mode() const override { return ops::argmax(probs(), -1); }
  Tensor variance() const override { return mean(); }
  Tensor entropy() const override { return class_entropy(); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return ops::reshape(draw_classes(product(before(shape, batch_.size())), gen), shape);
  }
  Tensor holds(const Tensor& x) const override {
    return ops::logical_and(satisfies(Constraint::nonnegative_integer, x), ops::lt_scalar(x, classes()));
  }
  Tensor log_density(const Tensor& x) const override { return class_density(x); }
  Tensor values() const override { return ops::arange(0, classes(), 1, DType::i64, given().device()); }
};

class OneHot : public Classes {
 public:
  OneHot() : Classes(0) {}
  Tensor mean() const override { return probs(); }
  Tensor mode() const override { return one_hot_of(ops::argmax(probs(), -1)); }
  Tensor variance() const override {
    const Tensor a = probs();
    return a * (1 - a);
  }
  Tensor entropy() const override { return class_entropy(); }
  Tensor draw(IntList shape, Generator* gen) const override {
    return ops::reshape(one_hot_of(draw_classes(product(before(shape, batch_.size() + 1)), gen)), shape);
  }
  Tensor log_density(const Tensor& x) const override { return class_density(ops::argmax(x, -1)); }
  Tensor values() const override { return ops::eye(classes(), -1, given().dtype(), given().device()); }
};

class OneHotCategorical final : public OneHot {};

class OneHotCategoricalStraightThrough final : public OneHot {
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor a = probs();
    Tensor hard;
    {
      NoGradGuard none;
      hard = OneHot::draw(shape, gen);
    }
    return hard + (a - ops::detach(a));
  }
};

class Multinomial final : public Classes {
  int64_t total_ = 0;

  void prepare() override {
    normalise();
    const double n = item(p(0)).to_double();
    total_ = saturated(n);
    if (double(total_) != n || total_ < 1)
      fail(Code::invalid_argument, concat("Multinomial: total_count is a whole number above 0, got ", n), {},
           "total_count");
  }
  Tensor holds(const Tensor& x) const override {
    const int64_t last[] = {-1};
    return ops::logical_and(ops::all(satisfies(Constraint::nonnegative_integer, x), last),
                            ops::eq_scalar(sum_last(x), total_));
  }

 public:
  Multinomial() : Classes(1) {}
  std::string support_text() const override { return concat("Multinomial(total_count=", total_, ")"); }
  Tensor mean() const override { return probs() * double(total_); }
  Tensor mode() const override { return Distribution::mode(); }
  Tensor variance() const override {
    const Tensor a = probs();
    return a * (1 - a) * double(total_);
  }
  // Beside that of the single draws: which of them gave what does not count.
  Tensor entropy() const override {
    const Tensor n = constant_like(given(), double(total_)), a = ops::clamp(probs(), 0, 1);
    const Tensor counts = ops::reshape(ops::arange(1, total_ + 1, 1, given().dtype(), given().device()),
                                       joined_shape(Shape{total_}, Shape(a.ndim(), 1)));
    const Tensor ways = ops::lgamma(counts + 1);
    const Tensor log = ops::lgamma(n + 1) - ways - ops::lgamma(n - counts + 1) + ops::xlogy(counts, a) +
                       ops::xlogy(n - counts, 1 - a);
    const int64_t ends[] = {0, -1};
    return class_entropy() * double(total_) - ops::lgamma(n + 1) + ops::sum(ops::exp(log) * ways, ends);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const IntList sample = before(shape, batch_.size() + 1);
    const int64_t n = product(sample);
    const Tensor drawn = ops::reshape(draw_classes(total_ * n, gen),
                                      joined_shape(joined_shape(Shape{total_}, sample), batch_));
    const int64_t first[] = {0};
    return ops::sum(one_hot_of(drawn), first);
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor counts = as_dtype(x, given().dtype()), l = logits();
    const Tensor none = ops::logical_and(ops::eq_scalar(counts, 0), ops::eq_scalar(l, -INFINITY));
    return ops::lgamma(sum_last(counts) + 1) - sum_last(ops::lgamma(counts + 1)) +
           sum_last(ops::where(none, constant_like(l, 0), l) * counts);
  }
};

// ---- in place of 0 and 1 ----

// Logistic noise on the logits; the density of its sigmoid.
class RelaxedBernoulli final : public Trials {
 public:
  RelaxedBernoulli() : Trials(1) {}
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor u = open_numbers(shape, gen);
    return ops::sigmoid((logits() + ops::log(u) - ops::log1p(-u)) / p(0));
  }
  Tensor log_density(const Tensor& x) const override {
    const double eps = facts_of(given().dtype()).eps;
    const Tensor a = ops::clamp(x, eps, 1 - eps), log = ops::log(a), rest = ops::log1p(-a),
                 d = logits() - (log - rest) * p(0);
    return ops::log(p(0)) + d - ops::softplus(d) * 2 - log - rest;
  }
};

class RelaxedOneHotCategorical final : public Classes {
 public:
  RelaxedOneHotCategorical() : Classes(1) {}
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor noise = -ops::log(-ops::log(open_numbers(shape, gen)));
    return ops::softmax((logits() + noise) / p(0), -1);
  }
  Tensor log_density(const Tensor& x) const override {
    const int64_t last[] = {-1};
    const double k = double(classes());
    const Tensor log = ops::log(x), score = logits() - p(0) * log;
    const Tensor even = sum_last(score - ops::logsumexp(score, last, true)),
                 scale = ops::lgamma(constant_like(score, k)) + ops::log(p(0)) * (k - 1);
    return even - sum_last(log) + scale;
  }
};

}  // namespace

HAFT_DISTRIBUTION(Bernoulli)
HAFT_DISTRIBUTION(Geometric)
HAFT_DISTRIBUTION(Categorical)
HAFT_DISTRIBUTION(OneHotCategorical)
HAFT_DISTRIBUTION(OneHotCategoricalStraightThrough)
HAFT_DISTRIBUTION(Multinomial)
HAFT_DISTRIBUTION(RelaxedBernoulli)
HAFT_DISTRIBUTION(RelaxedOneHotCategorical)

}  // namespace haft
