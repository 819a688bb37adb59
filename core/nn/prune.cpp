#include "core/nn/prune.h"

#include <cmath>
#include <list>
#include <memory>
#include <set>

#include "core/nn/parametrize.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

constexpr const char* kPruned = "pruned";

std::string origin(const std::string& name) { return name + "_orig"; }
std::string mask_of(const std::string& name) { return name + "_mask"; }

class Pruned final : public Computation {
  std::string origin_, mask_;

 public:
  explicit Pruned(const std::string& name) : origin_(origin(name)), mask_(mask_of(name)) {}
  Tensor value(const Module& owner) const override {
    Module& m = const_cast<Module&>(owner);
    return ops::mul(m.find_buffer(mask_), m.find_parameter(origin_));
  }
  const char* what() const override { return kPruned; }
};

int64_t units(const PruneOptions& o, int64_t left) {
  if (o.count < 0) {
    if (!(o.fraction >= 0 && o.fraction <= 1))
      fail(Code::invalid_argument, concat("pruning: the fraction must be in [0, 1], got ", o.fraction), {},
           "amount");
    return int64_t(std::nearbyint(o.fraction * double(left)));
  }
  if (o.count > left)
    fail(Code::invalid_argument, concat("pruning: ", o.count, " units are to go, there are ", left),
         "prune a part of them, or fewer", "amount");
  return o.count;
}

bool is_structured(Pruning p) { return p == Pruning::random_structured || p == Pruning::ln_structured; }

// The places, 1-d, of the n least of a vector.
Tensor least(const Tensor& scores, int64_t n) { return ops::topk(scores, n, 0, false)[1]; }

Tensor random_scores(const Tensor& like, int64_t n, const PruneOptions& o) {
  return ops::uniform({&n, 1}, 0, 1, DType::f32, like.device(), o.generator);
}

Tensor without_elements(const Tensor& scores, const Tensor& mask, const PruneOptions& o) {
  const Tensor flat = ops::flatten(mask),
               left = ops::flatten(ops::nonzero(ops::eq_scalar(flat, Scalar(1.0))));
  const int64_t n = units(o, left.numel());
  if (n == 0) return mask;
  const Tensor by = o.method == Pruning::random_unstructured
                        ? random_scores(mask, left.numel(), o)
                        : ops::index_select(ops::abs(ops::flatten(scores)), 0, left);
  return ops::reshape(ops::index_fill(flat, 0, ops::index_select(left, 0, least(by, n)), Scalar(0.0)),
                      mask.sizes());
}

Tensor without_slices(const Tensor& scores, const Tensor& mask, const PruneOptions& o) {
  if (mask.ndim() < 2)
    fail(Code::shape, concat("structured pruning wants at least 2 dimensions, got shape ", mask.sizes()),
         "prune elements", "t");
  const int64_t dim = wrap_dim(o.dim, mask.ndim(), "prune");
  Shape others;
  for (int64_t d = 0; d < mask.ndim(); ++d)
    if (d != dim) others.push_back(d);
  const Tensor left = ops::flatten(ops::nonzero(ops::any(ops::ne_scalar(mask, Scalar(0.0)), others)));
  const int64_t n = units(o, left.numel());
  if (n == 0) return mask;
  const Tensor by = o.method == Pruning::random_structured
                        ? random_scores(mask, left.numel(), o)
                        : ops::norm(ops::index_select(scores, dim, left), o.n, others);
  return ops::index_fill(mask, dim, ops::index_select(left, 0, least(by, n)), Scalar(0.0));
}

void check_scores(const Tensor& scores, const Tensor& t, const std::string& name) {
  if (!std::ranges::equal(scores.sizes(), t.sizes()))
    fail(Code::shape,
         concat("pruning \"", name, "\" of shape ", t.sizes(), ": the scores have shape ", scores.sizes()),
         {}, "scores");
}

// What a slot of a module that its caller changes was before it was pruned.
class Before {
  Module& m_;
  const std::string name_, origin_, mask_name_;
  Tensor mask_;  // undefined: it was not pruned

 public:
  Before(Module& m, const std::string& name)
      : m_(m), name_(name), origin_(origin(name)), mask_name_(mask_of(name)) {
    ComputedSlots slots(m);
    const Ref<Computation>& how = slots.find(name).computed;
    if (how && how->what() == kPruned) mask_ = slots.buffer(mask_name_);
  }
  void restore() noexcept {
    ComputedSlots slots(m_);
    if (mask_.defined()) {
      slots.buffer(mask_name_) = mask_;
      return;
    }
    slots.own(*slots.find_parameter(name_), slots.find_parameter(origin_)->tensor);
    slots.take_parameter(origin_);
    slots.take_buffer(mask_name_);
  }
};

