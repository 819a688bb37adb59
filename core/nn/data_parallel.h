// A module on several devices of this process at once (torch.nn.DataParallel): each device computes a part of the
// batch.
//
// Parameters stay where they are and are copied to the other devices in each call, by an operator: so gradients of
// all parts come back to them. A thread runs each device's part with the copies in place of the module's own tensors
// (stand_ins.h).
#pragma once
#include "core/nn/module.h"
#include "core/tensor/device.h"

namespace haft::nn {

class DataParallel final : public Module {
  const std::vector<Device> devices_;
  const int64_t dim_;

 public:
  // The module is on the first of the devices, where the results are gathered, too. dim: of the batch.
  DataParallel(Ref<Module> module, std::vector<Device> devices, int64_t dim);
  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override;
  int64_t output_count() const override { return children()[0].module->output_count(); }
  std::string extra() const override;

 private:
  std::vector<std::vector<Tensor>> scatter(std::span<const Tensor> xs) const;
  void check_home(const std::vector<Tensor>& tensors, const char* what) const;
};

}  // namespace haft::nn
