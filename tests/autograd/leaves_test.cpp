// Leaves: gradients that outlive requires_grad, and leaves that graphs of several threads share.
#include <atomic>
#include <barrier>
#include <thread>

#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Leaves : AutogradTest {};

TEST_F(Leaves, KeepTheirGradientWhenFrozen) {
  Tensor x = leaf({1, 2});
  uint64_t id = 0;
  int calls = 0;
  id = add_hook(x, [&](const Tensor&) { return ++calls, Tensor(); });
  Tensor before = ops::sum(ops::mul(x, x));
  backward(ops::sum(ops::mul_scalar(x, 2.0)));
  set_requires_grad(x, false);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_TRUE(is_leaf(x));
  EXPECT_EQ(grad_of(x), (Numbers{2, 2}));
  backward(before);  // a graph from before: nothing is added while the leaf is frozen
  EXPECT_EQ(grad_of(x), (Numbers{2, 2}));
  EXPECT_FALSE(ops::mul(x, x).requires_grad());

  set_requires_grad(x, true);
  calls = 0;
  backward(ops::sum(ops::mul_scalar(x, 3.0)));
  EXPECT_EQ(calls, 1) << "hooks stay, too";
  EXPECT_EQ(grad_of(x), (Numbers{5, 5}));
  EXPECT_TRUE(remove_hook(x, id));

  set_requires_grad(x, false);
  set_gradient(x, tensor({7, 8}));
  EXPECT_EQ(grad_of(x), (Numbers{7, 8}));
  expect_error([&] { set_gradient(x, tensor({1})); }, Code::shape, "[2]");
  set_gradient(x, {});
  EXPECT_FALSE(gradient_of(x).defined());
  expect_error([&] { set_gradient(tensor({1}), tensor({1})); }, Code::autograd, "does not require");
}

TEST_F(Leaves, MayBeWalkedAgainWhereNothingWasSaved) {
  Tensor x = leaf({1, 2});
  Tensor y = ops::sum(ops::add_scalar(ops::mul_scalar(x, 3.0), 1.0));
  backward(y);
  backward(y);
  EXPECT_EQ(grad_of(x), (Numbers{6, 6}));
  Tensor z = ops::sum(ops::add_scalar(ops::exp(x), 1.0));
  backward(z);
  expect_error([&] { backward(z); }, Code::autograd, "\"exp\" a second time");

  auto twice = make_ref<CustomFunction>();
  twice->name = "Twice";
  twice->forward = [](FunctionContext&, std::span<const Tensor> in) {
    return std::vector<Tensor>{ops::mul_scalar(in[0], 2.0)};
  };
  twice->backward = [](FunctionContext&, std::span<const Tensor> g) {
    return std::vector<Tensor>{ops::mul_scalar(g[0], 2.0)};
  };
  set_gradient(x, {});
  Tensor w = ops::sum(apply_function(twice, {&x, 1})[0]);
  backward(w);
  backward(w);
  EXPECT_EQ(grad_of(x), (Numbers{4, 4}));
}

// Whole numbers: sums are exact in any order.
TEST_F(Leaves, AreSharedByGraphsOfSeveralThreads) {
  constexpr int kThreads = 6, kRounds = 150;
  const double a = 3, b = 7;
  Tensor x = leaf({a, b, 1}), bias = leaf({0, 0, 0}), large = leaf(std::vector<double>(5000, 1));
  std::atomic<int> hooked{0}, accumulated{0};
  add_hook(bias, [&](const Tensor&) { return ++hooked, Tensor(); });
  add_post_accumulate_hook(bias, [&](const Tensor& g) { accumulated += g.defined(); });
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int k = 1; k <= kThreads; ++k)
    threads.emplace_back([&, k] {
      start.arrive_and_wait();
      for (int i = 0; i < kRounds; ++i) {
        Tensor h = ops::add(ops::mul(x, x), bias);
        backward(ops::add(ops::sum(ops::mul_scalar(h, double(k))), ops::sum(large)));
        // grad() meets leaves that others have claimed, too.
        Tensor d = grad(ops::sum(ops::mul(x, x)), x);
        EXPECT_EQ(values(d), (Numbers{2 * a, 2 * b, 2}));
      }
    });
  for (std::thread& t : threads) t.join();
  const double sum = kRounds * kThreads * (kThreads + 1) / 2;
  EXPECT_EQ(grad_of(x), (Numbers{2 * a * sum, 2 * b * sum, 2 * sum}));
  EXPECT_EQ(grad_of(bias), (Numbers{sum, sum, sum}));
  EXPECT_EQ(grad_of(large), Numbers(5000, kThreads * kRounds));
  EXPECT_EQ(hooked, kThreads * kRounds);
  EXPECT_EQ(accumulated, kThreads * kRounds);
}

