// Steps that look at whole parameters: norms, products of matrices.
#pragma once
#include <span>

#include "core/optim/optimizer.h"

namespace haft {

// Whether such an optimizer takes this parameter; fails where it does not.
void check_whole(const OptimizerKind& kind, const Tensor& parameter, int64_t number);
// One step of LAMB or Muon; slots of `state` that there are not yet are made. The step itself is the caller's to count.
void step_whole(const OptimizerKind& kind, std::span<const double> options, const Tensor& parameter, const Tensor& gradient, ParameterState& state);

}  // namespace haft
