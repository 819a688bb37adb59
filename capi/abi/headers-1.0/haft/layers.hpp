// Generated from core/schema/modules.def by tools/generate; do not edit.
//
// Layers in C++17: nn::Linear(784, 10), nn::Conv2d(3, 8, 3, options). haft/nn.hpp includes this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_LAYERS_HPP
#define HAFT_LAYERS_HPP

namespace haft {
namespace nn {

/// x weight^T + bias: x (*, in_features) to (*, out_features).
/// @param in_features size of the last dimension of inputs
/// @param out_features size of the last dimension of outputs
/// @param bias whether a bias is added
inline Module Linear(std::int64_t in_features, std::int64_t out_features, bool bias = true,
                     const Build& b = {}) {
  return detail::create(haft_linear_create, in_features, out_features, std::int32_t(bias), b.generator,
                        b.dtype, b.device);
}

struct ConvOptions {
  /// steps between windows
  Pair stride = 1;
  /// zeros on each side of the image
  Pair padding = 0;
  /// steps between the elements of a window
  Pair dilation = 1;
  /// groups of channels that do not see each other; divides both numbers of channels
  std::int64_t groups = 1;
  /// whether a bias is added
  bool bias = true;
};
/// Cross-correlation of images: x (N, in_channels, H, W) to (N, out_channels, H', W').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window
inline Module Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel_size,
                     const ConvOptions& options = {}, const Build& b = {}) {
  haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size[0] = kernel_size.v[0];
  o.kernel_size[1] = kernel_size.v[1];
  o.stride[0] = options.stride.v[0];
  o.stride[1] = options.stride.v[1];
  o.padding[0] = options.padding.v[0];
  o.padding[1] = options.padding.v[1];
  o.dilation[0] = options.dilation.v[0];
  o.dilation[1] = options.dilation.v[1];
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv2d_create, &o);
}

struct NormOptions {
  /// added to the variance
  double eps = 1e-5;
  /// part of a new batch in the running statistics
  double momentum = 0.1;
  /// whether there are a weight and a bias
  bool affine = true;
  /// whether running statistics are kept; without them those of the batch serve in evaluation, too
  bool track_running_stats = true;
};
/// Batch normalisation of x (N, C) or (N, C, L).
/// @param num_features C
inline Module BatchNorm1d(std::int64_t num_features, const NormOptions& options = {}, const Build& b = {}) {
  haft_batch_norm_options o = HAFT_BATCH_NORM_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_batch_norm1d_create, &o);
}

/// Batch normalisation of x (N, C, H, W).
/// @param num_features C
inline Module BatchNorm2d(std::int64_t num_features, const NormOptions& options = {}, const Build& b = {}) {
  haft_batch_norm_options o = HAFT_BATCH_NORM_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_batch_norm2d_create, &o);
}

/// Normalisation over the last dimensions.
/// @param normalized_shape their sizes
/// @param eps added to the variance
/// @param elementwise_affine whether there are a weight and a bias of these sizes
inline Module LayerNorm(const haft::IntArray& normalized_shape, double eps = 1e-5,
                        bool elementwise_affine = true, const Build& b = {}) {
  return detail::create(haft_layer_norm_create, normalized_shape.data(), normalized_shape.size(), eps,
                        std::int32_t(elementwise_affine), b.dtype, b.device);
}

/// Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p).
/// @param p the probability, from 0 to 1
inline Module Dropout(double p = 0.5, haft_generator* generator = nullptr) {
  return detail::create(haft_dropout_create, p, generator);
}

/// Rows of a table at integer positions: x (*) to (*, embedding_dim).
/// @param num_embeddings rows of the table
/// @param embedding_dim width of a row
/// @param padding_idx a row that starts at 0 and gets no gradient; negative counts from the end
inline Module Embedding(std::int64_t num_embeddings, std::int64_t embedding_dim,
                        std::int64_t padding_idx = HAFT_NONE, const Build& b = {}) {
  return detail::create(haft_embedding_create, num_embeddings, embedding_dim, padding_idx, b.generator,
                        b.dtype, b.device);
}

