#include <haft/autograd.h>

#include "capi/src/boundary.h"
#include "capi/src/lending.h"
#include "core/autograd/engine.h"
#include "core/autograd/function.h"
#include "core/autograd/gradcheck.h"
#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/io/graph_text.h"
#include "core/tape/saved_hooks.h"

using namespace haft;
using namespace haft::capi;

namespace {

// grad_enabled as it will be when this thread's inference mode ends.
thread_local bool grad_outside = true;

constexpr int32_t kBackwardFlags = HAFT_BACKWARD_RETAIN_GRAPH | HAFT_BACKWARD_CREATE_GRAPH;

BackwardOptions options_from(int32_t flags, int32_t known, int index) {
  if (flags & ~known)
    fail_argument(Code::invalid_argument, concat("flags has unknown bits: ", flags), index, "flags");
  return {.retain_graph = bool(flags & HAFT_BACKWARD_RETAIN_GRAPH),
          .create_graph = bool(flags & HAFT_BACKWARD_CREATE_GRAPH)};
}

std::vector<Tensor> seed_list(haft_tensor* const* seeds, int64_t count, int index) {
  if (!seeds) return {};
  return optional_list_arg(seeds, count, index, "seeds").vector();
}

RowGradient rows_arg(const haft_tensor* t) {
  const Tensor& x = arg(t, 0, "t");
  if (!is_rows(x))
    fail_argument(Code::invalid_argument, concat("t of shape ", x.sizes(), " is no gradient of rows"), 0, "t",
                  "haft_tensor_is_sparse tells them");
  return rows_of(x);
}

void swap_flag(bool& flag, int32_t on, int32_t* before, int index) {
  bool value = to_bool(on, index, "on");
  if (before) *before = flag;
  flag = value;
}

std::vector<Tensor> taken(const TakenTensors& out, int64_t count) {
  std::vector<Tensor> ts;
  for (int64_t i = 0; i < count; ++i) ts.push_back(out.get(size_t(i)));
  return ts;
}

GradHook wrap_hook(haft_grad_hook fn, std::shared_ptr<UserData> data) {
  return [fn, data](const Tensor& g) -> Tensor {
    LentTensors lent({&g, 1});
    TakenTensors replaced(1);
    call_back("gradient hook", [&] { return fn(lent.data()[0], replaced.data(), data->user); });
    return replaced.get(0);
  };
}

template <class F>
haft_status add_hook_through(const char* function, haft_tensor* t, haft_grad_hook fn, void* user,
                             void (*destroy)(void*), int64_t* id, F&& add) {
  return boundary(function, [&] {
    const Tensor& x = arg(t, 0, "t");
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", 1, "fn");
    check_out(id, 4, "id");
    auto data = std::make_shared<UserData>(user, nullptr);
    *id = int64_t(add(x, wrap_hook(fn, data)));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
}

// What a pack hook gave for one tensor.
struct PackedValue {
  std::shared_ptr<UserData> data;  // after the value: it goes last
  void* packed = nullptr;
  void (*release)(void*, void*) = nullptr;
  explicit PackedValue(std::shared_ptr<UserData> d) : data(std::move(d)) {}
  PackedValue(const PackedValue&) = delete;
  ~PackedValue() {
    if (release) release(packed, data->user);
  }
};

Node& node_arg(const haft_node* n) {
  return *static_cast<Node*>(slot_of(n, HandleType::node, 0, "n").object);
}
haft_node* hand_out_node(Ref<Node> n) {
  auto* h = static_cast<haft_node*>(new_handle(HandleType::node, n.get()));
  n.leak();
  return h;
}

}  // namespace

// The C face of a FunctionContext.
struct haft_function_context {
  FunctionContext* context;
};

extern "C" {

haft_status haft_tensor_set_requires_grad(haft_tensor* t, int32_t on) noexcept {
  return boundary("haft_tensor_set_requires_grad", [&] {
    Tensor x = arg(t, 0, "t");
    set_requires_grad(x, to_bool(on, 1, "on"));
  });
}

haft_status haft_tensor_requires_grad(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_requires_grad", [&] {
    check_out(out, 1, "out");
    *out = arg(t, 0, "t").requires_grad();
  });
}

haft_status haft_tensor_is_leaf(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_leaf", [&] {
    check_out(out, 1, "out");
    *out = is_leaf(arg(t, 0, "t"));
  });
}

