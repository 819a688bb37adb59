// How the gradient of an operator is described: which values it reads and the functions that compute it.
#pragma once
#include <cstdint>

#include "core/schema/op_id.h"

namespace haft {

class Backward;

// Which values a gradient reads. IN and OUT keep a tensor alive until backward; SIZES keeps only shapes and
// dtypes. Inputs from kNamedInputs on share one bit, for lists have any length.
constexpr int kNamedInputs = 16, kNamedOutputs = 6;
constexpr uint32_t saved_input(int i) { return 1u << (i < kNamedInputs ? i : kNamedInputs); }
constexpr uint32_t saved_output(int k) { return 1u << (kNamedInputs + 1 + k); }
constexpr uint32_t ALL_IN = (1u << (kNamedInputs + 1)) - 1;
constexpr uint32_t IN0 = saved_input(0), IN1 = saved_input(1), IN2 = saved_input(2), IN3 = saved_input(3),
                   IN4 = saved_input(4), IN5 = saved_input(5), IN6 = saved_input(6), IN7 = saved_input(7);
constexpr uint32_t OUT0 = saved_output(0), OUT1 = saved_output(1), OUT2 = saved_output(2),
                   OUT3 = saved_output(3), OUT4 = saved_output(4), OUT5 = saved_output(5);
constexpr uint32_t SIZES = 1u << 31;
static_assert(OUT5 < SIZES && saved_output(kNamedOutputs - 1) == OUT5);

// `saves[i]` is what the gradient of input i reads; inputs from 3 on (and lists) share the last entry.
// `always` is read whatever needs a gradient. `fused` may stand in when no further derivative is wanted and
// must equal `fn`. One that `adds` gives input 0 a part of its gradient: it may find the sum of what other nodes gave
// (Backward::take_sum), and then adds its part to it in place.
struct Gradient {
  void (*fn)(Backward&) = nullptr;
  void (*fused)(Backward&) = nullptr;
  uint32_t saves[4] = {};
  uint32_t always = 0;
  bool adds = false;

  uint32_t saved_for(int input) const { return saves[input < 3 ? input : 3]; }
};

// Of every operator that has one; filled once by ops/table.cpp, before the first call.
extern const Gradient* gradient_table[kOpCount];

}  // namespace haft
