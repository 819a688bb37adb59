// Generated from core/schema/ops.def by tools/generate; do not edit.
//
// Every operator as a C++ function. POINTWISE, VIEW and GENERAL ones fill a call record and dispatch it;
// COMPOSITE ones are declared here and written in core/ops/<family>.cpp. An absent tensor is an undefined
// Tensor, an absent integer kNone. name_ writes into its first argument and returns it; name_out writes into
// its last.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "core/dispatch/dispatch.h"

namespace haft {
struct Generator;
}

namespace haft::ops {

// ---- pointwise.cpp: unary ---------------------------------------------------------------------------------

// Absolute value |input|.
inline Tensor abs(const Tensor& input) { return call1(OpId::abs, {&input}); }
inline Tensor abs_(const Tensor& input) { return call1_inplace(OpId::abs, {&input}); }
inline void abs_out(const Tensor& input, const Tensor& out) { call_out(OpId::abs, {&input}, {}, out); }

// Negative -input; bool is refused.
inline Tensor neg(const Tensor& input) { return call1(OpId::neg, {&input}); }
inline Tensor neg_(const Tensor& input) { return call1_inplace(OpId::neg, {&input}); }
inline void neg_out(const Tensor& input, const Tensor& out) { call_out(OpId::neg, {&input}, {}, out); }

// -1, 0 or 1 by the sign of input; NaN stays NaN.
inline Tensor sign(const Tensor& input) { return call1(OpId::sign, {&input}); }
inline Tensor sign_(const Tensor& input) { return call1_inplace(OpId::sign, {&input}); }
inline void sign_out(const Tensor& input, const Tensor& out) { call_out(OpId::sign, {&input}, {}, out); }

// e to the power input.
inline Tensor exp(const Tensor& input) { return call1(OpId::exp, {&input}); }
inline Tensor exp_(const Tensor& input) { return call1_inplace(OpId::exp, {&input}); }
inline void exp_out(const Tensor& input, const Tensor& out) { call_out(OpId::exp, {&input}, {}, out); }

// 2 to the power input.
inline Tensor exp2(const Tensor& input) { return call1(OpId::exp2, {&input}); }
inline Tensor exp2_(const Tensor& input) { return call1_inplace(OpId::exp2, {&input}); }
inline void exp2_out(const Tensor& input, const Tensor& out) { call_out(OpId::exp2, {&input}, {}, out); }

// exp(input) - 1, accurate near 0.
inline Tensor expm1(const Tensor& input) { return call1(OpId::expm1, {&input}); }
inline Tensor expm1_(const Tensor& input) { return call1_inplace(OpId::expm1, {&input}); }
inline void expm1_out(const Tensor& input, const Tensor& out) { call_out(OpId::expm1, {&input}, {}, out); }

// Natural logarithm; -inf at 0, NaN below.
inline Tensor log(const Tensor& input) { return call1(OpId::log, {&input}); }
inline Tensor log_(const Tensor& input) { return call1_inplace(OpId::log, {&input}); }
inline void log_out(const Tensor& input, const Tensor& out) { call_out(OpId::log, {&input}, {}, out); }

// Logarithm to base 2.
inline Tensor log2(const Tensor& input) { return call1(OpId::log2, {&input}); }
inline Tensor log2_(const Tensor& input) { return call1_inplace(OpId::log2, {&input}); }
inline void log2_out(const Tensor& input, const Tensor& out) { call_out(OpId::log2, {&input}, {}, out); }

// Logarithm to base 10.
inline Tensor log10(const Tensor& input) { return call1(OpId::log10, {&input}); }
inline Tensor log10_(const Tensor& input) { return call1_inplace(OpId::log10, {&input}); }
inline void log10_out(const Tensor& input, const Tensor& out) { call_out(OpId::log10, {&input}, {}, out); }

// log(1 + input), accurate near 0.
inline Tensor log1p(const Tensor& input) { return call1(OpId::log1p, {&input}); }
inline Tensor log1p_(const Tensor& input) { return call1_inplace(OpId::log1p, {&input}); }
inline void log1p_out(const Tensor& input, const Tensor& out) { call_out(OpId::log1p, {&input}, {}, out); }

// Square root; NaN below 0.
inline Tensor sqrt(const Tensor& input) { return call1(OpId::sqrt, {&input}); }
inline Tensor sqrt_(const Tensor& input) { return call1_inplace(OpId::sqrt, {&input}); }
inline void sqrt_out(const Tensor& input, const Tensor& out) { call_out(OpId::sqrt, {&input}, {}, out); }

// 1 / sqrt(input).
inline Tensor rsqrt(const Tensor& input) { return call1(OpId::rsqrt, {&input}); }
inline Tensor rsqrt_(const Tensor& input) { return call1_inplace(OpId::rsqrt, {&input}); }
inline void rsqrt_out(const Tensor& input, const Tensor& out) { call_out(OpId::rsqrt, {&input}, {}, out); }

// input * input.
inline Tensor square(const Tensor& input) { return call1(OpId::square, {&input}); }
inline Tensor square_(const Tensor& input) { return call1_inplace(OpId::square, {&input}); }
inline void square_out(const Tensor& input, const Tensor& out) { call_out(OpId::square, {&input}, {}, out); }

// 1 / input.
inline Tensor reciprocal(const Tensor& input) { return call1(OpId::reciprocal, {&input}); }
inline Tensor reciprocal_(const Tensor& input) { return call1_inplace(OpId::reciprocal, {&input}); }
inline void reciprocal_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::reciprocal, {&input}, {}, out);
}

// Sine of input in radians.
inline Tensor sin(const Tensor& input) { return call1(OpId::sin, {&input}); }
inline Tensor sin_(const Tensor& input) { return call1_inplace(OpId::sin, {&input}); }
inline void sin_out(const Tensor& input, const Tensor& out) { call_out(OpId::sin, {&input}, {}, out); }

// Cosine of input in radians.
inline Tensor cos(const Tensor& input) { return call1(OpId::cos, {&input}); }
inline Tensor cos_(const Tensor& input) { return call1_inplace(OpId::cos, {&input}); }
inline void cos_out(const Tensor& input, const Tensor& out) { call_out(OpId::cos, {&input}, {}, out); }

// Tangent of input in radians.
inline Tensor tan(const Tensor& input) { return call1(OpId::tan, {&input}); }
inline Tensor tan_(const Tensor& input) { return call1_inplace(OpId::tan, {&input}); }
inline void tan_out(const Tensor& input, const Tensor& out) { call_out(OpId::tan, {&input}, {}, out); }

// Arc sine in radians; NaN outside [-1, 1].
inline Tensor asin(const Tensor& input) { return call1(OpId::asin, {&input}); }
inline Tensor asin_(const Tensor& input) { return call1_inplace(OpId::asin, {&input}); }
inline void asin_out(const Tensor& input, const Tensor& out) { call_out(OpId::asin, {&input}, {}, out); }

// Arc cosine in radians; NaN outside [-1, 1].
inline Tensor acos(const Tensor& input) { return call1(OpId::acos, {&input}); }
inline Tensor acos_(const Tensor& input) { return call1_inplace(OpId::acos, {&input}); }
inline void acos_out(const Tensor& input, const Tensor& out) { call_out(OpId::acos, {&input}, {}, out); }

// Arc tangent in radians.
inline Tensor atan(const Tensor& input) { return call1(OpId::atan, {&input}); }
inline Tensor atan_(const Tensor& input) { return call1_inplace(OpId::atan, {&input}); }
inline void atan_out(const Tensor& input, const Tensor& out) { call_out(OpId::atan, {&input}, {}, out); }

// Hyperbolic sine.
inline Tensor sinh(const Tensor& input) { return call1(OpId::sinh, {&input}); }
inline Tensor sinh_(const Tensor& input) { return call1_inplace(OpId::sinh, {&input}); }
inline void sinh_out(const Tensor& input, const Tensor& out) { call_out(OpId::sinh, {&input}, {}, out); }

// Hyperbolic cosine.
inline Tensor cosh(const Tensor& input) { return call1(OpId::cosh, {&input}); }
inline Tensor cosh_(const Tensor& input) { return call1_inplace(OpId::cosh, {&input}); }
inline void cosh_out(const Tensor& input, const Tensor& out) { call_out(OpId::cosh, {&input}, {}, out); }

// Hyperbolic tangent.
inline Tensor tanh(const Tensor& input) { return call1(OpId::tanh, {&input}); }
inline Tensor tanh_(const Tensor& input) { return call1_inplace(OpId::tanh, {&input}); }
inline void tanh_out(const Tensor& input, const Tensor& out) { call_out(OpId::tanh, {&input}, {}, out); }

// Error function.
inline Tensor erf(const Tensor& input) { return call1(OpId::erf, {&input}); }
inline Tensor erf_(const Tensor& input) { return call1_inplace(OpId::erf, {&input}); }
inline void erf_out(const Tensor& input, const Tensor& out) { call_out(OpId::erf, {&input}, {}, out); }

