// The public C functions of the operators: declarations with their documentation, and the shims behind them.
#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

// Whether it may meet a matrix without an answer; factors that every matrix has, and what is computed from given ones,
// do not.
bool has_failing_matrices(const Op& op) {
  constexpr std::string_view kAlwaysThere[] = {"linalg_det", "linalg_slogdet",
                                               "linalg_lu",  "linalg_lu_solve",
                                               "linalg_qr",  "linalg_householder_product"};
  if (op.name == "matrix_norm" || op.name == "nuclear_norm" || op.name == "matrix_power") return true;
  return op.kind == OpKind::composite && op.has(FLOATS) && op.name.starts_with("linalg_") &&
         std::ranges::find(kAlwaysThere, op.name) == std::end(kAlwaysThere);
}

// Column names in the statuses of @return; the head of ops.h lists those that every function may answer.
std::string statuses(const Op& op, Form form) {
  int tensors = 0;
  bool dim = false, size = false, device = false;
  for (const Argument& a : op.signature.arguments) {
    tensors += is_list_input(a.type) ? 2 : is_input(a.type);
    dim = dim || a.name.rfind("dim", 0) == 0 || a.name.rfind("ind", 0) == 0 || a.name == "num_classes";
    size = size || a.type == ArgType::ints;
    device = device || a.type == ArgType::device;
  }
  std::string out = "HAFT_OK";
  if (tensors > 1 || size || form == Form::out || (tensors && op.kind == OpKind::general))
    out += ", HAFT_ERROR_SHAPE";
  if (tensors && op.kind != OpKind::view) out += ", HAFT_ERROR_DTYPE";
  if (tensors > 1 || device || form == Form::out) out += ", HAFT_ERROR_DEVICE";
  if (dim) out += ", HAFT_ERROR_INDEX";
  if (size) out += ", HAFT_ERROR_OVERFLOW";
  if (has_failing_matrices(op)) out += ", HAFT_ERROR_LINALG";
  if (form != Form::plain) out += ", HAFT_ERROR_AUTOGRAD";
  return out + " or a status that every operator may answer.";
}

// The attribute as C takes it.
std::string in_c(const Argument& a) {
  std::string text = attribute_text(a);
  switch (a.type) {
    case ArgType::optional_integer: return text + "; HAFT_NONE when absent";
    case ArgType::optional_scalar: return text + "; haft_scalar_none(): absent";
    case ArgType::dtype: return a.has_default ? text + "; HAFT_DTYPE_NONE: inferred" : text;
    case ArgType::device: return "device; HAFT_DEVICE_DEFAULT: the default one";
    case ArgType::generator: return "generator; NULL for the calling thread's default one";
    case ArgType::boolean: text = "0 or 1: " + text; break;
    default: break;
  }
  if (!a.has_default) return text;
  std::string usual = a.type == ArgType::boolean ? a.default_value == "true" ? "1" : "0" : a.default_value;
  return text + " (usually " + usual + ")";
}

struct CParameter {
  std::string declaration, name, direction, text;
};

