#include "core/tensor/storage.h"

#include <new>

#include "core/base/error.h"
#include "core/tensor/account.h"
#include "core/tensor/host_allocator.h"

namespace haft {

namespace {

MemorySource memory_source{[](Storage& s) { s.data = host_alloc(s.bytes); },
                           [](Storage& s) noexcept { host_free(s.data, s.bytes); }, [](Storage&) noexcept {}};

void (*key_watcher)(uint64_t) noexcept = [](uint64_t) noexcept {};

bool has_key(uint64_t id) { return id != 0 && id != kExposed; }

// Of a storage with memory outside itself.
void let_go(Storage& s) noexcept {
  if (has_key(s.id)) [[unlikely]]
    key_watcher(s.id);
  s.release(s);
}

void release_to_source(Storage& s) { memory_source.free(s); }

void release_to_account(Storage& s) {
  release_to_source(s);
  auto account = Ref<MemoryAccount>::adopt(static_cast<MemoryAccount*>(s.owner));
  account->discharge(s.bytes);
}

[[gnu::noinline]] void alloc_charged(Storage& s, MemoryAccount& account) {
  account.charge(s.bytes);
  try {
    memory_source.alloc(s);
  } catch (...) {
    account.discharge(s.bytes);
    throw;
  }
  s.owner = Ref<MemoryAccount>::share(&account).leak();
  s.release = release_to_account;
}

}  // namespace

bool is_from_source(const Storage& s) {
  return !s.release || s.release == release_to_source || s.release == release_to_account;
}

void set_memory_source(MemorySource s) { memory_source = s; }

Ref<Storage> new_storage(ThreadState& ts, Device device, int64_t bytes) {
  auto s = Ref<Storage>::adopt(new (pool_take(ts, kPoolStorage, sizeof(Storage))) Storage);
  s->device = device;
  s->bytes = bytes;
  if (bytes <= kInlineBytes && device.is_cpu()) [[likely]] {
    s->data = s->inline_data;
  } else if (bytes && ts.slots[kSlotAccount]) [[unlikely]] {
    alloc_charged(*s, *static_cast<MemoryAccount*>(ts.slots[kSlotAccount]));
  } else if (bytes) {
    memory_source.alloc(*s);
    s->release = release_to_source;
  }
  return s;
}

Ref<Storage> wrap_storage(Device device, void* data, int64_t bytes, void (*release)(Storage&), void* owner) {
  auto s = Ref<Storage>::adopt(new (pool_take(thread_state(), kPoolStorage, sizeof(Storage))) Storage);
  s->device = device;
  s->data = data;
  s->bytes = bytes;
  s->release = release ? release : [](Storage&) {};
  s->owner = owner;
  s->home = nullptr;
  return s;
}

void Storage::destroy(Storage* s) noexcept {
  if (s->release) {
    if (s->uses.load(std::memory_order_acquire)) [[unlikely]]
      return memory_source.retire(*s);
    let_go(*s);
  }
  pool_give(thread_state(), kPoolStorage, s);
}

void Storage::finish(Storage* s) noexcept {
  if (s->release) let_go(*s);
  pool_give(thread_state(), kPoolStorage, s);
}

void Storage::expose() noexcept {
  if (exposed()) return;
  const uint64_t was = std::atomic_ref(id).exchange(kExposed);
  if (has_key(was)) key_watcher(was);
}

void set_key_watcher(void (*gone)(uint64_t id) noexcept) { key_watcher = gone; }

uint64_t version_key(Storage& s) {
  static std::atomic<uint32_t> next{0};
  if (!s.release) return 0;
  uint64_t id = std::atomic_ref(s.id).load(std::memory_order_relaxed);
  if (!id) {
    uint64_t fresh;
    // After 2^32 of them numbers come again, but none that is in use at one address.
    while ((fresh = ++next) == 0) {
    }
    id = std::atomic_ref(s.id).compare_exchange_strong(id, fresh) ? fresh : id;
  }
  if (id == kExposed) return 0;
  return id << 32 | s.version.load(std::memory_order_relaxed);
}

}  // namespace haft
