// What the tiles of attention are told of a call; attention.cpp compiles them once an instruction set.
#pragma once
#include <haft/backend.h>

#include <cstdint>

namespace haft::cpu {

struct AttentionCall {
  haft_tensor_view q, k, v;               // (N, H, L, E), (N, Hk, S, E), (N, Hk, S, Ev)
  const haft_tensor_view* mask = nullptr;  // (N, H, L, S): bool or the computed type; any strides
  int64_t batch, heads, own, queries, keys, width, value_width;
  double scale, dropout;
  bool causal;
  uint64_t seed, offset;

  int64_t group() const { return heads / own; }
};

// The words of elements 0..n-1 of a block that starts at `counter`; writes up to 32 words more than n.
void philox_words(uint64_t seed, uint64_t counter, uint32_t* out, int64_t n);

}  // namespace haft::cpu