// Complementary error function 1 - erf(input), accurate where it is small.
inline Tensor erfc(const Tensor& input) { return call1(OpId::erfc, {&input}); }
inline Tensor erfc_(const Tensor& input) { return call1_inplace(OpId::erfc, {&input}); }
inline void erfc_out(const Tensor& input, const Tensor& out) { call_out(OpId::erfc, {&input}, {}, out); }

// Inverse of erf; +-infinity at +-1, NaN outside.
inline Tensor erfinv(const Tensor& input) { return call1(OpId::erfinv, {&input}); }
inline Tensor erfinv_(const Tensor& input) { return call1_inplace(OpId::erfinv, {&input}); }
inline void erfinv_out(const Tensor& input, const Tensor& out) { call_out(OpId::erfinv, {&input}, {}, out); }

// Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...
inline Tensor lgamma(const Tensor& input) { return call1(OpId::lgamma, {&input}); }
inline Tensor lgamma_(const Tensor& input) { return call1_inplace(OpId::lgamma, {&input}); }
inline void lgamma_out(const Tensor& input, const Tensor& out) { call_out(OpId::lgamma, {&input}, {}, out); }

// Derivative of lgamma; NaN at -1, -2, ...
inline Tensor digamma(const Tensor& input) { return call1(OpId::digamma, {&input}); }
inline Tensor digamma_(const Tensor& input) { return call1_inplace(OpId::digamma, {&input}); }
inline void digamma_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::digamma, {&input}, {}, out);
}

// Hurwitz zeta: the sum of (input + k)^-s over k = 0, 1, ... for a whole s > 1.
inline Tensor zeta(const Tensor& input, double s) {
  uint64_t words[] = {word(s)};
  return call1(OpId::zeta, {&input}, words);
}

// n-th derivative of digamma; n >= 0.
Tensor polygamma(int64_t n, const Tensor& input);

// 1 / (1 + exp(-input)).
inline Tensor sigmoid(const Tensor& input) { return call1(OpId::sigmoid, {&input}); }
inline Tensor sigmoid_(const Tensor& input) { return call1_inplace(OpId::sigmoid, {&input}); }
inline void sigmoid_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::sigmoid, {&input}, {}, out);
}

// Largest integer not above input.
inline Tensor floor(const Tensor& input) { return call1(OpId::floor, {&input}); }
inline Tensor floor_(const Tensor& input) { return call1_inplace(OpId::floor, {&input}); }
inline void floor_out(const Tensor& input, const Tensor& out) { call_out(OpId::floor, {&input}, {}, out); }

// Smallest integer not below input.
inline Tensor ceil(const Tensor& input) { return call1(OpId::ceil, {&input}); }
inline Tensor ceil_(const Tensor& input) { return call1_inplace(OpId::ceil, {&input}); }
inline void ceil_out(const Tensor& input, const Tensor& out) { call_out(OpId::ceil, {&input}, {}, out); }

// Nearest integer, halves to even.
inline Tensor round(const Tensor& input) { return call1(OpId::round, {&input}); }
inline Tensor round_(const Tensor& input) { return call1_inplace(OpId::round, {&input}); }
inline void round_out(const Tensor& input, const Tensor& out) { call_out(OpId::round, {&input}, {}, out); }

// Integer part, towards 0.
inline Tensor trunc(const Tensor& input) { return call1(OpId::trunc, {&input}); }
inline Tensor trunc_(const Tensor& input) { return call1_inplace(OpId::trunc, {&input}); }
inline void trunc_out(const Tensor& input, const Tensor& out) { call_out(OpId::trunc, {&input}, {}, out); }

// True where input is NaN.
inline Tensor isnan(const Tensor& input) { return call1(OpId::isnan, {&input}); }

// True where input is an infinity.
inline Tensor isinf(const Tensor& input) { return call1(OpId::isinf, {&input}); }

// True where input is neither infinite nor NaN.
inline Tensor isfinite(const Tensor& input) { return call1(OpId::isfinite, {&input}); }

// True where input is 0.
inline Tensor logical_not(const Tensor& input) { return call1(OpId::logical_not, {&input}); }

// Bitwise complement; logical not for bool.
inline Tensor bitwise_not(const Tensor& input) { return call1(OpId::bitwise_not, {&input}); }
inline Tensor bitwise_not_(const Tensor& input) { return call1_inplace(OpId::bitwise_not, {&input}); }
inline void bitwise_not_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::bitwise_not, {&input}, {}, out);
}

// ---- pointwise.cpp: binary --------------------------------------------------------------------------------

// input + other; logical or for bool.
inline Tensor add(const Tensor& input, const Tensor& other) { return call1(OpId::add, {&input, &other}); }
inline Tensor add_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::add, {&input, &other});
}
inline void add_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::add, {&input, &other}, {}, out);
}

// input - other; bool is refused.
inline Tensor sub(const Tensor& input, const Tensor& other) { return call1(OpId::sub, {&input, &other}); }
inline Tensor sub_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::sub, {&input, &other});
}
inline void sub_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::sub, {&input, &other}, {}, out);
}

// input * other; logical and for bool.
inline Tensor mul(const Tensor& input, const Tensor& other) { return call1(OpId::mul, {&input, &other}); }
inline Tensor mul_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::mul, {&input, &other});
}
inline void mul_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::mul, {&input, &other}, {}, out);
}

// input / other, true division.
inline Tensor div(const Tensor& input, const Tensor& other) { return call1(OpId::div, {&input, &other}); }
inline Tensor div_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::div, {&input, &other});
}
inline void div_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::div, {&input, &other}, {}, out);
}

// input to the power exponent.
inline Tensor pow(const Tensor& input, const Tensor& exponent) {
  return call1(OpId::pow, {&input, &exponent});
}
inline Tensor pow_(const Tensor& input, const Tensor& exponent) {
  return call1_inplace(OpId::pow, {&input, &exponent});
}
inline void pow_out(const Tensor& input, const Tensor& exponent, const Tensor& out) {
  call_out(OpId::pow, {&input, &exponent}, {}, out);
}

// The larger of input and other; NaN if either is. At ties the gradient is shared equally.
inline Tensor maximum(const Tensor& input, const Tensor& other) {
  return call1(OpId::maximum, {&input, &other});
}
inline Tensor maximum_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::maximum, {&input, &other});
}
inline void maximum_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::maximum, {&input, &other}, {}, out);
}

// The smaller of input and other; NaN if either is. At ties the gradient is shared equally.
inline Tensor minimum(const Tensor& input, const Tensor& other) {
  return call1(OpId::minimum, {&input, &other});
}
inline Tensor minimum_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::minimum, {&input, &other});
}
inline void minimum_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::minimum, {&input, &other}, {}, out);
}

// Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0.
inline Tensor fmod(const Tensor& input, const Tensor& other) { return call1(OpId::fmod, {&input, &other}); }
inline Tensor fmod_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::fmod, {&input, &other});
}
inline void fmod_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::fmod, {&input, &other}, {}, out);
}

// Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0.
inline Tensor remainder(const Tensor& input, const Tensor& other) {
  return call1(OpId::remainder, {&input, &other});
}
inline Tensor remainder_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::remainder, {&input, &other});
}
inline void remainder_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::remainder, {&input, &other}, {}, out);
}

// The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0.
inline Tensor floor_divide(const Tensor& input, const Tensor& other) {
  return call1(OpId::floor_divide, {&input, &other});
}
inline Tensor floor_divide_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::floor_divide, {&input, &other});
}
inline void floor_divide_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::floor_divide, {&input, &other}, {}, out);
}

// Angle of the point (other, input) in radians.
inline Tensor atan2(const Tensor& input, const Tensor& other) { return call1(OpId::atan2, {&input, &other}); }
inline Tensor atan2_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::atan2, {&input, &other});
}
inline void atan2_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::atan2, {&input, &other}, {}, out);
}

// sqrt(input^2 + other^2) without overflow in between.
inline Tensor hypot(const Tensor& input, const Tensor& other) { return call1(OpId::hypot, {&input, &other}); }
inline Tensor hypot_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::hypot, {&input, &other});
}
inline void hypot_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::hypot, {&input, &other}, {}, out);
}

// |input| with the sign of other, that of zeros included.
inline Tensor copysign(const Tensor& input, const Tensor& other) {
  return call1(OpId::copysign, {&input, &other});
}
inline Tensor copysign_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::copysign, {&input, &other});
}
inline void copysign_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::copysign, {&input, &other}, {}, out);
}

// log(exp(input) + exp(other)), without overflow.
inline Tensor logaddexp(const Tensor& input, const Tensor& other) {
  return call1(OpId::logaddexp, {&input, &other});
}
inline void logaddexp_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::logaddexp, {&input, &other}, {}, out);
}

