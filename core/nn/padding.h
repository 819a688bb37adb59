// What stands beyond the edges of an image, for convolutions that do not pad with zeros.
#pragma once
#include "core/nn/layers.h"

namespace haft::nn {

// x (..., H, W) with `padding` more rows and columns on each side, taken from x itself. reflect wants less padding than x has
// rows and columns, circular no more than that.
Tensor pad_edges(const Tensor& x, Pair padding, PaddingMode mode);

const char* padding_mode_name(PaddingMode mode);  // "reflect"

}  // namespace haft::nn