// A thread that stands inside a backward keeps its leaves claimed: others take part all the same, and so does
// a backward inside a hook.
TEST_F(Leaves, ThatAnotherRunHasClaimedAreAddedTo) {
  Tensor x = leaf({1, 2}), other = leaf({3, 4});
  std::atomic<bool> inside{false}, leave{false};
  uint64_t id = add_hook(x, [&](const Tensor&) {
    if (inside.exchange(true)) return Tensor();
    while (!leave) std::this_thread::yield();
    return Tensor();
  });
  std::thread first([&] { backward(ops::sum(ops::mul(x, other))); });
  while (!inside) std::this_thread::yield();
  backward(ops::sum(ops::mul(x, other)));
  backward(ops::sum(x));
  Tensor ones = tensor({1, 1});
  haft::backward({&x, 1}, {&ones, 1});
  EXPECT_EQ(grad_of(x), (Numbers{5, 6}));
  EXPECT_EQ(values(grad(ops::sum(ops::mul(x, x)), x)), (Numbers{2, 4}));
  Tensor g = grad(ops::sum(ops::mul(ops::mul(x, x), x)), x, {.create_graph = true});
  EXPECT_EQ(values(grad(ops::sum(g), x)), (Numbers{6, 12}));
  leave = true;
  first.join();
  EXPECT_EQ(grad_of(x), (Numbers{8, 10}));
  EXPECT_EQ(grad_of(other), (Numbers{2, 4}));
  remove_hook(x, id);

  set_gradient(x, {});
  int depth = 0;
  Tensor inner = ops::sum(ops::mul_scalar(x, 10.0));
  id = add_hook(x, [&](const Tensor&) {
    if (depth++ == 0) backward(inner);
    return Tensor();
  });
  backward(ops::sum(x));
  EXPECT_EQ(grad_of(x), (Numbers{11, 11}));
  remove_hook(x, id);
  backward(ops::sum(x));  // and nothing stays claimed
  EXPECT_EQ(grad_of(x), (Numbers{12, 12}));
}

TEST_F(Leaves, OfMoreInputsThanANodeCounts) {
  auto none = make_ref<CustomFunction>();
  none->name = "Wide";
  none->forward = [](FunctionContext&, std::span<const Tensor> in) {
    return std::vector<Tensor>(in.size(), in[0]);
  };
  none->backward = [](FunctionContext&, std::span<const Tensor> g) {
    return std::vector<Tensor>(g.begin(), g.end());
  };
  std::vector<Tensor> many(65536, leaf({1}));
  expect_error([&] { apply_function(none, many); }, Code::invalid_argument, "65536 inputs");
  auto outputs = make_ref<CustomFunction>();
  outputs->name = "Wide";
  outputs->forward = [](FunctionContext&, std::span<const Tensor> in) {
    return std::vector<Tensor>(70000, in[0]);
  };
  expect_error([&] { apply_function(outputs, {many.data(), 1}); }, Code::invalid_argument, "70000 outputs");
}

TEST_F(Leaves, OfMaximaGetGradientsWhereOneIsNaN) {
  const double nan = std::nan("");
  for (bool larger : {true, false}) {
    Tensor a = leaf({1, nan, 3, nan, 2, 5}), b = leaf({nan, 1, 3, nan, 4, 1});
    Tensor y = larger ? ops::maximum(a, b) : ops::minimum(a, b), seed = tensor({1, 2, 3, 4, 5, 6});
    haft::backward({&y, 1}, {&seed, 1});  // as PyTorch 1.13.1 answers
    EXPECT_EQ(grad_of(a), larger ? (Numbers{1, 2, 1.5, 4, 0, 6}) : (Numbers{1, 2, 1.5, 4, 5, 0}));
    EXPECT_EQ(grad_of(b), larger ? (Numbers{1, 2, 1.5, 4, 5, 0}) : (Numbers{1, 2, 1.5, 4, 0, 6}));
  }
}

TEST_F(Leaves, WithoutElementsHaveDerivativesOfZero) {
  using Fn = Tensor (*)(const Tensor&);
  const Fn mean = [](const Tensor& x) { return ops::mean(x, Shape{0}); };
  const Fn var = [](const Tensor& x) { return ops::var(x, Shape{0}); };
  const Fn lse = [](const Tensor& x) { return ops::logsumexp(x, Shape{0}); };
  for (Fn f : {mean, var, lse}) {
    Tensor x = leaf({}, Shape{0, 3}), seed = leaf({1, 1, 1});
    Tensor y = f(x);
    if (f == lse)
      EXPECT_EQ(values(y), Numbers(3, -INFINITY));
    else
      EXPECT_TRUE(std::isnan(values(y)[0]));
    Tensor g = haft::grad({&y, 1}, {&x, 1}, {&seed, 1}, {.create_graph = true})[0];
    EXPECT_EQ(g.numel(), 0);
    EXPECT_EQ(values(grad(ops::sum(g), seed)), (Numbers{0, 0, 0}));
  }
}

TEST_F(Leaves, BehindAPermutedBase) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  Tensor base = ops::detach(ops::transpose(ops::clone(ops::detach(x)), 0, 1));  // dense memory, strided base
  Tensor row = ops::select(base, 0, 0);
  ops::mul_(row, ops::select(ops::transpose(x, 0, 1), 0, 0));
  EXPECT_EQ(values(base), (Numbers{1, 16, 2, 5, 3, 6}));
  backward(ops::sum(ops::mul(base, base)));
  EXPECT_EQ(grad_of(x), (Numbers{2, 0, 0, 2 * 16 * 4, 0, 0}));
}

TEST_F(Leaves, BehindABaseWithGapsAreNamedInTheError) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  Tensor base = ops::detach(ops::slice(ops::clone(ops::detach(x)), 1, 0, 3, 2));
  Tensor row = ops::select(base, 0, 0);
  expect_error([&] { ops::mul_(row, ops::slice(ops::select(x, 0, 0), 0, 0, 2)); }, Code::autograd,
               "of shape [2, 2] and strides [3, 2]");
}

}  // namespace
}  // namespace haft
