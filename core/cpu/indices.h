// Index tensors and element access shared by the indexing kernels.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/base/error.h"
#include "core/cpu/rows.h"

namespace haft::cpu {

// Elements of an int64 or int32 index tensor by offset.
class IndexReader {
  const void* data_;
  bool wide_;

 public:
  IndexReader(const haft_tensor_view& v, const char* op) : data_(v.data), wide_(dtype_of(v) == DType::i64) {
    if (!wide_ && dtype_of(v) != DType::i32)
      fail(Code::dtype, concat(op, ": index must be int64 or int32, got ", dtype_name(dtype_of(v))),
           "convert with cast");
  }
  bool wide() const { return wide_; }
  int64_t operator[](int64_t at) const {
    return wide_ ? static_cast<const int64_t*>(data_)[at] : static_cast<const int32_t*>(data_)[at];
  }
};

// "index[1, 2]": where a bad index stands.
[[gnu::cold, gnu::noinline]] inline std::string index_position(const haft_tensor_view& index,
                                                               int64_t linear) {
  int64_t at[HAFT_MAX_DIMS];
  for (int d = index.ndim - 1; d >= 0; --d) {
    at[d] = linear % index.sizes[d];
    linear /= index.sizes[d];
  }
  return concat("index", std::span<const int64_t>(at, index.ndim));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_index(const char* op, const std::string& where,
                                                              int64_t value, int64_t dim, int64_t size,
                                                              bool negative) {
  fail(Code::index,
       concat(op, ": ", where, " is ", value, ", but dimension ", dim, " has ", size, " elements"),
       size == 0 ? std::string("nothing can be taken from an empty dimension")
                 : concat("indices lie in ", negative ? -size : 0, " to ", size - 1));
}

// The sum; of integers it wraps around.
template <class C>
inline C wrap_add(C a, C b) {
  if constexpr (std::is_integral_v<C>)
    return C(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}

}  // namespace haft::cpu
