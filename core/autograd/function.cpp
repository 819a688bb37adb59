#include "core/autograd/function.h"

#include "core/dispatch/dispatch.h"
#include "core/dispatch/finish.h"
#include "core/tensor/batched.h"

namespace haft {

// g for an input that broadcasting would take to g's shape: the sum over what it would add. Other shapes stay for the
// caller to refuse.
static Tensor summed_to(const Tensor& g, IntList want) {
  const int64_t more = g.ndim() - int64_t(want.size());
  if (more < 0) return g;
  Shape dims;
  for (int64_t d = 0; d < g.ndim(); ++d) {
    if (d < more || (want[size_t(d - more)] == 1 && g.size(d) != 1))
      dims.push_back(d);
    else if (want[size_t(d - more)] != g.size(d))
      return g;
  }
  if (dims.empty()) return g;
  AttrWriter how, sizes;
  how.add(IntList(dims)).add(int64_t(true)).add(int64_t(g.dtype()));
  sizes.add(want);
  const Tensor sum = call1(OpId::sum, {&g}, how.finish());
  return call1(OpId::view, {&sum}, sizes.finish());
}

struct CustomNode final : FunctionNode {
  Ref<CustomFunction> fn;
  FunctionContext context;
  std::vector<Edge> edge_storage;
  std::vector<Ref<TensorImpl>> slots;
  std::vector<SavedMeta> meta;
  NodeStream recorded_on{};

