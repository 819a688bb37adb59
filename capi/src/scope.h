// Scopes: tensors handed out inside are released at the end, except those kept.
#pragma once
#include <haft/types.h>

namespace haft::capi {
// Called for every tensor handle handed out while a scope is open in this thread.
void scope_adopt(haft_tensor* h);
}  // namespace haft::capi
