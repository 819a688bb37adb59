#include "core/optim/optimizer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/layout.h"
#include "core/dispatch/replay.h"
#include "core/ops/functions.h"
#include "core/optim/rules.h"
#include "core/optim/whole_steps.h"
#include "core/tape/tape.h"

namespace haft {

namespace {

// A call's inputs are counted in 16 bits; 2 + kMaxSlots lists of this many fit.
constexpr int64_t kMaxParametersPerCall = 8192;

Tensor zeros_for(const Tensor& p) { return ops::full(p.sizes(), Scalar(0.0), p.dtype(), p.device()); }

// Numbers of a state are as exact as the default type, in which state dicts hold them: PyTorch computes with those.
using Numbers = std::array<double, kMaxNumbers>;
DType number_dtype() { return default_float() == DType::f64 ? DType::f64 : DType::f32; }
void remember(const OptimizerKind& kind, const std::vector<double>& values, int64_t step, Numbers& numbers) {
  if (!kind.remember) return;
  kind.remember(values.data(), values[0], double(step), numbers.data());
  if (number_dtype() == DType::f32)
    for (double& v : numbers) {
      const volatile float held = float(v);  // GCC 12 drops double(float(v)) of two neighbours
      v = double(held);
    }
}

int64_t elements_of(const ParameterGroup& g) {
  int64_t n = 0;
  for (const Tensor& p : g.parameters) n += p.numel();
  return n;
}

// A tensor of its own with the values of x, in the dtype and on the device of p.
Tensor copy_for(const Tensor& p, const Tensor& x) {
  Tensor t = x.device() == p.device() ? x : copy_to_device(x, p.device());
  return t.dtype() == p.dtype() ? ops::clone(t) : ops::cast(t, p.dtype());
}

}  // namespace

int64_t to_count(double v, std::string_view type, const char* name, const char* argument) {
  if (!(v >= 0 && v < 0x1p53 && v == double(int64_t(v))))
    fail(Code::invalid_argument, concat(type, ": ", name, " is ", v, ", wanted a whole number"), {},
         argument);
  return int64_t(v);
}

Optimizer::Optimizer(const OptimizerKind& kind, std::span<const Tensor> parameters,
                     std::vector<double> options)
    : kind_(kind), defaults_(std::move(options)) {
  add_group(parameters, defaults_);
}

Optimizer::~Optimizer() {
  if (sharding_) sharding_->close();
}

void Optimizer::shard(Ref<OptimizerSharding> sharding) {
  if (kind_.whole)
    fail(Code::unsupported,
         concat(type(), ": its step looks at whole parameters, and cannot be spread over ranks"), {}, "o");
  if (kind_.id == OptimizerId::SparseAdam)
    fail(Code::unsupported, "SparseAdam: takes gradients of rows, which are not spread over ranks", {}, "o");
  NoGradGuard no_grad;
  std::vector<ParameterGroup> parts = groups_;
  int64_t number = 0;
  for (ParameterGroup& g : parts)
    for (ParameterState& s : g.states) {
      for (Tensor& slot : s.slots)
        if (slot.defined()) slot = ops::clone(sharding->part(number, slot));
      ++number;
    }
  groups_ = std::move(parts);
  sharding_ = std::move(sharding);
}

const ParameterGroup& Optimizer::group(int64_t g) const {
  if (g < 0 || g >= group_count())
    fail(Code::index, concat(type(), ": group ", g, " does not exist, there are ", group_count()), {},
         "group");
  return groups_[size_t(g)];
}

int64_t Optimizer::add_group(std::span<const Tensor> parameters, const std::vector<double>& options) {
  kind_.check(options);
  if (parameters.empty())
    fail(Code::invalid_argument, concat(type(), ": no parameters were given"), {}, "params");
  if (kind_.id == OptimizerId::LBFGS && !groups_.empty())
    fail(Code::invalid_argument, "LBFGS: has one group of parameters",
         "give it all parameters when it is made", "params");
  ParameterGroup g;
  g.options = options;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& p = parameters[i];
    if (!p.defined())
      fail(Code::invalid_argument, concat(type(), ": parameter ", int64_t(i), " is absent"), {}, "params");
    if (!is_float(p.dtype()))
      fail(Code::dtype,
           concat(type(), ": parameter ", int64_t(i), " is ", dtype_name(p.dtype()),
                  ", wanted a floating type"),
           {}, "params");
    if (!is_leaf(p))
      fail(Code::autograd,
           concat(type(), ": parameter ", int64_t(i), " of shape ", p.sizes(),
                  " is the result of an operator, wanted a leaf"),
           "detach it and let it require a gradient before it is used", "params");
    auto known = [&](const std::vector<Tensor>& all) {
      return std::ranges::any_of(all, [&](const Tensor& q) { return q.impl() == p.impl(); });
    };
    if (known(g.parameters) ||
        std::ranges::any_of(groups_, [&](const ParameterGroup& h) { return known(h.parameters); }))
      fail(Code::invalid_argument,
           concat(type(), ": parameter ", int64_t(i), " of shape ", p.sizes(), " was given twice"),
           "each parameter belongs to one group", "params");
    if (kind_.whole) check_whole(kind_, p, int64_t(i));
    g.parameters.push_back(p);
  }
  g.states.resize(g.parameters.size());
  groups_.reserve(groups_.size() + 1);  // from here on nothing fails but the sharding
  if (sharding_) sharding_->add_group(g.parameters);
  groups_.push_back(std::move(g));
  return group_count() - 1;
}

