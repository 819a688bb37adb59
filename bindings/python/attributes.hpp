// Attributes of haft.Tensor and the methods that are called most, without SWIG's parsing of arguments.
#ifndef HAFT_PYTHON_ATTRIBUTES_HPP
#define HAFT_PYTHON_ATTRIBUTES_HPP
#include "bindings/python/number.hpp"
#include "bindings/python/size.hpp"

namespace haft {
namespace python {

struct Shape {
  std::int64_t size[HAFT_MAX_DIMS], ndim = 0;
  explicit Shape(const Tensor& t) { check(haft_tensor_get_size(t.get(), size, HAFT_MAX_DIMS, &ndim)); }
};

static PyObject* get_shape(PyObject* self, void*) {
  return answered([&] {
    Shape s(tensor_of(self));
    return size_of(s.size, s.ndim);
  });
}
template <class F>
PyObject* of(PyObject* self, F&& attribute) {
  return answered([&] { return attribute(tensor_of(self)); });
}
static PyObject* get_dtype(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return dtype(t.dtype()); });
}
static PyObject* get_device(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return device(t.device()); });
}
static PyObject* get_ndim(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return PyLong_FromLongLong(t.ndim()); });
}
static PyObject* get_itemsize(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return PyLong_FromLongLong(haft_dtype_get_size(t.dtype())); });
}
static PyObject* get_nbytes(PyObject* self, void*) {
  return of(self,
            [](const Tensor& t) { return PyLong_FromLongLong(t.numel() * haft_dtype_get_size(t.dtype())); });
}
static PyObject* get_is_leaf(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return PyBool_FromLong(t.is_leaf()); });
}
static PyObject* get_version(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return PyLong_FromLongLong(t.version()); });
}
static PyObject* get_requires_grad(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return PyBool_FromLong(t.requires_grad()); });
}
static int set_requires_grad(PyObject* self, PyObject* value, void*) {
  const int on = value ? PyObject_IsTrue(value) : -1;
  if (on < 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_AttributeError, "requires_grad cannot be deleted");
    return -1;
  }
  return done([&] { check(haft_tensor_set_requires_grad(tensor_of(self).get(), on)); });
}
static PyObject* get_grad(PyObject* self, void*) {
  return of(self, [](const Tensor& t) { return wrap(t.grad()); });
}
static int set_grad(PyObject* self, PyObject* value, void*) {
  if (value && value != Py_None && !is_tensor(value)) {
    wrong_type("a Tensor or None as grad", value);
    return -1;
  }
  return done([&] {
    check(haft_tensor_set_grad(tensor_of(self).get(),
                               value && value != Py_None ? tensor_of(value).get() : nullptr));
  });
}
// The same memory without history, as PyTorch's .data; not counted as a version of its own.
static PyObject* get_data(PyObject* self, void*) {
  return answered([&] { return wrap(haft::detach(tensor_of(self))); });
}
static PyObject* get_T(PyObject* self, void*) {
  return answered([&] {
    const Tensor& t = tensor_of(self);
    const std::int64_t n = t.ndim();
    if (n == 2) return wrap(haft::transpose(t, 0, 1));
    std::int64_t dims[HAFT_MAX_DIMS];
    for (std::int64_t i = 0; i < n; ++i) dims[i] = n - 1 - i;
    return wrap(haft::permute(t, IntArray(dims, n)));
  });
}
static PyObject* get_mT(PyObject* self, void*) {
  return answered([&] { return wrap(haft::transpose(tensor_of(self), -2, -1)); });
}

