// C++ texts of modules.def: functions of plain values, which SWIG reads, and the factories of the public
// headers.
#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

// How a parameter's value is written: as the flat function has it, or as the factory of the public header.
enum class Style { flat, factory };

// The values that a parameter is for a C function: two numbers for a pair, address and number for a list.
std::vector<std::string> values(const MadeParameter& p, Style style) {
  std::string name = style == Style::factory && !p.options.empty() ? "options." + p.name : p.name;
  switch (p.type) {
    case ParameterType::boolean: return {"std::int32_t(" + name + ")"};
    case ParameterType::ints: return {name + ".data()", name + ".size()"};
    case ParameterType::pair:
      if (style == Style::flat) return {name + "_h", name + "_w"};
      return {name + ".v[0]", name + ".v[1]"};
    default: return {name};
  }
}

std::string fill_options(const Made& m, Style style) {
  std::string out = "  " + m.options + " o = " + upper_case(m.options) + "_INIT;\n";
  for (const MadeParameter& p : m.parameters) {
    std::vector<std::string> v = values(p, style);
    if (p.type == ParameterType::pair) {
      for (int i = 0; i < 2; ++i) out += concat("  o.", p.name, "[", i, "] = ", v[size_t(i)], ";\n");
    } else {
      out += "  o." + p.name + " = " + v[0] + ";\n";
    }
  }
  auto where = [&](bool has, const std::string& name) {
    if (has) out += "  o." + name + " = " + (style == Style::flat ? name : "b." + name) + ";\n";
  };
  where(m.dtype, "dtype");
  where(m.device, "device");
  where(m.generator, "generator");
  return out;
}

std::vector<std::string> c_arguments(const Made& m, Style style) {
  if (!m.options.empty()) return {"&o"};
  std::vector<std::string> out;
  for (const std::string& name : m.order) {
    if (const MadeParameter* p = m.find(name)) {
      for (std::string& v : values(*p, style)) out.push_back(std::move(v));
    } else {
      out.push_back(style == Style::factory && m.builds() ? "b." + name : name);
    }
  }
  return out;
}

std::string cpp_type(const MadeParameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return "bool ";
    case ParameterType::floating: return "double ";
    case ParameterType::ints: return "const haft::IntArray& ";
    case ParameterType::pair: return "Pair ";
    default: return "std::int64_t ";
  }
}

std::string cpp_default(const MadeParameter& p) {
  if (!p.has_default) return "";
  return " = " + (p.type == ParameterType::optional_integer ? std::string("HAFT_NONE") : p.default_value);
}

std::vector<std::string> flat_parameters(const Made& m) {
  std::vector<std::string> out;
  if (m.kind == MadeKind::optimizer) out.push_back("const std::vector<haft::Tensor>& params");
  if (m.kind == MadeKind::schedule) out.push_back("const haft::optim::Optimizer& optimizer");
  for (const MadeParameter& p : m.parameters) {
    if (p.type != ParameterType::pair) {
      out.push_back(cpp_type(p) + p.name);
      continue;
    }
    out.push_back("std::int64_t " + p.name + "_h");
    out.push_back("std::int64_t " + p.name + "_w");
  }
  if (m.dtype) out.push_back("haft_dtype dtype");
  if (m.device) out.push_back("haft_device device");
  if (m.generator) out.push_back("haft_generator* generator");
  return out;
}

std::string flat_function(const Made& m) {
  static const char* const results[] = {"nn::Module", "optim::Optimizer", "optim::Scheduler"};
  std::string result = results[int(m.kind)], body;
  std::vector<std::string> arguments;
  if (m.kind == MadeKind::optimizer) {
    body += "  auto handles = haft::detail::handles(params);\n";
    arguments = {"handles.data()", "static_cast<std::int64_t>(handles.size())"};
  }
  if (m.kind == MadeKind::schedule) arguments = {"optimizer.get()"};
  if (!m.options.empty()) body += fill_options(m, Style::flat);
  for (std::string& a : c_arguments(m, Style::flat)) arguments.push_back(std::move(a));
  arguments.insert(arguments.begin(), "haft_" + m.function + "_create");
  body += call("  return made<" + result + ">(", arguments, ");") + "\n";
  // Inside the class, hence two columns further right.
  std::string text = definition(call("static " + result + " " + m.function + "(", flat_parameters(m), ") {"),
                                body),
              out;
  for (const std::string& line : split(text, '\n')) out += "  " + line + "\n";
  return out;
}