void Optimizer::step() {
  NoGradGuard no_grad;
  if (kind_.id == OptimizerId::LBFGS)
    fail(Code::invalid_argument, "LBFGS: a step needs a closure that computes the loss and its gradients",
         "call the step that takes one", "o");
  if (sharding_) return sharding_->step(*this);
  if (!is_recording()) settle();
  all_.clear();
  for (const ParameterGroup& g : groups_)
    for (const Tensor& p : g.parameters) {
      all_.push_back(gradient_of(p));
      if (all_.back().defined()) check_gradient(g, all_.back());
    }
  size_t at = 0;
  for (ParameterGroup& g : groups_) {
    gradients_.clear();
    for (size_t i = 0; i < g.parameters.size(); ++i) gradients_.push_back(std::move(all_[at++]));
    step_group(g, g.parameters);
  }
}

void Optimizer::check_gradient(const ParameterGroup& g, const Tensor& gradient) const {
  if (is_rows(gradient)) [[unlikely]] {
    if (const char* why = kind_.rows_refused(g.options)) fail_rows_refused(kind_, why);
  } else if (kind_.id == OptimizerId::SparseAdam) {
    fail(Code::unsupported, "SparseAdam does not support dense gradients, please consider Adam instead",
         "a layer made with sparse gives its table gradients of rows", "o");
  }
}