static PyGetSetDef tensor_getset[] = {
    {"shape", get_shape, nullptr, "Sizes of the dimensions, a haft.Size.", nullptr},
    {"dtype", get_dtype, nullptr, "Type of the elements.", nullptr},
    {"device", get_device, nullptr, "Where the memory is.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "False for results of recorded operators.", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, "Whether operators on this tensor are recorded.",
     nullptr},
    {"grad", get_grad, set_grad, "The gradient that backward() has added up, or None.", nullptr},
    {"T", get_T, nullptr, "The tensor with its dimensions in reverse order.", nullptr},
    {"mT", get_mT, nullptr, "The tensor with its last two dimensions exchanged.", nullptr},
    {"__dict__", tensor_dict, PyObject_GenericSetDict, nullptr, nullptr},
    {"_version", get_version, nullptr, "Number of in-place writes to the memory so far.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// Sizes as varargs or as one sequence: x.view(2, 3), x.view((2, 3)).
inline bool sizes(PyObject* const* args, Py_ssize_t n, Ints& first, std::int64_t (&few)[HAFT_MAX_DIMS],
                  IntArray& out) {
  if (n == 1) {
    if (!first.from(args[0])) return false;
    out = IntArray(first.array.data(), first.array.size());
    return true;
  }
  if (n > HAFT_MAX_DIMS) {
    PyErr_Format(PyExc_ValueError, "a tensor has at most %d dimensions, got %zd", HAFT_MAX_DIMS, n);
    return false;
  }
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!integer(args[i], few[i])) return false;
  out = IntArray(few, n);
  return true;
}

using SizesOp = Tensor (*)(const Tensor&, const IntArray&);
template <SizesOp Op>
PyObject* with_sizes(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return answered([&]() -> PyObject* {
    Ints first;
    std::int64_t few[HAFT_MAX_DIMS];
    IntArray s;
    if (!sizes(args, n, first, few, s)) return nullptr;
    return wrap(Op(tensor_of(self), s));
  });
}
inline PyObject* view_as_dtype(PyObject* self, PyObject* type);
static PyObject* tensor_view(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  if (n == 1 && registered.dtype[HAFT_BOOL] && Py_TYPE(args[0]) == Py_TYPE(registered.dtype[HAFT_BOOL]))
    return view_as_dtype(self, args[0]);
  return with_sizes<haft::view>(self, args, n);
}
static PyObject* tensor_reshape(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return with_sizes<haft::reshape>(self, args, n);
}
static PyObject* tensor_permute(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return with_sizes<haft::permute>(self, args, n);
}
static PyObject* tensor_expand(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return with_sizes<haft::expand>(self, args, n);
}
static PyObject* tensor_repeat(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return with_sizes<haft::repeat>(self, args, n);
}
static PyObject* tensor_tile(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return with_sizes<haft::tile>(self, args, n);
}
static PyObject* tensor_flip(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return with_sizes<haft::flip>(self, args, n);
}

static PyObject* tensor_size(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return answered([&]() -> PyObject* {
    Shape s(tensor_of(self));
    if (n == 0) return size_of(s.size, s.ndim);
    std::int64_t dim = 0;
    if (!integer(args[0], dim)) return nullptr;
    if (dim < -s.ndim || dim >= s.ndim) {
      const std::int64_t top = s.ndim ? s.ndim - 1 : 0;
      PyErr_Format(PyExc_IndexError,
                   "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                   static_cast<long long>(s.ndim ? -s.ndim : -1), static_cast<long long>(top),
                   static_cast<long long>(dim));
      return nullptr;
    }
    return PyLong_FromLongLong(s.size[dim < 0 ? dim + s.ndim : dim]);
  });
}
static PyObject* tensor_stride(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return answered([&]() -> PyObject* {
    std::int64_t stride[HAFT_MAX_DIMS], ndim = 0;
    check(haft_tensor_get_stride(tensor_of(self).get(), stride, HAFT_MAX_DIMS, &ndim));
    if (n) {
      std::int64_t dim = 0;
      if (!integer(args[0], dim)) return nullptr;
      if (dim < 0) dim += ndim;
      if (dim < 0 || dim >= ndim) {
        PyErr_SetString(PyExc_IndexError, "Dimension out of range");
        return nullptr;
      }
      return PyLong_FromLongLong(stride[dim]);
    }
    PyObject* out = PyTuple_New(ndim);
    for (std::int64_t i = 0; out && i < ndim; ++i) PyTuple_SET_ITEM(out, i, PyLong_FromLongLong(stride[i]));
    return out;
  });
}
static PyObject* tensor_dim(PyObject* self, PyObject*) { return get_ndim(self, nullptr); }
static PyObject* tensor_numel(PyObject* self, PyObject*) {
  return answered([&] { return PyLong_FromLongLong(tensor_of(self).numel()); });
}
static PyObject* tensor_detach(PyObject* self, PyObject*) { return get_data(self, nullptr); }
static PyObject* tensor_data_ptr(PyObject* self, PyObject*) {
  return answered([&] {
    void* p = nullptr;
    check(haft_tensor_get_data(tensor_of(self).get(), &p));
    return PyLong_FromVoidPtr(p);
  });
}
// An instance of a subclass that shares this tensor's handle: what nn.Parameter is made with.
static PyObject* tensor_as_subclass(PyObject* self, PyObject* type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type)) {
    PyErr_SetString(PyExc_TypeError, "as_subclass wants a subclass of haft.Tensor");
    return nullptr;
  }
  return answered([&] { return wrap_as(reinterpret_cast<PyTypeObject*>(type), tensor_of(self)); });
}
// The wrapper goes over to another tensor: x.data = y of another size.
static PyObject* tensor_set_handle(PyObject* self, PyObject* other) {
  if (!is_tensor(other)) return wrong_type("a Tensor", other), nullptr;
  return answered([&]() -> PyObject* {
    Tensor old = tensor_of(other);
    std::swap(old, tensor_of(self));
    forget_hooks(reinterpret_cast<TensorObject*>(self));
    Py_RETURN_NONE;
  });
}
static PyObject* tensor_same_handle(PyObject* self, PyObject* other) {
  return PyBool_FromLong(is_tensor(other) && tensor_of(self).get() == tensor_of(other).get());
}

