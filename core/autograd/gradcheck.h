// Gradients against central differences in float64.
#pragma once
#include <functional>

#include "core/autograd/engine.h"

namespace haft {

using CheckedFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

struct GradcheckOptions {
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3;
};

// Fails with Code::autograd naming the first entry of the Jacobian that differs. Inputs that require a
// gradient must be float64 leaves; their values are written and restored.
void gradcheck(const CheckedFunction& fn, std::span<const Tensor> inputs,
               const GradcheckOptions& options = {});
// The same for the gradients themselves, with random seeds: second derivatives.
void gradgradcheck(const CheckedFunction& fn, std::span<const Tensor> inputs,
                   const GradcheckOptions& options = {});

}  // namespace haft
