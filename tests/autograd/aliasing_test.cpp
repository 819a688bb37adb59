// Writes in place: what the tape keeps of them, and memory that is read while it is written.
#include <gtest/gtest.h>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/layout.h"
#include "core/init.h"
#include "core/ops/functions.h"

namespace haft {
namespace {

Tensor tensor(const std::vector<float>& v) {
  Tensor t = new_tensor(Shape{int64_t(v.size())}, DType::f32);
  copy_from_host(t, v.data());
  return t;
}
Tensor leaf(const std::vector<float>& v) {
  Tensor t = tensor(v);
  set_requires_grad(t, true);
  return t;
}
std::vector<float> values(const Tensor& t) {
  std::vector<float> v(size_t(t.numel()));
  NoGradGuard off;
  copy_to_host(ops::cast(t, DType::f32), v.data());
  return v;
}
void backward_of_sum(const Tensor& x) {
  Tensor s = ops::sum(x);
  backward({&s, 1}, {});
}
double difference(const Tensor& a, const Tensor& b) {
  return item(ops::amax(ops::abs(ops::sub(a, b)))).to_double();
}

struct Aliasing : ::testing::Test {
  static void SetUpTestSuite() { init(); }

  // A tensor in the library's layout, where the processor has one.
  static Tensor blocked() {
    int64_t one[] = {1};
    return ops::conv2d(ops::randn(Shape{1, 16, 6, 6}), ops::randn(Shape{16, 16, 3, 3}), Tensor(), one, one,
                       one, 1);
  }
};

TEST_F(Aliasing, BothFactorsAreTheOldValue) {
  Tensor a = leaf({2, 3}), x = ops::mul_scalar(a, Scalar(1.0));
  ops::mul_(x, x);
  backward_of_sum(x);
  EXPECT_EQ(values(gradient_of(a)), (std::vector<float>{4, 6}));
}

TEST_F(Aliasing, AViewOfTheWrittenTensorIsKeptAsItWas) {
  Tensor a = leaf({2, 3}), x = ops::mul_scalar(a, Scalar(1.0));
  ops::mul_(x, ops::flip(x, Shape{0}));  // a copy: nothing is shared
  ops::mul_(x, ops::view(x, Shape{2}));
  backward_of_sum(x);  // (a0 a1)^2 twice
  EXPECT_EQ(values(gradient_of(a)), (std::vector<float>{72, 48}));
}

TEST_F(Aliasing, AResultThatIsCastGivesGradientsOfEachDtype) {
  Tensor w = leaf({2, 3}), x = ops::cast(tensor({5, 7}), DType::f16);
  ops::mul_(x, w);
  EXPECT_EQ(x.dtype(), DType::f16);
  EXPECT_EQ(values(x), (std::vector<float>{10, 21}));
  backward_of_sum(x);
  ASSERT_TRUE(gradient_of(w));
  EXPECT_EQ(gradient_of(w).dtype(), DType::f32);
  EXPECT_EQ(values(gradient_of(w)), (std::vector<float>{5, 7}));
}

TEST_F(Aliasing, InferenceTensorsRefuseARecordedWriteAndStayAsTheyAre) {
  Tensor t;
  {
    ScopedValue<bool> inference(thread_state().inference, true);
    t = tensor({1, 2});
  }
  Tensor w = leaf({5, 6});
  EXPECT_THROW(ops::mul_(t, w), Error);
  EXPECT_EQ(values(t), (std::vector<float>{1, 2}));
}

TEST_F(Aliasing, AFailureHalfwayRaisesTheVersion) {
  Tensor x = tensor({1, 2, 3}), index = ops::cast(tensor({0, 9}), DType::i64);
  uint32_t before = version_of(*x.impl());
  EXPECT_THROW(ops::scatter_(x, 0, index, tensor({7, 8})), Error);
  EXPECT_GT(version_of(*x.impl()), before);
}

TEST_F(Aliasing, GivenBlockedOutputsAreReadAsWritten) {
  Tensor x = ops::randn(Shape{1, 16, 6, 6}), y = blocked();
  ops::sum(ops::transpose(y, 2, 3));  // makes the twin
  ops::softmax_out(x, 1, y);
  EXPECT_EQ(difference(ops::relu(y), ops::softmax(x, 1)), 0);
}

TEST_F(Aliasing, BlockedTensorsThatReadThemselves) {
  Tensor y = blocked(), copy = ops::clone(y);
  ops::add_(y, ops::transpose(y, 2, 3));
  EXPECT_EQ(difference(y, ops::add(copy, ops::transpose(copy, 2, 3))), 0);

  Tensor z = blocked(), old = ops::clone(z);
  Tensor channels = ops::view(ops::arange(Scalar(int64_t(15)), Scalar(int64_t(-1)), Scalar(int64_t(-1))),
                              Shape{1, 16, 1, 1});
  Tensor index = ops::expand(channels, Shape{1, 16, 6, 6});
  ops::scatter_(z, 1, index, z);
  EXPECT_EQ(difference(z, ops::flip(old, Shape{1})), 0);
}

}  // namespace
}  // namespace haft
