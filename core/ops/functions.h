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

// Absolute value |x|.
inline Tensor abs(const Tensor& x) { return call1(OpId::abs, {&x}); }
inline Tensor abs_(const Tensor& x) { return call1_inplace(OpId::abs, {&x}); }
inline void abs_out(const Tensor& x, const Tensor& out) { call_out(OpId::abs, {&x}, {}, out); }

// Negative -x; bool is refused.
inline Tensor neg(const Tensor& x) { return call1(OpId::neg, {&x}); }
inline Tensor neg_(const Tensor& x) { return call1_inplace(OpId::neg, {&x}); }
inline void neg_out(const Tensor& x, const Tensor& out) { call_out(OpId::neg, {&x}, {}, out); }

// -1, 0 or 1 by the sign of x; NaN stays NaN.
inline Tensor sign(const Tensor& x) { return call1(OpId::sign, {&x}); }
inline Tensor sign_(const Tensor& x) { return call1_inplace(OpId::sign, {&x}); }
inline void sign_out(const Tensor& x, const Tensor& out) { call_out(OpId::sign, {&x}, {}, out); }

// e to the power x.
inline Tensor exp(const Tensor& x) { return call1(OpId::exp, {&x}); }
inline Tensor exp_(const Tensor& x) { return call1_inplace(OpId::exp, {&x}); }
inline void exp_out(const Tensor& x, const Tensor& out) { call_out(OpId::exp, {&x}, {}, out); }

// 2 to the power x.
inline Tensor exp2(const Tensor& x) { return call1(OpId::exp2, {&x}); }
inline Tensor exp2_(const Tensor& x) { return call1_inplace(OpId::exp2, {&x}); }
inline void exp2_out(const Tensor& x, const Tensor& out) { call_out(OpId::exp2, {&x}, {}, out); }

// exp(x) - 1, accurate near 0.
inline Tensor expm1(const Tensor& x) { return call1(OpId::expm1, {&x}); }
inline Tensor expm1_(const Tensor& x) { return call1_inplace(OpId::expm1, {&x}); }
inline void expm1_out(const Tensor& x, const Tensor& out) { call_out(OpId::expm1, {&x}, {}, out); }

// Natural logarithm; -inf at 0, NaN below.
inline Tensor log(const Tensor& x) { return call1(OpId::log, {&x}); }
inline Tensor log_(const Tensor& x) { return call1_inplace(OpId::log, {&x}); }
inline void log_out(const Tensor& x, const Tensor& out) { call_out(OpId::log, {&x}, {}, out); }

// Logarithm to base 2.
inline Tensor log2(const Tensor& x) { return call1(OpId::log2, {&x}); }
inline Tensor log2_(const Tensor& x) { return call1_inplace(OpId::log2, {&x}); }
inline void log2_out(const Tensor& x, const Tensor& out) { call_out(OpId::log2, {&x}, {}, out); }

// Logarithm to base 10.
inline Tensor log10(const Tensor& x) { return call1(OpId::log10, {&x}); }
inline Tensor log10_(const Tensor& x) { return call1_inplace(OpId::log10, {&x}); }
inline void log10_out(const Tensor& x, const Tensor& out) { call_out(OpId::log10, {&x}, {}, out); }

// log(1 + x), accurate near 0.
inline Tensor log1p(const Tensor& x) { return call1(OpId::log1p, {&x}); }
inline Tensor log1p_(const Tensor& x) { return call1_inplace(OpId::log1p, {&x}); }
inline void log1p_out(const Tensor& x, const Tensor& out) { call_out(OpId::log1p, {&x}, {}, out); }

// Square root; NaN below 0.
inline Tensor sqrt(const Tensor& x) { return call1(OpId::sqrt, {&x}); }
inline Tensor sqrt_(const Tensor& x) { return call1_inplace(OpId::sqrt, {&x}); }
inline void sqrt_out(const Tensor& x, const Tensor& out) { call_out(OpId::sqrt, {&x}, {}, out); }

// 1 / sqrt(x).
inline Tensor rsqrt(const Tensor& x) { return call1(OpId::rsqrt, {&x}); }
inline Tensor rsqrt_(const Tensor& x) { return call1_inplace(OpId::rsqrt, {&x}); }
inline void rsqrt_out(const Tensor& x, const Tensor& out) { call_out(OpId::rsqrt, {&x}, {}, out); }

// x * x.
inline Tensor square(const Tensor& x) { return call1(OpId::square, {&x}); }
inline Tensor square_(const Tensor& x) { return call1_inplace(OpId::square, {&x}); }
inline void square_out(const Tensor& x, const Tensor& out) { call_out(OpId::square, {&x}, {}, out); }

// 1 / x.
inline Tensor reciprocal(const Tensor& x) { return call1(OpId::reciprocal, {&x}); }
inline Tensor reciprocal_(const Tensor& x) { return call1_inplace(OpId::reciprocal, {&x}); }
inline void reciprocal_out(const Tensor& x, const Tensor& out) { call_out(OpId::reciprocal, {&x}, {}, out); }

// Sine of x in radians.
inline Tensor sin(const Tensor& x) { return call1(OpId::sin, {&x}); }
inline Tensor sin_(const Tensor& x) { return call1_inplace(OpId::sin, {&x}); }
inline void sin_out(const Tensor& x, const Tensor& out) { call_out(OpId::sin, {&x}, {}, out); }

// Cosine of x in radians.
inline Tensor cos(const Tensor& x) { return call1(OpId::cos, {&x}); }
inline Tensor cos_(const Tensor& x) { return call1_inplace(OpId::cos, {&x}); }
inline void cos_out(const Tensor& x, const Tensor& out) { call_out(OpId::cos, {&x}, {}, out); }

// Tangent of x in radians.
inline Tensor tan(const Tensor& x) { return call1(OpId::tan, {&x}); }
inline Tensor tan_(const Tensor& x) { return call1_inplace(OpId::tan, {&x}); }
inline void tan_out(const Tensor& x, const Tensor& out) { call_out(OpId::tan, {&x}, {}, out); }

// Arc sine in radians; NaN outside [-1, 1].
inline Tensor asin(const Tensor& x) { return call1(OpId::asin, {&x}); }
inline Tensor asin_(const Tensor& x) { return call1_inplace(OpId::asin, {&x}); }
inline void asin_out(const Tensor& x, const Tensor& out) { call_out(OpId::asin, {&x}, {}, out); }

// Arc cosine in radians; NaN outside [-1, 1].
inline Tensor acos(const Tensor& x) { return call1(OpId::acos, {&x}); }
inline Tensor acos_(const Tensor& x) { return call1_inplace(OpId::acos, {&x}); }
inline void acos_out(const Tensor& x, const Tensor& out) { call_out(OpId::acos, {&x}, {}, out); }

// Arc tangent in radians.
inline Tensor atan(const Tensor& x) { return call1(OpId::atan, {&x}); }
inline Tensor atan_(const Tensor& x) { return call1_inplace(OpId::atan, {&x}); }
inline void atan_out(const Tensor& x, const Tensor& out) { call_out(OpId::atan, {&x}, {}, out); }

// Hyperbolic sine.
inline Tensor sinh(const Tensor& x) { return call1(OpId::sinh, {&x}); }
inline Tensor sinh_(const Tensor& x) { return call1_inplace(OpId::sinh, {&x}); }
inline void sinh_out(const Tensor& x, const Tensor& out) { call_out(OpId::sinh, {&x}, {}, out); }

// Hyperbolic cosine.
inline Tensor cosh(const Tensor& x) { return call1(OpId::cosh, {&x}); }
inline Tensor cosh_(const Tensor& x) { return call1_inplace(OpId::cosh, {&x}); }
inline void cosh_out(const Tensor& x, const Tensor& out) { call_out(OpId::cosh, {&x}, {}, out); }

// Hyperbolic tangent.
inline Tensor tanh(const Tensor& x) { return call1(OpId::tanh, {&x}); }
inline Tensor tanh_(const Tensor& x) { return call1_inplace(OpId::tanh, {&x}); }
inline void tanh_out(const Tensor& x, const Tensor& out) { call_out(OpId::tanh, {&x}, {}, out); }

