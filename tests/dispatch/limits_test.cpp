// Sizes and numbers at the edge of 63 bits: refused or clipped, never computed with.
#include <gtest/gtest.h>

#include <cmath>

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

// Strides of memory from outside: the tape knows only memory without gaps, and must not guess.
TEST_F(Limits, AsStridedOfStridedExternalMemory) {
  float memory[12] = {};
  auto lend = [&](IntList sizes, IntList strides) {
    Tensor t = tensor_over(wrap_storage(Device{}, memory, sizeof memory, nullptr, nullptr), sizes, strides,
                           DType::f32);
    set_requires_grad(t, true);
    return t;
  };
  const Shape sizes{3, 4};
  EXPECT_THROW(ops::as_strided(lend(Shape{3, 2}, Shape{4, 2}), Shape{2, 2}, Shape{3, 1}, 0), Error);
  Tensor weights = ops::reshape(ops::arange(Scalar(1.0), Scalar(5.0), Scalar(1.0)), Shape{2, 2});
  Tensor turned = lend(sizes, Shape{1, 3});
  Tensor window = ops::mul(ops::as_strided(turned, Shape{2, 2}, Shape{3, 1}, 0), weights),
         later =
             ops::mul(ops::as_strided(ops::slice(turned, 1, 1, 4, 1), Shape{2, 2}, Shape{3, 1}, 1), weights),
         both = ops::sum(ops::add(window, later));
  backward({&both, 1}, {});
  float h[12];
  copy_to_host(gradient_of(turned), h);
  EXPECT_EQ((std::vector<float>{h, h + 12}), (std::vector<float>{1, 3, 0, 0, 2, 5, 3, 0, 0, 2, 4, 0}));
  Tensor dense = lend(sizes, Shape{4, 1}), x = ops::slice(dense, 1, 1, 4, 1);  // strided, of a dense base
  Tensor y = ops::sum(ops::mul(ops::as_strided(x, Shape{2, 2}, Shape{4, 2}, 0), weights));
  backward({&y, 1}, {});
  float g[12];
  copy_to_host(gradient_of(dense), g);
  EXPECT_EQ((std::vector<float>{g, g + 12}), (std::vector<float>{0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0}));
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
  EXPECT_THROW(ops::cat(xs, 0), Error);
}

// An empty tensor of huge other sizes: its strides and partial products must not overflow.
TEST_F(Limits, EmptyTensorsOfHugeSizes) {
  constexpr int64_t kBig = int64_t(1) << 40;
  Tensor empty = ops::zeros(Shape{0}, DType::f32), one = ops::zeros(Shape{1, 1, 1});
  for (Shape s : {Shape{0, kBig, kBig}, Shape{kBig, 0, kBig}, Shape{kBig, kBig, 0}}) {
    EXPECT_THROW(ops::zeros(s), Error);
    EXPECT_THROW(ops::view(empty, s), Error);
    EXPECT_THROW(ops::reshape(empty, s), Error);
    EXPECT_THROW(ops::as_strided(empty, s, Shape{1, 1, 1}, 0), Error);
    EXPECT_THROW(ops::expand(ops::zeros(Shape{s[0] ? 1 : 0, s[1] ? 1 : 0, s[2] ? 1 : 0}), s), Error);
  }
  EXPECT_THROW(ops::expand(one, Shape{kBig, kBig, 1}), Error);
  const Shape most{0, int64_t(1) << 30, int64_t(1) << 29};  // the limit that shape.h names
  Tensor largest = ops::zeros(most, DType::boolean);
  EXPECT_EQ(largest.numel(), 0);
  EXPECT_EQ(ops::flatten(largest, 1, 2).size(1), kMaxNumel);
  EXPECT_EQ(ops::flatten(largest, 0, -1).numel(), 0);
  EXPECT_EQ(largest.strides()[0], kMaxNumel);
  EXPECT_THROW(ops::zeros(Shape{0, int64_t(1) << 30, (int64_t(1) << 29) + 1}), Error);
  EXPECT_THROW(ops::as_strided(empty, Shape{0, 2}, Shape{1, INT64_MAX}, 0), Error);
  EXPECT_THROW(ops::as_strided(ops::zeros(Shape{1}), Shape{1, 1}, Shape{INT64_MAX, INT64_MAX}, 0), Error);
  EXPECT_EQ(ops::as_strided(empty, Shape{0, 2}, Shape{1, 1}, INT64_MAX / 2).numel(), 0);
}

// Bounds that no integer holds limit nothing; numbers that no integer holds are not written.
TEST_F(Limits, NumbersBeyondIntegers) {
  const double inf = HUGE_VAL;
  for (DType t : {DType::u8, DType::i8, DType::i16, DType::i32, DType::i64}) {
    Tensor x = ops::arange(Scalar(int64_t(0)), Scalar(int64_t(100)), Scalar(int64_t(1)), t);
    auto total = [](const Tensor& y) { return item(ops::sum(y)).to_int(); };
    for (double bound : {inf, 1e30, 9223372036854775808.0}) {
      EXPECT_EQ(total(ops::hardtanh(x, -bound, bound)), 4950) << dtype_name(t) << " " << bound;
      EXPECT_EQ(total(ops::hardtanh(x, 3, bound)), 4956) << dtype_name(t) << " " << bound;
      EXPECT_EQ(total(ops::hardtanh(x, -bound, 3)), 294) << dtype_name(t) << " " << bound;
    }
    Tensor mask = ops::gt_scalar(x, 50);
    for (Scalar v : {Scalar(inf), Scalar(-1e30), Scalar(double(NAN))})
      EXPECT_THROW(ops::masked_fill(x, mask, v), Error) << dtype_name(t);
    if (t == DType::i64) continue;
    const int64_t beyond = t == DType::u8    ? 256
                           : t == DType::i8  ? 128
                           : t == DType::i16 ? 32768
                                             : int64_t(1) << 31;
    EXPECT_THROW(ops::masked_fill(x, mask, Scalar(beyond)), Error) << dtype_name(t);
    EXPECT_THROW(ops::masked_fill_(x, mask, Scalar(double(beyond))), Error) << dtype_name(t);
    EXPECT_EQ(item(ops::select(ops::masked_fill(x, mask, Scalar(beyond - 1)), 0, 99)).to_int(), beyond - 1);
    EXPECT_EQ(total(x), 4950);
  }
  EXPECT_EQ(saturated(NAN), 0);
  EXPECT_EQ(saturated(inf), INT64_MAX);
  EXPECT_EQ(saturated(-inf), INT64_MIN);
  EXPECT_EQ(saturated(-9223372036854775808.0), INT64_MIN);
  EXPECT_EQ(saturated(9223372036854774784.0), 9223372036854774784);
  EXPECT_EQ(Scalar(300.0).to<int8_t>(), 44);
}

}  // namespace
}  // namespace haft
