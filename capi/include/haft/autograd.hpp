// Differentiation in C++17 over haft/autograd.h: modes, gradients, functions of your own. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_AUTOGRAD_HPP
#define HAFT_AUTOGRAD_HPP

namespace haft {

/// No recording in this thread while it lives.
class NoGrad {
  std::int32_t before_ = 1;

 public:
  NoGrad() { check(haft_set_grad_enabled(0, &before_)); }
  ~NoGrad() { haft_set_grad_enabled(before_, nullptr); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};

/// Inference mode in this thread while it lives.
class InferenceMode {
  std::int32_t before_ = 0;

 public:
  InferenceMode() { check(haft_set_inference_mode(1, &before_)); }
  ~InferenceMode() { haft_set_inference_mode(before_, nullptr); }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
};

/// Anomaly mode in this thread while it lives: backward names the operator whose gradient is NaN.
class AnomalyMode {
  std::int32_t before_ = 0;

 public:
  AnomalyMode() { check(haft_set_anomaly_mode(1, &before_)); }
  ~AnomalyMode() { haft_set_anomaly_mode(before_, nullptr); }
  AnomalyMode(const AnomalyMode&) = delete;
  AnomalyMode& operator=(const AnomalyMode&) = delete;
};

/// Whether the second run of this thread's checkpoints from here on ends with the last tensor that backward needs;
/// answers what was.
inline bool set_checkpoint_early_stop(bool on) {
  std::int32_t before = 0;
  check(haft_set_checkpoint_early_stop(on, &before));
  return before != 0;
}

inline bool is_grad_enabled() {
  std::int32_t on = 0;
  check(haft_is_grad_enabled(&on));
  return on != 0;
}

inline bool is_inference_mode() {
  std::int32_t on = 0;
  check(haft_is_inference_mode(&on));
  return on != 0;
}

namespace detail {
inline haft_tensor* const* seeds_or_null(const std::vector<haft_tensor*>& seeds, std::size_t wanted) {
  if (seeds.empty()) return nullptr;
  if (seeds.size() != wanted)
    haft::check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "wanted one seed for each output, or none", 0));
  return seeds.data();
}
}  // namespace detail

/// Adds the gradients of several outputs to the leaves. seeds: none, or one for each output (an empty tensor: 1).
inline void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds = {},
                     std::int32_t flags = 0) {
  auto out = detail::handles(outputs), s = detail::handles(seeds);
  check(haft_autograd_backward(out.data(), detail::seeds_or_null(s, out.size()), static_cast<std::int64_t>(out.size()),
                               flags));
}
/// The same for chosen inputs only: leaves accumulate as there, other tensors keep a gradient from now on. seeds: as
/// there.
inline void backward_inputs(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                            std::int32_t flags = 0, const std::vector<Tensor>& seeds = {}) {
  auto out = detail::handles(outputs), in = detail::handles(inputs), s = detail::handles(seeds);
  check(haft_autograd_backward_inputs(out.data(), detail::seeds_or_null(s, out.size()),
                                      static_cast<std::int64_t>(out.size()), in.data(),
                                      static_cast<std::int64_t>(in.size()), flags));
}
/// Gradients of outputs for chosen inputs; empty where allowed and unused.
inline std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                std::int32_t flags = 0, const std::vector<Tensor>& seeds = {}) {
  auto out = detail::handles(outputs), in = detail::handles(inputs), s = detail::handles(seeds);
  std::vector<haft_tensor*> grads(inputs.size());
  if (grads.empty()) return {};
  check(haft_autograd_grad(out.data(), detail::seeds_or_null(s, out.size()), static_cast<std::int64_t>(out.size()),
                           in.data(), static_cast<std::int64_t>(in.size()), flags, grads.data()));
  return detail::adopt(grads.data(), static_cast<std::int64_t>(grads.size()));
}

/// Calls fn once when the backward that runs on this thread has added its last gradient; from a hook or a function's
/// backward.
inline void add_backward_callback(std::function<void()> fn) {
  using Fn = std::function<void()>;
  auto own = std::make_unique<Fn>(std::move(fn));
  check(haft_autograd_add_callback(
      [](void* user) -> haft_status { return detail::guarded([&] { (*static_cast<Fn*>(user))(); }); }, own.get(),
      detail::destroy<Fn>));
  own.release();
}