// log2(2^input + 2^other), without overflow.
inline Tensor logaddexp2(const Tensor& input, const Tensor& other) {
  return call1(OpId::logaddexp2, {&input, &other});
}
inline void logaddexp2_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::logaddexp2, {&input, &other}, {}, out);
}

// input * log(other), and 0 where input is 0 unless other is NaN.
inline Tensor xlogy(const Tensor& input, const Tensor& other) { return call1(OpId::xlogy, {&input, &other}); }
inline Tensor xlogy_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::xlogy, {&input, &other});
}
inline void xlogy_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::xlogy, {&input, &other}, {}, out);
}

// input == other.
inline Tensor eq(const Tensor& input, const Tensor& other) { return call1(OpId::eq, {&input, &other}); }

// input != other.
inline Tensor ne(const Tensor& input, const Tensor& other) { return call1(OpId::ne, {&input, &other}); }

// input < other.
inline Tensor lt(const Tensor& input, const Tensor& other) { return call1(OpId::lt, {&input, &other}); }

// input <= other.
inline Tensor le(const Tensor& input, const Tensor& other) { return call1(OpId::le, {&input, &other}); }

// input > other.
inline Tensor gt(const Tensor& input, const Tensor& other) { return call1(OpId::gt, {&input, &other}); }

// input >= other.
inline Tensor ge(const Tensor& input, const Tensor& other) { return call1(OpId::ge, {&input, &other}); }

// input != 0 and other != 0.
inline Tensor logical_and(const Tensor& input, const Tensor& other) {
  return call1(OpId::logical_and, {&input, &other});
}

// input != 0 or other != 0.
inline Tensor logical_or(const Tensor& input, const Tensor& other) {
  return call1(OpId::logical_or, {&input, &other});
}

// Exactly one of input and other is not 0.
inline Tensor logical_xor(const Tensor& input, const Tensor& other) {
  return call1(OpId::logical_xor, {&input, &other});
}

// Bitwise and; logical for bool.
inline Tensor bitwise_and(const Tensor& input, const Tensor& other) {
  return call1(OpId::bitwise_and, {&input, &other});
}
inline Tensor bitwise_and_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::bitwise_and, {&input, &other});
}
inline void bitwise_and_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::bitwise_and, {&input, &other}, {}, out);
}

// Bitwise or; logical for bool.
inline Tensor bitwise_or(const Tensor& input, const Tensor& other) {
  return call1(OpId::bitwise_or, {&input, &other});
}
inline Tensor bitwise_or_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::bitwise_or, {&input, &other});
}
inline void bitwise_or_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::bitwise_or, {&input, &other}, {}, out);
}

// Bitwise exclusive or; logical for bool.
inline Tensor bitwise_xor(const Tensor& input, const Tensor& other) {
  return call1(OpId::bitwise_xor, {&input, &other});
}
inline Tensor bitwise_xor_(const Tensor& input, const Tensor& other) {
  return call1_inplace(OpId::bitwise_xor, {&input, &other});
}
inline void bitwise_xor_out(const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::bitwise_xor, {&input, &other}, {}, out);
}

// ---- pointwise.cpp: with a scalar -------------------------------------------------------------------------

// input + other.
inline Tensor add_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::add_scalar, {&input}, words);
}
inline Tensor add_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::add_scalar, {&input}, words);
}
inline void add_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::add_scalar, {&input}, words, out);
}

// input - other; bool is refused.
inline Tensor sub_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::sub_scalar, {&input}, words);
}
inline Tensor sub_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::sub_scalar, {&input}, words);
}
inline void sub_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::sub_scalar, {&input}, words, out);
}

// other - input; bool is refused.
inline Tensor rsub_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::rsub_scalar, {&input}, words);
}
inline void rsub_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::rsub_scalar, {&input}, words, out);
}

// input * other.
inline Tensor mul_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::mul_scalar, {&input}, words);
}
inline Tensor mul_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::mul_scalar, {&input}, words);
}
inline void mul_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::mul_scalar, {&input}, words, out);
}

// input / other, true division.
inline Tensor div_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::div_scalar, {&input}, words);
}
inline Tensor div_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::div_scalar, {&input}, words);
}
inline void div_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::div_scalar, {&input}, words, out);
}

// other / input, true division.
inline Tensor rdiv_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::rdiv_scalar, {&input}, words);
}
inline void rdiv_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::rdiv_scalar, {&input}, words, out);
}

// input to the power exponent.
inline Tensor pow_scalar(const Tensor& input, Scalar exponent) {
  uint64_t words[] = {word_kind(exponent), word_bits(exponent)};
  return call1(OpId::pow_scalar, {&input}, words);
}
inline Tensor pow_scalar_(const Tensor& input, Scalar exponent) {
  uint64_t words[] = {word_kind(exponent), word_bits(exponent)};
  return call1_inplace(OpId::pow_scalar, {&input}, words);
}
inline void pow_scalar_out(const Tensor& input, Scalar exponent, const Tensor& out) {
  uint64_t words[] = {word_kind(exponent), word_bits(exponent)};
  call_out(OpId::pow_scalar, {&input}, words, out);
}

// other to the power input.
inline Tensor rpow_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::rpow_scalar, {&input}, words);
}
inline void rpow_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::rpow_scalar, {&input}, words, out);
}

// Remainder of input / other with the sign of input.
inline Tensor fmod_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::fmod_scalar, {&input}, words);
}
inline Tensor fmod_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::fmod_scalar, {&input}, words);
}
inline void fmod_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::fmod_scalar, {&input}, words, out);
}

// Remainder of input / other with the sign of other.
inline Tensor remainder_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::remainder_scalar, {&input}, words);
}
inline Tensor remainder_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::remainder_scalar, {&input}, words);
}
inline void remainder_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::remainder_scalar, {&input}, words, out);
}

// The whole number q for which input is q * other + remainder(input, other).
inline Tensor floor_divide_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::floor_divide_scalar, {&input}, words);
}
inline Tensor floor_divide_scalar_(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1_inplace(OpId::floor_divide_scalar, {&input}, words);
}
inline void floor_divide_scalar_out(const Tensor& input, Scalar other, const Tensor& out) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  call_out(OpId::floor_divide_scalar, {&input}, words, out);
}

// input == other.
inline Tensor eq_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::eq_scalar, {&input}, words);
}

// input != other.
inline Tensor ne_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::ne_scalar, {&input}, words);
}

// input < other.
inline Tensor lt_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::lt_scalar, {&input}, words);
}

// input <= other.
inline Tensor le_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::le_scalar, {&input}, words);
}

// input > other.
inline Tensor gt_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::gt_scalar, {&input}, words);
}

// input >= other.
inline Tensor ge_scalar(const Tensor& input, Scalar other) {
  uint64_t words[] = {word_kind(other), word_bits(other)};
  return call1(OpId::ge_scalar, {&input}, words);
}

// input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.
inline Tensor clamp(const Tensor& input, Scalar min = Scalar(), Scalar max = Scalar()) {
  uint64_t words[] = {word_kind(min), word_bits(min), word_kind(max), word_bits(max)};
  return call1(OpId::clamp, {&input}, words);
}
inline Tensor clamp_(const Tensor& input, Scalar min = Scalar(), Scalar max = Scalar()) {
  uint64_t words[] = {word_kind(min), word_bits(min), word_kind(max), word_bits(max)};
  return call1_inplace(OpId::clamp, {&input}, words);
}
inline void clamp_out(const Tensor& input, Scalar min, Scalar max, const Tensor& out) {
  uint64_t words[] = {word_kind(min), word_bits(min), word_kind(max), word_bits(max)};
  call_out(OpId::clamp, {&input}, words, out);
}

// ---- pointwise.cpp: ternary and masks ---------------------------------------------------------------------

// input where condition is true, other elsewhere.
inline Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other) {
  return call1(OpId::where, {&condition, &input, &other});
}
inline void where_out(const Tensor& condition, const Tensor& input, const Tensor& other, const Tensor& out) {
  call_out(OpId::where, {&condition, &input, &other}, {}, out);
}

// value where mask is true, input elsewhere; the result has input's dtype.
inline Tensor masked_fill(const Tensor& input, const Tensor& mask, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::masked_fill, {&input, &mask}, words);
}
inline Tensor masked_fill_(const Tensor& input, const Tensor& mask, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::masked_fill, {&input, &mask}, words);
}

// input + value * tensor1 * tensor2.
inline Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::addcmul, {&input, &tensor1, &tensor2}, words);
}
inline Tensor addcmul_(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::addcmul, {&input, &tensor1, &tensor2}, words);
}
inline void addcmul_out(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                        const Tensor& out) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  call_out(OpId::addcmul, {&input, &tensor1, &tensor2}, words, out);
}

