#include "core/distributions/compound.h"

#include <algorithm>

namespace haft {

namespace {

// Of what has no entry.
const DistributionKind& kind_of_parts(bool mixture) {
  static const DistributionKind independent{.name = "Independent", .parameters = {}},
      mixed{.name = "MixtureSameFamily", .parameters = {}};
  return mixture ? mixed : independent;
}

Shape last_dims(int64_t count) {
  Shape out;
  for (int64_t i = 1; i <= count; ++i) out.push_back(-i);
  return out;
}

}  // namespace

// ---- Independent ----

Independent::Independent(Ref<Distribution> base, int64_t count, bool validates)
    : base_(std::move(base)), count_(count) {
  const IntList batch = base_->batch_shape();
  if (count < 0 || count > int64_t(batch.size()))
    fail(Code::invalid_argument,
         concat("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual ", count,
                " vs ", batch.size()),
         {}, "reinterpreted_batch_ndims");
  kind_ = &kind_of_parts(false);
  validates_ = validates;
  batch_ = Shape(batch.first(batch.size() - size_t(count)));
  event_ = joined_shape(batch.last(size_t(count)), base_->event_shape());
}

Ref<Distribution> make_independent(Ref<Distribution> base, int64_t count, bool validates) {
  return make_ref<Independent>(std::move(base), count, validates);
}

Tensor Independent::summed(const Tensor& x) const { return count_ ? ops::sum(x, last_dims(count_)) : x; }

Tensor Independent::holds(const Tensor& value) const {
  const Tensor each = base_->holds(value);
  return count_ ? ops::all(each, last_dims(count_)) : each;
}

Ref<Distribution> Independent::expanded(IntList batch_shape) const {
  return make_independent(base_->expand(joined_shape(batch_shape, IntList(event_).first(size_t(count_)))),
                          count_, validates_);
}

// ---- MixtureSameFamily ----

MixtureSameFamily::MixtureSameFamily(Ref<Distribution> mixture, Ref<Distribution> component, bool validates)
    : mixture_(std::move(mixture)), component_(std::move(component)) {
  const IntList all = component_->batch_shape();
  if (mixture_->kind().name != "Categorical")
    fail(Code::invalid_argument,
         concat("MixtureSameFamily wants a Categorical as its mixture, got ", mixture_->kind().name), {},
         "mixture");
  if (all.empty() || all.back() != mixture_->parameter("probs").size(-1))
    fail(Code::shape,
         concat("MixtureSameFamily: the mixture has ", mixture_->parameter("probs").size(-1),
                " classes, the components' batch_shape is ", all),
         {}, "component");
  kind_ = &kind_of_parts(true);
  validates_ = validates;
  batch_ = broadcast_shapes(mixture_->batch_shape(), all.first(all.size() - 1), "MixtureSameFamily");
  if (!std::ranges::equal(IntList(batch_), all.first(all.size() - 1)))
    fail(Code::shape,
         concat("MixtureSameFamily: a mixture of batch_shape ", mixture_->batch_shape(),
                " does not fit components of ", all),
         {}, "mixture");
  event_ = Shape(component_->event_shape());
}

Ref<Distribution> make_mixture(Ref<Distribution> mixture, Ref<Distribution> component, bool validates) {
  return make_ref<MixtureSameFamily>(std::move(mixture), std::move(component), validates);
}

Tensor MixtureSameFamily::mixed(const Tensor& x) const {
  Tensor weights = mixture_->parameter("probs");
  for (int64_t i = 0; i < event_.size(); ++i) weights = ops::unsqueeze(weights, -1);
  const int64_t at[] = {-1 - event_.size()};
  return ops::sum(weights * x, at);
}

Tensor MixtureSameFamily::mean() const { return mixed(component_->mean()); }

Tensor MixtureSameFamily::variance() const {
  return mixed(component_->variance()) + mixed(ops::square(component_->mean() - for_each_component(mean())));
}

Tensor MixtureSameFamily::draw(IntList shape, Generator* gen) const {
  const size_t inside = size_t(event_.size());
  const IntList batch = shape.first(shape.size() - inside);
  const int64_t k[] = {component_->batch_shape().back()};
  Shape index_sizes(batch);
  index_sizes.resize(index_sizes.size() + 1 + int64_t(inside), 1);
  const Shape taken = joined_shape(joined_shape(batch, Shape(1, 1)), event_);
  const Tensor which = mixture_->expand(batch_)->draw(batch, gen);
  const Tensor all = component_->draw(joined_shape(joined_shape(batch, k), event_), gen);
  const int64_t at = -1 - int64_t(inside);
  return ops::squeeze(ops::gather(all, at, ops::expand(ops::reshape(which, index_sizes), taken)), at);
}

Tensor MixtureSameFamily::log_density(const Tensor& value) const {
  const int64_t last[] = {-1};
  return ops::logsumexp(component_->log_density(for_each_component(value)) +
                            ops::log_softmax(mixture_->parameter("logits"), -1),
                        last, false);
}

Tensor MixtureSameFamily::below(const Tensor& value) const {
  if (!event_.empty()) fail_absent("cdf of vectors");
  return sum_last(component_->below(for_each_component(value)) * mixture_->parameter("probs"));
}

Tensor MixtureSameFamily::holds(const Tensor& value) const {
  const int64_t last[] = {-1};
  return ops::all(component_->holds(for_each_component(value)), last);
}

Ref<Distribution> MixtureSameFamily::expanded(IntList batch_shape) const {
  return make_mixture(mixture_->expand(batch_shape),
                      component_->expand(joined_shape(batch_shape, component_->batch_shape().last(1))),
                      validates_);
}

}  // namespace haft
