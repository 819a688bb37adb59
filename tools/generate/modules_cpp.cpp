// C++ texts of modules.def: functions of plain values, which SWIG reads, and the factories of the public
// headers.
#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

// How a parameter's value is written: as the flat function has it, or as the factory of the public header.
enum class Style { flat, factory };

std::string fill_options(const Entry& m, Style style) {
  std::string out = "  " + m.options_name() + " o = " + m.options_init() + ";\n";
  auto set = [&](const std::string& field, const std::string& value) {
    out += "  o." + field + " = " + value + ";\n";
  };
  for (const Parameter& p : m.parameters) {
    const std::string field = p.c_name(),
                      from = style == Style::factory && !p.options.empty() ? "options." : "",
                      name = from + field;
    switch (p.type) {
      case ParameterType::boolean: set(field, "std::int32_t(" + name + ")"); break;
      case ParameterType::word: set(field, name); break;
      case ParameterType::tensor: set(field, name + ".get()"); break;
      case ParameterType::floats:
      case ParameterType::ints:
        set(field, name + ".data()");
        set(field + "_count", p.type == ParameterType::ints
                                  ? name + ".size()"
                                  : "static_cast<std::int64_t>(" + name + ".size())");
        break;
      case ParameterType::pair:
        set(field + "[0]", style == Style::flat ? name + "_h" : name + ".v[0]");
        set(field + "[1]", style == Style::flat ? name + "_w" : name + ".v[1]");
        break;
      default: set(field, name);
    }
  }
  const std::string from = style == Style::factory && m.builds() ? "b." : "";
  if (m.dtype) set("dtype", from + "dtype");
  if (m.device) set("device", from + "device");
  if (m.generator) set("generator", from + "generator");
  return out;
}

std::string cpp_type(const Parameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return "bool ";
    case ParameterType::floating: return "double ";
    case ParameterType::floats: return "const std::vector<double>& ";
    case ParameterType::ints: return "const haft::IntArray& ";
    case ParameterType::pair: return "Pair ";
    case ParameterType::tensor: return "const haft::Tensor& ";
    case ParameterType::word: return "std::int32_t ";
    default: return "std::int64_t ";
  }
}

std::string cpp_default(const Parameter& p) {
  if (!p.has_default) return "";
  switch (p.type) {
    case ParameterType::optional_integer: return " = HAFT_NONE";
    case ParameterType::tensor: return " = haft::Tensor()";
    case ParameterType::floats: return " = {}";
    case ParameterType::ints: return " = haft::IntArray()";
    case ParameterType::word: return " = " + p.constant();
    default: return " = " + p.default_value;
  }
}

std::vector<std::string> flat_parameters(const Entry& m) {
  std::vector<std::string> out;
  if (m.kind == EntryKind::optimizer) out.push_back("const std::vector<haft::Tensor>& params");
  if (m.kind == EntryKind::schedule) out.push_back("const haft::optim::Optimizer& optimizer");
  for (const Parameter& p : m.parameters) {
    if (p.type != ParameterType::pair) {
      out.push_back(cpp_type(p) + p.c_name());
      continue;
    }
    out.push_back("std::int64_t " + p.c_name() + "_h");
    out.push_back("std::int64_t " + p.c_name() + "_w");
  }
  if (m.dtype) out.push_back("haft_dtype dtype");
  if (m.device) out.push_back("haft_device device");
  if (m.generator) out.push_back("haft_generator* generator");
  return out;
}

std::string flat_function(const Entry& m) {
  std::string result = m.is_module()                    ? "nn::Module"
                       : m.kind == EntryKind::optimizer ? "optim::Optimizer"
                                                        : "optim::Scheduler",
              body;
  std::vector<std::string> arguments;
  if (m.kind == EntryKind::optimizer) {
    body += "  auto handles = haft::detail::handles(params);\n";
    arguments = {"handles.data()", "static_cast<std::int64_t>(handles.size())"};
  }
  if (m.kind == EntryKind::schedule) arguments = {"optimizer.get()"};
  if (m.has_options()) {
    body += fill_options(m, Style::flat);
    arguments.push_back("&o");
  }
  arguments.insert(arguments.begin(), "haft_" + m.function + "_create");
  body += call("  return made<" + result + ">(", arguments, ");") + "\n";
  // Inside the class, hence two columns further right.
  std::string text = definition(call("static " + result + " " + m.function + "(", flat_parameters(m), ") {"),
                                body),
              out;
  for (const std::string& line : split(text, '\n')) out += "  " + line + "\n";
  return out;
}

std::string documented(const Entry& m) {
  std::string out = paragraph("/// ", "/// ", m.doc);
  for (const Parameter& p : m.parameters)
    if (p.options.empty()) out += paragraph("/// @param " + p.c_name() + " ", "///   ", p.doc);
  return out;
}

