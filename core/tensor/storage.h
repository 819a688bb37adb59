// The memory behind tensors: counted, with a version that every in-place write raises. Up to 64 bytes live inside.
#pragma once
#include <atomic>

#include "core/base/pool.h"
#include "core/base/ref.h"
#include "core/tensor/device.h"

namespace haft {

constexpr int64_t kInlineBytes = 64;
constexpr uint64_t kExposed = ~uint64_t(0);  // as the id of a storage: memory that others may write

struct StreamUse;  // core/backend/stream_use.h

struct Storage : RefCounted {
  std::atomic<uint32_t> version{0};
  Device device;
  uint16_t pinned = 0;  // host memory that devices of this type reach by themselves; 0: none
  uint16_t absent = 0;  // 1: it was given back meanwhile; the address stays (core/backend/commit.h)
  void* data = nullptr;
  int64_t bytes = 0;
  void (*release)(Storage&) = nullptr;  // NULL: the data is inline
  void* owner = nullptr;                // what `release` needs: a mapped file, a caller's callback
  uint64_t id = 0;                      // names this memory in caches of packed weights; 0: not asked for yet
  std::atomic<StreamUse*> uses{nullptr};  // streams besides its own that work on it
  union {
    alignas(64) unsigned char inline_data[kInlineBytes];
    // Of cached device or pinned memory: the stream's free list that it goes back to (core/backend/cache.h).
    void* home;
  };

  Storage() {}  // inline_data stays undefined
  void bump() noexcept { version.fetch_add(1, std::memory_order_relaxed); }
  // Code outside the engine may hold the address from now on and write at any time, which raises no version:
  // nothing derived from this memory may be kept.
  void expose() noexcept;
  bool exposed() noexcept { return std::atomic_ref(id).load(std::memory_order_relaxed) == kExposed; }
  static void destroy(Storage* s) noexcept;
  static void finish(Storage* s) noexcept;  // gives memory and cell back: nobody uses it any more
};
static_assert(sizeof(Storage) == 128);

// Memory of a device; undefined content. Small host blocks are inline, others come from the device's allocator.
Ref<Storage> new_storage(ThreadState& ts, Device device, int64_t bytes);
// Memory that somebody else owns; `release` runs once, when the last tensor on it is gone.
Ref<Storage> wrap_storage(Device device, void* data, int64_t bytes, void (*release)(Storage&), void* owner);

// Whether its memory is the engine's own, of the device's allocator or inside the storage.
bool is_from_source(const Storage& s);

// Where the memory of devices comes from; core/backend sets it (the host's allocator serves until then).
struct MemorySource {
  void (*alloc)(Storage&);  // `data` for `bytes` on `device`
  void (*free)(Storage&) noexcept;
  // The last tensor is gone, but `uses` tells of streams: finish() after them.
  void (*retire)(Storage&) noexcept;
};
void set_memory_source(MemorySource s);

// A number that changes whenever the memory has changed; keys caches of derived data. 0 when no copies may be kept:
// of exposed memory, and of the few bytes that lie inside.
uint64_t version_key(Storage& s);

// Told the id in a version_key (its upper half) when that memory goes or is exposed: whoever keeps copies lets go of
// them. Called on any thread, in the midst of releasing.
void set_key_watcher(void (*gone)(uint64_t id) noexcept);

}  // namespace haft