// Error function.
inline Tensor erf(const Tensor& x) { return call1(OpId::erf, {&x}); }
inline Tensor erf_(const Tensor& x) { return call1_inplace(OpId::erf, {&x}); }
inline void erf_out(const Tensor& x, const Tensor& out) { call_out(OpId::erf, {&x}, {}, out); }

// Complementary error function 1 - erf(x), accurate where it is small.
inline Tensor erfc(const Tensor& x) { return call1(OpId::erfc, {&x}); }
inline Tensor erfc_(const Tensor& x) { return call1_inplace(OpId::erfc, {&x}); }
inline void erfc_out(const Tensor& x, const Tensor& out) { call_out(OpId::erfc, {&x}, {}, out); }

// Inverse of erf; +-infinity at +-1, NaN outside.
inline Tensor erfinv(const Tensor& x) { return call1(OpId::erfinv, {&x}); }
inline Tensor erfinv_(const Tensor& x) { return call1_inplace(OpId::erfinv, {&x}); }
inline void erfinv_out(const Tensor& x, const Tensor& out) { call_out(OpId::erfinv, {&x}, {}, out); }

// Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ...
inline Tensor lgamma(const Tensor& x) { return call1(OpId::lgamma, {&x}); }
inline Tensor lgamma_(const Tensor& x) { return call1_inplace(OpId::lgamma, {&x}); }
inline void lgamma_out(const Tensor& x, const Tensor& out) { call_out(OpId::lgamma, {&x}, {}, out); }

// Derivative of lgamma; NaN at -1, -2, ...
inline Tensor digamma(const Tensor& x) { return call1(OpId::digamma, {&x}); }
inline Tensor digamma_(const Tensor& x) { return call1_inplace(OpId::digamma, {&x}); }
inline void digamma_out(const Tensor& x, const Tensor& out) { call_out(OpId::digamma, {&x}, {}, out); }

// Hurwitz zeta: the sum of (x + k)^-s over k = 0, 1, ... for a whole s > 1.
inline Tensor zeta(const Tensor& x, double s) {
  uint64_t words[] = {word(s)};
  return call1(OpId::zeta, {&x}, words);
}

// n-th derivative of digamma; n >= 0.
Tensor polygamma(int64_t n, const Tensor& x);

// 1 / (1 + exp(-x)).
inline Tensor sigmoid(const Tensor& x) { return call1(OpId::sigmoid, {&x}); }
inline Tensor sigmoid_(const Tensor& x) { return call1_inplace(OpId::sigmoid, {&x}); }
inline void sigmoid_out(const Tensor& x, const Tensor& out) { call_out(OpId::sigmoid, {&x}, {}, out); }

// Largest integer not above x.
inline Tensor floor(const Tensor& x) { return call1(OpId::floor, {&x}); }
inline Tensor floor_(const Tensor& x) { return call1_inplace(OpId::floor, {&x}); }
inline void floor_out(const Tensor& x, const Tensor& out) { call_out(OpId::floor, {&x}, {}, out); }

// Smallest integer not below x.
inline Tensor ceil(const Tensor& x) { return call1(OpId::ceil, {&x}); }
inline Tensor ceil_(const Tensor& x) { return call1_inplace(OpId::ceil, {&x}); }
inline void ceil_out(const Tensor& x, const Tensor& out) { call_out(OpId::ceil, {&x}, {}, out); }

// Nearest integer, halves to even.
inline Tensor round(const Tensor& x) { return call1(OpId::round, {&x}); }
inline Tensor round_(const Tensor& x) { return call1_inplace(OpId::round, {&x}); }
inline void round_out(const Tensor& x, const Tensor& out) { call_out(OpId::round, {&x}, {}, out); }

// Integer part, towards 0.
inline Tensor trunc(const Tensor& x) { return call1(OpId::trunc, {&x}); }
inline Tensor trunc_(const Tensor& x) { return call1_inplace(OpId::trunc, {&x}); }
inline void trunc_out(const Tensor& x, const Tensor& out) { call_out(OpId::trunc, {&x}, {}, out); }

// True where x is NaN.
inline Tensor isnan(const Tensor& x) { return call1(OpId::isnan, {&x}); }

// True where x is an infinity.
inline Tensor isinf(const Tensor& x) { return call1(OpId::isinf, {&x}); }

// True where x is neither infinite nor NaN.
inline Tensor isfinite(const Tensor& x) { return call1(OpId::isfinite, {&x}); }

// True where x is 0.
inline Tensor logical_not(const Tensor& x) { return call1(OpId::logical_not, {&x}); }

// Bitwise complement; logical not for bool.
inline Tensor bitwise_not(const Tensor& x) { return call1(OpId::bitwise_not, {&x}); }
inline Tensor bitwise_not_(const Tensor& x) { return call1_inplace(OpId::bitwise_not, {&x}); }
inline void bitwise_not_out(const Tensor& x, const Tensor& out) {
  call_out(OpId::bitwise_not, {&x}, {}, out);
}

// ---- pointwise.cpp: binary --------------------------------------------------------------------------------

// a + b; logical or for bool.
inline Tensor add(const Tensor& a, const Tensor& b) { return call1(OpId::add, {&a, &b}); }
inline Tensor add_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::add, {&a, &b}); }
inline void add_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::add, {&a, &b}, {}, out);
}

// a - b; bool is refused.
inline Tensor sub(const Tensor& a, const Tensor& b) { return call1(OpId::sub, {&a, &b}); }
inline Tensor sub_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::sub, {&a, &b}); }
inline void sub_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::sub, {&a, &b}, {}, out);
}

// a * b; logical and for bool.
inline Tensor mul(const Tensor& a, const Tensor& b) { return call1(OpId::mul, {&a, &b}); }
inline Tensor mul_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::mul, {&a, &b}); }
inline void mul_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::mul, {&a, &b}, {}, out);
}

// a / b, true division.
inline Tensor div(const Tensor& a, const Tensor& b) { return call1(OpId::div, {&a, &b}); }
inline Tensor div_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::div, {&a, &b}); }
inline void div_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::div, {&a, &b}, {}, out);
}

// a to the power b.
inline Tensor pow(const Tensor& a, const Tensor& b) { return call1(OpId::pow, {&a, &b}); }
inline Tensor pow_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::pow, {&a, &b}); }
inline void pow_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::pow, {&a, &b}, {}, out);
}

// The larger of a and b; NaN if either is. At ties the gradient is shared equally.
inline Tensor maximum(const Tensor& a, const Tensor& b) { return call1(OpId::maximum, {&a, &b}); }
inline Tensor maximum_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::maximum, {&a, &b}); }
inline void maximum_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::maximum, {&a, &b}, {}, out);
}

// The smaller of a and b; NaN if either is. At ties the gradient is shared equally.
inline Tensor minimum(const Tensor& a, const Tensor& b) { return call1(OpId::minimum, {&a, &b}); }
inline Tensor minimum_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::minimum, {&a, &b}); }
inline void minimum_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::minimum, {&a, &b}, {}, out);
}

// Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0.
inline Tensor fmod(const Tensor& a, const Tensor& b) { return call1(OpId::fmod, {&a, &b}); }
inline Tensor fmod_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::fmod, {&a, &b}); }
inline void fmod_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::fmod, {&a, &b}, {}, out);
}

// Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0.
inline Tensor remainder(const Tensor& a, const Tensor& b) { return call1(OpId::remainder, {&a, &b}); }
inline Tensor remainder_(const Tensor& a, const Tensor& b) {
  return call1_inplace(OpId::remainder, {&a, &b});
}
inline void remainder_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::remainder, {&a, &b}, {}, out);
}

// The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0.
inline Tensor floor_divide(const Tensor& a, const Tensor& b) { return call1(OpId::floor_divide, {&a, &b}); }
inline Tensor floor_divide_(const Tensor& a, const Tensor& b) {
  return call1_inplace(OpId::floor_divide, {&a, &b});
}
inline void floor_divide_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::floor_divide, {&a, &b}, {}, out);
}

// Angle of the point (b, a) in radians.
inline Tensor atan2(const Tensor& a, const Tensor& b) { return call1(OpId::atan2, {&a, &b}); }
inline Tensor atan2_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::atan2, {&a, &b}); }
inline void atan2_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::atan2, {&a, &b}, {}, out);
}

