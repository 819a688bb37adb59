// What the layers' constructors share: checks of their values, and first values of parameters.
#pragma once
#include <cmath>

#include "core/nn/init.h"
#include "core/nn/layers.h"

namespace haft::nn {

inline void check_size(int64_t v, const char* module, const char* name, int64_t least = 0) {
  if (v < least)
    fail(Code::invalid_argument, concat(module, ": ", name, " must be at least ", least, ", got ", v), {},
         name);
}
inline void check_eps(double eps, const char* module) {
  if (!(eps >= 0) || std::isinf(eps))
    fail(Code::invalid_argument, concat(module, ": eps must be a number from 0 up, got ", eps), {}, "eps");
}

// PyTorch's default for linear layers and convolutions: with a = sqrt(5) the bound is 1 / sqrt(fan in), which
// the bias takes as well.
inline void init_weight_and_bias(const Tensor& weight, const Tensor& bias, Generator* gen) {
  if (weight.numel()) kaiming_uniform_(weight, std::sqrt(5.0), Fan::in, Nonlinearity::leaky_relu, gen);
  if (!bias) return;
  int64_t fan_in = fans(weight).in;
  double bound = fan_in > 0 ? 1 / std::sqrt(double(fan_in)) : 0;
  uniform_(bias, -bound, bound, gen);
}

inline Tensor constant_parameter(IntList sizes, double value, const Build& b) {
  Tensor t = new_parameter(sizes, b.dtype, b.device);
  constant_(t, value);
  return t;
}

}  // namespace haft::nn
