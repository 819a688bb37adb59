// Gradients of the arithmetic, comparison and transcendental operators. Their functors stand in schema/functors.h.
#include <numbers>

#include "core/ops/gradient.h"

namespace haft {

namespace {

constexpr double kLn2 = std::numbers::ln2, kLn10 = std::numbers::ln10;
const double kTwoOverSqrtPi = 2 / std::sqrt(std::numbers::pi);

Scalar scalar_at(Backward& b, int word) { return b.attrs.scalar(word); }

}  // namespace

// ---- unary ----
GRADIENT(abs, .saves = {IN0}) { b.set(0, mul_reusing(b.take_grad(), ops::sign(b.in(0)))); }
GRADIENT(neg) { b.set(0, -b.grad()); }
GRADIENT(sign) { b.set(0, ops::zeros_like(b.grad())); }
GRADIENT(exp, .saves = {OUT0}) { b.set(0, mul_reusing(b.take_grad(), b.out())); }
GRADIENT(exp2, .saves = {OUT0}) { b.set(0, b.grad() * b.out() * kLn2); }
GRADIENT(expm1, .saves = {OUT0}) { b.set(0, b.grad() * (b.out() + 1)); }
GRADIENT(log, .saves = {IN0}) { b.set(0, b.grad() / b.in(0)); }
GRADIENT(log2, .saves = {IN0}) { b.set(0, b.grad() / (b.in(0) * kLn2)); }
GRADIENT(log10, .saves = {IN0}) { b.set(0, b.grad() / (b.in(0) * kLn10)); }
GRADIENT(log1p, .saves = {IN0}) { b.set(0, b.grad() / (b.in(0) + 1)); }
GRADIENT(sqrt, .saves = {OUT0}) { b.set(0, b.grad() / (b.out() * 2)); }
GRADIENT(rsqrt, .saves = {OUT0}) { b.set(0, b.grad() * ops::pow_scalar(b.out(), 3) * -0.5); }
GRADIENT(square, .saves = {IN0}) { b.set(0, b.grad() * b.in(0) * 2); }
GRADIENT(reciprocal, .saves = {OUT0}) { b.set(0, -b.grad() * ops::square(b.out())); }
GRADIENT(sin, .saves = {IN0}) { b.set(0, mul_reusing(b.take_grad(), ops::cos(b.in(0)))); }
GRADIENT(cos, .saves = {IN0}) { b.set(0, -b.grad() * ops::sin(b.in(0))); }
GRADIENT(tan, .saves = {OUT0}) { b.set(0, b.grad() * (ops::square(b.out()) + 1)); }
GRADIENT(asin, .saves = {IN0}) { b.set(0, b.grad() * ops::rsqrt(1 - ops::square(b.in(0)))); }
GRADIENT(acos, .saves = {IN0}) { b.set(0, -b.grad() * ops::rsqrt(1 - ops::square(b.in(0)))); }
GRADIENT(atan, .saves = {IN0}) { b.set(0, b.grad() / (ops::square(b.in(0)) + 1)); }
GRADIENT(sinh, .saves = {IN0}) { b.set(0, mul_reusing(b.take_grad(), ops::cosh(b.in(0)))); }
GRADIENT(cosh, .saves = {IN0}) { b.set(0, mul_reusing(b.take_grad(), ops::sinh(b.in(0)))); }
GRADIENT(asinh, .saves = {IN0}) { b.set(0, b.grad() * ops::rsqrt(ops::square(b.in(0)) + 1)); }
GRADIENT(acosh, .saves = {IN0}) { b.set(0, b.grad() * ops::rsqrt(ops::square(b.in(0)) - 1)); }
GRADIENT(atanh, .saves = {IN0}) { b.set(0, b.grad() / (1 - ops::square(b.in(0)))); }
GRADIENT(erf, .saves = {IN0}) { b.set(0, b.grad() * ops::exp(-ops::square(b.in(0))) * kTwoOverSqrtPi); }

GRADIENT(erfc, .saves = {IN0}) { b.set(0, b.grad() * ops::exp(-ops::square(b.in(0))) * -kTwoOverSqrtPi); }
GRADIENT(erfinv, .saves = {OUT0}) {
  b.set(0, b.grad() * ops::exp(ops::square(b.out())) * (1 / kTwoOverSqrtPi));
}
GRADIENT(lgamma, .saves = {IN0}) { b.set(0, b.grad() * ops::digamma(b.in(0))); }
GRADIENT(i0, .saves = {IN0}) { b.set(0, b.grad() * ops::i1(b.in(0))); }
// i1(x) / x tends to 1/2 at 0.
GRADIENT(i1, .saves = {IN0}) {
  Tensor x = b.in(0), zero = ops::eq_scalar(x, 0);
  Tensor part = ops::masked_fill(ops::i1(x) / ops::masked_fill(x, zero, 1.0), zero, 0.5);
  b.set(0, b.grad() * (ops::i0(x) - part));
}
GRADIENT(digamma, .saves = {IN0}) { b.set(0, b.grad() * ops::zeta(b.in(0), 2)); }
GRADIENT(zeta, .saves = {IN0}) {
  double s = b.attrs.d(0);
  b.set(0, b.grad() * ops::zeta(b.in(0), s + 1) * -s);
}

static void fused_tanh(Backward& b) { b.set(0, ops::tanh_backward(b.grad(), b.out())); }
GRADIENT(tanh, .fused = fused_tanh, .saves = {OUT0}) { b.set(0, b.grad() * (1 - ops::square(b.out()))); }

static void fused_sigmoid(Backward& b) { b.set(0, ops::sigmoid_backward(b.grad(), b.out())); }
GRADIENT(sigmoid, .fused = fused_sigmoid, .saves = {OUT0}) { b.set(0, b.grad() * b.out() * (1 - b.out())); }

GRADIENT(floor) { b.set(0, ops::zeros_like(b.grad())); }
GRADIENT(ceil) { b.set(0, ops::zeros_like(b.grad())); }
GRADIENT(round) { b.set(0, ops::zeros_like(b.grad())); }
GRADIENT(trunc) { b.set(0, ops::zeros_like(b.grad())); }

// ---- binary ----
GRADIENT(add) {
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(1)) b.set(1, b.grad());
}
GRADIENT(sub) {
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(1)) b.set(1, -b.grad());
}
GRADIENT(mul, .saves = {IN1, IN0}) {
  if (b.needs(0) && b.needs(1))
    b.set(0, b.grad() * b.in(1));
  else if (b.needs(0))
    b.set(0, mul_reusing(b.take_grad(), b.in(1)));
  if (b.needs(1)) b.set(1, mul_reusing(b.take_grad(), b.in(0)));
}
GRADIENT(div, .saves = {IN1, IN0 | IN1}) {
  if (b.needs(0)) b.set(0, b.grad() / b.in(1));
  if (b.needs(1)) b.set(1, -b.grad() * ((b.in(0) / b.in(1)) / b.in(1)));
}
// d a^b: b a^(b-1), which is 0 at b = 0 whatever a is; and a^b log a, which is 0 at a = 0 for b >= 0.
GRADIENT(pow, .saves = {IN0 | IN1, IN0 | IN1 | OUT0}) {
  if (b.needs(0)) {
    Tensor e = b.in(1);
    b.set(0, ops::where(ops::eq_scalar(e, 0), ops::zeros_like(b.grad()),
                        b.grad() * e * ops::pow(b.in(0), e - 1)));
  }
  if (b.needs(1)) {
    Tensor base = b.in(0), e = b.in(1);
    Tensor zero = ops::logical_and(ops::eq_scalar(base, 0), ops::ge_scalar(e, 0));
    Tensor safe = ops::masked_fill(base, zero, 1.0);
    b.set(1, ops::where(zero, ops::zeros_like(b.grad()), b.grad() * b.out() * ops::log(safe)));
  }
}
// What PyTorch answers: half of it at ties, all of it for both where one is NaN, for then none is less.
static void extremum_gradient(Backward& b, int lesser) {
  Tensor shared = ops::where(ops::eq(b.in(0), b.in(1)), b.grad() * 0.5, b.grad());
  auto loses = [&](int i) { return i == lesser ? ops::lt(b.in(0), b.in(1)) : ops::gt(b.in(0), b.in(1)); };
  for (int i : {0, 1})
    if (b.needs(i)) b.set(i, ops::masked_fill(shared, loses(i), 0.0));
}
GRADIENT(maximum, .always = IN0 | IN1) { extremum_gradient(b, 0); }
GRADIENT(minimum, .always = IN0 | IN1) { extremum_gradient(b, 1); }
GRADIENT(fmod, .saves = {0, IN0 | IN1}) {
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(1)) b.set(1, -b.grad() * ops::trunc(b.in(0) / b.in(1)));
}
GRADIENT(remainder, .saves = {0, IN0 | IN1}) {
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(1)) b.set(1, -b.grad() * ops::floor_divide(b.in(0), b.in(1)));
}
GRADIENT(atan2, .always = IN0 | IN1) {
  // At the origin, where there is no angle, it is 0.
  const Tensor size = ops::square(b.in(0)) + ops::square(b.in(1));
  const Tensor scaled = b.grad() / ops::masked_fill(size, ops::eq_scalar(size, 0), 1.0);
  if (b.needs(0)) b.set(0, scaled * b.in(1));
  if (b.needs(1)) b.set(1, -scaled * b.in(0));
}

