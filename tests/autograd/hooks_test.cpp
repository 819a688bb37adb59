// Hooks: seeing, replacing, removing; retained gradients; what a hook may do while it runs.
#include <atomic>
#include <thread>

#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Hooks : AutogradTest {};

TEST_F(Hooks, SeeAndReplace) {
  Tensor x = leaf({1, 2});
  Tensor h = ops::mul_scalar(x, 2.0);
  Numbers seen;
  add_hook(h, [&](const Tensor& g) {
    seen = values(g);
    return Tensor();
  });
  add_hook(h, [](const Tensor& g) { return ops::mul_scalar(g, 10.0); });
  uint64_t leaf_hook = add_hook(x, [](const Tensor& g) { return ops::add_scalar(g, 1.0); });
  backward(ops::sum(ops::mul(h, h)), {.retain_graph = true});
  EXPECT_EQ(seen, (Numbers{4, 8}));
  EXPECT_EQ(grad_of(x), (Numbers{81, 161}));
  EXPECT_TRUE(remove_hook(x, leaf_hook));
  EXPECT_FALSE(remove_hook(x, leaf_hook));
}

TEST_F(Hooks, SeeTheSumOfAllPaths) {
  Tensor x = leaf({3});
  int calls = 0;
  add_hook(x, [&](const Tensor& g) {
    ++calls;
    EXPECT_EQ(values(g), (Numbers{7}));
    return Tensor();
  });
  backward(ops::sum(ops::add(ops::mul(x, x), x)));
  EXPECT_EQ(calls, 1);
}

TEST_F(Hooks, PostAccumulate) {
  Tensor x = leaf({1});
  Numbers seen;
  add_post_accumulate_hook(x, [&](const Tensor& g) { seen.push_back(values(g)[0]); });
  backward(ops::sum(x));
  backward(ops::sum(x));
  EXPECT_EQ(seen, (Numbers{1, 2}));
  grad(ops::sum(x), x);
  EXPECT_EQ(seen.size(), 2u);  // grad() accumulates nothing
  Tensor y = ops::mul(x, x);
  expect_error([&] { add_post_accumulate_hook(y, [](const Tensor&) {}); }, Code::autograd, "leaves");
}

TEST_F(Hooks, MayRemoveAndAddHooksWhileTheyRun) {
  Tensor x = leaf({1});
  int first = 0, second = 0, third = 0;
  uint64_t id = 0;
  id = add_hook(x, [&](const Tensor&) {
    ++first;
    remove_hook(x, id);
    for (int i = 0; i < 40; ++i) add_hook(x, [&](const Tensor&) { return ++third, Tensor(); });
    return Tensor();
  });
  add_hook(x, [&](const Tensor&) { return ++second, Tensor(); });
  backward(ops::sum(x));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(third, 0);  // from the next gradient on
  backward(ops::sum(x));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  EXPECT_EQ(third, 40);
}

// A thread adds and removes hooks, as data parallel does that another thread makes and closes, while backward reads
// them.
TEST_F(Hooks, ComeAndGoOnAnotherThread) {
  Tensor x = leaf({1});
  int kept = 0;
  std::atomic<int> came{0}, rounds{0};
  std::atomic<bool> done{false};
  add_hook(x, [&](const Tensor&) { return ++kept, Tensor(); });
  std::thread other([&] {
    while (!done) {
      std::vector<uint64_t> ids;
      for (int i = 0; i < 20; ++i)
        ids.push_back(
            i % 2 ? add_hook(x, [&, big = std::vector<int>(8)](const Tensor&) { return ++came, Tensor(); })
                  : add_post_accumulate_hook(x, [&, big = std::vector<int>(8)](const Tensor&) { ++came; }));
      for (uint64_t id : ids) EXPECT_TRUE(remove_hook(x, id));
      ++rounds;
    }
  });
  int steps = 0;
  while (steps < 500 || rounds < 100) {
    backward(ops::sum(x));
    ++steps;
  }
  done = true;
  other.join();
  EXPECT_EQ(kept, steps);
  EXPECT_EQ(grad_of(x), (Numbers{double(steps)}));
}

TEST_F(Hooks, ReplacementsKeepShape) {
  Tensor x = leaf({1, 2});
  add_hook(x, [](const Tensor& g) { return ops::sum(g); });
  expect_error([&] { backward(ops::sum(x)); }, Code::shape, "hook");
  EXPECT_FALSE(gradient_of(x).defined());
}

