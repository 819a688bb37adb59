// Joining the values of ranks, always in the order of ranks: equal inputs give equal bits, whoever computes.
#pragma once
#include "core/dist/call.h"

namespace haft::dist {

// Fails where elements of the type cannot be joined so (avg of integers, bits of floats).
void check_reduction(DType t, ReduceOp op);

// out[i] = in[0][i] op in[1][i] op ... of `ranks` inputs; `out` may be one of them. 16-bit floats are joined in
// float32 and rounded once. Averages are divided by `divisor`, which is 0 or 1 where more will be added.
void combine(DType t, ReduceOp op, void* out, const void* const* in, int ranks, int64_t count, int divisor);

}  // namespace haft::dist
