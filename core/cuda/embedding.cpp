// Rows of a table by index, and the sum of gradients back into the table.
#include "core/cuda/indices.h"

namespace haft::cuda {

// weight (V, D), index (*) -> (*, D)
void k_embedding(const Call& c) { take(c, rows_of(c, c.in(0), c.in(1), c.out())); }

// grad (*, D), index (*) -> (rows, D); attrs: rows, padding_idx. Indices are sorted, so that each row of the table
// is summed in the order of the index, in float for the 16-bit types.
void k_embedding_backward(const Call& c) {
  const haft_tensor_view& out = c.out();
  c.zero(out.data, bytes(out));
  sum_rows(c, rows_of(c, out, dense(c, c.in(1)), c.in(0)), c.attrs.i(1));
}

}  // namespace haft::cuda
