// The engine's texts of modules.def: declarations of what makes layers and losses, and those that are operators.
#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

std::string core_type(const Parameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return "bool ";
    case ParameterType::floating: return "double ";
    case ParameterType::floats: return "std::span<const double> ";
    case ParameterType::ints: return "IntList ";
    case ParameterType::pair: return "Pair ";
    case ParameterType::tensor: return "const Tensor& ";
    case ParameterType::word: return p.words == "PaddingMode" ? p.words + " " : "int64_t ";
    default: return "int64_t ";
  }
}

std::string core_default(const Parameter& p) {
  switch (p.type) {
    case ParameterType::optional_integer: return "kNone";
    case ParameterType::floats:
    case ParameterType::ints: return "{}";
    case ParameterType::tensor: return "{}";
    case ParameterType::pair: return "{" + p.default_value + ", " + p.default_value + "}";
    case ParameterType::word:
      return p.words == "PaddingMode"                                   ? "PaddingMode::" + p.default_value
             : p.words == "Interpolation" || p.words == "OrthogonalMap" ? "0"
                                                                        : "1";
    default: return p.default_value;
  }
}

std::vector<std::string> parameters(const Entry& e, bool defaults) {
  std::vector<std::string> out;
  for (const Parameter& p : e.parameters)
    out.push_back(core_type(p) + p.c_name() + (defaults && p.has_default ? " = " + core_default(p) : ""));
  if (e.builds())
    out.push_back(defaults && e.all_default() ? "const Build& build = {}" : "const Build& build");
  else if (e.generator)
    out.push_back(defaults && e.all_default() ? "Generator* generator = nullptr" : "Generator* generator");
  // Defaults end where a parameter has none.
  if (defaults && e.builds() && !e.all_default()) out.back() += " = {}";
  if (defaults && !e.builds() && e.generator && !e.all_default() && !optional(e).empty())
    out.back() += " = nullptr";
  return out;
}

std::string python_default(const Entry& e, const Parameter& p) {
  for (const PythonParameter& q : e.python)
    if (q.core >= 0 && &e.parameters[size_t(q.core)] == &p && !q.default_value.empty())
      return q.default_value;
  return "None";
}

// As Python prints the layer: "alpha=1.0, beta=2".
std::string extra(const Entry& e) {
  std::vector<std::string> items;
  for (const Parameter& p : e.parameters) {
    if (!e.is_shown(p.name)) continue;
    std::string value =
        p.type == ParameterType::boolean ? "flag_text(" + p.c_name() + ")"
        : p.type == ParameterType::ints ? "numbers_text(" + p.c_name() + ", \"" + python_default(e, p) + "\")"
        : p.type == ParameterType::floating && !p.has_default      ? "float_text(" + p.c_name() + ")"
        : p.type == ParameterType::integer                         ? p.c_name()
        : p.default_value.find_first_of(".e") == std::string::npos ? p.c_name()
                                                                   : "float_text(" + p.c_name() + ")";
    items.push_back("\"" + std::string(items.empty() ? "" : ", ") +
                    (e.bare || e.bare_name == p.name ? "" : p.name + "=") + "\", " + value);
  }
  return items.empty() ? "\"\"" : "concat(" + join(items, ", ") + ")";
}

std::string checks(const Entry& e) {
  std::string out;
  for (const Parameter& p : e.parameters)
    if (!p.range.empty())
      out +=
          "  check_range(\"" + e.name + "\", \"" + p.name + "\", " + p.c_name() + ", \"" + p.range + "\");\n";
  return out;
}

const Op& operator_of(const Entry& e, const Catalogue& c) {
  for (const Op& op : c.ops)
    if (op.name == e.op) return op;
  fail(Code::internal, e.op);
}

