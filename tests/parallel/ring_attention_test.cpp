// Attention over a sequence on several ranks against the same on one.
#include "core/parallel/ring_attention.h"

#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kBatch = 2, kHeads = 3, kWidth = 5, kValues = 4;

Tensor dense(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, double scale) {
  Tensor s = ops::mul(ops::matmul(q, ops::transpose(k, -2, -1)), ops::full({}, scale, q.dtype()));
  if (causal) {
    const int64_t square[] = {q.size(-2), k.size(-2)};
    s = ops::masked_fill(s, ops::triu(ops::ones(square, DType::boolean), 1), -1e300);
  }
  return ops::matmul(ops::softmax(s, -1), v);
}
Tensor part(const Tensor& t, Group& g) {
  const int64_t rows = t.size(-2) / g.size();
  return ops::detach(ops::contiguous(ops::narrow(t, t.ndim() - 2, g.rank() * rows, rows)));
}

// Results and gradients of a rank's part, for scores of a size that would overflow without the running maximum.
void compare(int ranks, int64_t positions, bool causal, double scale, DType t, double within,
             double size = 1) {
  SCOPED_TRACE(concat(ranks, " ", positions, " ", int(causal), " ", dtype_name(t)));
  expect_none(run_threads(ranks, [&](Group& g) {
    const auto tensor = [&](int64_t width, int seed) {
      return ops::cast(normal({kBatch, kHeads, positions, width}, seed, size), t);
    };
    const Tensor whole[] = {tensor(kWidth, 1), tensor(kWidth, 2), tensor(kValues, 3)},
                 slope = tensor(kValues, 4);
    Tensor all[3], mine[3];
    for (int i = 0; i < 3; ++i) {
      all[i] = ops::cast(whole[i], DType::f64);
      mine[i] = part(whole[i], g);
      set_requires_grad(all[i], true);
      set_requires_grad(mine[i], true);
    }
    const Tensor y = ring_attention(Ref<Group>::share(&g), mine[0], mine[1], mine[2], {causal, scale});
    const Tensor want_y =
        dense(all[0], all[1], all[2], causal, scale ? scale : 1 / std::sqrt(double(kWidth)));
    want(y.dtype() == t && y.sizes().size() == 4, "type and shape");
    back(ops::sum(ops::mul(y, part(slope, g))));
    back(ops::sum(ops::mul(want_y, ops::cast(slope, DType::f64))));
    const auto near = [&](const Tensor& got, const Tensor& whole_of, const char* what) {
      const Tensor a[] = {ops::cast(got, DType::f64)}, b[] = {part(whole_of, g)};
      if (const double d = largest_difference(a, b); !(d <= within))
        fail(Code::internal, concat(what, " is ", d, " off"));
    };
    near(ops::detach(y), want_y, "result");
    const char* names[] = {"query's gradient", "key's gradient", "value's gradient"};
    for (int i = 0; i < 3; ++i) near(gradient_of(mine[i]), gradient_of(all[i]), names[i]);
  }));
}

TEST(RingAttention, EqualsAttentionOfTheWhole) {
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (bool causal : {false, true}) {
      compare(ranks, 12, causal, 0, DType::f64, 1e-13);
      compare(ranks, 24, causal, 0.3, DType::f32, 1e-5);
    }
  compare(3, 3, true, 0, DType::f64, 1e-13);  // a position a rank
  compare(2, 8, true, 0, DType::bf16, 0.06);
  compare(3, 12, true, 30, DType::f64, 1e-10, 4);  // scores of some hundreds
}

TEST(RingAttention, LargeBlocksGoAround) {
  expect_none(run_threads(3, [&](Group& g) {
    // 1 MiB.
    Tensor k = filled({2048, 128}, DType::f32, 0), v = filled({2048, 128}, DType::f32, 1 + g.rank());
    set_requires_grad(k, true);
    const Tensor y = ring_attention(Ref<Group>::share(&g), filled({4, 128}, DType::f32, 1), k, v, {});
    want(std::abs(at(y, 5) - 2) < 1e-5, "the mean over ranks");
    back(ops::sum(y));
    want(std::abs(at(gradient_of(k), 0) -
                  double(1 + g.rank() - 2) * 4 * 128 * 3 / (3 * 2048) / std::sqrt(128)) < 1e-4,
         "gradient");
  }));
}

TEST(RingAttention, WhatDoesNotFitIsSaid) {
  const auto told = [](const std::function<void(Group&)>& f) { return run_threads(1, f)[0]; };
  const auto ask = [](Group& g, std::vector<int64_t> q, std::vector<int64_t> k, std::vector<int64_t> v,
                      bool causal = false, DType t = DType::f32) {
    return ring_attention(Ref<Group>::share(&g), filled(q, DType::f32, 1), filled(k, t, 1),
                          filled(v, DType::f32, 1), {causal, 0});
  };
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(told([&](Group& g) { ask(g, {3}, {3}, {3}); }), "(..., positions, width)");
  has(told([&](Group& g) { ask(g, {2, 4, 3}, {2, 4, 5}, {2, 4, 5}); }), "got query [2, 4, 3], key [2, 4, 5]");
  has(told([&](Group& g) { ask(g, {4, 3}, {5, 3}, {5, 3}, true); }), "as many queries as keys");
  has(told([&](Group& g) { ask(g, {4, 3}, {4, 3}, {4, 3}, false, DType::f64); }), "one floating type");
  has(told([&](Group& g) {
        Tensor q = filled({2, 2}, DType::f32, 1);
        set_requires_grad(q, true);
        const Tensor y[] = {ops::sum(ring_attention(Ref<Group>::share(&g), q, q, q, {}))},
                     seed[] = {Tensor()};
        backward(y, seed, {.create_graph = true});
      }),
      "a first gradient only");
  // Ranks of different shapes end with the group, not in a hang.
  for (const std::string& f : run_threads(2, [&](Group& g) {
         ask(g, {2, 3}, {2 + g.rank(), 3}, {2 + g.rank(), 3});
       }))
    EXPECT_NE(f, "");
}

}  // namespace
