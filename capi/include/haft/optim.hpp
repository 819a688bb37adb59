// Optimizers and schedules in C++17 over haft/optim.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_OPTIM_HPP
#define HAFT_OPTIM_HPP

#include <haft/nn.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace haft {

namespace optim {

class Optimizer : public haft::detail::Handle<haft_optimizer, haft_optimizer_retain, haft_optimizer_release> {
 public:
  using Handle::Handle;
  void step() const { check(haft_optimizer_step(get())); }
  /// A step after closure(), which clears the gradients, computes the loss and its gradients and answers the loss;
  /// LBFGS calls it again and again. Answers the first loss.
  Tensor step_closure(const std::function<Tensor()>& closure) const {
    struct Call {
      const std::function<Tensor()>& closure;
      haft::detail::Carried carried;
    } call{closure, {}};
    haft_tensor* loss = nullptr;
    call.carried.check(haft_optimizer_step_closure(
        get(),
        [](haft_tensor** l, void* user) -> haft_status {
          auto* c = static_cast<Call*>(user);
          return c->carried.run([&] { *l = c->closure().release(); });
        },
        &call, &loss));
    return Tensor(loss);
  }
  void zero_grad(bool set_to_none = true) const { check(haft_optimizer_zero_grad(get(), set_to_none)); }
  std::int64_t add_group(const std::vector<Tensor>& params) const {
    auto p = haft::detail::handles(params);
    std::int64_t group = 0;
    check(haft_optimizer_add_group(get(), p.data(), static_cast<std::int64_t>(p.size()), &group));
    return group;
  }
  std::int64_t group_count() const {
    std::int64_t n = 0;
    check(haft_optimizer_get_group_count(get(), &n));
    return n;
  }
  std::vector<Tensor> params(std::int64_t group = 0) const {
    std::int64_t count = 0;
    check(haft_optimizer_parameters(get(), group, nullptr, 0, &count));
    std::vector<haft_tensor*> ts(static_cast<std::size_t>(count));
    check(haft_optimizer_parameters(get(), group, ts.data(), count, &count));
    return haft::detail::adopt(ts.data(), count);
  }
  double lr(std::int64_t group = 0) const {
    double v = 0;
    check(haft_optimizer_get_lr(get(), group, &v));
    return v;
  }
  void set_lr(double lr, std::int64_t group = 0) const { check(haft_optimizer_set_lr(get(), group, lr)); }
  double option(const std::string& name, std::int64_t group = 0) const {
    double v = 0;
    check(haft_optimizer_get_option(get(), group, name.c_str(), &v));
    return v;
  }
  void set_option(const std::string& name, double value, std::int64_t group = 0) const {
    check(haft_optimizer_set_option(get(), group, name.c_str(), value));
  }
  /// "step", "exp_avg", "momentum_buffer", ... of a parameter; empty when there is none yet.
  Tensor state(std::int64_t parameter, const std::string& name) const {
    haft_tensor* t = nullptr;
    check(haft_optimizer_state(get(), parameter, name.c_str(), &t));
    return Tensor(t);
  }
  void set_state(std::int64_t parameter, const std::string& name, const Tensor& value) const {
    check(haft_optimizer_set_state(get(), parameter, name.c_str(), value.get()));
  }
};

namespace detail {
template <class Options, class Create>
Optimizer create(Create fn, const std::vector<Tensor>& params, const Options& options) {
  auto p = haft::detail::handles(params);
  haft_optimizer* o = nullptr;
  check(fn(p.data(), static_cast<std::int64_t>(p.size()), &options, &o));
  return Optimizer(o);
}
}  // namespace detail

class Scheduler : public haft::detail::Handle<haft_scheduler, haft_scheduler_retain, haft_scheduler_release> {
 public:
  using Handle::Handle;
  void step() const { check(haft_scheduler_step(get())); }
  /// Of a schedule that looks at a metric: ReduceLROnPlateau.
  void step(double metric) const { check(haft_scheduler_step_metric(get(), metric)); }
  std::int64_t last_epoch() const {
    std::int64_t n = 0;
    check(haft_scheduler_get_last_epoch(get(), &n));
    return n;
  }
  /// "last_epoch", "base_lrs.0", ...: what another scheduler of this kind goes on from.
  std::map<std::string, double> state() const {
    std::int64_t count = 0;
    check(haft_scheduler_get_state(get(), nullptr, 0, &count));
    std::vector<double> values(static_cast<std::size_t>(count));
    check(haft_scheduler_get_state(get(), values.data(), count, &count));
    std::map<std::string, double> state;
    for (std::int64_t i = 0; i < count; ++i) {
      auto name = [&](char* b, std::int64_t n, std::int64_t* needed) {
        return haft_scheduler_get_state_name(get(), i, b, n, needed);
      };
      state[haft::detail::text_of(name)] = values[static_cast<std::size_t>(i)];
    }
    return state;
  }
  void set_state(const std::map<std::string, double>& state) const {
    std::vector<const char*> names;
    std::vector<double> values;
    for (const auto& s : state) {
      names.push_back(s.first.c_str());
      values.push_back(s.second);
    }
    check(haft_scheduler_set_state(get(), names.data(), values.data(), static_cast<std::int64_t>(names.size())));
  }
};

namespace detail {
template <class F, class... A>
Scheduler schedule(F create, A... arguments) {
  haft_scheduler* s = nullptr;
  check(create(arguments..., &s));
  return Scheduler(s);
}
}  // namespace detail

}  // namespace optim
}  // namespace haft
#include <haft/optimizers.hpp>  // optim::sgd, optim::step_lr and all others that are made from plain values
namespace haft {
namespace optim {

using SgdOptions = SGDOptions;

namespace detail {
template <class F>
Scheduler by_factor(F create, const Optimizer& o, std::function<double(std::int64_t)> factor) {
  using Fn = std::function<double(std::int64_t)>;
  auto own = std::make_unique<Fn>(std::move(factor));
  haft_scheduler* s = nullptr;
  check(create(
      o.get(),
      [](std::int64_t epoch, double* out, void* user) -> haft_status {
        return haft::detail::guarded([&] { *out = (*static_cast<Fn*>(user))(epoch); });
      },
      own.get(), haft::detail::destroy<Fn>, &s));
  own.release();
  return Scheduler(s);
}
inline std::vector<haft_scheduler*> scheduler_handles(const std::vector<Scheduler>& all) {
  std::vector<haft_scheduler*> out;
  for (const Scheduler& s : all) out.push_back(s.get());
  return out;
}
}  // namespace detail

/// The first rate times factor(epoch).
inline Scheduler lambda_lr(const Optimizer& o, std::function<double(std::int64_t)> factor) {
  return detail::by_factor(haft_lambda_lr_create, o, std::move(factor));
}
/// The rate of the step before times factor(epoch).
inline Scheduler multiplicative_lr(const Optimizer& o, std::function<double(std::int64_t)> factor) {
  return detail::by_factor(haft_multiplicative_lr_create, o, std::move(factor));
}
/// Schedules of one optimizer that all act at each step; nobody else steps them from here on.
inline Scheduler chained_scheduler(const std::vector<Scheduler>& schedulers) {
  auto handles = detail::scheduler_handles(schedulers);
  haft_scheduler* s = nullptr;
  check(haft_chained_scheduler_create(handles.data(), static_cast<std::int64_t>(handles.size()), &s));
  return Scheduler(s);
}
/// Schedules one after the other: the next begins at each milestone. Nobody else steps them from here on.
inline Scheduler sequential_lr(const Optimizer& o, const std::vector<Scheduler>& schedulers,
                               const haft::IntArray& milestones) {
  auto handles = detail::scheduler_handles(schedulers);
  haft_scheduler* s = nullptr;
  check(haft_sequential_lr_create(o.get(), handles.data(), static_cast<std::int64_t>(handles.size()), milestones.data(),
                                  milestones.size(), &s));
  return Scheduler(s);
}

/// Limits the norm of all gradients together; answers the norm before, which nobody has waited for.
inline Tensor clip_grad_norm(const std::vector<Tensor>& params, double max_norm, double norm_type = 2) {
  auto p = haft::detail::handles(params);
  haft_tensor* norm = nullptr;
  check(haft_grad_clip_norm(p.data(), static_cast<std::int64_t>(p.size()), max_norm, norm_type, &norm));
  return Tensor(norm);
}
inline void clip_grad_value(const std::vector<Tensor>& params, double limit) {
  auto p = haft::detail::handles(params);
  check(haft_grad_clip_value(p.data(), static_cast<std::int64_t>(p.size()), limit));
}

/// Averages of weights over a training: a module that runs `average`, a second one of the structure of that which is
/// trained. average: becomes its child "module"; its values are replaced by the first update_average ema_decay: below
/// 0: the equal average; otherwise the part of an exponential average that stays use_buffers: whether buffers are
/// averaged, too; otherwise they are copied
inline nn::Module averaged_model(const nn::Module& average, double ema_decay = -1, bool use_buffers = false) {
  haft_module* m = nullptr;
  check(haft_averaged_model_create(average.get(), ema_decay, use_buffers, &m));
  return nn::Module(m);
}
/// Takes a model into the average; the first one is copied.
/// averaged: of averaged_model
/// model: of the structure of its child
inline void update_average(const nn::Module& averaged, const nn::Module& model) {
  check(haft_averaged_model_update(averaged.get(), model.get(), nullptr, nullptr));
}
/// The same by an average of one's own, which writes into its first argument; the last one says how many models that
/// is of.
using AverageFunction =
    std::function<void(const std::vector<Tensor>& averages, const std::vector<Tensor>& values, std::int64_t before)>;
inline void update_average_by(const nn::Module& averaged, const nn::Module& model, const AverageFunction& fn) {
  struct Call {
    const AverageFunction& fn;
    haft::detail::Carried carried;
  } call{fn, {}};
  call.carried.check(haft_averaged_model_update(
      averaged.get(), model.get(),
      [](haft_tensor* const* averages, haft_tensor* const* values, std::int64_t count, std::int64_t before,
         void* user) -> haft_status {
        auto* c = static_cast<Call*>(user);
        return c->carried.run(
            [&] { c->fn(haft::detail::borrow(averages, count), haft::detail::borrow(values, count), before); });
      },
      &call));
}
/// Takes values into averages in place.
/// averages: tensors
/// values: as many, of their shapes
/// ema_decay: below 0: the equal average; otherwise the part of an exponential average that stays
/// before: how many values the averages are of; 0: all are copied
inline void average_tensors(const std::vector<Tensor>& averages, const std::vector<Tensor>& values, double ema_decay,
                            std::int64_t before) {
  if (averages.size() != values.size())
    check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "there are not as many averages as values", 0));
  auto a = haft::detail::handles(averages), v = haft::detail::handles(values);
  check(haft_average_tensors(a.data(), v.data(), static_cast<std::int64_t>(a.size()), ema_decay, before));
}
/// The running statistics of all batch norms of a module anew, as the plain means over what next() answers until it
/// is empty.
inline void update_bn(const nn::Module& m, const std::function<Tensor()>& next) {
  struct Call {
    const std::function<Tensor()>& next;
    haft::detail::Carried carried;
  } call{next, {}};
  call.carried.check(haft_update_bn(
      m.get(),
      [](haft_tensor** batch, void* user) -> haft_status {
        auto* c = static_cast<Call*>(user);
        return c->carried.run([&] { *batch = c->next().release(); });
      },
      &call));
}

}  // namespace optim
}  // namespace haft
#endif
