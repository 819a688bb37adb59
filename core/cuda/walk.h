// How a kernel walks several views of equal sizes at once: dimensions in the order of what is written, neighbours
// merged where every operand allows it, cut into pieces whose elements a 32-bit number counts.
#pragma once
#include <cstdint>
#include <vector>

#include "core/cuda/kernel.h"

namespace haft::cuda {

constexpr int kMaxOperands = 16;  // fused kernels; the operators of ops.def have up to 5

struct Operand {
  char* data;
  int64_t item;                    // bytes
  int64_t strides[HAFT_MAX_DIMS];  // bytes
};

// Operand 0 is written.
struct Walk {
  int ndim = 0, n = 0;  // dimensions (at least 1 after merge), operands
  int64_t numel = 0;
  int64_t sizes[HAFT_MAX_DIMS];
  Operand operands[kMaxOperands];

  void add(const haft_tensor_view& v);
  void merge();
  // Where all operands are row-major: one dimension, merged as it is.
  void add_dense(const haft_tensor_view& v) {
    Operand& o = operands[n++];
    ndim = 1;
    numel = sizes[0] = v.numel;
    o.data = static_cast<char*>(v.data);
    o.item = o.strides[0] = item_size(DType(v.dtype));
  }
  bool contiguous(int k) const { return ndim == 1 && operands[k].strides[0] == operands[k].item; }
  // Whether operand k's innermost dimension is dense and a vector of its elements, a power of two, is aligned
  // everywhere.
  bool in_vectors(int k, int64_t vector) const {
    const Operand& o = operands[k];
    const int64_t whole = o.item * vector;
    if (o.strides[ndim - 1] != o.item || reinterpret_cast<intptr_t>(o.data) & (whole - 1)) return false;
    for (int d = 0; d < ndim - 1; ++d)
      if (o.strides[d] & (whole - 1)) return false;
    return true;
  }
};

// Elements that one launch may count; a variable so that tests can make it small.
extern int64_t most_elements;

// A walk in parts of at most `most_elements`, along its outermost dimension that is long enough; itself where that is
// all, as nearly always, without a list.
class Pieces {
  std::vector<Walk> cut_;
  const Walk *begin_, *end_;

 public:
  explicit Pieces(const Walk& w);
  const Walk* begin() const { return begin_; }
  const Walk* end() const { return end_; }
};
inline Pieces pieces(const Walk& w) { return Pieces(w); }
Pieces pieces(const Walk&&) = delete;  // it has to live as long

}  // namespace haft::cuda
