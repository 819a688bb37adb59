#include "core/base/pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/system_memory.h"

namespace haft {
namespace {

constexpr size_t kCell = 192;

void* take() { return pool_take(thread_state(), kPoolNodeL, kCell); }
void give(void* p) { pool_give(thread_state(), kPoolNodeL, p); }

TEST(Pool, CellsAreAlignedAndDistinct) {
  std::set<char*> cells;
  for (int i = 0; i < 3000; ++i) {
    char* p = static_cast<char*>(take());
    ASSERT_EQ(uintptr_t(p) % 64, 0u);
    std::memset(p, i, kCell);
    ASSERT_TRUE(cells.insert(p).second);
  }
  char* before = nullptr;
  for (char* p : cells) {
    if (before) {
      ASSERT_GE(p - before, ptrdiff_t(kCell));
    }
    before = p;
  }
  for (char* p : cells) give(p);
}

TEST(Pool, GivenCellsAreTakenAgain) {
  if (!kPooling) GTEST_SKIP() << "no cell is recycled under AddressSanitizer";
  void* p = take();
  give(p);
  EXPECT_EQ(take(), p);
  give(p);
}

// A producer allocates, a finalizer thread frees: memory must not grow.
TEST(Pool, CellsComeBackFromOtherThreads) {
  auto round = [] {
    std::vector<void*> cells;
    for (int i = 0; i < 2000; ++i) cells.push_back(take());
    std::thread([&] {
      for (void* p : cells) give(p);
    }).join();
  };
  round();
  round();
  int64_t reserved = pool_reserved_bytes();
  for (int i = 0; i < 50; ++i) round();
  EXPECT_EQ(pool_reserved_bytes(), reserved);
}

TEST(Pool, ThreadsShareWithoutLoss) {
  auto work = [](int seed) {
    std::vector<char*> mine;
    for (int i = 0; i < 20000; ++i) {
      if ((i * 7 + seed) % 5 < 3) {
        char* p = static_cast<char*>(take());
        std::memset(p + 8, seed, kCell - 8);
        mine.push_back(p);
      } else if (!mine.empty()) {
        for (size_t k = 8; k < kCell; ++k) ASSERT_EQ(mine.back()[k], char(seed));
        give(mine.back());
        mine.pop_back();
      }
    }
    for (char* p : mine) give(p);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) threads.emplace_back(work, t + 1);
  for (auto& t : threads) t.join();
}

TEST(Pool, InjectedFailureIsOutOfMemory) {
  std::thread([] {  // a new thread's list is empty, so its first cell needs a refill
    set_inject_failure(1);
    try {
      take();
      ADD_FAILURE() << "no failure";
    } catch (const Error& e) {
      EXPECT_EQ(e.code, Code::out_of_memory);
    }
    give(take());
  })
      .join();
}

}  // namespace
}  // namespace haft
