// Parts of a tensor: split, chunk and unbind are one node whose gradient is one tensor; single slices add to what is
// there.
#include <algorithm>

#include "core/modes/profiler.h"
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Parts : AutogradTest {};

// The operators that have a kernel and ran in f.
template <class F>
std::vector<std::string> kernels(F&& f) {
  profiler_start();
  f();
  std::vector<std::string> names;
  for (const ProfileEvent& e : profiler_stop())
    for (int i = 0; i < kOpCount; ++i)
      if (e.name == op_name(OpId(i)) && op_kind(OpId(i)) != OpKind::view) names.push_back(e.name);
  return names;
}
int64_t count(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::count(names, name);
}

Numbers rising(int64_t n) {
  Numbers v;
  for (int64_t i = 0; i < n; ++i) v.push_back(double(i + 1));
  return v;
}

TEST_F(Parts, UnbindGoesBackAsOneTensor) {
  constexpr int64_t kSteps = 128;
  Tensor x = leaf(rising(kSteps * 6), Shape{kSteps, 2, 3}), h = ops::mul_scalar(x, 1.0);
  std::vector<Tensor> parts = ops::unbind(h, 0), scaled;
  for (int64_t i = 0; i < kSteps; ++i) scaled.push_back(ops::mul_scalar(parts[size_t(i)], double(i)));
  Tensor y = ops::sum(ops::cat(scaled, 0));
  const auto ran = kernels([&] { backward(y); });
  EXPECT_EQ(count(ran, "cat"), 1);
  EXPECT_EQ(count(ran, "add") + count(ran, "zeros") + count(ran, "fill") + count(ran, "as_strided_scatter"),
            0);
  EXPECT_LE(ran.size(), size_t(kSteps) + 8);  // one for each step's own operator
  for (int64_t i = 0; i < kSteps; ++i) EXPECT_EQ(grad_of(x)[size_t(i * 6)], double(i));
  EXPECT_EQ(static_cast<Node*>(parts[0].impl()->node.get()), static_cast<Node*>(parts[5].impl()->node.get()));
}

TEST_F(Parts, UnusedPartsAreZero) {
  Tensor x = leaf(rising(10), Shape{2, 5});
  Tensor a = ops::split_sizes(x, Shape{2, 0, 3}, 1)[2];
  backward(ops::sum(ops::mul(a, a)));
  EXPECT_EQ(grad_of(x), (Numbers{0, 0, 6, 8, 10, 0, 0, 16, 18, 20}));
  set_gradient(x, {});
  backward(ops::sum(ops::mul_scalar(ops::unbind(x, 1)[3], 2.0)));
  EXPECT_EQ(grad_of(x), (Numbers{0, 0, 0, 2, 0, 0, 0, 0, 2, 0}));
  set_gradient(x, {});
  auto parts = ops::chunk(x, 2, 1);
  backward(ops::sum(ops::add(ops::sum(parts[0]), ops::sum(ops::mul_scalar(parts[1], 3.0)))));
  EXPECT_EQ(grad_of(x), (Numbers{1, 1, 1, 3, 3, 1, 1, 1, 3, 3}));
}

TEST_F(Parts, HigherDerivatives) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  auto rows = ops::unbind(x, 0);
  Tensor y = ops::sum(ops::mul(ops::mul(rows[0], rows[1]), rows[1]));  // a b^2; row 2 unused
  Tensor d1 = grad(y, x, {.create_graph = true});
  EXPECT_EQ(values(d1), (Numbers{9, 16, 6, 16, 0, 0}));
  Tensor d2 = grad(ops::sum(d1), x, {.create_graph = true});  // b^2 + 2ab
  EXPECT_EQ(values(d2), (Numbers{6, 8, 8, 12, 0, 0}));
  EXPECT_EQ(values(grad(ops::sum(d2), x)), (Numbers{2, 2, 4, 4, 0, 0}));  // 2b + 2b + 2a
}

