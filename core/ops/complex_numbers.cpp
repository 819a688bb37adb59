#include "core/ops/complex_numbers.h"

#include "core/ops/complex.h"
#include "core/ops/gradient.h"

namespace haft::complex_numbers {

namespace {

void require_complex(const char* op, DType t) {
  if (!is_complex(t))
    fail(Code::dtype, concat("[", op, "] a complex number does not fit into ", dtype_name(t)),
         "use a complex dtype, or the number's real part");
}

Tensor number(Number z, DType t, Device device) {
  const DType part = real_dtype(t);
  return ops::complex(ops::full({}, z.real(), part, device), ops::full({}, z.imag(), part, device));
}
// In the precision of x, so that it decides nothing but that the result is complex.
Tensor beside(const Tensor& x, Number z) {
  const DType t = is_differentiable(x.dtype()) ? x.dtype() : default_float();
  return number(z, complex_dtype(t), x.device());
}

// x + factor * t, one of which must be complex.
Tensor moved(const char* op, const Tensor& x, const Tensor& t, Number factor) {
  require_complex(op, promote(x.dtype(), t.dtype()));
  return ops::add(x, mul_scalar(t, factor));
}

}  // namespace

Tensor full(IntList size, Number value, DType dtype, Device device) {
  const DType t = dtype == DType::none ? complex_dtype(default_float()) : dtype;
  require_complex("full", t);
  return ops::clone(ops::expand(number(value, t, device), size));
}
Tensor full_like(const Tensor& x, Number value, DType dtype) {
  const DType t = dtype == DType::none ? x.dtype() : dtype;
  require_complex("full_like", t);
  return full(x.sizes(), value, t, x.device());
}
Tensor fill(const Tensor& x, Number value) {
  require_complex("fill", x.dtype());
  return full(x.sizes(), value, x.dtype(), x.device());
}
Tensor masked_fill(const Tensor& x, const Tensor& mask, Number value) {
  require_complex("masked_fill", x.dtype());
  return ops::where(mask, number(value, x.dtype(), x.device()), x);
}
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, Number value) {
  require_complex("index_fill", x.dtype());
  return ops::complex(ops::index_fill(ops::real(x), dim, index, value.real()),
                      ops::index_fill(ops::imag(x), dim, index, value.imag()));
}

Tensor add_scalar(const Tensor& x, Number y) { return ops::add(x, beside(x, y)); }
Tensor sub_scalar(const Tensor& x, Number y) { return ops::sub(x, beside(x, y)); }
Tensor rsub_scalar(const Tensor& x, Number y) { return ops::sub(beside(x, y), x); }
Tensor mul_scalar(const Tensor& x, Number y) { return ops::mul(x, beside(x, y)); }
Tensor div_scalar(const Tensor& x, Number y) { return ops::div(x, beside(x, y)); }
Tensor rdiv_scalar(const Tensor& x, Number y) { return ops::div(beside(x, y), x); }
Tensor pow_scalar(const Tensor& x, Number y) { return ops::pow(x, beside(x, y)); }
Tensor rpow_scalar(const Tensor& x, Number y) { return ops::pow(beside(x, y), x); }
Tensor eq_scalar(const Tensor& x, Number y) { return ops::eq(x, beside(x, y)); }
Tensor ne_scalar(const Tensor& x, Number y) { return ops::ne(x, beside(x, y)); }

Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Number value) {
  return moved("addcmul", x, ops::mul(tensor1, tensor2), value);
}
Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Number value) {
  return moved("addcdiv", x, ops::div(tensor1, tensor2), value);
}
Tensor lerp(const Tensor& x, const Tensor& end, Number weight) {
  return moved("lerp", x, ops::sub(end, x), weight);
}

void write(const char* op, const Tensor& x, const Tensor& result) {
  require_complex(op, x.dtype());
  if (!std::ranges::equal(x.sizes(), result.sizes()))
    fail(Code::shape,
         concat("[", op, "] the result has shape ", result.sizes(), ", the tensor to write into ", x.sizes()),
         "use the form that returns a new tensor");
  ops::copy_(x, result);
}

}  // namespace haft::complex_numbers
