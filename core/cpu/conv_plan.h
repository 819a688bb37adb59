// oneDNN calls for convolutions, built once per shape and thread. The library chooses its layouts; where they
// differ from the caller's a reorder stands beside the convolution.
#pragma once
#include <cstring>

#include "core/cpu/conv.h"
#include "core/cpu/dnnl.h"

namespace haft::cpu {

enum class Winograd : uint8_t {
  off,
  transforming,  // weights come as usual; the library transforms them in every call
  transformed    // weights come transformed: slow to pack, so only for weights that are used many times
};

struct ConvPlan {
  ConvShape shape;
  ConvPass pass;
  uint8_t dtype;     // HAFT_FLOAT32 or HAFT_BFLOAT16; a gradient for the weights is float32
  uint8_t x_layout;  // the caller's
  uint8_t y_layout;
  bool bias;
  Winograd winograd;
  bool exact = false;  // the caller wants the direct method

  ConvPlan with_batch(int64_t n) const {
    ConvPlan p = *this;
    p.shape.n = n;
    return p;
  }
  // Channels of the result: those that a part of the weights makes.
  int64_t channels() const { return pass == ConvPass::input ? shape.c : shape.o; }
  ConvPlan with_channels(int64_t n) const {
    ConvPlan p = *this;
    (pass == ConvPass::input ? p.shape.c : p.shape.o) = n;
    return p;
  }
};

// Bytes of each operand in the library's own layout; 0: the caller's layout is the library's.
struct ConvBytes {
  int64_t x, weight, y;
};

// Some channels of some images (or inputs of some outputs' weights): contiguous within an image, `image` bytes apart.
struct ChannelSlice {
  int64_t images, bytes, image;

  bool contiguous() const { return images == 1 || bytes == image; }
  int64_t total() const { return images * bytes; }
  void gather(const char* from, char* to) const {
    for (int64_t i = 0; i < images; ++i) std::memcpy(to + i * bytes, from + i * image, size_t(bytes));
  }
  void scatter(const char* from, char* to) const {
    for (int64_t i = 0; i < images; ++i) std::memcpy(to + i * image, from + i * bytes, size_t(bytes));
  }
};

// Equal where packed weights can be exchanged.
uint64_t plan_weight_format(const ConvPlan& p);
bool plan_exists(const ConvPlan& p);  // false: the library lacks it (with Winograd, where that was asked for)
bool plan_is_usual(const ConvShape& s);  // every one of the library's kernels is right about it
ConvBytes plan_bytes(const ConvPlan& p);
// Of a bfloat16 processor, ten times as fast as what blocked layouts get.
bool plan_uses_tiles(const ConvPlan& p);
// The convolution itself, all operands in the library's layouts. What the pass produces is written.
void run_conv(const ConvPlan& p, const void* x, const void* weight, const void* bias, const void* y);
// Reorders between the caller's layout and the library's.
void pack_x(const ConvPlan& p, const void* from, void* to);
// `rows`: where the outputs' weights lie in `from`.
void pack_weight(const ConvPlan& p, const void* from, void* to, const ChannelSlice& rows);
void pack_y(const ConvPlan& p, const void* from, void* to);
void unpack_x(const ConvPlan& p, const void* from, void* to);
void unpack_weight(const ConvPlan& p, const void* from, void* to);
void unpack_y(const ConvPlan& p, const void* from, void* to);

}  // namespace haft::cpu
