// distributions.def by inclusion, and the classes and functions of all languages.
#include "tools/generate/distributions.h"

#include <utility>

#include "core/schema/module_text.h"
#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

using Taken = DistributionEntry::Parameter;

constexpr std::string_view kDistributionsBanner =
    "Generated from core/schema/distributions.def by tools/generate; do not edit.";
constexpr std::string_view kValidate =
    "whether parameters and values are checked, which waits for their device";

struct DistributionLine {
  const char *name, *support, *abilities, *doc;
  std::vector<const char*> items;
};

const std::vector<DistributionLine>& distribution_lines() {
  static const std::vector<DistributionLine> all = {
#define DISTRIBUTION(name, support, abilities, doc, ...) {#name, #support, abilities, doc, {__VA_ARGS__}},
#include "core/schema/distributions.def"
  };
  return all;
}

[[noreturn]] void refuse_entry(const std::string& name, const std::string& what) {
  fail(Code::invalid_argument, concat("distributions.def: ", name, ": ", what));
}

// Left out by those who give what stands behind it.
bool may_lack(const Taken& p) { return p.either || !p.default_value.empty(); }

std::string what_it_is(const Taken& p) {
  return p.doc + (p.either                  ? "; or what stands beside it"
                  : p.default_value.empty() ? ""
                                            : "; default " + p.default_value);
}

// ---- C++ ----

std::string cpp_function(const DistributionEntry& e) {
  std::string out = paragraph("/// ", "/// ", e.doc);
  std::vector<std::string> declared, given;
  for (const Taken& p : e.parameters) {
    out += paragraph("/// @param " + p.name + " ", "///   ", what_it_is(p));
    declared.push_back("const Value& " + p.name +
                       (p.either                  ? " = {}"
                        : p.default_value.empty() ? ""
                                                  : " = " + p.default_value));
    given.push_back(p.name + ".tensor()");
  }
  // What stands before an alternative without a default is given always; a default behind it would not compile.
  bool optional = true;
  for (size_t i = declared.size(); i-- > 0;) {
    const bool has = declared[i].find(" = ") != std::string::npos;
    if (has && !optional) declared[i] = declared[i].substr(0, declared[i].find(" = "));
    optional = optional && has;
  }
  declared.push_back("bool validate_args = true");
  out += paragraph("/// @param validate_args ", "///   ", std::string(kValidate));
  return out +
         definition(call("inline Distribution " + e.name + "(", declared, ") {"),
                    call("  return Distribution(\"" + e.name + "\", {", given, "}, validate_args);") + "\n");
}

// ---- Python ----

std::string python_value(const Taken& p) {
  return p.either ? "=None" : p.default_value.empty() ? "" : "=" + p.default_value;
}

std::string python_class(const DistributionEntry& e) {
  std::string out = "\n\nclass " + e.name + "(" + (e.base.empty() ? "EngineDistribution" : e.base) +
                    "):\n    \"\"\"" + e.doc + "\n\n    Args:\n";
  std::vector<std::string> declared = {"self"}, given, constraints;
  for (const Taken& p : e.parameters) {
    out += paragraph("        " + p.name + ": ", "            ", what_it_is(p));
    declared.push_back(p.name + python_value(p));
    given.push_back(p.name);
    const std::string name = p.constraint == "number" ? "positive" : p.constraint;
    if (name != "number") constraints.push_back("\"" + p.name + "\": constraints." + name);
  }
  declared.push_back("validate_args=None");
  out += paragraph("        validate_args: ", "            ",
                   std::string(kValidate) + "; None: as Distribution.set_default_validate_args says");
  std::vector<std::string> names;
  for (const std::string& name : given) names.push_back("\"" + name + "\"");
  out += "    \"\"\"\n\n    _kind = \"" + e.name + "\"\n    _names = (" + join(names, ", ") +
         (names.size() == 1 ? ",)\n" : ")\n") + call("    arg_constraints = {", constraints, "}") + "\n";
  if (e.rsample) out += "    has_rsample = True\n";
  if (e.enumerates) out += "    has_enumerate_support = True\n";
  if (e.support != "interval" && e.support != "integer_interval" && e.support != "counts")
    out += "    _values = constraints." + e.support + "\n";
  for (const Taken& p : e.parameters)
    out += "    " + p.name + " = _parameter(\"" + p.name + "\", \"" + p.doc + "\")\n";
  for (const std::string& name : e.derived)
    out += "    " + name + " = _parameter(\"" + name + "\", \"What follows from the parameters.\")\n";
  return out + "\n" + call("    def __init__(", declared, "):") + "\n        self._start((" +
         join(given, ", ") + (given.size() == 1 ? ",)" : ")") + ", validate_args)\n";
}

