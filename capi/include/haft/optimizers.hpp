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
/// decoupled_weight_decay: whether the rate times weight_decay of the parameter is taken off it instead, as
///   by AdamW
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
/// decoupled_weight_decay: whether the rate times weight_decay of the parameter is taken off it instead, as
///   by AdamW
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
/// decoupled_weight_decay: whether the rate times weight_decay of the parameter is taken off it instead, as
///   by AdamW
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

/// LAMB (You et al., arXiv:1904.00962): Adam's step, scaled for each parameter by its norm over that of the
/// step.
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of the mean of their squares
/// eps: added to the root
/// weight_decay: the parameter times this is added to the step
/// maximize: whether to climb
struct LAMBOptions : haft_lamb_options {
  LAMBOptions(double rate = 1e-3) : haft_lamb_options(HAFT_LAMB_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer lamb(const std::vector<Tensor>& params, const LAMBOptions& o = {}) {
  return detail::create(haft_lamb_create, params, o);
}

/// Adafactor (Shazeer and Stern, arXiv:1804.04235): the mean squares of a matrix's gradient are kept by row
/// and by column, and the rate follows the parameter's size.
/// lr: the largest rate, and that of the weight decay
/// beta2_decay: the mean of squares keeps 1 - step^beta2_decay; at most 0
/// eps1: the least mean of squares is its square; below 0: the dtype's epsilon
/// eps2: the least root mean square of a parameter that the rate is multiplied by
/// d: the root mean square from which on a step is shortened to it
/// weight_decay: the rate times this part of the parameter is taken off it
/// maximize: whether to climb
struct AdafactorOptions : haft_adafactor_options {
  AdafactorOptions(double rate = 1e-2) : haft_adafactor_options(HAFT_ADAFACTOR_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer adafactor(const std::vector<Tensor>& params, const AdafactorOptions& o = {}) {
  return detail::create(haft_adafactor_create, params, o);
}

/// Muon (Jordan, 2024) for matrices: the momentum, made nearly orthogonal by a Newton-Schulz iteration. That
/// is computed in float32, or float64 for such parameters.
/// lr: learning rate
/// weight_decay: the rate times this part of the parameter is taken off it
/// momentum: part of the mean of gradients that stays
/// nesterov: whether the momentum is Nesterov's
/// ns_a: factor of the matrix in a step of the iteration
/// ns_b: factor of its cube
/// ns_c: factor of its fifth power
/// eps: the least norm that the matrix is divided by
/// ns_steps: steps of the iteration
/// match_rms_adamw: scale the rate by 0.2 * sqrt(max(rows, columns)), as AdamW's steps are, in place of
///   sqrt(max(1, rows / columns))
/// spectral_unclamped: scale the rate by sqrt(rows / columns)
struct MuonOptions : haft_muon_options {
  MuonOptions(double rate = 1e-3) : haft_muon_options(HAFT_MUON_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer muon(const std::vector<Tensor>& params, const MuonOptions& o = {}) {
  return detail::create(haft_muon_create, params, o);
}

/// Adam for gradients of rows, the only ones that it takes: the means of other rows stand still.
/// lr: learning rate
/// beta1: decay of the mean of gradients
/// beta2: decay of the mean of their squares
/// eps: added to the root
/// maximize: whether to climb
struct SparseAdamOptions : haft_sparse_adam_options {
  SparseAdamOptions(double rate = 1e-3) : haft_sparse_adam_options(HAFT_SPARSE_ADAM_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer sparse_adam(const std::vector<Tensor>& params, const SparseAdamOptions& o = {}) {
  return detail::create(haft_sparse_adam_create, params, o);
}

/// L-BFGS (Liu and Nocedal, 1989) over one group of parameters; its step takes a closure, which computes the
/// loss and its gradients again.
/// lr: learning rate, the first length of a step
/// max_iter: iterations a step
/// max_eval: evaluations a step; below 0: a quarter more than max_iter
/// tolerance_grad: ends when no element of the gradient is larger
/// tolerance_change: ends when value and parameters change less
/// history_size: updates that are remembered
/// strong_wolfe: whether to search along the direction for a step that fulfils the strong Wolfe conditions
/// maximize: whether to climb
struct LBFGSOptions : haft_lbfgs_options {
  LBFGSOptions(double rate = 1) : haft_lbfgs_options(HAFT_LBFGS_OPTIONS_INIT) { lr = rate; }
};
inline Optimizer lbfgs(const std::vector<Tensor>& params, const LBFGSOptions& o = {}) {
  return detail::create(haft_lbfgs_create, params, o);
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

/// The first rate times a factor for the first steps.
/// @param factor the factor, in [0, 1]
/// @param total_iters steps with it
inline Scheduler constant_lr(const Optimizer& optimizer, double factor = 1.0 / 3,
                             std::int64_t total_iters = 5) {
  haft_constant_lr_options o = HAFT_CONSTANT_LR_OPTIONS_INIT;
  o.factor = factor;
  o.total_iters = total_iters;
  return detail::schedule(haft_constant_lr_create, optimizer.get(), &o);
}

/// To 0 as (1 - step / total_iters)^power.
/// @param total_iters steps until 0
/// @param power the power
inline Scheduler polynomial_lr(const Optimizer& optimizer, std::int64_t total_iters = 5, double power = 1.0) {
  haft_polynomial_lr_options o = HAFT_POLYNOMIAL_LR_OPTIONS_INIT;
  o.total_iters = total_iters;
  o.power = power;
  return detail::schedule(haft_polynomial_lr_create, optimizer.get(), &o);
}

/// From the first rate to eta_min along half a cosine, again and again (Loshchilov and Hutter,
/// arXiv:1608.03983).
/// @param t_0 steps of the first one
/// @param t_mult each is so many times as long as the last
/// @param eta_min the lowest rate
inline Scheduler cosine_annealing_warm_restarts(const Optimizer& optimizer, std::int64_t t_0,
                                                std::int64_t t_mult = 1, double eta_min = 0.0) {
  haft_cosine_annealing_warm_restarts_options o = HAFT_COSINE_ANNEALING_WARM_RESTARTS_OPTIONS_INIT;
  o.t_0 = t_0;
  o.t_mult = t_mult;
  o.eta_min = eta_min;
  return detail::schedule(haft_cosine_annealing_warm_restarts_create, optimizer.get(), &o);
}

/// Between two rates and back, and the momentum against them (Smith, arXiv:1506.01186).
/// @param base_lr the lowest rate
/// @param max_lr the highest
/// @param step_size_up steps on the way up
/// @param step_size_down steps on the way down; none: step_size_up
/// @param halves whether each cycle is half as high as the last
/// @param gamma the height is multiplied by this at each step
/// @param cycle_momentum whether the momentum changes, too
/// @param base_momentum the momentum at the highest rate
/// @param max_momentum the momentum at the lowest
/// @param base_lrs base_lr of each group, in place of it
/// @param max_lrs max_lr of each group
/// @param base_momentums base_momentum of each group
/// @param max_momentums max_momentum of each group
inline Scheduler cyclic_lr(const Optimizer& optimizer, double base_lr, double max_lr,
                           std::int64_t step_size_up = 2000, std::int64_t step_size_down = HAFT_NONE,
                           bool halves = false, double gamma = 1.0, bool cycle_momentum = true,
                           double base_momentum = 0.8, double max_momentum = 0.9,
                           const std::vector<double>& base_lrs = {}, const std::vector<double>& max_lrs = {},
                           const std::vector<double>& base_momentums = {},
                           const std::vector<double>& max_momentums = {}) {
  haft_cyclic_lr_options o = HAFT_CYCLIC_LR_OPTIONS_INIT;
  o.base_lr = base_lr;
  o.max_lr = max_lr;
  o.step_size_up = step_size_up;
  o.step_size_down = step_size_down;
  o.halves = std::int32_t(halves);
  o.gamma = gamma;
  o.cycle_momentum = std::int32_t(cycle_momentum);
  o.base_momentum = base_momentum;
  o.max_momentum = max_momentum;
  o.base_lrs = base_lrs.data();
  o.base_lrs_count = static_cast<std::int64_t>(base_lrs.size());
  o.max_lrs = max_lrs.data();
  o.max_lrs_count = static_cast<std::int64_t>(max_lrs.size());
  o.base_momentums = base_momentums.data();
  o.base_momentums_count = static_cast<std::int64_t>(base_momentums.size());
  o.max_momentums = max_momentums.data();
  o.max_momentums_count = static_cast<std::int64_t>(max_momentums.size());
  return detail::schedule(haft_cyclic_lr_create, optimizer.get(), &o);
}

/// Up to max_lr and down again once, and the momentum against it (Smith and Topin, arXiv:1708.07120).
/// @param max_lr the highest rate
/// @param total_steps steps in all
/// @param pct_start part of the steps that goes up
/// @param linear whether ways are straight in place of half cosines
/// @param cycle_momentum whether the momentum changes, too; of Adam and its like beta1
/// @param base_momentum the momentum at the highest rate
/// @param max_momentum the momentum at the lowest
/// @param div_factor max_lr over the first rate
/// @param final_div_factor the first rate over the last
/// @param three_phase whether it goes down as fast as up, and then on to the end
/// @param max_lrs max_lr of each group, in place of it
/// @param base_momentums base_momentum of each group
/// @param max_momentums max_momentum of each group
inline Scheduler one_cycle_lr(const Optimizer& optimizer, double max_lr, std::int64_t total_steps,
                              double pct_start = 0.3, bool linear = false, bool cycle_momentum = true,
                              double base_momentum = 0.85, double max_momentum = 0.95,
                              double div_factor = 25.0, double final_div_factor = 1e4,
                              bool three_phase = false, const std::vector<double>& max_lrs = {},
                              const std::vector<double>& base_momentums = {},
                              const std::vector<double>& max_momentums = {}) {
  haft_one_cycle_lr_options o = HAFT_ONE_CYCLE_LR_OPTIONS_INIT;
  o.max_lr = max_lr;
  o.total_steps = total_steps;
  o.pct_start = pct_start;
  o.linear = std::int32_t(linear);
  o.cycle_momentum = std::int32_t(cycle_momentum);
  o.base_momentum = base_momentum;
  o.max_momentum = max_momentum;
  o.div_factor = div_factor;
  o.final_div_factor = final_div_factor;
  o.three_phase = std::int32_t(three_phase);
  o.max_lrs = max_lrs.data();
  o.max_lrs_count = static_cast<std::int64_t>(max_lrs.size());
  o.base_momentums = base_momentums.data();
  o.base_momentums_count = static_cast<std::int64_t>(base_momentums.size());
  o.max_momentums = max_momentums.data();
  o.max_momentums_count = static_cast<std::int64_t>(max_momentums.size());
  return detail::schedule(haft_one_cycle_lr_create, optimizer.get(), &o);
}

/// The rate times factor when a metric, which each step is given, has not become better.
/// @param maximize whether a larger metric is better
/// @param factor the factor, below 1
/// @param patience steps without anything better before the rate falls
/// @param threshold by how much a better metric is better
/// @param absolute whether the threshold is a difference in place of a part of the best metric
/// @param cooldown steps after a change that do not count
/// @param min_lr the rate does not fall below
/// @param eps smaller changes are left out
/// @param min_lrs min_lr of each group, in place of it
inline Scheduler reduce_lr_on_plateau(const Optimizer& optimizer, bool maximize = false, double factor = 0.1,
                                      std::int64_t patience = 10, double threshold = 1e-4,
                                      bool absolute = false, std::int64_t cooldown = 0, double min_lr = 0.0,
                                      double eps = 1e-8, const std::vector<double>& min_lrs = {}) {
  haft_reduce_lr_on_plateau_options o = HAFT_REDUCE_LR_ON_PLATEAU_OPTIONS_INIT;
  o.maximize = std::int32_t(maximize);
  o.factor = factor;
  o.patience = patience;
  o.threshold = threshold;
  o.absolute = std::int32_t(absolute);
  o.cooldown = cooldown;
  o.min_lr = min_lr;
  o.eps = eps;
  o.min_lrs = min_lrs.data();
  o.min_lrs_count = static_cast<std::int64_t>(min_lrs.size());
  return detail::schedule(haft_reduce_lr_on_plateau_create, optimizer.get(), &o);
}

/// To swa_lr within anneal_epochs steps, where the rate stays (Izmailov et al., arXiv:1803.05407).
/// @param swa_lr the last rate
/// @param anneal_epochs steps until then
/// @param linear whether the way is straight in place of half a cosine
/// @param swa_lrs swa_lr of each group, in place of it
inline Scheduler swa_lr(const Optimizer& optimizer, double swa_lr, std::int64_t anneal_epochs = 10,
                        bool linear = false, const std::vector<double>& swa_lrs = {}) {
  haft_swa_lr_options o = HAFT_SWA_LR_OPTIONS_INIT;
  o.swa_lr = swa_lr;
  o.anneal_epochs = anneal_epochs;
  o.linear = std::int32_t(linear);
  o.swa_lrs = swa_lrs.data();
  o.swa_lrs_count = static_cast<std::int64_t>(swa_lrs.size());
  return detail::schedule(haft_swa_lr_create, optimizer.get(), &o);
}

}  // namespace optim
}  // namespace haft
#endif
