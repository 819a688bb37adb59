// Python: a class for each entry of modules.def that Python does not write itself.
#include <algorithm>
#include <functional>
#include <set>

#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

std::string value_of(const Parameter& p) {
  if (p.default_value == "none") return "None";
  if (p.default_value == "true") return "True";
  if (p.default_value == "false") return "False";
  return p.type == ParameterType::word ? "\"" + p.default_value + "\"" : p.default_value;
}

std::string type_of(const Parameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return ": bool";
    case ParameterType::floating: return ": float";
    case ParameterType::floats:
    case ParameterType::ints:
    case ParameterType::pair: return "";  // one number or several
    case ParameterType::optional_integer: return ": int | None";
    case ParameterType::tensor: return ": Tensor | None";
    case ParameterType::word: return ": str";
    default: return ": int";
  }
}

std::string quoted(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + ("\"" + item + "\"");
  return "(" + out + (items.size() == 1 ? ",)" : ")");
}

// A parameter as the constructor has it. Floats x1 and x2 are one pair xs.
struct Shown {
  std::string name, declaration, doc;
  bool keyword;
  const Parameter *core = nullptr, *second = nullptr;
};

std::vector<Shown> shown(const Entry& e) {
  std::vector<Shown> out;
  for (const PythonParameter& q : e.python) {
    if (q.core < 0) {
      const bool flag = q.default_value == "True" || q.default_value == "False";
      const std::string type = flag ? "bool" : q.type, typed = type.empty() ? q.name : q.name + ": " + type;
      const std::string value = q.default_value.empty() ? "" : (type.empty() ? "=" : " = ") + q.default_value;
      out.push_back({q.name, typed + value, q.doc, q.keyword});
      continue;
    }
    const Parameter& p = e.parameters[size_t(q.core)];
    if (std::find(e.python_without.begin(), e.python_without.end(), p.name) != e.python_without.end())
      continue;
    const std::string stem = p.name.substr(0, p.name.size() - 1);
    if (p.type == ParameterType::floating && p.name.back() == '2' && e.find(stem + "1")) {
      out.back().second = &p;
      out.back().name = stem + "s";
      out.back().declaration =
          concat(stem, "s: tuple[float, float] = (", value_of(*out.back().core), ", ", value_of(p), ")");
      out.back().doc += "; " + p.doc;
      continue;
    }
    std::string declaration = p.name + type_of(p);
    if (!q.default_value.empty())
      declaration = p.name + "=" + q.default_value;
    else if (p.has_default)
      declaration += (type_of(p).empty() ? "=" : " = ") + value_of(p);
    out.push_back(
        {p.name, declaration, q.doc.empty() || q.doc == "as PyTorch" ? p.doc : q.doc, q.keyword, &p});
  }
  return out;
}

std::vector<std::string> declarations(const std::vector<Shown>& all, std::vector<std::string> before) {
  bool keyword = false;
  for (const Shown& s : all) {
    if (s.keyword && !keyword) before.push_back("*");
    keyword = s.keyword;
    before.push_back(s.declaration);
  }
  return before;
}

std::string docstring(const Entry& e, const std::vector<Shown>& all) {
  std::string out = "    \"\"\"" + (e.python_doc.empty() ? e.doc : e.python_doc);
  if (e.is_module() && all.empty()) return out + "\"\"\"\n";
  out += "\n\n    Args:\n";
  if (e.kind == EntryKind::optimizer) out += "        params: tensors, or groups of them\n";
  if (e.kind == EntryKind::schedule) out += "        optimizer: whose rates it sets\n";
  for (const Shown& s : all) out += paragraph("        " + s.name + ": ", "            ", s.doc);
  return out + "    \"\"\"\n";
}

std::string head(const Entry& e, const std::vector<Shown>& all, const std::string& base) {
  return "\n\nclass " + e.name + "(" + base + "):\n" + docstring(e, all);
}

std::string attributes(const Entry& e, const std::vector<Shown>& all) {
  std::string out;
  for (const Shown& s : all) {
    std::string value = s.name;
    if (s.name == "stride" && e.stride_else_kernel) value = "kernel_size if stride is None else stride";
    if (e.python_tuples && s.core && s.core->type == ParameterType::ints)
      value = concat("_ntuple(", e.python_tuples, ")(", value, ")");
    out += "        self." + s.name + " = " + value + "\n";
  }
  return out;
}

