// Probability distributions: what distributions.def lists, computed with the public operators, so that gradients of
// every order, devices, dtypes and recordings are theirs. A distribution never changes.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ref.h"
#include "core/dispatch/generator.h"
#include "core/distributions/constraint.h"
#include "core/ops/arithmetic.h"

namespace haft {

class Distribution;

// An entry of distributions.def.
struct DistributionKind {
  struct Parameter {
    std::string name;
    Constraint constraint = Constraint::real;
    bool either = false;  // exactly one of these is given
    bool has_default = false;
    double default_value = 0;
  };
  std::string name;
  Constraint support = Constraint::real;
  bool rsample = false, enumerates = false;
  std::vector<Parameter> parameters;
  Ref<Distribution> (*make)() = nullptr;

  int find(std::string_view parameter) const;  // -1: none
};

class Distribution : public RefCounted {
 public:
  virtual ~Distribution() = default;

  const DistributionKind& kind() const { return *kind_; }
  IntList batch_shape() const { return batch_; }
  IntList event_shape() const { return event_; }
  bool validates() const { return validates_; }
  virtual bool has_rsample() const { return kind_->rsample; }
  virtual bool has_enumerate_support() const { return kind_->enumerates; }

  // Values of shape + batch_shape + event_shape, sample's without gradients; gen: nullptr is the thread's default
  // generator.
  Tensor sample(IntList shape, Generator* gen) const;
  Tensor rsample(IntList shape, Generator* gen) const;
  // Of values that broadcast with batch_shape + event_shape; results have the broadcast shape without the event's
  // dimensions.
  Tensor log_prob(const Tensor& value) const;
  Tensor cdf(const Tensor& value) const;
  Tensor icdf(const Tensor& probability) const;
  Tensor in_support(const Tensor& value) const;  // bool
  // All values along a new first dimension: (n, *batch_shape, *event_shape), or with 1 for each dimension of the batch.
  Tensor enumerate_support(bool expand) const;
  Ref<Distribution> expand(IntList batch_shape) const;

  virtual Tensor mean() const;
  virtual Tensor mode() const;
  virtual Tensor variance() const;
  virtual Tensor stddev() const { return ops::sqrt(variance()); }
  virtual Tensor entropy() const;
  Tensor perplexity() const { return ops::exp(entropy()); }
  // A parameter by its name, or what follows from those that were given: probs from logits. An undefined tensor: no
  // such thing.
  virtual Tensor parameter(std::string_view name) const;
  virtual std::string support_text() const { return constraint_text(kind_->support); }
  virtual std::string text() const;  // "Normal(loc: 0.0, scale: 1.0)"

 protected:
  // What classes bring. Draws are of `shape`, the batch and the event; densities and the like get checked values.
  virtual Tensor draw(IntList shape, Generator* gen) const = 0;
  virtual Tensor log_density(const Tensor& value) const = 0;
  virtual Tensor below(const Tensor& value) const;
  virtual Tensor quantile(const Tensor& probability) const;
  virtual Tensor holds(const Tensor& value) const { return satisfies(kind_->support, value); }
  virtual Tensor values() const;  // (n, *event_shape)
  virtual Ref<Distribution> expanded(IntList batch_shape) const;
  virtual void prepare() {}      // after parameters have come, before they are checked
  virtual void check() const {}  // what constraints of single parameters do not say

  const Tensor& p(int i) const { return parameters_[size_t(i)]; }
  DType dtype() const { return parameters_[0].dtype(); }
  Device device() const { return parameters_[0].device(); }
  Tensor normal_numbers(IntList shape, Generator* gen) const {
    return ops::randn(shape, dtype(), device(), gen);
  }
  Tensor uniform_numbers(IntList shape, Generator* gen) const {
    return ops::rand(shape, dtype(), device(), gen);
  }
  // Within (0, 1), so that logarithms and the like are finite.
  Tensor open_numbers(IntList shape, Generator* gen) const;
  Tensor filled(double value) const { return ops::full(batch_, value, dtype(), device()); }
  [[noreturn, gnu::cold]] void fail_absent(const char* what) const;
  void check_value(const Tensor& value, const char* what) const;

  const DistributionKind* kind_ = nullptr;
  std::vector<Tensor> parameters_;  // of one dtype and device, broadcast; undefined where another was given
  Shape batch_, event_;
  bool validates_ = true;

  friend Ref<Distribution> make_distribution(const DistributionKind&, std::vector<Tensor>, bool);
  friend class Independent;
  friend class MixtureSameFamily;
  friend class Transformed;
};

const DistributionKind& distribution_kind(std::string_view name);  // fails where there is none
// parameters: in the entry's order, undefined or left out where they are absent. validates: whether parameters and
// values are checked, which waits for the device.
Ref<Distribution> make_distribution(const DistributionKind& kind, std::vector<Tensor> parameters,
                                    bool validates);

// The last `count` dimensions of the batch as dimensions of the event.
Ref<Distribution> make_independent(Ref<Distribution> base, int64_t count, bool validates);
// One of k components, the last dimension of their batch, by the probabilities of a Categorical.
Ref<Distribution> make_mixture(Ref<Distribution> mixture, Ref<Distribution> component, bool validates);

// The Kullback-Leibler divergence, of batch_shape: the mean of log p(x) - log q(x) over x drawn from p.
Tensor kl_divergence(const Distribution& p, const Distribution& q);

struct FloatFacts {
  double eps, tiny, least;
};
FloatFacts facts_of(DType t);

// Reads on the host whether all of it is true.
bool all_true(const Tensor& condition);
Shape joined_shape(IntList a, IntList b);
inline Tensor constant_like(const Tensor& x, double value) {
  return ops::full({}, value, x.dtype(), x.device());
}
// x where the condition holds, else a number.
inline Tensor where_else(const Tensor& condition, const Tensor& x, double otherwise) {
  return ops::where(condition, x, constant_like(x, otherwise));
}
inline Tensor sum_last(const Tensor& x, bool keepdim = false) {
  const int64_t last[] = {-1};
  return ops::sum(x, last, keepdim);
}

// In the file that has the class: what distributions.def makes of its name.
#define HAFT_DISTRIBUTION(name) \
  Ref<Distribution> new_##name() { return make_ref<name>(); }

}  // namespace haft
