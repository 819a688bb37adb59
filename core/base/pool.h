// Fixed-size cells recycled through per-thread free lists with a capped spill to a global list, so that
// tensors freed on a finalizer thread come back to the threads that allocate. Cells are never returned to the
// system. Under AddressSanitizer every cell is a block of its own, so that it sees use after free, overruns
// and leaks.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/base/thread_state.h"

namespace haft {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPooling = false;
#else
constexpr bool kPooling = true;
#endif

namespace detail {
void* pool_block(size_t cell_size);  // without pooling
void pool_free_block(void* p);
// Takes a batch from the global list or carves a slab.
void* pool_refill(ThreadState& ts, PoolId id, size_t cell_size);
void pool_spill(ThreadState& ts, PoolId id);  // gives half of a full list to the global list
void pool_leave(ThreadState& ts, PoolId id);  // gives all of it: the thread ends
}  // namespace detail

constexpr uint32_t kPoolCap = 512;  // cells a thread keeps before it spills

// Cells are 64-byte aligned; the first word of a free cell links to the next. `cell_size` is one per id, ever.
inline void* pool_take(ThreadState& ts, PoolId id, size_t cell_size) {
  if constexpr (!kPooling) return detail::pool_block(cell_size);
  FreeList& l = ts.pools[id];
  if (void* p = l.head) [[likely]] {
    l.head = *static_cast<void**>(p);
    --l.count;
    return p;
  }
  return detail::pool_refill(ts, id, cell_size);
}

inline void pool_give(ThreadState& ts, PoolId id, void* p) {
  if constexpr (!kPooling) return detail::pool_free_block(p);
  FreeList& l = ts.pools[id];
  *static_cast<void**>(p) = l.head;
  l.head = p;
  if (++l.count > kPoolCap) [[unlikely]]
    detail::pool_spill(ts, id);
}

int64_t pool_reserved_bytes();  // slabs carved so far

}  // namespace haft