TEST_F(Hooks, FailuresStopBackwardAndLeaveTheGraph) {
  Tensor x = leaf({1});
  Tensor y = ops::sum(ops::mul(x, x));
  uint64_t id = add_hook(x, [](const Tensor&) -> Tensor { fail(Code::callback, "no"); });
  expect_error([&] { backward(y, {.retain_graph = true}); }, Code::callback, "no");
  remove_hook(x, id);
  backward(y);
  EXPECT_EQ(grad_of(x), (Numbers{2}));
}

TEST_F(Hooks, RetainedGradientsAreNotSpoiled) {
  Tensor x = leaf({1, 2});
  Tensor h = ops::mul_scalar(x, 2.0), k = ops::mul_scalar(h, 3.0);
  retain_grad(h);
  retain_grad(k);
  retain_grad(x);  // a leaf: no effect
  backward(ops::sum(k));
  EXPECT_EQ(grad_of(k), (Numbers{1, 1}));
  EXPECT_EQ(grad_of(h), (Numbers{3, 3}));
  EXPECT_EQ(grad_of(x), (Numbers{6, 6}));
  EXPECT_FALSE(gradient_of(ops::mul_scalar(x, 2.0)).defined());
}

TEST_F(Hooks, NeedAGradient) {
  Tensor plain = tensor({1});
  expect_error([&] { add_hook(plain, [](const Tensor& g) { return g; }); }, Code::autograd,
               "does not require");
  expect_error([&] { set_gradient(plain, plain); }, Code::autograd, "");
  Tensor x = leaf({1, 2});
  expect_error([&] { set_gradient(x, x); }, Code::autograd, "own gradient");
  expect_error([&] { set_gradient(x, tensor({1})); }, Code::shape, "gradient");
  set_gradient(x, tensor({5, 6}));
  backward(ops::sum(x));
  EXPECT_EQ(grad_of(x), (Numbers{6, 7}));
}

// As a leaf's, and as PyTorch's: added up until somebody clears them.
TEST_F(Hooks, RetainedGradientsAddUp) {
  Tensor x = leaf({1, 2});
  Tensor h = ops::mul_scalar(x, 2.0);
  retain_grad(h);
  Tensor loss = ops::sum(ops::mul(h, h));
  backward(loss, {.retain_graph = true});
  Tensor first = gradient_of(h);
  EXPECT_EQ(values(first), (Numbers{4, 8}));
  backward(loss, {.retain_graph = true});
  EXPECT_EQ(grad_of(h), (Numbers{8, 16}));
  EXPECT_EQ(values(first), (Numbers{4, 8}));  // the sum is another tensor
  set_gradient(h, {});
  EXPECT_FALSE(gradient_of(h).defined());
  backward(loss, {.retain_graph = true});
  EXPECT_EQ(grad_of(h), (Numbers{4, 8}));
  set_gradient(h, tensor({100, 200}));
  backward(loss, {.retain_graph = true, .create_graph = true});
  EXPECT_EQ(grad_of(h), (Numbers{104, 208}));
  EXPECT_TRUE(gradient_of(h).requires_grad());
  expect_error([&] { set_gradient(h, tensor({1})); }, Code::shape, "gradient");
  set_gradient(h, {});  // its history leads back to h: a cycle, as PyTorch's create_graph makes one
  set_gradient(x, {});
  // Without retain_grad a gradient can be set and cleared, and nothing is added.
  Tensor k = ops::mul_scalar(x, 3.0);
  set_gradient(k, {});
  set_gradient(k, tensor({1, 1}));
  backward(ops::sum(k));
  EXPECT_EQ(grad_of(k), (Numbers{1, 1}));
  set_gradient(k, {});
  EXPECT_FALSE(gradient_of(k).defined());
}

TEST_F(Hooks, RetainedGradientsMayBeWritten) {
  Tensor x = leaf({1, 2});
  Tensor h = ops::mul_scalar(x, 2.0), k = ops::add(h, x);
  retain_grad(h);
  retain_grad(k);
  add_hook(x, [&](const Tensor&) {
    ops::mul_scalar_(gradient_of(k), 100.0);
    return Tensor();
  });
  backward(ops::sum(ops::mul(k, k)));
  EXPECT_EQ(grad_of(k), (Numbers{600, 1200}));
  EXPECT_EQ(grad_of(h), (Numbers{6, 12}));
  EXPECT_EQ(grad_of(x), (Numbers{18, 36}));
}

}  // namespace
}  // namespace haft
