// How the gradient of an operator is described: which values it reads and the functions that compute it.
#pragma once
#include <cstdint>

#include "core/schema/op_id.h"

namespace haft {

class Backward;

// Which values a gradient reads. IN and OUT keep a tensor alive until backward; SIZES keeps only shapes and
// dtypes.
enum Save : uint32_t {
  IN0 = 1,
  IN1 = 2,
  IN2 = 4,
  IN3 = 8,
  IN4 = 16,
  IN5 = 32,
  IN6 = 64,
  IN7 = 128,
  ALL_IN = 0xfff,
  OUT0 = 1 << 12,
  OUT1 = 1 << 13,
  OUT2 = 1 << 14,
  SIZES = 1 << 15,
};
constexpr int kMaxSavedInputs = 12, kFirstSavedOutput = 12;

// `saves[i]` is what the gradient of input i reads; inputs from 3 on (and lists) share the last entry.
// `always` is read whatever needs a gradient. `fused` may stand in when no further derivative is wanted and
// must equal `fn`.
struct Gradient {
  void (*fn)(Backward&) = nullptr;
  void (*fused)(Backward&) = nullptr;
  uint32_t saves[4] = {};
  uint32_t always = 0;

  uint32_t saved_for(int input) const { return saves[input < 3 ? input : 3]; }
};

// Of every operator that has one; filled once by ops/table.cpp, before the first call.
extern const Gradient* gradient_table[kOpCount];

}  // namespace haft
