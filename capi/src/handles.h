// Handles: numbers dressed as pointers. Each names a slot, the slot's generation and the type of its object,
// so that a released, foreign or mistyped one is told apart without touching memory that may be gone. One
// owned handle is one reference to its object; retaining it counts in the slot.
#pragma once
#include <atomic>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/ref.h"
#include "core/tensor/tensor.h"

namespace haft::capi {

enum class HandleType : uint8_t {
  free = 0,
  tensor = 1,
  generator,
  module,
  optimizer,
  scheduler,
  dataset,
  transform,
  loader,
  weights,
  checkpoint,
  writer,
  profile,
  stream,
  event,
  session,
  request,
  cancel_token,
  node,
  store,
  process_group,
  work,
  device_mesh,
  pipeline,
  data_parallel,
  model_averager,
  rpc,
  rpc_request,
  future,
  parameter_server,
  parameter_client,
  fully_sharded,
  sharded_checkpoint,
  grad_scaler,
  device_graph,
  fused,
  distribution,
  variable_transform,
  evaluator,
  count_,
};
const char* handle_type_name(HandleType t);

struct Slot {
  std::atomic<uint32_t> tag{0};  // generation << 6 | type
  std::atomic<uint32_t> refs{0};
  uint32_t number = 0;  // position in the table
  union {
    void* object;  // one counted pointer: a Ref leaked into the slot
    Slot* next;    // while free
  };
  Slot() : object(nullptr) {}
};

namespace detail {
constexpr uint32_t kChunkBits = 12, kChunkSlots = 1u << kChunkBits, kMaxChunks = 1u << 14;
constexpr uint32_t kNumberBits = 26, kTypeBits = 6, kTagBits = 30;
constexpr uint32_t kTypeMask = (1u << kTypeBits) - 1, kTagMask = (1u << kTagBits) - 1;
constexpr uint64_t kMagic = uint64_t(0x5a) << 56;
static_assert(uint64_t(kMaxChunks) * kChunkSlots == uint64_t(1) << kNumberBits);
static_assert(kNumberBits + kTagBits == 56 && int(HandleType::count_) <= 1 << kTypeBits);
extern std::atomic<Slot*> chunks[kMaxChunks];
[[noreturn, gnu::cold, gnu::noinline]] void fail_handle(const void* h, HandleType want, int index,
                                                        const char* name);
[[gnu::cold, gnu::noinline]] void release_stale(const void* h, HandleType type) noexcept;
}  // namespace detail

// bits: magic 8 | generation 24 | type 6 | slot number 26
[[gnu::always_inline]] inline Slot* find_slot(const void* h, HandleType type) noexcept {
  auto v = reinterpret_cast<uint64_t>(h);
  uint32_t number = uint32_t(v) & ((1u << detail::kNumberBits) - 1);
  if (v >> 56 != detail::kMagic >> 56) return nullptr;
  Slot* c = detail::chunks[number >> detail::kChunkBits].load(std::memory_order_acquire);
  if (!c) return nullptr;
  Slot* s = c + (number & (detail::kChunkSlots - 1));
  uint32_t tag = s->tag.load(std::memory_order_acquire);
  if (tag != (uint32_t(v >> detail::kNumberBits) & detail::kTagMask) ||
      (tag & detail::kTypeMask) != uint32_t(type))
    return nullptr;
  return s;
}
// What type a handle says it is of.
inline HandleType claimed_type(const void* h) noexcept {
  return HandleType(reinterpret_cast<uint64_t>(h) >> detail::kNumberBits & detail::kTypeMask);
}

// The slot of a handle that must be live and of that type; index and name go into the error.
[[gnu::always_inline]] inline Slot& slot_of(const void* h, HandleType type, int index, const char* name) {
  Slot* s = find_slot(h, type);
  if (!s) [[unlikely]]
    detail::fail_handle(h, type, index, name);
  return *s;
}

// Free slots of one thread, the longest free first, so that the generations of many slots go by before a
// stale handle could pass for a new one. The last kSlotDelay of them are not handed out. What is too much
// goes to the shared list, and all at thread exit.
struct SlotCache {
  Slot* head = nullptr;
  Slot* tail = nullptr;  // means something while count > 0
  uint32_t count = 0;
};
constexpr uint32_t kSlotCacheCap = 1024, kSlotDelay = 32;

namespace detail {
[[gnu::cold, gnu::noinline]] SlotCache& make_cache(ThreadState& ts);
[[gnu::cold, gnu::noinline]] void refill(SlotCache& c);
[[gnu::cold, gnu::noinline]] void spill(SlotCache& c, uint32_t keep);
[[gnu::cold, gnu::noinline]] void first_free(Slot* s) noexcept;  // on a thread without a cache
[[gnu::noinline]] void destroy_object(HandleType type, void* object) noexcept;
}  // namespace detail

inline SlotCache& slot_cache(ThreadState& ts) {
  void* p = ts.slots[kSlotHandles];
  return p ? *static_cast<SlotCache*>(p) : detail::make_cache(ts);
}

// `static` what every operator goes through: it is compiled as its file is, while of inline functions that several
// files share the linker takes the first copy, perhaps one that was compiled for size.

// Takes over one count of the object.
static inline void* new_handle(ThreadState& ts, HandleType type, void* object) {
  SlotCache& c = slot_cache(ts);
  if (c.count <= kSlotDelay) [[unlikely]]
    detail::refill(c);
  Slot* s = c.head;
  c.head = s->next;
  --c.count;
  s->object = object;
  s->refs.store(1, std::memory_order_relaxed);
  uint32_t tag = s->tag.load(std::memory_order_relaxed) | uint32_t(type);  // of a free slot: generation only
  s->tag.store(tag, std::memory_order_release);
  return reinterpret_cast<void*>(detail::kMagic | uint64_t(tag) << detail::kNumberBits | s->number);
}
inline void* new_handle(HandleType type, void* object) { return new_handle(thread_state(), type, object); }
// One more owner; a handle that its last owner gives up meanwhile is stale, never a crash.
void retain_handle(const void* h, HandleType type);
// What is released when the last count of a slot goes; set once per type.
void set_handle_destroy(HandleType type, void (*destroy)(void* object) noexcept);
// What follows when the last owner of a slot is gone.
static inline void free_slot(Slot* s, HandleType type) noexcept {
  void* object = s->object;
  // The next generation makes every copy of the handle stale before the object goes.
  s->tag.store((s->tag.load(std::memory_order_relaxed) + (1u << detail::kTypeBits)) &
                   (detail::kTagMask & ~detail::kTypeMask),
               std::memory_order_release);
  if (type == HandleType::tensor) [[likely]]
    Ref<TensorImpl>::adopt(static_cast<TensorImpl*>(object));
  else
    detail::destroy_object(type, object);
  auto* c = static_cast<SlotCache*>(thread_state().slots[kSlotHandles]);
  if (!c || c->count == 0) [[unlikely]]
    return detail::first_free(s);
  c->tail->next = s;
  c->tail = s;
  if (++c->count > kSlotCacheCap) [[unlikely]]
    detail::spill(*c, kSlotCacheCap / 2);
}
static inline void release_handle(void* h, HandleType type) noexcept {
  if (!h) return;
  Slot* s = find_slot(h, type);
  if (!s) [[unlikely]]
    return detail::release_stale(h, type);
  uint32_t owners = s->refs.load(std::memory_order_relaxed);
  if (__libc_single_threaded)
    s->refs.store(owners - 1, std::memory_order_relaxed);
  else
    owners = s->refs.fetch_sub(1, std::memory_order_acq_rel);
  if (owners == 1) free_slot(s, type);
}
int64_t live_handles(HandleType type);  // for leak reports

// Objects other than tensors: counted, and guarded against use by two threads at once.
struct HandleObject : RefCounted {
  virtual ~HandleObject() = default;
  std::atomic<uint64_t> user{0};  // thread that is inside an exclusive call; 0: nobody
};

// Marks an object as in use by this thread; fails with busy, or with recursive when the same thread is inside
// already.
class Exclusive {
  HandleObject& o_;

 public:
  Exclusive(HandleObject& o, const char* what);
  ~Exclusive() { o_.user.store(0, std::memory_order_release); }
  Exclusive(const Exclusive&) = delete;
};

}  // namespace haft::capi
