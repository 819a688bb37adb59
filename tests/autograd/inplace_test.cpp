// Writing in place while gradients are recorded: versions, histories of bases and views, blocked memory.
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct InPlace : AutogradTest {};

TEST_F(InPlace, IsRecorded) {
  Tensor x = leaf({1, 2}), y = ops::mul_scalar(x, 3.0);
  ops::mul_(y, x);  // 3 x^2
  EXPECT_EQ(values(y), (Numbers{3, 12}));
  backward(ops::sum(y));
  EXPECT_EQ(grad_of(x), (Numbers{6, 12}));
}

TEST_F(InPlace, SpoiledTensorsAreFound) {
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 2.0), y = ops::sum(ops::mul(h, h));
  ops::add_scalar_(h, 1.0);
  expect_error([&] { backward(y); }, Code::autograd, "changed in place");
  Tensor e = ops::exp(x), z = ops::sum(e);  // keeps its result
  ops::mul_scalar_(e, 2.0);
  expect_error([&] { backward(z); }, Code::autograd, "its result");
  Tensor a = ops::add(x, x), b = ops::sum(a);  // keeps nothing
  ops::add_scalar_(a, 1.0);
  backward(b);
  EXPECT_EQ(grad_of(x), (Numbers{2, 2}));
}

TEST_F(InPlace, ThroughAViewSpoilsToo) {
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 2.0), y = ops::sum(ops::mul(h, h));
  {
    NoGradGuard off;
    Tensor part = ops::select(h, 0, 1);
    ops::fill_(part, 0.0);
  }
  expect_error([&] { backward(y); }, Code::autograd, "version");
}

TEST_F(InPlace, LeavesAreRefused) {
  Tensor x = leaf({1, 2});
  expect_error([&] { ops::add_scalar_(x, 1.0); }, Code::autograd, "leaf");
  Tensor v = ops::slice(x, 0, 0, 1);
  expect_error([&] { ops::add_scalar_(v, 1.0); }, Code::autograd, "leaf");
  NoGradGuard off;
  ops::add_scalar_(x, 1.0);
  EXPECT_EQ(values(x), (Numbers{2, 3}));
}

TEST_F(InPlace, WritesIntoSlicesReachTheBase) {
  Tensor x = leaf({1, 2, 3, 4}), w = leaf({10, 20});
  Tensor h = ops::mul_scalar(x, 2.0);
  Tensor mid = ops::slice(h, 0, 1, 3);
  ops::mul_(mid, w);  // h = {2, 4*10, 6*20, 8}
  EXPECT_EQ(values(h), (Numbers{2, 40, 120, 8}));
  backward(ops::sum(ops::mul(h, h)));
  EXPECT_EQ(grad_of(x), (Numbers{8, 1600, 9600, 32}));
  EXPECT_EQ(grad_of(w), (Numbers{320, 1440}));
}

TEST_F(InPlace, ViewsMadeBeforeTheWriteSeeIt) {
  Tensor x = leaf({1, 2, 3}), h = ops::mul_scalar(x, 1.0);
  Tensor whole = ops::view(h, Shape{3, 1}), tail = ops::slice(h, 0, 1, 3);
  ops::mul_scalar_(h, 5.0);
  backward(ops::sum(ops::mul(tail, tail)), {.retain_graph = true});
  EXPECT_EQ(grad_of(x), (Numbers{0, 100, 150}));
  set_gradient(x, {});
  backward(ops::sum(whole));
  EXPECT_EQ(grad_of(x), (Numbers{5, 5, 5}));
}

TEST_F(InPlace, ChainsOfViews) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  Tensor h = ops::mul_scalar(x, 1.0);
  Tensor t = ops::transpose(h, 0, 1), row = ops::select(t, 0, 1), cell = ops::slice(row, 0, 1, 2);
  ops::mul_scalar_(cell, 7.0);  // h[1][1]
  EXPECT_EQ(values(h), (Numbers{1, 2, 3, 4, 35, 6}));
  backward(ops::sum(ops::mul(t, t)), {.retain_graph = true});
  EXPECT_EQ(grad_of(x), (Numbers{2, 4, 6, 8, 490, 12}));
  set_gradient(x, {});
  ops::mul_scalar_(row, 2.0);
  ops::add_scalar_(h, 1.0);
  backward(ops::sum(cell));
  EXPECT_EQ(grad_of(x), (Numbers{0, 0, 0, 0, 14, 0}));
}

TEST_F(InPlace, PlainBaseGetsAHistory) {
  Tensor buffer = tensor({0, 0, 0}), x = leaf({2});
  Tensor place = ops::slice(buffer, 0, 1, 2);
  ops::add_(place, x);
  EXPECT_TRUE(buffer.requires_grad());
  EXPECT_TRUE(ops::select(buffer, 0, 0).requires_grad());
  backward(ops::sum(ops::mul(buffer, buffer)));
  EXPECT_EQ(grad_of(x), (Numbers{4}));
}

