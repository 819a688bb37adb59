// What CPython 3.10 added to its C API, for 3.9.
#ifndef HAFT_PYTHON_SINCE_3_10_HPP
#define HAFT_PYTHON_SINCE_3_10_HPP
#if PY_VERSION_HEX < 0x030A0000
static inline PyObject* Py_XNewRef(PyObject* o) {
  Py_XINCREF(o);
  return o;
}
static inline PyObject* Py_NewRef(PyObject* o) {
  Py_INCREF(o);
  return o;
}
static inline int PyModule_AddObjectRef(PyObject* module, const char* name, PyObject* o) {
  Py_XINCREF(o);
  const int failed = PyModule_AddObject(module, name, o);
  if (failed) Py_XDECREF(o);
  return failed;
}
#endif
#endif
