// The life of a handle: owners, generations, threads.
#include <atomic>
#include <set>
#include <thread>

#include "capi_testing.h"

namespace {

struct Handles : CapiTest {};

int64_t live() {
  int64_t n = 0;
  haft::check(haft_get_live_handles(&n));
  return n;
}

TEST_F(Handles, EachOwnerReleasesOnce) {
  haft_tensor* t = floats({1, 2}).release();
  ASSERT_EQ(haft_tensor_retain(t), HAFT_OK);
  haft_tensor_release(t);
  int64_t n = 0;
  EXPECT_EQ(haft_tensor_get_numel(t, &n), HAFT_OK);
  haft_tensor_release(t);
  EXPECT_EQ(haft_tensor_get_numel(t, &n), HAFT_ERROR_STALE_HANDLE);
}

TEST_F(Handles, AreCounted) {
  int64_t start = live();
  {
    std::vector<Tensor> many;
    for (int i = 0; i < 5000; ++i) many.push_back(floats({float(i)}));
    EXPECT_EQ(live(), start + 5000);
    EXPECT_FAILS(haft_shutdown(), HAFT_ERROR_BUSY, "tensor");
    Tensor copy = many[0];  // another owner, not another handle
    EXPECT_EQ(live(), start + 5000);
  }
  EXPECT_EQ(live(), start);
}

TEST_F(Handles, GenerationsTellReusedSlotsApart) {
  const int64_t size[] = {1};
  std::vector<haft_tensor*> old;
  std::set<haft_tensor*> seen;
  for (int i = 0; i < 9000000; ++i) {  // many times 2^16 for each of the slots that take turns
    haft_tensor* t = nullptr;
    ASSERT_EQ(haft_empty(size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &t), HAFT_OK);
    haft_tensor_release(t);
    if (i % 9000 == 0) {
      old.push_back(t);
      EXPECT_TRUE(seen.insert(t).second);
    }
  }
  int64_t n = 0;
  for (haft_tensor* t : old) EXPECT_EQ(haft_tensor_get_ndim(t, &n), HAFT_ERROR_STALE_HANDLE);
}

// A slot rests before it is used again: what was just released is not what comes next.
TEST_F(Handles, SlotsTakeTurns) {
  constexpr uint64_t kSlot = (uint64_t(1) << 26) - 1;
  std::vector<uint64_t> last;
  for (int i = 0; i < 500; ++i) {
    const uint64_t slot = reinterpret_cast<uint64_t>(floats({1}).get()) & kSlot;
    for (size_t k = last.size() < 30 ? 0 : last.size() - 30; k < last.size(); ++k) ASSERT_NE(last[k], slot);
    last.push_back(slot);
  }
}

TEST_F(Handles, MayBeReleasedOnAnotherThread) {
  std::vector<haft_tensor*> made;
  for (int i = 0; i < 3000; ++i) made.push_back(floats({float(i), 1}).release());
  std::thread([&] { haft_tensor_release_many(made.data(), int64_t(made.size())); }).join();
  int64_t n = 0;
  EXPECT_EQ(haft_tensor_get_ndim(made[17], &n), HAFT_ERROR_STALE_HANDLE);
}

TEST_F(Handles, RetainAndReleaseFromEightThreads) {
  Tensor shared = floats({1, 2, 3});
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        failures += haft_tensor_retain(shared.get()) != HAFT_OK;
        haft_tensor* sum = nullptr;
        failures += haft_add(shared.get(), shared.get(), &sum) != HAFT_OK;
        float v[3] = {};
        failures += haft_tensor_read(sum, v, sizeof v) != HAFT_OK || v[2] != 6;
        haft_tensor_release(sum);
        haft_tensor_release(shared.get());
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(shared.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

// A retain that comes too late answers stale, whatever its slot has become meanwhile.
TEST_F(Handles, RetainRacesTheLastRelease) {
  std::atomic<haft_tensor*> seen{nullptr};
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, caught{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&] {
      while (!stop) {
        haft_tensor* t = seen.load();
        if (!t) continue;
        const haft_status s = haft_tensor_retain(t);
        if (s == HAFT_ERROR_STALE_HANDLE) continue;
        float v[3] = {};
        wrong += s != HAFT_OK || haft_tensor_read(t, v, sizeof v) != HAFT_OK || v[2] != 3;
        haft_tensor_release(t);
        ++caught;
      }
    });
  for (int i = 0; i < 10000 || caught < 100; ++i) {
    haft_tensor* t = floats({1, 2, 3}).release();
    seen = t;
    if (i % 8 == 0) std::this_thread::yield();
    haft_tensor_release(t);
  }
  stop = true;
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(caught, 0);
}

// Memory that the caller lent comes back once, from whichever thread let go last.
TEST_F(Handles, LentMemoryComesBackOnce) {
  std::atomic<int> back{0};
  auto count = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  float data[4] = {1, 2, 3, 4};
  const int64_t size[] = {2, 2}, negative[] = {-1, 1}, odd[] = {2, 2};
  haft_tensor* t = nullptr;
  EXPECT_FAILS_AT(
      haft_tensor_from_memory(data, size, negative, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, count, &back, &t),
      HAFT_ERROR_INVALID_ARGUMENT, 2, "stride");
  EXPECT_FAILS_AT(haft_tensor_from_memory(reinterpret_cast<char*>(data) + 2, odd, nullptr, 2, HAFT_FLOAT32,
                                          HAFT_DEVICE_CPU, count, &back, &t),
                  HAFT_ERROR_INVALID_ARGUMENT, 0, "data");
  EXPECT_EQ(back, 0);
  ASSERT_EQ(haft_tensor_from_memory(data, size, nullptr, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, count, &back, &t),
            HAFT_OK);
  haft_tensor* row = nullptr;
  ASSERT_EQ(haft_select(t, 0, 1, &row), HAFT_OK);
  haft_tensor_release(t);
  data[3] = 9;
  EXPECT_EQ(Tensor(row).to_vector<float>(), (std::vector<float>{3, 9}));  // releases the last view
  EXPECT_EQ(back, 1);
  const int64_t none[] = {0, 2};
  ASSERT_EQ(
      haft_tensor_from_memory(nullptr, none, nullptr, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, count, &back, &t),
      HAFT_OK);
  std::thread([&] { haft_tensor_release(t); }).join();
  EXPECT_EQ(back, 2);
}

}  // namespace