// ---- Java and C# ----

struct ClassParameter {
  std::string name, doc;
  bool either, has_default;
};
std::vector<ClassParameter> class_parameters(const DistributionEntry& e) {
  std::vector<ClassParameter> out;
  for (const Taken& p : e.parameters)
    out.push_back({camel_case(p.name), escaped_xml(p.doc), p.either, !p.default_value.empty()});
  return out;
}

// One constructor of Java: which parameters it takes, and whether they are numbers.
void java_constructor(std::string& out, const DistributionEntry& e, const std::vector<ClassParameter>& all,
                      bool numbers, bool validate, const std::vector<bool>& taken) {
  std::vector<std::string> declared, given;
  out += "\n  /**\n   * " + std::string(validate ? "With or without checks" : "Checked") + ".\n   *\n";
  for (size_t i = 0; i < all.size(); ++i) {
    const ClassParameter& p = all[i];
    if (!taken[i]) {
      given.push_back("null");
      continue;
    }
    declared.push_back((numbers ? "double " : "Tensor ") + p.name);
    given.push_back(numbers ? "number(" + p.name + ")" : p.name);
    out +=
        paragraph("   * @param " + p.name + " ", "   *     ",
                  p.doc + (!numbers && (p.either || p.has_default)
                               ? "; null: " + std::string(p.either ? "another one is given" : "the default")
                               : ""));
  }
  if (validate) {
    declared.push_back("boolean validateArgs");
    out += paragraph("   * @param validateArgs ", "   *     ", std::string(kValidate));
  }
  out += "   */\n" + call("  public " + e.name + "(", declared, ") {") + "\n" +
         call("    super(\"" + e.name + "\", new Tensor[] {", given,
              std::string("}, ") + (validate ? "validateArgs" : "true") + ");") +
         "\n  }\n";
}

std::string java_class(const DistributionEntry& e) {
  const std::vector<ClassParameter> all = class_parameters(e);
  std::string out = "// " + std::string(kDistributionsBanner) + "\npackage io.haft;\n\n" +
                    paragraph("/** ", " * ", escaped_xml(e.doc) + " */") + "public class " + e.name +
                    " extends Distribution {";
  out += "\n";
  const size_t opened = out.size();
  std::vector<bool> every(all.size(), true), first(all.size(), true), needed(all.size(), true);
  bool alternatives = false, defaults = false, vectors = false, chosen = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].either) first[i] = needed[i] = !std::exchange(chosen, true);
    alternatives = alternatives || !first[i];
    if (all[i].has_default) needed[i] = false, defaults = true;
    const std::string& c = e.parameters[i].constraint;
    vectors =
        vectors || c == "simplex" || c == "real_vector" || c == "positive_vector" || c == "positive_definite";
  }
  java_constructor(out, e, all, false, false, every);
  java_constructor(out, e, all, false, true, every);
  if (alternatives && first != every) java_constructor(out, e, all, false, false, first);
  if (!vectors) java_constructor(out, e, all, true, false, first);
  if (!vectors && defaults && needed != first) java_constructor(out, e, all, true, false, needed);
  out.erase(opened, 1);
  return out + "}\n";
}

std::string csharp_class(const DistributionEntry& e) {
  std::vector<std::string> declared, given;
  std::string docs;
  bool optional = false;  // what follows an optional argument is one, too
  for (const Taken& p : e.parameters) {
    const std::string name = camel_case(p.name);
    optional = optional || may_lack(p);
    declared.push_back((optional ? "DistributionValue? " : "DistributionValue ") + name +
                       (optional ? " = null" : ""));
    given.push_back(name + (optional ? "?.Tensor" : ".Tensor"));
    docs += "  /// <param name=\"" + name + "\">" + escaped_xml(what_it_is(p)) + "</param>\n";
  }
  declared.push_back("bool validateArgs = true");
  docs += "  /// <param name=\"validateArgs\">" + std::string(kValidate) + "</param>\n";
  return "\n/// <summary>" + escaped_xml(e.doc) + "</summary>\npublic sealed class " + e.name +
         " : Distribution {\n" + "  /// <summary>A parameter is a tensor or a number.</summary>\n" + docs +
         call("  public " + e.name + "(", declared, ")") + "\n" +
         call("      : base(\"" + e.name + "\", new[] {", given, "}, validateArgs) {}") + "\n}\n";
}

}  // namespace

