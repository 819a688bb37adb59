// Arithmetic of tensors as it is written: operators of C++ over those of the engine.
#pragma once
#include "core/ops/functions.h"

namespace haft {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return ops::add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return ops::sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return ops::mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return ops::div(a, b); }
inline Tensor operator-(const Tensor& a) { return ops::neg(a); }
inline Tensor operator+(const Tensor& a, double s) { return ops::add_scalar(a, s); }
inline Tensor operator-(const Tensor& a, double s) { return ops::sub_scalar(a, s); }
inline Tensor operator*(const Tensor& a, double s) { return ops::mul_scalar(a, s); }
inline Tensor operator/(const Tensor& a, double s) { return ops::div_scalar(a, s); }
inline Tensor operator-(double s, const Tensor& a) { return ops::rsub_scalar(a, s); }

inline Tensor as_dtype(const Tensor& x, DType t) { return x.dtype() == t ? x : ops::cast(x, t); }

}  // namespace haft
