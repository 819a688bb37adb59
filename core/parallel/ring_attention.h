// Attention over a sequence that is spread over ranks: each keeps its queries, and blocks of keys and values go
// around the ring.
#pragma once
#include "core/dist/group.h"

namespace haft::parallel {

struct RingAttentionOptions {
  bool causal = false;
  double scale = 0;  // 0: 1 / sqrt(the last dimension)
};

// query, key, value: (..., positions, width), positions rank * positions to (rank + 1) * positions of the whole;
// value may be of another width. Leading dimensions are equal, and all is of one shape on all ranks. Answers this
// rank's rows of the result. Memory is that of the own part and two blocks of a neighbour; softmax goes on in float32
// where the inputs are narrower. There is a first gradient; whether inputs want one must be the same on all ranks.
Tensor ring_attention(Ref<dist::Group> g, const Tensor& query, const Tensor& key, const Tensor& value,
                      RingAttentionOptions o);

}  // namespace haft::parallel
