// Schedules of the learning rate, by PyTorch's chainable rules: each step changes the optimizer's present
// rates, so that several schedulers may work on one optimizer (warm-up times decay).
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/optim/optimizer.h"

namespace haft {

class Scheduler : public RefCounted {
 public:
  virtual ~Scheduler() = default;
  virtual const char* type() const = 0;
  virtual void step();  // after the optimizer's, once an epoch (or a batch, as the schedule is meant)
  virtual void step(double metric);  // of a schedule that looks at one
  // From epoch 0 and the base rates again, whatever the rates are now.
  void restart();
  // From epoch 0 again with the rates as they are.
  virtual void begin();
  virtual bool wants_metric() const { return false; }
  int64_t last_epoch() const { return last_epoch_; }
  Optimizer& optimizer() const { return *optimizer_; }

  // "last_epoch", "base_lrs.<group>", and what a kind remembers besides
  std::map<std::string, double> state() const;
  void load_state(const std::map<std::string, double>& state);
  // The same in two steps: what may fail, and what cannot.
  struct Progress {
    std::vector<double> base_lrs;
    int64_t last_epoch = 0;
    std::vector<double> more;     // of remembered(), in its order
    std::vector<Progress> parts;  // of schedules that this one is made of
  };
  Progress decode_state(const std::map<std::string, double>& state) const;
  void take_state(Progress p) noexcept;

 protected:
  explicit Scheduler(Ref<Optimizer> o);
  // Whoever derives calls it at the end of its constructor: the rates of epoch 0.
  void start();
  // The rate after `epoch` steps of group g, whose rate is `lr` now and was `base` at the beginning.
  virtual double next(double lr, double base, int64_t epoch, size_t g) = 0;
  // What else changes with the rates.
  virtual void after(int64_t /*epoch*/) {}
  // Numbers beside the epoch, by name; and schedules that this one is made of.
  virtual std::vector<std::pair<const char*, double*>> remembered() { return {}; }
  virtual std::span<const Ref<Scheduler>> parts() const { return {}; }
  void set_base_lr(size_t g, double lr) { base_lrs_[g] = lr; }
  double base_lr(size_t g) const { return base_lrs_[g]; }
  int64_t groups() const { return int64_t(base_lrs_.size()); }
  void count_epoch() { ++last_epoch_; }
  std::vector<double> rates() const;
  void set_rates(std::span<const double> rates);

 private:
  void collect(const std::string& prefix, std::map<std::string, double>& out) const;
  Progress decode(const std::string& prefix, const std::map<std::string, double>& state) const;
  Ref<Optimizer> optimizer_;
  std::vector<double> base_lrs_;
  int64_t last_epoch_ = 0;
};

Ref<Scheduler> make_step_lr(Ref<Optimizer> o, int64_t step_size, double gamma);
Ref<Scheduler> make_multi_step_lr(Ref<Optimizer> o, std::span<const int64_t> milestones, double gamma);
Ref<Scheduler> make_exponential_lr(Ref<Optimizer> o, double gamma);
// From the base rate to eta_min along half a cosine of t_max steps (Loshchilov and Hutter, arXiv:1608.03983).
Ref<Scheduler> make_cosine_annealing_lr(Ref<Optimizer> o, int64_t t_max, double eta_min);
// Factor from `start` to `end` over `total` steps: a linear warm-up.
Ref<Scheduler> make_linear_lr(Ref<Optimizer> o, double start, double end, int64_t total);
// base rate times factor(epoch).
Ref<Scheduler> make_lambda_lr(Ref<Optimizer> o, std::function<double(int64_t epoch)> factor);

// The rate of the step before times factor(epoch).
Ref<Scheduler> make_multiplicative_lr(Ref<Optimizer> o, std::function<double(int64_t epoch)> factor);
// The rate times `factor` for the first `total` steps.
Ref<Scheduler> make_constant_lr(Ref<Optimizer> o, double factor, int64_t total);
// To 0 as (1 - epoch / total)^power.
Ref<Scheduler> make_polynomial_lr(Ref<Optimizer> o, int64_t total, double power);
Ref<Scheduler> make_cosine_annealing_warm_restarts(Ref<Optimizer> o, int64_t t_0, int64_t t_mult,
                                                   double eta_min);
// Where a span of numbers stands beside a value: one for each group, in place of the value, or empty.
using GroupValues = std::span<const double>;
// Between two rates (Smith, arXiv:1506.01186); step_size_down kNone: step_size_up.
Ref<Scheduler> make_cyclic_lr(Ref<Optimizer> o, double base_lr, double max_lr, int64_t step_size_up,
                              int64_t step_size_down, bool halves, double gamma, bool cycle_momentum,
                              double base_momentum, double max_momentum, GroupValues base_lrs = {},
                              GroupValues max_lrs = {}, GroupValues base_momentums = {},
                              GroupValues max_momentums = {});
// Smith and Topin, arXiv:1708.07120.
Ref<Scheduler> make_one_cycle_lr(Ref<Optimizer> o, double max_lr, int64_t total_steps, double pct_start,
                                 bool linear, bool cycle_momentum, double base_momentum, double max_momentum,
                                 double div_factor, double final_div_factor, bool three_phase,
                                 GroupValues max_lrs = {}, GroupValues base_momentums = {},
                                 GroupValues max_momentums = {});
Ref<Scheduler> make_reduce_lr_on_plateau(Ref<Optimizer> o, bool maximize, double factor, int64_t patience,
                                         double threshold, bool absolute, int64_t cooldown, double min_lr,
                                         double eps, GroupValues min_lrs = {});
Ref<Scheduler> make_swa_lr(Ref<Optimizer> o, double swa_lr, int64_t anneal_epochs, bool linear,
                           GroupValues swa_lrs = {});
// Schedules of one optimizer: all at each step, or one after the other, the next from each milestone on.
Ref<Scheduler> make_chained_scheduler(std::vector<Ref<Scheduler>> schedulers);
Ref<Scheduler> make_sequential_lr(Ref<Optimizer> o, std::vector<Ref<Scheduler>> schedulers,
                                  std::span<const int64_t> milestones);

}  // namespace haft
