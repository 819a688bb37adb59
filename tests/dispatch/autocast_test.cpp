// Autocast in the engine: what is cast and what is not, the cache of casts, parts of a batch and backward.
#include "core/dispatch/autocast.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/autograd/engine.h"
#include "core/autograd/hooks.h"
#include "core/init.h"
#include "core/ops/functions.h"

namespace haft {
namespace {

struct Autocast : ::testing::Test {
  static void SetUpTestSuite() { init(); }
  struct Region {
    explicit Region(DType t = DType::none, bool on = true, bool caches = true) { enter_autocast(kCpu, t, on, caches); }
    ~Region() { leave_autocast(); }
  };
  ~Autocast() override { EXPECT_EQ(thread_state().modes & kModeAutocast, 0u); }
};

TEST_F(Autocast, CastsByClass) {
  const Tensor a = ops::ones(Shape{8, 8}), half = ops::cast(a, DType::bf16), wide = ops::cast(a, DType::f64);
  Region r;
  EXPECT_EQ(ops::mm(a, a).dtype(), DType::bf16);
  EXPECT_EQ(ops::mm(wide, wide).dtype(), DType::f64);
  EXPECT_EQ(ops::mse_loss(half, half).dtype(), DType::f32);
  EXPECT_EQ(ops::softmax(half, 0).dtype(), DType::bf16);
  EXPECT_EQ(ops::softmax(a, 0).dtype(), DType::f32);
  const Tensor pair[] = {a, half};
  EXPECT_EQ(ops::stack(pair).dtype(), DType::f32);
  EXPECT_EQ(ops::cdist(half, half).dtype(), DType::f32) << "its product is not cast again";
}

TEST_F(Autocast, RegionsNestAndEnd) {
  const Tensor a = ops::ones(Shape{4, 4});
  {
    Region outer;
    {
      Region off(DType::none, false);
      EXPECT_EQ(ops::mm(a, a).dtype(), DType::f32);
      Region again(DType::f16);
      EXPECT_EQ(ops::mm(a, a).dtype(), DType::f16);
    }
    EXPECT_EQ(ops::mm(a, a).dtype(), DType::bf16);
    DType other{};
    std::thread([&] { other = ops::mm(a, a).dtype(); }).join();
    EXPECT_EQ(other, DType::f32);
  }
  EXPECT_THROW(leave_autocast(), Error);
  EXPECT_THROW(enter_autocast(kCpu, DType::f32, true, true), Error);
  EXPECT_THROW(enter_autocast(kMaxDeviceTypes, DType::bf16, true, true), Error);
  EXPECT_EQ(ops::mm(a, a).dtype(), DType::f32);
}

TEST_F(Autocast, OtherTypesOfDevicesStay) {
  const Tensor a = ops::ones(Shape{4, 4});
  enter_autocast(kCuda, DType::none, true, true);
  EXPECT_TRUE(is_autocast_enabled(kCuda));
  EXPECT_EQ(autocast_dtype(kCuda), DType::f16);
  EXPECT_EQ(ops::mm(a, a).dtype(), DType::f32);
  leave_autocast();
}

TEST_F(Autocast, InPlaceAndIntoNothingIsCast) {
  const Tensor a = ops::ones(Shape{4, 4}), out = ops::zeros(Shape{4, 4}), into = ops::zeros(Shape{4, 4});
  Region r;
  ops::index_add_(into, 0, ops::arange(Scalar(0), Scalar(4)), a);
  EXPECT_EQ(into.dtype(), DType::f32);
  ops::softmax_out(a, 0, out);
  EXPECT_EQ(out.dtype(), DType::f32);
}

TEST_F(Autocast, KeepsCastsOfLeaves) {
  Tensor w = ops::ones(Shape{8, 8});
  set_requires_grad(w, true);
  const Tensor x = ops::cast(ops::ones(Shape{1, 8}), DType::bf16);
  auto first = [&] { return ops::cast(ops::mm(x, w), DType::f32).data<float>()[0]; };
  Region r;
  EXPECT_EQ(first(), 8);
  {
    NoGradGuard no_grad;
    ops::mul_scalar_(w, Scalar(2));
    EXPECT_EQ(first(), 16) << "written since it was cast";
  }
  const Tensor y = ops::mm(x, w);
  EXPECT_TRUE(y.requires_grad()) << "cast without recording, and then with it";
  const Tensor sum[] = {ops::sum(y)};
  backward(sum, {});
  EXPECT_EQ(gradient_of(w).dtype(), DType::f32);
}

}  // namespace
}  // namespace haft
