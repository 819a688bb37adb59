// Cross entropy of rows of logits that lie in memory one behind the other.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

struct LossRows {
  const void* x;  // (rows, n) of dtype
  DType dtype;
  const void* weight;              // (n) of the computed type, may be null
  const haft_tensor_view& target;  // (rows), int64 or int32, dense
  int64_t rows, n, ignored;
  double smoothing;
  int64_t first;  // the number of the first row, for messages
};
// loss, row_weight and lse are of the computed type.
void loss_of_rows(const Call& c, const LossRows& r, void* loss, void* row_weight, void* lse);
// dx, of t, may be x where that is r.dtype; float32 logits may also give a 16-bit gradient. weight_sum is one number,
// wanted where there are weights.
void loss_gradient(const Call& c, const LossRows& r, const void* grad, const void* weight_sum,
                   const void* lse, void* dx, DType t);
// Input i as weights in the computed type, and their sum where `sum` is given.
const void* class_weights(const Call& c, int i, DType computed, const void** sum);

}  // namespace haft::cuda
