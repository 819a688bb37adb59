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
    default: return nullptr;
  }
}
inline haft_dtype format_dtype(const char* format, Py_ssize_t itemsize) {
  if (!format) format = "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;  // this machine is little-endian
  if (!format[0] || format[1]) return HAFT_DTYPE_NONE;
  switch (format[0]) {
    case '?': return HAFT_BOOL;
    case 'B': return HAFT_UINT8;
    case 'b': return HAFT_INT8;
    case 'h': return HAFT_INT16;
    case 'i': case 'l': case 'q': return itemsize == 4 ? HAFT_INT32 : itemsize == 8 ? HAFT_INT64 : HAFT_DTYPE_NONE;
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
      PyErr_Format(PyExc_TypeError, "can't convert elements of format '%s' to a tensor. The only supported types are: float64, float32, float16, int64, int32, int16, int8, uint8, and bool.", view->format ? view->format : "B");
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
        PyErr_SetString(PyExc_ValueError, view->strides[i] < 0 ? "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. (You can probably work around this by making a copy of your array  with array.copy().)"
                                                               : "strides that are no multiple of the element size are not supported");
        return nullptr;
      }
      stride[i] = size[i] > 1 ? view->strides[i] / view->itemsize : 1;
    }
    haft_tensor* out = nullptr;
    check(haft_tensor_from_memory(view->buf, size, stride, view->ndim, d, HAFT_DEVICE_CPU, release_buffer, view.get(), &out));
    guard.view = nullptr;
    view.release();
    return wrap(out);
  });
}

/// The memory of a dense tensor with other sizes and another element type: view(dtype), shared memory.
inline PyObject* reinterpret(const Tensor& t, const IntArray& size, haft_dtype dtype) {
  std::int64_t bytes = haft_dtype_get_size(dtype);
  for (std::int64_t i = 0; i < size.size(); ++i) bytes *= size.data()[i];
  if (!t.is_contiguous() || bytes != t.numel() * haft_dtype_get_size(t.dtype()))
    check(haft_error_set(HAFT_ERROR_SHAPE, "reinterpret: the tensor must be contiguous and have as many bytes", 0));
  void* data = nullptr;
  check(haft_tensor_get_data(t.get(), &data));
  auto own = std::make_unique<Tensor>(t);
  haft_tensor* out = nullptr;
  check(haft_tensor_from_memory(
      data, size.data(), nullptr, size.size(), dtype, t.device(), [](void* user) { delete static_cast<Tensor*>(user); }, own.get(), &out));
  own.release();
  return wrap(out);
}

/// All the memory that a tensor lies in, as bytes.
inline PyObject* whole_storage(const Tensor& t) {
  std::int64_t offset = 0, bytes = 0;
  check(haft_tensor_get_storage(t.get(), &offset, &bytes));
  void* data = nullptr;
  check(haft_tensor_get_data(t.get(), &data));
  if (!data) return wrap(haft::empty(IntArray(&bytes, 1), HAFT_UINT8, t.device()));  // a tensor without elements tells no address
  auto own = std::make_unique<Tensor>(t);
  haft_tensor* out = nullptr;
  check(haft_tensor_from_memory(
      static_cast<char*>(data) - offset * haft_dtype_get_size(t.dtype()), &bytes, nullptr, 1, HAFT_UINT8, t.device(),
      [](void* user) { delete static_cast<Tensor*>(user); }, own.get(), &out));
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
        PyErr_SetString(PyExc_RuntimeError, "self.dim() cannot be 0 to view as a type of another element size");
        return nullptr;
      }
      std::int64_t& last = s.size[s.ndim - 1];
      if (last * before % after) {
        PyErr_SetString(PyExc_RuntimeError, "the bytes of the last dimension do not divide by the new element size");
        return nullptr;
      }
      last = last * before / after;
    }
    return reinterpret(haft::detach(t), IntArray(s.size, s.ndim), d);
  });
}

