// Tensors of a module that functions compute from others (torch.nn.utils.parametrize): the slot "weight" reads what
// the modules parametrizations.weight.0, 1, ... make, one after the other, of parametrizations.weight.original, or of
// original0, original1, ...
#pragma once
#include "core/nn/containers.h"

namespace haft::nn {

// A function that knows its inverse. Any other module may be a parametrization, too.
class Parametrization : public Module {
 public:
  using Module::Module;
  // The originals that give value, or what is nearest. Also called when it is registered, with the tensor of then.
  virtual std::vector<Tensor> right_inverse(const Tensor& value) = 0;
  // Whose tensor it computes from now on.
  virtual void belong_to(const Module&) {}
};

// The functions of one tensor and what they begin with; its result is the tensor.
class ParametrizationList final : public Module {
 public:
  // originals: one is called "original", several original0, original1, ...
  ParametrizationList(std::vector<Tensor> originals, bool of_parameter, bool requires_grad);
  std::vector<Tensor> forward_many(std::span<const Tensor> none) override;
  // inverse: what maps a value to what fn is given; none: a Parametrization's own, or nothing can be assigned.
  void append_function(Ref<Module> fn, Ref<Module> inverse);
  std::vector<Tensor> originals() const;
  Tensor value() { return call_many({})[0]; }
  // Changes the originals so that the functions give value. Fails where one has no inverse.
  void assign(const Tensor& value);

 private:
  bool of_parameter_;
  int count_;
  std::vector<Ref<Module>> inverses_;
};

// From here on m's parameter or buffer `name` is fn(original), computed once each time that m runs; on top of those
// that it has. Its original is the tensor itself where the inverse of fn keeps shape and type, so that optimizers go
// on. Unless unsafe fn must keep both.
void register_parametrization(Module& m, const std::string& name, Ref<Module> fn, Ref<Module> inverse = {},
                              bool unsafe = false);
// An ordinary tensor again: with the value of now, or with the original as it is.
void remove_parametrizations(Module& m, const std::string& name, bool leave_parametrized = true);
bool is_parametrized(Module& m, const std::string& name);  // "": whether any of its tensors is
// Assigns to a parametrized tensor.
void set_parametrized(Module& m, const std::string& name, const Tensor& value);
// What Parametrizations of the engine answer; fails for other modules.
std::vector<Tensor> right_inverse(Module& fn, const Tensor& value);

// Slots that are computed: what parametrize.cpp and prune.cpp change of a module while they hold a Changing.
class ComputedSlots {
  Module& m_;

 public:
  using Slot = Module::Slot;
  explicit ComputedSlots(Module& m) : m_(m) {}
  // A slot with a tensor; fails naming those that there are.
  Slot& find(const std::string& name, const char* argument = "name");
  Slot* find_parameter(const std::string& name);
  bool is_parameter(const Slot& s) const {
    return &s >= m_.parameters_.data() && &s < m_.parameters_.data() + m_.parameters_.size();
  }
  // What stands in a slot that is computed: the sizes of t in the memory of one number.
  static Tensor place_of(const Tensor& t);
  void compute(Slot& s, Tensor place, Ref<Computation> how) noexcept;
  void own(Slot& s, Tensor tensor) noexcept;  // it has a tensor of its own again
  // A parameter and a buffer, or neither where memory is short. Slots move.
  void add(std::string parameter_name, Tensor parameter, std::string buffer_name, Tensor buffer);
  Tensor take_parameter(const std::string& name);  // and its slot
  Tensor take_buffer(const std::string& name);
  Tensor& buffer(const std::string& name);
  Ref<Module> child(std::string_view name) const;  // null: none
  void put_child(std::string name, Ref<Module> child) { m_.put_child(std::move(name), std::move(child)); }
  Ref<Module> take_child(std::string_view name);
  bool any(const char* what) const;
};

}  // namespace haft::nn
