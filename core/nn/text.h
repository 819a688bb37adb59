// How Python prints numbers, flags and tuples: modules print as PyTorch's do.
#pragma once
#include <array>

#include "core/tensor/shape.h"

namespace haft::nn {

inline const char* flag_text(bool b) { return b ? "True" : "False"; }

// 1.0, 0.001, 1e-05
std::string float_text(double v);
// (3, 3), (10,)
std::string tuple_text(IntList v);
// 2 for one number, else (2, 3); what stands for none
inline std::string numbers_text(IntList v, const char* none) {
  return v.empty() ? none : v.size() == 1 ? std::to_string(v[0]) : tuple_text(v);
}
// 2 for equal numbers, else (2, 3)
inline std::string pair_text(const std::array<int64_t, 2>& v) {
  return v[0] == v[1] ? std::to_string(v[0]) : tuple_text(v);
}

}  // namespace haft::nn
