// Complex numbers for the other files of this folder.
#pragma once
#include "core/dispatch/call.h"

namespace haft {

// What the dispatcher calls for complex tensors (dispatch/op_table.h).
void complex_call(const Call& c);
// Pairs (*, 2) that are nobody else's as complex numbers: their memory, or a copy where that does not allow it.
Tensor joined(const Tensor& pairs);
// x as complex numbers of type t.
Tensor to_complex(const Tensor& x, DType t);
// The product and the quotient of complex tensors of one type, which broadcast.
Tensor complex_product(const Tensor& x, const Tensor& y);
Tensor complex_quotient(const Tensor& x, const Tensor& y);
// |x| of a complex tensor; its gradient at 0 is 0.
Tensor magnitude(const Tensor& x);

}  // namespace haft
