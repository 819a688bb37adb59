// Schedules that change more than a factor with the epoch: cycles, restarts, plateaus, several in one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/dispatch/defaults.h"
#include "core/optim/scheduler.h"

namespace haft {

namespace {

void check_least(const char* type, const char* name, int64_t v, int64_t least) {
  if (v < least)
    fail(Code::invalid_argument, concat(type, ": ", name, " must be at least ", least, ", got ", v), {},
         name);
}
void check_finite(const char* type, const char* name, double v, double low, double high) {
  if (!(v >= low && v <= high))
    fail(Code::invalid_argument, concat(type, ": ", name, " must be in [", low, ", ", high, "], got ", v), {},
         name);
}
constexpr double kMost = std::numeric_limits<double>::max();

double half_cosine(double from, double to, double part) {
  return to + (from - to) / 2 * (std::cos(std::numbers::pi * part) + 1);
}

// Where an optimizer keeps its momentum: "momentum", or the first of Adam's decays.
const char* momentum_of(const Optimizer& o, const char* type) {
  for (const char* name : {"momentum", "beta1"})
    if (o.kind().find_option(name) >= 0) return name;
  fail(Code::invalid_argument, concat(type, ": ", o.type(), " has no momentum to cycle"),
       "set cycle_momentum to false", "cycle_momentum");
}

struct ConstantLr final : Scheduler {
  double factor;
  int64_t total;
  ConstantLr(Ref<Optimizer> o, double factor, int64_t total)
      : Scheduler(std::move(o)), factor(factor), total(total) {
    check_finite(type(), "factor", factor, 0, 1);
    check_least(type(), "total_iters", total, 0);
    start();
  }
  const char* type() const override { return "ConstantLR"; }
  double next(double lr, double base, int64_t epoch) override {
    if (epoch == 0) return lr * factor;
    if (epoch != total) return lr;
    return factor == 0 ? base : lr / factor;
  }
};

struct PolynomialLr final : Scheduler {
  int64_t total;
  double power;
  PolynomialLr(Ref<Optimizer> o, int64_t total, double power)
      : Scheduler(std::move(o)), total(total), power(power) {
    check_least(type(), "total_iters", total, 0);
    start();
  }
  const char* type() const override { return "PolynomialLR"; }
  double next(double lr, double, int64_t epoch) override {
    if (epoch == 0 || epoch > total) return lr;
    const double n = double(total), e = double(epoch);
    return lr * std::pow((1 - e / n) / (1 - (e - 1) / n), power);
  }
};

struct WarmRestarts final : Scheduler {
  int64_t first, times;
  double low;
  WarmRestarts(Ref<Optimizer> o, int64_t first, int64_t times, double low)
      : Scheduler(std::move(o)), first(first), times(times), low(low) {
    check_least(type(), "t_0", first, 1);
    check_least(type(), "t_mult", times, 1);
    start();
  }
  const char* type() const override { return "CosineAnnealingWarmRestarts"; }
  double next(double, double base, int64_t epoch) override {
    int64_t length = first, at = epoch;
    if (times == 1) at %= length;
    while (at >= length) at -= length, length *= times;
    return half_cosine(base, low, double(at) / double(length));
  }
};

struct CyclicLr final : Scheduler {
  double low, high, size, ratio;
  bool halves;
  double gamma;
  const char* momentum = nullptr;
  double low_momentum, high_momentum;
  CyclicLr(Ref<Optimizer> o, double low, double high, int64_t up, int64_t down, bool halves, double gamma,
           bool cycle_momentum, double low_momentum, double high_momentum)
      : Scheduler(std::move(o)),
        low(low),
        high(high),
        halves(halves),
        gamma(gamma),
        low_momentum(low_momentum),
        high_momentum(high_momentum) {
    check_finite(type(), "base_lr", low, 0, kMost);
    check_finite(type(), "max_lr", high, 0, kMost);
    check_least(type(), "step_size_up", up, 1);
    if (down == kNone) down = up;
    check_least(type(), "step_size_down", down, 0);
    size = double(up + down);
    ratio = double(up) / size;
    if (cycle_momentum) momentum = momentum_of(optimizer(), type());
    for (size_t g = 0; g < size_t(groups()); ++g) set_base_lr(g, low);
    start();
  }
  const char* type() const override { return "CyclicLR"; }
  double height(int64_t epoch) const {
    const double cycle = std::floor(1 + double(epoch) / size), x = 1 + double(epoch) / size - cycle;
    const double part = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
    return part * (halves ? std::exp2(1 - cycle) : 1) * std::pow(gamma, double(epoch));
  }
  double next(double, double, int64_t epoch) override { return low + (high - low) * height(epoch); }
  void after(int64_t epoch) override {
    if (!momentum) return;
    for (int64_t g = 0; g < groups(); ++g)
      optimizer().set_option(g, momentum, high_momentum - (high_momentum - low_momentum) * height(epoch));
  }
};

struct OneCycleLr final : Scheduler {
  double top, start_lr, end_lr;
  int64_t total;
  double up;
  bool linear, three;
  const char* momentum = nullptr;
  double low_momentum, high_momentum;
  OneCycleLr(Ref<Optimizer> o, double top, int64_t total, double pct_start, bool linear, bool cycle_momentum,
             double low_momentum, double high_momentum, double div_factor, double final_div_factor,
             bool three_phase)
      : Scheduler(std::move(o)),
        top(top),
        total(total),
        linear(linear),
        three(three_phase),
        low_momentum(low_momentum),
        high_momentum(high_momentum) {
    check_finite(type(), "max_lr", top, 0, kMost);
    check_least(type(), "total_steps", total, 1);
    check_finite(type(), "pct_start", pct_start, 0, 1);
    for (auto [name, v] : {std::pair{"div_factor", div_factor}, {"final_div_factor", final_div_factor}})
      if (!(v > 0))
        fail(Code::invalid_argument, concat(type(), ": ", name, " must be above 0, got ", v), {}, name);
    start_lr = top / div_factor;
    end_lr = start_lr / final_div_factor;
    up = pct_start * double(total) - 1;
    if (cycle_momentum) momentum = momentum_of(optimizer(), type());
    for (size_t g = 0; g < size_t(groups()); ++g) set_base_lr(g, start_lr);
    start();
  }
  const char* type() const override { return "OneCycleLR"; }
  // Between the values that a phase starts and ends with.
  double way(int64_t epoch, double first, double second, double third, double fourth) const {
    const double at = double(epoch), end = double(total - 1), middle = three ? 2 * up + 0.0 : up;
    auto between = [&](double from, double to, double begin, double finish) {
      const double part = finish == begin ? 1.0 : (at - begin) / (finish - begin);
      return linear ? (to - from) * part + from : half_cosine(from, to, part);
    };
    if (at <= up) return between(first, second, 0, up);
    if (three && at <= middle) return between(second, third, up, middle);
    return three ? between(third, fourth, middle, end) : between(second, fourth, up, end);
  }
  double next(double, double, int64_t epoch) override {
    if (epoch > total)
      fail(Code::invalid_argument, concat(type(), ": step ", epoch, " of ", total, " in all"),
           "total_steps says how many there are", "s");
    return way(epoch, start_lr, top, start_lr, end_lr);
  }
  void after(int64_t epoch) override {
    if (!momentum) return;
    const double v = way(epoch, high_momentum, low_momentum, high_momentum, high_momentum);
    for (int64_t g = 0; g < groups(); ++g) optimizer().set_option(g, momentum, v);
  }
};

struct PlateauLr final : Scheduler {
  bool maximize, absolute;
  double factor, threshold, least, eps;
  int64_t patience, rest;
  double best, bad = 0, resting = 0;
  PlateauLr(Ref<Optimizer> o, bool maximize, double factor, int64_t patience, double threshold, bool absolute,
            int64_t cooldown, double min_lr, double eps)
      : Scheduler(std::move(o)),
        maximize(maximize),
        absolute(absolute),
        factor(factor),
        threshold(threshold),
        least(min_lr),
        eps(eps),
        patience(patience),
        rest(cooldown),
        best(worst()) {
    if (!(factor >= 0 && factor < 1))
      fail(Code::invalid_argument, concat(type(), ": factor must be in [0, 1), got ", factor), {}, "factor");
    check_least(type(), "patience", patience, 0);
    check_least(type(), "cooldown", cooldown, 0);
    check_finite(type(), "min_lr", min_lr, 0, kMost);
  }
  const char* type() const override { return "ReduceLROnPlateau"; }
  double worst() const { return (maximize ? -1 : 1) * std::numeric_limits<double>::infinity(); }
  double next(double lr, double, int64_t) override { return lr; }
  void step() override {
    fail(Code::invalid_argument, concat(type(), ": wants the metric that it looks at"), "step it with one",
         "metric");
  }
  void step(double metric) override {
    const double sign = maximize ? 1 : -1,
                 bound = absolute ? best + sign * threshold : best * (1 + sign * threshold);
    count_epoch();
    if (maximize ? metric > bound : metric < bound) {
      best = metric;
      bad = 0;
    } else {
      ++bad;
    }
    if (resting > 0) {
      --resting;
      bad = 0;
    }
    if (bad <= double(patience)) return;
    for (int64_t g = 0; g < groups(); ++g) {
      const double old = optimizer().lr(g), lr = std::max(old * factor, least);
      if (old - lr > eps) optimizer().set_lr(g, lr);
    }
    resting = double(rest);
    bad = 0;
  }
  void begin() override {
    best = worst();
    bad = resting = 0;
    Scheduler::begin();
  }
  bool wants_metric() const override { return true; }
  std::vector<std::pair<const char*, double*>> remembered() override {
    return {{"best", &best}, {"num_bad_epochs", &bad}, {"cooldown_counter", &resting}};
  }
};

struct SwaLr final : Scheduler {
  double rate;
  int64_t epochs;
  bool linear;
  SwaLr(Ref<Optimizer> o, double rate, int64_t epochs, bool linear)
      : Scheduler(std::move(o)), rate(rate), epochs(epochs), linear(linear) {
    check_finite(type(), "swa_lr", rate, 0, kMost);
    check_least(type(), "anneal_epochs", epochs, 0);
    start();
  }
  const char* type() const override { return "SWALR"; }
  double part(int64_t step) const {
    const double t = std::clamp(double(step) / double(std::max<int64_t>(1, epochs)), 0.0, 1.0);
    return linear ? t : (1 - std::cos(std::numbers::pi * t)) / 2;
  }
  double next(double lr, double, int64_t epoch) override {
    if (epochs == 0) epoch = std::max<int64_t>(1, epoch);
    const double before = part(std::max<int64_t>(0, epoch - 1)), now = part(epoch);
    const double begin = before == 1 ? rate : (lr - before * rate) / (1 - before);
    return rate * now + begin * (1 - now);
  }
};

void check_parts(const char* type, const Optimizer& o, std::span<const Ref<Scheduler>> parts) {
  if (parts.empty())
    fail(Code::invalid_argument, concat(type, ": no schedulers were given"), {}, "schedulers");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (&parts[i]->optimizer() != &o)
      fail(Code::invalid_argument,
           concat(type, ": scheduler ", int64_t(i), " sets the rates of another optimizer"), {},
           "schedulers");
    if (parts[i]->wants_metric())
      fail(Code::invalid_argument,
           concat(type, ": scheduler ", int64_t(i), ", ", parts[i]->type(), ", wants a metric, which ", type,
                  " has not"),
           "step it beside this one", "schedulers");
    for (size_t k = 0; k < i; ++k)
      if (parts[k].get() == parts[i].get())
        fail(Code::invalid_argument, concat(type, ": scheduler ", int64_t(i), " was given twice"), {},
             "schedulers");
  }
}

struct Chained final : Scheduler {
  std::vector<Ref<Scheduler>> all;
  explicit Chained(std::vector<Ref<Scheduler>> s)
      : Scheduler(s.empty() ? (fail(Code::invalid_argument, "ChainedScheduler: no schedulers were given", {},
                                    "schedulers"),
                               Ref<Optimizer>())
                            : Ref<Optimizer>::share(&s[0]->optimizer())),
        all(std::move(s)) {
    check_parts(type(), optimizer(), all);
  }
  const char* type() const override { return "ChainedScheduler"; }
  double next(double lr, double, int64_t) override { return lr; }
  std::span<const Ref<Scheduler>> parts() const override { return all; }
  void step() override {
    const std::vector<double> before = rates();
    Progress here = decode_state(state());
    try {
      for (const Ref<Scheduler>& s : all) s->step();
    } catch (...) {  // one that has ended, say: the others have not stepped either
      take_state(std::move(here));
      set_rates(before);
      throw;
    }
    count_epoch();
  }
  void begin() override {
    Scheduler::begin();
    for (const Ref<Scheduler>& s : all) s->begin();
  }
};

struct SequentialLr final : Scheduler {
  std::vector<Ref<Scheduler>> all;
  std::vector<int64_t> milestones;
  SequentialLr(Ref<Optimizer> o, std::vector<Ref<Scheduler>> s, std::span<const int64_t> m)
      : Scheduler(std::move(o)), all(std::move(s)), milestones(m.begin(), m.end()) {
    check_parts(type(), optimizer(), all);
    if (milestones.size() + 1 != all.size())
      fail(Code::invalid_argument,
           concat(type(), ": ", int64_t(all.size()), " schedulers want ", int64_t(all.size()) - 1,
                  " milestones, got ", int64_t(milestones.size())),
           {}, "milestones");
    if (!std::ranges::is_sorted(milestones))
      fail(Code::invalid_argument, concat(type(), ": milestones must ascend"), {}, "milestones");
    for (size_t g = 0; g < size_t(groups()); ++g) optimizer().set_lr(int64_t(g), base_lr(g));
    all[0]->restart();  // the others made their first step, too: it does not count
  }
  const char* type() const override { return "SequentialLR"; }
  double next(double lr, double, int64_t) override { return lr; }
  std::span<const Ref<Scheduler>> parts() const override { return all; }
  void step() override {
    const int64_t epoch = last_epoch() + 1;
    const size_t i = size_t(std::ranges::upper_bound(milestones, epoch) - milestones.begin());
    if (i > 0 && milestones[i - 1] == epoch)
      all[i]->restart();
    else
      all[i]->step();
    count_epoch();
  }
  void begin() override {
    Scheduler::begin();
    all[0]->begin();
  }
};

}  // namespace

