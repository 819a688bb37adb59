// Optimizers: groups of parameters, what is remembered of each parameter, and one fused step over all of
// them. Names, defaults and arithmetic are PyTorch's.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ref.h"
#include "core/tensor/tensor.h"

namespace haft {

// What SGD and Adam know together; each reads its own part.
struct OptimizerOptions {
  double lr = 1e-3;
  double weight_decay = 0;
  double momentum = 0, dampening = 0;             // SGD
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;  // Adam
  bool nesterov = false, amsgrad = false, maximize = false;
};

// An option by its name, as state dicts spell it.
struct OptionName {
  const char* name;
  double OptimizerOptions::*number;  // nullptr: it is a flag
  bool OptimizerOptions::*flag;

  double get(const OptimizerOptions& o) const { return number ? o.*number : double(o.*flag); }
  void set(OptimizerOptions& o, double v) const {
    if (number)
      o.*number = v;
    else
      o.*flag = v != 0;
  }
};

constexpr int kMaxSlots = 3;  // tensors remembered of a parameter

struct ParameterState {
  int64_t step = 0;
  Tensor slots[kMaxSlots];  // undefined until the first step that needs them
};

struct ParameterGroup {
  OptimizerOptions options;
  std::vector<Tensor> parameters;
  std::vector<ParameterState> states;  // one a parameter
  double initial_lr = -1;              // the rate before any schedule; negative: no scheduler has asked
};

// Flat: "state.<parameter>.exp_avg", "state.<parameter>.step", "param_groups.<group>.lr",
// "param_groups.<group>.params". Parameters are numbered through all groups.
struct OptimizerState {
  std::string type;  // "SGD", "Adam", "AdamW"
  std::map<std::string, Tensor> tensors;
  std::map<std::string, double> numbers;
};

class Optimizer : public RefCounted {
 public:
  virtual ~Optimizer() = default;
  virtual const char* type() const = 0;
  virtual std::span<const OptionName> option_names() const = 0;
  virtual std::span<const char* const> slot_names() const = 0;

  // Leaves of a floating type, none of them known already. Returns the group's number.
  int64_t add_group(std::span<const Tensor> parameters, const OptimizerOptions& options);
  // One step over every parameter that has a gradient. Parameters change in place, unrecorded.
  void step();
  // Gradients become absent, or zeros in place.
  void zero_grad(bool set_to_none = true);

  const OptimizerOptions& defaults() const { return defaults_; }
  int64_t group_count() const { return int64_t(groups_.size()); }
  const ParameterGroup& group(int64_t g) const;
  double option(int64_t group, std::string_view name) const;
  void set_option(int64_t group, std::string_view name, double value);
  double lr(int64_t g) const { return group(g).options.lr; }
  void set_lr(int64_t g, double value) { set_option(g, "lr", value); }
  // The rate that the group had when the first scheduler came, which is now unless there was one.
  double initial_lr(int64_t g);

  int64_t parameter_count() const;
  // Of one parameter, numbered through all groups: "step" or a slot's name. Undefined when there is none yet.
  Tensor state_tensor(int64_t parameter, std::string_view name) const;
  void set_state_tensor(int64_t parameter, std::string_view name, const Tensor& value);

  OptimizerState state() const;  // shares the optimizer's tensors
  // Copies. All or nothing: what does not fit fails before anything changes.
  void load_state(const OptimizerState& state);
  // The same in two steps, for who loads more than an optimizer or nothing at all: what may fail, and what
  // cannot.
  std::vector<ParameterGroup> decode_state(const OptimizerState& state) const;
  void take_state(std::vector<ParameterGroup> groups) noexcept { groups_ = std::move(groups); }

 protected:
  explicit Optimizer(const OptimizerOptions& defaults) : defaults_(defaults) {}
  virtual void check(const OptimizerOptions& options) const = 0;
  virtual int slots_used(const OptimizerOptions& options) const = 0;
  // Parameters with equal keys share one call of the kernel.
  virtual int64_t key(const ParameterState& s) const = 0;
  virtual void run(const OptimizerOptions& options, int64_t key, int64_t n,
                   std::span<const Tensor> lists) = 0;

 private:
  void step_group(ParameterGroup& g);
  const OptionName& find_option(std::string_view name) const;
  int find_slot(std::string_view name) const;  // -1: none
  ParameterState& state_of(int64_t parameter, Tensor* p) const;

  OptimizerOptions defaults_;
  std::vector<ParameterGroup> groups_;
  // Scratch of a step, kept so that steps do not allocate.
  std::vector<Tensor> gradients_, lists_;
  std::vector<int64_t> members_;
};

Ref<Optimizer> make_sgd(std::span<const Tensor> parameters, const OptimizerOptions& options);
// decoupled: AdamW (Loshchilov and Hutter, arXiv:1711.05101).
Ref<Optimizer> make_adam(std::span<const Tensor> parameters, const OptimizerOptions& options, bool decoupled);

}  // namespace haft
