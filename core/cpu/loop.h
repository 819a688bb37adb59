// An N-dimensional loop over several views at once: sorts and merges dimensions, then walks blocks of
// elements and gathers what is not dense. Shared by pointwise ops and copies.
#pragma once
#include <cstdint>
#include <cstring>

#include "core/cpu/kernel.h"

namespace haft::cpu {

constexpr int kMaxOperands = 4;
constexpr int64_t kBlock = 1024;  // elements; four operands of 8 bytes fit the first-level cache

struct Operand {
  char* data;
  int64_t item;                    // bytes
  int64_t strides[HAFT_MAX_DIMS];  // bytes
};

// Operand 0 is written; all have the same sizes.
struct Loop {
  int ndim = 0, n = 0;
  int64_t numel = 0;
  int64_t sizes[HAFT_MAX_DIMS];
  Operand ops[kMaxOperands];

  void add(const haft_tensor_view& v);
  // Dimensions by descending stride of operand 0, neighbours merged where every operand allows it; at least
  // one is left.
  void collapse();
  // Operand k is dense in the order of the loop.
  bool linear(int k) const { return ndim == 1 && ops[k].strides[0] == ops[k].item; }
};

// Position of a linear index in the loop.
struct Cursor {
  int64_t at[HAFT_MAX_DIMS];
  Cursor(const Loop& l, int64_t index) {
    for (int d = l.ndim - 1; d >= 0; --d) {
      at[d] = index % l.sizes[d];
      index /= l.sizes[d];
    }
  }
  void advance(const Loop& l, int64_t count) {
    int d = l.ndim - 1;
    at[d] += count;
    while (d > 0 && at[d] >= l.sizes[d]) {
      int64_t carry = at[d] / l.sizes[d];
      at[d] -= carry * l.sizes[d];
      at[--d] += carry;
    }
  }
  char* address(const Loop& l, const Operand& o) const {
    int64_t offset = 0;
    for (int d = 0; d < l.ndim; ++d) offset += at[d] * o.strides[d];
    return o.data + offset;
  }
};

// count elements from the cursor on, into or out of dense memory.
void gather(const Loop& l, const Operand& o, Cursor c, int64_t count, void* dense);
void scatter(const Loop& l, const Operand& o, Cursor c, int64_t count, const void* dense);

}  // namespace haft::cpu
