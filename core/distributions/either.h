// Distributions by probabilities or by logits: the other follows.
#pragma once
#include "core/distributions/distribution.h"

namespace haft {

// The two stand at `at` and `at + 1` of the parameters.
class Either : public Distribution {
  const int at_;

 public:
  explicit Either(int at) : at_(at) {}
  virtual Tensor probs() const = 0;
  virtual Tensor logits() const = 0;
  Tensor parameter(std::string_view name) const override {
    return name == "probs" ? probs() : name == "logits" ? logits() : Distribution::parameter(name);
  }

 protected:
  const Tensor& given_probs() const { return p(at_); }
  const Tensor& given_logits() const { return p(at_ + 1); }
  const Tensor& given() const { return given_probs() ? given_probs() : given_logits(); }
  Tensor clamped_probs() const {
    const double eps = facts_of(given_probs().dtype()).eps;
    return ops::clamp(given_probs(), eps, 1 - eps);
  }
  void normalise() {  // over the classes in the last dimension
    const int64_t last[] = {-1};
    Tensor &w = parameters_[size_t(at_)], &l = parameters_[size_t(at_) + 1];
    if (w)
      w = w / sum_last(w, true);
    else
      l = l - ops::logsumexp(l, last, true);
  }
};

// Of 0 and 1.
class Trials : public Either {
 public:
  using Either::Either;
  Tensor probs() const override { return given_probs() ? given_probs() : ops::sigmoid(given_logits()); }
  Tensor logits() const override {
    if (given_logits()) return given_logits();
    const Tensor a = clamped_probs();
    return ops::log(a) - ops::log1p(-a);
  }
};

// Of K values.
class Classes : public Either {
 public:
  using Either::Either;
  Tensor probs() const override { return given_probs() ? given_probs() : ops::softmax(given_logits(), -1); }
  Tensor logits() const override { return given_logits() ? given_logits() : ops::log(clamped_probs()); }
  int64_t classes() const { return given().size(-1); }

 protected:
  void prepare() override { normalise(); }
  // Indices of classes, count of them a variable of the batch: (count, *batch_shape), int64.
  Tensor draw_classes(int64_t count, Generator* gen) const;
  Tensor class_entropy() const {
    const Tensor l = ops::clamp(logits(), facts_of(given().dtype()).least);
    return -sum_last(l * probs());
  }
  Tensor class_density(const Tensor& index) const;
  Tensor one_hot_of(const Tensor& index) const {
    return ops::cast(ops::one_hot(index, classes()), given().dtype());
  }
};

}  // namespace haft
