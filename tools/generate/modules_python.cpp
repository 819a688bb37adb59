// Python: a class for each entry of modules.def over a base class that holds the engine's object; and the
// page of the documentation that lists them.
#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

std::string python_value(const MadeParameter& p) {
  if (p.default_value == "none") return "None";
  if (p.default_value == "true") return "True";
  if (p.default_value == "false") return "False";
  return p.default_value;
}

std::string python_type(const MadeParameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return ": bool";
    case ParameterType::floating: return ": float";
    case ParameterType::ints: return "";  // one number or several
    case ParameterType::pair: return "";
    case ParameterType::optional_integer: return ": int | None";
    default: return ": int";
  }
}

std::string declared(const MadeParameter& p) {
  std::string type = python_type(p);
  if (!p.has_default) return p.name + type;
  return p.name + type + (type.empty() ? "=" : " = ") + python_value(p);
}

std::string quoted(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + ("\"" + item + "\"");
  return "(" + out + (items.size() == 1 ? ",)" : ")");
}

std::string docstring(const Made& m) {
  std::string out = "    \"\"\"" + m.doc;
  if (m.kind == MadeKind::layer && m.parameters.empty()) return out + "\"\"\"\n";
  out += "\n\n    Args:\n";
  if (m.kind == MadeKind::optimizer) out += "        params: tensors, or groups of them\n";
  if (m.kind == MadeKind::schedule) out += "        optimizer: whose rates it sets\n";
  for (const MadeParameter& p : m.parameters)
    out += paragraph("        " + p.name + ": ", "            ", p.doc);
  return out + "    \"\"\"\n";
}

std::string made_class(const Made& m) {
  static const char* const bases[] = {"EngineModule", "EngineOptimizer", "EngineScheduler"};
  std::vector<std::string> parameters = {"self"}, names, pairs, arguments;
  if (m.kind == MadeKind::optimizer) parameters.push_back("params");
  if (m.kind == MadeKind::schedule) parameters.push_back("optimizer");
  for (const MadeParameter& p : m.parameters) {
    parameters.push_back(declared(p));
    names.push_back(p.name);
    if (p.type == ParameterType::pair) pairs.push_back(p.name);
    arguments.push_back(p.name + "=" + p.name);
  }
  std::string out = "\n\nclass " + m.name + "(" + bases[int(m.kind)] + "):\n" + docstring(m) + "\n";
  out += "    _make = staticmethod(_haft.Make." + m.function + ")\n";
  if (!pairs.empty()) out += "    _pairs = " + quoted(pairs) + "\n";
  std::vector<std::string> rest = {arguments.empty() ? "{}" : "arguments"};
  if (m.kind == MadeKind::optimizer) {
    out += "    _slots = " + quoted(m.state) + "\n" + "    _names = " + quoted(names) + "\n";
    rest.insert(rest.begin(), "params");
  } else if (m.kind == MadeKind::schedule) {
    rest.insert(rest.begin(), "optimizer");
    for (const char* more : {"last_epoch: int = -1", "verbose: bool = False"}) parameters.push_back(more);
    rest.push_back("last_epoch");
    rest.push_back("verbose");
  } else {
    auto where = [&](bool has, const std::string& name) {
      if (!has) return;
      parameters.push_back(name + "=None");
      rest.push_back(name + "=" + name);
    };
    where(m.device, "device");
    where(m.dtype, "dtype");
    where(m.generator, "generator");
  }
  return out + "\n" + call("    def __init__(", parameters, "):") + "\n" +
         (arguments.empty() ? "" : call("        arguments = dict(", arguments, ")") + "\n") +
         call("        super().__init__(", rest, ")") + "\n";
}

std::string markdown(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '*' ? std::string("\\*") : std::string(1, c);
  return out;
}

std::string shown_type(const MadeParameter& p) {
  switch (p.type) {
    case ParameterType::integer: return "int";
    case ParameterType::optional_integer: return "int?";
    case ParameterType::boolean: return "bool";
    case ParameterType::floating: return "float";
    case ParameterType::ints: return "int[]";
    case ParameterType::pair: return "pair";
  }
  return "";
}

}  // namespace

std::string python_modules(const std::vector<Made>& all, MadeKind kind) {
  static const char* const heads[] = {
      "\"\"\"The engine's layers as modules. haft.nn shows those that it does not write itself.\"\"\"",
      "\"\"\"The engine's optimizers. haft.optim shows those that it does not write itself.\"\"\"",
      "\"\"\"The engine's schedules. haft.optim.lr_scheduler shows those that it does not write "
      "itself.\"\"\"",
  };
  static const char* const imports[] = {"from ... import _haft\nfrom ._engine import EngineModule\n",
                                        "from .. import _haft\nfrom ._engine import EngineOptimizer\n",
                                        "from .. import _haft\nfrom ._engine import EngineScheduler\n"};
  std::string out = "# " + std::string(kModulesBanner) + "\n" + heads[int(kind)] +
                    "\nfrom __future__ import annotations\n\n" + imports[int(kind)] + "\n";
  std::vector<std::string> names;
  std::string classes;
  for (const Made& m : all) {
    if (m.kind != kind) continue;
    names.push_back("\"" + m.name + "\"");
    classes += made_class(m);
  }
  return out + call("__all__ = [", names, "]") + "\n" + classes;
}

std::string modules_page(const std::vector<Made>& all) {
  std::string out = "<!-- " + std::string(kModulesBanner) + " -->\n" + R"(# Layers, optimizers and schedules

These classes are in Python (`haft.nn`, `haft.optim`, `haft.optim.lr_scheduler`), in Java (`io.haft`) and in C# (`Haft`) under
one name, PyTorch's. C++ has layers as `haft::nn::<name>`; in C, and in C++ for optimizers and schedules, the name is that in brackets:
`haft_<name>_create`, `haft::optim::<name>`. Java and C# write parameters in lowerCamelCase; a `pair` is height and width, one number
standing for both. Java and C# take where parameters live, their dtype and the generator of their first numbers, too. Python's own classes
have PyTorch's parameters, which may be more. Containers, losses and modules of one's own are in the [guide](guide.md).
)";
  static const char* const titles[] = {"Layers", "Optimizers", "Schedules"};
  int kind = -1;
  for (const Made& m : all) {
    if (int(m.kind) != kind) out += std::string("\n## ") + titles[kind = int(m.kind)] + "\n";
    out += "\n**" + m.name + "** (`" + m.function + "`): " + markdown(m.doc) + "\n";
    if (m.parameters.empty()) continue;
    out += "\n";
    for (const MadeParameter& p : m.parameters)
      out += "- `" + p.name + "`: " + shown_type(p) + (p.has_default ? ", default " + p.default_value : "") +
             "; " + markdown(p.doc) + "\n";
  }
  return out;
}

}  // namespace haft::generate
