// Checkpoints: the same gradients with less memory, the same random numbers, within each other, of every order.
#include "core/autograd/recompute.h"

#include "core/backend/memory.h"
#include "core/tape/saved_hooks.h"
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
using Tensors = std::vector<Tensor>;

struct Recompute : AutogradTest {};

Tensors layer(std::span<const Tensor> in) { return {ops::tanh(ops::exp(ops::mul(in[0], in[0])))}; }

TEST_F(Recompute, GradientsAreThoseWithout) {
  Tensor x = leaf({0.3, -0.7, 0.1}), z = leaf({0.3, -0.7, 0.1}), w = leaf({2, 3, 4});
  int runs = 0;
  TensorsFunction counted = [&](std::span<const Tensor> in) {
    ++runs;
    return Tensors{ops::mul(layer(in)[0], w), ops::add(in[0], w)};  // w is nobody's argument
  };
  Tensors y = checkpoint(counted, {&x, 1});
  EXPECT_EQ(runs, 1);
  backward(ops::sum(ops::mul(y[0], y[1])));
  EXPECT_EQ(runs, 2);
  const std::vector<double> of_x = grad_of(x), of_w = grad_of(w);
  set_gradient(w, {});
  Tensors plain = counted({&z, 1});
  backward(ops::sum(ops::mul(plain[0], plain[1])));
  EXPECT_EQ(of_x, grad_of(z));
  EXPECT_EQ(of_w, grad_of(w));
}

TEST_F(Recompute, NothingIsKeptButInputs) {
  int64_t kept = 0;
  auto counting = make_ref<SavedTensorHooks>();
  counting->pack = [&](const Tensor& t) -> std::shared_ptr<void> {
    ++kept;
    return std::make_shared<Tensor>(t);
  };
  counting->unpack = [](const std::shared_ptr<void>& p) { return *static_cast<Tensor*>(p.get()); };
  Tensor x = leaf({0.3, -0.7});
  push_saved_tensor_hooks(counting);
  Tensor inner;
  TensorsFunction nested = [&](std::span<const Tensor> in) {
    Tensors h = checkpoint(layer, in);
    return checkpoint(layer, h);
  };
  Tensor y = checkpoint(nested, {&x, 1})[0];
  pop_saved_tensor_hooks();
  EXPECT_EQ(kept, 1);  // the outer one's input alone
  backward(ops::sum(y));
  Tensor z = leaf({0.3, -0.7});
  backward(ops::sum(layer(layer({&z, 1}))[0]));
  EXPECT_EQ(grad_of(x), grad_of(z));
}

TEST_F(Recompute, RandomNumbersComeAgain) {
  default_generator().reseed(11);
  Tensor x = leaf(std::vector<double>(64, 1.0)), z = leaf(std::vector<double>(64, 1.0));
  TensorsFunction drop = [](std::span<const Tensor> in) {
    return Tensors{ops::dropout(ops::mul(in[0], in[0]), 0.5, true)};
  };
  Tensor y = checkpoint(drop, {&x, 1})[0];
  const std::vector<double> seen = values(y);
  ops::dropout(z, 0.5, true);  // others go on drawing meanwhile
  const uint64_t offset = default_generator().offset;
  backward(ops::sum(y));
  EXPECT_EQ(default_generator().offset, offset);  // and notice nothing
  std::vector<double> doubled = seen;
  for (double& v : doubled) v *= 2;
  EXPECT_EQ(grad_of(x), doubled);
  default_generator().reseed(11);
  Tensor again = checkpoint(drop, {&z, 1}, {.preserve_random = false})[0];
  EXPECT_EQ(values(again), seen);
  backward(ops::sum(again));
  EXPECT_NE(grad_of(z), doubled);  // another mask, with a chance of 2^-64 not
}

TEST_F(Recompute, EveryOrderAndChosenInputs) {
  Tensor x = leaf({0.2, -0.4}), z = leaf({0.2, -0.4});
  int runs = 0;
  TensorsFunction counted = [&](std::span<const Tensor> in) {
    ++runs;
    return layer(in);
  };
  auto third = [](const Tensor& of, const Tensor& y) {
    Tensor a = grad(ops::sum(y), of, {.create_graph = true});
    Tensor b = grad(ops::sum(a), of, {.create_graph = true});
    return values(grad(ops::sum(b), of));
  };
  const std::vector<double> got = third(x, checkpoint(counted, {&x, 1})[0]),
                            wanted = third(z, layer({&z, 1})[0]);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12 * std::abs(wanted[i]));
  EXPECT_GE(runs, 2);
  runs = 0;
  Tensor y = ops::sum(checkpoint(counted, {&x, 1})[0]);
  backward(y, {.retain_graph = true});
  backward(y);
  EXPECT_EQ(runs, 3);  // once for each backward
  expect_error([&] { backward(y); }, Code::autograd, "second time");
  EXPECT_TRUE(grad_of(x).size() == 2);
}