// sqrt(a^2 + b^2) without overflow in between.
inline Tensor hypot(const Tensor& a, const Tensor& b) { return call1(OpId::hypot, {&a, &b}); }
inline Tensor hypot_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::hypot, {&a, &b}); }
inline void hypot_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::hypot, {&a, &b}, {}, out);
}

// |a| with the sign of b, that of zeros included.
inline Tensor copysign(const Tensor& a, const Tensor& b) { return call1(OpId::copysign, {&a, &b}); }
inline Tensor copysign_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::copysign, {&a, &b}); }
inline void copysign_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::copysign, {&a, &b}, {}, out);
}

// log(exp(a) + exp(b)), without overflow.
inline Tensor logaddexp(const Tensor& a, const Tensor& b) { return call1(OpId::logaddexp, {&a, &b}); }
inline void logaddexp_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::logaddexp, {&a, &b}, {}, out);
}

// log2(2^a + 2^b), without overflow.
inline Tensor logaddexp2(const Tensor& a, const Tensor& b) { return call1(OpId::logaddexp2, {&a, &b}); }
inline void logaddexp2_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::logaddexp2, {&a, &b}, {}, out);
}

// a * log(b), and 0 where a is 0 unless b is NaN.
inline Tensor xlogy(const Tensor& a, const Tensor& b) { return call1(OpId::xlogy, {&a, &b}); }
inline Tensor xlogy_(const Tensor& a, const Tensor& b) { return call1_inplace(OpId::xlogy, {&a, &b}); }
inline void xlogy_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::xlogy, {&a, &b}, {}, out);
}

// a == b.
inline Tensor eq(const Tensor& a, const Tensor& b) { return call1(OpId::eq, {&a, &b}); }

// a != b.
inline Tensor ne(const Tensor& a, const Tensor& b) { return call1(OpId::ne, {&a, &b}); }

// a < b.
inline Tensor lt(const Tensor& a, const Tensor& b) { return call1(OpId::lt, {&a, &b}); }

// a <= b.
inline Tensor le(const Tensor& a, const Tensor& b) { return call1(OpId::le, {&a, &b}); }

// a > b.
inline Tensor gt(const Tensor& a, const Tensor& b) { return call1(OpId::gt, {&a, &b}); }

// a >= b.
inline Tensor ge(const Tensor& a, const Tensor& b) { return call1(OpId::ge, {&a, &b}); }

// a != 0 and b != 0.
inline Tensor logical_and(const Tensor& a, const Tensor& b) { return call1(OpId::logical_and, {&a, &b}); }

// a != 0 or b != 0.
inline Tensor logical_or(const Tensor& a, const Tensor& b) { return call1(OpId::logical_or, {&a, &b}); }

// Exactly one of a and b is not 0.
inline Tensor logical_xor(const Tensor& a, const Tensor& b) { return call1(OpId::logical_xor, {&a, &b}); }

// Bitwise and; logical for bool.
inline Tensor bitwise_and(const Tensor& a, const Tensor& b) { return call1(OpId::bitwise_and, {&a, &b}); }
inline Tensor bitwise_and_(const Tensor& a, const Tensor& b) {
  return call1_inplace(OpId::bitwise_and, {&a, &b});
}
inline void bitwise_and_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::bitwise_and, {&a, &b}, {}, out);
}

// Bitwise or; logical for bool.
inline Tensor bitwise_or(const Tensor& a, const Tensor& b) { return call1(OpId::bitwise_or, {&a, &b}); }
inline Tensor bitwise_or_(const Tensor& a, const Tensor& b) {
  return call1_inplace(OpId::bitwise_or, {&a, &b});
}
inline void bitwise_or_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::bitwise_or, {&a, &b}, {}, out);
}

// Bitwise exclusive or; logical for bool.
inline Tensor bitwise_xor(const Tensor& a, const Tensor& b) { return call1(OpId::bitwise_xor, {&a, &b}); }
inline Tensor bitwise_xor_(const Tensor& a, const Tensor& b) {
  return call1_inplace(OpId::bitwise_xor, {&a, &b});
}
inline void bitwise_xor_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::bitwise_xor, {&a, &b}, {}, out);
}

// ---- pointwise.cpp: with a scalar -------------------------------------------------------------------------

// a + b.
inline Tensor add_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::add_scalar, {&a}, words);
}
inline Tensor add_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::add_scalar, {&a}, words);
}
inline void add_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::add_scalar, {&a}, words, out);
}

// a - b; bool is refused.
inline Tensor sub_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::sub_scalar, {&a}, words);
}
inline Tensor sub_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::sub_scalar, {&a}, words);
}
inline void sub_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::sub_scalar, {&a}, words, out);
}

// b - a; bool is refused.
inline Tensor rsub_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::rsub_scalar, {&a}, words);
}
inline void rsub_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::rsub_scalar, {&a}, words, out);
}

// a * b.
inline Tensor mul_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::mul_scalar, {&a}, words);
}
inline Tensor mul_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::mul_scalar, {&a}, words);
}
inline void mul_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::mul_scalar, {&a}, words, out);
}

// a / b, true division.
inline Tensor div_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::div_scalar, {&a}, words);
}
inline Tensor div_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::div_scalar, {&a}, words);
}
inline void div_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::div_scalar, {&a}, words, out);
}

// b / a, true division.
inline Tensor rdiv_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::rdiv_scalar, {&a}, words);
}
inline void rdiv_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::rdiv_scalar, {&a}, words, out);
}

// a to the power b.
inline Tensor pow_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::pow_scalar, {&a}, words);
}
inline Tensor pow_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::pow_scalar, {&a}, words);
}
inline void pow_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::pow_scalar, {&a}, words, out);
}

// b to the power a.
inline Tensor rpow_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::rpow_scalar, {&a}, words);
}
inline void rpow_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::rpow_scalar, {&a}, words, out);
}

// Remainder of a / b with the sign of a.
inline Tensor fmod_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::fmod_scalar, {&a}, words);
}
inline Tensor fmod_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::fmod_scalar, {&a}, words);
}
inline void fmod_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::fmod_scalar, {&a}, words, out);
}

// Remainder of a / b with the sign of b.
inline Tensor remainder_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::remainder_scalar, {&a}, words);
}
inline Tensor remainder_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::remainder_scalar, {&a}, words);
}
inline void remainder_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::remainder_scalar, {&a}, words, out);
}

// The whole number q for which a is q * b + remainder(a, b).
inline Tensor floor_divide_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::floor_divide_scalar, {&a}, words);
}
inline Tensor floor_divide_scalar_(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1_inplace(OpId::floor_divide_scalar, {&a}, words);
}
inline void floor_divide_scalar_out(const Tensor& a, Scalar b, const Tensor& out) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  call_out(OpId::floor_divide_scalar, {&a}, words, out);
}

// a == b.
inline Tensor eq_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::eq_scalar, {&a}, words);
}

// a != b.
inline Tensor ne_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::ne_scalar, {&a}, words);
}

// a < b.
inline Tensor lt_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::lt_scalar, {&a}, words);
}

// a <= b.
inline Tensor le_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::le_scalar, {&a}, words);
}

// a > b.
inline Tensor gt_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::gt_scalar, {&a}, words);
}

// a >= b.
inline Tensor ge_scalar(const Tensor& a, Scalar b) {
  uint64_t words[] = {word_kind(b), word_bits(b)};
  return call1(OpId::ge_scalar, {&a}, words);
}

// x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.
inline Tensor clamp(const Tensor& x, Scalar min, Scalar max) {
  uint64_t words[] = {word_kind(min), word_bits(min), word_kind(max), word_bits(max)};
  return call1(OpId::clamp, {&x}, words);
}
inline Tensor clamp_(const Tensor& x, Scalar min, Scalar max) {
  uint64_t words[] = {word_kind(min), word_bits(min), word_kind(max), word_bits(max)};
  return call1_inplace(OpId::clamp, {&x}, words);
}
inline void clamp_out(const Tensor& x, Scalar min, Scalar max, const Tensor& out) {
  uint64_t words[] = {word_kind(min), word_bits(min), word_kind(max), word_bits(max)};
  call_out(OpId::clamp, {&x}, words, out);
}

// ---- pointwise.cpp: ternary and masks ---------------------------------------------------------------------

