// bindings/ops.i: the operators as SWIG reads them. An operator whose first input is a tensor is a method of
// Tensor, every other a static one; `add` and `add_scalar` share the name `add`.
#include <algorithm>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

constexpr std::string_view kScalarSuffix = "_scalar";

bool ends_with_scalar(const std::string& name) {
  return name.size() > kScalarSuffix.size() &&
         name.compare(name.size() - kScalarSuffix.size(), kScalarSuffix.size(), kScalarSuffix) == 0;
}
std::string without_scalar(const std::string& name) {
  return ends_with_scalar(name) ? name.substr(0, name.size() - kScalarSuffix.size()) : name;
}

const Op* find_op(const Catalogue& c, const std::string& name) {
  for (const Op& op : c.ops)
    if (op.name == name) return &op;
  return nullptr;
}

// How numbers are declared: Python takes any number at once, Java and C# have an overload for each kind.
enum class Numbers { any, floating, integer };

std::string swig_type(const Argument& a, Numbers numbers) {
  switch (a.type) {
    case ArgType::tensor:
    case ArgType::optional_tensor: return "const haft::Tensor& ";
    case ArgType::tensors:
    case ArgType::optional_tensors: return "const std::vector<haft::Tensor>& ";
    case ArgType::integer:
    case ArgType::optional_integer: return "int64_t ";
    case ArgType::boolean: return "bool ";
    case ArgType::floating: return "double ";
    case ArgType::scalar:
    case ArgType::optional_scalar:
      return numbers == Numbers::any        ? "haft::Scalar "
             : numbers == Numbers::floating ? "double "
                                            : "int64_t ";
    case ArgType::dtype: return "haft_dtype ";
    case ArgType::device: return "haft_device ";
    case ArgType::ints: return "const haft::IntArray& ";
    case ArgType::generator: return "haft_generator* ";
    case ArgType::text: return "const std::string& ";
    case ArgType::floats: break;  // of operators without a public function
  }
  return "";
}

std::string swig_default(const Argument& a, Numbers numbers) {
  if (a.type == ArgType::optional_scalar && a.default_value == "none")
    return numbers == Numbers::any ? "haft::Scalar()" : "std::numeric_limits<double>::quiet_NaN()";
  switch (a.type) {
    case ArgType::optional_tensor: return "haft::Tensor()";
    case ArgType::ints: return "haft::IntArray()";
    case ArgType::dtype:
    case ArgType::device: return "0";
    case ArgType::generator: return "NULL";
    default: return a.default_value == "none" ? "HAFT_NONE" : a.default_value;
  }
}

bool is_method(const Op& op) {
  return !op.signature.arguments.empty() && op.signature.arguments[0].type == ArgType::tensor;
}

bool has_scalar(const Op& op) {
  for (const Argument& a : op.signature.arguments)
    if (is_scalar(a.type)) return true;
  return false;
}

// Names that SWIG's languages or other members of Tensor need for themselves.
std::string safe(const std::string& name) { return name == "out" ? "output" : name; }

std::vector<std::string> parameters(const Op& op, Form form, Numbers numbers) {
  const std::vector<Argument>& args = op.signature.arguments;
  std::vector<std::string> out;
  bool defaults = form != Form::out;
  for (size_t i = args.size(); i-- > (is_method(op) ? 1u : 0u);) {
    // The integer form of a number is there for numbers that are written down.
    if (is_scalar(args[i].type) && numbers == Numbers::integer) defaults = false;
    defaults = defaults && (args[i].has_default || args[i].type == ArgType::optional_tensor);
    out.insert(out.begin(), swig_type(args[i], numbers) + safe(args[i].name) +
                                (defaults ? " = " + swig_default(args[i], numbers) : ""));
  }
  if (form == Form::out) out.push_back("const haft::Tensor& out");
  return out;
}

std::string body(const Op& op, Form form, Numbers numbers) {
  std::vector<std::string> arguments;
  for (const Argument& a : op.signature.arguments) {
    // Java and C# have no absent double: NaN stands for it.
    bool absent = a.type == ArgType::optional_scalar && numbers == Numbers::floating;
    arguments.push_back(absent ? "haft::bindings::number_or_none(" + safe(a.name) + ")" : safe(a.name));
  }
  if (is_method(op)) arguments[0] = "*$self";
  if (form == Form::out) arguments.push_back("out");
  std::string text = "haft::" + form_name(op, form) + "(" + join(arguments, ", ") + ")";
  if (form == Form::inplace) return text + "; return *$self;";
  if (form == Form::out) return text + ";";
  return "return " + (op.signature.results.size() > 1 ? "haft::bindings::list(" + text + ")" : text) + ";";
}

std::string return_type(const Op& op, Form form) {
  if (form == Form::inplace) return "haft::Tensor& ";
  if (form == Form::out) return "void ";
  return op.signature.returns_list || op.signature.results.size() > 1 ? "std::vector<haft::Tensor> "
                                                                      : "haft::Tensor ";
}

