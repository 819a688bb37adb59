#include "core/parallel/averager.h"

#include <algorithm>

#include "core/ops/functions.h"

namespace haft::parallel {

ModelAverager::ModelAverager(std::vector<Tensor> parameters, Ref<dist::Group> group,
                             const AveragerOptions& options)
    : group_(std::move(group)), options_(options), step_(ops::zeros(Shape{1}, DType::i64, Device{})) {
  if (options_.period < 1 || options_.warmup < 0)
    fail(Code::invalid_argument,
         concat("period is at least 1 and warmup_steps at least 0, got ", options_.period, " and ",
                options_.warmup),
         {}, "period");
  if (parameters.empty())
    fail(Code::invalid_argument, "there are no parameters to average", {}, "parameters");
  NoGradGuard off;
  const Device device = parameters[0].device();
  for (Tensor& t : parameters) {
    if (t.device() != device)
      fail(Code::device, concat("parameters to average are on one device, got ", device, " and ", t.device()),
           "a rank has its model on one device", "parameters");
    auto at =
        std::ranges::find_if(flats_, [&](const Flat& f) { return f.parameters[0].dtype() == t.dtype(); });
    if (at == flats_.end()) at = flats_.emplace(flats_.end());
    at->parameters.push_back(std::move(t));
  }
  for (Flat& f : flats_) {
    int64_t count = 0;
    for (const Tensor& t : f.parameters) count += t.numel();
    f.now = ops::zeros(IntList(&count, 1), f.parameters[0].dtype(), device);
    count = 0;
    for (const Tensor& t : f.parameters) {
      f.places.push_back(view_over(*f.now.impl(), t.sizes(), contiguous_strides(t.sizes()), count));
      count += t.numel();
      if (options_.outer) ops::copy_(f.places.back(), t);
    }
    if (!options_.outer) continue;
    f.outer = ops::clone(f.now);
    f.momentum = ops::zeros_like(f.now);
  }
}

bool ModelAverager::step() {
  std::lock_guard lock(mutex_);
  NoGradGuard off;
  // torch's averager joins in the first step after the warm-up; an outer step wants a whole period behind it.
  const int64_t now = step_.data<int64_t>()[0]++ - options_.warmup + options_.outer;
  if (now < 0 || now % options_.period || (options_.outer && !now)) return false;
  for (Flat& f : flats_) {
    for (size_t i = 0; i < f.places.size(); ++i) ops::copy_(f.places[i], f.parameters[i]);
    if (group_->size() > 1) group_->run(all_reduce_job(f.now, dist::ReduceOp::avg));
    if (options_.outer) {
      Tensor moved = ops::sub(f.outer, f.now);  // the outer gradient
      ops::mul_scalar_(f.momentum, Scalar(options_.outer_momentum));
      ops::add_(f.momentum, moved);
      moved = options_.nesterov
                  ? ops::add(moved, ops::mul_scalar(f.momentum, Scalar(options_.outer_momentum)))
                  : f.momentum;
      ops::sub_(f.outer, ops::mul_scalar(moved, Scalar(options_.outer_lr)));
      ops::copy_(f.now, f.outer);
    }
    for (size_t i = 0; i < f.places.size(); ++i) ops::copy_(f.parameters[i], f.places[i]);
  }
  return true;
}

std::vector<nn::NamedTensor> ModelAverager::state() {
  std::lock_guard lock(mutex_);
  std::vector<nn::NamedTensor> out{{"step", step_}};
  for (size_t i = 0; options_.outer && i < flats_.size(); ++i) {
    out.push_back({concat("outer.", i), flats_[i].outer});
    out.push_back({concat("momentum.", i), flats_[i].momentum});
  }
  return out;
}

void ModelAverager::load_state(std::span<const nn::NamedTensor> state) {
  const std::vector<nn::NamedTensor> mine = this->state();
  std::lock_guard lock(mutex_);
  NoGradGuard off;
  for (const nn::NamedTensor& n : state) {
    const auto at = std::ranges::find(mine, n.name, &nn::NamedTensor::name);
    if (at == mine.end())
      fail(Code::invalid_argument, concat("the averager keeps no \"", n.name, "\""), {}, "names");
    if (!std::ranges::equal(at->tensor.sizes(), n.tensor.sizes()))
      fail(Code::shape,
           concat("\"", n.name, "\" has shape ", n.tensor.sizes(), ", wanted ", at->tensor.sizes()), {},
           "tensors");
  }
  for (const nn::NamedTensor& n : state) {
    const Tensor& to = std::ranges::find(mine, n.name, &nn::NamedTensor::name)->tensor;
    ops::copy_(to, ops::to(n.tensor, DType::none, to.device()));
  }
}

}  // namespace haft::parallel
