// Gradients of rows: what a lookup gives its table, as some rows and their numbers in place of a tensor of the
// table's size.
#pragma once
#include <mutex>

#include "core/tensor/tensor.h"

namespace haft {

// indices (n), int64; values (n, sizes of a row). A row may stand there several times, unless `coalesced`: then once,
// in order.
struct RowGradient {
  Tensor indices, values;
  bool coalesced = false;

  int64_t count() const { return indices.numel(); }
};

inline bool is_rows(const TensorImpl& t) { return t.view.layout == HAFT_LAYOUT_ROWS; }
inline bool is_rows(const Tensor& t) { return is_rows(*t.impl()); }

// A tensor of these sizes whose layout is HAFT_LAYOUT_ROWS: it has no memory of its own, and who asks for some is
// refused. The parts fit together, and nobody has looked whether indices are within the sizes.
Tensor make_rows(RowGradient rows, IntList sizes);
// What it has now.
RowGradient rows_of(const Tensor& t);
// Another gradient of the same sizes in its place: all who hold the tensor see it.
void set_rows(const Tensor& t, RowGradient rows);

}  // namespace haft
