// Handles of process groups and their works, for those who take or give one.
#pragma once
#include <haft/process_group.h>

#include "capi/src/boundary.h"
#include "core/dist/group.h"

namespace haft::capi {

struct GroupObject final : HandleObject {
  Ref<dist::Group> value;
  explicit GroupObject(Ref<dist::Group> g) : value(std::move(g)) {}
  ~GroupObject() {
    value->close();
    if (value->is_foreign()) value.leak();  // its locks may be those of threads that stayed in the parent
  }
};

struct WorkObject final : HandleObject {
  Ref<dist::Work> value;
  explicit WorkObject(Ref<dist::Work> w) : value(std::move(w)) {}
  ~WorkObject() {
    if (value->group().is_foreign()) value.leak();
  }
};

// Kept for the time of a call: another thread may release the handle.
inline Ref<dist::Group> group_of(const haft_process_group* g, int index = 0, const char* name = "g") {
  return object_of<GroupObject>(g, HandleType::process_group, index, name).value;
}
inline Ref<dist::Work> work_of(const haft_work* w) {
  return object_of<WorkObject>(w, HandleType::work, 0, "w").value;
}

inline haft_process_group* hand_out_group(Ref<dist::Group> g) {
  return hand_out_object<haft_process_group>(HandleType::process_group, make_ref<GroupObject>(std::move(g)));
}
inline haft_work* hand_out_work(const Ref<dist::Work>& w) {
  return hand_out_object<haft_work>(HandleType::work, make_ref<WorkObject>(w));
}

// HAFT_REDUCE_OP_*
inline dist::ReduceOp to_reduce(int32_t op, int index) {
  if (op < 0 || op >= dist::kReduceOps)
    fail_argument(Code::invalid_argument, concat("op must be one of HAFT_REDUCE_OP_*, got ", op), index,
                  "op");
  return dist::ReduceOp(op);
}

}  // namespace haft::capi
