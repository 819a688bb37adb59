// What the Python layer does to the module at import.
#ifndef HAFT_PYTHON_SETUP_HPP
#define HAFT_PYTHON_SETUP_HPP
#include "bindings/python/hooks.hpp"
#include "bindings/python/indexing.hpp"
#include "bindings/python/memory.hpp"

namespace haft {
namespace python {

inline bool put_descriptor(PyTypeObject* type, const char* name, PyObject* owned) {
  Ref descriptor(owned);
  return descriptor && PyDict_SetItemString(type->tp_dict, name, descriptor.get()) == 0;
}

// An object of a SWIG type that was never initialised (a subclass without super().__init__()) holds a null pointer of
// the right type, which the wrappers refuse; SWIG's own lookup would follow a null type.
static PyObject* handle_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* o = PyType_GenericNew(type, args, kwargs);
  for (PyTypeObject* base = type; o && base; base = base->tp_base)
    for (std::size_t i = 0; i < swig_module.size; ++i) {
      auto* data = static_cast<SwigPyClientData*>(swig_module.types[i]->clientdata);
      if (!data || data->pytype != base) continue;
      reinterpret_cast<SwigPyObject*>(o)->ty = swig_module.types[i];
      return o;
    }
  return o;
}

inline setattrofunc swig_type_setattr = nullptr;
/// Programs add methods to Tensor and replace some, as they may with a class written in Python; SWIG's types refuse
/// that.
inline int type_setattr(PyObject* type, PyObject* name, PyObject* value) {
  return (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type)
              ? PyType_Type.tp_setattro
              : swig_type_setattr)(type, name, value);
}

/// Once, before anything else: completes the types that SWIG has made.
inline PyObject* setup(PyObject* module, PyTypeObject* tensor) {
  tensor_type = tensor;
  tensor->tp_name = "haft.Tensor";
  tensor->tp_new = tensor_new;
  tensor->tp_setattro = tensor_setattr;
  tensor->tp_flags |= Py_TPFLAGS_HAVE_GC;  // before the first object and the first subclass
  tensor->tp_traverse = tensor_traverse;
  tensor->tp_clear = tensor_clear;
  tensor->tp_free = PyObject_GC_Del;
  tensor->tp_as_number->nb_bool = tensor_bool;  // SWIG drops the feature of this slot
  if (!ready_size_type()) return nullptr;
  for (std::size_t i = 0; i < swig_module.size; ++i) {
    auto* data = static_cast<SwigPyClientData*>(swig_module.types[i]->clientdata);
    if (data && data->pytype && data->pytype != tensor && data->pytype->tp_new == PyType_GenericNew)
      data->pytype->tp_new = handle_new;
  }
  for (PyMethodDef* m : {tensor_methods, indexing_methods, hook_methods})
    for (; m->ml_name; ++m)
      if (!put_descriptor(tensor, m->ml_name, PyDescr_NewMethod(tensor, m))) return nullptr;
  if (!put_descriptor(tensor, "__module__", string("haft"))) return nullptr;
  for (const char* name : {"this", "thisown"})
    if (PyDict_DelItemString(tensor->tp_dict, name) < 0) PyErr_Clear();
#ifdef Py_TPFLAGS_IMMUTABLETYPE
  tensor->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
#endif
  swig_type_setattr = Py_TYPE(tensor)->tp_setattro;
  if (swig_type_setattr != PyType_Type.tp_setattro) Py_TYPE(tensor)->tp_setattro = type_setattr;
  PyType_Modified(tensor);
  if (PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(&size_type)) < 0) return nullptr;
  Py_RETURN_NONE;
}

/// Attributes written in Python for a type of this module, which refuses setattr.
inline PyObject* extend(PyObject* type, PyObject* attributes) {
  if (!PyType_Check(type) || !PyDict_Check(attributes)) {
    PyErr_SetString(PyExc_TypeError, "extend wants a type and a dict");
    return nullptr;
  }
  PyTypeObject* t = reinterpret_cast<PyTypeObject*>(type);
  if (PyDict_Update(t->tp_dict, attributes) < 0) return nullptr;
  PyType_Modified(t);
  Py_RETURN_NONE;
}

/// dtypes: haft.dtype objects by number; the others: see Registered.
inline PyObject* register_objects(PyObject* dtypes, PyObject* device_type, PyObject* cpu, PyObject* repr,
                                  PyObject* construct, PyObject* as_index, PyObject* errors) {
  for (haft_dtype d = HAFT_BOOL; d <= HAFT_FLOAT8_E5M2; ++d) {
    PyObject* o = PyList_GetItem(dtypes, d);
    if (!o) return nullptr;
    if (o == Py_None) continue;  // numbers that are kept
    Py_XSETREF(registered.dtype[d], Py_NewRef(o));
  }
  Py_XSETREF(registered.device_type, Py_NewRef(device_type));
  Py_XSETREF(registered.cpu, Py_NewRef(cpu));
  Py_XSETREF(registered.repr, Py_NewRef(repr));
  Py_XSETREF(registered.construct, Py_NewRef(construct));
  Py_XSETREF(registered.as_index, Py_NewRef(as_index));
  Py_XSETREF(registered.errors, Py_NewRef(errors));
  Py_RETURN_NONE;
}

}  // namespace python
}  // namespace haft
#endif