/// From now on what this thread's operators keep for backward goes through pack, which answers anything for a tensor
/// without its history, and through unpack when backward reads it, which answers a tensor of the same shape, dtype and
/// device; until pop_saved_tensor_hooks(). SavedTensorHooks does both.
inline void push_saved_tensor_hooks(std::function<std::any(const Tensor&)> pack,
                                    std::function<Tensor(const std::any&)> unpack) {
  struct Hooks {
    std::function<std::any(const Tensor&)> pack;
    std::function<Tensor(const std::any&)> unpack;
  };
  auto own = std::make_unique<Hooks>(Hooks{std::move(pack), std::move(unpack)});
  check(haft_saved_tensor_hooks_push(
      [](haft_tensor* t, void** packed, void* user) -> haft_status {
        return detail::guarded([&] { *packed = new std::any(static_cast<Hooks*>(user)->pack(detail::borrow(t))); });
      },
      [](void* packed, haft_tensor** t, void* user) -> haft_status {
        return detail::guarded(
            [&] { *t = static_cast<Hooks*>(user)->unpack(*static_cast<std::any*>(packed)).release(); });
      },
      [](void* packed, void*) { delete static_cast<std::any*>(packed); }, own.get(), detail::destroy<Hooks>));
  own.release();
}
/// Removes this thread's innermost pair; what it packed it unpacks all the same.
inline void pop_saved_tensor_hooks() { check(haft_saved_tensor_hooks_pop()); }

/// A pair of hooks for what this thread's operators keep for backward, while it lives
/// (torch.autograd.graph.saved_tensors_hooks).
class SavedTensorHooks {
 public:
  SavedTensorHooks(std::function<std::any(const Tensor&)> pack, std::function<Tensor(const std::any&)> unpack) {
    push_saved_tensor_hooks(std::move(pack), std::move(unpack));
  }
  ~SavedTensorHooks() { haft_saved_tensor_hooks_pop(); }
  SavedTensorHooks(const SavedTensorHooks&) = delete;
  SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;
};

/// What a function of your own keeps from forward to backward; valid inside them only.
class FunctionContext {
  haft_function_context* c_;

 public:
  explicit FunctionContext(haft_function_context* c) : c_(c) {}
  void save(const Tensor& t) const { check(haft_function_save(c_, t.get())); }
  Tensor saved(std::int64_t index) const {
    haft_tensor* t = nullptr;
    check(haft_function_saved(c_, index, &t));
    return Tensor(t);
  }
  bool needs_grad(std::int64_t index) const {
    std::int32_t yes = 0;
    check(haft_function_needs_grad(c_, index, &yes));
    return yes != 0;
  }
};

/// A differentiable function of your own (torch.autograd.Function).
class Function {
 public:
  virtual ~Function() = default;
  /// Computes the outputs; nothing inside is recorded. An input that it writes in place must be an output, whose
  /// history it takes.
  virtual std::vector<Tensor> forward(FunctionContext& ctx, const std::vector<Tensor>& inputs) = 0;
  /// The inputs' gradients, empty for none; an empty one in grads: that output was not used.
  virtual std::vector<Tensor> backward(FunctionContext& ctx, const std::vector<Tensor>& grads) = 0;
};

namespace detail {
inline void give(std::vector<Tensor> from, haft_tensor** to, std::int64_t count, const char* wrong) {
  if (static_cast<std::int64_t>(from.size()) != count)
    haft::check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, wrong, 0));
  for (Tensor& t : from) *to++ = t.release();
}
}  // namespace detail

/// Calls it; the graph keeps it as long as backward may run.
inline std::vector<Tensor> apply(std::shared_ptr<Function> function, const std::vector<Tensor>& inputs,
                                 std::int64_t output_count = 1, const std::string& name = "Function") {
  using Fn = std::shared_ptr<Function>;
  auto in = detail::handles(inputs);
  std::vector<haft_tensor*> outs(static_cast<std::size_t>(output_count > 0 ? output_count : 0));
  auto own = std::make_unique<Fn>(std::move(function));
  check(haft_function_apply(
      name.c_str(),
      [](haft_function_context* c, haft_tensor* const* x, std::int64_t n, haft_tensor** y, std::int64_t m,
         void* user) -> haft_status {
        return detail::guarded([&] {
          FunctionContext ctx(c);
          detail::give((*static_cast<Fn*>(user))->forward(ctx, detail::borrow(x, n)), y, m,
                       "forward answered another number of outputs");
        });
      },
      [](haft_function_context* c, haft_tensor* const* g, std::int64_t m, haft_tensor** dx, std::int64_t n,
         void* user) -> haft_status {
        return detail::guarded([&] {
          FunctionContext ctx(c);
          detail::give((*static_cast<Fn*>(user))->backward(ctx, detail::borrow(g, m)), dx, n,
                       "backward answered another number of gradients");
        });
      },
      own.get(), detail::destroy<Fn>, in.data(), static_cast<std::int64_t>(in.size()), outs.data(), output_count));
  own.release();
  return detail::adopt(outs.data(), output_count);
}

