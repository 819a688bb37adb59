// haft.Tensor as a Python object: one allocation that holds the handle, recycled by a free list. SWIG's runtime sees an
// ordinary wrapper, because the object begins with what SWIG puts at the front of its own.
#ifndef HAFT_PYTHON_OBJECT_HPP
#define HAFT_PYTHON_OBJECT_HPP
#include "bindings/python/since_3_10.hpp"
#include "bindings/support.hpp"

namespace haft {
namespace python {

// Callables that the engine holds for a tensor, by the hook's number; borrowed from the engine.
using Hooks = std::vector<std::pair<std::int64_t, PyObject*>>;

struct TensorObject {
  SwigPyObject base;  // ptr: &tensor
  PyObject* weak;
  Tensor tensor;
  Hooks* hooks;  // those that were registered through this object
};

static PyTypeObject* tensor_type = nullptr;  // set by setup()

// What the Python layer hands over at import; owned for the life of the process.
struct Registered {
  PyObject* dtype[HAFT_FLOAT8_E5M2 + 1] = {};
  PyObject* cpu = nullptr;          // haft.device("cpu")
  PyObject* device_type = nullptr;  // haft.device
  PyObject* repr = nullptr;
  PyObject* construct = nullptr;  // haft.Tensor(...)
  PyObject* as_index = nullptr;   // a list or an array as a tensor of indices
  PyObject* errors = nullptr;     // status -> exception class
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
  o->hooks = nullptr;
  new (&o->tensor) Tensor(std::move(t));
  return o;
}

// Calls of the engine that run without the global lock, which guards the number.
static int calls_outside = 0;

// Tensors take part in the collection of cycles only once they hold objects: attributes or hooks. The engine holds the
// hooks; the collector may count them as this object's when nobody else can reach them.
inline void track(PyObject* self) {
  if (!PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
}
inline bool owns_hooks(const TensorObject* o) {
  std::int32_t yes = 0;
  return o->hooks && !calls_outside && haft_tensor_is_sole_owner(o->tensor.get(), &yes) == HAFT_OK && yes;
}
static int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  const TensorObject* o = reinterpret_cast<TensorObject*>(self);
  Py_VISIT(o->base.dict);
  if (owns_hooks(o))
    for (const auto& hook : *o->hooks) Py_VISIT(hook.second);
  return 0;
}
inline void forget_hooks(TensorObject* o) { delete std::exchange(o->hooks, nullptr); }
static int tensor_clear(PyObject* self) {
  TensorObject* o = reinterpret_cast<TensorObject*>(self);
  Py_CLEAR(o->base.dict);
  if (owns_hooks(o)) {
    forget_hooks(o);
    Tensor gone = std::move(o->tensor);  // with the hooks
  }
  return 0;
}
static int tensor_setattr(PyObject* self, PyObject* name, PyObject* value) {
  const int failed = PyObject_GenericSetAttr(self, name, value);
  if (reinterpret_cast<TensorObject*>(self)->base.dict) track(self);
  return failed;
}
static PyObject* tensor_dict(PyObject* self, void*) {
  PyObject* dict = PyObject_GenericGetDict(self, nullptr);
  if (dict) track(self);
  return dict;
}

/// A new reference; an empty handle is None.
inline PyObject* wrap(Tensor t) {
  if (!t) Py_RETURN_NONE;
  if (free_count) {
    TensorObject* o = free_list[--free_count];
    _Py_NewReference(reinterpret_cast<PyObject*>(o));
    return reinterpret_cast<PyObject*>(prepared(o, std::move(t)));
  }
  TensorObject* o = PyObject_GC_New(TensorObject, tensor_type);
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
  if (PyObject_GC_IsTracked(self)) PyObject_GC_UnTrack(self);
  if (o->weak) PyObject_ClearWeakRefs(self);
  if (o->hooks) forget_hooks(o);
  // Releasing may run the host's code: hooks that go, memory that it lent.
  if (o->base.dict || PyErr_Occurred()) {
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
    PyObject_GC_Del(self);
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
