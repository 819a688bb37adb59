// Memory shared with others: the buffer protocol both ways, NumPy, DLPack both ways. No copies.
#ifndef HAFT_PYTHON_MEMORY_HPP
#define HAFT_PYTHON_MEMORY_HPP
#include "bindings/python/attributes.hpp"

namespace haft {
namespace python {

// struct's letters for the element types that have one.
inline const char* buffer_format(haft_dtype d) {
  switch (d) {
    case HAFT_BOOL: return "?";
    case HAFT_UINT8: return "B";
    case HAFT_INT8: return "b";
    case HAFT_INT16: return "h";
    case HAFT_INT32: return "i";
    case HAFT_INT64: return "q";
    case HAFT_FLOAT16: return "e";
    case HAFT_FLOAT32: return "f";
    case HAFT_FLOAT64: return "d";
    case HAFT_COMPLEX64: return "Zf";
    case HAFT_COMPLEX128: return "Zd";
    default: return nullptr;
  }
}
inline haft_dtype format_dtype(const char* format, Py_ssize_t itemsize) {
  if (!format) format = "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;  // this machine is little-endian
  if (format[0] == 'Z' && format[1] && !format[2])
    return format[1] == 'f' ? HAFT_COMPLEX64 : format[1] == 'd' ? HAFT_COMPLEX128 : HAFT_DTYPE_NONE;
  if (!format[0] || format[1]) return HAFT_DTYPE_NONE;
  switch (format[0]) {
    case '?': return HAFT_BOOL;
    case 'B': return HAFT_UINT8;
    case 'b': return HAFT_INT8;
    case 'h': return HAFT_INT16;
    case 'i':
    case 'l':
    case 'q': return itemsize == 4 ? HAFT_INT32 : itemsize == 8 ? HAFT_INT64 : HAFT_DTYPE_NONE;
    case 'e': return HAFT_FLOAT16;
    case 'f': return HAFT_FLOAT32;
    case 'd': return HAFT_FLOAT64;
    default: return HAFT_DTYPE_NONE;
  }
}

/// What an exported buffer needs until it is released: the tensor, and sizes in the form that Python wants.
struct Export {
  Tensor tensor;
  Py_ssize_t shape[HAFT_MAX_DIMS], stride[HAFT_MAX_DIMS];
};

// Fortran's order: the first dimension is the densest.
inline bool dense_by_columns(const Shape& s, const std::int64_t* stride) {
  std::int64_t step = 1;
  for (std::int64_t i = 0; i < s.ndim; ++i) {
    if (s.size[i] == 0) return true;
    if (s.size[i] != 1 && stride[i] != step) return false;
    step *= s.size[i];
  }
  return true;
}

static int tensor_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return done([&] {
    const Tensor& t = tensor_of(self);
    const haft_dtype d = t.dtype();
    const char* format = buffer_format(d);
    if (t.device() != HAFT_DEVICE_CPU || !format) {
      PyErr_Format(PyExc_BufferError, "a %s tensor on %s has no buffer", haft_dtype_get_name(d),
                   device_text(t.device()).c_str());
      return;
    }
    if (t.requires_grad()) {  // writes and arithmetic there would miss the gradient unseen
      PyErr_SetString(PyExc_BufferError, "a tensor that requires grad has no buffer: use detach()");
      return;
    }
    auto own = std::make_unique<Export>();
    own->tensor = t;
    Shape s(t);
    std::int64_t stride[HAFT_MAX_DIMS], n = 0;
    check(haft_tensor_get_stride(t.get(), stride, HAFT_MAX_DIMS, &n));
    const auto asked = [flags](int what) { return (flags & what) == what; };
    const bool by_rows = t.is_contiguous(), by_columns = dense_by_columns(s, stride);
    if (asked(PyBUF_C_CONTIGUOUS) || !asked(PyBUF_STRIDES) ? !by_rows
        : asked(PyBUF_F_CONTIGUOUS)                        ? !by_columns
                                    : asked(PyBUF_ANY_CONTIGUOUS) && !by_rows && !by_columns) {
      PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous");
      return;
    }
    const Py_ssize_t itemsize = haft_dtype_get_size(d);
    view->len = itemsize;
    for (std::int64_t i = 0; i < n; ++i) {
      own->shape[i] = s.size[i];
      own->stride[i] = stride[i] * itemsize;
      view->len *= s.size[i];
    }
    static char nothing;  // a buffer's address is never NULL
    check(haft_tensor_get_data(t.get(), &view->buf));
    if (!view->buf) view->buf = &nothing;
    view->itemsize = itemsize;
    view->readonly = 0;
    view->ndim = static_cast<int>(n);
    view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
    view->shape = (flags & PyBUF_ND) ? own->shape : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? own->stride : nullptr;
    view->suboffsets = nullptr;
    view->internal = own.release();
    view->obj = Py_NewRef(self);
  });
}
static void tensor_releasebuffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

static void release_buffer(void* user) {
  Py_buffer* view = static_cast<Py_buffer*>(user);
  Locked lock;
  if (!lock) return;
  PyBuffer_Release(view);
  delete view;
}

/// A tensor over the memory of any object with the buffer protocol; the object is kept while the tensor lives.
inline PyObject* from_buffer(PyObject* o) {
  return answered([&]() -> PyObject* {
    auto view = std::make_unique<Py_buffer>();
    if (PyObject_GetBuffer(o, view.get(), PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) != 0) {
      PyErr_Clear();  // read-only memory: lent all the same, as PyTorch does
      if (PyObject_GetBuffer(o, view.get(), PyBUF_STRIDES | PyBUF_FORMAT) != 0) return nullptr;
    }
    struct Release {
      Py_buffer* view;
      ~Release() {
        if (view) PyBuffer_Release(view);
      }
    } guard{view.get()};
    const haft_dtype d = format_dtype(view->format, view->itemsize);
    if (d == HAFT_DTYPE_NONE) {
      PyErr_Format(PyExc_TypeError,
                   "can't convert elements of format '%s' to a tensor. The only supported types are: "
                   "complex128, complex64, float64, float32, float16, int64, int32, int16, int8, uint8, and bool.",
                   view->format ? view->format : "B");
      return nullptr;
    }
    if (view->ndim > HAFT_MAX_DIMS) {
      PyErr_Format(PyExc_ValueError, "a tensor has at most %d dimensions, got %d", HAFT_MAX_DIMS, view->ndim);
      return nullptr;
    }
    std::int64_t size[HAFT_MAX_DIMS], stride[HAFT_MAX_DIMS];
    for (int i = 0; i < view->ndim; ++i) {
      size[i] = view->shape[i];
      if (view->strides[i] % view->itemsize || (view->strides[i] < 0 && size[i] > 1)) {
        PyErr_SetString(PyExc_ValueError,
                        view->strides[i] < 0
                            ? "At least one stride in the given numpy array is negative, and tensors with "
                              "negative strides are not currently supported. (You can probably work around "
                              "this by making a copy of your array  with array.copy().)"
                            : "strides that are no multiple of the element size are not supported");
        return nullptr;
      }
      stride[i] = size[i] > 1 ? view->strides[i] / view->itemsize : 1;
    }
    haft_tensor* out = nullptr;
    check(haft_tensor_from_memory(view->buf, size, stride, view->ndim, d, HAFT_DEVICE_CPU, release_buffer,
                                  view.get(), &out));
    guard.view = nullptr;
    view.release();
    return wrap(out);
  });
}

inline PyObject* from_address(std::int64_t address, const IntArray& size, PyObject* stride, haft_dtype dtype,
                              haft_device device, PyObject* owner) {
  return answered([&]() -> PyObject* {
    std::vector<std::int64_t> steps;
    if (stride != Py_None) {
      Ref all(PySequence_Fast(stride, "strides must be a sequence"));
      if (!all) return nullptr;
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(all.get()); ++i) {
        std::int64_t s = 0;
        if (!integer(PySequence_Fast_GET_ITEM(all.get(), i), s)) return nullptr;
        steps.push_back(s);
      }
      if (static_cast<std::int64_t>(steps.size()) != size.size()) {
        PyErr_SetString(PyExc_ValueError, "strides and sizes must be equally many");
        return nullptr;
      }
    }
    auto own = std::make_unique<Held>(hold(owner));
    haft_tensor* out = nullptr;
    check(haft_tensor_from_memory(
        reinterpret_cast<void*>(static_cast<std::intptr_t>(address)), size.data(),
        stride == Py_None ? nullptr : steps.data(), size.size(), dtype, device,
        [](void* user) { delete static_cast<Held*>(user); }, own.get(), &out));
    own.release();
    return wrap(out);
  });
}

