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
#include <string>
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

/// Absolute value |input|.
inline Tensor abs(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_abs(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& abs_(const Tensor& input) {
  check(haft_abs_(input.get()));
  return input;
}
inline void abs_out(const Tensor& input, const Tensor& out) { check(haft_abs_out(input.get(), out.get())); }

/// Negative -input; bool is refused.
inline Tensor neg(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_neg(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& neg_(const Tensor& input) {
  check(haft_neg_(input.get()));
  return input;
}
inline void neg_out(const Tensor& input, const Tensor& out) { check(haft_neg_out(input.get(), out.get())); }

/// -1, 0 or 1 by the sign of input; 0 for NaN.
inline Tensor sign(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sign(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& sign_(const Tensor& input) {
  check(haft_sign_(input.get()));
  return input;
}
inline void sign_out(const Tensor& input, const Tensor& out) { check(haft_sign_out(input.get(), out.get())); }

/// e to the power input.
inline Tensor exp(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_exp(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& exp_(const Tensor& input) {
  check(haft_exp_(input.get()));
  return input;
}
inline void exp_out(const Tensor& input, const Tensor& out) { check(haft_exp_out(input.get(), out.get())); }

/// 2 to the power input.
inline Tensor exp2(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_exp2(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& exp2_(const Tensor& input) {
  check(haft_exp2_(input.get()));
  return input;
}
inline void exp2_out(const Tensor& input, const Tensor& out) { check(haft_exp2_out(input.get(), out.get())); }

/// exp(input) - 1, accurate near 0.
inline Tensor expm1(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_expm1(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& expm1_(const Tensor& input) {
  check(haft_expm1_(input.get()));
  return input;
}
inline void expm1_out(const Tensor& input, const Tensor& out) {
  check(haft_expm1_out(input.get(), out.get()));
}

/// Natural logarithm; -inf at 0, NaN below.
inline Tensor log(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_log(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& log_(const Tensor& input) {
  check(haft_log_(input.get()));
  return input;
}
inline void log_out(const Tensor& input, const Tensor& out) { check(haft_log_out(input.get(), out.get())); }

/// Logarithm to base 2.
inline Tensor log2(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_log2(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& log2_(const Tensor& input) {
  check(haft_log2_(input.get()));
  return input;
}
inline void log2_out(const Tensor& input, const Tensor& out) { check(haft_log2_out(input.get(), out.get())); }

/// Logarithm to base 10.
inline Tensor log10(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_log10(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& log10_(const Tensor& input) {
  check(haft_log10_(input.get()));
  return input;
}
inline void log10_out(const Tensor& input, const Tensor& out) {
  check(haft_log10_out(input.get(), out.get()));
}

/// log(1 + input), accurate near 0.
inline Tensor log1p(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_log1p(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& log1p_(const Tensor& input) {
  check(haft_log1p_(input.get()));
  return input;
}
inline void log1p_out(const Tensor& input, const Tensor& out) {
  check(haft_log1p_out(input.get(), out.get()));
}

/// Square root; NaN below 0.
inline Tensor sqrt(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sqrt(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& sqrt_(const Tensor& input) {
  check(haft_sqrt_(input.get()));
  return input;
}
inline void sqrt_out(const Tensor& input, const Tensor& out) { check(haft_sqrt_out(input.get(), out.get())); }

/// 1 / sqrt(input).
inline Tensor rsqrt(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_rsqrt(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& rsqrt_(const Tensor& input) {
  check(haft_rsqrt_(input.get()));
  return input;
}
inline void rsqrt_out(const Tensor& input, const Tensor& out) {
  check(haft_rsqrt_out(input.get(), out.get()));
}

/// input * input.
inline Tensor square(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_square(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& square_(const Tensor& input) {
  check(haft_square_(input.get()));
  return input;
}
inline void square_out(const Tensor& input, const Tensor& out) {
  check(haft_square_out(input.get(), out.get()));
}

/// 1 / input.
inline Tensor reciprocal(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_reciprocal(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& reciprocal_(const Tensor& input) {
  check(haft_reciprocal_(input.get()));
  return input;
}
inline void reciprocal_out(const Tensor& input, const Tensor& out) {
  check(haft_reciprocal_out(input.get(), out.get()));
}

/// Sine of input in radians.
inline Tensor sin(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sin(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& sin_(const Tensor& input) {
  check(haft_sin_(input.get()));
  return input;
}
inline void sin_out(const Tensor& input, const Tensor& out) { check(haft_sin_out(input.get(), out.get())); }

/// Cosine of input in radians.
inline Tensor cos(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_cos(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& cos_(const Tensor& input) {
  check(haft_cos_(input.get()));
  return input;
}
inline void cos_out(const Tensor& input, const Tensor& out) { check(haft_cos_out(input.get(), out.get())); }

/// Tangent of input in radians.
inline Tensor tan(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_tan(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& tan_(const Tensor& input) {
  check(haft_tan_(input.get()));
  return input;
}
inline void tan_out(const Tensor& input, const Tensor& out) { check(haft_tan_out(input.get(), out.get())); }

/// Arc sine in radians; NaN outside [-1, 1].
inline Tensor asin(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_asin(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& asin_(const Tensor& input) {
  check(haft_asin_(input.get()));
  return input;
}
inline void asin_out(const Tensor& input, const Tensor& out) { check(haft_asin_out(input.get(), out.get())); }

/// Arc cosine in radians; NaN outside [-1, 1].
inline Tensor acos(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_acos(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& acos_(const Tensor& input) {
  check(haft_acos_(input.get()));
  return input;
}
inline void acos_out(const Tensor& input, const Tensor& out) { check(haft_acos_out(input.get(), out.get())); }

/// Arc tangent in radians.
inline Tensor atan(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_atan(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& atan_(const Tensor& input) {
  check(haft_atan_(input.get()));
  return input;
}
inline void atan_out(const Tensor& input, const Tensor& out) { check(haft_atan_out(input.get(), out.get())); }

/// Hyperbolic sine.
inline Tensor sinh(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sinh(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& sinh_(const Tensor& input) {
  check(haft_sinh_(input.get()));
  return input;
}
inline void sinh_out(const Tensor& input, const Tensor& out) { check(haft_sinh_out(input.get(), out.get())); }

/// Hyperbolic cosine.
inline Tensor cosh(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_cosh(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& cosh_(const Tensor& input) {
  check(haft_cosh_(input.get()));
  return input;
}
inline void cosh_out(const Tensor& input, const Tensor& out) { check(haft_cosh_out(input.get(), out.get())); }

/// Hyperbolic tangent.
inline Tensor tanh(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_tanh(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& tanh_(const Tensor& input) {
  check(haft_tanh_(input.get()));
  return input;
}
inline void tanh_out(const Tensor& input, const Tensor& out) { check(haft_tanh_out(input.get(), out.get())); }

/// Inverse hyperbolic sine.
inline Tensor asinh(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_asinh(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& asinh_(const Tensor& input) {
  check(haft_asinh_(input.get()));
  return input;
}
inline void asinh_out(const Tensor& input, const Tensor& out) {
  check(haft_asinh_out(input.get(), out.get()));
}

/// Inverse hyperbolic cosine; NaN below 1.
inline Tensor acosh(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_acosh(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& acosh_(const Tensor& input) {
  check(haft_acosh_(input.get()));
  return input;
}
inline void acosh_out(const Tensor& input, const Tensor& out) {
  check(haft_acosh_out(input.get(), out.get()));
}

/// Inverse hyperbolic tangent; NaN outside [-1, 1].
inline Tensor atanh(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_atanh(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& atanh_(const Tensor& input) {
  check(haft_atanh_(input.get()));
  return input;
}
inline void atanh_out(const Tensor& input, const Tensor& out) {
  check(haft_atanh_out(input.get(), out.get()));
}

/// Error function.
inline Tensor erf(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_erf(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& erf_(const Tensor& input) {
  check(haft_erf_(input.get()));
  return input;
}
inline void erf_out(const Tensor& input, const Tensor& out) { check(haft_erf_out(input.get(), out.get())); }

/// Complementary error function 1 - erf(input), accurate where it is small.
inline Tensor erfc(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_erfc(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& erfc_(const Tensor& input) {
  check(haft_erfc_(input.get()));
  return input;
}
inline void erfc_out(const Tensor& input, const Tensor& out) { check(haft_erfc_out(input.get(), out.get())); }

/// Inverse of erf; +-infinity at +-1, NaN outside.
inline Tensor erfinv(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_erfinv(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& erfinv_(const Tensor& input) {
  check(haft_erfinv_(input.get()));
  return input;
}
inline void erfinv_out(const Tensor& input, const Tensor& out) {
  check(haft_erfinv_out(input.get(), out.get()));
}

/// Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...
inline Tensor lgamma(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_lgamma(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& lgamma_(const Tensor& input) {
  check(haft_lgamma_(input.get()));
  return input;
}
inline void lgamma_out(const Tensor& input, const Tensor& out) {
  check(haft_lgamma_out(input.get(), out.get()));
}

/// Derivative of lgamma; NaN at -1, -2, ...
inline Tensor digamma(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_digamma(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& digamma_(const Tensor& input) {
  check(haft_digamma_(input.get()));
  return input;
}
inline void digamma_out(const Tensor& input, const Tensor& out) {
  check(haft_digamma_out(input.get(), out.get()));
}

/// n-th derivative of digamma; n >= 0.
inline Tensor polygamma(int64_t n, const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_polygamma(n, input.get(), &out));
  return Tensor(out);
}

/// Modified Bessel function of the first kind, order 0.
inline Tensor i0(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_i0(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& i0_(const Tensor& input) {
  check(haft_i0_(input.get()));
  return input;
}
inline void i0_out(const Tensor& input, const Tensor& out) { check(haft_i0_out(input.get(), out.get())); }

/// Modified Bessel function of the first kind, order 1.
inline Tensor i1(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_i1(input.get(), &out));
  return Tensor(out);
}
inline void i1_out(const Tensor& input, const Tensor& out) { check(haft_i1_out(input.get(), out.get())); }

/// 1 / (1 + exp(-input)).
inline Tensor sigmoid(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sigmoid(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& sigmoid_(const Tensor& input) {
  check(haft_sigmoid_(input.get()));
  return input;
}
inline void sigmoid_out(const Tensor& input, const Tensor& out) {
  check(haft_sigmoid_out(input.get(), out.get()));
}

/// Largest integer not above input.
inline Tensor floor(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_floor(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& floor_(const Tensor& input) {
  check(haft_floor_(input.get()));
  return input;
}
inline void floor_out(const Tensor& input, const Tensor& out) {
  check(haft_floor_out(input.get(), out.get()));
}

/// Smallest integer not below input.
inline Tensor ceil(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_ceil(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& ceil_(const Tensor& input) {
  check(haft_ceil_(input.get()));
  return input;
}
inline void ceil_out(const Tensor& input, const Tensor& out) { check(haft_ceil_out(input.get(), out.get())); }

/// Nearest integer, halves to even.
inline Tensor round(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_round(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& round_(const Tensor& input) {
  check(haft_round_(input.get()));
  return input;
}
inline void round_out(const Tensor& input, const Tensor& out) {
  check(haft_round_out(input.get(), out.get()));
}

/// Integer part, towards 0.
inline Tensor trunc(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_trunc(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& trunc_(const Tensor& input) {
  check(haft_trunc_(input.get()));
  return input;
}
inline void trunc_out(const Tensor& input, const Tensor& out) {
  check(haft_trunc_out(input.get(), out.get()));
}

/// True where input is NaN.
inline Tensor isnan(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_isnan(input.get(), &out));
  return Tensor(out);
}

/// True where input is an infinity.
inline Tensor isinf(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_isinf(input.get(), &out));
  return Tensor(out);
}

/// True where input is neither infinite nor NaN.
inline Tensor isfinite(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_isfinite(input.get(), &out));
  return Tensor(out);
}

/// True where input is 0.
inline Tensor logical_not(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_logical_not(input.get(), &out));
  return Tensor(out);
}

/// Bitwise complement; logical not for bool.
inline Tensor bitwise_not(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_not(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_not_(const Tensor& input) {
  check(haft_bitwise_not_(input.get()));
  return input;
}
inline void bitwise_not_out(const Tensor& input, const Tensor& out) {
  check(haft_bitwise_not_out(input.get(), out.get()));
}

// ---- Pointwise: binary ------------------------------------------------------------------------------------

/// input + other; logical or for bool.
inline Tensor add(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_add(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& add_(const Tensor& input, const Tensor& other) {
  check(haft_add_(input.get(), other.get()));
  return input;
}
inline void add_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_add_out(input.get(), other.get(), out.get()));
}

/// input - other; bool is refused.
inline Tensor sub(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_sub(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& sub_(const Tensor& input, const Tensor& other) {
  check(haft_sub_(input.get(), other.get()));
  return input;
}
inline void sub_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_sub_out(input.get(), other.get(), out.get()));
}

/// input * other; logical and for bool.
inline Tensor mul(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_mul(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& mul_(const Tensor& input, const Tensor& other) {
  check(haft_mul_(input.get(), other.get()));
  return input;
}
inline void mul_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_mul_out(input.get(), other.get(), out.get()));
}

/// input / other, true division.
inline Tensor div(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_div(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& div_(const Tensor& input, const Tensor& other) {
  check(haft_div_(input.get(), other.get()));
  return input;
}
inline void div_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_div_out(input.get(), other.get(), out.get()));
}

/// input to the power exponent.
inline Tensor pow(const Tensor& input, const Tensor& exponent) {
  haft_tensor* out = nullptr;
  check(haft_pow(input.get(), exponent.get(), &out));
  return Tensor(out);
}
inline const Tensor& pow_(const Tensor& input, const Tensor& exponent) {
  check(haft_pow_(input.get(), exponent.get()));
  return input;
}
inline void pow_out(const Tensor& input, const Tensor& exponent, const Tensor& out) {
  check(haft_pow_out(input.get(), exponent.get(), out.get()));
}

/// The larger of input and other; NaN if either is. At ties the gradient is shared equally.
inline Tensor maximum(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_maximum(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& maximum_(const Tensor& input, const Tensor& other) {
  check(haft_maximum_(input.get(), other.get()));
  return input;
}
inline void maximum_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_maximum_out(input.get(), other.get(), out.get()));
}

/// The smaller of input and other; NaN if either is. At ties the gradient is shared equally.
inline Tensor minimum(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_minimum(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& minimum_(const Tensor& input, const Tensor& other) {
  check(haft_minimum_(input.get(), other.get()));
  return input;
}
inline void minimum_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_minimum_out(input.get(), other.get(), out.get()));
}

/// Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0.
inline Tensor fmod(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_fmod(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& fmod_(const Tensor& input, const Tensor& other) {
  check(haft_fmod_(input.get(), other.get()));
  return input;
}
inline void fmod_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_fmod_out(input.get(), other.get(), out.get()));
}

/// Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0.
inline Tensor remainder(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_remainder(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& remainder_(const Tensor& input, const Tensor& other) {
  check(haft_remainder_(input.get(), other.get()));
  return input;
}
inline void remainder_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_remainder_out(input.get(), other.get(), out.get()));
}

/// The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0.
inline Tensor floor_divide(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_floor_divide(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& floor_divide_(const Tensor& input, const Tensor& other) {
  check(haft_floor_divide_(input.get(), other.get()));
  return input;
}
inline void floor_divide_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_floor_divide_out(input.get(), other.get(), out.get()));
}

/// Angle of the point (other, input) in radians.
inline Tensor atan2(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_atan2(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& atan2_(const Tensor& input, const Tensor& other) {
  check(haft_atan2_(input.get(), other.get()));
  return input;
}
inline void atan2_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_atan2_out(input.get(), other.get(), out.get()));
}

/// sqrt(input^2 + other^2) without overflow in between.
inline Tensor hypot(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_hypot(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& hypot_(const Tensor& input, const Tensor& other) {
  check(haft_hypot_(input.get(), other.get()));
  return input;
}
inline void hypot_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_hypot_out(input.get(), other.get(), out.get()));
}

/// |input| with the sign of other, that of zeros included.
inline Tensor copysign(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_copysign(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& copysign_(const Tensor& input, const Tensor& other) {
  check(haft_copysign_(input.get(), other.get()));
  return input;
}
inline void copysign_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_copysign_out(input.get(), other.get(), out.get()));
}

/// log(exp(input) + exp(other)), without overflow.
inline Tensor logaddexp(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_logaddexp(input.get(), other.get(), &out));
  return Tensor(out);
}
inline void logaddexp_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_logaddexp_out(input.get(), other.get(), out.get()));
}

/// log2(2^input + 2^other), without overflow.
inline Tensor logaddexp2(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_logaddexp2(input.get(), other.get(), &out));
  return Tensor(out);
}
inline void logaddexp2_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_logaddexp2_out(input.get(), other.get(), out.get()));
}

/// input * log(other), and 0 where input is 0 unless other is NaN.
inline Tensor xlogy(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_xlogy(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& xlogy_(const Tensor& input, const Tensor& other) {
  check(haft_xlogy_(input.get(), other.get()));
  return input;
}
inline void xlogy_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_xlogy_out(input.get(), other.get(), out.get()));
}

/// input == other.
inline Tensor eq(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_eq(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input != other.
inline Tensor ne(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_ne(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input < other.
inline Tensor lt(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_lt(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input <= other.
inline Tensor le(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_le(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input > other.
inline Tensor gt(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_gt(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input >= other.
inline Tensor ge(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_ge(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input != 0 and other != 0.
inline Tensor logical_and(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_logical_and(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input != 0 or other != 0.
inline Tensor logical_or(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_logical_or(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Exactly one of input and other is not 0.
inline Tensor logical_xor(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_logical_xor(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Bitwise and; logical for bool.
inline Tensor bitwise_and(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_and(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_and_(const Tensor& input, const Tensor& other) {
  check(haft_bitwise_and_(input.get(), other.get()));
  return input;
}
inline void bitwise_and_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_bitwise_and_out(input.get(), other.get(), out.get()));
}

/// Bitwise or; logical for bool.
inline Tensor bitwise_or(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_or(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_or_(const Tensor& input, const Tensor& other) {
  check(haft_bitwise_or_(input.get(), other.get()));
  return input;
}
inline void bitwise_or_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_bitwise_or_out(input.get(), other.get(), out.get()));
}

/// Bitwise exclusive or; logical for bool.
inline Tensor bitwise_xor(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_xor(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_xor_(const Tensor& input, const Tensor& other) {
  check(haft_bitwise_xor_(input.get(), other.get()));
  return input;
}
inline void bitwise_xor_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_bitwise_xor_out(input.get(), other.get(), out.get()));
}

/// input * 2^other in the bits of the type; 0 where other is negative or no bit is left.
inline Tensor bitwise_left_shift(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_left_shift(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_left_shift_(const Tensor& input, const Tensor& other) {
  check(haft_bitwise_left_shift_(input.get(), other.get()));
  return input;
}
inline void bitwise_left_shift_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_bitwise_left_shift_out(input.get(), other.get(), out.get()));
}

/// floor(input / 2^other); the sign's bits where other is negative or no bit is left.
inline Tensor bitwise_right_shift(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_bitwise_right_shift(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& bitwise_right_shift_(const Tensor& input, const Tensor& other) {
  check(haft_bitwise_right_shift_(input.get(), other.get()));
  return input;
}
inline void bitwise_right_shift_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_bitwise_right_shift_out(input.get(), other.get(), out.get()));
}

/// Greatest common divisor, not negative; gcd(0, 0) is 0.
inline Tensor gcd(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_gcd(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& gcd_(const Tensor& input, const Tensor& other) {
  check(haft_gcd_(input.get(), other.get()));
  return input;
}
inline void gcd_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_gcd_out(input.get(), other.get(), out.get()));
}

/// Least common multiple, not negative; 0 where one of both is.
inline Tensor lcm(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_lcm(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& lcm_(const Tensor& input, const Tensor& other) {
  check(haft_lcm_(input.get(), other.get()));
  return input;
}
inline void lcm_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_lcm_out(input.get(), other.get(), out.get()));
}

// ---- Pointwise: with a scalar -----------------------------------------------------------------------------

/// input + other.
inline Tensor add_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_add_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& add_scalar_(const Tensor& input, Scalar other) {
  check(haft_add_scalar_(input.get(), other.get()));
  return input;
}
inline void add_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_add_scalar_out(input.get(), other.get(), out.get()));
}

/// input - other; bool is refused.
inline Tensor sub_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_sub_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& sub_scalar_(const Tensor& input, Scalar other) {
  check(haft_sub_scalar_(input.get(), other.get()));
  return input;
}
inline void sub_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_sub_scalar_out(input.get(), other.get(), out.get()));
}

/// other - input; bool is refused.
inline Tensor rsub_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_rsub_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline void rsub_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_rsub_scalar_out(input.get(), other.get(), out.get()));
}

/// input * other.
inline Tensor mul_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_mul_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& mul_scalar_(const Tensor& input, Scalar other) {
  check(haft_mul_scalar_(input.get(), other.get()));
  return input;
}
inline void mul_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_mul_scalar_out(input.get(), other.get(), out.get()));
}

/// input / other, true division.
inline Tensor div_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_div_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& div_scalar_(const Tensor& input, Scalar other) {
  check(haft_div_scalar_(input.get(), other.get()));
  return input;
}
inline void div_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_div_scalar_out(input.get(), other.get(), out.get()));
}

/// other / input, true division.
inline Tensor rdiv_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_rdiv_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline void rdiv_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_rdiv_scalar_out(input.get(), other.get(), out.get()));
}

/// input to the power exponent.
inline Tensor pow_scalar(const Tensor& input, Scalar exponent) {
  haft_tensor* out = nullptr;
  check(haft_pow_scalar(input.get(), exponent.get(), &out));
  return Tensor(out);
}
inline const Tensor& pow_scalar_(const Tensor& input, Scalar exponent) {
  check(haft_pow_scalar_(input.get(), exponent.get()));
  return input;
}
inline void pow_scalar_out(const Tensor& input, Scalar exponent, const Tensor& out) {
  check(haft_pow_scalar_out(input.get(), exponent.get(), out.get()));
}

/// other to the power input.
inline Tensor rpow_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_rpow_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline void rpow_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_rpow_scalar_out(input.get(), other.get(), out.get()));
}

/// Remainder of input / other with the sign of input.
inline Tensor fmod_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_fmod_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& fmod_scalar_(const Tensor& input, Scalar other) {
  check(haft_fmod_scalar_(input.get(), other.get()));
  return input;
}
inline void fmod_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_fmod_scalar_out(input.get(), other.get(), out.get()));
}

/// Remainder of input / other with the sign of other.
inline Tensor remainder_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_remainder_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& remainder_scalar_(const Tensor& input, Scalar other) {
  check(haft_remainder_scalar_(input.get(), other.get()));
  return input;
}
inline void remainder_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_remainder_scalar_out(input.get(), other.get(), out.get()));
}

/// The whole number q for which input is q * other + remainder(input, other).
inline Tensor floor_divide_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_floor_divide_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}
inline const Tensor& floor_divide_scalar_(const Tensor& input, Scalar other) {
  check(haft_floor_divide_scalar_(input.get(), other.get()));
  return input;
}
inline void floor_divide_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  check(haft_floor_divide_scalar_out(input.get(), other.get(), out.get()));
}

/// input == other.
inline Tensor eq_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_eq_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input != other.
inline Tensor ne_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_ne_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input < other.
inline Tensor lt_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_lt_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input <= other.
inline Tensor le_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_le_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input > other.
inline Tensor gt_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_gt_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input >= other.
inline Tensor ge_scalar(const Tensor& input, Scalar other) {
  haft_tensor* out = nullptr;
  check(haft_ge_scalar(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.
inline Tensor clamp(const Tensor& input, Scalar min = Scalar(), Scalar max = Scalar()) {
  haft_tensor* out = nullptr;
  check(haft_clamp(input.get(), min.get(), max.get(), &out));
  return Tensor(out);
}
inline const Tensor& clamp_(const Tensor& input, Scalar min = Scalar(), Scalar max = Scalar()) {
  check(haft_clamp_(input.get(), min.get(), max.get()));
  return input;
}
inline void clamp_out(const Tensor& input, Scalar min, Scalar max, const Tensor& out) {
  check(haft_clamp_out(input.get(), min.get(), max.get(), out.get()));
}

// ---- Pointwise: ternary and masks -------------------------------------------------------------------------

/// input where condition is true, other elsewhere.
inline Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_where(condition.get(), input.get(), other.get(), &out));
  return Tensor(out);
}
inline void where_out(const Tensor& condition, const Tensor& input, const Tensor& other, const Tensor& out) {
  check(haft_where_out(condition.get(), input.get(), other.get(), out.get()));
}

/// value where mask is true, input elsewhere; the result has input's dtype.
inline Tensor masked_fill(const Tensor& input, const Tensor& mask, Scalar value) {
  haft_tensor* out = nullptr;
  check(haft_masked_fill(input.get(), mask.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& masked_fill_(const Tensor& input, const Tensor& mask, Scalar value) {
  check(haft_masked_fill_(input.get(), mask.get(), value.get()));
  return input;
}

/// input + value * tensor1 * tensor2.
inline Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
  haft_tensor* out = nullptr;
  check(haft_addcmul(input.get(), tensor1.get(), tensor2.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& addcmul_(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
                              Scalar value = 1) {
  check(haft_addcmul_(input.get(), tensor1.get(), tensor2.get(), value.get()));
  return input;
}
inline void addcmul_out(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                        const Tensor& out) {
  check(haft_addcmul_out(input.get(), tensor1.get(), tensor2.get(), value.get(), out.get()));
}

/// input + value * tensor1 / tensor2.
inline Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
  haft_tensor* out = nullptr;
  check(haft_addcdiv(input.get(), tensor1.get(), tensor2.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& addcdiv_(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
                              Scalar value = 1) {
  check(haft_addcdiv_(input.get(), tensor1.get(), tensor2.get(), value.get()));
  return input;
}
inline void addcdiv_out(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                        const Tensor& out) {
  check(haft_addcdiv_out(input.get(), tensor1.get(), tensor2.get(), value.get(), out.get()));
}

/// input + weight * (end - input).
inline Tensor lerp(const Tensor& input, const Tensor& end, Scalar weight) {
  haft_tensor* out = nullptr;
  check(haft_lerp(input.get(), end.get(), weight.get(), &out));
  return Tensor(out);
}
inline const Tensor& lerp_(const Tensor& input, const Tensor& end, Scalar weight) {
  check(haft_lerp_(input.get(), end.get(), weight.get()));
  return input;
}
inline void lerp_out(const Tensor& input, const Tensor& end, Scalar weight, const Tensor& out) {
  check(haft_lerp_out(input.get(), end.get(), weight.get(), out.get()));
}

/// input above 0, weight * input below; weight has one element, or one for each channel (dimension 1).
inline Tensor prelu(const Tensor& input, const Tensor& weight) {
  haft_tensor* out = nullptr;
  check(haft_prelu(input.get(), weight.get(), &out));
  return Tensor(out);
}

// ---- Arithmetic: of one or two elements -------------------------------------------------------------------

/// input - trunc(input).
inline Tensor frac(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_frac(input.get(), &out));
  return Tensor(out);
}

/// True where the sign bit is set, that of -0.0 too.
inline Tensor signbit(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_signbit(input.get(), &out));
  return Tensor(out);
}

/// log(input / (1 - input)); input is limited to [eps, 1 - eps] first.
inline Tensor logit(const Tensor& input, Scalar eps = Scalar()) {
  haft_tensor* out = nullptr;
  check(haft_logit(input.get(), eps.get(), &out));
  return Tensor(out);
}

/// Degrees in radians.
inline Tensor deg2rad(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_deg2rad(input.get(), &out));
  return Tensor(out);
}

/// Radians in degrees.
inline Tensor rad2deg(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_rad2deg(input.get(), &out));
  return Tensor(out);
}

/// sin(pi input) / (pi input); 1 at 0.
inline Tensor sinc(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sinc(input.get(), &out));
  return Tensor(out);
}

/// NaN and infinities replaced by numbers; absent: 0, the largest and the smallest number of the type.
inline Tensor nan_to_num(const Tensor& input, Scalar nan = Scalar(), Scalar posinf = Scalar(),
                         Scalar neginf = Scalar()) {
  haft_tensor* out = nullptr;
  check(haft_nan_to_num(input.get(), nan.get(), posinf.get(), neginf.get(), &out));
  return Tensor(out);
}

/// True where input is +infinity.
inline Tensor isposinf(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_isposinf(input.get(), &out));
  return Tensor(out);
}

/// True where input is -infinity.
inline Tensor isneginf(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_isneginf(input.get(), &out));
  return Tensor(out);
}

/// 0 below 0, values at 0, 1 above.
inline Tensor heaviside(const Tensor& input, const Tensor& values) {
  haft_tensor* out = nullptr;
  check(haft_heaviside(input.get(), values.get(), &out));
  return Tensor(out);
}

/// The larger of both; NaN only where both are.
inline Tensor fmax(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_fmax(input.get(), other.get(), &out));
  return Tensor(out);
}

/// The smaller of both; NaN only where both are.
inline Tensor fmin(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_fmin(input.get(), other.get(), &out));
  return Tensor(out);
}

/// input * 2^other.
inline Tensor ldexp(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_ldexp(input.get(), other.get(), &out));
  return Tensor(out);
}

/// True where |input - other| <= atol + rtol * |other|.
inline Tensor isclose(const Tensor& input, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                      bool equal_nan = false) {
  haft_tensor* out = nullptr;
  check(haft_isclose(input.get(), other.get(), rtol, atol, equal_nan, &out));
  return Tensor(out);
}

// ---- Special ----------------------------------------------------------------------------------------------

/// The standard normal distribution's probability below input: erfc(-input / sqrt(2)) / 2.
inline Tensor ndtr(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_ndtr(input.get(), &out));
  return Tensor(out);
}

/// log(ndtr(input)), accurate far below 0, too.
inline Tensor log_ndtr(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_log_ndtr(input.get(), &out));
  return Tensor(out);
}

/// Inverse of ndtr; -+infinity at 0 and 1, NaN outside.
inline Tensor ndtri(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_ndtri(input.get(), &out));
  return Tensor(out);
}

/// exp(input^2) * erfc(input), which does not underflow.
inline Tensor erfcx(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_erfcx(input.get(), &out));
  return Tensor(out);
}

/// -input * log(input); 0 at 0, -infinity below.
inline Tensor entr(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_entr(input.get(), &out));
  return Tensor(out);
}

/// input * log(1 + other), and 0 where input is 0 unless other is NaN.
inline Tensor xlog1py(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_xlog1py(input.get(), other.get(), &out));
  return Tensor(out);
}

/// exp(-|input|) * i0(input), which does not overflow.
inline Tensor i0e(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_i0e(input.get(), &out));
  return Tensor(out);
}

/// exp(-|input|) * i1(input), which does not overflow.
inline Tensor i1e(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_i1e(input.get(), &out));
  return Tensor(out);
}

/// Bessel function of the first kind, order 0.
inline Tensor bessel_j0(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_bessel_j0(input.get(), &out));
  return Tensor(out);
}

/// Bessel function of the first kind, order 1.
inline Tensor bessel_j1(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_bessel_j1(input.get(), &out));
  return Tensor(out);
}

/// Bessel function of the second kind, order 0; -infinity at 0, NaN below.
inline Tensor bessel_y0(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_bessel_y0(input.get(), &out));
  return Tensor(out);
}

/// Bessel function of the second kind, order 1; -infinity at 0, NaN below.
inline Tensor bessel_y1(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_bessel_y1(input.get(), &out));
  return Tensor(out);
}

/// Modified Bessel function of the second kind, order 0; infinity at 0, NaN below.
inline Tensor modified_bessel_k0(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_modified_bessel_k0(input.get(), &out));
  return Tensor(out);
}

/// Modified Bessel function of the second kind, order 1; infinity at 0, NaN below.
inline Tensor modified_bessel_k1(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_modified_bessel_k1(input.get(), &out));
  return Tensor(out);
}

/// exp(input) * modified_bessel_k0(input), which does not underflow.
inline Tensor scaled_modified_bessel_k0(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_scaled_modified_bessel_k0(input.get(), &out));
  return Tensor(out);
}

/// exp(input) * modified_bessel_k1(input), which does not underflow.
inline Tensor scaled_modified_bessel_k1(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_scaled_modified_bessel_k1(input.get(), &out));
  return Tensor(out);
}

/// Regularised lower incomplete gamma function P(input, other): the integral of t^(input - 1) exp(-t) from 0
/// to other over Gamma(input); NaN for negative arguments. The derivative in input is of the first order.
inline Tensor igamma(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_igamma(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Regularised upper incomplete gamma function Q(input, other) = 1 - igamma(input, other), accurate where it
/// is small.
inline Tensor igammac(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_igammac(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Logarithm of the multivariate gamma function of dimension p: the sum of lgamma(input - i / 2) over i = 0,
/// ..., p - 1, and p (p - 1) / 4 log(pi).
inline Tensor mvlgamma(const Tensor& input, int64_t p) {
  haft_tensor* out = nullptr;
  check(haft_mvlgamma(input.get(), p, &out));
  return Tensor(out);
}

/// input as mantissa * 2^exponent, the mantissa's size in [0.5, 1) or 0, the exponent int32; infinities and
/// NaN have exponent 0. Returns {mantissa, exponent}.
inline std::tuple<Tensor, Tensor> frexp(const Tensor& input) {
  haft_tensor* mantissa = nullptr;
  haft_tensor* exponent = nullptr;
  check(haft_frexp(input.get(), &mantissa, &exponent));
  return {Tensor(mantissa), Tensor(exponent)};
}

/// The next number after input towards other, in their floating dtype.
inline Tensor nextafter(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_nextafter(input.get(), other.get(), &out));
  return Tensor(out);
}

// ---- Forms ------------------------------------------------------------------------------------------------

/// input limited to [min, max], bounds that broadcast; an absent one does not limit. NaN wins, and max over
/// min.
inline Tensor clamp_tensor(const Tensor& input, const Tensor& min = Tensor(), const Tensor& max = Tensor()) {
  haft_tensor* out = nullptr;
  check(haft_clamp_tensor(input.get(), min.get(), max.get(), &out));
  return Tensor(out);
}

/// input + weight * (end - input) with a weight for each element.
inline Tensor lerp_tensor(const Tensor& input, const Tensor& end, const Tensor& weight) {
  haft_tensor* out = nullptr;
  check(haft_lerp_tensor(input.get(), end.get(), weight.get(), &out));
  return Tensor(out);
}

/// input / other rounded down (rounding_mode 1: floor) or towards 0 (2: trunc); integers stay integers, and
/// by 0 give 0.
inline Tensor div_rounded(const Tensor& input, const Tensor& other, int64_t rounding_mode) {
  haft_tensor* out = nullptr;
  check(haft_div_rounded(input.get(), other.get(), rounding_mode, &out));
  return Tensor(out);
}

/// One bool: whether isclose is true everywhere.
inline Tensor allclose(const Tensor& input, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                       bool equal_nan = false) {
  haft_tensor* out = nullptr;
  check(haft_allclose(input.get(), other.get(), rtol, atol, equal_nan, &out));
  return Tensor(out);
}

/// One bool: whether both have the same sizes and elements.
inline Tensor equal(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_equal(input.get(), other.get(), &out));
  return Tensor(out);
}

// ---- Activations ------------------------------------------------------------------------------------------

/// max(input, 0).
inline Tensor relu(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_relu(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& relu_(const Tensor& input) {
  check(haft_relu_(input.get()));
  return input;
}
inline void relu_out(const Tensor& input, const Tensor& out) { check(haft_relu_out(input.get(), out.get())); }

/// input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).
inline Tensor gelu(const Tensor& input, bool tanh = false) {
  haft_tensor* out = nullptr;
  check(haft_gelu(input.get(), tanh, &out));
  return Tensor(out);
}
inline void gelu_out(const Tensor& input, bool tanh, const Tensor& out) {
  check(haft_gelu_out(input.get(), tanh, out.get()));
}

/// input * sigmoid(input).
inline Tensor silu(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_silu(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& silu_(const Tensor& input) {
  check(haft_silu_(input.get()));
  return input;
}
inline void silu_out(const Tensor& input, const Tensor& out) { check(haft_silu_out(input.get(), out.get())); }

/// input * tanh(softplus(input)) (Misra, arXiv:1908.08681).
inline Tensor mish(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_mish(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& mish_(const Tensor& input) {
  check(haft_mish_(input.get()));
  return input;
}
inline void mish_out(const Tensor& input, const Tensor& out) { check(haft_mish_out(input.get(), out.get())); }

/// log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold.
inline Tensor softplus(const Tensor& input, double beta = 1, double threshold = 20) {
  haft_tensor* out = nullptr;
  check(haft_softplus(input.get(), beta, threshold, &out));
  return Tensor(out);
}
inline void softplus_out(const Tensor& input, double beta, double threshold, const Tensor& out) {
  check(haft_softplus_out(input.get(), beta, threshold, out.get()));
}

/// input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289).
inline Tensor elu(const Tensor& input, double alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_elu(input.get(), alpha, &out));
  return Tensor(out);
}
inline const Tensor& elu_(const Tensor& input, double alpha = 1) {
  check(haft_elu_(input.get(), alpha));
  return input;
}
inline void elu_out(const Tensor& input, double alpha, const Tensor& out) {
  check(haft_elu_out(input.get(), alpha, out.get()));
}

/// input above 0, negative_slope * input below.
inline Tensor leaky_relu(const Tensor& input, double negative_slope = 0.01) {
  haft_tensor* out = nullptr;
  check(haft_leaky_relu(input.get(), negative_slope, &out));
  return Tensor(out);
}
inline const Tensor& leaky_relu_(const Tensor& input, double negative_slope = 0.01) {
  check(haft_leaky_relu_(input.get(), negative_slope));
  return input;
}
inline void leaky_relu_out(const Tensor& input, double negative_slope, const Tensor& out) {
  check(haft_leaky_relu_out(input.get(), negative_slope, out.get()));
}

/// input limited to [min_val, max_val].
inline Tensor hardtanh(const Tensor& input, double min_val = -1, double max_val = 1) {
  haft_tensor* out = nullptr;
  check(haft_hardtanh(input.get(), min_val, max_val, &out));
  return Tensor(out);
}
inline const Tensor& hardtanh_(const Tensor& input, double min_val = -1, double max_val = 1) {
  check(haft_hardtanh_(input.get(), min_val, max_val));
  return input;
}
inline void hardtanh_out(const Tensor& input, double min_val, double max_val, const Tensor& out) {
  check(haft_hardtanh_out(input.get(), min_val, max_val, out.get()));
}

/// clamp(input / 6 + 1/2, 0, 1).
inline Tensor hardsigmoid(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_hardsigmoid(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& hardsigmoid_(const Tensor& input) {
  check(haft_hardsigmoid_(input.get()));
  return input;
}
inline void hardsigmoid_out(const Tensor& input, const Tensor& out) {
  check(haft_hardsigmoid_out(input.get(), out.get()));
}

/// input * hardsigmoid(input) (Howard et al., arXiv:1905.02244).
inline Tensor hardswish(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_hardswish(input.get(), &out));
  return Tensor(out);
}
inline const Tensor& hardswish_(const Tensor& input) {
  check(haft_hardswish_(input.get()));
  return input;
}
inline void hardswish_out(const Tensor& input, const Tensor& out) {
  check(haft_hardswish_out(input.get(), out.get()));
}

/// log(sigmoid(input)).
inline Tensor logsigmoid(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_logsigmoid(input.get(), &out));
  return Tensor(out);
}
inline void logsigmoid_out(const Tensor& input, const Tensor& out) {
  check(haft_logsigmoid_out(input.get(), out.get()));
}

/// elu scaled so that mean 0 and variance 1 are kept (Klambauer et al., arXiv:1706.02515).
inline Tensor selu(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_selu(input.get(), &out));
  return Tensor(out);
}

/// max(0, input) + min(0, alpha * (exp(input / alpha) - 1)) (Barron, arXiv:1704.07483).
inline Tensor celu(const Tensor& input, double alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_celu(input.get(), alpha, &out));
  return Tensor(out);
}

/// input / (1 + |input|).
inline Tensor softsign(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_softsign(input.get(), &out));
  return Tensor(out);
}

/// input - tanh(input).
inline Tensor tanhshrink(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_tanhshrink(input.get(), &out));
  return Tensor(out);
}

/// input where |input| > lambd, 0 elsewhere; NaN stays.
inline Tensor hardshrink(const Tensor& input, double lambd = 0.5) {
  haft_tensor* out = nullptr;
  check(haft_hardshrink(input.get(), lambd, &out));
  return Tensor(out);
}

/// input moved by lambd towards 0; 0 where it would pass it.
inline Tensor softshrink(const Tensor& input, double lambd = 0.5) {
  haft_tensor* out = nullptr;
  check(haft_softshrink(input.get(), lambd, &out));
  return Tensor(out);
}

/// input above threshold, value elsewhere; NaN stays.
inline Tensor threshold(const Tensor& input, double threshold, double value) {
  haft_tensor* out = nullptr;
  check(haft_threshold(input.get(), threshold, value, &out));
  return Tensor(out);
}

/// The first half along dim times the sigmoid of the second (Dauphin et al., arXiv:1612.08083).
inline Tensor glu(const Tensor& input, int64_t dim = -1) {
  haft_tensor* out = nullptr;
  check(haft_glu(input.get(), dim, &out));
  return Tensor(out);
}

// ---- Creation ---------------------------------------------------------------------------------------------

/// A tensor filled with fill_value; dtype by its kind (bool, int64, default float).
inline Tensor full(const IntArray& size, Scalar fill_value, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_full(size.data(), size.size(), fill_value.get(), dtype, device, &out));
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

/// n x m matrix (m -1: n) with ones on the diagonal.
inline Tensor eye(int64_t n, int64_t m = -1, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_eye(n, m, dtype, device, &out));
  return Tensor(out);
}

/// Undefined content with the shape, dtype and device of input.
inline Tensor empty_like(const Tensor& input, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_empty_like(input.get(), dtype, &out));
  return Tensor(out);
}

/// Zeros with the shape, dtype and device of input.
inline Tensor zeros_like(const Tensor& input, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_zeros_like(input.get(), dtype, &out));
  return Tensor(out);
}

/// Ones with the shape, dtype and device of input.
inline Tensor ones_like(const Tensor& input, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_ones_like(input.get(), dtype, &out));
  return Tensor(out);
}

/// fill_value with the shape, dtype and device of input.
inline Tensor full_like(const Tensor& input, Scalar fill_value, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_full_like(input.get(), fill_value.get(), dtype, &out));
  return Tensor(out);
}

// ---- Signal_windows ---------------------------------------------------------------------------------------

/// A triangle from 0 to 1 and back; periodic: the next period's first element is left out.
inline Tensor bartlett_window(int64_t window_length, bool periodic = true, haft_dtype dtype = 0,
                              haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_bartlett_window(window_length, periodic, dtype, device, &out));
  return Tensor(out);
}

/// 0.42 - 0.5 cos(t) + 0.08 cos(2 t) over a turn.
inline Tensor blackman_window(int64_t window_length, bool periodic = true, haft_dtype dtype = 0,
                              haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_blackman_window(window_length, periodic, dtype, device, &out));
  return Tensor(out);
}

/// alpha - beta cos(t) over a turn.
inline Tensor hamming_window(int64_t window_length, bool periodic = true, double alpha = 0.54,
                             double beta = 0.46, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_hamming_window(window_length, periodic, alpha, beta, dtype, device, &out));
  return Tensor(out);
}

/// (1 - cos(t)) / 2 over a turn.
inline Tensor hann_window(int64_t window_length, bool periodic = true, haft_dtype dtype = 0,
                          haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_hann_window(window_length, periodic, dtype, device, &out));
  return Tensor(out);
}

/// i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1 (Kaiser, 1974).
inline Tensor kaiser_window(int64_t window_length, bool periodic = true, double beta = 12,
                            haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_kaiser_window(window_length, periodic, beta, dtype, device, &out));
  return Tensor(out);
}

// ---- Random -----------------------------------------------------------------------------------------------

/// Uniform numbers in [0, 1).
inline Tensor rand(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0,
                   haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_rand(size.data(), size.size(), dtype, device, generator, &out));
  return Tensor(out);
}

/// Standard normal numbers.
inline Tensor randn(const IntArray& size, haft_dtype dtype = 0, haft_device device = 0,
                    haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randn(size.data(), size.size(), dtype, device, generator, &out));
  return Tensor(out);
}

/// Integers in [low, high); int64 unless dtype says otherwise.
inline Tensor randint(int64_t low, int64_t high, const IntArray& size, haft_dtype dtype = 0,
                      haft_device device = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randint(low, high, size.data(), size.size(), dtype, device, generator, &out));
  return Tensor(out);
}

/// A random permutation of 0..n-1; int64 unless dtype says otherwise.
inline Tensor randperm(int64_t n, haft_dtype dtype = 0, haft_device device = 0,
                       haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randperm(n, dtype, device, generator, &out));
  return Tensor(out);
}

/// Uniform numbers in [low, high).
inline Tensor uniform(const IntArray& size, double low, double high, haft_dtype dtype = 0,
                      haft_device device = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_uniform(size.data(), size.size(), low, high, dtype, device, generator, &out));
  return Tensor(out);
}

/// Normal numbers with that mean and standard deviation.
inline Tensor normal(double mean, double std, const IntArray& size, haft_dtype dtype = 0,
                     haft_device device = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_normal(mean, std, size.data(), size.size(), dtype, device, generator, &out));
  return Tensor(out);
}

/// Gamma variables of shape parameters input and rate 1 (Marsaglia and Tsang); the gradient is implicit
/// (Figurnov et al., arXiv:1805.08498), of the first order.
inline Tensor standard_gamma(const Tensor& input, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_standard_gamma(input.get(), generator, &out));
  return Tensor(out);
}

/// 1 with the probability that input holds, else 0; dtype of input. The gradient is 0.
inline Tensor bernoulli(const Tensor& input, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_bernoulli(input.get(), generator, &out));
  return Tensor(out);
}

/// num_samples int64 indices per row of input (1-d or 2-d), drawn by its weights.
inline Tensor multinomial(const Tensor& input, int64_t num_samples, bool replacement = false,
                          haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_multinomial(input.get(), num_samples, replacement, generator, &out));
  return Tensor(out);
}

/// Uniform numbers in [0, 1) with the shape of input.
inline Tensor rand_like(const Tensor& input, haft_dtype dtype = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_rand_like(input.get(), dtype, generator, &out));
  return Tensor(out);
}

/// Standard normal numbers with the shape of input.
inline Tensor randn_like(const Tensor& input, haft_dtype dtype = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_randn_like(input.get(), dtype, generator, &out));
  return Tensor(out);
}

/// Zeroes each element with probability p and scales the rest by 1 / (1 - p); input itself when not training
/// (Srivastava et al., JMLR 2014).
inline Tensor dropout(const Tensor& input, double p = 0.5, bool training = true,
                      haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_dropout(input.get(), p, training, generator, &out));
  return Tensor(out);
}

/// dropout of whole channels of (N, C, *): each is zeroed with probability p, the rest scaled by 1 / (1 - p)
/// (Tompson et al., arXiv:1411.4280).
inline Tensor feature_dropout(const Tensor& input, double p = 0.5, bool training = true,
                              haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_feature_dropout(input.get(), p, training, generator, &out));
  return Tensor(out);
}

/// dropout that keeps mean 0 and variance 1 of what selu gives (Klambauer et al., arXiv:1706.02515).
inline Tensor alpha_dropout(const Tensor& input, double p = 0.5, bool training = true,
                            haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_alpha_dropout(input.get(), p, training, generator, &out));
  return Tensor(out);
}

/// alpha_dropout of whole channels of (N, C, *).
inline Tensor feature_alpha_dropout(const Tensor& input, double p = 0.5, bool training = true,
                                    haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_feature_alpha_dropout(input.get(), p, training, generator, &out));
  return Tensor(out);
}

/// input above 0; below it times a slope drawn from [lower, upper), or times their mean when not training (Xu
/// et al., arXiv:1505.00853).
inline Tensor rrelu(const Tensor& input, double lower = 0.125, double upper = 0.3333333333333333,
                    bool training = true, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_rrelu(input.get(), lower, upper, training, generator, &out));
  return Tensor(out);
}

/// A sample of the Gumbel-softmax distribution along dim at temperature tau (Jang et al., arXiv:1611.01144);
/// hard: one-hot, with the gradient of the soft sample.
inline Tensor gumbel_softmax(const Tensor& logits, double tau = 1, bool hard = false, int64_t dim = -1,
                             haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_gumbel_softmax(logits.get(), tau, hard, dim, generator, &out));
  return Tensor(out);
}

/// Numbers of density lambd * exp(-lambd * x).
inline Tensor exponential(const IntArray& size, double lambd = 1, haft_dtype dtype = 0,
                          haft_device device = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_exponential(size.data(), size.size(), lambd, dtype, device, generator, &out));
  return Tensor(out);
}

/// Numbers of density sigma / (pi * ((x - median)^2 + sigma^2)).
inline Tensor cauchy(const IntArray& size, double median = 0, double sigma = 1, haft_dtype dtype = 0,
                     haft_device device = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_cauchy(size.data(), size.size(), median, sigma, dtype, device, generator, &out));
  return Tensor(out);
}

/// exp of normal numbers with that mean and standard deviation.
inline Tensor log_normal(const IntArray& size, double mean = 1, double std = 2, haft_dtype dtype = 0,
                         haft_device device = 0, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_log_normal(size.data(), size.size(), mean, std, dtype, device, generator, &out));
  return Tensor(out);
}

/// How many trials there are up to the first success, each with probability p: 1, 2, ...
inline Tensor geometric(const IntArray& size, double p, haft_dtype dtype = 0, haft_device device = 0,
                        haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_geometric(size.data(), size.size(), p, dtype, device, generator, &out));
  return Tensor(out);
}

// ---- Counts -----------------------------------------------------------------------------------------------

/// Poisson variables of rates input, by search and transformed rejection (Hoermann, 1993) in float64; dtype
/// of input. The gradient is 0.
inline Tensor poisson(const Tensor& input, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_poisson(input.get(), generator, &out));
  return Tensor(out);
}

/// How many of count trials succeed, each with probability prob; both broadcast, dtype of prob.
inline Tensor binomial(const Tensor& count, const Tensor& prob, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_binomial(count.get(), prob.get(), generator, &out));
  return Tensor(out);
}

// ---- Views ------------------------------------------------------------------------------------------------

/// A view with given sizes and strides (elements); offset counts from input's first element.
inline Tensor as_strided(const Tensor& input, const IntArray& size, const IntArray& stride,
                         int64_t offset = 0) {
  haft_tensor* out = nullptr;
  check(haft_as_strided(input.get(), size.data(), size.size(), stride.data(), stride.size(), offset, &out));
  return Tensor(out);
}

/// The same memory with another shape; one size may be -1. Fails when strides do not allow it: use reshape.
inline Tensor view(const Tensor& input, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_view(input.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

/// Dimensions in the order dims.
inline Tensor permute(const Tensor& input, const IntArray& dims) {
  haft_tensor* out = nullptr;
  check(haft_permute(input.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// Two dimensions exchanged.
inline Tensor transpose(const Tensor& input, int64_t dim0, int64_t dim1) {
  haft_tensor* out = nullptr;
  check(haft_transpose(input.get(), dim0, dim1, &out));
  return Tensor(out);
}

/// Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front.
inline Tensor expand(const Tensor& input, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_expand(input.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

/// Without the dimension dim if it has size 1; absent: without all of size 1.
inline Tensor squeeze(const Tensor& input, int64_t dim = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_squeeze(input.get(), dim, &out));
  return Tensor(out);
}

/// A new dimension of size 1 at dim.
inline Tensor unsqueeze(const Tensor& input, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_unsqueeze(input.get(), dim, &out));
  return Tensor(out);
}

/// input[start:end:step] along dim with Python's clipping; step > 0.
inline Tensor slice(const Tensor& input, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  haft_tensor* out = nullptr;
  check(haft_slice(input.get(), dim, start, end, step, &out));
  return Tensor(out);
}

/// input at index along dim, without that dimension; negative counts from the end.
inline Tensor select(const Tensor& input, int64_t dim, int64_t index) {
  haft_tensor* out = nullptr;
  check(haft_select(input.get(), dim, index, &out));
  return Tensor(out);
}

/// The diagonal of two dimensions as a new last dimension.
inline Tensor diagonal(const Tensor& input, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  haft_tensor* out = nullptr;
  check(haft_diagonal(input.get(), offset, dim1, dim2, &out));
  return Tensor(out);
}

/// All windows of `size` along dimension, `step` apart, as a new last dimension.
inline Tensor unfold(const Tensor& input, int64_t dimension, int64_t size, int64_t step) {
  haft_tensor* out = nullptr;
  check(haft_unfold(input.get(), dimension, size, step, &out));
  return Tensor(out);
}

/// The same memory without its history.
inline Tensor detach(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_detach(input.get(), &out));
  return Tensor(out);
}

/// Another shape; a view where strides allow it, else a copy. One size may be -1.
inline Tensor reshape(const Tensor& input, const IntArray& shape) {
  haft_tensor* out = nullptr;
  check(haft_reshape(input.get(), shape.data(), shape.size(), &out));
  return Tensor(out);
}

/// Dimensions start_dim..end_dim joined into one.
inline Tensor flatten(const Tensor& input, int64_t start_dim = 0, int64_t end_dim = -1) {
  haft_tensor* out = nullptr;
  check(haft_flatten(input.get(), start_dim, end_dim, &out));
  return Tensor(out);
}

/// Dimension dim split into sizes; one may be -1.
inline Tensor unflatten(const Tensor& input, int64_t dim, const IntArray& sizes) {
  haft_tensor* out = nullptr;
  check(haft_unflatten(input.get(), dim, sizes.data(), sizes.size(), &out));
  return Tensor(out);
}

/// Transpose of a tensor of at most 2 dimensions.
inline Tensor t(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_t(input.get(), &out));
  return Tensor(out);
}

/// Dimensions source moved to destination.
inline Tensor movedim(const Tensor& input, const IntArray& source, const IntArray& destination) {
  haft_tensor* out = nullptr;
  check(haft_movedim(input.get(), source.data(), source.size(), destination.data(), destination.size(),
                     &out));
  return Tensor(out);
}

/// input[start : start + length] along dim.
inline Tensor narrow(const Tensor& input, int64_t dim, int64_t start, int64_t length) {
  haft_tensor* out = nullptr;
  check(haft_narrow(input.get(), dim, start, length, &out));
  return Tensor(out);
}

/// input expanded to the shape of other.
inline Tensor expand_as(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_expand_as(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Views of `split_size` along dim; the last may be smaller.
inline std::vector<Tensor> split(const Tensor& input, int64_t split_size, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_split(input.get(), split_size, dim, outs, capacity, count);
  });
}

/// Views of the sizes split_sizes along dim; they add up to its size.
inline std::vector<Tensor> split_sizes(const Tensor& input, const IntArray& split_sizes, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_split_sizes(input.get(), split_sizes.data(), split_sizes.size(), dim, outs, capacity, count);
  });
}

/// At most `chunks` views of equal size along dim; the last may be smaller.
inline std::vector<Tensor> chunk(const Tensor& input, int64_t chunks, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_chunk(input.get(), chunks, dim, outs, capacity, count);
  });
}

/// One view for each index of dim, without that dimension.
inline std::vector<Tensor> unbind(const Tensor& input, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_unbind(input.get(), dim, outs, capacity, count);
  });
}

// ---- Copies -----------------------------------------------------------------------------------------------

/// input in another element type, dense; floats are truncated towards 0 for integers.
inline Tensor cast(const Tensor& input, haft_dtype dtype) {
  haft_tensor* out = nullptr;
  check(haft_cast(input.get(), dtype, &out));
  return Tensor(out);
}

/// input itself when dense and row-major, else a copy that is.
inline Tensor contiguous(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_contiguous(input.get(), &out));
  return Tensor(out);
}

/// A copy with its own memory; gradients flow through.
inline Tensor clone(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_clone(input.get(), &out));
  return Tensor(out);
}

/// src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a view
/// that overlaps it.
inline Tensor copy(const Tensor& input, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_copy(input.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& copy_(const Tensor& input, const Tensor& src) {
  check(haft_copy_(input.get(), src.get()));
  return input;
}

/// input in another dtype and on another device; device 0 keeps input's. input itself when neither changes.
inline Tensor to(const Tensor& input, haft_dtype dtype = 0, haft_device device = 0,
                 bool non_blocking = false) {
  haft_tensor* out = nullptr;
  check(haft_to(input.get(), dtype, device, non_blocking, &out));
  return Tensor(out);
}

/// value in the shape of input; fill_ writes input's memory.
inline Tensor fill(const Tensor& input, Scalar value) {
  haft_tensor* out = nullptr;
  check(haft_fill(input.get(), value.get(), &out));
  return Tensor(out);
}
inline const Tensor& fill_(const Tensor& input, Scalar value) {
  check(haft_fill_(input.get(), value.get()));
  return input;
}

/// A copy of input in which as_strided(size, stride, offset) holds src.
inline Tensor as_strided_scatter(const Tensor& input, const Tensor& src, const IntArray& size,
                                 const IntArray& stride, int64_t offset = 0) {
  haft_tensor* out = nullptr;
  check(haft_as_strided_scatter(input.get(), src.get(), size.data(), size.size(), stride.data(),
                                stride.size(), offset, &out));
  return Tensor(out);
}

/// Tensors joined along dim; other sizes are equal, dtypes are promoted.
inline Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0) {
  haft_tensor* out = nullptr;
  check(haft_cat(detail::Handles(tensors).data(), int64_t(tensors.size()), dim, &out));
  return Tensor(out);
}

/// Equal shapes joined along a new dimension.
inline Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0) {
  haft_tensor* out = nullptr;
  check(haft_stack(detail::Handles(tensors).data(), int64_t(tensors.size()), dim, &out));
  return Tensor(out);
}

/// A copy with those dimensions reversed.
inline Tensor flip(const Tensor& input, const IntArray& dims) {
  haft_tensor* out = nullptr;
  check(haft_flip(input.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// A copy shifted cyclically; empty dims: flattened, then restored.
inline Tensor roll(const Tensor& input, const IntArray& shifts, const IntArray& dims = {}) {
  haft_tensor* out = nullptr;
  check(haft_roll(input.get(), shifts.data(), shifts.size(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// A copy tiled that many times along each dimension.
inline Tensor repeat(const Tensor& input, const IntArray& repeats) {
  haft_tensor* out = nullptr;
  check(haft_repeat(input.get(), repeats.data(), repeats.size(), &out));
  return Tensor(out);
}

/// Elements on and below a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor tril(const Tensor& input, int64_t diagonal = 0) {
  haft_tensor* out = nullptr;
  check(haft_tril(input.get(), diagonal, &out));
  return Tensor(out);
}

/// Elements on and above a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor triu(const Tensor& input, int64_t diagonal = 0) {
  haft_tensor* out = nullptr;
  check(haft_triu(input.get(), diagonal, &out));
  return Tensor(out);
}

// ---- Shapes -----------------------------------------------------------------------------------------------

/// All elements as a vector; a view where strides allow it.
inline Tensor ravel(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_ravel(input.get(), &out));
  return Tensor(out);
}

/// A copy with its second dimension reversed.
inline Tensor fliplr(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_fliplr(input.get(), &out));
  return Tensor(out);
}

/// A copy with its first dimension reversed.
inline Tensor flipud(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_flipud(input.get(), &out));
  return Tensor(out);
}

/// A copy turned k times by 90 degrees in the plane of two dimensions; empty dims: the first two.
inline Tensor rot90(const Tensor& input, int64_t k = 1, const IntArray& dims = {}) {
  haft_tensor* out = nullptr;
  check(haft_rot90(input.get(), k, dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// A copy tiled that many times along the last dimensions.
inline Tensor tile(const Tensor& input, const IntArray& dims) {
  haft_tensor* out = nullptr;
  check(haft_tile(input.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// Each slice along dim repeated: repeats has one element, or one for each slice. Absent dim: of the
/// flattened tensor.
inline Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, int64_t dim = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_repeat_interleave(input.get(), repeats.get(), dim, &out));
  return Tensor(out);
}

/// input with at least 1 dimension.
inline Tensor atleast_1d(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_atleast_1d(input.get(), &out));
  return Tensor(out);
}

/// input with at least 2 dimensions: a vector becomes a row.
inline Tensor atleast_2d(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_atleast_2d(input.get(), &out));
  return Tensor(out);
}

/// input with at least 3 dimensions: (N) becomes (1, N, 1), (M, N) becomes (M, N, 1).
inline Tensor atleast_3d(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_atleast_3d(input.get(), &out));
  return Tensor(out);
}

/// Zeros with input's last dimension on a diagonal of two new dimensions.
inline Tensor diag_embed(const Tensor& input, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) {
  haft_tensor* out = nullptr;
  check(haft_diag_embed(input.get(), offset, dim1, dim2, &out));
  return Tensor(out);
}

/// The diagonal of a matrix, or a matrix with that diagonal.
inline Tensor diag(const Tensor& input, int64_t diagonal = 0) {
  haft_tensor* out = nullptr;
  check(haft_diag(input.get(), diagonal, &out));
  return Tensor(out);
}

/// A matrix with the elements of input on a diagonal.
inline Tensor diagflat(const Tensor& input, int64_t offset = 0) {
  haft_tensor* out = nullptr;
  check(haft_diagflat(input.get(), offset, &out));
  return Tensor(out);
}

/// Sum of the diagonal of a matrix.
inline Tensor trace(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_trace(input.get(), &out));
  return Tensor(out);
}

/// Indices (2, n) of the elements on and below a diagonal; int64 unless dtype says int32.
inline Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, haft_dtype dtype = 0,
                           haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_tril_indices(row, col, offset, dtype, device, &out));
  return Tensor(out);
}

/// Indices (2, n) of the elements on and above a diagonal; int64 unless dtype says int32.
inline Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, haft_dtype dtype = 0,
                           haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_triu_indices(row, col, offset, dtype, device, &out));
  return Tensor(out);
}

/// Views of nearly equal size along dim, the first ones larger.
inline std::vector<Tensor> tensor_split(const Tensor& input, int64_t sections, int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_tensor_split(input.get(), sections, dim, outs, capacity, count);
  });
}

/// Views between the given places along dim.
inline std::vector<Tensor> tensor_split_indices(const Tensor& input, const IntArray& indices,
                                                int64_t dim = 0) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_tensor_split_indices(input.get(), indices.data(), indices.size(), dim, outs, capacity, count);
  });
}

// ---- Joins ------------------------------------------------------------------------------------------------

/// Joined along the second dimension (vectors: the first).
inline Tensor hstack(const std::vector<Tensor>& tensors) {
  haft_tensor* out = nullptr;
  check(haft_hstack(detail::Handles(tensors).data(), int64_t(tensors.size()), &out));
  return Tensor(out);
}

/// Joined along the first dimension, vectors as rows.
inline Tensor vstack(const std::vector<Tensor>& tensors) {
  haft_tensor* out = nullptr;
  check(haft_vstack(detail::Handles(tensors).data(), int64_t(tensors.size()), &out));
  return Tensor(out);
}

/// Joined along the third dimension.
inline Tensor dstack(const std::vector<Tensor>& tensors) {
  haft_tensor* out = nullptr;
  check(haft_dstack(detail::Handles(tensors).data(), int64_t(tensors.size()), &out));
  return Tensor(out);
}

/// Joined along the second dimension, vectors as columns.
inline Tensor column_stack(const std::vector<Tensor>& tensors) {
  haft_tensor* out = nullptr;
  check(haft_column_stack(detail::Handles(tensors).data(), int64_t(tensors.size()), &out));
  return Tensor(out);
}

/// All tensors expanded to their common size.
inline std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_broadcast_tensors(detail::Handles(tensors).data(), int64_t(tensors.size()), outs, capacity,
                                  count);
  });
}

