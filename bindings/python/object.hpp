// haft.Tensor as a Python object: one allocation that holds the handle, recycled by a free list. SWIG's runtime sees an
// ordinary wrapper, because the object begins with what SWIG puts at the front of its own.
#ifndef HAFT_PYTHON_OBJECT_HPP
#define HAFT_PYTHON_OBJECT_HPP
#include "bindings/support.hpp"

namespace haft {
namespace python {

struct TensorObject {
  SwigPyObject base;  // ptr: &tensor
  PyObject* weak;
  Tensor tensor;
};

static PyTypeObject* tensor_type = nullptr;  // set by setup()

// What the Python layer hands over at import; owned for the life of the process.
struct Registered {
  PyObject* dtype[HAFT_FLOAT64 + 1] = {};
  PyObject* cpu = nullptr;          // haft.device("cpu")
  PyObject* device_type = nullptr;  // haft.device
  PyObject* repr = nullptr;
  PyObject* construct = nullptr;    // haft.Tensor(...)
  PyObject* as_index = nullptr;     // a list or an array as a tensor of indices
  PyObject* errors = nullptr;       // status -> exception class
};
static Registered registered;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline Tensor& tensor_of(PyObject* o) { return reinterpret_cast<TensorObject*>(o)->tensor; }

// Objects of haft.Tensor itself are kept for the next result; the global lock guards the list.
constexpr int kMostFree = 256;
static TensorObject* free_list[kMostFree];
static int free_count = 0;

inline TensorObject* prepared(TensorObject* o, Tensor&& t) {
  o->base.ptr = &o->tensor;
  o->base.ty = SWIGTYPE_p_haft__Tensor;
  o->base.own = 0;
  o->base.next = nullptr;
  o->base.dict = nullptr;
  o->weak = nullptr;
  new (&o->tensor) Tensor(std::move(t));
  return o;
}

/// A new reference; an empty handle is None.
inline PyObject* wrap(Tensor t) {
  if (!t) Py_RETURN_NONE;
  if (free_count) {
    TensorObject* o = free_list[--free_count];
    _Py_NewReference(reinterpret_cast<PyObject*>(o));
    return reinterpret_cast<PyObject*>(prepared(o, std::move(t)));
  }
  TensorObject* o = PyObject_New(TensorObject, tensor_type);
  return o ? reinterpret_cast<PyObject*>(prepared(o, std::move(t))) : nullptr;
}
inline PyObject* wrap(haft_tensor* owned) { return wrap(Tensor(owned)); }

/// An object of a subclass that shares the handle.
inline PyObject* wrap_as(PyTypeObject* type, Tensor t) {
  if (type == tensor_type) return wrap(std::move(t));
  PyObject* o = type->tp_alloc(type, 0);
  if (o) prepared(reinterpret_cast<TensorObject*>(o), std::move(t));
  return o;
}

static void tensor_dealloc(PyObject* self) {
  TensorObject* o = reinterpret_cast<TensorObject*>(self);
  if (o->weak) PyObject_ClearWeakRefs(self);
  if (o->base.dict || PyErr_Occurred()) {  // releasing may run the host's code: hooks that go, memory that it lent
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_CLEAR(o->base.dict);
    o->tensor.~Tensor();
    PyErr_Restore(type, value, trace);
  } else {
    o->tensor.~Tensor();
  }
  if (Py_TYPE(self) != tensor_type) {
    Py_TYPE(self)->tp_free(self);
  } else if (free_count < kMostFree) {
    free_list[free_count++] = o;
  } else {
    PyObject_Free(self);
  }
}

static PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* made = PyObject_Call(registered.construct, args, kwargs);
  if (!made || type == tensor_type) return made;
  if (!is_tensor(made)) {
    Py_DECREF(made);
    PyErr_SetString(PyExc_SystemError, "haft.Tensor: the constructor answered no tensor");
    return nullptr;
  }
  PyObject* o = wrap_as(type, tensor_of(made));
  Py_DECREF(made);
  return o;
}
// tp_new has done everything; a subclass may have an __init__ of its own.
static int tensor_init(PyObject*, PyObject*, PyObject*) { return 0; }

static Py_hash_t tensor_hash(PyObject* self) { return _Py_HashPointer(self); }

static PyObject* tensor_repr(PyObject* self) { return PyObject_CallOneArg(registered.repr, self); }

}  // namespace python
}  // namespace haft
#endif