void Optimizer::step_rows(ParameterGroup& g, size_t i, const Tensor& gradient) {
  const Tensor& p = g.parameters[i];
  ParameterState& s = g.states[i];
  if (!std::ranges::equal(p.sizes(), gradient.sizes()))
    fail(Code::shape,
         concat(type(), ": a gradient has shape ", gradient.sizes(), ", its parameter ", p.sizes()), {}, "o");
  const RowGradient rows = coalesce(gradient);
  if (kind_.id == OptimizerId::SGD && g.options[rules::rule_SGD<double>::momentum] != 0) {
    step_row_momentum(g.options, p, rows, s);
    ++s.step;
    return;
  }
  const unsigned slots = kind_.slots_of(g.options);
  std::vector<Tensor> whole{p};  // the parameter, then its slots
  for (unsigned k = slots; k; k &= k - 1) {
    Tensor& slot = s.slots[std::countr_zero(k)];
    // Where rows begin that have not come yet.
    const double start = kind_.id == OptimizerId::Adagrad
                             ? g.options[size_t(kind_.find_option("initial_accumulator_value"))]
                             : 0;
    if (!slot.defined()) slot = ops::full(p.sizes(), Scalar(start), p.dtype(), p.device());
    whole.push_back(slot);
  }
  std::vector<Tensor> lists;
  for (const Tensor& t : whole) lists.push_back(ops::index_select(t, 0, rows.indices));
  lists.insert(lists.begin() + 1, rows.values);
  const std::span<const Tensor> all(lists);
  ops::optimizer_step(int64_t(kind_.id), 1, int64_t(slots), false, s.step + 1, g.options[0], g.options,
                      all.first(1), all.subspan(1, 1), all.subspan(2), {});
  for (size_t k = 0; k < whole.size(); ++k)
    ops::index_put_(whole[k], {&rows.indices, 1}, lists[k ? k + 1 : 0]);
  ++s.step;
}

Tensor Optimizer::step(const LossClosure& closure) {
  if (kind_.id == OptimizerId::LBFGS && is_recording())
    fail(Code::unsupported,
         "LBFGS: its step cannot be recorded, for the host decides how often it computes the loss",
         "leave the step out of the recording", "o");
  if (kind_.id == OptimizerId::LBFGS)
    return lbfgs_step(groups_[0].parameters, groups_[0].options, groups_[0].lbfgs, closure);
  Tensor loss;
  {
    ScopedValue<bool> recording(thread_state().grad_enabled, true);
    loss = closure();
  }
  step();
  return loss;
}

void Optimizer::step_parts(std::span<const Tensor> parts, std::span<const Tensor> gradients) {
  NoGradGuard no_grad;
  size_t at = 0;
  for (ParameterGroup& g : groups_) {
    const size_t n = g.parameters.size();
    gradients_.assign(gradients.begin() + at, gradients.begin() + at + n);
    step_group(g, parts.subspan(at, n));
    at += n;
  }
}

void Optimizer::step_group(ParameterGroup& g, std::span<const Tensor> parameters) {
  if (kind_.whole && is_recording()) return record_whole(g, parameters);
  if (kind_.whole) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!gradients_[i].defined()) continue;
      step_whole(kind_, g.options, parameters[i], std::exchange(gradients_[i], Tensor()), g.states[i]);
      ++g.states[i].step;
    }
    return;
  }
  const size_t n = parameters.size();
  for (size_t i = 0; i < n; ++i)
    if (gradients_[i].defined() && is_rows(gradients_[i])) [[unlikely]]
      step_rows(g, i, std::exchange(gradients_[i], Tensor()));
  int64_t left = std::ranges::count_if(gradients_, [](const Tensor& t) { return t.defined(); });
  for (size_t i = 0; i < n; ++i)
    if (gradients_[i].defined() && g.states[i].step == 0) remember(kind_, g.options, 0, g.states[i].numbers);
  // One call of the kernel for all that count the same steps on one device: a single one unless some parameter had no
  // gradient in an earlier step.
  const unsigned slots = kind_.slots_of(g.options);
  while (left > 0) {
    step_alike(g, parameters, slots);
    left -= int64_t(members_.size());
  }
  lists_.clear();  // gradients must not outlive zero_grad
}

// The first parameter whose gradient waits, and those that go with it.
Optimizer::Alike Optimizer::choose_members(const ParameterGroup& g, std::span<const Tensor> parameters,
                                           unsigned slots) {
  auto fresh = [&](const ParameterState& s) {
    for (unsigned k = slots; k; k &= k - 1)
      if (s.slots[std::countr_zero(k)].defined()) return false;
    return true;
  };
  Alike all{};
  members_.clear();
  for (size_t i = 0; i < parameters.size() && int64_t(members_.size()) < kMaxParametersPerCall; ++i) {
    if (!gradients_[i].defined()) continue;
    const ParameterState& s = g.states[i];
    if (members_.empty())
      all = {s.step, s.numbers, fresh(s), parameters[i].device()};
    else if ((kind_.counts_steps && s.step != all.step) || s.numbers != all.numbers ||
             fresh(s) != all.fresh || parameters[i].device() != all.device)
      continue;
    members_.push_back(int64_t(i));  // the first in any case: a NaN among its numbers does not equal itself
  }
  return all;
}

