// Layers, losses, optimizers and schedules: the entries of modules.def, and the texts made of them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/generate/generate.h"

namespace haft::generate {

enum class EntryKind { layer, function, loss, optimizer, schedule };
enum class ParameterType { integer, optional_integer, boolean, floating, floats, ints, pair, tensor, word };

struct Parameter {
  ParameterType type;
  std::string name;  // as Python has it; C writes it in lower case
  std::string default_value, range, doc;
  bool has_default = false;
  std::string options;  // C++'s struct that holds it; "" for a parameter of its own
  std::string words;    // of a word: the class of Java and C# that lists them, "Reduction"

  std::string c_name() const;
  std::string constant() const;  // a word's default in C: "HAFT_REDUCTION_MEAN"
};

// What Python's constructor takes, in its order.
struct PythonParameter {
  int core = -1;                         // index into the entry's parameters; -1: Python's alone
  std::string name, default_value, doc;  // of Python's alone
  bool keyword = false;                  // by keyword only
  std::string type;                      // as Python writes it, of Python's alone; "": none
};

struct Entry {
  EntryKind kind;
  std::string name, function, doc;          // ReLU, relu
  std::string op;                           // of a function or loss: the operator that it is
  std::vector<std::string> inputs;          // the tensors that it is called with: "input", "target"
  std::vector<std::string> forward_names;   // as Python's forward names them, where it is otherwise
  std::vector<std::string> attributes;      // what else the operator takes, in its order
  bool warns_of_sizes = false;              // Python's function warns where the inputs' sizes differ
  bool weighted = false;                    // Python's function has a weight of each element: weighted_<op>
  bool bare = false;                        // shown by its values alone
  std::string bare_name;                    // or the one parameter whose value stands alone
  std::vector<std::string> shows;           // the parameters that are shown; none: all
  bool stride_else_kernel = false;          // an absent stride is the kernel's size
  bool batchmean = false;                   // its reduction may be that of kl_div, too
  int python_tuples = 0;                    // Python keeps one number as a tuple of so many
  std::string python_doc;                   // Python's text, where it is another
  std::string python_file, python_base;     // what Python's class is made over
  bool python_device = true;                // it takes device and dtype where the entry does
  std::string python_as;                    // the entry whose parameters Python's class has
  std::string python_does;                  // what Python's forward answers; "": what the entry's kind says
  std::vector<std::string> python_without;  // parameters that Python's class does not take
  std::string since = "1.0";
  std::vector<std::string> state;  // what an optimizer remembers of a parameter
  std::vector<Parameter> parameters;
  std::vector<PythonParameter> python;
  bool dtype = false, device = false, generator = false;  // what its parameters are made by
  bool python_by_hand = false;
  bool whole = false;  // an optimizer whose step looks at whole parameters
  std::vector<std::pair<std::string, std::string>> python_refusals;  // condition, message

  const Parameter* find(const std::string& parameter) const;
  bool builds() const { return dtype || device; }
  bool is_module() const { return kind <= EntryKind::loss; }
  bool has_options() const { return !parameters.empty() || builds() || generator; }
  std::string options_name() const { return "haft_" + function + "_options"; }
  std::string options_init() const;  // HAFT_LINEAR_OPTIONS_INIT
  bool all_default() const;
  bool is_shown(const std::string& parameter) const;
  bool is_python_function() const { return kind == EntryKind::function || !python_does.empty(); }
  bool has_indices() const { return kind == EntryKind::function && find("return_indices"); }
  bool has_lists() const;  // int[] among its parameters
};

constexpr std::string_view kModulesBanner =
    "Generated from core/schema/modules.def by tools/generate; do not edit.";

// The entries, each checked for itself and against its operator.
std::vector<Entry> read_modules(const Catalogue& catalogue);
// Every haft_*_create of nn.h and optim.h is BY_HAND, and every BY_HAND is there.
void check_by_hand(const std::vector<Function>& functions);

std::string c_layers(const std::vector<Entry>& all);        // capi/include/haft/layers.h
std::string c_optimizers(const std::vector<Entry>& all);    // capi/include/haft/optimizers.h
std::string module_shims(const std::vector<Entry>& all);    // capi/src/modules.cpp
std::string module_makers(const std::vector<Entry>& all);   // tests/bindings/makers.h
std::string core_factories(const std::vector<Entry>& all);  // core/nn/factories.h
// core/nn/functions.cpp.
std::string core_function_modules(const std::vector<Entry>& all, const Catalogue& c);
std::string modules_interface(const std::vector<Entry>& all);  // bindings/modules.hpp
std::string cpp_factories(const std::vector<Entry>& all);      // capi/include/haft/layers.hpp
std::string cpp_optimizers(const std::vector<Entry>& all);     // capi/include/haft/optimizers.hpp
std::string modules_page(const std::vector<Entry>& all);       // docs/layers.md
std::string csharp_classes(const std::vector<Entry>& all);
std::map<std::string, std::string> java_classes(const std::vector<Entry>& all);    // by file name
std::map<std::string, std::string> python_classes(const std::vector<Entry>& all);  // by path below haft/

// ---- for all of them
std::vector<const Parameter*> required(const Entry& e);
std::vector<const Parameter*> optional(const Entry& e);
std::string camel_case(const std::string& name);  // in_features: inFeatures
// A text in which the entry's parameters have the names that a language gives them.
std::string with_camel_case(const Entry& e, std::string text);
std::string escaped_xml(const std::string& text);
std::string upper_case(std::string text);
std::string shown_type(const Parameter& p);  // "int?"

}  // namespace haft::generate