// PyTorch refuses to write into one of several views; here the base takes the write as that of any view.
TEST_F(Parts, WritesIntoAPartReachTheBase) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6}), w = leaf({10, 20}), h = ops::mul_scalar(x, 1.0);
  auto parts = ops::split(h, 2);
  ops::mul_(parts[1], w);  // h = 1 2 30 80 5 6
  EXPECT_EQ(values(h), (Numbers{1, 2, 30, 80, 5, 6}));
  Tensor all = ops::sum(ops::mul(h, h)), first = ops::sum(parts[0]), second = ops::sum(parts[1]);
  backward(ops::add(ops::add(all, first), second));
  EXPECT_EQ(grad_of(x), (Numbers{3, 5, 610, 3220, 10, 12}));
  EXPECT_EQ(grad_of(w), (Numbers{183, 644}));
  Tensor buffer = tensor({0, 0, 0, 0});
  auto halves = ops::chunk(buffer, 2);  // before there is a history
  Tensor v = leaf({3, 5});
  ops::add_(halves[1], v);
  backward(ops::sum(ops::mul(buffer, halves[1].requires_grad() ? buffer : ops::zeros_like(buffer))));
  EXPECT_EQ(grad_of(v), (Numbers{6, 10}));
}

TEST_F(Parts, HooksSeeEachPart) {
  Tensor x = leaf({1, 2, 3, 4}), h = ops::mul_scalar(x, 1.0);
  auto parts = ops::chunk(h, 2);
  add_hook(parts[1], [](const Tensor& g) { return ops::mul_scalar(g, 10.0); });
  retain_grad(parts[0]);
  backward(ops::add(ops::sum(parts[0]), ops::sum(parts[1])));
  EXPECT_EQ(grad_of(x), (Numbers{1, 1, 10, 10}));
  EXPECT_EQ(grad_of(parts[0]), (Numbers{1, 1}));
}

TEST_F(Parts, SingleSlicesAddToWhatIsThere) {
  constexpr int64_t kRows = 50;
  Tensor x = leaf(rising(kRows * 4), Shape{kRows, 4}), h = ops::mul_scalar(x, 1.0);
  Tensor y = ops::sum(ops::select(h, 0, 0));
  for (int64_t i = 1; i < kRows; ++i) {
    y = ops::add(y, ops::sum(ops::mul_scalar(ops::select(h, 0, i), double(i))));
    y = ops::add(y, ops::sum(ops::slice(h, 1, i % 4, i % 4 + 1, 1)));
  }
  Tensor expected = grad(y, x, {.retain_graph = true, .create_graph = true});  // without the shortcut
  const auto ran = kernels([&] { backward(y, {.retain_graph = true}); });
  EXPECT_LE(count(ran, "zeros") + count(ran, "fill"), 2);
  EXPECT_EQ(count(ran, "as_strided_scatter"), 0);
  EXPECT_EQ(grad_of(x), values(expected));
  // What a hook keeps is not written.
  set_gradient(x, {});
  std::vector<Tensor> seen;
  Tensor whole = ops::mul_scalar(x, 2.0);
  add_hook(whole, [&](const Tensor& g) {
    seen.push_back(g);
    return Tensor();
  });
  Tensor part = ops::diagonal(whole, 0, 0, 1);
  backward(ops::add(ops::sum(whole), ops::sum(part)));
  backward(ops::sum(ops::select(ops::mul_scalar(x, 2.0), 0, 1)));
  EXPECT_EQ(values(seen[0])[0], 2);
  EXPECT_EQ(values(seen[0])[1], 1);
  EXPECT_EQ(grad_of(x)[0], 4);
  EXPECT_EQ(grad_of(x)[4], 4);
}

// The seed is the caller's: a view of the same tensor as another output does not write into it.
TEST_F(Parts, TheCallersSeedIsNotWritten) {
  Tensor x = leaf({1, 2, 3}), h = ops::mul_scalar(x, 1.0), part = ops::slice(h, 0, 0, 2),
         seed = tensor({1, 1, 1}), other = tensor({5, 5});
  std::vector<Tensor> outs{h, part}, seeds{seed, other};
  haft::backward(outs, seeds);
  EXPECT_EQ(grad_of(x), (Numbers{6, 6, 1}));
  EXPECT_EQ(values(seed), (Numbers{1, 1, 1}));
}

TEST_F(Parts, WindowsAddToo) {
  Tensor x = leaf({1, 2, 3, 4}), h = ops::mul_scalar(x, 1.0);
  Tensor y = ops::add(ops::sum(ops::unfold(h, 0, 2, 1)), ops::sum(ops::as_strided(h, Shape{2}, Shape{2}, 1)));
  y = ops::add(y, ops::sum(ops::as_strided(h, Shape{2, 2}, Shape{1, 1}, 0)));
  backward(y);
  EXPECT_EQ(grad_of(x), (Numbers{2, 5, 3, 2}));
}

}  // namespace
}  // namespace haft