// What PyTorch refuses in an operator's place; a layer is made without its inputs.
std::string refusals(const Entry& e, const std::string& indent, bool made) {
  std::string out;
  for (const auto& [condition, message] : e.python_refusals) {
    const bool of_inputs = e.kind == EntryKind::loss &&
                           std::any_of(e.inputs.begin(), e.inputs.end(), [&](const std::string& name) {
                             return condition.find(name) != condition.npos;
                           });
    if (made && of_inputs) continue;
    out += indent + "if " + condition + ":\n" + indent + "    raise ValueError(" +
           (message.find('{') == message.npos ? "" : "f") + "\"" + message + "\")\n";
  }
  return out;
}

// The function of haft.nn.functional with the layer's attributes.
std::string function_class(const Entry& e) {
  const std::vector<Shown> all = shown(e);
  std::string out = head(e, all, "FunctionModule");
  std::vector<std::string> names, inputs = e.forward_names, typed = {"self"};
  if (inputs.empty()) inputs = {"input"};
  for (const std::string& name : inputs) {
    const size_t equals = name.find('=');
    typed.push_back(equals == name.npos ? name + ": Tensor" : name);
  }
  std::vector<std::string> arguments = inputs;
  for (const Shown& s : all) {
    const bool named = std::find(e.shows.begin(), e.shows.end(), s.name) != e.shows.end();
    if (s.core ? e.is_shown(s.name) : named) names.push_back(s.name);
    arguments.push_back((e.has_lists() ? s.name + "=" : "") + "self." + s.name);
  }
  if (!all.empty()) {
    if (!names.empty())
      out += "\n    _names = " + quoted(names) + "\n" +
             (e.bare                ? "    _bare = True\n"
              : e.bare_name.empty() ? ""
                                    : "    _bare = \"" + e.bare_name + "\"\n");
    out += "\n" + call("    def __init__(", declarations(all, {"self"}), "):") +
           "\n        super().__init__()\n" + refusals(e, "        ", true) + attributes(e, all);
  }
  out += "\n    def forward(" + join(typed, ", ") + ") -> Tensor:\n";
  if (!e.python_does.empty()) return out + "        return " + e.python_does + "\n";
  return out + call("        return F." + e.op + "(", arguments, ")") + "\n";
}

// haft.nn.functional's functions; kl_div takes "batchmean", too, ctc_loss lengths in plain numbers: they are written
// by hand.
std::string loss_function(const Entry& e) {
  std::vector<std::string> parameters, arguments = e.inputs, reduction = {"reduction"};
  std::string numbers;
  for (const std::string& input : e.inputs) {
    const bool number = e.op == "gaussian_nll_loss" && input == "var";  // one number is that of all elements
    parameters.push_back(input + (number ? ": Tensor | float" : ": Tensor"));
    if (number)
      numbers =
          "    if not isinstance(var, Tensor):\n        var = R.full(input.shape, var, input.dtype, "
          "input.device)\n";
  }
  for (const Shown& s : shown(e)) {
    parameters.push_back(s.declaration);
    if (!s.core) reduction.push_back(s.name);
  }
  for (const std::string& name : e.attributes)
    arguments.push_back(name == "reduction" ? "number_of(" + join(reduction, ", ") + ")" : name);
  std::string weighted;
  if (e.weighted) {
    parameters.emplace_back("weight: Tensor | None = None");
    std::vector<std::string> with = arguments;
    with.insert(with.begin() + ptrdiff_t(e.inputs.size()), "weight");
    weighted =
        "    if weight is not None:\n        if weight.shape != input.shape:\n            raise "
        "ValueError(\"Weights "
        "and input must have the same size.\")\n" +
        call("        return R.weighted_" + e.op + "(", with, ")") + "\n";
  }
  return "\n\n" + call("def " + e.op + "(", parameters, ") -> Tensor:") + "\n    \"\"\"" + e.doc +
         (e.weighted ? " weight: of each element." : "") + "\"\"\"\n" +
         (e.warns_of_sizes ? "    warn_of_sizes(" + join(e.inputs, ", ") + ")\n" : "") + numbers +
         refusals(e, "    ", false) + weighted + call("    return R." + e.op + "(", arguments, ")") + "\n";
}

