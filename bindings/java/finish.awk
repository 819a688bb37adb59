# See finish. One file of SWIG's Java in, the same with documentation for every public member out; reads behind document.awk.
function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  gsub(/@/, "\\&#64;", text)
  return text
}
BEGIN {
  read_headers()
  class = comment = described = ""
}
# The comment that SWIG wrote waits for its declaration.
/^ *\/\*\*/ { inside = 1; comment = described = "" }
inside {
  inside = $0 !~ /\*\//
  line = $0
  gsub(/^ *\/?\*+\/? *|\*\/ *$/, "", line)
  if (line ~ /^@param /) described = described "\n   * " line
  else if (line != "") comment = comment (comment == "" ? "" : " ") line
  if (!inside) waiting = 1
  next
}
/^public .*(class|interface|enum) / {
  class = $0
  sub(/.*(class|interface|enum) /, "", class)
  sub(/[^A-Za-z0-9_].*/, "", class)
  own = class
  sub(/Operators$/, "", class)
  if (class == "Haft") class = ""
  text = waiting ? comment : escaped(class == "" ? told[tolower(own)] : text_of(class, ""))
  if (text != "") print "/** " text " */"
  print
  waiting = 0
  next
}
/^  public / && /\(/ {
  name = $0
  sub(/ *\(.*/, "", name)
  sub(/.* /, "", name)
  text = waiting && !(tolower(class "." normal(name)) in told) ? plain(comment) : escaped(text_of(class, name))
  numbers[1] = 0
  n = parameters_of($0, names, numbers)
  list = ""
  for (i = 1; i <= n; ++i) {
    about = escaped(text_of_parameter(class, name, names[i], numbers[1]))
    if (about != "") list = list "   * @param " names[i] " " about "\n"
  }
  about = escaped(text_of_result(class, name, $0, numbers[1]))
  if (about != "") list = list "   * @return " about "\n"
  if (text != "") {
    if (list == "") print "  /** " text " */"
    else print "  /**\n   * " text "\n   *\n" list "   */"
  }
  print
  waiting = 0
  next
}
waiting { print "  /** " comment " */"; waiting = 0 }
{ print }
