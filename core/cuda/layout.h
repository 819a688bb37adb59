#pragma once
#include <cstdint>

namespace haft::cuda {

// haft_backend.preferred_layout: tensor cores read 16-bit maps channels last.
int32_t preferred_layout(uint32_t op, int32_t dtype, const int64_t* sizes, int32_t ndim) noexcept;

}  // namespace haft::cuda
