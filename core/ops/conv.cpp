// Convolution: shapes and gradients. It is bilinear in x and weight, so that its two gradients and itself
// are the derivatives of one another.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/ops/windows.h"

namespace haft {

namespace {

constexpr int64_t kNoPadding = 0, kUnitStep = 1;

// Of planes or volumes.
struct Geometry {
  size_t dims;
  Shape stride, padding, dilation;
  int64_t groups;

  // Attributes from `at`; lists become as long as there are dimensions in the call's words.
  Geometry(ShapeContext& c, int at, int n)
      : dims(size_t(n)),
        stride(numbers(c, at, kUnitStep, 1, "stride")),
        padding(numbers(c, at + 1, kNoPadding, 0, "padding")),
        dilation(numbers(c, at + 2, kUnitStep, 1, "dilation")),
        groups(c.attrs.i(at + 3)) {
    if (groups < 1)
      fail(Code::invalid_argument, concat("[", c.name(), "] groups must be positive, got ", groups), {},
           "groups");
    bool whole = true;
    for (int i = 0; i < 3; ++i) whole &= c.attrs.ints(at + i).size() == dims;
    if (whole) return;
    AttrWriter w;
    Shape size;
    if (at) size = Shape(c.attrs.ints(0));
    if (at) w.add(IntList(size));
    w.add(IntList(stride)).add(IntList(padding)).add(IntList(dilation)).add(groups);
    c.set_words(w);
  }
  Shape numbers(ShapeContext& c, int at, const int64_t& otherwise, int64_t least, const char* name) const {
    if (dims == 2) return pair_of(c, at, IntList(&otherwise, 1), least, name);
    return numbers_of(c.name(), name, c.attrs.ints(at), int(dims), least, otherwise);
  }

