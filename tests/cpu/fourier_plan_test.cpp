// Which plans of transforms stay.
#include "core/cpu/fourier_plan.h"

#include <gtest/gtest.h>

namespace haft::cpu {
namespace {

// One that is larger than all that may stay is its caller's alone, and drives out nothing.
TEST(FourierPlan, WhatIsTooLargeIsNotKept) {
  const auto small = fourier_plan<float>(96, false);
  {
    const auto large = fourier_plan<float>(int64_t(1) << 24, false);
    ASSERT_GT(large->bytes(), int64_t(64) << 20);
    EXPECT_EQ(large.use_count(), 1);
  }
  EXPECT_EQ(fourier_plan<float>(96, false), small);
}

}  // namespace
}  // namespace haft::cpu
