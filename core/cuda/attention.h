// Attention beside the tiles of attention.cu.
#pragma once
#include <array>

#include "core/cuda/kernel.h"

namespace haft::cuda {

// attention and attention_backward by cuDNN (attention_dnn.cpp); false: it does not take the call.
bool library_attention(const Call& c);
bool library_attention_backward(const Call& c);

// attention of few queries (attention_few.cu); false: there are more, or it is none of its types and widths.
bool few_queries(const Call& c);

// A mask as numbers that are added to scores (attention_mask.cu): (N, H, L, S), a size of 1 where all along a
// dimension are alike.
struct ScoreBias {
  std::array<int64_t, 4> sizes{}, strides{};
  DType type = DType::none;  // none: there is no mask; float32 otherwise
  void* data = nullptr;
};

ScoreBias bias_of(const haft_tensor_view& mask);  // without its numbers
void fill_bias(const Call& c, const haft_tensor_view& mask, ScoreBias* bias);
// Rows of which all is hidden, of results of such a bias: zeros, and -infinity as their logarithm.
void blind_rows(const Call& c, const haft_tensor_view& out, const haft_tensor_view& lse);
// The logarithms for backward, float: where they are -infinity such numbers that weights come to 0.
const float* seeing_logarithms(const Call& c, const haft_tensor_view& lse);

}  // namespace haft::cuda
