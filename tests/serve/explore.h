// Tries the orders in which the threads of a small program may run. Its threads are fibers of one thread of the system;
// at every lock, wait and point() an explorer says which of them goes on, and whether time passes. The engine's code
// that is compiled with HAFT_SYNC naming this file (core/base/sync.h) has its mutexes, conditions, threads and clock
// from here.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace haft {

class Mutex {
  int owner_ = 0;  // number of a fiber
  friend class Condition;

 public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex&) = delete;
  void lock();
  void unlock();
};

class Condition {
  std::vector<bool*> waiting_;  // each says whether it has been woken

  void wait(Mutex& m, int64_t until_ns);

 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  void notify_one();
  void notify_all();
  void wait(std::unique_lock<Mutex>& lock) { wait(*lock.mutex(), INT64_MAX); }
  void wait_until(std::unique_lock<Mutex>& lock, std::chrono::steady_clock::time_point t) {
    wait(*lock.mutex(), t.time_since_epoch().count());
  }
};

using Thread = int;
int start_thread(Thread& t, void* (*body)(void*), void* with);
void join_thread(Thread t);
inline void detach_thread(Thread) {}

namespace explore {

// For the program that is tried:
Thread start(std::function<void()> body);
int self();     // 1: the program's first thread
int threads();  // started so far
bool has_ended(Thread t);
int locks_held();                    // by the thread
void note(const std::string& what);  // told when the run fails
void point();                        // another thread may go on here
void sleep_us(int64_t us);           // of virtual time
void fail(std::string message);      // ends this run and all that would follow; does not return in a thread

struct Options {
  int deviations = 2;  // all runs that differ from the plain order in so many places at most ...
#ifdef __SANITIZE_ADDRESS__
  // It looks at memory, for which fewer orders do; each takes thirty times as long.
  int64_t most = 150;
  int random = 50;
#else
  int64_t most = 5000;  // ... but no more than this
  int random = 1000;    // then as many in random order, the same every time
#endif
  int64_t longest_run = 20000;  // steps after which a program counts as running for good
};
struct Report {
  std::string failure;  // with what the threads did; empty: none
  int64_t runs = 0;
};
// `program` runs on its first thread, once for each order; it ends with all its threads. `when_quiet` looks on whenever
// all threads wait, for time to pass or for each other.
Report explore(const Options& options, const std::function<void()>& program,
               const std::function<void()>& when_quiet);

}  // namespace explore
}  // namespace haft
