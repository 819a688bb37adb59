// The library's blocked layouts of activations: convolutions write them, dense loops and the operators with the
// trait LAYOUT go on with them. No other device has them.
#pragma once
#include <haft/view.h>

namespace haft::cpu {

// haft_backend.preferred_layout: that of a convolution's result, or of its gradient for x.
int32_t preferred_layout(uint32_t op, int32_t dtype, const int64_t* sizes, int32_t ndim) noexcept;

// Channels that stand together in memory: 1, 8 or 16.
constexpr int64_t channel_block(uint8_t layout) {
  return layout == HAFT_LAYOUT_BLOCKED16 ? 16 : layout == HAFT_LAYOUT_BLOCKED8 ? 8 : 1;
}

}  // namespace haft::cpu
