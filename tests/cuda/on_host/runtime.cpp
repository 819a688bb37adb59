// CUDA's runtime, simulated in the host's memory.
#include "core/cuda/runtime.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "blocks.h"

namespace haft::cuda {

namespace {

constexpr int kDevices = 2;
using cuda_on_host::BlockLaunch;
using cuda_on_host::Index3;

thread_local int current = -1;

const char* error_name(int e) {
  switch (e) {
    case kSuccess: return "cudaSuccess";
    case kMemoryAllocation: return "cudaErrorMemoryAllocation";
    case kInvalidDevice: return "cudaErrorInvalidDevice";
    default: return "cudaErrorInvalidValue";
  }
}
const char* error_text(int e) {
  switch (e) {
    case kSuccess: return "no error";
    case kMemoryAllocation: return "out of memory";
    case kInvalidDevice: return "invalid device ordinal";
    default: return "invalid argument";
  }
}

int allocate(void** p, size_t n) {
  *p = std::aligned_alloc(256, (n + 255) / 256 * 256);
  if (*p) std::memset(*p, 0xff, n);
  return *p ? kSuccess : kMemoryAllocation;
}

int launch(const Launch& l) {
  BlockLaunch b{
      l.function, l.invoke, l.arguments, {l.grid.x, l.grid.y, l.grid.z}, {l.block.x, l.block.y, l.block.z},
      l.shared};
  bool backwards = false;
  for (unsigned z = 0; z < l.grid.z; ++z)
    for (unsigned y = 0; y < l.grid.y; ++y)
      for (unsigned x = 0; x < l.grid.x; ++x, backwards = !backwards)
        run_block(b, Index3{x, y, z}, backwards);
  return kSuccess;
}

Runtime make() {
  Runtime r = {};
  r.error_name = error_name;
  r.error_text = error_text;
  r.driver_version = r.runtime_version = [](int* v) { return *v = 13000, 0; };
  r.device_count = [](int* n) { return *n = kDevices, 0; };
  r.set_device = [](int d) { return d < 0 || d >= kDevices ? int(kInvalidDevice) : (current = d, 0); };
  r.get_context = [](Context* c) { return *c = reinterpret_cast<Context>(intptr_t(current + 1)), 0; };
  r.set_context = [](Context c) { return current = int(reinterpret_cast<intptr_t>(c)) - 1, 0; };
  r.facts = [](int d, DeviceFacts* f) {
    *f = {};
    std::strcpy(f->name, "Simulated GPU");
    std::strcpy(f->pci, d ? "0000:00:01.0" : "0000:00:00.0");
    f->uuid[15] = uint8_t(d);
    f->major = 9, f->minor = 0, f->multiprocessors = 4, f->clock_khz = 1000000;
    f->max_threads_per_multiprocessor = 2048, f->max_shared_per_block = 227 << 10;
    f->total_memory = int64_t(1) << 33, f->l2_cache = 1 << 20, f->memory_pools = 1;
    return 0;
  };
  r.memory_info = [](size_t* free, size_t* total) { return *free = *total = size_t(1) << 33, 0; };
  r.last_error = [] { return 0; };
  r.malloc_async = [](void** p, size_t n, Stream) { return allocate(p, n); };
  r.free_async = [](void* p, Stream) { return std::free(p), 0; };
  r.pool_keep = [](int) { return 0; };
  r.pool_trim = [](int, size_t) { return 0; };
  r.malloc = r.host_alloc = allocate;
  r.free = r.host_free = [](void* p) { return std::free(p), 0; };
  r.copy_async = [](void* to, const void* from, size_t n, CopyKind, Stream) {
    return std::memmove(to, from, n), 0;
  };
  r.copy_peer_async = [](void* to, int, const void* from, int, size_t n, Stream) {
    return std::memmove(to, from, n), 0;
  };
  r.fill_async = [](void* p, int byte, size_t n, Stream) { return std::memset(p, byte, n), 0; };
  r.can_access_peer = [](int* can, int, int) { return *can = 1, 0; };
  r.enable_peer = [](int) { return 0; };
  r.stream_create = [](Stream* s, int) { return *s = static_cast<Stream>(std::malloc(1)), 0; };
  r.stream_destroy = [](Stream s) { return std::free(s), 0; };
  r.stream_synchronize = [](Stream) { return 0; };
  r.stream_query = [](Stream) { return 0; };
  r.stream_wait_event = [](Stream, Event) { return 0; };
  r.device_synchronize = [] { return 0; };
  r.event_create = [](Event* e, int) { return *e = static_cast<Event>(std::malloc(1)), 0; };
  r.event_destroy = [](Event e) { return std::free(e), 0; };
  r.event_record = [](Event, Stream) { return 0; };
  r.event_query = [](Event) { return 0; };
  r.event_synchronize = [](Event) { return 0; };
  r.event_elapsed = [](float* ms, Event, Event) { return *ms = 0, 0; };
  r.launch = launch;
  r.allow_shared = [](const void*, int) { return 0; };
  return r;
}

}  // namespace

const Runtime& runtime() {
  static const Runtime table = make();
  return table;
}

}  // namespace haft::cuda
