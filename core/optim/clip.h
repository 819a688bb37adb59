// Limits on gradients, applied in place between backward and the step.
#pragma once
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace haft {

// Scales all gradients together so that their norm is at most max_norm; answers the norm before, on the first
// gradient's device, without waiting for it. Parameters without a gradient do not count. norm_type may be infinity.
Tensor clip_grad_norm(std::span<const Tensor> parameters, double max_norm, double norm_type = 2);
// Its parts. Fails where the numbers are none to limit by.
void check_clip(double max_norm, double norm_type);
// Of one or more, (n), on the first one's device.
Tensor norms_of(std::span<const Tensor> gradients, double norm_type);
// Gradients that together have this norm made as small as said.
void scale_to_norm(std::span<const Tensor> gradients, const Tensor& norm, double max_norm);
// Fails where a gradient is not the parameter's any more, for it is kept in parts by somebody who limits it himself.
void check_gradients_here(const char* what, std::span<const Tensor> parameters);
// Of those that have one; of a gradient of rows its numbers, each row once.
std::vector<Tensor> gradients_of(std::span<const Tensor> parameters);
// Limits every element to [-limit, limit].
void clip_grad_value(std::span<const Tensor> parameters, double limit);

}  // namespace haft