GRADIENT(hypot, .saves = {IN0 | OUT0, IN1 | OUT0}) {
  for (int i : {0, 1})
    if (b.needs(i)) b.set(i, b.grad() * (b.in(i) / b.out()));
}
// Zeros have no slope, whatever their sign.
GRADIENT(copysign, .saves = {IN0 | OUT0, 0}) {
  if (b.needs(0)) b.set(0, b.grad() * (ops::sign(b.in(0)) * ops::sign(b.out())));
  if (b.needs(1)) b.set(1, ops::zeros_like(b.grad()));
}
GRADIENT(logaddexp, .always = IN0 | IN1) {
  if (b.needs(0)) b.set(0, b.grad() * ops::sigmoid(b.in(0) - b.in(1)));
  if (b.needs(1)) b.set(1, b.grad() * ops::sigmoid(b.in(1) - b.in(0)));
}
GRADIENT(logaddexp2, .always = IN0 | IN1) {
  if (b.needs(0)) b.set(0, b.grad() * ops::sigmoid((b.in(0) - b.in(1)) * kLn2));
  if (b.needs(1)) b.set(1, b.grad() * ops::sigmoid((b.in(1) - b.in(0)) * kLn2));
}
GRADIENT(xlogy, .saves = {IN0 | IN1, IN0 | IN1}) {
  Tensor x = b.in(0), y = b.in(1);
  if (b.needs(0)) {
    Tensor none = ops::logical_and(ops::eq_scalar(x, 0), ops::le_scalar(y, 0));
    b.set(0, ops::masked_fill(b.grad() * ops::log(ops::masked_fill(y, none, 1.0)), none, 0.0));
  }
  if (b.needs(1)) b.set(1, b.grad() * x / y);
}

