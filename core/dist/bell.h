// What a rank that waits sleeps on: a count that goes up when something has changed for it. It may lie in shared
// memory, and starts as zeros.
#pragma once
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>

#include "core/base/sync.h"

namespace haft::dist {

struct Bell {
  alignas(64) std::atomic<uint32_t> count;
  std::atomic<uint32_t> sleepers;

  uint32_t now() const { return count.load(std::memory_order_seq_cst); }
  void ring() {
    count.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst))
      syscall(SYS_futex, &count, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  // Whether it is no longer `seen`, looked at so often.
  bool spin(uint32_t seen, int times) const {
    for (int i = 0; i < times; ++i) {
      if (count.load(std::memory_order_acquire) != seen) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    return false;
  }
  // Comes back when it is no longer `seen`, or at `until` (now_ns), but no later than in 10 ms. Before it sleeps it
  // spins so often, and then lets others compute for so many ns.
  void wait(uint32_t seen, int64_t until, int spins, int64_t yields = 0) {
    if (spin(seen, spins)) return;
    for (const int64_t end = yields ? now_ns() + yields : 0; yields; yields = now_ns() < end) {
      sched_yield();
      if (count.load(std::memory_order_acquire) != seen) return;
    }
    const timespec t{0, long(std::clamp<int64_t>(until - now_ns(), 0, kSlice))};
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, &count, FUTEX_WAIT, seen, &t, nullptr, 0);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }

  static constexpr int64_t kSlice = 10000000;  // ns
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace haft::dist
