// Functions of complex tensors. What they answer at the ends of the range is C99's (Annex G), which is PyTorch's.
#include "core/ops/complex_functions.h"

#include <cmath>
#include <numbers>

#include "core/ops/complex.h"
#include "core/ops/gradient.h"

namespace haft::complex_functions {

namespace {

Tensor pairs(const Tensor& x) { return ops::view_as_real(x); }

Tensor ones(const Tensor& x) {
  return ops::complex(ops::ones_like(ops::real(x)), ops::zeros_like(ops::real(x)));
}

// 1 where x is positive or +0, else -1: a factor without a slope.
Tensor side_of(const Tensor& x) {
  NoGradGuard none;
  return ops::copysign(ops::ones_like(x), x);
}

Tensor times_i(const Tensor& x) { return ops::complex(-ops::imag(x), ops::real(x)); }
Tensor minus_i(const Tensor& x) { return ops::complex(ops::imag(x), -ops::real(x)); }

// hypot, whose gradient at 0 is 0.
Tensor length(const Tensor& re, const Tensor& im) { return magnitude(ops::complex(re, im)); }

// The functions of a in products with the cosine or sine of b (schema/functors_binary.h).
Tensor exp_cos(const Tensor& a, const Tensor& b) { return ops::turned_exp(a, b, true, true, false); }
Tensor exp_sin(const Tensor& a, const Tensor& b) { return ops::turned_exp(a, b, true, true, true); }
Tensor cosh_cos(const Tensor& a, const Tensor& b) { return ops::turned_exp(a, b, true, false, false); }
Tensor cosh_sin(const Tensor& a, const Tensor& b) { return ops::turned_exp(a, b, true, false, true); }
Tensor sinh_cos(const Tensor& a, const Tensor& b) { return ops::turned_exp(a, b, false, true, false); }
Tensor sinh_sin(const Tensor& a, const Tensor& b) { return ops::turned_exp(a, b, false, true, true); }

// The number of that size and angle; beyond the largest number an angle of 0 still is one.
Tensor polar(const Tensor& size, const Tensor& angle) {
  const Tensor flat = ops::logical_and(ops::isinf(size), ops::eq_scalar(angle, 0));
  return ops::complex(size * ops::cos(angle), ops::masked_fill(size * ops::sin(angle), flat, 0.0));
}

// Whether a part of x is infinite.
Tensor is_infinite(const Tensor& x) {
  return ops::logical_or(ops::isinf(ops::real(x)), ops::isinf(ops::imag(x)));
}
Tensor infinite_as(const Tensor& x) { return ops::copysign(ops::full_like(x, HUGE_VAL), x); }
// y, a part of an odd function, is 0 where that part of its argument is, whatever the other one is.
Tensor with_zeros_of(const Tensor& part, const Tensor& y) {
  return ops::where(ops::logical_and(ops::isnan(y), ops::eq_scalar(part, 0)), part, y);
}

}  // namespace

Tensor times(const Tensor& x, double s) { return joined(pairs(x) * s); }
Tensor moved(const Tensor& x, double s) { return ops::complex(ops::real(x) + s, ops::imag(x)); }
Tensor reciprocal(const Tensor& x) { return complex_quotient(ones(x), x); }

Tensor exp(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x);
  return ops::complex(exp_cos(a, b), exp_sin(a, b));
}

// Near 0 by expm1 and the half angle, so that the digits of what is left stay.
Tensor expm1(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x), large = ops::gt_scalar(a, 1);
  const Tensor near =
      ops::expm1(ops::masked_fill(a, large, 0.0)) * ops::cos(b) - ops::square(ops::sin(b * 0.5)) * 2;
  return ops::complex(ops::where(large, exp_cos(a, b) - 1, near), exp_sin(a, b));
}

// Where |x| is beyond the largest number its half is not.
Tensor log(const Tensor& x) {
  const Tensor size = magnitude(x), beyond = ops::isinf(size);
  const Tensor half =
      ops::hypot(ops::real(x) * 0.5, ops::masked_fill(ops::imag(x) * 0.5, ops::logical_not(beyond), 1.0));
  return ops::complex(
      ops::where(beyond, ops::log(half) + std::numbers::ln2, ops::log(ops::masked_fill(size, beyond, 1.0))),
      ops::angle(x));
}

// Below 1/2 of the square's distance from 1, above of |1 + x|.
Tensor log1p(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x), y = moved(x, 1);
  const Tensor large = ops::ge_scalar(length(a, b), 0.5);
  const Tensor u = ops::masked_fill(a, large, 0.0), v = ops::masked_fill(b, large, 0.0);
  const Tensor near = ops::log1p(u * (u + 2) + ops::square(v)) * 0.5;
  return ops::complex(ops::where(large, ops::real(log(y)), near), ops::atan2(b, a + 1));
}

// The root with a real part >= 0: of (|re| + |x|) / 2, from which the other part follows without cancellation.
Tensor sqrt(const Tensor& x) {
  const Tensor re = ops::real(x), im = ops::imag(x), up = side_of(im), side = side_of(re),
               right = ops::gt_scalar(side, 0), far = ops::isinf(im);
  const Tensor t = ops::masked_fill(ops::sqrt(re * side * 0.5 + length(re * 0.5, im * 0.5)), far, HUGE_VAL);
  const Tensor zero = ops::eq_scalar(t, 0), safe = ops::masked_fill(t, zero, 1.0);
  const Tensor other = ops::where(ops::logical_or(zero, far), im, im / (safe * 2));
  return ops::complex(ops::where(right, t, other * up), ops::where(right, other, t * up));
}