/// A recorded call in the graph behind a tensor; AccumulateGrad stands for a leaf. Empty: none.
class Node {
  detail::Handle<haft_node, haft_node_retain, haft_node_release> h_;

 public:
  Node() = default;
  /// Takes over one ownership.
  explicit Node(haft_node* owned) noexcept : h_(owned) {}
  haft_node* get() const noexcept { return h_.get(); }
  explicit operator bool() const noexcept { return bool(h_); }

  /// A number that no other node has; larger for later calls.
  std::int64_t id() const {
    std::int64_t id = 0;
    check(haft_node_get_id(get(), &id));
    return id;
  }
  std::string name() const {
    return detail::text_of(
        [this](char* b, std::int64_t n, std::int64_t* needed) { return haft_node_get_name(get(), b, n, needed); });
  }
  /// How many inputs the call had.
  std::int64_t next_count() const {
    std::int64_t n = 0;
    check(haft_node_get_next_count(get(), &n));
    return n;
  }
  /// What made an input; empty: it requires no gradient.
  Node next(std::int64_t index) const {
    haft_node* n = nullptr;
    check(haft_node_next(get(), index, &n, nullptr));
    return Node(n);
  }
  /// Which result of next(index) the input was.
  std::int64_t next_output(std::int64_t index) const {
    haft_node* n = nullptr;
    std::int64_t output = 0;
    check(haft_node_next(get(), index, &n, &output));
    haft_node_release(n);
    return output;
  }
  /// The leaf that an AccumulateGrad node stands for; empty: another node, or the leaf is gone.
  Tensor variable() const {
    haft_tensor* t = nullptr;
    check(haft_node_variable(get(), &t));
    return Tensor(t);
  }
  friend bool operator==(const Node& a, const Node& b) { return a && b ? a.id() == b.id() : !a == !b; }
  friend bool operator!=(const Node& a, const Node& b) { return !(a == b); }
};

/// The node that made t; empty: t is a leaf, or nothing was recorded.
inline Node grad_fn(const Tensor& t) {
  haft_node* n = nullptr;
  check(haft_tensor_grad_fn(t.get(), &n));
  return Node(n);
}

/// The whole graph behind t: HAFT_GRAPH_TEXT, HAFT_GRAPH_DOT or HAFT_GRAPH_JSON.
inline std::string graph_to_text(const Tensor& t, std::int32_t format = HAFT_GRAPH_TEXT) {
  return detail::text_of([&](char* b, std::int64_t n, std::int64_t* needed) {
    return haft_autograd_graph_to_text(t.get(), format, b, n, needed);
  });
}

/// A function of tensors; a module is one, too.
using TensorsFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

namespace detail {
// A TensorsFunction behind a haft_tensors_function; what it throws comes out of the call as it was.
struct FunctionCall {
  const TensorsFunction& fn;
  Carried carried;

  static void run(const TensorsFunction& fn, haft_tensor* const* in, std::int64_t n, haft_tensor** outputs,
                  std::int64_t* count) {
    std::vector<Tensor> results = fn(borrow(in, n));
    if (results.size() > HAFT_MAX_FUNCTION_OUTPUTS)
      haft::check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT,
                                 "a function answers at most HAFT_MAX_FUNCTION_OUTPUTS tensors", 0));
    for (Tensor& t : results) outputs[(*count)++] = t.release();
  }
  static haft_status call(haft_tensor* const* in, std::int64_t n, haft_tensor** outputs, std::int64_t* count,
                          void* user) {
    auto* c = static_cast<FunctionCall*>(user);
    return c->carried.run([&] { run(c->fn, in, n, outputs, count); });
  }
};
inline std::int64_t count_of(const std::vector<haft_tensor*>& ts) { return static_cast<std::int64_t>(ts.size()); }
inline haft_tensor* const* data_or_null(const std::vector<haft_tensor*>& ts) {
  return ts.empty() ? nullptr : ts.data();
}
}  // namespace detail

