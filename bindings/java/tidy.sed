# What SWIG writes, as Java writes it: a list at the end of the parameters is open, names of parameters are lowerCamelCase.
/^  (public|\/\* of the package \*\/) .*\(.*\) *\{/ {
  / index(Put_?)?\(/! s/^([^{]*)\b(long|Tensor|Module|String)\[\] ([A-Za-z0-9_]+)\) (throws [A-Za-z.]+ )?\{/\1\2... \3) \4{/
}
:again
s/\b([a-z][a-zA-Z0-9]*)_([a-z0-9])([a-zA-Z0-9_]*)\b/\1\u\2\3/
t again
/^public / s/ implements HaftConstants//
