// Modules: one function a kind, and initial values.
#include <haft/nn.h>

#include "capi/src/module_handle.h"
#include "core/nn/containers.h"
#include "core/nn/functional.h"
#include "core/nn/init.h"

using namespace haft;
using namespace haft::capi;

namespace {

using nn::Pair;

template <class F>
haft_status create(const char* function, haft_module** out, int out_index, F&& make) noexcept {
  return boundary(function, [&] {
    check_out(out, out_index, "out");
    *out = hand_out_module(make());
  });
}

template <class T>
void check_options(const T* options) {
  if (!options)
    fail_argument(Code::invalid_argument, "options is NULL", 0, "options",
                  "fill the struct with its _INIT macro and set the fields that have no default");
}

nn::Build build_of(haft_dtype dtype, int dtype_index, haft_device device, haft_generator* generator,
                   int generator_index) {
  return {.dtype = to_dtype(dtype, dtype_index, "dtype"),
          .device = to_device(device, dtype_index + 1, "device"),
          .generator = to_generator(generator, generator_index, "generator")};
}

Pair pair_of(const int64_t v[2]) { return {v[0], v[1]}; }

std::vector<Ref<nn::Module>> module_list(haft_module* const* modules, int64_t count, int index) {
  if (count < 0 || (count && !modules))
    fail_argument(Code::invalid_argument,
                  concat("modules must be an array of count >= 0 handles, got ",
                         modules ? "count " : "NULL with count ", count),
                  index, "modules");
  std::vector<Ref<nn::Module>> list;
  for (int64_t i = 0; i < count; ++i) list.push_back(module_arg(modules[i], index, "modules"));
  return list;
}

Ref<nn::Module> batch_norm(int dims, const haft_batch_norm_options* options) {
  check_options(options);
  auto o = options_of(options, haft_batch_norm_options HAFT_BATCH_NORM_OPTIONS_INIT, 0);
  check_reserved(o.reserved, 0);
  nn::BatchNormOptions b{
      .num_features = o.num_features,
      .eps = o.eps,
      .momentum = o.momentum,
      .affine = to_bool(o.affine, 0, "options.affine"),
      .track_running_stats = to_bool(o.track_running_stats, 0, "options.track_running_stats")};
  return make_ref<nn::BatchNorm>(dims, b, build_of(o.dtype, 0, o.device, nullptr, 0));
}

nn::Pool2dOptions pool_options(const haft_pool2d_options* options) {
  check_options(options);
  auto o = options_of(options, haft_pool2d_options HAFT_POOL2D_OPTIONS_INIT, 0);
  check_reserved(o.reserved, 0);
  return {.kernel_size = pair_of(o.kernel_size),
          .stride = pair_of(o.stride),
          .padding = pair_of(o.padding),
          .dilation = pair_of(o.dilation),
          .ceil_mode = to_bool(o.ceil_mode, 0, "options.ceil_mode"),
          .count_include_pad = to_bool(o.count_include_pad, 0, "options.count_include_pad")};
}

nn::Fan fan_of(int32_t mode) {
  if (mode != HAFT_FAN_IN && mode != HAFT_FAN_OUT)
    fail_argument(Code::invalid_argument, concat("mode is ", mode, ", wanted one of HAFT_FAN_*"), 2, "mode");
  return nn::Fan(mode);
}
nn::Nonlinearity nonlinearity_of(int32_t n) {
  if (n < 0 || n > HAFT_NONLINEARITY_SELU)
    fail_argument(Code::invalid_argument,
                  concat("nonlinearity is ", n, ", wanted one of HAFT_NONLINEARITY_*"), 3, "nonlinearity");
  return nn::Nonlinearity(n);
}

}  // namespace

