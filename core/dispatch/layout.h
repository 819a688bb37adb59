// Blocked tensors and their strided twins. Convolution answers in the library's layout; an operator that
// cannot take it reads the tensor's twin: a strided TensorImpl made once, on demand. The twin is preferred by
// everyone as soon as somebody has written into it, or has its address and may.
#pragma once
#include "core/schema/op_id.h"
#include "core/tensor/batched.h"

namespace haft {

// Said by a shape rule in place of an output's layout: as the first input lies, blocked or in its order of
// dimensions.
constexpr uint8_t kLayoutOfInput = 255;
// Or dense with dimensions 1 and 2 in each other's place: (N, L, H, E) that is (N, H, L, E) in memory.
constexpr uint8_t kLayoutTurned = 254;

// In which layout the tensors' device would best write the first output of `op`, of these sizes.
uint8_t preferred_layout(OpId op, Device device, DType dtype, IntList sizes);

// The TensorImpl whose memory to use. `blocked_ok`: the operator takes blocked layouts.
TensorImpl& resolve_blocked(TensorImpl& t, bool blocked_ok);

inline TensorImpl& resolve(TensorImpl& t, bool blocked_ok) {
  if (t.view.layout == HAFT_LAYOUT_STRIDED) [[likely]]
    return t;
  return resolve_blocked(t, blocked_ok);
}

// The TensorImpl whose memory to write: the twin once there is one, so that both never hold different values.
inline TensorImpl& resolve_written(TensorImpl& t, bool blocked_ok) {
  if (TensorImpl* twin = t.twin.load(std::memory_order_acquire)) return *twin;
  return resolve(t, blocked_ok);
}

// Sizes and strides of memory on the tensor's device; of a batched tensor those of an example.
inline const haft_tensor_view& strided_view(const Tensor& t) {
  return (is_batched(t) ? *t.impl() : resolve(*t.impl(), false)).view;
}

}  // namespace haft
