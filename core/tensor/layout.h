// Which layout a convolution's activations take. The CPU backend says once, at start-up, how wide its blocks
// are.
#pragma once
#include <cstdint>

#include "core/tensor/dtype.h"
#include "core/tensor/view.h"

namespace haft {

namespace detail {
inline uint8_t g_channel_block = 0;
}

// 16 with AVX-512, 8 with AVX2, 0: activations stay dense. Before any tensor exists.
inline void set_preferred_channel_block(uint8_t block) { detail::g_channel_block = block; }
inline uint8_t preferred_channel_block() { return detail::g_channel_block; }

// Layout of a convolution's result (or gradient) with that many channels.
inline uint8_t conv_layout(DType t, int64_t channels) {
  uint8_t block = preferred_channel_block();
  bool library = t == DType::f32 || t == DType::bf16 || t == DType::f16;
  if (!block || !library || channels == 0 || channels % block) return HAFT_LAYOUT_STRIDED;
  return block == 16 ? HAFT_LAYOUT_BLOCKED16 : HAFT_LAYOUT_BLOCKED8;
}
// Channels that stand together in memory: 1, 8 or 16.
constexpr int64_t channel_block(uint8_t layout) {
  return layout == HAFT_LAYOUT_BLOCKED16 ? 16 : layout == HAFT_LAYOUT_BLOCKED8 ? 8 : 1;
}

}  // namespace haft