std::string options_struct(const Entry& m, const std::string& name) {
  std::string out = "struct " + name + " {\n";
  for (const Parameter& p : m.parameters)
    if (p.options == name)
      out += paragraph("  /// ", "  /// ", p.doc) + "  " + cpp_type(p) + p.c_name() + cpp_default(p) + ";\n";
  return out + "};\n";
}

std::string factory(const Entry& m) {
  std::vector<std::string> parameters;
  std::string options;
  if (m.kind == EntryKind::schedule) parameters.push_back("const Optimizer& optimizer");
  for (const Parameter& p : m.parameters) {
    if (p.options.empty())
      parameters.push_back(cpp_type(p) + p.c_name() + cpp_default(p));
    else if (options.empty())
      parameters.push_back("const " + (options = p.options) + "& options = {}");
  }
  if (m.builds())
    parameters.push_back("const Build& b = {}");
  else if (m.generator)
    parameters.push_back("haft_generator* generator = nullptr");
  std::vector<std::string> arguments;
  if (m.has_options()) arguments.push_back("&o");
  if (m.kind == EntryKind::schedule) arguments.insert(arguments.begin(), "optimizer.get()");
  arguments.insert(arguments.begin(), "haft_" + m.function + "_create");
  std::string body = m.has_options() ? fill_options(m, Style::factory) : "";
  const bool layer = m.is_module();
  body += call(layer ? "  return detail::create(" : "  return detail::schedule(", arguments, ");") + "\n";
  return documented(m) +
         definition(call(layer ? "inline Module " + m.name + "(" : "inline Scheduler " + m.function + "(",
                         parameters, ") {"),
                    body);
}

// Options over the C struct, and a function.
std::string optimizer(const Entry& m) {
  std::string options = m.name + "Options", out = paragraph("/// ", "/// ", m.doc);
  for (const Parameter& p : m.parameters) out += paragraph("/// " + p.name + ": ", "///   ", p.doc);
  out += "struct " + options + " : " + m.options_name() + " {\n  " + options +
         "(double rate = " + m.find("lr")->default_value + ") : " + m.options_name() + "(" +
         m.options_init() + ") { lr = rate; }\n};\n";
  return out + definition(call("inline Optimizer " + m.function + "(",
                               {"const std::vector<Tensor>& params", "const " + options + "& o = {}"}, ") {"),
                          "  return detail::create(haft_" + m.function + "_create, params, o);\n");
}

}  // namespace

std::string modules_interface(const std::vector<Entry>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// What makes layers, losses, optimizers and schedules as functions of plain values: the classes of every language
// call these.
#ifndef HAFT_BINDINGS_MODULES_HPP
#define HAFT_BINDINGS_MODULES_HPP
#include "bindings/support.hpp"

namespace haft {
namespace bindings {

#ifndef SWIG
template <class T, class F, class... A>
T made(F create, A... arguments) {
  decltype(std::declval<const T&>().get()) out = nullptr;
  check(create(arguments..., &out));
  return T(out);
}
#endif

class Make {
 public:
)";
  for (const Entry& m : all) out += flat_function(m);
  return out + "};\n\n}  // namespace bindings\n}  // namespace haft\n#endif\n";
}

std::string cpp_factories(const std::vector<Entry>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// Layers and losses in C++17: nn::Linear(784, 10), nn::Conv2d(3, 8, 3, options), nn::MSELoss(). haft/nn.hpp includes
// this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_LAYERS_HPP
#define HAFT_LAYERS_HPP

namespace haft {
namespace nn {
)";
  std::map<std::string, std::string> structs;
  for (const Entry& m : all) {
    if (!m.is_module()) continue;
    out += "\n";
    for (const Parameter& p : m.parameters) {
      if (p.options.empty()) continue;
      std::string text = options_struct(m, p.options);
      auto [known, added] = structs.emplace(p.options, text);
      if (added) out += text;
      if (known->second != text)
        fail(Code::invalid_argument,
             concat("modules.def: ", m.name, ": ", p.options, " has other fields or texts elsewhere"));
    }
    out += factory(m);
  }
  return out + "\n}  // namespace nn\n}  // namespace haft\n#endif\n";
}

std::string cpp_optimizers(const std::vector<Entry>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// Optimizers and schedules in C++17: optim::adam(params, 1e-3), optim::step_lr(optimizer, 30). haft/optim.hpp includes
// this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_OPTIMIZERS_HPP
#define HAFT_OPTIMIZERS_HPP

namespace haft {
namespace optim {
)";
  for (const Entry& m : all)
    if (!m.is_module()) out += "\n" + (m.kind == EntryKind::optimizer ? optimizer(m) : factory(m));
  return out + "\n}  // namespace optim\n}  // namespace haft\n#endif\n";
}

}  // namespace haft::generate
