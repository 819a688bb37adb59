#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_f16(VectorsFn* vectors) { fill_vectors<half>(vectors); }
}  // namespace haft::cuda
