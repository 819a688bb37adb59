#include "core/autograd/hooks.h"

#include <algorithm>
#include <mutex>

#include "core/backend/device.h"
#include "core/dispatch/dispatch.h"

namespace haft {

namespace {

Node& node_of(const Tensor& t, const char* what) {
  Ref<Node> n = gradient_node(*t.impl());
  if (!n)
    fail(Code::autograd, concat(what, ": the tensor does not require a gradient"),
         "call set_requires_grad first");
  return *n;  // the tensor holds it
}

std::atomic<uint64_t> next_hook{1};

}  // namespace

uint64_t add_hook(const Tensor& t, GradHook fn) {
  NodeHooks& h = node_of(t, "hook").hooks.own();
  uint64_t id = next_hook.fetch_add(1);
  NodeHooks::Hook hook{id, t.impl()->output, std::make_shared<GradHook>(std::move(fn)), nullptr};
  std::lock_guard lock(h.mutex);
  h.pre.push_back(std::move(hook));
  return id;
}

uint64_t add_post_accumulate_hook(const Tensor& t, std::function<void(const Tensor&)> fn, const char* takes) {
  Node& n = node_of(t, "post-accumulate hook");
  if (!n.is_leaf())
    fail(Code::autograd, "post-accumulate hooks are for leaves; this tensor is the result of an operator",
         "use a plain hook");
  NodeHooks& h = n.hooks.own();
  uint64_t id = next_hook.fetch_add(1);
  NodeHooks::Hook hook{id, 0, std::make_shared<GradHook>([fn = std::move(fn)](const Tensor& g) {
                         fn(g);
                         return Tensor();
                       }),
                       takes};
  std::lock_guard lock(h.mutex);
  h.post_accumulate.push_back(std::move(hook));
  return id;
}

bool remove_hook(Node& n, uint64_t id) noexcept {
  NodeHooks* h = n.hooks.get();
  if (!h) return false;
  NodeHooks::Hook gone;  // what it holds goes without the lock
  std::lock_guard lock(h->mutex);
  for (auto* list : {&h->pre, &h->post_accumulate})
    if (const auto it = std::ranges::find(*list, id, &NodeHooks::Hook::id); it != list->end()) {
      gone = std::move(*it);
      list->erase(it);
      return true;
    }
  return false;
}

bool remove_hook(const Tensor& t, uint64_t id) {
  Ref<Node> n = gradient_node(*t.impl());
  return n && remove_hook(*n, id);
}

bool has_post_accumulate_hooks(const Node& n) {
  NodeHooks* h = n.hooks.get();
  if (!h) return false;
  std::lock_guard lock(h->mutex);
  return !h->post_accumulate.empty();
}

const char* gradient_taker(const Tensor& t) {
  LeafNode* leaf = leaf_of(t);
  NodeHooks* h = leaf ? leaf->hooks.get() : nullptr;
  if (!h) return nullptr;
  std::lock_guard lock(h->mutex);
  for (const NodeHooks::Hook& hook : h->post_accumulate)
    if (hook.takes) return hook.takes;
  return nullptr;
}

void retain_grad(const Tensor& t) {
  Node& n = node_of(t, "retain_grad");
  if (n.is_leaf()) return;  // leaves keep theirs anyway
  NodeHooks& h = n.hooks.own();
  std::lock_guard lock(h.mutex);
  h.retained.resize(n.n_out);  // the room first: whoever is marked has one, also when memory ends here
  h.retain.resize(n.n_out);
  h.retain[t.impl()->output] = true;
}

void set_gradient(const Tensor& t, Tensor g) {
  LeafNode* leaf = leaf_of(t);
  Node* node = leaf ? nullptr : &node_of(t, "set_grad");
  if (g.defined() &&
      (!std::ranges::equal(g.sizes(), t.sizes()) || g.dtype() != t.dtype() || g.device() != t.device()))
    fail(Code::shape,
         concat("a gradient must be ", dtype_name(t.dtype()), " of shape ", t.sizes(), ", got ",
                dtype_name(g.dtype()), " of shape ", g.sizes()),
         {}, "grad");
  if (g.impl() == t.impl())
    fail(Code::autograd, "a tensor cannot be its own gradient: it would never be freed",
         "give a copy, clone()", "grad");
  if (leaf) return leaf->set_gradient(std::move(g));
  if (!g.defined() && !node->hooks) return;
  NodeHooks& h = node->hooks.own();
  std::lock_guard lock(h.mutex);
  if (h.retained.size() < node->n_out) h.retained.resize(node->n_out);
  std::swap(h.retained[t.impl()->output], g);  // the old one dies after the lock
}

namespace {

// The hooks as they were at the start: one may add others, or remove itself while it runs.
template <class F>
void each_hook(NodeHooks& of, std::vector<NodeHooks::Hook> NodeHooks::*list, F&& f) {
  NodeHooks::Hook only{};  // without a list of its own
  std::vector<NodeHooks::Hook> hooks;
  {
    std::lock_guard lock(of.mutex);
    const auto& now = of.*list;
    if (now.size() == 1)
      only = now[0];
    else
      hooks = now;
  }
  if (only.fn) return f(only);
  const auto is_there = [&](uint64_t id) {
    std::lock_guard lock(of.mutex);
    return std::ranges::find(of.*list, id, &NodeHooks::Hook::id) != (of.*list).end();
  };
  for (NodeHooks::Hook& h : hooks)
    if (is_there(h.id)) f(h);
}

}  // namespace

void run_hooks(Node& n, std::span<Tensor> grads) {
  NodeHooks& hooks = *n.hooks.get();
  each_hook(hooks, &NodeHooks::pre, [&](NodeHooks::Hook& h) {
    Tensor& g = grads[h.output];
    if (!g.defined()) return;
    Tensor replaced = (*h.fn)(g);
    if (!replaced.defined()) return;
    if (!std::ranges::equal(replaced.sizes(), g.sizes()) || replaced.dtype() != g.dtype() ||
        replaced.device() != g.device())
      fail(Code::shape,
           concat("a hook on \"", n.name(), "\" must answer a ", dtype_name(g.dtype()), " gradient of shape ",
                  g.sizes(), ", it gave ", dtype_name(replaced.dtype()), " of shape ", replaced.sizes()));
    g = std::move(replaced);
  });
  if (n.is_leaf()) return;
  for (size_t k = 0; k < grads.size(); ++k) {
    if (!grads[k].defined()) continue;
    Tensor kept;
    {
      std::lock_guard lock(hooks.mutex);
      if (hooks.retain.empty()) return;
      if (!hooks.retain[k]) continue;
      kept = hooks.retained[k];
    }
    // Never the gradient itself, which goes on to other tensors: the host may write what it was given.
    kept = kept.defined() ? call1(OpId::add, {&kept, &grads[k]}) : call1(OpId::contiguous_copy, {&grads[k]});
    std::lock_guard lock(hooks.mutex);
    std::swap(hooks.retained[k], kept);
  }
}

void run_post_hooks(Node& n) {
  each_hook(*n.hooks.get(), &NodeHooks::post_accumulate, [&](NodeHooks::Hook& h) {
    if (const Tensor g = static_cast<LeafNode&>(n).gradient(); g.defined()) (*h.fn)(g);
  });
}

}  // namespace haft
