// SGD with momentum, Adam (Kingma and Ba, arXiv:1412.6980; AMSGrad: Reddi et al., ICLR 2018) and AdamW.
#include "core/ops/functions.h"
#include "core/optim/optimizer.h"

namespace haft {

namespace {

using O = OptimizerOptions;

void check_not_negative(const char* type, const char* name, double v) {
  if (!(v >= 0))
    fail(Code::invalid_argument, concat(type, ": ", name, " must not be negative, got ", v), {}, name);
}

class Sgd final : public Optimizer {
 public:
  explicit Sgd(const O& options) : Optimizer(options) {}
  const char* type() const override { return "SGD"; }
  std::span<const OptionName> option_names() const override {
    static constexpr OptionName names[] = {
        {"lr", &O::lr, nullptr},
        {"momentum", &O::momentum, nullptr},
        {"dampening", &O::dampening, nullptr},
        {"weight_decay", &O::weight_decay, nullptr},
        {"nesterov", nullptr, &O::nesterov},
        {"maximize", nullptr, &O::maximize},
    };
    return names;
  }
  std::span<const char* const> slot_names() const override {
    static constexpr const char* names[] = {"momentum_buffer"};
    return names;
  }

 protected:
  void check(const O& o) const override {
    check_not_negative(type(), "lr", o.lr);
    check_not_negative(type(), "momentum", o.momentum);
    check_not_negative(type(), "weight_decay", o.weight_decay);
    if (o.nesterov && (o.momentum <= 0 || o.dampening != 0))
      fail(Code::invalid_argument,
           concat(type(), ": nesterov needs momentum > 0 and dampening 0, got momentum ", o.momentum,
                  " and dampening ", o.dampening),
           {}, "nesterov");
  }
  int slots_used(const O& o) const override { return o.momentum != 0 ? 1 : 0; }
  // The first buffer is the gradient itself, not a mean with zeros.
  int64_t key(const ParameterState& s) const override { return !s.slots[0].defined(); }
  void run(const O& o, int64_t first, int64_t n, std::span<const Tensor> lists) override {
    ops::sgd_step(n, Scalar(o.lr), o.momentum, o.dampening, o.weight_decay, o.nesterov, first != 0,
                  o.maximize, lists);
  }
};

class Adam final : public Optimizer {
  const bool decoupled_;

 public:
  Adam(const O& options, bool decoupled) : Optimizer(options), decoupled_(decoupled) {}
  const char* type() const override { return decoupled_ ? "AdamW" : "Adam"; }
  std::span<const OptionName> option_names() const override {
    static constexpr OptionName names[] = {
        {"lr", &O::lr, nullptr},
        {"beta1", &O::beta1, nullptr},
        {"beta2", &O::beta2, nullptr},
        {"eps", &O::eps, nullptr},
        {"weight_decay", &O::weight_decay, nullptr},
        {"amsgrad", nullptr, &O::amsgrad},
        {"maximize", nullptr, &O::maximize},
    };
    return names;
  }
  std::span<const char* const> slot_names() const override {
    static constexpr const char* names[] = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
    return names;
  }

 protected:
  void check(const O& o) const override {
    check_not_negative(type(), "lr", o.lr);
    check_not_negative(type(), "eps", o.eps);
    check_not_negative(type(), "weight_decay", o.weight_decay);
    for (auto [name, v] : {std::pair{"beta1", o.beta1}, {"beta2", o.beta2}})
      if (!(v >= 0 && v < 1))
        fail(Code::invalid_argument, concat(type(), ": ", name, " must be in [0, 1), got ", v), {}, name);
  }
  int slots_used(const O& o) const override { return o.amsgrad ? 3 : 2; }
  int64_t key(const ParameterState& s) const override { return s.step; }
  void run(const O& o, int64_t step, int64_t n, std::span<const Tensor> lists) override {
    ops::adam_step(n, Scalar(o.lr), o.beta1, o.beta2, o.eps, o.weight_decay, step + 1, decoupled_, o.amsgrad,
                   o.maximize, lists);
  }
};

}  // namespace

Ref<Optimizer> make_sgd(std::span<const Tensor> parameters, const OptimizerOptions& options) {
  Ref<Optimizer> o = make_ref<Sgd>(options);
  o->add_group(parameters, options);
  return o;
}

Ref<Optimizer> make_adam(std::span<const Tensor> parameters, const OptimizerOptions& options,
                         bool decoupled) {
  Ref<Optimizer> o = make_ref<Adam>(options, decoupled);
  o->add_group(parameters, options);
  return o;
}

}  // namespace haft
