// Memory of devices and the ways bytes take between them.
//
// The host's own memory comes from core/tensor/host_allocator. Every other device has a cache of blocks by
// stream and size class (cache.h): memory is made on the thread's current stream, goes back to that stream's
// list without any event, and serves the stream's later work at once. Who hands memory to another stream says
// so with record_stream; copies do it themselves.
#pragma once
#include <haft/backend.h>

#include <cstdint>

#include "core/backend/device.h"
#include "core/tensor/storage.h"

namespace haft {

class StreamBlocks;
class BlockCache;

// Memory and where it goes back to: NULL for the host's.
struct DeviceBlock {
  void* p = nullptr;
  StreamBlocks* home = nullptr;
};
// At least `bytes` bytes for the current stream, content undefined; NULL for 0 bytes. Fails with
// out_of_memory after giving the device's caches back and trying again, with unavailable or forked when the
// device cannot serve.
DeviceBlock device_alloc(Device d, int64_t bytes);
// Any thread; `bytes` as asked for. Other streams have passed what they did with it.
void device_free(Device d, DeviceBlock block, int64_t bytes) noexcept;

// What set_memory_source wants: storages from the host's allocator and the devices' caches.
MemorySource device_memory_source();

// Work of stream s of device d that was enqueued, or will be while the storage lives, uses its memory: the
// memory serves nobody else before that work has run. Needed where the storage was made on another stream.
void record_stream(Storage& storage, Device d, haft_raw_stream s);

struct DeviceMemoryStats {
  int64_t live = 0;      // bytes handed out, as asked for
  int64_t peak = 0;      // highest `live` since the last reset
  int64_t reserved = 0;  // bytes held from the device, caches included
  int64_t allocations = 0, cache_hits = 0;
  int64_t limit = 0;                             // 0: none
  int64_t total = -1, free = -1;                 // what the device itself says; -1: unknown
  int64_t pinned_live = 0, pinned_reserved = 0;  // for the device's type (pinned.h); the CPU's: for all
  int64_t peak_reserved = -1;                    // highest `reserved` since the last reset; -1: not counted
  int64_t retries = 0;                           // requests served when caches had been given back
  int64_t failures = 0;                          // requests that failed for want of memory
};
DeviceMemoryStats device_memory_stats(Device d);
std::vector<Device> devices_in_use();  // the CPU, and those that have been asked for memory
void device_memory_reset_peak(Device d);
// Gives cached blocks back, and those of pinned memory for its type; the CPU's, for all types. Bytes freed.
int64_t device_memory_trim(Device d);
// Waits for all devices in use and trims each, and the host. Fails afterwards with the first error of their work.
void trim_all_memory();
void set_device_memory_limit(Device d, int64_t bytes);  // 0: none. Counts `live`

// Copies in the order of the current streams of both devices. `blocking` waits until the bytes have arrived.
// Host memory is read or written on return, so src may be changed or freed then; device memory stays in use
// until its stream has passed.
void copy_bytes(Device dst_device, void* dst, Device src_device, const void* src, int64_t bytes,
                bool blocking);
// The same between places in storages, which are held until the copy has happened. Without `blocking`, copies
// from and to pinned memory (pinned.h) happen later: who reads what came to the host waits for the stream or
// an event on it.
void copy_between(Storage& dst_storage, void* dst, Storage& src_storage, const void* src, int64_t bytes,
                  bool blocking);

// Waits for all streams of the device and fails with the error of any work that failed since.
void synchronize(Device d);

namespace detail {
BlockCache& device_cache(Device d);  // made at its first use
// Of commit.h, for storages off the CPU.
void device_decommit(Storage& s);
void device_commit(Storage& s);
void device_free_decommitted(Storage& s) noexcept;
bool reap_retired(Device d) noexcept;  // finishes storages whose streams have passed; true when there was one
}  // namespace detail

}  // namespace haft
