#include "core/cuda/kernels.h"

#include "core/cuda/guard.h"
#include "core/cuda/pointwise.h"

namespace haft::cuda {

const haft_backend_host* host = nullptr;

// Every operator with a kernel, by name: what is neither written nor refused does not link.
#define POINTWISE(...)
#define VIEW(...)
#define GENERAL(name, ...) void k_##name(const Call&);
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef GENERAL

namespace {

const char* reason_refused(OpId op) {
  switch (op) {
#define REFUSED(name, reason) \
  case OpId::name: return reason;
#include "core/cuda/refused.def"
#undef REFUSED
    default: return nullptr;
  }
}
constexpr bool is_refused(OpId op) {
  switch (op) {
#define REFUSED(name, reason) case OpId::name:
#include "core/cuda/refused.def"
#undef REFUSED
    case OpId::to_device: return true;  // the dispatcher's own, by the copies of the table
    default: return false;
  }
}

haft_kernel_fn general_kernel(OpId op) {
  switch (op) {
#define GENERAL(name, ...)                   \
  case OpId::name:                           \
    if constexpr (!is_refused(OpId::name))   \
      return guarded<&k_##name>;             \
    else                                     \
      return nullptr;
#include "core/schema/ops.def"
#undef GENERAL
#undef POINTWISE
#undef VIEW
#undef COMPOSITE
    default: return nullptr;
  }
}

}  // namespace

int32_t run_guarded(const haft_kernel_call* c, void (*op)(const Call&)) noexcept {
  return guard_on(c->device_index, c->error, c->error_size, [&] { op(Call(*c)); });
}

haft_kernel_fn find_kernel(uint32_t op, int32_t dtype, std::string* reason) {
  if (op >= uint32_t(kOpCount)) {
    *reason = concat("operator ", op, " does not exist");
    return nullptr;
  }
  const OpId id = OpId(op);
  const haft_kernel_fn f = op_kind(id) == OpKind::pointwise ? pointwise_kernel(id, dtype) : general_kernel(id);
  if (f) return f;
  const char* why = reason_refused(id);
  *reason = concat("cuda has no ", op_name(id), " for ", is_valid(dtype) ? dtype_name(DType(dtype)) : "an invalid dtype",
                   why ? ": " : "", why ? why : "");
  return nullptr;
}

void* Call::scratch_bytes(int64_t bytes) const {
  void* p = nullptr;
  if (bytes <= 0) return p;
  if (const int32_t s = host->scratch(&call, bytes, &p)) fail(Code(s), call.error ? call.error : "no scratch memory");
  return p;
}
void Call::zero(void* p, int64_t bytes) const {
  if (bytes) check(runtime().fill_async(p, 0, size_t(bytes), stream), name());
}
void Call::copy(void* to, const void* from, int64_t bytes) const {
  if (bytes) check(runtime().copy_async(to, from, size_t(bytes), kDeviceToDevice, stream), name());
}

int multiprocessors(int device) { return device_facts(device).multiprocessors; }

Shape3 blocks_for(const Call& c, int64_t n, int64_t each, int threads) {
  const DeviceFacts& facts = device_facts(c.device());
  const int64_t per_block = int64_t(threads) * each, wanted = (n + per_block - 1) / per_block;
  const int64_t full = int64_t(facts.multiprocessors) * (facts.max_threads_per_multiprocessor / threads) * 4;
  Shape3 s;
  s.grid.x = uint32_t(wanted < 1 ? 1 : wanted < full ? wanted : full);
  s.block.x = uint32_t(threads);
  return s;
}

void fail_not_float(const Call& c, DType t) {
  fail(Code::dtype, concat(c.name(), ": expected a floating dtype, got ", dtype_name(t)), "convert with cast");
}
void fail_dtype(const Call& c, DType t, const char* wanted) {
  fail(Code::dtype, concat(c.name(), ": expected ", wanted, ", got ", dtype_name(t)), "convert with cast");
}

}  // namespace haft::cuda
