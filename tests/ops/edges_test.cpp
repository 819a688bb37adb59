// Gradients where a function has an edge, and of what is no number: PyTorch's.
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
using Function = Tensor (*)(const Tensor&);
struct Edges : AutogradTest {};

void expect_slopes(Function f, const Numbers& x, const Numbers& first, const Numbers& second) {
  const Tensor at = leaf(x), slope = grad(ops::sum(f(at)), at, {.create_graph = true});
  EXPECT_EQ(values(slope), first);
  if (second.empty()) return;
  EXPECT_EQ(values(grad(ops::sum(slope), at)), second);
}

TEST_F(Edges, ExponentialUnitsAtZero) {
  expect_slopes([](const Tensor& x) { return ops::elu(x, 2); }, {0, 1, -INFINITY, INFINITY}, {2, 1, 0, 1},
                {0, 0, 0, 0});
  expect_slopes([](const Tensor& x) { return ops::celu(x, 2); }, {0, 1, -INFINITY, INFINITY}, {1, 1, 0, 1},
                {0, 0, 0, 0});
  const Tensor x = leaf({0});
  EXPECT_EQ(values(grad(grad(ops::selu(x), x, {.create_graph = true}), x)), Numbers{0});
}

TEST_F(Edges, HardswishAtItsCorners) {
  expect_slopes([](const Tensor& x) { return ops::hardswish(x); }, {-4, -3, 3, INFINITY}, {0, -0.5, 1, 1},
                {});
}

TEST_F(Edges, NaNStaysNaN) {
  for (Function f : {Function([](const Tensor& x) { return ops::hardswish(x); }),
                     Function([](const Tensor& x) { return ops::celu(x, 2); }),
                     Function([](const Tensor& x) { return ops::elu(x, 2); }),
                     Function([](const Tensor& x) { return ops::selu(x); })}) {
    const Tensor x = leaf({NAN, 1});
    EXPECT_TRUE(std::isnan(values(f(x))[0]));
    const Numbers slope = values(grad(ops::sum(f(x)), x));
    EXPECT_TRUE(std::isnan(slope[0]) && !std::isnan(slope[1])) << slope[0];
  }
}

// (x - target) / max(x (1 - x), 1e-12)
TEST_F(Edges, CrossEntropyOfCertainties) {
  for (auto [x, target, slope] : {std::array{0.0, 0.0, 0.0},
                                  {0.0, 1.0, -1e12},
                                  {1.0, 1.0, 0.0},
                                  {1.0, 0.0, 1e12},
                                  {0.0, 0.25, -0.25e12},
                                  {1e-13, 0.0, 0.1}}) {
    const Tensor p = leaf({x}), t = leaf({target});
    const Tensor loss = ops::binary_cross_entropy(p, t);
    const Numbers got = values(grad(loss, p, {.retain_graph = true}));
    EXPECT_NEAR(got[0], slope, 1e-9 * std::abs(slope) + 1e-12) << x << ", " << target;
    EXPECT_NEAR(values(grad(loss, t))[0], std::max(std::log(1 - x), -100.0) - std::max(std::log(x), -100.0),
                1e-9);
  }
}

// A correction may be any number: what is left of the count never wraps.
TEST_F(Edges, VarianceWithAnExtremeCorrection) {
  for (int64_t correction : {INT64_MIN, INT64_MAX}) {
    const Tensor x = leaf({1, 2, 4}), var = ops::var(x, {}, correction, false);
    const double divisor = correction < 0 ? 0x1p63 : 0;
    EXPECT_DOUBLE_EQ(values(var)[0], (14.0 / 3) / divisor);
    EXPECT_DOUBLE_EQ(values(grad(var, x))[2], 2 * (4 - 7.0 / 3) / divisor);
  }
}

}  // namespace
}  // namespace haft
