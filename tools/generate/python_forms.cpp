// The modules of the Python package that functions_python.def lists: functions that are one expression.
#include <algorithm>
#include <string_view>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

// A line of the table: a module's path, text and imports, or a function's signature, value, text and refusals.
struct FormLine {
  enum Kind { module, function, form } kind;
  std::vector<std::string> items;
};

const std::vector<FormLine>& form_lines() {
  static const std::vector<FormLine> all = {
#define PYTHON_MODULE(...) {FormLine::module, {__VA_ARGS__}},
#define PYTHON_FUNCTION(...) {FormLine::function, {__VA_ARGS__}},
#define PYTHON_FORM(...) {FormLine::form, {__VA_ARGS__}},
#include "core/schema/functions_python.def"
  };
  return all;
}

constexpr std::string_view kFormsBanner =
    "Generated from core/schema/functions_python.def by tools/generate; do not edit.";

[[noreturn]] void refuse_form(const std::string& name, const std::string& what) {
  fail(Code::invalid_argument, concat("functions_python.def: ", name, ": ", what));
}

// At commas outside of brackets and quotes.
std::vector<std::string> parameters_of(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  bool quoted = false;
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && !depth && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  for (std::string& a : out) a = trim(a);
  if (out == std::vector<std::string>{""}) out.clear();
  return out;
}

// What a literal tells of a parameter's type; nothing where it is None or no literal.
std::string literal_type(const std::string& value) {
  if (value == "True" || value == "False") return "bool";
  if (value.starts_with('"')) return "str";
  if (value.find_first_not_of("0123456789.-e /") != value.npos) return "";
  return value.find_first_of(".e/") == value.npos ? "int" : "float";
}

std::string typed_parameter(const std::string& parameter) {
  if (parameter[0] == '*' || parameter.find(':') != parameter.npos) return parameter;
  const size_t equals = parameter.find('=');
  if (equals == parameter.npos) return parameter + ": Tensor";
  const std::string name = parameter.substr(0, equals), value = parameter.substr(equals + 1),
                    type = literal_type(value);
  return type.empty() ? parameter : concat(name, ": ", type, " = ", value);
}

std::string with_escapes(const std::string& text, char c) {
  std::string out;
  for (char t : text) (t == c ? out += '\\' : out) += t;
  return out;
}

std::string form_documentation(const std::string& name, const std::string& text) {
  if (text.empty() || text.back() == '"') refuse_form(name, "its text is empty or ends in a quote");
  return paragraph("    \"\"\"", "    ", with_escapes(text, '\\') + "\"\"\"");
}

struct FormText {
  std::string name, first, text;
  bool form;
};

FormText form_text(const FormLine& line, bool types) {
  const std::string& signature = line.items[0];
  const size_t open = signature.find('('), close = signature.rfind(')');
  FormText f;
  f.form = line.kind == FormLine::form;
  f.name = signature.substr(0, open);
  if (line.items.size() < 3 || line.items.size() % 3)
    refuse_form(f.name, "takes a value, a text, and refusals in threes");
  std::vector<std::string> parameters =
      parameters_of(std::string_view(signature).substr(open + 1, close - open - 1));
  const bool out = std::find(parameters.begin(), parameters.end(), "out=None") != parameters.end();
  f.first = parameters.empty() ? "" : parameters[0];
  if (types) std::transform(parameters.begin(), parameters.end(), parameters.begin(), typed_parameter);
  const std::string told = trim(std::string_view(signature).substr(close + 1));
  f.text = "\n\n" +
           call("def " + f.name + "(", parameters,
                !told.empty() ? ") " + told + ":"
                : types       ? ") -> Tensor:"
                              : "):") +
           "\n" + form_documentation(f.name, line.items[2]);
  for (size_t i = 3; i < line.items.size(); i += 3) {
    const std::string& message = line.items[i + 2];
    f.text += concat("    if ", line.items[i], ":\n        raise ", line.items[i + 1],
                     message.find('{') == message.npos ? "(\"" : "(f\"", with_escapes(message, '"'), "\")\n");
  }
  std::string body = line.items[1];
  for (size_t end; (end = body.find("; ")) != body.npos; body.erase(0, end + 2))
    f.text += "    " + body.substr(0, end) + "\n";
  const bool writes = out && body.find(" out)") == body.npos && body.find("out.") == body.npos;
  // Those that PyTorch writes only into a tensor of the result's type.
  const bool own = f.name == "norm" || f.name == "round" || f.name == "inverse" || f.name == "vector_norm" ||
                   f.name == "vecdot" || f.name == "multi_dot" || f.name == "tensordot";
  const std::string exact = own ? ", True" : "";
  f.text += writes ? "    t = " + body + "\n    return t if out is None else _out(t, out" + exact + ")\n"
                   : "    return " + body + "\n";
  return f;
}

}  // namespace

std::map<std::string, std::string> python_forms() {
  std::map<std::string, std::string> files;
  const std::vector<FormLine>& all = form_lines();
  for (auto at = all.begin(); at != all.end();) {
    const FormLine& head = *at++;
    if (head.kind != FormLine::module || head.items.size() != 3)
      refuse_form(head.items[0], "stands in no module");
    const bool types = head.items[2].find("annotations") != std::string::npos;
    std::vector<std::string> names, functions, methods;
    std::string text;
    bool forms = false;
    for (; at != all.end() && at->kind != FormLine::module; ++at) {
      const FormText f = form_text(*at, types);
      const std::string entry = concat("\"", f.name, "\": ", f.name);
      names.push_back("\"" + f.name + "\"");
      forms = forms || f.form;
      if (f.first != "self") functions.push_back(entry);
      if (f.form && (f.first == "self" || f.first == "input")) methods.push_back(entry);
      text += f.text;
    }
    std::string& file = files[head.items[0]];
    file = "\"\"\"" + head.items[1] + " " + std::string(kFormsBanner) + "\"\"\"\n" + head.items[2] + "\n" +
           call("__all__ = [", names, "]") + "\n" + text;
    if (forms) file += "\n\n" + call("FUNCTIONS = {", functions, "}\n") + call("METHODS = {", methods, "}\n");
  }
  return files;
}

}  // namespace haft::generate
