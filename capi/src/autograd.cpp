#include <haft/autograd.h>

#include "capi/src/boundary.h"
#include "capi/src/lending.h"
#include "core/autograd/engine.h"
#include "core/autograd/function.h"
#include "core/autograd/gradcheck.h"
#include "core/autograd/hooks.h"

using namespace haft;
using namespace haft::capi;

namespace {

constexpr uint32_t kKnownFlags = HAFT_BACKWARD_RETAIN_GRAPH | HAFT_BACKWARD_CREATE_GRAPH | HAFT_GRAD_ALLOW_UNUSED;

BackwardOptions options_from(uint32_t flags, int index) {
  if (flags & ~kKnownFlags) fail_argument(Code::invalid_argument, concat("flags has unknown bits: ", flags), index, "flags");
  return {.retain_graph = bool(flags & HAFT_BACKWARD_RETAIN_GRAPH), .create_graph = bool(flags & HAFT_BACKWARD_CREATE_GRAPH)};
}

std::vector<Tensor> seed_list(const haft_tensor* const* seeds, int64_t count, int index) {
  if (!seeds) return {};
  return optional_list_arg(seeds, count, index, "seeds").vector();
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
    check_callback(fn(lent.data()[0], replaced.data(), data->user), "gradient hook");
    return replaced.get(0);
  };
}

template <class F>
haft_status add_hook_through(const char* function, haft_tensor* t, haft_grad_hook fn, void* user, void (*destroy)(void*), int64_t* id, F&& add) {
  return boundary(function, [&] {
    const Tensor& x = arg(t, 0, "t");
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", 1, "fn");
    check_out(id, 4, "id");
    auto data = std::make_shared<UserData>(user, nullptr);
    *id = int64_t(add(x, wrap_hook(fn, data)));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
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
    if (g.defined()) emit(out, std::move(g));
    else *out = nullptr;
  });
}

haft_status haft_tensor_set_grad(haft_tensor* t, const haft_tensor* grad) noexcept {
  return boundary("haft_tensor_set_grad", [&] { set_gradient(arg(t, 0, "t"), optional_arg(grad, 1, "grad")); });
}

haft_status haft_tensor_retain_grad(haft_tensor* t) noexcept {
  return boundary("haft_tensor_retain_grad", [&] { retain_grad(arg(t, 0, "t")); });
}

haft_status haft_backward(const haft_tensor* output, const haft_tensor* seed, uint32_t flags) noexcept {
  return boundary("haft_backward", [&] {
    Tensor out = arg(output, 0, "output"), s = optional_arg(seed, 1, "seed");  // hooks may release the handles
    backward({&out, 1}, {&s, 1}, options_from(flags, 2));
  });
}

haft_status haft_backward_many(const haft_tensor* const* outputs, const haft_tensor* const* seeds, int64_t count, uint32_t flags) noexcept {
  return boundary("haft_backward_many", [&] {
    ListArg outs = list_arg(outputs, count, 0, "outputs");
    backward(outs, seed_list(seeds, count, 1), options_from(flags, 3));
  });
}

haft_status haft_grad(const haft_tensor* const* outputs, const haft_tensor* const* seeds, int64_t output_count, const haft_tensor* const* inputs,
                      int64_t input_count, uint32_t flags, haft_tensor** grads) noexcept {
  return boundary("haft_grad", [&] {
    check_out(grads, 6, "grads");
    ListArg outs = list_arg(outputs, output_count, 0, "outputs"), ins = list_arg(inputs, input_count, 3, "inputs");
    auto result = grad(outs, ins, seed_list(seeds, output_count, 1), options_from(flags, 5), flags & HAFT_GRAD_ALLOW_UNUSED);
    for (size_t i = 0; i < result.size(); ++i) grads[i] = result[i].defined() ? hand_out(std::move(result[i])) : nullptr;
  });
}

haft_status haft_tensor_add_hook(haft_tensor* t, haft_grad_hook fn, void* user, void (*destroy)(void*), int64_t* id) noexcept {
  return add_hook_through("haft_tensor_add_hook", t, fn, user, destroy, id, [](const Tensor& x, GradHook h) { return add_hook(x, std::move(h)); });
}