std::string member_name(const Op& op, Form form) {
  std::string suffix = form_name(op, form).substr(op.name.size());
  return without_scalar(op.name) + suffix;
}

std::string declaration(const Op& op, Form form, Numbers numbers) {
  return std::string("  ") + (is_method(op) ? "" : "static ") + return_type(op, form) +
         member_name(op, form) + "(" + join(parameters(op, form, numbers), ", ") + ") { " +
         body(op, form, numbers) + " }\n";
}

// add and add_scalar as one method that takes either.
std::string merged(const Op& op, Form form) {
  std::string name = form_name(op, form), scalar = op.name + "_scalar" + name.substr(op.name.size());
  const std::string &operand = op.signature.arguments[1].name, out = form == Form::out ? ", out" : "";
  std::string head = "  " + return_type(op, form) + member_name(op, form) +
                     "(const haft::bindings::Operand& " + operand +
                     (form == Form::out ? ", const haft::Tensor& out" : "") + ") { ";
  std::string tensor_call = "haft::" + name + "(*$self, " + operand + ".tensor" + out + ")";
  std::string scalar_call = "haft::" + scalar + "(*$self, " + operand + ".scalar" + out + ")";
  if (form == Form::plain)
    return head + "return " + operand + ".is_tensor ? " + tensor_call + " : " + scalar_call + "; }\n";
  return head + "if (" + operand + ".is_tensor) " + tensor_call + "; else " + scalar_call + ";" +
         (form == Form::inplace ? " return *$self;" : "") + " }\n";
}

// Of two tensors the second may be a number in PyTorch, though the engine has no form for numbers.
constexpr std::string_view kNumberToo[] = {"logical_and", "logical_or",  "logical_xor", "bitwise_and",
                                           "bitwise_or",  "bitwise_xor", "copysign",    "xlogy"};
bool takes_number(const Op& op) {
  return std::find(std::begin(kNumberToo), std::end(kNumberToo), op.name) != std::end(kNumberToo);
}
std::string with_number(const Op& op, Form form) {
  const std::string& operand = op.signature.arguments[1].name;
  const std::string call = "haft::" + form_name(op, form) + "(*$self, haft::python::tensor_like(" + operand +
                           ", *$self)" + (form == Form::out ? ", out" : "") + ");";
  return "  " + return_type(op, form) + member_name(op, form) + "(const haft::bindings::Operand& " + operand +
         (form == Form::out ? ", const haft::Tensor& out" : "") + ") { " +
         (form == Form::plain ? "return " : "") + call + (form == Form::inplace ? " return *$self;" : "") +
         " }\n";
}

std::string documentation(const Op& op) {
  std::string text = op.doc;
  if (op.signature.results.size() > 1) text += " Answers " + join(op.signature.results, ", ") + ".";
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char ch : text) {
    if (ch == '<')
      out += "&lt;";
    else if (ch == '>')
      out += "&gt;";
    else if (ch == '&')
      out += "&amp;";
    else if (ch == '"')
      out += "&quot;";
    else
      out += ch;
  }
  return out;
}

bool has_form(const Op& op, Form form) {
  for (Form f : forms(op))
    if (f == form) return true;
  return false;
}

}  // namespace

std::string bindings_interface(const Catalogue& c) {
  std::string out =
      "// " + std::string(kBanner) + "\n// The operators for SWIG; bindings/haft.i includes this.\n";
  // C# has no Doxygen in SWIG 4.1: its summaries go in front of the method.
  out += "#ifdef SWIGCSHARP\n";
  for (const Op& op : c.ops) {
    if (!op.is_public()) continue;
    for (Form form : forms(op))
      out += "%csmethodmodifiers haft::Tensor::" + member_name(op, form) + " \"/// <summary>" +
             escaped(documentation(op)) + "</summary>\n  public\";\n";
  }
  out += "#endif\n\n%extend haft::Tensor {\n";
  int family = -1;
  for (const Op& op : c.ops) {
    if (!op.is_public()) continue;
    if (op.family != family) out += "\n  " + heading("//", family_title(c, family = op.family));
    const Op* pair = find_op(c, op.name + std::string(kScalarSuffix));
    const Op* whole = ends_with_scalar(op.name) ? find_op(c, without_scalar(op.name)) : nullptr;
    std::string any, kinds;
    for (Form form : forms(op)) {
      std::string doc = "  /** " + documentation(op) + " */\n";
      if (pair && has_form(*pair, form))
        any += doc + merged(op, form);
      else if (takes_number(op))
        any += doc + with_number(op, form);
      else if (!(whole && has_form(*whole, form)))
        any += doc + declaration(op, form, Numbers::any);
      if (!has_scalar(op)) {
        kinds += doc + declaration(op, form, Numbers::any);
        continue;
      }
      kinds += doc + declaration(op, form, Numbers::floating);
      kinds += doc + declaration(op, form, Numbers::integer);
    }
    if (any == kinds) {
      out += any;
      continue;
    }
    out += "#ifdef SWIGPYTHON\n" + any + "#else\n" + kinds + "#endif\n";
  }
  return out + "}\n";
}

}  // namespace haft::generate
