#pragma once
#include "core/distributions/variable_transform.h"

namespace haft {

// What a transform makes of the base's values.
class Transformed final : public Distribution {
  Ref<Distribution> base_;
  Ref<VariableTransform> transform_;

 public:
  Transformed(Ref<Distribution> base, Ref<VariableTransform> transform, bool validates);
  const Distribution& base() const { return *base_; }
  const VariableTransform& transform() const { return *transform_; }

  bool has_rsample() const override { return base_->has_rsample(); }
  std::string support_text() const override { return transform_->reached_text(); }
  std::string text() const override {
    return concat("TransformedDistribution(", base_->text(), ", ", transform_->text(), ")");
  }
  // The sum over those dimensions of an event that the base counts as its batch.
  Tensor summed(const Tensor& x) const;

 private:
  Tensor draw(IntList shape, Generator* gen) const override;
  Tensor log_density(const Tensor& value) const override;
  Tensor below(const Tensor& value) const override;
  Tensor quantile(const Tensor& probability) const override;
  Tensor holds(const Tensor& value) const override;
  Ref<Distribution> expanded(IntList batch_shape) const override;
  int64_t base_dims() const {
    return int64_t(event_.size()) + transform_->domain_ndim() - transform_->codomain_ndim();
  }
};

}  // namespace haft
