// The signature strings of ops.def, parsed: "(Tensor input, int[] dim=[], bool keepdim=false) -> Tensor". The
// generator reads them at build time; the engine reads them where calls are printed, captured or checked by name.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace haft {

// clang-format off
enum class ArgType : uint8_t {
  tensor, optional_tensor, tensors, optional_tensors,                                           // inputs
  integer, optional_integer, boolean, floating, scalar, optional_scalar, dtype, device,         // of fixed width
  ints, floats,                                                                                 // with a payload
  generator, text,  // composites only; never an attribute word
};
// clang-format on

constexpr bool is_list_input(ArgType t) { return t == ArgType::tensors || t == ArgType::optional_tensors; }
constexpr bool is_input(ArgType t) { return t <= ArgType::optional_tensors; }
constexpr bool is_attribute(ArgType t) { return !is_input(t) && t < ArgType::generator; }
// Words that the attribute takes in the fixed part (attrs.h).
constexpr bool is_scalar(ArgType t) { return t == ArgType::scalar || t == ArgType::optional_scalar; }
constexpr int word_count(ArgType t) { return !is_attribute(t) ? 0 : is_scalar(t) ? 2 : 1; }

// Where a replay of a captured call takes an attribute from: the call as it was captured, a random generator's
// state at that time, or the object that made the call (an optimizer's rate and step).
enum class Source : uint8_t { captured, seed, offset, setting };

struct Argument {
  ArgType type;
  std::string name;
  bool has_default = false;
  std::string default_value;         // as written: "none", "0.5", "[]"
  bool mutated = false;              // Tensor(a!): the operator writes into it
  Source source = Source::captured;  // int(seed), int(offset), float(set)
};

struct Signature {
  std::vector<Argument> arguments;
  // Their names; "" for the nameless single one and for a list; none for "()".
  std::vector<std::string> results;
  bool returns_list = false;

  const Argument* find(std::string_view name) const {
    for (const Argument& a : arguments)
      if (a.name == name) return &a;
    return nullptr;
  }
};

namespace detail {

class SignatureParser {
  std::string_view op_, text_;
  size_t at_ = 0;

 public:
  SignatureParser(std::string_view op, std::string_view text) : op_(op), text_(text) {}

  Signature parse() {
    Signature s;
    expect("(");
    if (!accept(")")) {
      do s.arguments.push_back(argument(s));
      while (accept(","));
      expect(")");
    }
    expect("->");
    if (accept("()")) {
      // nothing: the operator only writes into its inputs
    } else if (accept("(")) {
      do {
        expect("Tensor");
        s.results.push_back(identifier("a name for the result"));
        for (size_t i = 0; i + 1 < s.results.size(); ++i)
          if (s.results[i] == s.results.back()) error("a result name of its own");
      } while (accept(","));
      expect(")");
    } else {
      expect("Tensor");
      s.returns_list = accept("[]");
      s.results.emplace_back();
    }
    skip_space();
    if (at_ != text_.size()) error("the end");
    return s;
  }

 private:
  [[noreturn]] void error(std::string_view wanted) {
    std::string_view rest = text_.substr(at_, 16);
    fail(Code::invalid_argument, concat("signature of ", op_, ", position ", at_, ": expected ", wanted,
                                        ", found ", rest.empty() ? "the end" : concat("\"", rest, "\"")));
  }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) error(concat("\"", token, "\""));
  }
  static bool word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  std::string identifier(std::string_view wanted) {
    skip_space();
    size_t end = at_;
    while (end < text_.size() && word_char(text_[end])) ++end;
    if (end == at_ || (text_[at_] >= '0' && text_[at_] <= '9')) error(wanted);
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }
  // "(a!)" after Tensor: a letter of its own for each memory that is written.
  bool mutation(const Signature& so_far) {
    if (!accept("(")) return false;
    size_t start = at_;
    std::string wanted = "a!)";
    for (const Argument& a : so_far.arguments) wanted[0] = char(wanted[0] + a.mutated);
    if (!accept(wanted)) at_ = start, error(concat("\"", wanted, "\""));
    return true;
  }
  // "(seed)", "(offset)" or "(set)" after the type of an attribute.
  Source source() {
    if (!accept("(")) return Source::captured;
    if (accept("seed)")) return Source::seed;
    if (accept("offset)")) return Source::offset;
    if (accept("set)")) return Source::setting;
    error("seed), offset) or set)");
  }
  ArgType type(const Signature& so_far, Argument* a) {
    skip_space();
    size_t start = at_;
    std::string name = identifier("a type");
    if (name == "Tensor")
      a->mutated = mutation(so_far);
    else
      a->source = source();
    bool optional = accept("?"), list = accept("[]");
    auto is = [&](std::string_view n, bool o, bool l) { return name == n && optional == o && list == l; };
    if (is("Tensor", false, false)) return ArgType::tensor;
    if (is("Tensor", true, false)) return ArgType::optional_tensor;
    if (is("Tensor", false, true)) return ArgType::tensors;
    if (is("Tensor", true, true)) return ArgType::optional_tensors;
    if (is("int", false, false)) return ArgType::integer;
    if (is("int", true, false)) return ArgType::optional_integer;
    if (is("int", false, true)) return ArgType::ints;
    if (is("bool", false, false)) return ArgType::boolean;
    if (is("float", false, false)) return ArgType::floating;
    if (is("float", false, true)) return ArgType::floats;
    if (is("Scalar", false, false)) return ArgType::scalar;
    if (is("Scalar", true, false)) return ArgType::optional_scalar;
    if (is("dtype", false, false)) return ArgType::dtype;
    if (is("device", false, false)) return ArgType::device;
    if (is("generator", false, false)) return ArgType::generator;
    if (is("str", false, false)) return ArgType::text;
    at_ = start;
    error(
        "a type (Tensor, Tensor?, Tensor[], int, int?, int[], bool, float, float[], Scalar, Scalar?, dtype, "
        "device, generator, str)");
  }
  Argument argument(const Signature& so_far) {
    Argument a;
    a.type = type(so_far, &a);
    skip_space();
    size_t start = at_;
    a.name = identifier("a name");
    if (so_far.find(a.name)) at_ = start, error("a name of its own");
    if (!accept("=")) return a;
    skip_space();
    start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != ' ') ++at_;
    a.has_default = true;
    a.default_value = std::string(text_.substr(start, at_ - start));
    if (!default_fits(a.type, a.default_value)) at_ = start, error("a default of the argument's type");
    return a;
  }
  static bool default_fits(ArgType t, std::string_view v) {
    switch (t) {
      case ArgType::integer: return is_number(v, false);
      case ArgType::optional_integer: return v == "none" || is_number(v, false);
      case ArgType::boolean: return v == "true" || v == "false";
      case ArgType::floating:
      case ArgType::scalar: return is_number(v, true);
      case ArgType::optional_scalar: return v == "none" || is_number(v, true);
      case ArgType::dtype:
      case ArgType::generator: return v == "none";
      case ArgType::device: return v == "0";
      case ArgType::ints:
      case ArgType::floats: return v == "[]";
      default: return false;
    }
  }
  static bool is_number(std::string_view v, bool real) {
    if (!v.empty() && v[0] == '-') v.remove_prefix(1);
    if (v.empty() || v[0] < '0' || v[0] > '9') return false;
    return v.find_first_not_of(real ? "0123456789.e-+" : "0123456789") == std::string_view::npos;
  }
};

}  // namespace detail

// Fails with the op's name and the position of what is wrong.
inline Signature parse_signature(std::string_view op, std::string_view text) {
  return detail::SignatureParser(op, text).parse();
}

}  // namespace haft