haft_status haft_tensor_grad(const haft_tensor* t, haft_tensor** out) noexcept {
  return boundary("haft_tensor_grad", [&] {
    check_out(out, 1, "out");
    Tensor g = gradient_of(arg(t, 0, "t"));
    if (g.defined())
      emit(out, std::move(g));
    else
      *out = nullptr;
  });
}

haft_status haft_tensor_is_sparse(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_sparse", [&] {
    check_out(out, 1, "out");
    *out = is_rows(arg(t, 0, "t"));
  });
}

haft_status haft_tensor_from_rows(const haft_tensor* indices, const haft_tensor* values, int64_t rows,
                                  haft_tensor** out) noexcept {
  return boundary("haft_tensor_from_rows", [&] {
    check_out(out, 3, "out");
    emit(out, rows_from(arg(indices, 0, "indices"), arg(values, 1, "values"), rows));
  });
}

haft_status haft_tensor_sparse_indices(const haft_tensor* t, haft_tensor** out) noexcept {
  return boundary("haft_tensor_sparse_indices", [&] {
    check_out(out, 1, "out");
    emit(out, shallow_copy(*rows_arg(t).indices.impl()));
  });
}

haft_status haft_tensor_sparse_values(const haft_tensor* t, haft_tensor** out) noexcept {
  return boundary("haft_tensor_sparse_values", [&] {
    check_out(out, 1, "out");
    emit(out, shallow_copy(*rows_arg(t).values.impl()));
  });
}

haft_status haft_tensor_is_coalesced(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_coalesced", [&] {
    check_out(out, 1, "out");
    *out = rows_arg(t).coalesced;
  });
}

haft_status haft_tensor_coalesce(const haft_tensor* t, haft_tensor** out) noexcept {
  return boundary("haft_tensor_coalesce", [&] {
    check_out(out, 1, "out");
    rows_arg(t);
    const Tensor& x = arg(t, 0, "t");
    emit(out, make_rows(coalesce(x), x.sizes()));
  });
}

haft_status haft_tensor_to_dense(const haft_tensor* t, haft_tensor** out) noexcept {
  return boundary("haft_tensor_to_dense", [&] {
    check_out(out, 1, "out");
    emit(out, to_dense(arg(t, 0, "t")));
  });
}

haft_status haft_tensor_set_grad(haft_tensor* t, const haft_tensor* grad) noexcept {
  return boundary("haft_tensor_set_grad",
                  [&] { set_gradient(arg(t, 0, "t"), optional_arg(grad, 1, "grad")); });
}

haft_status haft_tensor_retain_grad(haft_tensor* t) noexcept {
  return boundary("haft_tensor_retain_grad", [&] { retain_grad(arg(t, 0, "t")); });
}

haft_status haft_tensor_backward(const haft_tensor* output, const haft_tensor* seed, int32_t flags) noexcept {
  return boundary("haft_tensor_backward", [&] {
    Tensor out = arg(output, 0, "output"),
           s = optional_arg(seed, 1, "seed");  // hooks may release the handles
    backward({&out, 1}, {&s, 1}, options_from(flags, kBackwardFlags, 2));
  });
}

haft_status haft_autograd_backward(haft_tensor* const* outputs, haft_tensor* const* seeds, int64_t count,
                                   int32_t flags) noexcept {
  return boundary("haft_autograd_backward", [&] {
    ListArg outs = list_arg(outputs, count, 0, "outputs");
    backward(outs, seed_list(seeds, count, 1), options_from(flags, kBackwardFlags, 3));
  });
}

haft_status haft_autograd_backward_inputs(haft_tensor* const* outputs, haft_tensor* const* seeds,
                                          int64_t output_count, haft_tensor* const* inputs,
                                          int64_t input_count, int32_t flags) noexcept {
  return boundary("haft_autograd_backward_inputs", [&] {
    ListArg outs = list_arg(outputs, output_count, 0, "outputs"),
            ins = list_arg(inputs, input_count, 3, "inputs");
    backward_inputs(outs, ins, seed_list(seeds, output_count, 1), options_from(flags, kBackwardFlags, 5));
  });
}

