// Stores for haft.distributed: values are bytes. Waiting lets go of the interpreter's lock, as every call does.
%{
#include "bindings/distributed.hpp"
#include "bindings/sharding.hpp"
%}
%typemap(in) const haft::bindings::Bytes& (haft::bindings::Bytes held) {
  Py_buffer view;
  if (PyUnicode_Check($input)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize($input, &size);
    if (!text) SWIG_fail;
    held.bytes.assign(text, static_cast<std::size_t>(size));
  } else {
    if (PyObject_GetBuffer($input, &view, PyBUF_SIMPLE) != 0) SWIG_fail;
    held.bytes.assign(static_cast<const char*>(view.buf), static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
  }
  $1 = &held;
}
%typemap(out) haft::bindings::Bytes {
  const haft::bindings::Bytes& held = *(&$1);
  $result = PyBytes_FromStringAndSize(held.bytes.data(), static_cast<Py_ssize_t>(held.bytes.size()));
  if (!$result) SWIG_fail;
}
%typemap(in) const std::vector<std::string>& (std::vector<std::string> all) {
  if (!hp::each($input, "a sequence of texts", [&](PyObject* item) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &size) : nullptr;
        if (!text) { if (!PyErr_Occurred()) hp::wrong_type("a text", item); return false; }
        all.emplace_back(text, static_cast<std::size_t>(size));
        return true;
      })) SWIG_fail;
  $1 = &all;
}
%ignore haft::rendezvous;
%ignore haft::Rendezvous;
%inline %{
namespace haft {
namespace python {
inline haft::bindings::Bytes store_get(const haft::Store& store, const std::string& key, int64_t timeout_us) { return {store.get_value(key, timeout_us)}; }
/// Who this process is in the job, and the job's store.
class Met {
  haft::Store store_;

 public:
  int rank, world_size;
  Met(const haft::Store& store, int r, int w) : store_(store), rank(r), world_size(w) {}
  haft::Store store() const { return store_; }
};
inline Met rendezvous(const std::string& url, int rank, int world_size, int64_t timeout_us) {
  haft::Rendezvous r = haft::rendezvous(url, rank, world_size, timeout_us);
  return Met(r.store, r.rank, r.world_size);
}
}
}
%}
