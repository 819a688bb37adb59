// Generated from core/schema/ops.def by tools/generate; do not edit.
//
// The operators in C++17: haft::softmax(x, 1), in place haft::add_(a, b), into y haft::add_out(a, b, y). They
// only call the C functions of haft/ops.h; a status other than HAFT_OK becomes an exception. An absent tensor
// is an empty Tensor. Include haft/haft.hpp, which includes this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_OPS_HPP
#define HAFT_OPS_HPP
#include <haft/ops.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace haft {
namespace detail {

// The handles of a list of tensors, for the time of one call.
class Handles {
  std::vector<haft_tensor*> handles_;

 public:
  explicit Handles(const std::vector<Tensor>& tensors) {
    handles_.reserve(tensors.size());
    for (const Tensor& t : tensors) handles_.push_back(t.get());
  }
  haft_tensor* const* data() const { return handles_.data(); }
};

// Calls f(outs, capacity, &count) with room for a few results and, when there are more, once again.
template <class F>
std::vector<Tensor> list(F f) {
  haft_tensor* few[16];
  std::vector<haft_tensor*> many;
  haft_tensor** outs = few;
  int64_t capacity = 16, count = 0;
  haft_status status = f(outs, capacity, &count);
  if (status != HAFT_OK && count > capacity) {
    many.resize(static_cast<std::size_t>(count));
    outs = many.data();
    capacity = count;
    status = f(outs, capacity, &count);
  }
  check(status);
  return adopt(outs, count);
}

}  // namespace detail

// ---- Pointwise: unary -------------------------------------------------------------------------------------

