#include <haft/fused.h>

#include "capi/src/boundary.h"
#include "capi/src/lending.h"
#include "core/autograd/fused_function.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct FusedObject final : HandleObject {
  const Ref<FusedFunction> function;
  explicit FusedObject(Ref<FusedFunction> f) : function(std::move(f)) {}
};

FusedFunction& fused_of(const haft_fused* f) {
  return *object_of<FusedObject>(f, HandleType::fused, 0, "f").function;
}

}  // namespace

extern "C" {

haft_status haft_fused_create(const char* name, haft_tensors_function fn, void* user, void (*destroy)(void*),
                              haft_fused** out) noexcept {
  return boundary("haft_fused_create", [&] {
    check_out(out, 4, "out");
    if (!name) fail_argument(Code::invalid_argument, "name is NULL", 0, "name");
    auto data = std::make_shared<UserData>(user, nullptr);
    auto f = make_ref<FusedFunction>(name, function_arg(fn, data, 1));
    *out = hand_out_object<haft_fused>(HandleType::fused, make_ref<FusedObject>(std::move(f)));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
}

haft_status haft_fused_retain(haft_fused* f) noexcept {
  return boundary("haft_fused_retain", [&] {
    fused_of(f);
    retain_handle(f, HandleType::fused);
  });
}

void haft_fused_release(haft_fused* f) noexcept { release_handle(f, HandleType::fused); }

haft_status haft_fused_call(haft_fused* f, haft_tensor* const* inputs, int64_t input_count,
                            haft_tensor** outputs, int64_t capacity, int64_t* output_count) noexcept {
  return boundary("haft_fused_call", [&] {
    check_out(outputs, 3, "outputs");
    check_list_out(outputs, capacity, output_count, 3, "outputs");
    const Ref<FusedFunction> function = Ref<FusedFunction>::share(&fused_of(f));
    const ListArg ins = list_arg(inputs, input_count, 1, "inputs");
    emit_list(outputs, capacity, output_count, (*function)(ins));
  });
}

haft_status haft_fused_get_counts(const haft_fused* f, int64_t* traces, int64_t* kernels,
                                  int64_t* unfused) noexcept {
  return boundary("haft_fused_get_counts", [&] {
    const FusedCounts& c = fused_of(f).counts();
    if (traces) *traces = c.traces;
    if (kernels) *kernels = c.kernels;
    if (unfused) *unfused = c.unfused;
  });
}

haft_status haft_fused_get_reason(const haft_fused* f, char* buffer, int64_t capacity,
                                  int64_t* needed) noexcept {
  return boundary("haft_fused_get_reason", [&] {
    FusedCounts& c = fused_of(f).counts();
    std::string reason;
    {
      std::lock_guard lock(c.mutex);
      reason = c.reason;
    }
    emit_text(reason, buffer, capacity, needed);
  });
}

}  // extern "C"
