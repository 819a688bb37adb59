// x[...] read and written: ints, slices, None, Ellipsis, bools, tensors, lists, arrays, as PyTorch reads them.
#ifndef HAFT_PYTHON_INDEXING_HPP
#define HAFT_PYTHON_INDEXING_HPP
#include "bindings/python/attributes.hpp"

namespace haft {
namespace python {

/// An index applied: the view that basic indexing makes, and tensors for advanced indexing of it (empty: none).
struct Indexed {
  Tensor view;
  std::vector<Tensor> indices;
  bool changed = false;
};

inline bool is_mask(haft_dtype d) { return d == HAFT_BOOL || d == HAFT_UINT8; }

// Dimensions of x that an entry takes; -1: an error is set.
inline std::int64_t taken(PyObject* item) {
  if (item == Py_None || item == Py_Ellipsis || PyBool_Check(item)) return 0;
  if (!is_tensor(item)) return 1;
  const Tensor& t = tensor_of(item);
  return is_mask(t.dtype()) ? t.ndim() : 1;
}

inline void put(Indexed& at, std::int64_t dim, Tensor index) {
  at.indices.resize(std::max<std::size_t>(at.indices.size(), static_cast<std::size_t>(dim) + 1));
  at.indices[static_cast<std::size_t>(dim)] = std::move(index);
  at.changed = true;
}

inline bool slice_bounds(PyObject* item, std::int64_t size, std::int64_t& start, std::int64_t& stop,
                         std::int64_t& step) {
  PySliceObject* s = reinterpret_cast<PySliceObject*>(item);
  step = 1;
  if (s->step != Py_None && !integer(s->step, step)) return false;
  if (step <= 0) {
    PyErr_SetString(PyExc_ValueError,
                    step == 0 ? "slice step cannot be zero" : "step must be greater than zero");
    return false;
  }
  start = 0;
  stop = size;
  if (s->start != Py_None && !integer(s->start, start)) return false;
  if (s->stop != Py_None && !integer(s->stop, stop)) return false;
  return true;
}

inline std::string listed(const Shape& s) {
  std::string text = "[";
  for (std::int64_t i = 0; i < s.ndim; ++i) text += (i ? ", " : "") + std::to_string(s.size[i]);
  return text + "]";
}
inline bool fits(const Tensor& mask, const Tensor& x, std::int64_t dim) {
  const Shape m(mask), s(x);
  for (std::int64_t i = 0; i < m.ndim; ++i)
    if (dim + i >= s.ndim || m.size[i] != s.size[dim + i]) {
      PyErr_Format(PyExc_IndexError,
                   "The shape of the mask %s at index %lld does not match the shape of the indexed tensor %s "
                   "at index %lld",
                   listed(m).c_str(), static_cast<long long>(i), listed(s).c_str(),
                   static_cast<long long>(dim + i));
      return false;
    }
  return true;
}

inline bool apply_item(Indexed& at, PyObject* item, std::int64_t& dim, std::int64_t fill) {
  if (PyLong_CheckExact(item) ||
      (!PyBool_Check(item) && !is_tensor(item) && PyIndex_Check(item) && !is_numpy(item, "ndarray"))) {
    std::int64_t i = 0;
    if (!integer(item, i)) return false;
    Shape s(at.view);
    if (dim >= s.ndim || i < -s.size[dim] || i >= s.size[dim]) {
      if (s.ndim == 0)
        PyErr_SetString(
            PyExc_IndexError,
            "invalid index of a 0-dim tensor. Use `tensor.item()` to convert it to a Python number");
      else if (dim >= s.ndim)
        PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %lld",
                     static_cast<long long>(s.ndim));
      else
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for dimension %lld with size %lld",
                     static_cast<long long>(i), static_cast<long long>(dim),
                     static_cast<long long>(s.size[dim]));
      return false;
    }
    at.view = haft::select(at.view, dim, i);
    at.changed = true;
  } else if (PySlice_Check(item)) {
    Shape s(at.view);
    if (s.ndim == 0) {
      PyErr_SetString(PyExc_IndexError, "slice() cannot be applied to a 0-dim tensor.");
      return false;
    }
    std::int64_t start = 0, stop = 0, step = 1;
    if (!slice_bounds(item, s.size[dim], start, stop, step)) return false;
    if (start != 0 || stop < s.size[dim] || step != 1) {
      at.view = haft::slice(at.view, dim, start, stop, step);
      at.changed = true;
    }
    ++dim;
  } else if (item == Py_None) {
    at.view = haft::unsqueeze(at.view, dim++);
    at.changed = true;
  } else if (item == Py_Ellipsis) {
    dim += fill;
  } else if (PyBool_Check(item)) {
    at.view = haft::unsqueeze(at.view, dim);
    put(at, dim++, haft::full({item == Py_True ? 1 : 0}, Scalar(std::int64_t(0)), HAFT_INT64));
  } else {
    Ref made(is_tensor(item) ? Py_NewRef(item) : PyObject_CallOneArg(registered.as_index, item));
    if (!made) return false;
    Tensor t = tensor_of(made.get());
    const haft_dtype d = t.dtype();
    if (d >= HAFT_FLOAT16) {
      PyErr_SetString(PyExc_IndexError, "tensors used as indices must be long, byte or bool tensors");
      return false;
    }
    const std::int64_t n = t.ndim();
    if (n == 0 && !is_mask(d) && !haft::is_batched(t)) {  // under vmap it has no one value
      Ref i(PyLong_FromLongLong(t.item_int()));
      return i && apply_item(at, i.get(), dim, fill);
    }
    if (n == 0 && is_mask(d)) {
      at.view = haft::unsqueeze(at.view, dim);
      put(at, dim++, haft::full({t.item_int() ? 1 : 0}, Scalar(std::int64_t(0)), HAFT_INT64));
    } else {
      if (is_mask(d) && !fits(t, at.view, dim)) return false;
      put(at, dim, d == HAFT_UINT8 ? haft::cast(t, HAFT_BOOL) : t);
      dim += is_mask(d) ? n : 1;
    }
  }
  return true;
}

