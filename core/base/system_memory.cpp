#include "core/base/system_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "core/base/fork.h"

namespace haft {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kShareFrom = INT64_MAX, kMapFrom = INT64_MAX;  // it guards what comes from malloc
#else
constexpr int64_t kShareFrom = int64_t(64) << 10, kMapFrom = int64_t(1) << 20;
#endif
constexpr int64_t kHugePage = int64_t(2) << 20, kPage = 4096;

constinit SystemMemory source;
constinit std::atomic<bool> used{false};
constinit std::mutex mutex;

int64_t mapped_size(int64_t bytes) { return (bytes + kPage - 1) & -kPage; }

// A mapping below 2 MiB cannot hold a huge page of its own; unaligned neighbours merge and may share one.
void* map(int64_t bytes, int64_t alignment = kHugePage) {
  int64_t size = mapped_size(bytes), slack = size >= kHugePage ? alignment : 0;
  void* p = mmap(nullptr, size_t(size + slack), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (slack) {
    uintptr_t at = uintptr_t(p), aligned = (at + uintptr_t(slack) - 1) & -uintptr_t(slack);
    if (aligned != at) munmap(p, aligned - at);
    if (uintptr_t end = at + uintptr_t(size + slack); end != aligned + uintptr_t(size))
      munmap(reinterpret_cast<void*>(aligned + uintptr_t(size)), end - aligned - uintptr_t(size));
    p = reinterpret_cast<void*>(aligned);
  }
  madvise(p, size_t(size), MADV_HUGEPAGE);
  return p;
}

int64_t give_back_pages(void* p, int64_t bytes) {
  const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE)), at = uintptr_t(p);
  const uintptr_t first = (at + page - 1) & -page, end = (at + uintptr_t(bytes)) & -page;
  if (first >= end || madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED) != 0) return 0;
  return int64_t(end - first);
}

// Blocks of middle size lie side by side in regions of huge pages: streams of many small pages, as of an optimizer's
// step over tensors of 400 KB, wait for translations (10 million elements of Adam: 6.7 against 5.0 ms). A block's
// addresses are used once; its pages go back when it is freed, and the region when its last one is.
constexpr int64_t kRegion = int64_t(8) << 20;
struct Region {
  int64_t used;    // bytes from its begin on, this head included
  int64_t blocks;  // not freed yet
};
constinit std::mutex region_mutex;
constinit std::once_flag region_watched;
constinit Region* filling = nullptr;

void lock_regions() { region_mutex.lock(); }
void unlock_regions() { region_mutex.unlock(); }

void* share(int64_t bytes, int64_t alignment) {
  std::call_once(region_watched, [] { on_fork(lock_regions, unlock_regions, unlock_regions); });
  std::lock_guard lock(region_mutex);
  auto place = [&] { return (filling->used + alignment - 1) & -alignment; };
  if (!filling || place() + bytes > kRegion) {
    void* p = map(kRegion, kRegion);
    if (!p) return nullptr;
    filling = new (p) Region{sizeof(Region), 0};
  }
  const int64_t at = place();
  filling->used = at + bytes;
  ++filling->blocks;
  return reinterpret_cast<char*>(filling) + at;
}

void free_shared(void* p, int64_t bytes) {
  Region* const region = reinterpret_cast<Region*>(uintptr_t(p) & -uintptr_t(kRegion));
  std::lock_guard lock(region_mutex);
  if (--region->blocks > 0) {
    give_back_pages(p, bytes);
    return;
  }
  if (region == filling) filling = nullptr;
  munmap(region, size_t(kRegion));
}

}  // namespace

void* system_alloc(int64_t bytes, int64_t alignment) noexcept {
  if (!used.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex);
    used.store(true, std::memory_order_release);
  }
  if (source.alloc) return source.alloc(source.user, bytes, alignment);
  if (bytes >= kMapFrom) return map(bytes);
  if (bytes >= kShareFrom) return share(bytes, alignment);
  void* p = nullptr;
  return posix_memalign(&p, size_t(alignment), size_t(bytes)) == 0 ? p : nullptr;
}

void system_free(void* p, int64_t bytes) noexcept {
  if (source.alloc) {
    if (source.free) source.free(source.user, p, bytes);
  } else if (bytes >= kMapFrom) {
    munmap(p, size_t(mapped_size(bytes)));
  } else if (bytes >= kShareFrom) {
    free_shared(p, bytes);
  } else {
    std::free(p);
  }
}

bool system_can_decommit() noexcept { return !source.alloc; }

int64_t system_decommit(void* p, int64_t bytes) noexcept {
  return source.alloc ? -1 : give_back_pages(p, bytes);
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