// Parameters, gradients and the slots of members_, one list behind the other.
void Optimizer::fill_lists(const ParameterGroup& g, std::span<const Tensor> parameters, unsigned slots) {
  lists_.clear();
  for (int64_t i : members_) lists_.push_back(parameters[size_t(i)]);
  for (int64_t i : members_) lists_.push_back(std::move(gradients_[size_t(i)]));
  for (unsigned k = slots; k; k &= k - 1)
    for (int64_t i : members_) {
      const Tensor& slot = g.states[size_t(i)].slots[std::countr_zero(k)];
      lists_.push_back(slot.defined() ? slot : zeros_for(parameters[size_t(i)]));
    }
}

void Optimizer::step_alike(ParameterGroup& g, std::span<const Tensor> parameters, unsigned slots) {
  const Alike all = choose_members(g, parameters, slots);
  fill_lists(g, parameters, slots);
  const size_t count = members_.size();
  const std::span<const Tensor> lists(lists_);
  if (is_recording() && all.fresh && slots) fail_first_step();
  std::optional<ReplaySettings> settings;
  std::vector<Tensor> gate;
  std::shared_ptr<GatedCall> gated;
  if (is_recording()) {
    const size_t group = size_t(&g - groups_.data());
    ReplayGate* found = replay_gate(all.device);
    gated = gated_call(found, group);
    if (gated) gate = {found->found, gated->skipped};
    if (gated && kind_.remember) gate.push_back(gated->numbers);
    settings.emplace([self = Ref<Optimizer>::share(this), group, members = members_, gated](uint64_t* words) {
      self->replay_step(group, members, gated.get(), words);
    });
  }
  set_values(g, all.numbers, gated.get());
  ops::optimizer_step(int64_t(kind_.id), int64_t(count), slots, all.fresh, all.step + 1, g.options[0],
                      values_, lists.first(count), lists.subspan(count, count), lists.subspan(2 * count),
                      gate);
  if (!gate.empty()) ops::add_(gate[1], gate[0]);
  if (!is_recording()) count_step(g, members_, all.step, all.numbers);  // else each replay does
  auto made = lists_.begin() + int64_t(2 * count);
  for (unsigned k = slots; k; k &= k - 1)
    for (int64_t i : members_) g.states[size_t(i)].slots[std::countr_zero(k)] = *made++;
}

void Optimizer::fail_first_step() const {
  fail(Code::invalid_argument,
       concat(type(), ": its first step cannot be recorded, for it begins the states of parameters"),
       "take a step before the recording", "o");
}

// One call for all that count the same steps on one device, as step_group's.
void Optimizer::record_whole(ParameterGroup& g, std::span<const Tensor> parameters) {
  const size_t n = parameters.size(), group = size_t(&g - groups_.data());
  for (size_t first = 0; first < n; ++first) {
    if (!gradients_[first].defined()) continue;
    const Device device = parameters[first].device();
    const int64_t step = g.states[first].step;
    members_.clear();
    for (size_t i = first; i < n; ++i)
      if (gradients_[i].defined() && g.states[i].step == step && parameters[i].device() == device)
        members_.push_back(int64_t(i));
    if (step == 0) fail_first_step();
    ReplayGate* gate = replay_gate(device);
    const std::shared_ptr<GatedCall> gated = gated_call(gate, group);
    RecordedNumbers now;
    now.numbers = replay_numbers(
        int64_t(1 + g.options.size()),
        [self = Ref<Optimizer>::share(this), group, members = members_, gated](std::span<double> out) {
          out[0] = double(self->count_replay(group, members, gated.get()) + 1);
          std::ranges::copy(self->groups_[group].options, out.begin() + 1);
        });
    if (gated) now.found = gate->found, now.skipped = gated->skipped;
    for (int64_t i : members_)
      record_whole_step(kind_, g.options, now, parameters[size_t(i)],
                        std::exchange(gradients_[size_t(i)], Tensor()), g.states[size_t(i)]);
    if (gated) ops::add_(gated->skipped, gate->found);
  }
}

