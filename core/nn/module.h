// Module: a node of the tree that a model is. It owns named parameters, buffers and children, and says how
// inputs become outputs. Names, their order and the keys of state_dict are PyTorch's, so that weights travel
// both ways.
#pragma once
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/modes/module_range.h"
#include "core/nn/stand_ins.h"

namespace haft::nn {

class Module;

struct NamedTensor {
  std::string name;
  Tensor tensor;
};
struct NamedModule {
  std::string name;
  Ref<Module> module;
};

// Hooks may replace what they see, entry by entry.
using ForwardPreHook = std::function<void(Module&, std::span<Tensor> inputs)>;
using ForwardHook = std::function<void(Module&, std::span<const Tensor> inputs, std::span<Tensor> outputs)>;

// How a tensor of a module is computed from others, each time it runs: parametrize.h, prune.h.
class Computation : public RefCounted {
 public:
  virtual ~Computation() = default;
  virtual Tensor value(const Module& owner) const = 0;
  virtual const char* what() const = 0;  // is done to the tensor
};

class Module : public RefCounted {
 public:
  explicit Module(std::string type) : type_(std::move(type)) {}
  virtual ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& type() const { return type_; }
  bool training() const { return training_.load(std::memory_order_relaxed); }

  // ---- running ----
  // Hooks and forward: what a user of the module calls.
  Tensor call(const Tensor& x) {
    if (!hooks_ && !computes_ && children_.empty() && !module_ranges.load(std::memory_order_relaxed))
        [[likely]]
      return forward(x);
    return run(x);
  }
  std::vector<Tensor> call_many(std::span<const Tensor> xs);  // an undefined tensor: that input is absent
  // What a kind of module writes: one of the two.
  virtual Tensor forward(const Tensor& x);
  virtual std::vector<Tensor> forward_many(std::span<const Tensor> xs);
  // How many tensors call_many answers; -1 where only running it tells.
  virtual int64_t output_count() const { return 1; }
  // call_many with other tensors in place of parameters and buffers, by their dotted names; the module's own stay as
  // they are.
  std::vector<Tensor> functional_call(std::span<const NamedTensor> others, std::span<const Tensor> xs);

  // ---- tree ----
  // What walks the tree reads each module under a guard (Reading), so that it meets no half-made change.
  // A name that is taken is replaced (transfer learning: a new last layer). Fails on cycles.
  void add_child(std::string name, Ref<Module> child);
  void append(Ref<Module> child);                                         // called by its number
  const std::vector<NamedModule>& children() const { return children_; }  // for whoever runs or reads it
  // Every module once, under its first name ("" for this one): parents first, or children first.
  std::vector<NamedModule> named_modules(bool children_first = false);
  Ref<Module> find(std::string_view path);  // "" is the module itself; fails naming the children there are
  void apply(const std::function<void(const std::string& name, Module&)>& fn);  // children first

  // ---- tensors ----
  // A leaf; an undefined tensor reserves the name, as PyTorch's None does. An existing name is replaced
  // (weight tying).
  void register_parameter(std::string name, Tensor t, bool requires_grad = true);
  void register_buffer(std::string name, Tensor t, bool persistent = true);
  // Dotted names; a tensor that has several appears once, under its first.
  std::vector<NamedTensor> named_parameters() const;
  std::vector<NamedTensor> named_buffers() const;
  std::vector<Tensor> parameters() const;
  Tensor find_parameter(std::string_view path);
  Tensor find_buffer(std::string_view path);
  bool has_name(std::string_view name) const;  // a parameter, a buffer or a child of its own
  // A parameter or buffer as forward reads it: one that is computed has the value of now.
  Tensor find_value(std::string_view path);
  int64_t parameter_count(bool trainable_only = false) const;  // elements

  // Parameters and persistent buffers under all their names. They share memory with the module.
  std::vector<NamedTensor> state_dict() const;
  // Copies values in, casting and moving them. Every missing, unexpected or wrongly shaped name goes into one
  // error, before anything is written; not strict: names that only one side has are left alone.
  void load_state_dict(std::span<const NamedTensor> state, bool strict = true);
  // The same in two steps, for who loads more than a module or nothing at all: what may fail, and what is
  // left to do. The caller holds a Changing.
  using StateCopies = std::vector<std::pair<Tensor, Tensor>>;  // own tensor, value of its dtype and device
  StateCopies decode_state(std::span<const NamedTensor> state, bool strict = true) const;
  static void take_state(const StateCopies& copies);