// 1 / (1 + exp(-x)), both sides times exp(x) where that is the smaller one: it never overflows.
Tensor sigmoid(const Tensor& x) {
  const Tensor side = side_of(ops::real(x)), e = exp(joined(pairs(x) * -ops::unsqueeze(side, -1)));
  return complex_quotient(ops::where(ops::ge_scalar(side, 0), ones(x), e), moved(e, 1));
}

Tensor sinh(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x);
  return ops::complex(sinh_cos(a, b), cosh_sin(a, b));
}
Tensor cosh(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x);
  return ops::complex(cosh_cos(a, b), sinh_sin(a, b));
}
Tensor sin(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x);
  return ops::complex(cosh_sin(b, a), sinh_cos(b, a));
}
Tensor cos(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x);
  return ops::complex(cosh_cos(b, a), -sinh_sin(b, a));
}

// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b), both sides times 4 exp(-2 |a|).
Tensor tanh(const Tensor& x) {
  const Tensor a = ops::real(x), given = ops::imag(x), side = side_of(a), size = a * side;
  const Tensor lost = ops::logical_and(ops::isinf(a), ops::logical_not(ops::isfinite(given)));
  const Tensor b = ops::masked_fill(given, lost, 0.0), sine = ops::sin(b), cosine = ops::cos(b);
  const Tensor e = ops::exp(size * -2) * 4;
  const Tensor below = ops::square(ops::expm1(size * -2)) + e * ops::square(cosine);
  return ops::complex(with_zeros_of(a, -ops::expm1(size * -4) * side / below),
                      with_zeros_of(given, e * sine * cosine / below));
}
Tensor tan(const Tensor& x) { return minus_i(tanh(times_i(x))); }

// Kahan's formulas ("Branch cuts for complex elementary functions", 1987): the products of roots add numbers of one
// sign, so nothing cancels, and each side of a cut has its own value by the sign of 0.
Tensor asin(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x), p = sqrt(moved(times(x, -1), 1)), q = sqrt(moved(x, 1));
  const Tensor pr = ops::real(p), pi = ops::imag(p), qr = ops::real(q), qi = ops::imag(q);
  const Tensor far = is_infinite(x);
  return ops::complex(with_zeros_of(a, ops::atan2(a, ops::where(far, ops::abs(b), pr * qr - pi * qi))),
                      ops::where(far, infinite_as(b), ops::asinh(pr * qi - pi * qr)));
}
Tensor acos(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x), p = sqrt(moved(times(x, -1), 1)), q = sqrt(moved(x, 1));
  const Tensor pr = ops::real(p), pi = ops::imag(p), qr = ops::real(q), qi = ops::imag(q);
  const Tensor far = is_infinite(x);
  return ops::complex(ops::where(far, ops::atan2(ops::abs(b), a), ops::atan2(pr, qr) * 2),
                      ops::where(far, infinite_as(-b), ops::asinh(qr * pi - qi * pr)));
}
// i acos(x) or -i acos(x), whichever has a real part >= 0.
Tensor acosh(const Tensor& x) {
  const Tensor side = side_of(ops::imag(x)), y = acos(x);
  return ops::complex(ops::imag(y) * -side, ops::real(y) * side);
}
Tensor asinh(const Tensor& x) { return minus_i(asin(times_i(x))); }

// log((1 + x) / (1 - x)) / 2; the real part by its size, so that nothing cancels near -1 either.
Tensor atanh(const Tensor& x) {
  const Tensor a = ops::real(x), b = ops::imag(x), far = is_infinite(x), side = side_of(a), size = a * side;
  // The square of what is near may be no number.
  const Tensor apart = length(1 - size, b), near = ops::lt_scalar(apart, 1e-17);
  const Tensor some = ops::masked_fill(apart, near, 1.0), ratio = size / some / some * 4;
  const Tensor twice = ops::where(near, ops::log(apart) * -2 + 2 * std::numbers::ln2, ops::log1p(ratio));
  return ops::complex(with_zeros_of(a, ops::masked_fill(twice, far, 0.0) * side * 0.25),
                      ops::where(far, ops::copysign(ops::full_like(b, std::numbers::pi / 2), b),
                                 ops::atan2(b * 2, (1 - a) * (a + 1) - ops::square(b)) * 0.5));
}
Tensor atan(const Tensor& x) { return minus_i(atanh(times_i(x))); }

// By the polar form unless e is a small whole number.
Tensor power(const Tensor& x, double e) {
  if (e == 0) return ones(x);
  if (e == 1) return ops::clone(x);
  if (e == 0.5) return sqrt(x);
  if (e == std::floor(e) && std::abs(e) <= 4) {
    Tensor y = e < 0 ? reciprocal(x) : x;
    const Tensor once = y;
    for (int k = 1; k < int(std::abs(e)); ++k) y = complex_product(y, once);
    return y;
  }
  return polar(ops::pow_scalar(magnitude(x), e), ops::angle(x) * e);
}

Tensor power(const Tensor& x, const Tensor& e) {
  if (!is_complex(e.dtype())) return polar(ops::pow(magnitude(x), e), ops::angle(x) * e);
  const Tensor zero = ops::logical_not(x);
  const Tensor safe = ops::masked_fill(x, zero, 1.0), y = exp(complex_product(e, log(safe)));
  const Tensor none = ops::logical_not(e), above = ops::gt_scalar(ops::real(e), 0);
  const Tensor known = ops::logical_or(above, none);
  const Tensor at_zero =
      ops::masked_fill(to_complex(none, y.dtype()), ops::logical_not(known), std::nan(""));  // 0^0 is 1
  // x^1, the one power that is x at 0, has x's slope there.
  return ops::where(zero, ops::where(ops::eq_scalar(e, 1), x, at_zero), y);
}

}  // namespace haft::complex_functions