TEST_F(InPlace, IndexedWrites) {
  Tensor x = leaf({1, 2, 3}), v = leaf({9}), h = ops::clone(x);
  Tensor mask = ops::gt_scalar(ops::detach(h), 1.5);
  ops::masked_fill_(h, mask, 0.5);
  Tensor index = ops::cast(tensor({0}), DType::i64);
  ops::index_put_(h, std::vector<Tensor>{index}, v);
  EXPECT_EQ(values(h), (Numbers{9, 0.5, 0.5}));
  backward(ops::sum(ops::mul(h, h)));
  EXPECT_EQ(grad_of(x), (Numbers{0, 0, 0}));
  EXPECT_EQ(grad_of(v), (Numbers{18}));
}

TEST_F(InPlace, DetachSharesMemoryAndVersion) {
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 1.0), y = ops::sum(ops::mul(h, h));
  ops::add_scalar_(ops::detach(h), 1.0);
  expect_error([&] { backward(y); }, Code::autograd, "changed in place");
}

// Results keep the order of their input's dimensions; what is written through views of them is recorded.
TEST_F(InPlace, ViewsOfPermutedResults) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Shape{2, 3, 2});
  auto run = [&](bool permuted) {
    set_gradient(x, {});
    Tensor h = ops::mul_scalar(ops::permute(x, Shape{2, 0, 1}), 2.0);  // (2, 2, 3), strides (1, 6, 2)
    EXPECT_FALSE(h.is_contiguous());
    if (!permuted) h = ops::contiguous(h);
    ops::mul_scalar_(ops::slice(ops::select(h, 1, 1), 1, 0, 3, 2), 5.0);
    ops::square_(ops::select(ops::transpose(h, 0, 2), 0, 2));
    ops::add_scalar_(ops::diagonal(h, 0, 0, 1), 1.0);
    backward(ops::sum(ops::mul(h, h)));
    Numbers all = grad_of(x);
    for (double v : values(h)) all.push_back(v);
    return all;
  };
  EXPECT_EQ(run(true), run(false));
  // Rows that lie behind one another in memory are no rows of the tensor.
  Tensor h = ops::mul_scalar(ops::permute(x, Shape{1, 2, 0}), 1.0);  // (3, 2, 2), strides (2, 1, 6)
  Tensor across = ops::as_strided(h, Shape{4}, Shape{1}, 5);
  expect_error([&] { ops::mul_scalar_(across, 2.0); }, Code::autograd, "does not lie so in memory");
}

// A convolution answers in the library's layout; views and writes go to its strided twin.
TEST_F(InPlace, BlockedConvolutionOutputs) {
  Tensor x = ops::randn(Shape{2, 16, 5, 5}), w = ops::randn(Shape{16, 16, 3, 3});
  set_requires_grad(w, true);
  auto forward = [&](bool blocked) {
    Tensor y = ops::conv2d(x, w, {}, Shape{1, 1}, Shape{1, 1}, Shape{1, 1}, 1);
    return blocked ? y : ops::contiguous(ops::clone(y));
  };
  auto run = [&](bool blocked) {
    set_gradient(w, {});
    Tensor y = forward(blocked);
    Tensor channel = ops::select(y, 1, 3);
    ops::mul_scalar_(channel, 2.0);
    ops::relu_(y);
    Tensor z = ops::sum(ops::mul(y, ops::add_scalar(ops::select(y, 0, 0), 1.0)));
    backward(z);
    Numbers all = grad_of(w);
    all.push_back(values(z)[0]);
    return all;
  };
  Numbers a = run(true), b = run(false);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-3 * (1 + std::abs(b[i]))) << i;
  Tensor y = forward(true), kept = ops::sum(ops::mul(y, y));
  ops::zeros_like(y);
  ops::fill_(ops::select(y, 1, 0), 0.0);
  expect_error([&] { backward(kept); }, Code::autograd, "changed in place");
}

// Integers take no part in gradients, whatever is copied into them; PyTorch's answer.
TEST_F(InPlace, CopyingIntoIntegersRecordsNothing) {
  Tensor x = leaf({1.5, -2.5, 3});
  for (DType t : {DType::i64, DType::u8, DType::boolean}) {
    Tensor whole = ops::zeros(Shape{2, 3}, t), row = ops::select(whole, 0, 1);
    ops::copy_(row, x);
    EXPECT_FALSE(whole.requires_grad() || row.requires_grad()) << dtype_name(t);
    EXPECT_EQ(values(whole)[3], t == DType::boolean ? 1 : 1) << dtype_name(t);
    Tensor sum = ops::sum(ops::mul(ops::cast(whole, DType::f64), ops::expand(x, Shape{2, 3})));
    set_gradient(x, {});
    backward(sum);  // the integers are constants
    Numbers want = values(ops::select(ops::cast(whole, DType::f64), 0, 1));
    EXPECT_EQ(grad_of(x), want) << dtype_name(t);
  }
  Tensor f = ops::zeros(Shape{3}, DType::f32);
  ops::copy_(f, x);
  EXPECT_TRUE(f.requires_grad());
}

}  // namespace
}  // namespace haft