// input + value * tensor1 / tensor2.
inline Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::addcdiv, {&input, &tensor1, &tensor2}, words);
}
inline Tensor addcdiv_(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::addcdiv, {&input, &tensor1, &tensor2}, words);
}
inline void addcdiv_out(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                        const Tensor& out) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  call_out(OpId::addcdiv, {&input, &tensor1, &tensor2}, words, out);
}

// input + weight * (end - input).
inline Tensor lerp(const Tensor& input, const Tensor& end, Scalar weight) {
  uint64_t words[] = {word_kind(weight), word_bits(weight)};
  return call1(OpId::lerp, {&input, &end}, words);
}
inline Tensor lerp_(const Tensor& input, const Tensor& end, Scalar weight) {
  uint64_t words[] = {word_kind(weight), word_bits(weight)};
  return call1_inplace(OpId::lerp, {&input, &end}, words);
}
inline void lerp_out(const Tensor& input, const Tensor& end, Scalar weight, const Tensor& out) {
  uint64_t words[] = {word_kind(weight), word_bits(weight)};
  call_out(OpId::lerp, {&input, &end}, words, out);
}

// ---- activations.cpp --------------------------------------------------------------------------------------

// max(input, 0).
inline Tensor relu(const Tensor& input) { return call1(OpId::relu, {&input}); }
inline Tensor relu_(const Tensor& input) { return call1_inplace(OpId::relu, {&input}); }
inline void relu_out(const Tensor& input, const Tensor& out) { call_out(OpId::relu, {&input}, {}, out); }

// input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).
inline Tensor gelu(const Tensor& input, bool tanh = false) {
  uint64_t words[] = {word(tanh)};
  return call1(OpId::gelu, {&input}, words);
}
inline void gelu_out(const Tensor& input, bool tanh, const Tensor& out) {
  uint64_t words[] = {word(tanh)};
  call_out(OpId::gelu, {&input}, words, out);
}

// input * sigmoid(input).
inline Tensor silu(const Tensor& input) { return call1(OpId::silu, {&input}); }
inline Tensor silu_(const Tensor& input) { return call1_inplace(OpId::silu, {&input}); }
inline void silu_out(const Tensor& input, const Tensor& out) { call_out(OpId::silu, {&input}, {}, out); }

// input * tanh(softplus(input)) (Misra, arXiv:1908.08681).
inline Tensor mish(const Tensor& input) { return call1(OpId::mish, {&input}); }
inline Tensor mish_(const Tensor& input) { return call1_inplace(OpId::mish, {&input}); }
inline void mish_out(const Tensor& input, const Tensor& out) { call_out(OpId::mish, {&input}, {}, out); }

// log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold.
inline Tensor softplus(const Tensor& input, double beta = 1, double threshold = 20) {
  uint64_t words[] = {word(beta), word(threshold)};
  return call1(OpId::softplus, {&input}, words);
}
inline void softplus_out(const Tensor& input, double beta, double threshold, const Tensor& out) {
  uint64_t words[] = {word(beta), word(threshold)};
  call_out(OpId::softplus, {&input}, words, out);
}

// input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289).
inline Tensor elu(const Tensor& input, double alpha = 1) {
  uint64_t words[] = {word(alpha)};
  return call1(OpId::elu, {&input}, words);
}
inline Tensor elu_(const Tensor& input, double alpha = 1) {
  uint64_t words[] = {word(alpha)};
  return call1_inplace(OpId::elu, {&input}, words);
}
inline void elu_out(const Tensor& input, double alpha, const Tensor& out) {
  uint64_t words[] = {word(alpha)};
  call_out(OpId::elu, {&input}, words, out);
}

// input above 0, negative_slope * input below.
inline Tensor leaky_relu(const Tensor& input, double negative_slope = 0.01) {
  uint64_t words[] = {word(negative_slope)};
  return call1(OpId::leaky_relu, {&input}, words);
}
inline Tensor leaky_relu_(const Tensor& input, double negative_slope = 0.01) {
  uint64_t words[] = {word(negative_slope)};
  return call1_inplace(OpId::leaky_relu, {&input}, words);
}
inline void leaky_relu_out(const Tensor& input, double negative_slope, const Tensor& out) {
  uint64_t words[] = {word(negative_slope)};
  call_out(OpId::leaky_relu, {&input}, words, out);
}

// input limited to [min_val, max_val].
inline Tensor hardtanh(const Tensor& input, double min_val = -1, double max_val = 1) {
  uint64_t words[] = {word(min_val), word(max_val)};
  return call1(OpId::hardtanh, {&input}, words);
}
inline Tensor hardtanh_(const Tensor& input, double min_val = -1, double max_val = 1) {
  uint64_t words[] = {word(min_val), word(max_val)};
  return call1_inplace(OpId::hardtanh, {&input}, words);
}
inline void hardtanh_out(const Tensor& input, double min_val, double max_val, const Tensor& out) {
  uint64_t words[] = {word(min_val), word(max_val)};
  call_out(OpId::hardtanh, {&input}, words, out);
}

// clamp(input / 6 + 1/2, 0, 1).
inline Tensor hardsigmoid(const Tensor& input) { return call1(OpId::hardsigmoid, {&input}); }
inline Tensor hardsigmoid_(const Tensor& input) { return call1_inplace(OpId::hardsigmoid, {&input}); }
inline void hardsigmoid_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::hardsigmoid, {&input}, {}, out);
}

// input * hardsigmoid(input) (Howard et al., arXiv:1905.02244).
inline Tensor hardswish(const Tensor& input) { return call1(OpId::hardswish, {&input}); }
inline Tensor hardswish_(const Tensor& input) { return call1_inplace(OpId::hardswish, {&input}); }
inline void hardswish_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::hardswish, {&input}, {}, out);
}

// log(sigmoid(input)).
inline Tensor logsigmoid(const Tensor& input) { return call1(OpId::logsigmoid, {&input}); }
inline void logsigmoid_out(const Tensor& input, const Tensor& out) {
  call_out(OpId::logsigmoid, {&input}, {}, out);
}

// grad where out > 0, else 0.
inline Tensor relu_backward(const Tensor& grad, const Tensor& out) {
  return call1(OpId::relu_backward, {&grad, &out});
}

// grad * out * (1 - out).
inline Tensor sigmoid_backward(const Tensor& grad, const Tensor& out) {
  return call1(OpId::sigmoid_backward, {&grad, &out});
}

// grad * (1 - out^2).
inline Tensor tanh_backward(const Tensor& grad, const Tensor& out) {
  return call1(OpId::tanh_backward, {&grad, &out});
}

// grad * d gelu(input) / d input.
inline Tensor gelu_backward(const Tensor& grad, const Tensor& input, bool tanh) {
  uint64_t words[] = {word(tanh)};
  return call1(OpId::gelu_backward, {&grad, &input}, words);
}

// grad * d silu(input) / d input.
inline Tensor silu_backward(const Tensor& grad, const Tensor& input) {
  return call1(OpId::silu_backward, {&grad, &input});
}

// ---- creation.cpp -----------------------------------------------------------------------------------------

// A tensor filled with fill_value; dtype by its kind (bool, int64, default float).
inline Tensor full(IntList size, Scalar fill_value, DType dtype = DType::none,
                   Device device = kDefaultDevice) {
  AttrWriter words(5);
  words.add(size).add(fill_value).add(int64_t(dtype)).add(int64_t{device.pack()});
  return call1(OpId::full, {}, words.finish());
}

// A tensor with undefined content.
Tensor empty(IntList size, DType dtype = DType::none, Device device = kDefaultDevice);

// A tensor of zeros; default float unless dtype says otherwise.
Tensor zeros(IntList size, DType dtype = DType::none, Device device = kDefaultDevice);

// A tensor of ones; default float unless dtype says otherwise.
Tensor ones(IntList size, DType dtype = DType::none, Device device = kDefaultDevice);

// start, start + step, ... below end; int64 when all three are integers.
inline Tensor arange(Scalar start, Scalar end, Scalar step = 1, DType dtype = DType::none,
                     Device device = kDefaultDevice) {
  uint64_t words[] = {word_kind(start), word_bits(start), word_kind(end), word_bits(end), word_kind(step),
                      word_bits(step), word(dtype), word(device)};
  return call1(OpId::arange, {}, words);
}

// steps values from start to end, both included.
inline Tensor linspace(double start, double end, int64_t steps, DType dtype = DType::none,
                       Device device = kDefaultDevice) {
  uint64_t words[] = {word(start), word(end), word(steps), word(dtype), word(device)};
  return call1(OpId::linspace, {}, words);
}

// base to the power of linspace(start, end, steps).
Tensor logspace(double start, double end, int64_t steps, double base = 10, DType dtype = DType::none,
                Device device = kDefaultDevice);

// n x m matrix (m < 0: n) with ones on the diagonal.
inline Tensor eye(int64_t n, int64_t m = -1, DType dtype = DType::none, Device device = kDefaultDevice) {
  uint64_t words[] = {word(n), word(m), word(dtype), word(device)};
  return call1(OpId::eye, {}, words);
}