void Optimizer::count_step(ParameterGroup& g, std::span<const int64_t> members, int64_t step,
                           Numbers numbers) {
  remember(kind_, values_, step + 1, numbers);
  for (int64_t i : members) {
    ++g.states[size_t(i)].step;
    g.states[size_t(i)].numbers = numbers;
  }
}

void Optimizer::set_values(const ParameterGroup& g, const Numbers& numbers, const GatedCall* gated) {
  values_ = g.options;
  if (!kind_.remember) return;
  values_.insert(values_.end(), numbers.begin(), numbers.begin() + int64_t(kind_.numbers.size()));
  if (gated)
    values_.push_back((gated->replayed ? rules::kNumbersKept : 0) +
                      (number_dtype() == DType::f32 ? rules::kNumbersFloat : 0));
}

void Optimizer::replay_step(size_t group, std::span<const int64_t> members, GatedCall* gated,
                            uint64_t* words) {
  enum { kFresh = 3, kStep, kRate, kOptions };  // of optimizer_step's attributes
  ParameterGroup& g = groups_[group];
  if (sharding_) sharding_->forget_whole();
  settle_others(group, members, gated);
  const int64_t step = g.states[size_t(members[0])].step;
  const Numbers numbers = g.states[size_t(members[0])].numbers;
  set_values(g, numbers, gated);
  words[kFresh] = 0;
  words[kStep] = uint64_t(step + 1);
  words[kRate] = std::bit_cast<uint64_t>(g.options[0]);
  std::memcpy(words + (words[kOptions] >> 32), values_.data(), values_.size() * sizeof(double));
  if (!gated) return count_step(g, members, step, numbers);
  for (int64_t i : members) ++g.states[size_t(i)].step;
  gated->replayed = true;
}

int64_t Optimizer::count_replay(size_t group, std::span<const int64_t> members, GatedCall* gated) {
  settle_others(group, members, gated);
  ParameterGroup& g = groups_[group];
  const int64_t step = g.states[size_t(members[0])].step;
  for (int64_t i : members) ++g.states[size_t(i)].step;
  if (gated) gated->replayed = true;
  return step;
}

void Optimizer::settle_others(size_t group, std::span<const int64_t> members, const GatedCall* gated) const {
  for (const std::shared_ptr<GatedCall>& other :
       gated_)  // another recording's, which knows more of these parameters than we
    if (other.get() != gated && other->replayed && other->meets(group, members)) settle(*other);
}

bool Optimizer::GatedCall::meets(size_t g, std::span<const int64_t> others) const {
  return g == group &&
         std::ranges::any_of(others, [&](int64_t i) { return std::ranges::binary_search(members, i); });
}

// NULL: without a gate.
std::shared_ptr<Optimizer::GatedCall> Optimizer::gated_call(ReplayGate* gate, size_t group) {
  // Their recordings are gone.
  std::erase_if(gated_, [](const auto& c) { return c.use_count() == 1 && !c->replayed; });
  const uint64_t recording = recording_number();
  for (const std::shared_ptr<GatedCall>& c : gated_) {
    if (!c->meets(group, members_)) continue;
    const bool same = gate && c->members == members_;
    if (!same && c->recording == recording)
      fail(Code::unsupported,
           concat(type(),
                  ": a recording with GradScaler has steps of different parameters, and how many were left "
                  "out of the first is not known at the second"),
           "give the same parameters gradients and scales in all steps of a recording", "o");
    if (!same) continue;
    c->recording = recording;
    gate->used = true;
    return c;
  }
  if (!gate) return {};
  auto [skipped, numbers] = gate->make_memory();
  gated_.push_back(std::make_shared<GatedCall>(
      GatedCall{group, members_, std::move(skipped), std::move(numbers), recording}));
  gate->used = true;
  return gated_.back();
}

