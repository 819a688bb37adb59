// core/ops/functions.h: what gradients, compositions and the C shims call.
#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

std::string parameter_type(ArgType t) {
  switch (t) {
    case ArgType::tensor:
    case ArgType::optional_tensor: return "const Tensor&";
    case ArgType::tensors:
    case ArgType::optional_tensors: return "std::span<const Tensor>";
    case ArgType::integer:
    case ArgType::optional_integer: return "int64_t";
    case ArgType::boolean: return "bool";
    case ArgType::floating: return "double";
    case ArgType::scalar:
    case ArgType::optional_scalar: return "Scalar";
    case ArgType::dtype: return "DType";
    case ArgType::device: return "Device";
    case ArgType::ints: return "IntList";
    case ArgType::floats: return "std::span<const double>";
    case ArgType::generator: return "Generator*";
    case ArgType::text: return "std::string_view";
  }
  return "";
}

std::string default_text(const Argument& a) {
  if (a.type == ArgType::optional_tensor) return "Tensor()";
  if (a.type == ArgType::ints || a.type == ArgType::floats) return "{}";
  if (a.type == ArgType::dtype) return "DType::none";
  if (a.type == ArgType::device) return "kDefaultDevice";
  if (a.type == ArgType::generator) return "nullptr";
  if (a.type == ArgType::optional_scalar && a.default_value == "none") return "Scalar()";
  if (a.default_value == "none") return "kNone";
  return a.default_value;
}

std::vector<std::string> parameters(const Op& op, Form form, bool with_defaults = true) {
  const std::vector<Argument>& args = op.signature.arguments;
  std::vector<std::string> out;
  bool defaults = with_defaults && form != Form::out;  // C++ takes defaults at the end only
  for (size_t i = args.size(); i-- > 0;) {
    defaults = defaults && (args[i].has_default || args[i].type == ArgType::optional_tensor);
    std::string p = parameter_type(args[i].type) + " " + args[i].name;
    out.insert(out.begin(), defaults ? p + " = " + default_text(args[i]) : p);
  }
  if (form == Form::out) out.push_back("const Tensor& out");
  return out;
}

std::string result_type(const Op& op, Form form) {
  if (form == Form::out) return "void";
  if (op.signature.returns_list) return "std::vector<Tensor>";
  size_t n = op.signature.results.size();
  if (n == 0) return "void";
  return n == 1 ? "Tensor" : concat("std::array<Tensor, ", n, ">");
}

// The statements that build the attribute words, and the name to pass (empty: the op has none).
std::string words(const Op& op, std::string& statements) {
  int fixed = 0;
  bool payload = false;
  for (const Argument& a : op.signature.arguments) {
    if (is_attribute(a.type)) fixed += is_scalar(a.type) ? 2 : 1;
    payload = payload || a.type == ArgType::ints || a.type == ArgType::floats;
  }
  if (fixed == 0) return "";
  if (!payload) {
    std::vector<std::string> items;
    for (const Argument& a : op.signature.arguments) {
      if (!is_attribute(a.type)) continue;
      if (is_scalar(a.type))
        items.push_back("word_kind(" + a.name + ")"), items.push_back("word_bits(" + a.name + ")");
      else
        items.push_back("word(" + a.name + ")");
    }
    statements = call("  uint64_t words[] = {", items, "};\n");
    return "words";
  }
  statements = concat("  AttrWriter words(", fixed, ");\n");
  std::string line = "  words";
  for (const Argument& a : op.signature.arguments) {
    if (!is_attribute(a.type)) continue;
    bool cast = a.type == ArgType::boolean || a.type == ArgType::dtype;
    std::string add = a.type == ArgType::device ? ".add(int64_t{" + a.name + ".pack()})"
                      : cast                    ? ".add(int64_t(" + a.name + "))"
                                                : ".add(" + a.name + ")";
    if (line.size() + add.size() + 1 > kColumns) {
      statements += line + ";\n";
      line = "  words";
    }
    line += add;
  }
  statements += line + ";\n";
  return "words.finish()";
}

