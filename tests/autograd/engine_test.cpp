// The engine: accumulation, retained and recorded graphs, grad(), modes, deep and shared graphs.
#include <atomic>
#include <thread>

#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Engine : AutogradTest {};

TEST_F(Engine, Accumulates) {
  Tensor x = leaf({1, 2, 3});
  backward(ops::sum(ops::mul(x, x)));
  EXPECT_EQ(grad_of(x), (Numbers{2, 4, 6}));
  backward(ops::sum(x));
  EXPECT_EQ(grad_of(x), (Numbers{3, 5, 7}));
  set_gradient(x, {});
  EXPECT_FALSE(gradient_of(x).defined());
  Tensor y = ops::add(ops::mul(x, x), x);  // used three times
  backward(ops::sum(y));
  EXPECT_EQ(grad_of(x), (Numbers{3, 5, 7}));
}

TEST_F(Engine, AccumulatesIntoTheCallersMemoryOnlyOnceItIsItsOwn) {
  Tensor x = leaf({1, 2}), seed = tensor({10, 20});
  Tensor y = ops::clone(x);
  haft::backward({&y, 1}, {&seed, 1});
  Tensor z = ops::clone(x);
  haft::backward({&z, 1}, {&seed, 1});
  EXPECT_EQ(grad_of(x), (Numbers{20, 40}));
  EXPECT_EQ(values(seed), (Numbers{10, 20}));
}

TEST_F(Engine, GraphIsFreedUnlessRetained) {
  Tensor x = leaf({1, 2});
  Tensor y = ops::sum(ops::mul(x, x));
  backward(y, {.retain_graph = true});
  backward(y);
  EXPECT_EQ(grad_of(x), (Numbers{4, 8}));
  expect_error([&] { backward(y); }, Code::autograd, "second time");
  EXPECT_EQ(grad_of(x), (Numbers{4, 8}));
}

TEST_F(Engine, HigherDerivatives) {
  Tensor x = leaf({2});
  Tensor y = ops::sum(ops::mul(ops::mul(x, x), ops::mul(x, x)));  // x^4
  Tensor d1 = grad(y, x, {.create_graph = true});
  EXPECT_EQ(values(d1), (Numbers{32}));
  Tensor d2 = grad(ops::sum(d1), x, {.create_graph = true});
  EXPECT_EQ(values(d2), (Numbers{48}));
  Tensor d3 = grad(ops::sum(d2), x, {.create_graph = true});
  EXPECT_EQ(values(d3), (Numbers{48}));
  EXPECT_EQ(values(grad(ops::sum(d3), x)), (Numbers{24}));
  EXPECT_FALSE(gradient_of(x).defined());
  // A penalty on the gradient.
  Tensor g = grad(ops::sum(ops::exp(x)), x, {.create_graph = true});
  backward(ops::sum(ops::mul(g, g)));
  EXPECT_NEAR(grad_of(x)[0], 2 * std::exp(4.0), 1e-9);
}

// The indices that the backward of a pool reads have no gradient: they do not join the graph.
TEST_F(Engine, AGradientLinearInItsSeedHasNoSecondOne) {
  Tensor x = leaf({1, 5, 3, 7, 2, 8, 4, 6, 9}, Shape{1, 1, 3, 3});
  int64_t one = 1, two = 2, none = 0;
  Tensor y = ops::max_pool2d(x, {&two, 1}, {&one, 1}, {&none, 1}, {&one, 1}, false);
  Tensor g = grad(ops::sum(y), x, {.create_graph = true});
  EXPECT_EQ(values(g), (Numbers{0, 0, 0, 2, 0, 1, 0, 0, 1}));
  EXPECT_FALSE(g.requires_grad());
}

TEST_F(Engine, GradOfInnerTensorsAndUnusedInputs) {
  Tensor x = leaf({1, 2}), unused = leaf({1});
  Tensor h = ops::mul_scalar(x, 3.0), y = ops::sum(ops::mul(h, h));
  std::vector<Tensor> in{h, unused, x};
  expect_error([&] { haft::grad({&y, 1}, in, {}, {.retain_graph = true}); }, Code::autograd, "input 1");
  auto g = haft::grad({&y, 1}, in, {}, {}, true);
  EXPECT_EQ(values(g[0]), (Numbers{6, 12}));
  EXPECT_FALSE(g[1].defined());
  EXPECT_EQ(values(g[2]), (Numbers{18, 36}));
  EXPECT_FALSE(gradient_of(x).defined());
  Tensor plain = tensor({1});
  expect_error([&] { grad(ops::sum(x), plain); }, Code::autograd, "does not require");
  EXPECT_EQ(values(grad(ops::sum(x), x)), (Numbers{1, 1}));
}

