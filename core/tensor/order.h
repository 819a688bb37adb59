// The order of dimensions in memory: dense tensors that are not row-major, as channels-last ones are.
#pragma once
#include "core/tensor/tensor.h"

namespace haft {

// Whether each element has a place of its own and no place is left between them, in whatever order.
bool is_dense(IntList sizes, IntList strides);
// Turns strides and an offset in the memory of a dense tensor into those in its row-major positions. False where
// the window of those sizes steps from the end of a dimension into the next one.
bool to_row_major(IntList whole_sizes, IntList whole_strides, IntList sizes, Shape& strides, int64_t& offset);
// N, H, W, C: of four dimensions.
Shape channels_last_strides(IntList sizes);
bool is_channels_last(IntList sizes, IntList strides);

// Strides of a dense result whose dimensions follow each other in memory as those of the operands do; of two
// dimensions the first operand decides in which they differ, and 0 (a broadcast) says nothing. PyTorch's rule
// for the results of pointwise operators; row-major where no operand objects.
Shape strides_in_order_of(IntList sizes, std::span<const int64_t* const> operands);

// A tensor with undefined content whose strides leave no gaps: its memory is as large as its elements.
Tensor new_tensor_strided(IntList sizes, IntList strides, DType dtype, Device device);
// The same with the sizes and the layout of x, or the order of its dimensions.
Tensor new_tensor_like(const TensorImpl& x, DType dtype);

}  // namespace haft
