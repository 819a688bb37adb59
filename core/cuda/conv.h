// What the convolutions share: a call's geometry, of planes and volumes alike, and who computes it.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// Dimensions are depth, height, width; planes have a depth of 1.
struct ConvShape {
  int64_t n, c, o, groups;
  int64_t x[3], y[3], kernel[3], stride[3], padding[3], dilation[3];
  int dims;  // 2 or 3

  int64_t group_c() const { return c / groups; }
  int64_t group_o() const { return o / groups; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t x_area() const { return x[0] * x[1] * x[2]; }
  int64_t y_area() const { return y[0] * y[1] * y[2]; }
};

enum class ConvPass : uint8_t { forward, input, weight };  // makes y, the gradient for x, that for the weight

// One call. x (N, C, *), w (O, C / groups, *) and y (N, O, *) have any strides and one dtype; which of them is
// written, the pass says.
struct Conv {
  ConvPass pass;
  ConvShape s;
  haft_tensor_view x, w, y;
  const haft_tensor_view* bias = nullptr;  // of the forward pass
  DType dtype() const { return DType(x.dtype); }
};

bool library_conv(const Call& c, const Conv& v);      // conv_dnn.cpp: cuDNN's; false: it cannot
bool few_channels(const ConvShape& s);                // groups so small that tiles of products would be empty
void channelwise_conv(const Call& c, const Conv& v);  // conv_channels.cu: for those; floats and int64
void add_channels(const Call& c, const haft_tensor_view& y,
                  const haft_tensor_view& bias);  // one number a channel, to floats in place
void tiled_conv(const Call& c, const Conv& v);    // conv.cu: floats and int64

// Strides (n, c, depth, height, width) of maps of planes or volumes.
struct MapStrides {
  int64_t n, c, s[3];
};
inline MapStrides strides_of(const haft_tensor_view& v) {
  return {v.strides[0],
          v.strides[1],
          {v.ndim == 5 ? v.strides[2] : 0, v.strides[v.ndim - 2], v.strides[v.ndim - 1]}};
}

}  // namespace haft::cuda