// a where cond is true, b elsewhere.
inline Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  return call1(OpId::where, {&cond, &a, &b});
}
inline void where_out(const Tensor& cond, const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::where, {&cond, &a, &b}, {}, out);
}

// value where mask is true, x elsewhere; the result has x's dtype.
inline Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::masked_fill, {&x, &mask}, words);
}
inline Tensor masked_fill_(const Tensor& x, const Tensor& mask, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::masked_fill, {&x, &mask}, words);
}

// x + value * a * b.
inline Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::addcmul, {&x, &a, &b}, words);
}
inline Tensor addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::addcmul, {&x, &a, &b}, words);
}
inline void addcmul_out(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value, const Tensor& out) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  call_out(OpId::addcmul, {&x, &a, &b}, words, out);
}

// x + value * a / b.
inline Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::addcdiv, {&x, &a, &b}, words);
}
inline Tensor addcdiv_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::addcdiv, {&x, &a, &b}, words);
}
inline void addcdiv_out(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value, const Tensor& out) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  call_out(OpId::addcdiv, {&x, &a, &b}, words, out);
}

// a + weight * (b - a).
inline Tensor lerp(const Tensor& a, const Tensor& b, Scalar weight) {
  uint64_t words[] = {word_kind(weight), word_bits(weight)};
  return call1(OpId::lerp, {&a, &b}, words);
}
inline Tensor lerp_(const Tensor& a, const Tensor& b, Scalar weight) {
  uint64_t words[] = {word_kind(weight), word_bits(weight)};
  return call1_inplace(OpId::lerp, {&a, &b}, words);
}
inline void lerp_out(const Tensor& a, const Tensor& b, Scalar weight, const Tensor& out) {
  uint64_t words[] = {word_kind(weight), word_bits(weight)};
  call_out(OpId::lerp, {&a, &b}, words, out);
}

// ---- activations.cpp --------------------------------------------------------------------------------------

// max(x, 0).
inline Tensor relu(const Tensor& x) { return call1(OpId::relu, {&x}); }
inline Tensor relu_(const Tensor& x) { return call1_inplace(OpId::relu, {&x}); }
inline void relu_out(const Tensor& x, const Tensor& out) { call_out(OpId::relu, {&x}, {}, out); }

// x * Phi(x), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).
inline Tensor gelu(const Tensor& x, bool tanh = false) {
  uint64_t words[] = {word(tanh)};
  return call1(OpId::gelu, {&x}, words);
}
inline void gelu_out(const Tensor& x, bool tanh, const Tensor& out) {
  uint64_t words[] = {word(tanh)};
  call_out(OpId::gelu, {&x}, words, out);
}

// x * sigmoid(x).
inline Tensor silu(const Tensor& x) { return call1(OpId::silu, {&x}); }
inline Tensor silu_(const Tensor& x) { return call1_inplace(OpId::silu, {&x}); }
inline void silu_out(const Tensor& x, const Tensor& out) { call_out(OpId::silu, {&x}, {}, out); }

// x * tanh(softplus(x)) (Misra, arXiv:1908.08681).
inline Tensor mish(const Tensor& x) { return call1(OpId::mish, {&x}); }
inline Tensor mish_(const Tensor& x) { return call1_inplace(OpId::mish, {&x}); }
inline void mish_out(const Tensor& x, const Tensor& out) { call_out(OpId::mish, {&x}, {}, out); }

// log(1 + exp(beta x)) / beta; x itself where beta x > threshold.
inline Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20) {
  uint64_t words[] = {word(beta), word(threshold)};
  return call1(OpId::softplus, {&x}, words);
}
inline void softplus_out(const Tensor& x, double beta, double threshold, const Tensor& out) {
  uint64_t words[] = {word(beta), word(threshold)};
  call_out(OpId::softplus, {&x}, words, out);
}

// x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289).
inline Tensor elu(const Tensor& x, double alpha = 1) {
  uint64_t words[] = {word(alpha)};
  return call1(OpId::elu, {&x}, words);
}
inline Tensor elu_(const Tensor& x, double alpha = 1) {
  uint64_t words[] = {word(alpha)};
  return call1_inplace(OpId::elu, {&x}, words);
}
inline void elu_out(const Tensor& x, double alpha, const Tensor& out) {
  uint64_t words[] = {word(alpha)};
  call_out(OpId::elu, {&x}, words, out);
}

// x above 0, negative_slope x below.
inline Tensor leaky_relu(const Tensor& x, double negative_slope = 0.01) {
  uint64_t words[] = {word(negative_slope)};
  return call1(OpId::leaky_relu, {&x}, words);
}
inline Tensor leaky_relu_(const Tensor& x, double negative_slope = 0.01) {
  uint64_t words[] = {word(negative_slope)};
  return call1_inplace(OpId::leaky_relu, {&x}, words);
}
inline void leaky_relu_out(const Tensor& x, double negative_slope, const Tensor& out) {
  uint64_t words[] = {word(negative_slope)};
  call_out(OpId::leaky_relu, {&x}, words, out);
}

// x limited to [min_val, max_val].
inline Tensor hardtanh(const Tensor& x, double min_val = -1, double max_val = 1) {
  uint64_t words[] = {word(min_val), word(max_val)};
  return call1(OpId::hardtanh, {&x}, words);
}
inline Tensor hardtanh_(const Tensor& x, double min_val = -1, double max_val = 1) {
  uint64_t words[] = {word(min_val), word(max_val)};
  return call1_inplace(OpId::hardtanh, {&x}, words);
}
inline void hardtanh_out(const Tensor& x, double min_val, double max_val, const Tensor& out) {
  uint64_t words[] = {word(min_val), word(max_val)};
  call_out(OpId::hardtanh, {&x}, words, out);
}

// clamp(x / 6 + 1/2, 0, 1).
inline Tensor hardsigmoid(const Tensor& x) { return call1(OpId::hardsigmoid, {&x}); }
inline Tensor hardsigmoid_(const Tensor& x) { return call1_inplace(OpId::hardsigmoid, {&x}); }
inline void hardsigmoid_out(const Tensor& x, const Tensor& out) {
  call_out(OpId::hardsigmoid, {&x}, {}, out);
}

// x * hardsigmoid(x) (Howard et al., arXiv:1905.02244).
inline Tensor hardswish(const Tensor& x) { return call1(OpId::hardswish, {&x}); }
inline Tensor hardswish_(const Tensor& x) { return call1_inplace(OpId::hardswish, {&x}); }
inline void hardswish_out(const Tensor& x, const Tensor& out) { call_out(OpId::hardswish, {&x}, {}, out); }

// log(sigmoid(x)).
inline Tensor logsigmoid(const Tensor& x) { return call1(OpId::logsigmoid, {&x}); }
inline void logsigmoid_out(const Tensor& x, const Tensor& out) { call_out(OpId::logsigmoid, {&x}, {}, out); }

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

// grad * d gelu(x) / dx.
inline Tensor gelu_backward(const Tensor& grad, const Tensor& x, bool tanh) {
  uint64_t words[] = {word(tanh)};
  return call1(OpId::gelu_backward, {&grad, &x}, words);
}

// grad * d silu(x) / dx.
inline Tensor silu_backward(const Tensor& grad, const Tensor& x) {
  return call1(OpId::silu_backward, {&grad, &x});
}

// ---- creation.cpp -----------------------------------------------------------------------------------------

