// Who owns a gradient, and what hooks and custom functions may do while the engine runs.
#include <gtest/gtest.h>

#include "core/autograd/engine.h"
#include "core/autograd/function.h"
#include "core/autograd/hooks.h"
#include "core/base/error.h"
#include "core/dispatch/host_access.h"
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
  copy_to_host(ops::detach(t), v.data());
  return v;
}

struct Ownership : ::testing::Test {
  static void SetUpTestSuite() { init(); }
};

TEST_F(Ownership, LeavesDoNotShareAGradientThatIsAddedTo) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4}), seed = tensor({1, 1});
  Tensor c = ops::add(a, b);
  backward({&c, 1}, {&seed, 1}, {.create_graph = true});
  Tensor d = ops::mul_scalar(a, Scalar(10.0));
  backward({&d, 1}, {&seed, 1});
  EXPECT_EQ(values(gradient_of(a)), (std::vector<float>{11, 11}));
  EXPECT_EQ(values(gradient_of(b)), (std::vector<float>{1, 1}));
  EXPECT_EQ(values(seed), (std::vector<float>{1, 1}));
}

TEST_F(Ownership, AnExpandedGradientCanBeAddedTo) {
  Tensor a = leaf({1, 2});
  for (bool create : {true, false}) {
    Tensor s = ops::sum(a);
    backward({&s, 1}, {}, {.create_graph = create});
  }
  EXPECT_EQ(values(gradient_of(a)), (std::vector<float>{2, 2}));
}

TEST_F(Ownership, GradStopsAtItsInputs) {
  Tensor a = leaf({2, 3}), m = ops::mul(a, a), y = ops::sum(ops::mul(m, m)), s = ops::sum(m);
  backward({&s, 1}, {});  // frees what m keeps
  EXPECT_EQ(values(grad({&y, 1}, {&m, 1}, {})[0]), (std::vector<float>{8, 18}));
  EXPECT_THROW(grad({&s, 1}, {&a, 1}, {}), Error);
}

TEST_F(Ownership, AHookMayAddAndRemoveHooks) {
  Tensor a = leaf({2, 3});
  uint64_t self = 0;
  std::vector<double> state(50, 1);  // lies outside of the function object
  double seen = 0;
  self = add_hook(a, [&, state](const Tensor&) {
    remove_hook(a, self);
    for (int i = 0; i < 100; ++i) add_hook(a, [](const Tensor&) { return Tensor(); });
    for (double v : state) seen += v;
    return Tensor();
  });
  Tensor s = ops::sum(a);
  backward({&s, 1}, {});
  EXPECT_EQ(seen, 50);
  EXPECT_FALSE(remove_hook(a, self));
}

TEST_F(Ownership, AHookKeepsTheDtype) {
  Tensor a = leaf({2, 3}), y = ops::softmax(a, 0);
  add_hook(y, [](const Tensor& g) { return ops::cast(g, DType::f64); });
  Tensor s = ops::sum(ops::mul(y, y));
  EXPECT_THROW(backward({&s, 1}, {}), Error);
}

TEST_F(Ownership, ACustomFunctionMayReturnForeignAndRepeatedTensors) {
  Tensor foreign = leaf({7}), x = leaf({2});
  auto fn = make_ref<CustomFunction>();
  fn->name = "twice";
  fn->forward = [&](FunctionContext&, std::span<const Tensor> in) {
    Tensor z = ops::mul_scalar(in[0], Scalar(2.0));
    return std::vector<Tensor>{z, z, foreign};
  };
  fn->backward = [](FunctionContext&, std::span<const Tensor> g) {
    return std::vector<Tensor>{ops::mul_scalar(ops::add(g[0], g[1]), Scalar(2.0))};
  };
  auto out = apply_function(fn, {&x, 1});
  EXPECT_TRUE(is_leaf(foreign));
  Tensor s = ops::sum(ops::add(out[0], ops::mul_scalar(out[1], Scalar(10.0))));
  backward({&s, 1}, {});
  EXPECT_EQ(values(gradient_of(x)), (std::vector<float>{22}));
}

}  // namespace
}  // namespace haft
