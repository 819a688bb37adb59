// modules.def by inclusion, and what the texts rely on.
#include "tools/generate/modules.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/schema/module_text.h"

namespace haft::generate {
namespace {

struct EntryLine {
  EntryKind kind;
  const char *name, *function, *op, *state, *doc;
  std::vector<const char*> items;
};

const std::vector<EntryLine>& lines() {
  static const std::vector<EntryLine> all = {
#define LAYER(name, function, doc, ...) {EntryKind::layer, #name, #function, "", "", doc, {__VA_ARGS__}},
#define FUNCTION(name, op, doc, ...) {EntryKind::function, #name, #op, #op, "", doc, {__VA_ARGS__}},
#define LOSS(name, function, op, doc, ...) {EntryKind::loss, #name, #function, #op, "", doc, {__VA_ARGS__}},
#define OPTIMIZER(name, function, state, doc, ...) \
  {EntryKind::optimizer, #name, #function, "", state, doc, {__VA_ARGS__}},
#define SCHEDULE(name, function, doc, ...) \
  {EntryKind::schedule, #name, #function, "", "", doc, {__VA_ARGS__}},
#include "core/schema/modules.def"
  };
  return all;
}

const char* const kCreatedByHand[] = {
#define BY_HAND(function, why) #function,
#include "core/schema/modules.def"
};

const char* const kPythonByHand[] = {
#define PYTHON_BY_HAND(name, why) #name,
#include "core/schema/modules_python.def"
};

struct Base {
  const char *file, *name;
  std::vector<const char*> items;
};
const std::map<std::string, Base> kPythonOver = {
#define PYTHON_OVER(name, file, base, does, ...) {#name, {#file, #base, {__VA_ARGS__}}},
#include "core/schema/modules_python.def"
};

const std::map<std::string, std::string> kPythonAs = {
#define PYTHON_AS(name, other) {#name, #other},
#include "core/schema/modules_python.def"
};

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  fail(Code::invalid_argument, concat("modules.def: ", name, ": ", what));
}

Parameter parameter_of(const std::string& owner, const ParameterText& t, const char* text) {
  static const std::map<std::string_view, ParameterType> types = {
      {"int", ParameterType::integer},        {"int?", ParameterType::optional_integer},
      {"bool", ParameterType::boolean},       {"float", ParameterType::floating},
      {"float[]", ParameterType::floats},     {"int[]", ParameterType::ints},
      {"pair", ParameterType::pair},          {"Tensor?", ParameterType::tensor},
      {"Reduction", ParameterType::word},     {"PaddingMode", ParameterType::word},
      {"Interpolation", ParameterType::word}, {"BagMode", ParameterType::word},
      {"OrthogonalMap", ParameterType::word},
  };
  if (t.type.empty()) refuse(owner, concat("\"", text, "\" is no \"type name: what it means\""));
  auto type = types.find(t.type);
  if (type == types.end()) refuse(owner, concat("no type \"", t.type, "\""));
  Parameter p;
  p.type = type->second;
  p.name = t.name;
  p.default_value = t.default_value;
  p.range = t.range;
  p.doc = t.doc;
  p.has_default = !p.default_value.empty();
  const bool none = p.type == ParameterType::optional_integer || p.type == ParameterType::tensor;
  if (p.has_default && p.type == ParameterType::ints && p.default_value != "[]")
    refuse(owner, concat(p.name, ": int[] has the default [] or none"));
  if (p.type == ParameterType::floats && p.default_value != "[]")
    refuse(owner, concat(p.name, ": float[] has the default []"));
  if (none && p.default_value != "none") refuse(owner, concat(p.name, ": it has the default none"));
  if (p.type == ParameterType::word) p.words = t.type;
  if (p.type == ParameterType::word && !p.has_default)
    refuse(owner, concat(p.name, ": a word has a default"));
  if (!p.range.empty() && p.type != ParameterType::floating)
    refuse(owner, concat(p.name, ": only a float has a range"));
  return p;
}

// The parameters are attributes or optional inputs of the operator.
void match_operator(Entry& e, const Catalogue& catalogue) {
  auto op = std::find_if(catalogue.ops.begin(), catalogue.ops.end(),
                         [&](const Op& o) { return o.name == e.op && o.is_public(); });
  if (op == catalogue.ops.end()) refuse(e.name, concat("ops.def has no ", e.op));
  for (const Argument& a : op->signature.arguments) {
    if (a.type == ArgType::tensor) {
      e.inputs.push_back(a.name);
      continue;
    }
    e.attributes.push_back(a.name);
    const Parameter* p = e.find(a.name);
    if (!p) refuse(e.name, concat(e.op, " takes ", a.name, ", too"));
    const bool fits = p->type == ParameterType::tensor             ? a.type == ArgType::optional_tensor
                      : p->type == ParameterType::boolean          ? a.type == ArgType::boolean
                      : p->type == ParameterType::integer          ? a.type == ArgType::integer
                      : p->type == ParameterType::ints             ? a.type == ArgType::ints
                      : p->type == ParameterType::optional_integer ? a.type == ArgType::optional_integer
                      : p->type == ParameterType::floating         ? a.type == ArgType::floating
                      : p->type == ParameterType::word             ? a.type == ArgType::integer
                                                                   : false;
    if (!fits) refuse(e.name, concat(p->name, " is of another type in ", e.op));
  }
  if (e.kind == EntryKind::loss ? e.inputs.size() < 2 || e.inputs.size() > 4
                                : e.inputs.empty() || e.inputs.size() > 2)
    refuse(e.name, concat(e.op, " takes ", int64_t(e.inputs.size()), " tensors"));
  if (e.forward_names.empty()) e.forward_names = e.inputs;
  for (const Parameter& p : e.parameters)
    if (!op->signature.find(p.name) && !(e.has_indices() && p.name == "return_indices"))
      refuse(e.name, concat(e.op, " does not take ", p.name));
}

void add_items(Entry& e, const std::vector<const char*>& items) {
  std::string options;
  bool keyword = false;
  for (const char* text : items) {
    const std::string_view item = text;
    if (item == "dtype" || item == "device" || item == "generator") {
      (item == "dtype" ? e.dtype : item == "device" ? e.device : e.generator) = true;
    } else if (item == "batchmean") {
      e.batchmean = true;
    } else if (item == "python *") {
      keyword = true;
    } else if (item == "bare") {
      e.bare = true;
    } else if (item.starts_with("bare ")) {
      e.bare_name = trim(item.substr(5));
    } else if (item.starts_with("shows ")) {
      e.shows = split(item == "shows nothing" ? std::string() : trim(item.substr(6)), ' ');
      if (e.shows.empty()) e.shows.emplace_back();
    } else if (item.starts_with("python tuples ")) {
      e.python_tuples = item[14] - '0';
    } else if (item == "stride else kernel_size") {
      e.stride_else_kernel = true;
    } else if (item == "python warns of sizes") {
      e.warns_of_sizes = true;
    } else if (item == "python weighted") {
      e.weighted = true;
    } else if (item.starts_with("python forward ")) {
      e.forward_names = split(trim(item.substr(15)), ' ');
    } else if (item.starts_with("python does ")) {
      e.python_does = trim(item.substr(12));
    } else if (item.starts_with("python says ")) {
      e.python_doc = trim(item.substr(12));
    } else if (item.starts_with("python without ")) {
      e.python_without = split(trim(item.substr(15)), ' ');
    } else if (item.starts_with("python refuse ")) {
      const size_t colon = item.find(": ");
      e.python_refusals.push_back({trim(item.substr(14, colon - 14)), trim(item.substr(colon + 2))});
    } else if (item.starts_with("since ")) {
      e.since = trim(item.substr(6));
    } else if (item.starts_with("options ")) {
      options = trim(item.substr(8));
    } else if (const ParameterText t = haft::parse_parameter(item); t.type == "python") {
      if (!e.parameters.empty() && e.parameters.back().name == t.name) {  // another default of Python's
        e.python.back().default_value = t.default_value;
        if (t.doc != "as PyTorch") e.python.back().doc = t.doc;
      } else {
        e.python.push_back(
            {-1, std::string(t.name), std::string(t.default_value), std::string(t.doc), keyword, ""});
      }
    } else {
      Parameter p = parameter_of(e.name, t, text);
      p.options = options;
      if (!e.parameters.empty() && e.parameters.back().has_default && !p.has_default)
        refuse(e.name, concat(p.name, " wants a default, for what stands before it has one"));
      if (!options.empty() && !p.has_default) refuse(e.name, concat(p.name, ": options have defaults"));
      auto known = std::find_if(e.python.begin(), e.python.end(),
                                [&](const PythonParameter& q) { return q.name == p.name; });
      if (known != e.python.end())  // it stands elsewhere in Python
        known->core = int(e.parameters.size());
      else
        e.python.push_back({int(e.parameters.size()), "", "", "", keyword, ""});
      e.parameters.push_back(std::move(p));
    }
  }
}

// What Python's class takes in place of the entry's parameters: names of these, and parameters of its own.
void take_python_items(Entry& e, const std::vector<const char*>& items) {
  if (items.empty()) return;
  e.python.clear();
  bool keyword = false;
  for (const char* text : items) {
    const std::string_view item = text;
    auto core = std::find_if(e.parameters.begin(), e.parameters.end(),
                             [&](const Parameter& p) { return p.name == item; });
    if (item == "*") {
      keyword = true;
    } else if (item.starts_with("says ")) {
      e.python_doc = item.substr(5);
    } else if (item == "without device") {
      e.python_device = false;
    } else if (core != e.parameters.end()) {
      e.python.push_back({int(core - e.parameters.begin()), "", "", "", keyword, ""});
    } else if (const ParameterText t = haft::parse_parameter(item); !t.type.empty()) {
      std::string type(t.type == "python" ? std::string_view() : t.type);
      if (type.ends_with('?')) type = type.substr(0, type.size() - 1) + " | None";
      e.python.push_back(
          {-1, std::string(t.name), std::string(t.default_value), std::string(t.doc), keyword, type});
    } else {
      refuse(e.name, concat("PYTHON_OVER: \"", item,
                            "\" is no parameter of the entry and no \"type name=default: what it means\""));
    }
  }
}

}  // namespace

std::string Parameter::c_name() const {
  std::string out = name;
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

std::string Parameter::constant() const {
  const char* stem = words == "Reduction"       ? "HAFT_REDUCTION_"
                     : words == "PaddingMode"   ? "HAFT_PADDING_"
                     : words == "BagMode"       ? "HAFT_BAG_"
                     : words == "OrthogonalMap" ? "HAFT_ORTHOGONAL_"
                                                : "HAFT_INTERPOLATE_";
  return stem + upper_case(default_value);
}

const Parameter* Entry::find(const std::string& parameter) const {
  for (const Parameter& p : parameters)
    if (p.name == parameter) return &p;
  return nullptr;
}
std::string Entry::options_init() const { return upper_case(options_name()) + "_INIT"; }
bool Entry::is_shown(const std::string& parameter) const {
  return shows.empty() || std::find(shows.begin(), shows.end(), parameter) != shows.end();
}
bool Entry::has_lists() const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& p) { return p.type == ParameterType::ints; });
}
bool Entry::all_default() const {
  return std::all_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.has_default; });
}

