// Convolution in one and three dimensions, transposed convolution, and windows as columns. Rows are planes of one
// line; a transposed convolution is the gradient of a convolution for its input.
#include <algorithm>

#include "core/ops/windows.h"

namespace haft {

namespace {

void check_weight(const char* op, const Tensor& weight, int n) {
  if (weight.ndim() != n + 2)
    fail(Code::shape,
         concat("[", op, "] weight must have ", n + 2, " dimensions, got shape ", weight.sizes()), {},
         "weight");
}
// What conv2d checks, before a row or a box becomes planes.
struct Correlation {
  Shape stride, padding, dilation;

  Correlation(const char* op, int n, const Tensor& x, const Tensor& weight, const Tensor& bias, IntList s,
              IntList p, IntList d, int64_t groups)
      : stride(numbers_of(op, "stride", s, n, 1, int64_t(1))),
        padding(numbers_of(op, "padding", p, n, 0, int64_t(0))),
        dilation(numbers_of(op, "dilation", d, n, 1, int64_t(1))) {
    check_weight(op, weight, n);
    const int64_t channels = weight.size(0);
    if (groups < 1 || channels % groups)
      fail(
          Code::invalid_argument,
          concat("[", op, "] groups must divide the first size of weight ", weight.sizes(), ", got ", groups),
          {}, "groups");
    if (x.size(1) / groups != weight.size(1) || x.size(1) % groups)
      fail(Code::shape,
           concat("[", op, "] input of shape ", x.sizes(), " has ", x.size(1), " channels, weight of shape ",
                  weight.sizes(), " with groups ", groups, " takes ", weight.size(1), " a group"),
           {}, "input");
    if (bias.defined() && (bias.ndim() != 1 || bias.numel() != channels))
      fail(Code::shape, concat("[", op, "] bias must have shape [", channels, "], got ", bias.sizes()), {},
           "bias");
    for (int i = 0; i < n; ++i) {
      const int64_t padded = x.size(2 + i) + 2 * padding[i],
                    reach = dilation[i] * (weight.size(2 + i) - 1) + 1;
      if (weight.size(2 + i) < 1 || padded < reach)
        fail(Code::shape,
             concat("[", op, "] a kernel that spans ", reach, " does not fit into ", padded,
                    " padded elements (input ", x.sizes(), ", weight ", weight.sizes(), ", padding ",
                    IntList(padding), ")"),
             {}, "weight");
    }
  }
};
Tensor with_bias(const Tensor& y, const Tensor& bias) {
  if (!bias.defined()) return y;
  Shape s{1, bias.numel()};
  for (int64_t d = 2; d < y.ndim(); ++d) s.push_back(1);
  return ops::add(y, ops::reshape(bias, s));
}
// The steps between the elements of a window, of a view whose windows reach over them, in its last dimension.
Tensor every(const Tensor& windows, int64_t dilation) {
  return dilation == 1 ? windows : ops::slice(windows, windows.ndim() - 1, 0, windows.size(-1), dilation);
}
// Where element k of window i lies along a dimension: (windows, kernel).
Tensor window_places(int64_t windows, int64_t stride, int64_t kernel, int64_t dilation, const Tensor& like) {
  return ops::add(ops::unsqueeze(ops::mul_scalar(counts(0, windows, like), Scalar(stride)), 1),
                  ops::mul_scalar(counts(0, kernel, like), Scalar(dilation)));
}

struct Transposed {
  Shape stride, padding, extra, dilation, size, cut;
  int64_t channels = 0;

