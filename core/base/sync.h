// What the threads of a session meet at: mutex, condition, threads, clock. One header, so that a test can put its own
// in their place and try the orders in which threads may run (tests/serve/explore.h).
#pragma once
#include <cstdint>

#ifdef HAFT_SYNC
#include HAFT_SYNC
#else
#include <pthread.h>

#include <condition_variable>
#include <mutex>

namespace haft {

using Mutex = std::mutex;
using Condition = std::condition_variable;
using Thread = pthread_t;

// 0, or the system's error.
inline int start_thread(Thread& t, void* (*body)(void*), void* with) {
  return pthread_create(&t, nullptr, body, with);
}
inline void join_thread(Thread t) { pthread_join(t, nullptr); }
inline void detach_thread(Thread t) { pthread_detach(t); }

}  // namespace haft
#endif

namespace haft {

int64_t now_ns();  // of the monotonic clock

}  // namespace haft