/// The maximum of each window of x (N, C, H, W).
/// @param kernel_size size of the window
/// @param stride steps between windows; 0 is the window's size
/// @param padding border around the image, at most half the window
/// @param dilation steps between the elements of a window
/// @param ceil_mode whether windows that only begin inside count, too
inline Module MaxPool2d(Pair kernel_size, Pair stride = 0, Pair padding = 0, Pair dilation = 1,
                        bool ceil_mode = false) {
  haft_pool2d_options o = HAFT_POOL2D_OPTIONS_INIT;
  o.kernel_size[0] = kernel_size.v[0];
  o.kernel_size[1] = kernel_size.v[1];
  o.stride[0] = stride.v[0];
  o.stride[1] = stride.v[1];
  o.padding[0] = padding.v[0];
  o.padding[1] = padding.v[1];
  o.dilation[0] = dilation.v[0];
  o.dilation[1] = dilation.v[1];
  o.ceil_mode = std::int32_t(ceil_mode);
  return detail::create(haft_max_pool2d_create, &o);
}

/// The mean of each window of x (N, C, H, W).
/// @param kernel_size size of the window
/// @param stride steps between windows; 0 is the window's size
/// @param padding border of zeros around the image, at most half the window
/// @param ceil_mode whether windows that only begin inside count, too
/// @param count_include_pad whether the border counts
inline Module AvgPool2d(Pair kernel_size, Pair stride = 0, Pair padding = 0, bool ceil_mode = false,
                        bool count_include_pad = true) {
  haft_pool2d_options o = HAFT_POOL2D_OPTIONS_INIT;
  o.kernel_size[0] = kernel_size.v[0];
  o.kernel_size[1] = kernel_size.v[1];
  o.stride[0] = stride.v[0];
  o.stride[1] = stride.v[1];
  o.padding[0] = padding.v[0];
  o.padding[1] = padding.v[1];
  o.ceil_mode = std::int32_t(ceil_mode);
  o.count_include_pad = std::int32_t(count_include_pad);
  return detail::create(haft_avg_pool2d_create, &o);
}

/// The means over a grid of windows that covers the image.
/// @param output_size size of the grid
inline Module AdaptiveAvgPool2d(Pair output_size) {
  return detail::create(haft_adaptive_avg_pool2d_create, output_size.v[0], output_size.v[1]);
}

/// max(x, 0).
inline Module ReLU() { return detail::create(haft_relu_create); }

/// x above 0, negative_slope x below.
/// @param negative_slope the slope below 0
inline Module LeakyReLU(double negative_slope = 0.01) {
  return detail::create(haft_leaky_relu_create, negative_slope);
}

/// x times the normal distribution function at x.
/// @param tanh whether it is approximated by tanh
inline Module GELU(bool tanh = false) { return detail::create(haft_gelu_create, std::int32_t(tanh)); }

/// x sigmoid(x).
inline Module SiLU() { return detail::create(haft_silu_create); }

/// 1 / (1 + exp(-x)).
inline Module Sigmoid() { return detail::create(haft_sigmoid_create); }

/// Hyperbolic tangent.
inline Module Tanh() { return detail::create(haft_tanh_create); }

/// x above 0, alpha (exp(x) - 1) below.
/// @param alpha -alpha is the limit below 0
inline Module ELU(double alpha = 1.0) { return detail::create(haft_elu_create, alpha); }

/// log(1 + exp(beta x)) / beta.
/// @param beta sharpness, above 0
/// @param threshold where beta x is above it, the result is x itself
inline Module Softplus(double beta = 1.0, double threshold = 20.0) {
  return detail::create(haft_softplus_create, beta, threshold);
}

/// x relu6(x + 3) / 6.
inline Module Hardswish() { return detail::create(haft_hardswish_create); }

/// x tanh(softplus(x)).
inline Module Mish() { return detail::create(haft_mish_create); }

/// exp(x) / sum(exp(x)) along a dimension.
/// @param dim the dimension; negative counts from the end
inline Module Softmax(std::int64_t dim) { return detail::create(haft_softmax_create, dim); }

/// The logarithm of softmax along a dimension.
/// @param dim the dimension; negative counts from the end
inline Module LogSoftmax(std::int64_t dim) { return detail::create(haft_log_softmax_create, dim); }

/// x itself.
inline Module Identity() { return detail::create(haft_identity_create); }

/// The dimensions from start_dim to end_dim as one.
/// @param start_dim the first; negative counts from the end
/// @param end_dim the last; negative counts from the end
inline Module Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1) {
  return detail::create(haft_flatten_create, start_dim, end_dim);
}

}  // namespace nn
}  // namespace haft
#endif