std::vector<CParameter> c_parameters(const Op& op, Form form) {
  std::vector<CParameter> out;
  int input = 0;
  for (const Argument& a : op.signature.arguments) {
    const std::string& n = a.name;
    switch (a.type) {
      case ArgType::tensor:
        if (a.mutated)
          out.push_back({"haft_tensor* " + n, n, "in,out", "tensor, which is written"});
        else if (form == Form::inplace && input == 0)
          out.push_back(
              {"haft_tensor* " + n, n, "in,out", "tensor; receives the result in its own shape and dtype"});
        else
          out.push_back({"const haft_tensor* " + n, n, "in", input_text(op, a)});
        ++input;
        break;
      case ArgType::optional_tensor:
        if (a.mutated)
          out.push_back(
              {"haft_tensor* " + n, n, "in,out", "tensor, which may be written, or NULL when absent"});
        else
          out.push_back({"const haft_tensor* " + n, n, "in", "tensor, or NULL when absent"});
        ++input;
        break;
      case ArgType::tensors:
      case ArgType::optional_tensors: {
        std::string absent = a.type == ArgType::optional_tensors ? "; a NULL entry is absent" : "";
        out.push_back({"haft_tensor* const* " + n, n, "in", "array of " + n + "_count tensors" + absent});
        out.push_back({"int64_t " + n + "_count", n + "_count", "in", "number of tensors in " + n});
        break;
      }
      case ArgType::ints: {
        std::string empty = a.has_default ? "; NULL with 0 means none given" : "";
        out.push_back({"const int64_t* " + n, n, "in", attribute_text(a)});
        out.push_back({"int64_t " + n + "_count", n + "_count", "in", "number of integers in " + n + empty});
        break;
      }
      default: {
        const char* type = a.type == ArgType::boolean     ? "int32_t "
                           : a.type == ArgType::floating  ? "double "
                           : is_scalar(a.type)            ? "haft_scalar "
                           : a.type == ArgType::dtype     ? "haft_dtype "
                           : a.type == ArgType::device    ? "haft_device "
                           : a.type == ArgType::generator ? "haft_generator* "
                           : a.type == ArgType::text      ? "const char* "
                                                          : "int64_t ";
        out.push_back({type + n, n, a.type == ArgType::generator ? "in,out" : "in", in_c(a)});
      }
    }
  }
  if (form == Form::out) {
    out.push_back(
        {"haft_tensor* out", "out", "in,out", "tensor of the result's shape and dtype; receives the result"});
  } else if (op.signature.returns_list) {
    out.push_back(
        {"haft_tensor** outs", "outs", "out", "receives outs_count tensors; the caller releases each"});
    out.push_back(
        {"int64_t outs_capacity", "outs_capacity", "in", "number of entries that outs has room for"});
    out.push_back(
        {"int64_t* outs_count", "outs_count", "out", "number of results, also when outs is too small"});
  } else if (form == Form::plain) {
    for (const std::string& r : op.signature.results) {
      std::string name = r.empty() ? "out" : r;
      out.push_back({"haft_tensor** " + name, name, "out", result_text(op) + "; the caller releases it"});
    }
  }
  return out;
}

std::string documentation(const Op& op, Form form, const std::vector<CParameter>& parameters) {
  std::string brief = form == Form::inplace
                          ? "haft_" + op.name + ", written into its first argument: " + op.doc
                      : form == Form::out ? "haft_" + op.name + ", written into a given tensor: " + op.doc
                                          : op.doc;
  std::string out = "/**\n" + paragraph(" * @brief ", " *   ", brief);
  size_t width = 0, direction = 0;
  for (const CParameter& p : parameters) {
    width = std::max(width, p.name.size());
    direction = std::max(direction, p.direction.size());
  }
  for (const CParameter& p : parameters)
    out += paragraph(" * @param[" + p.direction + "]" + std::string(direction - p.direction.size() + 1, ' ') +
                         p.name + std::string(width - p.name.size() + 2, ' '),
                     " *     ", p.text);
  out += paragraph(" * @return ", " *     ", statuses(op, form));
  std::string threads = form == Form::plain     ? "any"
                        : form == Form::inplace ? "exclusive on " + parameters[0].name
                                                : "exclusive on out";
  for (const Argument& a : op.signature.arguments)
    if (a.type == ArgType::generator || a.mutated) threads += "; exclusive on " + a.name;
  return out + " * @note Thread class: " + threads + ".\n * @since " + op.since + "\n */\n";
}

// The expression that turns C parameter number `index` into what the C++ function takes.
std::string converted(const Op& op, const Argument& a, int index) {
  // Kernels refuse complex numbers by themselves.
  const char* real = op.kind == OpKind::composite && !op.has(COMPLEX) ? "real_" : "";
  std::string rest = concat(", ", index, ", \"", a.name, "\")");
  switch (a.type) {
    case ArgType::tensor: return concat(real, "arg(", a.name, rest);
    case ArgType::optional_tensor: return concat(real, "optional_arg(", a.name, rest);
    case ArgType::tensors: return concat(real, "list_arg(", a.name, ", ", a.name, "_count", rest);
    case ArgType::optional_tensors:
      return concat(real, "optional_list_arg(", a.name, ", ", a.name, "_count", rest);
    case ArgType::ints: return "int_list(" + a.name + ", " + a.name + "_count" + rest;
    case ArgType::boolean: return "to_bool(" + a.name + rest;
    case ArgType::scalar: return "to_scalar(" + a.name + rest;
    case ArgType::optional_scalar: return "to_optional_scalar(" + a.name + rest;
    case ArgType::dtype: return "to_dtype(" + a.name + rest;
    case ArgType::device: return "to_device(" + a.name + rest;
    case ArgType::generator: return "to_generator(" + a.name + rest;
    case ArgType::text: return "to_text(" + a.name + rest;
    default: return a.name;
  }
}

