#include "core/base/parallel.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/log.h"
#include "core/base/processors.h"
#include "core/base/thread_state.h"

namespace haft {
namespace {

// A loop in flight lives in one of 64 static slots, so that a late worker never reads a dead stack frame.
//
// `state` is (chunks nobody has claimed) << 32 | kWaiting | (chunks in progress), where kWaiting says that
// the owner sleeps. A claim moves one chunk from left to right in a single step; therefore the owner, once
// nothing is left to claim, waits for chunks in progress only and never for a worker that has merely looked.
// The fields below it are stable while any chunk is unclaimed or in progress.
struct alignas(64) Slot {
  std::atomic<uint64_t> state{0};
  std::atomic<bool> owned{false};
  std::atomic<bool> failed{false};
  std::atomic<int> processor{-1};       // on which the owner opened it
  std::exception_ptr* error = nullptr;  // on the owner's stack; a static one would be destroyed at exit
  ThreadState* owner = nullptr;
  void (*fn)(void*, int64_t, int64_t) = nullptr;
  void* arg = nullptr;
  int64_t n = 0, chunk = 0, chunks = 0;
};

constexpr int kSlots = 64, kMaxThreads = 256;
constexpr uint64_t kUnclaimed = uint64_t(1) << 32, kWaiting = uint64_t(1) << 31, kInProgress = kWaiting - 1;
constexpr auto kSpin = std::chrono::microseconds(30);
static_assert(std::endian::native == std::endian::little, "the futex is the low half of Slot::state");

constinit Slot slots[kSlots];
alignas(64) constinit std::atomic<uint64_t> open_slots{0};  // bit i: slot i has unclaimed chunks
alignas(64) constinit std::atomic<int32_t> spinning{0};     // workers that poll open_slots
constinit std::atomic<int32_t> sleeping{0};
constinit std::atomic<uint32_t> wake_word{0};
alignas(64) constinit std::atomic<int32_t> threads_wanted{0};  // 0: not asked yet
constinit std::atomic<int32_t> workers{0};                     // started; written under `mutex`
constinit std::mutex mutex;
constinit bool watching = false;

int futex(void* word, int op, uint32_t value, const timespec* most = nullptr) {
  return int(syscall(SYS_futex, word, op, value, most, nullptr, 0));
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Polls `done` for a while; clocks are read rarely because one reading costs as much as several polls.
template <class F>
bool spin_until(F done) {
  auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

void wake_workers(int n) {
  wake_word.fetch_add(1);
  futex(&wake_word, FUTEX_WAKE_PRIVATE, uint32_t(n));
}

// Claims a chunk: as an additional one in progress, or (`in_hand`) in place of the one just done. The claimer
// of the last chunk takes the slot off the list, which is safe because the owner cannot reuse it while that
// chunk runs.
bool claim(Slot& s, bool in_hand, int64_t* index) {
  uint64_t at = s.state.load(std::memory_order_relaxed), to;
  do {
    if (at < kUnclaimed) return false;
    to = at - kUnclaimed + (in_hand ? 0 : 1);
  } while (!s.state.compare_exchange_weak(at, to, std::memory_order_acq_rel, std::memory_order_relaxed));
  int64_t left = int64_t(to >> 32);
  if (left == 0) open_slots.fetch_and(~(uint64_t(1) << (&s - slots)));
  *index = s.chunks - 1 - left;
  return true;
}

// Nobody shall start what is left after a failure.
void cancel(Slot& s) {
  uint64_t was = s.state.fetch_and(kUnclaimed - 1);
  if (was >= kUnclaimed) open_slots.fetch_and(~(uint64_t(1) << (&s - slots)));
}

void run_chunk(Slot& s, int64_t index) {
  int64_t begin = index * s.chunk, end = begin + s.chunk < s.n ? begin + s.chunk : s.n;
  try {
    s.fn(s.arg, begin, end);
  } catch (...) {
    if (!s.failed.exchange(true)) *s.error = std::current_exception();
    cancel(s);
  }
}

// Ends the chunk in hand. The slot may be another loop's directly afterwards.
void finish(Slot& s) {
  uint64_t was = s.state.fetch_sub(1, std::memory_order_acq_rel);
  if ((was & kWaiting) && (was & kInProgress) == 1) futex(&s.state, FUTEX_WAKE_PRIVATE, 1);
}

// A system may wake a worker on the processor of the loop's owner and leave both there for long, though
// another is free. Then the worker moves, at most once a millisecond.
bool move_from_owner(const Slot& s) {
  static thread_local std::chrono::steady_clock::time_point next;
  if (s.processor.load(std::memory_order_relaxed) != sched_getcpu()) return false;
  auto now = std::chrono::steady_clock::now();
  if (now < next) return false;
  next = now + std::chrono::milliseconds(1);
  return leave_processor(num_threads());
}

// Works on whatever loops are open; false when it found nothing to do.
bool help(int* start) {
  bool any = false;
  int in_vain = 0;
  for (uint64_t open; in_vain < kSlots && (open = open_slots.load()) != 0;) {
    // From a moving start, so that many small loops share the helpers.
    int i = (*start + std::countr_zero(std::rotr(open, *start))) & (kSlots - 1);
    *start = (i + 1) & (kSlots - 1);
    Slot& s = slots[i];
    if (move_from_owner(s)) continue;
    int64_t index;
    if (!claim(s, false, &index)) {  // others were quicker, or its owner is about to fill it
      ++in_vain;
      relax();
      continue;
    }
    in_vain = 0;
    if (!any) {
      any = true;
      spinning.fetch_sub(1);
      // Whoever finds work and sees more of it wakes two others: all are up after log2(workers) steps.
      if (open_slots.load() != 0 && spinning.load() == 0 && sleeping.load() > 0) wake_workers(2);
    }
    do run_chunk(s, index);
    while (claim(s, true, &index));
    finish(s);
  }
  if (any) spinning.fetch_add(1);
  return any;
}

// False when the pool has shrunk and this worker is one too many.
bool still_wanted() {
  if (workers.load(std::memory_order_relaxed) < threads_wanted.load(std::memory_order_relaxed)) return true;
  std::lock_guard lock(mutex);
  if (workers.load() < threads_wanted.load()) return true;
  workers.fetch_sub(1);
  return false;
}

void* work(void*) {
  enter_thread("haft-worker");
  thread_state().in_parallel = true;
  int start = 0;
  spinning.fetch_add(1);
  while (still_wanted()) {
    if (help(&start)) continue;
    if (open_slots.load(std::memory_order_relaxed) != 0) {
      sched_yield();  // an owner that lost its processor on the way needs one
      continue;
    }
    if (spin_until([] { return open_slots.load(std::memory_order_relaxed) != 0; })) continue;
    uint32_t word = wake_word.load();
    sleeping.fetch_add(1);
    spinning.fetch_sub(1);
    // A loop opened before the line above may have counted on us; one opened after it wakes us.
    if (open_slots.load() == 0) futex(&wake_word, FUTEX_WAIT_PRIVATE, word);
    spinning.fetch_add(1);
    sleeping.fetch_sub(1);
  }
  spinning.fetch_sub(1);
  return nullptr;
}

void child_of_fork() {
  // Only the forking thread is left. A loop it is itself running goes on alone; other loops have no owner any more.
  for (Slot& s : slots) {
    if (s.owned.load() && s.owner == tls_state && tls_state) {
      s.state.store((s.state.load() & ~(kUnclaimed - 1)) | 1);
    } else {
      s.state.store(0);
      s.owned.store(false);
      open_slots.fetch_and(~(uint64_t(1) << (&s - slots)));
    }
  }
  workers.store(0);
  spinning.store(0);
  sleeping.store(0);
  mutex.unlock();
}

// An error number when the system refused; the pool then makes do with what it has.
[[gnu::cold]] int start_workers() {
  std::lock_guard lock(mutex);
  if (!watching) {
    on_fork([] { mutex.lock(); }, [] { mutex.unlock(); }, child_of_fork);
    watching = true;
  }
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  // The host's signals are for the host's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  while (workers.load() < threads_wanted.load() - 1) {
    pthread_t t;
    workers.fetch_add(1);
    if ((error = pthread_create(&t, &attr, work, nullptr)) != 0) {
      threads_wanted.store(workers.fetch_sub(1));
      break;
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attr);
  return error;
}

Slot* take_slot() {
  for (Slot& s : slots)
    if (!s.owned.load(std::memory_order_relaxed) && !s.owned.exchange(true, std::memory_order_acquire))
      return &s;
  return nullptr;
}

void wait_for_others(Slot& s) {
  auto done = [&] { return (s.state.load(std::memory_order_acquire) & kInProgress) == 0; };
  if (done() || spin_until(done)) return;
  // Sleeping leaves the processor to a worker that was preempted in the middle of its chunk. Systems move
  // such a worker to a processor that falls idle, but only when it has waited for a while: hence many short
  // naps, where one long one could last as long as the time slice of whoever preempted it.
  constexpr int kNaps = 100;
  constexpr timespec nap{0, 100000};
  uint64_t at = s.state.fetch_or(kWaiting, std::memory_order_acq_rel) | kWaiting;
  for (int n = 0; at & kInProgress; ++n) {
    futex(&s.state, FUTEX_WAIT_PRIVATE, uint32_t(at), n < kNaps ? &nap : nullptr);
    at = s.state.load(std::memory_order_acquire);
  }
}

}  // namespace

int num_threads() {
  int n = threads_wanted.load(std::memory_order_relaxed);
  if (n) [[likely]]
    return n;
  int found = processors();
  if (found > kMaxThreads) found = kMaxThreads;
  threads_wanted.compare_exchange_strong(n, found);
  return threads_wanted.load();
}

void set_num_threads(int n) {
  if (n < 1 || n > kMaxThreads)
    fail(Code::invalid_argument, concat("number of threads must be between 1 and ", kMaxThreads, ", got ", n),
         {}, "n");
  threads_wanted.store(n);
  wake_workers(kMaxThreads);  // those that are too many leave
}

bool in_parallel() { return thread_state().in_parallel; }

namespace detail {

void parallel_run(int64_t n, int64_t chunk, void (*fn)(void*, int64_t, int64_t), void* arg) {
  int threads = num_threads();
  int64_t chunks = (n + chunk - 1) / chunk;
  if (workers.load(std::memory_order_relaxed) < threads - 1) [[unlikely]] {
    if (int e = start_workers())
      log_warning("cannot start more worker threads: error ", e, "; using ", num_threads());
  }
  Slot* slot = chunks > 1 ? take_slot() : nullptr;
  if (!slot) {  // 64 loops are running already: there is nobody to help with another
    fn(arg, 0, n);
    return;
  }
  Slot& s = *slot;
  ThreadState& ts = thread_state();
  std::exception_ptr error;
  s.owner = &ts;
  s.error = &error;
  s.fn = fn;
  s.arg = arg;
  s.n = n;
  s.chunk = chunk;
  s.chunks = chunks;
  s.failed.store(false, std::memory_order_relaxed);
  s.processor.store(sched_getcpu(), std::memory_order_relaxed);
  // On the list before there is anything to claim: a worker that looked at the slot's last loop may claim at
  // once, and who claims the last chunk takes the slot off the list. Chunk 0 is ours.
  open_slots.fetch_or(uint64_t(1) << (slot - slots));
  s.state.store(uint64_t(chunks - 1) * kUnclaimed + 1, std::memory_order_release);

  int useful = int(chunks - 1 < threads - 1 ? chunks - 1 : threads - 1) - spinning.load();
  if (useful > 0 && sleeping.load() > 0) wake_workers(useful < 4 ? useful : 4);

  {
    ScopedValue<bool> inside(ts.in_parallel, true);
    int64_t index = 0;
    do run_chunk(s, index);
    while (claim(s, true, &index));
  }
  finish(s);
  wait_for_others(s);
  s.owned.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(std::move(error));
}

}  // namespace detail
}  // namespace haft
