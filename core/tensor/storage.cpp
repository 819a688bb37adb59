#include "core/tensor/storage.h"

#include <new>

#include "core/base/error.h"
#include "core/tensor/account.h"
#include "core/tensor/host_allocator.h"

namespace haft {

namespace {

MemorySource memory_source{[](Storage& s) { s.data = host_alloc(s.bytes); },
                           [](Storage& s) noexcept { host_free(s.data, s.bytes); }, [](Storage&) noexcept {}};

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
  if (s->release && s->uses.load(std::memory_order_acquire)) [[unlikely]]
    return memory_source.retire(*s);
  finish(s);
}

void Storage::finish(Storage* s) noexcept {
  if (s->release) s->release(*s);
  pool_give(thread_state(), kPoolStorage, s);
}

uint64_t version_key(Storage& s) {
  static std::atomic<uint32_t> next{1};
  uint64_t id = std::atomic_ref(s.id).load(std::memory_order_relaxed);
  if (!id) {
    uint64_t fresh = next.fetch_add(1, std::memory_order_relaxed);
    id = std::atomic_ref(s.id).compare_exchange_strong(id, fresh) ? fresh : id;
  }
  if (id == kExposed) return 0;
  return id << 32 | s.version.load(std::memory_order_relaxed);
}

}  // namespace haft
