#include "core/cuda/walk.h"

#include <algorithm>

namespace haft::cuda {

int64_t most_elements = int64_t(1) << 30;

void Walk::add(const haft_tensor_view& v) {
  if (n == 0) {
    ndim = v.ndim;
    numel = v.numel;
    std::copy_n(v.sizes, v.ndim, sizes);
  }
  Operand& o = operands[n++];
  o.data = static_cast<char*>(v.data);
  o.item = item_size(DType(v.dtype));
  for (int d = 0; d < v.ndim; ++d) o.strides[d] = v.sizes[d] == 1 ? 0 : v.strides[d] * o.item;
}

void Walk::merge() {
  // Outermost first, by falling stride of what is written; dimensions of one element say nothing.
  int order[HAFT_MAX_DIMS], count = 0;
  for (int d = 0; d < ndim; ++d) {
    if (sizes[d] == 1) continue;
    int at = count++;
    for (; at > 0 && operands[0].strides[order[at - 1]] < operands[0].strides[d]; --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  // Only what there is moves: a walk has room for many more operands than operators have.
  int64_t size[HAFT_MAX_DIMS], stride[kMaxOperands][HAFT_MAX_DIMS];
  std::copy_n(sizes, ndim, size);
  for (int k = 0; k < n; ++k) std::copy_n(operands[k].strides, ndim, stride[k]);
  ndim = 0;
  for (int i = 0; i < count; ++i) {
    const int d = order[i], last = ndim - 1;
    bool joins = last >= 0;
    for (int k = 0; k < n && joins; ++k) joins = operands[k].strides[last] == stride[k][d] * size[d];
    const int to = joins ? last : ndim++;
    sizes[to] = (joins ? sizes[to] : 1) * size[d];
    for (int k = 0; k < n; ++k) operands[k].strides[to] = stride[k][d];
  }
  if (ndim == 0) {
    ndim = 1;
    sizes[0] = 1;
    for (int k = 0; k < n; ++k) operands[k].strides[0] = operands[k].item;
  }
}

Pieces::Pieces(const Walk& w) : begin_(&w), end_(&w + 1) {
  if (w.numel <= most_elements) return;
  int64_t inner = w.numel;
  int d = 0;
  for (; d < w.ndim; ++d) {
    inner /= w.sizes[d];
    if (inner <= most_elements) break;
  }
  // Everything outside of d one by one, d itself in runs.
  const int64_t run = std::max<int64_t>(1, most_elements / inner), outer = w.numel / inner / w.sizes[d];
  for (int64_t o = 0; o < outer; ++o) {
    int64_t offset[kMaxOperands] = {}, left = o;
    for (int e = d - 1; e >= 0; left /= w.sizes[e], --e)
      for (int k = 0; k < w.n; ++k) offset[k] += left % w.sizes[e] * w.operands[k].strides[e];
    for (int64_t begin = 0; begin < w.sizes[d]; begin += run) {
      Walk part = w;
      part.ndim = w.ndim - d;
      part.sizes[0] = std::min(run, w.sizes[d] - begin);
      part.numel = part.sizes[0] * inner;
      for (int e = 1; e < part.ndim; ++e) part.sizes[e] = w.sizes[d + e];
      for (int k = 0; k < w.n; ++k) {
        part.operands[k].data += offset[k] + begin * w.operands[k].strides[d];
        for (int e = 0; e < part.ndim; ++e) part.operands[k].strides[e] = w.operands[k].strides[d + e];
      }
      cut_.push_back(part);
    }
  }
  begin_ = cut_.data();
  end_ = begin_ + cut_.size();
}

}  // namespace haft::cuda
