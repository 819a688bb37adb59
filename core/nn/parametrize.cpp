#include "core/nn/parametrize.h"

#include <algorithm>

#include "core/autograd/hooks.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"

namespace haft::nn {

namespace {

constexpr const char* kParametrized = "parametrized";

class Parametrized final : public Computation {
 public:
  Ref<ParametrizationList> list;
  explicit Parametrized(Ref<ParametrizationList> l) : list(std::move(l)) {}
  Tensor value(const Module&) const override { return list->value(); }
  const char* what() const override { return kParametrized; }
};

// What fn answers, which must be one tensor.
Tensor one_result(Module& fn, std::span<const Tensor> inputs) {
  std::vector<Tensor> out = fn.call_many(inputs);
  if (out.size() != 1 || !out[0])
    fail(Code::invalid_argument,
         concat("the parametrization ", fn.type(), " answered ", int64_t(out.size()), " tensors, wanted one"),
         {}, "parametrization");
  return std::move(out[0]);
}

bool has_inverse(Module& fn, const Ref<Module>& inverse) {
  return inverse || dynamic_cast<Parametrization*>(&fn);
}

std::vector<Tensor> inverted(Module& fn, const Ref<Module>& inverse, const Tensor& value) {
  NoGradGuard off;
  std::vector<Tensor> out = inverse ? inverse->call_many({&value, 1}) : right_inverse(fn, value);
  for (const Tensor& t : out)
    if (!t)
      fail(Code::invalid_argument, concat("the right inverse of ", fn.type(), " left a tensor absent"), {},
           "right_inverse");
  if (out.empty())
    fail(Code::invalid_argument, concat("the right inverse of ", fn.type(), " answered no tensor"), {},
         "right_inverse");
  return out;
}

bool alike(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes());
}

void check_alike(const Module& fn, const Tensor& made, const Tensor& before) {
  if (alike(made, before)) return;
  fail(made.dtype() == before.dtype() ? Code::shape : Code::dtype,
       concat("the parametrization ", fn.type(), " makes ", dtype_name(made.dtype()), " of shape ",
              made.sizes(), " of ", dtype_name(before.dtype()), " of shape ", before.sizes()),
       "register it as unsafe where that is meant", "parametrization");
}

}  // namespace

// ---- ParametrizationList ----

ParametrizationList::ParametrizationList(std::vector<Tensor> originals, bool of_parameter, bool requires_grad)
    : Module("ParametrizationList"), of_parameter_(of_parameter), count_(int(originals.size())) {
  for (int i = 0; i < count_; ++i) {
    std::string name = count_ == 1 ? "original" : concat("original", i);
    if (of_parameter)
      register_parameter(std::move(name), std::move(originals[size_t(i)]), requires_grad);
    else
      register_buffer(std::move(name), std::move(originals[size_t(i)]));
  }
}

std::vector<Tensor> ParametrizationList::originals() const {
  std::vector<Tensor> out;
  for (int i = 0; i < count_; ++i) out.push_back(of_parameter_ ? parameter(i) : buffer(i));
  return out;
}

std::vector<Tensor> ParametrizationList::forward_many(std::span<const Tensor>) {
  std::vector<Tensor> now = originals();
  for (const NamedModule& fn : children()) now = {one_result(*fn.module, now)};
  if (now.size() != 1)
    fail(Code::invalid_argument,
         concat("there are ", now.size(), " originals and no parametrization that makes one tensor of them"),
         "register one that takes all of them first");
  return now;
}

void ParametrizationList::append_function(Ref<Module> fn, Ref<Module> inverse) {
  inverses_.reserve(inverses_.size() + 1);
  append(std::move(fn));
  inverses_.push_back(std::move(inverse));
}

void ParametrizationList::assign(const Tensor& value) {
  std::vector<Tensor> values{value};
  for (size_t i = children().size(); i-- > 0;) {
    Module& fn = *children()[i].module;
    if (!has_inverse(fn, inverses_[i]))
      fail(Code::unsupported,
           concat("a value cannot be assigned through the parametrization ", fn.type(),
                  ", which has no right inverse"),
           "register it with one, or assign to its original", "value");
    if (values.size() != 1)
      fail(Code::invalid_argument,
           concat("the right inverse of parametrization ", i + 1, " answered ", values.size(),
                  " tensors, wanted 1"),
           "only the first of several parametrizations may have several originals", "value");
    values = inverted(fn, inverses_[i], values[0]);
  }
  const std::vector<Tensor> own = originals();
  if (values.size() != own.size())
    fail(Code::invalid_argument,
         concat("the right inverse answered ", int64_t(values.size()), " tensors, wanted ",
                int64_t(own.size())),
         {}, "value");
  for (size_t i = 0; i < own.size(); ++i)
    if (!std::ranges::equal(own[i].sizes(), values[i].sizes()))
      fail(Code::shape,
           concat("the original ", int64_t(i), " has shape ", own[i].sizes(), ", the right inverse answered ",
                  values[i].sizes()),
           {}, "value");
  NoGradGuard off;
  for (size_t i = 0; i < own.size(); ++i) ops::copy_(own[i], values[i]);
}