  void describe(std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  void keep_saved(std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  NodeStream stream() const override { return recorded_on; }
  const char* name() const override { return fn->name.c_str(); }
  void dispose() noexcept override { delete this; }
  void release_saved() override {
    if (context.saved_.empty()) return;
    released = true;
    context.freed_ = true;
    context.saved_.clear();
  }
  void backward(std::span<Tensor> grads, std::span<Tensor> result, bool) override {
    std::vector<Tensor> answer = fn->backward(context, grads);
    if (answer.size() != result.size())
      fail(Code::callback, concat("backward of \"", fn->name, "\" gave ", int64_t(answer.size()),
                                  " gradients for ", int64_t(result.size()), " inputs"));
    for (size_t i = 0; i < result.size(); ++i) {
      if (!answer[i].defined() || !edges[i].node) continue;
      IntList want{meta[i].sizes, meta[i].ndim};
      // A function that computes in another precision than its inputs' answers in that one, as in PyTorch.
      if (answer[i].dtype() != meta[i].dtype && is_float(answer[i].dtype()) && is_float(meta[i].dtype)) {
        uint64_t w[] = {word(meta[i].dtype)};
        answer[i] = call1(OpId::cast, {&answer[i]}, w);
      }
      answer[i] = summed_to(answer[i], want);
      if (!std::ranges::equal(answer[i].sizes(), want) || answer[i].dtype() != meta[i].dtype)
        fail(Code::shape, concat("backward of \"", fn->name, "\" gave ", dtype_name(answer[i].dtype()),
                                 " of shape ", answer[i].sizes(), " for input ", int64_t(i), ", wanted ",
                                 dtype_name(meta[i].dtype), " of shape ", want));
      result[i] = std::move(answer[i]);
    }
  }
};

namespace {

// Nodes count their edges and results in 16 bits.
void check_count(const std::string& name, size_t n, const char* what) {
  if (n > UINT16_MAX)
    fail(Code::invalid_argument, concat("function \"", name, "\" has ", int64_t(n), " ", what, ", at most ",
                                        int(UINT16_MAX), " can be recorded"));
}

bool answers(std::span<const Tensor> outputs, const Tensor& input) {
  return std::ranges::any_of(outputs, [&](const Tensor& o) { return o.impl() == input.impl(); });
}

// Under vmap the function has a gradient for an example, from within; who goes on to the examples' own history would
// find that nobody recorded it.
void check_examples(const std::string& name, const TensorImpl& x) {
  for (const TensorImpl* t = &x; is_batched(*t); t = t->twin.load(std::memory_order_acquire))
    if (t->twin.load(std::memory_order_acquire)->needs_grad())
      fail(Code::unsupported,
           concat("function \"", name, "\" under vmap: its input of shape ", x.sizes(),
                  " requires a gradient from outside of the mapped function"),
           "take the gradient inside of it, or write the function with operators");
}

// An input that forward wrote takes the function's history: it must be an output, and able to take one.
void check_written(const std::string& name, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                   const std::vector<bool>& written) {
  auto refuse = [&](size_t i, const char* why, const char* hint) {
    fail(Code::autograd, concat("forward of \"", name, "\" wrote input ", int64_t(i), " in place, ", why),
         hint);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!written[i]) continue;
    TensorImpl& t = *inputs[i].impl();
    if (!answers(outputs, inputs[i])) {
      // Another view of the same memory may be the one that was written.
      bool other = false;
      for (size_t k = 0; k < inputs.size(); ++k)
        other |= written[k] && inputs[k].impl()->storage == t.storage && answers(outputs, inputs[k]);
      if (inputs[i].requires_grad() && !other)
        refuse(i, "which requires a gradient, and did not answer it",
               "answer the input itself as an output, or clone() it before writing");
      continue;
    }
    TensorImpl* base = t.live_base();
    auto* n = static_cast<Node*>((base ? *base : t).node.get());
    if (n && n->is_leaf()) refuse(i, "a leaf that requires a gradient", "clone() it before writing");
    if (t.inference) refuse(i, "a tensor made in inference mode", "clone() it outside inference mode");
  }
}

}  // namespace

void FunctionContext::save(const Tensor& t) { saved_.push_back({t, version_of(*t.impl()), -1}); }

Tensor FunctionContext::saved(int64_t i) const {
  if (freed_)
    fail(Code::autograd,
         concat("the saved tensors of \"", node_ ? node_->name() : "function",
                "\" were freed by an earlier backward"),
         "pass retain_graph to the first backward");
  if (i < 0 || i >= saved_count())
    fail(Code::index, concat("saved tensor ", i, " of ", saved_count(), " was asked for"),
         "save it in forward", "index");
  const Kept& k = saved_[size_t(i)];
  if (k.packed) {
    Edge from = k.input >= 0 ? node_->edges[k.input] : Edge{};
    if (k.output >= 0 && thread_state().grad_enabled) from = {Ref<Node>::share(node_), uint32_t(k.output)};
    return k.packed->unpack(std::move(from.node), from.output);
  }
  if (version_of(*k.value.impl()) != k.version)
    fail(Code::autograd,
         concat("saved tensor ", i, " of shape ", k.value.sizes(),
                " was changed in place after the forward call"),
         "clone() it before writing");
  if (k.output < 0 || !node_ || !thread_state().grad_enabled) return k.value;
  Tensor out = shallow_copy(*k.value.impl());
  out.impl()->node = Ref<GraphNode>::share(node_);
  out.impl()->output = uint32_t(k.output);
  return out;
}

namespace {

// An output that would lose a history or a base of its own, that is an input, or that comes twice, becomes a tensor
// of its own. Answers which ones are inputs that were written: they take the function's history themselves.
std::vector<bool> set_apart(std::span<const Tensor> inputs, std::span<Tensor> outputs,
                            const std::vector<bool>& written) {
  std::vector<bool> in_place(outputs.size());
  for (size_t k = 0; k < outputs.size(); ++k) {
    Tensor& o = outputs[k];
    bool again = answers(outputs.first(k), o), is_input = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() || inputs[i].impl() != o.impl()) continue;
      is_input = true;
      in_place[k] = written[i] && !again;
    }
    if (!in_place[k] && (again || is_input || o.impl()->node || o.impl()->base)) o = shallow_copy(*o.impl());
  }
  return in_place;
}

// What lies in an input's memory is a view of it: a write to either is noticed.
void link_views(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                const std::vector<bool>& in_place) {
  for (size_t k = 0; k < outputs.size(); ++k)
    for (size_t i = 0; i < inputs.size() && !in_place[k] && !outputs[k].impl()->base; ++i) {
      if (!inputs[i].defined() || !inputs[i].requires_grad() ||
          !shares_memory(*inputs[i].impl(), *outputs[k].impl()))
        continue;
      TensorImpl &view = *outputs[k].impl(), &of = *inputs[i].impl();
      view.base = of.live_base() ? of.base : inputs[i].ref();
      view.base_epoch = view.base->epoch;
    }
}

}  // namespace

