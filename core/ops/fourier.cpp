// Fourier transforms: lines of pairs for the kernel, dimensions, norms and gradients.
#include "core/schema/fourier.h"

#include <cmath>

#include "core/dispatch/layout.h"
#include "core/ops/complex.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

int64_t kind_word(Fourier k) { return int64_t(k); }

// Numbers for the pairs 0 to n / 2 of a real line: `inner`, but 1 for those that are their own conjugates.
Tensor weights(int64_t n, double inner, const Tensor& like) {
  NoGradGuard none;
  const int64_t count = n / 2 + 1;
  Tensor w = ops::full(Shape{count, 1}, inner, like.dtype(), like.device());
  ops::fill_(ops::select(w, 0, 0), 1);
  if (n % 2 == 0) ops::fill_(ops::select(w, 0, count - 1), 1);
  return w;
}

}  // namespace

SHAPE(fourier) {
  const Tensor& x = c.in(0);
  const int64_t n = c.attrs.i(0), columns = c.attrs.i(3);
  const auto kind = Fourier(c.attrs.i(1));
  const bool pairs = kind != Fourier::real_forward;
  const bool real = kind == Fourier::real_forward || kind == Fourier::real_inverse;
  const int64_t length = kind == Fourier::real_inverse ? n / 2 + 1 : n;
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64)
    fail(Code::dtype, concat("[fourier] input must be float32 or float64, got ", dtype_name(x.dtype())), {},
         "input");
  const int64_t behind = pairs + (columns > 1);  // dimensions behind the lines'
  if (n < 1 || columns < 1 || (real && columns > 1) || x.ndim() < 1 + behind ||
      x.size(-1 - behind) != length || (columns > 1 && x.size(-2) != columns) || (pairs && x.size(-1) != 2))
    fail(Code::shape,
         concat("[fourier] input of shape ", x.sizes(), " does not hold lines of ", n, " numbers in ",
                columns, " columns"),
         {}, "input");
  Shape sizes(x.sizes());
  if (real) {
    if (pairs) sizes.pop_back();
    sizes.back() = pairs ? n : n / 2 + 1;
    if (!pairs) sizes.push_back(2);
  }
  c.out(0, x.dtype(), sizes);
}
GRADIENT(fourier) {
  const int64_t n = b.attrs.i(0), columns = b.attrs.i(3);
  const double scale = b.attrs.d(2);
  const Tensor g = b.grad();
  switch (Fourier(b.attrs.i(1))) {
    case Fourier::forward: return b.set(0, ops::fourier(g, n, kind_word(Fourier::inverse), scale, columns));
    case Fourier::inverse: return b.set(0, ops::fourier(g, n, kind_word(Fourier::forward), scale, columns));
    case Fourier::real_forward:  // conjugates, which the inverse adds, have no part in it
      return b.set(0, ops::fourier(g * weights(n, 0.5, g), n, kind_word(Fourier::real_inverse), scale));
    case Fourier::real_inverse:
      return b.set(0, ops::fourier(g, n, kind_word(Fourier::real_forward), scale) * weights(n, 2, g));
  }
}

namespace {

enum Norm : int64_t { kBackward = 0, kOrtho = 1, kForward = 2 };

struct Transform {
  const char* op;
  int64_t norm;
  bool forward;

