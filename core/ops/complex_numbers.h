// Operators with a complex number where they have a Scalar, which has no room for one: the C functions call these.
#pragma once
#include <complex>

#include "core/dispatch/call.h"

namespace haft::complex_numbers {

using Number = std::complex<double>;

Tensor full(IntList size, Number value, DType dtype, Device device);
Tensor full_like(const Tensor& x, Number value, DType dtype);
Tensor fill(const Tensor& x, Number value);
Tensor masked_fill(const Tensor& x, const Tensor& mask, Number value);
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, Number value);
Tensor add_scalar(const Tensor& x, Number y);
Tensor sub_scalar(const Tensor& x, Number y);
Tensor rsub_scalar(const Tensor& x, Number y);
Tensor mul_scalar(const Tensor& x, Number y);
Tensor div_scalar(const Tensor& x, Number y);
Tensor rdiv_scalar(const Tensor& x, Number y);
Tensor pow_scalar(const Tensor& x, Number y);
Tensor rpow_scalar(const Tensor& x, Number y);
Tensor eq_scalar(const Tensor& x, Number y);
Tensor ne_scalar(const Tensor& x, Number y);
Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Number value);
Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Number value);
Tensor lerp(const Tensor& x, const Tensor& end, Number weight);
// What the forms in place do with the result of the others; x must be complex.
void write(const char* op, const Tensor& x, const Tensor& result);

}  // namespace haft::complex_numbers