std::vector<Entry> read_modules(const Catalogue& catalogue) {
  std::vector<Entry> all;
  std::set<std::string> by_hand(std::begin(kPythonByHand), std::end(kPythonByHand));
  for (const EntryLine& line : lines()) {
    Entry e;
    e.kind = line.kind;
    e.name = line.name;
    e.function = line.function;
    e.op = line.op;
    e.doc = line.doc;
    e.python_by_hand = by_hand.erase(e.name) != 0;
    if (auto over = kPythonOver.find(e.name); over != kPythonOver.end()) {
      if (e.python_by_hand) refuse(e.name, "PYTHON_OVER is for what is not PYTHON_BY_HAND");
      e.python_file = over->second.file;
      e.python_base = over->second.name;
    }
    add_items(e, line.items);
    if (auto over = kPythonOver.find(e.name); over != kPythonOver.end())
      take_python_items(e, over->second.items);
    if (e.kind == EntryKind::optimizer) {
      const StateText state = parse_state(line.state);
      e.whole = state.whole;
      if (state.counts_steps) e.state.push_back("step");
      for (int k = 0; k < state.number_count; ++k) e.state.emplace_back(state.numbers[k]);
      for (int k = 0; k < state.count; ++k) {
        e.state.emplace_back(state.slots[k].name);
        if (!state.slots[k].option.empty() && !e.find(std::string(state.slots[k].option)))
          refuse(e.name, concat("no option ", state.slots[k].option, " for ", state.slots[k].name));
      }
      if (e.parameters.empty() || e.parameters[0].name != "lr")
        refuse(e.name, "an optimizer's first parameter is lr");
      for (const Parameter& p : e.parameters)
        if (!p.has_default || (p.type != ParameterType::floating && p.type != ParameterType::boolean))
          refuse(e.name, concat(p.name, ": an optimizer's parameters are bool or float and have defaults"));
    }
    for (const Parameter& p : e.parameters)
      if (e.kind == EntryKind::layer && p.type == ParameterType::word && !e.python_by_hand &&
          e.python_base.empty())
        refuse(e.name, concat(p.name, ": a layer with a word is PYTHON_BY_HAND or PYTHON_OVER"));
    if (!e.op.empty()) match_operator(e, catalogue);
    for (const std::string& name : e.shows)
      if (!name.empty() && !e.find(name) &&
          std::none_of(e.python.begin(), e.python.end(),
                       [&](const PythonParameter& q) { return q.name == name; }))
        refuse(e.name, concat("shows no parameter ", name));
    if (auto as = kPythonAs.find(e.name); as != kPythonAs.end()) e.python_as = as->second;
    all.push_back(std::move(e));
  }
  if (!by_hand.empty()) refuse(*by_hand.begin(), "PYTHON_BY_HAND names no entry");
  return all;
}

