# See finish. One file of SWIG's C# in, the same with camelCase parameters and summaries out.
function pascal(name,   out, n, i, parts) {
  n = split(name, parts, "_")
  out = ""
  for (i = 1; i <= n; ++i) out = out toupper(substr(parts[i], 1, 1)) substr(parts[i], 2)
  return out
}
function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}
function read_headers(   files, n, i, line, comment, name, class) {
  n = split(headers, files, /[ \n]+/)
  for (i = 1; i <= n; ++i) {
    comment = class = ""
    while ((getline line < files[i]) > 0) {
      if (line ~ /^(class|struct) [A-Za-z]+/) {
        class = line
        sub(/^(class|struct) /, "", class)
        sub(/[^A-Za-z0-9].*/, "", class)
        if (comment != "") summary[class] = comment
        comment = ""
      } else if (line ~ /^}/) {
        class = ""
        comment = ""
      } else if (line ~ /^ *\/\/\/ /) {
        sub(/^ *\/\/\/ /, "", line)
        comment = comment (comment == "" ? "" : " ") line
      } else {
        if (comment != "" && match(line, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
          name = pascal(substr(line, RSTART, RLENGTH - 1))
          summary[(class == "" ? "Functions" : class) "." name] = comment
        }
        comment = ""
      }
    }
    close(files[i])
  }
}
function read_table(   line, at) {
  while ((getline line < table) > 0) {
    if (line ~ /^#/ || (at = index(line, ": ")) == 0) continue
    summary[substr(line, 1, at - 1)] = substr(line, at + 2)
  }
  close(table)
}
# AddScalar: "Add scalar."
function words(name,   out, i, c) {
  out = substr(name, 1, 1)
  for (i = 2; i <= length(name); ++i) {
    c = substr(name, i, 1)
    out = out (c ~ /[A-Z]/ ? " " tolower(c) : c)
  }
  return out "."
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
BEGIN {
  read_headers()
  read_table()
  class = ""
  documented = 0
}
/^ *\/\/\// { documented = 1; print camel($0); next }
/^(public|internal) .*(class|struct) / {
  class = $0
  sub(/.*(class|struct) /, "", class)
  sub(/[^A-Za-z0-9_].*/, "", class)
  if (!documented && $0 ~ /^public/) print "/// <summary>" escaped(class in summary ? summary[class] : words(class)) "</summary>"
}
/^  public / && !documented && class != "" {
  name = $0
  sub(/ *[({=].*/, "", name)
  sub(/.* /, "", name)
  if ($0 ~ / override /) text = "/// <inheritdoc/>"
  else if (class "." name in summary) text = "/// <summary>" escaped(summary[class "." name]) "</summary>"
  else if (name == "Dispose") text = "/// <summary>Gives the native object up; again: nothing.</summary>"
  else if (name == class) text = "/// <summary>A new one.</summary>"
  else text = "/// <summary>" escaped(words(name)) "</summary>"
  print "  " text
}
/^  (protected|~)/ && !documented { print "  /// <summary>For the proxy itself.</summary>" }
{ documented = 0; print camel($0) }
