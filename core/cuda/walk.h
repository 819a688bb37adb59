// How a kernel walks several views of equal sizes at once: dimensions in the order of what is written, neighbours merged where every
// operand allows it, cut into pieces whose elements a 32-bit number counts.
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
  bool contiguous(int k) const { return ndim == 1 && operands[k].strides[0] == operands[k].item; }
};

// Elements that one launch may count; a variable so that tests can make it small.
extern int64_t most_elements;

// The walk in parts of at most `most_elements`, along its outermost dimension that is long enough.
std::vector<Walk> pieces(const Walk& w);

}  // namespace haft::cuda
