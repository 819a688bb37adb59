// The pieces that convolution's files share.
#pragma once
#include "core/cpu/kernel.h"

namespace haft::cpu {

// y (n, o, oh, ow) from x (n, c, h, w) and weight (o, c / groups, kh, kw); of a volume y (n, o, od, oh, ow) from
// x (n, c, d, h, w) and weight (o, c / groups, kd, kh, kw), row-major always.
struct ConvShape {
  int64_t n, c, h, w, o, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw, groups;
  bool volume = false;
  int64_t d = 1, od = 1, kd = 1, sd = 1, pd = 0, dd = 1;

  int64_t x_area() const { return d * h * w; }  // elements of a channel
  int64_t y_area() const { return od * oh * ow; }
  int64_t taps() const { return kd * kh * kw; }
  int64_t flops() const { return 2 * n * o * (c / groups) * taps() * y_area(); }
};

enum class ConvPass : uint8_t { forward, input, weight };

// float64, integers and what the library lacks through im2col; everything dense and row-major.
void im2col_forward(const ConvShape& s, DType t, const void* x, const void* weight, const void* bias,
                    void* y);
void im2col_input(const ConvShape& s, DType t, const void* dy, const void* weight, void* dx);
void im2col_weight(const ConvShape& s, DType t, const void* dy, const void* x, void* dweight);

}  // namespace haft::cpu
