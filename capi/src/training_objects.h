// What the handles of training hold; checkpoints need all of them together.
#pragma once
#include <haft/optim.h>

#include "capi/src/boundary.h"
#include "core/data/loader.h"
#include "core/optim/scheduler.h"

namespace haft::capi {

struct OptimizerObject final : HandleObject {
  Ref<Optimizer> value;
  Ref<HandleObject> group;  // of one that is spread over ranks: a group closes with its last owner
};

struct SchedulerObject final : HandleObject {
  Ref<Scheduler> value;
  Ref<OptimizerObject> optimizer;  // a step changes it too
};

// Kept for the time of a call: a callback may release the handle.
inline Ref<OptimizerObject> optimizer_arg(const haft_optimizer* o, int index, const char* name) {
  return Ref<OptimizerObject>::share(&object_of<OptimizerObject>(o, HandleType::optimizer, index, name));
}

struct LoaderObject final : HandleObject {
  Ref<DataLoader> value;
};

}  // namespace haft::capi
