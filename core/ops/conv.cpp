// Convolution: shapes and gradients. conv2d is bilinear in x and weight, so that its two gradients and itself
// are the derivatives of one another.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

constexpr int64_t kNoPadding = 0, kUnitStep = 1;

struct Geometry {
  Shape stride, padding, dilation;
  int64_t groups;

  // Attributes from `at`; lists become two numbers long in the call's words.
  Geometry(ShapeContext& c, int at)
      : stride(pair_of(c, at, IntList(&kUnitStep, 1), 1, "stride")),
        padding(pair_of(c, at + 1, IntList(&kNoPadding, 1), 0, "padding")),
        dilation(pair_of(c, at + 2, IntList(&kUnitStep, 1), 1, "dilation")),
        groups(c.attrs.i(at + 3)) {
    if (groups < 1)
      fail(Code::invalid_argument, concat("[", c.name(), "] groups must be positive, got ", groups), {},
           "groups");
    bool paired = true;
    for (int i = 0; i < 3; ++i) paired &= c.attrs.ints(at + i).size() == 2;
    if (paired) return;
    AttrWriter w;
    Shape size;
    if (at) size = Shape(c.attrs.ints(0));
    if (at) w.add(IntList(size));
    w.add(IntList(stride)).add(IntList(padding)).add(IntList(dilation)).add(groups);
    c.set_words(w);
  }

  // Sizes of the result of convolving x with weight, after checking that they fit together.
  Shape result(const char* op, IntList x, IntList weight) const {
    if (x.size() != 4 || weight.size() != 4)
      fail(Code::shape,
           concat("[", op, "] takes input (N, C, H, W) and weight (O, C/groups, kH, kW), got shapes ", x, " and ",
                  weight));
    if (x[1] != weight[1] * groups || weight[0] % groups)
      fail(Code::shape, concat("[", op, "] input of shape ", x, " has ", x[1], " channels, weight of shape ",
                               weight, " with groups ", groups, " takes ", weight[1] * groups,
                               weight[0] % groups ? " and its first size must be divisible by groups" : ""));
    Shape y{x[0], weight[0], 0, 0};
    for (int d = 0; d < 2; ++d) {
      int64_t padded = x[2 + d] + 2 * padding[d], window = dilation[d] * (weight[2 + d] - 1) + 1;
      if (weight[2 + d] < 1 || padded < window)
        fail(Code::shape,
             concat("[", op, "] a kernel that spans ", window, " does not fit into ", padded,
                    " padded elements (input ", x, ", weight ", weight, ", padding ", IntList(padding), ")"));
      y[2 + d] = (padded - window) / stride[d] + 1;
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

}  // namespace

SHAPE(conv2d) {
  const Tensor &x = c.in(0), &w = c.in(1);
  require_same_dtype(c, 1, "weight");
  require_same_dtype(c, 2, "bias");
  check_number(c);
  Geometry g(c, 0);
  Shape y = g.result("conv2d", x.sizes(), w.sizes());
  if (c.has(2) && (c.in(2).ndim() != 1 || c.in(2).size(0) != y[1]))
    fail(Code::shape, concat("[conv2d] bias must have shape [", y[1], "], got ", c.in(2).sizes()), {},
         "bias");
  c.out(0, x.dtype(), y, preferred_layout(OpId::conv2d, x.device(), x.dtype(), y));
}
GRADIENT(conv2d, .saves = {IN1 | SIZES, IN0 | SIZES}) {
  IntList stride = b.attrs.ints(0), padding = b.attrs.ints(1), dilation = b.attrs.ints(2);
  int64_t groups = b.attrs.i(3);
  if (b.needs(0))
    b.set(0, ops::conv2d_input(b.grad(), b.in(1), b.in_sizes(0), stride, padding, dilation, groups));
  if (b.needs(1))
    b.set(1, ops::conv2d_weight(b.grad(), b.in(0), b.in_sizes(1), stride, padding, dilation, groups));
  if (b.needs(2)) b.set(2, ops::channel_sum(b.grad()));
}

SHAPE(conv2d_input) {
  require_same_dtype(c, 1, "weight");
  check_number(c);
  Geometry g(c, 1);
  IntList x = c.attrs.ints(0);
  check_gradient_size(c, g.result("conv2d_input", x, c.in(1).sizes()));
  const Tensor& grad = c.in(0);
  c.out(0, grad.dtype(), x, preferred_layout(OpId::conv2d_input, grad.device(), grad.dtype(), x));
}
GRADIENT(conv2d_input, .saves = {IN1, IN0 | SIZES}) {
  IntList stride = b.attrs.ints(1), padding = b.attrs.ints(2), dilation = b.attrs.ints(3);
  int64_t groups = b.attrs.i(4);
  if (b.needs(0)) b.set(0, ops::conv2d(b.grad(), b.in(1), Tensor(), stride, padding, dilation, groups));
  if (b.needs(1))
    b.set(1, ops::conv2d_weight(b.in(0), b.grad(), b.in_sizes(1), stride, padding, dilation, groups));
}

SHAPE(conv2d_weight) {
  require_same_dtype(c, 1, "input");
  check_number(c);
  Geometry g(c, 1);
  IntList weight = c.attrs.ints(0);
  check_gradient_size(c, g.result("conv2d_weight", c.in(1).sizes(), weight));
  c.out(0, c.in(0).dtype(), weight);
}
GRADIENT(conv2d_weight, .saves = {IN1, IN0 | SIZES}) {
  IntList stride = b.attrs.ints(1), padding = b.attrs.ints(2), dilation = b.attrs.ints(3);
  int64_t groups = b.attrs.i(4);
  if (b.needs(0)) b.set(0, ops::conv2d(b.in(1), b.grad(), Tensor(), stride, padding, dilation, groups));
  if (b.needs(1))
    b.set(1, ops::conv2d_input(b.in(0), b.grad(), b.in_sizes(1), stride, padding, dilation, groups));
}

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
