// modules.def by inclusion, and the C functions that its entries name.
#include "tools/generate/modules.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/schema/module_text.h"

namespace haft::generate {
namespace {

struct Entry {
  MadeKind kind;
  const char *name, *function, *state, *doc;
  std::vector<const char*> parameters;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
#define LAYER(name, function, doc, ...) {MadeKind::layer, #name, #function, "", doc, {__VA_ARGS__}},
#define OPTIMIZER(name, function, state, doc, ...) \
  {MadeKind::optimizer, #name, #function, state, doc, {__VA_ARGS__}},
#define SCHEDULE(name, function, doc, ...) {MadeKind::schedule, #name, #function, "", doc, {__VA_ARGS__}},
#include "core/schema/modules.def"
  };
  return all;
}

const char* const kByHand[] = {
#define BY_HAND(function, why) #function,
#include "core/schema/modules.def"
};

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  fail(Code::invalid_argument, concat("modules.def: ", name, ": ", what));
}

MadeParameter parse_parameter(const std::string& owner, const std::string& text) {
  static const std::map<std::string, ParameterType> types = {
      {"int", ParameterType::integer},  {"int?", ParameterType::optional_integer},
      {"bool", ParameterType::boolean}, {"float", ParameterType::floating},
      {"int[]", ParameterType::ints},   {"pair", ParameterType::pair},
  };
  const ParameterText t = haft::parse_parameter(text);
  if (t.type.empty()) refuse(owner, concat("\"", text, "\" is no \"type name: what it means\""));
  auto type = types.find(std::string(t.type));
  if (type == types.end()) refuse(owner, concat("no type \"", t.type, "\""));
  MadeParameter p;
  p.type = type->second;
  p.name = t.name;
  p.doc = t.doc;
  p.has_default = !t.default_value.empty();
  p.default_value = t.default_value;
  if (p.has_default && p.type == ParameterType::ints) refuse(owner, concat(p.name, ": int[] has no default"));
  if (p.type == ParameterType::optional_integer && p.default_value != "none")
    refuse(owner, concat(p.name, ": int? has the default none"));
  if (p.type == ParameterType::floating && p.has_default &&
      p.default_value.find_first_of(".e") == std::string::npos)
    refuse(owner, concat(p.name, ": a float's default is written with a point or an exponent"));
  return p;
}

// "double beta1, beta2; int64_t stride[2];" by name: double, double, int64_t[2].
std::map<std::string, std::string> fields_of(const std::string& header, const std::string& name) {
  size_t start = header.find("typedef struct " + name + " {");
  if (start == std::string::npos) refuse(name, "not in its header");
  start = header.find('{', start) + 1;
  std::string body, text = header.substr(start, header.find("\n}", start) - start);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0)
      i = text.find("*/", i + 2) + 1;
    else
      body += text[i];
  }
  std::map<std::string, std::string> fields;
  for (const std::string& declaration : split(body, ';')) {
    std::string line = trim(declaration);
    size_t end = line.find(' ');
    if (end == std::string::npos) continue;
    for (const std::string& item : split(line.substr(end + 1), ',')) {
      std::string field = trim(item), array;
      size_t bracket = field.find('[');
      if (bracket != std::string::npos) array = field.substr(bracket), field.resize(bracket);
      fields[field] = line.substr(0, end) + array;
    }
  }
  return fields;
}

const char* field_type(ParameterType t) {
  switch (t) {
    case ParameterType::boolean: return "int32_t";
    case ParameterType::floating: return "double";
    case ParameterType::pair: return "int64_t[2]";
    default: return "int64_t";
  }
}

void match_options(Made& m, const std::string& header) {
  std::map<std::string, std::string> fields = fields_of(header, m.options);
  for (const MadeParameter& p : m.parameters) {
    auto field = fields.find(p.name);
    if (field == fields.end()) refuse(m.name, concat(m.options, " has no field ", p.name));
    if (field->second != field_type(p.type))
      refuse(m.name, concat(p.name, " is ", field->second, " in ", m.options));
  }
  m.dtype = fields.count("dtype");
  m.device = fields.count("device");
  m.generator = fields.count("generator");
}

