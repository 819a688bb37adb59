// C#: a class for each entry of modules.def, with one constructor of named arguments.
#include <cctype>

#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

std::string csharp_type(const Parameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return "bool ";
    case ParameterType::floating: return "double ";
    case ParameterType::floats: return "double[] ";
    case ParameterType::ints: return "Dims ";
    case ParameterType::pair: return p.has_default ? "Pair? " : "Pair ";
    case ParameterType::optional_integer: return "long? ";
    case ParameterType::tensor: return "Tensor ";
    case ParameterType::word: return p.words + " ";
    default: return "long ";
  }
}

bool null_by_default(const Parameter& p) {
  return p.has_default && (p.type == ParameterType::pair || p.type == ParameterType::optional_integer ||
                           p.type == ParameterType::tensor || p.type == ParameterType::floats);
}

// What the function of Make takes.
std::vector<std::string> handed(const Parameter& p) {
  std::string name = camel_case(p.c_name());
  if (p.type == ParameterType::optional_integer) return {name + " ?? long.MinValue"};
  if (p.type == ParameterType::floats) return {name + " ?? new double[0]"};
  if (p.type == ParameterType::word) return {"(int)" + name};
  if (p.type != ParameterType::pair) return {name};
  std::string pair = p.has_default ? "(" + name + " ?? new Pair(" + p.default_value + "))" : name;
  return {pair + ".Height", pair + ".Width"};
}

std::string written(const Entry& m) {
  static const char* const bases[] = {"Module", "Module", "Loss", "Optimizer", "Scheduler"};
  std::vector<std::string> declarations, values;
  std::string docs;
  auto parameter = [&](const std::string& declaration, const std::string& doc) {
    std::string bare = declaration.substr(0, declaration.find(" = "));
    std::string name = bare.substr(bare.rfind(' ') + 1);
    declarations.push_back(declaration);
    docs += "  /// <param name=\"" + name + "\">" + escaped_xml(with_camel_case(m, doc)) + "</param>\n";
    return name;
  };
  if (m.kind == EntryKind::optimizer)
    values.push_back(parameter("IEnumerable<Tensor> parameters", "leaves of a floating dtype"));
  if (m.kind == EntryKind::schedule)
    values.push_back(parameter("Optimizer optimizer", "whose learning rate"));
  for (const Parameter& p : m.parameters) {
    std::string doc = p.doc;
    if (p.type == ParameterType::pair) doc += "; height and width, or one number for both";
    if (p.type == ParameterType::pair && p.has_default) doc += "; null: " + p.default_value;
    if (p.type == ParameterType::optional_integer || p.type == ParameterType::tensor) doc += "; null: none";
    std::string value = !p.has_default                  ? ""
                        : null_by_default(p)            ? " = null"
                        : p.type == ParameterType::ints ? " = default(Dims)"
                        : p.type == ParameterType::word
                            ? " = " + p.words + "." + std::string(1, char(std::toupper(p.default_value[0]))) +
                                  p.default_value.substr(1)
                            : " = " + p.default_value;
    parameter(csharp_type(p) + camel_case(p.c_name()) + value, doc);
    for (const std::string& v : handed(p)) values.push_back(v);
  }
  if (m.dtype)
    values.push_back(parameter("DType dtype = DType.None", "of the parameters; None: the default"));
  if (m.device) values.push_back(parameter("Device device = default(Device)", "where they live"));
  if (m.generator)
    values.push_back(
        parameter("Generator generator = null", "what numbers are drawn from; null: the default one"));
  std::string pascal = camel_case(m.function);
  pascal[0] = char(pascal[0] - 'a' + 'A');
  return "\n/// <summary>" + escaped_xml(with_camel_case(m, m.doc)) + "</summary>\npublic sealed class " +
         m.name + " : " + bases[int(m.kind)] + " {\n  /// <summary>" +
         (m.parameters.empty() ? "It has no options." : "What is not given has PyTorch's default.") +
         "</summary>\n" + docs + call("  public " + m.name + "(", declarations, ")") + "\n" +
         call("      : base(Make." + pascal + "(", values, ")) {}") + "\n}\n";
}

}  // namespace

std::string csharp_classes(const std::vector<Entry>& all) {
  std::string out =
      "// " + std::string(kModulesBanner) + "\nusing System.Collections.Generic;\n\nnamespace Haft {\n";
  for (const Entry& m : all) out += written(m);
  return out + "}\n";
}

}  // namespace haft::generate
