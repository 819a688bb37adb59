// Between the arrays of files and tensors.
#pragma once
#include <string>

#include "core/io/array.h"
#include "core/tensor/tensor.h"

namespace haft {

// The elements of `t` in row-major order on the host. Dense host tensors are not copied: the array shares
// their memory and must be written out before they change.
Array to_array(std::string name, const Tensor& t);

// A host tensor on the array's memory, which it keeps alive: weights of a mapped file load as they are
// touched. Small arrays, and those in a caller's own buffer, are copied. Fails with Code::shape above 8 dimensions.
Tensor to_tensor(const Array& a);

}  // namespace haft
