// Values between tensors and the host program. These wait for the tensor's device, but for what says otherwise.
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
// x on another device, dense; not recorded. With non_blocking, copies from pinned memory and to the host (into
// pinned memory then) may happen after the return, in the order of the device's current stream: who reads a result
// on the host waits for the stream or an event. Both sides are held until then.
Tensor copy_to_device(const Tensor& x, Device d, bool non_blocking = false);
// A dense copy of x, on the host, in memory that d's device type reaches by itself (d: any device of the type);
// x itself when it is pinned. Where the type has no such memory it is an ordinary copy.
Tensor pin_memory(const Tensor& x, Device d);
bool is_pinned(const Tensor& x);
// core/backend/commit.h, of the memory that a tensor fills; a view of a part of it is refused.
void decommit(const Tensor& x);
void commit(const Tensor& x);

}  // namespace haft
