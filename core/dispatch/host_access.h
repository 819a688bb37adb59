// Values between tensors and the host program. All of these wait for the tensor's device.
#pragma once
#include "core/schema/attrs.h"
#include "core/tensor/tensor.h"

namespace haft {

// The single element of x; fails with Code::shape when there is not exactly one.
Scalar item(const Tensor& x);
// numel elements of x in row-major order into dst (numel * item_size bytes).
void copy_to_host(const Tensor& x, void* dst);
// Row-major elements from host memory into x (any strides); raises x's version.
void copy_from_host(const Tensor& x, const void* src);
// x on another device, dense; not recorded.
Tensor copy_to_device(const Tensor& x, Device d, bool non_blocking = false);

}  // namespace haft