  Transform(const char* name, int64_t n, bool is_forward) : op(name), norm(n), forward(is_forward) {
    if (norm < kBackward || norm > kForward)
      fail(Code::invalid_argument,
           concat("[", op, "] norm must be 0 (backward), 1 (ortho) or 2 (forward), got ", norm), {}, "norm");
  }
  double scale(int64_t n) const {
    return norm == kOrtho ? 1 / std::sqrt(double(n)) : forward == (norm == kForward) ? 1 / double(n) : 1;
  }
  void check(int64_t n) const {
    if (n < 1)
      fail(Code::invalid_argument, concat("[", op, "] a transform takes at least 1 element, got ", n), {},
           "n");
  }
  // x in a type that is transformed: what is no float counts as the default one.
  Tensor number(const Tensor& x) const {
    if (is_complex(x.dtype()) || x.dtype() == DType::f32 || x.dtype() == DType::f64) return x;
    if (is_float(x.dtype()))
      fail(Code::dtype,
           concat("[", op, "] input must be float32, float64 or complex, got ", dtype_name(x.dtype())),
           "cast it to float32", "input");
    return ops::cast(x, default_float());
  }
  Tensor complex(const Tensor& x) const {
    const Tensor y = number(x);
    return to_complex(y, complex_dtype(y.dtype()));
  }
  Tensor real(const Tensor& x) const {
    if (is_complex(x.dtype()))
      fail(Code::dtype, concat("[", op, "] takes a real input, got ", dtype_name(x.dtype())),
           "use the transform of complex numbers", "input");
    return number(x);
  }
  int64_t dim(const Tensor& x, int64_t d) const {
    if (x.ndim() == 0)
      fail(Code::shape, concat("[", op, "] a 0-dim tensor has no dimension to transform"), "unsqueeze it",
           "input");
    return wrap_dim(d, x.ndim(), op);
  }
};

// x cut or padded with zeros to n elements along dim.
Tensor resized(const Tensor& x, int64_t dim, int64_t n) {
  const int64_t have = x.size(dim);
  if (have >= n) return have == n ? x : ops::slice(x, dim, 0, n);
  Shape sizes(x.sizes());
  sizes[dim] = n - have;
  const Tensor both[] = {x, ops::zeros(sizes, x.dtype(), x.device())};
  return ops::cat(both, dim);
}

Tensor last(const Tensor& x, int64_t dim) {
  return dim + 1 == x.ndim() ? x : ops::contiguous(ops::transpose(x, dim, -1));
}
Tensor put_back(const Tensor& x, int64_t dim) { return dim + 1 == x.ndim() ? x : ops::transpose(x, dim, -1); }

// Complex x along dim: the last one, or what may be moved there without a copy, else in columns as it lies.
Tensor complex_line(const Transform& t, const Tensor& given, int64_t dim, int64_t n) {
  t.check(n);
  const Tensor x = resized(given, dim, n);
  const int64_t kind = kind_word(t.forward ? Fourier::forward : Fourier::inverse);
  int64_t columns = 1;
  for (int64_t d = dim + 1; d < x.ndim(); ++d) columns *= x.size(d);
  if (columns < 2 || ops::transpose(x, dim, -1).is_contiguous())
    return put_back(joined(ops::fourier(ops::view_as_real(last(x, dim)), n, kind, t.scale(n))), dim);
  Shape lines(x.sizes().first(size_t(dim))), result(x.sizes());
  for (int64_t size : {n, columns, int64_t(2)}) lines.push_back(size);
  result.push_back(2);
  const Tensor pairs = ops::reshape(ops::view_as_real(x), lines);
  return joined(ops::reshape(ops::fourier(pairs, n, kind, t.scale(n), columns), result));
}
// Real x along dim, to its first half.
Tensor half_line(const Transform& t, const Tensor& x, int64_t dim, int64_t n) {
  t.check(n);
  const Tensor y =
      ops::fourier(last(resized(x, dim, n), dim), n, kind_word(Fourier::real_forward), t.scale(n));
  return put_back(joined(y), dim);
}
// The first half along dim to n real numbers.
Tensor whole_line(const Transform& t, const Tensor& x, int64_t dim, int64_t n) {
  t.check(n);
  const Tensor pairs = ops::view_as_real(last(resized(x, dim, n / 2 + 1), dim));
  return put_back(ops::fourier(pairs, n, kind_word(Fourier::real_inverse), t.scale(n)), dim);
}

struct Dims {
  Shape dims, sizes;  // sizes of the transforms, as given: kNone where they follow from the input
};

Dims several(const Transform& t, const Tensor& x, IntList s, IntList dim) {
  Dims out;
  if (!dim.empty() && !s.empty() && dim.size() != s.size())
    fail(Code::invalid_argument,
         concat("[", t.op, "] got ", s.size(), " sizes for ", dim.size(), " dimensions"), {}, "s");
  const auto count = !dim.empty() ? dim.size() : !s.empty() ? s.size() : size_t(x.ndim());
  if (count > size_t(x.ndim()))
    fail(Code::shape, concat("[", t.op, "] ", count, " dimensions to transform, the tensor has ", x.ndim()),
         {}, "dim");
  uint32_t seen = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t d = t.dim(x, dim.empty() ? int64_t(i) - int64_t(count) : dim[i]);
    if (seen >> d & 1)
      fail(Code::invalid_argument, concat("[", t.op, "] dimension ", d, " is named twice in ", dim), {},
           "dim");
    seen |= 1u << d;
    out.dims.push_back(d);
    out.sizes.push_back(s.empty() || s[i] == -1 ? kNone : s[i]);
  }
  return out;
}

