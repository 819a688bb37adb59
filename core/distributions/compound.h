// Distributions that are made of others.
#pragma once
#include "core/distributions/distribution.h"

namespace haft {

// The last `count` dimensions of the batch as dimensions of the event.
class Independent final : public Distribution {
  Ref<Distribution> base_;
  int64_t count_;

 public:
  Independent(Ref<Distribution> base, int64_t count, bool validates);
  const Distribution& base() const { return *base_; }
  int64_t count() const { return count_; }
  Tensor summed(const Tensor& x) const;

  bool has_rsample() const override { return base_->has_rsample(); }
  bool has_enumerate_support() const override { return count_ == 0 && base_->has_enumerate_support(); }
  Tensor mean() const override { return base_->mean(); }
  Tensor mode() const override { return base_->mode(); }
  Tensor variance() const override { return base_->variance(); }
  Tensor entropy() const override { return summed(base_->entropy()); }
  Tensor parameter(std::string_view name) const override { return base_->parameter(name); }
  std::string support_text() const override {
    return concat("IndependentConstraint(", base_->support_text(), ", ", count_, ")");
  }
  std::string text() const override { return concat("Independent(", base_->text(), ", ", count_, ")"); }

 private:
  Tensor draw(IntList shape, Generator* gen) const override { return base_->draw(shape, gen); }
  Tensor log_density(const Tensor& value) const override { return summed(base_->log_density(value)); }
  Tensor holds(const Tensor& value) const override;
  Tensor values() const override { return base_->values(); }
  Ref<Distribution> expanded(IntList batch_shape) const override;
};

// One of k components, the last dimension of their batch, by the probabilities of a Categorical.
class MixtureSameFamily final : public Distribution {
  Ref<Distribution> mixture_, component_;

 public:
  MixtureSameFamily(Ref<Distribution> mixture, Ref<Distribution> component, bool validates);

  Tensor mean() const override;
  Tensor variance() const override;
  std::string support_text() const override { return component_->support_text(); }
  std::string text() const override {
    return concat("MixtureSameFamily(", mixture_->text(), ", ", component_->text(), ")");
  }

 private:
  Tensor draw(IntList shape, Generator* gen) const override;
  Tensor log_density(const Tensor& value) const override;
  Tensor below(const Tensor& value) const override;
  Tensor holds(const Tensor& value) const override;
  Ref<Distribution> expanded(IntList batch_shape) const override;
  Tensor for_each_component(const Tensor& value) const {
    return ops::unsqueeze(value, -1 - int64_t(event_.size()));
  }
  Tensor mixed(const Tensor& of_components) const;  // the mean over the components, weighted
};

}  // namespace haft
