// Normalisation: over the batch, over samples and groups of channels, over the last dimensions.
#include "core/nn/factories.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

// ---- running statistics ----

namespace {
enum { kRunningMean, kRunningVar, kBatches };
constexpr const char* kShapes[] = {"(N, C) or (N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)"};
}  // namespace

RunningNorm::RunningNorm(std::string type, int dims, const BatchNormOptions& options, const Build& build,
                         bool averages)
    : Module(std::move(type)), o_(options), dims_(dims) {
  check_size(o_.num_features, this->type().c_str(), "num_features");
  check_eps(o_.eps, this->type().c_str());
  if (!(o_.momentum <= 1 && (averages || o_.momentum >= 0)))
    fail(Code::invalid_argument,
         concat(this->type(), ": momentum must be in [0, 1]",
                averages ? ", or below 0 for plain averages" : "", ", got ", o_.momentum),
         {}, "momentum");
  const int64_t size[] = {o_.num_features};
  for (auto [name, value] : {std::pair{"weight", 1.0}, {"bias", 0.0}})
    register_parameter(
        name, o_.affine && (o_.bias || *name == 'w') ? constant_parameter(size, value, build) : Tensor());
  for (auto [name, value] : {std::pair{"running_mean", 0.0}, {"running_var", 1.0}})
    register_buffer(name, o_.track_running_stats ? constant_parameter(size, value, build) : Tensor());
  ScopedValue<bool> recorded(thread_state().inference, false);
  register_buffer("num_batches_tracked",
                  o_.track_running_stats ? ops::zeros({}, DType::i64, build.device) : Tensor());
}

void RunningNorm::reset_running_stats() {
  if (!o_.track_running_stats) return;
  NoGradGuard off;
  ops::fill_(buffer(kRunningMean), Scalar(0.0));
  ops::fill_(buffer(kRunningVar), Scalar(1.0));
  ops::fill_(buffer(kBatches), Scalar(0));
}

template <class F>
Tensor RunningNorm::updating(F&& run) {
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
  return run();
}

std::string RunningNorm::extra() const {
  return concat(o_.num_features, ", eps=", float_text(o_.eps),
                ", momentum=", o_.momentum < 0 ? std::string("None") : float_text(o_.momentum),
                ", affine=", flag_text(o_.affine), o_.affine && !o_.bias ? ", bias=False" : "",
                ", track_running_stats=", flag_text(o_.track_running_stats));
}

// ---- BatchNorm ----

BatchNorm::BatchNorm(int dims, const BatchNormOptions& options, const Build& build)
    : RunningNorm(concat("BatchNorm", dims, "d"), dims, options, build, true) {}

Tensor BatchNorm::forward(const Tensor& x) {
  const bool fits = x.ndim() == dims_ + 2 || (dims_ == 1 && x.ndim() == 2);
  if (!fits || x.size(1) != o_.num_features)
    fail(Code::shape,
         concat(type(), ": wanted x of shape ", kShapes[dims_ - 1], " with C = ", o_.num_features, ", got ",
                x.sizes()),
         {}, "x");
  if (!training() || !o_.track_running_stats) {
    // Without running statistics those of the batch serve in evaluation, too.
    return ops::batch_norm(x, parameter(0), parameter(1), buffer(kRunningMean), buffer(kRunningVar),
                           !o_.track_running_stats, o_.momentum, o_.eps);
  }
  return updating([&] {
    if (o_.momentum < 0) return forward_averaging(x);
    Tensor y = ops::batch_norm(x, parameter(0), parameter(1), buffer(kRunningMean), buffer(kRunningVar), true,
                               o_.momentum, o_.eps);
    ops::add_scalar_(buffer(kBatches), Scalar(1));
    return y;
  });
}

// How many batches there were is a tensor, so that nobody waits for a device: the statistics of this batch alone come
// first.
Tensor BatchNorm::forward_averaging(const Tensor& x) {
  const Tensor mean = ops::zeros_like(buffer(kRunningMean)), var = ops::zeros_like(buffer(kRunningVar));
  const Tensor y = ops::batch_norm(x, parameter(0), parameter(1), mean, var, true, 1.0, o_.eps);
  NoGradGuard off;
  ops::add_scalar_(buffer(kBatches), Scalar(1));
  const DType wide = mean.dtype() == DType::f64 ? DType::f64 : DType::f32;  // 16 bits cannot count far
  const Tensor part = ops::to(ops::rdiv_scalar(ops::cast(buffer(kBatches), wide), Scalar(1.0)), mean.dtype());
  ops::add_(buffer(kRunningMean), ops::mul(ops::sub(mean, buffer(kRunningMean)), part));
  ops::add_(buffer(kRunningVar), ops::mul(ops::sub(var, buffer(kRunningVar)), part));
  return y;
}

#define HAFT_BATCH_NORM(n)                                                                           \
  Ref<Module> batch_norm##n##d(int64_t num_features, double eps, double momentum, bool affine,       \
                               bool track_running_stats, bool bias, const Build& build) {            \
    return make_ref<BatchNorm>(                                                                      \
        n, BatchNormOptions{num_features, eps, momentum, affine, track_running_stats, bias}, build); \
  }
HAFT_BATCH_NORM(1)
HAFT_BATCH_NORM(2)
HAFT_BATCH_NORM(3)

// ---- InstanceNorm ----

