// Errors in both directions: haft's as Python's exceptions, and Python's on their way through the engine.
#ifndef HAFT_PYTHON_ERRORS_HPP
#define HAFT_PYTHON_ERRORS_HPP
#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/python/object.hpp"
#include "bindings/spoken.hpp"

namespace haft {
namespace python {

// The end of the interpreter. Python ends threads that ask for the global lock after it by pthread_exit, which C++
// frames with noexcept turn into an abort. So: from end() on, native threads get no lock, and other Python threads
// that come back from the engine sleep until the process is gone.
struct Ending {
  std::atomic<bool> now{false};
  std::atomic<int> inside{0};  // native threads that hold the lock or wait for it
  std::thread::id main;
};
static Ending ending;

/// The global lock, from any thread; false when Python is gone or about to go. A native thread keeps its state of the
/// interpreter until it ends: to build and free one for each callback costs microseconds.
class Locked {
  struct Attached {
    PyGILState_STATE state;
    PyThreadState* thread;
    Attached() {
      state = PyGILState_Ensure();
      thread = PyEval_SaveThread();
    }
    ~Attached() {
      ++ending.inside;
      if (Py_IsInitialized() && !ending.now) {
        PyEval_RestoreThread(thread);
        PyGILState_Release(state);
      }
      --ending.inside;
    }
  };
  bool entered_ = false, counted_ = false;
  PyGILState_STATE state_ = PyGILState_LOCKED;

 public:
  Locked() {
    if (!Py_IsInitialized()) return;
    if (!PyGILState_Check()) {
      ++ending.inside;
      if (ending.now && std::this_thread::get_id() != ending.main) {
        --ending.inside;
        return;
      }
      counted_ = true;
      if (!PyGILState_GetThisThreadState()) {
        static thread_local Attached attached;
        (void)attached;
      }
    }
    state_ = PyGILState_Ensure();
    entered_ = true;
  }
  ~Locked() {
    if (entered_) PyGILState_Release(state_);
    if (counted_) --ending.inside;
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  explicit operator bool() const { return entered_; }
};

/// Lets go of the global lock while it lives. Its end may unwind the thread: see Ending.
class Unlocked {
  PyThreadState* state_ = nullptr;

 public:
  explicit Unlocked(bool worth = true) {
    if (!worth) return;
    ++calls_outside;
    state_ = PyEval_SaveThread();
  }
  void end() {
    if (!state_) return;
    while (ending.now && std::this_thread::get_id() != ending.main) pause();
    PyEval_RestoreThread(std::exchange(state_, nullptr));
    --calls_outside;
  }
  ~Unlocked() noexcept(false) { end(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
};

/// At exit, by Python's atexit: no native thread enters from now on, and those inside come out.
inline void end_of_python() {
  ending.main = std::this_thread::get_id();
  ending.now = true;
  PyThreadState* state = PyEval_SaveThread();
  for (int i = 0; i < 5000 && ending.inside; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}
/// In the child of a fork: the other threads are not there.
inline void after_fork() {
  ending.inside = 0;
  calls_outside = 0;  // fork() is called with the lock
}

// The default dtype is the process's, as in PyTorch, and the engine's is a thread's: every call looks whether it has
// changed.
static std::atomic<std::uint32_t> default_dtype_changes{0};
static std::atomic<haft_dtype> common_default_dtype{HAFT_FLOAT32};
__attribute__((tls_model("initial-exec"))) static thread_local std::uint32_t default_dtype_seen = 0;
inline void follow_default_dtype() {
  const std::uint32_t now = default_dtype_changes.load(std::memory_order_acquire);
  if (now == default_dtype_seen) return;
  check(haft_set_default_dtype(common_default_dtype.load(std::memory_order_relaxed)));
  default_dtype_seen = now;
}
inline void set_common_default_dtype(haft_dtype d) {
  check(haft_set_default_dtype(d));
  common_default_dtype = d;
  default_dtype_seen = ++default_dtype_changes;
}

/// A Python object that C++ holds, on any thread.
using Held = std::shared_ptr<PyObject>;
inline Held hold(PyObject* o) {
  Py_INCREF(o);
  return Held(o, [](PyObject* p) {
    if (Locked lock; lock) Py_DECREF(p);
  });
}

/// A Python exception as a C++ one: the very object, with its traceback.
class Raised : public bindings::HostException {
  std::shared_ptr<PyObject> type_, value_, trace_;
  std::string what_;
  haft_status status_ = HAFT_ERROR_CALLBACK;

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
    // haft's own exceptions tell (SystemExit has a code, too).
    if (PyObject* code = value && PyObject_HasAttrString(value, "hint")
                             ? PyObject_GetAttrString(value, "code")
                             : nullptr) {
      if (const long number = PyLong_Check(code) ? PyLong_AsLong(code) : 0; number > 0)
        status_ = static_cast<haft_status>(number);
      Py_DECREF(code);
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
  haft_status status() const noexcept override { return status_; }
};

inline void set_text(PyObject* to, const char* name, const std::string& text) {
  PyObject* s = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (!s || PyObject_SetAttrString(to, name, s) < 0) PyErr_Clear();
  Py_XDECREF(s);
}

inline void raise(const Error& e) {
  PyObject* code = PyLong_FromLong(e.code());
  PyObject* type = registered.errors && code ? PyDict_GetItem(registered.errors, code) : nullptr;
  constexpr bindings::Language python{bindings::Words::snake, bindings::Words::snake, "None"};
  std::string text = bindings::spoken(e.message().empty() ? e.what() : e.message(), e.argument(), python);
  if (!e.hint().empty()) text += " (" + bindings::spoken(e.hint(), e.argument(), python) + ")";
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
    follow_default_dtype();
    return f();
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    raise_current();
    return nullptr;
  }
}
/// The same for functions that answer 0 or -1.
template <class F>
int done(F&& f) {
  try {
    follow_default_dtype();
    f();
    return PyErr_Occurred() ? -1 : 0;
  } catch (abi::__forced_unwind&) {
    throw;
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
