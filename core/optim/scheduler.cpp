#include "core/optim/scheduler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haft {

Scheduler::Scheduler(Ref<Optimizer> o) : optimizer_(std::move(o)) {
  for (int64_t g = 0; g < optimizer_->group_count(); ++g) base_lrs_.push_back(optimizer_->initial_lr(g));
}

std::vector<double> Scheduler::rates() const {
  std::vector<double> r;
  for (size_t g = 0; g < base_lrs_.size(); ++g) r.push_back(optimizer_->lr(int64_t(g)));
  return r;
}

void Scheduler::set_rates(std::span<const double> rates) {
  for (size_t g = 0; g < rates.size(); ++g) optimizer_->set_lr(int64_t(g), rates[g]);
}

void Scheduler::start() {
  const std::vector<double> before = rates();
  std::vector<double> first;
  for (size_t g = 0; g < before.size(); ++g) first.push_back(next(before[g], base_lrs_[g], 0, g));
  set_rates(first);
  try {
    after(0);
  } catch (...) {
    set_rates(before);
    throw;
  }
}

void Scheduler::step() {
  // Groups that were added later keep their rate.
  std::vector<double> now = rates();
  for (size_t g = 0; g < now.size(); ++g) now[g] = next(now[g], base_lrs_[g], last_epoch_ + 1, g);
  set_rates(now);
  after(last_epoch_ + 1);
  ++last_epoch_;
}

void Scheduler::step(double) {
  fail(Code::invalid_argument, concat(type(), ": looks at no metric"), "step it without one", "metric");
}

void Scheduler::restart() {
  set_rates(base_lrs_);
  begin();
}

void Scheduler::begin() {
  last_epoch_ = 0;
  start();
}

std::map<std::string, double> Scheduler::state() const {
  std::map<std::string, double> s;
  collect("", s);
  return s;
}

void Scheduler::collect(const std::string& prefix, std::map<std::string, double>& s) const {
  s[prefix + "last_epoch"] = double(last_epoch_);
  for (size_t g = 0; g < base_lrs_.size(); ++g) s[concat(prefix, "base_lrs.", int64_t(g))] = base_lrs_[g];
  for (auto [name, value] : const_cast<Scheduler*>(this)->remembered()) s[prefix + name] = *value;
  for (size_t k = 0; k < parts().size(); ++k)
    parts()[k]->collect(concat(prefix, "schedulers.", int64_t(k), "."), s);
}

void Scheduler::load_state(const std::map<std::string, double>& s) { take_state(decode_state(s)); }

Scheduler::Progress Scheduler::decode_state(const std::map<std::string, double>& s) const {
  return decode("", s);
}

Scheduler::Progress Scheduler::decode(const std::string& prefix,
                                      const std::map<std::string, double>& s) const {
  auto value = [&](const std::string& key) {
    auto it = s.find(prefix + key);
    if (it == s.end())
      fail(Code::invalid_argument, concat(type(), ": the state lacks '", prefix, key, "'"), {}, "state");
    return it->second;
  };
  Progress p;
  for (size_t g = 0; g < base_lrs_.size(); ++g) {
    const double lr = value(concat("base_lrs.", int64_t(g)));
    if (!(lr >= 0))
      fail(Code::invalid_argument, concat(type(), ": base_lrs.", int64_t(g), " must be >= 0, got ", lr), {},
           "state");
    p.base_lrs.push_back(lr);
  }
  p.last_epoch = to_count(value("last_epoch"), type(), "last_epoch", "state");
  for (auto [name, at] : const_cast<Scheduler*>(this)->remembered()) p.more.push_back(value(name));
  for (size_t k = 0; k < parts().size(); ++k)
    p.parts.push_back(parts()[k]->decode(concat(prefix, "schedulers.", int64_t(k), "."), s));
  return p;
}

void Scheduler::take_state(Progress p) noexcept {
  base_lrs_ = std::move(p.base_lrs);
  last_epoch_ = p.last_epoch;
  size_t i = 0;
  for (auto [name, at] : remembered()) *at = p.more[i++];
  for (size_t k = 0; k < parts().size(); ++k) parts()[k]->take_state(std::move(p.parts[k]));
}

