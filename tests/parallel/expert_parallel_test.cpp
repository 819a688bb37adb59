// Experts on several ranks against the same on one.
#include "core/parallel/expert_parallel.h"

#include "core/nn/containers.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kWidth = 4;

Tensor trained(std::vector<int64_t> sizes, int64_t seed) {
  Tensor t = normal(std::move(sizes), seed, 0.7, DType::f64);
  set_requires_grad(t, true);
  return t;
}
Tensor expert_of(const Tensor& x, const Tensor& w) { return ops::tanh(ops::matmul(x, w)); }
Ref<nn::Module> module(std::function<Tensor(const Tensor&)> f) {
  return make_ref<nn::Callback>(
      "Part", [f](nn::Module&, std::span<const Tensor> xs) { return std::vector{f(xs[0])}; });
}
Tensor number(double v) { return ops::full({}, v, DType::f64); }

// What all experts make of all tokens, with the choices that found room on their rank (tokens[r] of each).
std::pair<Tensor, Tensor> dense(const Tensor& x, const Tensor& router, const std::vector<Tensor>& experts,
                                const std::vector<int64_t>& tokens, const ExpertOptions& o) {
  const int64_t all = int64_t(experts.size()), last[] = {-1}, first[] = {0};
  const Tensor shares = ops::softmax(ops::matmul(x, router), -1);
  auto [weights, chosen] = ops::topk(shares, o.top_k, -1);
  if (o.normalize && o.top_k > 1) weights = ops::div(weights, ops::sum(weights, last, true));
  Tensor keep = filled({x.size(0), o.top_k}, DType::f64, 0), wanted = filled({all}, DType::f64, 0);
  int64_t begin = 0;
  for (int64_t n : tokens) {
    const double room = o.capacity_factor > 0
                            ? std::max(1.0, std::ceil(o.capacity_factor * double(o.top_k * n) / double(all)))
                            : 1e9;
    std::vector<double> taken(size_t(all), 0);
    for (int64_t c = 0; c < o.top_k; ++c)
      for (int64_t t = begin; t < begin + n; ++t) {
        const int64_t e = chosen.data<int64_t>()[t * o.top_k + c];
        wanted.data<double>()[e] += 1;
        if (taken[size_t(e)]++ < room) keep.data<double>()[t * o.top_k + c] = 1;
      }
    begin += n;
  }
  const Tensor table =
      ops::scatter_add(filled({x.size(0), all}, DType::f64, 0), 1, chosen, ops::mul(weights, keep));
  Tensor y = ops::mul(x, number(0));
  for (int64_t e = 0; e < all; ++e)
    y = ops::add(y, ops::mul(expert_of(x, experts[size_t(e)]), ops::narrow(table, 1, e, 1)));
  const Tensor part = ops::div(wanted, number(double(x.size(0) * o.top_k)));
  return {y, ops::mul(ops::sum(ops::mul(part, ops::mean(shares, first))), number(double(all)))};
}

void compare(int ranks, int own, std::vector<int64_t> tokens, ExpertOptions o, int lost = -1) {
  SCOPED_TRACE(concat(ranks, " ranks of ", own, " experts, top ", o.top_k, " capacity ", o.capacity_factor));
  std::vector<int64_t> dropped(size_t(ranks), 0);
  expect_none(run_threads(ranks, [&](Group& g) {
    const int64_t all = ranks * own, r = g.rank();
    int64_t rows = 0, begin = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (int64_t(i) == r) begin = rows;
      rows += tokens[i];
    }
    const Tensor slope = normal({rows, kWidth}, 7, 1, DType::f64);
    Tensor x = trained({rows, kWidth}, 1), router = trained({kWidth, all}, 2),
           my_router = trained({kWidth, all}, 2);
    std::vector<Tensor> experts, mine;
    for (int64_t e = 0; e < all; ++e) {
      experts.push_back(trained({kWidth, kWidth}, 10 + e));
      if (e / own == r) mine.push_back(trained({kWidth, kWidth}, 10 + e));
    }
    std::vector<Ref<nn::Module>> modules;
    for (const Tensor& w : mine) modules.push_back(module([w](const Tensor& t) { return expert_of(t, w); }));
    auto layer = make_ref<MixtureOfExperts>(
        Ref<Group>::share(&g), module([&](const Tensor& t) { return ops::matmul(t, my_router); }), modules,
        o);
    Tensor my_x = ops::clone(ops::detach(ops::narrow(x, 0, begin, tokens[size_t(r)])));
    set_requires_grad(my_x, true);

    auto [y, load] = dense(x, router, experts, tokens, o);
    back(ops::add(ops::sum(ops::mul(y, slope)), load));
    std::vector<Tensor> got = layer->call_many(std::span(&my_x, 1));
    want(got.size() == 2 && got[0].sizes().size() == 2, "two results");
    const Tensor part = ops::narrow(slope, 0, begin, tokens[size_t(r)]);
    // Of each rank a part, so that they add up to one.
    back(ops::add(ops::sum(ops::mul(got[0], part)), ops::div(got[1], number(ranks))));

    Tensor of_router = ops::clone(gradient_of(my_router));
    g.run(all_reduce_job(of_router, dist::ReduceOp::sum));
    const auto near = [&](const Tensor& a, const Tensor& b, std::string_view what) {
      const Tensor as[] = {ops::contiguous(ops::detach(a))}, bs[] = {ops::contiguous(ops::detach(b))};
      if (const double d = largest_difference(as, bs); !(d <= 1e-12))
        fail(Code::internal, concat(what, " is ", d, " off"));
    };
    near(got[0], ops::narrow(y, 0, begin, tokens[size_t(r)]), "result");
    near(got[1], load, "loss of the load");
    near(gradient_of(my_x), ops::narrow(gradient_of(x), 0, begin, tokens[size_t(r)]),
         "gradient of the tokens");
    near(of_router, gradient_of(router), "gradient of the router");
    for (int k = 0; k < own; ++k) {
      const Tensor whole = gradient_of(experts[size_t(r * own + k)]), g_of = gradient_of(mine[size_t(k)]);
      near(g_of ? g_of : ops::zeros_like(whole), whole, "gradient of an expert");
    }
    dropped[size_t(r)] = layer->dropped;
  }));
  int64_t sum = 0;
  for (int64_t d : dropped) sum += d;
  EXPECT_EQ(sum > 0, lost > 0) << sum;
}

