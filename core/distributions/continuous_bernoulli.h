#pragma once
#include "core/tensor/tensor.h"

namespace haft {

// log of what exp(logits x), x from 0 to 1, is divided by to have the integral 1.
Tensor continuous_bernoulli_normaliser(const Tensor& logits);

}  // namespace haft