namespace {

void check_positive(const char* type, const char* name, int64_t v) {
  if (v <= 0) fail(Code::invalid_argument, concat(type, ": ", name, " must be positive, got ", v), {}, name);
}

struct StepLr final : Scheduler {
  int64_t size;
  double gamma;
  StepLr(Ref<Optimizer> o, int64_t size, double gamma) : Scheduler(std::move(o)), size(size), gamma(gamma) {
    check_positive(type(), "step_size", size);
    start();
  }
  const char* type() const override { return "StepLR"; }
  double next(double lr, double, int64_t epoch, size_t) override {
    return epoch && epoch % size == 0 ? lr * gamma : lr;
  }
};

struct MultiStepLr final : Scheduler {
  std::vector<int64_t> milestones;
  double gamma;
  MultiStepLr(Ref<Optimizer> o, std::span<const int64_t> m, double gamma)
      : Scheduler(std::move(o)), milestones(m.begin(), m.end()), gamma(gamma) {
    start();
  }
  const char* type() const override { return "MultiStepLR"; }
  double next(double lr, double, int64_t epoch, size_t) override {
    return epoch ? lr * std::pow(gamma, double(std::ranges::count(milestones, epoch))) : lr;
  }
};

struct ExponentialLr final : Scheduler {
  double gamma;
  ExponentialLr(Ref<Optimizer> o, double gamma) : Scheduler(std::move(o)), gamma(gamma) { start(); }
  const char* type() const override { return "ExponentialLR"; }
  double next(double lr, double, int64_t epoch, size_t) override { return epoch ? lr * gamma : lr; }
};

struct CosineLr final : Scheduler {
  int64_t t_max;
  double eta_min;
  CosineLr(Ref<Optimizer> o, int64_t t_max, double eta_min)
      : Scheduler(std::move(o)), t_max(t_max), eta_min(eta_min) {
    check_positive(type(), "t_max", t_max);
    start();
  }
  const char* type() const override { return "CosineAnnealingLR"; }
  double next(double lr, double base, int64_t epoch, size_t) override {
    if (epoch == 0) return lr;
    const double turn = std::numbers::pi / double(t_max);
    // From the lowest point the ratio below would be 0 / 0.
    if ((epoch - 1) % t_max == 0 && (epoch - 1) / t_max % 2 == 1)
      return lr + (base - eta_min) * (1 - std::cos(turn)) / 2;
    return (1 + std::cos(turn * double(epoch))) / (1 + std::cos(turn * double(epoch - 1))) * (lr - eta_min) +
           eta_min;
  }
};

struct LinearLr final : Scheduler {
  double from, to;
  int64_t total;
  LinearLr(Ref<Optimizer> o, double from, double to, int64_t total)
      : Scheduler(std::move(o)), from(from), to(to), total(total) {
    check_positive(type(), "total_iters", total);
    if (!(from > 0 && from <= 1))
      fail(Code::invalid_argument, concat(type(), ": start_factor must be in (0, 1], got ", from), {},
           "start_factor");
    if (!(to >= 0 && to <= 1))
      fail(Code::invalid_argument, concat(type(), ": end_factor must be in [0, 1], got ", to), {},
           "end_factor");
    start();
  }
  const char* type() const override { return "LinearLR"; }
  double next(double lr, double, int64_t epoch, size_t) override {
    if (epoch == 0) return lr * from;
    if (epoch > total) return lr;
    return lr * (1 + (to - from) / (double(total) * from + double(epoch - 1) * (to - from)));
  }
};

struct LambdaLr final : Scheduler {
  std::function<double(int64_t)> factor;
  LambdaLr(Ref<Optimizer> o, std::function<double(int64_t)> f)
      : Scheduler(std::move(o)), factor(std::move(f)) {
    start();
  }
  const char* type() const override { return "LambdaLR"; }
  double next(double, double base, int64_t epoch, size_t) override { return base * factor(epoch); }
};

struct MultiplicativeLr final : Scheduler {
  std::function<double(int64_t)> factor;
  MultiplicativeLr(Ref<Optimizer> o, std::function<double(int64_t)> f)
      : Scheduler(std::move(o)), factor(std::move(f)) {
    start();
  }
  const char* type() const override { return "MultiplicativeLR"; }
  double next(double lr, double, int64_t epoch, size_t) override { return epoch ? lr * factor(epoch) : lr; }
};

}  // namespace

Ref<Scheduler> make_multiplicative_lr(Ref<Optimizer> o, std::function<double(int64_t)> factor) {
  return make_ref<MultiplicativeLr>(std::move(o), std::move(factor));
}
Ref<Scheduler> make_step_lr(Ref<Optimizer> o, int64_t step_size, double gamma) {
  return make_ref<StepLr>(std::move(o), step_size, gamma);
}
Ref<Scheduler> make_multi_step_lr(Ref<Optimizer> o, std::span<const int64_t> milestones, double gamma) {
  return make_ref<MultiStepLr>(std::move(o), milestones, gamma);
}
Ref<Scheduler> make_exponential_lr(Ref<Optimizer> o, double gamma) {
  return make_ref<ExponentialLr>(std::move(o), gamma);
}
Ref<Scheduler> make_cosine_annealing_lr(Ref<Optimizer> o, int64_t t_max, double eta_min) {
  return make_ref<CosineLr>(std::move(o), t_max, eta_min);
}
Ref<Scheduler> make_linear_lr(Ref<Optimizer> o, double from, double to, int64_t total) {
  return make_ref<LinearLr>(std::move(o), from, to, total);
}
Ref<Scheduler> make_lambda_lr(Ref<Optimizer> o, std::function<double(int64_t)> factor) {
  return make_ref<LambdaLr>(std::move(o), std::move(factor));
}

}  // namespace haft
