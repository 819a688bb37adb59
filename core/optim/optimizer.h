// Optimizers: groups of parameters, what is remembered of each parameter, and one fused step over all of
// them. Which there are stands in modules.def, what their step does in functors_optimizer.h.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ref.h"
#include "core/optim/lbfgs.h"
#include "core/optim/optimizer_kind.h"
#include "core/tensor/tensor.h"

namespace haft {

struct ParameterState {
  int64_t step = 0;
  std::array<double, kMaxNumbers> numbers{};  // the kind's, from the first step on
  Tensor slots[kMaxSlots];                    // undefined until the first step that needs them
};

struct ParameterGroup {
  std::vector<double> options;  // in the kind's order
  std::vector<Tensor> parameters;
  std::vector<ParameterState> states;  // one a parameter
  double initial_lr = -1;              // the rate before any schedule; negative: no scheduler has asked
  LbfgsMemory lbfgs;                   // empty for all others
};

// Flat: "state.<parameter>.exp_avg", "state.<parameter>.step", "param_groups.<group>.lr",
// "param_groups.<group>.params". Parameters are numbered through all groups.
struct OptimizerState {
  std::string type;  // "SGD", "Adam", "AdamW"
  std::map<std::string, Tensor> tensors;
  std::map<std::string, double> numbers;
};

class Optimizer;
struct ReplayGate;

// What spreads an optimizer over ranks (core/parallel/sharded_optimizer.h): the states of such a one are this rank's
// parts, 1-d. Parameters are numbered through all groups.
class OptimizerSharding : public RefCounted {
 public:
  virtual ~OptimizerSharding() = default;
  virtual bool has_whole_gradients() const = 0;  // each rank has all of them, with the same numbers
  // Before these become a group of their own; a failure leaves everything as it was.
  virtual void add_group(std::span<const Tensor> parameters) = 0;
  // On the memory of what is row-major.
  virtual Tensor part(int64_t parameter, const Tensor& whole) const = 0;
  // Of its elements: the first of this rank, and how many.
  virtual std::pair<int64_t, int64_t> range(int64_t parameter) const = 0;
  // As it was gathered last; fails if it has changed since.
  virtual Tensor whole(int64_t parameter, int slot) const = 0;
  virtual void forget_whole() noexcept = 0;
  virtual void step(Optimizer& o) = 0;           // by way of step_parts
  virtual void zero_grad(bool set_to_none) = 0;  // of what is not with the parameters
  // Where there are no whole ones: this rank's parts of them, and, in place, the largest of a number that each rank
  // has.
  virtual std::vector<Tensor> gradient_parts() = 0;
  virtual void join_largest(const Tensor& number) = 0;
  virtual void close() noexcept = 0;  // the optimizer is gone
};

class Optimizer final : public RefCounted {
 public:
  Optimizer(const OptimizerKind& kind, std::span<const Tensor> parameters, std::vector<double> options);
  ~Optimizer();
  const OptimizerKind& kind() const { return kind_; }
  const std::string& type() const { return kind_.name; }

  // Leaves of a floating type, none of them known already. Returns the group's number.
  int64_t add_group(std::span<const Tensor> parameters, const std::vector<double>& options);
  // One step over every parameter that has a gradient. Parameters change in place, unrecorded.
  void step();
  // The same after closure(), which computes the loss and its gradients and is what LBFGS calls again and again.
  // Answers the first loss.
  Tensor step(const LossClosure& closure);
  // The same for these tensors in place of the parameters, and these gradients: parts of them.
  [[gnu::cold]] void step_parts(std::span<const Tensor> parts, std::span<const Tensor> gradients);
  // Gradients become absent, or zeros in place.
  void zero_grad(bool set_to_none = true);

  const std::vector<double>& defaults() const { return defaults_; }
  int64_t group_count() const { return int64_t(groups_.size()); }
  const ParameterGroup& group(int64_t g) const;
  double option(int64_t group, std::string_view name) const;
  void set_option(int64_t group, std::string_view name, double value);
  double lr(int64_t g) const { return group(g).options[0]; }
  void set_lr(int64_t g, double value) { set_option(g, "lr", value); }
  // The rate that the group had when the first scheduler came, which is now unless there was one.
  double initial_lr(int64_t g);

  int64_t parameter_count() const;
  // Of one parameter, numbered through all groups: "step" or a slot's name. Undefined when there is none yet.
  Tensor state_tensor(int64_t parameter, std::string_view name) const;
  void set_state_tensor(int64_t parameter, std::string_view name, const Tensor& value);

