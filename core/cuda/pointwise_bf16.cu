#include "core/cuda/pointwise.cuh"

namespace haft::cuda {
void fill_bf16(VectorsFn* vectors) { fill_vectors<bfloat16>(vectors); }
}  // namespace haft::cuda