// The call of the operator; optional tensors of a loss are buffers, in their order. Kernels refuse complex numbers by
// themselves, compositions would compute with them.
std::string call_of(const Entry& e, const Catalogue& c, const std::string& end = "") {
  const Op& op = operator_of(e, c);
  const bool looks = op.kind != OpKind::composite || op.has(COMPLEX);
  std::vector<std::string> arguments;
  size_t given = 0;
  for (const Argument& a : op.signature.arguments) {
    if (a.type == ArgType::tensor) {
      const std::string x = e.inputs.size() > 1 ? concat("xs[", int64_t(given++), "]") : "x";
      arguments.push_back(looks ? x : "real_input(\"" + e.name + "\", " + x + ")");
      continue;
    }
    const Parameter& p = *e.find(a.name);
    int buffer = 0;
    for (const Parameter& q : e.parameters) {
      if (&q == &p) break;
      buffer += q.type == ParameterType::tensor;
    }
    arguments.push_back(p.type == ParameterType::tensor ? concat("buffers[", buffer, "]") : p.c_name());
  }
  return "ops::" + e.op + end + "(" + join(arguments, ", ") + ")";
}

std::string function_module(const Entry& e, const Catalogue& c) {
  std::string capture = e.parameters.empty() ? "[]" : "[=";
  for (const Parameter& p : e.parameters)  // which outlive the caller's
    if (p.type == ParameterType::ints) capture += ", " + p.c_name() + " = Shape(" + p.c_name() + ")";
  if (!e.parameters.empty()) capture += "]";
  std::string body = checks(e);
  if (e.stride_else_kernel) body += "  if (stride.empty()) stride = kernel_size;\n";
  if (e.has_indices())
    body += call("  if (return_indices)\n    return outputs<2>(",
                 {"\"" + e.name + "\"", extra(e),
                  capture + "(const Tensor& x) { return " + call_of(e, c, "_with_indices") + "; }"},
                 ");\n");
  if (e.kind == EntryKind::function && e.inputs.size() == 1) {
    body += call(
        "  return function(",
        {"\"" + e.name + "\"", extra(e), capture + "(const Tensor& x) { return " + call_of(e, c) + "; }"},
        ");\n");
  } else {
    std::vector<std::string> buffers;
    for (const Parameter& p : e.parameters)
      if (p.type == ParameterType::tensor) buffers.push_back("{\"" + p.name + "\", " + p.c_name() + "}");
    if (e.kind == EntryKind::loss) {
      std::vector<std::string> captured;
      for (const Parameter& p : e.parameters)
        if (p.type != ParameterType::tensor) captured.push_back(p.c_name());
      capture = "[" + join(captured, ", ") + "]";
    }
    body += call("  return several(",
                 {"\"" + e.name + "\"", e.kind == EntryKind::loss ? "\"\"" : extra(e),
                  "{\"" + join(e.inputs, "\", \"") + "\"}", "{" + join(buffers, ", ") + "}",
                  capture + "(const Tensor* xs, [[maybe_unused]] const Tensor* buffers) {\n      return " +
                      call_of(e, c) + ";\n    }"},
                 ");\n");
  }
  return definition(call("Ref<Module> " + e.function + "(", parameters(e, false), ") {"), body);
}

}  // namespace

std::string core_factories(const std::vector<Entry>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// What makes layers and losses from plain values. Those that are operators stand in functions.cpp, the others beside
// their classes.
#pragma once
#include "core/nn/layers.h"

namespace haft::nn {

)";
  for (const Entry& e : all)
    if (e.is_module()) out += call("Ref<Module> " + e.function + "(", parameters(e, true), ");\n");
  return out + "\n}  // namespace haft::nn\n";
}

std::string core_function_modules(const std::vector<Entry>& all, const Catalogue& c) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// Layers and losses that are an operator with its attributes.
#include "core/nn/factories.h"
#include "core/nn/function_module.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {
)";
  for (const Entry& e : all)
    if (!e.op.empty()) out += "\n" + function_module(e, c);
  return out + "\n}  // namespace haft::nn\n";
}

}  // namespace haft::generate
