#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_f32(VectorsFn* vectors, AnyFn* any) {
  fill_vectors<float>(vectors);
  fill_any<float>(any);
}
}  // namespace haft::cuda
