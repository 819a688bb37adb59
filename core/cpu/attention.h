// What the tiles of attention are told of a call; attention.cpp compiles them once an instruction set.
#pragma once
#include <haft/backend.h>

#include <cstdint>

namespace haft::cpu {

struct AttentionCall {
  haft_tensor_view q, k, v;                // (N, H, L, E), (N, Hk, S, E), (N, Hk, S, Ev)
  const haft_tensor_view* mask = nullptr;  // (N, H, L, S): bool or the computed type; any strides
  int64_t batch, heads, own, queries, keys, width, value_width;
  double scale, dropout;
  bool causal;
  uint64_t seed, offset;

  int64_t group() const { return heads / own; }
  int64_t key_block() const { return keys < 2048 ? 192 : 384; }  // of backward, in float32 and float64
};

// The words of elements 0..n-1 of a block that starts at `counter`; writes up to 32 words more than n.
void philox_words(uint64_t seed, uint64_t counter, uint32_t* out, int64_t n);

// In bfloat16 products, as attention.cpp's tiles of float32 are called: forward of head h, backward of key head
// `own`; lse, dk and dv as there, dq (group, whole(L, 6), whole(E, 16)) not yet times the scale.
bool bf16_attention_fits(const AttentionCall& a);
void bf16_attention(const AttentionCall& a, const haft_tensor_view& out, float* lse, int64_t b, int64_t h,
                    int64_t part, int64_t parts);
void bf16_attention_backward(const AttentionCall& a, const haft_tensor_view& grad,
                             const haft_tensor_view& out, const float* lse, const haft_tensor_view& dk,
                             const haft_tensor_view& dv, float* dq, int64_t b, int64_t own, int64_t part,
                             int64_t parts);

}  // namespace haft::cpu
