#include "capi/src/handles.h"

#include <mutex>

#include "core/base/log.h"

namespace haft::capi {

namespace {

std::mutex shared_mutex;
SlotCache shared_free;  // under the mutex
uint32_t chunk_count = 0;
void (*destroyers[int(HandleType::count_)])(void*) noexcept;

void push(SlotCache& c, Slot* s) noexcept {
  (c.count++ ? c.tail->next : c.head) = s;
  c.tail = s;
}
Slot* pop(SlotCache& c) noexcept {
  Slot* s = c.head;
  if (--c.count) c.head = s->next;
  return s;
}

}  // namespace

namespace detail {

std::atomic<Slot*> chunks[kMaxChunks];

void spill(SlotCache& c, uint32_t keep) {
  std::lock_guard lock(shared_mutex);
  while (c.count > keep) push(shared_free, pop(c));
}

SlotCache& make_cache(ThreadState& ts) {
  auto* c = new SlotCache;
  ts.slots[kSlotHandles] = c;
  ts.slot_destroy[kSlotHandles] = [](void* p) {
    auto* old = static_cast<SlotCache*>(p);
    spill(*old, 0);
    delete old;
  };
  return *c;
}

void first_free(Slot* s) noexcept {
  try {
    return push(slot_cache(thread_state()), s);
  } catch (...) {  // no memory for a cache
  }
  std::lock_guard lock(shared_mutex);
  push(shared_free, s);
}

void refill(SlotCache& c) {
  constexpr uint32_t kAtOnce = kSlotDelay + 64;
  std::lock_guard lock(shared_mutex);
  if (shared_free.count < kAtOnce && chunk_count < kMaxChunks) {
    Slot* chunk = new Slot[kChunkSlots];
    for (uint32_t i = 0; i < kChunkSlots; ++i) {
      chunk[i].number = chunk_count << kChunkBits | i;
      push(shared_free, &chunk[i]);
    }
    chunks[chunk_count++].store(chunk, std::memory_order_release);
  }
  if (c.count + shared_free.count <= kSlotDelay)
    fail(Code::out_of_memory, concat("more than ", int64_t(kMaxChunks) * kChunkSlots, " handles are alive"),
         "release what you no longer use, or open a scope");
  for (uint32_t i = 0; i < kAtOnce && shared_free.count; ++i) push(c, pop(shared_free));
}

void destroy_object(HandleType type, void* object) noexcept { destroyers[int(type)](object); }

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
  constexpr const char* names[] = {"free",
                                   "tensor",
                                   "generator",
                                   "module",
                                   "optimizer",
                                   "scheduler",
                                   "dataset",
                                   "transform",
                                   "loader",
                                   "weights",
                                   "checkpoint",
                                   "writer",
                                   "profile",
                                   "stream",
                                   "event",
                                   "session",
                                   "request",
                                   "cancel token",
                                   "node",
                                   "store",
                                   "process group",
                                   "work",
                                   "device mesh",
                                   "pipeline",
                                   "data parallel",
                                   "model averager",
                                   "rpc agent",
                                   "rpc request",
                                   "future",
                                   "parameter server",
                                   "parameter client",
                                   "fully sharded unit",
                                   "sharded checkpoint",
                                   "grad scaler",
                                   "device graph",
                                   "fused function",
                                   "distribution",
                                   "variable transform",
                                   "evaluator"};
  static_assert(std::size(names) == size_t(HandleType::count_));
  return names[int(t)];
}

void retain_handle(const void* h, HandleType type) {
  Slot& s = slot_of(h, type, 0, "handle");
  uint32_t owners = s.refs.load(std::memory_order_relaxed);
  do {
    if (owners == 0) detail::fail_handle(h, type, 0, "handle");
  } while (!s.refs.compare_exchange_weak(owners, owners + 1, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  if (find_slot(h, type) == &s) [[likely]]
    return;
  // The slot went to another object between the look and the count, which is that object's: give it back.
  if (s.refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free_slot(&s, HandleType(s.tag.load(std::memory_order_acquire) & detail::kTypeMask));
  detail::fail_handle(h, type, 0, "handle");
}

void set_handle_destroy(HandleType type, void (*destroy)(void*) noexcept) { destroyers[int(type)] = destroy; }

// Counts by walking the table: a counter would cost every operator two locked instructions.
int64_t live_handles(HandleType type) {
  std::lock_guard lock(shared_mutex);
  int64_t n = 0;
  for (uint32_t k = 0; k < chunk_count; ++k) {
    const Slot* chunk = detail::chunks[k].load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < detail::kChunkSlots; ++i)
      n += (chunk[i].tag.load(std::memory_order_relaxed) & detail::kTypeMask) == uint32_t(type);
  }
  return n;
}

Exclusive::Exclusive(HandleObject& o, const char* what) : o_(o) {
  uint64_t me = reinterpret_cast<uint64_t>(&thread_state()), nobody = 0;
  if (o.user.compare_exchange_strong(nobody, me, std::memory_order_acq_rel)) return;
  if (nobody == me)
    fail(Code::recursive, concat("a callback of this ", what, " called back into it"),
         "do this after the call has returned");
  fail(Code::busy, concat("another thread is using this ", what),
       "guard it with a lock, or give each thread its own");
}

}  // namespace haft::capi
