// The generator: ops.def and the hand-written C headers in, every file that lists operators or functions out.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/op_id.h"
#include "core/schema/signature.h"

namespace haft::generate {

struct Op {
  std::string name, text, since, doc;  // text: the signature as written
  OpKind kind;
  uint32_t traits;
  int family;  // index into Catalogue::families
  Signature signature;

  bool has(uint32_t trait) const { return traits & trait; }
  bool is_public() const { return !has(INTERNAL); }
};

struct Catalogue {
  std::vector<std::string> families;  // "pointwise.cpp: unary", in ops.def's order
  std::vector<Op> ops;
  std::vector<std::pair<std::string, std::string>> aliases;  // another name, and the operator's
};

// The three functions an operator may have.
enum class Form { plain, inplace, out };
std::vector<Form> forms(const Op& op);
std::string form_name(const Op& op, Form form);  // add, add_, add_out

// A function of the C ABI as its header declares it.
struct Function {
  std::string returns, name, since, header;
  std::vector<std::string> parameters, parameter_names;
};

Catalogue read_catalogue(const std::string& root);
std::string family_title(const Catalogue& c, int family);  // "Pointwise: unary"
// Functions of all headers in capi/include/haft that are written by hand.
std::vector<Function> scan_headers(const std::string& root);
std::vector<Function> scan_header(const std::string& name, const std::string& text);

std::string core_functions(const Catalogue& c);      // core/ops/functions.h
std::string c_header(const Catalogue& c);            // capi/include/haft/ops.h
std::string c_shims(const Catalogue& c);             // capi/src/ops.cpp
std::string cpp_header(const Catalogue& c);          // capi/include/haft/ops.hpp
std::string reference_page(const Catalogue& c);      // docs/operators.md
std::string gpu_page(const Catalogue& c);            // docs/gpu-operators.md
std::string bindings_interface(const Catalogue& c);  // bindings/ops.i
std::string recorded_functions(const Catalogue& c);  // tests/ops/recorded_functions.h
std::string python_operators(const Catalogue& c);    // bindings/python/haft/_ops.py
std::string python_made(const Catalogue& c);         // bindings/python/haft/_made.py
std::string python_activations(const Catalogue& c);  // bindings/python/haft/nn/functional/_activations.py
std::string python_functionals(const Catalogue& c);  // bindings/python/haft/nn/functional/_operators.py
// functions_python.def: by its path below bindings/python/haft.
std::map<std::string, std::string> python_forms();

// ---- describe.cpp: words for the documentation of any language
std::string input_text(const Op& op, const Argument& a);
std::string attribute_text(const Argument& a);
std::string result_text(const Op& op);

// The function table: `order` is capi/abi/api_order.txt and only ever grows.
std::vector<std::string> extend_order(const std::string& old_order, const std::vector<Function>& functions);
std::string order_file(const std::vector<std::string>& order);
std::string table_header(const std::vector<Function>& functions, const std::vector<std::string>& order);
std::string table_source(const std::vector<std::string>& order);
// `pattern` is tools/generate/haft_dl.h.in.
std::string loader_header(const std::string& pattern, const std::vector<Function>& functions,
                          const std::vector<std::string>& order);
std::string version_script(const std::vector<Function>& functions);
std::string symbol_list(const std::vector<Function>& functions);

// ---- text.cpp
constexpr size_t kColumns = 110;
constexpr std::string_view kBanner = "Generated from core/schema/ops.def by tools/generate; do not edit.";

std::string read_file(const std::string& path);
std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);
std::string join(const std::vector<std::string>& items, std::string_view separator);
// head + "a, b, c" + tail, broken at commas and aligned behind head's last parenthesis when a line gets too long.
std::string call(const std::string& head, const std::vector<std::string>& items, const std::string& tail);
// head ends in "{"; on one line when body is one and there is room.
std::string definition(const std::string& head, const std::string& body);
// Words filled into lines that each start with `prefix`; the first line starts with `first` instead.
std::string paragraph(const std::string& first, const std::string& prefix, const std::string& text);
// "// ---- title ---------"
std::string heading(const std::string& open, const std::string& title, const std::string& close = "");

}  // namespace haft::generate
