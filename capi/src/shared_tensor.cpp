// Tensors in shared memory over core/rpc.
#include <haft/shared_memory.h>

#include "capi/src/boundary.h"
#include "core/rpc/shared_tensor.h"

using namespace haft;
using namespace haft::capi;

extern "C" {

haft_status haft_tensor_share_memory(haft_tensor* t) noexcept {
  return boundary("haft_tensor_share_memory", [&] { rpc::share_memory(arg(t, 0, "t")); });
}
haft_status haft_tensor_is_shared(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_shared", [&] {
    check_out(out, 1, "out");
    *out = rpc::is_shared(arg(t, 0, "t"));
  });
}
haft_status haft_tensor_get_shared_name(const haft_tensor* t, char* buffer, int64_t capacity,
                                        int64_t* needed) noexcept {
  return boundary("haft_tensor_get_shared_name",
                  [&] { emit_text(rpc::shared_name(arg(t, 0, "t")), buffer, capacity, needed); });
}
haft_status haft_tensor_from_shared(const char* name, haft_tensor** out) noexcept {
  return boundary("haft_tensor_from_shared", [&] {
    check_out(out, 1, "out");
    emit(out, rpc::open_shared(to_text(name, 0, "name")));
  });
}

}  // extern "C"
