#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_bool(VectorsFn* vectors, AnyFn* any) {
  fill_vectors<bool>(vectors);
  fill_any<bool>(any);
}
}  // namespace haft::cuda