void check_by_hand(const std::vector<Function>& functions) {
  std::set<std::string> known;
  for (const char* function : kCreatedByHand) known.insert(concat("haft_", function, "_create"));
  for (const Function& f : functions) {
    if (f.header != "nn.h" && f.header != "optim.h") continue;
    if (f.name.ends_with("_create") && !known.erase(f.name)) refuse(f.name, "has no entry");
  }
  if (!known.empty()) refuse(*known.begin(), "no such function");
}

std::vector<const Parameter*> required(const Entry& e) {
  std::vector<const Parameter*> out;
  for (const Parameter& p : e.parameters)
    if (!p.has_default) out.push_back(&p);
  return out;
}
std::vector<const Parameter*> optional(const Entry& e) {
  std::vector<const Parameter*> out;
  for (const Parameter& p : e.parameters)
    if (p.has_default) out.push_back(&p);
  return out;
}

std::string camel_case(const std::string& name) {
  std::string out;
  for (const std::string& part : split(name, '_')) {
    out += part;
    if (out.size() > part.size()) out[out.size() - part.size()] = char(std::toupper(part[0]));
  }
  return out;
}

std::string with_camel_case(const Entry& e, std::string text) {
  for (const Parameter& p : e.parameters)
    for (size_t at = 0; (at = text.find(p.name, at)) != std::string::npos;) {
      std::string other = camel_case(p.c_name());
      text.replace(at, p.name.size(), other);
      at += other.size();
    }
  return text;
}

std::string escaped_xml(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

std::string shown_type(const Parameter& p) {
  switch (p.type) {
    case ParameterType::integer: return "int";
    case ParameterType::optional_integer: return "int?";
    case ParameterType::boolean: return "bool";
    case ParameterType::floating: return "float";
    case ParameterType::floats: return "float[]";
    case ParameterType::ints: return "int[]";
    case ParameterType::pair: return "pair";
    case ParameterType::tensor: return "Tensor?";
    case ParameterType::word:
      return p.words == "Reduction"       ? "none, mean or sum"
             : p.words == "PaddingMode"   ? "zeros, reflect, replicate or circular"
             : p.words == "BagMode"       ? "sum, mean or max"
             : p.words == "OrthogonalMap" ? "automatic, matrix_exp, cayley or householder"
                                          : "nearest, linear, cubic, area or nearest exact";
  }
  return "";
}

}  // namespace haft::generate
