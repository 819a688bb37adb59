#include "core/nn/padding.h"

#include "core/ops/functions.h"

namespace haft::nn {

const char* padding_mode_name(PaddingMode mode) {
  constexpr const char* names[] = {"zeros", "reflect", "replicate", "circular"};
  return names[int(mode)];
}

Tensor pad_edges(const Tensor& x, Pair padding, PaddingMode mode) {
  if (x.ndim() < 2)
    fail(Code::shape, concat("padding with ", padding_mode_name(mode), " wants x of shape (..., H, W), got ", x.sizes()), {},
         "x");
  return ops::pad(x, Shape{padding[1], padding[1], padding[0], padding[0]}, int64_t(mode));
}

}  // namespace haft::nn
