// The order in which an epoch visits a dataset: a pure function of (seed, epoch).
#pragma once
#include <cstdint>

#include "core/dispatch/generator.h"
#include "core/tensor/tensor.h"

namespace haft {

struct SamplerOptions {
  bool shuffle = false;
  bool replacement = false;  // draw with replacement; needs num_samples or takes as many as there are items
  int64_t num_samples = -1;  // -1: all
  Tensor indices;            // int64, 1-d: only these items
  Tensor weights;            // floating, 1-d, one per item (or per entry of indices): draw by weight
  int32_t num_replicas = 1;  // each visits every num_replicas-th item of the one order, from its rank on
  int32_t rank = 0;
  // What is left over is dropped; else the order goes on from its start until parts are equal.
  bool drop_uneven = false;
};

class Sampler {
 public:
  Sampler() = default;
  Sampler(const SamplerOptions& options, int64_t dataset_size);
  int64_t size() const { return size_; }  // items an epoch visits
  // int64, contiguous, at least size() entries; undefined: 0, 1, 2, ...
  Tensor order(uint64_t seed, uint64_t epoch) const;

 private:
  Tensor whole_order(Generator& g) const;

  SamplerOptions options_;
  int64_t population_ = 0, size_ = 0;
  int64_t whole_ = 0;  // items of all replicas' order
};

// A seed for one purpose, epoch or part, well mixed: streams of neighbouring numbers must not be alike.
uint64_t mix_seed(uint64_t seed, uint64_t a, uint64_t b);

}  // namespace haft
