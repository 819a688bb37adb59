// Gradients of the activation functions, and those that are composed of others. The fused forms are functors of their
// own in schema/functors.h.
#include <numbers>

#include "core/ops/gradient.h"

namespace haft {

namespace {

Tensor between(const Tensor& x, double low, double high) {
  return ops::logical_and(ops::gt_scalar(x, low), ops::lt_scalar(x, high));
}

}  // namespace

static void fused_relu(Backward& b) { b.set(0, ops::relu_backward(b.grad(), b.out())); }
GRADIENT(relu, .fused = fused_relu, .saves = {OUT0}) {
  b.set(0, ops::masked_fill(b.grad(), ops::le_scalar(b.out(), 0), 0.0));
}

static void fused_gelu(Backward& b) { b.set(0, ops::gelu_backward(b.grad(), b.in(0), b.attrs.b(0))); }
GRADIENT(gelu, .fused = fused_gelu, .saves = {IN0}) {
  Tensor x = b.in(0);
  if (b.attrs.b(0)) {  // x/2 (1 + tanh u), u = sqrt(2/pi) (x + 0.044715 x^3)
    const double k = std::sqrt(2 / std::numbers::pi);
    Tensor t = ops::tanh((x + ops::pow_scalar(x, 3) * 0.044715) * k);
    Tensor du = (ops::square(x) * (3 * 0.044715) + 1) * k;
    return b.set(0, b.grad() * ((t + 1) * 0.5 + x * 0.5 * (1 - ops::square(t)) * du));
  }
  Tensor cdf = (ops::erf(x * std::numbers::sqrt2 / 2) + 1) * 0.5;
  Tensor pdf = ops::exp(ops::square(x) * -0.5) * (1 / std::sqrt(2 * std::numbers::pi));
  b.set(0, b.grad() * (cdf + x * pdf));
}

static void fused_silu(Backward& b) { b.set(0, ops::silu_backward(b.grad(), b.in(0))); }
GRADIENT(silu, .fused = fused_silu, .saves = {IN0}) {
  Tensor x = b.in(0), s = ops::sigmoid(x);
  b.set(0, b.grad() * s * (x * (1 - s) + 1));
}

GRADIENT(mish, .saves = {IN0}) {
  Tensor x = b.in(0), t = ops::tanh(ops::softplus(x));
  b.set(0, b.grad() * (t + x * (1 - ops::square(t)) * ops::sigmoid(x)));
}

GRADIENT(softplus, .saves = {IN0}) {
  double beta = b.attrs.d(0), threshold = b.attrs.d(1);
  Tensor scaled = b.in(0) * beta;
  b.set(0, ops::where(ops::gt_scalar(scaled, threshold), b.grad(), b.grad() * ops::sigmoid(scaled)));
}

GRADIENT(elu, .saves = {IN0}) {
  Tensor x = b.in(0);
  // exp only where it is used: above 0 it could overflow and turn 0 * inf into NaN. At 0 the slope is a constant, as
  // PyTorch's.
  Tensor slope = ops::exp(ops::masked_fill(x, ops::ge_scalar(x, 0), 0.0)) * b.attrs.d(0);
  b.set(0, ops::where(ops::gt_scalar(x, 0), b.grad(), b.grad() * slope));
}

GRADIENT(leaky_relu, .saves = {IN0}) {
  b.set(0, ops::where(ops::gt_scalar(b.in(0), 0), b.grad(), b.grad() * b.attrs.d(0)));
}

GRADIENT(hardtanh, .saves = {IN0}) {
  b.set(0, where_or_zero(between(b.in(0), b.attrs.d(0), b.attrs.d(1)), b.grad()));
}
GRADIENT(hardsigmoid, .saves = {IN0}) {
  b.set(0, where_or_zero(between(b.in(0), -3, 3), b.grad() * (1.0 / 6)));
}

GRADIENT(hardswish, .saves = {IN0}) {
  Tensor x = b.in(0), inner = b.grad() * (x / 3 + 0.5);  // of NaN NaN
  b.set(0, ops::where(ops::ge_scalar(x, 3), b.grad(), ops::masked_fill(inner, ops::le_scalar(x, -3), 0.0)));
}

GRADIENT(logsigmoid, .saves = {IN0}) { b.set(0, b.grad() * ops::sigmoid(-b.in(0))); }

namespace ops {

Tensor selu(const Tensor& x) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return elu(x, alpha) * scale;
}

Tensor celu(const Tensor& x, double alpha) {
  if (alpha == 0) fail(Code::invalid_argument, "[celu] alpha cannot be 0 for CELU", {}, "alpha");
  const Tensor line = ge_scalar(x, 0);  // not for NaN, whose gradient is NaN, too
  return where(line, x, expm1(masked_fill(x, line, 0.0) / alpha) * alpha);
}

Tensor softsign(const Tensor& x) { return x / (abs(x) + 1); }

Tensor tanhshrink(const Tensor& x) { return x - tanh(x); }

Tensor hardshrink(const Tensor& x, double lambd) {
  return masked_fill(x, le_scalar(abs(detach(x)), lambd), 0.0);
}

Tensor softshrink(const Tensor& x, double lambd) {
  if (!(lambd >= 0))
    fail(Code::invalid_argument,
         concat("[softshrink] lambda must be greater or equal to 0, but found to be ", lambd), {}, "lambd");
  // What is at a bound has no slope, though clamp() takes its own away there.
  return masked_fill(x - clamp(x, Scalar(-lambd), Scalar(lambd)), le_scalar(abs(detach(x)), lambd), 0.0);
}

Tensor threshold(const Tensor& x, double threshold, double value) {
  return masked_fill(x, le_scalar(detach(x), threshold), value);
}

Tensor glu(const Tensor& x, int64_t dim) {
  if (x.ndim() == 0) fail(Code::shape, "[glu] does not support 0-dimensional tensors", {}, "input");
  dim = wrap_dim(dim, x.ndim(), "glu");
  const int64_t half = x.size(dim) / 2;
  if (half * 2 != x.size(dim))
    fail(Code::shape,
         concat("[glu] Halving dimension must be even, but dimension ", dim, " of shape ", x.sizes(),
                " is size ", x.size(dim)),
         {}, "input");
  return narrow(x, dim, 0, half) * sigmoid(narrow(x, dim, half, half));
}

}  // namespace ops

}  // namespace haft
