// The order in which an epoch visits a dataset: a pure function of (seed, epoch).
#pragma once
#include <cstdint>

#include "core/tensor/tensor.h"

namespace haft {

struct SamplerOptions {
  bool shuffle = false;
  bool replacement = false;  // draw with replacement; needs num_samples or takes as many as there are items
  int64_t num_samples = -1;  // -1: all
  Tensor indices;            // int64, 1-d: only these items
  Tensor weights;            // floating, 1-d, one per item (or per entry of indices): draw by weight
};

class Sampler {
 public:
  Sampler() = default;
  Sampler(const SamplerOptions& options, int64_t dataset_size);
  int64_t size() const { return size_; }  // items an epoch visits
  // int64, contiguous, at least size() entries; undefined: 0, 1, 2, ...
  Tensor order(uint64_t seed, uint64_t epoch) const;

 private:
  SamplerOptions options_;
  int64_t population_ = 0, size_ = 0;
};

// A seed for one purpose, epoch or part, well mixed: streams of neighbouring numbers must not be alike.
uint64_t mix_seed(uint64_t seed, uint64_t a, uint64_t b);

}  // namespace haft
