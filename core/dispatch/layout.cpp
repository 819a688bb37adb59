#include "core/dispatch/layout.h"

#include "core/backend/registry.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/modes.h"

namespace haft {

uint8_t preferred_layout(OpId op, Device device, DType dtype, IntList sizes) {
  const BackendEntry& b = backend(device);
  if (!b.table.preferred_layout) return HAFT_LAYOUT_STRIDED;
  const int32_t l =
      b.table.preferred_layout(uint32_t(op), int32_t(dtype), sizes.data(), int32_t(sizes.size()));
  if (l == HAFT_LAYOUT_STRIDED || (l == HAFT_LAYOUT_CHANNELS_LAST && sizes.size() == 4)) return uint8_t(l);
  const bool blocked = l == HAFT_LAYOUT_BLOCKED8 || l == HAFT_LAYOUT_BLOCKED16;
  if (!blocked || !device.is_cpu())
    fail(Code::internal,
         concat("[", op_name(op), "] device ", b.name, " prefers layout ", l, " for shape ", sizes,
                blocked ? ", which the CPU alone has" : ", which does not exist for it"),
         "preferred_layout answers HAFT_LAYOUT_STRIDED or, for four dimensions, HAFT_LAYOUT_CHANNELS_LAST");
  return uint8_t(l);
}

[[noreturn, gnu::cold]] static void fail_rows(const TensorImpl& t) {
  fail(Code::unsupported,
       concat("a gradient of rows of shape ", t.sizes(),
              " came, which has no memory that an operator could take"),
       "to_dense makes the whole tensor; SGD, Adagrad, SparseAdam, clipping and GradScaler take the rows");
}

[[noreturn, gnu::cold]] static void fail_batched(const TensorImpl& t) {
  fail(Code::unsupported,
       concat("a tensor of shape ", t.sizes(),
              " that stands for many examples under vmap has no values to read or memory to hand over"),
       "branch with where() in place of item() and bool, and look at values outside of the mapped function");
}

TensorImpl& resolve_blocked(TensorImpl& t, bool blocked_ok) {
  if (t.view.layout == HAFT_LAYOUT_ROWS) fail_rows(t);
  if (is_batched(t)) fail_batched(t);
  TensorImpl* twin = t.twin.load(std::memory_order_acquire);
  if (blocked_ok &&
      (!twin || (twin->storage->version.load(std::memory_order_relaxed) == 0 && !twin->storage->exposed())))
    return t;
  if (twin) return *twin;

  // A call of its own, so that modes see it; its kernel takes blocked memory. No lock: the allocator may call
  // the host back. Of two threads that make one, the first to publish it wins.
  Tensor fresh;
  {
    NoGradGuard off;
    AllModes modes(thread_state());
    const Tensor x(Ref<TensorImpl>::share(&t));
    fresh = call1(OpId::contiguous_copy, {&x});
  }
  if (!t.twin.compare_exchange_strong(twin, fresh.impl(), std::memory_order_acq_rel)) return *twin;
  return *fresh.take().leak();
}

}  // namespace haft
