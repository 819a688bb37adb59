// Convolutions and transposed convolutions in one to three dimensions.
#include "core/nn/factories.h"
#include "core/nn/layer_checks.h"
#include "core/nn/padding.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

// One number stands for all dimensions, none for `otherwise`.
Shape numbers(const char* type, const char* name, const Shape& v, int dims, int64_t least,
              int64_t otherwise) {
  Shape out = v;
  if (out.empty()) out = Shape(1, otherwise);
  if (out.size() == 1) out = Shape(dims, out[0]);
  if (int(out.size()) != dims)
    fail(Code::invalid_argument, concat(type, ": ", name, " is one number or ", dims, ", got ", IntList(v)),
         {}, name);
  for (int64_t n : out)
    if (n < least)
      fail(Code::invalid_argument,
           concat(type, ": ", name, " must be at least ", least, ", got ", IntList(v)), {}, name);
  return out;
}

bool all_are(const Shape& v, int64_t n) {
  for (int64_t x : v)
    if (x != n) return false;
  return true;
}

constexpr const char* kNames[] = {"Conv1d",          "Conv2d",          "Conv3d",
                                  "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};

}  // namespace

Conv::Conv(int dims, const ConvOptions& options, const Build& build)
    : Module(kNames[dims - 1 + 3 * options.transposed]), o_(options), dims_(dims) {
  const char* name = type().c_str();
  check_size(o_.in_channels, name, "in_channels", 1);
  check_size(o_.out_channels, name, "out_channels", 1);
  o_.kernel_size = numbers(name, "kernel_size", o_.kernel_size, dims, 1, 0);
  o_.stride = numbers(name, "stride", o_.stride, dims, 1, 1);
  same_ = !o_.transposed && !o_.padding.empty() && all_are(o_.padding, kSame);
  if (!same_) o_.padding = numbers(name, "padding", o_.padding, dims, 0, 0);
  o_.dilation = numbers(name, "dilation", o_.dilation, dims, 1, 1);
  o_.output_padding = numbers(name, "output_padding", o_.output_padding, dims, 0, 0);
  check_size(o_.groups, name, "groups", 1);
  if (o_.in_channels % o_.groups || o_.out_channels % o_.groups)
    fail(Code::invalid_argument,
         concat(name, ": groups must divide in_channels and out_channels, got ", o_.groups, " groups, ",
                o_.in_channels, " and ", o_.out_channels, " channels"),
         {}, "groups");
  if (same_ && !all_are(o_.stride, 1))
    fail(Code::invalid_argument,
         concat(name, ": padding that keeps the size wants stride 1, got ", IntList(o_.stride)), {},
         "padding");
  if (same_) o_.padding = Shape(dims, 0);
  bool even = true;  // as much on the left as on the right
  for (int i = dims - 1; i >= 0; --i) {
    const int64_t total = same_ ? o_.dilation[i] * (o_.kernel_size[i] - 1) : 2 * o_.padding[i];
    sides_.push_back(total / 2);
    sides_.push_back(total - total / 2);
    even = even && total % 2 == 0;
    if (same_) o_.padding[i] = total / 2;
  }
  pads_first_ = o_.padding_mode != PaddingMode::zeros || !even;
  Shape size = o_.transposed ? Shape{o_.in_channels, o_.out_channels / o_.groups}
                             : Shape{o_.out_channels, o_.in_channels / o_.groups};
  for (int64_t k : o_.kernel_size) size.push_back(k);
  Tensor w = new_parameter(size, build.dtype, build.device);
  Tensor b = o_.bias ? new_parameter(Shape{o_.out_channels}, build.dtype, build.device) : Tensor();
  init_weight_and_bias(w, b, build.generator);
  register_parameter("weight", std::move(w));
  register_parameter("bias", std::move(b));
}

