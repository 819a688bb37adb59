// The number protocol: a + b and the like, straight to the C functions.
#ifndef HAFT_PYTHON_NUMBER_HPP
#define HAFT_PYTHON_NUMBER_HPP
#include "bindings/python/convert.hpp"

namespace haft {
namespace python {

// Letting go of the global lock and taking it again costs 30 ns and, with busy threads, a turn of the others: below
// this many elements an operator is over before.
constexpr std::int64_t kWorthUnlocking = 4096;

inline bool large(const Tensor& t) {
  std::int64_t n = 0;
  return haft_tensor_get_numel(t.get(), &n) == HAFT_OK && n >= kWorthUnlocking;
}

using TensorOp = haft_status (*)(const haft_tensor*, const haft_tensor*, haft_tensor**);
using NumberOp = haft_status (*)(const haft_tensor*, haft_scalar, haft_tensor**);
using InplaceTensorOp = haft_status (*)(haft_tensor*, const haft_tensor*);
using InplaceNumberOp = haft_status (*)(haft_tensor*, haft_scalar);
using UnaryOp = haft_status (*)(const haft_tensor*, haft_tensor**);

// a is a tensor, or b is (then `reversed` takes the number from the left).
template <TensorOp Both, NumberOp Number_, NumberOp Reversed>
PyObject* binary(PyObject* a, PyObject* b) {
  return answered([&]() -> PyObject* {
    haft_tensor* out = nullptr;
    if (is_tensor(a)) {
      Tensor& x = tensor_of(a);
      if (is_tensor(b)) {
        Tensor& y = tensor_of(b);
        Unlocked unlocked(large(x) || large(y));
        check(Both(x.get(), y.get(), &out));
      } else {
        Scalar s;
        switch (number(b, s)) {
          case Number::no: Py_RETURN_NOTIMPLEMENTED;
          case Number::failed: return nullptr;
          default: break;
        }
        Unlocked unlocked(large(x));
        check(Number_(x.get(), s.get(), &out));
      }
    } else {
      Scalar s;
      switch (number(a, s)) {
        case Number::no: Py_RETURN_NOTIMPLEMENTED;
        case Number::failed: return nullptr;
        default: break;
      }
      Tensor& y = tensor_of(b);
      Unlocked unlocked(large(y));
      check(Reversed(y.get(), s.get(), &out));
    }
    return wrap(out);
  });
}

// Where the operator has no form for numbers, or none with the number on the left: the number as a tensor.
inline haft_status as_tensor(haft_scalar s, const haft_tensor* like, haft_tensor** out) {
  haft_device d = HAFT_DEVICE_CPU;
  haft_dtype t = HAFT_DTYPE_NONE;
  if (haft_status status = haft_tensor_get_device(like, &d)) return status;
  if (haft_status status = haft_tensor_get_dtype(like, &t)) return status;
  const bool floating = t >= HAFT_FLOAT16;
  if (s.kind == HAFT_SCALAR_FLOAT ? !floating : s.kind == HAFT_SCALAR_INT && t == HAFT_BOOL)
    t = HAFT_DTYPE_NONE;
  return haft_full(nullptr, 0, s, t, d, out);
}
inline Tensor tensor_like(const bindings::Operand& o, const Tensor& like) {
  if (o.is_tensor) return o.tensor;
  haft_tensor* t = nullptr;
  check(as_tensor(o.scalar.get(), like.get(), &t));
  return Tensor(t);
}
template <class Call>
haft_status as_tensor_to(haft_scalar s, const haft_tensor* like, Call&& call) {
  haft_tensor* y = nullptr;
  haft_status status = as_tensor(s, like, &y);
  if (status == HAFT_OK) status = call(y);
  haft_tensor_release(y);
  return status;
}
template <TensorOp Both>
haft_status with_number(const haft_tensor* x, haft_scalar s, haft_tensor** out) {
  return as_tensor_to(s, x, [&](haft_tensor* y) { return Both(x, y, out); });
}
template <TensorOp Both>
haft_status number_first(const haft_tensor* x, haft_scalar s, haft_tensor** out) {
  return as_tensor_to(s, x, [&](haft_tensor* y) { return Both(y, x, out); });
}
template <InplaceTensorOp Both>
haft_status inplace_with_number(haft_tensor* x, haft_scalar s) {
  return as_tensor_to(s, x, [&](haft_tensor* y) { return Both(x, y); });
}

template <InplaceTensorOp Both, InplaceNumberOp Number_>
PyObject* inplace(PyObject* a, PyObject* b) {
  return answered([&]() -> PyObject* {
    if (!is_tensor(a)) Py_RETURN_NOTIMPLEMENTED;
    Tensor& x = tensor_of(a);
    if (is_tensor(b)) {
      Tensor& y = tensor_of(b);
      Unlocked unlocked(large(x));
      check(Both(x.get(), y.get()));
    } else {
      Scalar s;
      switch (number(b, s)) {
        case Number::no: Py_RETURN_NOTIMPLEMENTED;
        case Number::failed: return nullptr;
        default: break;
      }
      Unlocked unlocked(large(x));
      check(Number_(x.get(), s.get()));
    }
    return Py_NewRef(a);
  });
}

template <UnaryOp Op>
PyObject* unary(PyObject* a) {
  return answered([&] {
    haft_tensor* out = nullptr;
    Tensor& x = tensor_of(a);
    {
      Unlocked unlocked(large(x));
      check(Op(x.get(), &out));
    }
    return wrap(out);
  });
}

static PyObject* tensor_add(PyObject* a, PyObject* b) {
  return binary<haft_add, haft_add_scalar, haft_add_scalar>(a, b);
}
static PyObject* tensor_sub(PyObject* a, PyObject* b) {
  return binary<haft_sub, haft_sub_scalar, haft_rsub_scalar>(a, b);
}
static PyObject* tensor_mul(PyObject* a, PyObject* b) {
  return binary<haft_mul, haft_mul_scalar, haft_mul_scalar>(a, b);
}
static PyObject* tensor_div(PyObject* a, PyObject* b) {
  return binary<haft_div, haft_div_scalar, haft_rdiv_scalar>(a, b);
}
static PyObject* tensor_mod(PyObject* a, PyObject* b) {
  return binary<haft_remainder, haft_remainder_scalar, number_first<haft_remainder>>(a, b);
}
static PyObject* tensor_floordiv(PyObject* a, PyObject* b) {
  return binary<haft_floor_divide, haft_floor_divide_scalar, number_first<haft_floor_divide>>(a, b);
}
static PyObject* tensor_pow(PyObject* a, PyObject* b, PyObject* modulo) {
  if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<haft_pow, haft_pow_scalar, haft_rpow_scalar>(a, b);
}
static PyObject* tensor_and(PyObject* a, PyObject* b) {
  return binary<haft_bitwise_and, with_number<haft_bitwise_and>, with_number<haft_bitwise_and>>(a, b);
}
static PyObject* tensor_or(PyObject* a, PyObject* b) {
  return binary<haft_bitwise_or, with_number<haft_bitwise_or>, with_number<haft_bitwise_or>>(a, b);
}
static PyObject* tensor_xor(PyObject* a, PyObject* b) {
  return binary<haft_bitwise_xor, with_number<haft_bitwise_xor>, with_number<haft_bitwise_xor>>(a, b);
}

// Shifts are products with powers of two, and quotients rounded down.
template <TensorOp Op>
haft_status shift(const haft_tensor* x, const haft_tensor* by, haft_tensor** out) {
  haft_tensor* power = nullptr;
  haft_status status = haft_rpow_scalar(by, haft_scalar_int(2), &power);
  if (status == HAFT_OK) status = Op(x, power, out);
  haft_tensor_release(power);
  return status;
}
static PyObject* tensor_lshift(PyObject* a, PyObject* b) {
  return binary<shift<haft_mul>, with_number<shift<haft_mul>>, number_first<shift<haft_mul>>>(a, b);
}
static PyObject* tensor_rshift(PyObject* a, PyObject* b) {
  return binary<shift<haft_floor_divide>, with_number<shift<haft_floor_divide>>,
                number_first<shift<haft_floor_divide>>>(a, b);
}

static PyObject* tensor_iadd(PyObject* a, PyObject* b) { return inplace<haft_add_, haft_add_scalar_>(a, b); }
static PyObject* tensor_isub(PyObject* a, PyObject* b) { return inplace<haft_sub_, haft_sub_scalar_>(a, b); }
static PyObject* tensor_imul(PyObject* a, PyObject* b) { return inplace<haft_mul_, haft_mul_scalar_>(a, b); }
static PyObject* tensor_idiv(PyObject* a, PyObject* b) { return inplace<haft_div_, haft_div_scalar_>(a, b); }
static PyObject* tensor_imod(PyObject* a, PyObject* b) {
  return inplace<haft_remainder_, haft_remainder_scalar_>(a, b);
}
static PyObject* tensor_ifloordiv(PyObject* a, PyObject* b) {
  return inplace<haft_floor_divide_, haft_floor_divide_scalar_>(a, b);
}
static PyObject* tensor_iand(PyObject* a, PyObject* b) {
  return inplace<haft_bitwise_and_, inplace_with_number<haft_bitwise_and_>>(a, b);
}
static PyObject* tensor_ior(PyObject* a, PyObject* b) {
  return inplace<haft_bitwise_or_, inplace_with_number<haft_bitwise_or_>>(a, b);
}
static PyObject* tensor_ixor(PyObject* a, PyObject* b) {
  return inplace<haft_bitwise_xor_, inplace_with_number<haft_bitwise_xor_>>(a, b);
}
static PyObject* tensor_ipow(PyObject* a, PyObject* b, PyObject*) {
  return inplace<haft_pow_, haft_pow_scalar_>(a, b);
}

static PyObject* tensor_matmul(PyObject* a, PyObject* b) {
  if (!is_tensor(a) || !is_tensor(b)) Py_RETURN_NOTIMPLEMENTED;
  return answered([&] {
    haft_tensor* out = nullptr;
    {
      Unlocked unlocked;
      check(haft_matmul(tensor_of(a).get(), tensor_of(b).get(), &out));
    }
    return wrap(out);
  });
}
static PyObject* tensor_neg(PyObject* a) { return unary<haft_neg>(a); }
static PyObject* tensor_pos(PyObject* a) { return Py_NewRef(a); }
static PyObject* tensor_abs(PyObject* a) { return unary<haft_abs>(a); }
static PyObject* tensor_invert(PyObject* a) { return unary<haft_bitwise_not>(a); }

inline haft_scalar only_element(PyObject* a) {
  haft_scalar s = haft_scalar_none();
  Tensor& t = tensor_of(a);
  haft_device d = HAFT_DEVICE_CPU;
  check(haft_tensor_get_device(t.get(), &d));
  Unlocked unlocked(d != HAFT_DEVICE_CPU);  // a device's value is waited for
  check(haft_tensor_get_item(t.get(), &s));
  return s;
}
static PyObject* tensor_item(PyObject* a, PyObject*) {
  return answered([&] { return number(only_element(a)); });
}
// A real number as PyTorch converts it: an imaginary part must be 0.
inline bool is_real(const haft_scalar& s, const char* type) {
  if (s.kind != HAFT_SCALAR_COMPLEX || s.imag == 0) return true;
  PyErr_Format(PyExc_RuntimeError, "value cannot be converted to type %s without overflow", type);
  return false;
}
static PyObject* tensor_int(PyObject* a) {
  return answered([&] {
    const haft_scalar s = only_element(a);
    if (!is_real(s, "int64_t")) return static_cast<PyObject*>(nullptr);
    return s.kind >= HAFT_SCALAR_FLOAT ? PyLong_FromDouble(s.v.d) : PyLong_FromLongLong(s.v.i);
  });
}
// tensor.__complex__()
static PyObject* tensor_complex(PyObject* a, PyObject*) {
  return answered([&] {
    const haft_scalar s = only_element(a);
    const double re = s.kind == HAFT_SCALAR_FLOAT || s.kind == HAFT_SCALAR_COMPLEX ? s.v.d : static_cast<double>(s.v.i);
    return PyComplex_FromDoubles(re, s.imag);
  });
}
static PyObject* tensor_float(PyObject* a) {
  return answered([&] {
    const haft_scalar s = only_element(a);
    if (!is_real(s, "double")) return static_cast<PyObject*>(nullptr);
    return PyFloat_FromDouble(s.kind >= HAFT_SCALAR_FLOAT ? s.v.d : static_cast<double>(s.v.i));
  });
}
static PyObject* tensor_index(PyObject* a) {
  return answered([&]() -> PyObject* {
    haft_dtype d = HAFT_DTYPE_NONE;
    check(haft_tensor_get_dtype(tensor_of(a).get(), &d));
    std::int64_t n = 0;
    check(haft_tensor_get_numel(tensor_of(a).get(), &n));
    if (d >= HAFT_FLOAT16 || n != 1) {
      PyErr_SetString(PyExc_TypeError,
                      "only integer tensors of a single element can be converted to an index");
      return nullptr;
    }
    return PyLong_FromLongLong(only_element(a).v.i);
  });
}
static int tensor_bool(PyObject* a) {
  int yes = 0;
  const int failed = done([&] {
    std::int64_t n = 0;
    check(haft_tensor_get_numel(tensor_of(a).get(), &n));
    if (n > 1) {
      PyErr_SetString(PyExc_RuntimeError, "Boolean value of Tensor with more than one value is ambiguous");
      return;
    }
    if (n == 0) return;
    const haft_scalar s = only_element(a);
    yes = (s.kind >= HAFT_SCALAR_FLOAT ? s.v.d != 0 : s.v.i != 0) || s.imag != 0;
  });
  return failed ? -1 : yes;
}

static PyObject* tensor_compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT: return binary<haft_lt, haft_lt_scalar, haft_gt_scalar>(a, b);
    case Py_LE: return binary<haft_le, haft_le_scalar, haft_ge_scalar>(a, b);
    case Py_GT: return binary<haft_gt, haft_gt_scalar, haft_lt_scalar>(a, b);
    case Py_GE: return binary<haft_ge, haft_ge_scalar, haft_le_scalar>(a, b);
    case Py_EQ: return binary<haft_eq, haft_eq_scalar, haft_eq_scalar>(a, b);
    default: return binary<haft_ne, haft_ne_scalar, haft_ne_scalar>(a, b);
  }
}

}  // namespace python
}  // namespace haft
#endif
