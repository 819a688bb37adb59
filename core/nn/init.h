// Initial values of parameters, written in place and not recorded. Formulas and defaults are PyTorch's;
// numbers come from a generator (nullptr: the default one).
#pragma once
#include "core/dispatch/generator.h"
#include "core/tensor/tensor.h"

namespace haft::nn {

enum class Fan : int32_t { in = 0, out = 1 };
// What follows the layer; its gain keeps the variance of activations.
enum class Nonlinearity : int32_t { linear = 0, sigmoid = 1, tanh = 2, relu = 3, leaky_relu = 4, selu = 5 };

double gain(Nonlinearity n, double negative_slope = 0.01);

struct Fans {
  int64_t in, out;
};
// weight (out, in, *): elements that feed one output and that one input feeds. Fails with shape below 2 dimensions.
Fans fans(const Tensor& weight);

// Memory for a parameter, undefined; made outside inference mode, so that it can be trained. Floating dtypes only.
Tensor new_parameter(IntList sizes, DType dtype, Device device);

void uniform_(const Tensor& t, double low, double high, Generator* gen = nullptr);
void normal_(const Tensor& t, double mean, double std, Generator* gen = nullptr);
void constant_(const Tensor& t, double value);
// Normal numbers cut at [low, high], by the inverse of the distribution function.
void trunc_normal_(const Tensor& t, double mean, double std, double low, double high,
                   Generator* gen = nullptr);
// Glorot and Bengio, AISTATS 2010.
void xavier_uniform_(const Tensor& t, double gain = 1, Generator* gen = nullptr);
void xavier_normal_(const Tensor& t, double gain = 1, Generator* gen = nullptr);
// He et al., arXiv:1502.01852; `a` is the slope of a leaky ReLU.
void kaiming_uniform_(const Tensor& t, double a = 0, Fan mode = Fan::in,
                      Nonlinearity n = Nonlinearity::leaky_relu, Generator* gen = nullptr);
void kaiming_normal_(const Tensor& t, double a = 0, Fan mode = Fan::in,
                     Nonlinearity n = Nonlinearity::leaky_relu, Generator* gen = nullptr);
// Rows or columns (whichever are fewer) of t seen as a matrix (size(0), rest) become orthonormal, times gain.
void orthogonal_(const Tensor& t, double gain = 1, Generator* gen = nullptr);
// The rows of a matrix, few of many, by Gram and Schmidt in its order: a float32 or float64 copy on the CPU.
Tensor orthonormal_rows(const Tensor& matrix);
// The weight (out, in, *) of a convolution that answers its input, in each group as far as there are channels.
void dirac_(const Tensor& t, int64_t groups = 1);
// Normal numbers around 0 with that part of each column, rounded up, set to 0 (Martens, 2010).
void sparse_(const Tensor& t, double sparsity, double std = 0.01, Generator* gen = nullptr);

}  // namespace haft::nn
