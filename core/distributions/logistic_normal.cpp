// Parts of a whole by sticks that are broken at normal variables. Numbers and vectors may meet: the last dimension of
// what the parameters have together is the event's.
#include "core/distributions/variable_transform.h"

namespace haft {

namespace {

class LogisticNormal final : public Distribution {
  Ref<VariableTransform> sticks_;
  Ref<Distribution> normal_;  // of the batch and one variable for each break

  void prepare() override {
    for (Tensor& x : parameters_)
      if (x.ndim() == 0) x = ops::unsqueeze(x, 0);
    const IntList sizes = parameters_[0].sizes();
    batch_ = Shape(sizes.first(sizes.size() - 1));
    event_ = Shape{sizes.back() + 1};
    sticks_ = make_variable_transform("StickBreaking", {});
    normal_ = make_distribution(distribution_kind("Normal"), parameters_, false);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const IntList front = shape.first(shape.size() - 1 - size_t(batch_.size()));
    return sticks_->forward(normal_->rsample(front, gen));
  }
  Tensor log_density(const Tensor& y) const override {
    const Tensor x = sticks_->inverse(y);
    return sum_last(normal_->log_prob(x)) - sticks_->log_abs_det_jacobian(x, y);
  }
  Ref<Distribution> expanded(IntList batch_shape) const override {
    const int64_t breaks[] = {event_[0] - 1};
    const Shape all = joined_shape(batch_shape, breaks);
    auto d = make_ref<LogisticNormal>();
    d->kind_ = kind_;
    d->validates_ = validates_;
    for (const Tensor& x : parameters_) d->parameters_.push_back(ops::expand(x, all));
    d->prepare();
    return d;
  }
};

}  // namespace

HAFT_DISTRIBUTION(LogisticNormal)

}  // namespace haft