/// What vjp, jvp and hvp answer: the function's outputs, and the products.
struct Products {
  std::vector<Tensor> outputs, products;
};

/// The outputs of fn, and the product of vectors (one for each output; none: 1) with its Jacobian, a tensor for each
/// input. flags: HAFT_BACKWARD_CREATE_GRAPH, HAFT_TRANSFORM_STRICT.
inline Products vjp(const TensorsFunction& fn, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& vectors = {}, std::int32_t flags = 0) {
  detail::FunctionCall call{fn, {}};
  auto in = detail::handles(inputs), v = detail::handles(vectors);
  std::vector<haft_tensor*> outputs(HAFT_MAX_FUNCTION_OUTPUTS), products(in.size());
  std::int64_t count = 0;
  call.carried.check(haft_autograd_vjp(detail::FunctionCall::call, &call, in.data(), detail::count_of(in),
                                       detail::data_or_null(v), detail::count_of(v), flags, outputs.data(),
                                       HAFT_MAX_FUNCTION_OUTPUTS, &count, products.data()));
  Products all;
  all.outputs = detail::adopt(outputs.data(), count);
  all.products = detail::adopt(products.data(), detail::count_of(products));
  return all;
}
/// The outputs of fn, and the product of its Jacobian with vectors (one for each input; none: 1), a tensor for each
/// output.
inline Products jvp(const TensorsFunction& fn, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& vectors = {}, std::int32_t flags = 0) {
  detail::FunctionCall call{fn, {}};
  auto in = detail::handles(inputs), v = detail::handles(vectors);
  std::vector<haft_tensor*> outputs(HAFT_MAX_FUNCTION_OUTPUTS), products(HAFT_MAX_FUNCTION_OUTPUTS);
  std::int64_t count = 0;
  call.carried.check(haft_autograd_jvp(detail::FunctionCall::call, &call, in.data(), detail::count_of(in),
                                       detail::data_or_null(v), detail::count_of(v), flags, outputs.data(),
                                       HAFT_MAX_FUNCTION_OUTPUTS, &count, products.data()));
  Products all;
  all.outputs = detail::adopt(outputs.data(), count);
  all.products = detail::adopt(products.data(), count);
  return all;
}
/// The Jacobian of fn: for each output and each input, in this order, a tensor of both shapes, one after the other.
/// chunk_size: how many rows a walk of the graph makes; 0: as many as memory allows.
inline std::vector<Tensor> jacobian(const TensorsFunction& fn, const std::vector<Tensor>& inputs,
                                    std::int32_t flags = 0, std::int64_t chunk_size = 0) {
  detail::FunctionCall call{fn, {}};
  auto in = detail::handles(inputs);
  std::vector<haft_tensor*> out(HAFT_MAX_FUNCTION_OUTPUTS * (in.empty() ? 1 : in.size()));
  std::int64_t count = 0;
  call.carried.check(haft_autograd_jacobian_by_chunks(detail::FunctionCall::call, &call, in.data(),
                                                      detail::count_of(in), flags, chunk_size, out.data(),
                                                      detail::count_of(out), &count));
  return detail::adopt(out.data(), count);
}
/// Whether t stands for the examples of a vmap that runs: it has the sizes of one, and no values to read.
inline bool is_batched(const Tensor& t) {
  std::int32_t out = 0;
  check(haft_tensor_is_batched(t.get(), &out));
  return out != 0;
}
/// What haft_vmap_options holds, with its defaults.
struct VmapOptions {
  std::vector<std::int64_t> in_dims;   ///< of each input, HAFT_NONE: the same for all examples; empty: 0
  std::vector<std::int64_t> out_dims;  ///< one for all outputs or one for each, HAFT_NONE: answered once; empty: 0
  std::int32_t randomness = HAFT_RANDOM_ERROR;
  std::int64_t chunk_size = 0;  ///< examples at a time; 0: all
  bool warn = false;            ///< tell the log of operators that are called for one example after the other
};
/// The results of fn, a function of one example, for many: it is called once, with tensors of an example's sizes.
inline std::vector<Tensor> vmap(const TensorsFunction& fn, const std::vector<Tensor>& inputs,
                                const VmapOptions& options = {}) {
  detail::FunctionCall call{fn, {}};
  auto in = detail::handles(inputs);
  if (!options.in_dims.empty() && options.in_dims.size() != in.size())
    check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "vmap: in_dims has not one number for each input", 0));
  haft_vmap_options o = HAFT_VMAP_OPTIONS_INIT;
  o.randomness = options.randomness;
  o.in_dims = options.in_dims.empty() ? nullptr : options.in_dims.data();
  o.out_dims = options.out_dims.empty() ? nullptr : options.out_dims.data();
  o.out_dim_count = static_cast<std::int64_t>(options.out_dims.size());
  o.chunk_size = options.chunk_size;
  o.warn = options.warn;
  std::vector<haft_tensor*> out(HAFT_MAX_FUNCTION_OUTPUTS);
  std::int64_t count = 0;
  call.carried.check(haft_autograd_vmap(detail::FunctionCall::call, &call, in.data(), detail::count_of(in), &o,
                                        out.data(), detail::count_of(out), &count));
  return detail::adopt(out.data(), count);
}
/// The Hessian of a function with one output of one element: for each pair of inputs, row by row, a tensor of both
/// shapes.
inline std::vector<Tensor> hessian(const TensorsFunction& fn, const std::vector<Tensor>& inputs,
                                   std::int32_t flags = 0) {
  detail::FunctionCall call{fn, {}};
  auto in = detail::handles(inputs);
  std::vector<haft_tensor*> out(in.empty() ? 1 : in.size() * in.size());
  call.carried.check(
      haft_autograd_hessian(detail::FunctionCall::call, &call, in.data(), detail::count_of(in), flags, out.data()));
  return detail::adopt(out.data(), detail::count_of(out));
}
/// The output of a function with one output of one element, and the product of its Hessian with vectors (one for each
/// input; none: 1), a tensor for each input. It is symmetric: the product from the other side is the same.
inline Products hvp(const TensorsFunction& fn, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& vectors = {}, std::int32_t flags = 0) {
  detail::FunctionCall call{fn, {}};
  auto in = detail::handles(inputs), v = detail::handles(vectors);
  std::vector<haft_tensor*> products(in.empty() ? 1 : in.size());
  haft_tensor* output = nullptr;
  call.carried.check(haft_autograd_hvp(detail::FunctionCall::call, &call, in.data(), detail::count_of(in),
                                       detail::data_or_null(v), detail::count_of(v), flags, &output, products.data()));
  Products all;
  all.outputs.emplace_back(output);
  all.products = detail::adopt(products.data(), detail::count_of(products));
  return all;
}

