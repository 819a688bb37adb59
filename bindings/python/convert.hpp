// Python's values as the engine's and back: numbers, sizes, dtypes, devices, lists of tensors.
#ifndef HAFT_PYTHON_CONVERT_HPP
#define HAFT_PYTHON_CONVERT_HPP
#include "bindings/python/errors.hpp"

#include <cstring>

namespace haft {
namespace python {

/// A reference that is given back.
class Ref {
  PyObject* o_;

 public:
  explicit Ref(PyObject* owned) : o_(owned) {}
  ~Ref() { Py_XDECREF(o_); }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  PyObject* get() const { return o_; }
  PyObject* release() { return std::exchange(o_, nullptr); }
  explicit operator bool() const { return o_ != nullptr; }
};

inline bool is_numpy(PyObject* o, const char* name = nullptr) {
  const char* type = Py_TYPE(o)->tp_name;
  return std::strncmp(type, "numpy.", 6) == 0 && (!name || std::strcmp(type + 6, name) == 0);
}

enum class Number { yes, no, failed };  // failed: an exception is set

/// A bool, an int, a float, a complex or one of NumPy's scalars.
inline Number number(PyObject* o, Scalar& out) {
  if (PyFloat_Check(o)) {
    out = Scalar(PyFloat_AS_DOUBLE(o));
    return Number::yes;
  }
  if (PyBool_Check(o)) {
    out = Scalar(o == Py_True);
    return Number::yes;
  }
  if (PyComplex_Check(o)) {
    const Py_complex z = PyComplex_AsCComplex(o);
    out = Scalar(haft_scalar_complex(z.real, z.imag));
    return Number::yes;
  }
  if (PyLong_Check(o)) {
    const long long v = PyLong_AsLongLong(o);
    if (v == -1 && PyErr_Occurred()) return Number::failed;
    out = Scalar(v);
    return Number::yes;
  }
  if (is_numpy(o) && !is_numpy(o, "ndarray") && PyObject_HasAttrString(o, "item")) {
    Ref item(PyObject_CallMethod(o, "item", nullptr));
    if (!item) return Number::failed;
    return is_numpy(item.get()) ? Number::no : number(item.get(), out);
  }
  return Number::no;
}

inline void wrong_type(const char* wanted, PyObject* got) {
  PyErr_Format(PyExc_TypeError, "expected %s, got %s", wanted, Py_TYPE(got)->tp_name);
}

/// A number, or the value of a tensor of one element (as PyTorch takes them for numbers).
inline bool scalar(PyObject* o, Scalar& out) {
  if (is_tensor(o)) {
    haft_scalar s = haft_scalar_none();
    check(haft_tensor_get_item(tensor_of(o).get(), &s));
    out = Scalar(s);
    return true;
  }
  switch (number(o, out)) {
    case Number::yes: return true;
    case Number::no: wrong_type("a number", o); return false;
    default: return false;
  }
}

inline bool operand(PyObject* o, bindings::Operand& out) {
  if (is_tensor(o)) {
    out.is_tensor = true;
    out.tensor = tensor_of(o);
    return true;
  }
  switch (number(o, out.scalar)) {
    case Number::yes: return true;
    case Number::no: wrong_type("a Tensor or a number", o); return false;
    default: return false;
  }
}

/// An int, anything with __index__, or an integer tensor of one element.
inline bool integer(PyObject* o, std::int64_t& out) {
  if (PyFloat_Check(o)) {
    wrong_type("an int", o);
    return false;
  }
  const long long v = PyLong_Check(o) ? PyLong_AsLongLong(o) : [&] {
    Ref index(PyNumber_Index(o));
    return index ? PyLong_AsLongLong(index.get()) : -1;
  }();
  if (v == -1 && PyErr_Occurred()) return false;
  out = v;
  return true;
}

/// Sizes, dims and the like: an int, or a sequence of them.
class Ints {
  std::int64_t few_[16];
  std::vector<std::int64_t> many_;

 public:
  IntArray array;
  bool from(PyObject* o) {
    if (o == Py_None) {
      array = IntArray(few_, 0);
      return true;
    }
    const bool sequence = PyTuple_Check(o) || PyList_Check(o);
    if (!sequence && (PyLong_Check(o) || is_tensor(o) || !PySequence_Check(o))) {
      array = IntArray(few_, 1);
      return integer(o, few_[0]);
    }
    Ref items(PySequence_Fast(o, "expected an int or a sequence of ints"));
    if (!items) return false;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
    std::int64_t* to = few_;
    if (n > 16) {
      many_.resize(static_cast<std::size_t>(n));
      to = many_.data();
    }
    for (Py_ssize_t i = 0; i < n; ++i)
      if (!integer(PySequence_Fast_GET_ITEM(items.get(), i), to[i])) return false;
    array = IntArray(to, n);
    return true;
  }
};

/// Runs f on each item of a sequence; f answers false with an exception set.
template <class F>
bool each(PyObject* o, const char* wanted, F&& f) {
  if (PyUnicode_Check(o) || is_tensor(o)) {
    wrong_type(wanted, o);
    return false;
  }
  Ref items(PySequence_Fast(o, ""));
  if (!items) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      wrong_type(wanted, o);
    }
    return false;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i)
    if (!f(PySequence_Fast_GET_ITEM(items.get(), i))) return false;
  return true;
}