namespace {

// Of (N, C, *) or (C, *). Its running statistics are means over the batch, which nothing counts: as PyTorch.
class InstanceNorm final : public RunningNorm {
 public:
  InstanceNorm(int dims, const BatchNormOptions& options, const Build& build)
      : RunningNorm(concat("InstanceNorm", dims, "d"), dims, options, build, false) {}

  Tensor forward(const Tensor& input) override {
    const bool single = input.ndim() == dims_ + 1;
    if ((!single && input.ndim() != dims_ + 2) || input.size(single ? 0 : 1) != o_.num_features)
      fail(Code::shape,
           concat(type(), ": wanted x of ", dims_ + 1, " or ", dims_ + 2, " dimensions with ",
                  o_.num_features, " channels, got shape ", input.sizes()),
           {}, "x");
    const Tensor x = single ? ops::unsqueeze(input, 0) : input;
    auto run = [&](bool by_input) {
      return ops::instance_norm(x, parameter(0), parameter(1), buffer(kRunningMean), buffer(kRunningVar),
                                by_input, o_.momentum, o_.eps);
    };
    const bool by_input = training() || !o_.track_running_stats;
    const Tensor y = by_input && o_.track_running_stats ? updating([&] { return run(true); }) : run(by_input);
    return single ? ops::squeeze(y, 0) : y;
  }
};

class GroupNorm final : public Module {
  int64_t groups_, channels_;
  double eps_;
  bool affine_;

 public:
  GroupNorm(int64_t groups, int64_t channels, double eps, bool affine, bool bias, const Build& build)
      : Module("GroupNorm"), groups_(groups), channels_(channels), eps_(eps), affine_(affine) {
    check_size(groups, "GroupNorm", "num_groups", 1);
    check_size(channels, "GroupNorm", "num_channels");
    check_eps(eps, "GroupNorm");
    if (channels % groups)
      fail(Code::invalid_argument,
           concat("GroupNorm: num_groups must divide num_channels, got ", groups, " groups and ", channels,
                  " channels"),
           {}, "num_groups");
    register_parameter("weight", affine ? constant_parameter(Shape{channels}, 1, build) : Tensor());
    register_parameter("bias", affine && bias ? constant_parameter(Shape{channels}, 0, build) : Tensor());
  }
  Tensor forward(const Tensor& x) override {
    if (x.ndim() < 2 || x.size(1) != channels_)
      fail(Code::shape,
           concat("GroupNorm: wanted x of shape (N, C, *) with C = ", channels_, ", got ", x.sizes()), {},
           "x");
    return ops::group_norm(x, groups_, parameter(0), parameter(1), eps_);
  }
  std::string extra() const override {
    return concat(groups_, ", ", channels_, ", eps=", float_text(eps_), ", affine=", flag_text(affine_),
                  affine_ && !parameter(1) ? ", bias=False" : "");
  }
};

class RMSNorm final : public Module {
  Shape shape_;
  double eps_;
  bool affine_;

 public:
  RMSNorm(IntList shape, double eps, bool affine, const Build& build)
      : Module("RMSNorm"), shape_(shape), eps_(eps), affine_(affine) {
    if (shape.empty())
      fail(Code::invalid_argument, "RMSNorm: normalized_shape must name at least one dimension", {},
           "normalized_shape");
    for (int64_t n : shape) check_size(n, "RMSNorm", "normalized_shape");
    if (!(eps < std::numeric_limits<double>::infinity()))
      fail(Code::invalid_argument, concat("RMSNorm: eps must be finite, got ", eps), {}, "eps");
    register_parameter("weight", affine ? constant_parameter(shape, 1, build) : Tensor());
  }
  Tensor forward(const Tensor& x) override { return ops::rms_norm(x, shape_, parameter(0), eps_); }
  std::string extra() const override {
    return concat(tuple_text(shape_), ", eps=", eps_ < 0 ? std::string("None") : float_text(eps_),
                  ", elementwise_affine=", flag_text(affine_));
  }
};

}  // namespace

#define HAFT_INSTANCE_NORM(n)                                                                        \
  Ref<Module> instance_norm##n##d(int64_t num_features, double eps, double momentum, bool affine,    \
                                  bool track_running_stats, bool bias, const Build& build) {         \
    return make_ref<InstanceNorm>(                                                                   \
        n, BatchNormOptions{num_features, eps, momentum, affine, track_running_stats, bias}, build); \
  }
HAFT_INSTANCE_NORM(1)
HAFT_INSTANCE_NORM(2)
HAFT_INSTANCE_NORM(3)

Ref<Module> group_norm(int64_t num_groups, int64_t num_channels, double eps, bool affine, bool bias,
                       const Build& build) {
  return make_ref<GroupNorm>(num_groups, num_channels, eps, affine, bias, build);
}
Ref<Module> rms_norm(IntList normalized_shape, double eps, bool elementwise_affine, const Build& build) {
  return make_ref<RMSNorm>(normalized_shape, eps, elementwise_affine, build);
}

// ---- LayerNorm ----

Ref<Module> layer_norm(IntList normalized_shape, double eps, bool elementwise_affine, bool bias,
                       const Build& build) {
  return make_ref<LayerNorm>(normalized_shape, eps, elementwise_affine, bias, build);
}

LayerNorm::LayerNorm(IntList shape, double eps, bool affine, bool bias, const Build& build)
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
  return concat(tuple_text(shape_), ", eps=", float_text(eps_), ", elementwise_affine=", flag_text(affine_),
                affine_ && !parameter(1) ? ", bias=False" : "");
}

}  // namespace haft::nn
