// What pooling and convolution in one to three dimensions share: their lists of numbers, inputs without a batch.
#pragma once
#include "core/ops/gradient.h"

namespace haft {

// `v` as n numbers, each from `least` on; one number stands for all, none for `otherwise` (empty: refused).
Shape numbers_of(const char* op, const char* name, IntList v, int n, int64_t least, IntList otherwise);
inline Shape numbers_of(const char* op, const char* name, IntList v, int n, int64_t least,
                        int64_t otherwise) {
  return numbers_of(op, name, v, n, least, IntList(&otherwise, 1));
}

// Sizes of a result of pooling: those of x, the last ones replaced by the number of windows in each dimension. A last
// window that would start in the padding is dropped.
Shape pooled_sizes(const char* op, IntList x, IntList kernel, IntList stride, IntList padding,
                   IntList dilation, bool ceil_mode);

// (N, C, *) with n dimensions behind the channels, of an input that may lack N.
struct Batched {
  Tensor x;
  bool single;

  Batched(const char* op, const Tensor& input, int n);
  Tensor back(const Tensor& y) const { return single ? ops::squeeze(y, 0) : y; }
};

inline void check_float(const char* op, const Tensor& x, const char* argument = "input") {
  if (!is_float(x.dtype()))
    fail(Code::dtype,
         concat("[", op, "] ", argument, " must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", argument);
}

// The sizes of x with those behind the first `lead` replaced.
inline Shape sizes_with(const Tensor& x, int64_t lead, IntList rest) {
  Shape s(x.sizes().first(size_t(lead)));
  for (int64_t r : rest) s.push_back(r);
  return s;
}
inline Tensor counts(int64_t from, int64_t end, const Tensor& like) {
  return ops::arange(Scalar(from), Scalar(end), Scalar(1), DType::i64, like.device());
}

}  // namespace haft
