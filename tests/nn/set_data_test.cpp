// t.data = value: identity stays, memory changes.
#include "core/nn/set_data.h"

#include "core/autograd/hooks.h"
#include "core/nn/layers.h"
#include "core/tape/tape.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::backward;
using testing::tensor;
using testing::values;
using List = std::vector<double>;

struct SetData : testing::NnTest {};

Tensor leaf(const List& v) {
  Tensor t = tensor(v);
  set_requires_grad(t, true);
  return t;
}
void write(const Tensor& t, double v) {
  NoGradGuard off;
  ops::fill_(t, Scalar(v));
}

TEST_F(SetData, SharesTheMemoryAndKeepsTheOldForOthers) {
  Tensor t = tensor({1, 2}), alias = ops::detach(t), other = tensor({3, 4, 5});
  set_data(t, other);
  EXPECT_EQ(values(t), (List{3, 4, 5}));
  write(t, 7);
  EXPECT_EQ(values(other), (List{7, 7, 7}));
  write(other, 8);
  EXPECT_EQ(values(t), (List{8, 8, 8}));
  EXPECT_EQ(values(alias), (List{1, 2}));
  set_data(t, alias);  // and back
  EXPECT_EQ(values(t), (List{1, 2}));
  set_data(t, t);
  EXPECT_EQ(values(t), (List{1, 2}));
}

TEST_F(SetData, TakesStridesDtypeAndOtherViewsOfItsOwnMemory) {
  Tensor m = tensor({0, 1, 2, 3, 4, 5}), t = tensor({9});
  set_data(t, ops::transpose(ops::view(m, Shape{2, 3}), 0, 1));
  EXPECT_TRUE(std::ranges::equal(t.sizes(), Shape{3, 2}));
  EXPECT_TRUE(std::ranges::equal(t.strides(), Shape{1, 3}));
  EXPECT_EQ(values(t), (List{0, 3, 1, 4, 2, 5}));
  set_data(t, ops::narrow(t, 0, 1, 2));
  EXPECT_EQ(values(t), (List{1, 4, 2, 5}));
  EXPECT_EQ(t.impl()->storage.get(), m.impl()->storage.get());
  set_data(t, ops::zeros(Shape{0, 3}, DType::i32));
  EXPECT_EQ(t.dtype(), DType::i32);
  EXPECT_EQ(t.numel(), 0);
  set_data(t, ops::full(Shape{}, Scalar(4.0), DType::f64));
  EXPECT_EQ(t.ndim(), 0);
  EXPECT_EQ(values(t), (List{4}));
}

TEST_F(SetData, KeepsGradientHooksAndRequiresGrad) {
  Tensor w = leaf({1, 2});
  int seen = 0;
  add_hook(w, [&](const Tensor&) { return ++seen, Tensor(); });
  backward(ops::sum(ops::mul(w, w)));
  set_data(w, tensor({5, 6}));
  EXPECT_TRUE(w.requires_grad());
  EXPECT_TRUE(is_leaf(w));
  EXPECT_EQ(values(gradient_of(w)), (List{2, 4}));
  backward(ops::sum(ops::mul(w, w)));
  EXPECT_EQ(values(gradient_of(w)), (List{12, 16}));
  EXPECT_EQ(seen, 2);
  set_data(w, tensor({5, 6}, DType::f64));  // the gradient follows
  EXPECT_EQ(gradient_of(w).dtype(), DType::f64);
  EXPECT_EQ(values(gradient_of(w)), (List{12, 16}));
  set_data(w, tensor({1, 2, 3}));  // and cannot
  EXPECT_FALSE(gradient_of(w).defined());
  backward(ops::sum(w));
  EXPECT_EQ(values(gradient_of(w)), (List{1, 1, 1}));
  EXPECT_EQ(seen, 3);
}

TEST_F(SetData, OldGraphsRefuseAndGraphsOfTheNewMemoryGoOn) {
  Tensor w = leaf({1, 2}), other = leaf({3, 4});
  Tensor before = ops::sum(ops::mul(w, w)), of_other = ops::sum(ops::mul(other, other));
  for (int i = 0; i < 3; ++i) write(ops::detach(other), 3);  // its version is the higher one
  Tensor again = ops::sum(ops::mul(other, other));
  set_data(w, other);
  testing::expect_error([&] { backward(before); }, Code::autograd, "changed in place");
  testing::expect_error([&] { backward(of_other); }, Code::autograd, "changed in place");
  backward(again);  // nobody wrote it since: being shared is no write
  EXPECT_EQ(values(gradient_of(other)), (List{6, 6}));
  EXPECT_FALSE(gradient_of(w).defined());
  Tensor after = ops::sum(ops::mul(w, w));
  write(ops::detach(other), 4);
  testing::expect_error([&] { backward(after); }, Code::autograd, "changed in place");
  uint32_t version = version_of(*w.impl());
  for (int i = 0; i < 5; ++i) {
    set_data(w, tensor({double(i), 1}));
    EXPECT_GT(version_of(*w.impl()), version);
    version = version_of(*w.impl());
  }
}