TEST_F(Engine, SeveralOutputsAndSeeds) {
  Tensor x = leaf({1, 2});
  std::vector<Tensor> out{ops::mul(x, x), ops::sum(x)}, seeds{tensor({1, 10}), Tensor()};
  haft::backward(out, seeds);
  EXPECT_EQ(grad_of(x), (Numbers{3, 41}));
  Tensor y = ops::mul(x, x);
  expect_error([&] { backward(y); }, Code::autograd, "seed");
  Tensor wrong = tensor({1, 2, 3});
  expect_error([&] { haft::backward({&y, 1}, {&wrong, 1}); }, Code::shape, "seed");
  expect_error([&] { haft::backward({}, {}); }, Code::invalid_argument, "at least one output");
  expect_error([&] { backward(tensor({1})); }, Code::autograd, "does not require");
  backward(ops::sum(y));  // the failures left the graph whole
  EXPECT_EQ(grad_of(x), (Numbers{5, 45}));
}

TEST_F(Engine, NoGradDetachAndInference) {
  Tensor x = leaf({1, 2});
  {
    NoGradGuard off;
    EXPECT_FALSE(ops::mul(x, x).requires_grad());
  }
  Tensor y = ops::mul(x, ops::detach(x));
  EXPECT_FALSE(ops::detach(y).requires_grad());
  backward(ops::sum(y));
  EXPECT_EQ(grad_of(x), (Numbers{1, 2}));
  Tensor born;
  {
    ScopedValue<bool> inference(thread_state().inference, true);
    NoGradGuard off;
    born = ops::mul(x, x);
  }
  EXPECT_FALSE(born.requires_grad());
  expect_error([&] { set_requires_grad(born, true); }, Code::autograd, "inference");
  expect_error([&] { ops::mul(x, born); }, Code::autograd, "inference");
  Tensor copy = ops::clone(born);
  EXPECT_TRUE(ops::mul(x, copy).requires_grad());
}

TEST_F(Engine, RequiresGradIsForFloatingLeaves) {
  Tensor n = ops::arange(int64_t(0), int64_t(3)), x = leaf({1}), y = ops::mul(x, x);
  expect_error([&] { set_requires_grad(n, true); }, Code::dtype, "int64");
  expect_error([&] { set_requires_grad(y, false); }, Code::autograd, "leaf");
  EXPECT_TRUE(is_leaf(x));
  EXPECT_FALSE(is_leaf(y));
  set_requires_grad(x, false);
  EXPECT_FALSE(x.requires_grad());
}

TEST_F(Engine, MillionNodesNeitherRecurseNorLeak) {
  Tensor x = leaf({1});
  {
    Tensor y = x;
    for (int i = 0; i < 1000000; ++i) y = ops::add_scalar(y, 1.0);
    backward(ops::sum(y));
  }
  EXPECT_EQ(grad_of(x), (Numbers{1}));
  Tensor y = x;  // freed without having been walked
  for (int i = 0; i < 1000000; ++i) y = ops::mul_scalar(y, 1.0);
  y.reset();
  EXPECT_TRUE(x.impl()->unique());
}

TEST_F(Engine, WideSharedGraphs) {
  Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = ops::add(y, y);  // 2^60 paths, 60 nodes
  backward(ops::sum(y));
  EXPECT_EQ(grad_of(x), (Numbers{double(uint64_t(1) << 60)}));
}

TEST_F(Engine, AnotherThreadInTheSameGraphIsBusy) {
  Tensor x = leaf({1});
  Tensor y = ops::sum(ops::mul(x, x));
  std::atomic<bool> inside{false}, leave{false};
  uint64_t id = add_hook(x, [&](const Tensor&) {
    inside = true;
    while (!leave) std::this_thread::yield();
    return Tensor();
  });
  std::thread other([&] { backward(y, {.retain_graph = true}); });
  while (!inside) std::this_thread::yield();
  expect_error([&] { backward(y, {.retain_graph = true}); }, Code::busy, "");
  leave = true;
  other.join();
  remove_hook(x, id);
  backward(y);
  EXPECT_EQ(grad_of(x), (Numbers{4}));
}