// Undefined content with the shape, dtype and device of input.
Tensor empty_like(const Tensor& input, DType dtype = DType::none);

// Zeros with the shape, dtype and device of input.
Tensor zeros_like(const Tensor& input, DType dtype = DType::none);

// Ones with the shape, dtype and device of input.
Tensor ones_like(const Tensor& input, DType dtype = DType::none);

// fill_value with the shape, dtype and device of input.
Tensor full_like(const Tensor& input, Scalar fill_value, DType dtype = DType::none);

// ---- random.cpp -------------------------------------------------------------------------------------------

// Uniform numbers in [low, high) from Philox4x32-10 (Salmon et al., SC11).
inline Tensor philox_uniform(IntList size, double low, double high, int64_t seed, int64_t offset, DType dtype,
                             Device device) {
  AttrWriter words(7);
  words.add(size).add(low).add(high).add(seed).add(offset).add(int64_t(dtype)).add(int64_t{device.pack()});
  return call1(OpId::philox_uniform, {}, words.finish());
}

// Normal numbers by Box-Muller over Philox4x32-10.
inline Tensor philox_normal(IntList size, double mean, double std, int64_t seed, int64_t offset, DType dtype,
                            Device device) {
  AttrWriter words(7);
  words.add(size).add(mean).add(std).add(seed).add(offset).add(int64_t(dtype)).add(int64_t{device.pack()});
  return call1(OpId::philox_normal, {}, words.finish());
}

// Integers in [low, high).
inline Tensor philox_randint(IntList size, int64_t low, int64_t high, int64_t seed, int64_t offset,
                             DType dtype, Device device) {
  AttrWriter words(7);
  words.add(size).add(low).add(high).add(seed).add(offset).add(int64_t(dtype)).add(int64_t{device.pack()});
  return call1(OpId::philox_randint, {}, words.finish());
}

// 1 with the probability that input holds, else 0.
inline Tensor philox_bernoulli(const Tensor& input, int64_t seed, int64_t offset) {
  uint64_t words[] = {word(seed), word(offset)};
  return call1(OpId::philox_bernoulli, {&input}, words);
}

// A permutation of 0..n-1.
inline Tensor philox_randperm(int64_t n, int64_t seed, int64_t offset, DType dtype, Device device) {
  uint64_t words[] = {word(n), word(seed), word(offset), word(dtype), word(device)};
  return call1(OpId::philox_randperm, {}, words);
}

// input / (1 - p) where kept, 0 elsewhere; mask is bool. Returns {out, mask}.
inline std::array<Tensor, 2> philox_dropout(const Tensor& input, double p, int64_t seed, int64_t offset) {
  uint64_t words[] = {word(p), word(seed), word(offset)};
  return call2(OpId::philox_dropout, {&input}, words);
}

// num_samples indices per row drawn by weight.
inline Tensor philox_multinomial(const Tensor& input, int64_t num_samples, bool replacement, int64_t seed,
                                 int64_t offset) {
  uint64_t words[] = {word(num_samples), word(replacement), word(seed), word(offset)};
  return call1(OpId::philox_multinomial, {&input}, words);
}

// Uniform numbers in [0, 1).
Tensor rand(IntList size, DType dtype = DType::none, Device device = kDefaultDevice,
            Generator* generator = nullptr);

// Standard normal numbers.
Tensor randn(IntList size, DType dtype = DType::none, Device device = kDefaultDevice,
             Generator* generator = nullptr);

// Integers in [low, high); int64 unless dtype says otherwise.
Tensor randint(int64_t low, int64_t high, IntList size, DType dtype = DType::none,
               Device device = kDefaultDevice, Generator* generator = nullptr);

// A random permutation of 0..n-1; int64 unless dtype says otherwise.
Tensor randperm(int64_t n, DType dtype = DType::none, Device device = kDefaultDevice,
                Generator* generator = nullptr);

// Uniform numbers in [low, high).
Tensor uniform(IntList size, double low, double high, DType dtype = DType::none,
               Device device = kDefaultDevice, Generator* generator = nullptr);

// Normal numbers with that mean and standard deviation.
Tensor normal(double mean, double std, IntList size, DType dtype = DType::none,
              Device device = kDefaultDevice, Generator* generator = nullptr);

// 1 with the probability that input holds, else 0; dtype of input.
Tensor bernoulli(const Tensor& input, Generator* generator = nullptr);

// num_samples int64 indices per row of input (1-d or 2-d), drawn by its weights.
Tensor multinomial(const Tensor& input, int64_t num_samples, bool replacement = false,
                   Generator* generator = nullptr);

// Uniform numbers in [0, 1) with the shape of input.
Tensor rand_like(const Tensor& input, DType dtype = DType::none, Generator* generator = nullptr);

// Standard normal numbers with the shape of input.
Tensor randn_like(const Tensor& input, DType dtype = DType::none, Generator* generator = nullptr);

// Zeroes each element with probability p and scales the rest by 1 / (1 - p); input itself when not training
// (Srivastava et al., JMLR 2014).
Tensor dropout(const Tensor& input, double p = 0.5, bool training = true, Generator* generator = nullptr);

// ---- views.cpp --------------------------------------------------------------------------------------------

// A view with given sizes and strides (elements); offset counts from input's first element.
inline Tensor as_strided(const Tensor& input, IntList size, IntList stride, int64_t offset = 0) {
  AttrWriter words(3);
  words.add(size).add(stride).add(offset);
  return call1(OpId::as_strided, {&input}, words.finish());
}

// The same memory with another shape; one size may be -1. Fails when strides do not allow it: use reshape.
inline Tensor view(const Tensor& input, IntList size) {
  AttrWriter words(1);
  words.add(size);
  return call1(OpId::view, {&input}, words.finish());
}

// Dimensions in the order dims.
inline Tensor permute(const Tensor& input, IntList dims) {
  AttrWriter words(1);
  words.add(dims);
  return call1(OpId::permute, {&input}, words.finish());
}

// Two dimensions exchanged.
inline Tensor transpose(const Tensor& input, int64_t dim0, int64_t dim1) {
  uint64_t words[] = {word(dim0), word(dim1)};
  return call1(OpId::transpose, {&input}, words);
}

// Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front.
inline Tensor expand(const Tensor& input, IntList size) {
  AttrWriter words(1);
  words.add(size);
  return call1(OpId::expand, {&input}, words.finish());
}

// Without the dimension dim if it has size 1; absent: without all of size 1.
inline Tensor squeeze(const Tensor& input, int64_t dim = kNone) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::squeeze, {&input}, words);
}

// A new dimension of size 1 at dim.
inline Tensor unsqueeze(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::unsqueeze, {&input}, words);
}

// input[start:end:step] along dim with Python's clipping; step > 0.
inline Tensor slice(const Tensor& input, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  uint64_t words[] = {word(dim), word(start), word(end), word(step)};
  return call1(OpId::slice, {&input}, words);
}

// input at index along dim, without that dimension; negative counts from the end.
inline Tensor select(const Tensor& input, int64_t dim, int64_t index) {
  uint64_t words[] = {word(dim), word(index)};
  return call1(OpId::select, {&input}, words);
}

// The diagonal of two dimensions as a new last dimension.
inline Tensor diagonal(const Tensor& input, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  uint64_t words[] = {word(offset), word(dim1), word(dim2)};
  return call1(OpId::diagonal, {&input}, words);
}

// All windows of `size` along dimension, `step` apart, as a new last dimension.
inline Tensor unfold(const Tensor& input, int64_t dimension, int64_t size, int64_t step) {
  uint64_t words[] = {word(dimension), word(size), word(step)};
  return call1(OpId::unfold, {&input}, words);
}

// The same memory without its history.
inline Tensor detach(const Tensor& input) { return call1(OpId::detach, {&input}); }

// The same memory as a new tensor, history kept.
inline Tensor alias(const Tensor& input) { return call1(OpId::alias, {&input}); }

// Another shape; a view where strides allow it, else a copy. One size may be -1.
Tensor reshape(const Tensor& input, IntList shape);

// Dimensions start_dim..end_dim joined into one.
Tensor flatten(const Tensor& input, int64_t start_dim = 0, int64_t end_dim = -1);

// Dimension dim split into sizes; one may be -1.
Tensor unflatten(const Tensor& input, int64_t dim, IntList sizes);

// Transpose of a tensor of at most 2 dimensions.
Tensor t(const Tensor& input);

// Dimension source moved to destination.
Tensor movedim(const Tensor& input, int64_t source, int64_t destination);

// input[start : start + length] along dim.
Tensor narrow(const Tensor& input, int64_t dim, int64_t start, int64_t length);

// input expanded to the shape of other.
Tensor expand_as(const Tensor& input, const Tensor& other);

// Views of `split_size` along dim; the last may be smaller.
std::vector<Tensor> split(const Tensor& input, int64_t split_size, int64_t dim = 0);