haft_status haft_autograd_grad(haft_tensor* const* outputs, haft_tensor* const* seeds, int64_t output_count,
                               haft_tensor* const* inputs, int64_t input_count, int32_t flags,
                               haft_tensor** grads) noexcept {
  return boundary("haft_autograd_grad", [&] {
    check_out(grads, 6, "grads");
    ListArg outs = list_arg(outputs, output_count, 0, "outputs"),
            ins = list_arg(inputs, input_count, 3, "inputs");
    emit_all(grads, grad(outs, ins, seed_list(seeds, output_count, 1),
                         options_from(flags, kBackwardFlags | HAFT_GRAD_ALLOW_UNUSED, 5),
                         flags & HAFT_GRAD_ALLOW_UNUSED));
  });
}

haft_status haft_tensor_add_hook(haft_tensor* t, haft_grad_hook fn, void* user, void (*destroy)(void*),
                                 int64_t* id) noexcept {
  return add_hook_through("haft_tensor_add_hook", t, fn, user, destroy, id,
                          [](const Tensor& x, GradHook h) { return add_hook(x, std::move(h)); });
}

haft_status haft_tensor_add_accumulate_hook(haft_tensor* t, haft_grad_hook fn, void* user,
                                            void (*destroy)(void*), int64_t* id) noexcept {
  return add_hook_through(
      "haft_tensor_add_accumulate_hook", t, fn, user, destroy, id,
      [](const Tensor& x, GradHook h) { return add_post_accumulate_hook(x, std::move(h)); });
}

haft_status haft_tensor_remove_hook(haft_tensor* t, int64_t id) noexcept {
  return boundary("haft_tensor_remove_hook", [&] {
    if (!remove_hook(arg(t, 0, "t"), uint64_t(id)))
      fail_argument(Code::invalid_argument, concat("t has no hook ", id), 1, "id");
  });
}

