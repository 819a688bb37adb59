// Runs one kernel of one device over plain views.
#pragma once
#include <span>

#include "core/schema/op_id.h"
#include "core/tensor/view.h"

namespace haft {

// The device is that of the view that types the op (typing_view), as the dtype is. A refusal or failure becomes
// an Error.
void run_kernel(OpId op, std::span<const haft_tensor_view* const> in,
                std::span<const haft_tensor_view* const> out, std::span<const uint64_t> words);

}  // namespace haft