/// Coordinates of a grid: vectors expanded along each other's dimensions; xy exchanges the first two.
inline std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, bool xy = false) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_meshgrid(detail::Handles(tensors).data(), int64_t(tensors.size()), xy, outs, capacity, count);
  });
}

/// All combinations of the elements of vectors, a row each.
inline Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  haft_tensor* out = nullptr;
  check(haft_cartesian_prod(detail::Handles(tensors).data(), int64_t(tensors.size()), &out));
  return Tensor(out);
}

/// The index in each dimension of what has these places in a dense tensor of shape.
inline std::vector<Tensor> unravel_index(const Tensor& indices, const IntArray& shape) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_unravel_index(indices.get(), shape.data(), shape.size(), outs, capacity, count);
  });
}

/// Powers N - 1, ..., 0 (or 0, ..., N - 1) of the elements of a vector, a row each; N is the vector's length
/// unless given.
inline Tensor vander(const Tensor& x, int64_t N = HAFT_NONE, bool increasing = false) {
  haft_tensor* out = nullptr;
  check(haft_vander(x.get(), N, increasing, &out));
  return Tensor(out);
}

/// All combinations of r elements of a vector, a row each.
inline Tensor combinations(const Tensor& input, int64_t r = 2, bool with_replacement = false) {
  haft_tensor* out = nullptr;
  check(haft_combinations(input.get(), r, with_replacement, &out));
  return Tensor(out);
}

