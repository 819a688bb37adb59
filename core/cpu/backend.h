// The device "cpu": its table and the kernels' names.
#pragma once
#include <haft/backend.h>

namespace haft {

const haft_backend* cpu_backend();
// The kernel of an op for plug-ins that run on host memory; NULL when there is none.
haft_kernel_fn cpu_kernel(uint32_t op, int32_t dtype);

}  // namespace haft