std::string loss_class(const Entry& e) {
  const std::vector<Shown> all = shown(e);
  std::string out = head(e, all, e.find("weight") ? "_WeightedLoss" : "_Loss"), body;
  std::vector<std::string> arguments = e.forward_names, parameters = {"self"}, base;
  for (const std::string& name : e.forward_names) parameters.push_back(name + ": Tensor");
  const Shown* old = nullptr;
  for (const Shown& s : all) {
    if (s.core) arguments.push_back(s.name + "=self." + s.name);
    if (!s.core)
      old = &s;
    else if (s.core->type == ParameterType::tensor && s.name != "weight")
      body += "        self.register_buffer(\"" + s.name + "\", " + s.name + ")\n";
    else if (s.name != "weight" && s.name != "reduction")
      body += "        self." + s.name + " = " + s.name + "\n";
  }
  if (e.find("weight")) base.push_back("weight");
  if (old)
    base.insert(base.end(), {"size_average", "reduce", "reduction"});
  else
    base.push_back("reduction=reduction");
  out += "\n" + call("    def __init__(", declarations(all, {"self"}), "):") + "\n        super().__init__(" +
         join(base, ", ") + ")\n" + refusals(e, "        ", true) + body;
  return out + "\n" + call("    def forward(", parameters, ") -> Tensor:") + "\n" +
         call("        return F." + e.op + "(", arguments, ")") + "\n";
}

// Over a base by hand, which takes the parameters by position.
std::string over_class(const Entry& e) {
  const std::vector<Shown> all = shown(e);
  std::vector<std::string> first, arguments;
  if (!e.is_module()) first.emplace_back(e.kind == EntryKind::optimizer ? "params" : "optimizer");
  arguments = first;
  first.insert(first.begin(), "self");
  std::vector<std::string> parameters = declarations(all, first);
  for (const Shown& s : all) arguments.push_back(s.name);
  for (const char* name : {"device", "dtype"}) {
    if (!e.builds() || !e.python_device) continue;
    // Before what is by keyword only.
    parameters.insert(std::find(parameters.begin(), parameters.end(), "*"), concat(name, "=None"));
    arguments.push_back(name);
  }
  return head(e, all, e.python_base) + "\n" + call("    def __init__(", parameters, "):") + "\n" +
         call("        super().__init__(", arguments, ")") + "\n";
}

// Over the engine's module.
std::string layer_class(const Entry& e) {
  if (!e.python_base.empty()) return over_class(e);
  const std::vector<Shown> all = shown(e);
  std::vector<std::string> pairs, arguments, parameters = declarations(all, {"self"}), rest;
  for (const Shown& s : all) {
    if (s.core->type == ParameterType::pair) pairs.push_back(s.name);
    arguments.push_back(s.name + "=" + s.name);
  }
  rest.push_back(arguments.empty() ? "{}" : "arguments");
  auto where = [&](bool has, const std::string& name) {
    if (!has) return;
    parameters.push_back(name + "=None");
    rest.push_back(name + "=" + name);
  };
  where(e.device, "device");
  where(e.dtype, "dtype");
  where(e.generator, "generator");
  std::string out =
      head(e, all, "EngineModule") + "\n    _make = staticmethod(_haft.Make." + e.function + ")\n";
  if (!pairs.empty()) out += "    _pairs = " + quoted(pairs) + "\n";
  return out + "\n" + call("    def __init__(", parameters, "):") + "\n" +
         (arguments.empty() ? "" : call("        arguments = dict(", arguments, ")") + "\n") +
         call("        super().__init__(", rest, ")") + "\n";
}

// What PyTorch refuses, in its words.
std::string optimizer_checks(const Entry& e, const std::vector<Shown>& all) {
  std::string out;
  auto refuse = [&](const Parameter& p, const std::string& value, const std::string& words) {
    if (p.range.empty()) return;
    std::string fits = value + " " + p.range;
    if (p.range.starts_with("in ")) {  // "in [0, 1)"
      const size_t comma = p.range.find(',');
      fits = p.range.substr(4, comma - 4) + (p.range[3] == '(' ? " < " : " <= ") + value +
             (p.range.back() == ')' ? " < " : " <= ") + p.range.substr(comma + 2, p.range.size() - comma - 3);
    }
    out += "        if not " + fits + ":\n            raise ValueError(f\"Invalid " + words + ": {" + value +
           "}\")\n";
  };
  for (const Shown& s : all) {
    if (!s.core) continue;
    if (s.second) {
      const std::string words = s.name.substr(0, s.name.size() - 1) + " parameter at index ";
      refuse(*s.core, s.name + "[0]", words + "0");
      refuse(*s.second, s.name + "[1]", words + "1");
    } else {
      refuse(*s.core, s.name,
             s.name == "lr"    ? "learning rate"
             : s.name == "eps" ? "epsilon value"
                               : s.name + " value");
    }
  }
  return out + refusals(e, "        ", true);
}

