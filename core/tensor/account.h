// Who pays for tensors: while a thread has an account, the memory of tensors made there counts against its
// limit until the last of them is gone, wherever that is. Data of up to kInlineBytes is free.
#pragma once
#include <atomic>

#include "core/base/error.h"
#include "core/base/ref.h"
#include "core/base/thread_state.h"

namespace haft {

struct MemoryAccount : RefCounted {
  std::atomic<int64_t> live{0}, peak{0};
  const int64_t limit;  // bytes; 0: none

  explicit MemoryAccount(int64_t most) : limit(most) {}

  void charge(int64_t bytes) {
    int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (limit > 0 && now > limit) [[unlikely]] {
      live.fetch_sub(bytes, std::memory_order_relaxed);
      now = charge_at_limit(bytes);
    }
    int64_t top = peak.load(std::memory_order_relaxed);
    while (top < now && !peak.compare_exchange_weak(top, now, std::memory_order_relaxed)) {
    }
  }
  void discharge(int64_t bytes) noexcept { live.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  // Asks a garbage-collected host for what it holds without need, and tries again.
  [[gnu::cold, gnu::noinline]] int64_t charge_at_limit(int64_t bytes);
};

// The thread's tensors count there for the scope's time; nullptr: nowhere.
struct AccountScope : ScopedValue<void*> {
  explicit AccountScope(MemoryAccount* a) : ScopedValue(thread_state().slots[kSlotAccount], a) {}
};

}  // namespace haft