// Views of the sizes split_sizes along dim; they add up to its size.
std::vector<Tensor> split_sizes(const Tensor& input, IntList split_sizes, int64_t dim = 0);

// At most `chunks` views of equal size along dim; the last may be smaller.
std::vector<Tensor> chunk(const Tensor& input, int64_t chunks, int64_t dim = 0);

// One view for each index of dim, without that dimension.
std::vector<Tensor> unbind(const Tensor& input, int64_t dim = 0);

// ---- copies.cpp -------------------------------------------------------------------------------------------

// input in another element type, dense; floats are truncated towards 0 for integers.
inline Tensor cast(const Tensor& input, DType dtype) {
  uint64_t words[] = {word(dtype)};
  return call1(OpId::cast, {&input}, words);
}

// A dense row-major copy, from any layout.
inline Tensor contiguous_copy(const Tensor& input) { return call1(OpId::contiguous_copy, {&input}); }

// input itself when dense and row-major, else a copy that is.
Tensor contiguous(const Tensor& input);

// A copy with its own memory; gradients flow through.
Tensor clone(const Tensor& input);

// src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a view
// that overlaps it.
inline Tensor copy(const Tensor& input, const Tensor& src) { return call1(OpId::copy, {&input, &src}); }
inline Tensor copy_(const Tensor& input, const Tensor& src) {
  return call1_inplace(OpId::copy, {&input, &src});
}

// A copy on another device.
inline Tensor to_device(const Tensor& input, Device device, bool non_blocking = false) {
  uint64_t words[] = {word(device), word(non_blocking)};
  return call1(OpId::to_device, {&input}, words);
}

// input in another dtype and on another device; device 0 keeps input's. input itself when neither changes.
Tensor to(const Tensor& input, DType dtype = DType::none, Device device = kDefaultDevice,
          bool non_blocking = false);

// value in the shape of input; fill_ writes input's memory.
inline Tensor fill(const Tensor& input, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::fill, {&input}, words);
}
inline Tensor fill_(const Tensor& input, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::fill, {&input}, words);
}

// A copy of input in which as_strided(size, stride, offset) holds src.
inline Tensor as_strided_scatter(const Tensor& input, const Tensor& src, IntList size, IntList stride,
                                 int64_t offset = 0) {
  AttrWriter words(3);
  words.add(size).add(stride).add(offset);
  return call1(OpId::as_strided_scatter, {&input, &src}, words.finish());
}

// Tensors joined along dim; other sizes are equal, dtypes are promoted.
inline Tensor cat(std::span<const Tensor> tensors, int64_t dim = 0) {
  uint64_t words[] = {word(dim)};
  return call1_list(OpId::cat, {}, tensors, words);
}

// Equal shapes joined along a new dimension.
Tensor stack(std::span<const Tensor> tensors, int64_t dim = 0);

// A copy with those dimensions reversed.
inline Tensor flip(const Tensor& input, IntList dims) {
  AttrWriter words(1);
  words.add(dims);
  return call1(OpId::flip, {&input}, words.finish());
}

// A copy shifted cyclically; empty dims: flattened, then restored.
inline Tensor roll(const Tensor& input, IntList shifts, IntList dims) {
  AttrWriter words(2);
  words.add(shifts).add(dims);
  return call1(OpId::roll, {&input}, words.finish());
}

// A copy tiled that many times along each dimension.
Tensor repeat(const Tensor& input, IntList repeats);

// Elements on and below a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor tril(const Tensor& input, int64_t diagonal = 0) {
  uint64_t words[] = {word(diagonal)};
  return call1(OpId::tril, {&input}, words);
}

// Elements on and above a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor triu(const Tensor& input, int64_t diagonal = 0) {
  uint64_t words[] = {word(diagonal)};
  return call1(OpId::triu, {&input}, words);
}

// ---- reduce.cpp (an empty list means all dimensions) ------------------------------------------------------

// Sum over dim; integers and bool in int64.
inline Tensor sum(const Tensor& input, IntList dim = {}, bool keepdim = false, DType dtype = DType::none) {
  AttrWriter words(3);
  words.add(dim).add(int64_t(keepdim)).add(int64_t(dtype));
  return call1(OpId::sum, {&input}, words.finish());
}
inline void sum_out(const Tensor& input, IntList dim, bool keepdim, DType dtype, const Tensor& out) {
  AttrWriter words(3);
  words.add(dim).add(int64_t(keepdim)).add(int64_t(dtype));
  call_out(OpId::sum, {&input}, words.finish(), out);
}

// Mean over dim; floats only.
inline Tensor mean(const Tensor& input, IntList dim = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dim).add(int64_t(keepdim));
  return call1(OpId::mean, {&input}, words.finish());
}

// Product over dim; integers and bool in int64.
inline Tensor prod(const Tensor& input, IntList dim = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dim).add(int64_t(keepdim));
  return call1(OpId::prod, {&input}, words.finish());
}

// Largest value over dim; NaN wins. Gradients are shared equally at ties.
inline Tensor amax(const Tensor& input, IntList dim = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dim).add(int64_t(keepdim));
  return call1(OpId::amax, {&input}, words.finish());
}

// Smallest value over dim; NaN wins. Gradients are shared equally at ties.
inline Tensor amin(const Tensor& input, IntList dim = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dim).add(int64_t(keepdim));
  return call1(OpId::amin, {&input}, words.finish());
}

// Largest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::array<Tensor, 2> max_dim(const Tensor& input, int64_t dim, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call2(OpId::max_dim, {&input}, words);
}

// Smallest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::array<Tensor, 2> min_dim(const Tensor& input, int64_t dim, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call2(OpId::min_dim, {&input}, words);
}

// First index of the largest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmax(const Tensor& input, int64_t dim = kNone, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call1(OpId::argmax, {&input}, words);
}

// First index of the smallest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmin(const Tensor& input, int64_t dim = kNone, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call1(OpId::argmin, {&input}, words);
}

// True where some element over dim is not 0.
inline Tensor any(const Tensor& input, IntList dim = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dim).add(int64_t(keepdim));
  return call1(OpId::any, {&input}, words.finish());
}

// True where every element over dim is not 0.
inline Tensor all(const Tensor& input, IntList dim = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dim).add(int64_t(keepdim));
  return call1(OpId::all, {&input}, words.finish());
}

// Variance over dim with divisor n - correction (two passes).
inline Tensor var(const Tensor& input, IntList dim = {}, int64_t correction = 1, bool keepdim = false) {
  AttrWriter words(3);
  words.add(dim).add(correction).add(int64_t(keepdim));
  return call1(OpId::var, {&input}, words.finish());
}

// Square root of var.
Tensor std(const Tensor& input, IntList dim = {}, int64_t correction = 1, bool keepdim = false);

// p-norm over dim; p may be 0, 1, 2, any positive number or +-infinity.
Tensor norm(const Tensor& input, double p = 2, IntList dim = {}, bool keepdim = false);

// log(sum(exp(input))) over dim, shifted by the maximum.
Tensor logsumexp(const Tensor& input, IntList dim = {}, bool keepdim = false);

// Running sum along dim; integers and bool in int64.
inline Tensor cumsum(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::cumsum, {&input}, words);
}

// Running product along dim; integers and bool in int64.
inline Tensor cumprod(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::cumprod, {&input}, words);
}

// Number of elements that are not 0 (int64).
Tensor count_nonzero(const Tensor& input, IntList dim = {});

// input summed over the dimensions that broadcasting from size had added.
Tensor sum_to_size(const Tensor& input, IntList size);

// ---- matmul.cpp -------------------------------------------------------------------------------------------

// Matrix product (M, K) x (K, N) -> (M, N).
inline Tensor mm(const Tensor& input, const Tensor& mat2) { return call1(OpId::mm, {&input, &mat2}); }
inline void mm_out(const Tensor& input, const Tensor& mat2, const Tensor& out) {
  call_out(OpId::mm, {&input, &mat2}, {}, out);
}

// Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N).
inline Tensor bmm(const Tensor& input, const Tensor& mat2) { return call1(OpId::bmm, {&input, &mat2}); }
inline void bmm_out(const Tensor& input, const Tensor& mat2, const Tensor& out) {
  call_out(OpId::bmm, {&input, &mat2}, {}, out);
}

// beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N).
inline Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
                    Scalar alpha = 1) {
  uint64_t words[] = {word_kind(beta), word_bits(beta), word_kind(alpha), word_bits(alpha)};
  return call1(OpId::addmm, {&input, &mat1, &mat2}, words);
}

// input @ weight^T + bias: input (*, in), weight (out, in), bias (out) -> (*, out).
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = Tensor()) {
  return call1(OpId::linear, {&input, &weight, &bias});
}

// Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that
// broadcast.
Tensor matmul(const Tensor& input, const Tensor& other);

// Matrix-vector product (M, K) x (K) -> (M).
Tensor mv(const Tensor& input, const Tensor& vec);

