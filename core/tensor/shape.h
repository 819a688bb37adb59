// Sizes and strides: the arithmetic that views and shape rules share.
#pragma once
#include <span>

#include "core/base/small_vec.h"
#include "core/tensor/view.h"

namespace haft {

using IntList = std::span<const int64_t>;
using Shape = SmallVec<int64_t, HAFT_MAX_DIMS>;

// Product of sizes; fails with Code::shape on a negative size or rank above 8, and with Code::overflow when
// the sizes other than 0 multiply to more than kMaxNumel, so that strides and partial products never overflow.
constexpr int64_t kMaxNumel = int64_t(1) << 59;  // of 8 bytes each: 2^62 bytes
int64_t checked_numel(IntList sizes);
Shape contiguous_strides(IntList sizes);
// -ndim..ndim-1 to 0..ndim-1; a 0-dim tensor takes -1 and 0, as in PyTorch. `op` and `name` go into the message.
int64_t wrap_dim(int64_t dim, int64_t ndim, const char* op, const char* name = "dim");
// PyTorch's broadcasting of two shapes; fails naming `op` and both shapes.
Shape broadcast_shapes(IntList a, IntList b, const char* op);
// True when the sizes are plain numbers with that product, which is not 0: what nearly every view asks for.
inline bool has_numel(IntList sizes, int64_t numel) {
  int64_t n = 1;
  for (int64_t s : sizes)
    if (s <= 0 || __builtin_mul_overflow(n, s, &n)) return false;
  return n == numel && sizes.size() <= HAFT_MAX_DIMS;
}
// Replaces one -1 by what numel leaves for it.
Shape infer_size(IntList sizes, int64_t numel, const char* op);
// Strides with which `sizes` views the same memory, if there are any (PyTorch's rule for view()).
bool view_strides(IntList old_sizes, IntList old_strides, IntList sizes, Shape* strides);
bool is_contiguous(IntList sizes, IntList strides);

}  // namespace haft
