// What rules of tensors that come from nothing share: the dtype and device a call means.
#pragma once
#include "core/dispatch/shape_context.h"

namespace haft {

// t, or `fallback` where the call left it open; fails for types that no kernel computes with.
DType checked_dtype(DType t, DType fallback, const char* op);
// d, or the thread's default device; fails when it does not exist.
Device checked_device(Device d);
// Declares the only output of a creation op, and writes the defaults into its words for whoever reads them later.
void creation_out(ShapeContext& c, IntList sizes, int dtype_word, DType fallback);

}  // namespace haft
