// Masks for cuDNN's attention, which adds numbers to scores and knows no rows that see nothing.
#include "core/cuda/attention.cuh"
#include "core/cuda/numbers.cuh"

namespace haft::cuda {

namespace {

// cuDNN's softmax wants numbers: what hides is this, and what is smaller than half of it is half of it.
constexpr float kHidden = -0x1p100f;

// A warp a row; `to` has rows of `stride` elements, one behind the other.
__global__ void __launch_bounds__(kThreads)
    mask_to_bias(Heads mask, DType mask_type, int64_t heads, int64_t lengths, int64_t rows, int64_t columns,
                 float* to, int64_t stride) {
  const float lowest = -fn::infinity();
  for (int64_t r = grid_index() / kWarp; r < rows; r += grid_size() / kWarp) {
    const int64_t from =
        r / lengths / heads * mask.batch + r / lengths % heads * mask.head + r % lengths * mask.row;
    for (int64_t j = threadIdx.x % kWarp; j < columns; j += kWarp) {
      const int64_t at = from + j * mask.column;
      float x;
      if (mask_type == DType::boolean) {
        x = static_cast<const bool*>(mask.data)[at] ? 0.0f : kHidden;
      } else {
        x = static_cast<const float*>(mask.data)[at];
        x = x == lowest ? kHidden : x < kHidden / 2 ? kHidden / 2 : x;
      }
      to[r * stride + j] = x;
    }
  }
}

__global__ void __launch_bounds__(kThreads) hide_rows(void* out, DType type, float* lse, int64_t rows,
                                                      int64_t heads, int64_t lengths, int64_t width) {
  for (int64_t r = grid_index(); r < rows; r += grid_size()) {
    if (!(lse[r] < 0.75f * kHidden)) continue;
    lse[r] = -fn::infinity();
    const int64_t i = r % lengths, h = r / lengths % heads, b = r / lengths / heads;
    for (int64_t d = 0; d < width; ++d) put(out, type, ((b * lengths + i) * heads + h) * width + d, 0.0f);
  }
}

__global__ void __launch_bounds__(kThreads) see_something(const float* lse, int64_t rows, float* to) {
  const float lowest = -fn::infinity();
  for (int64_t r = grid_index(); r < rows; r += grid_size()) to[r] = lse[r] == lowest ? -kHidden : lse[r];
}

}  // namespace

ScoreBias bias_of(const haft_tensor_view& mask) {
  ScoreBias b;
  b.type = DType::f32;
  for (size_t d = 0; d < 3; ++d) b.sizes[d] = mask.strides[d] == 0 ? 1 : mask.sizes[d];
  b.sizes[3] = mask.sizes[3];
  b.strides[3] = 1;
  b.strides[2] = round_up(mask.sizes[3], 8);  // rows begin at 16 bytes
  b.strides[1] = b.sizes[2] * b.strides[2];
  b.strides[0] = b.sizes[1] * b.strides[1];
  return b;
}

void fill_bias(const Call& c, const haft_tensor_view& mask, ScoreBias* b) {
  const int64_t rows = b->sizes[0] * b->sizes[1] * b->sizes[2];
  float* const to = c.scratch<float>(rows * b->strides[2]);
  b->data = to;
  launch(c, blocks_for(c, rows * kWarp), mask_to_bias, heads_of(mask), DType(mask.dtype), b->sizes[1],
         b->sizes[2], rows, b->sizes[3], to, b->strides[2]);
}

void blind_rows(const Call& c, const haft_tensor_view& out, const haft_tensor_view& lse) {
  launch(c, blocks_for(c, lse.numel), hide_rows, out.data, DType(out.dtype), static_cast<float*>(lse.data),
         lse.numel, lse.sizes[1], lse.sizes[2], out.sizes[3]);
}

const float* seeing_logarithms(const Call& c, const haft_tensor_view& lse) {
  float* to = c.scratch<float>(lse.numel);
  launch(c, blocks_for(c, lse.numel), see_something, static_cast<const float*>(lse.data), lse.numel, to);
  return to;
}

}  // namespace haft::cuda