/// fn(inputs), of which only the inputs are kept: it runs once more when a backward reads what it would have kept
/// (torch.utils.checkpoint). preserve_random: that run draws the numbers of the first.
inline std::vector<Tensor> checkpoint(TensorsFunction fn, const std::vector<Tensor>& inputs,
                                      bool preserve_random = true) {
  auto own = std::make_unique<TensorsFunction>(std::move(fn));
  auto in = detail::handles(inputs);
  std::vector<haft_tensor*> outputs(HAFT_MAX_FUNCTION_OUTPUTS);
  std::int64_t count = 0;
  check(haft_autograd_checkpoint(
      [](haft_tensor* const* x, std::int64_t n, haft_tensor** y, std::int64_t* m, void* user) -> haft_status {
        return detail::guarded([&] { detail::FunctionCall::run(*static_cast<TensorsFunction*>(user), x, n, y, m); });
      },
      own.get(), detail::destroy<TensorsFunction>, preserve_random, in.data(), detail::count_of(in), outputs.data(),
      HAFT_MAX_FUNCTION_OUTPUTS, &count));
  own.release();
  return detail::adopt(outputs.data(), count);
}

/// Compares gradients (order 2: theirs, too) with differences in float64; throws where they differ.
inline void gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& fn, const std::vector<Tensor>& inputs,
                      std::int32_t order = 1) {
  detail::Carried carried;
  struct Call {
    const std::function<Tensor(const std::vector<Tensor>&)>& fn;
    detail::Carried& carried;
  } call{fn, carried};
  auto in = detail::handles(inputs);
  carried.check(haft_autograd_gradcheck(
      [](haft_tensor* const* x, std::int64_t n, haft_tensor** y, void* user) -> haft_status {
        auto* c = static_cast<Call*>(user);
        return c->carried.run([&] { *y = c->fn(detail::borrow(x, n)).release(); });
      },
      &call, in.data(), static_cast<std::int64_t>(in.size()), order));
}

}  // namespace haft
#endif