// ---- with a scalar ----
GRADIENT(add_scalar) { b.set(0, b.grad()); }
GRADIENT(sub_scalar) { b.set(0, b.grad()); }
GRADIENT(rsub_scalar) { b.set(0, -b.grad()); }
GRADIENT(mul_scalar) { b.set(0, ops::mul_scalar(b.grad(), scalar_at(b, 0))); }
GRADIENT(div_scalar) { b.set(0, ops::div_scalar(b.grad(), scalar_at(b, 0))); }
GRADIENT(rdiv_scalar, .saves = {IN0}) {
  b.set(0, ops::mul_scalar(b.grad() / ops::square(b.in(0)), -scalar_at(b, 0).to_double()));
}
GRADIENT(pow_scalar, .saves = {IN0}) {
  double e = scalar_at(b, 0).to_double();
  if (e == 0) return b.set(0, ops::zeros_like(b.grad()));
  const Tensor x = b.in(0);
  // Squares are losses: a general power takes longer than all else.
  b.set(0, b.grad() * (e == 2 ? x : ops::pow_scalar(x, e - 1)) * e);
}
GRADIENT(rpow_scalar, .saves = {OUT0}) {
  double base = scalar_at(b, 0).to_double();
  if (base == 0) return b.set(0, ops::zeros_like(b.grad()));
  b.set(0, b.grad() * b.out() * std::log(base));
}
GRADIENT(fmod_scalar) { b.set(0, b.grad()); }
GRADIENT(remainder_scalar) { b.set(0, b.grad()); }
// What is at a bound has no slope, as in PyTorch 2.15.
GRADIENT(clamp, .saves = {IN0}) {
  Scalar low = scalar_at(b, 0), high = scalar_at(b, 2);
  Tensor g = b.grad(), x = b.in(0);
  if (low.kind != ScalarKind::none) g = where_or_zero(ops::gt_scalar(x, low), g);
  if (high.kind != ScalarKind::none) g = where_or_zero(ops::lt_scalar(x, high), g);
  b.set(0, g);
}

