#include "core/base/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/base/parallel.h"

namespace haft {
namespace {

cpu_set_t mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

void go_to(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(size_t(processor), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

TEST(Processors, LeavingOneKeepsTheMask) {
  if (processors() < 2) GTEST_SKIP() << "one processor only";
  std::thread([] {
    cpu_set_t before = mask();
    int here = sched_getcpu();
    go_to(here);
    EXPECT_FALSE(leave_processor(1)) << "the mask has no other";
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
    EXPECT_FALSE(leave_processor(CPU_COUNT(&before) + 1));
    bool elsewhere = false;  // the system may move us back at once, but not every time
    for (int i = 0; i < 100 && !elsewhere; ++i) {
      here = sched_getcpu();
      EXPECT_TRUE(leave_processor(1));
      elsewhere = sched_getcpu() != here;
    }
    EXPECT_TRUE(elsewhere);
    cpu_set_t after = mask();
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }).join();
}

// A worker that the system put onto the owner's processor does not stay there.
TEST(Processors, WorkersLeaveTheOwnersProcessor) {
  if (processors() < 2) GTEST_SKIP() << "one processor only";
  const int threads = num_threads();
  set_num_threads(2);
  std::thread([] {
    const int home = sched_getcpu();
    go_to(home);
    const pid_t owner = gettid();
    std::atomic<bool> brought{false}, gone{false};
    for (int round = 0; round < 1000 && !gone; ++round) {
      std::atomic<bool> taken{false};
      parallel_for(2, 1, [&](int64_t, int64_t) {
        if (gettid() == owner) {
          for (int i = 0; i < 10000 && !taken; ++i) usleep(100);  // leaves the other chunk to the worker
          return;
        }
        taken = true;
        if (!brought) {
          cpu_set_t all = mask();
          go_to(home);
          sched_setaffinity(0, sizeof all, &all);
          brought = true;
        } else if (sched_getcpu() != home) {
          gone = true;
        }
      });
    }
    EXPECT_TRUE(brought);
    EXPECT_TRUE(gone);
  }).join();
  set_num_threads(threads);
}

}  // namespace
}  // namespace haft