// Sum of products of two vectors: (K) x (K) -> ().
Tensor dot(const Tensor& input, const Tensor& tensor);

// (M) x (N) -> (M, N).
Tensor outer(const Tensor& input, const Tensor& vec2);

// beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to (B, M,
// N).
Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
               Scalar alpha = 1);

// ---- index.cpp --------------------------------------------------------------------------------------------

// Slices of input along dim at the 1-d index.
inline Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::index_select, {&input, &index}, words);
}

// out[i][j] = input[index[i][j]][j] for dim 0, and so on; index has input's rank.
inline Tensor gather(const Tensor& input, int64_t dim, const Tensor& index) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::gather, {&input, &index}, words);
}

// A copy of input with src written where index points along dim; for repeated indices one of the writes wins.
inline Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter, {&input, &index, &src}, words);
}
inline Tensor scatter_(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1_inplace(OpId::scatter, {&input, &index, &src}, words);
}

// A copy of input with src added where index points along dim.
inline Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_add, {&input, &index, &src}, words);
}
inline Tensor scatter_add_(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1_inplace(OpId::scatter_add, {&input, &index, &src}, words);
}

// A copy of input with the slices of source added at the 1-d index along dim.
inline Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::index_add, {&input, &index, &source}, words);
}
inline Tensor index_add_(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  uint64_t words[] = {word(dim)};
  return call1_inplace(OpId::index_add, {&input, &index, &source}, words);
}

// NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.
inline Tensor index(const Tensor& input, std::span<const Tensor> indices) {
  return call1_list(OpId::index, {&input}, indices);
}

// A copy of input with values written (or added) where advanced indexing points.
inline Tensor index_put(const Tensor& input, std::span<const Tensor> indices, const Tensor& values,
                        bool accumulate = false) {
  uint64_t words[] = {word(accumulate)};
  return call1_list(OpId::index_put, {&input, &values}, indices, words);
}
inline Tensor index_put_(const Tensor& input, std::span<const Tensor> indices, const Tensor& values,
                         bool accumulate = false) {
  uint64_t words[] = {word(accumulate)};
  return call1_list_inplace(OpId::index_put, {&input, &values}, indices, words);
}

// The elements where mask is true, as a vector.
inline Tensor masked_select(const Tensor& input, const Tensor& mask) {
  return call1(OpId::masked_select, {&input, &mask});
}

// Indices of the elements that are not 0: (count, ndim), int64.
inline Tensor nonzero(const Tensor& input) { return call1(OpId::nonzero, {&input}); }

// A copy of input with consecutive elements of source where mask is true.
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source);

// int64 tensor with 1 at each index that input holds, along a new last dimension; num_classes < 0: the
// largest index and 1.
Tensor one_hot(const Tensor& input, int64_t num_classes = -1);

// Stable sort along dim; NaN counts as largest. Returns {values, indices}.
inline std::array<Tensor, 2> sort(const Tensor& input, int64_t dim = -1, bool descending = false) {
  uint64_t words[] = {word(dim), word(descending)};
  return call2(OpId::sort, {&input}, words);
}

// Indices that sort input along dim.
Tensor argsort(const Tensor& input, int64_t dim = -1, bool descending = false);

// The k largest (or smallest) elements along dim, sorted. Returns {values, indices}.
inline std::array<Tensor, 2> topk(const Tensor& input, int64_t k, int64_t dim = -1, bool largest = true) {
  uint64_t words[] = {word(k), word(dim), word(largest)};
  return call2(OpId::topk, {&input}, words);
}

// The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest. Returns {values,
// indices}.
std::array<Tensor, 2> kthvalue(const Tensor& input, int64_t k, int64_t dim = -1, bool keepdim = false);

// Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared equally
// at ties.
Tensor median(const Tensor& input);

// Median of the elements that are not NaN.
Tensor nanmedian(const Tensor& input);

// Middle element along dim, the lower of two, and where it stands; NaN if any is. Returns {values, indices}.
std::array<Tensor, 2> median_dim(const Tensor& input, int64_t dim, bool keepdim = false);

// Middle along dim of the elements that are not NaN, and where it stands. Returns {values, indices}.
std::array<Tensor, 2> nanmedian_dim(const Tensor& input, int64_t dim, bool keepdim = false);

// Where each element of input keeps the last dimension of sorted_sequence in order (int64): before equal
// elements, or after them with right. sorted_sequence has one dimension, or the leading ones of input.
inline Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input, bool right = false) {
  uint64_t words[] = {word(right)};
  return call1(OpId::searchsorted, {&sorted_sequence, &input}, words);
}

// searchsorted of input in the vector boundaries.
Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool right = false);

// True where an element of elements is among those of test, or is not with invert. NaN is not.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool invert = false);

// How often each of 0, 1, ... stands in the integer vector input, or the sum of its weights; at least
// minlength counts.
Tensor bincount(const Tensor& input, const Tensor& weights = Tensor(), int64_t minlength = 0);

// Counts in bins of equal width from min to max, both included; equal limits mean those of the data.
Tensor histc(const Tensor& input, int64_t bins = 100, double min = 0, double max = 0);

// Rows of weight (V, D) at indices (*) -> (*, D); row padding_idx gets no gradient.
inline Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1) {
  uint64_t words[] = {word(padding_idx)};
  return call1(OpId::embedding, {&weight, &indices}, words);
}

// Sums the rows of grad into a (rows, D) tensor.
inline Tensor embedding_backward(const Tensor& grad, const Tensor& indices, int64_t rows,
                                 int64_t padding_idx) {
  uint64_t words[] = {word(rows), word(padding_idx)};
  return call1(OpId::embedding_backward, {&grad, &indices}, words);
}

// ---- scan.cpp ---------------------------------------------------------------------------------------------

// Largest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
// indices}.
inline std::array<Tensor, 2> cummax(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call2(OpId::cummax, {&input}, words);
}

// Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
// indices}.
inline std::array<Tensor, 2> cummin(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call2(OpId::cummin, {&input}, words);
}

// log(cumsum(exp(input))) along dim, without overflow; floats only.
inline Tensor logcumsumexp(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::logcumsumexp, {&input}, words);
}

// y[i] = input[i] + decay[i] y[i - 1] along dim; in reverse y[i] = input[i] + decay[i + 1] y[i + 1].
inline Tensor linear_scan(const Tensor& input, const Tensor& decay, int64_t dim, bool reverse) {
  uint64_t words[] = {word(dim), word(reverse)};
  return call1(OpId::linear_scan, {&input, &decay}, words);
}

// ---- scatter_reduce.cpp (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) --------------------

// A copy of input multiplied by src where index points along dim.
inline Tensor scatter_prod(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_prod, {&input, &index, &src}, words);
}

// A copy of input raised to src where index points along dim; NaN wins.
inline Tensor scatter_amax(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_amax, {&input, &index, &src}, words);
}

// A copy of input lowered to src where index points along dim; NaN wins.
inline Tensor scatter_amin(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_amin, {&input, &index, &src}, words);
}

// A copy of input in which the elements that index points to along dim are reduced with those of src; without
// include_self, of src alone. Means of integers are rounded down.
Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                      int64_t reduce, bool include_self = true);

// scatter_reduce of whole slices of source at the 1-d index along dim.
Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source,
                    int64_t reduce, bool include_self = true);

// ---- conv.cpp ---------------------------------------------------------------------------------------------

// Cross-correlation: input (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W').
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                     IntList padding, IntList dilation, int64_t groups = 1) {
  AttrWriter words(4);
  words.add(stride).add(padding).add(dilation).add(groups);
  return call1(OpId::conv2d, {&input, &weight, &bias}, words.finish());
}

// Gradient of conv2d for input; the transposed convolution.
inline Tensor conv2d_input(const Tensor& grad, const Tensor& weight, IntList input_size, IntList stride,
                           IntList padding, IntList dilation, int64_t groups) {
  AttrWriter words(5);
  words.add(input_size).add(stride).add(padding).add(dilation).add(groups);
  return call1(OpId::conv2d_input, {&grad, &weight}, words.finish());
}

// Gradient of conv2d for weight.
inline Tensor conv2d_weight(const Tensor& grad, const Tensor& input, IntList weight_size, IntList stride,
                            IntList padding, IntList dilation, int64_t groups) {
  AttrWriter words(5);
  words.add(weight_size).add(stride).add(padding).add(dilation).add(groups);
  return call1(OpId::conv2d_weight, {&grad, &input}, words.finish());
}

// (N, C, H, W) summed to (C).
inline Tensor channel_sum(const Tensor& input) { return call1(OpId::channel_sum, {&input}); }

