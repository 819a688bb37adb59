#include "tests/ops/recording.h"

#include <algorithm>
#include <cstdio>

namespace haft::test {

namespace {
thread_local Recording* current = nullptr;
}

bool Recording::Entry::is_whole() const {
  for (size_t i = 0; i < outs.size(); ++i)
    if (version_of(*outs[i].impl()) != versions[i]) return false;
  return true;
}

void Recording::use(Recording* r) { current = r; }

Recording* Recording::pause() { return std::exchange(current, nullptr); }

void Recording::keep(const char* op, std::span<const Tensor> outs,
                     std::initializer_list<Argument> arguments) {
  current = this;
  Entry e{op, {}, {outs.begin(), outs.end()}, {}};
  for (const Tensor& t : outs) e.versions.push_back(version_of(*t.impl()));
  bool known = true;
  for (const Argument& a : arguments) e.arguments.push_back(text(a, &known));
  if (known) entries.push_back(std::move(e));
}

std::string Recording::text(const Argument& a, bool* known) const {
  auto place = [&](const Tensor& t) -> std::string {
    if (!t.defined()) return "none";
    auto at =
        std::find_if(inputs.begin(), inputs.end(), [&](const Tensor& i) { return i.impl() == t.impl(); });
    *known = *known && at != inputs.end();
    return std::to_string(at - inputs.begin());
  };
  std::string s;
  switch (a.kind_) {
    case Argument::kTensor: s = place(a.tensors_[0]); return s == "none" ? s : "tensor " + s;
    case Argument::kTensors:
      s = "list";
      for (const Tensor& t : a.tensors_) s += " " + place(t);
      return s;
    case Argument::kInts:
      s = "ints ";
      for (size_t i = 0; i < a.ints_.size(); ++i) s += (i ? "," : "") + std::to_string(a.ints_[i]);
      return s;
    case Argument::kBool: return a.int_ ? "bool 1" : "bool 0";
    case Argument::kInt: return a.int_ == kNone ? "none" : "int " + std::to_string(a.int_);
    case Argument::kFloat: {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", a.float_);
      return std::string("float ") + digits;
    }
    case Argument::kDType:
      return a.dtype_ == DType::none ? "none" : std::string("dtype ") + dtype_name(a.dtype_);
    case Argument::kText: return "text " + std::string(a.text_);
    case Argument::kUnknown: break;
  }
  *known = false;
  return "";
}

}  // namespace haft::test