/// Matrices along the diagonal of a larger one.
inline Tensor block_diag(const std::vector<Tensor>& tensors) {
  haft_tensor* out = nullptr;
  check(haft_block_diag(detail::Handles(tensors).data(), int64_t(tensors.size()), &out));
  return Tensor(out);
}

// ---- Reduce (an empty list means all dimensions) ----------------------------------------------------------

/// Sum over dim; integers and bool in int64.
inline Tensor sum(const Tensor& input, const IntArray& dim = {}, bool keepdim = false, haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_sum(input.get(), dim.data(), dim.size(), keepdim, dtype, &out));
  return Tensor(out);
}
inline void sum_out(const Tensor& input, const IntArray& dim, bool keepdim, haft_dtype dtype,
                    const Tensor& out) {
  check(haft_sum_out(input.get(), dim.data(), dim.size(), keepdim, dtype, out.get()));
}

/// Mean over dim; floats only.
inline Tensor mean(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_mean(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Product over dim; integers and bool in int64.
inline Tensor prod(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_prod(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Largest value over dim; NaN wins. Gradients are shared equally at ties.
inline Tensor amax(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_amax(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Smallest value over dim; NaN wins. Gradients are shared equally at ties.
inline Tensor amin(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_amin(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Largest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::tuple<Tensor, Tensor> max_dim(const Tensor& input, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_max_dim(input.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Smallest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::tuple<Tensor, Tensor> min_dim(const Tensor& input, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_min_dim(input.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// First index of the largest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmax(const Tensor& input, int64_t dim = HAFT_NONE, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_argmax(input.get(), dim, keepdim, &out));
  return Tensor(out);
}

/// First index of the smallest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmin(const Tensor& input, int64_t dim = HAFT_NONE, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_argmin(input.get(), dim, keepdim, &out));
  return Tensor(out);
}

/// True where some element over dim is not 0.
inline Tensor any(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_any(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// True where every element over dim is not 0.
inline Tensor all(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_all(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Variance over dim with divisor n - correction (two passes).
inline Tensor var(const Tensor& input, const IntArray& dim = {}, int64_t correction = 1,
                  bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_var(input.get(), dim.data(), dim.size(), correction, keepdim, &out));
  return Tensor(out);
}

/// Square root of var.
inline Tensor std(const Tensor& input, const IntArray& dim = {}, int64_t correction = 1,
                  bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_std(input.get(), dim.data(), dim.size(), correction, keepdim, &out));
  return Tensor(out);
}

/// p-norm over dim; p is any number or +-infinity.
inline Tensor norm(const Tensor& input, double p = 2, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_norm(input.get(), p, dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// var and mean over dim. Returns {var, mean}.
inline std::tuple<Tensor, Tensor> var_mean(const Tensor& input, const IntArray& dim = {},
                                           int64_t correction = 1, bool keepdim = false) {
  haft_tensor* var = nullptr;
  haft_tensor* mean = nullptr;
  check(haft_var_mean(input.get(), dim.data(), dim.size(), correction, keepdim, &var, &mean));
  return {Tensor(var), Tensor(mean)};
}

/// std and mean over dim. Returns {std, mean}.
inline std::tuple<Tensor, Tensor> std_mean(const Tensor& input, const IntArray& dim = {},
                                           int64_t correction = 1, bool keepdim = false) {
  haft_tensor* std = nullptr;
  haft_tensor* mean = nullptr;
  check(haft_std_mean(input.get(), dim.data(), dim.size(), correction, keepdim, &std, &mean));
  return {Tensor(std), Tensor(mean)};
}

/// Norm of matrices in the two dimensions dim (none: the last two). ord: absent (Frobenius), 1 and -1
/// (largest and smallest sum of a column's sizes), infinity and -infinity (of a row's), 2 and -2 (largest and
/// smallest singular value); nuclear_norm sums these.
inline Tensor matrix_norm(const Tensor& input, Scalar ord = Scalar(), const IntArray& dim = {},
                          bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_matrix_norm(input.get(), ord.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// input over its p-norm along dim (none: the second), which counts at least eps.
inline Tensor normalize(const Tensor& input, double p = 2, const IntArray& dim = {}, double eps = 1e-12) {
  haft_tensor* out = nullptr;
  check(haft_normalize(input.get(), p, dim.data(), dim.size(), eps, &out));
  return Tensor(out);
}

/// p-norm of x1 - x2 + eps over the last dimension.
inline Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-6,
                                bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_pairwise_distance(x1.get(), x2.get(), p, eps, keepdim, &out));
  return Tensor(out);
}

/// x1 . x2 / (|x1| |x2|) along dim; each norm counts at least eps.
inline Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-8) {
  haft_tensor* out = nullptr;
  check(haft_cosine_similarity(x1.get(), x2.get(), dim, eps, &out));
  return Tensor(out);
}

/// log(sum(exp(input))) over dim, shifted by the maximum.
inline Tensor logsumexp(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_logsumexp(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Running sum along dim; integers and bool in int64.
inline Tensor cumsum(const Tensor& input, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_cumsum(input.get(), dim, &out));
  return Tensor(out);
}

/// Running product along dim; integers and bool in int64.
inline Tensor cumprod(const Tensor& input, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_cumprod(input.get(), dim, &out));
  return Tensor(out);
}

/// Number of elements that are not 0 (int64).
inline Tensor count_nonzero(const Tensor& input, const IntArray& dim = {}) {
  haft_tensor* out = nullptr;
  check(haft_count_nonzero(input.get(), dim.data(), dim.size(), &out));
  return Tensor(out);
}

/// input summed over the dimensions that broadcasting from size had added.
inline Tensor sum_to_size(const Tensor& input, const IntArray& size) {
  haft_tensor* out = nullptr;
  check(haft_sum_to_size(input.get(), size.data(), size.size(), &out));
  return Tensor(out);
}

// ---- Statistics -------------------------------------------------------------------------------------------

/// Sum over dim in which NaN counts as 0.
inline Tensor nansum(const Tensor& input, const IntArray& dim = {}, bool keepdim = false,
                     haft_dtype dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_nansum(input.get(), dim.data(), dim.size(), keepdim, dtype, &out));
  return Tensor(out);
}

/// Mean over dim of the elements that are not NaN.
inline Tensor nanmean(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_nanmean(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Smallest and largest value along dim; absent: of all elements. Returns {min, max}.
inline std::tuple<Tensor, Tensor> aminmax(const Tensor& input, int64_t dim = HAFT_NONE,
                                          bool keepdim = false) {
  haft_tensor* min = nullptr;
  haft_tensor* max = nullptr;
  check(haft_aminmax(input.get(), dim, keepdim, &min, &max));
  return {Tensor(min), Tensor(max)};
}

/// input sorted along its first dimension.
inline Tensor msort(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_msort(input.get(), &out));
  return Tensor(out);
}

/// Differences of neighbours along dim, n times, after prepend and append have been joined to input.
inline Tensor diff(const Tensor& input, int64_t n = 1, int64_t dim = -1, const Tensor& prepend = Tensor(),
                   const Tensor& append = Tensor()) {
  haft_tensor* out = nullptr;
  check(haft_diff(input.get(), n, dim, prepend.get(), append.get(), &out));
  return Tensor(out);
}

/// The quantiles of the elements that are not NaN; NaN where there are none.
inline Tensor nanquantile(const Tensor& input, const Tensor& q, int64_t dim = HAFT_NONE, bool keepdim = false,
                          int64_t interpolation = 0) {
  haft_tensor* out = nullptr;
  check(haft_nanquantile(input.get(), q.get(), dim, keepdim, interpolation, &out));
  return Tensor(out);
}

/// The most frequent element along dim, the least of several, and the last place where it stands. Returns
/// {values, indices}.
inline std::tuple<Tensor, Tensor> mode(const Tensor& input, int64_t dim = -1, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_mode(input.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Covariances (D, D) of variables whose observations are the rows of input (D, N); a vector is one variable.
/// fweights (N) are whole numbers of repetitions, aweights (N) weights.
inline Tensor cov(const Tensor& input, int64_t correction = 1, const Tensor& fweights = Tensor(),
                  const Tensor& aweights = Tensor()) {
  haft_tensor* out = nullptr;
  check(haft_cov(input.get(), correction, fweights.get(), aweights.get(), &out));
  return Tensor(out);
}

/// Pearson's correlation coefficients (D, D) of the rows of input (D, N), between -1 and 1.
inline Tensor corrcoef(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_corrcoef(input.get(), &out));
  return Tensor(out);
}

/// The integral along dim by trapezoids, at the places x (a vector, or as y), or dx apart.
inline Tensor trapezoid(const Tensor& y, const Tensor& x = Tensor(), double dx = 1, int64_t dim = -1) {
  haft_tensor* out = nullptr;
  check(haft_trapezoid(y.get(), x.get(), dx, dim, &out));
  return Tensor(out);
}

/// The integrals up to each place but the first.
inline Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x = Tensor(), double dx = 1,
                                   int64_t dim = -1) {
  haft_tensor* out = nullptr;
  check(haft_cumulative_trapezoid(y.get(), x.get(), dx, dim, &out));
  return Tensor(out);
}

/// Slopes of what input samples, a tensor for each dimension of dim (none: all), by central differences, at
/// both ends of order edge_order 1 or 2. spacing: none (1), one for all or one each: a step (one number) or
/// the places of the elements (a vector).
inline std::vector<Tensor> gradient(const Tensor& input, const std::vector<Tensor>& spacing,
                                    const IntArray& dim = {}, int64_t edge_order = 1) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_gradient(input.get(), detail::Handles(spacing).data(), int64_t(spacing.size()), dim.data(),
                         dim.size(), edge_order, outs, capacity, count);
  });
}

/// The q-quantiles along dim, or of all elements; q is one number or a vector. Between two elements: 0
/// linear, 1 lower, 2 higher, 3 midpoint, 4 nearest. NaN wins.
inline Tensor quantile(const Tensor& input, const Tensor& q, int64_t dim = HAFT_NONE, bool keepdim = false,
                       int64_t interpolation = 0) {
  haft_tensor* out = nullptr;
  check(haft_quantile(input.get(), q.get(), dim, keepdim, interpolation, &out));
  return Tensor(out);
}

/// The different elements, or slices along dim, in order; which of them each is, and how often it comes.
/// Returns {values, inverse, counts}.
inline std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& input, int64_t dim = HAFT_NONE) {
  haft_tensor* values = nullptr;
  haft_tensor* inverse = nullptr;
  haft_tensor* counts = nullptr;
  check(haft_unique(input.get(), dim, &values, &inverse, &counts));
  return {Tensor(values), Tensor(inverse), Tensor(counts)};
}

/// input without elements, or slices along dim, that equal the one before; which of them each is, and how
/// often it comes. Returns {values, inverse, counts}.
inline std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& input, int64_t dim = HAFT_NONE) {
  haft_tensor* values = nullptr;
  haft_tensor* inverse = nullptr;
  haft_tensor* counts = nullptr;
  check(haft_unique_consecutive(input.get(), dim, &values, &inverse, &counts));
  return {Tensor(values), Tensor(inverse), Tensor(counts)};
}

// ---- Matmul -----------------------------------------------------------------------------------------------

/// Matrix product (M, K) x (K, N) -> (M, N).
inline Tensor mm(const Tensor& input, const Tensor& mat2) {
  haft_tensor* out = nullptr;
  check(haft_mm(input.get(), mat2.get(), &out));
  return Tensor(out);
}
inline void mm_out(const Tensor& input, const Tensor& mat2, const Tensor& out) {
  check(haft_mm_out(input.get(), mat2.get(), out.get()));
}

/// Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N).
inline Tensor bmm(const Tensor& input, const Tensor& mat2) {
  haft_tensor* out = nullptr;
  check(haft_bmm(input.get(), mat2.get(), &out));
  return Tensor(out);
}
inline void bmm_out(const Tensor& input, const Tensor& mat2, const Tensor& out) {
  check(haft_bmm_out(input.get(), mat2.get(), out.get()));
}

/// beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N).
inline Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
                    Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_addmm(input.get(), mat1.get(), mat2.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

/// input @ weight^T + bias: input (*, in), weight (out, in), bias (out) -> (*, out).
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor()) {
  haft_tensor* out = nullptr;
  check(haft_linear(input.get(), weight.get(), bias.get(), &out));
  return Tensor(out);
}

/// Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that
/// broadcast.
inline Tensor matmul(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_matmul(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Matrix-vector product (M, K) x (K) -> (M).
inline Tensor mv(const Tensor& input, const Tensor& vec) {
  haft_tensor* out = nullptr;
  check(haft_mv(input.get(), vec.get(), &out));
  return Tensor(out);
}

/// Sum of products of two vectors: (K) x (K) -> ().
inline Tensor dot(const Tensor& input, const Tensor& tensor) {
  haft_tensor* out = nullptr;
  check(haft_dot(input.get(), tensor.get(), &out));
  return Tensor(out);
}

/// (M) x (N) -> (M, N).
inline Tensor outer(const Tensor& input, const Tensor& vec2) {
  haft_tensor* out = nullptr;
  check(haft_outer(input.get(), vec2.get(), &out));
  return Tensor(out);
}

/// beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to (B, M,
/// N).
inline Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
                      Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_baddbmm(input.get(), batch1.get(), batch2.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

/// beta * input + alpha * the sum over the batch of bmm(batch1, batch2); input broadcasts to (M, N).
inline Tensor addbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
                     Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_addbmm(input.get(), batch1.get(), batch2.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

/// beta * input + alpha * (mat @ vec): mat (M, K), vec (K); input broadcasts to (M).
inline Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
                    Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_addmv(input.get(), mat.get(), vec.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

/// beta * input + alpha * outer(vec1, vec2): vec1 (M), vec2 (N); input broadcasts to (M, N).
inline Tensor addr(const Tensor& input, const Tensor& vec1, const Tensor& vec2, Scalar beta = 1,
                   Scalar alpha = 1) {
  haft_tensor* out = nullptr;
  check(haft_addr(input.get(), vec1.get(), vec2.get(), beta.get(), alpha.get(), &out));
  return Tensor(out);
}

/// Product of 8-bit floats (M, K) x (K, N), the sum kept in float32, times scale_a and scale_b: one float32
/// number each, or one a row of input, (M, 1), and a column of mat2, (1, N); then + bias (N). The result is
/// bfloat16 (out_dtype none), float16, float32 or an 8-bit float. Any strides; GPUs want rows of input and
/// columns of mat2 dense.
inline Tensor scaled_mm(const Tensor& input, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
                        const Tensor& bias = Tensor(), haft_dtype out_dtype = 0) {
  haft_tensor* out = nullptr;
  check(haft_scaled_mm(input.get(), mat2.get(), scale_a.get(), scale_b.get(), bias.get(), out_dtype, &out));
  return Tensor(out);
}

/// Vector products along dim, of size 3; absent: the first of that size. Other dimensions broadcast.
inline Tensor cross(const Tensor& input, const Tensor& other, int64_t dim = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_cross(input.get(), other.get(), dim, &out));
  return Tensor(out);
}

// ---- Contraction ------------------------------------------------------------------------------------------

/// Einstein's sums: ij,jk->ik names each dimension of each operand by a letter, and those of the result
/// behind the arrow; equal letters are one index, and those that the result lacks are summed. ... stands for
/// the dimensions without a letter, which broadcast. Without an arrow the result has them, then the letters
/// that come once, in their order.
inline Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands) {
  haft_tensor* out = nullptr;
  check(haft_einsum(equation.c_str(), detail::Handles(operands).data(), int64_t(operands.size()), &out));
  return Tensor(out);
}

/// Sums of products over dimensions of input and of other.
inline Tensor tensordot(const Tensor& input, const Tensor& other, const IntArray& dims_self,
                        const IntArray& dims_other) {
  haft_tensor* out = nullptr;
  check(haft_tensordot(input.get(), other.get(), dims_self.data(), dims_self.size(), dims_other.data(),
                       dims_other.size(), &out));
  return Tensor(out);
}

/// Sums of products along the last dimensions.
inline Tensor inner(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_inner(input.get(), other.get(), &out));
  return Tensor(out);
}

/// The product of several matrices, in the order that takes the fewest multiplications; the first and the
/// last may be vectors.
inline Tensor chain_matmul(const std::vector<Tensor>& matrices) {
  haft_tensor* out = nullptr;
  check(haft_chain_matmul(detail::Handles(matrices).data(), int64_t(matrices.size()), &out));
  return Tensor(out);
}

/// Square matrices (*, N, N) to the power n; below 0 their inverses to the power -n.
inline Tensor matrix_power(const Tensor& input, int64_t n) {
  haft_tensor* out = nullptr;
  check(haft_matrix_power(input.get(), n, &out));
  return Tensor(out);
}

/// Sums of products along dim.
inline Tensor vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1) {
  haft_tensor* out = nullptr;
  check(haft_vecdot(x.get(), y.get(), dim, &out));
  return Tensor(out);
}

/// The Kronecker product: every element of input times other.
inline Tensor kron(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_kron(input.get(), other.get(), &out));
  return Tensor(out);
}

/// p-norm of input - other.
inline Tensor dist(const Tensor& input, const Tensor& other, double p = 2) {
  haft_tensor* out = nullptr;
  check(haft_dist(input.get(), other.get(), p, &out));
  return Tensor(out);
}

/// p-norms of the differences of all pairs of rows of (N, M), (N (N - 1) / 2): 0 and 1, 0 and 2, ...
inline Tensor pdist(const Tensor& input, double p = 2) {
  haft_tensor* out = nullptr;
  check(haft_pdist(input.get(), p, &out));
  return Tensor(out);
}

/// p-norms of the differences of all rows: (*, P, M) and (*, R, M) -> (*, P, R).
inline Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2) {
  haft_tensor* out = nullptr;
  check(haft_cdist(x1.get(), x2.get(), p, &out));
  return Tensor(out);
}

/// Slices along dim scaled to a p-norm of at most maxnorm.
inline Tensor renorm(const Tensor& input, double p, int64_t dim, double maxnorm) {
  haft_tensor* out = nullptr;
  check(haft_renorm(input.get(), p, dim, maxnorm, &out));
  return Tensor(out);
}

// ---- Linalg (float32 and float64; any leading dimensions are a batch; LAPACK's factors) -------------------

/// X of A X = B, or of X A = B without left: A (*, N, N), of which the upper or the lower triangle is read, B
/// (*, N, K) or (*, K, N); leading dimensions broadcast. unitriangular: the diagonal counts as 1. A zero on
/// the diagonal gives infinities or NaN.
inline Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left = true,
                                      bool unitriangular = false) {
  haft_tensor* out = nullptr;
  check(haft_linalg_solve_triangular(A.get(), B.get(), upper, left, unitriangular, &out));
  return Tensor(out);
}

/// L with A = L L^T of positive definite matrices (*, N, N), or L^T with upper; one triangle is read, the
/// lower one unless upper. A matrix that is not positive definite is an error that names it.
inline Tensor linalg_cholesky(const Tensor& A, bool upper = false) {
  haft_tensor* out = nullptr;
  check(haft_linalg_cholesky(A.get(), upper, &out));
  return Tensor(out);
}

/// linalg_cholesky without the error: info, int32 (*), is 0, or the order of the first leading minor that is
/// not positive definite; L has no meaning there. Returns {L, info}.
inline std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, bool upper = false,
                                                     bool check_errors = false) {
  haft_tensor* L = nullptr;
  haft_tensor* info = nullptr;
  check(haft_linalg_cholesky_ex(A.get(), upper, check_errors, &L, &info));
  return {Tensor(L), Tensor(info)};
}

/// X of A X = input (*, N, K), where L (*, N, N) is the factor of A: A = L L^T, or L^T L with upper.
inline Tensor cholesky_solve(const Tensor& input, const Tensor& L, bool upper = false) {
  haft_tensor* out = nullptr;
  check(haft_cholesky_solve(input.get(), L.get(), upper, &out));
  return Tensor(out);
}

/// The inverse of A whose factor input (*, N, N) is: A = L L^T, or L^T L with upper. A factor with a zero on
/// its diagonal is refused.
inline Tensor cholesky_inverse(const Tensor& input, bool upper = false) {
  haft_tensor* out = nullptr;
  check(haft_cholesky_inverse(input.get(), upper, &out));
  return Tensor(out);
}

/// Factors of matrices (*, M, N) with exchanged rows: LU (*, M, N) has U in its upper triangle and L, whose
/// diagonal is 1, below; row i was exchanged with row pivots[i] - 1, int32 (*, min(M, N)), in the order of i.
/// A pivot of 0 is an error that names the matrix. Returns {LU, pivots}.
inline std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A) {
  haft_tensor* LU = nullptr;
  haft_tensor* pivots = nullptr;
  check(haft_linalg_lu_factor(A.get(), &LU, &pivots));
  return {Tensor(LU), Tensor(pivots)};
}

/// linalg_lu_factor without the error: info, int32 (*), is 0 or the number of the first pivot that is 0, from
/// 1 on. Returns {LU, pivots, info}.
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool check_errors = false) {
  haft_tensor* LU = nullptr;
  haft_tensor* pivots = nullptr;
  haft_tensor* info = nullptr;
  check(haft_linalg_lu_factor_ex(A.get(), check_errors, &LU, &pivots, &info));
  return {Tensor(LU), Tensor(pivots), Tensor(info)};
}

/// P L U of what linalg_lu_factor answers: (*, M, M), (*, M, K) and (*, K, N) with K = min(M, N). What is not
/// unpacked is empty. Returns {P, L, U}.
inline std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                                    bool unpack_data = true, bool unpack_pivots = true) {
  haft_tensor* P = nullptr;
  haft_tensor* L = nullptr;
  haft_tensor* U = nullptr;
  check(haft_lu_unpack(LU_data.get(), LU_pivots.get(), unpack_data, unpack_pivots, &P, &L, &U));
  return {Tensor(P), Tensor(L), Tensor(U)};
}

/// A = P L U of matrices (*, M, N): P (*, M, M) a permutation, L (*, M, K) lower with a diagonal of 1, U (*,
/// K, N) upper, K = min(M, N). Returns {P, L, U}.
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A) {
  haft_tensor* P = nullptr;
  haft_tensor* L = nullptr;
  haft_tensor* U = nullptr;
  check(haft_linalg_lu(A.get(), &P, &L, &U));
  return {Tensor(P), Tensor(L), Tensor(U)};
}

/// X of A X = B, A^T X = B with adjoint, or with A behind X without left, for A (*, N, N) that
/// linalg_lu_factor has factored.
inline Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left = true,
                              bool adjoint = false) {
  haft_tensor* out = nullptr;
  check(haft_linalg_lu_solve(LU.get(), pivots.get(), B.get(), left, adjoint, &out));
  return Tensor(out);
}

