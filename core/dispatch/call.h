// The record of one operator call: the same record feeds the kernel, the tape and, under capture, the graph.
#pragma once
#include <array>
#include <bit>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/schema/attrs.h"
#include "core/schema/op_id.h"
#include "core/tensor/tensor.h"

namespace haft {

constexpr int kMaxOutputs = 6;

// Inputs of a call (an undefined tensor: an optional input that is absent) and its attribute words.
using Inputs = std::span<const Tensor* const>;
using Words = std::span<const uint64_t>;

struct Call {
  OpId op;
  uint16_t n_in = 0;
  uint8_t n_out = 1;
  bool inplace = false;  // results go into in[0]
  bool into = false;     // results go into the dense or strided tensor already in out[0]
  const Tensor* const* in = nullptr;
  std::span<uint64_t> words;  // attributes; a shape rule may normalise them in place
  Tensor* out = nullptr;      // n_out results

  Inputs inputs() const { return {in, n_in}; }
};

// Attribute words without a heap: one value, one word.
inline uint64_t word(int64_t v) { return uint64_t(v); }
inline uint64_t word(int v) { return uint64_t(int64_t(v)); }
inline uint64_t word(bool v) { return v; }
inline uint64_t word(double v) { return std::bit_cast<uint64_t>(v); }
inline uint64_t word(DType t) { return uint64_t(t); }
inline uint64_t word(Device d) { return uint64_t(d.pack()); }
inline uint64_t word_kind(Scalar s) { return uint64_t(s.kind); }
inline uint64_t word_bits(Scalar s) { return uint64_t(s.i); }

}  // namespace haft