// ---- slots ----

ComputedSlots::Slot* ComputedSlots::find_parameter(const std::string& name) {
  auto it = std::ranges::find_if(m_.parameters_, [&](const Slot& s) { return s.name == name; });
  return it == m_.parameters_.end() ? nullptr : &*it;
}

ComputedSlots::Slot& ComputedSlots::find(const std::string& name, const char* argument) {
  auto* s = const_cast<Slot*>(m_.find_slot(name));
  if (s && s->tensor) return *s;
  std::string known;
  for (const auto* slots : {&m_.parameters_, &m_.buffers_})
    for (const Slot& each : *slots)
      if (each.tensor) known += concat(known.empty() ? "" : ", ", each.name);
  fail(Code::invalid_argument, concat("this ", m_.type(), " has no parameter and no buffer \"", name, "\""),
       known.empty() ? "it has none of its own: name a module of the tree" : concat("it has: ", known),
       argument);
}

Tensor ComputedSlots::place_of(const Tensor& t) {
  NoGradGuard off;
  return ops::expand(ops::zeros({}, t.dtype(), t.device()), t.sizes());
}

void ComputedSlots::compute(Slot& s, Tensor place, Ref<Computation> how) noexcept {
  s.tensor = std::move(place);
  s.computed = std::move(how);
  m_.computes_ = true;
}

void ComputedSlots::own(Slot& s, Tensor tensor) noexcept {
  s.tensor = std::move(tensor);
  s.computed = {};
  auto computed = [](const Slot& each) { return bool(each.computed); };
  m_.computes_ = std::ranges::any_of(m_.parameters_, computed) || std::ranges::any_of(m_.buffers_, computed);
}

void ComputedSlots::add(std::string parameter_name, Tensor parameter, std::string buffer_name,
                        Tensor buffer) {
  m_.parameters_.reserve(m_.parameters_.size() + 1);
  m_.buffers_.reserve(m_.buffers_.size() + 1);
  m_.parameters_.push_back({std::move(parameter_name), std::move(parameter)});
  m_.buffers_.push_back({std::move(buffer_name), std::move(buffer)});
}

namespace {
template <class Slots>
Tensor take(Slots& slots, const std::string& name) {
  auto it = std::ranges::find_if(slots, [&](const auto& s) { return s.name == name; });
  Tensor t = std::move(it->tensor);
  slots.erase(it);
  return t;
}
}  // namespace

Tensor ComputedSlots::take_parameter(const std::string& name) { return take(m_.parameters_, name); }
Tensor ComputedSlots::take_buffer(const std::string& name) { return take(m_.buffers_, name); }
Tensor& ComputedSlots::buffer(const std::string& name) {
  return std::ranges::find_if(m_.buffers_, [&](const Slot& s) { return s.name == name; })->tensor;
}

Ref<Module> ComputedSlots::child(std::string_view name) const {
  for (const NamedModule& c : m_.children_)
    if (c.name == name) return c.module;
  return {};
}

Ref<Module> ComputedSlots::take_child(std::string_view name) {
  auto it = std::ranges::find_if(m_.children_, [&](const NamedModule& c) { return c.name == name; });
  Ref<Module> child = std::move(it->module);
  m_.children_.erase(it);
  return child;
}

bool ComputedSlots::any(const char* what) const {
  for (const auto* slots : {&m_.parameters_, &m_.buffers_})
    for (const Slot& s : *slots)
      if (s.computed && s.computed->what() == what) return true;
  return false;
}

// ---- functions ----

std::vector<Tensor> right_inverse(Module& fn, const Tensor& value) {
  auto* known = dynamic_cast<Parametrization*>(&fn);
  if (!known)
    fail(Code::unsupported, concat("a ", fn.type(), " has no right inverse of its own"),
         "the engine's parametrizations have one: WeightNorm, SpectralNorm, Orthogonal", "m");
  NoGradGuard off;
  return known->right_inverse(value);
}

