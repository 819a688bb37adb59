// The pieces that convolution's files share.
#pragma once
#include "core/cpu/kernel.h"

namespace haft::cpu {

// y (n, o, oh, ow) from x (n, c, h, w) and weight (o, c / groups, kh, kw).
struct ConvShape {
  int64_t n, c, h, w, o, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw, groups;
  int64_t flops() const { return 2 * n * o * (c / groups) * kh * kw * oh * ow; }
};

enum class ConvPass : uint8_t { forward, input, weight };

// float64 and integers through im2col; everything dense and row-major.
void im2col_forward(const ConvShape& s, DType t, const void* x, const void* weight, const void* bias,
                    void* y);
void im2col_input(const ConvShape& s, DType t, const void* dy, const void* weight, void* dx);
void im2col_weight(const ConvShape& s, DType t, const void* dy, const void* x, void* dweight);

}  // namespace haft::cpu
