#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_f64(VectorsFn* vectors, AnyFn* any) {
  fill_vectors<double>(vectors);
  fill_any<double>(any);
}
}  // namespace haft::cuda
