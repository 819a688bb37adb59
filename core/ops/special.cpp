// Special functions and their gradients. Their values stand in schema/special.h, bessel.h, incomplete_gamma.h and
// rare.h.
#include <cmath>
#include <numbers>

#include "core/ops/gradient.h"
#include "core/schema/functors.h"

namespace haft {

namespace {

using fn::Rare;

constexpr double kPi = std::numbers::pi;
const double kTwoOverSqrtPi = 2 / std::sqrt(kPi);

Tensor rare(const Tensor& x, Rare which) { return ops::rare(x, double(which)); }

// f(x) / x, and `at_zero` where x is 0.
Tensor over(const Tensor& f, const Tensor& x, double at_zero) {
  const Tensor zero = ops::eq_scalar(x, 0);
  return ops::masked_fill(f / ops::masked_fill(x, zero, 1.0), zero, at_zero);
}

// The density of a gamma variable of shape a and rate 1.
Tensor gamma_density(const Tensor& a, const Tensor& x) {
  return ops::exp(ops::xlogy(a - 1, x) - x - ops::lgamma(a));
}

}  // namespace

// (Abramowitz and Stegun 9.1.28, 9.1.27, 9.6.27 and 9.6.26.)
GRADIENT(rare, .saves = {IN0 | OUT0}) {
  const Rare which{int(b.attrs.d(0))};
  const Tensor x = b.in(0), y = b.out();
  const auto slope = [&]() -> Tensor {
    switch (which) {
      case Rare::erfcx: return x * y * 2 - kTwoOverSqrtPi;
      case Rare::ndtri: return ops::exp(ops::square(y) * 0.5) * std::sqrt(2 * kPi);
      case Rare::i0e: return rare(x, Rare::i1e) - ops::sign(x) * y;
      case Rare::i1e: return rare(x, Rare::i0e) - ops::sign(x) * y - over(y, x, 0.5);
      case Rare::j0: return -rare(x, Rare::j1);
      case Rare::j1: return rare(x, Rare::j0) - over(y, x, 0.5);
      case Rare::y0: return -rare(x, Rare::y1);
      case Rare::y1: return rare(x, Rare::y0) - y / x;
      case Rare::k0: return -rare(x, Rare::k1);
      case Rare::k1: return -rare(x, Rare::k0) - y / x;
      case Rare::k0e: return y - rare(x, Rare::k1e);
      case Rare::k1e: return y - rare(x, Rare::k0e) - y / x;
      case Rare::mantissa: return ops::reciprocal(ops::exp2(rare(x, Rare::exponent)));
      case Rare::exponent: break;
    }
    return ops::zeros_like(y);
  };
  b.set(0, b.grad() * slope());
}

// In the shape parameter implicitly (Figurnov et al., arXiv:1805.08498), which has no second derivative in it.
GRADIENT(incomplete_gamma, .always = IN0 | IN1) {
  const double sign = b.attrs.b(0) ? -1 : 1;
  const Tensor a = b.in(0), x = b.in(1), density = gamma_density(a, x) * sign;
  if (b.needs(0)) b.set(0, -b.grad() * ops::gamma_slope(a, x) * density);
  if (b.needs(1)) b.set(1, b.grad() * density);
}

namespace ops {

Tensor erfcx(const Tensor& x) { return rare(x, double(Rare::erfcx)); }
Tensor ndtri(const Tensor& x) { return rare(x, double(Rare::ndtri)); }
Tensor i0e(const Tensor& x) { return rare(x, double(Rare::i0e)); }
Tensor i1e(const Tensor& x) { return rare(x, double(Rare::i1e)); }
Tensor bessel_j0(const Tensor& x) { return rare(x, double(Rare::j0)); }
Tensor bessel_j1(const Tensor& x) { return rare(x, double(Rare::j1)); }
Tensor bessel_y0(const Tensor& x) { return rare(x, double(Rare::y0)); }
Tensor bessel_y1(const Tensor& x) { return rare(x, double(Rare::y1)); }
Tensor modified_bessel_k0(const Tensor& x) { return rare(x, double(Rare::k0)); }
Tensor modified_bessel_k1(const Tensor& x) { return rare(x, double(Rare::k1)); }
Tensor scaled_modified_bessel_k0(const Tensor& x) { return rare(x, double(Rare::k0e)); }
Tensor scaled_modified_bessel_k1(const Tensor& x) { return rare(x, double(Rare::k1e)); }

Tensor igamma(const Tensor& a, const Tensor& x) { return incomplete_gamma(a, x, false); }
Tensor igammac(const Tensor& a, const Tensor& x) { return incomplete_gamma(a, x, true); }

Tensor ndtr(const Tensor& x) { return erfc(x * -std::numbers::sqrt2 / 2) * 0.5; }

// Below -1 by erfcx, which does not underflow; each branch gets arguments that it bears, so that gradients are finite.
Tensor log_ndtr(const Tensor& given) {
  const Tensor x = is_float(given.dtype()) ? given : cast(given, default_float());
  const Tensor low = lt_scalar(x, -1),
               t = masked_fill(x, logical_not(low), -1.0) * (-std::numbers::sqrt2 / 2);
  const Tensor far = log(erfcx(t) * 0.5) - square(t),
               near = log1p(erfc(masked_fill(x, low, 0.0) * (std::numbers::sqrt2 / 2)) * -0.5);
  return where(low, far, near);
}

Tensor entr(const Tensor& given) {
  const Tensor x = is_float(given.dtype()) ? given : cast(given, default_float());
  const Tensor above = gt_scalar(x, 0), logged = masked_fill(x, logical_not(above), 1.0),
               y = -(logged * log(logged));
  return masked_fill(masked_fill(y, lt_scalar(x, 0), -INFINITY), isnan(x), NAN);
}

// Where x is 0 and the logarithm infinite or none, that is of 1: elsewhere x keeps its slope.
Tensor xlog1py(const Tensor& x, const Tensor& given) {
  // It takes the other's type.
  const bool number = !is_float(given.dtype()) || (given.ndim() == 0 && x.ndim() > 0);
  const Tensor y = number ? as_dtype(given, is_float(x.dtype())       ? x.dtype()
                                            : is_float(given.dtype()) ? given.dtype()
                                                                      : default_float())
                          : given;
  const Tensor none = logical_and(eq_scalar(x, 0), logical_or(le_scalar(y, -1), eq_scalar(y, INFINITY)));
  return x * log1p(masked_fill(y, none, 0.0));
}

Tensor mvlgamma(const Tensor& given, int64_t p) {
  if (p < 1)
    fail(Code::invalid_argument, concat("[mvlgamma] p must be greater than or equal to 1, got ", p), {}, "p");
  const Tensor a = is_float(given.dtype()) ? given : cast(given, default_float());
  const Tensor each = unsqueeze(a, -1) - arange(0, p, 1, a.dtype(), a.device()) * 0.5;
  const int64_t last[] = {-1};
  return sum(lgamma(each), last) + double(p * (p - 1)) / 4 * std::log(kPi);
}

std::array<Tensor, 2> frexp(const Tensor& x) {
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[frexp] input must be a floating tensor, got ", dtype_name(x.dtype())),
         "convert it with to()", "input");
  return {rare(x, double(Rare::mantissa)), cast(rare(detach(x), double(Rare::exponent)), DType::i32)};
}

Tensor nextafter(const Tensor& x, const Tensor& y) {
  // One number does not widen what has dimensions.
  const auto leads = [](const Tensor& a, const Tensor& b) {
    return a.ndim() > 0 && b.ndim() == 0 && is_float(a.dtype());
  };
  const DType t = leads(x, y) ? x.dtype() : leads(y, x) ? y.dtype() : promote(x.dtype(), y.dtype());
  if (!is_float(t))
    fail(Code::dtype,
         concat("[nextafter] takes floating tensors, got ", dtype_name(x.dtype()), " and ",
                dtype_name(y.dtype())),
         "convert them with to()", "input");
  const bool wide = t == DType::f64, half = t == DType::f16;
  const double digits = wide ? 53 : half ? 11 : t == DType::bf16 ? 8 : 24;
  return next_after(as_dtype(x, t), as_dtype(y, t), digits, wide ? -1022 : half ? -14 : -126);
}

}  // namespace ops
}  // namespace haft