#define HAFT_FAST(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f))
static PyMethodDef tensor_methods[] = {
    {"view", HAFT_FAST(tensor_view), METH_FASTCALL,
     "view(*size): the same memory with another shape; one size may be -1."},
    {"reshape", HAFT_FAST(tensor_reshape), METH_FASTCALL,
     "reshape(*size): another shape; a view where strides allow it, else a copy."},
    {"permute", HAFT_FAST(tensor_permute), METH_FASTCALL, "permute(*dims): dimensions in the order dims."},
    {"expand", HAFT_FAST(tensor_expand), METH_FASTCALL,
     "expand(*size): dimensions of size 1 repeated without a copy; -1 keeps a size."},
    {"repeat", HAFT_FAST(tensor_repeat), METH_FASTCALL,
     "repeat(*repeats): a copy tiled that many times along each dimension."},
    {"tile", HAFT_FAST(tensor_tile), METH_FASTCALL,
     "tile(*dims): a copy tiled that many times along the last dimensions."},
    {"flip", HAFT_FAST(tensor_flip), METH_FASTCALL, "flip(*dims): a copy with those dimensions reversed."},
    {"size", HAFT_FAST(tensor_size), METH_FASTCALL, "size(dim=None): all sizes, or that of dim."},
    {"stride", HAFT_FAST(tensor_stride), METH_FASTCALL,
     "stride(dim=None): all strides in elements, or that of dim."},
    {"dim", tensor_dim, METH_NOARGS, "Number of dimensions."},
    {"ndimension", tensor_dim, METH_NOARGS, "Number of dimensions."},
    {"numel", tensor_numel, METH_NOARGS, "Number of elements."},
    {"nelement", tensor_numel, METH_NOARGS, "Number of elements."},
    {"item", tensor_item, METH_NOARGS, "The only element as a Python number."},
    {"__complex__", tensor_complex, METH_NOARGS, "The only element as a complex number."},
    {"detach", tensor_detach, METH_NOARGS, "The same memory without its history."},
    {"data_ptr", tensor_data_ptr, METH_NOARGS, "Address of the first element."},
    {"as_subclass", tensor_as_subclass, METH_O,
     "as_subclass(cls): an instance of a subclass that shares this tensor."},
    {"_set_handle", tensor_set_handle, METH_O, "Makes this object stand for another tensor."},
    {"_same_handle", tensor_same_handle, METH_O, "Whether both objects stand for one tensor."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace python
}  // namespace haft
#endif
