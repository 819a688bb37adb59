// The operator calls of the records as data, so that programs in other languages can repeat them: `ops` in
// haft::test stands for the functions of recorded_functions.h, which tell a Recording, when there is one,
// what was called.
#pragma once
#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/functions.h"
#include "core/tape/tape.h"

namespace haft::test {

// An argument, looked at only when there is a Recording.
class Argument {
 public:
  Argument(const Tensor& t) : kind_(kTensor), tensors_(&t, 1) {}
  Argument(std::span<const Tensor> ts) : kind_(kTensors), tensors_(ts) {}
  Argument(const std::vector<Tensor>& ts) : kind_(kTensors), tensors_(ts) {}
  Argument(std::span<const int64_t> v) : kind_(kInts), ints_(v) {}
  Argument(const std::vector<int64_t>& v) : kind_(kInts), ints_(v) {}
  Argument(const Device&) {}  // these are not repeated elsewhere
  Argument(const Generator*) {}
  Argument(const Scalar&) {}
  Argument(DType t) : kind_(kDType), dtype_(t) {}
  Argument(double v) : kind_(kFloat), float_(v) {}
  Argument(bool v) : kind_(kBool), int_(v) {}
  Argument(int v) : Argument(int64_t(v)) {}
  Argument(int64_t v) : kind_(kInt), int_(v) {}
  Argument(std::string_view v) : kind_(kText), text_(v) {}
  Argument(const char* v) : Argument(std::string_view(v)) {}

 private:
  friend class Recording;
  enum Kind { kUnknown, kTensor, kTensors, kInts, kBool, kInt, kFloat, kDType, kText } kind_ = kUnknown;
  std::span<const Tensor> tensors_;
  std::span<const int64_t> ints_;
  int64_t int_ = 0;
  double float_ = 0;
  std::string_view text_;
  DType dtype_ = DType::none;
};

class Recording {
 public:
  struct Entry {
    std::string op;
    // "tensor 0" (a place among the inputs), "list 0 1", "int 3", "float 0.5", "bool 1", "ints 2,3", "dtype float32",
    // "text ij->ji", "none".
    std::vector<std::string> arguments;
    std::vector<Tensor> outs;
    std::vector<uint32_t> versions;

    bool is_whole() const;  // false when the case wrote into a result afterwards
  };
  std::vector<Tensor> inputs;
  std::vector<Entry> entries;  // calls whose tensors are all inputs

  // In this thread from now on; nullptr: none.
  static void use(Recording*);

  // What this thread records into, if it does. It stops until keep(): what a composite calls is its own business.
  static Recording* pause();
  void keep(const char* op, std::span<const Tensor> outs, std::initializer_list<Argument> arguments);
  void keep(const char* op, const Tensor& out, std::initializer_list<Argument> arguments) {
    keep(op, std::span(&out, 1), arguments);
  }

 private:
  std::string text(const Argument& a, bool* known) const;
};

}  // namespace haft::test

#include "tests/ops/recorded_functions.h"

namespace haft::test {
namespace ops = recorded;
}