// Prunes by what next(values or scores, mask) answers, a module that its caller changes.
template <class F>
void prune_with(Module& m, const std::string& name, const Tensor& scores, F&& next) {
  ComputedSlots slots(m);
  ComputedSlots::Slot& s = slots.find(name);
  if (s.computed && s.computed->what() != kPruned)
    fail(Code::invalid_argument, concat("\"", name, "\" of this ", m.type(), " is ", s.computed->what()),
         "prune an ordinary parameter", "name");
  if (!slots.is_parameter(s))
    fail(Code::invalid_argument,
         concat("\"", name, "\" of this ", m.type(), " is a buffer; parameters are pruned"), {}, "name");
  if (scores) check_scores(scores, s.tensor, name);
  NoGradGuard off;
  ScopedValue<bool> recorded(thread_state().inference, false);
  if (s.computed) {
    Tensor& mask = slots.buffer(mask_of(name));
    mask = next(ops::detach(scores ? scores : s.computed->value(m)), mask);
    return;
  }
  for (const std::string& taken : {origin(name), mask_of(name)})
    if (m.has_name(taken))
      fail(Code::invalid_argument, concat("this ", m.type(), " has something called \"", taken, "\" already"),
           {}, "name");
  const Tensor own = s.tensor;
  // A mask of its own: next may answer what it was given.
  Tensor mask = next(ops::detach(scores ? scores : own), ops::ones(own.sizes(), own.dtype(), own.device()));
  Tensor place = ComputedSlots::place_of(own);
  auto how = make_ref<Pruned>(name);
  slots.add(origin(name), own, mask_of(name), std::move(mask));
  slots.compute(slots.find(name), std::move(place), std::move(how));
}

}  // namespace

Tensor prune_mask(const Tensor& scores, const Tensor& mask, const PruneOptions& options) {
  if (options.method < Pruning::identity || options.method > Pruning::ln_structured)
    fail(Code::invalid_argument, concat("pruning: there is no method ", int64_t(options.method)), {},
         "method");
  check_scores(scores, mask, "mask");
  units(options, INT64_MAX / 2);  // also where nothing is compared
  if (options.method == Pruning::identity) return mask;
  NoGradGuard off;
  const Tensor by = ops::detach(scores);
  return is_structured(options.method) ? without_slices(by, mask, options)
                                       : without_elements(by, mask, options);
}

void prune(Module& m, const std::string& name, const PruneOptions& options, const Tensor& scores) {
  Changing changing(m);
  prune_with(m, name, scores,
             [&](const Tensor& by, const Tensor& mask) { return prune_mask(by, mask, options); });
}

namespace {

void take_mask(Module& m, const std::string& name, const Tensor& mask) {
  prune_with(m, name, mask, [&](const Tensor& given, const Tensor& before) {
    return ops::mul(before, ops::to(given, before.dtype(), before.device()));
  });
}

}  // namespace

void prune_by_mask(Module& m, const std::string& name, const Tensor& mask) {
  Changing changing(m);
  take_mask(m, name, mask);
}

void prune_global(const std::vector<PruneTarget>& targets, const PruneOptions& options) {
  if (is_structured(options.method))
    fail(Code::invalid_argument, "parameters are pruned together by their elements",
         "take a method without structure", "options");
  if (targets.empty()) fail(Code::invalid_argument, "no parameters to prune", {}, "modules");
  NoGradGuard off;
  std::list<Changing> changing;  // nobody runs what is pruned in part
  std::set<const Module*> changed;
  for (const PruneTarget& t : targets)
    if (changed.insert(&*t.module).second) changing.emplace_back(*t.module);
  std::vector<Tensor> values, masks;
  for (const PruneTarget& t : targets) {
    const Tensor now = ops::detach(t.module->find_value(t.name));
    if (t.scores) check_scores(t.scores, now, t.name);
    values.push_back(ops::flatten(t.scores ? ops::to(t.scores, now.dtype(), now.device()) : now));
    masks.push_back(ops::flatten(t.module->has_name(mask_of(t.name)) ? t.module->find_buffer(mask_of(t.name))
                                                                     : ops::ones_like(now)));
  }
  const Tensor all = prune_mask(ops::cat(values), ops::cat(masks), options);
  int64_t at = 0;
  std::vector<std::unique_ptr<Before>> done;
  done.reserve(targets.size());
  try {
    for (size_t i = 0; i < targets.size(); ++i) {
      Module& m = *targets[i].module;
      const int64_t size = values[i].numel();
      const Tensor own = m.find_value(targets[i].name);
      auto before = std::make_unique<Before>(m, targets[i].name);
      take_mask(m, targets[i].name, ops::reshape(ops::narrow(all, 0, at, size), own.sizes()));
      done.push_back(std::move(before));
      at += size;
    }
  } catch (...) {  // all or nothing
    for (; !done.empty(); done.pop_back()) done.back()->restore();
    throw;
  }
}

void remove_pruning(Module& m, const std::string& name) {
  Tensor gone;
  Changing changing(m);
  ComputedSlots slots(m);
  ComputedSlots::Slot& s = slots.find(name);
  if (!s.computed || s.computed->what() != kPruned)
    fail(Code::invalid_argument, concat("\"", name, "\" of this ", m.type(), " is not pruned"), {}, "name");
  NoGradGuard off;
  const Tensor own = m.find_parameter(origin(name));
  ops::copy_(own, s.computed->value(m));
  slots.own(s, own);
  slots.take_parameter(origin(name));
  gone = slots.take_buffer(mask_of(name));
}

bool is_pruned(Module& m) {
  for (const NamedModule& each : m.named_modules()) {
    Reading reading(*each.module);
    if (ComputedSlots(*each.module).any(kPruned)) return true;
  }
  return false;
}

}  // namespace haft::nn
