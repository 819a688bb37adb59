// A generator's stream as kernels get it: by value, or where a replay of the call finds its seed and offset
// (haft_kernel_call.live).
#pragma once
#include "core/cuda/device.cuh"
#include "core/cuda/kernel.h"
#include "core/schema/philox.h"

namespace haft::cuda {

struct LivePhilox {
  fn::Philox captured;
  const uint64_t *seed, *offset;  // NULL: the captured ones

  __device__ fn::Philox now() const { return seed ? fn::Philox{*seed, *offset} : captured; }
};
// Of the attributes `seed_word` and `offset_word`.
inline LivePhilox live_philox(const Call& c, int seed_word, int offset_word) {
  const uint64_t* live = c.call.live;
  return {{uint64_t(c.attrs.i(seed_word)), uint64_t(c.attrs.i(offset_word))},
          live ? live + seed_word : nullptr,
          live ? live + offset_word : nullptr};
}

}  // namespace haft::cuda
