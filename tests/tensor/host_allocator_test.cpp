#include "core/tensor/host_allocator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace haft {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;  // the allocator then shows every block to the sanitizer
#else
constexpr bool kCaching = true;
#endif

constexpr int64_t kMiB = int64_t(1) << 20;

Code code_of(int64_t bytes, std::string* message = nullptr) {
  try {
    host_free(host_alloc(bytes), bytes);
    return Code::ok;
  } catch (const Error& e) {
    if (message) *message = e.message;
    return e.code;
  }
}

// Writes to both ends, so that blocks that overlap are noticed.
void mark(void* p, int64_t bytes, uint8_t with) {
  auto* b = static_cast<uint8_t*>(p);
  int64_t n = bytes < 64 ? bytes : 64;
  std::memset(b, with, size_t(n));
  std::memset(b + bytes - n, with, size_t(n));
}
bool marked(const void* p, int64_t bytes, uint8_t with) {
  auto* b = static_cast<const uint8_t*>(p);
  int64_t n = bytes < 64 ? bytes : 64;
  for (int64_t i = 0; i < n; ++i)
    if (b[i] != with || b[bytes - 1 - i] != with) return false;
  return true;
}

TEST(HostAllocator, AnySizeIsAlignedAndUsable) {
  std::vector<std::pair<void*, int64_t>> blocks;
  for (int64_t size = 0; size < 40 * kMiB; size += size / 3 + 1)
    for (int64_t n : {size, size + 1}) blocks.emplace_back(host_alloc(n), n);
  uint8_t k = 0;
  for (auto [p, n] : blocks) {
    ASSERT_EQ(uintptr_t(p) % 64, 0u);
    if (n) mark(p, n, ++k);
  }
  k = 0;
  for (auto [p, n] : blocks)
    if (n) {
      ASSERT_TRUE(marked(p, n, ++k)) << n;
    }
  for (auto [p, n] : blocks) host_free(p, n);
  host_free(nullptr, 100);
}

TEST(HostAllocator, ABlockComesBack) {
  if (!kCaching) GTEST_SKIP() << "nothing is cached under AddressSanitizer";
  for (int64_t n : {int64_t(10), int64_t(1000), int64_t(30000), int64_t(100000), 5 * kMiB}) {
    void* p = host_alloc(n);
    host_free(p, n);
    int64_t hits = host_memory_stats().cache_hits;
    void* q = host_alloc(n);
    EXPECT_EQ(p, q) << n;
    EXPECT_EQ(host_memory_stats().cache_hits, hits + 1);
    host_free(q, n);
  }
}

TEST(HostAllocator, StatisticsCountWhatWasAskedFor) {
  host_memory_trim();
  HostMemoryStats before = host_memory_stats();
  host_memory_reset_peak();
  EXPECT_EQ(host_memory_stats().peak, before.live);
  void* a = host_alloc(1000);
  void* b = host_alloc(3 * kMiB + 5);
  HostMemoryStats s = host_memory_stats();
  EXPECT_EQ(s.live - before.live, 3 * kMiB + 1005);
  EXPECT_EQ(s.peak, s.live);
  EXPECT_GE(s.reserved, s.live);
  EXPECT_EQ(s.allocations - before.allocations, 2);
  host_free(a, 1000);
  host_free(b, 3 * kMiB + 5);
  s = host_memory_stats();
  EXPECT_EQ(s.live, before.live);
  EXPECT_EQ(s.peak, before.live + 3 * kMiB + 1005);
}

TEST(HostAllocator, TrimGivesEverythingBack) {
  host_memory_trim();
  int64_t reserved = host_memory_stats().reserved;
  std::vector<std::pair<void*, int64_t>> blocks;
  for (int64_t n = 1; n < 20 * kMiB; n *= 2)
    for (int i = 0; i < 3; ++i) blocks.emplace_back(host_alloc(n), n);
  for (auto [p, n] : blocks) host_free(p, n);
  int64_t cached = host_memory_stats().reserved - reserved;
  EXPECT_EQ(cached > 0, kCaching);
  EXPECT_EQ(host_memory_trim(), cached);
  EXPECT_EQ(host_memory_stats().reserved, reserved);
}

