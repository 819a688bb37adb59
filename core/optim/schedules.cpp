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

// A value for each group: those given, or one for all.
std::vector<double> of_groups(const char* type, const char* name, double one, GroupValues each,
                              int64_t groups) {
  if (each.empty()) return std::vector<double>(size_t(groups), one);
  if (int64_t(each.size()) != groups)
    fail(Code::invalid_argument,
         concat(type, ": ", name, " has ", int64_t(each.size()), " numbers, the optimizer ", groups,
                " groups"),
         {}, name);
  return {each.begin(), each.end()};
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
  double next(double lr, double base, int64_t epoch, size_t) override {
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
  double next(double lr, double, int64_t epoch, size_t) override {
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
  double next(double, double base, int64_t epoch, size_t) override {
    int64_t length = first, at = epoch;
    if (times == 1) at %= length;
    while (at >= length) {
      at -= length;
      length = length > INT64_MAX / times ? INT64_MAX : length * times;
    }
    return half_cosine(base, low, double(at) / double(length));
  }
};

struct CyclicLr final : Scheduler {
  std::vector<double> low, high, low_momentum, high_momentum;
  double size, ratio;
  bool halves;
  double gamma;
  const char* momentum = nullptr;
  CyclicLr(Ref<Optimizer> o, std::vector<double> low, std::vector<double> high, int64_t up, int64_t down,
           bool halves, double gamma, bool cycle_momentum, std::vector<double> low_momentum,
           std::vector<double> high_momentum)
      : Scheduler(std::move(o)),
        low(std::move(low)),
        high(std::move(high)),
        low_momentum(std::move(low_momentum)),
        high_momentum(std::move(high_momentum)),
        halves(halves),
        gamma(gamma) {
    for (double v : this->low) check_finite(type(), "base_lr", v, 0, kMost);
    for (double v : this->high) check_finite(type(), "max_lr", v, 0, kMost);
    check_least(type(), "step_size_up", up, 1);
    if (down == kNone) down = up;
    check_least(type(), "step_size_down", down, 0);
    size = double(up) + double(down);
    ratio = double(up) / size;
    if (cycle_momentum) momentum = momentum_of(optimizer(), type());
    for (size_t g = 0; g < size_t(groups()); ++g) set_base_lr(g, this->low[g]);
    start();
  }
  const char* type() const override { return "CyclicLR"; }
  double height(int64_t epoch) const {
    const double cycle = std::floor(1 + double(epoch) / size), x = 1 + double(epoch) / size - cycle;
    const double part = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
    return part * (halves ? std::exp2(1 - cycle) : 1) * std::pow(gamma, double(epoch));
  }
  double next(double, double, int64_t epoch, size_t g) override {
    return low[g] + (high[g] - low[g]) * height(epoch);
  }
  void after(int64_t epoch) override {
    for (size_t g = 0; momentum && g < high_momentum.size(); ++g)
      optimizer().set_option(int64_t(g), momentum,
                             high_momentum[g] - (high_momentum[g] - low_momentum[g]) * height(epoch));
  }
};

struct OneCycleLr final : Scheduler {
  std::vector<double> top, low_momentum, high_momentum;
  int64_t total;
  double up, div, final_div;
  bool linear, three;
  const char* momentum = nullptr;
  OneCycleLr(Ref<Optimizer> o, std::vector<double> top, int64_t total, double pct_start, bool linear,
             bool cycle_momentum, std::vector<double> low_momentum, std::vector<double> high_momentum,
             double div, double final_div, bool three_phase)
      : Scheduler(std::move(o)),
        top(std::move(top)),
        low_momentum(std::move(low_momentum)),
        high_momentum(std::move(high_momentum)),
        total(total),
        div(div),
        final_div(final_div),
        linear(linear),
        three(three_phase) {
    for (double v : this->top) check_finite(type(), "max_lr", v, 0, kMost);
    check_least(type(), "total_steps", total, 1);
    check_finite(type(), "pct_start", pct_start, 0, 1);
    for (auto [name, v] : {std::pair{"div_factor", div}, {"final_div_factor", final_div}})
      if (!(v > 0))
        fail(Code::invalid_argument, concat(type(), ": ", name, " must be above 0, got ", v), {}, name);
    up = pct_start * double(total) - 1;
    if (cycle_momentum) momentum = momentum_of(optimizer(), type());
    for (size_t g = 0; g < size_t(groups()); ++g) set_base_lr(g, this->top[g] / div);
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
  double next(double, double, int64_t epoch, size_t g) override {
    if (epoch > total)
      fail(Code::invalid_argument, concat(type(), ": step ", epoch, " of ", total, " in all"),
           "total_steps says how many there are", "s");
    const double first = top[g] / div;
    return way(epoch, first, top[g], first, first / final_div);
  }
  void after(int64_t epoch) override {
    for (size_t g = 0; momentum && g < high_momentum.size(); ++g)
      optimizer().set_option(
          int64_t(g), momentum,
          way(epoch, high_momentum[g], low_momentum[g], high_momentum[g], high_momentum[g]));
  }
};

struct PlateauLr final : Scheduler {
  bool maximize, absolute;
  double factor, threshold, eps;
  std::vector<double> least;
  int64_t patience, rest;
  double best, bad = 0, resting = 0;
  PlateauLr(Ref<Optimizer> o, bool maximize, double factor, int64_t patience, double threshold, bool absolute,
            int64_t cooldown, std::vector<double> min_lrs, double eps)
      : Scheduler(std::move(o)),
        maximize(maximize),
        absolute(absolute),
        factor(factor),
        threshold(threshold),
        eps(eps),
        least(std::move(min_lrs)),
        patience(patience),
        rest(cooldown),
        best(worst()) {
    if (!(factor >= 0 && factor < 1))
      fail(Code::invalid_argument, concat(type(), ": factor must be in [0, 1), got ", factor), {}, "factor");
    check_least(type(), "patience", patience, 0);
    check_least(type(), "cooldown", cooldown, 0);
    for (double v : least) check_finite(type(), "min_lr", v, 0, kMost);
  }
  const char* type() const override { return "ReduceLROnPlateau"; }
  double worst() const { return (maximize ? -1 : 1) * std::numeric_limits<double>::infinity(); }
  double next(double lr, double, int64_t, size_t) override { return lr; }
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
      const double old = optimizer().lr(g), lr = std::max(old * factor, least[size_t(g)]);
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
  std::vector<double> ends;
  int64_t epochs;
  bool linear;
  SwaLr(Ref<Optimizer> o, std::vector<double> ends, int64_t epochs, bool linear)
      : Scheduler(std::move(o)), ends(std::move(ends)), epochs(epochs), linear(linear) {
    for (double v : this->ends) check_finite(type(), "swa_lr", v, 0, kMost);
    check_least(type(), "anneal_epochs", epochs, 0);
    start();
  }
  const char* type() const override { return "SWALR"; }
  double part(int64_t step) const {
    const double t = std::clamp(double(step) / double(std::max<int64_t>(1, epochs)), 0.0, 1.0);
    return linear ? t : (1 - std::cos(std::numbers::pi * t)) / 2;
  }
  double next(double lr, double, int64_t epoch, size_t g) override {
    if (epochs == 0) epoch = std::max<int64_t>(1, epoch);
    const double rate = ends[g];
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
  double next(double lr, double, int64_t, size_t) override { return lr; }
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
  double next(double lr, double, int64_t, size_t) override { return lr; }
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
                              double base_momentum, double max_momentum, GroupValues base_lrs,
                              GroupValues max_lrs, GroupValues base_momentums, GroupValues max_momentums) {
  const int64_t n = o->group_count();
  auto each = [n](const char* name, double one, GroupValues v) {
    return of_groups("CyclicLR", name, one, v, n);
  };
  return make_ref<CyclicLr>(std::move(o), each("base_lrs", base_lr, base_lrs),
                            each("max_lrs", max_lr, max_lrs), step_size_up, step_size_down, halves, gamma,
                            cycle_momentum, each("base_momentums", base_momentum, base_momentums),
                            each("max_momentums", max_momentum, max_momentums));
}
Ref<Scheduler> make_one_cycle_lr(Ref<Optimizer> o, double max_lr, int64_t total_steps, double pct_start,
                                 bool linear, bool cycle_momentum, double base_momentum, double max_momentum,
                                 double div_factor, double final_div_factor, bool three_phase,
                                 GroupValues max_lrs, GroupValues base_momentums, GroupValues max_momentums) {
  const int64_t n = o->group_count();
  auto each = [n](const char* name, double one, GroupValues v) {
    return of_groups("OneCycleLR", name, one, v, n);
  };
  return make_ref<OneCycleLr>(std::move(o), each("max_lrs", max_lr, max_lrs), total_steps, pct_start, linear,
                              cycle_momentum, each("base_momentums", base_momentum, base_momentums),
                              each("max_momentums", max_momentum, max_momentums), div_factor,
                              final_div_factor, three_phase);
}
Ref<Scheduler> make_reduce_lr_on_plateau(Ref<Optimizer> o, bool maximize, double factor, int64_t patience,
                                         double threshold, bool absolute, int64_t cooldown, double min_lr,
                                         double eps, GroupValues min_lrs) {
  auto least = of_groups("ReduceLROnPlateau", "min_lrs", min_lr, min_lrs, o->group_count());
  return make_ref<PlateauLr>(std::move(o), maximize, factor, patience, threshold, absolute, cooldown,
                             std::move(least), eps);
}
Ref<Scheduler> make_swa_lr(Ref<Optimizer> o, double swa_lr, int64_t anneal_epochs, bool linear,
                           GroupValues swa_lrs) {
  auto rates = of_groups("SWALR", "swa_lrs", swa_lr, swa_lrs, o->group_count());
  return make_ref<SwaLr>(std::move(o), std::move(rates), anneal_epochs, linear);
}
Ref<Scheduler> make_chained_scheduler(std::vector<Ref<Scheduler>> schedulers) {
  return make_ref<Chained>(std::move(schedulers));
}
Ref<Scheduler> make_sequential_lr(Ref<Optimizer> o, std::vector<Ref<Scheduler>> schedulers,
                                  std::span<const int64_t> milestones) {
  return make_ref<SequentialLr>(std::move(o), std::move(schedulers), milestones);
}

}  // namespace haft
