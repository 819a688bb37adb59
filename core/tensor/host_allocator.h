// Caching allocator for host memory: blocks go back to a per-thread and then a process-wide cache by size
// class (four classes a doubling), large ones lie on huge pages. Fresh pages cost 1.4 us each; recycled ones nothing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace haft {

constexpr size_t kHostAlignment = 64;
// What the errors of memory limits name as the argument at fault: they are the program's own, and no sign that memory
// is out.
constexpr const char* kMemoryLimit = "memory_limit";

// Returns 64-byte aligned memory of at least `bytes`; content is undefined. Fails with out_of_memory, naming
// the request, what is live and the limit, after having trimmed the caches once.
void* host_alloc(int64_t bytes);
void host_free(void* p, int64_t bytes) noexcept;  // `bytes` as asked for; any thread

// Gives the whole pages inside a block back, whose content is lost, and answers how many bytes; the block is not
// counted as live meanwhile. Fails with unsupported where the program's own functions made the memory.
int64_t host_decommit(void* p, int64_t bytes);
void host_commit(int64_t bytes, int64_t given_back);  // counts it again; fails as host_alloc() does
void host_free_decommitted(void* p, int64_t bytes, int64_t given_back) noexcept;

struct HostMemoryStats {
  int64_t live = 0;      // bytes handed out, as asked for
  int64_t peak = 0;      // highest `live` since the last reset
  int64_t reserved = 0;  // bytes held from the system, caches included
  int64_t allocations = 0, cache_hits = 0;
  int64_t limit = 0;  // 0: none
};
HostMemoryStats host_memory_stats();
void host_memory_reset_peak();
int64_t host_memory_trim();                 // gives cached blocks back to the system; bytes freed
void set_host_memory_limit(int64_t bytes);  // 0: none. Counts `live`
// Copies that others keep only to be faster: `fn` lets go of them (outside locks, by any thread) before an
// allocation is refused and at a trim. NULL removes it.
void set_host_reclaimer(void (*fn)() noexcept);
// Called (outside locks) when `live` rises above the mark, which it has passed then, and before a memory limit says
// no (passed is -1); for garbage-collected hosts. It answers the next mark, INT64_MAX for none; once `live` is below
// the first, that holds again. fn == nullptr removes it.
void set_host_pressure_callback(int64_t mark, int64_t (*fn)(void* user, int64_t live, int64_t passed),
                                void* user);
// Calls it for a limit that is kept elsewhere: of a device, of an account. What the host lets go of is gone afterwards.
void ask_host_for_memory();
// The host's own source of memory; only before the first allocation, otherwise fails with busy.
void set_host_memory_source(void* (*alloc)(void* user, int64_t bytes, int64_t alignment),
                            void (*free)(void* user, void* p, int64_t bytes), void* user);
// Test hook: the n-th next allocation fails (0: off). Covers pools too.
void set_host_fail_after(int64_t n);

// Scratch memory of a kernel.
class HostBuffer {
  void* p_ = nullptr;
  int64_t bytes_ = 0;

 public:
  HostBuffer() = default;
  explicit HostBuffer(int64_t bytes) : p_(host_alloc(bytes)), bytes_(bytes) {}
  HostBuffer(HostBuffer&& o) noexcept : p_(o.p_), bytes_(o.bytes_) {
    o.p_ = nullptr;
    o.bytes_ = 0;
  }
  HostBuffer& operator=(HostBuffer&& o) noexcept {
    void* p = p_;
    p_ = o.p_;
    o.p_ = p;
    int64_t b = bytes_;
    bytes_ = o.bytes_;
    o.bytes_ = b;
    return *this;
  }
  HostBuffer(const HostBuffer&) = delete;
  ~HostBuffer() {
    if (p_) host_free(p_, bytes_);
  }
  void* data() const { return p_; }
  int64_t size() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(p_);
  }
};

}  // namespace haft
