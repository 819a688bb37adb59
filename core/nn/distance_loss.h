// A loss over a module of the caller's, so that modules.def cannot make it.
#pragma once
#include "core/nn/module.h"

namespace haft::nn {

// reduction: 0 none, 1 mean, 2 sum.
Ref<Module> triplet_margin_with_distance_loss(Ref<Module> distance, double margin, bool swap,
                                              int64_t reduction);

}  // namespace haft::nn
