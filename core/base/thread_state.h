// All that haft keeps per thread, behind one thread-local pointer: an operator reads it once.
#pragma once
#include <pthread.h>

#include <cstdint>

namespace haft {

// Bits of ThreadState::modes. An operator tests the whole word once; a set bit sends the call to
// dispatch/modes.cpp, where higher bits see it first: what is cancelled does nothing at all, autocast decides
// what is called, vmap makes one call for all examples of it, a trace writes that down in place of running it,
// capture and the profiler see what runs.
enum ModeBit : uint32_t {
  kModeProfile = 1u << 0,
  kModeAnomaly = 1u << 1,
  kModeCapture = 1u << 2,
  kModeTrace = 1u << 3,
  kModeBatch = 1u << 4,
  kModeAutocast = 1u << 5,
  kModeStop = 1u << 6,
};

// A per-thread stack of free cells of one size; dispatch and tensor own what the cells mean.
struct FreeList {
  void* head = nullptr;
  uint32_t count = 0;
};

enum PoolId : int { kPoolTensor, kPoolStorage, kPoolNodeS, kPoolNodeM, kPoolNodeL, kPoolCount };
enum SlotId : int {
  kSlotError,
  kSlotHostCache,
  kSlotScope,
  kSlotStream,
  kSlotEngine,
  kSlotProfiler,
  kSlotHandles,
  kSlotStop,
  kSlotAccount,
  kSlotSession,
  kSlotSavedHooks,
  kSlotAutocast,
  kSlotReplay,
  kSlotBatching,
  kSlotCount
};

// In call_flags beside HAFT_CALL_DETERMINISTIC: whoever cannot may go on after a warning.
constexpr uint32_t kOnlyWarn = uint32_t(1) << 31;

// Mixed precision, a bit and a type for each type of device (dispatch/autocast.h). The mode's bit says whether any is
// on.
struct AutocastState {
  uint32_t enabled = 0;
  bool caches = true;
  uint8_t dtype[32] = {};  // 0: the device type's own
};

struct ThreadState {
  uint32_t modes = 0;
  uint32_t entered = 0;  // modes whose handlers are at work on the current call: cleared in `modes`
  bool grad_enabled = true;
  bool inference = false;
  bool in_parallel = false;
  uint32_t call_flags = 0;     // haft_kernel_call.flags (haft/backend.h): deterministic, precision
  int32_t default_device = 0;  // 0: cpu
  int32_t default_dtype = 0;   // 0: float32
  FreeList pools[kPoolCount];
  // Objects that upper layers attach; destroyed at thread exit by the function beside them.
  void* slots[kSlotCount] = {};
  void (*slot_destroy[kSlotCount])(void*) = {};
  // Last: what every call reads stands near the beginning.
  AutocastState autocast;
  // Of each type of device, the index that its name alone means (backend/device.h).
  uint16_t current_device[32] = {};
};

extern constinit thread_local ThreadState* tls_state __attribute__((tls_model("initial-exec")));
ThreadState& make_thread_state();  // cold: first use on a thread

inline ThreadState& thread_state() {
  ThreadState* s = tls_state;
  if (s) [[likely]]
    return *s;
  return make_thread_state();
}

// The start of a thread of our own: its name, and its state, for which it waits when memory is short, since
// nobody could catch the failure.
void enter_thread(const char* name) noexcept;
// Starts one with all signals blocked: the host's are for the host's threads. 0, or the system's error.
int start_quiet_thread(pthread_t& thread, void* (*body)(void*), void* with);

// Saves and restores one field of the thread's state.
template <class T>
struct ScopedValue {
  T& where;
  T old;
  ScopedValue(T& w, T v) : where(w), old(w) { w = v; }
  ~ScopedValue() { where = old; }
  ScopedValue(const ScopedValue&) = delete;
};

struct NoGradGuard : ScopedValue<bool> {
  NoGradGuard() : ScopedValue(thread_state().grad_enabled, false) {}
};

}  // namespace haft