TEST(HostAllocator, SizesThatCannotBeFail) {
  EXPECT_EQ(code_of(-1), Code::overflow);
  EXPECT_EQ(code_of(INT64_MIN), Code::overflow);
  EXPECT_EQ(code_of(INT64_MAX), Code::overflow);
  int64_t live = host_memory_stats().live;
  std::string message;
  EXPECT_EQ(code_of(int64_t(1) << 60, &message), Code::out_of_memory);
  EXPECT_NE(message.find(std::to_string(int64_t(1) << 60)), std::string::npos) << message;
  EXPECT_EQ(host_memory_stats().live, live);
}

TEST(HostAllocator, TheLimitHolds) {
  int64_t live = host_memory_stats().live;
  set_host_memory_limit(live + 10 * kMiB);
  void* p = host_alloc(8 * kMiB);
  std::string message;
  EXPECT_EQ(code_of(3 * kMiB, &message), Code::out_of_memory);
  EXPECT_NE(message.find(std::to_string(3 * kMiB)), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(live + 10 * kMiB)), std::string::npos) << message;
  EXPECT_EQ(code_of(kMiB), Code::ok);
  // Small blocks are counted as well, in steps of 64 KiB.
  std::vector<void*> small;
  int64_t got = 0;
  try {
    for (;; got += 1000) small.push_back(host_alloc(1000));
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::out_of_memory);
  }
  EXPECT_LE(got, 2 * kMiB + 65536);
  EXPECT_GE(got, 2 * kMiB - 65536);
  for (void* q : small) host_free(q, 1000);
  host_free(p, 8 * kMiB);
  set_host_memory_limit(0);
  EXPECT_EQ(code_of(30 * kMiB), Code::ok);
  EXPECT_EQ(host_memory_stats().live, live);
  EXPECT_THROW(set_host_memory_limit(-1), Error);
}

TEST(HostAllocator, PressureIsToldOnceARise) {
  struct Seen {
    int calls = 0;
    int64_t live = 0;
  } seen;
  int64_t live = host_memory_stats().live;
  auto note = [](void* user, int64_t l, int64_t) {
    auto* s = static_cast<Seen*>(user);
    ++s->calls;
    s->live = l;
    host_free(host_alloc(100), 100);  // the callback may use the allocator
    return INT64_MAX;
  };
  set_host_pressure_callback(live + 4 * kMiB, note, &seen);
  void* a = host_alloc(3 * kMiB);
  EXPECT_EQ(seen.calls, 0);
  void* b = host_alloc(2 * kMiB);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.live, live + 5 * kMiB);
  void* c = host_alloc(2 * kMiB);
  EXPECT_EQ(seen.calls, 1);
  host_free(c, 2 * kMiB);
  host_free(b, 2 * kMiB);
  b = host_alloc(2 * kMiB);
  EXPECT_EQ(seen.calls, 2);
  set_host_pressure_callback(0, nullptr, nullptr);
  host_free(b, 2 * kMiB);
  host_free(a, 3 * kMiB);
  EXPECT_EQ(code_of(10 * kMiB), Code::ok);
  EXPECT_EQ(seen.calls, 2);
}

// A garbage-collected host drops something when the limit is near: the allocation then succeeds.
TEST(HostAllocator, PressureMayMakeRoomBelowTheLimit) {
  static void* garbage;
  garbage = host_alloc(6 * kMiB);
  int64_t live = host_memory_stats().live;
  set_host_memory_limit(live + 2 * kMiB);
  set_host_pressure_callback(
      INT64_MAX,
      [](void*, int64_t, int64_t) {
        host_free(std::exchange(garbage, nullptr), 6 * kMiB);
        return INT64_MAX;
      },
      nullptr);
  EXPECT_EQ(code_of(5 * kMiB), Code::ok);
  EXPECT_EQ(garbage, nullptr);
  set_host_pressure_callback(0, nullptr, nullptr);
  set_host_memory_limit(0);
}

