#include "core/base/thread_state.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "core/base/error.h"
#include "core/base/pool.h"

namespace haft {

constinit thread_local ThreadState* tls_state = nullptr;

namespace {

pthread_key_t key;
pthread_once_t once = PTHREAD_ONCE_INIT;
constinit int key_error = 0;

// Destroying one slot may fill another again (freed tensors refill the allocator's cache), hence the rounds.
void destroy_slots(ThreadState& s) {
  for (int round = 0; round < 8; ++round) {
    bool any = false;
    for (int i = 0; i < kSlotCount; ++i) {
      void* p = s.slots[i];
      if (!p) continue;
      any = true;
      s.slots[i] = nullptr;
      if (s.slot_destroy[i]) s.slot_destroy[i](p);
    }
    if (!any) return;
  }
}

// For threads that find no memory for a state at their first call: what releases objects must not fail.
constexpr int kReserve = 32;
struct Reserve {
  alignas(ThreadState) unsigned char memory[sizeof(ThreadState)];
  std::atomic<bool> taken{false};
};
constinit Reserve reserve[kReserve];

ThreadState* take_reserve() {
  for (Reserve& r : reserve)
    if (!r.taken.exchange(true, std::memory_order_acquire)) return new (r.memory) ThreadState;
  return nullptr;
}

void dispose(ThreadState* s) {
  for (Reserve& r : reserve)
    if (static_cast<void*>(s) == r.memory) {
      s->~ThreadState();
      return r.taken.store(false, std::memory_order_release);
    }
  delete s;
}

// Runs after C++ thread-local destructors. A later key's destructor that uses haft gets a new state, and the
// system then calls this again for it.
void end_thread(void* p) {
  ThreadState* s = static_cast<ThreadState*>(p);
  tls_state = s;
  destroy_slots(*s);
  for (int i = 0; i < kPoolCount; ++i) detail::pool_leave(*s, PoolId(i));
  tls_state = nullptr;
  dispose(s);
}

}  // namespace

ThreadState& make_thread_state() {
  pthread_once(&once, [] { key_error = pthread_key_create(&key, end_thread); });
  ThreadState* s = new (std::nothrow) ThreadState;
  if (!s) s = take_reserve();
  if (!s) fail(Code::out_of_memory, "no memory for the state of a new thread");
  // Without a key the state simply lives as long as the process.
  if (key_error == 0) pthread_setspecific(key, s);
  tls_state = s;
  return *s;
}

int start_quiet_thread(pthread_t& thread, void* (*body)(void*), void* with) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread, nullptr, body, with);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

void enter_thread(const char* name) noexcept {
  pthread_setname_np(pthread_self(), name);
  while (true) {
    try {
      thread_state();
      return;
    } catch (...) {
      usleep(1000);
    }
  }
}

}  // namespace haft
