// haft.Size: a tuple of sizes. Slices and sums of it are Sizes, too.
#ifndef HAFT_PYTHON_SIZE_HPP
#define HAFT_PYTHON_SIZE_HPP
#include "bindings/python/convert.hpp"

namespace haft {
namespace python {

static PyTypeObject size_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

inline PyObject* size_from(PyObject* owned_tuple) {
  if (!owned_tuple || !PyTuple_Check(owned_tuple)) return owned_tuple;
  const Py_ssize_t n = PyTuple_GET_SIZE(owned_tuple);
  PyObject* out = size_type.tp_alloc(&size_type, n);
  for (Py_ssize_t i = 0; out && i < n; ++i)
    PyTuple_SET_ITEM(out, i, Py_NewRef(PyTuple_GET_ITEM(owned_tuple, i)));
  Py_DECREF(owned_tuple);
  return out;
}
inline PyObject* size_of(const std::int64_t* sizes, std::int64_t n) {
  PyObject* out = size_type.tp_alloc(&size_type, n);
  for (std::int64_t i = 0; out && i < n; ++i) {
    PyObject* v = PyLong_FromLongLong(sizes[i]);
    if (!v)
      Py_CLEAR(out);
    else
      PyTuple_SET_ITEM(out, i, v);
  }
  return out;
}

static PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* out = PyTuple_Type.tp_new(type, args, kwargs);
  for (Py_ssize_t i = 0; out && i < PyTuple_GET_SIZE(out); ++i) {
    PyObject* item = PyTuple_GET_ITEM(out, i);
    if (PyLong_Check(item)) continue;
    PyObject* index = PyNumber_Index(item);
    if (!index) {
      Py_CLEAR(out);
      break;
    }
    PyTuple_SET_ITEM(out, i, index);
    Py_DECREF(item);
  }
  return out;
}
static PyObject* size_item(PyObject* self, PyObject* key) {
  PyObject* out = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? size_from(out) : out;
}
static PyObject* size_concat(PyObject* self, PyObject* other) {
  return size_from(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
}
static PyObject* size_repeat(PyObject* self, Py_ssize_t n) {
  return size_from(PyTuple_Type.tp_as_sequence->sq_repeat(self, n));
}
static std::string size_prefix = "haft";
static PyObject* size_repr(PyObject* self) {
  std::string s = size_prefix + ".Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    Ref item(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    if (!item) return nullptr;
    s += (i ? ", " : "") + std::string(PyUnicode_AsUTF8(item.get()));
  }
  return string(s + "])");
}
static PyObject* size_numel(PyObject* self, PyObject*) {
  PyObject* n = PyLong_FromLong(1);
  for (Py_ssize_t i = 0; n && i < PyTuple_GET_SIZE(self); ++i) {
    PyObject* product = PyNumber_Multiply(n, PyTuple_GET_ITEM(self, i));
    Py_DECREF(n);
    n = product;
  }
  return n;
}
static PyObject* size_reduce(PyObject* self, PyObject*) {
  PyObject* items = PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self));
  PyObject* plain = items && Py_TYPE(items) != &PyTuple_Type ? PySequence_Tuple(items) : Py_XNewRef(items);
  Py_XDECREF(items);
  return plain ? Py_BuildValue("(O(N))", &size_type, plain) : nullptr;
}

inline bool ready_size_type() {
  static PyMethodDef methods[] = {
      {"numel", size_numel, METH_NOARGS, "Number of elements of a tensor of this size."},
      {"__reduce__", size_reduce, METH_NOARGS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyMappingMethods mapping = *PyTuple_Type.tp_as_mapping;
  static PySequenceMethods sequence = *PyTuple_Type.tp_as_sequence;
  mapping.mp_subscript = size_item;
  sequence.sq_concat = size_concat;
  sequence.sq_repeat = size_repeat;
  size_type.tp_name = "haft.Size";
  size_type.tp_doc = "Sizes of a tensor: a tuple of ints.";
  size_type.tp_basicsize = PyTuple_Type.tp_basicsize;
  size_type.tp_itemsize = PyTuple_Type.tp_itemsize;
  size_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_TUPLE_SUBCLASS;
  size_type.tp_base = &PyTuple_Type;
  size_type.tp_new = size_new;
  size_type.tp_repr = size_repr;
  size_type.tp_as_mapping = &mapping;
  size_type.tp_as_sequence = &sequence;
  size_type.tp_methods = methods;
  return PyType_Ready(&size_type) == 0;
}

}  // namespace python
}  // namespace haft
#endif
