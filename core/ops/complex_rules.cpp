// What operators do with complex tensors: each is a few operators over real and imaginary parts, on which kernels,
// devices and the tape see real numbers only. Gradients are therefore those of the parts, which is PyTorch's
// convention: dL/dre + i dL/dim. What has no rule here is refused.
#include <algorithm>
#include <numbers>

#include "core/dispatch/finish.h"
#include "core/dispatch/prepare.h"
#include "core/ops/complex.h"
#include "core/ops/complex_functions.h"
#include "core/ops/gradient.h"

namespace haft {

namespace complex_rules {
namespace {

namespace fn = complex_functions;

bool has_complex(const Tensor& t) { return t.defined() && is_complex(t.dtype()); }
Tensor pairs(const Tensor& x) { return ops::view_as_real(x); }
Tensor beside(const Tensor& x) { return ops::unsqueeze(x, -1); }
// Pairs of i x.
Tensor turned(const Tensor& x) {
  const Tensor parts[] = {-ops::imag(x), ops::real(x)};
  return ops::stack(parts, -1);
}

[[noreturn]] void refuse(OpId op, DType t) {
  fail(Code::dtype, concat("[", op_name(op), "] does not take ", dtype_name(t)),
       "compute with real(), imag(), abs() or angle(), or with view_as_real()");
}

Tensor divided(const Tensor& x, const Tensor& y) {
  return is_complex(y.dtype()) ? complex_quotient(x, y) : joined(pairs(x) / beside(y));
}
Tensor product(const Tensor& x, const Tensor& y) {
  if (!is_complex(x.dtype())) return product(y, x);
  return is_complex(y.dtype()) ? complex_product(x, y) : joined(pairs(x) * beside(y));
}

// The operands of a POINTWISE call, promoted: t is complex. Real ones may stay real.
struct Operands {
  const Call& call;
  DType t;
  AttrReader attrs;

