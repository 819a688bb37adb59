// Complex numbers: views of their parts, and functions that make them or take them apart.
#include "core/ops/complex.h"

#include <numbers>

#include "core/dispatch/layout.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

// The memory of x in elements of another type.
Tensor view_of_type(const TensorImpl& x, DType t, IntList sizes, IntList strides) {
  Tensor v = view_over(x, sizes, strides, 0);
  v.impl()->view.dtype = uint8_t(t);
  return v;
}

}  // namespace

// Both views share memory in which an element's real part stands in front of its imaginary part.
SHAPE(view_as_real) {
  const Tensor& x = c.in(0);
  if (!is_complex(x.dtype()))
    fail(Code::dtype, concat("[view_as_real] input must be complex, got ", dtype_name(x.dtype())), {},
         "input");
  if (x.ndim() == HAFT_MAX_DIMS)
    fail(Code::shape,
         concat("[view_as_real] input has ", x.ndim(),
                " dimensions, and complex numbers are computed with one more"),
         "flatten some of them first", "input");
  const TensorImpl& m = resolve(*x.impl(), false);
  Shape sizes(m.sizes()), strides(m.strides());
  for (int64_t& s : strides) s *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  c.view(view_of_type(m, real_dtype(x.dtype()), sizes, strides));
}
GRADIENT(view_as_real) { b.set(0, joined(b.grad())); }

SHAPE(view_as_complex) {
  const Tensor& x = c.in(0);
  const DType t = x.dtype();
  if (t != DType::f32 && t != DType::f64)
    fail(Code::dtype, concat("[view_as_complex] input must be float32 or float64, got ", dtype_name(t)), {},
         "input");
  const TensorImpl& m = resolve(*x.impl(), false);
  Shape sizes(m.sizes()), strides(m.strides());
  bool fits = !sizes.empty() && sizes.back() == 2 && strides.back() == 1;
  const auto at = static_cast<const char*>(m.view.data) - static_cast<const char*>(m.storage->data);
  bool even = at / item_size(t) % 2 == 0;
  for (int64_t d = 0; d + 1 < strides.size(); ++d) even = even && (strides[d] % 2 == 0 || sizes[d] == 1);
  if (!fits || !even)
    fail(Code::shape,
         concat("[view_as_complex] wanted pairs side by side: a last dimension of size 2 and stride 1, other "
                "strides "
                "and the offset even; got shape ",
                x.sizes(), ", strides ", m.strides(), " and offset ", int64_t(at / item_size(t))),
         "make it contiguous(), or use complex(real, imag)", "input");
  sizes.pop_back();
  strides.pop_back();
  for (int64_t& s : strides) s /= 2;
  c.view(view_of_type(m, complex_dtype(t), sizes, strides));
}
GRADIENT(view_as_complex) { b.set(0, ops::view_as_real(b.grad())); }

Tensor joined(const Tensor& pairs) {
  const haft_tensor_view& v = strided_view(pairs);
  bool fits = v.strides[v.ndim - 1] == 1;
  for (int d = 0; d + 1 < v.ndim; ++d) fits = fits && v.strides[d] % 2 == 0;
  Tensor z = ops::view_as_complex(fits ? pairs : ops::contiguous_copy(pairs));
  z.impl()->base.reset();  // nobody else sees the pairs: writes to z are its own, no view's
  return z;
}

Tensor to_complex(const Tensor& x, DType t) {
  const DType part = real_dtype(t);
  if (is_complex(x.dtype())) return x.dtype() == t ? x : joined(ops::cast(ops::view_as_real(x), part));
  const Tensor r = as_dtype(x, part);
  return ops::complex(r, ops::zeros_like(r));
}

