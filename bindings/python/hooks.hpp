// Hooks of tensors. The engine owns the callables; the object remembers which, for Python's collector of cycles.
#ifndef HAFT_PYTHON_HOOKS_HPP
#define HAFT_PYTHON_HOOKS_HPP
#include "bindings/python/callables.hpp"

namespace haft {
namespace python {

inline PyObject* remembered(PyObject* self, std::int64_t id, PyObject* hook) {
  TensorObject* o = reinterpret_cast<TensorObject*>(self);
  if (!o->hooks) o->hooks = new Hooks;
  o->hooks->emplace_back(id, hook);
  track(self);
  return PyLong_FromLongLong(id);
}

static PyObject* tensor_add_hook(PyObject* self, PyObject* hook) {
  return answered([&]() -> PyObject* {
    std::function<Tensor(const Tensor&)> f;
    if (!PyCallable_Check(hook)) return wrong_type("a callable", hook), nullptr;
    if (!function(hook, f)) return nullptr;
    return remembered(self, tensor_of(self).add_hook(std::move(f)), hook);
  });
}

// Calls hook with the leaf itself. The leaf owns the hook, so the hook knows it by its handle alone, without a share.
static PyObject* tensor_add_post_hook(PyObject* self, PyObject* hook) {
  return answered([&]() -> PyObject* {
    std::function<void(const Tensor&)> f;
    if (!PyCallable_Check(hook)) return wrong_type("a callable", hook), nullptr;
    if (!function(hook, f)) return nullptr;
    haft_tensor* weak = tensor_of(self).get();
    const std::int64_t id = tensor_of(self).add_accumulate_hook([f = std::move(f), weak](const Tensor&) {
      check(haft_tensor_retain(weak));
      f(Tensor(weak));
    });
    return remembered(self, id, hook);
  });
}

static PyObject* tensor_remove_hook(PyObject* self, PyObject* number) {
  return answered([&]() -> PyObject* {
    std::int64_t id = 0;
    if (!integer(number, id)) return nullptr;
    if (Hooks* hooks = reinterpret_cast<TensorObject*>(self)->hooks)
      for (auto hook = hooks->begin(); hook != hooks->end(); ++hook)
        if (hook->first == id) {
          hooks->erase(hook);
          break;
        }
    tensor_of(self).remove_hook(id);
    Py_RETURN_NONE;
  });
}

static PyMethodDef hook_methods[] = {
    {"_add_hook", tensor_add_hook, METH_O, nullptr},
    {"_add_post_hook", tensor_add_post_hook, METH_O, nullptr},
    {"_remove_hook", tensor_remove_hook, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace python
}  // namespace haft
#endif