TEST(HostAllocator, TheNthAllocationFails) {
  set_host_fail_after(3);
  EXPECT_EQ(code_of(100), Code::ok);
  EXPECT_EQ(code_of(100000), Code::ok);
  EXPECT_EQ(code_of(100), Code::out_of_memory);
  EXPECT_EQ(code_of(100), Code::ok);
  set_host_fail_after(1);
  set_host_fail_after(0);
  EXPECT_EQ(code_of(100), Code::ok);
}

TEST(HostAllocator, ManyThreadsFreeEachOthersBlocks) {
  int64_t live = host_memory_stats().live;
  struct Item {
    void* p;
    int64_t bytes;
    uint8_t with;
  };
  std::mutex mutex;
  std::vector<Item> shared;
  std::atomic<int> wrong{0};
  auto work = [&](unsigned seed) {
    std::mt19937 rng(seed);
    for (int i = 0; i < 5000; ++i) {
      int64_t bytes = 1 + int64_t(rng() % (1u << (6 + rng() % 12)));
      if (i % 500 == 0) bytes = kMiB + int64_t(rng() % kMiB);
      Item mine{host_alloc(bytes), bytes, uint8_t(rng())};
      mark(mine.p, bytes, mine.with);
      Item other{nullptr, 0, 0};
      {
        std::lock_guard lock(mutex);
        shared.push_back(mine);
        if (shared.size() > 200) {
          std::swap(shared[rng() % shared.size()], shared.back());
          other = shared.back();
          shared.pop_back();
        }
      }
      if (!other.p) continue;
      if (!marked(other.p, other.bytes, other.with)) ++wrong;
      host_free(other.p, other.bytes);
      if (i % 1000 == 0) host_memory_trim();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 6; ++t) threads.emplace_back(work, t + 1);
  for (auto& t : threads) t.join();
  for (Item& i : shared) {
    if (!marked(i.p, i.bytes, i.with)) ++wrong;
    host_free(i.p, i.bytes);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(host_memory_stats().live, live);
  host_memory_trim();
  // The threads are gone and their caches with them, so that only this thread's own live blocks remain.
  EXPECT_LE(host_memory_stats().reserved, live * 2 + kMiB);
}

// One thread makes, another frees, for ever: memory must not pile up with the one that frees.
TEST(HostAllocator, ProducerAndConsumer) {
  host_memory_trim();
  int64_t most = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 500; ++i) blocks.push_back(host_alloc(2000));
    std::thread([&] {
      for (void* p : blocks) host_free(p, 2000);
    }).join();
    if (round == 2) most = host_memory_stats().reserved;
  }
  EXPECT_LE(host_memory_stats().reserved, most);
}

// A service in whose threads by turns dies what another has made: none of them keeps more than 32 KB of a size that
// it never asks for, however long that goes on.
TEST(HostAllocator, WhoOnlyFreesKeepsLittle) {
  constexpr int kThreads = 32, kRounds = 10 * kThreads;
  const int64_t sizes[] = {2000, 4000, 10000, 20000, 30000};
  host_memory_trim();
  const int64_t before = host_memory_stats().reserved;
  std::vector<std::pair<void*, int64_t>> blocks;
  std::atomic<int> turn{-1};  // of thread turn % kThreads; the maker's between
  std::atomic<bool> freed{true};
  std::vector<std::thread> threads;
  for (int me = 0; me < kThreads; ++me)
    threads.emplace_back([&, me] {
      for (int round = me; round < kRounds; round += kThreads) {
        for (int now; (now = turn) < round;) turn.wait(now);
        for (auto [p, bytes] : blocks) host_free(p, bytes);
        freed = true;
        freed.notify_one();
      }
      for (int now; (now = turn) < kRounds;) turn.wait(now);  // they all live to the end
    });
  for (int round = 0; round <= kRounds; ++round) {
    freed.wait(false);
    freed = false;
    blocks.clear();
    for (int64_t bytes : sizes)
      for (int i = 0; i < 2; ++i) blocks.emplace_back(host_alloc(bytes), bytes);
    if (round == kRounds) {
      for (auto [p, bytes] : blocks) host_free(p, bytes);
      EXPECT_LE(host_memory_stats().reserved - before,
                int64_t(kThreads + 4) * int64_t(std::size(sizes)) * 32 * 1024);
    }
    turn = round;
    turn.notify_all();
  }
  for (std::thread& t : threads) t.join();
}