  // Sizes of the result of convolving x with weight, after checking that they fit together.
  Shape result(const char* op, IntList x, IntList weight) const {
    if (x.size() != dims + 2 || weight.size() != dims + 2)
      fail(Code::shape,
           concat("[", op, "] takes input (N, C, ", dims == 3 ? "D, " : "", "H, W) and weight (O, C/groups, ",
                  dims == 3 ? "kD, " : "", "kH, kW), got shapes ", x, " and ", weight));
    if (x[1] % groups || x[1] / groups != weight[1] || weight[0] % groups)
      fail(Code::shape, concat("[", op, "] input of shape ", x, " has ", x[1], " channels, weight of shape ",
                               weight, " with groups ", groups, " takes ", weight[1], " a group",
                               weight[0] % groups ? " and its first size must be divisible by groups" : ""));
    Shape y{x[0], weight[0]};
    for (size_t d = 0; d < dims; ++d) {
      int64_t padded = x[2 + d] + 2 * padding[int64_t(d)],
              window = dilation[int64_t(d)] * (weight[2 + d] - 1) + 1;
      if (weight[2 + d] < 1 || padded < window)
        fail(Code::shape,
             concat("[", op, "] a kernel that spans ", window, " does not fit into ", padded,
                    " padded elements (input ", x, ", weight ", weight, ", padding ", IntList(padding), ")"));
      y.push_back((padded - window) / stride[int64_t(d)] + 1);
    }
    return y;
  }
};

void check_number(const ShapeContext& c) {
  if (c.in(0).dtype() == DType::boolean)
    fail(Code::dtype, concat("[", c.name(), "] bool has no product"), "cast to a number type", "input");
}

void check_gradient_size(const ShapeContext& c, IntList want) {
  if (!std::ranges::equal(c.in(0).sizes(), want))
    fail(Code::shape,
         concat("[", c.name(), "] the gradient has shape ", c.in(0).sizes(), ", the convolution's result ",
                want),
         {}, "grad");
}

// A depthwise convolution with unit steps goes on in rows where its input lies so: it has kernels for both layouts, and
// turning the channels would take as long as they do.
uint8_t result_layout(const Geometry& g, OpId id, const Tensor& from, IntList weight, IntList result) {
  const uint8_t layout = preferred_layout(id, from.device(), from.dtype(), result);
  const bool planes = g.dims == 2 && g.groups > 1 && g.groups == weight[0] && weight[1] == 1;
  if (layout != HAFT_LAYOUT_BLOCKED16 || from.dtype() != DType::f32 || !planes) return layout;
  const bool unit = g.stride[0] == 1 && g.stride[1] == 1 && g.dilation[0] == 1 && g.dilation[1] == 1;
  const bool square = weight[2] == weight[3] && (weight[2] == 3 || weight[2] == 5 || weight[2] == 7);
  const bool rows = from.impl()->view.layout == HAFT_LAYOUT_STRIDED && from.is_contiguous();
  return unit && square && rows ? uint8_t(HAFT_LAYOUT_STRIDED) : layout;
}

void output_shape(ShapeContext& c, const char* op, OpId id, int dims) {
  const Tensor &x = c.in(0), &w = c.in(1);
  require_same_dtype(c, 1, "weight");
  require_same_dtype(c, 2, "bias");
  check_number(c);
  Geometry g(c, 0, dims);
  Shape y = g.result(op, x.sizes(), w.sizes());
  if (c.has(2) && (c.in(2).ndim() != 1 || c.in(2).size(0) != y[1]))
    fail(Code::shape, concat("[", op, "] bias must have shape [", y[1], "], got ", c.in(2).sizes()), {},
         "bias");
  c.out(0, x.dtype(), y, result_layout(g, id, x, w.sizes(), y));
}
void input_shape(ShapeContext& c, const char* op, OpId id, int dims) {
  require_same_dtype(c, 1, "weight");
  check_number(c);
  Geometry g(c, 1, dims);
  IntList x = c.attrs.ints(0);
  check_gradient_size(c, g.result(op, x, c.in(1).sizes()));
  const Tensor& grad = c.in(0);
  c.out(0, grad.dtype(), x, result_layout(g, id, grad, c.in(1).sizes(), x));
}
void weight_shape(ShapeContext& c, const char* op, int dims) {
  require_same_dtype(c, 1, "input");
  check_number(c);
  Geometry g(c, 1, dims);
  IntList weight = c.attrs.ints(0);
  check_gradient_size(c, g.result(op, c.in(1).sizes(), weight));
  c.out(0, c.in(0).dtype(), weight);
}

// A convolution and its two gradients.
struct Family {
  Tensor (*output)(const Tensor&, const Tensor&, const Tensor&, IntList, IntList, IntList, int64_t);
  Tensor (*input)(const Tensor&, const Tensor&, IntList, IntList, IntList, IntList, int64_t);
  Tensor (*weight)(const Tensor&, const Tensor&, IntList, IntList, IntList, IntList, int64_t);
};
constexpr Family kPlanes{ops::conv2d, ops::conv2d_input, ops::conv2d_weight},
    kVolumes{ops::conv3d_output, ops::conv3d_input, ops::conv3d_weight};

// The attributes of a call from `at` on.
struct Steps {
  IntList stride, padding, dilation;
  int64_t groups;
  Steps(const Backward& b, int at)
      : stride(b.attrs.ints(at)),
        padding(b.attrs.ints(at + 1)),
        dilation(b.attrs.ints(at + 2)),
        groups(b.attrs.i(at + 3)) {}
};

void back_output(Backward& b, const Family& f) {
  const Steps s(b, 0);
  if (b.needs(0))
    b.set(0, f.input(b.grad(), b.in(1), b.in_sizes(0), s.stride, s.padding, s.dilation, s.groups));
  if (b.needs(1))
    b.set(1, f.weight(b.grad(), b.in(0), b.in_sizes(1), s.stride, s.padding, s.dilation, s.groups));
  if (!b.needs(2)) return;
  const Tensor& g = b.grad();
  b.set(2, ops::channel_sum(g.ndim() == 4 ? g
                                          : ops::reshape(g, Shape{g.size(0), g.size(1), g.size(2) * g.size(3),
                                                                  g.size(4)})));
}
void back_input(Backward& b, const Family& f) {
  const Steps s(b, 1);
  if (b.needs(0)) b.set(0, f.output(b.grad(), b.in(1), Tensor(), s.stride, s.padding, s.dilation, s.groups));
  if (b.needs(1))
    b.set(1, f.weight(b.in(0), b.grad(), b.in_sizes(1), s.stride, s.padding, s.dilation, s.groups));
}
void back_weight(Backward& b, const Family& f) {
  const Steps s(b, 1);
  if (b.needs(0)) b.set(0, f.output(b.in(1), b.grad(), Tensor(), s.stride, s.padding, s.dilation, s.groups));
  if (b.needs(1))
    b.set(1, f.input(b.in(0), b.grad(), b.in_sizes(1), s.stride, s.padding, s.dilation, s.groups));
}

}  // namespace

SHAPE(conv2d) { output_shape(c, "conv2d", OpId::conv2d, 2); }
GRADIENT(conv2d, .saves = {IN1 | SIZES, IN0 | SIZES}) { back_output(b, kPlanes); }

SHAPE(conv2d_input) { input_shape(c, "conv2d_input", OpId::conv2d_input, 2); }
GRADIENT(conv2d_input, .saves = {IN1, IN0 | SIZES}) { back_input(b, kPlanes); }

SHAPE(conv2d_weight) { weight_shape(c, "conv2d_weight", 2); }
GRADIENT(conv2d_weight, .saves = {IN1, IN0 | SIZES}) { back_weight(b, kPlanes); }

SHAPE(conv3d_output) { output_shape(c, "conv3d_output", OpId::conv3d_output, 3); }
GRADIENT(conv3d_output, .saves = {IN1 | SIZES, IN0 | SIZES}) { back_output(b, kVolumes); }

SHAPE(conv3d_input) { input_shape(c, "conv3d_input", OpId::conv3d_input, 3); }
GRADIENT(conv3d_input, .saves = {IN1, IN0 | SIZES}) { back_input(b, kVolumes); }

SHAPE(conv3d_weight) { weight_shape(c, "conv3d_weight", 3); }
GRADIENT(conv3d_weight, .saves = {IN1, IN0 | SIZES}) { back_weight(b, kVolumes); }

SHAPE(channel_sum) {
  const Tensor& x = c.in(0);
  require_float(c, x);
  if (x.ndim() != 4)
    fail(Code::shape, concat("[channel_sum] takes (N, C, H, W), got shape ", x.sizes()), {}, "input");
  c.out(0, x.dtype(), Shape{x.size(1)});
}
GRADIENT(channel_sum, .saves = {SIZES}) {
  IntList x = b.in_sizes(0);
  b.set(0, ops::expand(ops::view(b.grad(), Shape{1, x[1], 1, 1}), x));
}

}  // namespace haft