TEST_F(Recompute, WithoutRecordingItIsTheFunction) {
  Tensor x = leaf({1});
  NoGradGuard off;
  EXPECT_FALSE(checkpoint(layer, {&x, 1})[0].requires_grad());
}

TEST_F(Recompute, MemoryGoesWithTheGraph) {
  auto alive = std::make_shared<int>(0);
  Tensor x = leaf({1, 2});
  {
    Tensor y = checkpoint([alive](std::span<const Tensor> in) { return layer(in); }, {&x, 1})[0];
    EXPECT_EQ(alive.use_count(), 2);
    backward(ops::sum(y));
    EXPECT_EQ(alive.use_count(), 1);  // freed by backward, though y lives
  }
  {
    Tensor y = checkpoint([alive](std::span<const Tensor> in) { return layer(in); }, {&x, 1})[0];
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(Recompute, AnotherSecondRunIsAnError) {
  Tensor x = leaf({1, 2}), y;
  int run = 0;
  TensorsFunction grows = [&](std::span<const Tensor> in) {
    return Tensors{run++ ? ops::exp(ops::exp(in[0])) : ops::exp(in[0])};
  };
  EXPECT_TRUE(set_checkpoint_early_stop(false));  // otherwise nobody sees what comes behind
  y = checkpoint(grows, {&x, 1})[0];
  EXPECT_FALSE(set_checkpoint_early_stop(true));
  expect_error([&] { backward(ops::sum(y)); }, Code::autograd,
               "1 tensors were kept for backward at first, 2 when");
  run = 0;
  TensorsFunction turns = [&](std::span<const Tensor> in) {
    return Tensors{ops::sum(ops::exp(run++ ? ops::unsqueeze(in[0], 0) : in[0]))};
  };
  y = checkpoint(turns, {&x, 1})[0];
  expect_error([&] { backward(y); }, Code::autograd, "of shape [2] at first and is");
  run = 0;
  TensorsFunction fails = [&](std::span<const Tensor> in) {
    if (run++) fail(Code::callback, "not again");
    return Tensors{ops::exp(in[0])};
  };
  y = checkpoint(fails, {&x, 1})[0];
  expect_error([&] { backward(ops::sum(y)); }, Code::callback, "not again");
  Tensor plain = tensor({1, 2}), w = leaf({3, 4});
  y = checkpoint([&](std::span<const Tensor> in) { return Tensors{ops::mul(in[0], w)}; }, {&plain, 1})[0];
  ops::fill_(plain, Scalar(0.0));
  expect_error([&] { backward(ops::sum(y)); }, Code::autograd, "changed in place");
  EXPECT_TRUE(grad_of(x).empty());
}

TEST_F(Recompute, TheSecondRunEndsWithTheLastTensor) {
  for (bool early : {true, false}) {
    set_checkpoint_early_stop(early);
    Tensor x = leaf({0.3, -0.7});
    int begun = 0, ended = 0;
    TensorsFunction fn = [&](std::span<const Tensor> in) {
      ++begun;
      Tensor h = ops::exp(in[0]);  // its result is kept, and nothing else
      ++ended;
      return Tensors{ops::add_scalar(h, Scalar(1.0))};
    };
    Tensor y = checkpoint(fn, {&x, 1})[0];
    set_checkpoint_early_stop(true);  // what held in the first run counts
    backward(ops::sum(y));
    EXPECT_EQ(begun, 2);
    EXPECT_EQ(ended, early ? 1 : 2);
    EXPECT_EQ(grad_of(x), (std::vector<double>{std::exp(0.3), std::exp(-0.7)}));

    // Who catches what ends it only meets it again.
    TensorsFunction stubborn = [&](std::span<const Tensor> in) {
      Tensor h;
      try {
        h = ops::exp(in[0]);
      } catch (const Error&) {
        h = in[0];
      }
      return Tensors{ops::add_scalar(h, Scalar(1.0))};
    };
    y = checkpoint(stubborn, {&x, 1})[0];
    set_gradient(x, {});
    backward(ops::sum(y));
    EXPECT_EQ(grad_of(x), (std::vector<double>{std::exp(0.3), std::exp(-0.7)}));

    // Within each other.
    Tensor a = leaf({0.3, -0.7}), b = leaf({0.3, -0.7});
    set_checkpoint_early_stop(early);
    TensorsFunction nested = [](std::span<const Tensor> in) {
      return checkpoint(layer, checkpoint(layer, in));
    };
    y = checkpoint(nested, {&a, 1})[0];
    backward(ops::sum(y));
    backward(ops::sum(layer(layer({&b, 1}))[0]));
    EXPECT_EQ(grad_of(a), grad_of(b));
    set_checkpoint_early_stop(true);
  }
}

TEST_F(Recompute, AGradientInsideAsks) {
  Tensor x = leaf({0.5, -1});
  TensorsFunction penalty = [](std::span<const Tensor> in) {
    Tensor y = ops::sum(ops::exp(ops::mul(in[0], in[0])));
    return Tensors{ops::sum(ops::square(grad(y, in[0], {.create_graph = true})))};
  };
  Tensor z = leaf({0.5, -1});
  backward(checkpoint(penalty, {&x, 1})[0]);
  backward(penalty({&z, 1})[0]);
  const std::vector<double> a = grad_of(x), b = grad_of(z);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * std::abs(b[i]));
}

TEST_F(Recompute, AFailedBackwardKeepsNothingOfTheSecondRun) {
  auto live = [] { return device_memory_stats(Device{}).live; };
  Tensor x = ops::ones(Shape{1 << 16}, DType::f64), between;
  set_requires_grad(x, true);
  bool first = true;
  Tensor y = ops::sum(checkpoint(
      [&](std::span<const Tensor> in) {
        const Tensors h = layer(in);
        if (std::exchange(first, false)) between = h[0];
        return layer(h);
      },
      {&x, 1})[0]);
  const uint64_t hook =
      add_hook(between, [](const Tensor&) -> Tensor { throw Error(Code::callback, "stop"); });
  const int64_t before = live();
  expect_error([&] { backward(y, {.retain_graph = true}); }, Code::callback, "stop");
  EXPECT_EQ(live(), before);
  remove_hook(between, hook);
  backward(y);
  EXPECT_EQ(grad_of(x).size(), size_t(1 << 16));
}

// Hooks that the function pops without having pushed them, or pushes and leaves, are its own fault and nobody else's.
TEST_F(Recompute, TheFunctionsHooksStayInside) {
  auto passing = [] {
    auto hooks = make_ref<SavedTensorHooks>();
    hooks->pack = [](const Tensor& t) { return std::static_pointer_cast<void>(std::make_shared<Tensor>(t)); };
    hooks->unpack = [](const std::shared_ptr<void>& p) { return *static_cast<Tensor*>(p.get()); };
    return hooks;
  };
  Tensor x = leaf({1, 2});
  bool at_first = true;
  auto popping = [&](std::span<const Tensor> in) {
    if (at_first) pop_saved_tensor_hooks();
    return layer(in);
  };
  auto pushing = [&](std::span<const Tensor> in) {
    push_saved_tensor_hooks(passing());
    return layer(in);
  };
  auto replacing = [&](std::span<const Tensor> in) {
    pop_saved_tensor_hooks();
    return pushing(in);
  };
  for (bool around : {false, true}) {
    if (around) push_saved_tensor_hooks(passing());
    at_first = true;
    expect_error(
        [&] {
          checkpoint(popping, {&x, 1});
        },
        Code::callback, "popped saved-tensor hooks that are not its own");
    expect_error([&] { checkpoint(replacing, {&x, 1}); }, Code::callback, "not its own");
    expect_error([&] { checkpoint(pushing, {&x, 1}); }, Code::callback, "left saved-tensor hooks behind");
    EXPECT_EQ(saves_are_hooked(thread_state()), around);
    at_first = false;
    const Tensor y = ops::sum(checkpoint(popping, {&x, 1})[0]);
    at_first = true;
    expect_error([&] { backward(y); }, Code::callback, "not its own");
    EXPECT_EQ(saves_are_hooked(thread_state()), around);
    if (around) pop_saved_tensor_hooks();
  }
  expect_error([] { pop_saved_tensor_hooks(); }, Code::invalid_argument, "no saved-tensor hooks");
}

}  // namespace
}  // namespace haft
