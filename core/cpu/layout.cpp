#include "core/cpu/layout.h"

#include "core/cpu/multiversion.h"
#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"

namespace haft::cpu {

int32_t preferred_layout(uint32_t op, int32_t dtype, const int64_t* sizes, int32_t ndim) noexcept {
  if (op != uint32_t(OpId::conv2d) && op != uint32_t(OpId::conv2d_input)) return HAFT_LAYOUT_STRIDED;
  const DType t = DType(dtype);
  if (ndim != 4 || (t != DType::f32 && t != DType::bf16 && t != DType::f16)) return HAFT_LAYOUT_STRIDED;
  // A row of conv1d, which goes on as three dimensions.
  if (sizes[2] == 1 && sizes[3] > 1) return HAFT_LAYOUT_STRIDED;
  const int64_t block = isa() == Isa::avx512 ? 16 : isa() == Isa::avx2 ? 8 : 0, channels = sizes[1];
  if (!block || channels == 0 || channels % block) return HAFT_LAYOUT_STRIDED;
  return block == 16 ? HAFT_LAYOUT_BLOCKED16 : HAFT_LAYOUT_BLOCKED8;
}

}  // namespace haft::cpu