std::string optimizer_class(const Entry& e) {
  if (!e.python_base.empty()) return over_class(e);
  const std::vector<Shown> all = shown(e);
  std::vector<std::string> names, arguments, values;
  std::string pairs;
  for (const Shown& s : all) arguments.push_back(s.name + "=" + s.name);
  const bool decoupled =
      e.function == "adamw";  // told in its groups, as by PyTorch, whichever Adam wrote what is loaded
  if (decoupled) arguments.emplace_back("decoupled_weight_decay=True");
  std::vector<Shown> by_core = all;  // the engine's order, in which Python need not take them
  std::stable_sort(by_core.begin(), by_core.end(),
                   [](const Shown& a, const Shown& b) { return std::less<>()(a.core, b.core); });
  for (const Shown& s : by_core) {
    if (!s.core) continue;
    names.push_back(s.core->name);
    if (s.second) {
      names.push_back(s.second->name);
      pairs += "        " + s.core->name + ", " + s.second->name + " = group[\"" + s.name + "\"]\n";
      values.insert(values.end(), {s.core->name, s.second->name});
    } else {
      values.push_back("group[\"" + s.name + "\"]");
    }
  }
  std::string out =
      head(e, all, "FusedOptimizer") + "\n    _make = staticmethod(_haft.Make." + e.function + ")\n";
  if (e.whole) out += "    _takes_rows = False\n";
  out += "    _slots = " + quoted(e.state) + "\n" + "    _names = " + quoted(names) + "\n";
  out += "\n" + call("    def __init__(", declarations(all, {"self", "params"}), "):") + "\n" +
         optimizer_checks(e, all) + call("        super().__init__(params, dict(", arguments, "))") + "\n";
  if (decoupled)
    out +=
        "\n    def __setstate__(self, state: dict) -> None:\n        super().__setstate__(state)\n"
        "        for group in self.param_groups:\n            group[\"decoupled_weight_decay\"] = True\n";
  return out + "\n    @staticmethod\n    def _values(group: dict) -> tuple:\n" + pairs +
         call("        return (", values, ")") + "\n";
}

// Over the engine's schedule, which answers the rate that follows one.
std::string schedule_class(const Entry& e) {
  if (!e.python_base.empty()) return over_class(e);
  const std::vector<Shown> all = shown(e);
  std::vector<std::string> names, parameters = declarations(all, {"self", "optimizer"});
  for (const Shown& s : all) names.push_back(s.name);
  parameters.insert(parameters.end(), {"last_epoch: int = -1", "verbose: bool = False"});
  return head(e, all, "EngineSchedule") + "\n    _make = staticmethod(_haft.Make." + e.function +
         ")\n    _names = " + quoted(names) + "\n\n" + call("    def __init__(", parameters, "):") + "\n" +
         refusals(e, "        ", true) + attributes(e, all) +
         "        super().__init__(optimizer, last_epoch, verbose)\n";
}

std::string markdown(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '*' ? std::string("\\*") : std::string(1, c);
  return out;
}

}  // namespace