// Maximum of each window and where it stood in the H x W plane (int32). Returns {out, indices}.
inline std::array<Tensor, 2> max_pool2d_indices(const Tensor& input, IntList kernel_size, IntList stride,
                                                IntList padding, IntList dilation, bool ceil_mode = false) {
  AttrWriter words(5);
  words.add(kernel_size).add(stride).add(padding).add(dilation).add(int64_t(ceil_mode));
  return call2(OpId::max_pool2d_indices, {&input}, words.finish());
}

// Adds grad where the maxima stood.
inline Tensor max_pool2d_backward(const Tensor& grad, const Tensor& indices, IntList input_size) {
  AttrWriter words(1);
  words.add(input_size);
  return call1(OpId::max_pool2d_backward, {&grad, &indices}, words.finish());
}

// Reads input (N, C, H, W) where the maxima stood.
inline Tensor max_pool2d_gather(const Tensor& input, const Tensor& indices) {
  return call1(OpId::max_pool2d_gather, {&input, &indices});
}

// Maximum of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding
// counts as -infinity.
Tensor max_pool2d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, IntList dilation,
                  bool ceil_mode = false);

// Mean of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size.
inline Tensor avg_pool2d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding,
                         bool ceil_mode = false, bool count_include_pad = true) {
  AttrWriter words(5);
  words.add(kernel_size).add(stride).add(padding).add(int64_t(ceil_mode)).add(int64_t(count_include_pad));
  return call1(OpId::avg_pool2d, {&input}, words.finish());
}

// Spreads grad evenly over each window.
inline Tensor avg_pool2d_backward(const Tensor& grad, IntList input_size, IntList kernel_size, IntList stride,
                                  IntList padding, bool ceil_mode, bool count_include_pad) {
  AttrWriter words(6);
  words.add(input_size).add(kernel_size).add(stride).add(padding).add(int64_t(ceil_mode));
  words.add(int64_t(count_include_pad));
  return call1(OpId::avg_pool2d_backward, {&grad}, words.finish());
}

// Mean over a grid of output_size windows of input (N, C, H, W) or (C, H, W).
inline Tensor adaptive_avg_pool2d(const Tensor& input, IntList output_size) {
  AttrWriter words(1);
  words.add(output_size);
  return call1(OpId::adaptive_avg_pool2d, {&input}, words.finish());
}

// Spreads grad evenly over each window.
inline Tensor adaptive_avg_pool2d_backward(const Tensor& grad, IntList input_size) {
  AttrWriter words(1);
  words.add(input_size);
  return call1(OpId::adaptive_avg_pool2d_backward, {&grad}, words.finish());
}

// ---- norm.cpp ---------------------------------------------------------------------------------------------

// exp(input) / sum(exp(input)) along dim, shifted by the maximum.
inline Tensor softmax(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::softmax, {&input}, words);
}
inline void softmax_out(const Tensor& input, int64_t dim, const Tensor& out) {
  uint64_t words[] = {word(dim)};
  call_out(OpId::softmax, {&input}, words, out);
}

// log(softmax(input)) along dim, without overflow.
inline Tensor log_softmax(const Tensor& input, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::log_softmax, {&input}, words);
}
inline void log_softmax_out(const Tensor& input, int64_t dim, const Tensor& out) {
  uint64_t words[] = {word(dim)};
  call_out(OpId::log_softmax, {&input}, words, out);
}

// out * (grad - sum(grad * out)).
inline Tensor softmax_backward(const Tensor& grad, const Tensor& out, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::softmax_backward, {&grad, &out}, words);
}

// grad - exp(out) * sum(grad).
inline Tensor log_softmax_backward(const Tensor& grad, const Tensor& out, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::log_softmax_backward, {&grad, &out}, words);
}

// input (N, C, *) normalised by the statistics of the batch over all but C; var has the divisor n. Returns
// {out, mean, var}.
inline std::array<Tensor, 3> batch_norm_stats(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                              double eps) {
  uint64_t words[] = {word(eps)};
  return call3(OpId::batch_norm_stats, {&input, &weight, &bias}, words);
}

// input (N, C, *) normalised by given statistics.
inline Tensor batch_norm_apply(const Tensor& input, const Tensor& weight, const Tensor& bias,
                               const Tensor& mean, const Tensor& var, double eps) {
  uint64_t words[] = {word(eps)};
  return call1(OpId::batch_norm_apply, {&input, &weight, &bias, &mean, &var}, words);
}

// Gradients of batch_norm_stats. Returns {dx, dweight, dbias}.
inline std::array<Tensor, 3> batch_norm_backward(const Tensor& grad, const Tensor& input,
                                                 const Tensor& weight, const Tensor& mean, const Tensor& var,
                                                 double eps) {
  uint64_t words[] = {word(eps)};
  return call3(OpId::batch_norm_backward, {&grad, &input, &weight, &mean, &var}, words);
}

// (input - mean) / sqrt(var + eps) * weight + bias per channel of input (N, C, *); the others are (C);
// updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double momentum = 0.1, double eps = 1e-5);

// input normalised over its last dimensions; mean and rstd have one element per row. Returns {out, mean,
// rstd}.
inline std::array<Tensor, 3> layer_norm_stats(const Tensor& input, IntList normalized_shape,
                                              const Tensor& weight, const Tensor& bias, double eps) {
  AttrWriter words(2);
  words.add(normalized_shape).add(eps);
  return call3(OpId::layer_norm_stats, {&input, &weight, &bias}, words.finish());
}

// Gradients of layer_norm_stats. Returns {dx, dweight, dbias}.
inline std::array<Tensor, 3> layer_norm_backward(const Tensor& grad, const Tensor& input,
                                                 IntList normalized_shape, const Tensor& weight,
                                                 const Tensor& mean, const Tensor& rstd) {
  AttrWriter words(1);
  words.add(normalized_shape);
  return call3(OpId::layer_norm_backward, {&grad, &input, &weight, &mean, &rstd}, words.finish());
}

// (input - mean) / sqrt(var + eps) * weight + bias over the last dimensions normalized_shape (Ba et al.,
// arXiv:1607.06450).
Tensor layer_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight = Tensor(),
                  const Tensor& bias = Tensor(), double eps = 1e-5);

// ---- loss.cpp (reduction: 0 none, 1 mean, 2 sum) ----------------------------------------------------------

// Per-row loss of logits (N, C) against class indices (N), with the weight and log-sum-exp of each row.
// Returns {loss, row_weight, lse}.
inline std::array<Tensor, 3> cross_entropy_rows(const Tensor& input, const Tensor& target,
                                                const Tensor& weight, int64_t ignore_index,
                                                double label_smoothing) {
  uint64_t words[] = {word(ignore_index), word(label_smoothing)};
  return call3(OpId::cross_entropy_rows, {&input, &target, &weight}, words);
}

// Gradient of the per-row losses.
inline Tensor cross_entropy_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& target,
                                          const Tensor& weight, const Tensor& lse, int64_t ignore_index,
                                          double label_smoothing) {
  uint64_t words[] = {word(ignore_index), word(label_smoothing)};
  return call1(OpId::cross_entropy_rows_backward, {&grad, &input, &target, &weight, &lse}, words);
}

// -log softmax(input)[target]: input (N, C, *) against class indices (N, *) of int64, or probabilities of
// input's shape.
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                     int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0);

// -input[target] for log-probabilities input (N, C, *) and class indices target (N, *), int64.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                int64_t reduction = 1, int64_t ignore_index = -100);

// (input - target)^2; the shapes broadcast.
Tensor mse_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1);

// |input - target|; the shapes broadcast.
Tensor l1_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1);

// Quadratic below beta, linear above (Girshick, arXiv:1504.08083).
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1, double beta = 1);

// Huber's loss: delta times smooth_l1_loss with beta = delta.
Tensor huber_loss(const Tensor& input, const Tensor& target, int64_t reduction = 1, double delta = 1);

// -(target log input + (1 - target) log(1 - input)); logarithms are limited to -100 as in PyTorch.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = Tensor(),
                            int64_t reduction = 1);

// binary_cross_entropy of sigmoid(input), without overflow.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight = Tensor(), const Tensor& pos_weight = Tensor(),
                                        int64_t reduction = 1);

// target (log target - input) for log-probabilities input.
Tensor kl_div(const Tensor& input, const Tensor& target, int64_t reduction = 1, bool log_target = false);

// ---- optimizer.cpp (in place over lists; the optimizers call them) ----------------------------------------

// One step of the optimizer `rule` (optimizers.h) with the options of modules.def: n parameters, n gradients,
// then n states for each bit of slots.
inline void optimizer_step(int64_t rule, int64_t n, int64_t slots, bool fresh, int64_t step, double lr,
                           std::span<const double> options, std::span<const Tensor> params,
                           std::span<const Tensor> grads, std::span<const Tensor> states) {
  AttrWriter words(7);
  words.add(rule).add(n).add(slots).add(int64_t(fresh)).add(step).add(lr).add(options);
  call_lists_effect(OpId::optimizer_step, {params, grads, states}, words.finish());
}

}  // namespace haft::ops
