#include "core/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/processors.h"

namespace haft {
namespace {

// Restores the number of threads, which is the whole process's.
struct Threads {
  int before = num_threads();
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
};

int64_t sum_to(int64_t n, int64_t grain) {
  std::atomic<int64_t> sum{0};
  parallel_for(n, grain, [&](int64_t b, int64_t e) {
    int64_t s = 0;
    for (; b < e; ++b) s += b;
    sum += s;
  });
  return sum;
}

TEST(Parallel, DefaultsToTheProcessorsWeMayUse) {
  EXPECT_GE(processors(), 1);
  EXPECT_EQ(num_threads(), std::min(processors(), 256));
}

TEST(Parallel, CoversEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    Threads t(threads);
    for (int64_t n : {0, 1, 2, 3, 7, 64, 65, 1000, 4097, 100003}) {
      for (int64_t grain : {0, 1, 3, 1000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        parallel_for(n, grain, [&](int64_t b, int64_t e) {
          ASSERT_LT(b, e);
          for (; b < e; ++b) seen[size_t(b)]++;
        });
        for (auto& s : seen) ASSERT_EQ(s, 1);
      }
    }
  }
}

TEST(Parallel, SmallLoopsStayOnTheCallingThread) {
  Threads t(4);
  auto self = std::this_thread::get_id();
  int calls = 0;
  parallel_for(1000, 1000, [&](int64_t b, int64_t e) {
    ++calls;
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(b, 0);
    EXPECT_EQ(e, 1000);
  });
  EXPECT_EQ(calls, 1);
  parallel_for(-5, 1, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(Parallel, WorkersTakePart) {
  Threads t(2);
  auto self = std::this_thread::get_id();
  std::atomic<bool> elsewhere{false};
  // The caller may be quick enough to do all of a short loop alone, hence chunks that wait a while for company.
  parallel_for(8, 1, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != self) elsewhere = true;
    for (int i = 0; i < 1000 && !elsewhere; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_TRUE(elsewhere);
}

TEST(Parallel, NestedLoopsRunInline) {
  Threads t(2);
  EXPECT_FALSE(in_parallel());
  std::atomic<int64_t> total{0};
  parallel_for(16, 1, [&](int64_t b, int64_t e) {
    EXPECT_TRUE(in_parallel());
    auto self = std::this_thread::get_id();
    for (; b < e; ++b)
      parallel_for(100, 1, [&](int64_t b2, int64_t e2) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        total += e2 - b2;
      });
  });
  EXPECT_FALSE(in_parallel());
  EXPECT_EQ(total, 1600);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  Threads t(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> running{0};
    try {
      parallel_for(64, 1, [&](int64_t b, int64_t) {
        ++running;
        if (b >= 8) {
          --running;
          fail(Code::shape, concat("chunk ", b));
        }
        --running;
      });
      FAIL() << "no exception";
    } catch (const Error& e) {
      EXPECT_EQ(e.code, Code::shape);
      EXPECT_EQ(e.message.rfind("chunk ", 0), 0u);
    }
    EXPECT_EQ(running, 0);
    EXPECT_FALSE(in_parallel());
  }
  EXPECT_EQ(sum_to(10000, 10), 9999 * 5000);
}

TEST(Parallel, ManyHostThreadsAtOnce) {
  Threads t(4);
  std::vector<std::thread> hosts;
  std::atomic<int> wrong{0};
  for (int h = 0; h < 8; ++h)
    hosts.emplace_back([&, h] {
      for (int i = 0; i < 2000; ++i) {
        int64_t n = 100 + (i * 37 + h * 101) % 5000;
        if (sum_to(n, 10) != n * (n - 1) / 2) ++wrong;
        if (i % 100 == 0) {
          bool thrown = false;
          try {
            parallel_for(50, 1, [](int64_t b, int64_t e) {
              if (b <= 20 && 20 < e) throw std::runtime_error("x");
            });
          } catch (const std::runtime_error&) {
            thrown = true;
          }
          if (!thrown) ++wrong;
        }
      }
    });
  for (auto& h : hosts) h.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Parallel, MoreHostsThanSlots) {
  Threads t(2);
  std::vector<std::thread> hosts;
  std::atomic<int64_t> total{0};
  for (int h = 0; h < 80; ++h)
    hosts.emplace_back([&] {
      parallel_for(4, 1, [&](int64_t b, int64_t e) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        total += e - b;
      });
    });
  for (auto& h : hosts) h.join();
  EXPECT_EQ(total, 80 * 4);
}

TEST(Parallel, ThreadCountChangesAtAnyTime) {
  Threads t(2);
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; !stop; ++i) {
      set_num_threads(1 + i % 6);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(sum_to(5000, 10), 4999 * 2500);
  stop = true;
  changer.join();
  EXPECT_THROW(set_num_threads(0), Error);
  EXPECT_THROW(set_num_threads(257), Error);
}

// Whether every thread but this one sleeps. One that polls is runnable, however little of a processor it gets.
bool others_sleep() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const size_t name_end = text.rfind(')');  // pid (name) state ...
    if (name_end == std::string::npos) continue;
    if (std::stoi(text) != gettid() && text[name_end + 2] != 'S') return false;
  }
  return true;
}

// A loop of two chunks has one for others: whoever looks late must not leave the slot on the list of open ones.
TEST(Parallel, IdleWorkersSleep) {
  Threads t(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> hosts;
    for (int h = 0; h < 3; ++h)
      hosts.emplace_back([] {
        for (int i = 0; i < 5000; ++i) EXPECT_EQ(sum_to(2, 1), 1);
      });
    for (auto& h : hosts) h.join();
    int calm = 0;  // they poll for a moment, and a sanitizer's own thread may wake up
    for (int look = 0; look < 20000 && calm < 10; ++look) {
      calm = others_sleep() ? calm + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(calm, 10) << "a worker polls without end";
  }
}

// ThreadSanitizer ends a child of fork() that starts threads.
#if defined(__SANITIZE_THREAD__)
constexpr bool kForkWorks = false;
#else
constexpr bool kForkWorks = true;
#endif

TEST(Parallel, ChildOfForkHasAPoolOfItsOwn) {
  if (!kForkWorks) GTEST_SKIP();
  Threads t(3);
  ASSERT_EQ(sum_to(100000, 10), int64_t(99999) * 50000);
  for (int round = 0; round < 10; ++round) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool good = true;
      for (int i = 0; i < 100; ++i) good = good && sum_to(100000, 10) == int64_t(99999) * 50000;
      _exit(good ? 0 : 1);
    }
    ASSERT_EQ(sum_to(100000, 10), int64_t(99999) * 50000);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

TEST(Parallel, ForkWhileOtherThreadsLoop) {
  if (!kForkWorks) GTEST_SKIP();
  Threads t(3);
  std::atomic<bool> stop{false};
  std::vector<std::thread> hosts;
  for (int h = 0; h < 2; ++h)
    hosts.emplace_back([&] {
      while (!stop) sum_to(3000, 10);
    });
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(sum_to(100000, 10) == int64_t(99999) * 50000 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  for (auto& h : hosts) h.join();
}

}  // namespace
}  // namespace haft
