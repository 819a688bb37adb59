#include "core/cuda/layout.h"

#include <haft/view.h>

#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"

namespace haft::cuda {

int32_t preferred_layout(uint32_t op, int32_t dtype, const int64_t* sizes, int32_t ndim) noexcept {
  if (ndim != 4) return HAFT_LAYOUT_STRIDED;
  if (op != uint32_t(OpId::conv2d) && op != uint32_t(OpId::conv2d_input))
    return HAFT_LAYOUT_CHANNELS_LAST;  // asked of an operator that goes on in the order of its input
  const DType t = DType(dtype);
  if (t != DType::f16 && t != DType::bf16) return HAFT_LAYOUT_STRIDED;
  // A row of conv1d goes on as three dimensions.
  return sizes[2] == 1 && sizes[3] > 1 ? HAFT_LAYOUT_STRIDED : HAFT_LAYOUT_CHANNELS_LAST;
}

}  // namespace haft::cuda