TEST(MixtureOfExperts, EqualsTheExpertsOnOneRank) {
  compare(1, 3, {7}, {});
  compare(2, 1, {6, 6}, {.top_k = 1});
  compare(2, 3, {5, 9}, {});
  compare(3, 2, {4, 1, 6}, {.top_k = 3, .normalize = false});
  compare(4, 2, {2, 2, 2, 2}, {});  // some experts get nothing
  compare(2, 4, {1, 1}, {.top_k = 1});
}

TEST(MixtureOfExperts, WhatFindsNoRoomIsLeftOut) {
  compare(2, 2, {12, 12}, {.top_k = 2, .capacity_factor = 0.5}, 1);
  compare(3, 1, {9, 6, 3}, {.top_k = 1, .capacity_factor = 0.7}, 1);
}

TEST(MixtureOfExperts, TokensOfAnyShapeAndNamesOfAll) {
  expect_none(run_threads(2, [](Group& g) {
    const Tensor w = filled({kWidth, 2}, DType::f64, 0);
    auto same = [](const Tensor& t) { return t; };
    auto layer = make_ref<MixtureOfExperts>(Ref<Group>::share(&g),
                                            module([&](const Tensor& t) { return ops::matmul(t, w); }),
                                            std::vector{module(same)}, ExpertOptions());
    const Tensor x = normal({2, 3, kWidth}, 3, 1, DType::f64), y = layer->call(x);
    const Tensor a[] = {ops::detach(y)}, b[] = {x};
    want(y.ndim() == 3 && largest_difference(a, b) < 1e-15, "the tokens themselves");
    std::string names;
    for (const auto& m : layer->named_modules()) names += m.name + " ";
    want(names == concat(" router experts experts.", g.rank(), " "), names);
  }));
}

TEST(MixtureOfExperts, WhatDoesNotFitIsSaid) {
  const auto told = [](int ranks, int experts, ExpertOptions o, std::function<Tensor(const Tensor&)> router,
                       std::function<Tensor(const Tensor&)> expert) {
    return run_threads(ranks,
                       [&, all = o](Group& g) {
                         ExpertOptions o = all;
                         if (g.rank()) o.top_k = 1;
                         auto layer = make_ref<MixtureOfExperts>(
                             Ref<Group>::share(&g), module(router),
                             std::vector(size_t(experts), Ref<nn::Module>(module(expert))), o);
                         layer->call(filled({3, kWidth}, DType::f64, 1));
                       })
        .back();
  };
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto same = [](const Tensor& t) { return t; };
  const auto half = [](const Tensor& t) { return ops::narrow(t, 1, 0, 2); };
  has(told(1, 2, {.top_k = 3}, same, same), "top_k must be 1 to 2");
  has(told(1, 2, {.capacity_factor = -1}, same, same), "capacity_factor must be 0 or more");
  has(told(2, 2, {.top_k = 2}, same, same), "rank 0 has \"top_k: 2\", rank 1 has \"top_k: 1\"");
  has(told(1, 2, {}, same, same), "the router answers [3, 4] for 3 tokens, wanted a logit for each of 2");
  has(told(1, 2, {}, half, half), "it must keep the shape");
}

}  // namespace
