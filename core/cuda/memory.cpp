// Memory of devices and of the host.
#include "core/cuda/capture.h"
#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/mapped.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

void free_memory(int device, void* p, int64_t bytes, Stream s) {
  if (bytes >= kSmallestMapped)
    unmap_behind(device, p, s);
  else
    runtime().free_async(p, s);
}

namespace {

int32_t alloc(int32_t index, int64_t bytes, haft_raw_stream s, void** out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    const Stream stream = stream_of(index, s);
    refuse_recording(index, stream, "memory that is no arena's");
    if (bytes >= kSmallestMapped) {
      *out = map_memory(index, bytes);
      return;
    }
    int status = runtime().malloc_async(out, size_t(bytes), stream);
    if (status == kMemoryAllocation && unmap_passed(index, true))
      status = runtime().malloc_async(out, size_t(bytes), stream);
    check(status, "memory");
  });
}
void free(int32_t index, void* p, int64_t bytes, haft_raw_stream s) {
  quietly_on(index, [&] { free_or_hold(index, p, bytes, stream_of(index, s)); });
}

int32_t decommit(int32_t index, void* p, int64_t bytes, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    refuse_any_recording(index, "giving memory back");
    if (bytes >= kSmallestMapped) decommit_mapped(index, p);  // what is smaller stays
  });
}
int32_t commit(int32_t index, void* p, int64_t bytes, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    if (bytes >= kSmallestMapped) commit_mapped(index, p);
  });
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
    unmap_passed(index, false);
    size_t free, total;
    check(runtime().memory_info(&free, &total), "the device's memory");
    out->free = int64_t(free);
    out->total = int64_t(total);
  });
}
int32_t trim(int32_t index, int64_t* freed, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    refuse_any_recording(index, "giving memory back");
    size_t before, after, total;
    check(runtime().memory_info(&before, &total), "the device's memory");
    check(runtime().device_synchronize(), "waiting for the device");
    unmap_passed(index, true);
    check(runtime().pool_trim(index, 0), "the device's pool of memory");
    check(runtime().memory_info(&after, &total), "the device's memory");
    *freed = after > before ? int64_t(after - before) : 0;
  });
}

}  // namespace

void fill_memory(haft_backend* t) {
  t->alloc = alloc;
  t->free = free;
  t->decommit = decommit;
  t->commit = commit;
  t->pinned_alloc = pinned_alloc;
  t->pinned_free = pinned_free;
  t->memory_info = memory_info;
  t->trim = trim;
}

}  // namespace haft::cuda