/// A sequence of tensors; None is an empty one.
inline bool tensors(PyObject* o, std::vector<Tensor>& out) {
  return each(o, "a sequence of Tensors", [&](PyObject* item) {
    if (item == Py_None)
      out.emplace_back();
    else if (is_tensor(item))
      out.push_back(tensor_of(item));
    else {
      wrong_type("a Tensor", item);
      return false;
    }
    return true;
  });
}
inline PyObject* tuple(std::vector<Tensor> ts) {
  PyObject* out = PyTuple_New(static_cast<Py_ssize_t>(ts.size()));
  for (std::size_t i = 0; out && i < ts.size(); ++i) {
    PyObject* t = wrap(std::move(ts[i]));
    if (!t)
      Py_CLEAR(out);
    else
      PyTuple_SET_ITEM(out, static_cast<Py_ssize_t>(i), t);
  }
  return out;
}

inline bool text(PyObject* o, std::string& out) {
  Py_ssize_t n = 0;
  const char* s = PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, &n) : nullptr;
  if (s)
    out.assign(s, static_cast<std::size_t>(n));
  else if (!PyErr_Occurred())
    wrong_type("a str", o);
  return s != nullptr;
}
inline PyObject* string(const std::string& s) {
  return PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace");
}

/// Pairs of name and tensor, or a dict of them.
inline bool named(PyObject* o, std::vector<std::pair<std::string, Tensor>>& out) {
  Ref items(PyDict_Check(o) ? PyDict_Items(o) : Py_NewRef(o));
  return items && each(items.get(), "pairs of name and Tensor", [&](PyObject* item) {
           std::pair<std::string, Tensor> entry;
           if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2 || !is_tensor(PyTuple_GET_ITEM(item, 1))) {
             wrong_type("a pair of name and Tensor", item);
             return false;
           }
           if (!text(PyTuple_GET_ITEM(item, 0), entry.first)) return false;
           entry.second = tensor_of(PyTuple_GET_ITEM(item, 1));
           out.push_back(std::move(entry));
           return true;
         });
}
inline PyObject* named_list(std::vector<std::pair<std::string, Tensor>> items) {
  PyObject* out = PyList_New(0);
  for (auto& item : items) {
    Ref pair(out ? Py_BuildValue("(NN)", string(item.first), wrap(std::move(item.second))) : nullptr);
    if (!pair || PyList_Append(out, pair.get()) < 0) {
      Py_XDECREF(out);
      return nullptr;
    }
  }
  return out;
}

/// haft.float32 and the like; None: none. Python's own float, int and bool stand for float64, int64 and bool.
inline bool dtype(PyObject* o, haft_dtype& out) {
  if (o == Py_None) {
    out = HAFT_DTYPE_NONE;
    return true;
  }
  for (haft_dtype d = HAFT_BOOL; d <= HAFT_FLOAT8_E5M2; ++d)
    if (registered.dtype[d] == o) {
      out = d;
      return true;
    }
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type))
    out = HAFT_FLOAT64;
  else if (o == reinterpret_cast<PyObject*>(&PyLong_Type))
    out = HAFT_INT64;
  else if (o == reinterpret_cast<PyObject*>(&PyBool_Type))
    out = HAFT_BOOL;
  else if (PyLong_CheckExact(o) && !registered.dtype[HAFT_BOOL])
    out = static_cast<haft_dtype>(PyLong_AsLong(o));
  else {
    if (registered.dtype[HAFT_BOOL] && Py_TYPE(o) == Py_TYPE(registered.dtype[HAFT_BOOL]))
      PyErr_Format(PyExc_TypeError, "%R is a name only: no tensor of haft has this type", o);
    else
      wrong_type("a haft.dtype", o);
    return false;
  }
  return true;
}
inline PyObject* dtype(haft_dtype d) {
  if (d >= HAFT_BOOL && d <= HAFT_FLOAT8_E5M2 && registered.dtype[d]) return Py_NewRef(registered.dtype[d]);
  Py_RETURN_NONE;
}

/// A haft.device, text such as "cpu" or "cuda:0", the index of a CUDA device, or None for the default.
inline bool device(PyObject* o, haft_device& out) {
  out = HAFT_DEVICE_DEFAULT;
  if (o == Py_None) return true;
  if (o == registered.cpu) {
    out = HAFT_DEVICE_CPU;
    return true;
  }
  std::string name;
  if (PyUnicode_Check(o)) {
    if (!text(o, name)) return false;
  } else if (PyLong_CheckExact(o)) {
    name = "cuda:" + std::to_string(PyLong_AsLong(o));
  } else if (registered.device_type &&
             PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(registered.device_type))) {
    Ref s(PyObject_Str(o));
    if (!s || !text(s.get(), name)) return false;
  } else {
    wrong_type("a haft.device or a str", o);
    return false;
  }
  check(haft_device_parse(name.c_str(), &out));
  return true;
}
inline PyObject* device(haft_device d) {
  if (d == HAFT_DEVICE_CPU && registered.cpu) return Py_NewRef(registered.cpu);
  Ref name(string(device_text(d)));
  if (!name || !registered.device_type) return name.release();
  return PyObject_CallOneArg(registered.device_type, name.get());
}

inline PyObject* number(haft_scalar s) {
  switch (s.kind) {
    case HAFT_SCALAR_BOOL: return PyBool_FromLong(s.v.i != 0);
    case HAFT_SCALAR_INT: return PyLong_FromLongLong(s.v.i);
    case HAFT_SCALAR_FLOAT: return PyFloat_FromDouble(s.v.d);
    case HAFT_SCALAR_COMPLEX: return PyComplex_FromDoubles(s.v.d, s.imag);
    default: Py_RETURN_NONE;
  }
}

}  // namespace python
}  // namespace haft
#endif