Tensor Conv::forward(const Tensor& input) {
  const Tensor &w = parameter(0), &b = parameter(1);
  if (o_.transposed) {
    const auto function = dims_ == 1   ? ops::conv_transpose1d
                          : dims_ == 2 ? ops::conv_transpose2d
                                       : ops::conv_transpose3d;
    return function(input, w, b, o_.stride, o_.padding, o_.output_padding, o_.groups, o_.dilation);
  }
  if (input.ndim() != dims_ + 1 && input.ndim() != dims_ + 2)
    fail(Code::shape,
         concat(type(), ": wanted x of ", dims_ + 1, " or ", dims_ + 2, " dimensions with ", o_.in_channels,
                " channels, got shape ", input.sizes()),
         {}, "x");
  const Tensor x = pads_first_ ? pad_edges(input, sides_, o_.padding_mode) : input;
  const Shape none(dims_, 0);
  const IntList padding = pads_first_ ? none : o_.padding;
  if (dims_ == 1) return ops::conv1d(x, w, b, o_.stride, padding, o_.dilation, o_.groups);
  if (dims_ == 3) return ops::conv3d(x, w, b, o_.stride, padding, o_.dilation, o_.groups);
  const bool single = x.ndim() == 3;
  const Tensor y =
      ops::conv2d(single ? ops::unsqueeze(x, 0) : x, w, b, o_.stride, padding, o_.dilation, o_.groups);
  return single ? ops::squeeze(y, 0) : y;
}

std::string Conv::extra() const {
  std::string s = concat(o_.in_channels, ", ", o_.out_channels, ", kernel_size=", tuple_text(o_.kernel_size),
                         ", stride=", tuple_text(o_.stride));
  if (same_)
    s += ", padding=same";
  else if (!all_are(o_.padding, 0))
    s += ", padding=" + tuple_text(o_.padding);
  if (!all_are(o_.dilation, 1)) s += ", dilation=" + tuple_text(o_.dilation);
  if (!all_are(o_.output_padding, 0)) s += ", output_padding=" + tuple_text(o_.output_padding);
  if (o_.groups != 1) s += concat(", groups=", o_.groups);
  if (!o_.bias) s += ", bias=False";
  if (o_.padding_mode != PaddingMode::zeros)
    s += concat(", padding_mode=", padding_mode_name(o_.padding_mode));
  return s;
}

Ref<Module> conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Pair stride, Pair padding,
                   Pair dilation, int64_t groups, bool bias, PaddingMode padding_mode, const Build& build) {
  auto shape = [](Pair p) { return Shape{p[0], p[1]}; };
  return make_ref<Conv>(2,
                        ConvOptions{in_channels, out_channels, shape(kernel_size), shape(stride),
                                    shape(padding), shape(dilation), groups, bias, padding_mode},
                        build);
}

#define HAFT_CONV(n)                                                                                     \
  Ref<Module> conv##n##d(int64_t in_channels, int64_t out_channels, IntList kernel_size, IntList stride, \
                         IntList padding, IntList dilation, int64_t groups, bool bias,                   \
                         PaddingMode padding_mode, const Build& build) {                                 \
    return make_ref<Conv>(n,                                                                             \
                          ConvOptions{in_channels, out_channels, kernel_size, stride, padding, dilation, \
                                      groups, bias, padding_mode},                                       \
                          build);                                                                        \
  }
HAFT_CONV(1)
HAFT_CONV(3)

#define HAFT_CONV_TRANSPOSE(n)                                                                              \
  Ref<Module> conv_transpose##n##d(int64_t in_channels, int64_t out_channels, IntList kernel_size,          \
                                   IntList stride, IntList padding, IntList output_padding, int64_t groups, \
                                   bool bias, IntList dilation, const Build& build) {                       \
    return make_ref<Conv>(n,                                                                                \
                          ConvOptions{in_channels, out_channels, kernel_size, stride, padding, dilation,    \
                                      groups, bias, PaddingMode::zeros, output_padding, true},              \
                          build);                                                                           \
  }
HAFT_CONV_TRANSPOSE(1)
HAFT_CONV_TRANSPOSE(2)
HAFT_CONV_TRANSPOSE(3)

}  // namespace haft::nn
