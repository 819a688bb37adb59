#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_i64(VectorsFn* vectors, AnyFn* any) {
  fill_vectors<int64_t>(vectors);
  fill_any<int64_t>(any);
}
}  // namespace haft::cuda
