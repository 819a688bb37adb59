// Where memory comes from: the system (malloc below 64 KiB, huge pages above) or the host's own functions.
// Callers cache; nothing here is fast.
#pragma once
#include <atomic>
#include <cstdint>

namespace haft {

// nullptr when there is none. `alignment` is a power of two up to 4096.
void* system_alloc(int64_t bytes, int64_t alignment) noexcept;
void system_free(void* p, int64_t bytes) noexcept;  // `bytes` as asked for
// Gives whole pages of an allocation back, whose addresses stay and whose content is lost: the bytes given back, -1
// where the memory is the host program's own.
int64_t system_decommit(void* p, int64_t bytes) noexcept;
bool system_can_decommit() noexcept;  // false: memory is the program's own functions'

struct SystemMemory {
  void* (*alloc)(void* user, int64_t bytes, int64_t alignment) = nullptr;
  void (*free)(void* user, void* p, int64_t bytes) = nullptr;
  void* user = nullptr;
};
bool set_system_memory(const SystemMemory& s);  // false once anything was allocated

namespace detail {
extern std::atomic<int64_t> failure_countdown;
bool count_down_failure() noexcept;
}  // namespace detail

// Failure injection for tests: the n-th next call of inject_failure() answers true (n = 0: off).
void set_inject_failure(int64_t n);
inline bool injecting_failures() { return detail::failure_countdown.load(std::memory_order_relaxed) > 0; }
inline bool inject_failure() { return injecting_failures() && detail::count_down_failure(); }

}  // namespace haft
