// Modules without parameters: a function of one tensor, or of a prediction and its target.
#pragma once
#include <initializer_list>
#include <utility>

#include "core/nn/module.h"

namespace haft::nn {

template <class F>
class Function final : public Module {
  std::string extra_;
  F fn_;

 public:
  Function(const char* type, std::string extra, F fn)
      : Module(type), extra_(std::move(extra)), fn_(std::move(fn)) {}
  Tensor forward(const Tensor& x) override { return fn_(x); }
  std::string extra() const override { return extra_; }
};

template <class F>
Ref<Module> function(const char* type, std::string extra, F fn) {
  return make_ref<Function<F>>(type, std::move(extra), std::move(fn));
}

// Weights are buffers, so that they move and are saved with the loss; an absent one keeps its name, as PyTorch's None.
template <class F>
class Loss final : public Module {
  F fn_;
  int weights_ = 0;

 public:
  Loss(const char* type, std::initializer_list<NamedTensor> weights, F fn) : Module(type), fn_(std::move(fn)) {
    for (const NamedTensor& w : weights) {
      register_buffer(w.name, w.tensor);
      ++weights_;
    }
  }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != 2)
      fail(Code::invalid_argument,
           concat(type(), " takes a prediction and a target, got ", int64_t(xs.size()), " tensors"), {}, "inputs");
    if (!xs[0] || !xs[1])
      fail(Code::invalid_argument, concat(type(), ": the ", xs[0] ? "target" : "prediction", " is NULL"), {}, "inputs");
    Tensor buffers[2];
    for (int i = 0; i < weights_; ++i) buffers[i] = buffer(i);
    return {fn_(xs[0], xs[1], buffers)};
  }
};

template <class F>
Ref<Module> loss(const char* type, std::initializer_list<NamedTensor> weights, F fn) {
  return make_ref<Loss<F>>(type, weights, std::move(fn));
}

void check_range(const char* type, const char* name, double value, const char* range);

}  // namespace haft::nn
