// Handles of agents and futures, for those who take or give one.
#pragma once
#include <haft/rpc.h>

#include "capi/src/store_handle.h"
#include "core/rpc/agent.h"

namespace haft::capi {

struct RpcObject final : HandleObject {
  Ref<rpc::Agent> value;
  explicit RpcObject(Ref<rpc::Agent> a) : value(std::move(a)) {}
  ~RpcObject() {
    value->close();
    if (value->is_foreign()) value.leak();  // its locks may be those of threads that stayed in the parent
  }
};

struct FutureObject final : HandleObject {
  Ref<rpc::Future> value;
  explicit FutureObject(Ref<rpc::Future> f) : value(std::move(f)) {}
  ~FutureObject() {
    if (value->is_foreign()) value.leak();  // its locks may be those of threads that stayed in the parent
  }
};
inline haft_future* hand_out_future(Ref<rpc::Future> f) {
  return hand_out_object<haft_future>(HandleType::future, make_ref<FutureObject>(std::move(f)));
}

// Kept for the time of a call: another thread may release the handle.
inline Ref<rpc::Agent> agent_of(const haft_rpc* h, int index = 0) {
  return object_of<RpcObject>(h, HandleType::rpc, index, "rpc").value;
}

// HAFT_NONE is no limit.
dist::Deadline deadline_of(int64_t timeout_us, int index);
int64_t ns_of(int64_t timeout_us, int index);  // 0 or more
std::string_view bytes_of(const void* data, int64_t size, int index);

}  // namespace haft::capi
