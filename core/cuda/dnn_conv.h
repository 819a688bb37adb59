// A convolution as a graph of cuDNN's. Knows no call and no device, so that plans can be tried anywhere.
#pragma once
#include "core/cuda/dnn.h"

namespace haft::cuda::dnn {

struct ConvGraph {
  std::unique_ptr<Graph> graph;
  Tensor x, w, y, bias;
};
// Row-major maps and weights, or channels last ones. With `bias` the forward pass adds one number a channel.
ConvGraph conv_graph(const Functions& lib, ConvPass pass, const ConvShape& s, DType type, bool channels_last,
                     bool bias);

// Strides of dense maps or weights of these sizes (N, C, *) in that order.
std::array<int64_t, 5> format_strides(std::span<const int64_t> sizes, bool channels_last);

}  // namespace haft::cuda::dnn
