#include "core/nn/functional.h"

#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

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

using Unary = Tensor (*)(const Tensor&);

// Whole numbers print without a point, as a Python program that passed an int sees them.
std::string number_text(double v) { return concat(v); }

void check_pool(Pool2dOptions& o, const char* type) {
  for (int i = 0; i < 2; ++i) {
    if (o.kernel_size[i] < 1)
      fail(Code::invalid_argument,
           concat(type, ": kernel_size must be at least 1, got ", IntList(o.kernel_size)), {}, "kernel_size");
    if (o.stride[i] == 0) o.stride[i] = o.kernel_size[i];
    if (o.stride[i] < 0)
      fail(Code::invalid_argument, concat(type, ": stride must be at least 1, got ", IntList(o.stride)), {},
           "stride");
    if (o.padding[i] < 0 || o.padding[i] > o.kernel_size[i] / 2)
      fail(Code::invalid_argument,
           concat(type, ": padding must be between 0 and half the kernel, got ", IntList(o.padding),
                  " for kernel ", IntList(o.kernel_size)),
           {}, "padding");
    if (o.dilation[i] < 1)
      fail(Code::invalid_argument, concat(type, ": dilation must be at least 1, got ", IntList(o.dilation)),
           {}, "dilation");
  }
}

}  // namespace

Ref<Module> identity() {
  return function("Identity", "", [](const Tensor& x) { return x; });
}
Ref<Module> relu() { return function("ReLU", "", Unary(ops::relu)); }
Ref<Module> silu() { return function("SiLU", "", Unary(ops::silu)); }
Ref<Module> sigmoid() { return function("Sigmoid", "", Unary(ops::sigmoid)); }
Ref<Module> tanh() { return function("Tanh", "", Unary(ops::tanh)); }
Ref<Module> hardswish() { return function("Hardswish", "", Unary(ops::hardswish)); }
Ref<Module> mish() { return function("Mish", "", Unary(ops::mish)); }

Ref<Module> leaky_relu(double slope) {
  return function("LeakyReLU", concat("negative_slope=", float_text(slope)),
                  [slope](const Tensor& x) { return ops::leaky_relu(x, slope); });
}
Ref<Module> gelu(bool tanh) {
  return function("GELU", tanh ? "approximate='tanh'" : "approximate='none'",
                  [tanh](const Tensor& x) { return ops::gelu(x, tanh); });
}
Ref<Module> elu(double alpha) {
  return function("ELU", concat("alpha=", float_text(alpha)),
                  [alpha](const Tensor& x) { return ops::elu(x, alpha); });
}
Ref<Module> softplus(double beta, double threshold) {
  if (!(beta > 0))
    fail(Code::invalid_argument, concat("Softplus: beta must be above 0, got ", beta), {}, "beta");
  return function("Softplus", concat("beta=", number_text(beta), ", threshold=", number_text(threshold)),
                  [=](const Tensor& x) { return ops::softplus(x, beta, threshold); });
}
Ref<Module> softmax(int64_t dim) {
  return function("Softmax", concat("dim=", dim), [dim](const Tensor& x) { return ops::softmax(x, dim); });
}
Ref<Module> log_softmax(int64_t dim) {
  return function("LogSoftmax", concat("dim=", dim),
                  [dim](const Tensor& x) { return ops::log_softmax(x, dim); });
}
Ref<Module> flatten(int64_t start, int64_t end) {
  return function("Flatten", concat("start_dim=", start, ", end_dim=", end),
                  [=](const Tensor& x) { return ops::flatten(x, start, end); });
}

Ref<Module> max_pool2d(Pool2dOptions o) {
  check_pool(o, "MaxPool2d");
  if (!o.count_include_pad)
    fail(Code::invalid_argument, "MaxPool2d: count_include_pad is of average pooling", {},
         "count_include_pad");
  return function("MaxPool2d",
                  concat("kernel_size=", pair_text(o.kernel_size), ", stride=", pair_text(o.stride),
                         ", padding=", pair_text(o.padding), ", dilation=", pair_text(o.dilation),
                         ", ceil_mode=", flag_text(o.ceil_mode)),
                  [o](const Tensor& x) {
                    return ops::max_pool2d(x, o.kernel_size, o.stride, o.padding, o.dilation, o.ceil_mode);
                  });
}

Ref<Module> avg_pool2d(Pool2dOptions o) {
  check_pool(o, "AvgPool2d");
  if (o.dilation != Pair{1, 1})
    fail(Code::invalid_argument, "AvgPool2d: dilation is of max pooling", {}, "dilation");
  return function("AvgPool2d",
                  concat("kernel_size=", pair_text(o.kernel_size), ", stride=", pair_text(o.stride),
                         ", padding=", pair_text(o.padding)),
                  [o](const Tensor& x) {
                    return ops::avg_pool2d(x, o.kernel_size, o.stride, o.padding, o.ceil_mode,
                                           o.count_include_pad);
                  });
}

Ref<Module> adaptive_avg_pool2d(Pair size) {
  if (size[0] < 1 || size[1] < 1)
    fail(Code::invalid_argument,
         concat("AdaptiveAvgPool2d: output_size must be at least 1, got ", IntList(size)), {}, "output_size");
  return function("AdaptiveAvgPool2d", concat("output_size=", pair_text(size)),
                  [size](const Tensor& x) { return ops::adaptive_avg_pool2d(x, size); });
}

}  // namespace haft::nn
