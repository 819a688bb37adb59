# What the headers say of each class, function and parameter, for the editors of Java and C#; each language's finish.awk
# writes it into SWIG's text. In this order: summaries.txt, the C++ header, the C function that the C++ function calls.
# Variables: headers (of C++), c_headers, table (summaries.txt), capital (whether the language's functions begin with one).

# Names are compared as normal() leaves them: AddOut, addOut and add_out are one; an underscore at the end counts.
function normal(name,   end) {
  end = name ~ /_$/ ? "_" : ""
  gsub(/[_@]/, "", name)
  return tolower(name) end
}
# What C's text says that users of a binding do not see.
function plain(text) {
  gsub(/, which the caller releases|; the caller releases it|; receives an owned handle|, an owned handle|an owned handle (to|of) |0 or 1: /, "", text)
  gsub(/owned by the caller, |, owned by the caller/, "", text)
  sub(/^an owned handle that /, "a tensor that ", text)
  sub(/^an owned handle, or NULL: /, "NULL: ", text)
  gsub(/; haft_scalar_none\(\): absent/, "; NaN: absent", text)
  gsub(/HAFT_(NONE|DTYPE_NONE|DEVICE_DEFAULT): /, "left out: ", text)
  gsub(/HAFT_ERROR_CANCELLED/, "CancelledException", text)
  gsub(/HAFT_FLOAT32/, "float32", text)
  gsub(/HAFT_REDUCE_OP_\*/, "how their values are joined", text)
  gsub(/HAFT_ANY_SOURCE/, "-1", text)
  gsub(/HAFT_END/, "nothing", text)
  gsub(/INT64_MAX/, "the largest long", text)
  gsub(/(; |, or )HAFT_NONE when absent/, "; left out: none", text)
  gsub(/array of [a-z_]+_count /, "", text)
  gsub(/: HAFT_[A-Z]+_(\*|\.\.\.)/, "", text)
  gsub(/HAFT_BACKWARD_\* and HAFT_GRAD_ALLOW_UNUSED/, "HAFT_BACKWARD_*; 4: null for inputs that the outputs do not depend on", text)
  gsub(/HAFT_BACKWARD_\*/, "the sum of 1: keeps the graph for another backward; 2: records the gradients themselves", text)
  gsub(/; later calls on w answer HAFT_ERROR_INVALID_ARGUMENT/, "; later calls on the writer are refused", text)
  gsub(/, for requests that say HAFT_NONE/, "", text)
  gsub(/ \(HAFT_INTERPOLATE_\*\)/, "", text)
  gsub(/HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD/, "0: backward; 1: ortho; 2: forward", text)
  gsub(/HAFT_FAN_\*/, "fan in or fan out", text)
  gsub(/HAFT_NONLINEARITY_\*/, "the nonlinearity that follows", text)
  gsub(/HAFT_GRAPH_TEXT, HAFT_GRAPH_DOT or HAFT_GRAPH_JSON/, "as text, in DOT for Graphviz or as JSON", text)
  gsub(/HAFT_GRAPH_\*/, "0: text; 1: DOT; 2: JSON", text)
  gsub(/HAFT_KERNELS_\*, joined by \|/, "the sum of their numbers", text)
  gsub(/HAFT_MATH_\*/, "the precision", text)
  gsub(/HAFT_DETERMINISTIC_\*/, "what becomes of such an operator", text)
  gsub(/HAFT_MATH_|HAFT_DETERMINISTIC_/, "", text)
  gsub(/HAFT_PADDING_REFLECT/, "reflect", text)
  gsub(/ _REPLICATE/, " replicate", text)
  gsub(/ _CIRCULAR/, " circular", text)
  gsub(/ _WARN/, " WARN", text)
  gsub(/ _ERROR/, " ERROR", text)
  gsub(/a handle that the caller releases/, "a new object for it", text)
  gsub(/NULL/, "null", text)
  if (text ~ /^whether/) {
    sub(/\(usually 0\)/, "(usually false)", text)
    sub(/\(usually 1\)/, "(usually true)", text)
  }
  return own_names(text)
}
# C's functions under the names of the language: haft_module_add_hook is addHook or AddHook.
function own_names(text,   out, name, parts, n, i) {
  out = ""
  while (match(text, /haft_[a-z0-9_]*[a-z0-9]/)) {
    name = substr(text, RSTART + 5, RLENGTH - 5)
    out = out substr(text, 1, RSTART - 1)
    text = substr(text, RSTART + RLENGTH)
    sub(/^(tensor|module|optimizer|scheduler|loader|session|request|dataset|weights|writer|generator|graph|node|profile|cancel_token|store|process_group|work|data_parallel|model_averager|device_mesh|pipeline|rpc|parameter_server|parameter_client|fully_sharded|distribution)_/, "", name)
    if (name == "create") {
      out = out "the constructor"
      continue
    }
    n = split(name, parts, "_")
    for (i = capital ? 1 : 2; i <= n; ++i) parts[i] = toupper(substr(parts[i], 1, 1)) substr(parts[i], 2)
    for (i = 1; i <= n; ++i) out = out parts[i]
  }
  return out text
}
# Classes that haft.i renames.
function own_class(name) { return name == "Stream" || name == "Event" ? "Device" name : name }
function file_names(list, into) { return split(list, into, /[ \n]+/) }
function keep_c(name, text,   parts, n, i, p, out) {
  n = split(text, parts, / *@/)
  for (i = 1; i <= n; ++i) {
    p = parts[i]
    sub(/ +$/, "", p)
    if (p ~ /^brief /) brief[name] = substr(p, 7)
    else if (p ~ /^param/) {
      out = p ~ /^param\[out\] +out /
      sub(/^param(\[[a-z,]+\])? +/, "", p)
      if (out && match(p, / +/)) result[name] = substr(p, RSTART + RLENGTH)
      if (match(p, / +/)) c_parameter[name, normal(substr(p, 1, RSTART - 1))] = substr(p, RSTART + RLENGTH)
    }
  }
  if (name ~ /^haft_/) operator[normal(substr(name, 6))] = name
}
function read_c(file,   line, text, inside, name) {
  while ((getline line < file) > 0) {
    if (line ~ /^\/\*\*/) {
      inside = 1
      text = ""
    }
    if (inside) {
      inside = line !~ /\*\//
      gsub(/^ *\/?\*+\/?|\*\/ *$/, "", line)
      text = text " " line
      gsub(/  +/, " ", text)
    } else {
      if (text != "" && match(line, /haft_[a-z0-9_]+\(/)) keep_c(substr(line, RSTART, RLENGTH - 1), text)
      text = ""
      if (line ~ /^  [a-z0-9_* ]+;.*\/\* .* \*\//) {
        name = line
        sub(/;.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/.*\/\* /, "", line)
        sub(/ *\*\/.*/, "", line)
        field[normal(name)] = line
      }
    }
  }
  close(file)
}
function read_cpp(file,   line, comment, name, class, key) {
  comment = class = key = ""
  while ((getline line < file) > 0) {
    if (line ~ /^ *\/\/\/ /) {
      sub(/^ *\/\/\/ /, "", line)
      comment = comment (comment == "" ? "" : " ") line
      continue
    }
    if (line ~ /^(class|struct) [A-Za-z]+/) {
      class = line
      sub(/^(class|struct) /, "", class)
      sub(/[^A-Za-z0-9].*/, "", class)
      class = own_class(class)
      if (comment != "") summary[class] = comment
    } else if (line ~ /^}/) {
      if (line ~ /^};/) class = ""
    } else if (line ~ (class == "" ? "^[A-Za-z].*\\(" : "^  [A-Za-z].*\\(") && match(line, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
      name = own_class(substr(line, RSTART, RLENGTH - 1))
      key = class "." normal(name)
      if (comment != "") summary[key] = comment
    }
    comment = ""
    # The first C function in the body that does something.
    if (key != "" && !(key in calls) && match(line, /haft_[a-z0-9_]+\(/) && line !~ /haft_error_set/)
      calls[key] = substr(line, RSTART, RLENGTH - 1)
  }
  close(file)
}
function read_headers(   files, n, i, line, at) {
  n = file_names(c_headers, files)
  for (i = 1; i <= n; ++i) read_c(files[i])
  n = file_names(headers, files)
  for (i = 1; i <= n; ++i) read_cpp(files[i])
  while ((getline line < table) > 0)
    if (line !~ /^#/ && (at = index(line, ": "))) told[tolower(substr(line, 1, at - 1))] = substr(line, at + 2)
  close(table)
}
# The C function behind a member. One name has overloads for tensors and for numbers, as add and add_scalar.
function c_function(class, member, number,   n, stem, form) {
  n = normal(member)
  if (class "." n in calls) return calls[class "." n]
  if (class != "Tensor") return ""
  form = ""
  if (n ~ /_$/) form = "_"
  else if (n ~ /out$/) form = "out"
  stem = substr(n, 1, length(n) - length(form))
  if ((number || !(n in operator)) && (stem "scalar" form in operator)) return operator[stem "scalar" form]
  return n in operator ? operator[n] : ""
}
# What a class (member "") or one of its members is; "": nobody says.
function text_of(class, member,   key) {
  key = member == "" ? class : class "." normal(member)
  if (tolower(key) in told) return told[tolower(key)]
  if (key in summary) return plain(summary[key])
  if (member == "") return ""
  key = c_function(class, member, 0)
  if (key in brief) return plain(brief[key])
  # Fields of a struct are told of classes that stand for one.
  return class ~ /(Options|Base|Stats|Metrics)$/ && normal(member) in field ? plain(field[normal(member)]) : ""
}
function text_of_parameter(class, member, name, number,   n, key) {
  n = normal(name)
  sub(/_$/, "", n)
  key = tolower(class "." normal(member) "(" n ")")
  if (key in told) return told[key]
  key = c_function(class, member, number)
  if ((key, n) in c_parameter) return plain(c_parameter[key, n])
  return "(" n ")" in told ? told["(" n ")"] : ""
}
# What a member answers; "": nobody says, or nothing.
function text_of_result(class, member, line, number,   key) {
  if (line ~ / void [A-Za-z0-9_]+\(/ || line !~ /[A-Za-z>\]] [A-Za-z0-9_]+\(/ || line ~ /^  public [A-Za-z0-9_]+\(/) return ""
  if (class == "Tensor" && member ~ /_$/) return "this tensor"
  if (line ~ / Work [A-Za-z0-9_]+\(/) return "the call that was begun"
  key = c_function(class, member, number)
  if (!(key in result) || result[key] ~ /^NULL: wait/) return ""
  if (line ~ / (bool|boolean) [A-Za-z0-9_]+\(/) return "whether so"
  # Of composites and of texts C's documentation says no more than that.
  return result[key] ~ /^the result;|^the caller|^lives as long/ ? "" : plain(result[key])
}
# The parameters of a declaration: names[1..n], and whether each is a number, numbers[1..n].
function parameters_of(line, names, numbers,   n, i, parts, words, k) {
  if (!match(line, /\(.*\)/)) return 0
  line = substr(line, RSTART + 1)
  sub(/\) *(: |\{|throws|;).*/, "", line)
  sub(/\)$/, "", line)
  while (gsub(/<[^<>]*>/, "", line)) {}
  n = split(line, parts, /, */)
  if (line ~ /^ *$/) return 0
  for (i = 1; i <= n; ++i) {
    sub(/ *=.*/, "", parts[i])
    k = split(parts[i], words, / +/)
    names[i] = words[k]
    sub(/^@/, "", names[i])
    numbers[i] = words[k - 1] ~ /^(double|long|int64_t)$/
  }
  return n
}
