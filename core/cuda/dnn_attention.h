// Scaled dot product attention as graphs of cuDNN's, forward with its statistics and backward. The library knows the
// whole by its pattern and runs one kernel of its own (forward) that never has the scores in memory.
#pragma once
#include "core/cuda/attention.h"
#include "core/cuda/dnn.h"

namespace haft::cuda::dnn {

struct AttentionShape {
  int64_t batch, heads;
  int64_t own;  // heads of keys and values, of which as many neighbouring heads of queries read each
  int64_t queries, keys, width;
  DType type;  // bfloat16 or float16
  bool causal;
  ScoreBias bias;  // added to the scaled scores
  // Strides (batch, head, place, element) in elements; those of gradients for backward alone.
  std::array<int64_t, 4> q, k, v, o, d_o, dq, dk, dv;
};

struct AttentionForward {
  std::unique_ptr<Graph> graph;
  Tensor q, k, v, o;
  // float32 (batch, heads, queries, 1), row-major: the logarithm of the sum of exp(scores)
  Tensor statistics;
  Tensor scale;  // a float by value
  Tensor
      masked;  // a float by value, -infinity: the score of what a causal row does not see; with `causal` only
  Tensor bias;  // with a bias only
};
AttentionForward attention_forward(const Functions& lib, const AttentionShape& s);

struct AttentionBackward {
  std::unique_ptr<Graph> graph;
  Tensor q, k, v, o, d_o, statistics, dq, dk, dv;
  Tensor sums,
      // Workspace in float32: (batch, heads, queries, 1) and (batch, heads, queries, width), row-major.
      dq_sums;
  Tensor scale, one, masked, bias;
};
AttentionBackward attention_backward(const Functions& lib, const AttentionShape& s);

}  // namespace haft::cuda::dnn
