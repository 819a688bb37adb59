#include "core/base/crowding.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace haft {
namespace {

using namespace std::chrono_literals;

// Works and asks until the answer is `want`; false when it never was.
bool comes(bool want, std::chrono::milliseconds within) {
  auto end = std::chrono::steady_clock::now() + within;
  do
    if (crowded() == want) return true;
  while (std::chrono::steady_clock::now() < end);
  return false;
}

TEST(Crowding, TellsABusyForeignProcessOnTheSameProcessor) {
  if (access("/proc/thread-self/schedstat", R_OK) != 0) GTEST_SKIP() << "the system does not tell";
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    pid_t foreign = fork();
    ASSERT_GE(foreign, 0);
    if (foreign == 0) {
      alarm(60);  // should this test be killed
      for (volatile int i = 0;;) i = i + 1;
    }
    EXPECT_TRUE(comes(true, 10s));
    kill(foreign, SIGKILL);
    waitpid(foreign, nullptr, 0);
    EXPECT_TRUE(comes(false, 10s));
  }).join();
}

}  // namespace
}  // namespace haft