haft_status haft_tensor_add_accumulate_hook(haft_tensor* t, haft_grad_hook fn, void* user, void (*destroy)(void*), int64_t* id) noexcept {
  return add_hook_through("haft_tensor_add_accumulate_hook", t, fn, user, destroy, id,
                          [](const Tensor& x, GradHook h) { return add_post_accumulate_hook(x, std::move(h)); });
}

haft_status haft_tensor_remove_hook(haft_tensor* t, int64_t id) noexcept {
  return boundary("haft_tensor_remove_hook", [&] {
    if (!remove_hook(arg(t, 0, "t"), uint64_t(id))) fail_argument(Code::invalid_argument, concat("t has no hook ", id), 1, "id");
  });
}

haft_status haft_set_grad_enabled(int32_t on, int32_t* before) noexcept {
  return boundary("haft_set_grad_enabled", [&] { swap_flag(thread_state().grad_enabled, on, before, 0); });
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
    swap_flag(ts.inference, on, before, 0);
    ts.grad_enabled = !ts.inference;
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

haft_status haft_function_apply(const char* name, haft_function_forward forward, haft_function_backward backward, void* user, void (*destroy)(void*),
                                const haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs, int64_t output_count) noexcept {
  return boundary("haft_function_apply", [&] {
    std::string_view text = to_text(name, 0, "name");
    if (!forward) fail_argument(Code::invalid_argument, "forward is NULL", 1, "forward");
    if (!backward) fail_argument(Code::invalid_argument, "backward is NULL", 2, "backward");
    ListArg ins = list_arg(inputs, input_count, 5, "inputs");
    check_out(outputs, 7, "outputs");
    if (output_count < 1) fail_argument(Code::invalid_argument, concat("output_count must be at least 1, got ", output_count), 8, "output_count");
    auto data = std::make_shared<UserData>(user, destroy);
    auto fn = make_ref<CustomFunction>();
    fn->name = text;
    fn->forward = [=](FunctionContext& c, std::span<const Tensor> in) {
      haft_function_context ctx{&c};
      LentTensors lent(in);
      TakenTensors out{size_t(output_count)};
      check_callback(forward(&ctx, lent.data(), lent.size(), out.data(), output_count, data->user), "forward of the custom function");
      return taken(out, output_count);
    };
    fn->backward = [=](FunctionContext& c, std::span<const Tensor> grads) {
      haft_function_context ctx{&c};
      LentTensors lent(grads);
      TakenTensors out{size_t(input_count)};
      check_callback(backward(&ctx, lent.data(), lent.size(), out.data(), input_count, data->user), "backward of the custom function");
      return taken(out, input_count);
    };
    auto result = apply_function(std::move(fn), ins);
    for (size_t i = 0; i < result.size(); ++i) outputs[i] = hand_out(std::move(result[i]));
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
      fail_argument(Code::index, concat("index ", index, " of ", int64_t(ctx->context->needs.size()), " inputs"), 1, "index");
    *out = ctx->context->needs[size_t(index)];
  });
}

haft_status haft_gradcheck(haft_checked_function fn, void* user, haft_tensor* const* inputs, int64_t count, int32_t order) noexcept {
  return boundary("haft_gradcheck", [&] {
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", 0, "fn");
    if (order != 1 && order != 2) fail_argument(Code::invalid_argument, concat("order must be 1 or 2, got ", order), 4, "order");
    ListArg ins = list_arg(inputs, count, 2, "inputs");
    CheckedFunction checked = [&](std::span<const Tensor> in) {
      LentTensors lent(in);
      TakenTensors out(1);
      check_callback(fn(lent.data(), lent.size(), out.data(), user), "the checked function");
      if (!out.data()[0]) fail(Code::callback, "the checked function left its output empty");
      return taken(out, 1);
    };
    gradcheck(checked, ins);
    if (order == 2) gradgradcheck(checked, ins);
  });
}

}  // extern "C"