// Operators of the tensors `input` and `other` alone share one function a form: all but the number of the operator is
// the same. Not the cheap ones: the ten instructions more would show.
std::string shared_shim(const Op& op) {
  if (op.kind != OpKind::pointwise || !op.has(FLOAT) || op.signature.results.size() != 1 ||
      op.signature.returns_list || !op.signature.results[0].empty())
    return "";
  const std::vector<Argument>& args = op.signature.arguments;
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].type != ArgType::tensor || i > 1 || args[i].name != (i ? "other" : "input")) return "";
  return args.empty() ? "" : args.size() == 1 ? "unary" : "binary";
}

// The Scalar that may be a complex number, by its place among the arguments, or -1: core/ops/complex_numbers.h has the
// operator then.
int complex_number(const Op& op, Form form) {
  constexpr std::string_view kThere[] = {
      "full",        "full_like",   "fill",       "masked_fill", "index_fill",  "add_scalar",
      "sub_scalar",  "rsub_scalar", "mul_scalar", "div_scalar",  "rdiv_scalar", "pow_scalar",
      "rpow_scalar", "eq_scalar",   "ne_scalar",  "addcmul",     "addcdiv",     "lerp"};
  if (form == Form::out || std::ranges::find(kThere, op.name) == std::end(kThere)) return -1;
  const std::vector<Argument>& args = op.signature.arguments;
  return int(std::ranges::find(args, ArgType::scalar, &Argument::type) - args.begin());
}

std::string shim(const Op& op, Form form) {
  std::vector<CParameter> parameters = c_parameters(op, form);
  std::vector<std::string> declarations, arguments;
  for (const CParameter& p : parameters) declarations.push_back(p.declaration);
  const std::string name = "haft_" + form_name(op, form);
  const std::string open = call("haft_status " + name + "(", declarations, ") HAFT_NOTHROW {\n");
  if (const std::string shared = shared_shim(op); !shared.empty()) {
    for (const CParameter& p : parameters) arguments.push_back(p.name);
    arguments.push_back("OpId::" + op.name), arguments.push_back("\"" + name + "\"");
    const char* ending = form == Form::inplace ? "_inplace(" : form == Form::out ? "_out(" : "(";
    return open + call("  return " + shared + ending, arguments, ");\n}\n");
  }
  int index = 0;
  for (const Argument& a : op.signature.arguments) {
    arguments.push_back(converted(op, a, index));
    index += a.type == ArgType::ints || is_list_input(a.type) ? 2 : 1;
  }
  std::string function = "ops::" + form_name(op, form) + "(", checks, body, with_complex;
  if (const int at = complex_number(op, form); at >= 0) {
    std::vector<std::string> own = arguments;
    const std::string& number = op.signature.arguments[size_t(at)].name;
    own[size_t(at)] = concat("{", number, ".v.d, ", number, ".imag}");
    const std::string made = "complex_numbers::" + op.name + "(" + join(own, ", ") + ")";
    with_complex = concat("    if (", number, ".kind == HAFT_SCALAR_COMPLEX)\n      return ",
                          form == Form::plain
                              ? "emit(out, " + made
                              : concat("complex_numbers::write(\"", op.name, "_\", ", own[0], ", ", made),
                          ");\n");
  }
  if (form == Form::inplace) {
    body = call("    " + function, arguments, ");\n");
  } else if (form == Form::out) {
    arguments.push_back(concat("arg(out, ", index, ", \"out\")"));
    body = call("    " + function, arguments, ");\n");
  } else if (op.signature.returns_list) {
    checks = concat("    check_list_out(outs, outs_capacity, outs_count, ", index, ", \"outs\");\n");
    body = call("    emit_list(outs, outs_capacity, outs_count, " + function, arguments, "));\n");
  } else {
    std::vector<std::string> names;
    for (const std::string& r : op.signature.results) {
      names.push_back(r.empty() ? "out" : r);
      checks += concat("    check_out(", names.back(), ", ", index++, ", \"", names.back(), "\");\n");
    }
    if (names.size() == 1)
      body = call("    emit(out, " + function, arguments, "));\n");
    else
      body = call("    emit({" + join(names, ", ") + "}, " + function, arguments, "));\n");
  }
  std::string one_line = "  return boundary(\"" + name + "\", [&] { " + trim(body) + " });\n";
  if (checks.empty() && with_complex.empty() && one_line.size() <= kColumns + 1)
    return open + one_line + "}\n";
  return open + "  return boundary(\"" + name + "\", [&] {\n" + checks + with_complex + body + "  });\n}\n";
}

}  // namespace

