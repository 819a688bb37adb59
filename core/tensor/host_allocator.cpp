#include "core/tensor/host_allocator.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/system_memory.h"
#include "core/base/thread_state.h"

namespace haft {
namespace {

constexpr int64_t kSmall = 32 * 1024;  // up to here blocks are cached per thread
constexpr int64_t kFold = 64 * 1024;   // change of `live` that a thread keeps to itself
constexpr int64_t kMaxBytes = int64_t(1) << 62;

// Under AddressSanitizer every block comes from and goes to the system, so that it sees misuse.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

// Sizes are 64, 128, 192, 256 and then four a doubling: 320, 384, 448, 512, 640, ...
constexpr int size_class(int64_t bytes) {
  uint64_t u = bytes > 64 ? uint64_t(bytes - 1) / 64 : 0;  // in units of 64 bytes, less one
  if (u < 4) return int(u);
  int e = 63 - std::countl_zero(u);
  return 4 * (e - 1) + int((u >> (e - 2)) & 3);
}
constexpr int64_t class_bytes(int c) {
  if (c < 4) return 64 * (c + 1);
  return int64_t(c % 4 + 5) << (c / 4 + 5);
}
constexpr int kSmallClasses = size_class(kSmall) + 1, kClasses = size_class(kMaxBytes) + 1;
static_assert(class_bytes(size_class(1)) == 64 && class_bytes(size_class(256)) == 256 &&
              class_bytes(size_class(257)) == 320 && class_bytes(size_class(kSmall)) == kSmall &&
              class_bytes(size_class(kMaxBytes)) == kMaxBytes);

// What a free block holds. A chain of blocks of one class travels between caches as one, by its head.
struct Block {
  Block* next;
  Block* next_chain;
  int64_t count;
};

// Full at `cap`, which grows with each time that the thread finds it empty: who only frees what others have made, as
// threads do that take turns in a service, keeps little of it.
struct Bin {
  Block* head = nullptr;
  uint32_t count = 0, cap = 0;
};
constexpr uint32_t cap_for(int c, int64_t bytes, int64_t least) {
  return uint32_t(std::clamp<int64_t>(bytes / class_bytes(c), least, 256));
}
constexpr uint32_t first_cap(int c) { return cap_for(c, 16 * 1024, 1); }
constexpr uint32_t full_cap(int c) { return cap_for(c, 128 * 1024, 4); }

// Counters are written by the owner only and read by anybody: relaxed loads and stores, no locked instruction.
struct Counter {
  std::atomic<int64_t> v{0};
  int64_t get() const { return v.load(std::memory_order_relaxed); }
  void set(int64_t x) { v.store(x, std::memory_order_relaxed); }
  void add(int64_t x) { set(get() + x); }
};

struct alignas(64) ThreadCache {
  Bin bins[kSmallClasses];
  Counter live, allocations, hits;  // not folded into the process's yet
  uint32_t trims = 0;               // of Process::trims, as last seen
  ThreadCache *prev = nullptr, *next = nullptr;
};

struct Process {
  std::mutex mutex;
  // Under the mutex:
  Block* bins[kClasses] = {};
  int64_t cached = 0;                 // bytes in `bins`
  int64_t most_used = 0;              // highest `reserved - cached` so far
  int64_t given_back[kClasses] = {};  // bytes that make_room() gave to the system and nobody asked for since
  int64_t missed = 0;                 // bytes that were
  ThreadCache* caches = nullptr;
  int64_t allocations = 0, hits = 0;  // of threads that ended
  int64_t (*pressure)(void*, int64_t, int64_t) = nullptr;
  void* pressure_user = nullptr;
  // Free for all:
  alignas(64) std::atomic<int64_t> live{0};
  std::atomic<int64_t> peak{0}, reserved{0}, limit{0};
  // Above the first the pressure callback is called; below the second, that is the first again.
  std::atomic<int64_t> mark{INT64_MAX}, lowest_mark{INT64_MAX};
  std::atomic<uint32_t> trims{0};
  std::atomic<void (*)() noexcept> reclaimer{nullptr};
};
constinit Process process;
constinit std::once_flag watching;

void raise(std::atomic<int64_t>& to, int64_t v) {
  int64_t at = to.load(std::memory_order_relaxed);
  while (at < v && !to.compare_exchange_weak(at, v, std::memory_order_relaxed)) {
  }
}

// ---- the process's cache ----

void put_chain(int c, Block* head, int64_t count) {
  head->count = count;
  std::lock_guard lock(process.mutex);
  head->next_chain = process.bins[c];
  process.bins[c] = head;
  process.cached += count * class_bytes(c);
}

Block* take_chain(int c) {
  std::lock_guard lock(process.mutex);
  Block* head = process.bins[c];
  if (!head) return nullptr;
  process.bins[c] = head->next_chain;
  process.cached -= head->count * class_bytes(c);
  return head;
}

void free_block(void* p, int c) {
  int64_t bytes = class_bytes(c);
  system_free(p, bytes);
  process.reserved.fetch_sub(bytes, std::memory_order_relaxed);
}

int64_t free_chains(Block* head, int c) {
  int64_t freed = 0;
  while (head) {
    Block* next_chain = head->next_chain;
    while (head) {
      Block* next = head->next;
      free_block(head, c);
      freed += class_bytes(c);
      head = next;
    }
    head = next_chain;
  }
  return freed;
}

int64_t free_all_chains() {
  int64_t freed = 0;
  for (int c = 0; c < kClasses; ++c) {
    Block* head;
    {
      std::lock_guard lock(process.mutex);
      head = std::exchange(process.bins[c], nullptr);
      for (Block* b = head; b; b = b->next_chain) process.cached -= b->count * class_bytes(c);
    }
    freed += free_chains(head, c);
  }
  return freed;
}

// Programs whose sizes keep changing would fill the cache with blocks of classes that never come back. Before
// the system is asked for more than a quarter above what was ever in use at once, as much is given back to
// it. A program that goes through the same sizes in turn, as training does, soon asks for these again: so
// much more is kept from then on, up to twice of what was ever in use.
void make_room(int wanted) {
  constexpr int64_t kSlack = int64_t(64) << 20;
  const int64_t bytes = class_bytes(wanted);
  {
    std::lock_guard lock(process.mutex);
    if (process.given_back[wanted] > 0) {
      process.given_back[wanted] -= bytes;
      process.missed += bytes;
    }
  }
  for (int c = kClasses - 1; c >= kSmallClasses; --c) {
    Block* victims = nullptr;
    {
      std::lock_guard lock(process.mutex);
      int64_t reserved = process.reserved.load(std::memory_order_relaxed);
      int64_t used = reserved - process.cached + bytes;
      if (used > process.most_used) process.most_used = used;
      int64_t kept = std::min(process.most_used / 4 + kSlack + process.missed, process.most_used + kSlack);
      int64_t excess = reserved + bytes - process.most_used - kept;
      if (excess <= 0) return;
      while (excess > 0 && process.bins[c]) {
        Block* b = process.bins[c];
        process.bins[c] = b->next_chain;
        process.cached -= b->count * class_bytes(c);
        process.given_back[c] += b->count * class_bytes(c);
        excess -= b->count * class_bytes(c);
        b->next_chain = victims;
        victims = b;
      }
    }
    free_chains(victims, c);
  }
}

void* from_system(int c) {
  int64_t bytes = class_bytes(c);
  make_room(c);
  void* p = system_alloc(bytes, int64_t(kHostAlignment));
  if (!p && host_memory_trim() > 0) p = system_alloc(bytes, int64_t(kHostAlignment));
  if (p) process.reserved.fetch_add(bytes, std::memory_order_relaxed);
  return p;
}

// ---- the thread's cache ----

ThreadCache* cache_of(ThreadState& ts) { return static_cast<ThreadCache*>(ts.slots[kSlotHostCache]); }

void flush(ThreadCache& t) {
  for (int c = 0; c < kSmallClasses; ++c) {
    Bin& b = t.bins[c];
    if (b.head) put_chain(c, b.head, b.count);
    b.head = nullptr;
    b.count = 0;
  }
}

void lock_process() { process.mutex.lock(); }
void unlock_process() { process.mutex.unlock(); }

void end_cache(void* p) {
  ThreadCache* t = static_cast<ThreadCache*>(p);
  flush(*t);
  process.live.fetch_add(t->live.get(), std::memory_order_relaxed);
  {
    std::lock_guard lock(process.mutex);
    process.allocations += t->allocations.get();
    process.hits += t->hits.get();
    (t->prev ? t->prev->next : process.caches) = t->next;
    if (t->next) t->next->prev = t->prev;
  }
  delete t;
}

// nullptr when there is no memory even for that; callers then go without a cache.
[[gnu::cold]] ThreadCache* make_cache(ThreadState& ts) {
  std::call_once(watching, [] { on_fork(lock_process, unlock_process, unlock_process); });
  ThreadCache* t = new (std::nothrow) ThreadCache;
  if (!t) return nullptr;
  for (int c = 0; c < kSmallClasses; ++c) t->bins[c].cap = first_cap(c);
  t->trims = process.trims.load(std::memory_order_relaxed);
  {
    std::lock_guard lock(process.mutex);
    t->next = process.caches;
    if (t->next) t->next->prev = t;
    process.caches = t;
  }
  ts.slots[kSlotHostCache] = t;
  ts.slot_destroy[kSlotHostCache] = end_cache;
  return t;
}

// A trim by another thread asks this one to empty its cache at its next visit to the slow path.
void follow_trims(ThreadCache& t) {
  uint32_t now = process.trims.load(std::memory_order_relaxed);
  if (t.trims == now) return;
  t.trims = now;
  flush(t);
}

// Half of a full bin goes to the process.
[[gnu::noinline]] void spill(Bin& b, int c) {
  uint32_t n = b.count / 2;
  Block* head = b.head;
  Block* last = head;
  for (uint32_t i = 1; i < n; ++i) last = last->next;
  b.head = last->next;
  b.count -= n;
  last->next = nullptr;
  put_chain(c, head, n);
}

// ---- accounting ----

void call_pressure(int64_t live, int64_t passed) {
  int64_t (*fn)(void*, int64_t, int64_t);
  void* user;
  {
    std::lock_guard lock(process.mutex);
    fn = process.pressure;
    user = process.pressure_user;
  }
  if (!fn) return;
  const int64_t next = fn(user, live, passed);
  int64_t none = INT64_MAX;
  if (passed >= 0) process.mark.compare_exchange_strong(none, next);  // unless it was set anew meanwhile
}

void reclaim() noexcept {
  if (auto fn = process.reclaimer.load(std::memory_order_acquire)) fn();
}

// What is live now, with what the thread had kept to itself.
int64_t fold_live(ThreadCache* t) {
  int64_t kept = t ? t->live.get() : 0;
  if (t) t->live.set(0);
  return process.live.fetch_add(kept, std::memory_order_relaxed) + kept;
}

// Adds `bytes` and what the thread had kept to itself to the process's count; false when the limit says no.
bool charge(ThreadCache* t, int64_t bytes) {
  int64_t now = fold_live(t) + bytes;
  process.live.fetch_add(bytes, std::memory_order_relaxed);
  const int64_t limit = process.limit.load(std::memory_order_relaxed);
  if (limit > 0 && now > limit) {
    reclaim();
    if ((now = fold_live(t)) > limit) {
      call_pressure(now, -1);  // a garbage-collected host may have something to drop
      now = fold_live(t);
    }
    if (now > limit) {
      process.live.fetch_sub(bytes, std::memory_order_relaxed);
      return false;
    }
  }
  raise(process.peak, now);
  if (now > process.mark.load(std::memory_order_relaxed))
    if (const int64_t mark = process.mark.exchange(INT64_MAX); now > mark) call_pressure(now, mark);
  return true;
}

void discharge(ThreadCache* t, int64_t bytes) {
  int64_t kept = (t ? t->live.get() : 0) - bytes;
  if (t) t->live.set(0);
  int64_t now = process.live.fetch_add(kept, std::memory_order_relaxed) + kept;
  int64_t lowest = process.lowest_mark.load(std::memory_order_relaxed);
  if (lowest != INT64_MAX && now < lowest) process.mark.store(lowest);
}

[[noreturn, gnu::cold]] void refuse(int64_t bytes, const char* why, bool by_limit = false) {
  HostMemoryStats s = host_memory_stats();
  int64_t limit = process.limit.load();
  std::string has = limit > 0 ? concat("limit ", limit, " bytes") : std::string("no limit set");
  fail(Code::out_of_memory,
       concat("out of host memory: ", bytes, " bytes asked for, ", s.live, " live, ", s.reserved,
              " reserved, ", has, "; ", why),
       limit > 0 ? "release tensors, use smaller batches or raise the memory limit"
                 : "release tensors or use smaller batches",
       by_limit ? kMemoryLimit : std::string_view());
}

// ---- slow paths ----

void* small_block(ThreadCache* t, int c) {
  if (t) {
    Bin& b = t->bins[c];
    if (!b.head) {
      b.cap = std::min(2 * b.cap, full_cap(c));
      if (Block* chain = take_chain(c)) {
        b.head = chain;
        b.count = uint32_t(chain->count);
      }
    }
    if (Block* p = b.head) {
      b.head = p->next;
      --b.count;
      t->hits.add(1);
      return p;
    }
  } else if (Block* chain = take_chain(c)) {
    if (chain->next) put_chain(c, chain->next, chain->count - 1);
    return chain;
  }
  return from_system(c);
}

[[gnu::noinline]] void* alloc_slow(int64_t bytes) {
  if (bytes < 0 || bytes > kMaxBytes)
    fail(Code::overflow, concat("a block of ", bytes, " bytes is outside what memory can hold"),
         "the product of the sizes does not fit in 62 bits");
  if (inject_failure()) refuse(bytes, "injected failure");
  ThreadState& ts = thread_state();
  ThreadCache* t = cache_of(ts);
  if (!t) t = make_cache(ts);
  if (t) follow_trims(*t);
  if (t && bytes <= kSmall && t->live.get() + bytes < kFold)
    t->live.add(bytes);
  else if (!charge(t, bytes))
    refuse(bytes, "the limit says no", true);

  int c = size_class(bytes);
  void* p;
  if (!kCaching) {
    p = system_alloc(bytes > 0 ? bytes : 1, int64_t(kHostAlignment));
    if (p) process.reserved.fetch_add(bytes, std::memory_order_relaxed);
  } else if (c < kSmallClasses) {
    p = small_block(t, c);
  } else if ((p = take_chain(c))) {  // chains of large blocks have one link
    if (t) t->hits.add(1);
  } else {
    p = from_system(c);
  }
  if (!p) {
    discharge(t, bytes);
    refuse(bytes, "the system has no more");
  }
  if (t) t->allocations.add(1);
  return p;
}

[[gnu::noinline]] void free_slow(ThreadCache* t, void* p, int64_t bytes) noexcept {
  if (!t) t = make_cache(thread_state());
  if (t) follow_trims(*t);
  discharge(t, bytes);
  int c = size_class(bytes);
  Block* b = static_cast<Block*>(p);
  if (!kCaching) {
    system_free(p, bytes > 0 ? bytes : 1);
    process.reserved.fetch_sub(bytes, std::memory_order_relaxed);
  } else if (t && c < kSmallClasses) {
    Bin& bin = t->bins[c];
    b->next = bin.head;
    bin.head = b;
    if (++bin.count > bin.cap) spill(bin, c);
  } else {
    b->next = nullptr;
    put_chain(c, b, 1);
  }
}

}  // namespace

void* host_alloc(int64_t bytes) {
  if (uint64_t(bytes) <= uint64_t(kSmall) && !injecting_failures()) [[likely]] {
    if (ThreadCache* t = cache_of(thread_state())) [[likely]] {
      Bin& b = t->bins[size_class(bytes)];
      int64_t live = t->live.get() + bytes;
      if (Block* p = b.head; p && live < kFold) [[likely]] {
        b.head = p->next;
        --b.count;
        t->live.set(live);
        t->allocations.add(1);
        t->hits.add(1);
        return p;
      }
    }
  }
  return alloc_slow(bytes);
}

void host_free(void* p, int64_t bytes) noexcept {
  if (!p) return;
  ThreadCache* t = cache_of(thread_state());
  if (kCaching && t && bytes <= kSmall) [[likely]] {
    int c = size_class(bytes);
    Bin& b = t->bins[c];
    int64_t live = t->live.get() - bytes;
    if (live > -kFold) [[likely]] {
      Block* block = static_cast<Block*>(p);
      block->next = b.head;
      b.head = block;
      t->live.set(live);
      if (++b.count > b.cap) [[unlikely]]
        spill(b, c);
      return;
    }
  }
  free_slow(t, p, bytes);
}

int64_t host_decommit(void* p, int64_t bytes) {
  const int64_t given_back = system_decommit(p, bytes);
  if (given_back < 0)
    fail(Code::unsupported,
         "decommit: host memory comes from the program's own functions (haft_memory_set_allocator)",
         "release the tensor instead");
  discharge(cache_of(thread_state()), bytes);
  process.reserved.fetch_sub(given_back, std::memory_order_relaxed);
  return given_back;
}

void host_commit(int64_t bytes, int64_t given_back) {
  if (!charge(cache_of(thread_state()), bytes)) refuse(bytes, "the limit says no", true);
  process.reserved.fetch_add(given_back, std::memory_order_relaxed);
}

void host_free_decommitted(void* p, int64_t bytes, int64_t given_back) noexcept {
  process.live.fetch_add(bytes, std::memory_order_relaxed);
  process.reserved.fetch_add(given_back, std::memory_order_relaxed);
  host_free(p, bytes);
}

HostMemoryStats host_memory_stats() {
  HostMemoryStats s;
  std::lock_guard lock(process.mutex);
  s.live = process.live.load(std::memory_order_relaxed);
  s.reserved = process.reserved.load(std::memory_order_relaxed);
  s.allocations = process.allocations;
  s.cache_hits = process.hits;
  s.limit = process.limit.load(std::memory_order_relaxed);
  for (ThreadCache* t = process.caches; t; t = t->next) {
    s.live += t->live.get();
    s.allocations += t->allocations.get();
    s.cache_hits += t->hits.get();
  }
  raise(process.peak, s.live);
  s.peak = process.peak.load(std::memory_order_relaxed);
  return s;
}

void host_memory_reset_peak() {
  process.peak.store(0, std::memory_order_relaxed);
  host_memory_stats();  // raises it to what is live now
}

int64_t host_memory_trim() {
  const int64_t before = process.reserved.load(std::memory_order_relaxed);
  reclaim();
  int64_t freed = std::max<int64_t>(0, before - process.reserved.load(std::memory_order_relaxed));
  process.trims.fetch_add(1, std::memory_order_relaxed);
  if (ThreadCache* t = cache_of(thread_state())) follow_trims(*t);
  freed += free_all_chains();
  {
    std::lock_guard lock(process.mutex);
    process.most_used = process.missed = 0;
    std::fill_n(process.given_back, kClasses, 0);
  }
  if (freed > 0) malloc_trim(0);
  return freed;
}

void set_host_reclaimer(void (*fn)() noexcept) { process.reclaimer.store(fn, std::memory_order_release); }

void set_host_memory_limit(int64_t bytes) {
  if (bytes < 0)
    fail(Code::invalid_argument, concat("a memory limit cannot be negative, got ", bytes), {}, "bytes");
  process.limit.store(bytes);
}

void ask_host_for_memory() { call_pressure(fold_live(cache_of(thread_state())), -1); }

void set_host_pressure_callback(int64_t mark, int64_t (*fn)(void* user, int64_t live, int64_t passed),
                                void* user) {
  std::lock_guard lock(process.mutex);
  process.pressure = fn;
  process.pressure_user = user;
  process.lowest_mark.store(fn ? mark : INT64_MAX);
  process.mark.store(fn ? mark : INT64_MAX);
}

void set_host_memory_source(void* (*alloc)(void* user, int64_t bytes, int64_t alignment),
                            void (*free)(void* user, void* p, int64_t bytes), void* user) {
  if (!alloc != !free)
    fail(Code::invalid_argument, "a source of memory needs both functions, or neither for the system's own");
  if (!set_system_memory({alloc, free, user}))
    fail(Code::busy, "memory has been allocated already", "set the source before the first tensor is made");
}

void set_host_fail_after(int64_t n) { set_inject_failure(n); }

}  // namespace haft