  void train(bool on = true);  // the whole tree
  void eval() { train(false); }
  // Of this module alone.
  void set_mode(bool training) { training_.store(training, std::memory_order_relaxed); }
  void zero_grad();
  void set_requires_grad(bool on);
  // Floating parameters and buffers to dtype (none: as they are), all to device (kDefaultDevice: where they
  // are). Tensors keep their identity, so optimizers go on.
  void to(DType dtype, Device device);

  uint64_t add_forward_pre_hook(ForwardPreHook fn);
  uint64_t add_forward_hook(ForwardHook fn);
  bool remove_hook(uint64_t id);

  // ---- text ----
  virtual std::string extra() const { return {}; }  // what stands between the parentheses
  std::string text() const;                         // as PyTorch prints a module
  std::string summary() const;                      // the same with numbers of parameters

 protected:
  // By order of registration: how leaves reach their tensors without a name.
  const Tensor& parameter(int i) const { return StandIns::of(parameters_[size_t(i)].tensor); }
  const Tensor& buffer(int i) const { return StandIns::of(buffers_[size_t(i)].tensor); }
  // False where this thread uses a copy in its place, which no other thread writes.
  bool is_own_buffer(int i) const { return &buffer(i) == &buffers_[size_t(i)].tensor; }

 private:
  friend class Running;
  friend class Reading;
  friend class Changing;
  friend class ComputedSlots;

  struct Slot {
    std::string name;
    Tensor tensor;  // what is computed stands here by its sizes only
    bool persistent = true;
    Ref<Computation> computed = {};
  };
  struct Hooks {
    std::vector<std::pair<uint64_t, ForwardPreHook>> pre;
    std::vector<std::pair<uint64_t, ForwardHook>> post;
  };

  Tensor run(const Tensor& x);
  template <class F>
  auto with_computed(F&& f) const;
  const Slot* find_slot(std::string_view name) const;
  void check_own(const Slot* known, const char* argument) const;
  Ref<Module> put_child(std::string name, Ref<Module> child);  // answers what it replaced
  void check_name(const std::string& name, const void* among) const;
  void collect_modules(const std::string& prefix, bool children_first, std::vector<NamedModule>& out,
                       std::unordered_set<const Module*>& seen);
  void collect_state(const std::string& prefix, std::vector<NamedTensor>& out) const;
  std::vector<NamedTensor> collect_unique(std::vector<Slot> Module::*slots) const;
  void write_text(std::string& out, int indent, bool counts) const;
  std::string with_count(int64_t count) const;

  std::string type_;
  std::atomic<bool> training_{true};
  std::atomic<int32_t> use_{0};  // calls that run or read it; far below 0 while somebody changes it
  std::atomic<ThreadState*> changer_{nullptr};
  std::vector<Slot> parameters_, buffers_;
  std::vector<NamedModule> children_;
  bool computes_ = false;               // some slot is computed
  std::shared_ptr<Hooks> hooks_;  // replaced as a whole while a call runs, which keeps its own
};

// While they live, a module is running or read (many at once) or being changed (alone); they fail with busy
// where these meet. Who changes a module may read it, too.
class Running {
  Module& m_;

 public:
  explicit Running(Module& m);
  ~Running() { m_.use_.fetch_sub(1, std::memory_order_release); }
  Running(const Running&) = delete;
};
class Reading {
  Module& m_;

 public:
  explicit Reading(const Module& m);
  ~Reading() { m_.use_.fetch_sub(1, std::memory_order_release); }
  Reading(const Reading&) = delete;
};
// All modules of a tree, for as long as their tensors are read.
class ReadingTree {
  std::list<Reading> held_;

 public:
  explicit ReadingTree(Module& root) {
    for (const NamedModule& m : root.named_modules()) held_.emplace_back(*m.module);
  }
};
class Changing {
  Module& m_;

 public:
  explicit Changing(Module& m);
  ~Changing();
  Changing(const Changing&) = delete;
};

// A name within a tree: "0" in "1" is "1.0".
inline std::string join_name(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

}  // namespace haft::nn
