// Parts of a tensor's memory as views of their own.
#pragma once
#include <haft/view.h>

#include "core/tensor/dtype.h"

namespace haft {

// v[.., from : from + count, ..] along dim.
inline haft_tensor_view narrow(const haft_tensor_view& v, int dim, int64_t from, int64_t count) {
  haft_tensor_view part = v;
  if (v.sizes[dim]) part.numel = v.numel / v.sizes[dim] * count;
  part.sizes[dim] = count;
  part.contiguous = 0;
  part.data = static_cast<char*>(v.data) + from * v.strides[dim] * item_size(DType(v.dtype));
  return part;
}

// i counted from either end, or beyond it, of n.
inline int64_t wrap(int64_t i, int64_t n) { return n ? ((i % n) + n) % n : 0; }

}  // namespace haft