/// The memory of a dense tensor with other sizes and another element type: view(dtype), shared memory.
inline PyObject* reinterpret(const Tensor& t, const IntArray& size, haft_dtype dtype) {
  std::int64_t bytes = haft_dtype_get_size(dtype);
  for (std::int64_t i = 0; i < size.size(); ++i) bytes *= size.data()[i];
  if (!t.is_contiguous() || bytes != t.numel() * haft_dtype_get_size(t.dtype()))
    check(haft_error_set(HAFT_ERROR_SHAPE,
                         "reinterpret: the tensor must be contiguous and have as many bytes", 0));
  void* data = nullptr;
  check(haft_tensor_get_data(t.get(), &data));
  auto own = std::make_unique<Tensor>(t);
  haft_tensor* out = nullptr;
  check(haft_tensor_from_memory(
      data, size.data(), nullptr, size.size(), dtype, t.device(),
      [](void* user) { delete static_cast<Tensor*>(user); }, own.get(), &out));
  own.release();
  return wrap(out);
}

/// All the memory that a tensor lies in, as bytes.
inline PyObject* whole_storage(const Tensor& t) {
  std::int64_t offset = 0, bytes = 0;
  check(haft_tensor_get_storage(t.get(), &offset, &bytes));
  void* data = nullptr;
  check(haft_tensor_get_data(t.get(), &data));
  // A tensor without elements tells no address.
  if (!data) return wrap(haft::empty(IntArray(&bytes, 1), HAFT_UINT8, t.device()));
  auto own = std::make_unique<Tensor>(t);
  haft_tensor* out = nullptr;
  check(haft_tensor_from_memory(
      static_cast<char*>(data) - offset * haft_dtype_get_size(t.dtype()), &bytes, nullptr, 1, HAFT_UINT8,
      t.device(), [](void* user) { delete static_cast<Tensor*>(user); }, own.get(), &out));
  own.release();
  return wrap(out);
}