std::string documented(const Made& m) {
  std::string out = paragraph("/// ", "/// ", m.doc);
  for (const MadeParameter& p : m.parameters)
    if (p.options.empty()) out += paragraph("/// @param " + p.name + " ", "///   ", p.doc);
  return out;
}

std::string options_struct(const Made& m, const std::string& name) {
  std::string out = "struct " + name + " {\n";
  for (const MadeParameter& p : m.parameters)
    if (p.options == name)
      out += paragraph("  /// ", "  /// ", p.doc) + "  " + cpp_type(p) + p.name + cpp_default(p) + ";\n";
  return out + "};\n";
}

std::string factory(const Made& m) {
  std::vector<std::string> parameters;
  std::string options;
  if (m.kind == MadeKind::schedule) parameters.push_back("const Optimizer& optimizer");
  for (const MadeParameter& p : m.parameters) {
    if (p.options.empty())
      parameters.push_back(cpp_type(p) + p.name + cpp_default(p));
    else if (options.empty())
      parameters.push_back("const " + (options = p.options) + "& options = {}");
  }
  if (m.builds())
    parameters.push_back("const Build& b = {}");
  else if (m.generator)
    parameters.push_back("haft_generator* generator = nullptr");
  std::vector<std::string> arguments = c_arguments(m, Style::factory);
  if (m.kind == MadeKind::schedule) arguments.insert(arguments.begin(), "optimizer.get()");
  arguments.insert(arguments.begin(), "haft_" + m.function + "_create");
  std::string body = m.options.empty() ? "" : fill_options(m, Style::factory);
  bool layer = m.kind == MadeKind::layer;
  body += call(layer ? "  return detail::create(" : "  return detail::schedule(", arguments, ");") + "\n";
  return documented(m) +
         definition(call(layer ? "inline Module " + m.name + "(" : "inline Scheduler " + m.function + "(",
                         parameters, ") {"),
                    body);
}

// Options over the C struct, and a function.
std::string optimizer(const Made& m) {
  std::string options = m.name + "Options", out = paragraph("/// ", "/// ", m.doc);
  for (const MadeParameter& p : m.parameters) out += paragraph("/// " + p.name + ": ", "///   ", p.doc);
  out += "struct " + options + " : " + m.options + " {\n";
  std::string body = "    lr = rate;\n";
  for (const MadeParameter& p : m.parameters)
    if (p.name != "lr") body += "    " + p.name + " = " + p.default_value + ";\n";
  out += "  " + options + "(double rate = " + m.find("lr")->default_value + ") : " + m.options + "(" +
         upper_case(m.options) + "_INIT) {\n" + body + "  }\n};\n";
  return out + definition(call("inline Optimizer " + m.function + "(",
                               {"const std::vector<Tensor>& params", "const " + options + "& o = {}"}, ") {"),
                          "  return detail::create(haft_" + m.function + "_create, params, o);\n");
}

}  // namespace

std::string modules_interface(const std::vector<Made>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// What makes layers, optimizers and schedules as functions of plain values: the classes of every language call these.
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
  for (const Made& m : all) out += flat_function(m);
  return out + "};\n\n}  // namespace bindings\n}  // namespace haft\n#endif\n";
}

std::string cpp_factories(const std::vector<Made>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// Layers in C++17: nn::Linear(784, 10), nn::Conv2d(3, 8, 3, options). haft/nn.hpp includes this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_LAYERS_HPP
#define HAFT_LAYERS_HPP

namespace haft {
namespace nn {
)";
  std::map<std::string, std::string> structs;
  for (const Made& m : all) {
    if (m.kind != MadeKind::layer) continue;
    out += "\n";
    for (const MadeParameter& p : m.parameters) {
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

std::string cpp_optimizers(const std::vector<Made>& all) {
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
  for (const Made& m : all)
    if (m.kind != MadeKind::layer) out += "\n" + (m.kind == MadeKind::optimizer ? optimizer(m) : factory(m));
  return out + "\n}  // namespace optim\n}  // namespace haft\n#endif\n";
}

}  // namespace haft::generate
