// Generated from core/schema/modules.def by tools/generate; do not edit.
//
// Optimizers and schedules in C++17: optim::adam(params, 1e-3), optim::step_lr(optimizer, 30). haft/optim.hpp includes
// this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_OPTIMIZERS_HPP
#define HAFT_OPTIMIZERS_HPP

namespace haft {
namespace optim {

/// Stochastic gradient descent, with momentum when it is not 0.
/// lr: learning rate
/// momentum: part of the last step that goes on
/// dampening: part of the gradient that does not enter the momentum
/// weight_decay: the parameter times this is added to the gradient
/// nesterov: whether the momentum is Nesterov's; wants momentum and no dampening
/// maximize: whether to climb
struct SGDOptions : haft_sgd_options {
  SGDOptions(double rate = 1e-3) : haft_sgd_options(HAFT_SGD_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer sgd(const std::vector<Tensor>& params, const SGDOptions& o = {}) {
  return detail::create(haft_sgd_create, params, o);
}

/// Adam (Kingma and Ba, arXiv:1412.6980).
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of the mean of their squares
/// eps: added to the root
/// weight_decay: the parameter times this is added to the gradient
/// amsgrad: whether the largest mean of squares so far counts
/// maximize: whether to climb
struct AdamOptions : haft_adam_options {
  AdamOptions(double rate = 1e-3) : haft_adam_options(HAFT_ADAM_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer adam(const std::vector<Tensor>& params, const AdamOptions& o = {}) {
  return detail::create(haft_adam_create, params, o);
}

/// AdamW (Loshchilov and Hutter, arXiv:1711.05101): Adam whose weight decay shrinks the parameter.
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of the mean of their squares
/// eps: added to the root
/// weight_decay: the rate times this part of the parameter is taken off it
/// amsgrad: whether the largest mean of squares so far counts
/// maximize: whether to climb
struct AdamWOptions : haft_adamw_options {
  AdamWOptions(double rate = 1e-3) : haft_adamw_options(HAFT_ADAMW_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer adamw(const std::vector<Tensor>& params, const AdamWOptions& o = {}) {
  return detail::create(haft_adamw_create, params, o);
}

/// RMSprop (Hinton): divides by the root of the mean of squares.
/// lr: learning rate
/// alpha: decay of the means
/// eps: added to the root
/// weight_decay: the parameter times this is added to the gradient
/// momentum: part of the last step that goes on
/// centered: whether the squared mean of gradients is subtracted from the mean of their squares
/// maximize: whether to climb
struct RMSpropOptions : haft_rmsprop_options {
  RMSpropOptions(double rate = 1e-2) : haft_rmsprop_options(HAFT_RMSPROP_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer rmsprop(const std::vector<Tensor>& params, const RMSpropOptions& o = {}) {
  return detail::create(haft_rmsprop_create, params, o);
}

/// Adagrad (Duchi et al., JMLR 2011): divides by the root of the sum of squares.
/// lr: learning rate
/// lr_decay: the rate is divided by 1 + steps so far times this
/// weight_decay: the parameter times this is added to the gradient
/// initial_accumulator_value: where the sum begins
/// eps: added to the root
/// maximize: whether to climb
struct AdagradOptions : haft_adagrad_options {
  AdagradOptions(double rate = 1e-2) : haft_adagrad_options(HAFT_ADAGRAD_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer adagrad(const std::vector<Tensor>& params, const AdagradOptions& o = {}) {
  return detail::create(haft_adagrad_create, params, o);
}

/// Adadelta (Zeiler, arXiv:1212.5701): the ratio of the root mean squares of steps and gradients.
/// lr: learning rate
/// rho: decay of the means of squares
/// eps: added to the means
/// weight_decay: the parameter times this is added to the gradient
/// maximize: whether to climb
struct AdadeltaOptions : haft_adadelta_options {
  AdadeltaOptions(double rate = 1.0) : haft_adadelta_options(HAFT_ADADELTA_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer adadelta(const std::vector<Tensor>& params, const AdadeltaOptions& o = {}) {
  return detail::create(haft_adadelta_create, params, o);
}

/// Adam with the infinity norm (Kingma and Ba, arXiv:1412.6980).
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of their largest size
/// eps: added to the gradient's size
/// weight_decay: the parameter times this is added to the gradient
/// maximize: whether to climb
struct AdamaxOptions : haft_adamax_options {
  AdamaxOptions(double rate = 2e-3) : haft_adamax_options(HAFT_ADAMAX_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer adamax(const std::vector<Tensor>& params, const AdamaxOptions& o = {}) {
  return detail::create(haft_adamax_create, params, o);
}

/// Adam with a rectified variance (Liu et al., arXiv:1908.03265).
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of the mean of their squares
/// eps: added to the root
/// weight_decay: the parameter times this is added to the gradient
/// maximize: whether to climb
struct RAdamOptions : haft_radam_options {
  RAdamOptions(double rate = 1e-3) : haft_radam_options(HAFT_RADAM_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer radam(const std::vector<Tensor>& params, const RAdamOptions& o = {}) {
  return detail::create(haft_radam_create, params, o);
}

/// Adam with Nesterov's momentum (Dozat, 2016).
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of the mean of their squares
/// eps: added to the root
/// weight_decay: the parameter times this is added to the gradient
/// momentum_decay: how fast the momentum grows to beta1
/// maximize: whether to climb
struct NAdamOptions : haft_nadam_options {
  NAdamOptions(double rate = 2e-3) : haft_nadam_options(HAFT_NADAM_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer nadam(const std::vector<Tensor>& params, const NAdamOptions& o = {}) {
  return detail::create(haft_nadam_create, params, o);
}

/// Averaged stochastic gradient descent (Polyak and Juditsky, 1992): the average of each parameter is its
/// state `ax`.
/// lr: learning rate
/// lambd: how fast the rate falls, and the parameter with it
/// alpha: the power with which the rate falls
/// t0: the step after which the average begins
/// weight_decay: the parameter times this is added to the gradient
/// maximize: whether to climb
struct ASGDOptions : haft_asgd_options {
  ASGDOptions(double rate = 1e-2) : haft_asgd_options(HAFT_ASGD_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer asgd(const std::vector<Tensor>& params, const ASGDOptions& o = {}) {
  return detail::create(haft_asgd_create, params, o);
}

/// Resilient backpropagation (Riedmiller and Braun, 1993): only the sign of the gradient counts.
/// lr: the first size of steps
/// eta1: the factor of a step's size where the sign has changed, below 1
/// eta2: and where it has not, above 1
/// step_size1: the smallest step
/// step_size2: the largest
/// maximize: whether to climb
struct RpropOptions : haft_rprop_options {
  RpropOptions(double rate = 1e-2) : haft_rprop_options(HAFT_RPROP_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer rprop(const std::vector<Tensor>& params, const RpropOptions& o = {}) {
  return detail::create(haft_rprop_create, params, o);
}

/// Lion (Chen et al., arXiv:2302.06675): the sign of a mean of the gradient; weight decay shrinks the
/// parameter.
/// lr: learning rate
/// beta1: part of the mean in a step
/// beta2: decay of the mean
/// weight_decay: the rate times this part of the parameter is taken off it
/// maximize: whether to climb
struct LionOptions : haft_lion_options {
  LionOptions(double rate = 1e-4) : haft_lion_options(HAFT_LION_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer lion(const std::vector<Tensor>& params, const LionOptions& o = {}) {
  return detail::create(haft_lion_create, params, o);
}

/// The rate times gamma every step_size steps.
/// @param step_size steps between changes
/// @param gamma the factor
inline Scheduler step_lr(const Optimizer& optimizer, std::int64_t step_size, double gamma = 0.1) {
  haft_step_lr_options o = HAFT_STEP_LR_OPTIONS_INIT;
  o.step_size = step_size;
  o.gamma = gamma;
  return detail::schedule(haft_step_lr_create, optimizer.get(), &o);
}

/// The rate times gamma at each milestone.
/// @param milestones the steps
/// @param gamma the factor
inline Scheduler multi_step_lr(const Optimizer& optimizer, const haft::IntArray& milestones,
                               double gamma = 0.1) {
  haft_multi_step_lr_options o = HAFT_MULTI_STEP_LR_OPTIONS_INIT;
  o.milestones = milestones.data();
  o.milestones_count = milestones.size();
  o.gamma = gamma;
  return detail::schedule(haft_multi_step_lr_create, optimizer.get(), &o);
}

/// The rate times gamma at every step.
/// @param gamma the factor
inline Scheduler exponential_lr(const Optimizer& optimizer, double gamma) {
  haft_exponential_lr_options o = HAFT_EXPONENTIAL_LR_OPTIONS_INIT;
  o.gamma = gamma;
  return detail::schedule(haft_exponential_lr_create, optimizer.get(), &o);
}

/// From the present rate to eta_min along half a cosine.
/// @param t_max steps to the lowest rate
/// @param eta_min the lowest rate
inline Scheduler cosine_annealing_lr(const Optimizer& optimizer, std::int64_t t_max, double eta_min = 0.0) {
  haft_cosine_annealing_lr_options o = HAFT_COSINE_ANNEALING_LR_OPTIONS_INIT;
  o.t_max = t_max;
  o.eta_min = eta_min;
  return detail::schedule(haft_cosine_annealing_lr_create, optimizer.get(), &o);
}

/// The first rate times a factor that goes from one value to another in a line: a warm-up.
/// @param start_factor the factor at once, in (0, 1]
/// @param end_factor the factor at the end, in [0, 1]
/// @param total_iters steps between them
inline Scheduler linear_lr(const Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1.0,
                           std::int64_t total_iters = 5) {
  haft_linear_lr_options o = HAFT_LINEAR_LR_OPTIONS_INIT;
  o.start_factor = start_factor;
  o.end_factor = end_factor;
  o.total_iters = total_iters;
  return detail::schedule(haft_linear_lr_create, optimizer.get(), &o);
}

}  // namespace optim
}  // namespace haft
#endif