/// X of A X = B, or of X A = B without left: A (*, N, N); B (*, N, K) or (*, K, N), whose leading dimensions
/// broadcast, or vectors (*, N): of one dimension, or of A's leading ones. A singular matrix is an error that
/// names it.
inline Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left = true) {
  haft_tensor* out = nullptr;
  check(haft_linalg_solve(A.get(), B.get(), left, &out));
  return Tensor(out);
}

/// linalg_solve without the error: info, int32 (*), is 0 or the number of the first pivot that is 0, from 1
/// on. Returns {result, info}.
inline std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left = true,
                                                  bool check_errors = false) {
  haft_tensor* result = nullptr;
  haft_tensor* info = nullptr;
  check(haft_linalg_solve_ex(A.get(), B.get(), left, check_errors, &result, &info));
  return {Tensor(result), Tensor(info)};
}

/// Inverses of matrices (*, N, N). A singular one is an error that names it.
inline Tensor linalg_inv(const Tensor& A) {
  haft_tensor* out = nullptr;
  check(haft_linalg_inv(A.get(), &out));
  return Tensor(out);
}

/// linalg_inv without the error: info, int32 (*), is 0 or the number of the first pivot that is 0, from 1 on.
/// Returns {inverse, info}.
inline std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors = false) {
  haft_tensor* inverse = nullptr;
  haft_tensor* info = nullptr;
  check(haft_linalg_inv_ex(A.get(), check_errors, &inverse, &info));
  return {Tensor(inverse), Tensor(info)};
}

