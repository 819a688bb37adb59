#include "core/optim/grad_scaler.h"

#include <cmath>

#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/ops/functions.h"
#include "core/optim/clip.h"

namespace haft {

namespace {

Tensor number(double v) { return ops::full({}, Scalar(v), DType::f32, Device{}); }

double value_of(const Tensor& t) { return double(*ops::to(t, DType::none, Device{}).data<float>()); }

void check(const GradScalerState& s) {
  if (!(s.scale > 0) || !std::isfinite(float(s.scale)))
    fail(Code::invalid_argument, concat("GradScaler: the scale must be positive and finite, got ", s.scale), {}, "init_scale");
  if (!(s.growth_factor > 1))
    fail(Code::invalid_argument, concat("The growth factor must be > 1.0, got ", s.growth_factor), {}, "growth_factor");
  if (!(s.backoff_factor < 1 && s.backoff_factor > 0))
    fail(Code::invalid_argument, concat("The backoff factor must be < 1.0 and positive, got ", s.backoff_factor), {}, "backoff_factor");
  // The count is a float32 on the device.
  if (s.growth_interval < 1 || s.growth_interval > 1 << 24 || s.growth_tracker < 0 || s.growth_tracker > 1 << 24)
    fail(Code::invalid_argument, concat("GradScaler: growth_interval, ", s.growth_interval, ", and its count, ", s.growth_tracker, ", must be from 1 and 0 to 2^24"),
         {}, "growth_interval");
}

uint64_t key_of(const Optimizer& o) { return uint64_t(reinterpret_cast<uintptr_t>(&o)); }

std::vector<Tensor> gradients_of(const Optimizer& o) {
  if (o.sharding() && !o.sharding()->has_whole_gradients())
    fail(Code::unsupported, "GradScaler: gradients are spread over ranks, whose infinities this rank does not see",
         "train in bfloat16, which needs no scale");
  std::vector<Tensor> all;
  for (int64_t g = 0; g < o.group_count(); ++g) {
    check_gradients_here("GradScaler", o.group(g).parameters);
    for (Tensor& t : gradients_of(std::span<const Tensor>(o.group(g).parameters))) all.push_back(std::move(t));
  }
  return all;
}

}  // namespace

GradScaler::GradScaler(const GradScalerState& state, bool enabled) : state_(state), enabled_(enabled) {
  if (!enabled) return;
  set_state(state);
}

void GradScaler::set_state(const GradScalerState& state) {
  if (!enabled_) return;
  check(state);
  Tensor scale = number(state.scale), tracker = number(double(state.growth_tracker));
  state_ = state;
  scale_ = std::move(scale);
  tracker_ = std::move(tracker);
}

GradScalerState GradScaler::state() const {
  GradScalerState s = state_;
  if (!enabled_) {
    s.scale = 1;
    return s;
  }
  s.scale = value_of(scale_);
  s.growth_tracker = int64_t(value_of(tracker_));
  return s;
}

void GradScaler::set_scale(double scale) {
  if (!enabled_) return;
  GradScalerState s = state_;
  s.scale = scale;
  check(s);
  scale_ = number(scale);
  owners_.clear();
}

Tensor GradScaler::scale(const Tensor& x) const {
  if (!enabled_) return x;
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("GradScaler: wanted a loss of a floating type, got ", dtype_name(x.dtype())), {}, "x");
  const Tensor here = ops::to(scale_, DType::none, x.device());
  if (item_size(x.dtype()) == 2)  // the scale may be more than a float16 holds
    return ops::cast(ops::mul(ops::cast(x, DType::f32), here), x.dtype());
  return ops::mul(x, here);
}

void GradScaler::unscale(uint64_t owner, std::span<const Tensor> given) {
  if (!enabled_) return;
  if (const Stage s = stage(owner); s != kReady)
    fail(Code::invalid_argument,
         s == kUnscaled ? "unscale_() has already been called on this optimizer since the last update()."
                        : "unscale_() is being called after step().",
         "call update() at the end of every step");
  NoGradGuard no_grad;
  std::vector<Tensor> gradients;
  for (const Tensor& g : given) gradients.push_back(is_rows(g) ? coalesce_in_place(g).values : g);
  for (const Tensor& g : gradients)
    if (g.dtype() == DType::f16)
      fail(Code::dtype, "Attempting to unscale FP16 gradients.", "keep the parameters in float32 and compute under autocast");
  Owner made{.stage = kUnscaled};
  for (const Tensor& g : gradients) {
    bool known = false;
    for (const Seen& s : made.seen) known |= s.device == g.device();
    if (known) continue;
    // The list of the device: its gradients, then the two numbers.
    std::vector<Tensor> list;
    for (const Tensor& other : gradients)
      if (other.device() == g.device()) list.push_back(other);
    Seen s{g.device(), ops::to(scale_, DType::none, g.device()), ops::zeros({}, DType::f32, g.device())};
    const size_t n = list.size();
    list.push_back(s.scale);
    list.push_back(s.found);
    const std::span<const Tensor> all(list);
    ops::amp_unscale(int64_t(n), all.first(n), all.subspan(n));
    made.seen.push_back(std::move(s));
  }
  if (!made.seen.empty()) owners_[owner] = std::move(made);  // without gradients nothing has been looked at
}

GradScaler::Stage GradScaler::stage(uint64_t owner) const {
  auto i = owners_.find(owner);
  return i == owners_.end() ? kReady : i->second.stage;
}

bool GradScaler::begin_step(uint64_t owner) {
  if (!enabled_) return true;
  auto i = owners_.find(owner);
  if (i != owners_.end() && i->second.stage == kStepped)
    fail(Code::invalid_argument, "step() has already been called since the last update().", "call update() at the end of every step");
  if (i == owners_.end() || i->second.seen.empty())
    fail(Code::invalid_argument, "No inf checks were recorded for this optimizer.", "no parameter of it has a gradient");
  double found = 0;
  for (const Seen& s : i->second.seen) found += value_of(s.found);
  return found == 0;
}

void GradScaler::end_step(uint64_t owner) {
  if (!enabled_) return;
  auto i = owners_.find(owner);
  if (i == owners_.end() || i->second.stage != kUnscaled)
    fail(Code::invalid_argument, "end_step() belongs behind begin_step(), once.", {}, "owner");
  i->second.stage = kStepped;
}

void GradScaler::unscale(Optimizer& o) {
  if (!enabled_) return;
  unscale(key_of(o), gradients_of(o));
  owners_[key_of(o)].keep = Ref<Optimizer>::share(&o);
}

bool GradScaler::step(Optimizer& o) {
  if (enabled_) {
    if (stage(key_of(o)) == kReady) unscale(o);
    const bool good = begin_step(key_of(o));
    if (good) o.step();
    end_step(key_of(o));
    return good;
  }
  o.step();
  return true;
}

void GradScaler::update() {
  if (!enabled_) return;
  NoGradGuard no_grad;
  std::vector<Tensor> list{scale_, tracker_};
  for (const auto& [key, owner] : owners_)
    for (const Seen& s : owner.seen) list.push_back(ops::to(s.found, DType::none, scale_.device()));
  if (list.size() == 2) fail(Code::invalid_argument, "No inf checks were recorded prior to update.", "call step() or unscale_() first");
  const std::span<const Tensor> all(list);
  ops::amp_update(2, state_.growth_factor, state_.backoff_factor, state_.growth_interval, all.first(2), all.subspan(2));
  owners_.clear();
}

}  // namespace haft
