// Tensors over memory that the caller lends.
#pragma once
#include <haft/types.h>

#include "core/tensor/tensor.h"

namespace haft::capi {

struct LentMemory {
  void* data;
  IntList sizes;
  const int64_t* strides;  // NULL: row-major
  DType dtype;
  Device device;
};

// An owned handle; `release(user)` runs when the last tensor on the memory is gone, and not when this fails. The
// positions are those of data, strides and so on in the function that the caller called, for messages.
haft_tensor* tensor_on_lent_memory(const LentMemory& m, void (*release)(void*), void* user, int data_index,
                                   int stride_index);

}  // namespace haft::capi