void match_arguments(Made& m, const Function& f, size_t first) {
  size_t next = 0;
  auto type_of = [&](size_t i) {
    const std::string &text = f.parameters[i], &name = f.parameter_names[i];
    return trim(text.substr(0, text.rfind(name)));
  };
  for (size_t i = first; i + 1 < f.parameters.size(); ++i) {
    std::string type = type_of(i);
    if (type == "haft_dtype" || type == "haft_device" || type == "haft_generator*") {
      (type == "haft_dtype" ? m.dtype : type == "haft_device" ? m.device : m.generator) = true;
      m.order.push_back(type == "haft_dtype" ? "dtype" : type == "haft_device" ? "device" : "generator");
      continue;
    }
    if (next == m.parameters.size()) refuse(m.name, concat(f.name, " takes ", f.parameter_names[i], ", too"));
    const MadeParameter& p = m.parameters[next++];
    bool two = p.type == ParameterType::ints || p.type == ParameterType::pair;
    std::string wanted = p.type == ParameterType::ints   ? "const int64_t*"
                         : p.type == ParameterType::pair ? "int64_t"
                                                         : field_type(p.type);
    bool fits = type == wanted && (!two || (i + 2 < f.parameters.size() && type_of(i + 1) == "int64_t"));
    if (!fits) refuse(m.name, concat(p.name, " stands where ", f.name, " takes ", f.parameters[i]));
    m.order.push_back(p.name);
    if (two) ++i;
  }
  if (next != m.parameters.size()) refuse(m.name, concat(f.name, " does not take ", m.parameters[next].name));
}

}  // namespace

const MadeParameter* Made::find(const std::string& parameter) const {
  for (const MadeParameter& p : parameters)
    if (p.name == parameter) return &p;
  return nullptr;
}

std::vector<Made> read_modules(const std::string& root, const std::vector<Function>& functions) {
  std::map<std::string, const Function*> by_name;
  std::set<std::string> missing;
  for (const Function& f : functions) {
    if (f.header != "nn.h" && f.header != "optim.h") continue;
    by_name[f.name] = &f;
    if (f.name.size() > 7 && f.name.compare(f.name.size() - 7, 7, "_create") == 0) missing.insert(f.name);
  }
  for (const char* function : kByHand)
    if (!missing.erase(concat("haft_", function, "_create"))) refuse(function, "no such function");

  std::vector<Made> all;
  for (const Entry& e : entries()) {
    Made m;
    m.kind = e.kind;
    m.name = e.name;
    m.function = e.function;
    m.doc = e.doc;
    if (m.kind == MadeKind::optimizer) {
      const StateText state = parse_state(e.state);
      if (state.counts_steps) m.state.push_back("step");
      for (int k = 0; k < state.count; ++k) m.state.emplace_back(state.slots[k].name);
    }
    std::string options;
    for (const char* text : e.parameters) {
      if (std::string_view(text).rfind("options ", 0) == 0) {
        options = trim(text + 8);
        continue;
      }
      m.parameters.push_back(parse_parameter(m.name, text));
      MadeParameter& p = m.parameters.back();
      p.options = options;
      if (m.parameters.size() > 1 && m.parameters[m.parameters.size() - 2].has_default && !p.has_default)
        refuse(m.name, concat(p.name, " wants a default, for what stands before it has one"));
      if (!options.empty() && !p.has_default) refuse(m.name, concat(p.name, ": options have defaults"));
    }
    if (m.kind == MadeKind::optimizer) {
      if (m.parameters.empty() || m.parameters[0].name != "lr")
        refuse(m.name, "an optimizer's first parameter is lr");
      for (const MadeParameter& p : m.parameters)
        if (!p.has_default || (p.type != ParameterType::floating && p.type != ParameterType::boolean))
          refuse(m.name, concat(p.name, ": an optimizer's parameters are bool or float and have defaults"));
    }
    std::string name = concat("haft_", m.function, "_create");
    auto found = by_name.find(name);
    if (found == by_name.end()) refuse(m.name, concat("nn.h and optim.h have no ", name));
    missing.erase(name);
    const Function& f = *found->second;
    // Behind an optimizer's parameters and their number, or a schedule's optimizer.
    size_t first = m.kind == MadeKind::optimizer ? 2 : m.kind == MadeKind::schedule ? 1 : 0;
    const std::string& type = f.parameters[std::min(first, f.parameters.size() - 1)];
    if (type.rfind("const haft_", 0) == 0 && type.find("_options* ") != std::string::npos) {
      m.options = type.substr(6, type.find('*') - 6);
      match_options(m, read_file(root + "/capi/include/haft/" + f.header));
    } else {
      match_arguments(m, f, first);
      if (m.kind == MadeKind::optimizer) refuse(m.name, concat(f.name, " takes no struct of options"));
    }
    all.push_back(std::move(m));
  }
  if (!missing.empty()) refuse(*missing.begin(), "has no entry");
  return all;
}

std::vector<const MadeParameter*> required(const Made& m) {
  std::vector<const MadeParameter*> out;
  for (const MadeParameter& p : m.parameters)
    if (!p.has_default) out.push_back(&p);
  return out;
}
std::vector<const MadeParameter*> optional(const Made& m) {
  std::vector<const MadeParameter*> out;
  for (const MadeParameter& p : m.parameters)
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

std::string with_camel_case(const Made& m, std::string text) {
  for (const MadeParameter& p : m.parameters)
    for (size_t at = 0; (at = text.find(p.name, at)) != std::string::npos;) {
      std::string other = camel_case(p.name);
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

}  // namespace haft::generate
