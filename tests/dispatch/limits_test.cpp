// Sizes and numbers at the edge of 63 bits: refused or clipped, never computed with.
#include <gtest/gtest.h>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/dispatch/host_access.h"
#include "core/init.h"
#include "core/ops/functions.h"

namespace haft {
namespace {

struct Limits : ::testing::Test {
  static void SetUpTestSuite() { init(); }
};

constexpr int64_t kLarge = int64_t(1) << 62;

TEST_F(Limits, AsStridedDoesNotOverflow) {
  Tensor x = ops::arange(Scalar(int64_t(0)), Scalar(int64_t(4)), Scalar(int64_t(1)));
  EXPECT_THROW(ops::as_strided(x, Shape{5}, Shape{kLarge}, 0), Error);
  EXPECT_THROW(ops::as_strided(x, Shape{1}, Shape{1}, kLarge), Error);
  EXPECT_THROW(ops::as_strided(x, Shape{1}, Shape{1}, -1), Error);
  EXPECT_THROW(ops::as_strided(x, Shape{2, 3}, Shape{2, 1}, 0), Error);
  EXPECT_EQ(item(ops::sum(ops::as_strided(x, Shape{2, 2}, Shape{2, 1}, 0))).to_int(), 6);
}

TEST_F(Limits, AsStridedBeyondASliceGoesToTheBase) {
  Tensor x = ops::ones(Shape{4});
  set_requires_grad(x, true);
  Tensor y = ops::as_strided(ops::slice(x, 0, 1, 2), Shape{2}, Shape{1}, 1), s = ops::sum(y);
  backward({&s, 1}, {});
  float g[4];
  copy_to_host(gradient_of(x), g);
  EXPECT_EQ((std::vector<float>{g, g + 4}), (std::vector<float>{0, 0, 1, 1}));
}

TEST_F(Limits, LargeSteps) {
  Tensor x = ops::arange(Scalar(int64_t(0)), Scalar(int64_t(4)), Scalar(int64_t(1)));
  EXPECT_EQ(ops::slice(x, 0, 1, 4, INT64_MAX).numel(), 1);
  EXPECT_EQ(ops::unfold(x, 0, 2, INT64_MAX).size(0), 1);
}

TEST_F(Limits, WindowsOfConvolutionAndPooling) {
  Tensor x = ops::ones(Shape{1, 1, 4, 4}), w = ops::ones(Shape{1, 1, 3, 3});
  int64_t one[] = {1}, zero[] = {0}, large[] = {INT64_MAX}, four[] = {4}, kernel[] = {kLarge};
  EXPECT_THROW(ops::conv2d(x, w, Tensor(), one, zero, large, 1), Error);
  EXPECT_THROW(ops::conv2d(x, w, Tensor(), one, kernel, one, 1), Error);
  EXPECT_THROW(ops::max_pool2d(x, kernel, one, zero, four), Error);
  EXPECT_THROW(ops::avg_pool2d(x, kernel, one, zero), Error);
}

TEST_F(Limits, MoreTensorsThanACallCounts) {
  std::vector<Tensor> xs(65537, ops::ones(Shape{1}));
  EXPECT_THROW(ops::cat(0, xs), Error);
}

}  // namespace
}  // namespace haft
