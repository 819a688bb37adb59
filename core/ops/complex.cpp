// Complex numbers: views of their parts, and functions that make them or take them apart.
#include "core/ops/complex.h"

#include <algorithm>
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

namespace {

void broadcast_pairs(ShapeContext& c) {
  require_same_dtype(c, 1, "other");
  const DType t = c.in(0).dtype();
  if (t != DType::f32 && t != DType::f64)
    fail(Code::dtype, concat("[", c.name(), "] pairs must be float32 or float64, got ", dtype_name(t)), {},
         "input");
  const Shape sizes = broadcast_shapes(c.in(0).sizes(), c.in(1).sizes(), c.name());
  for (int i = 0; i < 2; ++i) {
    if (c.in(i).ndim() == 0 || c.in(i).size(-1) != 2)
      fail(Code::shape, concat("[", c.name(), "] wanted pairs (*, 2), got shape ", c.in(i).sizes()), {},
           i ? "other" : "input");
    if (!std::ranges::equal(c.in(i).sizes(), IntList(sizes))) c.set_in(i, ops::expand(c.in(i), sizes));
  }
  c.out(0, t, sizes);
}

}  // namespace

SHAPE(complex_product) { broadcast_pairs(c); }
// dx = g conj(y) and dy = g conj(x); of x conj(y), dx = g y and dy = x conj(g).
GRADIENT(complex_product, .saves = {IN1, IN0}) {
  const bool conj = b.attrs.b(0);
  const Tensor g = b.grad();
  if (b.needs(0)) b.set(0, ops::complex_product(g, b.in(1), !conj));
  if (b.needs(1))
    b.set(1, conj ? ops::complex_product(b.in(0), g, true) : ops::complex_product(g, b.in(0), true));
}

SHAPE(complex_quotient) { broadcast_pairs(c); }
// Of z = x / y, dx = g / conj(y) and dy = -dx conj(z); of x / conj(y), dx = g / y and dy = -z conj(dx).
GRADIENT(complex_quotient, .saves = {IN1, IN1 | OUT0}) {
  const bool conj = b.attrs.b(0);
  const Tensor dx = ops::complex_quotient(b.grad(), b.in(1), !conj);
  if (b.needs(0)) b.set(0, dx);
  if (b.needs(1))
    b.set(1, -(conj ? ops::complex_product(b.out(), dx, true) : ops::complex_product(dx, b.out(), true)));
}

// cosh and sinh are each other's slope, exp is its own; cos and sin of other, too, but for a sign.
GRADIENT(turned_exp, .saves = {IN0 | IN1, IN0 | IN1}) {
  const bool even = b.attrs.b(0), odd = b.attrs.b(1), sine = b.attrs.b(2);
  if (b.needs(0)) b.set(0, b.grad() * ops::turned_exp(b.in(0), b.in(1), odd, even, sine));
  if (!b.needs(1)) return;
  const Tensor d = b.grad() * ops::turned_exp(b.in(0), b.in(1), even, odd, !sine);
  b.set(1, sine ? d : -d);
}

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

Tensor complex_product(const Tensor& x, const Tensor& y) {
  return joined(ops::complex_product(ops::view_as_real(x), ops::view_as_real(y), false));
}
Tensor complex_quotient(const Tensor& x, const Tensor& y) {
  return joined(ops::complex_quotient(ops::view_as_real(x), ops::view_as_real(y), false));
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
    const Tensor zero = logical_not(x);  // where the slope is 0
    return atan2(masked_fill(imag(x), zero, 0.0), masked_fill(re, zero, 1.0));
  }
  const Tensor y = is_float(x.dtype()) ? x : cast(x, default_float());
  return where(isnan(y), y * 0.0, cast(lt_scalar(y, 0), y.dtype()) * std::numbers::pi);
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
