// New memory for a tensor that keeps its identity: what moves a module to another device or dtype under an
// optimizer.
#pragma once
#include "core/tensor/tensor.h"

namespace haft::nn {

// t becomes value's memory, shape, dtype and device; handles, leaves and optimizers go on holding the same t.
// Its accumulated gradient follows to the new dtype and device, and is dropped when the shape changes. A view
// stops being one. `value` is dense memory of its own, not kept by any graph. Fails with autograd when t is
// the result of an operator.
void set_data(const Tensor& t, const Tensor& value);

}  // namespace haft::nn
