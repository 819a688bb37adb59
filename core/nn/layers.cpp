#include "core/nn/layers.h"

#include "core/nn/factories.h"
#include "core/nn/init.h"
#include "core/nn/padding.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

void check_size(int64_t v, const char* module, const char* name, int64_t least = 0) {
  if (v < least)
    fail(Code::invalid_argument, concat(module, ": ", name, " must be at least ", least, ", got ", v), {},
         name);
}
void check_pair(const Pair& v, const char* module, const char* name, int64_t least) {
  if (v[0] < least || v[1] < least)
    fail(Code::invalid_argument,
         concat(module, ": ", name, " must be at least ", least, ", got ", IntList(v)), {}, name);
}
void check_eps(double eps, const char* module) {
  if (!(eps >= 0) || std::isinf(eps))
    fail(Code::invalid_argument, concat(module, ": eps must be a number from 0 up, got ", eps), {}, "eps");
}

// PyTorch's default for linear layers and convolutions: with a = sqrt(5) the bound is 1 / sqrt(fan in), which
// the bias takes as well.
void init_weight_and_bias(const Tensor& weight, const Tensor& bias, Generator* gen) {
  if (weight.numel()) kaiming_uniform_(weight, std::sqrt(5.0), Fan::in, Nonlinearity::leaky_relu, gen);
  if (!bias) return;
  int64_t fan_in = fans(weight).in;
  double bound = fan_in > 0 ? 1 / std::sqrt(double(fan_in)) : 0;
  uniform_(bias, -bound, bound, gen);
}

Tensor constant_parameter(IntList sizes, double value, const Build& b) {
  Tensor t = new_parameter(sizes, b.dtype, b.device);
  constant_(t, value);
  return t;
}

}  // namespace

// ---- Linear ----

Ref<Module> linear(int64_t in_features, int64_t out_features, bool bias, const Build& build) {
  return make_ref<Linear>(in_features, out_features, bias, build);
}

Linear::Linear(int64_t in_features, int64_t out_features, bool bias, const Build& build, const char* type)
    : Module(type), in_(in_features), out_(out_features) {
  check_size(in_, "Linear", "in_features");
  check_size(out_, "Linear", "out_features");
  const int64_t size[] = {out_, in_};
  Tensor w = new_parameter(size, build.dtype, build.device);
  Tensor b = bias ? new_parameter({size, 1}, build.dtype, build.device) : Tensor();
  init_weight_and_bias(w, b, build.generator);
  register_parameter("weight", std::move(w));
  register_parameter("bias", std::move(b));
}

Tensor Linear::forward(const Tensor& x) { return ops::linear(x, parameter(0), parameter(1)); }

std::string Linear::extra() const {
  return concat("in_features=", in_, ", out_features=", out_, ", bias=", flag_text(parameter(1).defined()));
}

// ---- Conv2d ----

Ref<Module> conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Pair stride, Pair padding, Pair dilation,
                   int64_t groups, bool bias, PaddingMode padding_mode, const Build& build) {
  return make_ref<Conv2d>(
      Conv2dOptions{in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode}, build);
}

Conv2d::Conv2d(const Conv2dOptions& options, const Build& build) : Module("Conv2d"), o_(options) {
  check_size(o_.in_channels, "Conv2d", "in_channels", 1);
  check_size(o_.out_channels, "Conv2d", "out_channels", 1);
  check_pair(o_.kernel_size, "Conv2d", "kernel_size", 1);
  check_pair(o_.stride, "Conv2d", "stride", 1);
  check_pair(o_.padding, "Conv2d", "padding", 0);
  check_pair(o_.dilation, "Conv2d", "dilation", 1);
  check_size(o_.groups, "Conv2d", "groups", 1);
  if (o_.in_channels % o_.groups || o_.out_channels % o_.groups)
    fail(Code::invalid_argument,
         concat("Conv2d: groups must divide in_channels and out_channels, got ", o_.groups, " groups, ",
                o_.in_channels, " and ", o_.out_channels, " channels"),
         {}, "groups");
  const int64_t size[] = {o_.out_channels, o_.in_channels / o_.groups, o_.kernel_size[0], o_.kernel_size[1]};
  Tensor w = new_parameter(size, build.dtype, build.device);
  Tensor b = o_.bias ? new_parameter({size, 1}, build.dtype, build.device) : Tensor();
  init_weight_and_bias(w, b, build.generator);
  register_parameter("weight", std::move(w));
  register_parameter("bias", std::move(b));
}

