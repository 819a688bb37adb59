// What compression.cpp does on the CPU by kernels of their own, for gradients on devices: in operators, so that every
// device has it, the same on all ranks, and nobody waits for the device. Messages are those of the CPU
// (compression.cpp says what is in them).
#pragma once
#include <cstdint>

#include "core/tensor/tensor.h"

namespace haft::parallel {

// Elements of another type in flat memory, from a byte of it on.
Tensor in_bytes(const Tensor& flat, DType dtype, int64_t at, int64_t count);
// One bool: some x is not finite, or the sum of their sizes is not.
Tensor lacks_numbers(const Tensor& x);

// x is float32 and 1-d, not empty, and finite; where `lacks` says that it was not, the message tells every rank.
// Answers what is left of x.
Tensor send_int8(const Tensor& message, const Tensor& x, const Tensor& lacks);
Tensor send_signs(const Tensor& message, const Tensor& x, const Tensor& lacks);
Tensor send_largest(const Tensor& message, const Tensor& x, const Tensor& lacks, int64_t k);
// The mean of what the ranks' messages, of `size` bytes one behind the other, stand for; into `to`, float32 and 1-d.
void join_int8(const Tensor& to, const Tensor& messages, int64_t size);
void join_signs(const Tensor& to, const Tensor& messages, int64_t size);
void join_largest(const Tensor& to, const Tensor& messages, int64_t size, int64_t k);

}  // namespace haft::parallel