// A tensor filled with value; dtype by the kind of value (bool, int64, default float).
inline Tensor full(IntList size, Scalar value, DType dtype = DType::none, Device device = kDefaultDevice) {
  AttrWriter words(5);
  words.add(size).add(value).add(int64_t(dtype)).add(int64_t{device.pack()});
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

// Undefined content with the shape, dtype and device of x.
Tensor empty_like(const Tensor& x, DType dtype = DType::none);

// Zeros with the shape, dtype and device of x.
Tensor zeros_like(const Tensor& x, DType dtype = DType::none);

// Ones with the shape, dtype and device of x.
Tensor ones_like(const Tensor& x, DType dtype = DType::none);

// value with the shape, dtype and device of x.
Tensor full_like(const Tensor& x, Scalar value, DType dtype = DType::none);

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

// 1 with probability p, else 0.
inline Tensor philox_bernoulli(const Tensor& p, int64_t seed, int64_t offset) {
  uint64_t words[] = {word(seed), word(offset)};
  return call1(OpId::philox_bernoulli, {&p}, words);
}

// A permutation of 0..n-1.
inline Tensor philox_randperm(int64_t n, int64_t seed, int64_t offset, DType dtype, Device device) {
  uint64_t words[] = {word(n), word(seed), word(offset), word(dtype), word(device)};
  return call1(OpId::philox_randperm, {}, words);
}

// x / (1 - p) where kept, 0 elsewhere; mask is bool. Returns {out, mask}.
inline std::array<Tensor, 2> philox_dropout(const Tensor& x, double p, int64_t seed, int64_t offset) {
  uint64_t words[] = {word(p), word(seed), word(offset)};
  return call2(OpId::philox_dropout, {&x}, words);
}

// n indices per row drawn by weight.
inline Tensor philox_multinomial(const Tensor& weights, int64_t n, bool replacement, int64_t seed,
                                 int64_t offset) {
  uint64_t words[] = {word(n), word(replacement), word(seed), word(offset)};
  return call1(OpId::philox_multinomial, {&weights}, words);
}

// Uniform numbers in [0, 1).
Tensor rand(IntList size, DType dtype = DType::none, Device device = kDefaultDevice,
            Generator* gen = nullptr);

// Standard normal numbers.
Tensor randn(IntList size, DType dtype = DType::none, Device device = kDefaultDevice,
             Generator* gen = nullptr);

// Integers in [low, high); int64 unless dtype says otherwise.
Tensor randint(int64_t low, int64_t high, IntList size, DType dtype = DType::none,
               Device device = kDefaultDevice, Generator* gen = nullptr);

// A random permutation of 0..n-1; int64 unless dtype says otherwise.
Tensor randperm(int64_t n, DType dtype = DType::none, Device device = kDefaultDevice,
                Generator* gen = nullptr);

// Uniform numbers in [low, high).
Tensor uniform(IntList size, double low, double high, DType dtype = DType::none,
               Device device = kDefaultDevice, Generator* gen = nullptr);

// Normal numbers with that mean and standard deviation.
Tensor normal(IntList size, double mean, double std, DType dtype = DType::none,
              Device device = kDefaultDevice, Generator* gen = nullptr);

// 1 with probability p, else 0; dtype of p.
Tensor bernoulli(const Tensor& p, Generator* gen = nullptr);

// n int64 indices per row of weights (1-d or 2-d), drawn by weight.
Tensor multinomial(const Tensor& weights, int64_t n, bool replacement = false, Generator* gen = nullptr);

// Uniform numbers in [0, 1) with the shape of x.
Tensor rand_like(const Tensor& x, DType dtype = DType::none, Generator* gen = nullptr);

// Standard normal numbers with the shape of x.
Tensor randn_like(const Tensor& x, DType dtype = DType::none, Generator* gen = nullptr);

// Zeroes each element with probability p and scales the rest by 1 / (1 - p); x itself when not training
// (Srivastava et al., JMLR 2014).
Tensor dropout(const Tensor& x, double p = 0.5, bool train = true, Generator* gen = nullptr);

// ---- views.cpp --------------------------------------------------------------------------------------------

// A view with given sizes and strides (elements); offset counts from x's first element.
inline Tensor as_strided(const Tensor& x, IntList size, IntList stride, int64_t offset = 0) {
  AttrWriter words(3);
  words.add(size).add(stride).add(offset);
  return call1(OpId::as_strided, {&x}, words.finish());
}

// The same memory with another shape; one size may be -1. Fails when strides do not allow it: use reshape.
inline Tensor view(const Tensor& x, IntList size) {
  AttrWriter words(1);
  words.add(size);
  return call1(OpId::view, {&x}, words.finish());
}

// Dimensions in the order dims.
inline Tensor permute(const Tensor& x, IntList dims) {
  AttrWriter words(1);
  words.add(dims);
  return call1(OpId::permute, {&x}, words.finish());
}

// Two dimensions exchanged.
inline Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) {
  uint64_t words[] = {word(dim0), word(dim1)};
  return call1(OpId::transpose, {&x}, words);
}

// Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front.
inline Tensor expand(const Tensor& x, IntList size) {
  AttrWriter words(1);
  words.add(size);
  return call1(OpId::expand, {&x}, words.finish());
}

// Without the dimension dim if it has size 1; absent: without all of size 1.
inline Tensor squeeze(const Tensor& x, int64_t dim = kNone) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::squeeze, {&x}, words);
}

// A new dimension of size 1 at dim.
inline Tensor unsqueeze(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::unsqueeze, {&x}, words);
}

// x[start:end:step] along dim with Python's clipping; step > 0.
inline Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  uint64_t words[] = {word(dim), word(start), word(end), word(step)};
  return call1(OpId::slice, {&x}, words);
}

// x at index along dim, without that dimension; negative counts from the end.
inline Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  uint64_t words[] = {word(dim), word(index)};
  return call1(OpId::select, {&x}, words);
}

// The diagonal of two dimensions as a new last dimension.
inline Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  uint64_t words[] = {word(offset), word(dim1), word(dim2)};
  return call1(OpId::diagonal, {&x}, words);
}

// All windows of `size` along dim, `step` apart, as a new last dimension.
inline Tensor unfold(const Tensor& x, int64_t dim, int64_t size, int64_t step) {
  uint64_t words[] = {word(dim), word(size), word(step)};
  return call1(OpId::unfold, {&x}, words);
}

// The same memory without its history.
inline Tensor detach(const Tensor& x) { return call1(OpId::detach, {&x}); }

// The same memory as a new tensor, history kept.
inline Tensor alias(const Tensor& x) { return call1(OpId::alias, {&x}); }

// Another shape; a view where strides allow it, else a copy. One size may be -1.
Tensor reshape(const Tensor& x, IntList size);

// Dimensions start_dim..end_dim joined into one.
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);

// Dimension dim split into sizes; one may be -1.
Tensor unflatten(const Tensor& x, int64_t dim, IntList sizes);

// Transpose of a tensor of at most 2 dimensions.
Tensor t(const Tensor& x);

// Dimension source moved to destination.
Tensor movedim(const Tensor& x, int64_t source, int64_t destination);

// x[start : start + length] along dim.
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);

// x expanded to the shape of other.
Tensor expand_as(const Tensor& x, const Tensor& other);

// Views of `size` along dim; the last may be smaller.
std::vector<Tensor> split(const Tensor& x, int64_t size, int64_t dim = 0);

// Views of the given sizes along dim; they add up to its size.
std::vector<Tensor> split_sizes(const Tensor& x, IntList sizes, int64_t dim = 0);

// At most `chunks` views of equal size along dim; the last may be smaller.
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);

// One view for each index of dim, without that dimension.
std::vector<Tensor> unbind(const Tensor& x, int64_t dim = 0);

// ---- copies.cpp -------------------------------------------------------------------------------------------

// x in another element type, dense; floats are truncated towards 0 for integers.
inline Tensor cast(const Tensor& x, DType dtype) {
  uint64_t words[] = {word(dtype)};
  return call1(OpId::cast, {&x}, words);
}

// A dense row-major copy, from any layout.
inline Tensor contiguous_copy(const Tensor& x) { return call1(OpId::contiguous_copy, {&x}); }

// x itself when dense and row-major, else a copy that is.
Tensor contiguous(const Tensor& x);

// A copy with its own memory; gradients flow through.
Tensor clone(const Tensor& x);

// src broadcast and cast into the shape and dtype of x; copy_ writes x's memory, also from a view that
// overlaps it.
inline Tensor copy(const Tensor& x, const Tensor& src) { return call1(OpId::copy, {&x, &src}); }
inline Tensor copy_(const Tensor& x, const Tensor& src) { return call1_inplace(OpId::copy, {&x, &src}); }

// A copy on another device.
inline Tensor to_device(const Tensor& x, Device device, bool non_blocking = false) {
  uint64_t words[] = {word(device), word(non_blocking)};
  return call1(OpId::to_device, {&x}, words);
}

// x in another dtype and on another device; device 0 keeps x's. x itself when neither changes.
Tensor to(const Tensor& x, DType dtype = DType::none, Device device = kDefaultDevice,
          bool non_blocking = false);

