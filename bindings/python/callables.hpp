// Python callables where the engine takes a std::function. A call takes the global lock, on any thread; what Python
// raises travels as Raised through bindings::carried and comes out of the failing call as the same object.
#ifndef HAFT_PYTHON_CALLABLES_HPP
#define HAFT_PYTHON_CALLABLES_HPP
#include "bindings/python/convert.hpp"

namespace haft {
namespace python {

// Values handed to Python; owned shares, so that the callable may keep them.
inline PyObject* given(const Tensor& t) { return wrap(t); }
inline PyObject* given(const std::vector<Tensor>& ts) { return tuple(ts); }
inline PyObject* given(const std::string& s) { return string(s); }
inline PyObject* given(std::int64_t v) { return PyLong_FromLongLong(v); }
inline PyObject* given(std::int32_t v) { return PyLong_FromLong(v); }
inline PyObject* given(const nn::Module& m) {
  return SWIG_InternalNewPointerObj(new nn::Module(m), SWIGTYPE_p_haft__nn__Module, SWIG_POINTER_OWN);
}

inline PyObject* call(PyObject* callable, std::initializer_list<PyObject*> owned) {
  PyObject* args[4];
  std::size_t n = 0;
  bool whole = true;
  for (PyObject* a : owned) {
    args[n++] = a;
    whole = whole && a;
  }
  PyObject* result = whole ? PyObject_Vectorcall(callable, args, n, nullptr) : nullptr;
  for (std::size_t i = 0; i < n; ++i) Py_XDECREF(args[i]);
  if (!result) throw_current();
  return result;
}

// What came back; throws when it is something else.
inline void taken(PyObject* o, Tensor& out) {
  if (is_tensor(o))
    out = tensor_of(o);
  else if (o != Py_None) {
    PyErr_Format(PyExc_TypeError, "the callback must return a Tensor or None, not %s", Py_TYPE(o)->tp_name);
    throw_current();
  }
}
inline void taken(PyObject* o, std::vector<Tensor>& out) {
  if (is_tensor(o))
    out.push_back(tensor_of(o));
  else if (o != Py_None && !tensors(o, out))
    throw_current();
}
inline void taken(PyObject* o, double& out) {
  out = PyFloat_AsDouble(o);
  if (out == -1 && PyErr_Occurred()) throw_current();
}

inline void taken(PyObject* o, Held& out) { out = hold(o); }

template <class R, class F>
R called(F&& make_call) {
  return bindings::carried([&] {
    Locked lock;
    if (!lock) check(haft_error_set(HAFT_ERROR_UNAVAILABLE, "the Python interpreter is shutting down", 0));
    Ref result(make_call());
    if constexpr (!std::is_void_v<R>) {
      R out{};
      taken(result.get(), out);
      return out;
    }
  });
}

template <class R, class... A>
bool function(PyObject* o, std::function<R(A...)>& out) {
  if (o == Py_None) {
    out = nullptr;
    return true;
  }
  if (!PyCallable_Check(o)) {
    wrong_type("a callable", o);
    return false;
  }
  Held callable = hold(o);
  out = [callable](A... arguments) -> R {
    return called<R>([&] { return call(callable.get(), {given(arguments)...}); });
  };
  return true;
}

/// forward_pre_hook: sees the inputs; an answer replaces them.
inline bool function(PyObject* o, std::function<void(std::vector<Tensor>&)>& out) {
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> f;
  if (!function(o, f)) return false;
  out = [f](std::vector<Tensor>& inputs) {
    auto replaced = f(inputs);
    if (!replaced.empty()) inputs = std::move(replaced);
  };
  return true;
}
/// forward_hook: sees inputs and outputs; an answer replaces the outputs.
inline bool function(PyObject* o,
                     std::function<void(const std::vector<Tensor>&, std::vector<Tensor>&)>& out) {
  std::function<std::vector<Tensor>(const std::vector<Tensor>&, const std::vector<Tensor>&)> f;
  if (!function(o, f)) return false;
  out = [f](const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
    auto replaced = f(inputs, outputs);
    if (!replaced.empty()) outputs = std::move(replaced);
  };
  return true;
}

/// torch.autograd.Function: forward(ctx, inputs) and backward(ctx, grads) answer tuples of tensors.
class PythonFunction : public Function {
  Held forward_, backward_;

  std::vector<Tensor> run(PyObject* callable, FunctionContext& ctx, const std::vector<Tensor>& tensors) {
    return called<std::vector<Tensor>>([&] {
      Ref context(SWIG_InternalNewPointerObj(&ctx, SWIGTYPE_p_haft__FunctionContext, 0));
      return call(callable, {Py_XNewRef(context.get()), tuple(tensors)});
    });
  }

 public:
  PythonFunction(PyObject* forward, PyObject* backward)
      : forward_(hold(forward)), backward_(hold(backward)) {}
  std::vector<Tensor> forward(FunctionContext& ctx, const std::vector<Tensor>& inputs) override {
    return run(forward_.get(), ctx, inputs);
  }
  std::vector<Tensor> backward(FunctionContext& ctx, const std::vector<Tensor>& grads) override {
    return run(backward_.get(), ctx, grads);
  }
};

/// torch.autograd.graph.saved_tensors_hooks: what pack answers is kept as it is until unpack gets it.
inline void push_saved_tensor_hooks(PyObject* pack, PyObject* unpack) {
  const Held packs = hold(pack), unpacks = hold(unpack);
  haft::push_saved_tensor_hooks(
      [packs](const Tensor& t) -> std::any {
        return called<Held>([&] { return call(packs.get(), {given(t)}); });
      },
      [unpacks](const std::any& packed) {
        return called<Tensor>(
            [&] { return call(unpacks.get(), {Py_NewRef(std::any_cast<const Held&>(packed).get())}); });
      });
}

/// A dataset whose items Python computes, on the loader's threads; every item is like `first`.
inline data::Dataset callback_dataset(std::int64_t size, const std::vector<Tensor>& first,
                                      std::function<std::vector<Tensor>(std::int64_t)> item,
                                      bool one_at_a_time) {
  return bindings::dataset_of_items(size, first, std::move(item), one_at_a_time);
}

}  // namespace python
}  // namespace haft
#endif