// Edges, metadata and stream of the call.
void CustomNode::describe(std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  seq = next_sequence();
  for (const Tensor& o : outputs)
    if (!streamed && has_streams(o.device())) {
      streamed = true;
      recorded_on = {o.device(), current_stream(o.device())};
    }
  n_in = uint16_t(inputs.size());
  n_out = uint16_t(outputs.size());
  for (const Tensor& t : inputs) {
    Edge e;
    SavedMeta m{};
    if (t.defined()) {
      m.dtype = t.dtype();
      m.device = t.device();
      m.ndim = uint8_t(t.ndim());
      std::copy_n(t.sizes().data(), m.ndim, m.sizes);
      if (t.requires_grad()) e = {gradient_node(*t.impl()), t.impl()->output};
    }
    edge_storage.push_back(std::move(e));
    meta.push_back(m);
  }
  slots.resize(outputs.size());
  edges = edge_storage.data();
  incoming = slots.data();
}

void CustomNode::keep_saved(std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  context.node_ = this;
  // A result that was saved is kept without its history: the node would own itself.
  for (auto& k : context.saved_)
    for (size_t i = 0; i < outputs.size(); ++i)
      if (k.value.impl() == outputs[i].impl()) {
        k.value = shallow_copy(*outputs[i].impl());
        k.output = int32_t(i);
      }
  if (!saves_are_hooked(thread_state())) return;
  for (auto& k : context.saved_) {
    for (size_t i = 0; i < inputs.size() && k.output < 0; ++i)
      if (inputs[i].defined() && k.value.impl() == inputs[i].impl()) k.input = int32_t(i);
    k.packed.emplace(*k.value.impl());
    k.value.reset();
  }
}

std::vector<Tensor> apply_function(Ref<CustomFunction> fn, std::span<const Tensor> inputs) {
  check_count(fn->name, inputs.size(), "inputs");
  bool record = false;
  for (const Tensor& t : inputs) record |= thread_state().grad_enabled && t.defined() && t.requires_grad();

  for (const Tensor& t : inputs)
    if (is_batched(t) && thread_state().grad_enabled) check_examples(fn->name, *t.impl());

  auto node = make_ref<CustomNode>();
  node->fn = fn;
  for (const Tensor& t : inputs) node->context.needs.push_back(record && t.defined() && t.requires_grad());
  std::vector<uint32_t> versions;
  for (const Tensor& t : inputs) versions.push_back(t.defined() ? version_of(*t.impl()) : 0);
  std::vector<Tensor> outputs;
  {
    NoGradGuard off;
    outputs = fn->forward(node->context, inputs);
  }
  check_count(fn->name, outputs.size(), "outputs");
  std::vector<bool> written(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    written[i] = record && inputs[i].defined() && version_of(*inputs[i].impl()) != versions[i];
  for (const Tensor& o : outputs)
    if (!o.defined()) fail(Code::callback, concat("forward of \"", fn->name, "\" left an output empty"));
  check_written(fn->name, inputs, outputs, written);
  const std::vector<bool> in_place = set_apart(inputs, outputs, written);
  if (!record) return outputs;

  node->describe(inputs, outputs);
  node->keep_saved(inputs, outputs);
  link_views(inputs, outputs, in_place);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_differentiable(outputs[i].dtype())) continue;
    if (in_place[i]) {
      rebase_history(*outputs[i].impl(), node, uint32_t(i));
      continue;
    }
    outputs[i].impl()->node = node;
    outputs[i].impl()->output = uint32_t(i);
  }
  return outputs;
}

}  // namespace haft