// value in the shape of x; fill_ writes x's memory.
inline Tensor fill(const Tensor& x, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1(OpId::fill, {&x}, words);
}
inline Tensor fill_(const Tensor& x, Scalar value) {
  uint64_t words[] = {word_kind(value), word_bits(value)};
  return call1_inplace(OpId::fill, {&x}, words);
}

// A copy of x in which as_strided(size, stride, offset) holds src.
inline Tensor as_strided_scatter(const Tensor& x, const Tensor& src, IntList size, IntList stride,
                                 int64_t offset = 0) {
  AttrWriter words(3);
  words.add(size).add(stride).add(offset);
  return call1(OpId::as_strided_scatter, {&x, &src}, words.finish());
}

// Tensors joined along dim; other sizes are equal, dtypes are promoted.
inline Tensor cat(int64_t dim, std::span<const Tensor> xs) {
  uint64_t words[] = {word(dim)};
  return call1_list(OpId::cat, {}, xs, words);
}

// Equal shapes joined along a new dimension.
Tensor stack(int64_t dim, std::span<const Tensor> xs);

// A copy with those dimensions reversed.
inline Tensor flip(const Tensor& x, IntList dims) {
  AttrWriter words(1);
  words.add(dims);
  return call1(OpId::flip, {&x}, words.finish());
}

// A copy shifted cyclically; empty dims: flattened, then restored.
inline Tensor roll(const Tensor& x, IntList shifts, IntList dims) {
  AttrWriter words(2);
  words.add(shifts).add(dims);
  return call1(OpId::roll, {&x}, words.finish());
}

// A copy tiled that many times along each dimension.
Tensor repeat(const Tensor& x, IntList repeats);

// Elements on and below a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor tril(const Tensor& x, int64_t diagonal = 0) {
  uint64_t words[] = {word(diagonal)};
  return call1(OpId::tril, {&x}, words);
}

// Elements on and above a diagonal of the last two dimensions, 0 elsewhere.
inline Tensor triu(const Tensor& x, int64_t diagonal = 0) {
  uint64_t words[] = {word(diagonal)};
  return call1(OpId::triu, {&x}, words);
}

// ---- reduce.cpp (an empty dims list means all dimensions) -------------------------------------------------

// Sum over dims; integers and bool in int64.
inline Tensor sum(const Tensor& x, IntList dims = {}, bool keepdim = false, DType dtype = DType::none) {
  AttrWriter words(3);
  words.add(dims).add(int64_t(keepdim)).add(int64_t(dtype));
  return call1(OpId::sum, {&x}, words.finish());
}
inline void sum_out(const Tensor& x, IntList dims, bool keepdim, DType dtype, const Tensor& out) {
  AttrWriter words(3);
  words.add(dims).add(int64_t(keepdim)).add(int64_t(dtype));
  call_out(OpId::sum, {&x}, words.finish(), out);
}

// Mean over dims; floats only.
inline Tensor mean(const Tensor& x, IntList dims = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dims).add(int64_t(keepdim));
  return call1(OpId::mean, {&x}, words.finish());
}

// Product over dims; integers and bool in int64.
inline Tensor prod(const Tensor& x, IntList dims = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dims).add(int64_t(keepdim));
  return call1(OpId::prod, {&x}, words.finish());
}

// Largest value over dims; NaN wins. Gradients are shared equally at ties.
inline Tensor amax(const Tensor& x, IntList dims = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dims).add(int64_t(keepdim));
  return call1(OpId::amax, {&x}, words.finish());
}

// Smallest value over dims; NaN wins. Gradients are shared equally at ties.
inline Tensor amin(const Tensor& x, IntList dims = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dims).add(int64_t(keepdim));
  return call1(OpId::amin, {&x}, words.finish());
}

// Largest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::array<Tensor, 2> max_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call2(OpId::max_dim, {&x}, words);
}

// Smallest value along dim and the first index where it stands (int64). Returns {values, indices}.
inline std::array<Tensor, 2> min_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call2(OpId::min_dim, {&x}, words);
}

// First index of the largest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmax(const Tensor& x, int64_t dim = kNone, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call1(OpId::argmax, {&x}, words);
}

// First index of the smallest value along dim (int64); absent: of the flattened tensor.
inline Tensor argmin(const Tensor& x, int64_t dim = kNone, bool keepdim = false) {
  uint64_t words[] = {word(dim), word(keepdim)};
  return call1(OpId::argmin, {&x}, words);
}

// True where some element over dims is not 0.
inline Tensor any(const Tensor& x, IntList dims = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dims).add(int64_t(keepdim));
  return call1(OpId::any, {&x}, words.finish());
}

// True where every element over dims is not 0.
inline Tensor all(const Tensor& x, IntList dims = {}, bool keepdim = false) {
  AttrWriter words(2);
  words.add(dims).add(int64_t(keepdim));
  return call1(OpId::all, {&x}, words.finish());
}

// Variance over dims with divisor n - correction (two passes).
inline Tensor var(const Tensor& x, IntList dims = {}, int64_t correction = 1, bool keepdim = false) {
  AttrWriter words(3);
  words.add(dims).add(correction).add(int64_t(keepdim));
  return call1(OpId::var, {&x}, words.finish());
}

// Square root of var.
Tensor std(const Tensor& x, IntList dims = {}, int64_t correction = 1, bool keepdim = false);

// p-norm over dims; p may be 0, 1, 2, any positive number or +-infinity.
Tensor norm(const Tensor& x, double p = 2, IntList dims = {}, bool keepdim = false);

// log(sum(exp(x))) over dims, shifted by the maximum.
Tensor logsumexp(const Tensor& x, IntList dims = {}, bool keepdim = false);

// Running sum along dim; integers and bool in int64.
inline Tensor cumsum(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::cumsum, {&x}, words);
}

// Running product along dim; integers and bool in int64.
inline Tensor cumprod(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::cumprod, {&x}, words);
}

// Number of elements that are not 0 (int64).
Tensor count_nonzero(const Tensor& x, IntList dims = {});

// x summed over the dimensions that broadcasting from size had added.
Tensor sum_to_size(const Tensor& x, IntList size);

// ---- matmul.cpp -------------------------------------------------------------------------------------------

// Matrix product (M, K) x (K, N) -> (M, N).
inline Tensor mm(const Tensor& a, const Tensor& b) { return call1(OpId::mm, {&a, &b}); }
inline void mm_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::mm, {&a, &b}, {}, out);
}

// Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N).
inline Tensor bmm(const Tensor& a, const Tensor& b) { return call1(OpId::bmm, {&a, &b}); }
inline void bmm_out(const Tensor& a, const Tensor& b, const Tensor& out) {
  call_out(OpId::bmm, {&a, &b}, {}, out);
}

// beta * bias + alpha * (a @ b): a (M, K), b (K, N); bias broadcasts to (M, N).
inline Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1) {
  uint64_t words[] = {word_kind(beta), word_bits(beta), word_kind(alpha), word_bits(alpha)};
  return call1(OpId::addmm, {&bias, &a, &b}, words);
}

// x @ weight^T + bias: x (*, in), weight (out, in), bias (out) -> (*, out).
inline Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor()) {
  return call1(OpId::linear, {&x, &weight, &bias});
}

// Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that
// broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);

// Matrix-vector product (M, K) x (K) -> (M).
Tensor mv(const Tensor& a, const Tensor& x);

// Sum of products of two vectors: (K) x (K) -> ().
Tensor dot(const Tensor& a, const Tensor& b);

// (M) x (N) -> (M, N).
Tensor outer(const Tensor& a, const Tensor& b);

// beta * bias + alpha * bmm(a, b): a (B, M, K), b (B, K, N); bias broadcasts to (B, M, N).
Tensor baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);

// ---- index.cpp --------------------------------------------------------------------------------------------

// Slices of x along dim at the 1-d index.
inline Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::index_select, {&x, &index}, words);
}

// out[i][j] = x[index[i][j]][j] for dim 0, and so on; index has x's rank.
inline Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::gather, {&x, &index}, words);
}

// A copy of x with src written where index points along dim; for repeated indices one of the writes wins.
inline Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter, {&x, &index, &src}, words);
}
inline Tensor scatter_(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1_inplace(OpId::scatter, {&x, &index, &src}, words);
}