haft_status haft_autograd_add_callback(haft_backward_callback fn, void* user,
                                       void (*destroy)(void*)) noexcept {
  return boundary("haft_autograd_add_callback", [&] {
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", 0, "fn");
    auto data = std::make_shared<UserData>(user, nullptr);
    at_end_of_backward(
        [fn, data] { call_back("callback at the end of backward", [&] { return fn(data->user); }); });
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
}

haft_status haft_saved_tensor_hooks_push(haft_pack_hook pack, haft_unpack_hook unpack,
                                         void (*release)(void*, void*), void* user,
                                         void (*destroy)(void*)) noexcept {
  return boundary("haft_saved_tensor_hooks_push", [&] {
    if (!pack) fail_argument(Code::invalid_argument, "pack is NULL", 0, "pack");
    if (!unpack) fail_argument(Code::invalid_argument, "unpack is NULL", 1, "unpack");
    auto data = std::make_shared<UserData>(user, nullptr);
    auto hooks = make_ref<SavedTensorHooks>();
    hooks->pack = [pack, release, data](const Tensor& t) {
      LentTensors lent({&t, 1});
      auto value = std::make_shared<PackedValue>(data);
      call_back("pack hook", [&] { return pack(lent.data()[0], &value->packed, data->user); });
      value->release = release;  // what failed has packed nothing
      return std::static_pointer_cast<void>(value);
    };
    hooks->unpack = [unpack, data](const std::shared_ptr<void>& p) {
      TakenTensors t(1);
      void* packed = static_cast<PackedValue*>(p.get())->packed;
      call_back("unpack hook", [&] { return unpack(packed, t.data(), data->user); });
      return t.get(0);
    };
    push_saved_tensor_hooks(std::move(hooks));
    data->destroy = destroy;
  });
}

haft_status haft_saved_tensor_hooks_pop() noexcept {
  return boundary("haft_saved_tensor_hooks_pop", [] { pop_saved_tensor_hooks(); });
}

haft_status haft_set_grad_enabled(int32_t on, int32_t* before) noexcept {
  return boundary("haft_set_grad_enabled", [&] {
    ThreadState& ts = thread_state();
    swap_flag(ts.inference ? grad_outside : ts.grad_enabled, on, before, 0);
  });
}

haft_status haft_is_grad_enabled(int32_t* out) noexcept {
  return boundary("haft_is_grad_enabled", [&] {
    check_out(out, 0, "out");
    *out = thread_state().grad_enabled;
  });
}

haft_status haft_set_inference_mode(int32_t on, int32_t* before) noexcept {
  return boundary("haft_set_inference_mode", [&] {
    ThreadState& ts = thread_state();
    bool was = ts.inference;
    swap_flag(ts.inference, on, before, 0);
    if (ts.inference == was) return;
    if (ts.inference) grad_outside = ts.grad_enabled;
    ts.grad_enabled = !ts.inference && grad_outside;
  });
}

haft_status haft_is_inference_mode(int32_t* out) noexcept {
  return boundary("haft_is_inference_mode", [&] {
    check_out(out, 0, "out");
    *out = thread_state().inference;
  });
}

haft_status haft_set_anomaly_mode(int32_t on, int32_t* before) noexcept {
  return boundary("haft_set_anomaly_mode", [&] {
    uint32_t& modes = thread_state().modes;
    bool flag = modes & kModeAnomaly;
    swap_flag(flag, on, before, 0);
    modes = flag ? modes | kModeAnomaly : modes & ~uint32_t(kModeAnomaly);
  });
}

haft_status haft_function_apply(const char* name, haft_function_forward forward,
                                haft_function_backward backward, void* user, void (*destroy)(void*),
                                haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs,
                                int64_t output_count) noexcept {
  return boundary("haft_function_apply", [&] {
    std::string_view text = to_text(name, 0, "name");
    if (!forward) fail_argument(Code::invalid_argument, "forward is NULL", 1, "forward");
    if (!backward) fail_argument(Code::invalid_argument, "backward is NULL", 2, "backward");
    check_out(outputs, 7, "outputs");
    constexpr int64_t most = 65535;  // what a node of the graph counts to
    if (input_count > most)
      fail_argument(Code::invalid_argument,
                    concat("input_count must be at most ", most, ", got ", input_count), 6, "input_count");
    if (output_count < 1 || output_count > most)
      fail_argument(Code::invalid_argument,
                    concat("output_count must be in [1, ", most, "], got ", output_count), 8, "output_count");
    auto data = std::make_shared<UserData>(user, nullptr);
    ListArg ins = list_arg(inputs, input_count, 5, "inputs");
    auto fn = make_ref<CustomFunction>();
    fn->name = text;
    fn->forward = [=](FunctionContext& c, std::span<const Tensor> in) {
      haft_function_context ctx{&c};
      LentTensors lent(in);
      TakenTensors out{size_t(output_count)};
      call_back("forward of the custom function", [&] {
        return forward(&ctx, lent.data(), lent.size(), out.data(), output_count, data->user);
      });
      return taken(out, output_count);
    };
    fn->backward = [=](FunctionContext& c, std::span<const Tensor> grads) {
      haft_function_context ctx{&c};
      LentTensors lent(grads);
      TakenTensors out{size_t(input_count)};
      call_back("backward of the custom function", [&] {
        return backward(&ctx, lent.data(), lent.size(), out.data(), input_count, data->user);
      });
      return taken(out, input_count);
    };
    emit_all(outputs, apply_function(std::move(fn), ins));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
}

haft_status haft_function_save(haft_function_context* ctx, const haft_tensor* t) noexcept {
  return boundary("haft_function_save", [&] {
    check_out(ctx, 0, "ctx");
    ctx->context->save(arg(t, 1, "t"));
  });
}

haft_status haft_function_saved(haft_function_context* ctx, int64_t index, haft_tensor** out) noexcept {
  return boundary("haft_function_saved", [&] {
    check_out(ctx, 0, "ctx");
    check_out(out, 2, "out");
    emit(out, ctx->context->saved(index));
  });
}

haft_status haft_function_needs_grad(haft_function_context* ctx, int64_t index, int32_t* out) noexcept {
  return boundary("haft_function_needs_grad", [&] {
    check_out(ctx, 0, "ctx");
    check_out(out, 2, "out");
    if (index < 0 || index >= int64_t(ctx->context->needs.size()))
      fail_argument(Code::index,
                    concat("index ", index, " of ", int64_t(ctx->context->needs.size()), " inputs"), 1,
                    "index");
    *out = ctx->context->needs[size_t(index)];
  });
}

haft_status haft_tensor_grad_fn(const haft_tensor* t, haft_node** out) noexcept {
  return boundary("haft_tensor_grad_fn", [&] {
    check_out(out, 1, "out");
    Ref<Node> n = gradient_node(*arg(t, 0, "t").impl());
    *out = n && !n->is_leaf() ? hand_out_node(std::move(n)) : nullptr;
  });
}

haft_status haft_node_retain(haft_node* n) noexcept {
  return boundary("haft_node_retain", [&] { retain_handle(n, HandleType::node); });
}

void haft_node_release(haft_node* n) noexcept { release_handle(n, HandleType::node); }

haft_status haft_node_get_id(const haft_node* n, int64_t* out) noexcept {
  return boundary("haft_node_get_id", [&] {
    check_out(out, 1, "out");
    *out = int64_t(node_arg(n).seq);
  });
}

haft_status haft_node_get_name(const haft_node* n, char* buffer, int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_node_get_name", [&] { emit_text(node_arg(n).name(), buffer, capacity, needed); });
}

haft_status haft_node_get_next_count(const haft_node* n, int64_t* out) noexcept {
  return boundary("haft_node_get_next_count", [&] {
    check_out(out, 1, "out");
    *out = node_arg(n).n_in;
  });
}

haft_status haft_node_next(const haft_node* n, int64_t index, haft_node** next, int64_t* output) noexcept {
  return boundary("haft_node_next", [&] {
    Node& node = node_arg(n);
    check_out(next, 2, "next");
    if (index < 0 || index >= node.n_in)
      fail_argument(Code::index, concat("index ", index, " of ", int(node.n_in), " inputs"), 1, "index");
    const Edge& edge = node.edges[index];
    *next = edge.node ? hand_out_node(edge.node) : nullptr;
    if (output) *output = edge.output;
  });
}

haft_status haft_node_variable(const haft_node* n, haft_tensor** out) noexcept {
  return boundary("haft_node_variable", [&] {
    Node& node = node_arg(n);
    check_out(out, 1, "out");
    Tensor t = node.is_leaf() ? static_cast<LeafNode&>(node).variable() : Tensor();
    if (t)
      emit(out, std::move(t));
    else
      *out = nullptr;
  });
}

haft_status haft_autograd_graph_to_text(const haft_tensor* t, int32_t format, char* buffer, int64_t capacity,
                                        int64_t* needed) noexcept {
  return boundary("haft_autograd_graph_to_text", [&] {
    const Tensor& x = arg(t, 0, "t");
    if (format < HAFT_GRAPH_TEXT || format > HAFT_GRAPH_JSON)
      fail_argument(Code::invalid_argument, concat("format must be one of HAFT_GRAPH_*, got ", format), 1,
                    "format");
    emit_text(graph_text(x, GraphFormat(format)), buffer, capacity, needed);
  });
}

haft_status haft_autograd_gradcheck(haft_checked_function fn, void* user, haft_tensor* const* inputs,
                                    int64_t count, int32_t order) noexcept {
  return boundary("haft_autograd_gradcheck", [&] {
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", 0, "fn");
    if (order != 1 && order != 2)
      fail_argument(Code::invalid_argument, concat("order must be 1 or 2, got ", order), 4, "order");
    ListArg ins = list_arg(inputs, count, 2, "inputs");
    CheckedFunction checked = [&](std::span<const Tensor> in) {
      LentTensors lent(in);
      TakenTensors out(1);
      call_back("the checked function", [&] { return fn(lent.data(), lent.size(), out.data(), user); });
      if (!out.data()[0]) fail(Code::callback, "the checked function left its output empty");
      return taken(out, 1);
    };
    gradcheck(checked, ins);
    if (order == 2) gradgradcheck(checked, ins);
  });
}

}  // extern "C"
