// Rules for many examples of products and layers.
#pragma once
#include "core/ops/batching.h"

namespace haft {

BatchRule layer_rule(OpId op);

}  // namespace haft
