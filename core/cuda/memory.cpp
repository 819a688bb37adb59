// Memory of devices and of the host.
#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

namespace {

int32_t alloc(int32_t index, int64_t bytes, haft_raw_stream s, void** out, char* error, uint32_t size) {
  return guard_on(index, error, size,
                  [&] { check(runtime().malloc_async(out, size_t(bytes), stream_of(index, s)), "memory"); });
}
void free(int32_t index, void* p, int64_t, haft_raw_stream s) {
  quietly_on(index, [&] { runtime().free_async(p, stream_of(index, s)); });
}

int32_t pinned_alloc(int32_t index, int64_t bytes, void** out, char* error, uint32_t size) {
  return guard_on(index, error, size,
                  [&] { check(runtime().host_alloc(out, size_t(bytes)), "pinned memory"); });
}
void pinned_free(int32_t index, void* p, int64_t) {
  quietly_on(index, [&] { runtime().host_free(p); });
}

int32_t memory_info(int32_t index, haft_backend_memory* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    size_t free, total;
    check(runtime().memory_info(&free, &total), "the device's memory");
    out->free = int64_t(free);
    out->total = int64_t(total);
  });
}
int32_t trim(int32_t index, int64_t* freed, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    size_t before, after, total;
    check(runtime().memory_info(&before, &total), "the device's memory");
    check(runtime().pool_trim(index, 0), "the device's pool of memory");
    check(runtime().memory_info(&after, &total), "the device's memory");
    *freed = after > before ? int64_t(after - before) : 0;
  });
}

}  // namespace

void fill_memory(haft_backend* t) {
  t->alloc = alloc;
  t->free = free;
  t->pinned_alloc = pinned_alloc;
  t->pinned_free = pinned_free;
  t->memory_info = memory_info;
  t->trim = trim;
}

}  // namespace haft::cuda
