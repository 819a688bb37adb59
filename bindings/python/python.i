// Python: what the interface's types are in Python, and the slots of haft.Tensor. The headers beside this file hold the
// code; bindings/python/haft is the layer in Python on top.
%{
#include "bindings/python/setup.hpp"
namespace hp = haft::python;
%}
%begin %{
#define PY_SSIZE_T_CLEAN
// SWIG's own letting go of the global lock does not survive the end of the interpreter: errors.hpp has one that does.
#define SWIG_PYTHON_NO_USE_GIL
#define SWIG_PYTHON_INITIALIZE_THREADS
#define SWIG_PYTHON_THREAD_BEGIN_BLOCK
#define SWIG_PYTHON_THREAD_END_BLOCK
#define SWIG_PYTHON_THREAD_BEGIN_ALLOW haft::python::Unlocked unlocked_
#define SWIG_PYTHON_THREAD_END_ALLOW unlocked_.end()
%}

%include <typemaps/swigmacros.swg>
%define HAFT_IGNORE(NAME)
%ignore NAME;
%enddef
%define HAFT_PRIVATE(NAME)
%rename(_##NAME) haft::Tensor::NAME;
%enddef

// One wrapper a function, so that keywords work everywhere.
%feature("compactdefaultargs");
#ifdef HAFT_STUBS  // stubs.py reads the types from what SWIG writes
%feature("autodoc", "1");
#else
%feature("autodoc", "0");
#endif
%formacro(HAFT_IGNORE, haft::NoGrad, haft::InferenceMode, haft::AnomalyMode, haft::Function, haft::apply,
          haft::data::callback_dataset, haft::data::field, haft::ProfilerRange, haft::push_saved_tensor_hooks)
%immutable haft_device_properties::struct_size;
%formacro(HAFT_IGNORE, haft::Scope, haft::CancelScope, haft::Session::run_cancellable, haft_scalar,
          haft_field, haft::Tensor::to_vector, haft::Tensor::write, haft::Tensor::dtype, haft::Tensor::device,
          haft::Tensor::ndim, haft::Tensor::size, haft::Tensor::sizes, haft::Tensor::strides,
          haft::Tensor::requires_grad, haft::Tensor::is_leaf, haft::Tensor::grad, haft::Tensor::set_grad,
          haft::Tensor::item, haft::Tensor::item_int, haft::Tensor::numel, haft::Tensor::version)
%ignore haft::Tensor::operator=;
%ignore haft::Tensor::operator bool;  // Python asks for the value, not for the handle
%formacro(HAFT_PRIVATE, is_sparse, from_rows, sparse_indices, sparse_values, is_coalesced, coalesce, to_dense,
          touch, decommit, commit, is_committed, to_string, shares_memory, set_requires_grad, set_data,
          backward)
%ignore haft::Tensor::add_hook;  // hooks.hpp
%formacro(HAFT_IGNORE, haft::Tensor::add_accumulate_hook, haft::Tensor::remove_hook,
          haft::Tensor::is_sole_owner, haft::Tensor::storage_bytes)

%exception {
  try {
    hp::follow_default_dtype();
    $action
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    hp::raise_current();
    SWIG_fail;
  }
}

// ---- tensors ----
%typemap(in) haft::Tensor* self { $1 = &hp::tensor_of($input); }
%typemap(in) const haft::Tensor& (haft::Tensor none) {
  if (hp::is_tensor($input)) $1 = &hp::tensor_of($input);
  else if ($input == Py_None) $1 = &none;
  else { hp::wrong_type("a Tensor", $input); SWIG_fail; }
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const haft::Tensor& { $1 = hp::is_tensor($input) || $input == Py_None; }
%typemap(out) haft::Tensor { $result = hp::wrap(std::move($1)); if (!$result) SWIG_fail; }
%typemap(out) haft::Tensor& { $result = Py_NewRef($self); }
%typemap(in) const std::vector<haft::Tensor>& (std::vector<haft::Tensor> all) {
  if (!hp::tensors($input, all)) SWIG_fail;
  $1 = &all;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_VECTOR) const std::vector<haft::Tensor>& {
  $1 = PySequence_Check($input) && !hp::is_tensor($input);
}
%typemap(out) std::vector<haft::Tensor> { $result = hp::tuple(std::move(*(&$1))); if (!$result) SWIG_fail; }
%typemap(in) const haft::nn::NamedTensors& (haft::nn::NamedTensors all), const std::vector<std::pair<std::string, haft::Tensor>>& (haft::nn::NamedTensors all) {
  if (!hp::named($input, all)) SWIG_fail;
  $1 = &all;
}
%typemap(out) haft::nn::NamedTensors, std::vector<std::pair<std::string, haft::Tensor>> {
  $result = hp::named_list(std::move(*(&$1)));
  if (!$result) SWIG_fail;
}
// Loader::next(batch): the batch, or None at the end of the epoch.
%typemap(in, numinputs=0) std::vector<haft::Tensor>& batch (std::vector<haft::Tensor> all) { $1 = &all; }
%typemap(argout) std::vector<haft::Tensor>& batch {
  if (result) {
    Py_DECREF($result);
    $result = hp::tuple(std::move(*$1));
    if (!$result) SWIG_fail;
  } else {
    Py_DECREF($result);
    $result = Py_NewRef(Py_None);
  }
}

// An object whose __init__ never ran holds nothing.
%typemap(check) SWIGTYPE* self {
  if (!$1) {
    PyErr_Format(PyExc_RuntimeError, "%s.__init__() has not been called", Py_TYPE($self)->tp_name);
    SWIG_fail;
  }
}
%typemap(check) haft::Tensor* self ""

// ---- numbers, sizes, dtypes, devices ----
%typemap(in) const haft::bindings::Operand& (haft::bindings::Operand either) {
  try { if (!hp::operand($input, either)) SWIG_fail; } catch (...) { hp::raise_current(); SWIG_fail; }
  $1 = &either;
}
%typemap(in) haft::Scalar {
  try { if ($input != Py_None && !hp::scalar($input, $1)) SWIG_fail; } catch (...) { hp::raise_current(); SWIG_fail; }
}
%typemap(in) const haft::IntArray& (hp::Ints ints) {
  if (!ints.from($input)) SWIG_fail;
  $1 = &ints.array;
}
%typemap(in) const std::vector<std::int64_t>& (std::vector<std::int64_t> all) {
  hp::Ints ints;
  if (!ints.from($input)) SWIG_fail;
  all.assign(ints.array.data(), ints.array.data() + ints.array.size());
  $1 = &all;
}
%typemap(in) const std::vector<double>& (std::vector<double> all) {
  if (!hp::each($input, "a sequence of floats", [&](PyObject* item) {
        all.push_back(PyFloat_AsDouble(item));
        return !PyErr_Occurred();
      })) SWIG_fail;
  $1 = &all;
}
%typemap(out) std::vector<std::int64_t> {
  const std::vector<std::int64_t>& all = *(&$1);
  $result = hp::size_of(all.data(), static_cast<std::int64_t>(all.size()));
  if (!$result) SWIG_fail;
}
%typemap(in) int64_t, std::int64_t {
  if ($input == Py_None) $1 = HAFT_NONE;
  else { std::int64_t v; if (!hp::integer($input, v)) SWIG_fail; $1 = v; }
}
%typemap(in) double {
  $1 = PyFloat_AsDouble($input);
  if ($1 == -1 && PyErr_Occurred()) SWIG_fail;
}
%typemap(in) bool {
  const int yes = PyObject_IsTrue($input);
  if (yes < 0) SWIG_fail;
  $1 = yes != 0;
}
%typemap(in) haft_dtype { if (!hp::dtype($input, $1)) SWIG_fail; }
%typemap(out) haft_dtype { $result = hp::dtype($1); }
%typemap(in) haft_device {
  try { if (!hp::device($input, $1)) SWIG_fail; } catch (...) { hp::raise_current(); SWIG_fail; }
}
%typemap(out) haft_device { $result = hp::device($1); if (!$result) SWIG_fail; }
%typemap(out) haft_scalar { $result = hp::number($1); }
%typemap(in) haft_generator* {
  void* p = nullptr;
  if ($input != Py_None) {
    if (!SWIG_IsOK(SWIG_ConvertPtr($input, &p, SWIGTYPE_p_haft__Generator, 0))) { hp::wrong_type("a Generator", $input); SWIG_fail; }
    $1 = p ? static_cast<haft::Generator*>(p)->get() : nullptr;  // the default generator holds nothing
  } else $1 = nullptr;
}
%typemap(out) std::pair<std::int64_t, std::int64_t> {
  const std::pair<std::int64_t, std::int64_t>& both = *(&$1);
  $result = Py_BuildValue("(LL)", (long long)both.first, (long long)both.second);
}
%typemap(in) const std::pair<std::int64_t, std::int64_t>& (std::pair<std::int64_t, std::int64_t> both) {
  long long first = 0, second = 0;
  if (!PyArg_ParseTuple($input, "LL", &first, &second)) SWIG_fail;
  both = {first, second};
  $1 = &both;
}

// ---- modules ----
%typemap(in) const std::vector<haft::nn::Module>& (std::vector<haft::nn::Module> all) {
  if (!hp::each($input, "a sequence of modules", [&](PyObject* item) {
        void* p = nullptr;
        if (!SWIG_IsOK(SWIG_ConvertPtr(item, &p, SWIGTYPE_p_haft__nn__Module, 0)) || !p) { hp::wrong_type("a module", item); return false; }
        all.push_back(*static_cast<haft::nn::Module*>(p));
        return true;
      })) SWIG_fail;
  $1 = &all;
}
%typemap(in) const std::vector<std::pair<std::string, haft::nn::Module>>& (std::vector<std::pair<std::string, haft::nn::Module>> all) {
  if (!hp::each($input, "pairs of name and module", [&](PyObject* item) {
        void* p = nullptr;
        std::string name;
        if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2 || !SWIG_IsOK(SWIG_ConvertPtr(PyTuple_GET_ITEM(item, 1), &p, SWIGTYPE_p_haft__nn__Module, 0)) || !p) {
          hp::wrong_type("a pair of name and module", item);
          return false;
        }
        if (!hp::text(PyTuple_GET_ITEM(item, 0), name)) return false;
        all.emplace_back(name, *static_cast<haft::nn::Module*>(p));
        return true;
      })) SWIG_fail;
  $1 = &all;
}
%typemap(in) std::vector<haft::data::Transform>* (std::vector<haft::data::Transform> all) {
  if (!hp::each($input, "a sequence of transforms", [&](PyObject* item) {
        void* p = nullptr;
        if (!SWIG_IsOK(SWIG_ConvertPtr(item, &p, $descriptor(haft::data::Transform*), 0)) || !p) { hp::wrong_type("a transform", item); return false; }
        all.push_back(*static_cast<haft::data::Transform*>(p));
        return true;
      })) SWIG_fail;
  $1 = &all;
}

// ---- callables ----
%define HAFT_CALLABLE(...)
%typemap(in) std::function<__VA_ARGS__> (std::function<__VA_ARGS__> callable) {
  if (!hp::function($input, callable)) SWIG_fail;
  $1 = callable;
}
%typemap(in) const std::function<__VA_ARGS__>& (std::function<__VA_ARGS__> callable) {
  if (!hp::function($input, callable)) SWIG_fail;
  $1 = &callable;
}
%enddef
HAFT_CALLABLE(haft::Tensor(const haft::Tensor&))
HAFT_CALLABLE(void(const haft::Tensor&))
HAFT_CALLABLE(haft::Tensor(const std::vector<haft::Tensor>&))
HAFT_CALLABLE(std::vector<haft::Tensor>(const std::vector<haft::Tensor>&))
HAFT_CALLABLE(std::vector<haft::Tensor>(std::int64_t))
HAFT_CALLABLE(void(std::vector<haft::Tensor>&))
HAFT_CALLABLE(void(const std::vector<haft::Tensor>&, std::vector<haft::Tensor>&))
HAFT_CALLABLE(void(const haft::nn::Module&, const std::string&))
HAFT_CALLABLE(double(std::int64_t))
HAFT_CALLABLE(void(std::int32_t, const std::string&))
HAFT_CALLABLE(void(std::int64_t))
HAFT_CALLABLE(void())
HAFT_CALLABLE(haft::Tensor())

// ---- haft.Tensor ----
%feature("python:tp_basicsize") haft::Tensor "sizeof(hp::TensorObject)";
%feature("python:tp_weaklistoffset") haft::Tensor "offsetof(hp::TensorObject, weak)";
%feature("python:tp_dealloc") haft::Tensor "hp::tensor_dealloc";
%feature("python:tp_init") haft::Tensor "hp::tensor_init";
%feature("python:tp_hash") haft::Tensor "hp::tensor_hash";
%feature("python:tp_repr") haft::Tensor "hp::tensor_repr";
%feature("python:tp_iter") haft::Tensor "hp::tensor_iter";
%feature("python:tp_richcompare") haft::Tensor "hp::tensor_compare";
%feature("python:tp_getset") haft::Tensor "hp::tensor_getset";
%feature("python:tp_doc") haft::Tensor "\"An array of numbers of one type, which operators differentiate through.\"";
%feature("python:nb_add") haft::Tensor "hp::tensor_add";
%feature("python:nb_subtract") haft::Tensor "hp::tensor_sub";
%feature("python:nb_multiply") haft::Tensor "hp::tensor_mul";
%feature("python:nb_remainder") haft::Tensor "hp::tensor_mod";
%feature("python:nb_power") haft::Tensor "hp::tensor_pow";
%feature("python:nb_negative") haft::Tensor "hp::tensor_neg";
%feature("python:nb_positive") haft::Tensor "hp::tensor_pos";
%feature("python:nb_absolute") haft::Tensor "hp::tensor_abs";
%feature("python:nb_nonzero") haft::Tensor "hp::tensor_bool";
%feature("python:nb_invert") haft::Tensor "hp::tensor_invert";
%feature("python:nb_and") haft::Tensor "hp::tensor_and";
%feature("python:nb_xor") haft::Tensor "hp::tensor_xor";
%feature("python:nb_or") haft::Tensor "hp::tensor_or";
%feature("python:nb_lshift") haft::Tensor "hp::tensor_lshift";
%feature("python:nb_rshift") haft::Tensor "hp::tensor_rshift";
%feature("python:nb_int") haft::Tensor "hp::tensor_int";
%feature("python:nb_float") haft::Tensor "hp::tensor_float";
%feature("python:nb_index") haft::Tensor "hp::tensor_index";
%feature("python:nb_floor_divide") haft::Tensor "hp::tensor_floordiv";
%feature("python:nb_divide") haft::Tensor "hp::tensor_div";
%feature("python:nb_matrix_multiply") haft::Tensor "hp::tensor_matmul";
%feature("python:nb_inplace_add") haft::Tensor "hp::tensor_iadd";
%feature("python:nb_inplace_subtract") haft::Tensor "hp::tensor_isub";
%feature("python:nb_inplace_multiply") haft::Tensor "hp::tensor_imul";
%feature("python:nb_inplace_divide") haft::Tensor "hp::tensor_idiv";
%feature("python:nb_inplace_remainder") haft::Tensor "hp::tensor_imod";
%feature("python:nb_inplace_power") haft::Tensor "hp::tensor_ipow";
%feature("python:nb_inplace_and") haft::Tensor "hp::tensor_iand";
%feature("python:nb_inplace_or") haft::Tensor "hp::tensor_ior";
%feature("python:nb_inplace_xor") haft::Tensor "hp::tensor_ixor";
%feature("python:nb_inplace_floor_divide") haft::Tensor "hp::tensor_ifloordiv";
%feature("python:mp_length") haft::Tensor "hp::tensor_length";
%feature("python:mp_subscript") haft::Tensor "hp::tensor_getitem";
%feature("python:mp_ass_subscript") haft::Tensor "hp::tensor_setitem";
%feature("python:sq_contains") haft::Tensor "hp::tensor_contains";
%feature("python:bf_getbuffer") haft::Tensor "hp::tensor_getbuffer";
%feature("python:bf_releasebuffer") haft::Tensor "hp::tensor_releasebuffer";

// ---- functions for the layer in Python ----
%define HAFT_HOST(NAME)
%nothread NAME;
%enddef
%formacro(HAFT_HOST, haft::is_grad_enabled, haft::is_inference_mode, haft::library_path, haft::version_number,
          haft::version, haft::default_dtype, haft::default_device, haft::num_threads,
          haft::Tensor::is_contiguous, haft::Tensor::_to_string, haft::nn::Module::is_training,
          haft::python::setup, haft::python::extend, haft::python::register_objects,
          haft::python::from_buffer, haft::python::from_address, haft::python::reinterpret, haft::python::from_dlpack,
          haft::python::to_dlpack, haft::python::dlpack_device, haft::python::set_grad_enabled,
          haft::python::set_inference_mode, haft::python::set_anomaly_mode, haft::python::from_bytes,
          haft::python::apply_function, haft::python::push_saved_tensor_hooks, haft::pop_saved_tensor_hooks,
          haft::python::end_of_python, haft::python::after_fork, haft::python::set_common_default_dtype,
          haft::python::show_as, haft::python::whole_storage, haft::Tensor::storage_offset, haft::grad_fn,
          haft::Node::id, haft::Node::name, haft::Node::next_count, haft::Node::next, haft::Node::next_output,
          haft::Node::variable, haft::python::to_bytes, haft::python::header_version)

%typemap(in) PyTypeObject* { $1 = reinterpret_cast<PyTypeObject*>($input); }
%inline %{
namespace haft {
namespace python {
inline PyObject* setup(PyObject* module, PyTypeObject* tensor);
inline PyObject* extend(PyObject* type, PyObject* attributes);
inline PyObject* register_objects(PyObject* dtypes, PyObject* device_type, PyObject* cpu, PyObject* repr, PyObject* construct,
                                  PyObject* as_index, PyObject* errors);
/// A tensor over the memory of an object with the buffer protocol.
inline PyObject* from_buffer(PyObject* o);
inline PyObject* from_dlpack(PyObject* capsule);
/// A tensor over memory of a device that owner keeps; strides in elements, None: row-major.
inline PyObject* from_address(std::int64_t address, const haft::IntArray& size, PyObject* stride, haft_dtype dtype, haft_device device, PyObject* owner);
inline PyObject* reinterpret(const haft::Tensor& t, const haft::IntArray& size, haft_dtype dtype);
inline PyObject* to_dlpack(PyObject* self, bool versioned);
inline PyObject* dlpack_device(PyObject* self);

/// These answer how it was.
inline bool set_grad_enabled(bool on) { return bindings::swap_grad_enabled(on); }
inline bool set_inference_mode(bool on) { return bindings::swap_inference_mode(on); }
inline bool set_anomaly_mode(bool on) { return bindings::swap_anomaly_mode(on); }
/// Seed and position of the default generator.
inline std::pair<std::int64_t, std::int64_t> default_generator_state() {
  std::pair<std::int64_t, std::int64_t> s;
  check(haft_generator_get_state(nullptr, &s.first, &s.second));
  return s;
}
inline void set_default_generator_state(const std::pair<std::int64_t, std::int64_t>& s) {
  check(haft_generator_set_state(nullptr, s.first, s.second));
}
inline void set_common_default_dtype(haft_dtype d);
/// What a Size says before its dot.
inline void show_as(const std::string& name) { size_prefix = name; }
/// All the memory that a tensor lies in, as bytes; it is kept while they live.
inline PyObject* whole_storage(const haft::Tensor& t);
inline void end_of_python();
inline void after_fork();
inline int header_version() { return HAFT_VERSION_NUMBER; }

/// A tensor with a copy of bytes, row-major.
inline PyObject* from_bytes(PyObject* bytes, const haft::IntArray& size, haft_dtype dtype, haft_device device) {
  Py_buffer view;
  if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0) return nullptr;
  haft_tensor* out = nullptr;
  std::int64_t wanted = haft_dtype_get_size(dtype);
  for (std::int64_t i = 0; i < size.size(); ++i) wanted *= size.data()[i];
  haft_status status = wanted == view.len ? haft_tensor_from_data(view.buf, size.data(), size.size(), dtype, device, &out)
                                          : haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "from_bytes: the size does not fit the number of bytes", 0);
  PyBuffer_Release(&view);
  check(status);
  return hp::wrap(out);
}
/// All elements, row-major.
inline PyObject* to_bytes(const haft::Tensor& t) {
  const std::int64_t n = t.numel() * haft_dtype_get_size(t.dtype());
  PyObject* out = PyBytes_FromStringAndSize(nullptr, n);
  if (!out) return nullptr;
  haft_status status = haft_tensor_read(t.get(), PyBytes_AS_STRING(out), n);
  if (status != HAFT_OK) Py_DECREF(out);
  check(status);
  return out;
}
inline std::vector<haft::Tensor> apply_function(PyObject* forward, PyObject* backward, const std::vector<haft::Tensor>& inputs,
                                                int64_t output_count, const std::string& name) {
  auto function = std::make_shared<PythonFunction>(forward, backward);
  Unlocked unlocked;
  return haft::apply(function, inputs, output_count, name);
}
inline void push_saved_tensor_hooks(PyObject* pack, PyObject* unpack);
/// The outputs of fn, then the products.
inline std::vector<haft::Tensor> vjp(const std::function<std::vector<haft::Tensor>(const std::vector<haft::Tensor>&)>& fn,
                                     const std::vector<haft::Tensor>& inputs, const std::vector<haft::Tensor>& vectors, std::int32_t flags) {
  return bindings::joined(haft::vjp(fn, inputs, vectors, flags));
}
inline std::vector<haft::Tensor> jvp(const std::function<std::vector<haft::Tensor>(const std::vector<haft::Tensor>&)>& fn,
                                     const std::vector<haft::Tensor>& inputs, const std::vector<haft::Tensor>& vectors, std::int32_t flags) {
  return bindings::joined(haft::jvp(fn, inputs, vectors, flags));
}
inline std::vector<haft::Tensor> hvp(const std::function<std::vector<haft::Tensor>(const std::vector<haft::Tensor>&)>& fn,
                                     const std::vector<haft::Tensor>& inputs, const std::vector<haft::Tensor>& vectors, std::int32_t flags) {
  return bindings::joined(haft::hvp(fn, inputs, vectors, flags));
}
inline std::vector<haft::Tensor> vmap(const std::function<std::vector<haft::Tensor>(const std::vector<haft::Tensor>&)>& fn,
                                      const std::vector<haft::Tensor>& inputs, const std::vector<std::int64_t>& in_dims, std::int32_t randomness,
                                      std::int64_t chunk_size) {
  haft::VmapOptions options;
  options.in_dims = in_dims;
  options.randomness = randomness;
  options.chunk_size = chunk_size;
  return haft::vmap(fn, inputs, options);
}
inline haft::data::Dataset callback_dataset(int64_t size, const std::vector<haft::Tensor>& first,
                                            std::function<std::vector<haft::Tensor>(std::int64_t)> item, bool one_at_a_time);
}
}
%}
%include "python/data.i"
%include "python/profiler.i"
%include "python/graph.i"
%include "python/session.i"
%include "python/dist.i"