/// Determinants (*) of matrices (*, N, N); third derivatives want matrices that are not singular.
inline Tensor linalg_det(const Tensor& A) {
  haft_tensor* out = nullptr;
  check(haft_linalg_det(A.get(), &out));
  return Tensor(out);
}

/// Signs (-1, 0 or 1) of determinants and logarithms of their sizes, (*) of matrices (*, N, N). Returns
/// {sign, logabsdet}.
inline std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
  haft_tensor* sign = nullptr;
  haft_tensor* logabsdet = nullptr;
  check(haft_linalg_slogdet(A.get(), &sign, &logabsdet));
  return {Tensor(sign), Tensor(logabsdet)};
}

/// Logarithms of determinants of matrices (*, N, N): -infinity where they are 0, NaN below.
inline Tensor logdet(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_logdet(input.get(), &out));
  return Tensor(out);
}

/// A = Q R of matrices (*, M, N), Q with orthonormal columns, R upper. mode: 0 reduced, Q (*, M, K) and R (*,
/// K, N) with K = min(M, N); 1 complete, Q (*, M, M) and R (*, M, N); 2 R alone, reduced, and Q empty.
/// Derivatives want the first K columns independent; there are none for mode 2, nor for mode 1 where M > N.
/// Returns {Q, R}.
inline std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, int64_t mode = 0) {
  haft_tensor* Q = nullptr;
  haft_tensor* R = nullptr;
  check(haft_linalg_qr(A.get(), mode, &Q, &R));
  return {Tensor(Q), Tensor(R)};
}

/// The first N columns of the product of reflections I - tau[i] v v^T, where v is column i of input (*, M,
/// N), M >= N, with 1 on the diagonal and 0 above; tau (*, K), K <= N.
inline Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  haft_tensor* out = nullptr;
  check(haft_linalg_householder_product(input.get(), tau.get(), &out));
  return Tensor(out);
}

/// Eigenvalues (*, N), ascending, and orthonormal eigenvectors, the columns of (*, N, N), of symmetric
/// matrices (*, N, N), of which one triangle is read. Derivatives of the vectors want eigenvalues that
/// differ. Returns {eigenvalues, eigenvectors}.
inline std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, bool upper = false) {
  haft_tensor* eigenvalues = nullptr;
  haft_tensor* eigenvectors = nullptr;
  check(haft_linalg_eigh(A.get(), upper, &eigenvalues, &eigenvectors));
  return {Tensor(eigenvalues), Tensor(eigenvectors)};
}

/// Eigenvalues (*, N), ascending, of symmetric matrices (*, N, N), of which one triangle is read.
inline Tensor linalg_eigvalsh(const Tensor& A, bool upper = false) {
  haft_tensor* out = nullptr;
  check(haft_linalg_eigvalsh(A.get(), upper, &out));
  return Tensor(out);
}

/// Complex eigenvalues (*, N), in no order, and eigenvectors of length 1, the columns of (*, N, N), of real
/// square matrices (*, N, N): A V = V diag(L). Derivatives want eigenvalues that differ; those of the vectors
/// are for functions that do not depend on a vector's phase. Returns {eigenvalues, eigenvectors}.
inline std::tuple<Tensor, Tensor> linalg_eig(const Tensor& A) {
  haft_tensor* eigenvalues = nullptr;
  haft_tensor* eigenvectors = nullptr;
  check(haft_linalg_eig(A.get(), &eigenvalues, &eigenvectors));
  return {Tensor(eigenvalues), Tensor(eigenvectors)};
}

/// Complex eigenvalues (*, N), in no order, of real square matrices (*, N, N).
inline Tensor linalg_eigvals(const Tensor& A) {
  haft_tensor* out = nullptr;
  check(haft_linalg_eigvals(A.get(), &out));
  return Tensor(out);
}

/// A = U diag(S) Vh of matrices (*, M, N): S (*, K) descending, K = min(M, N); U (*, M, M) and Vh (*, N, N),
/// or (*, M, K) and (*, K, N) without full_matrices, orthonormal. Derivatives of the vectors, those beyond K
/// left out, want singular values that differ and, where M is not N, are not 0. Returns {U, S, Vh}.
inline std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices = true) {
  haft_tensor* U = nullptr;
  haft_tensor* S = nullptr;
  haft_tensor* Vh = nullptr;
  check(haft_linalg_svd(A.get(), full_matrices, &U, &S, &Vh));
  return {Tensor(U), Tensor(S), Tensor(Vh)};
}

/// Singular values (*, min(M, N)), descending, of matrices (*, M, N).
inline Tensor linalg_svdvals(const Tensor& A) {
  haft_tensor* out = nullptr;
  check(haft_linalg_svdvals(A.get(), &out));
  return Tensor(out);
}

/// Pseudo-inverses (*, N, M) of matrices (*, M, N) (Moore and Penrose). Singular values up to max(atol, rtol
/// * the largest) count as 0; atol is 0 and rtol, without atol, max(M, N) times the epsilon of the type.
/// hermitian: symmetric matrices, by eigenvalues.
inline Tensor linalg_pinv(const Tensor& A, Scalar atol = Scalar(), Scalar rtol = Scalar(),
                          bool hermitian = false) {
  haft_tensor* out = nullptr;
  check(haft_linalg_pinv(A.get(), atol.get(), rtol.get(), hermitian, &out));
  return Tensor(out);
}

/// How many singular values of matrices (*, M, N) are above max(atol, rtol * the largest), int64 (*), with
/// linalg_pinv's defaults.
inline Tensor linalg_matrix_rank(const Tensor& A, Scalar atol = Scalar(), Scalar rtol = Scalar(),
                                 bool hermitian = false) {
  haft_tensor* out = nullptr;
  check(haft_linalg_matrix_rank(A.get(), atol.get(), rtol.get(), hermitian, &out));
  return Tensor(out);
}

/// X of least |input X - B|, and of least |X| where there are several: input (*, M, N), B (*, M, K) or
/// vectors (*, M) as linalg_solve takes them. driver: 0 gelsy, 1 gels, which wants full rank, 2 gelsd, 3
/// gelss; all but gels go by singular values, of which those up to rcond times the largest (none: max(M, N)
/// times the epsilon of the type) count as 0. residuals (*, K) are the squared distances where M > N, the
/// rank is full and driver is not gelsy, else empty; rank int64 (*), empty for gels; singular_values for 2
/// and 3, else empty. Returns {solution, residuals, rank, singular_values}.
inline std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(
    const Tensor& input, const Tensor& B, Scalar rcond = Scalar(), int64_t driver = 0) {
  haft_tensor* solution = nullptr;
  haft_tensor* residuals = nullptr;
  haft_tensor* rank = nullptr;
  haft_tensor* singular_values = nullptr;
  check(haft_linalg_lstsq(input.get(), B.get(), rcond.get(), driver, &solution, &residuals, &rank,
                          &singular_values));
  return {Tensor(solution), Tensor(residuals), Tensor(rank), Tensor(singular_values)};
}

/// Condition numbers (*) of matrices by a norm: absent or 2, largest over smallest singular value of (*, M,
/// N), -2 the reverse; 1, -1, infinity and -infinity by the norms of square matrices and their inverses,
/// infinity for singular ones.
inline Tensor linalg_cond(const Tensor& A, Scalar p = Scalar()) {
  haft_tensor* out = nullptr;
  check(haft_linalg_cond(A.get(), p.get(), &out));
  return Tensor(out);
}

/// Sum of the singular values of matrices in the two dimensions dim (none: the last two).
inline Tensor nuclear_norm(const Tensor& input, const IntArray& dim = {}, bool keepdim = false) {
  haft_tensor* out = nullptr;
  check(haft_nuclear_norm(input.get(), dim.data(), dim.size(), keepdim, &out));
  return Tensor(out);
}

/// Exponentials of matrices (*, N, N): the sum of A^k / k!, by Taylor's polynomial and squaring (Higham,
/// Functions of Matrices, chapter 10).
inline Tensor matrix_exp(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_matrix_exp(input.get(), &out));
  return Tensor(out);
}

/// X of tensordot(A, X, X.ndim) = B; the dimensions dims of A are moved to its end first.
inline Tensor linalg_tensorsolve(const Tensor& A, const Tensor& B, const IntArray& dims = {}) {
  haft_tensor* out = nullptr;
  check(haft_linalg_tensorsolve(A.get(), B.get(), dims.data(), dims.size(), &out));
  return Tensor(out);
}

/// The inverse of tensordot(A, ., ind), where the sizes of the first ind dimensions have the product of the
/// others.
inline Tensor linalg_tensorinv(const Tensor& A, int64_t ind = 2) {
  haft_tensor* out = nullptr;
  check(haft_linalg_tensorinv(A.get(), ind, &out));
  return Tensor(out);
}

/// Vandermonde's matrices (*, n, N) of (*, n): the powers 0 to N - 1 (none: n) of each element.
inline Tensor linalg_vander(const Tensor& x, int64_t N = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_linalg_vander(x.get(), N, &out));
  return Tensor(out);
}

// ---- Index ------------------------------------------------------------------------------------------------

/// Slices of input along dim at the 1-d index.
inline Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index) {
  haft_tensor* out = nullptr;
  check(haft_index_select(input.get(), dim, index.get(), &out));
  return Tensor(out);
}

/// out[i][j] = input[index[i][j]][j] for dim 0, and so on; index has input's rank.
inline Tensor gather(const Tensor& input, int64_t dim, const Tensor& index) {
  haft_tensor* out = nullptr;
  check(haft_gather(input.get(), dim, index.get(), &out));
  return Tensor(out);
}

/// A copy of input with src written where index points along dim; for repeated indices one of the writes
/// wins.
inline Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_scatter(input.get(), dim, index.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& scatter_(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  check(haft_scatter_(input.get(), dim, index.get(), src.get()));
  return input;
}

/// A copy of input with src added where index points along dim.
inline Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  haft_tensor* out = nullptr;
  check(haft_scatter_add(input.get(), dim, index.get(), src.get(), &out));
  return Tensor(out);
}
inline const Tensor& scatter_add_(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  check(haft_scatter_add_(input.get(), dim, index.get(), src.get()));
  return input;
}

/// A copy of input with the slices of source added at the 1-d index along dim.
inline Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  haft_tensor* out = nullptr;
  check(haft_index_add(input.get(), dim, index.get(), source.get(), &out));
  return Tensor(out);
}
inline const Tensor& index_add_(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  check(haft_index_add_(input.get(), dim, index.get(), source.get()));
  return input;
}

/// NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.
inline Tensor index(const Tensor& input, const std::vector<Tensor>& indices) {
  haft_tensor* out = nullptr;
  check(haft_index(input.get(), detail::Handles(indices).data(), int64_t(indices.size()), &out));
  return Tensor(out);
}

/// A copy of input with values written (or added) where advanced indexing points.
inline Tensor index_put(const Tensor& input, const std::vector<Tensor>& indices, const Tensor& values,
                        bool accumulate = false) {
  haft_tensor* out = nullptr;
  check(haft_index_put(input.get(), detail::Handles(indices).data(), int64_t(indices.size()), values.get(),
                       accumulate, &out));
  return Tensor(out);
}
inline const Tensor& index_put_(const Tensor& input, const std::vector<Tensor>& indices, const Tensor& values,
                                bool accumulate = false) {
  check(haft_index_put_(input.get(), detail::Handles(indices).data(), int64_t(indices.size()), values.get(),
                        accumulate));
  return input;
}