  Transposed(const char* op, int n, const Tensor& x, const Tensor& weight, const Tensor& bias, IntList s,
             IntList p, IntList e, int64_t groups, IntList d)
      : stride(numbers_of(op, "stride", s, n, 1, int64_t(1))),
        padding(numbers_of(op, "padding", p, n, 0, int64_t(0))),
        extra(numbers_of(op, "output_padding", e, n, 0, int64_t(0))),
        dilation(numbers_of(op, "dilation", d, n, 1, int64_t(1))) {
    check_weight(op, weight, n);
    if (groups < 1 || groups > std::max<int64_t>(weight.size(0), 1) || weight.size(0) % groups)
      fail(
          Code::invalid_argument,
          concat("[", op, "] groups must divide the first size of weight ", weight.sizes(), ", got ", groups),
          {}, "groups");
    if (x.size(1) != weight.size(0))
      fail(Code::shape,
           concat("[", op, "] weight of shape ", weight.sizes(), " takes input of ", weight.size(0),
                  " channels, got shape ", x.sizes()),
           {}, "input");
    channels = weight.size(1) * groups;
    if (bias.defined() && (bias.ndim() != 1 || bias.numel() != channels))
      fail(Code::shape, concat("[", op, "] bias must have shape [", channels, "], got ", bias.sizes()), {},
           "bias");
    for (int i = 0; i < n; ++i) {
      if (extra[i] >= std::max(stride[i], dilation[i]))
        fail(Code::invalid_argument,
             concat(
                 "[", op,
                 "] output padding must be smaller than either stride or dilation, but got output_padding: ",
                 IntList(extra), ", stride: ", IntList(stride), ", dilation: ", IntList(dilation)),
             {}, "output_padding");
      size.push_back((x.size(2 + i) - 1) * stride[i] + dilation[i] * (weight.size(2 + i) - 1) + 1);
      if (x.size(2 + i) < 1 || weight.size(2 + i) < 1 || size[i] - 2 * padding[i] + extra[i] < 1)
        fail(Code::shape,
             concat("[", op, "] input of shape ", x.sizes(), " and weight of shape ", weight.sizes(),
                    " leave no element with padding ", IntList(padding)),
             {}, "padding");
    }
    for (int i = n - 1; i >= 0; --i) {  // as pad() takes it
      cut.push_back(-padding[i]);
      cut.push_back(extra[i] - padding[i]);
    }
  }
};

Tensor cut_off(const Tensor& y, IntList cut) {
  return std::ranges::all_of(cut, [](int64_t c) { return c == 0; }) ? y : ops::pad(y, cut);
}

// (a, b, c) as numbers of planes, where `one` stands for the height of a row.
Shape of_planes(const Shape& v, int64_t one) { return v.size() == 1 ? Shape{one, v[0]} : v; }

Tensor conv_transpose(const char* op, int n, const Tensor& input, const Tensor& weight, const Tensor& bias,
                      IntList stride, IntList padding, IntList output_padding, int64_t groups,
                      IntList dilation) {
  const Batched in(op, input, n);
  Transposed t(op, n, in.x, weight, bias, stride, padding, output_padding, groups, dilation);
  // A convolution of the result leaves out what lies behind its last window, which must be less than a step.
  bool direct = true;
  for (int i = 0; i < n; ++i) direct &= t.extra[i] < t.stride[i];
  Shape size{in.x.size(0), t.channels};
  if (n == 1) size.push_back(1);
  for (int i = 0; i < n; ++i) size.push_back(t.size[i] + (direct ? t.extra[i] - 2 * t.padding[i] : 0));
  if (!direct) std::fill(t.padding.begin(), t.padding.end(), 0);
  const Shape s = of_planes(t.stride, 1), p = of_planes(t.padding, 0), d = of_planes(t.dilation, 1);
  Tensor y = n == 3   ? ops::conv3d_input(in.x, weight, size, s, p, d, groups)
             : n == 2 ? ops::conv2d_input(in.x, weight, size, s, p, d, groups)
                      : ops::squeeze(ops::conv2d_input(ops::unsqueeze(in.x, 2), ops::unsqueeze(weight, 2),
                                                       size, s, p, d, groups),
                                     2);
  return in.back(with_bias(direct ? y : cut_off(y, t.cut), bias));
}

}  // namespace

namespace ops {

Tensor uncast::conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                      IntList padding, IntList dilation, int64_t groups) {
  const Batched in("conv1d", input, 1);
  const Correlation c("conv1d", 1, in.x, weight, bias, stride, padding, dilation, groups);
  const Tensor y = conv2d(unsqueeze(in.x, 2), unsqueeze(weight, 2), bias, Shape{1, c.stride[0]},
                          Shape{0, c.padding[0]}, Shape{1, c.dilation[0]}, groups);
  return in.back(squeeze(y, 2));
}

Tensor uncast::conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                      IntList padding, IntList dilation, int64_t groups) {
  const Batched in("conv3d", input, 3);
  const Correlation c("conv3d", 3, in.x, weight, bias, stride, padding, dilation, groups);
  return in.back(conv3d_output(in.x, weight, bias, c.stride, c.padding, c.dilation, groups));
}

#define HAFT_CONV_TRANSPOSE(n)                                                                              \
  Tensor uncast::conv_transpose##n##d(const Tensor& input, const Tensor& weight, const Tensor& bias,        \
                                      IntList stride, IntList padding, IntList output_padding,              \
                                      int64_t groups, IntList dilation) {                                   \
    return conv_transpose("conv_transpose" #n "d", n, input, weight, bias, stride, padding, output_padding, \
                          groups, dilation);                                                                \
  }
HAFT_CONV_TRANSPOSE(1)
HAFT_CONV_TRANSPOSE(2)
HAFT_CONV_TRANSPOSE(3)
#undef HAFT_CONV_TRANSPOSE

