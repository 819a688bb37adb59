// What stands beyond the edges, for convolutions that pad first and for layers that do nothing else.
#pragma once
#include "core/nn/layers.h"

namespace haft::nn {

// x with elements before and after its last dimension, the one before it, ... reflect wants less padding than x has
// elements there, circular no more than that.
Tensor pad_edges(const Tensor& x, IntList sides, PaddingMode mode);

const char* padding_mode_name(PaddingMode mode);  // "reflect"

}  // namespace haft::nn
