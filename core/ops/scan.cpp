// Running extremes and running log-sum-exp along a dimension.
#include "core/ops/gradient.h"

namespace haft {

namespace {

void running_extreme_rule(ShapeContext& c) {
  const Tensor& x = c.in(0);
  c.set_word(0, word(wrap_dim(c.attrs.i(0), x.ndim(), c.name())));
  c.out(0, x.dtype(), x.sizes());
  c.out(1, DType::i64, x.sizes());
}

void running_extreme_gradient(Backward& b) {
  b.set(0, ops::scatter_add_(zeros_for(b, 0), b.attrs.i(0), b.out(1), b.grad()));
}

// x[i - 1] along dim; 0 stands in front.
Tensor shifted(const Tensor& x, int64_t dim) {
  if (x.ndim() == 0 || x.numel() == 0) return ops::zeros_like(x);
  Tensor parts[] = {ops::zeros_like(ops::slice(x, dim, 0, 1)), ops::slice(x, dim, 0, x.size(dim) - 1)};
  return ops::cat(parts, dim);
}

}  // namespace

SHAPE(cummax) { running_extreme_rule(c); }
GRADIENT(cummax, .saves = {OUT1 | SIZES}) { running_extreme_gradient(b); }
SHAPE(cummin) { running_extreme_rule(c); }
GRADIENT(cummin, .saves = {OUT1 | SIZES}) { running_extreme_gradient(b); }

SHAPE(logcumsumexp) {
  const Tensor& x = c.in(0);
  require_float(c, x);
  c.set_word(0, word(wrap_dim(c.attrs.i(0), x.ndim(), c.name())));
  c.out(0, x.dtype(), x.sizes());
}
// The sum over j >= i of g[j] exp(x[i] - out[j]), from the end: out never falls, so that no factor exceeds 1.
GRADIENT(logcumsumexp, .saves = {IN0 | OUT0}) {
  const int64_t dim = b.attrs.i(0);
  Tensor out = b.out(), none = ops::eq_scalar(out, -INFINITY);
  out = ops::masked_fill(out, none, 0.0);
  Tensor before = ops::masked_fill(shifted(b.out(), dim), none, -INFINITY);
  Tensor decay = ops::exp(before - out);
  b.set(0, ops::exp(b.in(0) - out) * ops::linear_scan(b.grad(), decay, dim, true));
}

SHAPE(linear_scan) {
  const Tensor& x = c.in(0);
  c.set_word(0, word(wrap_dim(c.attrs.i(0), x.ndim(), c.name())));
  c.out(0, x.dtype(), x.sizes());
}
// Gradients run the other way through the same factors; decay[i] joins element i - 1 to element i.
GRADIENT(linear_scan, .saves = {IN1, IN1 | OUT0}) {
  const int64_t dim = b.attrs.i(0);
  const bool reverse = b.attrs.b(1);
  Tensor g = ops::linear_scan(b.grad(), b.in(1), dim, !reverse);
  if (b.needs(0)) b.set(0, g);
  if (b.needs(1)) b.set(1, reverse ? shifted(g, dim) * b.out() : g * shifted(b.out(), dim));
}

}  // namespace haft
