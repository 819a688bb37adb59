#include "core/nn/module.h"

#include <algorithm>

#include "core/autograd/hooks.h"
#include "core/tape/tape.h"

namespace haft::nn {

namespace {

constexpr int32_t kChanged = INT32_MIN / 2;
std::atomic<uint64_t> next_hook{1};

template <class List>
auto* find_named(List& list, std::string_view name) {
  auto it = std::ranges::find_if(list, [&](const auto& e) { return e.name == name; });
  return it == list.end() ? nullptr : &*it;
}

template <class List>
std::string names_of(const List& list) {
  std::string s;
  for (const auto& e : list) s += concat(s.empty() ? "" : ", ", e.name);
  return s.empty() ? "none" : s;
}

// "a.b.weight" to "a.b" and "weight".
std::pair<std::string_view, std::string_view> split_last(std::string_view path) {
  size_t dot = path.rfind('.');
  if (dot == path.npos) return {{}, path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

}  // namespace

Running::Running(Module& m) : m_(m) {
  if (m.use_.fetch_add(1, std::memory_order_acquire) >= 0) [[likely]]
    return;
  m.use_.fetch_sub(1, std::memory_order_release);
  fail(Code::busy, concat("this ", m.type(), " is being changed by another call"), "guard it with a lock");
}

Reading::Reading(const Module& m) : m_(const_cast<Module&>(m)) {
  if (m_.use_.fetch_add(1, std::memory_order_acquire) >= 0) [[likely]]
    return;
  if (m_.changer_.load(std::memory_order_relaxed) == &thread_state()) return;
  m_.use_.fetch_sub(1, std::memory_order_release);
  fail(Code::busy, concat("this ", m.type(), " is being changed by another call"), "guard it with a lock");
}

Changing::Changing(Module& m) : m_(m) {
  int32_t idle = 0;
  if (m.use_.compare_exchange_strong(idle, kChanged, std::memory_order_acquire)) {
    m.changer_.store(&thread_state(), std::memory_order_relaxed);
    return;
  }
  fail(
      Code::busy,
      concat("this ", m.type(), " is ", idle > 0 ? "running or being read" : "being changed by another call"),
      "change it when no forward call runs, and from one thread");
}
Changing::~Changing() {
  m_.changer_.store(nullptr, std::memory_order_relaxed);
  m_.use_.fetch_sub(kChanged, std::memory_order_release);
}

Module::~Module() = default;

// ---- running ----

Tensor Module::forward(const Tensor&) {
  fail(Code::unsupported, concat("a ", type_, " cannot be called with one tensor"),
       "call its children, or use forward_many");
}

std::vector<Tensor> Module::forward_many(std::span<const Tensor> xs) {
  if (xs.size() != 1 || !xs[0])
    fail(Code::invalid_argument,
         concat("a ", type_, " takes one tensor, got ", xs.size() == 1 ? "NULL" : std::to_string(xs.size())),
         {}, "inputs");
  std::vector<Tensor> out(1);
  out[0] = forward(xs[0]);
  return out;
}

// Computed tensors stand in for their slots while f runs; what somebody else has put there stays.
template <class F>
auto Module::with_computed(F&& f) const {
  if (!computes_) [[likely]]
    return f();
  StandIns values;
  for (const auto* slots : {&parameters_, &buffers_})
    for (const Slot& s : *slots)
      if (s.computed && &StandIns::of(s.tensor) == &s.tensor) values.add(s.tensor, s.computed->value(*this));
  StandIns::Use use(values);
  return f();
}

Tensor Module::run(const Tensor& x) {
  Running running(*this);
  ModuleRange range(type_.c_str());
  auto hooks = hooks_;
  if (!hooks) return with_computed([&] { return forward(x); });
  Tensor in = x;
  for (auto& [id, fn] : hooks->pre) fn(*this, {&in, 1});
  Tensor out = with_computed([&] { return forward(in); });
  for (auto& [id, fn] : hooks->post) fn(*this, {&in, 1}, {&out, 1});
  return out;
}

std::vector<Tensor> Module::call_many(std::span<const Tensor> xs) {
  Running running(*this);
  ModuleRange range(type_.c_str());
  auto hooks = hooks_;
  if (!hooks) return with_computed([&] { return forward_many(xs); });
  std::vector<Tensor> in(xs.begin(), xs.end());
  for (auto& [id, fn] : hooks->pre) fn(*this, in);
  std::vector<Tensor> out = with_computed([&] { return forward_many(in); });
  for (auto& [id, fn] : hooks->post) fn(*this, in, out);
  return out;
}

std::vector<Tensor> Module::functional_call(std::span<const NamedTensor> others, std::span<const Tensor> xs) {
  StandIns brought;
  for (const NamedTensor& o : others) {
    auto [owner, name] = split_last(o.name);
    Ref<Module> m = find(owner);
    Reading reading(*m);
    const Slot* s = m->find_slot(name);
    if (!s || !s->tensor)
      fail(
          Code::invalid_argument,
          concat("\"", o.name, "\" names no parameter and no buffer: a ", m->type_, " has no \"", name, "\""),
          concat("its parameters: ", names_of(m->parameters_), "; its buffers: ", names_of(m->buffers_)),
          "names");
    if (!o.tensor)
      fail(Code::invalid_argument, concat("the tensor of \"", o.name, "\" is absent"), {}, "tensors");
    if (!std::ranges::equal(s->tensor.sizes(), o.tensor.sizes()))
      fail(Code::shape, concat("\"", o.name, "\" has shape ", s->tensor.sizes(), ", got ", o.tensor.sizes()),
           {}, "tensors");
    brought.add(s->tensor, o.tensor);
  }
  StandIns::Use use(brought);
  return call_many(xs);
}

uint64_t Module::add_forward_pre_hook(ForwardPreHook fn) {
  Changing changing(*this);
  auto hooks = hooks_ ? std::make_shared<Hooks>(*hooks_) : std::make_shared<Hooks>();
  uint64_t id = next_hook.fetch_add(1);
  hooks->pre.emplace_back(id, std::move(fn));
  hooks_ = std::move(hooks);
  return id;
}

uint64_t Module::add_forward_hook(ForwardHook fn) {
  Changing changing(*this);
  auto hooks = hooks_ ? std::make_shared<Hooks>(*hooks_) : std::make_shared<Hooks>();
  uint64_t id = next_hook.fetch_add(1);
  hooks->post.emplace_back(id, std::move(fn));
  hooks_ = std::move(hooks);
  return id;
}

bool Module::remove_hook(uint64_t id) {
  std::shared_ptr<Hooks> old;  // these let go of the hook's data outside the guard
  ForwardPreHook pre;
  ForwardHook post;
  Changing changing(*this);
  if (!hooks_) return false;
  // A running call has its own list; without one no memory is needed to get rid of a hook.
  if (hooks_.use_count() > 1) hooks_ = std::make_shared<Hooks>(*hooks_);
  auto take = [id](auto& list, auto& fn) {
    auto it = std::ranges::find(list, id, [](const auto& h) { return h.first; });
    if (it == list.end()) return false;
    fn = std::move(it->second);
    list.erase(it);
    return true;
  };
  if (!take(hooks_->pre, pre) && !take(hooks_->post, post)) return false;
  if (hooks_->pre.empty() && hooks_->post.empty()) old = std::move(hooks_);
  return true;
}

// ---- tree ----

// One name means one thing: a parameter, a buffer or a child.
void Module::check_name(const std::string& name, const void* among) const {
  if (name.empty() || name.find('.') != name.npos)
    fail(Code::invalid_argument, concat("a name must not be empty nor hold a dot, got \"", name, "\""), {},
         "name");
  const char* taken = among != &parameters_ && find_named(parameters_, name) ? "parameter"
                      : among != &buffers_ && find_named(buffers_, name)     ? "buffer"
                      : among != &children_ && find_named(children_, name)   ? "child"
                                                                             : nullptr;
  if (taken)
    fail(Code::invalid_argument, concat("this ", type_, " has a ", taken, " called \"", name, "\" already"),
         {}, "name");
}

void Module::add_child(std::string name, Ref<Module> child) {
  Ref<Module> old;  // goes after the guard
  Changing changing(*this);
  old = put_child(std::move(name), std::move(child));
}

void Module::append(Ref<Module> child) {
  Ref<Module> old;
  Changing changing(*this);
  size_t number = children_.size();
  while (find_named(children_, std::to_string(number))) ++number;
  old = put_child(std::to_string(number), std::move(child));
}

Ref<Module> Module::put_child(std::string name, Ref<Module> child) {
  if (!child) fail(Code::invalid_argument, "the child is absent", {}, "child");
  for (const NamedModule& m : child->named_modules())
    if (m.module.get() == this)
      fail(Code::invalid_argument,
           concat("this ", type_, " would become part of itself",
                  m.name.empty() ? "" : concat(", through \"", m.name, "\"")),
           {}, "child");
  check_name(name, &children_);
  if (NamedModule* known = find_named(children_, name)) return std::exchange(known->module, std::move(child));
  children_.push_back({std::move(name), std::move(child)});
  return {};
}

void Module::collect_modules(const std::string& prefix, bool children_first, std::vector<NamedModule>& out,
                             std::unordered_set<const Module*>& seen) {
  if (!seen.insert(this).second) return;
  Reading reading(*this);
  if (!children_first) out.push_back({prefix, Ref<Module>::share(this)});
  for (const NamedModule& c : children_)
    c.module->collect_modules(join_name(prefix, c.name), children_first, out, seen);
  if (children_first) out.push_back({prefix, Ref<Module>::share(this)});
}

std::vector<NamedModule> Module::named_modules(bool children_first) {
  std::vector<NamedModule> out;
  std::unordered_set<const Module*> seen;
  collect_modules({}, children_first, out, seen);
  return out;
}

Ref<Module> Module::find(std::string_view path) {
  Ref<Module> m = Ref<Module>::share(this);
  for (std::string_view rest = path; !rest.empty();) {
    size_t dot = std::min(rest.find('.'), rest.size());
    Ref<Module> next;
    {
      Reading reading(*m);
      const NamedModule* c = find_named(m->children_, rest.substr(0, dot));
      if (!c)
        fail(Code::invalid_argument,
             concat("\"", path, "\" names no module: a ", m->type_, " has no child \"", rest.substr(0, dot),
                    "\""),
             concat("its children: ", names_of(m->children_)), "name");
      next = c->module;
    }
    m = std::move(next);
    rest = rest.substr(std::min(dot + 1, rest.size()));
  }
  return m;
}

void Module::apply(const std::function<void(const std::string&, Module&)>& fn) {
  for (const NamedModule& m : named_modules(true)) fn(m.name, *m.module);
}

// ---- tensors ----

const Module::Slot* Module::find_slot(std::string_view name) const {
  const Slot* s = find_named(parameters_, name);
  return s ? s : find_named(buffers_, name);
}

bool Module::has_name(std::string_view name) const {
  Reading reading(*this);
  return find_slot(name) || find_named(children_, name);
}

void Module::check_own(const Slot* known, const char* argument) const {
  if (known && known->computed)
    fail(Code::invalid_argument,
         concat("\"", known->name, "\" of this ", type_, " is ", known->computed->what(),
                ": it is computed each time"),
         "assign to what it is computed from, or remove the parametrization or pruning first", argument);
}

void Module::register_parameter(std::string name, Tensor t, bool requires_grad) {
  Tensor old;
  Changing changing(*this);
  check_name(name, &parameters_);
  if (t && !is_leaf(t))
    fail(Code::autograd,
         concat("the parameter \"", name, "\" must be a leaf; this tensor is the result of an operator"),
         "detach() it first", "t");
  Slot* known = find_named(parameters_, name);
  check_own(known, "name");
  if (known && t && known->tensor && !std::ranges::equal(t.sizes(), known->tensor.sizes()))
    fail(Code::shape,
         concat("the parameter \"", name, "\" of this ", type_, " has shape ", known->tensor.sizes(),
                ", got ", t.sizes()),
         {}, "t");
  // Room first: where memory is short t stays as it is.
  if (!known && parameters_.size() == parameters_.capacity()) parameters_.reserve(2 * parameters_.size() + 2);
  if (t) haft::set_requires_grad(t, requires_grad);
  if (known) {
    old = std::exchange(known->tensor, std::move(t));
  } else {
    parameters_.push_back({std::move(name), std::move(t)});
  }
}

void Module::register_buffer(std::string name, Tensor t, bool persistent) {
  Tensor old;
  Changing changing(*this);
  check_name(name, &buffers_);
  if (Slot* known = find_named(buffers_, name)) {
    check_own(known, "name");
    old = std::move(known->tensor);
    known->tensor = std::move(t);
    known->persistent = persistent;
  } else {
    buffers_.push_back({std::move(name), std::move(t), persistent});
  }
}

std::vector<NamedTensor> Module::collect_unique(std::vector<Slot> Module::*slots) const {
  std::vector<NamedTensor> out;
  std::unordered_set<const TensorImpl*> seen;
  for (const NamedModule& m : const_cast<Module*>(this)->named_modules()) {
    Reading reading(*m.module);
    for (const Slot& s : (*m.module).*slots)
      if (s.tensor && !s.computed && seen.insert(s.tensor.impl()).second)
        out.push_back({join_name(m.name, s.name), StandIns::of(s.tensor)});
  }
  return out;
}

std::vector<NamedTensor> Module::named_parameters() const { return collect_unique(&Module::parameters_); }
std::vector<NamedTensor> Module::named_buffers() const { return collect_unique(&Module::buffers_); }

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> out;
  for (NamedTensor& p : named_parameters()) out.push_back(std::move(p.tensor));
  return out;
}

int64_t Module::parameter_count(bool trainable_only) const {
  int64_t n = 0;
  for (const NamedTensor& p : named_parameters())
    if (!trainable_only || p.tensor.requires_grad()) n += p.tensor.numel();
  return n;
}

Tensor Module::find_parameter(std::string_view path) {
  auto [owner, name] = split_last(path);
  Ref<Module> m = find(owner);
  Reading reading(*m);
  Slot* s = find_named(m->parameters_, name);
  if (!s || !s->tensor)
    fail(Code::invalid_argument,
         concat("\"", path, "\" names no parameter: a ", m->type_, " has no \"", name, "\""),
         concat("its parameters: ", names_of(m->parameters_)), "name");
  const Tensor& now = StandIns::of(s->tensor);
  if (&now == &s->tensor) m->check_own(s, "name");  // it has its value while the module runs
  return now;
}

Tensor Module::find_buffer(std::string_view path) {
  auto [owner, name] = split_last(path);
  Ref<Module> m = find(owner);
  Reading reading(*m);
  Slot* s = find_named(m->buffers_, name);
  if (!s || !s->tensor)
    fail(Code::invalid_argument,
         concat("\"", path, "\" names no buffer: a ", m->type_, " has no \"", name, "\""),
         concat("its buffers: ", names_of(m->buffers_)), "name");
  const Tensor& now = StandIns::of(s->tensor);
  if (&now == &s->tensor) m->check_own(s, "name");  // it has its value while the module runs
  return now;
}

Tensor Module::find_value(std::string_view path) {
  auto [owner, name] = split_last(path);
  Ref<Module> m = find(owner);
  Reading reading(*m);
  const Slot* s = m->find_slot(name);
  if (!s || !s->tensor)
    fail(Code::invalid_argument,
         concat("\"", path, "\" names no parameter and no buffer: a ", m->type_, " has no \"", name, "\""),
         concat("its parameters: ", names_of(m->parameters_), "; its buffers: ", names_of(m->buffers_)),
         "name");
  const Tensor& now = StandIns::of(s->tensor);
  return s->computed && &now == &s->tensor ? s->computed->value(*m) : now;
}

void Module::collect_state(const std::string& prefix, std::vector<NamedTensor>& out) const {
  Reading reading(*this);
  for (const Slot& s : parameters_)
    if (s.tensor && !s.computed) out.push_back({join_name(prefix, s.name), s.tensor});
  for (const Slot& s : buffers_)
    if (s.tensor && s.persistent && !s.computed) out.push_back({join_name(prefix, s.name), s.tensor});
  for (const NamedModule& c : children_) c.module->collect_state(join_name(prefix, c.name), out);
}

std::vector<NamedTensor> Module::state_dict() const {
  std::vector<NamedTensor> out;
  collect_state({}, out);
  return out;
}

void Module::train(bool on) {
  Changing changing(*this);
  for (const NamedModule& m : named_modules()) m.module->training_.store(on, std::memory_order_relaxed);
}

void Module::zero_grad() {
  for (const NamedTensor& p : named_parameters())
    if (gradient_of(p.tensor).defined()) set_gradient(p.tensor, {});
}

void Module::set_requires_grad(bool on) {
  Changing changing(*this);
  std::vector<NamedTensor> all = named_parameters();
  std::vector<Tensor> changed;
  changed.reserve(all.size());
  try {
    for (NamedTensor& p : all) {
      if (p.tensor.requires_grad() == on) continue;
      haft::set_requires_grad(p.tensor, on);
      changed.push_back(p.tensor);
    }
  } catch (...) {  // all or none
    for (Tensor& t : changed) haft::set_requires_grad(t, !on);
    throw;
  }
}

}  // namespace haft::nn
