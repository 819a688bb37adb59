// A node of the recorded graph; where there is none, None.
%typemap(out) haft::Node {
  haft::Node& node = *(&$1);
  $result = node ? SWIG_NewPointerObj(new haft::Node(node), $descriptor(haft::Node*), SWIG_POINTER_OWN) : Py_NewRef(Py_None);
}