// Sizes that never repeat must not fill the cache without bound.
TEST(HostAllocator, ChangingSizesDoNotPileUp) {
  host_memory_trim();
  int64_t live = host_memory_stats().live, most = 0;
  for (int64_t n = 2 * kMiB; n < 200 * kMiB; n += n / 8) {
    host_free(host_alloc(n), n);
    most = std::max(most, host_memory_stats().reserved);
  }
  EXPECT_LE(most - live, (200 + 50) * kMiB * 5 / 4 + 64 * kMiB);
  host_memory_trim();
}

// A program that goes through the same sizes in turn gets them from the cache, even where together they
// exceed what is kept for sizes that never repeat (96 MB used at once: 184 MB).
TEST(HostAllocator, RepeatedSizesAreKept) {
  if (!kCaching) GTEST_SKIP() << "nothing is cached under AddressSanitizer";
  host_memory_trim();
  int64_t hits = 0;
  for (int round = 0; round < 8; ++round) {
    hits = host_memory_stats().cache_hits;
    for (int64_t mb : {60, 75, 90}) host_free(host_alloc(mb * kMiB), mb * kMiB);
    hits = host_memory_stats().cache_hits - hits;
  }
  EXPECT_EQ(hits, 3) << "in the last round";
  host_memory_trim();
}

TEST(HostAllocator, ASourceComesFirstOrNotAtAll) {
  host_free(host_alloc(10), 10);
  try {
    set_host_memory_source([](void*, int64_t, int64_t) -> void* { return nullptr; },
                           [](void*, void*, int64_t) {}, nullptr);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::busy);
  }
  EXPECT_THROW(set_host_memory_source(
                   nullptr, [](void*, void*, int64_t) {}, nullptr),
               Error);
}

// In a process of its own, because nothing may be allocated before.
TEST(HostAllocatorDeathTest, TheHostsSourceIsUsed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static int64_t out = 0;
        set_host_memory_source(
            [](void*, int64_t bytes, int64_t alignment) -> void* {
              out += bytes;
              return std::aligned_alloc(size_t(alignment),
                                        size_t(bytes + alignment - 1) & -size_t(alignment));
            },
            [](void*, void* p, int64_t bytes) {
              out -= bytes;
              std::free(p);
            },
            nullptr);
        void* a = host_alloc(100);
        void* b = host_alloc(3 * kMiB);
        bool good = out >= 3 * kMiB + 100;
        host_free(a, 100);
        host_free(b, 3 * kMiB);
        host_memory_trim();
        std::_Exit(good && out == 0 ? 7 : 8);
      },
      testing::ExitedWithCode(7), "");
}

TEST(HostBuffer, OwnsItsBlock) {
  int64_t live = host_memory_stats().live;
  {
    HostBuffer a(1000), b;
    a.as<float>()[249] = 1;
    b = std::move(a);
    EXPECT_EQ(b.size(), 1000);
    EXPECT_EQ(host_memory_stats().live, live + 1000);
  }
  EXPECT_EQ(host_memory_stats().live, live);
}

}  // namespace
}  // namespace haft
