# See finish. One file of SWIG's C# in, the same with camelCase parameters and documentation out; reads behind document.awk.
function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}
function camel(line,   out, token, n, parts, i) {
  out = ""
  while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
    token = substr(line, RSTART, RLENGTH)
    out = out substr(line, 1, RSTART - 1)
    line = substr(line, RSTART + RLENGTH)
    if (token ~ /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/) {
      n = split(token, parts, "_")
      token = parts[1]
      for (i = 2; i <= n; ++i) token = token toupper(substr(parts[i], 1, 1)) substr(parts[i], 2)
    } else if (token ~ /^[a-z]+_$/) {
      token = "@" substr(token, 1, length(token) - 1)
    }
    out = out token
  }
  return out line
}
# The C++ class behind a class of C#.
function cpp_class(name) {
  if (name == "Functions") return ""
  if (name == "InferenceSession") return "Session"
  if (name == "DataLoader") return "Loader"
  if (name == "CancelHandle") return "CancelToken"
  if (name == "DistributedDataParallel") return "DataParallel"
  if (name == "CheckpointValues") return "Checkpoint"
  if (name == "RpcFuture") return "Future"
  return name
}
BEGIN {
  read_headers()
  class = own = ""
  documented = 0
}
# What a class outside cannot use.
{ sub(/^  protected bool swigCMemOwn/, "  internal bool swigCMemOwn") }
/^ *\/\/\// {
  documented = 1
  at = index($0, "///") + 2
  print camel(substr($0, 1, at) plain(substr($0, at + 1)))
  next
}
/^(public|internal) .*(class|struct) / {
  visible = /^public/
  own = $0
  sub(/.*(class|struct) /, "", own)
  sub(/[^A-Za-z0-9_].*/, "", own)
  class = cpp_class(own)
  text = class == "" ? told[tolower(own)] : text_of(class, "")
  if (!documented && text != "") print "/// <summary>" escaped(text) "</summary>"
}
# csharp.i hides what src/ answers by name; the operators' summaries have shown it again.
/^  public Tensor\[\] [A-Za-z]+List\(/ { sub(/public/, "internal") }
/^  public / && own != "" && visible {
  name = $0
  sub(/ *[({=].*/, "", name)
  sub(/.* /, "", name)
  if ($0 ~ / override /) text = "/// <inheritdoc/>"
  else {
    text = name == "Dispose" ? "Gives the native object up; again: nothing." : text_of(class, name)
    if (text != "") text = "/// <summary>" escaped(text) "</summary>"
  }
  if (!documented && text != "") print "  " text
  if ($0 !~ / (override|delegate) /) {
    numbers[1] = 0
    n = parameters_of($0, names, numbers)
    for (i = 1; i <= n; ++i) {
      text = text_of_parameter(class, name, names[i], numbers[1])
      shown = camel(names[i])
      sub(/^@/, "", shown)
      if (text != "") print "  /// <param name=\"" shown "\">" escaped(text) "</param>"
    }
    text = text_of_result(class, name, $0, numbers[1])
    if (text != "") print "  /// <returns>" escaped(text) "</returns>"
    if (text ~ /(^|[^a-z])null( when|:| for)/) print "  [return: global::System.Diagnostics.CodeAnalysis.MaybeNull]"
  }
}
visible && /^  ~/ { print "  /// <summary>Gives the native object up.</summary>" }
visible && /^  protected .*\(bool disposing\)/ {
  print "  /// <summary>Gives the native object up; what Dispose and the collector call.</summary>"
  print "  /// <param name=\"disposing\">true: by Dispose; false: by the collector</param>"
}
{ documented = 0; print camel($0) }
