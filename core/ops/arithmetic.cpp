// Functions of one or two elements that are a few others.
#include <cmath>
#include <limits>
#include <numbers>

#include "core/ops/gradient.h"
#include "core/ops/linalg.h"

namespace haft::ops {

namespace {

double largest(DType t) {
  switch (t) {
    case DType::f16: return 65504;
    case DType::bf16: return 0x1.FEp127;
    case DType::f32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

bool absent(Scalar s) { return s.kind == ScalarKind::none; }

}  // namespace

Tensor frac(const Tensor& x) { return x - trunc(x); }

Tensor signbit(const Tensor& x) {
  NoGradGuard none;
  return lt_scalar(is_float(x.dtype()) ? copysign(ones_like(x), x) : x, 0);  // -0.0 < 0 is false
}

Tensor logit(const Tensor& given, Scalar eps) {
  if (!is_float(given.dtype())) return logit(cast(given, default_float()), eps);
  Tensor x = given;
  if (!absent(eps)) {  // the lower bound is looked at first, and what equals one keeps its slope
    const double low = eps.to_double(), high = 1 - low;
    x = masked_fill(masked_fill(x, gt_scalar(x, high), high), lt_scalar(x, low), low);
  }
  // Each has a slope of its own where the quotient's is 0 times infinity, and outside of [0, 1], too, where the logit
  // has neither value nor slope.
  const Tensor y = log(x) - log1p(-x);
  return linalg::is_recorded({&x}) ? y * masked_fill(ones_like(y), isnan(y), std::nan("")) : y;
}

Tensor deg2rad(const Tensor& x) { return x * (std::numbers::pi / 180); }
Tensor rad2deg(const Tensor& x) { return x * (180 / std::numbers::pi); }

Tensor sinc(const Tensor& given) {
  Tensor x = given * std::numbers::pi, zero = eq_scalar(x, 0);
  return masked_fill(sin(x) / masked_fill(x, zero, 1.0), zero, 1.0);
}

Tensor nan_to_num(const Tensor& x, Scalar nan, Scalar posinf, Scalar neginf) {
  if (!is_float(x.dtype())) return clone(x);
  const double most = largest(x.dtype());
  Tensor t = masked_fill(x, isnan(x), absent(nan) ? Scalar(0.0) : nan);
  t = masked_fill(t, eq_scalar(x, INFINITY), absent(posinf) ? Scalar(most) : posinf);
  return masked_fill(t, eq_scalar(x, -INFINITY), absent(neginf) ? Scalar(-most) : neginf);
}

Tensor ldexp(const Tensor& x, const Tensor& power) { return x * rpow_scalar(power, 2.0); }

Tensor isposinf(const Tensor& x) { return eq_scalar(x, INFINITY); }
Tensor isneginf(const Tensor& x) { return eq_scalar(x, -INFINITY); }

Tensor heaviside(const Tensor& x, const Tensor& values) {
  return where(eq_scalar(x, 0), values, cast(gt_scalar(x, 0), x.dtype()));
}

// Of equals the first, which takes the gradient.
// Each stands in where the other is NaN: at ties maximum() shares the gradient.
Tensor fmax(const Tensor& x, const Tensor& y) {
  return maximum(where(isnan(x), y, x), where(isnan(y), x, y));
}
Tensor fmin(const Tensor& x, const Tensor& y) {
  return minimum(where(isnan(x), y, x), where(isnan(y), x, y));
}

Tensor isclose(const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
  NoGradGuard none;
  if (x.dtype() != y.dtype())
    fail(Code::dtype,
         concat("[isclose] input is ", dtype_name(x.dtype()), ", other is ", dtype_name(y.dtype())),
         "convert one with to()", "other");
  if (!(rtol >= 0) || !(atol >= 0))
    fail(Code::invalid_argument,
         concat("[isclose] rtol and atol must not be negative, got ", rtol, " and ", atol), {}, "rtol");
  Tensor close = eq(x, y);
  if (equal_nan && is_differentiable(x.dtype())) close = logical_or(close, logical_and(isnan(x), isnan(y)));
  if (rtol == 0 && atol == 0) return close;
  const DType t = is_differentiable(x.dtype()) ? x.dtype() : DType::f64;
  Tensor b = as_dtype(y, t), error = abs(as_dtype(x, t) - b);
  return logical_or(close, logical_and(isfinite(error), le(error, abs(b * rtol) + atol)));
}

}  // namespace haft::ops