Tensor Conv2d::forward(const Tensor& x) {
  if (o_.padding_mode != PaddingMode::zeros)
    return ops::conv2d(pad_edges(x, o_.padding, o_.padding_mode), parameter(0), parameter(1), o_.stride, Pair{0, 0},
                       o_.dilation, o_.groups);
  return ops::conv2d(x, parameter(0), parameter(1), o_.stride, o_.padding, o_.dilation, o_.groups);
}

std::string Conv2d::extra() const {
  std::string s = concat(o_.in_channels, ", ", o_.out_channels, ", kernel_size=", tuple_text(o_.kernel_size),
                         ", stride=", tuple_text(o_.stride));
  if (o_.padding != Pair{0, 0}) s += ", padding=" + tuple_text(o_.padding);
  if (o_.dilation != Pair{1, 1}) s += ", dilation=" + tuple_text(o_.dilation);
  if (o_.groups != 1) s += concat(", groups=", o_.groups);
  if (!o_.bias) s += ", bias=False";
  if (o_.padding_mode != PaddingMode::zeros) s += concat(", padding_mode=", padding_mode_name(o_.padding_mode));
  return s;
}

// ---- BatchNorm ----

Ref<Module> batch_norm1d(int64_t num_features, double eps, double momentum, bool affine, bool track_running_stats,
                         const Build& build) {
  return make_ref<BatchNorm>(1, BatchNormOptions{num_features, eps, momentum, affine, track_running_stats}, build);
}
Ref<Module> batch_norm2d(int64_t num_features, double eps, double momentum, bool affine, bool track_running_stats,
                         const Build& build) {
  return make_ref<BatchNorm>(2, BatchNormOptions{num_features, eps, momentum, affine, track_running_stats}, build);
}

namespace {
enum { kRunningMean, kRunningVar, kBatches };
}

BatchNorm::BatchNorm(int dims, const BatchNormOptions& options, const Build& build)
    : Module(dims == 1 ? "BatchNorm1d" : "BatchNorm2d"), o_(options), dims_(dims) {
  check_size(o_.num_features, type().c_str(), "num_features");
  check_eps(o_.eps, type().c_str());
  if (!(o_.momentum >= 0 && o_.momentum <= 1))
    fail(Code::invalid_argument, concat(type(), ": momentum must be in [0, 1], got ", o_.momentum), {},
         "momentum");
  const int64_t size[] = {o_.num_features};
  for (auto [name, value] : {std::pair{"weight", 1.0}, {"bias", 0.0}})
    register_parameter(name, o_.affine ? constant_parameter(size, value, build) : Tensor());
  for (auto [name, value] : {std::pair{"running_mean", 0.0}, {"running_var", 1.0}})
    register_buffer(name, o_.track_running_stats ? constant_parameter(size, value, build) : Tensor());
  ScopedValue<bool> recorded(thread_state().inference, false);
  register_buffer("num_batches_tracked",
                  o_.track_running_stats ? ops::zeros({}, DType::i64, build.device) : Tensor());
}

Tensor BatchNorm::forward(const Tensor& x) {
  bool fits = dims_ == 2 ? x.ndim() == 4 : x.ndim() == 2 || x.ndim() == 3;
  if (!fits || x.size(1) != o_.num_features)
    fail(Code::shape,
         concat(type(), ": wanted x of shape ", dims_ == 2 ? "(N, C, H, W)" : "(N, C) or (N, C, L)",
                " with C = ", o_.num_features, ", got ", x.sizes()),
         {}, "x");
  if (!training() || !o_.track_running_stats) {
    // Without running statistics those of the batch serve in evaluation, too.
    return ops::batch_norm(x, parameter(0), parameter(1), buffer(kRunningMean), buffer(kRunningVar),
                           !o_.track_running_stats, o_.momentum, o_.eps);
  }
  const bool is_own = is_own_buffer(kRunningMean);
  if (is_own && updating_.exchange(true, std::memory_order_acquire))
    fail(Code::busy,
         concat("another thread is training through this ", type(), ", whose running statistics would mix"),
         "train from one thread at a time, or call haft_module_train(m, 0) for inference");
  struct Done {
    std::atomic<bool>* flag;
    ~Done() {
      if (flag) flag->store(false, std::memory_order_release);
    }
  } done{is_own ? &updating_ : nullptr};
  Tensor y = ops::batch_norm(x, parameter(0), parameter(1), buffer(kRunningMean), buffer(kRunningVar), true,
                             o_.momentum, o_.eps);
  ops::add_scalar_(buffer(kBatches), Scalar(1));
  return y;
}

