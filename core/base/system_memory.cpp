#include "core/base/system_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

namespace haft {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kMapFrom = INT64_MAX;  // it guards what comes from malloc
#else
constexpr int64_t kMapFrom = int64_t(1) << 20;
#endif
constexpr int64_t kHugePage = int64_t(2) << 20, kPage = 4096;

constinit SystemMemory source;
constinit std::atomic<bool> used{false};
constinit std::mutex mutex;

int64_t mapped_size(int64_t bytes) { return (bytes + kPage - 1) & -kPage; }

// A mapping below 2 MiB cannot hold a huge page of its own; unaligned neighbours merge and may share one.
void* map(int64_t bytes) {
  int64_t size = mapped_size(bytes), slack = size >= kHugePage ? kHugePage : 0;
  void* p = mmap(nullptr, size_t(size + slack), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (slack) {
    uintptr_t at = uintptr_t(p), aligned = (at + uintptr_t(kHugePage) - 1) & -uintptr_t(kHugePage);
    if (aligned != at) munmap(p, aligned - at);
    if (uintptr_t end = at + uintptr_t(size + slack); end != aligned + uintptr_t(size))
      munmap(reinterpret_cast<void*>(aligned + uintptr_t(size)), end - aligned - uintptr_t(size));
    p = reinterpret_cast<void*>(aligned);
  }
  madvise(p, size_t(size), MADV_HUGEPAGE);
  return p;
}

}  // namespace

void* system_alloc(int64_t bytes, int64_t alignment) noexcept {
  if (!used.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex);
    used.store(true, std::memory_order_release);
  }
  if (source.alloc) return source.alloc(source.user, bytes, alignment);
  if (bytes >= kMapFrom) return map(bytes);
  void* p = nullptr;
  return posix_memalign(&p, size_t(alignment), size_t(bytes)) == 0 ? p : nullptr;
}

void system_free(void* p, int64_t bytes) noexcept {
  if (source.alloc) {
    if (source.free) source.free(source.user, p, bytes);
  } else if (bytes >= kMapFrom) {
    munmap(p, size_t(mapped_size(bytes)));
  } else {
    std::free(p);
  }
}

bool system_can_decommit() noexcept { return !source.alloc; }

int64_t system_decommit(void* p, int64_t bytes) noexcept {
  if (source.alloc) return -1;
  const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE)), at = uintptr_t(p);
  const uintptr_t first = (at + page - 1) & -page, end = (at + uintptr_t(bytes)) & -page;
  if (first >= end || madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED) != 0) return 0;
  return int64_t(end - first);
}

bool set_system_memory(const SystemMemory& s) {
  std::lock_guard lock(mutex);
  if (used.load(std::memory_order_relaxed)) return false;
  source = s;
  return true;
}

namespace detail {

constinit std::atomic<int64_t> failure_countdown{0};

bool count_down_failure() noexcept { return failure_countdown.fetch_sub(1, std::memory_order_relaxed) == 1; }

}  // namespace detail

void set_inject_failure(int64_t n) { detail::failure_countdown.store(n, std::memory_order_relaxed); }

}  // namespace haft