  OptimizerState state() const;        // shares the optimizer's tensors
  OptimizerState state_parts() const;  // the same, of one that is spread with this rank's parts
  // Copies. All or nothing: what does not fit fails before anything changes.
  void load_state(const OptimizerState& state);
  // The same in two steps, for who loads more than an optimizer or nothing at all: what may fail, and what cannot.
  // `parts`: tensors of one that is spread are this rank's.
  std::vector<ParameterGroup> decode_state(const OptimizerState& state, bool parts = false) const;
  void take_state(std::vector<ParameterGroup> groups) noexcept {
    groups_ = std::move(groups);
    if (sharding_) sharding_->forget_whole();
  }

  // From here on; of the states that there are this rank keeps its part.
  [[gnu::cold]] void shard(Ref<OptimizerSharding> sharding);
  OptimizerSharding* sharding() const { return sharding_.get(); }

 private:
  // Recorded calls of the same parameters whose steps may be left out: each replay counts them, and the device counts
  // how many were, and keeps the rule's numbers.
  struct GatedCall {
    size_t group;
    std::vector<int64_t> members;
    Tensor skipped, numbers;
    uint64_t recording;     // the last one that has it
    bool replayed = false;  // since it was settled: the numbers are the device's
    bool meets(size_t g, std::span<const int64_t> others) const;  // some parameter of these
  };

  // What the members of one call of the kernel share.
  struct Alike {
    int64_t step;
    std::array<double, kMaxNumbers> numbers;
    bool fresh;  // they have no slots yet
    Device device;
  };

  // Of those whose gradients_ are there.
  [[gnu::noinline]] void step_group(ParameterGroup& g, std::span<const Tensor> parameters);
  void step_alike(ParameterGroup& g, std::span<const Tensor> parameters, unsigned slots);
  Alike choose_members(const ParameterGroup& g, std::span<const Tensor> parameters, unsigned slots);
  void fill_lists(const ParameterGroup& g, std::span<const Tensor> parameters, unsigned slots);
  // Of one whose gradient is of rows, and of these alone.
  [[gnu::cold]] void step_rows(ParameterGroup& g, size_t i, const Tensor& gradient);
  // Takes the steps that replays have left out from the counts: devices know them, and are waited for.
  void settle() const;
  void settle(GatedCall& call) const;
  // What was stepped counts one step more. `values_` holds the settings of that step.
  void count_step(ParameterGroup& g, std::span<const int64_t> members, int64_t step,
                  std::array<double, kMaxNumbers> numbers);
  // The settings of the next step of a recorded call of optimizer_step, into its words; counts that step.
  void replay_step(size_t group, std::span<const int64_t> members, GatedCall* gated, uint64_t* words);
  // The same of LAMB's and Muon's steps, whose settings are numbers of the recording; `count_replay` answers the
  // steps before.
  [[gnu::cold]] void record_whole(ParameterGroup& g, std::span<const Tensor> parameters);
  int64_t count_replay(size_t group, std::span<const int64_t> members, GatedCall* gated);
  void settle_others(size_t group, std::span<const int64_t> members, const GatedCall* gated) const;
  [[noreturn, gnu::cold]] void fail_first_step() const;
  // The values of a step of the group: its options, its numbers and, where a device keeps those, whose count.
  void set_values(const ParameterGroup& g, const std::array<double, kMaxNumbers>& numbers,
                  const GatedCall* gated);
  // A recorded call that is left out where gradients are found infinite.
  std::shared_ptr<GatedCall> gated_call(ReplayGate* gate, size_t group);
  // Whether the step can take such a gradient; before anything changes.
  void check_gradient(const ParameterGroup& g, const Tensor& gradient) const;
  OptimizerState make_state(bool parts) const;
  size_t find_option(std::string_view name) const;
  size_t find_slot(std::string_view name) const;
  ParameterState& state_of(int64_t parameter, Tensor* p) const;

  const OptimizerKind& kind_;
  std::vector<double> defaults_;
  mutable std::vector<ParameterGroup> groups_;     // counts become right when they are asked for (settle)
  std::vector<std::shared_ptr<GatedCall>> gated_;  // recordings have them, too
  Ref<OptimizerSharding> sharding_;                // absent: all is here
  // Scratch of a step, kept so that steps do not allocate.
  std::vector<Tensor> all_, gradients_, lists_;
  std::vector<int64_t> members_;
  std::vector<double> values_;  // set_values
};

// A count that a state holds as a double; fails when it is no whole number from 0 to 2^53.
int64_t to_count(double v, std::string_view type, const char* name, const char* argument);

Ref<Optimizer> make_optimizer(OptimizerId id, std::span<const Tensor> parameters,
                              const OptionValues& options = {});

}  // namespace haft
