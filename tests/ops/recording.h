// The operator calls of the records as data, so that programs in other languages can repeat them: `ops` in
// haft::test stands for the functions of recorded_functions.h, which tell a Recording, when there is one,
// what was called.
#pragma once
#include <concepts>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tape/tape.h"
#include "core/ops/functions.h"

namespace haft::test {

// An argument as text: "tensor 0" (a place among the inputs), "list 0 1", "int 3", "float 0.5", "bool 1",
// "ints 2,3", "dtype float32", "none".
class Recording {
 public:
  struct Entry {
    std::string op;
    std::vector<std::string> arguments;
    std::vector<Tensor> outs;
    std::vector<uint32_t> versions;

    // False when the case wrote into a result afterwards.
    bool is_whole() const {
      for (size_t i = 0; i < outs.size(); ++i)
        if (version_of(*outs[i].impl()) != versions[i]) return false;
      return true;
    }
  };
  std::vector<Tensor> inputs;
  std::vector<Entry> entries;  // calls whose tensors are all inputs

  // In this thread from now on; nullptr: none.
  static void use(Recording* r) { current() = r; }

  template <class Call, class... A>
  static auto call(const char* op, Call&& f, const A&... arguments) {
    Recording* r = current();
    if (!r) return f();
    use(nullptr);  // what a composite calls is its own business
    auto result = f();
    use(r);
    Entry e{op, {}, outs(result), {}};
    for (const Tensor& t : e.outs) e.versions.push_back(version_of(*t.impl()));
    bool known = true;
    (e.arguments.push_back(r->text(arguments, &known)), ...);
    if (known) r->entries.push_back(std::move(e));
    return result;
  }

 private:
  static Recording*& current() {
    thread_local Recording* r = nullptr;
    return r;
  }
  static std::vector<Tensor> outs(const Tensor& t) { return {t}; }
  template <class Many>
  static std::vector<Tensor> outs(const Many& many) {
    return {many.begin(), many.end()};
  }

  int place(const Tensor& t) const {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].impl() == t.impl()) return int(i);
    return -1;
  }
  std::string text(const Tensor& t, bool* known) const {
    if (!t.defined()) return "none";
    *known = *known && place(t) >= 0;
    return "tensor " + std::to_string(place(t));
  }
  std::string text(std::span<const Tensor> ts, bool* known) const {
    std::string s = "list";
    for (const Tensor& t : ts) {
      *known = *known && (!t.defined() || place(t) >= 0);
      s += " " + (t.defined() ? std::to_string(place(t)) : "none");
    }
    return s;
  }
  std::string text(const std::vector<Tensor>& ts, bool* known) const {
    return text(std::span<const Tensor>(ts), known);
  }
  std::string text(std::span<const int64_t> v, bool*) const {
    std::string s = "ints ";
    for (size_t i = 0; i < v.size(); ++i) s += (i ? "," : "") + std::to_string(v[i]);
    return s;
  }
  std::string text(const std::vector<int64_t>& v, bool* known) const {
    return text(std::span<const int64_t>(v), known);
  }
  std::string text(bool v, bool*) const { return v ? "bool 1" : "bool 0"; }
  template <std::integral T>
  std::string text(const T& v, bool*) const {
    return int64_t(v) == kNone ? "none" : "int " + std::to_string(v);
  }
  std::string text(double v, bool*) const {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", v);
    return std::string("float ") + digits;
  }
  std::string text(DType t, bool*) const {
    return t == DType::none ? "none" : std::string("dtype ") + dtype_name(t);
  }
  // Anything else (a device, a generator) is not repeated elsewhere.
  template <class T>
  std::string text(const T&, bool* known) const {
    *known = false;
    return "";
  }
};

}  // namespace haft::test

#include "tests/ops/recorded_functions.h"

namespace haft::test {
namespace ops = recorded;
}
