// Ready-made calls of oneDNN go from thread to thread: what one has no room for, or leaves at its end, another one
// takes.
#include "core/cpu/dnnl.h"

#include <gtest/gtest.h>

#include <thread>

namespace haft::cpu {
namespace {

CallKey key_of(int64_t i) {
  CallKey key;
  key.word[0] = uint64_t(1) << 60;  // nobody else's
  key.word[1] = uint64_t(i);
  return key;
}

// Turns a small matrix, with a call made ready the first time. Whether it was.
bool copy_once(int64_t i) {
  const int64_t dims[] = {2, 2};
  DnnlCall& call = cached_call(key_of(i));
  const bool was_ready = call.ready();
  if (!was_ready)
    call.build_reorder(tagged_desc(dnnl_f32, dims, dnnl_ab), tagged_desc(dnnl_f32, dims, dnnl_ba));
  const float from[] = {1, 2, 3, 4};
  float to[4] = {};
  call.run({from, to});
  EXPECT_EQ(to[1], 3);
  EXPECT_EQ(to[2], 2);
  return was_ready;
}

TEST(DnnlCalls, AThreadLeavesThemToTheNext) {
  for (int64_t i = 0; i < 20; ++i) {
    bool first = true, second = false;
    std::thread([&] { first = copy_once(i); }).join();
    std::thread([&] { second = copy_once(i); }).join();
    EXPECT_FALSE(first) << i;
    EXPECT_TRUE(second) << i;
  }
}

TEST(DnnlCalls, WhatAThreadHasNoRoomForIsKeptForAll) {
  constexpr int64_t kFrom = 1000, kCount = 200;  // more than a thread keeps
  for (int64_t i = kFrom; i < kFrom + kCount; ++i) EXPECT_FALSE(copy_once(i));
  int64_t ready = 0;
  for (int64_t i = kFrom; i < kFrom + kCount; ++i) ready += copy_once(i);
  EXPECT_GE(ready, kCount * 9 / 10);  // of all sets some are full
  int64_t elsewhere = 0;
  std::thread([&] {
    for (int64_t i = kFrom; i < kFrom + kCount; ++i) elsewhere += copy_once(i);
  }).join();
  EXPECT_GE(elsewhere, kCount / 2);  // the first thread has some in its hands
}

// However many shapes there are, those of long ago go.
TEST(DnnlCalls, AreBounded) {
  constexpr int64_t kFrom = 10000, kCount = 5000;
  for (int64_t i = kFrom; i < kFrom + kCount; ++i) copy_once(i);
  int64_t ready = 0;
  for (int64_t i = kFrom; i < kFrom + kCount; ++i) ready += cached_call(key_of(i)).ready();
  EXPECT_LT(ready, 2500);
}

}  // namespace
}  // namespace haft::cpu