void Optimizer::settle() const {
  for (const std::shared_ptr<GatedCall>& call : gated_)
    if (call->replayed) settle(*call);
}

void Optimizer::settle(GatedCall& call) const {
  NoGradGuard no_grad;
  const int64_t skipped = int64_t(item(call.skipped).to_double());
  const Tensor kept = kind_.remember ? ops::to(call.numbers, DType::none, Device{}) : Tensor();
  if (skipped) ops::fill_(call.skipped, Scalar(0.0));
  for (int64_t i : call.members) {
    ParameterState& s = groups_[call.group].states[size_t(i)];
    s.step -= skipped;
    if (kept.defined()) std::copy_n(kept.data<double>(), kMaxNumbers, s.numbers.begin());
  }
  call.replayed = false;
}

void Optimizer::zero_grad(bool set_to_none) {
  NoGradGuard no_grad;
  for (ParameterGroup& g : groups_)
    for (const Tensor& p : g.parameters) {
      Tensor grad = gradient_of(p);
      if (!grad.defined()) continue;
      if (!set_to_none && is_rows(grad))
        clear_rows(grad);
      else if (set_to_none)
        set_gradient(p, Tensor());
      else if (grad.requires_grad())
        set_gradient(p, zeros_for(grad));
      else
        ops::fill_(grad, Scalar(0.0));
    }
  if (sharding_) sharding_->zero_grad(set_to_none);
}

size_t Optimizer::find_option(std::string_view name) const {
  if (int i = kind_.find_option(name); i >= 0) return size_t(i);
  std::string known;
  for (const OptimizerKind::Option& o : kind_.options) known += concat(known.empty() ? "" : ", ", o.name);
  fail(Code::invalid_argument, concat(type(), ": has no option '", name, "'"), concat("it has ", known),
       "name");
}

size_t Optimizer::find_slot(std::string_view name) const {
  if (int k = kind_.find_slot(name); k >= 0) return size_t(k);
  fail(Code::invalid_argument, concat(type(), ": remembers no '", name, "' of a parameter"), {}, "name");
}

double Optimizer::option(int64_t g, std::string_view name) const {
  return group(g).options[find_option(name)];
}

void Optimizer::set_option(int64_t g, std::string_view name, double value) {
  std::vector<double> changed = group(g).options;
  const size_t i = find_option(name);
  changed[i] = kind_.options[i].flag ? value != 0 : value;
  kind_.check(changed);
  groups_[size_t(g)].options = std::move(changed);
}

double Optimizer::initial_lr(int64_t g) {
  double now = lr(g), &first = groups_[size_t(g)].initial_lr;
  return first < 0 ? first = now : first;
}

int64_t Optimizer::parameter_count() const {
  int64_t n = 0;
  for (const ParameterGroup& g : groups_) n += int64_t(g.parameters.size());
  return n;
}

ParameterState& Optimizer::state_of(int64_t parameter, Tensor* p) const {
  int64_t i = parameter;
  for (const ParameterGroup& g : groups_) {
    if (i < 0) break;
    if (i < int64_t(g.parameters.size())) {
      *p = g.parameters[size_t(i)];
      return const_cast<ParameterState&>(g.states[size_t(i)]);
    }
    i -= int64_t(g.parameters.size());
  }
  fail(Code::index,
       concat(type(), ": parameter ", parameter, " does not exist, there are ", parameter_count()), {},
       "parameter");
}

