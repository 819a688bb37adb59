// Generated from core/schema/modules.def by tools/generate; do not edit.
//
// What makes layers, optimizers and schedules as functions of plain values: the classes of every language call these.
#ifndef HAFT_BINDINGS_MODULES_HPP
#define HAFT_BINDINGS_MODULES_HPP
#include "bindings/support.hpp"

namespace haft {
namespace bindings {

#ifndef SWIG
template <class T, class F, class... A>
T made(F create, A... arguments) {
  decltype(std::declval<const T&>().get()) out = nullptr;
  check(create(arguments..., &out));
  return T(out);
}
#endif

class Make {
 public:
  static nn::Module linear(std::int64_t in_features, std::int64_t out_features, bool bias, haft_dtype dtype,
                           haft_device device, haft_generator* generator) {
    return made<nn::Module>(haft_linear_create, in_features, out_features, std::int32_t(bias), generator, dtype,
                            device);
  }
  static nn::Module conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel_size_h,
                           std::int64_t kernel_size_w, std::int64_t stride_h, std::int64_t stride_w,
                           std::int64_t padding_h, std::int64_t padding_w, std::int64_t dilation_h,
                           std::int64_t dilation_w, std::int64_t groups, bool bias, haft_dtype dtype,
                           haft_device device, haft_generator* generator) {
    haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
    o.in_channels = in_channels;
    o.out_channels = out_channels;
    o.kernel_size[0] = kernel_size_h;
    o.kernel_size[1] = kernel_size_w;
    o.stride[0] = stride_h;
    o.stride[1] = stride_w;
    o.padding[0] = padding_h;
    o.padding[1] = padding_w;
    o.dilation[0] = dilation_h;
    o.dilation[1] = dilation_w;
    o.groups = groups;
    o.bias = std::int32_t(bias);
    o.dtype = dtype;
    o.device = device;
    o.generator = generator;
    return made<nn::Module>(haft_conv2d_create, &o);
  }
  static nn::Module batch_norm1d(std::int64_t num_features, double eps, double momentum, bool affine,
                                 bool track_running_stats, haft_dtype dtype, haft_device device) {
    haft_batch_norm_options o = HAFT_BATCH_NORM_OPTIONS_INIT;
    o.num_features = num_features;
    o.eps = eps;
    o.momentum = momentum;
    o.affine = std::int32_t(affine);
    o.track_running_stats = std::int32_t(track_running_stats);
    o.dtype = dtype;
    o.device = device;
    return made<nn::Module>(haft_batch_norm1d_create, &o);
  }
  static nn::Module batch_norm2d(std::int64_t num_features, double eps, double momentum, bool affine,
                                 bool track_running_stats, haft_dtype dtype, haft_device device) {
    haft_batch_norm_options o = HAFT_BATCH_NORM_OPTIONS_INIT;
    o.num_features = num_features;
    o.eps = eps;
    o.momentum = momentum;
    o.affine = std::int32_t(affine);
    o.track_running_stats = std::int32_t(track_running_stats);
    o.dtype = dtype;
    o.device = device;
    return made<nn::Module>(haft_batch_norm2d_create, &o);
  }
  static nn::Module layer_norm(const haft::IntArray& normalized_shape, double eps, bool elementwise_affine,
                               haft_dtype dtype, haft_device device) {
    return made<nn::Module>(haft_layer_norm_create, normalized_shape.data(), normalized_shape.size(), eps,
                            std::int32_t(elementwise_affine), dtype, device);
  }
  static nn::Module dropout(double p, haft_generator* generator) {
    return made<nn::Module>(haft_dropout_create, p, generator);
  }
  static nn::Module embedding(std::int64_t num_embeddings, std::int64_t embedding_dim, std::int64_t padding_idx,
                              haft_dtype dtype, haft_device device, haft_generator* generator) {
    return made<nn::Module>(haft_embedding_create, num_embeddings, embedding_dim, padding_idx, generator, dtype,
                            device);
  }
  static nn::Module max_pool2d(std::int64_t kernel_size_h, std::int64_t kernel_size_w, std::int64_t stride_h,
                               std::int64_t stride_w, std::int64_t padding_h, std::int64_t padding_w,
                               std::int64_t dilation_h, std::int64_t dilation_w, bool ceil_mode) {
    haft_pool2d_options o = HAFT_POOL2D_OPTIONS_INIT;
    o.kernel_size[0] = kernel_size_h;
    o.kernel_size[1] = kernel_size_w;
    o.stride[0] = stride_h;
    o.stride[1] = stride_w;
    o.padding[0] = padding_h;
    o.padding[1] = padding_w;
    o.dilation[0] = dilation_h;
    o.dilation[1] = dilation_w;
    o.ceil_mode = std::int32_t(ceil_mode);
    return made<nn::Module>(haft_max_pool2d_create, &o);
  }
  static nn::Module avg_pool2d(std::int64_t kernel_size_h, std::int64_t kernel_size_w, std::int64_t stride_h,
                               std::int64_t stride_w, std::int64_t padding_h, std::int64_t padding_w,
                               bool ceil_mode, bool count_include_pad) {
    haft_pool2d_options o = HAFT_POOL2D_OPTIONS_INIT;
    o.kernel_size[0] = kernel_size_h;
    o.kernel_size[1] = kernel_size_w;
    o.stride[0] = stride_h;
    o.stride[1] = stride_w;
    o.padding[0] = padding_h;
    o.padding[1] = padding_w;
    o.ceil_mode = std::int32_t(ceil_mode);
    o.count_include_pad = std::int32_t(count_include_pad);
    return made<nn::Module>(haft_avg_pool2d_create, &o);
  }
  static nn::Module adaptive_avg_pool2d(std::int64_t output_size_h, std::int64_t output_size_w) {
    return made<nn::Module>(haft_adaptive_avg_pool2d_create, output_size_h, output_size_w);
  }
  static nn::Module relu() { return made<nn::Module>(haft_relu_create); }
  static nn::Module leaky_relu(double negative_slope) {
    return made<nn::Module>(haft_leaky_relu_create, negative_slope);
  }
  static nn::Module gelu(bool tanh) { return made<nn::Module>(haft_gelu_create, std::int32_t(tanh)); }
  static nn::Module silu() { return made<nn::Module>(haft_silu_create); }
  static nn::Module sigmoid() { return made<nn::Module>(haft_sigmoid_create); }
  static nn::Module tanh() { return made<nn::Module>(haft_tanh_create); }
  static nn::Module elu(double alpha) { return made<nn::Module>(haft_elu_create, alpha); }
  static nn::Module softplus(double beta, double threshold) {
    return made<nn::Module>(haft_softplus_create, beta, threshold);
  }
  static nn::Module hardswish() { return made<nn::Module>(haft_hardswish_create); }
  static nn::Module mish() { return made<nn::Module>(haft_mish_create); }
  static nn::Module softmax(std::int64_t dim) { return made<nn::Module>(haft_softmax_create, dim); }
  static nn::Module log_softmax(std::int64_t dim) { return made<nn::Module>(haft_log_softmax_create, dim); }
  static nn::Module identity() { return made<nn::Module>(haft_identity_create); }
  static nn::Module flatten(std::int64_t start_dim, std::int64_t end_dim) {
    return made<nn::Module>(haft_flatten_create, start_dim, end_dim);
  }
  static optim::Optimizer sgd(const std::vector<haft::Tensor>& params, double lr, double momentum,
                              double dampening, double weight_decay, bool nesterov, bool maximize) {
    auto handles = haft::detail::handles(params);
    haft_sgd_options o = HAFT_SGD_OPTIONS_INIT;
    o.lr = lr;
    o.momentum = momentum;
    o.dampening = dampening;
    o.weight_decay = weight_decay;
    o.nesterov = std::int32_t(nesterov);
    o.maximize = std::int32_t(maximize);
    return made<optim::Optimizer>(haft_sgd_create, handles.data(), static_cast<std::int64_t>(handles.size()),
                                  &o);
  }
  static optim::Optimizer adam(const std::vector<haft::Tensor>& params, double lr, double beta1, double beta2,
                               double eps, double weight_decay, bool amsgrad, bool maximize) {
    auto handles = haft::detail::handles(params);
    haft_adam_options o = HAFT_ADAM_OPTIONS_INIT;
    o.lr = lr;
    o.beta1 = beta1;
    o.beta2 = beta2;
    o.eps = eps;
    o.weight_decay = weight_decay;
    o.amsgrad = std::int32_t(amsgrad);
    o.maximize = std::int32_t(maximize);
    return made<optim::Optimizer>(haft_adam_create, handles.data(), static_cast<std::int64_t>(handles.size()),
                                  &o);
  }
  static optim::Optimizer adamw(const std::vector<haft::Tensor>& params, double lr, double beta1, double beta2,
                                double eps, double weight_decay, bool amsgrad, bool maximize) {
    auto handles = haft::detail::handles(params);
    haft_adam_options o = HAFT_ADAM_OPTIONS_INIT;
    o.lr = lr;
    o.beta1 = beta1;
    o.beta2 = beta2;
    o.eps = eps;
    o.weight_decay = weight_decay;
    o.amsgrad = std::int32_t(amsgrad);
    o.maximize = std::int32_t(maximize);
    return made<optim::Optimizer>(haft_adamw_create, handles.data(), static_cast<std::int64_t>(handles.size()),
                                  &o);
  }
  static optim::Scheduler step_lr(const haft::optim::Optimizer& optimizer, std::int64_t step_size,
                                  double gamma) {
    return made<optim::Scheduler>(haft_step_lr_create, optimizer.get(), step_size, gamma);
  }
  static optim::Scheduler multi_step_lr(const haft::optim::Optimizer& optimizer,
                                        const haft::IntArray& milestones, double gamma) {
    return made<optim::Scheduler>(haft_multi_step_lr_create, optimizer.get(), milestones.data(),
                                  milestones.size(), gamma);
  }
  static optim::Scheduler exponential_lr(const haft::optim::Optimizer& optimizer, double gamma) {
    return made<optim::Scheduler>(haft_exponential_lr_create, optimizer.get(), gamma);
  }
  static optim::Scheduler cosine_annealing_lr(const haft::optim::Optimizer& optimizer, std::int64_t t_max,
                                              double eta_min) {
    return made<optim::Scheduler>(haft_cosine_annealing_lr_create, optimizer.get(), t_max, eta_min);
  }
  static optim::Scheduler linear_lr(const haft::optim::Optimizer& optimizer, double start_factor,
                                    double end_factor, std::int64_t total_iters) {
    return made<optim::Scheduler>(haft_linear_lr_create, optimizer.get(), start_factor, end_factor,
                                  total_iters);
  }
};

}  // namespace bindings
}  // namespace haft
#endif