Tensor im2col(const Tensor& input, IntList kernel_size, IntList dilation, IntList padding, IntList stride) {
  const Batched in("im2col", input, 2);
  const Shape k = numbers_of("im2col", "kernel_size", kernel_size, 2, 1, IntList()),
              d = numbers_of("im2col", "dilation", dilation, 2, 1, int64_t(1)),
              p = numbers_of("im2col", "padding", padding, 2, 0, int64_t(0)),
              s = numbers_of("im2col", "stride", stride, 2, 1, int64_t(1));
  Tensor x = p[0] || p[1] ? pad(in.x, Shape{p[1], p[1], p[0], p[0]}) : in.x;
  for (int i = 0; i < 2; ++i) {
    const int64_t reach = d[i] * (k[i] - 1) + 1;
    if (x.size(2 + i) < reach)
      fail(Code::shape,
           concat("[im2col] a window that spans ", reach, " does not fit into ", x.size(2 + i),
                  " padded elements of shape ", input.sizes()),
           {}, "kernel_size");
    x = every(unfold(x, 2 + i, reach, s[i]), d[i]);
  }  // (N, C, H', W', kH, kW)
  const int64_t n = x.size(0), c = x.size(1), windows = x.size(2) * x.size(3);
  return in.back(reshape(permute(x, Shape{0, 1, 4, 5, 2, 3}), Shape{n, c * k[0] * k[1], windows}));
}

Tensor col2im(const Tensor& input, IntList output_size, IntList kernel_size, IntList dilation,
              IntList padding, IntList stride) {
  const Batched in("col2im", input, 1);
  const Shape size = numbers_of("col2im", "output_size", output_size, 2, 1, IntList()),
              k = numbers_of("col2im", "kernel_size", kernel_size, 2, 1, IntList()),
              d = numbers_of("col2im", "dilation", dilation, 2, 1, int64_t(1)),
              p = numbers_of("col2im", "padding", padding, 2, 0, int64_t(0)),
              s = numbers_of("col2im", "stride", stride, 2, 1, int64_t(1));
  const Tensor& x = in.x;
  const int64_t n = x.size(0), cells = k[0] * k[1], c = x.size(1) / cells, h = size[0] + 2 * p[0],
                w = size[1] + 2 * p[1];
  const int64_t rows = h < d[0] * (k[0] - 1) + 1 ? 0 : (h - d[0] * (k[0] - 1) - 1) / s[0] + 1;
  const int64_t columns = w < d[1] * (k[1] - 1) + 1 ? 0 : (w - d[1] * (k[1] - 1) - 1) / s[1] + 1;
  if (x.size(1) % cells || x.size(2) != rows * columns || !rows || !columns)
    fail(Code::shape,
         concat("[col2im] Given output_size=", IntList(size), ", kernel_size=", IntList(k),
                ", dilation=", IntList(d), ", padding=", IntList(p), ", stride=", IntList(s),
                ", expected input of shape (N, C * ", cells, ", ", rows * columns, "), but got ",
                input.sizes()),
         {}, "input");
  // (kH, kW, rows, columns), as the columns of input lie
  const Tensor down = reshape(t(window_places(rows, s[0], k[0], d[0], x)), Shape{k[0], 1, rows, 1});
  const Tensor across = reshape(t(window_places(columns, s[1], k[1], d[1], x)), Shape{1, k[1], 1, columns});
  const Tensor at = flatten(add(mul_scalar(down, Scalar(w)), across));
  Tensor y =
      index_add(zeros(Shape{n, c, h * w}, x.dtype(), x.device()), 2, at, reshape(x, Shape{n, c, at.numel()}));
  y = reshape(y, Shape{n, c, h, w});
  return in.back(cut_off(y, Shape{-p[1], -p[1], -p[0], -p[0]}));
}

Tensor uncast::bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                        const Tensor& bias) {
  if (weight.ndim() != 3 || input1.ndim() < 1 || input1.ndim() != input2.ndim() ||
      input1.size(-1) != weight.size(1) || input2.size(-1) != weight.size(2))
    fail(Code::shape,
         concat("[bilinear] takes inputs (*, in1) and (*, in2) and weight (out, in1, in2), got shapes ",
                input1.sizes(), ", ", input2.sizes(), " and ", weight.sizes()),
         {}, "weight");
  const IntList lead = input1.sizes().first(input1.sizes().size() - 1);
  if (!std::ranges::equal(lead, input2.sizes().first(lead.size())))
    fail(Code::shape,
         concat("[bilinear] input batch dimensions do not match, got ", input1.sizes(), " and ",
                input2.sizes()),
         {}, "input2");
  int64_t rows = 1;
  for (int64_t s : lead) rows *= s;
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  // (rows, in1) x (in1, out * in2) -> (rows, out, in2), then against the second input.
  const Tensor left = matmul(reshape(input1, Shape{rows, in1}),
                             reshape(permute(weight, Shape{1, 0, 2}), Shape{in1, out * in2}));
  Tensor y = squeeze(matmul(reshape(left, Shape{rows, out, in2}), reshape(input2, Shape{rows, in2, 1})), -1);
  if (bias.defined()) y = add(y, bias);
  Shape result(lead);
  result.push_back(out);
  return reshape(y, result);
}

}  // namespace ops

}  // namespace haft
