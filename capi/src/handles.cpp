#include "capi/src/handles.h"

#include <mutex>

#include "core/base/log.h"

namespace haft::capi {

namespace {

constexpr uint32_t kCacheCap = 1024;

// Free slots of one thread; spilled to the shared list at thread exit and when there are too many.
struct Cache {
  Slot* head = nullptr;
  uint32_t count = 0;
};

std::mutex shared_mutex;
Slot* shared_free = nullptr;
uint32_t chunk_count = 0;
void (*destroyers[int(HandleType::count_)])(void*) noexcept;

void spill(Cache& c, uint32_t keep) {
  std::lock_guard lock(shared_mutex);
  while (c.count > keep) {
    Slot* s = c.head;
    c.head = s->next;
    --c.count;
    s->next = shared_free;
    shared_free = s;
  }
}

void destroy_cache(void* p) {
  auto* c = static_cast<Cache*>(p);
  spill(*c, 0);
  delete c;
}

Cache& cache() {
  ThreadState& ts = thread_state();
  void*& p = ts.slots[kSlotHandles];
  if (!p) [[unlikely]] {
    p = new Cache;
    ts.slot_destroy[kSlotHandles] = destroy_cache;
  }
  return *static_cast<Cache*>(p);
}

[[gnu::cold, gnu::noinline]] void refill(Cache& c) {
  std::lock_guard lock(shared_mutex);
  if (!shared_free) {
    if (chunk_count == detail::kMaxChunks)
      fail(Code::out_of_memory, concat("more than ", int64_t(detail::kMaxChunks) * detail::kChunkSlots, " handles are alive"),
           "release what you no longer use, or open a scope");
    Slot* chunk = new Slot[detail::kChunkSlots];
    for (uint32_t i = detail::kChunkSlots; i-- > 0;) {
      chunk[i].number = chunk_count << detail::kChunkBits | i;
      chunk[i].next = shared_free;
      shared_free = &chunk[i];
    }
    detail::chunks[chunk_count++].store(chunk, std::memory_order_release);
  }
  for (int i = 0; i < 64 && shared_free; ++i) {
    Slot* s = shared_free;
    shared_free = s->next;
    s->next = c.head;
    c.head = s;
    ++c.count;
  }
}

}  // namespace

namespace detail {

std::atomic<Slot*> chunks[kMaxChunks];

void release_stale(const void* h, HandleType type) noexcept {
  try {
    fail_handle(h, type, 0, "handle");
  } catch (const Error& e) {
    log_warning(concat("release: ", e.message));
  } catch (...) {
  }
}

}  // namespace detail

const char* handle_type_name(HandleType t) {
  constexpr const char* names[] = {"free", "tensor", "generator", "module", "optimizer", "scheduler", "dataset", "transform",
                                   "loader", "weights", "checkpoint", "writer", "profile", "stream", "event"};
  static_assert(std::size(names) == size_t(HandleType::count_));
  return names[int(t)];
}

void* new_handle(HandleType type, void* object) {
  Cache& c = cache();
  if (!c.head) [[unlikely]] refill(c);
  Slot* s = c.head;
  c.head = s->next;
  --c.count;
  s->object = object;
  s->refs.store(1, std::memory_order_relaxed);
  uint32_t tag = (s->tag.load(std::memory_order_relaxed) & 0xffff00) | uint32_t(type);
  s->tag.store(tag, std::memory_order_release);
  return reinterpret_cast<void*>(detail::kMagic | uint64_t(tag) << 32 | s->number);
}

void retain_handle(const void* h, HandleType type) {
  slot_of(h, type, 0, "handle").refs.fetch_add(1, std::memory_order_relaxed);
}

void set_handle_destroy(HandleType type, void (*destroy)(void*) noexcept) { destroyers[int(type)] = destroy; }

void release_handle(void* h, HandleType type) noexcept {
  if (!h) return;
  Slot* s = find_slot(h, type);
  if (!s) [[unlikely]] return detail::release_stale(h, type);
  if (s->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  void* object = s->object;
  // The next generation makes every copy of the handle stale before the object goes.
  s->tag.store((s->tag.load(std::memory_order_relaxed) + 0x100) & 0xffff00, std::memory_order_release);
  if (type == HandleType::tensor) [[likely]] Ref<TensorImpl>::adopt(static_cast<TensorImpl*>(object));
  else destroyers[int(type)](object);
  Cache& c = cache();
  s->next = c.head;
  c.head = s;
  if (++c.count > kCacheCap) [[unlikely]] spill(c, kCacheCap / 2);
}

// Counts by walking the table: a counter would cost every operator two locked instructions.
int64_t live_handles(HandleType type) {
  std::lock_guard lock(shared_mutex);
  int64_t n = 0;
  for (uint32_t k = 0; k < chunk_count; ++k) {
    const Slot* chunk = detail::chunks[k].load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < detail::kChunkSlots; ++i)
      n += (chunk[i].tag.load(std::memory_order_relaxed) & 0xff) == uint32_t(type);
  }
  return n;
}

Exclusive::Exclusive(HandleObject& o, const char* what) : o_(o) {
  uint64_t me = reinterpret_cast<uint64_t>(&thread_state()), nobody = 0;
  if (o.user.compare_exchange_strong(nobody, me, std::memory_order_acq_rel)) return;
  if (nobody == me)
    fail(Code::recursive, concat("a callback of this ", what, " called back into it"), "do this after the call has returned");
  fail(Code::busy, concat("another thread is using this ", what), "guard it with a lock, or give each thread its own");
}

}  // namespace haft::capi
