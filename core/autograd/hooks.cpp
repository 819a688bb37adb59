#include "core/autograd/hooks.h"

#include <algorithm>

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
  Node& n = node_of(t, "hook");
  uint64_t id = next_hook.fetch_add(1);
  n.own_hooks().pre.push_back({id, t.impl()->output, std::make_shared<GradHook>(std::move(fn))});
  return id;
}

uint64_t add_post_accumulate_hook(const Tensor& t, std::function<void(const Tensor&)> fn) {
  Node& n = node_of(t, "post-accumulate hook");
  if (!n.is_leaf())
    fail(Code::autograd, "post-accumulate hooks are for leaves; this tensor is the result of an operator",
         "use a plain hook");
  uint64_t id = next_hook.fetch_add(1);
  n.own_hooks().post_accumulate.push_back(
      {id, 0, std::make_shared<GradHook>([fn = std::move(fn)](const Tensor& g) {
         fn(g);
         return Tensor();
       })});
  return id;
}

bool remove_hook(const Tensor& t, uint64_t id) {
  Ref<Node> n = gradient_node(*t.impl());
  if (!n || !n->hooks) return false;
  auto same = [id](const NodeHooks::Hook& h) { return h.id == id; };
  return std::erase_if(n->hooks->pre, same) + std::erase_if(n->hooks->post_accumulate, same) > 0;
}

void retain_grad(const Tensor& t) {
  Node& n = node_of(t, "retain_grad");
  if (n.is_leaf()) return;  // leaves keep theirs anyway
  NodeHooks& h = n.own_hooks();
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
    fail(Code::autograd, "a tensor cannot be its own gradient: it would never be freed", "give a copy, clone()", "grad");
  if (leaf) return leaf->set_gradient(std::move(g));
  if (!g.defined() && !node->hooks) return;
  auto& retained = node->own_hooks().retained;
  if (retained.size() < node->n_out) retained.resize(node->n_out);
  retained[t.impl()->output] = std::move(g);
}

namespace {

// The hooks as they were at the start: one may add others, or remove itself while it runs.
template <class F>
void each_hook(Node& n, std::vector<NodeHooks::Hook> NodeHooks::*list, F&& f) {
  if (auto& now = (*n.hooks).*list; now.size() == 1) {  // without a list of its own
    NodeHooks::Hook only = now[0];
    return f(only);
  }
  std::vector<NodeHooks::Hook> hooks = (*n.hooks).*list;
  for (NodeHooks::Hook& h : hooks) {
    auto& now = (*n.hooks).*list;
    if (std::ranges::any_of(now, [&](const NodeHooks::Hook& o) { return o.id == h.id; })) f(h);
  }
}

}  // namespace

void run_hooks(Node& n, std::span<Tensor> grads) {
  if (!n.hooks->pre.empty())
    each_hook(n, &NodeHooks::pre, [&](NodeHooks::Hook& h) {
      Tensor& g = grads[h.output];
      if (!g.defined()) return;
      Tensor replaced = (*h.fn)(g);
      if (!replaced.defined()) return;
      if (!std::ranges::equal(replaced.sizes(), g.sizes()) || replaced.dtype() != g.dtype() ||
          replaced.device() != g.device())
        fail(Code::shape, concat("a hook on \"", n.name(), "\" must answer a ", dtype_name(g.dtype()),
                                 " gradient of shape ", g.sizes(), ", it gave ", dtype_name(replaced.dtype()),
                                 " of shape ", replaced.sizes()));
      g = std::move(replaced);
    });
  for (size_t k = 0; k < n.hooks->retain.size(); ++k) {
    if (!n.hooks->retain[k] || !grads[k].defined()) continue;
    Tensor& kept = n.hooks->retained[k];
    kept = kept.defined() ? call1(OpId::add, {&kept, &grads[k]}) : grads[k];
  }
}

void run_post_hooks(Node& n) {
  if (!n.hooks->post_accumulate.empty())
    each_hook(n, &NodeHooks::post_accumulate,
              [&](NodeHooks::Hook& h) {
                if (const Tensor g = static_cast<LeafNode&>(n).gradient(); g.defined()) (*h.fn)(g);
              });
}

}  // namespace haft
