#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_i32(VectorsFn* vectors, AnyFn* any) {
  fill_vectors<int32_t>(vectors);
  fill_any<int32_t>(any);
}
}  // namespace haft::cuda