/// x.view(dtype): the same bytes read as another type, without history.
inline PyObject* view_as_dtype(PyObject* self, PyObject* type) {
  return answered([&]() -> PyObject* {
    haft_dtype d = HAFT_DTYPE_NONE;
    if (!dtype(type, d)) return nullptr;
    const Tensor& t = tensor_of(self);
    Shape s(t);
    const std::int64_t before = haft_dtype_get_size(t.dtype()), after = haft_dtype_get_size(d);
    if (before != after) {
      if (s.ndim == 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "self.dim() cannot be 0 to view as a type of another element size");
        return nullptr;
      }
      std::int64_t& last = s.size[s.ndim - 1];
      if (last * before % after) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the bytes of the last dimension do not divide by the new element size");
        return nullptr;
      }
      last = last * before / after;
    }
    return reinterpret(haft::detach(t), IntArray(s.size, s.ndim), d);
  });
}

// DLPack (dmlc.github.io/dlpack): capsules around what haft/dlpack.h lends and takes.
inline haft_status take_dlpack(PyObject* capsule, const char* name, haft_tensor** out) {
  void* lent = PyCapsule_GetPointer(capsule, name);
  return std::strcmp(name, "dltensor")
             ? haft_tensor_from_dlpack_versioned(static_cast<DLManagedTensorVersioned*>(lent), out)
             : haft_tensor_from_dlpack(static_cast<DLManagedTensor*>(lent), out);
}
static void delete_capsule(PyObject* capsule) {  // gives the memory back if nobody took it
  const char* name = PyCapsule_GetName(capsule);
  haft_tensor* lent = nullptr;
  if (std::strncmp(name, "used_", 5) && take_dlpack(capsule, name, &lent) == HAFT_OK)
    haft_tensor_release(lent);
}

inline PyObject* to_dlpack(PyObject* self, bool versioned) {
  return answered([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (t.requires_grad()) {
      PyErr_SetString(PyExc_RuntimeError, "Can't export tensors that require gradient, use tensor.detach()");
      return nullptr;
    }
    void* lent = versioned ? static_cast<void*>(t.to_dlpack_versioned()) : static_cast<void*>(t.to_dlpack());
    const char* name = versioned ? "dltensor_versioned" : "dltensor";
    PyObject* capsule = PyCapsule_New(lent, name, delete_capsule);
    if (!capsule) {
      Tensor back = versioned ? Tensor::from_dlpack(static_cast<DLManagedTensorVersioned*>(lent))
                              : Tensor::from_dlpack(static_cast<DLManagedTensor*>(lent));
    }
    return capsule;
  });
}
inline PyObject* dlpack_device(PyObject* self) {
  return answered([&] {
    const haft_device d = tensor_of(self).device();
    return Py_BuildValue("(ii)", d >> 16, d & 0xffff);  // DLPack numbers the CPU and CUDA as haft does
  });
}

/// Takes over what a capsule named "dltensor" or "dltensor_versioned" holds.
inline PyObject* from_dlpack(PyObject* capsule) {
  return answered([&]() -> PyObject* {
    for (const char* name : {"dltensor", "dltensor_versioned"}) {
      if (!PyCapsule_IsValid(capsule, name)) continue;
      haft_tensor* out = nullptr;
      check(take_dlpack(capsule, name, &out));
      PyCapsule_SetName(capsule, std::strcmp(name, "dltensor") ? "used_dltensor_versioned" : "used_dltensor");
      return wrap(out);
    }
    PyErr_SetString(
        PyExc_ValueError,
        "from_dlpack wants a capsule named 'dltensor' or 'dltensor_versioned' that nobody has taken yet");
    return nullptr;
  });
}

}  // namespace python
}  // namespace haft
#endif