Ref<Scheduler> make_constant_lr(Ref<Optimizer> o, double factor, int64_t total) {
  return make_ref<ConstantLr>(std::move(o), factor, total);
}
Ref<Scheduler> make_polynomial_lr(Ref<Optimizer> o, int64_t total, double power) {
  return make_ref<PolynomialLr>(std::move(o), total, power);
}
Ref<Scheduler> make_cosine_annealing_warm_restarts(Ref<Optimizer> o, int64_t t_0, int64_t t_mult,
                                                   double eta_min) {
  return make_ref<WarmRestarts>(std::move(o), t_0, t_mult, eta_min);
}
Ref<Scheduler> make_cyclic_lr(Ref<Optimizer> o, double base_lr, double max_lr, int64_t step_size_up,
                              int64_t step_size_down, bool halves, double gamma, bool cycle_momentum,
                              double base_momentum, double max_momentum) {
  return make_ref<CyclicLr>(std::move(o), base_lr, max_lr, step_size_up, step_size_down, halves, gamma,
                            cycle_momentum, base_momentum, max_momentum);
}
Ref<Scheduler> make_one_cycle_lr(Ref<Optimizer> o, double max_lr, int64_t total_steps, double pct_start,
                                 bool linear, bool cycle_momentum, double base_momentum, double max_momentum,
                                 double div_factor, double final_div_factor, bool three_phase) {
  return make_ref<OneCycleLr>(std::move(o), max_lr, total_steps, pct_start, linear, cycle_momentum,
                              base_momentum, max_momentum, div_factor, final_div_factor, three_phase);
}
Ref<Scheduler> make_reduce_lr_on_plateau(Ref<Optimizer> o, bool maximize, double factor, int64_t patience,
                                         double threshold, bool absolute, int64_t cooldown, double min_lr,
                                         double eps) {
  return make_ref<PlateauLr>(std::move(o), maximize, factor, patience, threshold, absolute, cooldown, min_lr,
                             eps);
}
Ref<Scheduler> make_swa_lr(Ref<Optimizer> o, double swa_lr, int64_t anneal_epochs, bool linear) {
  return make_ref<SwaLr>(std::move(o), swa_lr, anneal_epochs, linear);
}
Ref<Scheduler> make_chained_scheduler(std::vector<Ref<Scheduler>> schedulers) {
  return make_ref<Chained>(std::move(schedulers));
}
Ref<Scheduler> make_sequential_lr(Ref<Optimizer> o, std::vector<Ref<Scheduler>> schedulers,
                                  std::span<const int64_t> milestones) {
  return make_ref<SequentialLr>(std::move(o), std::move(schedulers), milestones);
}

}  // namespace haft
