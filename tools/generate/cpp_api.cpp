// capi/include/haft/ops.hpp: the operators in C++ over the C functions.
#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

std::string cpp_parameter(const Argument& a) {
  switch (a.type) {
    case ArgType::tensor:
    case ArgType::optional_tensor: return "const Tensor& " + a.name;
    case ArgType::tensors:
    case ArgType::optional_tensors: return "const std::vector<Tensor>& " + a.name;
    case ArgType::integer:
    case ArgType::optional_integer: return "int64_t " + a.name;
    case ArgType::boolean: return "bool " + a.name;
    case ArgType::floating: return "double " + a.name;
    case ArgType::scalar:
    case ArgType::optional_scalar: return "Scalar " + a.name;
    case ArgType::dtype: return "haft_dtype " + a.name;
    case ArgType::device: return "haft_device " + a.name;
    case ArgType::ints: return "const IntArray& " + a.name;
    case ArgType::generator: return "haft_generator* " + a.name;
    case ArgType::text: return "const std::string& " + a.name;
    case ArgType::floats: break;  // of operators without a public function
  }
  return "";
}

std::string cpp_default(const Argument& a) {
  switch (a.type) {
    case ArgType::optional_tensor: return "Tensor()";
    case ArgType::ints: return "{}";
    case ArgType::dtype:
    case ArgType::device: return "0";
    case ArgType::generator: return "nullptr";
    case ArgType::optional_scalar: return a.default_value == "none" ? "Scalar()" : a.default_value;
    default: return a.default_value == "none" ? "HAFT_NONE" : a.default_value;
  }
}

std::vector<std::string> cpp_parameters(const Op& op, Form form) {
  const std::vector<Argument>& args = op.signature.arguments;
  std::vector<std::string> out;
  bool defaults = form != Form::out;
  for (size_t i = args.size(); i-- > 0;) {
    defaults = defaults && (args[i].has_default || args[i].type == ArgType::optional_tensor);
    out.insert(out.begin(), cpp_parameter(args[i]) + (defaults ? " = " + cpp_default(args[i]) : ""));
  }
  if (form == Form::out) out.push_back("const Tensor& out");
  return out;
}

// What the C function is called with, up to its out parameters.
std::vector<std::string> c_arguments(const Op& op) {
  std::vector<std::string> out;
  for (const Argument& a : op.signature.arguments) {
    if (is_list_input(a.type)) {
      out.push_back("detail::Handles(" + a.name + ").data()");
      out.push_back("int64_t(" + a.name + ".size())");
    } else if (a.type == ArgType::ints) {
      out.push_back(a.name + ".data()");
      out.push_back(a.name + ".size()");
    } else {
      out.push_back(is_input(a.type) || is_scalar(a.type) ? a.name + ".get()"
                    : a.type == ArgType::text             ? a.name + ".c_str()"
                                                          : a.name);
    }
  }
  return out;
}

std::string wrapper(const Op& op, Form form) {
  std::string c_name = "haft_" + form_name(op, form) + "(";
  std::vector<std::string> arguments = c_arguments(op), results = op.signature.results;
  std::string type, body;
  if (form == Form::inplace) {
    type = "const Tensor&";
    body =
        call("  check(" + c_name, arguments, "));\n") + "  return " + op.signature.arguments[0].name + ";\n";
  } else if (form == Form::out) {
    type = "void";
    arguments.push_back("out.get()");
    body = call("  check(" + c_name, arguments, "));\n");
  } else if (op.signature.returns_list) {
    type = "std::vector<Tensor>";
    for (const char* a : {"outs", "capacity", "count"}) arguments.push_back(a);
    body = "  return detail::list([&](haft_tensor** outs, int64_t capacity, int64_t* count) {\n" +
           call("    return " + c_name, arguments, ");\n") + "  });\n";
  } else if (results.size() == 1) {
    type = "Tensor";
    arguments.push_back("&out");
    body = "  haft_tensor* out = nullptr;\n" + call("  check(" + c_name, arguments, "));\n") +
           "  return Tensor(out);\n";
  } else {
    std::vector<std::string> types, values;
    for (const std::string& r : results) {
      body += "  haft_tensor* " + r + " = nullptr;\n";
      arguments.push_back("&" + r);
      types.push_back("Tensor");
      values.push_back("Tensor(" + r + ")");
    }
    type = "std::tuple<" + join(types, ", ") + ">";
    body += call("  check(" + c_name, arguments, "));\n") + "  return {" + join(values, ", ") + "};\n";
  }
  return definition(call("inline " + type + " " + form_name(op, form) + "(", cpp_parameters(op, form), ") {"),
                    body);
}

}  // namespace

std::string cpp_header(const Catalogue& c) {
  std::string out = "// " + std::string(kBanner) + R"(
//
// The operators in C++17: haft::softmax(x, 1), in place haft::add_(a, b), into y haft::add_out(a, b, y). They
// only call the C functions of haft/ops.h; a status other than HAFT_OK becomes an exception. An absent tensor
// is an empty Tensor. Include haft/haft.hpp, which includes this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_OPS_HPP
#define HAFT_OPS_HPP
#include <haft/ops.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace haft {
namespace detail {

// The handles of a list of tensors, for the time of one call.
class Handles {
  std::vector<haft_tensor*> handles_;

 public:
  explicit Handles(const std::vector<Tensor>& tensors) {
    handles_.reserve(tensors.size());
    for (const Tensor& t : tensors) handles_.push_back(t.get());
  }
  haft_tensor* const* data() const { return handles_.data(); }
};

// Calls f(outs, capacity, &count) with room for a few results and, when there are more, once again.
template <class F>
std::vector<Tensor> list(F f) {
  haft_tensor* few[16];
  std::vector<haft_tensor*> many;
  haft_tensor** outs = few;
  int64_t capacity = 16, count = 0;
  haft_status status = f(outs, capacity, &count);
  if (status != HAFT_OK && count > capacity) {
    many.resize(static_cast<std::size_t>(count));
    outs = many.data();
    capacity = count;
    status = f(outs, capacity, &count);
  }
  check(status);
  return adopt(outs, count);
}

}  // namespace detail
)";
  int family = -1;
  for (const Op& op : c.ops) {
    if (!op.is_public()) continue;
    if (op.family != family) out += "\n" + heading("//", family_title(c, family = op.family));
    std::string doc = op.doc;
    if (op.signature.results.size() > 1) doc += " Returns {" + join(op.signature.results, ", ") + "}.";
    out += "\n" + paragraph("/// ", "/// ", doc);
    for (Form form : forms(op)) out += wrapper(op, form);
  }
  return out + "\n}  // namespace haft\n#endif\n";
}

}  // namespace haft::generate
