#include "core/distributions/transformed.h"

#include <algorithm>

namespace haft {

namespace {

const DistributionKind& transformed_kind() {
  static const DistributionKind kind{.name = "TransformedDistribution", .parameters = {}};
  return kind;
}

Tensor over_last(const Tensor& x, int64_t count, bool all) {
  Shape dims;
  for (int64_t i = 1; i <= count; ++i) dims.push_back(-i);
  return count <= 0 ? x : all ? ops::all(x, dims) : ops::sum(x, dims);
}

// With dimensions enough for what the transform takes as a whole, and as large as its parameters make values.
Ref<Distribution> fitting(Ref<Distribution> base, const VariableTransform& t) {
  const int64_t missing = t.domain_ndim() - int64_t(base->event_shape().size());
  const Shape own = joined_shape(base->batch_shape(), base->event_shape());
  if (int64_t(own.size()) < t.domain_ndim())
    fail(Code::shape,
         concat("base_distribution needs to have shape with size at least ", t.domain_ndim(), ", but got ",
                own, "."),
         {}, "base");
  const Shape wanted = t.inverse_shape(t.forward_shape(own));
  if (!std::ranges::equal(wanted, own))
    base = base->expand(IntList(wanted).first(size_t(wanted.size()) - base->event_shape().size()));
  return missing > 0 ? make_independent(std::move(base), missing, false) : base;
}

}  // namespace

Transformed::Transformed(Ref<Distribution> base, Ref<VariableTransform> transform, bool validates)
    : base_(fitting(std::move(base), *transform)), transform_(std::move(transform)) {
  kind_ = &transformed_kind();
  validates_ = validates;
  const int64_t inside =
      transform_->codomain_ndim() +
      std::max<int64_t>(int64_t(base_->event_shape().size()) - transform_->domain_ndim(), 0);
  const Shape all = transform_->forward_shape(joined_shape(base_->batch_shape(), base_->event_shape()));
  batch_ = Shape(IntList(all).first(size_t(all.size() - inside)));
  event_ = Shape(IntList(all).last(size_t(inside)));
}

Ref<Distribution> make_transformed(Ref<Distribution> base, std::vector<Ref<VariableTransform>> transforms,
                                   bool validates) {
  return make_ref<Transformed>(std::move(base), make_composition(std::move(transforms)), validates);
}

Tensor Transformed::summed(const Tensor& x) const {
  return over_last(x, base_dims() - int64_t(base_->event_shape().size()), false);
}

Tensor Transformed::draw(IntList shape, Generator* gen) const {
  return transform_->forward(base_->draw(transform_->inverse_shape(shape), gen));
}

Tensor Transformed::log_density(const Tensor& y) const {
  const Tensor x = transform_->inverse(y);
  const Tensor change =
      over_last(transform_->log_abs_det_jacobian(x, y), base_dims() - transform_->domain_ndim(), false);
  return summed(base_->log_density(x)) - change;
}

Tensor Transformed::below(const Tensor& y) const {
  if (!event_.empty()) fail_absent("cdf of vectors");
  return transform_->turned(base_->below(transform_->inverse(y)));
}

Tensor Transformed::quantile(const Tensor& probability) const {
  if (!event_.empty()) fail_absent("icdf of vectors");
  return transform_->forward(base_->quantile(transform_->turned(probability)));
}

Tensor Transformed::holds(const Tensor& value) const {
  return over_last(transform_->reaches(value), int64_t(event_.size()) - transform_->codomain_ndim(), true);
}

Ref<Distribution> Transformed::expanded(IntList batch_shape) const {
  const Shape own = transform_->inverse_shape(joined_shape(batch_shape, event_));
  return make_ref<Transformed>(
      base_->expand(IntList(own).first(size_t(own.size()) - base_->event_shape().size())), transform_,
      validates_);
}

}  // namespace haft
