#include "core/base/pool.h"

#include <atomic>
#include <mutex>
#include <new>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/system_memory.h"

namespace haft {
namespace {

constexpr size_t kSlab = 64 * 1024, kCellAlignment = 64;
constexpr uint32_t kBatch = kPoolCap / 2;

// The head of a batch: a chain of free cells that travels as one, so that no list is walked under the lock.
struct Batch {
  void* next_cell;
  Batch* next_batch;
  uint32_t count;
};
static_assert(sizeof(Batch) <= kCellAlignment);

struct Global {
  std::mutex mutex;
  Batch* batches = nullptr;
};
constinit Global globals[kPoolCount];
constinit std::atomic<int64_t> reserved{0};
constinit std::once_flag watching;

void lock_all() {
  for (Global& g : globals) g.mutex.lock();
}
void unlock_all() {
  for (Global& g : globals) g.mutex.unlock();
}

void give_batch(PoolId id, void* head, uint32_t count) {
  Batch* b = static_cast<Batch*>(head);
  b->count = count;
  std::lock_guard lock(globals[id].mutex);
  b->next_batch = globals[id].batches;
  globals[id].batches = b;
}

// Links `count` cells from `at` on into a chain.
void* chain(char* at, uint32_t count, size_t stride) {
  for (uint32_t i = 0; i + 1 < count; ++i) *reinterpret_cast<void**>(at + i * stride) = at + (i + 1) * stride;
  *reinterpret_cast<void**>(at + (count - 1) * stride) = nullptr;
  return at;
}

}  // namespace

namespace detail {

void* pool_block(size_t cell_size) {
  if (inject_failure()) fail(Code::out_of_memory, "out of memory for engine objects (injected failure)");
  return ::operator new(cell_size, std::align_val_t(kCellAlignment));
}

void pool_free_block(void* p) { ::operator delete(p, std::align_val_t(kCellAlignment)); }

void* pool_refill(ThreadState& ts, PoolId id, size_t cell_size) {
  if (inject_failure()) fail(Code::out_of_memory, "out of memory for engine objects (injected failure)");
  std::call_once(watching, [] { on_fork(lock_all, unlock_all, unlock_all); });
  FreeList& l = ts.pools[id];
  Batch* b;
  {
    std::lock_guard lock(globals[id].mutex);
    b = globals[id].batches;
    if (b) globals[id].batches = b->next_batch;
  }
  if (b) {
    l.head = b->next_cell;
    l.count = b->count - 1;
    return b;
  }
  size_t stride = (cell_size + kCellAlignment - 1) & -kCellAlignment;
  uint32_t cells = stride < kSlab ? uint32_t(kSlab / stride) : 1;
  int64_t bytes = int64_t(cells * stride);
  char* slab = static_cast<char*>(system_alloc(bytes, kCellAlignment));
  if (!slab)
    fail(Code::out_of_memory,
         concat("out of memory for engine objects: the system refused ", bytes, " bytes"),
         "free tensors, or lower the memory limit so that it is reached before the system's");
  reserved.fetch_add(bytes, std::memory_order_relaxed);
  uint32_t own = cells < kBatch ? cells : kBatch;
  void* first = chain(slab, own, stride);
  for (uint32_t at = own; at < cells; at += kBatch) {
    uint32_t n = cells - at < kBatch ? cells - at : kBatch;
    give_batch(id, chain(slab + at * stride, n, stride), n);
  }
  l.head = *static_cast<void**>(first);
  l.count = own - 1;
  return first;
}

void pool_spill(ThreadState& ts, PoolId id) {
  FreeList& l = ts.pools[id];
  void* head = l.head;
  void* last = head;
  for (uint32_t i = 1; i < kBatch; ++i) last = *static_cast<void**>(last);
  l.head = *static_cast<void**>(last);
  l.count -= kBatch;
  *static_cast<void**>(last) = nullptr;
  give_batch(id, head, kBatch);
}

void pool_leave(ThreadState& ts, PoolId id) {
  FreeList& l = ts.pools[id];
  if (l.head) give_batch(id, l.head, l.count);
  l = {};
}

}  // namespace detail

int64_t pool_reserved_bytes() { return reserved.load(std::memory_order_relaxed); }

}  // namespace haft