// PyTorch reads x[[0, 1]] as one index, and x[[0, slice(1)]] as two.
inline bool is_tuple_like(PyObject* index) {
  if (!PyList_Check(index)) return PyTuple_Check(index);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(index); ++i) {
    PyObject* item = PyList_GET_ITEM(index, i);
    if (is_tensor(item) || item == Py_None || item == Py_Ellipsis || PySlice_Check(item)) return true;
  }
  return false;
}

/// False: an exception is set.
inline bool apply_index(const Tensor& x, PyObject* index, Indexed& at) {
  at.view = x;
  std::int64_t dim = 0;
  if (!is_tuple_like(index)) {
    return index == Py_Ellipsis || apply_item(at, index, dim, 0);
  }
  Ref items(PySequence_Fast(index, ""));
  if (!items) return false;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
  // Lists and arrays become tensors first: a mask takes as many dimensions as it has.
  Ref entries(PyList_New(n));
  if (!entries) return false;
  std::int64_t used = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    const bool sequence =
        PyList_Check(item) || PyTuple_Check(item) || PyRange_Check(item) || is_numpy(item, "ndarray");
    PyObject* entry = sequence ? PyObject_CallOneArg(registered.as_index, item) : Py_NewRef(item);
    if (!entry) return false;
    PyList_SET_ITEM(entries.get(), i, entry);
    used += taken(entry);
  }
  const std::int64_t ndim = x.ndim();
  if (used > ndim) {
    if (ndim == 0)
      PyErr_SetString(
          PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` to convert it to a Python number");
    else
      PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %lld",
                   static_cast<long long>(ndim));
    return false;
  }
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!apply_item(at, PyList_GET_ITEM(entries.get(), i), dim, ndim - used)) return false;
  return true;
}

inline Tensor same_memory(const Tensor& x) {
  Shape s(x);
  if (s.ndim) return haft::slice(x, 0, 0, s.size[0]);
  return haft::view(x, IntArray());
}

static PyObject* tensor_getitem(PyObject* self, PyObject* index) {
  return answered([&]() -> PyObject* {
    Indexed at;
    if (!apply_index(tensor_of(self), index, at)) return nullptr;
    if (at.indices.empty()) return wrap(at.changed ? std::move(at.view) : same_memory(at.view));
    Tensor out;
    {
      Unlocked unlocked;
      out = haft::index(at.view, at.indices);
    }
    return wrap(std::move(out));
  });
}

/// x's elements become those of value, broadcast and cast; recorded.
inline void copy_into(const Tensor& x, const Tensor& value, bool non_blocking = false) {
  Tensor v = value;
  if (v.device() != x.device()) v = haft::to(v, HAFT_DTYPE_NONE, x.device(), non_blocking);
  check(haft_copy_(x.get(), v.get()));
}

inline Tensor without_leading_ones(Tensor v, std::int64_t ndim) {
  for (Shape s(v); s.ndim > ndim && s.size[0] == 1; s = Shape(v)) v = haft::select(v, 0, 0);
  return v;
}

inline bool assign(Indexed& at, PyObject* value) {
  Tensor v;
  if (is_tensor(value)) {
    v = tensor_of(value);
  } else {
    Scalar s;
    const Number kind = number(value, s);
    if (kind == Number::failed) return false;
    const haft_dtype t = at.view.dtype();
    if (kind == Number::yes && s.get().kind == HAFT_SCALAR_COMPLEX && t != HAFT_COMPLEX64 &&
        t != HAFT_COMPLEX128) {
      if (!is_real(s.get(), haft_dtype_get_name(t))) return false;
      s = Scalar(s.get().v.d);
    }
    if (kind == Number::yes) {
      if (at.indices.empty()) {
        Unlocked unlocked(large(at.view));
        check(haft_fill_(at.view.get(), s.get()));
        return true;
      }
      v = haft::full(IntArray(), s, t, at.view.device());
    } else {
      if (!is_numpy(value, "ndarray")) {
        PyErr_Format(PyExc_TypeError, "can't assign a %s to a haft.Tensor", Py_TYPE(value)->tp_name);
        return false;
      }
      Ref made(PyObject_CallOneArg(registered.as_index, value));
      if (!made) return false;
      v = tensor_of(made.get());
    }
  }
  Unlocked unlocked;
  if (at.indices.empty()) {
    copy_into(at.view, without_leading_ones(v, at.view.ndim()));
    return true;
  }
  if (v.dtype() != at.view.dtype() || v.device() != at.view.device())
    v = haft::to(v, at.view.dtype(), at.view.device());
  haft::index_put_(at.view, at.indices, v);
  return true;
}

static int tensor_setitem(PyObject* self, PyObject* index, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
    return -1;
  }
  return done([&] {
    Indexed at;
    if (apply_index(tensor_of(self), index, at)) assign(at, value);
  });
}

static Py_ssize_t tensor_length(PyObject* self) {
  Py_ssize_t n = -1;
  const int failed = done([&] {
    Shape s(tensor_of(self));
    if (s.ndim)
      n = s.size[0];
    else
      PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
  });
  return failed ? -1 : n;
}
static PyObject* tensor_iter(PyObject* self) {
  return answered([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (t.ndim() == 0) {
      PyErr_SetString(PyExc_TypeError, "iteration over a 0-d tensor");
      return nullptr;
    }
    Ref rows(tuple(haft::unbind(t, 0)));
    return rows ? PyObject_GetIter(rows.get()) : nullptr;
  });
}
static int tensor_contains(PyObject* self, PyObject* value) {
  Ref equal(is_tensor(value) || PyNumber_Check(value) ? tensor_compare(self, value, Py_EQ) : nullptr);
  if (!equal || !is_tensor(equal.get())) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_RuntimeError,
                   "Tensor.__contains__ only supports Tensor or scalar, but you passed in a %s.",
                   Py_TYPE(value)->tp_name);
    return -1;
  }
  int yes = 0;
  const int failed = done([&] { yes = haft::any(tensor_of(equal.get())).item_int() != 0; });
  return failed ? -1 : yes;
}
static PyObject* tensor_copy_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"src", "non_blocking", nullptr};
  PyObject* src = nullptr;
  int non_blocking = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:copy_", const_cast<char**>(names), &src, &non_blocking))
    return nullptr;
  if (!is_tensor(src)) return wrong_type("a Tensor", src), nullptr;
  return answered([&] {
    Tensor x = tensor_of(self), v = tensor_of(src);
    {
      Unlocked unlocked;
      copy_into(x, v, non_blocking != 0);
    }
    return Py_NewRef(self);
  });
}
static PyMethodDef indexing_methods[] = {
    {"copy_", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(tensor_copy_)),
     METH_VARARGS | METH_KEYWORDS,
     "copy_(src, non_blocking=False): the elements of src, broadcast and cast, into this tensor."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace python
}  // namespace haft
#endif
