// Modules without parameters: a function of one tensor or of several.
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

// One that answers N tensors.
template <size_t N, class F>
class Outputs final : public Module {
  std::string extra_;
  F fn_;

 public:
  Outputs(const char* type, std::string extra, F fn)
      : Module(type), extra_(std::move(extra)), fn_(std::move(fn)) {}
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != 1 || !xs[0])
      fail(Code::invalid_argument, concat(type(), " takes one tensor, got ", int64_t(xs.size())), {},
           "inputs");
    std::array<Tensor, N> out = fn_(xs[0]);
    return {out.begin(), out.end()};
  }
  int64_t output_count() const override { return N; }
  std::string extra() const override { return extra_; }
};

template <size_t N, class F>
Ref<Module> outputs(const char* type, std::string extra, F fn) {
  return make_ref<Outputs<N, F>>(type, std::move(extra), std::move(fn));
}

// Of two to four tensors. Weights are buffers, so that they move and are saved with the module; an absent one keeps
// its name, as PyTorch's None.
template <size_t N, class F>
class Several final : public Module {
  std::string extra_;
  std::array<const char*, N> inputs_;
  F fn_;
  int weights_ = 0;

 public:
  Several(const char* type, std::string extra, const char* const (&inputs)[N],
          std::initializer_list<NamedTensor> weights, F fn)
      : Module(type), extra_(std::move(extra)), inputs_(std::to_array(inputs)), fn_(std::move(fn)) {
    for (const NamedTensor& w : weights) {
      register_buffer(w.name, w.tensor);
      ++weights_;
    }
  }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != N) {
      std::string names = inputs_[0];
      for (size_t i = 1; i < N; ++i) names += concat(i + 1 == N ? " and " : ", ", inputs_[i]);
      fail(Code::invalid_argument, concat(type(), " takes ", names, ", got ", int64_t(xs.size()), " tensors"),
           {}, "inputs");
    }
    for (size_t i = 0; i < N; ++i)
      if (!xs[i]) fail(Code::invalid_argument, concat(type(), ": ", inputs_[i], " is NULL"), {}, "inputs");
    Tensor buffers[2];
    for (int i = 0; i < weights_; ++i) buffers[i] = buffer(i);
    return {fn_(xs.data(), buffers)};
  }
  std::string extra() const override { return extra_; }
};

template <size_t N, class F>
Ref<Module> several(const char* type, std::string extra, const char* const (&inputs)[N],
                    std::initializer_list<NamedTensor> weights, F fn) {
  return make_ref<Several<N, F>>(type, std::move(extra), inputs, weights, std::move(fn));
}

[[noreturn, gnu::cold]] void fail_complex(const char* type, DType t);
inline const Tensor& real_input(const char* type, const Tensor& x) {
  if (is_complex(x.dtype())) [[unlikely]]
    fail_complex(type, x.dtype());
  return x;
}

void check_range(const char* type, const char* name, double value, const char* range);

}  // namespace haft::nn
