// Errors in both directions: haft's as Python's exceptions, and Python's on their way through the engine.
#ifndef HAFT_PYTHON_ERRORS_HPP
#define HAFT_PYTHON_ERRORS_HPP
#include "bindings/python/object.hpp"

namespace haft {
namespace python {

/// The global lock, from any thread. A native thread keeps its state of the interpreter until it ends: to build and free
/// one for each callback costs microseconds.
class Locked {
  struct Attached {
    PyGILState_STATE state;
    PyThreadState* thread;
    Attached() {
      state = PyGILState_Ensure();
      thread = PyEval_SaveThread();
    }
    ~Attached() {
      if (!Py_IsInitialized() || _Py_IsFinalizing()) return;
      PyEval_RestoreThread(thread);
      PyGILState_Release(state);
    }
  };
  PyGILState_STATE state_;

 public:
  Locked() {
    if (!PyGILState_GetThisThreadState()) {
      static thread_local Attached attached;
      (void)attached;
    }
    state_ = PyGILState_Ensure();
  }
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

/// Whether Python code may still run. After the interpreter's end what it owned is left alone.
inline bool interpreter_lives() { return Py_IsInitialized() && !_Py_IsFinalizing(); }

/// Lets go of the global lock while it lives.
class Unlocked {
  PyThreadState* state_;

 public:
  explicit Unlocked(bool worth = true) : state_(worth ? PyEval_SaveThread() : nullptr) {}
  ~Unlocked() {
    if (state_) PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
};

/// A Python object that C++ holds, on any thread.
using Held = std::shared_ptr<PyObject>;
inline Held hold(PyObject* o) {
  Py_INCREF(o);
  return Held(o, [](PyObject* p) {
    if (!interpreter_lives()) return;
    Locked lock;
    Py_DECREF(p);
  });
}

/// A Python exception as a C++ one: the very object, with its traceback.
class Raised : public std::exception {
  std::shared_ptr<PyObject> type_, value_, trace_;
  std::string what_;

 public:
  /// Takes the thread's current exception; the lock is held.
  Raised() {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    what_ = type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "error";
    if (PyObject* text = value ? PyObject_Str(value) : nullptr) {
      if (const char* utf8 = PyUnicode_AsUTF8(text)) what_ += std::string(": ") + utf8;
      Py_DECREF(text);
    }
    PyErr_Clear();
    for (auto& [to, from] : {std::pair{&type_, type}, {&value_, value}, {&trace_, trace}}) {
      if (!from) continue;
      *to = hold(from);
      Py_DECREF(from);
    }
  }
  void restore() const {
    PyErr_Restore(Py_XNewRef(type_.get()), Py_XNewRef(value_.get()), Py_XNewRef(trace_.get()));
  }
  const char* what() const noexcept override { return what_.c_str(); }
};

inline void set_text(PyObject* to, const char* name, const std::string& text) {
  PyObject* s = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (!s || PyObject_SetAttrString(to, name, s) < 0) PyErr_Clear();
  Py_XDECREF(s);
}

inline void raise(const Error& e) {
  PyObject* code = PyLong_FromLong(e.code());
  PyObject* type = registered.errors && code ? PyDict_GetItem(registered.errors, code) : nullptr;
  std::string text = e.message().empty() ? e.what() : e.message();
  if (!e.hint().empty()) text += " (" + e.hint() + ")";
  PyObject* message = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  PyObject* x = message ? PyObject_CallOneArg(type ? type : PyExc_RuntimeError, message) : nullptr;
  Py_XDECREF(message);
  if (x) {
    if (type) {
      PyObject_SetAttrString(x, "code", code);
      set_text(x, "function", e.function());
      set_text(x, "argument", e.argument());
      set_text(x, "hint", e.hint());
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(x)), x);
    Py_DECREF(x);
  }
  Py_XDECREF(code);
}

/// For `catch (...)`: the exception that is being handled as Python's. The lock is held.
inline void raise_current() {
  try {
    try {
      throw;
    } catch (const Error& e) {
      bindings::rethrow_carried(e);
      raise(e);
    }
  } catch (const Raised& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::out_of_range& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
}

/// Runs f, which answers a new reference or nullptr with an exception set, or throws.
template <class F>
PyObject* answered(F&& f) {
  try {
    return f();
  } catch (...) {
    raise_current();
    return nullptr;
  }
}
/// The same for functions that answer 0 or -1.
template <class F>
int done(F&& f) {
  try {
    f();
    return PyErr_Occurred() ? -1 : 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}
/// Throws the thread's current Python exception.
[[noreturn]] inline void throw_current() { throw Raised(); }

}  // namespace python
}  // namespace haft
#endif
