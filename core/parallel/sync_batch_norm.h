// Batch normalisation by the statistics of all ranks' batches, which may be of different sizes.
#pragma once
#include "core/nn/layers.h"
#include "core/parallel/functional.h"

namespace haft::parallel {

// Training: x (N, C, *) by mean and variance over all ranks; running statistics as of the concatenated batch.
// Gradients go through the statistics to all ranks: one collective forward, one backward.
Tensor sync_batch_norm(const GroupRef& g, const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const Tensor& running_mean, const Tensor& running_var, double momentum, double eps);

// x (N, C, *). In evaluation as BatchNorm.
class SyncBatchNorm final : public nn::Module {
  const nn::BatchNormOptions o_;
  const GroupRef group_;
  std::atomic<bool> updating_{false};

 public:
  // With the parameters and buffers of another.
  SyncBatchNorm(const GroupRef& g, nn::Module& from, const nn::BatchNormOptions& options);
  SyncBatchNorm(const GroupRef& g, const nn::BatchNormOptions& options, const nn::Build& build = {});
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

// Every BatchNorm below root becomes a SyncBatchNorm with the same tensors. Answers root, or what it has become.
Ref<nn::Module> convert_sync_batchnorm(Ref<nn::Module> root, const GroupRef& g);

}  // namespace haft::parallel