TEST_F(SetData, ViewsOfTheOldMemoryAreOnTheirOwn) {
  Tensor t = tensor({1, 2, 3, 4}), v = ops::narrow(t, 0, 1, 2), x = leaf({10, 20});
  set_data(t, tensor({5, 6, 7, 8}));
  ops::mul_(v, x);  // recorded into v, not into t
  EXPECT_FALSE(t.requires_grad());
  EXPECT_TRUE(v.requires_grad());
  EXPECT_EQ(values(t), (List{5, 6, 7, 8}));
  EXPECT_EQ(values(v), (List{20, 60}));
  backward(ops::sum(v));
  EXPECT_EQ(values(gradient_of(x)), (List{2, 3}));
  // A new history of t is not one of its former view, nor of what is viewed through that.
  Tensor s = tensor({1, 2, 3, 4}), u = ops::narrow(s, 0, 0, 2);
  set_data(s, tensor({5, 6}));
  ops::mul_(s, x);
  EXPECT_TRUE(s.requires_grad());
  EXPECT_FALSE(u.requires_grad());
  Tensor deep = ops::narrow(u, 0, 0, 1);
  ops::mul_(deep, ops::narrow(x, 0, 0, 1));
  EXPECT_TRUE(u.requires_grad());
  EXPECT_EQ(values(u), (List{10, 2}));
  // A leaf that moved away no longer forbids writing what was a view of it.
  Tensor w = leaf({1, 2}), part = ops::narrow(w, 0, 0, 1);
  testing::expect_error([&] { ops::fill_(part, Scalar(0.0)); }, Code::autograd, "view of it");
  set_data(w, tensor({3, 4}));
  ops::fill_(part, Scalar(0.0));
  EXPECT_EQ(values(w), (List{3, 4}));
  // A view given other memory leaves its base; given its own place again it is only memory.
  Tensor whole = tensor({1, 2}), view = ops::view(whole, Shape{2, 1});
  set_data(view, tensor({7}));
  ops::mul_(view, ops::narrow(x, 0, 0, 1));
  EXPECT_FALSE(whole.requires_grad());
  EXPECT_EQ(values(whole), (List{1, 2}));
}

TEST_F(SetData, ViewsThatStillAreViewsStaySo) {
  Tensor t = tensor({1, 2, 3, 4}), v = ops::narrow(t, 0, 1, 2), x = leaf({10, 20});
  set_data(t, ops::view(t, Shape{2, 2}));  // the same memory in another shape
  ops::mul_(v, x);
  EXPECT_TRUE(t.requires_grad());
  EXPECT_EQ(values(t), (List{1, 20, 60, 4}));
  backward(ops::sum(ops::mul(t, t)));
  EXPECT_EQ(values(gradient_of(x)), (List{80, 360}));
}

TEST_F(SetData, ResultsOfOperatorsTakeTheirOwnKind) {
  Tensor w = leaf({1, 2}), y = ops::mul(w, w);
  set_data(y, tensor({5, 6}));
  EXPECT_FALSE(is_leaf(y));
  backward(ops::sum(ops::mul(y, y)));  // 2y * 2w
  EXPECT_EQ(values(gradient_of(w)), (List{20, 48}));
  for (const Tensor& bad : {tensor({1}), tensor({1, 2}, DType::f64)})
    testing::expect_error([&] { set_data(ops::mul(w, w), bad); }, Code::autograd, "of its own kind");
  testing::expect_error([&] { set_data(w, tensor({1, 2}, DType::i64)); }, Code::dtype, "stay floating");
  EXPECT_EQ(values(w), (List{1, 2}));
  set_requires_grad(w, false);
  set_data(w, tensor({1, 2}, DType::i64));
  EXPECT_EQ(w.dtype(), DType::i64);
}

TEST_F(SetData, BlockedTensorsGiveAndTake) {
  Conv conv(2, ConvOptions{.in_channels = 16, .out_channels = 16, .kernel_size = {3, 3}});
  NoGradGuard off;
  Tensor x = ops::rand(Shape{2, 16, 12, 12}), y = conv.call(x), t = tensor({1});
  const List want = values(y);
  set_data(t, y);
  EXPECT_EQ(values(t), want);
  write(t, 2);
  EXPECT_EQ(values(y), List(want.size(), 2));
  Tensor z = conv.call(x);
  set_data(z, tensor({4, 5}));
  EXPECT_EQ(values(z), (List{4, 5}));
}

TEST_F(SetData, WeightsTakeTurns) {
  // A module runs with averaged weights and goes back to its own.
  Linear net(3, 2);
  Tensor w = net.find_parameter("weight"), mine = ops::detach(w), average = ops::zeros(Shape{2, 3});
  Tensor x = ops::ones(Shape{1, 3});
  NoGradGuard off;
  const List before = values(net.call(x));
  set_data(w, average);
  EXPECT_EQ(values(net.call(x)), values(net.find_parameter("bias")));
  set_data(w, mine);
  EXPECT_EQ(values(net.call(x)), before);
}

}  // namespace
}  // namespace haft::nn