// A copy of x with src added where index points along dim.
inline Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_add, {&x, &index, &src}, words);
}
inline Tensor scatter_add_(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1_inplace(OpId::scatter_add, {&x, &index, &src}, words);
}

// A copy of x with the slices of src added at the 1-d index along dim.
inline Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::index_add, {&x, &index, &src}, words);
}
inline Tensor index_add_(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1_inplace(OpId::index_add, {&x, &index, &src}, words);
}

// NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.
inline Tensor index(const Tensor& x, std::span<const Tensor> indices) {
  return call1_list(OpId::index, {&x}, indices);
}

// A copy of x with values written (or added) where advanced indexing points.
inline Tensor index_put(const Tensor& x, const Tensor& values, bool accumulate,
                        std::span<const Tensor> indices) {
  uint64_t words[] = {word(accumulate)};
  return call1_list(OpId::index_put, {&x, &values}, indices, words);
}
inline Tensor index_put_(const Tensor& x, const Tensor& values, bool accumulate,
                         std::span<const Tensor> indices) {
  uint64_t words[] = {word(accumulate)};
  return call1_list_inplace(OpId::index_put, {&x, &values}, indices, words);
}

// The elements where mask is true, as a vector.
inline Tensor masked_select(const Tensor& x, const Tensor& mask) {
  return call1(OpId::masked_select, {&x, &mask});
}

// Indices of the elements that are not 0: (count, ndim), int64.
inline Tensor nonzero(const Tensor& x) { return call1(OpId::nonzero, {&x}); }

// A copy of x with consecutive elements of src where mask is true.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& src);

// int64 tensor with 1 at each index along a new last dimension.
Tensor one_hot(const Tensor& index, int64_t classes);

// Stable sort along dim; NaN counts as largest. Returns {values, indices}.
inline std::array<Tensor, 2> sort(const Tensor& x, int64_t dim = -1, bool descending = false) {
  uint64_t words[] = {word(dim), word(descending)};
  return call2(OpId::sort, {&x}, words);
}

// Indices that sort x along dim.
Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false);

// The k largest (or smallest) elements along dim, sorted. Returns {values, indices}.
inline std::array<Tensor, 2> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true) {
  uint64_t words[] = {word(k), word(dim), word(largest)};
  return call2(OpId::topk, {&x}, words);
}

// The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest. Returns {values,
// indices}.
std::array<Tensor, 2> kthvalue(const Tensor& x, int64_t k, int64_t dim = -1, bool keepdim = false);

// Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared equally
// at ties.
Tensor median(const Tensor& x);

// Median of the elements that are not NaN.
Tensor nanmedian(const Tensor& x);

// Middle element along dim, the lower of two, and where it stands; NaN if any is. Returns {values, indices}.
std::array<Tensor, 2> median_dim(const Tensor& x, int64_t dim, bool keepdim = false);

// Middle along dim of the elements that are not NaN, and where it stands. Returns {values, indices}.
std::array<Tensor, 2> nanmedian_dim(const Tensor& x, int64_t dim, bool keepdim = false);

// Where each value keeps the last dimension of sorted in order (int64): before equal elements, or after them
// with right. sorted has one dimension, or the leading ones of values.
inline Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false) {
  uint64_t words[] = {word(right)};
  return call1(OpId::searchsorted, {&sorted, &values}, words);
}

// searchsorted of x in the vector boundaries.
Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false);

// True where an element of x is among those of test, or is not with invert. NaN is not.
Tensor isin(const Tensor& x, const Tensor& test, bool invert = false);

// How often each of 0, 1, ... stands in the integer vector x, or the sum of its weights; at least minlength
// counts.
Tensor bincount(const Tensor& x, const Tensor& weights = Tensor(), int64_t minlength = 0);

// Counts in bins of equal width from min to max, both included; equal limits mean those of the data.
Tensor histc(const Tensor& x, int64_t bins = 100, double min = 0, double max = 0);

// Rows of weight (V, D) at index (*) -> (*, D); row padding_idx gets no gradient.
inline Tensor embedding(const Tensor& weight, const Tensor& index, int64_t padding_idx = -1) {
  uint64_t words[] = {word(padding_idx)};
  return call1(OpId::embedding, {&weight, &index}, words);
}

// Sums the rows of grad into a (rows, D) tensor.
inline Tensor embedding_backward(const Tensor& grad, const Tensor& index, int64_t rows, int64_t padding_idx) {
  uint64_t words[] = {word(rows), word(padding_idx)};
  return call1(OpId::embedding_backward, {&grad, &index}, words);
}

// ---- scan.cpp ---------------------------------------------------------------------------------------------

// Largest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
// indices}.
inline std::array<Tensor, 2> cummax(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call2(OpId::cummax, {&x}, words);
}

// Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Returns {values,
// indices}.
inline std::array<Tensor, 2> cummin(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call2(OpId::cummin, {&x}, words);
}

// log(cumsum(exp(x))) along dim, without overflow; floats only.
inline Tensor logcumsumexp(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::logcumsumexp, {&x}, words);
}

// y[i] = x[i] + decay[i] y[i - 1] along dim; in reverse y[i] = x[i] + decay[i + 1] y[i + 1].
inline Tensor linear_scan(const Tensor& x, const Tensor& decay, int64_t dim, bool reverse) {
  uint64_t words[] = {word(dim), word(reverse)};
  return call1(OpId::linear_scan, {&x, &decay}, words);
}

// ---- scatter_reduce.cpp (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) --------------------

// A copy of x multiplied by src where index points along dim.
inline Tensor scatter_prod(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_prod, {&x, &index, &src}, words);
}

// A copy of x raised to src where index points along dim; NaN wins.
inline Tensor scatter_amax(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_amax, {&x, &index, &src}, words);
}

// A copy of x lowered to src where index points along dim; NaN wins.
inline Tensor scatter_amin(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::scatter_amin, {&x, &index, &src}, words);
}

// A copy of x in which the elements that index points to along dim are reduced with those of src; without
// include_self, of src alone. Means of integers are rounded down.
Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, int64_t reduce,
                      bool include_self = true);

// scatter_reduce of whole slices of src at the 1-d index along dim.
Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, int64_t reduce,
                    bool include_self = true);

// ---- conv.cpp ---------------------------------------------------------------------------------------------

// Cross-correlation: x (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W').
inline Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, IntList stride,
                     IntList padding, IntList dilation, int64_t groups = 1) {
  AttrWriter words(4);
  words.add(stride).add(padding).add(dilation).add(groups);
  return call1(OpId::conv2d, {&x, &weight, &bias}, words.finish());
}

// Gradient of conv2d for x; the transposed convolution.
inline Tensor conv2d_input(const Tensor& grad, const Tensor& weight, IntList input_size, IntList stride,
                           IntList padding, IntList dilation, int64_t groups) {
  AttrWriter words(5);
  words.add(input_size).add(stride).add(padding).add(dilation).add(groups);
  return call1(OpId::conv2d_input, {&grad, &weight}, words.finish());
}

// Gradient of conv2d for weight.
inline Tensor conv2d_weight(const Tensor& grad, const Tensor& x, IntList weight_size, IntList stride,
                            IntList padding, IntList dilation, int64_t groups) {
  AttrWriter words(5);
  words.add(weight_size).add(stride).add(padding).add(dilation).add(groups);
  return call1(OpId::conv2d_weight, {&grad, &x}, words.finish());
}

// (N, C, H, W) summed to (C).
inline Tensor channel_sum(const Tensor& x) { return call1(OpId::channel_sum, {&x}); }

// Maximum of each window and where it stood in the H x W plane (int32). Returns {out, indices}.
inline std::array<Tensor, 2> max_pool2d_indices(const Tensor& x, IntList kernel, IntList stride,
                                                IntList padding, IntList dilation, bool ceil_mode = false) {
  AttrWriter words(5);
  words.add(kernel).add(stride).add(padding).add(dilation).add(int64_t(ceil_mode));
  return call2(OpId::max_pool2d_indices, {&x}, words.finish());
}

// Adds grad where the maxima stood.
inline Tensor max_pool2d_backward(const Tensor& grad, const Tensor& indices, IntList input_size) {
  AttrWriter words(1);
  words.add(input_size);
  return call1(OpId::max_pool2d_backward, {&grad, &indices}, words.finish());
}

