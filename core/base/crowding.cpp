#include "core/base/crowding.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace haft {
namespace {

constexpr int64_t kLook = 1'000'000, kHold = 100'000'000;  // ns
// A kernel thread takes microseconds where a busy process takes its slice, and two that share a processor
// lose half of the time: an eighth is well clear of what waking up costs.
constexpr int64_t kLostAtLeast = 1'000'000, kLostShare = 8;

constinit std::atomic<int64_t> crowded_until{0};

struct Observed {
  int64_t next_look = 0;
  int64_t preemptions = -1;  // -1: not looked yet
  int64_t at = 0, lost = 0;  // when it was last preempted, and what it had lost by then
};
thread_local constinit Observed observed;

int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

// Nanoseconds in which this thread could have run and had no processor; -1 when the system does not tell.
int64_t time_lost() {
  int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[96];  // time run, time lost, turns
  ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return -1;
  text[n] = 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);
  return int64_t(std::strtoull(rest, nullptr, 10));
}

void look(Observed& o, int64_t now) {
  rusage used;
  if (getrusage(RUSAGE_THREAD, &used) != 0 || used.ru_nivcsw == o.preemptions) return;
  bool first = o.preemptions < 0;
  o.preemptions = used.ru_nivcsw;
  int64_t lost = time_lost(), since = lost - o.lost;
  if (!first && lost >= 0 && since >= kLostAtLeast && since * kLostShare >= now - o.at)
    crowded_until.store(now + kHold, std::memory_order_relaxed);
  o.at = now;
  o.lost = lost;
}

}  // namespace

bool crowded() noexcept {
  Observed& o = observed;
  int64_t now = now_ns();
  if (now >= o.next_look) {
    o.next_look = now + kLook;
    look(o, now);
  }
  return now < crowded_until.load(std::memory_order_relaxed);
}

}  // namespace haft
