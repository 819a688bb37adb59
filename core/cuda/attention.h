// Attention beside the tiles of attention.cu.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// attention and attention_backward by cuDNN (attention_dnn.cpp); false: it does not take the call.
bool library_attention(const Call& c);
bool library_attention_backward(const Call& c);

}  // namespace haft::cuda
