// In which order backward runs, and what it calls at its end.
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Order : AutogradTest {};

using Names = std::vector<std::string>;

// y = x with a name that is noted when its backward runs.
Tensor named(const std::string& name, const Tensor& x, Names& order) {
  auto f = make_ref<CustomFunction>();
  f->name = name;
  f->forward = [](FunctionContext&, std::span<const Tensor> in) {
    return std::vector<Tensor>{ops::mul_scalar(in[0], 1.0)};
  };
  f->backward = [name, &order](FunctionContext&, std::span<const Tensor> g) {
    order.push_back(name);
    return std::vector<Tensor>{g[0]};
  };
  return apply_function(f, {&x, 1})[0];
}

TEST_F(Order, WhatWasRecordedLastRunsFirst) {
  Names order;
  Tensor x = leaf({1});
  Tensor a = named("a", x, order), b = named("b", x, order), c = named("c", a, order),
         d = named("d", b, order), e = named("e", a, order);
  // Whatever the order of the edges.
  backward(ops::sum(ops::cat(std::vector<Tensor>{d, c, e})), {.retain_graph = true});
  EXPECT_EQ(order, (Names{"e", "d", "c", "b", "a"}));
  order.clear();
  backward(ops::sum(ops::cat(std::vector<Tensor>{e, d, c})));
  EXPECT_EQ(order, (Names{"e", "d", "c", "b", "a"}));
}

TEST_F(Order, ManyThatAreReadyAtOnce) {
  Names order, expected;
  Tensor x = leaf({1});
  std::vector<Tensor> all;
  for (int i = 0; i < 100; ++i) all.push_back(named(std::to_string(i), x, order));
  for (int i = 100; i-- > 0;) expected.push_back(std::to_string(i));
  std::vector<Tensor> mixed;
  for (int i = 0; i < 100; ++i) mixed.push_back(all[size_t(i * 37 % 100)]);
  backward(ops::sum(ops::cat(mixed)));
  EXPECT_EQ(order, expected);
}

// A leaf takes its gradient as soon as it is whole, before anything older runs.
TEST_F(Order, LeavesRunAtOnce) {
  Names order;
  Tensor w1 = leaf({1}), w2 = leaf({2}), x = leaf({3});
  add_post_accumulate_hook(w1, [&](const Tensor&) { order.push_back("w1"); });
  add_post_accumulate_hook(w2, [&](const Tensor&) { order.push_back("w2"); });
  Tensor h = named("first", ops::mul(x, w1), order), y = named("second", ops::mul(h, w2), order);
  backward(ops::sum(y));
  EXPECT_EQ(order, (Names{"second", "w2", "first", "w1"}));
}

TEST_F(Order, AtTheEndOfBackward) {
  Names order;
  Tensor x = leaf({1}), y = leaf({2});
  add_hook(y, [&](const Tensor&) {
    at_end_of_backward([&] {
      order.push_back("first");
      at_end_of_backward([&] { order.push_back("added meanwhile"); });
    });
    at_end_of_backward([&] { order.push_back("second"); });
    order.push_back("hook");
    return Tensor();
  });
  backward(ops::sum(ops::mul(x, named("node", y, order))));
  EXPECT_EQ(order, (Names{"node", "hook", "first", "second", "added meanwhile"}));
  EXPECT_EQ(grad_of(x), (Numbers{2}));
  expect_error([] { at_end_of_backward([] {}); }, Code::invalid_argument, "no backward is running");
}

TEST_F(Order, TheEndOfAnInnerBackwardIsItsOwn) {
  Names order;
  Tensor x = leaf({1}), inner = leaf({1});
  add_hook(inner, [&](const Tensor&) {
    at_end_of_backward([&] { order.push_back("inner ends"); });
    return Tensor();
  });
  add_hook(x, [&](const Tensor&) {
    at_end_of_backward([&] { order.push_back("outer ends"); });
    ScopedValue<bool> on(thread_state().grad_enabled, true);
    backward(ops::sum(ops::mul(inner, inner)));
    order.push_back("hook");
    return Tensor();
  });
  backward(ops::sum(x));
  EXPECT_EQ(order, (Names{"inner ends", "hook", "outer ends"}));
}

TEST_F(Order, AFailedBackwardCallsNothing) {
  Tensor x = leaf({1});
  bool called = false;
  uint64_t id = add_hook(x, [&](const Tensor&) -> Tensor {
    at_end_of_backward([&] { called = true; });
    fail(Code::callback, "on purpose");
  });
  expect_error([&] { backward(ops::sum(x)); }, Code::callback, "on purpose");
  EXPECT_FALSE(called);
  remove_hook(x, id);
  backward(ops::sum(x));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace haft
