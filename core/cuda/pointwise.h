// POINTWISE ops on a device: a table by op, one row a type. The kernels stand in pointwise_*.cu, for a file compiles
// long.
#pragma once
#include "core/backend/pointwise_call.h"
#include "core/cuda/walk.h"

namespace haft::cuda {

// What is the same for all elements of a call.
struct PointwiseParams {
  uint64_t words[kMaxPointwiseParams];
  DType dtype;  // in memory
};
// `single`: bit k, whether input k is one element along the innermost dimension.
using VectorsFn = void (*)(const Call&, const Walk&, unsigned single, const PointwiseParams&);
using AnyFn = void (*)(const Call&, const Walk&, const PointwiseParams&);

struct PointwiseTable {
  VectorsFn vectors[kDTypeCount][kOpCount] = {};  // by the type in memory; none for uint8, int8, int16
  // By the type in memory; several share one that computes in a wider one.
  AnyFn any[kDTypeCount][kOpCount] = {};
};
const PointwiseTable& pointwise_table();

void fill_f32(VectorsFn* vectors, AnyFn* any);
void fill_f64(VectorsFn* vectors, AnyFn* any);
void fill_f16(VectorsFn* vectors);
void fill_bf16(VectorsFn* vectors);
void fill_bool(VectorsFn* vectors, AnyFn* any);
void fill_i32(VectorsFn* vectors, AnyFn* any);
void fill_i64(VectorsFn* vectors, AnyFn* any);

haft_kernel_fn pointwise_kernel(OpId op, int32_t dtype);  // nullptr where the op does not take it

}  // namespace haft::cuda