// Reads x (N, C, H, W) where the maxima stood.
inline Tensor max_pool2d_gather(const Tensor& x, const Tensor& indices) {
  return call1(OpId::max_pool2d_gather, {&x, &indices});
}

// Maximum of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding
// counts as -infinity.
Tensor max_pool2d(const Tensor& x, IntList kernel, IntList stride, IntList padding, IntList dilation,
                  bool ceil_mode = false);

// Mean of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size.
inline Tensor avg_pool2d(const Tensor& x, IntList kernel, IntList stride, IntList padding,
                         bool ceil_mode = false, bool count_include_pad = true) {
  AttrWriter words(5);
  words.add(kernel).add(stride).add(padding).add(int64_t(ceil_mode)).add(int64_t(count_include_pad));
  return call1(OpId::avg_pool2d, {&x}, words.finish());
}

// Spreads grad evenly over each window.
inline Tensor avg_pool2d_backward(const Tensor& grad, IntList input_size, IntList kernel, IntList stride,
                                  IntList padding, bool ceil_mode, bool count_include_pad) {
  AttrWriter words(6);
  words.add(input_size).add(kernel).add(stride).add(padding).add(int64_t(ceil_mode));
  words.add(int64_t(count_include_pad));
  return call1(OpId::avg_pool2d_backward, {&grad}, words.finish());
}

// Mean over a grid of output_size windows of x (N, C, H, W) or (C, H, W).
inline Tensor adaptive_avg_pool2d(const Tensor& x, IntList output_size) {
  AttrWriter words(1);
  words.add(output_size);
  return call1(OpId::adaptive_avg_pool2d, {&x}, words.finish());
}

// Spreads grad evenly over each window.
inline Tensor adaptive_avg_pool2d_backward(const Tensor& grad, IntList input_size) {
  AttrWriter words(1);
  words.add(input_size);
  return call1(OpId::adaptive_avg_pool2d_backward, {&grad}, words.finish());
}

// ---- norm.cpp ---------------------------------------------------------------------------------------------

// exp(x) / sum(exp(x)) along dim, shifted by the maximum.
inline Tensor softmax(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::softmax, {&x}, words);
}
inline void softmax_out(const Tensor& x, int64_t dim, const Tensor& out) {
  uint64_t words[] = {word(dim)};
  call_out(OpId::softmax, {&x}, words, out);
}

// log(softmax(x)) along dim, without overflow.
inline Tensor log_softmax(const Tensor& x, int64_t dim) {
  uint64_t words[] = {word(dim)};
  return call1(OpId::log_softmax, {&x}, words);
}
inline void log_softmax_out(const Tensor& x, int64_t dim, const Tensor& out) {
  uint64_t words[] = {word(dim)};
  call_out(OpId::log_softmax, {&x}, words, out);
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

// x (N, C, *) normalised by the statistics of the batch over all but C; var has the divisor n. Returns {out,
// mean, var}.
inline std::array<Tensor, 3> batch_norm_stats(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                              double eps) {
  uint64_t words[] = {word(eps)};
  return call3(OpId::batch_norm_stats, {&x, &weight, &bias}, words);
}

// x (N, C, *) normalised by given statistics.
inline Tensor batch_norm_apply(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                               const Tensor& var, double eps) {
  uint64_t words[] = {word(eps)};
  return call1(OpId::batch_norm_apply, {&x, &weight, &bias, &mean, &var}, words);
}

// Gradients of batch_norm_stats. Returns {dx, dweight, dbias}.
inline std::array<Tensor, 3> batch_norm_backward(const Tensor& grad, const Tensor& x, const Tensor& weight,
                                                 const Tensor& mean, const Tensor& var, double eps) {
  uint64_t words[] = {word(eps)};
  return call3(OpId::batch_norm_backward, {&grad, &x, &weight, &mean, &var}, words);
}

// (x - mean) / sqrt(var + eps) * weight + bias per channel of x (N, C, *); the others are (C); updates the
// running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).
Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool train, double momentum = 0.1, double eps = 1e-5);

// x normalised over its last dimensions; mean and rstd have one element per row. Returns {out, mean, rstd}.
inline std::array<Tensor, 3> layer_norm_stats(const Tensor& x, IntList shape, const Tensor& weight,
                                              const Tensor& bias, double eps) {
  AttrWriter words(2);
  words.add(shape).add(eps);
  return call3(OpId::layer_norm_stats, {&x, &weight, &bias}, words.finish());
}

// Gradients of layer_norm_stats. Returns {dx, dweight, dbias}.
inline std::array<Tensor, 3> layer_norm_backward(const Tensor& grad, const Tensor& x, IntList shape,
                                                 const Tensor& weight, const Tensor& mean,
                                                 const Tensor& rstd) {
  AttrWriter words(1);
  words.add(shape);
  return call3(OpId::layer_norm_backward, {&grad, &x, &weight, &mean, &rstd}, words.finish());
}

// (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions `shape` (Ba et al.,
// arXiv:1607.06450).
Tensor layer_norm(const Tensor& x, IntList shape, const Tensor& weight = Tensor(),
                  const Tensor& bias = Tensor(), double eps = 1e-5);

// ---- loss.cpp (reduction: 0 none, 1 mean, 2 sum) ----------------------------------------------------------

// Per-row loss of logits (N, C) against class indices (N), with the weight and log-sum-exp of each row.
// Returns {loss, row_weight, lse}.
inline std::array<Tensor, 3> cross_entropy_rows(const Tensor& x, const Tensor& target, const Tensor& weight,
                                                int64_t ignore_index, double label_smoothing) {
  uint64_t words[] = {word(ignore_index), word(label_smoothing)};
  return call3(OpId::cross_entropy_rows, {&x, &target, &weight}, words);
}

// Gradient of the per-row losses.
inline Tensor cross_entropy_rows_backward(const Tensor& grad, const Tensor& x, const Tensor& target,
                                          const Tensor& weight, const Tensor& lse, int64_t ignore_index,
                                          double label_smoothing) {
  uint64_t words[] = {word(ignore_index), word(label_smoothing)};
  return call1(OpId::cross_entropy_rows_backward, {&grad, &x, &target, &weight, &lse}, words);
}

// -log softmax(x)[target]: x (N, C, *) against class indices (N, *) of int64, or probabilities of x's shape.
Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = Tensor(),
                     int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0);

// -x[target] for log-probabilities x (N, C, *) and class indices target (N, *), int64.
Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight = Tensor(), int64_t reduction = 1,
                int64_t ignore_index = -100);

// (x - target)^2; the shapes broadcast.
Tensor mse_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1);

// |x - target|; the shapes broadcast.
Tensor l1_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1);

// Quadratic below beta, linear above (Girshick, arXiv:1504.08083).
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1, double beta = 1);

// Huber's loss: delta times smooth_l1_loss with beta = delta.
Tensor huber_loss(const Tensor& x, const Tensor& target, int64_t reduction = 1, double delta = 1);

// -(t log x + (1 - t) log(1 - x)); logarithms are limited to -100 as in PyTorch.
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = Tensor(),
                            int64_t reduction = 1);

// binary_cross_entropy of sigmoid(x), without overflow.
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        const Tensor& weight = Tensor(), const Tensor& pos_weight = Tensor(),
                                        int64_t reduction = 1);

// target (log target - x) for log-probabilities x.
Tensor kl_div(const Tensor& x, const Tensor& target, int64_t reduction = 1, bool log_target = false);

// ---- optimizer.cpp (in place over lists; the optimizers call them) ----------------------------------------

// One step of the optimizer `rule` (optimizers.h) with the options of modules.def: lists = n parameters, n
// gradients, then n tensors for each bit of slots.
inline void optimizer_step(int64_t rule, int64_t n, int64_t slots, bool fresh, int64_t step, double lr,
                           std::span<const double> options, std::span<const Tensor> lists) {
  AttrWriter words(7);
  words.add(rule).add(n).add(slots).add(int64_t(fresh)).add(step).add(lr).add(options);
  call_list_effect(OpId::optimizer_step, lists, words.finish());
}

}  // namespace haft::ops
