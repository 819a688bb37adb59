// Depthwise convolution of row-major planes, forward and backward: sixteen columns stand in a vector, so that a
// network whose maps lie in rows turns no channels. The results do not depend on the number of threads.
#pragma once
#include "core/cpu/conv.h"

namespace haft::cpu {

// Whether these functions serve the convolution: a filter a channel, square kernels of 3, 5 or 7, unit steps, AVX-512.
bool depthwise_rows_possible(const ConvShape& s);
// y from x; with `input` dx from dy, which then are `from` and `to`. All dense and row-major; bias may be nullptr.
void depthwise_rows(const ConvShape& s, bool input, const float* from, const float* weight, const float* bias,
                    float* to);
void depthwise_rows_weight(const ConvShape& s, const float* x, const float* dy, float* dweight);

}  // namespace haft::cpu