namespace {

// The parametrizations of a slot; fails where something else computes it, or nothing does.
ParametrizationList& functions_of(Module& m, const ComputedSlots::Slot& s) {
  auto* p = s.computed ? dynamic_cast<const Parametrized*>(s.computed.get()) : nullptr;
  if (!p)
    fail(Code::invalid_argument, concat("\"", s.name, "\" of this ", m.type(), " is not parametrized"), {},
         "name");
  return *p->list;
}

void append_parametrization(ParametrizationList& list, Ref<Module> fn, Ref<Module> inverse, bool unsafe) {
  NoGradGuard off;
  const Tensor before = list.value();
  if (!unsafe) check_alike(*fn, one_result(*fn, {&before, 1}), before);
  if (has_inverse(*fn, inverse)) {
    std::vector<Tensor> values = inverted(*fn, inverse, before);
    if (values.size() != 1)
      fail(Code::invalid_argument,
           concat("only the first parametrization of a tensor may have several originals, ", fn->type(),
                  " has ", int64_t(values.size())),
           {}, "parametrization");
    list.assign(values[0]);
  }
  list.append_function(std::move(fn), std::move(inverse));
}

}  // namespace

void register_parametrization(Module& m, const std::string& name, Ref<Module> fn, Ref<Module> inverse,
                              bool unsafe) {
  for (const NamedModule& part : fn->named_modules())
    if (part.module.get() == &m)
      fail(Code::invalid_argument, concat("this ", m.type(), " would become part of itself"), {},
           "parametrization");
  Changing changing(m);
  ComputedSlots slots(m);
  ComputedSlots::Slot& s = slots.find(name);
  fn->train(m.training());
  if (auto* known = dynamic_cast<Parametrization*>(fn.get())) known->belong_to(m);
  if (s.computed && s.computed->what() == kParametrized)
    return append_parametrization(functions_of(m, s), std::move(fn), std::move(inverse), unsafe);
  if (s.computed)
    fail(Code::invalid_argument, concat("\"", name, "\" of this ", m.type(), " is ", s.computed->what()),
         "make the pruning permanent first", "name");

  NoGradGuard off;
  ScopedValue<bool> recorded(thread_state().inference, false);
  const Tensor own = s.tensor;
  std::vector<Tensor> originals =
      has_inverse(*fn, inverse) ? inverted(*fn, inverse, own) : std::vector<Tensor>{own};
  const bool same = originals.size() == 1 && alike(originals[0], own);
  const Tensor start = originals[0];
  if (same)
    originals[0] = own;
  else
    for (Tensor& t : originals) t = ops::clone(ops::detach(t));
  auto list = make_ref<ParametrizationList>(same ? std::vector<Tensor>{own} : originals,
                                            slots.is_parameter(s), own.requires_grad());
  list->set_mode(m.training());
  Module& f = *fn;
  list->append_function(std::move(fn), std::move(inverse));
  if (!unsafe)
    check_alike(f, same && start.impl() != own.impl() ? one_result(f, {&start, 1}) : list->value(), own);
  auto how = make_ref<Parametrized>(list);
  Tensor place = ComputedSlots::place_of(own);
  Ref<Module> all = slots.child("parametrizations");
  const bool first = !all;
  if (first) {
    all = make_ref<ModuleDict>();
    all->set_mode(m.training());
  }
  all->add_child(name, list);
  if (first) slots.put_child("parametrizations", std::move(all));
  slots.compute(s, std::move(place), std::move(how));
  if (same && start.impl() != own.impl()) ops::copy_(own, start);
}

void remove_parametrizations(Module& m, const std::string& name, bool leave_parametrized) {
  Ref<Module> gone;  // after the guard
  Changing changing(m);
  ComputedSlots slots(m);
  ComputedSlots::Slot& s = slots.find(name);
  ParametrizationList& list = functions_of(m, s);
  const std::vector<Tensor> originals = list.originals();
  if (!leave_parametrized && originals.size() != 1)
    fail(Code::invalid_argument,
         concat("\"", name, "\" of this ", m.type(), " has ", int64_t(originals.size()),
                " originals: there is no one to go back to"),
         "leave it parametrized", "leave_parametrized");
  Tensor t = originals[0];
  if (leave_parametrized) {
    NoGradGuard off;
    ScopedValue<bool> recorded(thread_state().inference, false);
    const Tensor value = list.value();
    if (originals.size() == 1 && alike(value, t)) {
      ops::copy_(t, value);
    } else {
      const bool trained = t.requires_grad();
      t = ops::clone(ops::detach(value));
      if (slots.is_parameter(s)) haft::set_requires_grad(t, trained);
    }
  }
  Ref<Module> all = slots.child("parametrizations");
  slots.own(s, std::move(t));
  {
    Changing too(*all);
    gone = ComputedSlots(*all).take_child(name);
  }
  if (all->children().empty()) slots.take_child("parametrizations");
}

bool is_parametrized(Module& m, const std::string& name) {
  Reading reading(m);
  ComputedSlots slots(m);
  if (name.empty()) return slots.any(kParametrized);
  const ComputedSlots::Slot& s = slots.find(name);
  return s.computed && s.computed->what() == kParametrized;
}

void set_parametrized(Module& m, const std::string& name, const Tensor& value) {
  Changing changing(m);
  functions_of(m, ComputedSlots(m).find(name)).assign(value);
}

}  // namespace haft::nn