/// Absolute value |x|.
inline Tensor abs(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_abs(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& abs_(const Tensor& x) {
  check(haft_abs_(x.get()));
  return x;
}
inline void abs_out(const Tensor& x, const Tensor& out) { check(haft_abs_out(x.get(), out.get())); }

/// Negative -x; bool is refused.
inline Tensor neg(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_neg(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& neg_(const Tensor& x) {
  check(haft_neg_(x.get()));
  return x;
}
inline void neg_out(const Tensor& x, const Tensor& out) { check(haft_neg_out(x.get(), out.get())); }

/// -1, 0 or 1 by the sign of x; NaN stays NaN.
inline Tensor sign(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_sign(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& sign_(const Tensor& x) {
  check(haft_sign_(x.get()));
  return x;
}
inline void sign_out(const Tensor& x, const Tensor& out) { check(haft_sign_out(x.get(), out.get())); }

/// e to the power x.
inline Tensor exp(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_exp(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& exp_(const Tensor& x) {
  check(haft_exp_(x.get()));
  return x;
}
inline void exp_out(const Tensor& x, const Tensor& out) { check(haft_exp_out(x.get(), out.get())); }

/// 2 to the power x.
inline Tensor exp2(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_exp2(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& exp2_(const Tensor& x) {
  check(haft_exp2_(x.get()));
  return x;
}
inline void exp2_out(const Tensor& x, const Tensor& out) { check(haft_exp2_out(x.get(), out.get())); }

/// exp(x) - 1, accurate near 0.
inline Tensor expm1(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_expm1(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& expm1_(const Tensor& x) {
  check(haft_expm1_(x.get()));
  return x;
}
inline void expm1_out(const Tensor& x, const Tensor& out) { check(haft_expm1_out(x.get(), out.get())); }

/// Natural logarithm; -inf at 0, NaN below.
inline Tensor log(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_log(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& log_(const Tensor& x) {
  check(haft_log_(x.get()));
  return x;
}
inline void log_out(const Tensor& x, const Tensor& out) { check(haft_log_out(x.get(), out.get())); }

/// Logarithm to base 2.
inline Tensor log2(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_log2(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& log2_(const Tensor& x) {
  check(haft_log2_(x.get()));
  return x;
}
inline void log2_out(const Tensor& x, const Tensor& out) { check(haft_log2_out(x.get(), out.get())); }

/// Logarithm to base 10.
inline Tensor log10(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_log10(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& log10_(const Tensor& x) {
  check(haft_log10_(x.get()));
  return x;
}
inline void log10_out(const Tensor& x, const Tensor& out) { check(haft_log10_out(x.get(), out.get())); }

/// log(1 + x), accurate near 0.
inline Tensor log1p(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_log1p(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& log1p_(const Tensor& x) {
  check(haft_log1p_(x.get()));
  return x;
}
inline void log1p_out(const Tensor& x, const Tensor& out) { check(haft_log1p_out(x.get(), out.get())); }

/// Square root; NaN below 0.
inline Tensor sqrt(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_sqrt(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& sqrt_(const Tensor& x) {
  check(haft_sqrt_(x.get()));
  return x;
}
inline void sqrt_out(const Tensor& x, const Tensor& out) { check(haft_sqrt_out(x.get(), out.get())); }

/// 1 / sqrt(x).
inline Tensor rsqrt(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_rsqrt(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& rsqrt_(const Tensor& x) {
  check(haft_rsqrt_(x.get()));
  return x;
}
inline void rsqrt_out(const Tensor& x, const Tensor& out) { check(haft_rsqrt_out(x.get(), out.get())); }

/// x * x.
inline Tensor square(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_square(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& square_(const Tensor& x) {
  check(haft_square_(x.get()));
  return x;
}
inline void square_out(const Tensor& x, const Tensor& out) { check(haft_square_out(x.get(), out.get())); }

/// 1 / x.
inline Tensor reciprocal(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_reciprocal(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& reciprocal_(const Tensor& x) {
  check(haft_reciprocal_(x.get()));
  return x;
}
inline void reciprocal_out(const Tensor& x, const Tensor& out) {
  check(haft_reciprocal_out(x.get(), out.get()));
}

/// Sine of x in radians.
inline Tensor sin(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_sin(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& sin_(const Tensor& x) {
  check(haft_sin_(x.get()));
  return x;
}
inline void sin_out(const Tensor& x, const Tensor& out) { check(haft_sin_out(x.get(), out.get())); }

/// Cosine of x in radians.
inline Tensor cos(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_cos(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& cos_(const Tensor& x) {
  check(haft_cos_(x.get()));
  return x;
}
inline void cos_out(const Tensor& x, const Tensor& out) { check(haft_cos_out(x.get(), out.get())); }

/// Tangent of x in radians.
inline Tensor tan(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_tan(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& tan_(const Tensor& x) {
  check(haft_tan_(x.get()));
  return x;
}
inline void tan_out(const Tensor& x, const Tensor& out) { check(haft_tan_out(x.get(), out.get())); }

/// Arc sine in radians; NaN outside [-1, 1].
inline Tensor asin(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_asin(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& asin_(const Tensor& x) {
  check(haft_asin_(x.get()));
  return x;
}
inline void asin_out(const Tensor& x, const Tensor& out) { check(haft_asin_out(x.get(), out.get())); }

/// Arc cosine in radians; NaN outside [-1, 1].
inline Tensor acos(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_acos(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& acos_(const Tensor& x) {
  check(haft_acos_(x.get()));
  return x;
}
inline void acos_out(const Tensor& x, const Tensor& out) { check(haft_acos_out(x.get(), out.get())); }

/// Arc tangent in radians.
inline Tensor atan(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_atan(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& atan_(const Tensor& x) {
  check(haft_atan_(x.get()));
  return x;
}
inline void atan_out(const Tensor& x, const Tensor& out) { check(haft_atan_out(x.get(), out.get())); }

/// Hyperbolic sine.
inline Tensor sinh(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_sinh(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& sinh_(const Tensor& x) {
  check(haft_sinh_(x.get()));
  return x;
}
inline void sinh_out(const Tensor& x, const Tensor& out) { check(haft_sinh_out(x.get(), out.get())); }

/// Hyperbolic cosine.
inline Tensor cosh(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_cosh(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& cosh_(const Tensor& x) {
  check(haft_cosh_(x.get()));
  return x;
}
inline void cosh_out(const Tensor& x, const Tensor& out) { check(haft_cosh_out(x.get(), out.get())); }

/// Hyperbolic tangent.
inline Tensor tanh(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_tanh(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& tanh_(const Tensor& x) {
  check(haft_tanh_(x.get()));
  return x;
}
inline void tanh_out(const Tensor& x, const Tensor& out) { check(haft_tanh_out(x.get(), out.get())); }

/// Error function.
inline Tensor erf(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_erf(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& erf_(const Tensor& x) {
  check(haft_erf_(x.get()));
  return x;
}
inline void erf_out(const Tensor& x, const Tensor& out) { check(haft_erf_out(x.get(), out.get())); }

/// Complementary error function 1 - erf(x), accurate where it is small.
inline Tensor erfc(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_erfc(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& erfc_(const Tensor& x) {
  check(haft_erfc_(x.get()));
  return x;
}
inline void erfc_out(const Tensor& x, const Tensor& out) { check(haft_erfc_out(x.get(), out.get())); }

/// Inverse of erf; +-infinity at +-1, NaN outside.
inline Tensor erfinv(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_erfinv(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& erfinv_(const Tensor& x) {
  check(haft_erfinv_(x.get()));
  return x;
}
inline void erfinv_out(const Tensor& x, const Tensor& out) { check(haft_erfinv_out(x.get(), out.get())); }

/// Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ...
inline Tensor lgamma(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_lgamma(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& lgamma_(const Tensor& x) {
  check(haft_lgamma_(x.get()));
  return x;
}
inline void lgamma_out(const Tensor& x, const Tensor& out) { check(haft_lgamma_out(x.get(), out.get())); }

/// Derivative of lgamma; NaN at -1, -2, ...
inline Tensor digamma(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_digamma(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& digamma_(const Tensor& x) {
  check(haft_digamma_(x.get()));
  return x;
}
inline void digamma_out(const Tensor& x, const Tensor& out) { check(haft_digamma_out(x.get(), out.get())); }

/// n-th derivative of digamma; n >= 0.
inline Tensor polygamma(int64_t n, const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_polygamma(n, x.get(), &out));
  return Tensor(out);
}

/// 1 / (1 + exp(-x)).
inline Tensor sigmoid(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_sigmoid(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& sigmoid_(const Tensor& x) {
  check(haft_sigmoid_(x.get()));
  return x;
}
inline void sigmoid_out(const Tensor& x, const Tensor& out) { check(haft_sigmoid_out(x.get(), out.get())); }

/// Largest integer not above x.
inline Tensor floor(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_floor(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& floor_(const Tensor& x) {
  check(haft_floor_(x.get()));
  return x;
}
inline void floor_out(const Tensor& x, const Tensor& out) { check(haft_floor_out(x.get(), out.get())); }

/// Smallest integer not below x.
inline Tensor ceil(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_ceil(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& ceil_(const Tensor& x) {
  check(haft_ceil_(x.get()));
  return x;
}
inline void ceil_out(const Tensor& x, const Tensor& out) { check(haft_ceil_out(x.get(), out.get())); }

/// Nearest integer, halves to even.
inline Tensor round(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_round(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& round_(const Tensor& x) {
  check(haft_round_(x.get()));
  return x;
}
inline void round_out(const Tensor& x, const Tensor& out) { check(haft_round_out(x.get(), out.get())); }

/// Integer part, towards 0.
inline Tensor trunc(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_trunc(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& trunc_(const Tensor& x) {
  check(haft_trunc_(x.get()));
  return x;
}
inline void trunc_out(const Tensor& x, const Tensor& out) { check(haft_trunc_out(x.get(), out.get())); }

/// True where x is NaN.
inline Tensor isnan(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_isnan(x.get(), &out));
  return Tensor(out);
}

/// True where x is an infinity.
inline Tensor isinf(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_isinf(x.get(), &out));
  return Tensor(out);
}

/// True where x is neither infinite nor NaN.
inline Tensor isfinite(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_isfinite(x.get(), &out));
  return Tensor(out);
}

/// True where x is 0.
inline Tensor logical_not(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_logical_not(x.get(), &out));
  return Tensor(out);
}

/// Bitwise complement; logical not for bool.
inline Tensor bitwise_not(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_not(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_not_(const Tensor& x) {
  check(haft_bitwise_not_(x.get()));
  return x;
}
inline void bitwise_not_out(const Tensor& x, const Tensor& out) {
  check(haft_bitwise_not_out(x.get(), out.get()));
}

// ---- Pointwise: binary ------------------------------------------------------------------------------------

/// a + b; logical or for bool.
inline Tensor add(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_add(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& add_(const Tensor& a, const Tensor& b) {
  check(haft_add_(a.get(), b.get()));
  return a;
}
inline void add_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_add_out(a.get(), b.get(), out.get()));
}

/// a - b; bool is refused.
inline Tensor sub(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_sub(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& sub_(const Tensor& a, const Tensor& b) {
  check(haft_sub_(a.get(), b.get()));
  return a;
}
inline void sub_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_sub_out(a.get(), b.get(), out.get()));
}

/// a * b; logical and for bool.
inline Tensor mul(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_mul(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& mul_(const Tensor& a, const Tensor& b) {
  check(haft_mul_(a.get(), b.get()));
  return a;
}
inline void mul_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_mul_out(a.get(), b.get(), out.get()));
}

/// a / b, true division.
inline Tensor div(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_div(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& div_(const Tensor& a, const Tensor& b) {
  check(haft_div_(a.get(), b.get()));
  return a;
}
inline void div_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_div_out(a.get(), b.get(), out.get()));
}

/// a to the power b.
inline Tensor pow(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_pow(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& pow_(const Tensor& a, const Tensor& b) {
  check(haft_pow_(a.get(), b.get()));
  return a;
}
inline void pow_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_pow_out(a.get(), b.get(), out.get()));
}

/// The larger of a and b; NaN if either is. At ties the gradient is shared equally.
inline Tensor maximum(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_maximum(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& maximum_(const Tensor& a, const Tensor& b) {
  check(haft_maximum_(a.get(), b.get()));
  return a;
}
inline void maximum_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_maximum_out(a.get(), b.get(), out.get()));
}

/// The smaller of a and b; NaN if either is. At ties the gradient is shared equally.
inline Tensor minimum(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_minimum(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& minimum_(const Tensor& a, const Tensor& b) {
  check(haft_minimum_(a.get(), b.get()));
  return a;
}
inline void minimum_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_minimum_out(a.get(), b.get(), out.get()));
}

/// Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0.
inline Tensor fmod(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_fmod(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& fmod_(const Tensor& a, const Tensor& b) {
  check(haft_fmod_(a.get(), b.get()));
  return a;
}
inline void fmod_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_fmod_out(a.get(), b.get(), out.get()));
}

/// Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0.
inline Tensor remainder(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_remainder(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& remainder_(const Tensor& a, const Tensor& b) {
  check(haft_remainder_(a.get(), b.get()));
  return a;
}
inline void remainder_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_remainder_out(a.get(), b.get(), out.get()));
}

/// The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0.
inline Tensor floor_divide(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_floor_divide(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& floor_divide_(const Tensor& a, const Tensor& b) {
  check(haft_floor_divide_(a.get(), b.get()));
  return a;
}
inline void floor_divide_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_floor_divide_out(a.get(), b.get(), out.get()));
}

/// Angle of the point (b, a) in radians.
inline Tensor atan2(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_atan2(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& atan2_(const Tensor& a, const Tensor& b) {
  check(haft_atan2_(a.get(), b.get()));
  return a;
}
inline void atan2_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_atan2_out(a.get(), b.get(), out.get()));
}

/// sqrt(a^2 + b^2) without overflow in between.
inline Tensor hypot(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_hypot(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& hypot_(const Tensor& a, const Tensor& b) {
  check(haft_hypot_(a.get(), b.get()));
  return a;
}
inline void hypot_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_hypot_out(a.get(), b.get(), out.get()));
}

/// |a| with the sign of b, that of zeros included.
inline Tensor copysign(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_copysign(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& copysign_(const Tensor& a, const Tensor& b) {
  check(haft_copysign_(a.get(), b.get()));
  return a;
}
inline void copysign_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_copysign_out(a.get(), b.get(), out.get()));
}

/// log(exp(a) + exp(b)), without overflow.
inline Tensor logaddexp(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_logaddexp(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void logaddexp_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_logaddexp_out(a.get(), b.get(), out.get()));
}

/// log2(2^a + 2^b), without overflow.
inline Tensor logaddexp2(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_logaddexp2(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void logaddexp2_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_logaddexp2_out(a.get(), b.get(), out.get()));
}

/// a * log(b), and 0 where a is 0 unless b is NaN.
inline Tensor xlogy(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_xlogy(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& xlogy_(const Tensor& a, const Tensor& b) {
  check(haft_xlogy_(a.get(), b.get()));
  return a;
}
inline void xlogy_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_xlogy_out(a.get(), b.get(), out.get()));
}

/// a == b.
inline Tensor eq(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_eq(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a != b.
inline Tensor ne(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_ne(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a < b.
inline Tensor lt(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_lt(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a <= b.
inline Tensor le(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_le(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a > b.
inline Tensor gt(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_gt(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a >= b.
inline Tensor ge(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_ge(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a != 0 and b != 0.
inline Tensor logical_and(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_logical_and(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a != 0 or b != 0.
inline Tensor logical_or(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_logical_or(a.get(), b.get(), &out));
  return Tensor(out);
}

/// Exactly one of a and b is not 0.
inline Tensor logical_xor(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_logical_xor(a.get(), b.get(), &out));
  return Tensor(out);
}

/// Bitwise and; logical for bool.
inline Tensor bitwise_and(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_and(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_and_(const Tensor& a, const Tensor& b) {
  check(haft_bitwise_and_(a.get(), b.get()));
  return a;
}
inline void bitwise_and_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_bitwise_and_out(a.get(), b.get(), out.get()));
}

/// Bitwise or; logical for bool.
inline Tensor bitwise_or(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_or(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_or_(const Tensor& a, const Tensor& b) {
  check(haft_bitwise_or_(a.get(), b.get()));
  return a;
}
inline void bitwise_or_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_bitwise_or_out(a.get(), b.get(), out.get()));
}

/// Bitwise exclusive or; logical for bool.
inline Tensor bitwise_xor(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_xor(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_xor_(const Tensor& a, const Tensor& b) {
  check(haft_bitwise_xor_(a.get(), b.get()));
  return a;
}
inline void bitwise_xor_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_bitwise_xor_out(a.get(), b.get(), out.get()));
}

// ---- Pointwise: with a scalar -----------------------------------------------------------------------------

/// a + b.
inline Tensor add_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_add_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& add_scalar_(const Tensor& a, Scalar b) {
  check(haft_add_scalar_(a.get(), b.get()));
  return a;
}
inline void add_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_add_scalar_out(a.get(), b.get(), out.get()));
}

/// a - b; bool is refused.
inline Tensor sub_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_sub_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& sub_scalar_(const Tensor& a, Scalar b) {
  check(haft_sub_scalar_(a.get(), b.get()));
  return a;
}
inline void sub_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_sub_scalar_out(a.get(), b.get(), out.get()));
}

/// b - a; bool is refused.
inline Tensor rsub_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_rsub_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void rsub_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_rsub_scalar_out(a.get(), b.get(), out.get()));
}

/// a * b.
inline Tensor mul_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_mul_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& mul_scalar_(const Tensor& a, Scalar b) {
  check(haft_mul_scalar_(a.get(), b.get()));
  return a;
}
inline void mul_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_mul_scalar_out(a.get(), b.get(), out.get()));
}

/// a / b, true division.
inline Tensor div_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_div_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& div_scalar_(const Tensor& a, Scalar b) {
  check(haft_div_scalar_(a.get(), b.get()));
  return a;
}
inline void div_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_div_scalar_out(a.get(), b.get(), out.get()));
}

/// b / a, true division.
inline Tensor rdiv_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_rdiv_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void rdiv_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_rdiv_scalar_out(a.get(), b.get(), out.get()));
}

/// a to the power b.
inline Tensor pow_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_pow_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& pow_scalar_(const Tensor& a, Scalar b) {
  check(haft_pow_scalar_(a.get(), b.get()));
  return a;
}
inline void pow_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_pow_scalar_out(a.get(), b.get(), out.get()));
}

/// b to the power a.
inline Tensor rpow_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_rpow_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void rpow_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_rpow_scalar_out(a.get(), b.get(), out.get()));
}

/// Remainder of a / b with the sign of a.
inline Tensor fmod_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_fmod_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& fmod_scalar_(const Tensor& a, Scalar b) {
  check(haft_fmod_scalar_(a.get(), b.get()));
  return a;
}
inline void fmod_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_fmod_scalar_out(a.get(), b.get(), out.get()));
}

/// Remainder of a / b with the sign of b.
inline Tensor remainder_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_remainder_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& remainder_scalar_(const Tensor& a, Scalar b) {
  check(haft_remainder_scalar_(a.get(), b.get()));
  return a;
}
inline void remainder_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_remainder_scalar_out(a.get(), b.get(), out.get()));
}

/// The whole number q for which a is q * b + remainder(a, b).
inline Tensor floor_divide_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_floor_divide_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}
inline const Tensor& floor_divide_scalar_(const Tensor& a, Scalar b) {
  check(haft_floor_divide_scalar_(a.get(), b.get()));
  return a;
}
inline void floor_divide_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  check(haft_floor_divide_scalar_out(a.get(), b.get(), out.get()));
}

/// a == b.
inline Tensor eq_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_eq_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a != b.
inline Tensor ne_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_ne_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a < b.
inline Tensor lt_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_lt_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a <= b.
inline Tensor le_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_le_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a > b.
inline Tensor gt_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_gt_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}

/// a >= b.
inline Tensor ge_scalar(const Tensor& a, Scalar b) {
  haft_tensor* out = nullptr;
  check(haft_ge_scalar(a.get(), b.get(), &out));
  return Tensor(out);
}

/// x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.
inline Tensor clamp(const Tensor& x, Scalar min, Scalar max) {
  haft_tensor* out = nullptr;
  check(haft_clamp(x.get(), min.get(), max.get(), &out));
  return Tensor(out);
}
inline const Tensor& clamp_(const Tensor& x, Scalar min, Scalar max) {
  check(haft_clamp_(x.get(), min.get(), max.get()));
  return x;
}
inline void clamp_out(const Tensor& x, Scalar min, Scalar max, const Tensor& out) {
  check(haft_clamp_out(x.get(), min.get(), max.get(), out.get()));
}

// ---- Pointwise: ternary and masks -------------------------------------------------------------------------

/// a where cond is true, b elsewhere.
inline Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_where(cond.get(), a.get(), b.get(), &out));
  return Tensor(out);
}
inline void where_out(const Tensor& cond, const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_where_out(cond.get(), a.get(), b.get(), out.get()));
}

/// value where mask is true, x elsewhere; the result has x's dtype.
inline Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  haft_tensor* out = nullptr;
  check(haft_masked_fill(x.get(), mask.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& masked_fill_(const Tensor& x, const Tensor& mask, Scalar value) {
  check(haft_masked_fill_(x.get(), mask.get(), value.get()));
  return x;
}

/// x + value * a * b.
inline Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  haft_tensor* out = nullptr;
  check(haft_addcmul(x.get(), a.get(), b.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  check(haft_addcmul_(x.get(), a.get(), b.get(), value.get()));
  return x;
}
inline void addcmul_out(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value, const Tensor& out) {
  check(haft_addcmul_out(x.get(), a.get(), b.get(), value.get(), out.get()));
}

/// x + value * a / b.
inline Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  haft_tensor* out = nullptr;
  check(haft_addcdiv(x.get(), a.get(), b.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& addcdiv_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  check(haft_addcdiv_(x.get(), a.get(), b.get(), value.get()));
  return x;
}
inline void addcdiv_out(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value, const Tensor& out) {
  check(haft_addcdiv_out(x.get(), a.get(), b.get(), value.get(), out.get()));
}

/// a + weight * (b - a).
inline Tensor lerp(const Tensor& a, const Tensor& b, Scalar weight) {
  haft_tensor* out = nullptr;
  check(haft_lerp(a.get(), b.get(), weight.get(), &out));
  return Tensor(out);
}
inline const Tensor& lerp_(const Tensor& a, const Tensor& b, Scalar weight) {
  check(haft_lerp_(a.get(), b.get(), weight.get()));
  return a;
}
inline void lerp_out(const Tensor& a, const Tensor& b, Scalar weight, const Tensor& out) {
  check(haft_lerp_out(a.get(), b.get(), weight.get(), out.get()));
}

// ---- Activations ------------------------------------------------------------------------------------------

/// max(x, 0).
inline Tensor relu(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_relu(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& relu_(const Tensor& x) {
  check(haft_relu_(x.get()));
  return x;
}
inline void relu_out(const Tensor& x, const Tensor& out) { check(haft_relu_out(x.get(), out.get())); }

/// x * Phi(x), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).
inline Tensor gelu(const Tensor& x, bool tanh = false) {
  haft_tensor* out = nullptr;
  check(haft_gelu(x.get(), tanh, &out));
  return Tensor(out);
}
inline void gelu_out(const Tensor& x, bool tanh, const Tensor& out) {
  check(haft_gelu_out(x.get(), tanh, out.get()));
}

/// x * sigmoid(x).
inline Tensor silu(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_silu(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& silu_(const Tensor& x) {
  check(haft_silu_(x.get()));
  return x;
}
inline void silu_out(const Tensor& x, const Tensor& out) { check(haft_silu_out(x.get(), out.get())); }

/// x * tanh(softplus(x)) (Misra, arXiv:1908.08681).
inline Tensor mish(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_mish(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& mish_(const Tensor& x) {
  check(haft_mish_(x.get()));
  return x;
}
inline void mish_out(const Tensor& x, const Tensor& out) { check(haft_mish_out(x.get(), out.get())); }

/// log(1 + exp(beta x)) / beta; x itself where beta x > threshold.
inline Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20) {
  haft_tensor* out = nullptr;
  check(haft_softplus(x.get(), beta, threshold, &out));
  return Tensor(out);
}
inline void softplus_out(const Tensor& x, double beta, double threshold, const Tensor& out) {
  check(haft_softplus_out(x.get(), beta, threshold, out.get()));
}

/// x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289).
inline Tensor elu(const Tensor& x, double alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_elu(x.get(), alpha, &out));
  return Tensor(out);
}
inline const Tensor& elu_(const Tensor& x, double alpha = 1) {
  check(haft_elu_(x.get(), alpha));
  return x;
}
inline void elu_out(const Tensor& x, double alpha, const Tensor& out) {
  check(haft_elu_out(x.get(), alpha, out.get()));
}

/// x above 0, negative_slope x below.
inline Tensor leaky_relu(const Tensor& x, double negative_slope = 0.01) {
  haft_tensor* out = nullptr;
  check(haft_leaky_relu(x.get(), negative_slope, &out));
  return Tensor(out);
}
inline const Tensor& leaky_relu_(const Tensor& x, double negative_slope = 0.01) {
  check(haft_leaky_relu_(x.get(), negative_slope));
  return x;
}
inline void leaky_relu_out(const Tensor& x, double negative_slope, const Tensor& out) {
  check(haft_leaky_relu_out(x.get(), negative_slope, out.get()));
}

/// x limited to [min_val, max_val].
inline Tensor hardtanh(const Tensor& x, double min_val = -1, double max_val = 1) {
  haft_tensor* out = nullptr;
  check(haft_hardtanh(x.get(), min_val, max_val, &out));
  return Tensor(out);
}
inline const Tensor& hardtanh_(const Tensor& x, double min_val = -1, double max_val = 1) {
  check(haft_hardtanh_(x.get(), min_val, max_val));
  return x;
}
inline void hardtanh_out(const Tensor& x, double min_val, double max_val, const Tensor& out) {
  check(haft_hardtanh_out(x.get(), min_val, max_val, out.get()));
}

/// clamp(x / 6 + 1/2, 0, 1).
inline Tensor hardsigmoid(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_hardsigmoid(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& hardsigmoid_(const Tensor& x) {
  check(haft_hardsigmoid_(x.get()));
  return x;
}
inline void hardsigmoid_out(const Tensor& x, const Tensor& out) {
  check(haft_hardsigmoid_out(x.get(), out.get()));
}

/// x * hardsigmoid(x) (Howard et al., arXiv:1905.02244).
inline Tensor hardswish(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_hardswish(x.get(), &out));
  return Tensor(out);
}
inline const Tensor& hardswish_(const Tensor& x) {
  check(haft_hardswish_(x.get()));
  return x;
}
inline void hardswish_out(const Tensor& x, const Tensor& out) {
  check(haft_hardswish_out(x.get(), out.get()));
}

/// log(sigmoid(x)).
inline Tensor logsigmoid(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_logsigmoid(x.get(), &out));
  return Tensor(out);
}
inline void logsigmoid_out(const Tensor& x, const Tensor& out) {
  check(haft_logsigmoid_out(x.get(), out.get()));
}

// ---- Creation ---------------------------------------------------------------------------------------------

/// A tensor filled with value; dtype by the kind of value (bool, int64, default float).
inline Tensor full(const IntArray& size, Scalar value, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_full(size.data(), size.size(), value.get(), dtype, device, &out));
  return Tensor(out);
}

/// A tensor with undefined content.
inline Tensor empty(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_empty(size.data(), size.size(), dtype, device, &out));
  return Tensor(out);
}

/// A tensor of zeros; default float unless dtype says otherwise.
inline Tensor zeros(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_zeros(size.data(), size.size(), dtype, device, &out));
  return Tensor(out);
}

/// A tensor of ones; default float unless dtype says otherwise.
inline Tensor ones(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_ones(size.data(), size.size(), dtype, device, &out));
  return Tensor(out);
}

/// start, start + step, ... below end; int64 when all three are integers.
inline Tensor arange(Scalar start, Scalar end, Scalar step = 1, haft_dtype dtype = 0,
                     haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_arange(start.get(), end.get(), step.get(), dtype, device, &out));
  return Tensor(out);
}

/// steps values from start to end, both included.
inline Tensor linspace(double start, double end, int64_t steps, haft_dtype dtype = 0,
                       haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_linspace(start, end, steps, dtype, device, &out));
  return Tensor(out);
}

/// base to the power of linspace(start, end, steps).
inline Tensor logspace(double start, double end, int64_t steps, double base = 10, haft_dtype dtype = 0,
                       haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_logspace(start, end, steps, base, dtype, device, &out));
  return Tensor(out);
}

/// n x m matrix (m < 0: n) with ones on the diagonal.
inline Tensor eye(int64_t n, int64_t m = -1, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_eye(n, m, dtype, device, &out));
  return Tensor(out);
}

/// Undefined content with the shape, dtype and device of x.
inline Tensor empty_like(const Tensor& x, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_empty_like(x.get(), dtype, &out));
  return Tensor(out);
}

/// Zeros with the shape, dtype and device of x.
inline Tensor zeros_like(const Tensor& x, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_zeros_like(x.get(), dtype, &out));
  return Tensor(out);
}

/// Ones with the shape, dtype and device of x.
inline Tensor ones_like(const Tensor& x, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_ones_like(x.get(), dtype, &out));
  return Tensor(out);
}

/// value with the shape, dtype and device of x.
inline Tensor full_like(const Tensor& x, Scalar value, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_full_like(x.get(), value.get(), dtype, &out));
  return Tensor(out);
}

// ---- Random -----------------------------------------------------------------------------------------------

/// Uniform numbers in [0, 1).
inline Tensor rand(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0,
                   haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_rand(size.data(), size.size(), dtype, device, gen, &out));
  return Tensor(out);
}

/// Standard normal numbers.
inline Tensor randn(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0,
                    haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randn(size.data(), size.size(), dtype, device, gen, &out));
  return Tensor(out);
}

/// Integers in [low, high); int64 unless dtype says otherwise.
inline Tensor randint(int64_t low, int64_t high, const IntArray& size, haft_dtype dtype = 0,
                      haft_device device = 0, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randint(low, high, size.data(), size.size(), dtype, device, gen, &out));
  return Tensor(out);
}

/// A random permutation of 0..n-1; int64 unless dtype says otherwise.
inline Tensor randperm(int64_t n, haft_dtype dtype = 0, haft_device device = 0,
                       haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randperm(n, dtype, device, gen, &out));
  return Tensor(out);
}

/// Uniform numbers in [low, high).
inline Tensor uniform(const IntArray& size, double low, double high, haft_dtype dtype = 0,
                      haft_device device = 0, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_uniform(size.data(), size.size(), low, high, dtype, device, gen, &out));
  return Tensor(out);
}

/// Normal numbers with that mean and standard deviation.
inline Tensor normal(const IntArray& size, double mean, double std, haft_dtype dtype = 0,
                     haft_device device = 0, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_normal(size.data(), size.size(), mean, std, dtype, device, gen, &out));
  return Tensor(out);
}

/// 1 with probability p, else 0; dtype of p.
inline Tensor bernoulli(const Tensor& p, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_bernoulli(p.get(), gen, &out));
  return Tensor(out);
}

/// n int64 indices per row of weights (1-d or 2-d), drawn by weight.
inline Tensor multinomial(const Tensor& weights, int64_t n, bool replacement = false,
                          haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_multinomial(weights.get(), n, replacement, gen, &out));
  return Tensor(out);
}

/// Uniform numbers in [0, 1) with the shape of x.
inline Tensor rand_like(const Tensor& x, haft_dtype dtype = 0, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_rand_like(x.get(), dtype, gen, &out));
  return Tensor(out);
}

/// Standard normal numbers with the shape of x.
inline Tensor randn_like(const Tensor& x, haft_dtype dtype = 0, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randn_like(x.get(), dtype, gen, &out));
  return Tensor(out);
}

/// Zeroes each element with probability p and scales the rest by 1 / (1 - p); x itself when not training
/// (Srivastava et al., JMLR 2014).
inline Tensor dropout(const Tensor& x, double p = 0.5, bool train = true, haft_generator* gen = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_dropout(x.get(), p, train, gen, &out));
  return Tensor(out);
}

// ---- Views ------------------------------------------------------------------------------------------------

/// A view with given sizes and strides (elements); offset counts from x's first element.
inline Tensor as_strided(const Tensor& x, const IntArray& size, const IntArray& stride, int64_t offset = 0) {
  haft_tensor* out = nullptr;
  check(haft_as_strided(x.get(), size.data(), size.size(), stride.data(), stride.size(), offset, &out));
  return Tensor(out);
}

/// The same memory with another shape; one size may be -1. Fails when strides do not allow it: use reshape.
inline Tensor view(const Tensor& x, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_view(x.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

/// Dimensions in the order dims.
inline Tensor permute(const Tensor& x, const IntArray& dims) {
  haft_tensor* out = nullptr;
  check(haft_permute(x.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// Two dimensions exchanged.
inline Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) {
  haft_tensor* out = nullptr;
  check(haft_transpose(x.get(), dim0, dim1, &out));
  return Tensor(out);
}

/// Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front.
inline Tensor expand(const Tensor& x, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_expand(x.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

/// Without the dimension dim if it has size 1; absent: without all of size 1.
inline Tensor squeeze(const Tensor& x, int64_t dim = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_squeeze(x.get(), dim, &out));
  return Tensor(out);
}

/// A new dimension of size 1 at dim.
inline Tensor unsqueeze(const Tensor& x, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_unsqueeze(x.get(), dim, &out));
  return Tensor(out);
}

/// x[start:end:step] along dim with Python's clipping; step > 0.
inline Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  haft_tensor* out = nullptr;
  check(haft_slice(x.get(), dim, start, end, step, &out));
  return Tensor(out);
}

/// x at index along dim, without that dimension; negative counts from the end.
inline Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  haft_tensor* out = nullptr;
  check(haft_select(x.get(), dim, index, &out));
  return Tensor(out);
}

/// The diagonal of two dimensions as a new last dimension.
inline Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  haft_tensor* out = nullptr;
  check(haft_diagonal(x.get(), offset, dim1, dim2, &out));
  return Tensor(out);
}

/// All windows of `size` along dim, `step` apart, as a new last dimension.
inline Tensor unfold(const Tensor& x, int64_t dim, int64_t size, int64_t step) {
  haft_tensor* out = nullptr;
  check(haft_unfold(x.get(), dim, size, step, &out));
  return Tensor(out);
}

/// The same memory without its history.
inline Tensor detach(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_detach(x.get(), &out));
  return Tensor(out);
}

/// Another shape; a view where strides allow it, else a copy. One size may be -1.
inline Tensor reshape(const Tensor& x, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_reshape(x.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

/// Dimensions start_dim..end_dim joined into one.
inline Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1) {
  haft_tensor* out = nullptr;
  check(haft_flatten(x.get(), start_dim, end_dim, &out));
  return Tensor(out);
}

/// Dimension dim split into sizes; one may be -1.
inline Tensor unflatten(const Tensor& x, int64_t dim, const IntArray& sizes) {
  haft_tensor* out = nullptr;
  check(haft_unflatten(x.get(), dim, sizes.data(), sizes.size(), &out));
  return Tensor(out);
}

/// Transpose of a tensor of at most 2 dimensions.
inline Tensor t(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_t(x.get(), &out));
  return Tensor(out);
}

/// Dimension source moved to destination.
inline Tensor movedim(const Tensor& x, int64_t source, int64_t destination) {
  haft_tensor* out = nullptr;
  check(haft_movedim(x.get(), source, destination, &out));
  return Tensor(out);
}

/// x[start : start + length] along dim.
inline Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  haft_tensor* out = nullptr;
  check(haft_narrow(x.get(), dim, start, length, &out));
  return Tensor(out);
}

/// x expanded to the shape of other.
inline Tensor expand_as(const Tensor& x, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_expand_as(x.get(), other.get(), &out));
  return Tensor(out);
}

/// Views of `size` along dim; the last may be smaller.
inline std::vector<Tensor> split(const Tensor& x, int64_t size, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_split(x.get(), size, dim, outs, capacity, count);
  });
}

/// Views of the given sizes along dim; they add up to its size.
inline std::vector<Tensor> split_sizes(const Tensor& x, const IntArray& sizes, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_split_sizes(x.get(), sizes.data(), sizes.size(), dim, outs, capacity, count);
  });
}

/// At most `chunks` views of equal size along dim; the last may be smaller.
inline std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_chunk(x.get(), chunks, dim, outs, capacity, count);
  });
}

/// One view for each index of dim, without that dimension.
inline std::vector<Tensor> unbind(const Tensor& x, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_unbind(x.get(), dim, outs, capacity, count);
  });
}

// ---- Copies -----------------------------------------------------------------------------------------------

/// x in another element type, dense; floats are truncated towards 0 for integers.
inline Tensor cast(const Tensor& x, haft_dtype dtype) {
  haft_tensor* out = nullptr;
  check(haft_cast(x.get(), dtype, &out));
  return Tensor(out);
}

/// x itself when dense and row-major, else a copy that is.
inline Tensor contiguous(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_contiguous(x.get(), &out));
  return Tensor(out);
}

/// A copy with its own memory; gradients flow through.
inline Tensor clone(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_clone(x.get(), &out));
  return Tensor(out);
}

/// src broadcast and cast into the shape and dtype of x; copy_ writes x's memory, also from a view that
/// overlaps it.
inline Tensor copy(const Tensor& x, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_copy(x.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& copy_(const Tensor& x, const Tensor& src) {
  check(haft_copy_(x.get(), src.get()));
  return x;
}

/// x in another dtype and on another device; device 0 keeps x's. x itself when neither changes.
inline Tensor to(const Tensor& x, haft_dtype dtype = 0, haft_device device = 0, bool non_blocking = false) {
  haft_tensor* out = nullptr;
  check(haft_to(x.get(), dtype, device, non_blocking, &out));
  return Tensor(out);
}

/// value in the shape of x; fill_ writes x's memory.
inline Tensor fill(const Tensor& x, Scalar value) {
  haft_tensor* out = nullptr;
  check(haft_fill(x.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& fill_(const Tensor& x, Scalar value) {
  check(haft_fill_(x.get(), value.get()));
  return x;
}

/// A copy of x in which as_strided(size, stride, offset) holds src.
inline Tensor as_strided_scatter(const Tensor& x, const Tensor& src, const IntArray& size,
                                 const IntArray& stride, int64_t offset = 0) {
  haft_tensor* out = nullptr;
  check(haft_as_strided_scatter(x.get(), src.get(), size.data(), size.size(), stride.data(), stride.size(),
                                offset, &out));
  return Tensor(out);
}

/// Tensors joined along dim; other sizes are equal, dtypes are promoted.
inline Tensor cat(int64_t dim, const std::vector<Tensor>& xs) {
  haft_tensor* out = nullptr;
  check(haft_cat(dim, detail::Handles(xs).data(), int64_t(xs.size()), &out));
  return Tensor(out);
}

/// Equal shapes joined along a new dimension.
inline Tensor stack(int64_t dim, const std::vector<Tensor>& xs) {
  haft_tensor* out = nullptr;
  check(haft_stack(dim, detail::Handles(xs).data(), int64_t(xs.size()), &out));
  return Tensor(out);
}

/// A copy with those dimensions reversed.
inline Tensor flip(const Tensor& x, const IntArray& dims) {
  haft_tensor* out = nullptr;
  check(haft_flip(x.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// A copy shifted cyclically; empty dims: flattened, then restored.
inline Tensor roll(const Tensor& x, const IntArray& shifts, const IntArray& dims) {
  haft_tensor* out = nullptr;
  check(haft_roll(x.get(), shifts.data(), shifts.size(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// A copy tiled that many times along each dimension.
inline Tensor repeat(const Tensor& x, const IntArray& repeats) {
  haft_tensor* out = nullptr;
  check(haft_repeat(x.get(), repeats.data(), repeats.size(), &out));
  return Tensor(out);
}

/// Elements on and below a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor tril(const Tensor& x, int64_t diagonal = 0) {
  haft_tensor* out = nullptr;
  check(haft_tril(x.get(), diagonal, &out));
  return Tensor(out);
}

/// Elements on and above a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor triu(const Tensor& x, int64_t diagonal = 0) {
  haft_tensor* out = nullptr;
  check(haft_triu(x.get(), diagonal, &out));
  return Tensor(out);
}

// ---- Reduce (an empty dims list means all dimensions) -----------------------------------------------------

/// Sum over dims; integers and bool in int64.
inline Tensor sum(const Tensor& x, const IntArray& dims = {}, bool keepdim = false, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_sum(x.get(), dims.data(), dims.size(), keepdim, dtype, &out));
  return Tensor(out);
}
inline void sum_out(const Tensor& x, const IntArray& dims, bool keepdim, haft_dtype dtype,
                    const Tensor& out) {
  check(haft_sum_out(x.get(), dims.data(), dims.size(), keepdim, dtype, out.get()));
}

/// Mean over dims; floats only.
inline Tensor mean(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_mean(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// Product over dims; integers and bool in int64.
inline Tensor prod(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_prod(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// Largest value over dims; NaN wins. Gradients are shared equally at ties.
inline Tensor amax(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_amax(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// Smallest value over dims; NaN wins. Gradients are shared equally at ties.
inline Tensor amin(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_amin(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// Largest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::tuple<Tensor, Tensor> max_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_max_dim(x.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Smallest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::tuple<Tensor, Tensor> min_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_min_dim(x.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// First index of the largest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmax(const Tensor& x, int64_t dim = HAFT_NONE, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_argmax(x.get(), dim, keepdim, &out));
  return Tensor(out);
}

/// First index of the smallest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmin(const Tensor& x, int64_t dim = HAFT_NONE, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_argmin(x.get(), dim, keepdim, &out));
  return Tensor(out);
}

/// True where some element over dims is not 0.
inline Tensor any(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_any(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// True where every element over dims is not 0.
inline Tensor all(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_all(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// Variance over dims with divisor n - correction (two passes).
inline Tensor var(const Tensor& x, const IntArray& dims = {}, int64_t correction = 1, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_var(x.get(), dims.data(), dims.size(), correction, keepdim, &out));
  return Tensor(out);
}

/// Square root of var.
inline Tensor std(const Tensor& x, const IntArray& dims = {}, int64_t correction = 1, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_std(x.get(), dims.data(), dims.size(), correction, keepdim, &out));
  return Tensor(out);
}

/// p-norm over dims; p may be 0, 1, 2, any positive number or +-infinity.
inline Tensor norm(const Tensor& x, double p = 2, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_norm(x.get(), p, dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// log(sum(exp(x))) over dims, shifted by the maximum.
inline Tensor logsumexp(const Tensor& x, const IntArray& dims = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_logsumexp(x.get(), dims.data(), dims.size(), keepdim, &out));
  return Tensor(out);
}

/// Running sum along dim; integers and bool in int64.
inline Tensor cumsum(const Tensor& x, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_cumsum(x.get(), dim, &out));
  return Tensor(out);
}

/// Running product along dim; integers and bool in int64.
inline Tensor cumprod(const Tensor& x, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_cumprod(x.get(), dim, &out));
  return Tensor(out);
}

/// Number of elements that are not 0 (int64).
inline Tensor count_nonzero(const Tensor& x, const IntArray& dims = {}) {
  haft_tensor* out = nullptr;
  check(haft_count_nonzero(x.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// x summed over the dimensions that broadcasting from size had added.
inline Tensor sum_to_size(const Tensor& x, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_sum_to_size(x.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

// ---- Matmul -----------------------------------------------------------------------------------------------

/// Matrix product (M, K) x (K, N) -> (M, N).
inline Tensor mm(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_mm(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void mm_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_mm_out(a.get(), b.get(), out.get()));
}

/// Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N).
inline Tensor bmm(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_bmm(a.get(), b.get(), &out));
  return Tensor(out);
}
inline void bmm_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  check(haft_bmm_out(a.get(), b.get(), out.get()));
}

/// beta * bias + alpha * (a @ b): a (M, K), b (K, N); bias broadcasts to (M, N).
inline Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_addmm(bias.get(), a.get(), b.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

/// x @ weight^T + bias: x (*, in), weight (out, in), bias (out) -> (*, out).
inline Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor()) {
  haft_tensor* out = nullptr;
  check(haft_linear(x.get(), weight.get(), bias.get(), &out));
  return Tensor(out);
}

/// Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that
/// broadcast.
inline Tensor matmul(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_matmul(a.get(), b.get(), &out));
  return Tensor(out);
}

/// Matrix-vector product (M, K) x (K) -> (M).
inline Tensor mv(const Tensor& a, const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_mv(a.get(), x.get(), &out));
  return Tensor(out);
}

/// Sum of products of two vectors: (K) x (K) -> ().
inline Tensor dot(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_dot(a.get(), b.get(), &out));
  return Tensor(out);
}

/// (M) x (N) -> (M, N).
inline Tensor outer(const Tensor& a, const Tensor& b) {
  haft_tensor* out = nullptr;
  check(haft_outer(a.get(), b.get(), &out));
  return Tensor(out);
}

/// beta * bias + alpha * bmm(a, b): a (B, M, K), b (B, K, N); bias broadcasts to (B, M, N).
inline Tensor baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta = 1,
                      Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_baddbmm(bias.get(), a.get(), b.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

// ---- Index ------------------------------------------------------------------------------------------------

/// Slices of x along dim at the 1-d index.
inline Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  haft_tensor* out = nullptr;
  check(haft_index_select(x.get(), dim, index.get(), &out));
  return Tensor(out);
}

/// out[i][j] = x[index[i][j]][j] for dim 0, and so on; index has x's rank.
inline Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  haft_tensor* out = nullptr;
  check(haft_gather(x.get(), dim, index.get(), &out));
  return Tensor(out);
}

/// A copy of x with src written where index points along dim; for repeated indices one of the writes wins.
inline Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_scatter(x.get(), dim, index.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& scatter_(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  check(haft_scatter_(x.get(), dim, index.get(), src.get()));
  return x;
}

/// A copy of x with src added where index points along dim.
inline Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_scatter_add(x.get(), dim, index.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& scatter_add_(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  check(haft_scatter_add_(x.get(), dim, index.get(), src.get()));
  return x;
}

/// A copy of x with the slices of src added at the 1-d index along dim.
inline Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_index_add(x.get(), dim, index.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& index_add_(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  check(haft_index_add_(x.get(), dim, index.get(), src.get()));
  return x;
}

/// NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.
inline Tensor index(const Tensor& x, const std::vector<Tensor>& indices) {
  haft_tensor* out = nullptr;
  check(haft_index(x.get(), detail::Handles(indices).data(), int64_t(indices.size()), &out));
  return Tensor(out);
}

/// A copy of x with values written (or added) where advanced indexing points.
inline Tensor index_put(const Tensor& x, const Tensor& values, bool accumulate,
                        const std::vector<Tensor>& indices) {
  haft_tensor* out = nullptr;
  check(haft_index_put(x.get(), values.get(), accumulate, detail::Handles(indices).data(),
                       int64_t(indices.size()), &out));
  return Tensor(out);
}
inline const Tensor& index_put_(const Tensor& x, const Tensor& values, bool accumulate,
                                const std::vector<Tensor>& indices) {
  check(haft_index_put_(x.get(), values.get(), accumulate, detail::Handles(indices).data(),
                        int64_t(indices.size())));
  return x;
}

/// The elements where mask is true, as a vector.
inline Tensor masked_select(const Tensor& x, const Tensor& mask) {
  haft_tensor* out = nullptr;
  check(haft_masked_select(x.get(), mask.get(), &out));
  return Tensor(out);
}

/// Indices of the elements that are not 0: (count, ndim), int64.
inline Tensor nonzero(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_nonzero(x.get(), &out));
  return Tensor(out);
}

/// A copy of x with consecutive elements of src where mask is true.
inline Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_masked_scatter(x.get(), mask.get(), src.get(), &out));
  return Tensor(out);
}

/// int64 tensor with 1 at each index along a new last dimension.
inline Tensor one_hot(const Tensor& index, int64_t classes) {
  haft_tensor* out = nullptr;
  check(haft_one_hot(index.get(), classes, &out));
  return Tensor(out);
}

/// Stable sort along dim; NaN counts as largest. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> sort(const Tensor& x, int64_t dim = -1, bool descending = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_sort(x.get(), dim, descending, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Indices that sort x along dim.
inline Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false) {
  haft_tensor* out = nullptr;
  check(haft_argsort(x.get(), dim, descending, &out));
  return Tensor(out);
}

/// The k largest (or smallest) elements along dim, sorted. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_topk(x.get(), k, dim, largest, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest. Returns
/// {values, indices}.
inline std::tuple<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim = -1,
                                           bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_kthvalue(x.get(), k, dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared
/// equally at ties.
inline Tensor median(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_median(x.get(), &out));
  return Tensor(out);
}

/// Median of the elements that are not NaN.
inline Tensor nanmedian(const Tensor& x) {
  haft_tensor* out = nullptr;
  check(haft_nanmedian(x.get(), &out));
  return Tensor(out);
}

/// Middle element along dim, the lower of two, and where it stands; NaN if any is. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> median_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_median_dim(x.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Middle along dim of the elements that are not NaN, and where it stands. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> nanmedian_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_nanmedian_dim(x.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Where each value keeps the last dimension of sorted in order (int64): before equal elements, or after them
/// with right. sorted has one dimension, or the leading ones of values.
inline Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false) {
  haft_tensor* out = nullptr;
  check(haft_searchsorted(sorted.get(), values.get(), right, &out));
  return Tensor(out);
}

/// searchsorted of x in the vector boundaries.
inline Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false) {
  haft_tensor* out = nullptr;
  check(haft_bucketize(x.get(), boundaries.get(), right, &out));
  return Tensor(out);
}

/// True where an element of x is among those of test, or is not with invert. NaN is not.
inline Tensor isin(const Tensor& x, const Tensor& test, bool invert = false) {
  haft_tensor* out = nullptr;
  check(haft_isin(x.get(), test.get(), invert, &out));
  return Tensor(out);
}

/// How often each of 0, 1, ... stands in the integer vector x, or the sum of its weights; at least minlength
/// counts.
inline Tensor bincount(const Tensor& x, const Tensor& weights = Tensor(), int64_t minlength = 0) {
  haft_tensor* out = nullptr;
  check(haft_bincount(x.get(), weights.get(), minlength, &out));
  return Tensor(out);
}

/// Counts in bins of equal width from min to max, both included; equal limits mean those of the data.
inline Tensor histc(const Tensor& x, int64_t bins = 100, double min = 0, double max = 0) {
  haft_tensor* out = nullptr;
  check(haft_histc(x.get(), bins, min, max, &out));
  return Tensor(out);
}

/// Rows of weight (V, D) at index (*) -> (*, D); row padding_idx gets no gradient.
inline Tensor embedding(const Tensor& weight, const Tensor& index, int64_t padding_idx = -1) {
  haft_tensor* out = nullptr;
  check(haft_embedding(weight.get(), index.get(), padding_idx, &out));
  return Tensor(out);
}

// ---- Scan -------------------------------------------------------------------------------------------------

/// Largest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> cummax(const Tensor& x, int64_t dim) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_cummax(x.get(), dim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> cummin(const Tensor& x, int64_t dim) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_cummin(x.get(), dim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// log(cumsum(exp(x))) along dim, without overflow; floats only.
inline Tensor logcumsumexp(const Tensor& x, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_logcumsumexp(x.get(), dim, &out));
  return Tensor(out);
}

// ---- Scatter_reduce (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) ------------------------

/// A copy of x in which the elements that index points to along dim are reduced with those of src; without
/// include_self, of src alone. Means of integers are rounded down.
inline Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                             int64_t reduce, bool include_self = true) {
  haft_tensor* out = nullptr;
  check(haft_scatter_reduce(x.get(), dim, index.get(), src.get(), reduce, include_self, &out));
  return Tensor(out);
}

/// scatter_reduce of whole slices of src at the 1-d index along dim.
inline Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                           int64_t reduce, bool include_self = true) {
  haft_tensor* out = nullptr;
  check(haft_index_reduce(x.get(), dim, index.get(), src.get(), reduce, include_self, &out));
  return Tensor(out);
}

// ---- Conv -------------------------------------------------------------------------------------------------

/// Cross-correlation: x (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W').
inline Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const IntArray& stride,
                     const IntArray& padding, const IntArray& dilation, int64_t groups = 1) {
  haft_tensor* out = nullptr;
  check(haft_conv2d(x.get(), weight.get(), bias.get(), stride.data(), stride.size(), padding.data(),
                    padding.size(), dilation.data(), dilation.size(), groups, &out));
  return Tensor(out);
}

/// Maximum of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding
/// counts as -infinity.
inline Tensor max_pool2d(const Tensor& x, const IntArray& kernel, const IntArray& stride,
                         const IntArray& padding, const IntArray& dilation, bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_max_pool2d(x.get(), kernel.data(), kernel.size(), stride.data(), stride.size(), padding.data(),
                        padding.size(), dilation.data(), dilation.size(), ceil_mode, &out));
  return Tensor(out);
}

/// Mean of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size.
inline Tensor avg_pool2d(const Tensor& x, const IntArray& kernel, const IntArray& stride,
                         const IntArray& padding, bool ceil_mode = false, bool count_include_pad = true) {
  haft_tensor* out = nullptr;
  check(haft_avg_pool2d(x.get(), kernel.data(), kernel.size(), stride.data(), stride.size(), padding.data(),
                        padding.size(), ceil_mode, count_include_pad, &out));
  return Tensor(out);
}

/// Mean over a grid of output_size windows of x (N, C, H, W) or (C, H, W).
inline Tensor adaptive_avg_pool2d(const Tensor& x, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_avg_pool2d(x.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

// ---- Norm -------------------------------------------------------------------------------------------------

/// exp(x) / sum(exp(x)) along dim, shifted by the maximum.
inline Tensor softmax(const Tensor& x, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_softmax(x.get(), dim, &out));
  return Tensor(out);
}
inline void softmax_out(const Tensor& x, int64_t dim, const Tensor& out) {
  check(haft_softmax_out(x.get(), dim, out.get()));
}

/// log(softmax(x)) along dim, without overflow.
inline Tensor log_softmax(const Tensor& x, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_log_softmax(x.get(), dim, &out));
  return Tensor(out);
}
inline void log_softmax_out(const Tensor& x, int64_t dim, const Tensor& out) {
  check(haft_log_softmax_out(x.get(), dim, out.get()));
}

/// (x - mean) / sqrt(var + eps) * weight + bias per channel of x (N, C, *); the others are (C); updates the
/// running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).
inline Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const Tensor& running_mean, const Tensor& running_var, bool train,
                         double momentum = 0.1, double eps = 1e-5) {
  haft_tensor* out = nullptr;
  check(haft_batch_norm(x.get(), weight.get(), bias.get(), running_mean.get(), running_var.get(), train,
                        momentum, eps, &out));
  return Tensor(out);
}

/// (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions `shape` (Ba et al.,
/// arXiv:1607.06450).
inline Tensor layer_norm(const Tensor& x, const IntArray& shape, const Tensor& weight = Tensor(),
                         const Tensor& bias = Tensor(), double eps = 1e-5) {
  haft_tensor* out = nullptr;
  check(haft_layer_norm(x.get(), shape.data(), shape.size(), weight.get(), bias.get(), eps, &out));
  return Tensor(out);
}

// ---- Loss (reduction: 0 none, 1 mean, 2 sum) --------------------------------------------------------------

/// -log softmax(x)[target]: x (N, C, *) against class indices (N, *) of int64, or probabilities of x's shape.
inline Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = Tensor(),
                            int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0) {
  haft_tensor* out = nullptr;
  check(haft_cross_entropy(x.get(), target.get(), weight.get(), reduction, ignore_index, label_smoothing,
                           &out));
  return Tensor(out);
}

/// -x[target] for log-probabilities x (N, C, *) and class indices target (N, *), int64.
inline Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight = Tensor(),
                       int64_t reduction = 1, int64_t ignore_index = -100) {
  haft_tensor* out = nullptr;
  check(haft_nll_loss(x.get(), target.get(), weight.get(), reduction, ignore_index, &out));
  return Tensor(out);
}

/// (x - target)^2; the shapes broadcast.
inline Tensor mse_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_mse_loss(x.get(), target.get(), reduction, &out));
  return Tensor(out);
}

/// |x - target|; the shapes broadcast.
inline Tensor l1_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_l1_loss(x.get(), target.get(), reduction, &out));
  return Tensor(out);
}

/// Quadratic below beta, linear above (Girshick, arXiv:1504.08083).
inline Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1, double beta = 1) {
  haft_tensor* out = nullptr;
  check(haft_smooth_l1_loss(x.get(), target.get(), reduction, beta, &out));
  return Tensor(out);
}

/// Huber's loss: delta times smooth_l1_loss with beta = delta.
inline Tensor huber_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1, double delta = 1) {
  haft_tensor* out = nullptr;
  check(haft_huber_loss(x.get(), target.get(), reduction, delta, &out));
  return Tensor(out);
}

/// -(t log x + (1 - t) log(1 - x)); logarithms are limited to -100 as in PyTorch.
inline Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = Tensor(),
                                   int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_binary_cross_entropy(x.get(), target.get(), weight.get(), reduction, &out));
  return Tensor(out);
}

/// binary_cross_entropy of sigmoid(x), without overflow.
inline Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                               const Tensor& weight = Tensor(),
                                               const Tensor& pos_weight = Tensor(), int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_binary_cross_entropy_with_logits(x.get(), target.get(), weight.get(), pos_weight.get(),
                                              reduction, &out));
  return Tensor(out);
}

/// target (log target - x) for log-probabilities x.
inline Tensor kl_div(const Tensor& x, const Tensor& target, int64_t reduction = 1, bool log_target = false) {
  haft_tensor* out = nullptr;
  check(haft_kl_div(x.get(), target.get(), reduction, log_target, &out));
  return Tensor(out);
}

}  // namespace haft
#endif
