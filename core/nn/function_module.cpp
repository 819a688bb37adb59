// Layers without parameters that are more than one operator: windows, and what PyTorch prints otherwise.
#include <cmath>

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

void fail_complex(const char* type, DType t) {
  fail(Code::dtype, concat(type, " does not take ", dtype_name(t)),
       "compute with the real and imaginary parts, or with the absolute value", "input");
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

Ref<Module> max_pool2d(Pair kernel_size, Pair stride, Pair padding, Pair dilation, bool ceil_mode,
                       bool return_indices) {
  const Window o = window("MaxPool2d", {kernel_size, stride, padding, dilation});
  std::string extra = concat("kernel_size=", pair_text(o.kernel_size), ", stride=", pair_text(o.stride),
                             ", padding=", pair_text(o.padding), ", dilation=", pair_text(o.dilation),
                             ", ceil_mode=", flag_text(ceil_mode));
  if (return_indices)
    return outputs<2>("MaxPool2d", std::move(extra), [=](const Tensor& x) {
      return ops::max_pool2d_with_indices(x, o.kernel_size, o.stride, o.padding, o.dilation, ceil_mode);
    });
  return function("MaxPool2d", std::move(extra), [=](const Tensor& x) {
    return ops::max_pool2d(x, o.kernel_size, o.stride, o.padding, o.dilation, ceil_mode);
  });
}

Ref<Module> avg_pool2d(Pair kernel_size, Pair stride, Pair padding, bool ceil_mode, bool count_include_pad,
                       int64_t divisor_override) {
  if (divisor_override == 0)
    fail(Code::invalid_argument, "AvgPool2d: divisor_override must not be 0", {}, "divisor_override");
  const Window o = window("AvgPool2d", {kernel_size, stride, padding, {1, 1}});
  return function("AvgPool2d",
                  concat("kernel_size=", pair_text(o.kernel_size), ", stride=", pair_text(o.stride),
                         ", padding=", pair_text(o.padding)),
                  [=](const Tensor& x) {
                    return ops::avg_pool2d(x, o.kernel_size, o.stride, o.padding, ceil_mode,
                                           count_include_pad, divisor_override);
                  });
}

Ref<Module> adaptive_avg_pool2d(Pair size) {
  for (int64_t s : size)
    if (s < 1 && s != kNone)
      fail(Code::invalid_argument,
           concat("AdaptiveAvgPool2d: output_size must be at least 1, got ", IntList(size)), {},
           "output_size");
  auto side = [](int64_t s) { return s == kNone ? std::string("None") : concat(s); };
  return function(
      "AdaptiveAvgPool2d",
      concat("output_size=",
             size[0] == size[1] ? side(size[0]) : concat("(", side(size[0]), ", ", side(size[1]), ")")),
      [size](const Tensor& x) { return ops::adaptive_avg_pool2d(x, size); });
}

Ref<Module> relu6() {
  return function("ReLU6", "", [](const Tensor& x) { return ops::hardtanh(x, 0, 6); });
}

Ref<Module> softmin(int64_t dim) {
  return function("Softmin", concat("dim=", dim),
                  [dim](const Tensor& x) { return ops::softmax(ops::neg(x), dim); });
}

Ref<Module> softmax2d() {
  return function("Softmax2d", "", [](const Tensor& x) {
    if (x.ndim() != 3 && x.ndim() != 4)
      fail(Code::shape, concat("Softmax2d: wanted x of shape (N, C, H, W) or (C, H, W), got ", x.sizes()), {},
           "x");
    return ops::softmax(x, -3);
  });
}

Ref<Module> unflatten(int64_t dim, IntList unflattened_size) {
  return function(
      "Unflatten", concat("dim=", dim, ", unflattened_size=", tuple_text(unflattened_size)),
      [=, sizes = Shape(unflattened_size)](const Tensor& x) { return ops::unflatten(x, dim, sizes); });
}

namespace {
std::string columns_text(IntList kernel_size, IntList dilation, IntList padding, IntList stride) {
  return concat("kernel_size=", numbers_text(kernel_size, ""), ", dilation=", numbers_text(dilation, "1"),
                ", padding=", numbers_text(padding, "0"), ", stride=", numbers_text(stride, "1"));
}
}  // namespace

Ref<Module> unfold(IntList kernel_size, IntList dilation, IntList padding, IntList stride) {
  return function("Unfold", columns_text(kernel_size, dilation, padding, stride),
                  [k = Shape(kernel_size), d = Shape(dilation), p = Shape(padding),
                   s = Shape(stride)](const Tensor& x) { return ops::im2col(x, k, d, p, s); });
}

Ref<Module> fold(IntList output_size, IntList kernel_size, IntList dilation, IntList padding,
                 IntList stride) {
  return function("Fold",
                  concat("output_size=", numbers_text(output_size, ""), ", ",
                         columns_text(kernel_size, dilation, padding, stride)),
                  [o = Shape(output_size), k = Shape(kernel_size), d = Shape(dilation), p = Shape(padding),
                   s = Shape(stride)](const Tensor& x) { return ops::col2im(x, o, k, d, p, s); });
}

namespace {

struct Factors {
  double all, height, depth;
};

Ref<Module> upsampling(const char* type, IntList size, Factors f, int64_t mode, bool align_corners,
                       bool recompute) {
  check_range(type, "scale_factor", f.all, "> 0");
  check_range(type, "scale_h", f.height, ">= 0");
  check_range(type, "scale_d", f.depth, ">= 0");
  constexpr const char* modes[] = {"nearest", "linear", "cubic", "area", "nearest-exact"};
  std::string extra =
      size.empty() ? concat("scale_factor=", float_text(f.all)) : concat("size=", numbers_text(size, ""));
  return function(type, concat(extra, ", mode=", modes[mode]), [=, size = Shape(size)](const Tensor& x) {
    if (!size.empty()) return ops::interpolate(x, size, mode, align_corners);
    const int64_t n = x.ndim() - 2;
    // The last dimension first.
    double scales[3] = {f.all, f.height > 0 ? f.height : f.all, f.depth > 0 ? f.depth : f.all};
    Shape out;
    for (int64_t i = 0; i < n && n <= 3; ++i) {
      const double to = std::floor(double(x.size(int(2 + i))) * scales[n - 1 - i]);
      if (!(to <= double(kMaxNumel)))
        fail(Code::overflow,
             concat(type, ": ", x.size(int(2 + i)), " times ", scales[n - 1 - i],
                    " is more than memory can hold"),
             {}, "scale_factor");
      out.push_back(int64_t(to));
    }
    if (recompute) scales[0] = scales[1] = scales[2] = 0;
    return ops::interpolate(x, out, mode, align_corners, scales[0], scales[1], scales[2]);
  });
}

}  // namespace

Ref<Module> upsample(IntList size, double scale_factor, int64_t mode, bool align_corners, double scale_h,
                     double scale_d, bool recompute_scale_factor) {
  return upsampling("Upsample", size, {scale_factor, scale_h, scale_d}, mode, align_corners,
                    recompute_scale_factor);
}
Ref<Module> upsampling_nearest2d(IntList size, double scale_factor) {
  return upsampling("UpsamplingNearest2d", size, {scale_factor, 0, 0}, 0, false, false);
}
Ref<Module> upsampling_bilinear2d(IntList size, double scale_factor) {
  return upsampling("UpsamplingBilinear2d", size, {scale_factor, 0, 0}, 1, true, false);
}

}  // namespace haft::nn