std::string BatchNorm::extra() const {
  return concat(o_.num_features, ", eps=", float_text(o_.eps), ", momentum=", float_text(o_.momentum),
                ", affine=", flag_text(o_.affine),
                ", track_running_stats=", flag_text(o_.track_running_stats));
}

// ---- LayerNorm ----

Ref<Module> layer_norm(IntList normalized_shape, double eps, bool elementwise_affine, const Build& build) {
  return make_ref<LayerNorm>(normalized_shape, eps, elementwise_affine, build);
}

LayerNorm::LayerNorm(IntList shape, double eps, bool affine, const Build& build, bool bias)
    : Module("LayerNorm"), shape_(shape), eps_(eps), affine_(affine) {
  if (shape.empty())
    fail(Code::invalid_argument, "LayerNorm: normalized_shape must name at least one dimension", {},
         "normalized_shape");
  for (int64_t n : shape) check_size(n, "LayerNorm", "normalized_shape");
  check_eps(eps, "LayerNorm");
  register_parameter("weight", affine ? constant_parameter(shape, 1, build) : Tensor());
  register_parameter("bias", affine && bias ? constant_parameter(shape, 0, build) : Tensor());
}

Tensor LayerNorm::forward(const Tensor& x) {
  return ops::layer_norm(x, shape_, parameter(0), parameter(1), eps_);
}

std::string LayerNorm::extra() const {
  return concat(tuple_text(shape_), ", eps=", float_text(eps_), ", elementwise_affine=", flag_text(affine_));
}

// ---- PReLU ----

Ref<Module> prelu(int64_t num_parameters, double init, const Build& build) {
  return make_ref<PReLU>(num_parameters, init, build);
}

PReLU::PReLU(int64_t num_parameters, double init, const Build& build) : Module("PReLU") {
  check_size(num_parameters, "PReLU", "num_parameters", 1);
  register_parameter("weight", constant_parameter({&num_parameters, 1}, init, build));
}

Tensor PReLU::forward(const Tensor& x) { return ops::prelu(x, parameter(0)); }

std::string PReLU::extra() const { return concat("num_parameters=", parameter(0).numel()); }

// ---- Dropout ----

Ref<Module> dropout(double p, Generator* generator) {
  return make_ref<Dropout>(p, Ref<Generator>::share(generator));
}

Dropout::Dropout(double p, Ref<Generator> generator)
    : Module("Dropout"), p_(p), generator_(std::move(generator)) {
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat("Dropout: p must be in [0, 1], got ", p), {}, "p");
}

Tensor Dropout::forward(const Tensor& x) {
  if (!training()) return x;
  return ops::dropout(x, p_, true, generator_.get());
}

std::string Dropout::extra() const { return concat("p=", float_text(p_), ", inplace=False"); }

// ---- Embedding ----

Ref<Module> embedding(int64_t num_embeddings, int64_t embedding_dim, int64_t padding_idx, const Build& build) {
  return make_ref<Embedding>(num_embeddings, embedding_dim, padding_idx, build);
}

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, int64_t padding_idx, const Build& build)
    : Module("Embedding"), rows_(num_embeddings), dim_(embedding_dim), padding_(padding_idx) {
  check_size(rows_, "Embedding", "num_embeddings");
  check_size(dim_, "Embedding", "embedding_dim");
  if (padding_ != kNone) {
    if (padding_ < -rows_ || padding_ >= rows_)
      fail(Code::index,
           concat("Embedding: padding_idx must be in [", -rows_, ", ", rows_ - 1, "], got ", padding_), {},
           "padding_idx");
    if (padding_ < 0) padding_ += rows_;
  }
  const int64_t size[] = {rows_, dim_};
  Tensor w = new_parameter(size, build.dtype, build.device);
  normal_(w, 0, 1, build.generator);
  if (padding_ != kNone) {
    NoGradGuard off;
    constant_(ops::select(w, 0, padding_), 0);
  }
  register_parameter("weight", std::move(w));
}

Tensor Embedding::forward(const Tensor& x) {
  return ops::embedding(parameter(0), x, padding_ == kNone ? -1 : padding_);
}

std::string Embedding::extra() const {
  return padding_ == kNone ? concat(rows_, ", ", dim_)
                           : concat(rows_, ", ", dim_, ", padding_idx=", padding_);
}

}  // namespace haft::nn
