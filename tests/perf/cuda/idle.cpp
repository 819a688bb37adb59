// CUDA's runtime and cuBLASLt where nothing is done and all calls are counted: under the plug-in's code for the host,
// and its kernels' launches, so that what an operator costs there can be counted without a GPU. Addresses of the
// device are numbers that nothing stands behind.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/cuda/cublaslt.h"
#include "core/cuda/runtime.h"

namespace haft::cuda {

namespace {

struct Counter {
  const char* name;
  long calls = 0;
};
std::vector<Counter*>& counters() {
  static auto* all = new std::vector<Counter*>;
  return *all;
}

// A function of the table that counts its calls and does what Body does: nothing, where nothing else is said.
template <auto kSlot, class Body>
struct Idle;
template <class R, class... A, R (*Runtime::*kSlot)(A...), class Body>
struct Idle<kSlot, Body> {
  static inline Counter counter{};
  static R call(A... arguments) {
    ++counter.calls;
    return Body()(arguments...);
  }
};
constexpr auto kNothing = [](auto...) { return 0; };
template <auto kSlot, class Body = decltype(kNothing)>
void fill(Runtime& r, const char* name, Body = {}) {
  using Function = Idle<kSlot, std::remove_cv_t<Body>>;
  Function::counter.name = name;
  counters().push_back(&Function::counter);
  r.*kSlot = Function::call;
}

thread_local Context current = nullptr;

// Memory, streams, events, graphs: each is the next number.
template <class T>
int next(T* out, size_t bytes = 512) {
  static std::mutex mutex;
  static uintptr_t at = uintptr_t(1) << 46;
  std::lock_guard lock(mutex);
  *out = reinterpret_cast<T>(at);
  at += (bytes + 511) / 512 * 512;
  return 0;
}
constexpr auto kNext = [](auto* out, auto...) { return next(out); };
constexpr auto kMemory = [](void** out, size_t bytes, auto...) { return next(out, bytes); };

int facts(int, DeviceFacts* f) {
  *f = {};
  std::strcpy(f->name, "an idle GPU");
  f->major = 9;
  f->multiprocessors = 132;
  f->max_threads_per_multiprocessor = 2048;
  f->max_shared_per_block = 227 << 10;
  f->total_memory = int64_t(141) << 30;
  return 0;
}

Runtime make() {
  Runtime r = {};
  r.error_name = r.error_text = [](int) { return "an error"; };
  r.driver_version = r.runtime_version = [](int* v) { return *v = 13000, 0; };
  r.device_count = [](int* n) { return *n = 1, 0; };
  r.facts = facts;
#define IDLE(slot, ...) fill<&Runtime::slot>(r, #slot __VA_OPT__(, ) __VA_ARGS__)
  IDLE(set_device, [](int) { return next(&current); });
  IDLE(get_context, [](Context* c) { return *c = current, 0; });
  IDLE(set_context, [](Context c) { return current = c, 0; });
  IDLE(memory_info, [](size_t* free, size_t* total) { return *free = *total = size_t(141) << 30, 0; });
  IDLE(last_error);
  IDLE(malloc_async, kMemory);
  IDLE(free_async);
  IDLE(pool_keep);
  IDLE(pool_trim);
  IDLE(malloc, kMemory);
  IDLE(free);
  IDLE(host_alloc, [](void** out, size_t bytes) { return *out = ::operator new(bytes), 0; });
  IDLE(host_free, [](void* p) { return ::operator delete(p), 0; });
  IDLE(reserve, kMemory);
  IDLE(release_reserved);
  IDLE(map);
  IDLE(unmap);
  IDLE(granule, [](int, size_t* n) { return *n = size_t(2) << 20, 0; });
  IDLE(is_pinned, [](const void*) { return false; });
  IDLE(copy_async);
  IDLE(copy_peer_async);
  IDLE(fill_async);
  IDLE(can_access_peer);
  IDLE(enable_peer);
  IDLE(stream_create, kNext);
  IDLE(stream_destroy);
  IDLE(stream_synchronize);
  IDLE(stream_query);
  IDLE(stream_device);
  IDLE(stream_wait_event);
  IDLE(device_synchronize);
  IDLE(event_create, kNext);
  IDLE(event_destroy);
  IDLE(event_record);
  IDLE(event_query);
  IDLE(event_synchronize);
  IDLE(event_elapsed);
  IDLE(capture_begin);
  IDLE(capture_end, [](Stream, Graph* g) { return next(g); });
  IDLE(capture_status, [](Stream, CaptureStatus* s) { return *s = kCapturing, 0; });
  IDLE(graph_instantiate, kNext);
  IDLE(graph_launch);
  IDLE(graph_exec_destroy);
  IDLE(graph_destroy);
  IDLE(kernel_handle, [](const void** kernel, const void* function) { return *kernel = function, 0; });
  IDLE(launch);
  IDLE(allow_shared);
  IDLE(library_load);
  IDLE(kernel_of);
#undef IDLE
  r.range_push = [](const char*) {};
  r.range_pop = [] {};
  return r;
}

// ---- cuBLASLt ----

Counter product{"cublasLtMatmul"};

int matmul(LtHandle, LtMatmul, const void*, const void*, LtLayout, const void*, LtLayout, const void*,
           const void*, LtLayout, void*, LtLayout, const LtAlgorithm*, void*, size_t, Stream) {
  ++product.calls;
  return 0;
}
int heuristic(LtHandle, LtMatmul, LtLayout, LtLayout, LtLayout, LtLayout, LtPreference, int,
              LtHeuristic* best, int* got) {
  *best = {};
  best->workspace = size_t(1) << 20;
  return *got = 1, 0;
}
int nothing() { return 0; }
int create(void** out) { return next(out); }  // the other arguments of what is made are not looked at
size_t version() { return 130100; }

}  // namespace

const Runtime& runtime() {
  static const Runtime table = make();
  return table;
}

}  // namespace haft::cuda

namespace haft::cuda_on_host {

void* simulated_function(const char* name) {
  using namespace haft::cuda;
  const std::string_view n = name;
  if (!n.starts_with("cublasLt")) return nullptr;
  if (n == "cublasLtGetVersion") return reinterpret_cast<void*>(version);
  if (n == "cublasLtMatmul") return reinterpret_cast<void*>(matmul);
  if (n == "cublasLtMatmulAlgoGetHeuristic") return reinterpret_cast<void*>(heuristic);
  return n.ends_with("Create") ? reinterpret_cast<void*>(create) : reinterpret_cast<void*>(nothing);
}

}  // namespace haft::cuda_on_host

// For tests/perf/op_cost.c: all calls since they were forgotten, and a turn's by name.
extern "C" {
[[gnu::visibility("default")]] void haft_idle_forget() {
  haft::cuda::product.calls = 0;
  for (haft::cuda::Counter* c : haft::cuda::counters()) c->calls = 0;
}
[[gnu::visibility("default")]] long haft_idle_calls() {
  long sum = haft::cuda::product.calls;
  for (const haft::cuda::Counter* c : haft::cuda::counters()) sum += c->calls;
  return sum;
}
[[gnu::visibility("default")]] void haft_idle_print(long turns) {
  auto print = [&](const haft::cuda::Counter& c) {
    if (c.calls) std::printf(" %s=%.3g", c.name, double(c.calls) / double(turns));
  };
  print(haft::cuda::product);
  for (const haft::cuda::Counter* c : haft::cuda::counters()) print(*c);
}
}