std::map<std::string, std::string> python_classes(const std::vector<Entry>& all) {
  struct File {
    const char *path, *doc, *imports;
    std::string (*write)(const Entry&);
  };
  auto made_of_layers = [](const Entry& e) {
    return e.python_file == "_attention" || e.python_file == "_linear_loss";
  };
  static const File files[] = {
      {"nn/modules/_layers.py", "Layers of the engine.",
       "from ... import _haft\nfrom ._engine import EngineModule\n", layer_class},
      {"nn/modules/_functions.py", "Functions as layers.",
       "from ... import Tensor\nfrom .. import functional as F\nfrom ._bases import FunctionModule\nfrom "
       ".utils import _ntuple\n",
       function_class},
      {"nn/modules/_losses.py", "Losses.",
       "from ... import Tensor\nfrom .. import functional as F\nfrom ._bases import _Loss, _WeightedLoss\n",
       loss_class},
      {"optim/_optimizers.py", "Optimizers of the engine.",
       "from .. import _haft\nfrom ._fused import FusedOptimizer\n", optimizer_class},
      {"optim/_schedules.py", "Schedules of the engine.",
       "from .. import _haft\nfrom ._engine_schedule import EngineSchedule\n", schedule_class},
      {"nn/modules/_attention_layers.py", "Layers made of layers.", "", layer_class},
  };
  std::map<std::string, std::string> out;
  for (int kind = 0; kind < 6; ++kind) {
    auto stands_here = [&](const Entry& e) {
      if (made_of_layers(e)) return kind == 5;
      return files[kind].write == function_class ? e.is_python_function()
                                                 : int(e.kind) == kind && !e.is_python_function();
    };
    std::vector<std::string> names;
    std::string classes, bases;
    for (const Entry& e : all) {
      if (!e.python_as.empty() && files[kind].write == function_class) {
        const Entry& other =
            *std::find_if(all.begin(), all.end(), [&](const Entry& o) { return o.name == e.python_as; });
        Entry like = other;
        like.name = e.name;
        like.doc = e.doc;
        like.op = e.function;
        names.push_back("\"" + e.name + "\"");
        classes += function_class(like);
      }
      if (!stands_here(e) || e.python_by_hand || !e.python_as.empty()) continue;
      names.push_back("\"" + e.name + "\"");
      classes += files[kind].write(e);
    }
    std::map<std::string, std::set<std::string>> by_file;
    for (const Entry& e : all)
      if (!e.python_base.empty() && stands_here(e)) by_file[e.python_file].insert(e.python_base);
    for (const auto& [file, names_of] : by_file)
      bases += "from ." + file + " import " + join({names_of.begin(), names_of.end()}, ", ") + "\n";
    out[files[kind].path] = "# " + std::string(kModulesBanner) + "\n\"\"\"" + files[kind].doc +
                            "\"\"\"\nfrom __future__ import annotations\n\n" + files[kind].imports + bases +
                            "\n" + call("__all__ = [", names, "]") + "\n" + classes;
  }
  std::vector<std::string> names;
  std::string functions;
  for (const Entry& e : all) {
    if (e.kind != EntryKind::loss || e.op == "kl_div" || e.op == "ctc_loss") continue;
    names.push_back("\"" + e.op + "\"");
    functions += loss_function(e);
  }
  out["nn/functional/_losses.py"] = "# " + std::string(kModulesBanner) + R"(
"""Losses that are operators."""
from __future__ import annotations

from ... import Tensor
from ..._library import raw as R
from ._reduction import number_of, warn_of_sizes

)" + call("__all__ = [", names, "]") +
                                    "\n" + functions;
  return out;
}

std::string modules_page(const std::vector<Entry>& all) {
  std::string out =
      "<!-- " + std::string(kModulesBanner) + " -->\n" + R"(# Layers, losses, optimizers and schedules

These classes are in Python (`haft.nn`, `haft.optim`, `haft.optim.lr_scheduler`), in Java (`io.haft`) and in C# (`Haft`) under
one name, PyTorch's. C++ has layers and losses as `haft::nn::<name>`; in C, and in C++ for optimizers and schedules, the name is that in
brackets: `haft_<name>_create` with a struct `haft_<name>_options`, `haft::optim::<name>`. Java and C# write parameters in lowerCamelCase; a
`pair` is height and width, one number standing for both. Where parameters live, their dtype and the generator of their first numbers are
options, too. Python has PyTorch's parameters, which may be more. Containers and modules of one's own are in the [guide](guide.md).
)";
  static const char* const titles[] = {"Layers", "Layers", "Losses", "Optimizers", "Schedules"};
  std::string title;
  for (const Entry& e : all) {
    if (title != titles[int(e.kind)]) out += std::string("\n## ") + (title = titles[int(e.kind)]) + "\n";
    out += "\n**" + e.name + "** (`" + e.function + "`): " + markdown(e.doc) + "\n";
    if (e.parameters.empty()) continue;
    out += "\n";
    for (const Parameter& p : e.parameters)
      out += "- `" + p.name + "`: " + shown_type(p) + (p.has_default ? ", default " + p.default_value : "") +
             "; " + markdown(p.doc) + (p.range.empty() ? "" : ", " + p.range) + "\n";
  }
  return out;
}

}  // namespace haft::generate
