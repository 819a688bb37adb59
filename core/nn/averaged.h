// Averages of weights over a training (Izmailov et al., arXiv:1803.05407), and the statistics of batch norm for them.
#pragma once
#include <functional>

#include "core/nn/module.h"

namespace haft::nn {

// Below 0: the equal average of all; otherwise the part of an exponential average that stays, up to 1.
void check_ema_decay(double ema_decay, const char* what);

// Takes values into averages, which are those of so many before; what is no floating type is copied, and so is
// everything while there are none. In place and unrecorded, after all has been checked.
void average_tensors(std::span<const Tensor> averages, std::span<const Tensor> values, double ema_decay,
                     int64_t before);

// Writes the next averages into `averages`; it is not asked for the first.
using AverageFunction =
    std::function<void(std::span<const Tensor> averages, std::span<const Tensor> values, int64_t before)>;

// torch.optim.swa_utils.AveragedModel over the child "module", with the buffer "n_averaged".
class AveragedModel final : public Module {
  const double ema_decay_;
  const bool use_buffers_;

 public:
  // `average`: of the same structure as the models that come, and this one's own.
  AveragedModel(Ref<Module> average, double ema_decay, bool use_buffers);
  Tensor forward(const Tensor& x) override { return children()[0].module->call(x); }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    return children()[0].module->call_many(xs);
  }
  int64_t output_count() const override { return children()[0].module->output_count(); }
  std::string extra() const override;

  int64_t count() const;
  // Without use_buffers buffers are copied, as PyTorch does. `fn` in place of its own average.
  void update(Module& model, const AverageFunction& fn = {});
};

// The running statistics of all batch norms in m anew: the plain means over the batches that next() answers until it
// answers none. Runs m in training mode without gradients; mode and momentum are as before afterwards, also where
// something fails.
void update_batch_norm(Module& m, const std::function<Tensor()>& next);

}  // namespace haft::nn