/// The elements where mask is true, as a vector.
inline Tensor masked_select(const Tensor& input, const Tensor& mask) {
  haft_tensor* out = nullptr;
  check(haft_masked_select(input.get(), mask.get(), &out));
  return Tensor(out);
}

/// Indices of the elements that are not 0: (count, ndim), int64.
inline Tensor nonzero(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_nonzero(input.get(), &out));
  return Tensor(out);
}

/// Elements of the flattened tensor at index, in its shape.
inline Tensor take(const Tensor& input, const Tensor& index) {
  haft_tensor* out = nullptr;
  check(haft_take(input.get(), index.get(), &out));
  return Tensor(out);
}

/// Elements of input along dim at indices, both broadcast in the other dimensions; absent: of the flattened
/// tensor.
inline Tensor take_along_dim(const Tensor& input, const Tensor& indices, int64_t dim = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_take_along_dim(input.get(), indices.get(), dim, &out));
  return Tensor(out);
}

/// A copy of input with value in the slices at the 1-d index along dim; negative indices count from the end.
inline Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, Scalar value) {
  haft_tensor* out = nullptr;
  check(haft_index_fill(input.get(), dim, index.get(), value.get(), &out));
  return Tensor(out);
}

/// A copy of input with source written, or added, at index into all elements in row-major order.
inline Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate = false) {
  haft_tensor* out = nullptr;
  check(haft_put(input.get(), index.get(), source.get(), accumulate, &out));
  return Tensor(out);
}

/// A copy of input with src in the place of select(input, dim, index).
inline Tensor select_scatter(const Tensor& input, const Tensor& src, int64_t dim, int64_t index) {
  haft_tensor* out = nullptr;
  check(haft_select_scatter(input.get(), src.get(), dim, index, &out));
  return Tensor(out);
}

/// A copy of input with src in the place of slice(input, dim, start, end, step).
inline Tensor slice_scatter(const Tensor& input, const Tensor& src, int64_t dim = 0,
                            int64_t start = HAFT_NONE, int64_t end = HAFT_NONE, int64_t step = 1) {
  haft_tensor* out = nullptr;
  check(haft_slice_scatter(input.get(), src.get(), dim, start, end, step, &out));
  return Tensor(out);
}

/// A copy of input with src in the place of diagonal(input, offset, dim1, dim2).
inline Tensor diagonal_scatter(const Tensor& input, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                               int64_t dim2 = 1) {
  haft_tensor* out = nullptr;
  check(haft_diagonal_scatter(input.get(), src.get(), offset, dim1, dim2, &out));
  return Tensor(out);
}

/// A copy of input with the slices of source written at the 1-d index along dim.
inline Tensor index_copy(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  haft_tensor* out = nullptr;
  check(haft_index_copy(input.get(), dim, index.get(), source.get(), &out));
  return Tensor(out);
}

/// A copy of input with consecutive elements of source where mask is true.
inline Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source) {
  haft_tensor* out = nullptr;
  check(haft_masked_scatter(input.get(), mask.get(), source.get(), &out));
  return Tensor(out);
}

/// int64 tensor with 1 at each index that input holds, along a new last dimension; num_classes < 0: the
/// largest index and 1.
inline Tensor one_hot(const Tensor& input, int64_t num_classes = -1) {
  haft_tensor* out = nullptr;
  check(haft_one_hot(input.get(), num_classes, &out));
  return Tensor(out);
}

/// Stable sort along dim; NaN counts as largest. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> sort(const Tensor& input, int64_t dim = -1, bool descending = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_sort(input.get(), dim, descending, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Indices that sort input along dim.
inline Tensor argsort(const Tensor& input, int64_t dim = -1, bool descending = false) {
  haft_tensor* out = nullptr;
  check(haft_argsort(input.get(), dim, descending, &out));
  return Tensor(out);
}

/// The k largest (or smallest) elements along dim, sorted. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> topk(const Tensor& input, int64_t k, int64_t dim = -1,
                                       bool largest = true) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_topk(input.get(), k, dim, largest, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest. Returns
/// {values, indices}.
inline std::tuple<Tensor, Tensor> kthvalue(const Tensor& input, int64_t k, int64_t dim = -1,
                                           bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_kthvalue(input.get(), k, dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared
/// equally at ties.
inline Tensor median(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_median(input.get(), &out));
  return Tensor(out);
}

/// Median of the elements that are not NaN.
inline Tensor nanmedian(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_nanmedian(input.get(), &out));
  return Tensor(out);
}

/// Middle element along dim, the lower of two, and where it stands; NaN if any is. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> median_dim(const Tensor& input, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_median_dim(input.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Middle along dim of the elements that are not NaN, and where it stands. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> nanmedian_dim(const Tensor& input, int64_t dim, bool keepdim = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_nanmedian_dim(input.get(), dim, keepdim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Where each element of input keeps the last dimension of sorted_sequence in order (int64): before equal
/// elements, or after them with right. sorted_sequence has one dimension, or the leading ones of input.
inline Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input, bool right = false) {
  haft_tensor* out = nullptr;
  check(haft_searchsorted(sorted_sequence.get(), input.get(), right, &out));
  return Tensor(out);
}

/// searchsorted of input in the vector boundaries.
inline Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool right = false) {
  haft_tensor* out = nullptr;
  check(haft_bucketize(input.get(), boundaries.get(), right, &out));
  return Tensor(out);
}

/// searchsorted in what sorter, indices as argsort gives them, puts in order along the last dimension.
inline Tensor searchsorted_by(const Tensor& sorted_sequence, const Tensor& input, const Tensor& sorter,
                              bool right = false) {
  haft_tensor* out = nullptr;
  check(haft_searchsorted_by(sorted_sequence.get(), input.get(), sorter.get(), right, &out));
  return Tensor(out);
}

/// True where an element of elements is among those of test, or is not with invert. NaN is not.
inline Tensor isin(const Tensor& elements, const Tensor& test_elements, bool invert = false) {
  haft_tensor* out = nullptr;
  check(haft_isin(elements.get(), test_elements.get(), invert, &out));
  return Tensor(out);
}

/// How often each of 0, 1, ... stands in the integer vector input, or the sum of its weights; at least
/// minlength counts.
inline Tensor bincount(const Tensor& input, const Tensor& weights = Tensor(), int64_t minlength = 0) {
  haft_tensor* out = nullptr;
  check(haft_bincount(input.get(), weights.get(), minlength, &out));
  return Tensor(out);
}

/// Counts in bins of equal width from min to max, both included; equal limits mean those of the data.
inline Tensor histc(const Tensor& input, int64_t bins = 100, double min = 0, double max = 0) {
  haft_tensor* out = nullptr;
  check(haft_histc(input.get(), bins, min, max, &out));
  return Tensor(out);
}

/// Counts, or sums of weight, in the bins between edges, or in bins of equal width from min to max (equal:
/// those of the data): half open, the last one closed. With density they integrate to 1. Returns {hist,
/// bin_edges}.
inline std::tuple<Tensor, Tensor> histogram(const Tensor& input, const Tensor& edges = Tensor(),
                                            const Tensor& weight = Tensor(), int64_t bins = 100,
                                            double min = 0, double max = 0, bool density = false) {
  haft_tensor* hist = nullptr;
  haft_tensor* bin_edges = nullptr;
  check(haft_histogram(input.get(), edges.get(), weight.get(), bins, min, max, density, &hist, &bin_edges));
  return {Tensor(hist), Tensor(bin_edges)};
}

/// Counts of the points input (*, D), or sums of weight (*), in boxes of D dimensions, then the edges of each
/// dimension. edges are vectors, or none: so many bins of equal width in each dimension as bins says (one
/// number stands for all), from range[d, 0] to range[d, 1], a tensor (D, 2) (absent: those of the data). With
/// density over the sum and the boxes' volumes.
inline std::vector<Tensor> histogramdd(const Tensor& input, const std::vector<Tensor>& edges,
                                       const Tensor& weight = Tensor(), const Tensor& range = Tensor(),
                                       const IntArray& bins = {}, bool density = false) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_histogramdd(input.get(), detail::Handles(edges).data(), int64_t(edges.size()), weight.get(),
                            range.get(), bins.data(), bins.size(), density, outs, capacity, count);
  });
}

/// Rows of weight (V, D) at indices (*) -> (*, D); row padding_idx gets no gradient. With sparse a weight
/// that is a leaf gets a gradient of rows, unless that gradient is recorded or captured. With
/// scale_grad_by_freq a row's gradient is divided by how often indices name it.
inline Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1,
                        bool sparse = false, bool scale_grad_by_freq = false) {
  haft_tensor* out = nullptr;
  check(haft_embedding(weight.get(), indices.get(), padding_idx, sparse, scale_grad_by_freq, &out));
  return Tensor(out);
}

/// Sums (mode 0), means (1) or maxima (2) of the rows of weight at each bag of indices: input (B, N), or (N)
/// with where each of the bags begins (B): offsets are int64 or int32, begin with 0, do not fall and are at
/// most N; with include_last_offset the last one is the end. Row padding_idx does not count. sparse and
/// scale_grad_by_freq, not for maxima, are those of embedding.
inline Tensor embedding_bag(const Tensor& weight, const Tensor& input, const Tensor& offsets = Tensor(),
                            const Tensor& per_sample_weights = Tensor(), int64_t mode = 1,
                            bool include_last_offset = false, int64_t padding_idx = -1, bool sparse = false,
                            bool scale_grad_by_freq = false) {
  haft_tensor* out = nullptr;
  check(haft_embedding_bag(weight.get(), input.get(), offsets.get(), per_sample_weights.get(), mode,
                           include_last_offset, padding_idx, sparse, scale_grad_by_freq, &out));
  return Tensor(out);
}

/// Rows of weight (V, D) at indices (*) that are longer than max_norm by their p-norm, p = norm_type, are
/// scaled to it in weight itself, unrecorded. Answers weight.
inline Tensor embedding_renorm(const Tensor& weight, const Tensor& indices, double max_norm,
                               double norm_type = 2) {
  haft_tensor* out = nullptr;
  check(haft_embedding_renorm(weight.get(), indices.get(), max_norm, norm_type, &out));
  return Tensor(out);
}

// ---- Scan -------------------------------------------------------------------------------------------------

/// Largest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> cummax(const Tensor& input, int64_t dim) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_cummax(input.get(), dim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> cummin(const Tensor& input, int64_t dim) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_cummin(input.get(), dim, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// log(cumsum(exp(input))) along dim, without overflow; floats only.
inline Tensor logcumsumexp(const Tensor& input, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_logcumsumexp(input.get(), dim, &out));
  return Tensor(out);
}

// ---- Scatter_reduce (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) ------------------------

/// A copy of input in which the elements that index points to along dim are reduced with those of src;
/// without include_self, of src alone. Means of integers are rounded down.
inline Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                             int64_t reduce, bool include_self = true) {
  haft_tensor* out = nullptr;
  check(haft_scatter_reduce(input.get(), dim, index.get(), src.get(), reduce, include_self, &out));
  return Tensor(out);
}

/// scatter_reduce of whole slices of source at the 1-d index along dim.
inline Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source,
                           int64_t reduce, bool include_self = true) {
  haft_tensor* out = nullptr;
  check(haft_index_reduce(input.get(), dim, index.get(), source.get(), reduce, include_self, &out));
  return Tensor(out);
}

/// Reductions of consecutive slices of data along its first dimension, of which lengths (a vector) tells how
/// many there are in each segment; initial takes part in each. A segment of none is 0, 1, NaN, -infinity or
/// infinity.
inline Tensor segment_reduce(const Tensor& data, const Tensor& lengths, int64_t reduce,
                             Scalar initial = Scalar()) {
  haft_tensor* out = nullptr;
  check(haft_segment_reduce(data.get(), lengths.get(), reduce, initial.get(), &out));
  return Tensor(out);
}

// ---- Conv -------------------------------------------------------------------------------------------------

/// Cross-correlation: input (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W').
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, const IntArray& stride,
                     const IntArray& padding, const IntArray& dilation, int64_t groups = 1) {
  haft_tensor* out = nullptr;
  check(haft_conv2d(input.get(), weight.get(), bias.get(), stride.data(), stride.size(), padding.data(),
                    padding.size(), dilation.data(), dilation.size(), groups, &out));
  return Tensor(out);
}

/// Maximum of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding
/// counts as -infinity.
inline Tensor max_pool2d(const Tensor& input, const IntArray& kernel_size, const IntArray& stride,
                         const IntArray& padding, const IntArray& dilation, bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_max_pool2d(input.get(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(),
                        padding.data(), padding.size(), dilation.data(), dilation.size(), ceil_mode, &out));
  return Tensor(out);
}

/// Mean of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size.
inline Tensor avg_pool2d(const Tensor& input, const IntArray& kernel_size, const IntArray& stride,
                         const IntArray& padding, bool ceil_mode = false, bool count_include_pad = true,
                         int64_t divisor_override = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_avg_pool2d(input.get(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(),
                        padding.data(), padding.size(), ceil_mode, count_include_pad, divisor_override,
                        &out));
  return Tensor(out);
}

/// Mean over a grid of output_size windows of input (N, C, H, W) or (C, H, W).
inline Tensor adaptive_avg_pool2d(const Tensor& input, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_avg_pool2d(input.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

// ---- Pool_nd (one number stands for all dimensions; an empty stride means the kernel size) ----------------

/// Maximum of each window of input (N, C, L) or (C, L). Padding counts as -infinity.
inline Tensor max_pool1d(const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
                         const IntArray& padding = {}, const IntArray& dilation = {},
                         bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_max_pool1d(input.get(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(),
                        padding.data(), padding.size(), dilation.data(), dilation.size(), ceil_mode, &out));
  return Tensor(out);
}

/// Maximum of each window of input (N, C, D, H, W) or (C, D, H, W). Padding counts as -infinity.
inline Tensor max_pool3d(const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
                         const IntArray& padding = {}, const IntArray& dilation = {},
                         bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_max_pool3d(input.get(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(),
                        padding.data(), padding.size(), dilation.data(), dilation.size(), ceil_mode, &out));
  return Tensor(out);
}

/// max_pool1d, and where each maximum stands among the elements of its channel (int64). Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
    const IntArray& padding = {}, const IntArray& dilation = {}, bool ceil_mode = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_max_pool1d_with_indices(input.get(), kernel_size.data(), kernel_size.size(), stride.data(),
                                     stride.size(), padding.data(), padding.size(), dilation.data(),
                                     dilation.size(), ceil_mode, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// max_pool2d, and where each maximum stands among the elements of its channel (int64). Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
    const IntArray& padding = {}, const IntArray& dilation = {}, bool ceil_mode = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_max_pool2d_with_indices(input.get(), kernel_size.data(), kernel_size.size(), stride.data(),
                                     stride.size(), padding.data(), padding.size(), dilation.data(),
                                     dilation.size(), ceil_mode, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// max_pool3d, and where each maximum stands among the elements of its channel (int64). Returns {values,
/// indices}.
inline std::tuple<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
    const IntArray& padding = {}, const IntArray& dilation = {}, bool ceil_mode = false) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_max_pool3d_with_indices(input.get(), kernel_size.data(), kernel_size.size(), stride.data(),
                                     stride.size(), padding.data(), padding.size(), dilation.data(),
                                     dilation.size(), ceil_mode, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Maximum of output_size windows of input (N, C, H, W) or without N, which begin at random distances
/// (Graham, arXiv:1412.6071), and where it stands among the elements of its channel (int64). random_samples
/// (N, C, 2) from [0, 1): of width and height. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> fractional_max_pool2d(
    const Tensor& input, const Tensor& random_samples, const IntArray& kernel_size,
    const IntArray& output_size) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_fractional_max_pool2d(input.get(), random_samples.get(), kernel_size.data(), kernel_size.size(),
                                   output_size.data(), output_size.size(), &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Maximum of output_size windows of input (N, C, D, H, W) or without N, which begin at random distances
/// (Graham, arXiv:1412.6071), and where it stands among the elements of its channel (int64). random_samples
/// (N, C, 3) from [0, 1): of depth, height and width. Returns {values, indices}.
inline std::tuple<Tensor, Tensor> fractional_max_pool3d(
    const Tensor& input, const Tensor& random_samples, const IntArray& kernel_size,
    const IntArray& output_size) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_fractional_max_pool3d(input.get(), random_samples.get(), kernel_size.data(), kernel_size.size(),
                                   output_size.data(), output_size.size(), &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Mean of each window of input (N, C, L) or (C, L).
inline Tensor avg_pool1d(const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
                         const IntArray& padding = {}, bool ceil_mode = false,
                         bool count_include_pad = true) {
  haft_tensor* out = nullptr;
  check(haft_avg_pool1d(input.get(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(),
                        padding.data(), padding.size(), ceil_mode, count_include_pad, &out));
  return Tensor(out);
}

/// Mean of each window of input (N, C, D, H, W) or (C, D, H, W); divisor_override divides sums in place of
/// the window's size.
inline Tensor avg_pool3d(const Tensor& input, const IntArray& kernel_size, const IntArray& stride = {},
                         const IntArray& padding = {}, bool ceil_mode = false, bool count_include_pad = true,
                         int64_t divisor_override = HAFT_NONE) {
  haft_tensor* out = nullptr;
  check(haft_avg_pool3d(input.get(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(),
                        padding.data(), padding.size(), ceil_mode, count_include_pad, divisor_override,
                        &out));
  return Tensor(out);
}

/// (sum of input^norm_type)^(1 / norm_type) over each window of (N, C, L) or (C, L).
inline Tensor lp_pool1d(const Tensor& input, double norm_type, const IntArray& kernel_size,
                        const IntArray& stride = {}, bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_lp_pool1d(input.get(), norm_type, kernel_size.data(), kernel_size.size(), stride.data(),
                       stride.size(), ceil_mode, &out));
  return Tensor(out);
}

/// (sum of input^norm_type)^(1 / norm_type) over each window of (N, C, H, W) or (C, H, W).
inline Tensor lp_pool2d(const Tensor& input, double norm_type, const IntArray& kernel_size,
                        const IntArray& stride = {}, bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_lp_pool2d(input.get(), norm_type, kernel_size.data(), kernel_size.size(), stride.data(),
                       stride.size(), ceil_mode, &out));
  return Tensor(out);
}

/// (sum of input^norm_type)^(1 / norm_type) over each window of (N, C, D, H, W) or (C, D, H, W).
inline Tensor lp_pool3d(const Tensor& input, double norm_type, const IntArray& kernel_size,
                        const IntArray& stride = {}, bool ceil_mode = false) {
  haft_tensor* out = nullptr;
  check(haft_lp_pool3d(input.get(), norm_type, kernel_size.data(), kernel_size.size(), stride.data(),
                       stride.size(), ceil_mode, &out));
  return Tensor(out);
}

/// Mean over a grid of output_size windows of input (N, C, L) or (C, L); an absent number keeps the input's
/// size.
inline Tensor adaptive_avg_pool1d(const Tensor& input, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_avg_pool1d(input.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

/// Mean over a grid of output_size windows of input (N, C, D, H, W) or (C, D, H, W); an absent number keeps
/// the input's size.
inline Tensor adaptive_avg_pool3d(const Tensor& input, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_avg_pool3d(input.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

/// Maximum over a grid of output_size windows of input (N, C, L) or (C, L); an absent number keeps the
/// input's size.
inline Tensor adaptive_max_pool1d(const Tensor& input, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_max_pool1d(input.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

/// Maximum over a grid of output_size windows of input (N, C, H, W) or (C, H, W); an absent number keeps the
/// input's size.
inline Tensor adaptive_max_pool2d(const Tensor& input, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_max_pool2d(input.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

/// Maximum over a grid of output_size windows of input (N, C, D, H, W) or (C, D, H, W); an absent number
/// keeps the input's size.
inline Tensor adaptive_max_pool3d(const Tensor& input, const IntArray& output_size) {
  haft_tensor* out = nullptr;
  check(haft_adaptive_max_pool3d(input.get(), output_size.data(), output_size.size(), &out));
  return Tensor(out);
}

/// adaptive_max_pool1d, and where each maximum stands among the elements of its channel (int64). Returns
/// {values, indices}.
inline std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const IntArray& output_size) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_adaptive_max_pool1d_with_indices(input.get(), output_size.data(), output_size.size(), &values,
                                              &indices));
  return {Tensor(values), Tensor(indices)};
}

/// adaptive_max_pool2d, and where each maximum stands among the elements of its channel (int64). Returns
/// {values, indices}.
inline std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const IntArray& output_size) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_adaptive_max_pool2d_with_indices(input.get(), output_size.data(), output_size.size(), &values,
                                              &indices));
  return {Tensor(values), Tensor(indices)};
}

/// adaptive_max_pool3d, and where each maximum stands among the elements of its channel (int64). Returns
/// {values, indices}.
inline std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const IntArray& output_size) {
  haft_tensor* values = nullptr;
  haft_tensor* indices = nullptr;
  check(haft_adaptive_max_pool3d_with_indices(input.get(), output_size.data(), output_size.size(), &values,
                                              &indices));
  return {Tensor(values), Tensor(indices)};
}

/// Puts maxima back where max_pool1d_with_indices found them, 0 elsewhere; the last numbers of output_size
/// are the result's sizes.
inline Tensor max_unpool1d(const Tensor& input, const Tensor& indices, const IntArray& kernel_size,
                           const IntArray& stride = {}, const IntArray& padding = {},
                           const IntArray& output_size = {}) {
  haft_tensor* out = nullptr;
  check(haft_max_unpool1d(input.get(), indices.get(), kernel_size.data(), kernel_size.size(), stride.data(),
                          stride.size(), padding.data(), padding.size(), output_size.data(),
                          output_size.size(), &out));
  return Tensor(out);
}

/// Puts maxima back where max_pool2d_with_indices found them, 0 elsewhere; the last numbers of output_size
/// are the result's sizes.
inline Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const IntArray& kernel_size,
                           const IntArray& stride = {}, const IntArray& padding = {},
                           const IntArray& output_size = {}) {
  haft_tensor* out = nullptr;
  check(haft_max_unpool2d(input.get(), indices.get(), kernel_size.data(), kernel_size.size(), stride.data(),
                          stride.size(), padding.data(), padding.size(), output_size.data(),
                          output_size.size(), &out));
  return Tensor(out);
}

/// Puts maxima back where max_pool3d_with_indices found them, 0 elsewhere; the last numbers of output_size
/// are the result's sizes.
inline Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const IntArray& kernel_size,
                           const IntArray& stride = {}, const IntArray& padding = {},
                           const IntArray& output_size = {}) {
  haft_tensor* out = nullptr;
  check(haft_max_unpool3d(input.get(), indices.get(), kernel_size.data(), kernel_size.size(), stride.data(),
                          stride.size(), padding.data(), padding.size(), output_size.data(),
                          output_size.size(), &out));
  return Tensor(out);
}

// ---- Conv_nd (one number stands for all dimensions) -------------------------------------------------------

/// Cross-correlation of (N, C, L) or (C, L) with weight (O, C/groups, kL).
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor(),
                     const IntArray& stride = {}, const IntArray& padding = {}, const IntArray& dilation = {},
                     int64_t groups = 1) {
  haft_tensor* out = nullptr;
  check(haft_conv1d(input.get(), weight.get(), bias.get(), stride.data(), stride.size(), padding.data(),
                    padding.size(), dilation.data(), dilation.size(), groups, &out));
  return Tensor(out);
}

/// Cross-correlation of (N, C, D, H, W) or (C, D, H, W) with weight (O, C/groups, kD, kH, kW).
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor(),
                     const IntArray& stride = {}, const IntArray& padding = {}, const IntArray& dilation = {},
                     int64_t groups = 1) {
  haft_tensor* out = nullptr;
  check(haft_conv3d(input.get(), weight.get(), bias.get(), stride.data(), stride.size(), padding.data(),
                    padding.size(), dilation.data(), dilation.size(), groups, &out));
  return Tensor(out);
}

/// The transpose of conv1d: weight (C, O/groups, kL); output_padding adds elements at the end.
inline Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor(),
                               const IntArray& stride = {}, const IntArray& padding = {},
                               const IntArray& output_padding = {}, int64_t groups = 1,
                               const IntArray& dilation = {}) {
  haft_tensor* out = nullptr;
  check(haft_conv_transpose1d(input.get(), weight.get(), bias.get(), stride.data(), stride.size(),
                              padding.data(), padding.size(), output_padding.data(), output_padding.size(),
                              groups, dilation.data(), dilation.size(), &out));
  return Tensor(out);
}

/// The transpose of conv2d: weight (C, O/groups, kH, kW); output_padding adds elements at the end.
inline Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor(),
                               const IntArray& stride = {}, const IntArray& padding = {},
                               const IntArray& output_padding = {}, int64_t groups = 1,
                               const IntArray& dilation = {}) {
  haft_tensor* out = nullptr;
  check(haft_conv_transpose2d(input.get(), weight.get(), bias.get(), stride.data(), stride.size(),
                              padding.data(), padding.size(), output_padding.data(), output_padding.size(),
                              groups, dilation.data(), dilation.size(), &out));
  return Tensor(out);
}

