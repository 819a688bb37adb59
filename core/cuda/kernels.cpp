#include "core/cuda/kernels.h"

#include <atomic>
#include <mutex>

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
  case OpId::name:            \
    return reason;
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
#define GENERAL(name, ...)                 \
  case OpId::name:                         \
    if constexpr (!is_refused(OpId::name)) \
      return guarded<&k_##name>;           \
    else                                   \
      return nullptr;
#include "core/schema/ops.def"
#undef GENERAL
#undef POINTWISE
#undef VIEW
#undef COMPOSITE
    default: return nullptr;
  }
}

// Handles of __global__ functions, each asked for at its first launch; read without a lock. There is room for several
// times as many kernels as the plug-in has: places are taken one behind the other from where the function's address
// says, and stay.
class KernelHandles {
  static constexpr size_t kPlaces = 8192;
  struct Place {
    std::atomic<const void*> function{nullptr}, kernel{nullptr};
  };
  Place places_[kPlaces];
  std::mutex mutex_;
  size_t taken_ = 0;

  static size_t first_place(const void* function) {
    return size_t(reinterpret_cast<uintptr_t>(function) * 0x9e3779b97f4a7c15ull >> (64 - 13));
  }

 public:
  const void* find(const void* function) const {
    for (size_t i = first_place(function);; i = (i + 1) % kPlaces) {
      const void* at = places_[i].function.load(std::memory_order_acquire);
      if (at == function) [[likely]]
        return places_[i].kernel.load(std::memory_order_relaxed);
      if (!at) return nullptr;
    }
  }
  void add(const void* function, const void* kernel) {
    std::lock_guard lock(mutex_);
    if (find(function) || taken_ == kPlaces / 2) return;
    ++taken_;
    size_t i = first_place(function);
    while (places_[i].function.load(std::memory_order_relaxed)) i = (i + 1) % kPlaces;
    places_[i].kernel.store(kernel, std::memory_order_relaxed);
    places_[i].function.store(function, std::memory_order_release);
  }
};
constinit KernelHandles handles;

[[gnu::cold, gnu::noinline]] const void* ask_for_kernel(const Call& c, const void* function) {
  const void* kernel = nullptr;
  c.use_device();
  check(runtime().kernel_handle(&kernel, function), c.name());
  handles.add(function, kernel);
  return kernel;
}

}  // namespace

int32_t run_guarded(const haft_kernel_call* c, void (*op)(const Call&)) noexcept {
  return guard(c->error, c->error_size, [&] { op(Call(*c)); });
}

haft_kernel_fn find_kernel(uint32_t op, int32_t dtype, std::string* reason) {
  if (op >= uint32_t(kOpCount)) {
    *reason = concat("operator ", op, " does not exist");
    return nullptr;
  }
  const OpId id = OpId(op);
  const haft_kernel_fn f =
      op_kind(id) == OpKind::pointwise ? pointwise_kernel(id, dtype) : general_kernel(id);
  if (f) return f;
  const char* why = reason_refused(id);
  *reason = concat("cuda has no ", op_name(id), " for ",
                   is_valid(dtype) ? dtype_name(DType(dtype)) : "an invalid dtype", why ? ": " : "",
                   why ? why : "");
  return nullptr;
}

Call::Call(const haft_kernel_call& c)
    : CallView(c),
      state(ready_device(c.device_index)),
      stream(c.stream ? reinterpret_cast<Stream>(c.stream) : state.own) {}

void Call::use_device() const {
  if (!scope_) scope_.emplace(device());
}
void launch_kernel(const Call& c, const Launch& l, const char* what) {
  if (is_of_current_device(l.stream)) [[unlikely]]
    c.use_device();
  int status = runtime().launch(l);
  if (status == kInvalidContext) [[unlikely]] {
    c.use_device();
    status = runtime().launch(l);
  }
  check(status, what);
}
void Call::enqueue(Launch& l, const void* function) const {
  l.kernel = handles.find(function);
  if (!l.kernel) [[unlikely]]
    l.kernel = ask_for_kernel(*this, function);
  launch_kernel(*this, l, name());
}
void Call::allow_shared(const void* function, size_t bytes) const {
  use_device();
  check(runtime().allow_shared(function, int(bytes)), name());
}
void* Call::scratch_bytes(int64_t bytes) const {
  void* p = nullptr;
  if (bytes <= 0) return p;
  if (const int32_t s = host->scratch(&call, bytes, &p))
    fail(Code(s), call.error ? call.error : "no scratch memory");
  return p;
}
void Call::zero(void* p, int64_t bytes) const {
  if (!bytes) return;
  use_device();
  check(runtime().fill_async(p, 0, size_t(bytes), stream), name());
}
void Call::copy(void* to, const void* from, int64_t bytes) const {
  if (!bytes) return;
  use_device();
  check(runtime().copy_async(to, from, size_t(bytes), kDeviceToDevice, stream), name());
}

int multiprocessors(int device) { return device_facts(device).multiprocessors; }

Shape3 blocks_for(const Call& c, int64_t n, int64_t each, int threads) {
  const DeviceFacts& facts = c.state.facts;
  const int64_t per_block = int64_t(threads) * each, wanted = (n + per_block - 1) / per_block;
  const int64_t full = int64_t(facts.multiprocessors) * (facts.max_threads_per_multiprocessor / threads) * 4;
  Shape3 s;
  s.grid.x = uint32_t(wanted < 1 ? 1 : wanted < full ? wanted : full);
  s.block.x = uint32_t(threads);
  return s;
}

void fail_not_float(const Call& c, DType t) {
  fail(Code::dtype, concat(c.name(), ": expected a floating dtype, got ", dtype_name(t)),
       "convert with cast");
}
void fail_dtype(const Call& c, DType t, const char* wanted) {
  fail(Code::dtype, concat(c.name(), ": expected ", wanted, ", got ", dtype_name(t)), "convert with cast");
}

}  // namespace haft::cuda
