// What a mode sees: every call that makes a tensor, also those that prepare another call.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/autograd/engine.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/modes.h"
#include "core/init.h"
#include "core/modes/profiler.h"
#include "core/ops/functions.h"

namespace haft {
namespace {

struct Modes : ::testing::Test {
  static void SetUpTestSuite() { init(); }
};

template <class F>
std::vector<std::string> profiled(F&& f) {
  profiler_start(kProfileShapes);
  f();
  std::vector<std::string> names;
  for (const ProfileEvent& e : profiler_stop()) names.push_back(e.name);
  return names;
}
using Names = std::vector<std::string>;

TEST_F(Modes, SeeWhatPreparesACall) {
  Tensor x = ops::ones(Shape{2, 3}), row = ops::ones(Shape{3}, DType::i64), turned = ops::transpose(x, 0, 1);
  EXPECT_EQ(profiled([&] { ops::add(x, x); }), (Names{"add"}));
  EXPECT_EQ(profiled([&] { ops::add(x, row); }), (Names{"add", "cast", "expand"}));
  EXPECT_EQ(profiled([&] { ops::add_(x, row); }), (Names{"add_", "cast", "expand"}));
  EXPECT_EQ(profiled([&] {
              ops::cat(std::vector<Tensor>{x, ops::expand(row, Shape{2, 3})}, 0);
            }),
            (Names{"expand", "cat", "cast"}));
  EXPECT_EQ(profiled([&] { ops::masked_select(x, ops::gt_scalar(row, 0)); })[1], "masked_select");
  // Afterwards everything is as before.
  EXPECT_EQ(thread_state().modes, 0u);
  EXPECT_EQ(thread_state().entered, 0u);
}

TEST_F(Modes, SeeWhatMakesABlockedTensorStrided) {
  Tensor y = ops::conv2d(ops::ones(Shape{1, 16, 3, 3}), ops::ones(Shape{16, 16, 1, 1}), {}, {}, {}, {}, 1);
  if (y.view().layout == HAFT_LAYOUT_STRIDED) GTEST_SKIP() << "this processor has no blocked convolutions";
  EXPECT_EQ(profiled([&] { ops::transpose(y, 1, 2); }), (Names{"transpose", "contiguous_copy"}));
  EXPECT_EQ(profiled([&] { ops::transpose(y, 1, 2); }), (Names{"transpose"}));  // it is kept
  // Convolutions in another type go on in blocks.
  EXPECT_EQ(ops::cast(y, DType::bf16).view().layout, y.view().layout);
  EXPECT_EQ(ops::cast(y, DType::f64).view().layout, HAFT_LAYOUT_STRIDED);
  EXPECT_EQ(item(ops::sum(ops::cast(y, DType::f64))).to_double(), 16 * 16 * 9);
}

TEST_F(Modes, SeeTheCopyOfAnOverwrittenValueAndOfAGradient) {
  Tensor x = ops::full(Shape{3}, 2.0);
  set_requires_grad(x, true);
  Tensor y = ops::mul_scalar(x, 3.0), s;
  EXPECT_EQ(profiled([&] { ops::mul_(y, y); }), (Names{"mul_", "contiguous_copy", "contiguous_copy"}));
  s = ops::sum(y);
  backward({&s, 1}, {});
  EXPECT_EQ(item(ops::sum(gradient_of(x))).to_double(), 3 * 18 * 2);
  Tensor z = ops::ones(Shape{3});
  set_requires_grad(z, true);
  s = ops::sum(z);
  const Names names = profiled([&] { backward({&s, 1}, {}); });
  EXPECT_EQ(names.back(), "contiguous_copy");  // the expanded gradient becomes the leaf's own memory
}

TEST_F(Modes, AFailedCallLeavesThemAsTheyWere) {
  Tensor x = ops::ones(Shape{2, 3}), bad = ops::ones(Shape{4}, DType::i64);
  const Names names = profiled([&] {
    EXPECT_THROW(ops::add(x, bad), Error);
    EXPECT_EQ(thread_state().entered, 0u);
    ops::neg(x);
  });
  EXPECT_EQ(names, (Names{"cast", "neg"}));
  EXPECT_EQ(thread_state().modes, 0u);
}

}  // namespace
}  // namespace haft
