// Layers, optimizers and schedules: modules.def matched with the C functions that it names, and the texts
// made of it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/generate/generate.h"

namespace haft::generate {

enum class MadeKind { layer, optimizer, schedule };
enum class ParameterType { integer, optional_integer, boolean, floating, ints, pair };

struct MadeParameter {
  ParameterType type;
  std::string name, default_value, doc;
  bool has_default = false;
  std::string options;  // C++'s struct that holds it; "" for a parameter of its own
};

struct Made {
  MadeKind kind;
  std::string name, function, doc;  // ReLU, relu
  std::vector<std::string> state;   // what an optimizer remembers of a parameter
  std::vector<MadeParameter> parameters;
  bool dtype = false, device = false, generator = false;  // what the C function takes besides
  std::string options;                                    // the struct that it takes; "": plain arguments
  // In the C function's order: names of `parameters`, "dtype", "device", "generator". Plain arguments only.
  std::vector<std::string> order;

  const MadeParameter* find(const std::string& parameter) const;
  bool builds() const { return dtype || device; }
};

constexpr std::string_view kModulesBanner =
    "Generated from core/schema/modules.def by tools/generate; do not edit.";

// The entries, each checked against its C function; every haft_*_create of nn.h and optim.h has one.
std::vector<Made> read_modules(const std::string& root, const std::vector<Function>& functions);

std::string modules_interface(const std::vector<Made>& all);  // bindings/modules.hpp
std::string cpp_factories(const std::vector<Made>& all);      // capi/include/haft/layers.hpp
std::string cpp_optimizers(const std::vector<Made>& all);     // capi/include/haft/optimizers.hpp
std::string python_modules(const std::vector<Made>& all, MadeKind kind);
std::string modules_page(const std::vector<Made>& all);  // docs/layers.md
std::string csharp_classes(const std::vector<Made>& all);
std::map<std::string, std::string> java_classes(const std::vector<Made>& all);  // by file name

// ---- for all of them
std::vector<const MadeParameter*> required(const Made& m);
std::vector<const MadeParameter*> optional(const Made& m);
std::string camel_case(const std::string& name);  // in_features: inFeatures
// A text in which the entry's parameters have the names that a language gives them.
std::string with_camel_case(const Made& m, std::string text);
std::string escaped_xml(const std::string& text);
std::string upper_case(std::string text);

}  // namespace haft::generate
