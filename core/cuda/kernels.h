// The table of operators.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// The C function around an operator; what it throws becomes a status at one place (kernels.cpp), on the call's device.
int32_t run_guarded(const haft_kernel_call* c, void (*op)(const Call&)) noexcept;
template <auto F>
int32_t guarded(const haft_kernel_call* c) noexcept {
  return run_guarded(c, F);
}

haft_kernel_fn find_kernel(uint32_t op, int32_t dtype, std::string* reason);

}  // namespace haft::cuda
