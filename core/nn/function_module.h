// Modules without parameters: a function of one tensor, or a loss of two or three.
#pragma once
#include <array>
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
template <size_t N, class F>
class Loss final : public Module {
  std::array<const char*, N> inputs_;
  F fn_;
  int weights_ = 0;

 public:
  Loss(const char* type, const char* const (&inputs)[N], std::initializer_list<NamedTensor> weights, F fn)
      : Module(type), inputs_(std::to_array(inputs)), fn_(std::move(fn)) {
    for (const NamedTensor& w : weights) {
      register_buffer(w.name, w.tensor);
      ++weights_;
    }
  }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != N)
      fail(Code::invalid_argument,
           concat(type(), " takes ", inputs_[0], N == 3 ? ", " : " and ", inputs_[1], N == 3 ? " and " : "",
                  N == 3 ? inputs_[N - 1] : "", ", got ", int64_t(xs.size()), " tensors"),
           {}, "inputs");
    for (size_t i = 0; i < N; ++i)
      if (!xs[i]) fail(Code::invalid_argument, concat(type(), ": ", inputs_[i], " is NULL"), {}, "inputs");
    Tensor buffers[2];
    for (int i = 0; i < weights_; ++i) buffers[i] = buffer(i);
    return {fn_(xs.data(), buffers)};
  }
};

template <size_t N, class F>
Ref<Module> loss(const char* type, const char* const (&inputs)[N], std::initializer_list<NamedTensor> weights, F fn) {
  return make_ref<Loss<N, F>>(type, inputs, weights, std::move(fn));
}

void check_range(const char* type, const char* name, double value, const char* range);

}  // namespace haft::nn
