// The gradient of a depthwise convolution for its weights, which the library has no fast code for beyond 3x3. The
// result does not depend on the number of threads.
#pragma once
#include "core/cpu/conv.h"

namespace haft::cpu {

// Whether depthwise_weight() serves the convolution: planes, a filter a channel, AVX-512, row-major maps or blocks of
// 16.
bool depthwise_weight_possible(const ConvShape& s, uint8_t x_layout, uint8_t y_layout);
void depthwise_weight(const ConvShape& s, uint8_t x_layout, const float* x, uint8_t y_layout, const float* dy,
                      float* dweight);

}  // namespace haft::cpu
