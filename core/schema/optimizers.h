// The optimizers of modules.def as numbers, in its order. Ids are of one build.
#pragma once
#include <cstdint>

#include "core/schema/module_text.h"

namespace haft {

enum class OptimizerId : uint8_t {
#define OPTIMIZER(name, ...) name,
#include "core/schema/modules.def"
  count_
};
constexpr int kOptimizerCount = int(OptimizerId::count_);

inline constexpr const char* kOptimizerNames[] = {
#define OPTIMIZER(name, ...) #name,
#include "core/schema/modules.def"
};

inline constexpr StateText kOptimizerStates[] = {
#define OPTIMIZER(name, function, state, ...) parse_state(state),
#include "core/schema/modules.def"
};

}  // namespace haft