/// The transpose of conv3d: weight (C, O/groups, kD, kH, kW); output_padding adds elements at the end.
inline Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor(),
                               const IntArray& stride = {}, const IntArray& padding = {},
                               const IntArray& output_padding = {}, int64_t groups = 1,
                               const IntArray& dilation = {}) {
  haft_tensor* out = nullptr;
  check(haft_conv_transpose3d(input.get(), weight.get(), bias.get(), stride.data(), stride.size(),
                              padding.data(), padding.size(), output_padding.data(), output_padding.size(),
                              groups, dilation.data(), dilation.size(), &out));
  return Tensor(out);
}

/// The windows of a convolution as columns: (N, C, H, W) -> (N, C kH kW, windows).
/// torch.nn.functional.unfold.
inline Tensor im2col(const Tensor& input, const IntArray& kernel_size, const IntArray& dilation = {},
                     const IntArray& padding = {}, const IntArray& stride = {}) {
  haft_tensor* out = nullptr;
  check(haft_im2col(input.get(), kernel_size.data(), kernel_size.size(), dilation.data(), dilation.size(),
                    padding.data(), padding.size(), stride.data(), stride.size(), &out));
  return Tensor(out);
}

/// Adds the columns of im2col up again: (N, C kH kW, windows) -> (N, C, H, W). torch.nn.functional.fold.
inline Tensor col2im(const Tensor& input, const IntArray& output_size, const IntArray& kernel_size,
                     const IntArray& dilation = {}, const IntArray& padding = {},
                     const IntArray& stride = {}) {
  haft_tensor* out = nullptr;
  check(haft_col2im(input.get(), output_size.data(), output_size.size(), kernel_size.data(),
                    kernel_size.size(), dilation.data(), dilation.size(), padding.data(), padding.size(),
                    stride.data(), stride.size(), &out));
  return Tensor(out);
}

/// input1 @ weight[k] @ input2 + bias[k] for each k: (*, in1), (*, in2) and weight (out, in1, in2) -> (*,
/// out).
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const Tensor& bias = Tensor()) {
  haft_tensor* out = nullptr;
  check(haft_bilinear(input1.get(), input2.get(), weight.get(), bias.get(), &out));
  return Tensor(out);
}

// ---- Resample ---------------------------------------------------------------------------------------------

/// (*, C r r, H, W) -> (*, C, H r, W r) for the factor r (Shi et al., arXiv:1609.05158).
inline Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor) {
  haft_tensor* out = nullptr;
  check(haft_pixel_shuffle(input.get(), upscale_factor, &out));
  return Tensor(out);
}

/// (*, C, H r, W r) -> (*, C r r, H, W) for the factor r.
inline Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor) {
  haft_tensor* out = nullptr;
  check(haft_pixel_unshuffle(input.get(), downscale_factor, &out));
  return Tensor(out);
}

/// (N, groups C, *): channel c of group g becomes channel g of group c (Zhang et al., arXiv:1707.01083).
inline Tensor channel_shuffle(const Tensor& input, int64_t groups) {
  haft_tensor* out = nullptr;
  check(haft_channel_shuffle(input.get(), groups, &out));
  return Tensor(out);
}

/// Resamples (N, C, *) to size by the nearest element (mode 0), linearly (1), by cubes (2), as means (3), by
/// the exactly nearest (4), or linearly (5) or by cubes (6) as wide as what an element of the result covers
/// (HAFT_INTERPOLATE_*); a factor above 0, of the last dimension, the one before and the one before that, is
/// what places are computed with in the place of the sizes' ratio.
inline Tensor interpolate(const Tensor& input, const IntArray& size, int64_t mode = 0,
                          bool align_corners = false, double scale_w = 0, double scale_h = 0,
                          double scale_d = 0) {
  haft_tensor* out = nullptr;
  check(haft_interpolate(input.get(), size.data(), size.size(), mode, align_corners, scale_w, scale_h,
                         scale_d, &out));
  return Tensor(out);
}

/// Points of affine maps for grid_sample: (N, 2, 3) and size (N, C, H, W) give (N, H, W, 2), (N, 3, 4) and
/// (N, C, D, H, W) give (N, D, H, W, 3).
inline Tensor affine_grid(const Tensor& theta, const IntArray& size, bool align_corners = false) {
  haft_tensor* out = nullptr;
  check(haft_affine_grid(theta.get(), size.data(), size.size(), align_corners, &out));
  return Tensor(out);
}

/// Reads input (N, C, H, W) at the points of grid (N, H', W', 2), or (N, C, D, H, W) at those of (N, D', H',
/// W', 3), whose corners are -1 and 1: by the nearest element (mode 0), linearly (1) or by cubes (2), with
/// zeros (padding_mode 0), the edge (1) or reflections (2) outside.
inline Tensor grid_sample(const Tensor& input, const Tensor& grid, int64_t mode = 1, int64_t padding_mode = 0,
                          bool align_corners = false) {
  haft_tensor* out = nullptr;
  check(haft_grid_sample(input.get(), grid.get(), mode, padding_mode, align_corners, &out));
  return Tensor(out);
}

/// Adds elements before and after the last dimension, the one before it, ...; negative numbers take them
/// away. mode: value, or what HAFT_PADDING_REFLECT (1), _REPLICATE (2) or _CIRCULAR (3) take from input.
inline Tensor pad(const Tensor& input, const IntArray& pad, int64_t mode = 0, Scalar value = 0) {
  haft_tensor* out = nullptr;
  check(haft_pad(input.get(), pad.data(), pad.size(), mode, value.get(), &out));
  return Tensor(out);
}

// ---- Norm -------------------------------------------------------------------------------------------------

/// exp(input) / sum(exp(input)) along dim, shifted by the maximum.
inline Tensor softmax(const Tensor& input, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_softmax(input.get(), dim, &out));
  return Tensor(out);
}
inline void softmax_out(const Tensor& input, int64_t dim, const Tensor& out) {
  check(haft_softmax_out(input.get(), dim, out.get()));
}

/// log(softmax(input)) along dim, without overflow.
inline Tensor log_softmax(const Tensor& input, int64_t dim) {
  haft_tensor* out = nullptr;
  check(haft_log_softmax(input.get(), dim, &out));
  return Tensor(out);
}
inline void log_softmax_out(const Tensor& input, int64_t dim, const Tensor& out) {
  check(haft_log_softmax_out(input.get(), dim, out.get()));
}

/// (input - mean) / sqrt(var + eps) * weight + bias per channel of input (N, C, *); the others are (C);
/// updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).
inline Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                         const Tensor& running_mean, const Tensor& running_var, bool training,
                         double momentum = 0.1, double eps = 1e-5) {
  haft_tensor* out = nullptr;
  check(haft_batch_norm(input.get(), weight.get(), bias.get(), running_mean.get(), running_var.get(),
                        training, momentum, eps, &out));
  return Tensor(out);
}

/// (input - mean) / sqrt(var + eps) * weight + bias over the last dimensions normalized_shape (Ba et al.,
/// arXiv:1607.06450).
inline Tensor layer_norm(const Tensor& input, const IntArray& normalized_shape,
                         const Tensor& weight = Tensor(), const Tensor& bias = Tensor(), double eps = 1e-5) {
  haft_tensor* out = nullptr;
  check(haft_layer_norm(input.get(), normalized_shape.data(), normalized_shape.size(), weight.get(),
                        bias.get(), eps, &out));
  return Tensor(out);
}

/// input / sqrt(mean(input^2) + eps) * weight over the last dimensions normalized_shape (Zhang and Sennrich,
/// arXiv:1910.07467); a negative eps is that of the type it is computed in, float32 for 16-bit floats.
inline Tensor rms_norm(const Tensor& input, const IntArray& normalized_shape, const Tensor& weight = Tensor(),
                       double eps = -1) {
  haft_tensor* out = nullptr;
  check(haft_rms_norm(input.get(), normalized_shape.data(), normalized_shape.size(), weight.get(), eps,
                      &out));
  return Tensor(out);
}

/// input (N, C, *) normalised over each of num_groups groups of channels of each sample; weight and bias (C)
/// (Wu and He, arXiv:1803.08494).
inline Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight = Tensor(),
                         const Tensor& bias = Tensor(), double eps = 1e-5) {
  haft_tensor* out = nullptr;
  check(haft_group_norm(input.get(), num_groups, weight.get(), bias.get(), eps, &out));
  return Tensor(out);
}

/// input (N, C, *) normalised over each channel of each sample; the others are (C). Without use_input_stats
/// by the running statistics, which else follow the means over the batch.
inline Tensor instance_norm(const Tensor& input, const Tensor& weight = Tensor(),
                            const Tensor& bias = Tensor(), const Tensor& running_mean = Tensor(),
                            const Tensor& running_var = Tensor(), bool use_input_stats = true,
                            double momentum = 0.1, double eps = 1e-5) {
  haft_tensor* out = nullptr;
  check(haft_instance_norm(input.get(), weight.get(), bias.get(), running_mean.get(), running_var.get(),
                           use_input_stats, momentum, eps, &out));
  return Tensor(out);
}

/// input / (k + alpha * mean of squares over size channels)^beta: (N, C, *) (Krizhevsky et al., 2012).
inline Tensor local_response_norm(const Tensor& input, int64_t size, double alpha = 1e-4, double beta = 0.75,
                                  double k = 1) {
  haft_tensor* out = nullptr;
  check(haft_local_response_norm(input.get(), size, alpha, beta, k, &out));
  return Tensor(out);
}

// ---- Recurrent (mode: 0 tanh, 1 relu, 2 LSTM, 3 GRU) ------------------------------------------------------

/// Recurrent layers: mode 0 is Elman's with tanh, 1 with relu, 2 an LSTM (Hochreiter and Schmidhuber, 1997),
/// 3 a GRU (Cho et al., arXiv:1406.1078). input is (L, N, I), (N, L, I) with batch_first, (L, I), or with
/// batch_sizes the rows of packed sequences: those of each step, the longest sequence first. weights are
/// weight_ih, weight_hh, then bias_ih and bias_hh, then weight_hr of a projection, for each layer and
/// direction. Answers all outputs and the last states (layers * directions, N, *); absent first states are 0,
/// and c is empty but for an LSTM. Returns {out, h, c}.
inline std::tuple<Tensor, Tensor, Tensor> rnn(const Tensor& input, const Tensor& h0, const Tensor& c0,
                                              const std::vector<Tensor>& weights, int64_t mode,
                                              int64_t num_layers = 1, bool bidirectional = false,
                                              bool batch_first = false, double dropout = 0,
                                              bool training = false, const IntArray& batch_sizes = {},
                                              haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  haft_tensor* h = nullptr;
  haft_tensor* c = nullptr;
  check(haft_rnn(input.get(), h0.get(), c0.get(), detail::Handles(weights).data(), int64_t(weights.size()),
                 mode, num_layers, bidirectional, batch_first, dropout, training, batch_sizes.data(),
                 batch_sizes.size(), generator, &out, &h, &c));
  return {Tensor(out), Tensor(h), Tensor(c)};
}

// ---- Sequences (sequences of different lengths, for recurrent layers) -------------------------------------

/// Sequences (L, *) of different lengths side by side: (longest, N, *), or (N, longest, *) with batch_first.
/// padding_value stands behind them, or in front with left.
inline Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first = false,
                           double padding_value = 0, bool left = false) {
  haft_tensor* out = nullptr;
  check(haft_pad_sequence(detail::Handles(sequences).data(), int64_t(sequences.size()), batch_first,
                          padding_value, left, &out));
  return Tensor(out);
}

/// The N sequences of (L, N, *), or of (N, L, *) with batch_first, each cut to its length: views. lengths is
/// int64 or int32 (N).
inline std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths,
                                          bool batch_first = false) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_unpad_sequence(padded_sequences.get(), lengths.get(), batch_first, outs, capacity, count);
  });
}

/// Padded sequences (L, N, *), or (N, L, *) with batch_first, without their padding, as recurrent layers take
/// them: data (sum of lengths, *) holds all first steps, then all second ones, the longest sequence first;
/// batch_sizes (int64, on the host) how many sequences reach each step. sorted_indices (N) tells which
/// sequence stands where, unsorted_indices the way back. lengths (N), int64 or int32, are 1 to L, and must
/// not rise with enforce_sorted. Returns {data, batch_sizes, sorted_indices, unsorted_indices}.
inline std::tuple<Tensor, Tensor, Tensor, Tensor> pack_padded_sequence(
    const Tensor& input, const Tensor& lengths, bool batch_first = false, bool enforce_sorted = true) {
  haft_tensor* data = nullptr;
  haft_tensor* batch_sizes = nullptr;
  haft_tensor* sorted_indices = nullptr;
  haft_tensor* unsorted_indices = nullptr;
  check(haft_pack_padded_sequence(input.get(), lengths.get(), batch_first, enforce_sorted, &data,
                                  &batch_sizes, &sorted_indices, &unsorted_indices));
  return {Tensor(data), Tensor(batch_sizes), Tensor(sorted_indices), Tensor(unsorted_indices)};
}

/// Sequences (L, *) of different lengths, packed as pack_padded_sequence does. Returns {data, batch_sizes,
/// sorted_indices, unsorted_indices}.
inline std::tuple<Tensor, Tensor, Tensor, Tensor> pack_sequence(
    const std::vector<Tensor>& sequences, bool enforce_sorted = true) {
  haft_tensor* data = nullptr;
  haft_tensor* batch_sizes = nullptr;
  haft_tensor* sorted_indices = nullptr;
  haft_tensor* unsorted_indices = nullptr;
  check(haft_pack_sequence(detail::Handles(sequences).data(), int64_t(sequences.size()), enforce_sorted,
                           &data, &batch_sizes, &sorted_indices, &unsorted_indices));
  return {Tensor(data), Tensor(batch_sizes), Tensor(sorted_indices), Tensor(unsorted_indices)};
}

/// What pack_padded_sequence packed, padded again with padding_value to the longest sequence or to
/// total_length: (L, N, *), or (N, L, *) with batch_first, and the lengths (N), int64 on the host.
/// unsorted_indices bring back the order; absent: it stays. Returns {padded, lengths}.
inline std::tuple<Tensor, Tensor> pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                      const Tensor& unsorted_indices = Tensor(),
                                                      bool batch_first = false, double padding_value = 0,
                                                      int64_t total_length = HAFT_NONE) {
  haft_tensor* padded = nullptr;
  haft_tensor* lengths = nullptr;
  check(haft_pad_packed_sequence(data.get(), batch_sizes.get(), unsorted_indices.get(), batch_first,
                                 padding_value, total_length, &padded, &lengths));
  return {Tensor(padded), Tensor(lengths)};
}

/// The sequences that were packed, each of its own length.
inline std::vector<Tensor> unpack_sequence(const Tensor& data, const Tensor& batch_sizes,
                                           const Tensor& unsorted_indices = Tensor()) {
  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {
    return haft_unpack_sequence(data.get(), batch_sizes.get(), unsorted_indices.get(), outs, capacity, count);
  });
}

// ---- Attention --------------------------------------------------------------------------------------------

/// softmax(scale * query @ key^T + attn_mask) @ value: (*, L, E), (*, S, E), (*, S, Ev) -> (*, L, Ev), in
/// tiles, so that memory is linear in L and S (Dao et al., arXiv:2205.14135). attn_mask broadcasts to (*, L,
/// S): bool (true: takes part) or added; is_causal lets row i see columns up to i; scale is 1 / sqrt(E)
/// unless given; with enable_gqa key and value may have fewer heads, a divisor of query's. A row that sees
/// nothing is 0.
inline Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                           const Tensor& attn_mask = Tensor(), double dropout_p = 0,
                                           bool is_causal = false, Scalar scale = Scalar(),
                                           bool enable_gqa = false, haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  check(haft_scaled_dot_product_attention(query.get(), key.get(), value.get(), attn_mask.get(), dropout_p,
                                          is_causal, scale.get(), enable_gqa, generator, &out));
  return Tensor(out);
}