int64_t or_else(int64_t n, int64_t otherwise) { return n == kNone ? otherwise : n; }

// All but the last `left` of dims.
Tensor complex_lines(const Transform& t, Tensor x, const Dims& d, int64_t left) {
  for (int64_t i = 0; i + left < d.dims.size(); ++i)
    x = complex_line(t, x, d.dims[i], or_else(d.sizes[i], x.size(d.dims[i])));
  return x;
}

void check_some(const Transform& t, const Dims& d) {
  if (d.dims.empty())
    fail(Code::invalid_argument, concat("[", t.op, "] needs at least one dimension to transform"), {}, "dim");
}

}  // namespace

namespace ops {

Tensor fft_fft(const Tensor& x, int64_t n, int64_t dim, int64_t norm) {
  const Transform t("fft_fft", norm, true);
  const int64_t d = t.dim(x, dim);
  return complex_line(t, t.complex(x), d, or_else(n, x.size(d)));
}

Tensor fft_ifft(const Tensor& x, int64_t n, int64_t dim, int64_t norm) {
  const Transform t("fft_ifft", norm, false);
  const int64_t d = t.dim(x, dim);
  return complex_line(t, t.complex(x), d, or_else(n, x.size(d)));
}

Tensor fft_rfft(const Tensor& x, int64_t n, int64_t dim, int64_t norm) {
  const Transform t("fft_rfft", norm, true);
  const int64_t d = t.dim(x, dim);
  return half_line(t, t.real(x), d, or_else(n, x.size(d)));
}

Tensor fft_irfft(const Tensor& x, int64_t n, int64_t dim, int64_t norm) {
  const Transform t("fft_irfft", norm, false);
  const int64_t d = t.dim(x, dim);
  return whole_line(t, t.complex(x), d, or_else(n, 2 * (x.size(d) - 1)));
}

Tensor fft_hfft(const Tensor& x, int64_t n, int64_t dim, int64_t norm) {
  const Transform t("fft_hfft", norm, true);
  const int64_t d = t.dim(x, dim);
  return whole_line(t, conj(t.complex(x)), d, or_else(n, 2 * (x.size(d) - 1)));
}

Tensor fft_ihfft(const Tensor& x, int64_t n, int64_t dim, int64_t norm) {
  const Transform t("fft_ihfft", norm, false);
  const int64_t d = t.dim(x, dim);
  return conj(half_line(t, t.real(x), d, or_else(n, x.size(d))));
}

Tensor fft_fftn(const Tensor& x, IntList s, IntList dim, int64_t norm) {
  const Transform t("fft_fftn", norm, true);
  return complex_lines(t, t.complex(x), several(t, x, s, dim), 0);
}

Tensor fft_ifftn(const Tensor& x, IntList s, IntList dim, int64_t norm) {
  const Transform t("fft_ifftn", norm, false);
  return complex_lines(t, t.complex(x), several(t, x, s, dim), 0);
}

Tensor fft_rfftn(const Tensor& x, IntList s, IntList dim, int64_t norm) {
  const Transform t("fft_rfftn", norm, true);
  const Dims d = several(t, x, s, dim);
  check_some(t, d);
  const Tensor y = half_line(t, t.real(x), d.dims.back(), or_else(d.sizes.back(), x.size(d.dims.back())));
  return complex_lines(t, y, d, 1);
}

Tensor fft_irfftn(const Tensor& x, IntList s, IntList dim, int64_t norm) {
  const Transform t("fft_irfftn", norm, false);
  const Dims d = several(t, x, s, dim);
  check_some(t, d);
  return whole_line(t, complex_lines(t, t.complex(x), d, 1), d.dims.back(),
                    or_else(d.sizes.back(), 2 * (x.size(d.dims.back()) - 1)));
}

Tensor fft_hfftn(const Tensor& x, IntList s, IntList dim, int64_t norm) {
  const Transform t("fft_hfftn", norm, true);
  const Dims d = several(t, x, s, dim);
  check_some(t, d);
  return whole_line(t, conj(complex_lines(t, t.complex(x), d, 1)), d.dims.back(),
                    or_else(d.sizes.back(), 2 * (x.size(d.dims.back()) - 1)));
}

Tensor fft_ihfftn(const Tensor& x, IntList s, IntList dim, int64_t norm) {
  const Transform t("fft_ihfftn", norm, false);
  const Dims d = several(t, x, s, dim);
  check_some(t, d);
  const Tensor y = half_line(t, t.real(x), d.dims.back(), or_else(d.sizes.back(), x.size(d.dims.back())));
  return complex_lines(t, conj(y), d, 1);
}

namespace {

DType frequency_dtype(DType t, int64_t n, const char* op) {
  if (n < 1) fail(Code::invalid_argument, concat("[", op, "] n must be at least 1, got ", n), {}, "n");
  if (t != DType::none && !is_float(t))
    fail(Code::dtype, concat("[", op, "] dtype must be floating, got ", dtype_name(t)), {}, "dtype");
  return t == DType::none ? default_float() : t;
}

Tensor shifted(const Tensor& x, IntList dim, bool back, const char* op) {
  Shape dims(dim), by;
  if (dims.empty())
    for (int64_t d = 0; d < x.ndim(); ++d) dims.push_back(d);
  for (int64_t& d : dims) {
    d = wrap_dim(d, x.ndim(), op);
    by.push_back(x.ndim() ? (x.size(d) + back) / 2 : 0);
  }
  return x.ndim() ? roll(x, by, dims) : x;
}

}  // namespace

Tensor fft_fftfreq(int64_t n, double d, DType dtype, Device device) {
  const DType t = frequency_dtype(dtype, n, "fft_fftfreq");
  const Tensor k = arange(0, n, 1, DType::i64, device), above = ge_scalar(k, (n + 1) / 2);
  return as_dtype(cast(where(above, sub_scalar(k, n), k), DType::f64) / (double(n) * d), t);
}

Tensor fft_rfftfreq(int64_t n, double d, DType dtype, Device device) {
  const DType t = frequency_dtype(dtype, n, "fft_rfftfreq");
  return as_dtype(cast(arange(0, n / 2 + 1, 1, DType::i64, device), DType::f64) / (double(n) * d), t);
}

Tensor fft_fftshift(const Tensor& x, IntList dim) { return shifted(x, dim, false, "fft_fftshift"); }
Tensor fft_ifftshift(const Tensor& x, IntList dim) { return shifted(x, dim, true, "fft_ifftshift"); }

}  // namespace ops

}  // namespace haft
