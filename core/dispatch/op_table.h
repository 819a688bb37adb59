// What the engine knows of each operator at run time. Filled once by ops/table.cpp, before the first call.
#pragma once
#include <cstdint>

#include "core/dispatch/call.h"
#include "core/schema/op_id.h"
#include "core/tape/gradient.h"

namespace haft {

class ShapeContext;

struct OpInfo {
  const char* name = nullptr;
  const char* signature = nullptr;
  OpKind kind = OpKind::composite;
  uint32_t traits = 0;
  uint8_t n_out = 1;
  int8_t scalar_word = -1;  // position of the first Scalar attribute: it takes part in promotion
  uint8_t scalar_count = 0;
  // What Tensor(a!) names: fixed inputs by their bit, lists by theirs. Lists have as many tensors as the word
  // `list_length` says; the last one has the rest.
  uint8_t written_inputs = 0, written_lists = 0, fixed_inputs = 0, list_count = 0;
  int8_t list_length = -1;
  // Words that a replay of a captured call does not take from the capture.
  int8_t seed_word = -1, offset_word = -1;
  uint32_t set_words = 0;
  void (*shape)(ShapeContext&) = nullptr;  // GENERAL and VIEW
  const Gradient* gradient = nullptr;      // NULL: results never need a gradient
  // For ops that the engine itself carries out (copies between devices).
  void (*engine_kernel)(Inputs in, Words words, std::span<Tensor> out) = nullptr;
};

extern OpInfo op_table[kOpCount];
// Carries out a call with complex tensors by operators over their parts, or refuses it (ops/complex_rules.cpp).
extern void (*run_complex)(const Call& c);
// The kernels that take complex elements, for they only move them.
constexpr bool moves_complex(OpId op) { return op == OpId::copy || op == OpId::contiguous_copy; }
inline bool has_complex(Inputs in) {
  for (const Tensor* t : in)
    if (t->defined() && is_complex(t->dtype())) return true;
  return false;
}
inline const OpInfo& op_info(OpId op) { return op_table[int(op)]; }

}  // namespace haft
