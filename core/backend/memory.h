// Memory of devices and the ways bytes take between them.
//
// The host's own memory comes from core/tensor/host_allocator. Every other device gets a cache of blocks by
// size class. A freed block may be handed out again at once while all work of its device goes through the
// default stream, because later work runs after the work that still uses it. Once the device has other
// streams, a freed block waits until each of them has passed the point where it was freed (an event per
// stream, batched).
#pragma once
#include <cstdint>

#include "core/backend/device.h"

namespace haft {

// At least `bytes` bytes, content undefined; NULL for 0 bytes. Fails with out_of_memory after giving the
// device's caches back and trying again, with unavailable or forked when the device cannot serve.
void* device_alloc(Device d, int64_t bytes);
void device_free(Device d, void* p, int64_t bytes) noexcept;  // `bytes` as asked for; any thread

struct DeviceMemoryStats {
  int64_t live = 0;      // bytes handed out, as asked for
  int64_t peak = 0;      // highest `live` since the last reset
  int64_t reserved = 0;  // bytes held from the device, caches included
  int64_t allocations = 0, cache_hits = 0;
  int64_t limit = 0;              // 0: none
  int64_t total = -1, free = -1;  // what the device itself says; -1: unknown
};
DeviceMemoryStats device_memory_stats(Device d);
void device_memory_reset_peak(Device d);
int64_t device_memory_trim(Device d);                   // gives cached blocks back; bytes freed
void set_device_memory_limit(Device d, int64_t bytes);  // 0: none. Counts `live`

// Copies in the order of the current streams of both devices. `blocking` waits until the bytes have arrived.
// Copies to the host always wait: nobody could know when its memory may be read. `src` may be changed or
// freed on return.
void copy_bytes(Device dst_device, void* dst, Device src_device, const void* src, int64_t bytes,
                bool blocking);

// Waits for all streams of the device and fails with the error of any work that failed since.
void synchronize(Device d);

}  // namespace haft
