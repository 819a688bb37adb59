// Batched tensors: what the function of a vmap gets in the place of many examples.
#pragma once
#include "core/tensor/tensor.h"

namespace haft {

// As a view's layout: sizes and strides are one example's, and there is no memory for them alone, so that `resolve`
// refuses them in one place. The examples are the tensor's twin, in dimension 0 of it; or they are all one (`many` is
// false), which has the twin's sizes. The twin may be batched itself, at a lower level. No device ever sees one.
constexpr uint8_t kLayoutBatched = 253;
static_assert(kLayoutBatched >
              HAFT_LAYOUT_ROWS);  // the engine's own, as what shape rules say (dispatch/layout.h)

inline bool is_batched(const TensorImpl& t) { return t.view.layout == kLayoutBatched; }
inline bool is_batched(const Tensor& t) { return t.defined() && is_batched(*t.impl()); }

struct BatchPlace {
  uint64_t level;  // the number of the vmap
  bool many;
};
BatchPlace place_of(const TensorImpl& t);
inline Tensor value_of(const TensorImpl& t) {
  return Tensor(Ref<TensorImpl>::share(t.twin.load(std::memory_order_acquire)));
}
// All examples at once, for what looks at the values of every one of them.
inline Tensor with_all_examples(Tensor t) {
  while (is_batched(t)) t = value_of(*t.impl());
  return t;
}

// Whether t or, of a batched tensor, what stands under it at any level takes part in gradients.
inline bool requires_grad_anywhere(const Tensor& t) {
  return t.requires_grad() || (is_batched(t) && requires_grad_anywhere(value_of(*t.impl())));
}

Tensor batched(const Tensor& value, BatchPlace place);
// A plain tensor that nobody else views turns into one, for all who hold it. `value` has its sizes behind dimension 0.
void become_batched(TensorImpl& t, const Tensor& value, uint64_t level);
// The storage under all levels.
Storage& memory_under(const TensorImpl& t);

// Whether elements lie row by row, whatever the tensor is.
bool is_row_major(const Tensor& t);

}  // namespace haft
