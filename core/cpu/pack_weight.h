// Convolution weights between OIHW and the blocked forms of AVX-512 convolutions, about three times as fast
// as the library's reorder and shared among the threads: training packs every weight in every step.
#pragma once
#include <cstdint>

namespace haft::cpu {

enum class WeightBlocks : uint8_t {
  other,      // the library's own reorder serves
  inner_out,  // OIhw16i16o: 16 outputs lie side by side
  inner_in    // OIhw16o16i
};

// o and i are multiples of 16, k = kh * kw; float32 on AVX-512. `row`: elements from one output to the next,
// at least i k.
void pack_weight_blocks(WeightBlocks form, const float* from, int64_t row, float* to, int64_t o, int64_t i,
                        int64_t k);
void unpack_weight_blocks(WeightBlocks form, const float* from, float* to, int64_t o, int64_t i, int64_t k);
// One block of 16 outputs by 16 inputs; `row` in the plain weights. Unpacking takes inner_out.
void pack_weight_block(WeightBlocks form, const float* from, int64_t row, float* to, int64_t k);
void unpack_weight_block(const float* from, float* to, int64_t row, int64_t k);

}  // namespace haft::cpu
