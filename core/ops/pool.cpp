// Pooling: shapes, gradients, max_pool2d. Results keep the layout of their input.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/ops/windows.h"

namespace haft {

namespace {

void check_plane(const ShapeContext& c, const Tensor& x) {
  if (x.ndim() != 3 && x.ndim() != 4)
    fail(Code::shape, concat("[", c.name(), "] takes (N, C, H, W) or (C, H, W), got shape ", x.sizes()), {},
         "input");
}

constexpr int64_t kZero = 0, kOne = 1;

struct Windows {
  Shape kernel, stride, padding, dilation{1, 1};

  Windows(const ShapeContext& c, int at)
      : kernel(pair_of(c, at, {}, 1, "kernel_size")),
        stride(pair_of(c, at + 1, kernel, 1, "stride")),
        padding(pair_of(c, at + 2, IntList(&kZero, 1), 0, "padding")) {}
  Shape result(const char* op, IntList x, bool ceil_mode) const {
    return pooled_sizes(op, x, kernel, stride, padding, dilation, ceil_mode);
  }
};

}  // namespace

SHAPE(max_pool2d_indices) {
  const Tensor& x = c.in(0);
  check_plane(c, x);
  if (x.dtype() == DType::boolean)
    fail(Code::dtype, "[max_pool2d] bool has no order", "cast to a number type", "input");
  Windows g(c, 0);
  g.dilation = pair_of(c, 3, IntList(&kOne, 1), 1, "dilation");
  bool ceil_mode = c.attrs.b(4);
  Shape y = g.result("max_pool2d", x.sizes(), ceil_mode);
  if (x.size(-2) > INT32_MAX / x.size(-1))
    fail(Code::overflow,
         concat("[max_pool2d] a plane of ", x.size(-2), " x ", x.size(-1), " has more than 2^31 elements"),
         {}, "input");
  AttrWriter w;
  w.add(IntList(g.kernel))
      .add(IntList(g.stride))
      .add(IntList(g.padding))
      .add(IntList(g.dilation))
      .add(int64_t(ceil_mode));
  c.set_words(w);
  uint8_t layout = layout_of(c, 0, y);
  c.out(0, x.dtype(), y, layout);
  c.out(1, DType::i32, y, layout);
}
GRADIENT(max_pool2d_indices, .saves = {OUT1 | SIZES}) {
  b.set(0, ops::max_pool2d_backward(b.grad(), b.out(1), b.in_sizes(0)));
}

// Indices have the layout of the pooled tensor, whatever became of the gradient on its way.
SHAPE(max_pool2d_backward) { c.out(0, c.in(0).dtype(), c.attrs.ints(0), layout_of(c, 1, c.attrs.ints(0))); }
GRADIENT(max_pool2d_backward, .saves = {IN1}) { b.set(0, ops::max_pool2d_gather(b.grad(), b.in(1))); }

SHAPE(max_pool2d_gather) { c.out(0, c.in(0).dtype(), c.in(1).sizes(), layout_of(c, 1, c.in(1).sizes())); }
GRADIENT(max_pool2d_gather, .saves = {IN1 | SIZES}) {
  b.set(0, ops::max_pool2d_backward(b.grad(), b.in(1), b.in_sizes(0)));
}

SHAPE(avg_pool2d) {
  const Tensor& x = c.in(0);
  check_plane(c, x);
  require_float(c, x);
  Windows g(c, 0);
  const bool ceil_mode = c.attrs.b(3), include_pad = c.attrs.b(4);
  const int64_t divisor = c.attrs.i(5);
  if (divisor == 0)
    fail(Code::invalid_argument, "[avg_pool2d] divisor must be not zero", {}, "divisor_override");
  Shape y = g.result("avg_pool2d", x.sizes(), ceil_mode);
  AttrWriter w;
  w.add(IntList(g.kernel))
      .add(IntList(g.stride))
      .add(IntList(g.padding))
      .add(int64_t(ceil_mode))
      .add(int64_t(include_pad))
      .add(divisor);
  c.set_words(w);
  c.out(0, x.dtype(), y, layout_of(c, 0, y));
}
GRADIENT(avg_pool2d, .saves = {SIZES}) {
  b.set(0, ops::avg_pool2d_backward(b.grad(), b.in_sizes(0), b.attrs.ints(0), b.attrs.ints(1),
                                    b.attrs.ints(2), b.attrs.b(3), b.attrs.b(4), b.attrs.i(5)));
}

SHAPE(avg_pool2d_backward) { c.out(0, c.in(0).dtype(), c.attrs.ints(0), layout_of(c, 0, c.attrs.ints(0))); }
GRADIENT(avg_pool2d_backward) {
  b.set(0, ops::avg_pool2d(b.grad(), b.attrs.ints(1), b.attrs.ints(2), b.attrs.ints(3), b.attrs.b(4),
                           b.attrs.b(5), b.attrs.i(6)));
}

SHAPE(adaptive_avg_pool2d) {
  const Tensor& x = c.in(0);
  check_plane(c, x);
  require_float(c, x);
  Shape kept(c.attrs.ints(0)), y(x.sizes());
  if (kept.size() == 1) kept.push_back(kept[0]);
  if (kept.size() == 2 && (kept[0] == kNone || kept[1] == kNone)) {
    AttrWriter w;
    for (int d = 0; d < 2; ++d)
      if (kept[d] == kNone) kept[d] = x.size(d - 2);
    c.set_words(w.add(IntList(kept)));
  }
  Shape size = pair_of(c, 0, {}, 0, "output_size");
  if (x.size(-2) == 0 || x.size(-1) == 0)
    fail(Code::shape, concat("[adaptive_avg_pool2d] input has no elements to average: shape ", x.sizes()), {},
         "input");
  for (int d = 0; d < 2; ++d) y[y.size() - 2 + d] = size[d];
  c.out(0, x.dtype(), y, layout_of(c, 0, y));
}
GRADIENT(adaptive_avg_pool2d, .saves = {SIZES}) {
  b.set(0, ops::adaptive_avg_pool2d_backward(b.grad(), b.in_sizes(0)));
}

// A gradient of planes of one element, which a network's head flattens, lies in every order at once: what goes back
// through the convolutions then lies as theirs do, lest all residual paths behind them mix two orders.
SHAPE(adaptive_avg_pool2d_backward) {
  const Tensor& grad = c.in(0);
  const IntList x = c.attrs.ints(0);
  uint8_t layout = layout_of(c, 0, x);
  if (layout == HAFT_LAYOUT_STRIDED && x.size() == 4 && grad.size(2) * grad.size(3) == 1 &&
      preferred_layout(OpId::conv2d, grad.device(), grad.dtype(), x) == HAFT_LAYOUT_CHANNELS_LAST)
    layout = HAFT_LAYOUT_CHANNELS_LAST;
  c.out(0, grad.dtype(), x, layout);
}
GRADIENT(adaptive_avg_pool2d_backward, .saves = {SIZES}) {
  b.set(0, ops::adaptive_avg_pool2d(b.grad(), b.in_sizes(0).last(2)));
}

namespace ops {

Tensor max_pool2d(const Tensor& x, IntList kernel, IntList stride, IntList padding, IntList dilation,
                  bool ceil_mode) {
  return max_pool2d_indices(x, kernel, stride, padding, dilation, ceil_mode)[0];
}

}  // namespace ops

}  // namespace haft