Tensor Optimizer::state_tensor(int64_t parameter, std::string_view name) const {
  Tensor p;
  const ParameterState& s = state_of(parameter, &p);
  if (kind_.id == OptimizerId::LBFGS) {  // all of it is the first parameter's, as in PyTorch
    OptimizerState all;
    if (parameter == 0) groups_[0].lbfgs.write("", all.tensors, all.numbers);
    if (auto t = all.tensors.find(std::string(name)); t != all.tensors.end()) return t->second;
    if (auto v = all.numbers.find(std::string(name)); v != all.numbers.end())
      return ops::full({}, Scalar(v->second), DType::f64, Device{});
    return {};
  }
  const int number = kind_.find_number(name);
  if (name == "step" || number >= 0) {
    settle();
    const double value = number < 0 ? double(s.step) : s.numbers[size_t(number)];
    return s.step ? ops::full({}, Scalar(value), number < 0 ? DType::f32 : number_dtype(), Device{})
                  : Tensor();
  }
  const size_t k = find_slot(name);
  return sharding_ && s.slots[k].defined() ? sharding_->whole(parameter, int(k)) : s.slots[k];
}

void Optimizer::set_state_tensor(int64_t parameter, std::string_view name, const Tensor& value) {
  NoGradGuard no_grad;
  Tensor p;
  ParameterState& s = state_of(parameter, &p);
  if (kind_.id == OptimizerId::LBFGS) {
    if (parameter != 0)
      fail(Code::index, concat("LBFGS: all of the state is parameter 0's, not ", parameter, "'s"), {},
           "parameter");
    return groups_[0].lbfgs.set(name, value, groups_[0].parameters[0], elements_of(groups_[0]));
  }
  if (name == "step") {
    settle();
    s.step = to_count(item(value).to_double(), type(), "step", "value");
    return;
  }
  if (const int number = kind_.find_number(name); number >= 0) {
    settle();
    s.numbers[size_t(number)] = item(value).to_double();
    return;
  }
  const size_t k = find_slot(name);
  if (const std::optional<Shape> wanted = slot_sizes(kind_, k, p);
      !wanted || !std::ranges::equal(value.sizes(), IntList(*wanted)))
    fail(Code::shape,
         concat(type(), ": ", name, " of parameter ", parameter, " has shape ", value.sizes(),
                ", the parameter ", p.sizes()),
         {}, "value");
  s.slots[k] = copy_for(p, sharding_ ? sharding_->part(parameter, value) : value);
  if (sharding_) sharding_->forget_whole();
}

OptimizerState Optimizer::state() const { return make_state(false); }
OptimizerState Optimizer::state_parts() const { return make_state(true); }

OptimizerState Optimizer::make_state(bool parts) const {
  settle();
  OptimizerState out;
  out.type = type();
  int64_t number = 0;
  for (int64_t g = 0; g < group_count(); ++g) {
    const ParameterGroup& group = groups_[size_t(g)];
    std::string prefix = concat("param_groups.", g, ".");
    for (size_t i = 0; i < kind_.options.size(); ++i)
      out.numbers[prefix + kind_.options[i].name] = group.options[i];
    if (group.initial_lr >= 0) out.numbers[prefix + "initial_lr"] = group.initial_lr;
    out.numbers[prefix + "params"] = double(group.parameters.size());
    if (!group.lbfgs.empty()) group.lbfgs.write("state.0.", out.tensors, out.numbers);
    for (const ParameterState& s : group.states) {
      const int64_t parameter = number++;
      std::string at = concat("state.", parameter, ".");
      if (s.step) out.numbers[at + "step"] = double(s.step);
      for (size_t k = 0; s.step && k < kind_.numbers.size(); ++k)
        out.numbers[at + kind_.numbers[k]] = s.numbers[k];
      for (size_t k = 0; k < kind_.slots.size(); ++k)
        if (s.slots[k].defined())
          out.tensors[at + kind_.slots[k].name] =
              sharding_ && !parts ? sharding_->whole(parameter, int(k)) : s.slots[k];
    }
  }
  return out;
}