extern "C" {

haft_status haft_linear_create(int64_t in_features, int64_t out_features, int32_t bias,
                               haft_generator* generator, haft_dtype dtype, haft_device device,
                               haft_module** out) noexcept {
  return create("haft_linear_create", out, 6, [&] {
    return make_ref<nn::Linear>(in_features, out_features, to_bool(bias, 2, "bias"),
                                build_of(dtype, 4, device, generator, 3));
  });
}

haft_status haft_conv2d_create(const haft_conv2d_options* options, haft_module** out) noexcept {
  return create("haft_conv2d_create", out, 1, [&] {
    check_options(options);
    auto o = options_of(options, haft_conv2d_options HAFT_CONV2D_OPTIONS_INIT, 0);
    check_reserved(o.reserved, 0);
    if (o.padding_mode < 0 || o.padding_mode > HAFT_PADDING_CIRCULAR)
      fail_argument(Code::invalid_argument,
                    concat("options.padding_mode is ", o.padding_mode, ", wanted one of HAFT_PADDING_*"), 0,
                    "options");
    nn::Conv2dOptions c{.in_channels = o.in_channels,
                        .out_channels = o.out_channels,
                        .kernel_size = pair_of(o.kernel_size),
                        .stride = pair_of(o.stride),
                        .padding = pair_of(o.padding),
                        .dilation = pair_of(o.dilation),
                        .groups = o.groups,
                        .bias = to_bool(o.bias, 0, "options.bias"),
                        .padding_mode = nn::PaddingMode(o.padding_mode)};
    return make_ref<nn::Conv2d>(c, build_of(o.dtype, 0, o.device, o.generator, 0));
  });
}

haft_status haft_batch_norm1d_create(const haft_batch_norm_options* options, haft_module** out) noexcept {
  return create("haft_batch_norm1d_create", out, 1, [&] { return batch_norm(1, options); });
}

haft_status haft_batch_norm2d_create(const haft_batch_norm_options* options, haft_module** out) noexcept {
  return create("haft_batch_norm2d_create", out, 1, [&] { return batch_norm(2, options); });
}

haft_status haft_layer_norm_create(const int64_t* shape, int64_t shape_count, double eps, int32_t affine,
                                   haft_dtype dtype, haft_device device, haft_module** out) noexcept {
  return create("haft_layer_norm_create", out, 6, [&] {
    return make_ref<nn::LayerNorm>(int_list(shape, shape_count, 0, "shape"), eps,
                                   to_bool(affine, 3, "affine"), build_of(dtype, 4, device, nullptr, 0));
  });
}

haft_status haft_dropout_create(double p, haft_generator* generator, haft_module** out) noexcept {
  return create("haft_dropout_create", out, 2, [&] {
    return make_ref<nn::Dropout>(p, Ref<Generator>::share(to_generator(generator, 1, "generator")));
  });
}

haft_status haft_embedding_create(int64_t num_embeddings, int64_t embedding_dim, int64_t padding_idx,
                                  haft_generator* generator, haft_dtype dtype, haft_device device,
                                  haft_module** out) noexcept {
  return create("haft_embedding_create", out, 6, [&] {
    return make_ref<nn::Embedding>(num_embeddings, embedding_dim, padding_idx,
                                   build_of(dtype, 4, device, generator, 3));
  });
}

haft_status haft_max_pool2d_create(const haft_pool2d_options* options, haft_module** out) noexcept {
  return create("haft_max_pool2d_create", out, 1, [&] { return nn::max_pool2d(pool_options(options)); });
}
haft_status haft_avg_pool2d_create(const haft_pool2d_options* options, haft_module** out) noexcept {
  return create("haft_avg_pool2d_create", out, 1, [&] { return nn::avg_pool2d(pool_options(options)); });
}
haft_status haft_adaptive_avg_pool2d_create(int64_t height, int64_t width, haft_module** out) noexcept {
  return create("haft_adaptive_avg_pool2d_create", out, 2, [&] {
    return nn::adaptive_avg_pool2d({height, width});
  });
}

haft_status haft_relu_create(haft_module** out) noexcept {
  return create("haft_relu_create", out, 0, nn::relu);
}
haft_status haft_leaky_relu_create(double negative_slope, haft_module** out) noexcept {
  return create("haft_leaky_relu_create", out, 1, [&] { return nn::leaky_relu(negative_slope); });
}
haft_status haft_gelu_create(int32_t tanh, haft_module** out) noexcept {
  return create("haft_gelu_create", out, 1, [&] { return nn::gelu(to_bool(tanh, 0, "tanh")); });
}
haft_status haft_silu_create(haft_module** out) noexcept {
  return create("haft_silu_create", out, 0, nn::silu);
}
haft_status haft_sigmoid_create(haft_module** out) noexcept {
  return create("haft_sigmoid_create", out, 0, nn::sigmoid);
}
haft_status haft_tanh_create(haft_module** out) noexcept {
  return create("haft_tanh_create", out, 0, nn::tanh);
}
haft_status haft_elu_create(double alpha, haft_module** out) noexcept {
  return create("haft_elu_create", out, 1, [&] { return nn::elu(alpha); });
}
haft_status haft_softplus_create(double beta, double threshold, haft_module** out) noexcept {
  return create("haft_softplus_create", out, 2, [&] { return nn::softplus(beta, threshold); });
}
haft_status haft_hardswish_create(haft_module** out) noexcept {
  return create("haft_hardswish_create", out, 0, nn::hardswish);
}
haft_status haft_mish_create(haft_module** out) noexcept {
  return create("haft_mish_create", out, 0, nn::mish);
}
haft_status haft_softmax_create(int64_t dim, haft_module** out) noexcept {
  return create("haft_softmax_create", out, 1, [&] { return nn::softmax(dim); });
}
haft_status haft_log_softmax_create(int64_t dim, haft_module** out) noexcept {
  return create("haft_log_softmax_create", out, 1, [&] { return nn::log_softmax(dim); });
}
haft_status haft_identity_create(haft_module** out) noexcept {
  return create("haft_identity_create", out, 0, nn::identity);
}
haft_status haft_flatten_create(int64_t start_dim, int64_t end_dim, haft_module** out) noexcept {
  return create("haft_flatten_create", out, 2, [&] { return nn::flatten(start_dim, end_dim); });
}

haft_status haft_sequential_create(haft_module* const* modules, int64_t count, haft_module** out) noexcept {
  return create("haft_sequential_create", out, 2,
                [&] { return make_ref<nn::Sequential>(module_list(modules, count, 0)); });
}
haft_status haft_module_list_create(haft_module* const* modules, int64_t count, haft_module** out) noexcept {
  return create("haft_module_list_create", out, 2,
                [&] { return make_ref<nn::ModuleList>(module_list(modules, count, 0)); });
}
haft_status haft_module_dict_create(const char* const* names, haft_module* const* modules, int64_t count,
                                    haft_module** out) noexcept {
  return create("haft_module_dict_create", out, 3, [&] {
    auto list = module_list(modules, count, 1);
    if (count && !names)
      fail_argument(Code::invalid_argument, "names is NULL, wanted a name for each module", 0, "names");
    std::vector<nn::NamedModule> named;
    for (size_t i = 0; i < list.size(); ++i)
      named.push_back({std::string(to_text(names[i], 0, "names")), std::move(list[i])});
    return make_ref<nn::ModuleDict>(named);
  });
}

// ---- initial values ----

#define HAFT_INIT(name, parameters, generator_index, ...)                     \
  haft_status name parameters noexcept {                                      \
    return boundary(#name, [&] {                                              \
      const Tensor& x = arg(t, 0, "t");                                       \
      Generator* gen = to_generator(generator, generator_index, "generator"); \
      __VA_ARGS__;                                                            \
    });                                                                       \
  }