std::vector<DistributionEntry> read_distributions() {
  std::vector<DistributionEntry> all;
  for (const DistributionLine& line : distribution_lines()) {
    DistributionEntry e;
    e.name = line.name, e.support = line.support, e.doc = line.doc;
    for (const std::string& item : split(line.abilities, ',')) {
      const std::string word = trim(item);
      if (word == "rsample")
        e.rsample = true;
      else if (word == "enumerate")
        e.enumerates = true;
      else if (word.starts_with("is "))
        e.base = word.substr(3);
      else if (word.starts_with("has "))
        e.derived.push_back(word.substr(4));
      else if (!word.empty())
        refuse_entry(e.name, concat("it cannot \"", word, "\""));
    }
    for (const char* text : line.items) {
      const ParameterText t = haft::parse_parameter(text);
      if (t.type.empty())
        refuse_entry(e.name, concat("\"", text, "\" is no \"constraint name: what it means\""));
      Taken p{std::string(t.type), std::string(t.name), std::string(t.default_value), std::string(t.doc),
              t.name.ends_with('?')};
      if (p.either) p.name.pop_back();
      e.parameters.push_back(std::move(p));
    }
    all.push_back(std::move(e));
  }
  return all;
}

std::string cpp_distributions(const std::vector<DistributionEntry>& all) {
  std::string out = "// " + std::string(kDistributionsBanner) + R"(
//
// The kinds of distributions in C++17: distributions::Normal(0.0, 1.0). haft/distributions.hpp includes this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_DISTRIBUTION_KINDS_HPP
#define HAFT_DISTRIBUTION_KINDS_HPP

namespace haft {
namespace distributions {

/// A parameter: a tensor or a number; {} is an absent one.
class Value {
  Tensor t_;

 public:
  Value() = default;
  Value(const Tensor& t) : t_(t) {}
  Value(double number) : t_(haft::full({}, number)) {}
  const Tensor& tensor() const { return t_; }
};
)";
  for (const DistributionEntry& e : all) out += "\n" + cpp_function(e);
  return out + "\n}  // namespace distributions\n}  // namespace haft\n#endif\n";
}

std::string distributions_page(const std::string& before, const std::vector<DistributionEntry>& all) {
  const size_t kinds = before.find("\n## Kinds\n");
  if (kinds == before.npos)
    fail(Code::invalid_argument,
         "docs/distributions.md has no heading \"## Kinds\", below which tools/generate writes");
  std::string out =
      before.substr(0, kinds) + "\n## Kinds\n\n<!-- " + std::string(kDistributionsBanner) + " -->\n";
  for (const DistributionEntry& e : all) {
    out += "\n**" + e.name + "**: " + e.doc + " Values: " + e.support + (e.rsample ? "; rsample" : "") +
           (e.enumerates ? "; enumerate_support" : "") + ".\n\n";
    for (const Taken& p : e.parameters)
      out += "- `" + p.name + "`: " + p.constraint + "; " + what_it_is(p) + "\n";
  }
  return out;
}

std::string python_distributions(const std::vector<DistributionEntry>& all) {
  std::vector<std::string> names;
  std::string classes;
  for (const DistributionEntry& e : all) {
    names.push_back("\"" + e.name + "\"");
    classes += python_class(e);
  }
  return "# " + std::string(kDistributionsBanner) +
         "\n\"\"\"Distributions of the engine.\"\"\"\nfrom . import constraints\nfrom ._engine import "
         "EngineDistribution, _parameter\n\n" +
         call("__all__ = [", names, "]") + "\n" + classes;
}

std::string csharp_distributions(const std::vector<DistributionEntry>& all) {
  std::string out = "// " + std::string(kDistributionsBanner) + "\nnamespace Haft {\n";
  for (const DistributionEntry& e : all) out += csharp_class(e);
  return out + "}\n";
}

std::map<std::string, std::string> java_distributions(const std::vector<DistributionEntry>& all) {
  std::map<std::string, std::string> out;
  for (const DistributionEntry& e : all) out[e.name + ".java"] = java_class(e);
  return out;
}

}  // namespace haft::generate