void Optimizer::load_state(const OptimizerState& from) { take_state(decode_state(from)); }

std::vector<ParameterGroup> Optimizer::decode_state(const OptimizerState& from, bool parts) const {
  parts = parts && sharding_;
  NoGradGuard no_grad;
  settle();  // what replays have left out belongs to the counts before
  if (from.type != type())
    fail(Code::invalid_argument, concat(type(), ": the state is that of '", from.type, "'"),
         "load it into an optimizer of the same kind", "state");
  auto number = [&](const std::string& key) {
    auto it = from.numbers.find(key);
    if (it == from.numbers.end())
      fail(Code::invalid_argument, concat(type(), ": the state lacks '", key, "'"), {}, "state");
    return it->second;
  };
  if (from.numbers.count(concat("param_groups.", group_count(), ".lr")))
    fail(Code::invalid_argument,
         concat(type(), ": the state has more than ", group_count(), " groups of parameters"), {}, "state");

  std::vector<ParameterGroup> loaded = groups_;
  int64_t at = 0;
  for (int64_t g = 0; g < group_count(); ++g) {
    ParameterGroup& group = loaded[size_t(g)];
    std::string prefix = concat("param_groups.", g, ".");
    if (double count = number(prefix + "params"); count != double(group.parameters.size()))
      fail(Code::invalid_argument,
           concat(type(), ": group ", g, " has ", int64_t(group.parameters.size()),
                  " parameters, that of the state ", count),
           {}, "state");
    for (size_t i = 0; i < kind_.options.size(); ++i)
      group.options[i] = i && !from.numbers.count(prefix + kind_.options[i].name)
                             ? kind_.options[i].value  // a state from before it was there
                             : number(prefix + kind_.options[i].name);
    kind_.check(group.options);
    if (auto it = from.numbers.find(prefix + "initial_lr"); it != from.numbers.end())
      group.initial_lr = it->second;
    if (kind_.id == OptimizerId::LBFGS) {
      group.lbfgs =
          LbfgsMemory::read("state.0.", from.tensors, from.numbers, group.parameters[0], elements_of(group));
    }
    for (size_t i = 0; i < group.parameters.size(); ++i, ++at) {
      std::string key = concat("state.", at, ".");
      ParameterState s;
      if (auto it = from.numbers.find(key + "step"); it != from.numbers.end())
        s.step = to_count(it->second, type(), "step", "state");
      for (size_t k = 0; s.step && k < kind_.numbers.size(); ++k)
        s.numbers[k] = number(key + kind_.numbers[k]);
      for (size_t k = 0; k < kind_.slots.size(); ++k) {
        auto it = from.tensors.find(key + kind_.slots[k].name);
        if (it == from.tensors.end()) continue;
        const Tensor& p = group.parameters[i];
        if (const std::optional<Shape> wanted = slot_sizes(kind_, k, p);
            !parts && (!wanted || !std::ranges::equal(it->second.sizes(), IntList(*wanted))))
          fail(Code::shape,
               concat(type(), ": '", it->first, "' has shape ", it->second.sizes(), ", its parameter ",
                      p.sizes()),
               {}, "state");
        s.slots[k] = copy_for(p, sharding_ && !parts ? sharding_->part(at, it->second) : it->second);
      }
      group.states[i] = std::move(s);
    }
  }
  return loaded;
}

Ref<Optimizer> make_optimizer(OptimizerId id, std::span<const Tensor> parameters,
                              const OptionValues& options) {
  const OptimizerKind& kind = optimizer_kind(id);
  return make_ref<Optimizer>(kind, parameters, optimizer_options(kind, options));
}

}  // namespace haft
