#include "core/dispatch/layout.h"

#include "core/dispatch/kernel.h"

namespace haft {

TensorImpl& resolve_blocked(TensorImpl& t, bool blocked_ok) {
  TensorImpl* twin = t.twin.load(std::memory_order_acquire);
  if (blocked_ok &&
      (!twin || (twin->storage->version.load(std::memory_order_relaxed) == 0 && !twin->storage->exposed())))
    return t;
  if (twin) return *twin;

  // No lock: the allocator may call the host back. Of two threads that make one, the first to publish it
  // wins.
  Tensor fresh = new_tensor(t.sizes(), t.dtype(), t.device());
  const haft_tensor_view* in = &t.view;
  const haft_tensor_view* out = &fresh.view();
  run_kernel(OpId::contiguous_copy, {&in, 1}, {&out, 1}, {});
  if (!t.twin.compare_exchange_strong(twin, fresh.impl(), std::memory_order_acq_rel)) return *twin;
  return *fresh.take().leak();
}

}  // namespace haft
