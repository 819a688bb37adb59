// Functions of complex tensors, element by element, as formulas of real and imaginary parts.
#pragma once
#include "core/tensor/tensor.h"

namespace haft::complex_functions {

// x times, and plus, a real number.
Tensor times(const Tensor& x, double s);
Tensor moved(const Tensor& x, double s);

Tensor reciprocal(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor expm1(const Tensor& x);
Tensor log(const Tensor& x);
Tensor log1p(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor tan(const Tensor& x);
Tensor sinh(const Tensor& x);
Tensor cosh(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor asin(const Tensor& x);
Tensor acos(const Tensor& x);
Tensor atan(const Tensor& x);
Tensor asinh(const Tensor& x);
Tensor acosh(const Tensor& x);
Tensor atanh(const Tensor& x);
// x to a real power, and to powers that are real or of x's type.
Tensor power(const Tensor& x, double e);
Tensor power(const Tensor& x, const Tensor& e);

}  // namespace haft::complex_functions