// DLPack's structures (dmlc.github.io/dlpack), version 0.
struct DLDevice {
  std::int32_t device_type, device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
constexpr std::int32_t kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3;
enum DLCode : std::uint8_t { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6 };

inline DLDataType dlpack_dtype(haft_dtype d) {
  const auto bits = static_cast<std::uint8_t>(haft_dtype_get_size(d) * 8);
  switch (d) {
    case HAFT_BOOL: return {kDLBool, bits, 1};
    case HAFT_UINT8: return {kDLUInt, bits, 1};
    case HAFT_BFLOAT16: return {kDLBfloat, bits, 1};
    case HAFT_INT8: case HAFT_INT16: case HAFT_INT32: case HAFT_INT64: return {kDLInt, bits, 1};
    default: return {kDLFloat, bits, 1};
  }
}
inline haft_dtype dtype_of_dlpack(DLDataType t) {
  if (t.lanes != 1) return HAFT_DTYPE_NONE;
  for (haft_dtype d = HAFT_BOOL; d <= HAFT_FLOAT64; ++d) {
    const DLDataType w = dlpack_dtype(d);
    if (w.code == t.code && w.bits == t.bits) return d;
  }
  return HAFT_DTYPE_NONE;
}

struct Lent {
  DLManagedTensor managed;
  Tensor tensor;
  std::int64_t shape[HAFT_MAX_DIMS], stride[HAFT_MAX_DIMS];
};
static void delete_lent(DLManagedTensor* m) { delete static_cast<Lent*>(m->manager_ctx); }
static void delete_capsule(PyObject* capsule) {  // runs its deleter only if nobody took the tensor
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (m->deleter) m->deleter(m);
}
inline DLDevice dlpack_device(haft_device d) {
  return {d >> 16 == 1 ? kDLCPU : kDLCUDA, d & 0xffff};
}

inline PyObject* to_dlpack(PyObject* self) {
  return answered([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (t.requires_grad()) {
      PyErr_SetString(PyExc_RuntimeError, "Can't export tensors that require gradient, use tensor.detach()");
      return nullptr;
    }
    auto own = std::make_unique<Lent>();
    own->tensor = t;
    DLTensor& d = own->managed.dl_tensor;
    std::int64_t n = 0;
    check(haft_tensor_get_size(t.get(), own->shape, HAFT_MAX_DIMS, &n));
    check(haft_tensor_get_stride(t.get(), own->stride, HAFT_MAX_DIMS, &n));
    check(haft_tensor_get_data(t.get(), &d.data));
    d.device = dlpack_device(t.device());
    d.ndim = static_cast<std::int32_t>(n);
    d.dtype = dlpack_dtype(t.dtype());
    d.shape = own->shape;
    d.strides = own->stride;
    d.byte_offset = 0;
    own->managed.manager_ctx = own.get();
    own->managed.deleter = delete_lent;
    PyObject* capsule = PyCapsule_New(&own->managed, "dltensor", delete_capsule);
    if (capsule) own.release();
    return capsule;
  });
}
inline PyObject* dlpack_device(PyObject* self) {
  return answered([&] {
    const DLDevice d = dlpack_device(tensor_of(self).device());
    return Py_BuildValue("(ii)", d.device_type, d.device_id);
  });
}

/// Takes over what a capsule named "dltensor" holds.
inline PyObject* from_dlpack(PyObject* capsule) {
  return answered([&]() -> PyObject* {
    if (!PyCapsule_IsValid(capsule, "dltensor")) {
      PyErr_SetString(PyExc_ValueError, "from_dlpack wants a capsule named 'dltensor' that nobody has taken yet");
      return nullptr;
    }
    auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    const DLTensor& d = m->dl_tensor;
    const haft_dtype type = dtype_of_dlpack(d.dtype);
    if (type == HAFT_DTYPE_NONE || d.ndim > HAFT_MAX_DIMS) {
      PyErr_Format(PyExc_BufferError, "from_dlpack: elements of code %d with %d bits and %d lanes in %d dimensions are not supported", d.dtype.code, d.dtype.bits, d.dtype.lanes, d.ndim);
      return nullptr;
    }
    if (d.device.device_type != kDLCPU && d.device.device_type != kDLCUDA && d.device.device_type != kDLCUDAHost) {
      PyErr_Format(PyExc_BufferError, "from_dlpack: a device of type %d is not supported", d.device.device_type);
      return nullptr;
    }
    const haft_device device = d.device.device_type == kDLCUDA ? haft::device("cuda:" + std::to_string(d.device.device_id)) : HAFT_DEVICE_CPU;
    haft_tensor* out = nullptr;
    check(haft_tensor_from_memory(
        static_cast<char*>(d.data) + d.byte_offset, d.shape, d.strides, d.ndim, type, device,
        [](void* user) {
          auto* taken = static_cast<DLManagedTensor*>(user);
          Locked lock;  // the maker may be Python, too
          if (lock && taken->deleter) taken->deleter(taken);
        },
        m, &out));
    PyCapsule_SetName(capsule, "used_dltensor");
    return wrap(out);
  });
}

}  // namespace python
}  // namespace haft
#endif