/// Attention of several heads (Vaswani et al., arXiv:1706.03762): query (L, N, E), key and value (S, N, *),
/// (N, L, E) and (N, S, *) with batch_first, or without N, projected by in_proj_weight (3 E, E) or by three
/// weights, then by out_proj_weight unless it is absent. bias_k and bias_v, and with add_zero_attn a zero,
/// stand behind keys and values; static_k and static_v (N * num_heads, S, E / num_heads) replace them.
/// key_padding_mask (N, S) and attn_mask, (L, S) or (N * num_heads, L, S), are bool (true: not attended to)
/// or added. weights are (N, L, S), or (N, num_heads, L, S) unless averaged, or empty: without them memory is
/// linear in L and S. A row that sees nothing is 0. Returns {out, weights}.
inline std::tuple<Tensor, Tensor> multi_head_attention(const Tensor& query, const Tensor& key,
                                                       const Tensor& value, const Tensor& in_proj_weight,
                                                       const Tensor& q_proj_weight,
                                                       const Tensor& k_proj_weight,
                                                       const Tensor& v_proj_weight,
                                                       const Tensor& in_proj_bias, const Tensor& bias_k,
                                                       const Tensor& bias_v, const Tensor& out_proj_weight,
                                                       const Tensor& out_proj_bias,
                                                       const Tensor& key_padding_mask,
                                                       const Tensor& attn_mask, const Tensor& static_k,
                                                       const Tensor& static_v, int64_t num_heads,
                                                       bool add_zero_attn = false, double dropout_p = 0,
                                                       bool is_causal = false, bool need_weights = true,
                                                       bool average_attn_weights = true,
                                                       bool batch_first = false,
                                                       haft_generator* generator = nullptr) {
  haft_tensor* out = nullptr;
  haft_tensor* weights = nullptr;
  check(haft_multi_head_attention(query.get(), key.get(), value.get(), in_proj_weight.get(),
                                  q_proj_weight.get(), k_proj_weight.get(), v_proj_weight.get(),
                                  in_proj_bias.get(), bias_k.get(), bias_v.get(), out_proj_weight.get(),
                                  out_proj_bias.get(), key_padding_mask.get(), attn_mask.get(),
                                  static_k.get(), static_v.get(), num_heads, add_zero_attn, dropout_p,
                                  is_causal, need_weights, average_attn_weights, batch_first, generator, &out,
                                  &weights));
  return {Tensor(out), Tensor(weights)};
}

/// Rotary positions (Su et al., arXiv:2104.09864): each pair (a, b) of input (*, L, E) becomes (a cos - b
/// sin, b cos + a sin). cos and sin (*, L, P) broadcast to input's leading dimensions. The first 2 P elements
/// are P pairs: (i, i + P) (Llama), or neighbours (2 i, 2 i + 1) with interleaved (GPT-J); those behind them
/// stay.
inline Tensor rotary_embedding(const Tensor& input, const Tensor& cos, const Tensor& sin,
                               bool interleaved = false) {
  haft_tensor* out = nullptr;
  check(haft_rotary_embedding(input.get(), cos.get(), sin.get(), interleaved, &out));
  return Tensor(out);
}

// ---- Loss (reduction: 0 none, 1 mean, 2 sum) --------------------------------------------------------------

/// -log softmax(input)[target]: input (N, C, *) against class indices (N, *) of int64, or probabilities of
/// input's shape.
inline Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                            int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0) {
  haft_tensor* out = nullptr;
  check(haft_cross_entropy(input.get(), target.get(), weight.get(), reduction, ignore_index, label_smoothing,
                           &out));
  return Tensor(out);
}

/// -input[target] for log-probabilities input (N, C, *) and class indices target (N, *), int64.
inline Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                       int64_t reduction = 1, int64_t ignore_index = -100) {
  haft_tensor* out = nullptr;
  check(haft_nll_loss(input.get(), target.get(), weight.get(), reduction, ignore_index, &out));
  return Tensor(out);
}

/// (input - target)^2; the shapes broadcast.
inline Tensor mse_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_mse_loss(input.get(), target.get(), reduction, &out));
  return Tensor(out);
}

/// |input - target|; the shapes broadcast.
inline Tensor l1_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_l1_loss(input.get(), target.get(), reduction, &out));
  return Tensor(out);
}

/// Quadratic below beta, linear above (Girshick, arXiv:1504.08083).
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1,
                             double beta = 1) {
  haft_tensor* out = nullptr;
  check(haft_smooth_l1_loss(input.get(), target.get(), reduction, beta, &out));
  return Tensor(out);
}

/// Huber's loss: delta times smooth_l1_loss with beta = delta.
inline Tensor huber_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1, double delta = 1) {
  haft_tensor* out = nullptr;
  check(haft_huber_loss(input.get(), target.get(), reduction, delta, &out));
  return Tensor(out);
}

/// mse_loss times weight, which has input's sizes; the mean is the sum over that of weight.
inline Tensor weighted_mse_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_weighted_mse_loss(input.get(), target.get(), weight.get(), reduction, &out));
  return Tensor(out);
}

/// l1_loss times weight, which has input's sizes; the mean is the sum over that of weight.
inline Tensor weighted_l1_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                               int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_weighted_l1_loss(input.get(), target.get(), weight.get(), reduction, &out));
  return Tensor(out);
}

/// huber_loss times weight, which has input's sizes; the mean is over all elements.
inline Tensor weighted_huber_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                  int64_t reduction = 1, double delta = 1) {
  haft_tensor* out = nullptr;
  check(haft_weighted_huber_loss(input.get(), target.get(), weight.get(), reduction, delta, &out));
  return Tensor(out);
}

/// -(target log input + (1 - target) log(1 - input)); logarithms are limited to -100 as in PyTorch.
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                                   int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_binary_cross_entropy(input.get(), target.get(), weight.get(), reduction, &out));
  return Tensor(out);
}

/// binary_cross_entropy of sigmoid(input), without overflow.
inline Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                               const Tensor& weight = Tensor(),
                                               const Tensor& pos_weight = Tensor(), int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_binary_cross_entropy_with_logits(input.get(), target.get(), weight.get(), pos_weight.get(),
                                              reduction, &out));
  return Tensor(out);
}

/// target (log target - input) for log-probabilities input; reduction 3, batchmean, is the sum over the size
/// of the first dimension.
inline Tensor kl_div(const Tensor& input, const Tensor& target, int64_t reduction = 1,
                     bool log_target = false) {
  haft_tensor* out = nullptr;
  check(haft_kl_div(input.get(), target.get(), reduction, log_target, &out));
  return Tensor(out);
}

/// Negative logarithm of a Poisson distribution with rate exp(input), or input; full adds Stirling's term
/// where target > 1.
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true,
                               bool full = false, double eps = 1e-8, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_poisson_nll_loss(input.get(), target.get(), log_input, full, eps, reduction, &out));
  return Tensor(out);
}

/// Negative logarithm of normal distributions with means input and variances var, which count at least eps;
/// full adds the constant.
inline Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                                bool full = false, double eps = 1e-6, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_gaussian_nll_loss(input.get(), target.get(), var.get(), full, eps, reduction, &out));
  return Tensor(out);
}

/// input where target is 1, max(0, margin - input) where it is -1.
inline Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin = 1,
                                   int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_hinge_embedding_loss(input.get(), target.get(), margin, reduction, &out));
  return Tensor(out);
}

/// log(1 + exp(-target * input)), without overflow.
inline Tensor soft_margin_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_soft_margin_loss(input.get(), target.get(), reduction, &out));
  return Tensor(out);
}

/// max(0, -target * (input1 - input2) + margin).
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin = 0, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_margin_ranking_loss(input1.get(), input2.get(), target.get(), margin, reduction, &out));
  return Tensor(out);
}

/// 1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1: (N, D), (N, D) and (N), or
/// (D), (D) and ().
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                    double margin = 0, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_cosine_embedding_loss(input1.get(), input2.get(), target.get(), margin, reduction, &out));
  return Tensor(out);
}

/// max(0, d(anchor, positive) - d(anchor, negative) + margin) with d the pairwise_distance; swap takes
/// d(positive, negative) where that is smaller.
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                  double margin = 1, double p = 2, double eps = 1e-6, bool swap = false,
                                  int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_triplet_margin_loss(anchor.get(), positive.get(), negative.get(), margin, p, eps, swap,
                                 reduction, &out));
  return Tensor(out);
}

/// Mean over the other classes of max(0, margin - input[target] + input[i])^p: input (N, C) or (C), class
/// indices (N) or (), p 1 or 2.
inline Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                                int64_t p = 1, double margin = 1, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_multi_margin_loss(input.get(), target.get(), weight.get(), p, margin, reduction, &out));
  return Tensor(out);
}

/// Hinge loss between each target class and each other one: (N, C) or (C), twice; a row of class indices ends
/// at its first -1.
inline Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_multilabel_margin_loss(input.get(), target.get(), reduction, &out));
  return Tensor(out);
}

/// binary_cross_entropy_with_logits of each class, mean over the classes in the last dimension.
inline Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                          const Tensor& weight = Tensor(), int64_t reduction = 1) {
  haft_tensor* out = nullptr;
  check(haft_multilabel_soft_margin_loss(input.get(), target.get(), weight.get(), reduction, &out));
  return Tensor(out);
}

// ---- Ctc --------------------------------------------------------------------------------------------------

/// -log of the probability of each target over all ways to spread it over the steps, with blanks between:
/// log_probs (T, N, C) as log_softmax answers them, targets (N, S) or one after the other, lengths (N); or
/// (T, C), (S), (), () (Graves et al., 2006). The mean is that of the losses divided by their targets'
/// lengths; zero_infinity takes 0 where a target does not fit.
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, int64_t blank = 0, int64_t reduction = 1,
                       bool zero_infinity = false) {
  haft_tensor* out = nullptr;
  check(haft_ctc_loss(log_probs.get(), targets.get(), input_lengths.get(), target_lengths.get(), blank,
                      reduction, zero_infinity, &out));
  return Tensor(out);
}

// ---- Linear_cross_entropy ---------------------------------------------------------------------------------

/// cross_entropy(linear(input, linear_weight, linear_bias), target): input (N, D), linear_weight (C, D),
/// class indices target (N), linear_bias and weight (C). Few of the N C logits are in memory at a time,
/// forward and backward: on the CPU at most 4 Mi, on NVIDIA's GPUs 256 MiB (less where the device has less
/// than 128 GiB, a 512th), but 16 rows at least; only gradients that are recorded themselves hold them all,
/// and what else it takes: linear_weight and linear_bias (C, *, D) and (C, *) with targets (N, *),
/// probabilities (N, C, *) as targets, and one input (D).
inline Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                                   const Tensor& linear_bias = Tensor(), const Tensor& weight = Tensor(),
                                   int64_t reduction = 1, int64_t ignore_index = -100,
                                   double label_smoothing = 0) {
  haft_tensor* out = nullptr;
  check(haft_linear_cross_entropy(input.get(), linear_weight.get(), target.get(), linear_bias.get(),
                                  weight.get(), reduction, ignore_index, label_smoothing, &out));
  return Tensor(out);
}

// ---- Complex: complex numbers -----------------------------------------------------------------------------

/// The memory of complex input (*) as its parts (*, 2), real and imaginary.
inline Tensor view_as_real(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_view_as_real(input.get(), &out));
  return Tensor(out);
}

/// The memory of pairs (*, 2), float32 or float64, as complex numbers (*).
inline Tensor view_as_complex(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_view_as_complex(input.get(), &out));
  return Tensor(out);
}

/// real + i imag, which are both float32 or both float64.
inline Tensor complex(const Tensor& real, const Tensor& imag) {
  haft_tensor* out = nullptr;
  check(haft_complex(real.get(), imag.get(), &out));
  return Tensor(out);
}

/// abs (cos(angle) + i sin(angle)), angle in radians.
inline Tensor polar(const Tensor& abs, const Tensor& angle) {
  haft_tensor* out = nullptr;
  check(haft_polar(abs.get(), angle.get(), &out));
  return Tensor(out);
}

/// The real part, a view; input itself where it is real.
inline Tensor real(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_real(input.get(), &out));
  return Tensor(out);
}

/// The imaginary part of complex input, a view.
inline Tensor imag(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_imag(input.get(), &out));
  return Tensor(out);
}

/// The complex conjugate, a new tensor; input itself where it is real.
inline Tensor conj(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_conj(input.get(), &out));
  return Tensor(out);
}

/// The angle of a complex number in radians, -pi to pi; of a real one 0, or pi below 0.
inline Tensor angle(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_angle(input.get(), &out));
  return Tensor(out);
}

/// input / |input|, and 0 at 0; sign of what is real.
inline Tensor sgn(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_sgn(input.get(), &out));
  return Tensor(out);
}

/// True where the imaginary part is 0.
inline Tensor isreal(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_isreal(input.get(), &out));
  return Tensor(out);
}

/// Sum of products of two vectors, the first one conjugated: (K) x (K) -> ().
inline Tensor vdot(const Tensor& input, const Tensor& other) {
  haft_tensor* out = nullptr;
  check(haft_vdot(input.get(), other.get(), &out));
  return Tensor(out);
}

/// Matrices (*, M, N) transposed and conjugated: (*, N, M).
inline Tensor adjoint(const Tensor& input) {
  haft_tensor* out = nullptr;
  check(haft_adjoint(input.get(), &out));
  return Tensor(out);
}

// ---- Fourier: Fourier transforms (norm: 0 backward, 1 ortho, 2 forward: HAFT_FFT_*) -----------------------

/// Discrete Fourier transform along dim: y[k] = sum_j x[j] exp(-2 pi i j k / n), of input cut or padded with
/// 0 to n.
inline Tensor fft_fft(const Tensor& input, int64_t n = HAFT_NONE, int64_t dim = -1, int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_fft(input.get(), n, dim, norm, &out));
  return Tensor(out);
}

/// Inverse of fft_fft: (1 / n) sum_k x[k] exp(2 pi i j k / n).
inline Tensor fft_ifft(const Tensor& input, int64_t n = HAFT_NONE, int64_t dim = -1, int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_ifft(input.get(), n, dim, norm, &out));
  return Tensor(out);
}

/// fft_fft of real input: the elements 0 to n / 2, of which the others are conjugates.
inline Tensor fft_rfft(const Tensor& input, int64_t n = HAFT_NONE, int64_t dim = -1, int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_rfft(input.get(), n, dim, norm, &out));
  return Tensor(out);
}

/// Inverse of fft_rfft: n real numbers, 2 (size - 1) unless given.
inline Tensor fft_irfft(const Tensor& input, int64_t n = HAFT_NONE, int64_t dim = -1, int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_irfft(input.get(), n, dim, norm, &out));
  return Tensor(out);
}

/// fft_fft of a signal that is its own conjugate reversed, given by its first half: n real numbers, 2 (size -
/// 1) unless given.
inline Tensor fft_hfft(const Tensor& input, int64_t n = HAFT_NONE, int64_t dim = -1, int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_hfft(input.get(), n, dim, norm, &out));
  return Tensor(out);
}

/// Inverse of fft_hfft: elements 0 to n / 2.
inline Tensor fft_ihfft(const Tensor& input, int64_t n = HAFT_NONE, int64_t dim = -1, int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_ihfft(input.get(), n, dim, norm, &out));
  return Tensor(out);
}

/// fft_fft along each of dim, cut or padded to the sizes s; -1 there keeps a size. An empty dim means all, or
/// the last ones that s names; a transform along none, PyTorch's dim=(), is input itself.
inline Tensor fft_fftn(const Tensor& input, const IntArray& s = {}, const IntArray& dim = {},
                       int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_fftn(input.get(), s.data(), s.size(), dim.data(), dim.size(), norm, &out));
  return Tensor(out);
}

/// Inverse of fft_fftn.
inline Tensor fft_ifftn(const Tensor& input, const IntArray& s = {}, const IntArray& dim = {},
                        int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_ifftn(input.get(), s.data(), s.size(), dim.data(), dim.size(), norm, &out));
  return Tensor(out);
}

/// fft_fftn of real input: the last of dim is halved as by fft_rfft.
inline Tensor fft_rfftn(const Tensor& input, const IntArray& s = {}, const IntArray& dim = {},
                        int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_rfftn(input.get(), s.data(), s.size(), dim.data(), dim.size(), norm, &out));
  return Tensor(out);
}

/// Inverse of fft_rfftn.
inline Tensor fft_irfftn(const Tensor& input, const IntArray& s = {}, const IntArray& dim = {},
                         int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_irfftn(input.get(), s.data(), s.size(), dim.data(), dim.size(), norm, &out));
  return Tensor(out);
}

/// fft_hfft along the last of dim, fft_fft along the others.
inline Tensor fft_hfftn(const Tensor& input, const IntArray& s = {}, const IntArray& dim = {},
                        int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_hfftn(input.get(), s.data(), s.size(), dim.data(), dim.size(), norm, &out));
  return Tensor(out);
}

/// Inverse of fft_hfftn.
inline Tensor fft_ihfftn(const Tensor& input, const IntArray& s = {}, const IntArray& dim = {},
                         int64_t norm = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_ihfftn(input.get(), s.data(), s.size(), dim.data(), dim.size(), norm, &out));
  return Tensor(out);
}

/// Frequencies of the n elements of fft_fft for samples d apart: 0, 1, ..., then negative ones, over n d.
inline Tensor fft_fftfreq(int64_t n, double d = 1, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_fftfreq(n, d, dtype, device, &out));
  return Tensor(out);
}

/// Frequencies of the elements of fft_rfft of n samples d apart: 0 to n / 2, over n d.
inline Tensor fft_rfftfreq(int64_t n, double d = 1, haft_dtype dtype = 0, haft_device device = 0) {
  haft_tensor* out = nullptr;
  check(haft_fft_rfftfreq(n, d, dtype, device, &out));
  return Tensor(out);
}

/// The zero frequency moved to the middle of each of dim (none: all).
inline Tensor fft_fftshift(const Tensor& input, const IntArray& dim = {}) {
  haft_tensor* out = nullptr;
  check(haft_fft_fftshift(input.get(), dim.data(), dim.size(), &out));
  return Tensor(out);
}

/// Inverse of fft_fftshift.
inline Tensor fft_ifftshift(const Tensor& input, const IntArray& dim = {}) {
  haft_tensor* out = nullptr;
  check(haft_fft_ifftshift(input.get(), dim.data(), dim.size(), &out));
  return Tensor(out);
}

/// Short-time Fourier transform: input (*, T), * at most a batch, in frames of n_fft, hop_length (n_fft / 4)
/// apart, times window (win_length), (*, frequencies, frames). center: frame t has its middle at t
/// hop_length, of input padded by n_fft / 2 at both ends as pad says (pad_mode 0 constant, 1 reflect, 2
/// replicate, 3 circular). onesided: frequencies 0 to n_fft / 2; normalized: over sqrt(n_fft).
inline Tensor stft(const Tensor& input, int64_t n_fft, int64_t hop_length = HAFT_NONE,
                   int64_t win_length = HAFT_NONE, const Tensor& window = Tensor(), bool center = true,
                   int64_t pad_mode = 1, bool normalized = false, bool onesided = true) {
  haft_tensor* out = nullptr;
  check(haft_stft(input.get(), n_fft, hop_length, win_length, window.get(), center, pad_mode, normalized,
                  onesided, &out));
  return Tensor(out);
}

/// Inverse of stft by least squares (Griffin and Lim, 1984): input (*, frequencies, frames), (*, length);
/// every sample must be under some window.
inline Tensor istft(const Tensor& input, int64_t n_fft, int64_t hop_length = HAFT_NONE,
                    int64_t win_length = HAFT_NONE, const Tensor& window = Tensor(), bool center = true,
                    bool normalized = false, bool onesided = true, int64_t length = HAFT_NONE,
                    bool return_complex = false) {
  haft_tensor* out = nullptr;
  check(haft_istft(input.get(), n_fft, hop_length, win_length, window.get(), center, normalized, onesided,
                   length, return_complex, &out));
  return Tensor(out);
}

}  // namespace haft
#endif
