// The cache of packed weights gives its memory back before anybody is refused.
#include "core/cpu/packed_weights.h"

#include <gtest/gtest.h>

#include "core/init.h"
#include "core/tensor/host_allocator.h"
#include "core/tensor/tensor.h"

namespace haft::cpu {
namespace {

constexpr int64_t kMiB = int64_t(1) << 20;

struct PackedWeightsCache : ::testing::Test {
  float weight[16] = {};
  haft_tensor_view view{};

  void SetUp() override {
    init();
    clear_packed_weights();
    view.data = weight;
    view.version_key = 7;
  }
  void TearDown() override {
    set_host_memory_limit(0);
    clear_packed_weights();
  }
  // The second use is the one that is kept.
  void fill(uint64_t format, int64_t bytes) {
    for (int i = 0; i < 2; ++i)
      PackedWeights(
          view, format, bytes, [](void*) {}, nullptr);
  }
};

TEST_F(PackedWeightsCache, GivesWayToTheLimit) {
  for (uint64_t f = 1; f <= 4; ++f) fill(f, 4 * kMiB);
  ASSERT_EQ(packed_weights_stats().bytes, 16 * kMiB);
  const int64_t live = host_memory_stats().live;
  set_host_memory_limit(live + 2 * kMiB);
  host_free(host_alloc(kMiB), kMiB);  // there is room: nothing is dropped
  EXPECT_EQ(packed_weights_stats().bytes, 16 * kMiB);
  HostBuffer large(10 * kMiB);  // there is not
  EXPECT_EQ(packed_weights_stats().bytes, 0);
  EXPECT_LE(host_memory_stats().live, live);
  try {
    HostBuffer more(10 * kMiB);
    FAIL() << "above the limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::out_of_memory);
  }
  EXPECT_EQ(host_memory_stats().live, live - 16 * kMiB + 10 * kMiB);
}

TEST_F(PackedWeightsCache, WhatIsInUseStays) {
  fill(1, kMiB);
  PackedWeights used(
      view, 1, kMiB, [](void*) { FAIL() << "packed again"; }, nullptr);
  const int64_t live = host_memory_stats().live;
  host_memory_trim();
  EXPECT_EQ(packed_weights_stats().bytes, 0);
  EXPECT_EQ(host_memory_stats().live, live);
  static_cast<float*>(const_cast<void*>(used.data()))[0] = 1;
}

// Of three views of one memory and of one of another: what was exposed keeps no copies, nor what is gone.
TEST_F(PackedWeightsCache, GoWithTheirMemory) {
  const int64_t rows[] = {4, 1024};
  Tensor a = new_tensor(rows, DType::f32), b = new_tensor(IntList(rows).last(1), DType::f32);
  const int64_t live = host_memory_stats().live;
  auto use = [&](const Tensor& t, int64_t row) {
    view.data = static_cast<float*>(t.view().data) + 1024 * row;
    view.version_key = version_key(*t.impl()->storage);
    fill(1, kMiB);
    count_use(view);
  };
  for (int row = 0; row < 3; ++row) use(a, row);
  use(b, 0);
  EXPECT_EQ(packed_weights_stats().entries, 8);
  EXPECT_EQ(packed_weights_stats().bytes, 4 * kMiB);
  b.impl()->storage->expose();
  EXPECT_EQ(packed_weights_stats().bytes, 3 * kMiB);
  use(b, 0);
  EXPECT_EQ(packed_weights_stats().entries, 6);
  a = {};
  EXPECT_EQ(packed_weights_stats().entries, 0);
  EXPECT_EQ(packed_weights_stats().bytes, 0);
  EXPECT_LT(host_memory_stats().live, live);
}

// What is in use is not displaced, what nobody asks for any more is.
TEST_F(PackedWeightsCache, IsFullUntilSomethingIsIdle) {
  auto use = [&](uint64_t format) {
    PackedWeights(
        view, format, 60 * kMiB, [](void*) {}, nullptr);
  };
  for (uint64_t f = 1; f <= 4; ++f) {
    EXPECT_TRUE(packed_weight_fits(view, f, 60 * kMiB));
    fill(f, 60 * kMiB);
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (uint64_t f = 1; f <= 4; ++f) use(f);
    EXPECT_FALSE(packed_weight_fits(view, 5, 60 * kMiB));
    EXPECT_TRUE(packed_weight_fits(view, 1, 60 * kMiB));
  }
  bool fits = false;
  for (int turn = 0; turn < 40 && !fits; ++turn) {
    for (uint64_t f = 2; f <= 4; ++f) use(f);
    fits = packed_weight_fits(view, 5, 60 * kMiB);
  }
  EXPECT_TRUE(fits);
  EXPECT_EQ(packed_weights_stats().bytes, 180 * kMiB);
}

TEST_F(PackedWeightsCache, ATrimGivesItToTheSystem) {
  fill(1, 8 * kMiB);
  EXPECT_GE(host_memory_trim(), 8 * kMiB);
  EXPECT_EQ(packed_weights_stats().bytes, 0);
}

}  // namespace
}  // namespace haft::cpu
