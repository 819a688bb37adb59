// Modules made of other modules, and modules that the user writes.
#pragma once
#include "core/nn/module.h"

namespace haft::nn {

// Each child takes what the one before it answered; without children, the input itself.
class Sequential final : public Module {
 public:
  explicit Sequential(std::span<const Ref<Module>> modules = {});
  Tensor forward(const Tensor& x) override;
};

// Children by number or by name for a user's module to call; it cannot be called itself.
class ModuleList final : public Module {
 public:
  explicit ModuleList(std::span<const Ref<Module>> modules = {});
};
class ModuleDict final : public Module {
 public:
  explicit ModuleDict(std::span<const NamedModule> modules = {});
};

// Forward is a function of the user's; children, parameters and buffers are registered on it.
class Callback final : public Module {
 public:
  using Forward = std::function<std::vector<Tensor>(Module& self, std::span<const Tensor> inputs)>;
  Callback(std::string type, Forward forward) : Module(std::move(type)), forward_(std::move(forward)) {}
  Tensor forward(const Tensor& x) override;
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override { return forward_(*this, xs); }
  int64_t output_count() const override { return -1; }

 private:
  Forward forward_;
};

}  // namespace haft::nn
