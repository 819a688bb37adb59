// New memory for a tensor that keeps its identity: what moves a module to another device or dtype under an
// optimizer, and PyTorch's t.data = value.
#pragma once
#include "core/tensor/tensor.h"

namespace haft::nn {

// t takes the memory, shape, strides, dtype and device that value has, and shares them with it; handles,
// leaves, hooks and optimizers go on holding the same t. Its accumulated gradient follows to the new dtype
// and device, and is dropped when the shape changes. A view stops being one, and views of the old memory are
// no longer views of t. Graphs that kept t refuse it as they refuse a written tensor. The result of an
// operator keeps its history and can take only what has its shape, dtype and device.
void set_data(const Tensor& t, const Tensor& value);

}  // namespace haft::nn