HAFT_INIT(haft_init_uniform, (haft_tensor * t, double low, double high, haft_generator* generator), 3,
          nn::uniform_(x, low, high, gen))
HAFT_INIT(haft_init_normal, (haft_tensor * t, double mean, double std, haft_generator* generator), 3,
          nn::normal_(x, mean, std, gen))
HAFT_INIT(haft_init_trunc_normal,
          (haft_tensor * t, double mean, double std, double low, double high, haft_generator* generator), 5,
          nn::trunc_normal_(x, mean, std, low, high, gen))
HAFT_INIT(haft_init_xavier_uniform, (haft_tensor * t, double gain, haft_generator* generator), 2,
          nn::xavier_uniform_(x, gain, gen))
HAFT_INIT(haft_init_xavier_normal, (haft_tensor * t, double gain, haft_generator* generator), 2,
          nn::xavier_normal_(x, gain, gen))
HAFT_INIT(haft_init_kaiming_uniform,
          (haft_tensor * t, double a, int32_t mode, int32_t nonlinearity, haft_generator* generator), 4,
          nn::kaiming_uniform_(x, a, fan_of(mode), nonlinearity_of(nonlinearity), gen))
HAFT_INIT(haft_init_kaiming_normal,
          (haft_tensor * t, double a, int32_t mode, int32_t nonlinearity, haft_generator* generator), 4,
          nn::kaiming_normal_(x, a, fan_of(mode), nonlinearity_of(nonlinearity), gen))
HAFT_INIT(haft_init_orthogonal, (haft_tensor * t, double gain, haft_generator* generator), 2,
          nn::orthogonal_(x, gain, gen))
#undef HAFT_INIT

haft_status haft_init_constant(haft_tensor* t, double value) noexcept {
  return boundary("haft_init_constant", [&] { nn::constant_(arg(t, 0, "t"), value); });
}

}  // extern "C"
