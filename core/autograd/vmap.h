// vmap: a function of one example, called once for many.
#pragma once
#include "core/autograd/transforms.h"
#include "core/dispatch/batching.h"
#include "core/schema/attrs.h"

namespace haft {

struct VmapOptions {
  // Along which dimension each input has its examples; kNone: it is the same for all. Empty: 0 for each.
  std::span<const int64_t> in_dims = {};
  // Where results get theirs: one for all of them or one for each, read when fn has answered; kNone: it is the same for
  // all examples, and answered once. Empty: 0.
  std::span<const int64_t> out_dims = {};
  Randomness randomness = Randomness::error;
  int64_t chunk_size = 0;  // examples at a time; 0: all
  bool warns = false;      // the log is told of operators that are called for one example after the other
};

// The results of fn for each example, put together. fn is called once for each chunk and gets tensors of one example's
// sizes.
std::vector<Tensor> vmap(const TensorsFunction& fn, std::span<const Tensor> inputs,
                         const VmapOptions& options);

// Whether gradients of t may be those of many seeds at once: no function of the user's and no hook is on the way, which
// could see them. Then the bytes of the largest tensor on the way, of which each seed makes one; 0: they may not.
int64_t bytes_of_a_seed(const Tensor& t);

}  // namespace haft
