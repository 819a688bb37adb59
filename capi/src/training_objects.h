// What the handles of training hold; checkpoints need all of them together.
#pragma once
#include "capi/src/boundary.h"
#include "core/data/loader.h"
#include "core/optim/scheduler.h"

namespace haft::capi {

struct OptimizerObject final : HandleObject {
  Ref<Optimizer> value;
};

struct SchedulerObject final : HandleObject {
  Ref<Scheduler> value;
  Ref<OptimizerObject> optimizer;  // a step changes it too
};

struct LoaderObject final : HandleObject {
  Ref<DataLoader> value;
};

}  // namespace haft::capi