// ---- ternary and masks ----
GRADIENT(where, .always = IN0) {
  if (b.needs(1)) b.set(1, where_or_zero(b.in(0), b.grad()));
  if (b.needs(2)) b.set(2, where_or_zero(ops::logical_not(b.in(0)), b.grad()));
}
GRADIENT(masked_fill, .saves = {IN1}) { b.set(0, ops::masked_fill(b.grad(), b.in(1), 0.0)); }
GRADIENT(addcmul, .saves = {0, IN2, IN1}) {
  Scalar value = scalar_at(b, 0);
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(1)) b.set(1, ops::mul_scalar(b.grad() * b.in(2), value));
  if (b.needs(2)) b.set(2, ops::mul_scalar(b.grad() * b.in(1), value));
}
GRADIENT(addcdiv, .saves = {0, IN2, IN1 | IN2}) {
  Scalar value = scalar_at(b, 0);
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(1)) b.set(1, ops::mul_scalar(b.grad() / b.in(2), value));
  if (b.needs(2)) b.set(2, ops::mul_scalar(-b.grad() * b.in(1) / ops::square(b.in(2)), value));
}
GRADIENT(lerp) {
  double w = scalar_at(b, 0).to_double();
  if (b.needs(0)) b.set(0, b.grad() * (1 - w));
  if (b.needs(1)) b.set(1, b.grad() * w);
}

namespace ops {

// (-1)^(n + 1) n! zeta(x, n + 1)
Tensor polygamma(int64_t n, const Tensor& x) {
  if (n < 0) fail(Code::invalid_argument, concat("[polygamma] n must not be negative, got ", n), {}, "n");
  if (n == 0) return digamma(x);
  const double order = double(n) + 1;
  return mul_scalar(zeta(x, order), std::tgamma(order) * (n % 2 ? 1 : -1));
}

Tensor uncast::prelu(const Tensor& x, const Tensor& weight) {
  const int64_t channels = x.ndim() > 1 ? x.size(1) : 1, n = weight.numel();
  if (weight.ndim() > 1 || (n != 1 && (x.ndim() == 0 || n != channels)))
    fail(Code::shape,
         concat("[prelu] Mismatch of parameter numbers and input channel size. Found parameter numbers = ", n,
                " and channel size = ", channels, ", weight of shape ", weight.sizes()),
         "weight has one element, or is a vector of one for each channel", "weight");
  Shape sizes(std::max<int64_t>(n == 1 ? 0 : 1, x.ndim() - 1), 1);
  if (n != 1) sizes[0] = n;
  return where(gt_scalar(x, 0), x, mul(reshape(weight, sizes), x));
}

}  // namespace ops

}  // namespace haft
