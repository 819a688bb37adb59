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
  void step();  // after the optimizer's, once an epoch (or a batch, as the schedule is meant)
  int64_t last_epoch() const { return last_epoch_; }
  Optimizer& optimizer() const { return *optimizer_; }

  // "last_epoch", "base_lrs.<group>"
  std::map<std::string, double> state() const;
  void load_state(const std::map<std::string, double>& state);
  // The same in two steps: what may fail, and what cannot.
  struct Progress {
    std::vector<double> base_lrs;
    int64_t last_epoch = 0;
  };
  Progress decode_state(const std::map<std::string, double>& state) const;
  void take_state(Progress p) noexcept {
    base_lrs_ = std::move(p.base_lrs);
    last_epoch_ = p.last_epoch;
  }

 protected:
  explicit Scheduler(Ref<Optimizer> o);
  // Whoever derives calls it at the end of its constructor: the rates of epoch 0.
  void start();
  // The rate after `epoch` steps of a group whose rate is `lr` now and was `base` at the beginning.
  virtual double next(double lr, double base, int64_t epoch) = 0;

 private:
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

}  // namespace haft