TEST_F(Engine, ThreadsWithGraphsOfTheirOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 1; k <= 8; ++k)
    threads.emplace_back([&wrong, k] {
      for (int i = 0; i < 200; ++i) {
        Tensor x = leaf({double(k)});
        backward(ops::sum(ops::mul(ops::mul(x, x), x)));
        wrong += grad_of(x) != Numbers{3.0 * k * k};
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Engine, TensorsMayDieBeforeTheirGraph) {
  Tensor y;
  Tensor w = leaf({3});
  {
    Tensor x = leaf({2});
    y = ops::sum(ops::mul(x, w));
  }
  backward(y);
  EXPECT_EQ(grad_of(w), (Numbers{2}));
}

TEST_F(Engine, AnomalyModeNamesTheOperator) {
  Tensor x = leaf({0, 1});
  Tensor y = ops::sum(ops::mul_scalar(ops::sqrt(ops::mul_scalar(x, 0.0)), 0.0));
  backward(y, {.retain_graph = true});
  EXPECT_TRUE(std::isnan(grad_of(x)[0]));
  ScopedValue<uint32_t> mode(thread_state().modes, thread_state().modes | kModeAnomaly);
  expect_error([&] { backward(y); }, Code::autograd, "sqrt");
}

TEST_F(Engine, GradcheckFindsWrongGradients) {
  std::vector<Tensor> in{leaf({0.5, -1.5, 2}), leaf({1, 2, 3})};
  CheckedFunction good = [](std::span<const Tensor> t) {
    return std::vector<Tensor>{ops::mul(ops::exp(t[0]), t[1])};
  };
  gradcheck(good, in);
  gradgradcheck(good, in);
  EXPECT_EQ(values(in[0]), (Numbers{0.5, -1.5, 2}));
  CheckedFunction bad = [](std::span<const Tensor> t) {
    return std::vector<Tensor>{ops::mul(t[0], ops::detach(t[0]))};
  };
  expect_error([&] { gradcheck(bad, {in.data(), 1}); }, Code::autograd, "input 0 element");
}

// PyTorch's backward(inputs=): as backward does, for some.
TEST_F(Engine, BackwardForChosenInputs) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4}), c = leaf({5, 6}), unused = leaf({1});
  const Tensor h = ops::mul_scalar(a, 2.0);
  std::vector<Tensor> out{ops::sum(ops::add(ops::mul(h, h), ops::mul(b, c)))}, in{a, b, h, unused, b};
  int posted = 0;
  add_post_accumulate_hook(b, [&](const Tensor&) { ++posted; });
  set_gradient(b, tensor({1, 1}));
  const Tensor before = gradient_of(b);
  backward_inputs(out, in, {}, {.retain_graph = true});
  EXPECT_EQ(grad_of(a), (Numbers{8, 16}));
  EXPECT_EQ(values(before), (Numbers{6, 7})) << "added in place, and once";
  EXPECT_EQ(gradient_of(b).impl(), before.impl());
  EXPECT_EQ(grad_of(h), (Numbers{4, 8}));
  EXPECT_EQ(posted, 1);
  EXPECT_FALSE(gradient_of(c).defined());
  EXPECT_FALSE(gradient_of(unused).defined());
  // Nobody else's memory: what comes later is added to each alone.
  Tensor d = leaf({1, 2}), e = leaf({3, 4}), seed = tensor({1, 1});
  std::vector<Tensor> sums{ops::add(d, e)}, both{d, e};
  backward_inputs(sums, both, {&seed, 1});
  backward(ops::sum(ops::mul_scalar(d, 5.0)));
  EXPECT_EQ(grad_of(d), (Numbers{6, 6}));
  EXPECT_EQ(grad_of(e), (Numbers{1, 1}));
  EXPECT_EQ(values(seed), (Numbers{1, 1}));
  // A tensor between keeps its gradient from then on, also recorded.
  backward_inputs(out, {&h, 1}, {}, {.create_graph = true});
  EXPECT_EQ(grad_of(h), (Numbers{8, 16}));
  EXPECT_TRUE(gradient_of(h).requires_grad());
  EXPECT_EQ(grad_of(a), (Numbers{8, 16}));
  set_gradient(h, {});  // a cycle otherwise
  const Tensor plain = tensor({1});
  expect_error([&] { backward_inputs(out, {}, {}); }, Code::invalid_argument, "cannot be empty");
  expect_error([&] { backward_inputs(out, {&plain, 1}, {}); }, Code::autograd, "input 0");
}

TEST_F(Engine, SeedsAreCast) {
  Tensor x = leaf({1, 2});
  const Tensor y = ops::mul(x, x), seed = ops::cast(tensor({1, 10}), DType::f32),
               whole = ops::cast(seed, DType::i64);
  haft::backward({&y, 1}, {&seed, 1}, {.retain_graph = true});
  EXPECT_EQ(grad_of(x), (Numbers{2, 40}));
  EXPECT_EQ(gradient_of(x).dtype(), DType::f64);
  expect_error([&] { haft::backward({&y, 1}, {&whole, 1}); }, Code::shape, "seed");
}

}  // namespace
}  // namespace haft
