// dst[i] = src[i] * scale + shift in float: how images become network input. Chosen by instruction set at run time.
#pragma once
#include <cstdint>

namespace haft {

void affine_u8(const uint8_t* src, float* dst, int64_t n, float scale, float shift);
void affine_f32(const float* src, float* dst, int64_t n, float scale, float shift);

}  // namespace haft
