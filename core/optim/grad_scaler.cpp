#include "core/optim/grad_scaler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/dispatch/replay.h"
#include "core/ops/functions.h"
#include "core/optim/clip.h"

namespace haft {

namespace {

Tensor number(double v) { return ops::full({}, Scalar(v), DType::f32, Device{}); }

double value_of(const Tensor& t) { return double(*ops::to(t, DType::none, Device{}).data<float>()); }

void check(const GradScalerState& s) {
  if (!(s.scale > 0) || !std::isfinite(float(s.scale)))
    fail(Code::invalid_argument, concat("GradScaler: the scale must be positive and finite, got ", s.scale),
         {}, "init_scale");
  if (!(s.growth_factor > 1))
    fail(Code::invalid_argument, concat("The growth factor must be > 1.0, got ", s.growth_factor), {},
         "growth_factor");
  if (!(s.backoff_factor < 1 && s.backoff_factor > 0))
    fail(Code::invalid_argument,
         concat("The backoff factor must be < 1.0 and positive, got ", s.backoff_factor), {},
         "backoff_factor");
  // The count is a float32 on the device.
  if (s.growth_interval < 1 || s.growth_interval > 1 << 24 || s.growth_tracker < 0 ||
      s.growth_tracker > 1 << 24)
    fail(Code::invalid_argument,
         concat("GradScaler: growth_interval, ", s.growth_interval, ", and its count, ", s.growth_tracker,
                ", must be from 1 and 0 to 2^24"),
         {}, "growth_interval");
}

uint64_t key_of(const Optimizer& o) { return uint64_t(reinterpret_cast<uintptr_t>(&o)); }

std::vector<Tensor> gradients_of(const Optimizer& o) {
  if (o.sharding() && !o.sharding()->has_whole_gradients()) return o.sharding()->gradient_parts();
  std::vector<Tensor> all;
  for (int64_t g = 0; g < o.group_count(); ++g) {
    check_gradients_here("GradScaler", o.group(g).parameters);
    for (Tensor& t : gradients_of(std::span<const Tensor>(o.group(g).parameters)))
      all.push_back(std::move(t));
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
  write(state.scale, double(state.growth_tracker));
  state_ = state;
}

void GradScaler::write(double scale, double tracker) {
  if (!scale_.defined()) {
    scale_ = number(scale);
    tracker_ = number(tracker);
    return;
  }
  NoGradGuard no_grad;
  ops::fill_(scale_, Scalar(scale));
  ops::fill_(tracker_, Scalar(tracker));
}

void GradScaler::move_to(Device d) {
  if (d == scale_.device() || scale_.device() != Device{}) return;
  if (is_recording())
    fail(Code::invalid_argument, concat("GradScaler: its scale is not on ", device_text(d), " yet"),
         "take a step before the recording");
  NoGradGuard no_grad;
  Tensor scale = ops::to(scale_, DType::none, d);
  tracker_ = ops::to(tracker_, DType::none, d);
  scale_ = std::move(scale);
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
  NoGradGuard no_grad;
  ops::fill_(scale_, Scalar(scale));
  owners_.clear();
}

Tensor GradScaler::scale(const Tensor& x) {
  if (!enabled_) return x;
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("GradScaler: wanted a loss of a floating type, got ", dtype_name(x.dtype())), {},
         "x");
  move_to(x.device());
  const Tensor here = ops::to(scale_, DType::none, x.device());
  if (item_size(x.dtype()) == 2)  // the scale may be more than a float16 holds
    return ops::cast(ops::mul(ops::cast(x, DType::f32), here), x.dtype());
  return ops::mul(x, here);
}

// A rank without gradients has found nothing, and says so.
void GradScaler::join_found(Owner& o, const Join& join) const {
  if (!join.largest) return;
  const Device d = join.device;
  if (o.seen.empty()) o.seen.push_back({d, ops::to(scale_, DType::none, d), ops::zeros({}, DType::f32, d)});
  if (o.seen.size() == 1 && o.seen[0].device == d) return join.largest(o.seen[0].found);
  Tensor most = ops::zeros({}, DType::f32, d);
  for (const Seen& s : o.seen) most = ops::maximum(most, ops::to(s.found, DType::none, d));
  join.largest(most);
  for (const Seen& s : o.seen) ops::copy_(s.found, ops::to(most, DType::none, s.device));
}

void GradScaler::unscale(uint64_t owner, std::span<const Tensor> given, const Join& join) {
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
      fail(Code::dtype, "Attempting to unscale FP16 gradients.",
           "keep the parameters in float32 and compute under autocast");
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
  join_found(made, join);
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
    fail(Code::invalid_argument, "step() has already been called since the last update().",
         "call update() at the end of every step");
  if (i == owners_.end() || i->second.seen.empty())
    fail(Code::invalid_argument, "No inf checks were recorded for this optimizer.",
         "no parameter of it has a gradient");
  if (is_recording()) {
    std::vector<ReplayGate> gates;
    for (const Seen& s : i->second.seen)
      gates.push_back({s.device, s.found, [self = Ref<GradScaler>::share(this), d = s.device] {
                         return self->take_counter(d);
                       }});
    set_replay_gates(std::move(gates));
    return true;
  }
  make_counters(i->second);
  double found = 0;
  for (const Seen& s : i->second.seen) found += value_of(s.found);
  return found == 0;
}

void GradScaler::make_counters(const Owner& o) {
  for (const Seen& s : o.seen) {
    if (s.device == Device{}) continue;  // the host does not record
    auto here = std::ranges::find(counters_, s.device, &Counters::device);
    if (here != counters_.end() && here->taken < kCounters / 2) continue;
    Counters fresh{s.device, ops::zeros(Shape{kCounters}, DType::f32, s.device),
                   ops::zeros(Shape{kCounters, kMaxNumbers}, DType::f64, s.device)};
    if (here == counters_.end())
      counters_.push_back(std::move(fresh));
    else
      *here = std::move(fresh);
  }
}

std::pair<Tensor, Tensor> GradScaler::take_counter(Device d) {
  auto here = std::ranges::find(counters_, d, &Counters::device);
  if (here == counters_.end())
    fail(Code::invalid_argument,
         concat("GradScaler: its first step on ", device_text(d), " cannot be recorded"),
         "take a step with it before the recording");
  if (here->taken == kCounters)
    fail(Code::unsupported,
         concat("GradScaler: more than ", kCounters, " calls of optimizers were recorded behind each other"),
         "take a step that is not recorded between recordings");
  NoGradGuard no_grad;
  const int64_t i = here->taken;
  std::pair<Tensor, Tensor> taken{ops::select(here->all, 0, i), ops::select(here->numbers, 0, i)};
  ++here->taken;
  return taken;
}

void GradScaler::end_step(uint64_t owner) {
  if (!enabled_) return;
  auto i = owners_.find(owner);
  if (i == owners_.end() || i->second.stage != kUnscaled)
    fail(Code::invalid_argument, "end_step() belongs behind begin_step(), once.", {}, "owner");
  if (is_recording()) {
    const bool used = std::ranges::any_of(replay_gates(), &ReplayGate::used);
    set_replay_gates({});
    if (!used)
      fail(Code::unsupported,
           "GradScaler: only steps of haft's own optimizers can be recorded, for others would be made "
           "whatever was found",
           {}, "owner");
  }
  i->second.stage = kStepped;
}

void GradScaler::unscale(Optimizer& o, const Join& shards) {
  if (!enabled_) return;
  Join join = shards;
  if (OptimizerSharding* s = o.sharding(); s && !s->has_whole_gradients())
    join = {[s](const Tensor& number) { s->join_largest(number); }, o.group(0).parameters[0].device()};
  unscale(key_of(o), gradients_of(o), join);
  owners_[key_of(o)].keep = Ref<Optimizer>::share(&o);
}

bool GradScaler::step(Optimizer& o, const Join& shards) {
  if (enabled_) {
    if (stage(key_of(o)) == kReady) unscale(o, shards);
    const bool good = begin_step(key_of(o));
    try {
      if (good) o.step();
    } catch (...) {
      if (is_recording()) set_replay_gates({});  // of a step that is not
      throw;
    }
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
  if (list.size() == 2)
    fail(Code::invalid_argument, "No inf checks were recorded prior to update.",
         "call step() or unscale_() first");
  const std::span<const Tensor> all(list);
  std::optional<ReplaySettings> settings;
  if (is_recording())
    settings.emplace([self = Ref<GradScaler>::share(this)](uint64_t* words) {
      const GradScalerState& s = self->state_;
      words[1] = std::bit_cast<uint64_t>(s.growth_factor);
      words[2] = std::bit_cast<uint64_t>(s.backoff_factor);
      words[3] = uint64_t(s.growth_interval);
    });
  ops::amp_update(2, state_.growth_factor, state_.backoff_factor, state_.growth_interval, all.first(2),
                  all.subspan(2));
  owners_.clear();
}

}  // namespace haft
