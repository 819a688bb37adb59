// Layers without parameters that are more than one operator: windows, and what PyTorch prints otherwise.
#include "core/nn/factories.h"
#include "core/nn/function_module.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"
#include "core/schema/module_text.h"

namespace haft::nn {

void check_range(const char* type, const char* name, double value, const char* range) {
  if (!parse_range(range).holds(value))
    fail(Code::invalid_argument, concat(type, ": ", name, " must be ", range, ", got ", value), {}, name);
}

namespace {

struct Window {
  Pair kernel_size, stride, padding, dilation;
};

// A stride of 0 is the window's size.
Window window(const char* type, Window o) {
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
  return o;
}

}  // namespace

Ref<Module> identity() {
  return function("Identity", "", [](const Tensor& x) { return x; });
}

Ref<Module> gelu(bool tanh) {
  return function("GELU", tanh ? "approximate='tanh'" : "approximate='none'",
                  [tanh](const Tensor& x) { return ops::gelu(x, tanh); });
}

Ref<Module> max_pool2d(Pair kernel_size, Pair stride, Pair padding, Pair dilation, bool ceil_mode) {
  const Window o = window("MaxPool2d", {kernel_size, stride, padding, dilation});
  return function("MaxPool2d",
                  concat("kernel_size=", pair_text(o.kernel_size), ", stride=", pair_text(o.stride),
                         ", padding=", pair_text(o.padding), ", dilation=", pair_text(o.dilation),
                         ", ceil_mode=", flag_text(ceil_mode)),
                  [=](const Tensor& x) {
                    return ops::max_pool2d(x, o.kernel_size, o.stride, o.padding, o.dilation, ceil_mode);
                  });
}

Ref<Module> avg_pool2d(Pair kernel_size, Pair stride, Pair padding, bool ceil_mode, bool count_include_pad) {
  const Window o = window("AvgPool2d", {kernel_size, stride, padding, {1, 1}});
  return function("AvgPool2d",
                  concat("kernel_size=", pair_text(o.kernel_size), ", stride=", pair_text(o.stride),
                         ", padding=", pair_text(o.padding)),
                  [=](const Tensor& x) {
                    return ops::avg_pool2d(x, o.kernel_size, o.stride, o.padding, ceil_mode, count_include_pad);
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