  explicit Operands(const Call& c) : call(c), t(DType::none), attrs{c.words.data()} {
    const uint32_t traits = op_traits(c.op);
    DType dims = DType::none, zero = DType::none;
    for (int i = 0; i < c.n_in; ++i) {
      if ((i == 0 && traits & MASK0) || (i == 1 && traits & MASK1)) continue;
      DType& group = c.in[i]->ndim() ? dims : zero;
      group = group == DType::none ? c.in[i]->dtype() : promote(group, c.in[i]->dtype());
      if (traits & KEEPS) break;
    }
    t = dims == DType::none ? zero : dims;
    if (dims != DType::none && is_complex(zero) && !is_complex(dims))
      t = is_float(dims) ? complex_dtype(dims) : zero;
    if (!is_complex(t)) refuse(c.op, DType::c64);  // a complex mask
  }
  // Input i as complex numbers.
  Tensor z(int i) const { return to_complex(*call.in[i], t); }
  // The same, or real where it is.
  Tensor x(int i) const {
    const Tensor& given = *call.in[i];
    return is_complex(given.dtype()) ? to_complex(given, t) : as_dtype(given, real_dtype(t));
  }
  double number(int word = 0) const { return attrs.scalar(word).to_double(); }
};

Tensor equal(const Tensor& x, const Tensor& y) {
  return ops::logical_and(ops::eq(ops::real(x), ops::real(y)), ops::eq(ops::imag(x), ops::imag(y)));
}
Tensor is_not_zero(const Tensor& x) {
  return is_complex(x.dtype())
             ? ops::logical_or(ops::ne_scalar(ops::real(x), 0), ops::ne_scalar(ops::imag(x), 0))
             : ops::ne_scalar(x, 0);
}
Tensor mask(const Call& c, int i) {
  if (c.in[i]->dtype() != DType::boolean)
    fail(Code::dtype,
         concat("[", op_name(c.op), "] the mask must be bool, got ", dtype_name(c.in[i]->dtype())),
         "compare it, for example ne(mask, 0)");
  return *c.in[i];
}

Tensor pointwise(const Call& c) {
  if (op_traits(c.op) & NOBOOL) refuse_bool(c, op_info(c.op));
  const Operands o(c);
  switch (c.op) {
    case OpId::abs: return magnitude(o.z(0));
    case OpId::neg: return joined(-pairs(o.z(0)));
    case OpId::square: return fn::power(o.z(0), 2);
    case OpId::reciprocal: return fn::reciprocal(o.z(0));
    case OpId::exp: return fn::exp(o.z(0));
    case OpId::exp2: return fn::exp(fn::times(o.z(0), std::numbers::ln2));
    case OpId::log: return fn::log(o.z(0));
    case OpId::log2: return fn::times(fn::log(o.z(0)), 1 / std::numbers::ln2);
    case OpId::log10: return fn::times(fn::log(o.z(0)), 1 / std::numbers::ln10);
    case OpId::sqrt: return fn::sqrt(o.z(0));
    case OpId::rsqrt: return fn::reciprocal(fn::sqrt(o.z(0)));
    case OpId::sin: return fn::sin(o.z(0));
    case OpId::cos: return fn::cos(o.z(0));
    case OpId::tan: return fn::tan(o.z(0));
    case OpId::sinh: return fn::sinh(o.z(0));
    case OpId::cosh: return fn::cosh(o.z(0));
    case OpId::tanh: return fn::tanh(o.z(0));
    case OpId::asin: return fn::asin(o.z(0));
    case OpId::acos: return fn::acos(o.z(0));
    case OpId::atan: return fn::atan(o.z(0));
    case OpId::asinh: return fn::asinh(o.z(0));
    case OpId::acosh: return fn::acosh(o.z(0));
    case OpId::atanh: return fn::atanh(o.z(0));
    case OpId::expm1: return fn::expm1(o.z(0));
    case OpId::log1p: return fn::log1p(o.z(0));
    case OpId::sigmoid: return fn::sigmoid(o.z(0));
    case OpId::isnan: return ops::logical_or(ops::isnan(ops::real(o.z(0))), ops::isnan(ops::imag(o.z(0))));
    case OpId::isinf: return ops::logical_or(ops::isinf(ops::real(o.z(0))), ops::isinf(ops::imag(o.z(0))));
    case OpId::isfinite:
      return ops::logical_and(ops::isfinite(ops::real(o.z(0))), ops::isfinite(ops::imag(o.z(0))));
    case OpId::logical_not: return ops::logical_not(is_not_zero(o.z(0)));
    case OpId::logical_and:
    case OpId::logical_or:
    case OpId::logical_xor: {
      const Tensor a = is_not_zero(*c.in[0]), b = is_not_zero(*c.in[1]);
      return call1(c.op, {&a, &b});
    }
    case OpId::add: return joined(pairs(o.z(0)) + pairs(o.z(1)));
    case OpId::sub: return joined(pairs(o.z(0)) - pairs(o.z(1)));
    case OpId::mul: return product(o.x(0), o.x(1));
    case OpId::div: return divided(o.z(0), o.x(1));
    case OpId::pow: return fn::power(o.z(0), o.x(1));
    case OpId::eq: return equal(o.z(0), o.z(1));
    case OpId::ne: return ops::logical_not(equal(o.z(0), o.z(1)));
    case OpId::add_scalar: return fn::moved(o.z(0), o.number());
    case OpId::sub_scalar: return fn::moved(o.z(0), -o.number());
    case OpId::rsub_scalar: return fn::moved(joined(-pairs(o.z(0))), o.number());
    case OpId::mul_scalar: return fn::times(o.z(0), o.number());
    case OpId::div_scalar: return joined(pairs(o.z(0)) / o.number());
    case OpId::rdiv_scalar: return fn::times(fn::reciprocal(o.z(0)), o.number());
    case OpId::pow_scalar: return fn::power(o.z(0), o.number());
    case OpId::rpow_scalar: return fn::power(ops::full({}, o.number(), o.t, c.in[0]->device()), o.z(0));
    case OpId::eq_scalar:
      return ops::logical_and(ops::eq_scalar(ops::real(o.z(0)), o.attrs.scalar(0)),
                              ops::eq_scalar(ops::imag(o.z(0)), 0));
    case OpId::ne_scalar:
      return ops::logical_or(ops::ne_scalar(ops::real(o.z(0)), o.attrs.scalar(0)),
                             ops::ne_scalar(ops::imag(o.z(0)), 0));
    case OpId::where: return joined(ops::where(beside(mask(c, 0)), pairs(o.z(1)), pairs(o.z(2))));
    case OpId::masked_fill:
      return ops::complex(ops::masked_fill(ops::real(o.z(0)), mask(c, 1), o.attrs.scalar(0)),
                          ops::masked_fill(ops::imag(o.z(0)), mask(c, 1), 0.0));
    case OpId::addcmul: return o.z(0) + fn::times(product(o.z(1), o.x(2)), o.number());
    case OpId::addcdiv: return o.z(0) + fn::times(divided(o.z(1), o.x(2)), o.number());
    case OpId::lerp: return o.z(0) + fn::times(o.z(1) - o.z(0), o.number());
    default: refuse(c.op, o.t);
  }
}

// ---- others ----

// The call once for real and once for imaginary parts: what moves and adds elements. Indices and masks serve both.
void by_parts(const Call& c) {
  std::vector<Tensor> held;
  held.reserve(2 * size_t(c.n_in));
  std::vector<const Tensor*> in[2];
  for (int i = 0; i < c.n_in; ++i) {
    const Tensor& t = *c.in[i];
    if (t.defined() && is_float(t.dtype()))
      fail(Code::dtype,
           concat("[", op_name(c.op), "] tensor ", i, " is ", dtype_name(t.dtype()), ", others are complex"),
           "cast one of them");
    for (int part : {0, 1}) {
      if (!has_complex(t)) {
        in[part].push_back(&t);
      } else {
        held.push_back(part ? ops::imag(t) : ops::real(t));
        in[part].push_back(&held.back());
      }
    }
  }
  Tensor out[2][kMaxOutputs];
  for (int part : {0, 1}) {
    std::vector<uint64_t> words(c.words.begin(), c.words.end());
    dispatch({.op = c.op,
              .n_in = c.n_in,
              .n_out = c.n_out,
              .in = in[part].data(),
              .words = words,
              .out = out[part]});
  }
  for (int k = 0; k < c.n_out; ++k) c.out[k] = ops::complex(out[0][k], out[1][k]);
}

Tensor cast(const Tensor& x, DType t) {
  if (is_complex(t))
    return is_complex(x.dtype()) ? joined(ops::cast(pairs(x), real_dtype(t))) : to_complex(x, t);
  return t == DType::boolean ? is_not_zero(x) : ops::cast(ops::real(x), t);
}

Tensor joined_along(const Call& c) {
  DType t = c.in[0]->dtype();
  for (int i = 1; i < c.n_in; ++i) t = promote(t, c.in[i]->dtype());
  std::vector<Tensor> parts[2];
  for (int i = 0; i < c.n_in; ++i) {
    const Tensor x = to_complex(*c.in[i], t);
    parts[0].push_back(ops::real(x));
    parts[1].push_back(ops::imag(x));
  }
  const int64_t dim = AttrReader{c.words.data()}.i(0);
  return ops::complex(ops::cat(parts[0], dim), ops::cat(parts[1], dim));
}

Tensor sum(const Call& c) {
  const AttrReader attrs{c.words.data()};
  const Tensor& x = *c.in[0];
  const DType t = DType(attrs.i(2));
  const IntList dims = attrs.ints(0);
  if (t != DType::none && t != x.dtype()) return ops::sum(ops::cast(x, t), dims, attrs.b(1), t);
  return ops::complex(ops::sum(ops::real(x), dims, attrs.b(1)), ops::sum(ops::imag(x), dims, attrs.b(1)));
}

// Halves times each other until one element is left, which is none of x's own.
Tensor product_along(Tensor x, int64_t dim) {
  int64_t n = x.size(dim);
  if (n == 0) return ops::ones_like(ops::sum(x, Shape{dim}, true));
  if (n == 1) return ops::clone(x);
  for (; n > 1; n = x.size(dim)) {
    const int64_t half = n / 2;
    const Tensor y = complex_product(ops::slice(x, dim, 0, half), ops::slice(x, dim, half, 2 * half));
    const Tensor both[] = {y, ops::slice(x, dim, 2 * half, n)};
    x = n % 2 ? ops::cat(both, dim) : y;
  }
  return x;
}

Tensor prod(const Call& c) {
  const AttrReader attrs{c.words.data()};
  const Tensor& x = *c.in[0];
  const Shape dims = wrap_dims(attrs.ints(0), x.ndim(), "prod");
  if (x.ndim() == 0) return ops::clone(x);
  const Shape result = reduced_sizes(x.sizes(), dims, attrs.b(1));
  if (dims.empty()) return ops::reshape(product_along(ops::reshape(x, Shape{-1}), 0), result);
  Tensor y = x;
  for (int64_t d : dims) y = product_along(y, d);
  return ops::reshape(y, result);
}

// Each element times the one `step` before it, and so on with steps twice as long: log2(n) passes, no quotient.
Tensor cumulative_product(Tensor x, int64_t dim) {
  if (x.ndim() == 0) return ops::clone(x);
  const int64_t d = wrap_dim(dim, x.ndim(), "cumprod"), n = x.size(d);
  if (n < 2) return ops::clone(x);
  for (int64_t step = 1; step < n; step *= 2) {
    const Tensor parts[] = {ops::slice(x, d, 0, step),
                            complex_product(ops::slice(x, d, step, n), ops::slice(x, d, 0, n - step))};
    x = ops::cat(parts, d);
  }
  return x;
}

// The variance of complex numbers is that of their parts together.
Tensor variance(const Call& c) {
  const AttrReader a{c.words.data()};
  const Tensor& x = *c.in[0];
  return ops::var(ops::real(x), a.ints(0), a.i(1), a.b(2)) +
         ops::var(ops::imag(x), a.ints(0), a.i(1), a.b(2));
}

void check_factors(const Call& c, int first) {
  for (int i = first; i < c.n_in; ++i)
    if (c.in[i]->defined() && c.in[i]->dtype() != c.in[first]->dtype())
      fail(Code::dtype,
           concat("[", op_name(c.op), "] tensors are ", dtype_name(c.in[first]->dtype()), " and ",
                  dtype_name(c.in[i]->dtype())),
           "cast one of them");
}

// One real product of twice the inner and outer sizes: the rows of a are pairs (re, im), b has a row of pairs y and one
// of pairs i y for each of its own.
Tensor matrix_product(const Call& c, int first, int64_t ndim) {
  const Tensor &a = *c.in[first], &b = *c.in[first + 1];
  check_factors(c, first);
  if (a.ndim() != ndim || b.ndim() != ndim || a.size(-1) != b.size(-2) ||
      (ndim == 3 && a.size(0) != b.size(0)))
    fail(Code::shape,
         concat("[", op_name(c.op), "] shapes ", a.sizes(), " and ", b.sizes(), " do not fit together"),
         "matmul() takes any");
  const Tensor rows[] = {pairs(b), turned(b)};
  Shape left(a.sizes()), right(b.sizes()), out(a.sizes());
  left.back() *= 2;
  right[ndim - 2] *= 2;
  right.back() *= 2;
  out.back() = b.size(-1);
  out.push_back(2);
  const Tensor p = ops::reshape(pairs(a), left), q = ops::reshape(ops::stack(rows, ndim - 1), right);
  return joined(ops::reshape(ndim == 2 ? ops::mm(p, q) : ops::bmm(p, q), out));
}

Tensor linear(const Call& c) {
  const Tensor &x = *c.in[0], &w = *c.in[1], &bias = *c.in[2];
  check_factors(c, 0);
  if (w.ndim() != 2 || x.ndim() == 0 || x.size(-1) != w.size(1))
    fail(Code::shape,
         concat("[linear] input of shape ", x.sizes(), " and weight of shape ", w.sizes(), " do not fit"),
         "weight is (out, in), input ends in `in`");
  const Tensor rows[] = {pairs(ops::conj(w)), ops::flip(pairs(w), Shape{-1})};  // (re, -im) and (im, re)
  Shape left(x.sizes()), out(x.sizes());
  left.back() *= 2;
  out.back() = w.size(0);
  out.push_back(2);
  const Tensor q = ops::reshape(ops::stack(rows, 1), Shape{2 * w.size(0), 2 * w.size(1)});
  const Tensor b = bias.defined() ? ops::reshape(pairs(bias), Shape{-1}) : Tensor();
  return joined(ops::reshape(ops::linear(ops::reshape(pairs(x), left), q, b), out));
}

Tensor addmm(const Call& c) {
  const AttrReader a{c.words.data()};
  check_factors(c, 0);
  const Tensor y = ops::mul_scalar(matrix_product(c, 1, 2), a.scalar(2));
  return a.scalar(0).to_double() == 0 ? y : ops::mul_scalar(*c.in[0], a.scalar(0)) + y;
}

Tensor filled(const Call& c, int word, IntList sizes, DType t, Device d) {
  NoGradGuard none;
  Shape parts(sizes);
  parts.push_back(2);
  Tensor y = ops::zeros(parts, real_dtype(t), d);
  ops::fill_(ops::select(y, -1, 0), AttrReader{c.words.data()}.scalar(word));
  return joined(y);
}

void run(const Call& c) {
  const AttrReader attrs{c.words.data()};
  if (!(op_traits(c.op) & COMPLEX)) {
    for (int i = 0; i < c.n_in; ++i)
      if (has_complex(*c.in[i])) refuse(c.op, c.in[i]->dtype());
    refuse(c.op, DType::c64);
  }
  if (op_kind(c.op) == OpKind::pointwise) return void(c.out[0] = pointwise(c));
  switch (c.op) {
    case OpId::cast: return void(c.out[0] = cast(*c.in[0], DType(attrs.i(0))));
    case OpId::to_device:
      return void(c.out[0] = joined(ops::to_device(pairs(*c.in[0]), Device::unpack(attrs.i(0)), attrs.b(1))));
    case OpId::fill:
      return void(c.out[0] = filled(c, 0, c.in[0]->sizes(), c.in[0]->dtype(), c.in[0]->device()));
    case OpId::full:
      return void(c.out[0] = filled(c, 1, attrs.ints(0), DType(attrs.i(3)), Device::unpack(attrs.i(4))));
    case OpId::eye: {
      const DType t = DType(attrs.i(2));
      return void(c.out[0] = to_complex(
                      ops::eye(attrs.i(0), attrs.i(1), real_dtype(t), Device::unpack(attrs.i(3))), t));
    }
    case OpId::linspace: {
      const DType t = DType(attrs.i(3));
      return void(c.out[0] = to_complex(ops::linspace(attrs.d(0), attrs.d(1), attrs.i(2), real_dtype(t),
                                                      Device::unpack(attrs.i(4))),
                                        t));
    }
    case OpId::cat: return void(c.out[0] = joined_along(c));
    case OpId::sum: return void(c.out[0] = sum(c));
    case OpId::prod: return void(c.out[0] = prod(c));
    case OpId::cumprod: return void(c.out[0] = cumulative_product(*c.in[0], attrs.i(0)));
    case OpId::var: return void(c.out[0] = variance(c));
    case OpId::any: return void(c.out[0] = ops::any(is_not_zero(*c.in[0]), attrs.ints(0), attrs.b(1)));
    case OpId::all: return void(c.out[0] = ops::all(is_not_zero(*c.in[0]), attrs.ints(0), attrs.b(1)));
    case OpId::nonzero: return void(c.out[0] = ops::nonzero(is_not_zero(*c.in[0])));
    case OpId::mm: return void(c.out[0] = matrix_product(c, 0, 2));
    case OpId::bmm: return void(c.out[0] = matrix_product(c, 0, 3));
    case OpId::linear: return void(c.out[0] = linear(c));
    case OpId::addmm: return void(c.out[0] = addmm(c));
    default: return by_parts(c);
  }
}

}  // namespace
}  // namespace complex_rules

void complex_call(const Call& c) {
  ThreadState& ts = thread_state();
  AllModes modes(ts);
  ScopedValue<uint32_t> uncast(ts.modes, ts.modes & ~kModeAutocast);  // complex numbers keep their type
  if (c.inplace && c.op == OpId::abs)
    fail(Code::dtype,
         concat("[abs_] the absolute value of ", dtype_name(c.in[0]->dtype()),
                " is real and cannot be written into it"),
         "abs() returns a new tensor", "input");
  if (!c.inplace && !c.into) return complex_rules::run(c);
  const char* form = c.inplace ? "_" : "_out";
  Call plain = c;
  Tensor result;
  plain.inplace = plain.into = false;
  plain.out = &result;
  // What the gradient keeps of the tensor that is written is a copy of what it was.
  std::vector<const Tensor*> in(c.in, c.in + c.n_in);
  Tensor before;
  if (c.inplace && ts.grad_enabled &&
      std::ranges::any_of(c.inputs(), [](const Tensor* t) { return t->defined() && t->requires_grad(); })) {
    before = ops::clone(*c.in[0]);
    std::ranges::replace(in, c.in[0], static_cast<const Tensor*>(&before));
    plain.in = in.data();
  }
  const Tensor self = c.inplace ? *c.in[0] : c.out[0];
  complex_rules::run(plain);
  if (!std::ranges::equal(self.sizes(), result.sizes()) ||
      category(result.dtype()) > category(self.dtype()) || (c.into && self.dtype() != result.dtype()))
    fail(self.dtype() == result.dtype() ? Code::shape : Code::dtype,
         concat("[", op_name(c.op), form, "] the result is ", dtype_name(result.dtype()), " of shape ",
                result.sizes(), ", the tensor to write into ", dtype_name(self.dtype()), " of shape ",
                self.sizes()),
         "use the form that returns a new tensor", c.inplace ? "" : "out");
  if (c.into) {
    if (self.requires_grad())
      fail(Code::autograd, concat("[", op_name(c.op), "_out] out must not require a gradient"),
           "use the form that returns a new tensor", "out");
    if (result.requires_grad()) fail_recorded_out(op_info(c.op));
  }
  call1_inplace(OpId::copy, {&self, &result});
}

}  // namespace haft