std::string c_header(const Catalogue& c) {
  std::string out = "/* " + std::string(kBanner) + R"(
 *
 * The operators. Beside the conventions of haft/types.h
 *  1. Inputs stay the caller's and may be released as soon as the call is over. An absent tensor or generator
 *     is NULL, an absent integer HAFT_NONE, an absent number haft_scalar_none(), an empty list NULL with count 0.
 *  2. A list of results needs an array with room for outs_capacity tensors. NULL with capacity 0 only asks
 *     how many there are; the operator has run then, too. Otherwise outs_count tells how many there
 *     are, also when the capacity is smaller; then no tensor is written: HAFT_ERROR_INVALID_ARGUMENT.
 *  3. haft_<op>_ writes into its first argument, haft_<op>_out into a tensor of the result's shape and dtype.
 *  4. Every operator may answer HAFT_ERROR_INVALID_ARGUMENT (NULL where a tensor is wanted, a flag other than
 *     0 or 1, a negative count), HAFT_ERROR_STALE_HANDLE, HAFT_ERROR_WRONG_HANDLE, HAFT_ERROR_OUT_OF_MEMORY
 *     and HAFT_ERROR_UNSUPPORTED (the device lacks the operator for the dtype or mode); @return names the others.
 */
#ifndef HAFT_OPS_H
#define HAFT_OPS_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif
)";
  int family = -1;
  for (const Op& op : c.ops) {
    if (!op.is_public()) continue;
    if (op.family != family) out += "\n" + heading("/*", family_title(c, family = op.family), "*/");
    for (Form form : forms(op)) {
      std::vector<CParameter> parameters = c_parameters(op, form);
      std::vector<std::string> declarations;
      for (const CParameter& p : parameters) declarations.push_back(p.declaration);
      out +=
          "\n" + documentation(op, form, parameters) +
          call("HAFT_API haft_status haft_" + form_name(op, form) + "(", declarations, ") HAFT_NOTHROW;\n");
    }
  }
  return out + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

std::string c_shims(const Catalogue& c) {
  std::string out = "// " + std::string(kBanner) + R"(
//
// The C functions of the operators: handles in, a status out. boundary() turns exceptions into statuses; the
// numbers are positions of parameters, for the error record.
#include <haft/ops.h>

#include "capi/src/boundary.h"
#include "core/ops/complex_numbers.h"
#include "core/ops/functions.h"

using namespace haft;
using namespace haft::capi;

namespace {

// Several results: all of them or none.
template <size_t N>
void emit(haft_tensor** const (&outs)[N], std::array<Tensor, N> results) {
  haft_tensor* handles[N];
  size_t made = 0;
  try {
    for (; made < N; ++made) handles[made] = hand_out(std::move(results[made]));
  } catch (...) {
    while (made) release_handle(handles[--made], HandleType::tensor);
    throw;
  }
  for (size_t i = 0; i < N; ++i) *outs[i] = handles[i];
}

haft_status unary(const haft_tensor* input, haft_tensor** out, OpId op, const char* function) {
  return boundary(function, [&] {
    check_out(out, 1, "out");
    capi::emit(out, call1(op, {&arg(input, 0, "input")}));
  });
}
haft_status unary_inplace(haft_tensor* input, OpId op, const char* function) {
  return boundary(function, [&] { call1_inplace(op, {&arg(input, 0, "input")}); });
}
haft_status unary_out(const haft_tensor* input, haft_tensor* out, OpId op, const char* function) {
  return boundary(function, [&] { call_out(op, {&arg(input, 0, "input")}, {}, arg(out, 1, "out")); });
}
haft_status binary(const haft_tensor* input, const haft_tensor* other, haft_tensor** out, OpId op, const char* function) {
  return boundary(function, [&] {
    check_out(out, 2, "out");
    capi::emit(out, call1(op, {&arg(input, 0, "input"), &arg(other, 1, "other")}));
  });
}
haft_status binary_inplace(haft_tensor* input, const haft_tensor* other, OpId op, const char* function) {
  return boundary(function, [&] { call1_inplace(op, {&arg(input, 0, "input"), &arg(other, 1, "other")}); });
}
haft_status binary_out(const haft_tensor* input, const haft_tensor* other, haft_tensor* out, OpId op,
                       const char* function) {
  return boundary(function, [&] {
    call_out(op, {&arg(input, 0, "input"), &arg(other, 1, "other")}, {}, arg(out, 2, "out"));
  });
}

}  // namespace

extern "C" {
)";
  for (const Op& op : c.ops)
    if (op.is_public())
      for (Form form : forms(op)) out += "\n" + shim(op, form);
  return out + "\n}  // extern \"C\"\n";
}

}  // namespace haft::generate