// A product turns pairs by "angles" of any length, which is what rotary does in one pass over rows of pairs.
Tensor complex_product(const Tensor& given_x, const Tensor& given_y) {
  constexpr int64_t kRow = 256;
  const Shape sizes = broadcast_shapes(given_x.sizes(), given_y.sizes(), "mul");
  const Tensor x = ops::expand(given_x, sizes), y = ops::expand(given_y, sizes);
  const int64_t n = x.numel(), last = sizes.empty() ? 1 : sizes.back();
  Shape rows(sizes);
  if (last < 16 || (last != kRow && x.is_contiguous() && y.is_contiguous()))
    rows = n % kRow ? Shape{n} : Shape{n / kRow, kRow};
  Shape pairs(rows), result(sizes);
  pairs.back() *= 2;
  result.push_back(2);
  const Tensor turned = ops::rotary(ops::reshape(ops::view_as_real(x), pairs),
                                    ops::reshape(ops::real(y), rows), ops::reshape(ops::imag(y), rows), true);
  return joined(ops::reshape(turned, result));
}

Tensor magnitude(const Tensor& x) {
  const Tensor re = ops::real(x), im = ops::imag(x);
  if (!thread_state().grad_enabled || !x.requires_grad()) return ops::hypot(re, im);
  const Tensor zero = ops::logical_not(x);
  return ops::masked_fill(ops::hypot(ops::masked_fill(re, zero, 1.0), im), zero, 0.0);
}

namespace ops {

Tensor complex(const Tensor& re, const Tensor& im) {
  if (re.dtype() != im.dtype() || (re.dtype() != DType::f32 && re.dtype() != DType::f64))
    fail(Code::dtype,
         concat("[complex] both parts must be float32 or both float64, got ", dtype_name(re.dtype()), " and ",
                dtype_name(im.dtype())),
         "cast them", "imag");
  const Shape sizes = broadcast_shapes(re.sizes(), im.sizes(), "complex");
  const Tensor parts[] = {expand(re, sizes), expand(im, sizes)};
  return joined(stack(parts, -1));
}

Tensor polar(const Tensor& abs, const Tensor& angle) { return complex(abs * cos(angle), abs * sin(angle)); }

Tensor real(const Tensor& x) { return is_complex(x.dtype()) ? select(view_as_real(x), -1, 0) : x; }

Tensor imag(const Tensor& x) {
  if (!is_complex(x.dtype()))
    fail(Code::dtype, concat("[imag] input must be complex, got ", dtype_name(x.dtype())),
         "a real tensor has no imaginary part", "input");
  return select(view_as_real(x), -1, 1);
}

Tensor conj(const Tensor& x) { return is_complex(x.dtype()) ? complex(real(x), neg(imag(x))) : x; }

Tensor angle(const Tensor& x) {
  if (is_complex(x.dtype())) {
    const Tensor re = real(x);
    if (!thread_state().grad_enabled || !x.requires_grad()) return atan2(imag(x), re);
    return atan2(imag(x), masked_fill(re, logical_not(x), 1.0));  // a slope of 0 at 0
  }
  const Tensor y = is_float(x.dtype()) ? x : cast(x, default_float());
  return where(isnan(y), y, cast(lt_scalar(y, 0), y.dtype()) * std::numbers::pi);
}

Tensor sgn(const Tensor& x) {
  if (!is_complex(x.dtype())) return sign(x);
  const Tensor zero = logical_not(x), pairs = view_as_real(x);
  const Tensor r = masked_fill(magnitude(x), zero, 1.0);
  return joined(masked_fill(pairs / unsqueeze(r, -1), unsqueeze(zero, -1), 0.0));
}

Tensor isreal(const Tensor& x) {
  return is_complex(x.dtype()) ? eq_scalar(imag(x), 0) : full(x.sizes(), true, DType::boolean, x.device());
}

Tensor vdot(const Tensor& x, const Tensor& y) { return dot(conj(x), y); }

Tensor adjoint(const Tensor& x) {
  if (x.ndim() < 2)
    fail(Code::shape, concat("[adjoint] takes matrices (*, M, N), got shape ", x.sizes()), {}, "input");
  return conj(transpose(x, -2, -1));
}

}  // namespace ops

}  // namespace haft