// A composition with a cast class: what is written by hand stands in `uncast`, the function that everybody calls casts.
std::string casting_function(const Op& op) {
  std::vector<std::string> plain, cast, inputs;
  std::string list;
  for (const Argument& a : op.signature.arguments) {
    plain.push_back(a.name);
    if (is_list_input(a.type)) {
      cast.push_back("cast.list()");
      list = ", " + a.name;
    } else if (is_input(a.type)) {
      cast.push_back(concat("cast[", inputs.size(), "]"));
      inputs.push_back("&" + a.name);
    } else {
      cast.push_back(a.name);
    }
  }
  const std::string head = result_type(op, Form::plain) + " ", callee = "return uncast::" + op.name + "(";
  return "namespace uncast {\n" + call(head + op.name + "(", parameters(op, Form::plain, false), ");\n") +
         "}\n" +
         definition(
             call("[[gnu::noinline]] inline " + head + op.name + "(", parameters(op, Form::plain), ") {"),
             call("  if (!(thread_state().modes & kModeAutocast)) [[likely]] " + callee, plain, ");\n") +
                 "  AutocastScope cast(op_traits(OpId::" + op.name + "), {" + join(inputs, ", ") + "}" +
                 list + ");\n" + call("  " + callee, cast, ");\n"));
}

std::string function(const Op& op, Form form) {
  std::string head = result_type(op, form) + " " + form_name(op, form) + "(";
  if (op.kind == OpKind::composite && op.has(LOWCAST | F32CAST | WIDECAST)) return casting_function(op);
  if (op.kind == OpKind::composite) return call(head, parameters(op, form), ");\n");

  std::vector<std::string> inputs, lists;
  for (const Argument& a : op.signature.arguments) {
    if (is_list_input(a.type))
      lists.push_back(a.name);
    else if (is_input(a.type))
      inputs.push_back("&" + a.name);
  }
  std::string statements, word_argument = words(op, statements);
  std::vector<std::string> arguments{"OpId::" + op.name, "{" + join(inputs, ", ") + "}"};
  if (!lists.empty()) arguments.push_back(lists[0]);
  if (!word_argument.empty()) arguments.push_back(word_argument);

  std::string callee = "return " + concat("call", op.signature.results.size());
  if (!lists.empty()) callee += "_list";
  if (form == Form::inplace) callee += "_inplace";
  if (form == Form::out) {
    callee = "call_out";
    if (word_argument.empty()) arguments.push_back("{}");
    arguments.push_back("out");
  } else if (op.signature.results.empty()) {
    callee = "call_lists_effect";
    arguments = {"OpId::" + op.name, "{" + join(lists, ", ") + "}", word_argument};
  }
  return definition(call("inline " + head, parameters(op, form), ") {"),
                    statements + call("  " + callee + "(", arguments, ");\n"));
}

}  // namespace

std::string core_functions(const Catalogue& c) {
  std::string out = "// " + std::string(kBanner) + R"(
//
// Every operator as a C++ function. POINTWISE, VIEW and GENERAL ones fill a call record and dispatch it;
// COMPOSITE ones are declared here and written in core/ops/<family>.cpp. An absent tensor is an undefined
// Tensor, an absent integer kNone. name_ writes into its first argument and returns it; name_out writes into
// its last. COMPOSITE ones with a cast class are written as uncast::name.
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/dispatch/autocast.h"
#include "core/dispatch/dispatch.h"

namespace haft {
struct Generator;
}

namespace haft::ops {
)";
  int family = -1;
  for (const Op& op : c.ops) {
    if (op.family != family) out += "\n" + heading("//", c.families[size_t(family = op.family)]);
    std::string doc = op.doc;
    if (op.signature.results.size() > 1) doc += " Returns {" + join(op.signature.results, ", ") + "}.";
    out += "\n" + paragraph("// ", "// ", doc);
    for (Form form : forms(op)) out += function(op, form);
  }
  return out + "\n}  // namespace haft::ops\n";
}

}  // namespace haft::generate
