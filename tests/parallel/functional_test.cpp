// Differentiable collectives: values, first and second derivatives against one process that has all ranks' tensors.
#include "core/parallel/functional.h"

#include "numbers.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;
using dist::Group;

using List = std::vector<Tensor>;
struct Case {
  const char* name;
  std::function<std::vector<int64_t>(int rank)> shape;
  std::function<Tensor(GroupRef, const Tensor&)> call;
  std::function<List(const List&)> all;  // what each rank gets of all ranks' tensors
};

constexpr int kRanks = 3;

List same(const Tensor& y) { return List(kRanks, y); }
Tensor total(const List& xs) { return xs[0] + xs[1] + xs[2]; }
Tensor no(const Tensor& x) { return x * 0.0; }
List in_parts(const Tensor& x, int64_t dim, IntList sizes) {
  List r;
  int64_t at = 0;
  for (int64_t n : sizes) r.push_back(ops::narrow(x, dim, std::exchange(at, at + n), n));
  return r;
}

auto fixed(std::vector<int64_t> sizes) {
  return [sizes](int) { return sizes; };
}

std::vector<Case> cases() {
  const Rows uneven = {2, 0, 3};
  const auto by_rank = [uneven](int r) { return std::vector<int64_t>{uneven[size_t(r)], 2}; };
  return {
      {"all_reduce", fixed({2, 3}), [](GroupRef g, const Tensor& x) { return all_reduce(g, x); },
       [](const List& xs) { return same(total(xs)); }},
      {"all_reduce avg", fixed({4}),
       [](GroupRef g, const Tensor& x) { return all_reduce(g, x, ReduceOp::avg); },
       [](const List& xs) { return same(total(xs) / 3.0); }},
      {"broadcast", fixed({2}), [](GroupRef g, const Tensor& x) { return broadcast(g, x, 1); },
       [](const List& xs) { return same(xs[1]); }},
      {"reduce", fixed({2}), [](GroupRef g, const Tensor& x) { return reduce(g, x, 2); },
       [](const List& xs) {
         return List{no(xs[0]), no(xs[1]), total(xs)};
       }},
      {"reduce avg", fixed({2}), [](GroupRef g, const Tensor& x) { return reduce(g, x, 0, ReduceOp::avg); },
       [](const List& xs) {
         return List{total(xs) / 3.0, no(xs[1]), no(xs[2])};
       }},
      {"all_gather", fixed({2, 3}), [](GroupRef g, const Tensor& x) { return all_gather(g, x); },
       [](const List& xs) { return same(ops::cat(xs, 0)); }},
      {"all_gather of columns", fixed({2, 3}),
       [](GroupRef g, const Tensor& x) { return all_gather(g, x, -1); },
       [](const List& xs) { return same(ops::cat(xs, 1)); }},
      {"all_gather uneven", by_rank,
       [uneven](GroupRef g, const Tensor& x) { return all_gather(g, x, 0, uneven); },
       [](const List& xs) { return same(ops::cat(xs, 0)); }},
      {"reduce_scatter", fixed({6, 2}), [](GroupRef g, const Tensor& x) { return reduce_scatter(g, x); },
       [](const List& xs) {
         return in_parts(total(xs), 0, Shape{2, 2, 2});
       }},
      {"reduce_scatter of columns", fixed({2, 3}),
       [](GroupRef g, const Tensor& x) { return reduce_scatter(g, x, 1, ReduceOp::avg); },
       [](const List& xs) {
         return in_parts(total(xs) / 3.0, 1, Shape{1, 1, 1});
       }},
      {"reduce_scatter uneven", fixed({5, 2}),
       [uneven](GroupRef g, const Tensor& x) { return reduce_scatter(g, x, 0, ReduceOp::avg, uneven); },
       [uneven](const List& xs) { return in_parts(total(xs) / 3.0, 0, uneven); }},
      {"all_to_all_single", fixed({3, 2}),
       [](GroupRef g, const Tensor& x) { return all_to_all_single(g, x); },
       [](const List& xs) {
         List r;
         for (int64_t i = 0; i < kRanks; ++i) {
           const Tensor rows[] = {ops::narrow(xs[0], 0, i, 1), ops::narrow(xs[1], 0, i, 1),
                                  ops::narrow(xs[2], 0, i, 1)};
           r.push_back(ops::cat(rows, 0));
         }
         return r;
       }},
      // Rank r sends r rows to rank 0, one to rank 1 and none to rank 2.
      {"all_to_all_single uneven",
       [](int r) {
         return std::vector<int64_t>{r + 1, 2};
       },
       [](GroupRef g, const Tensor& x) {
         const Rows out[] = {{0, 1, 2}, {1, 1, 1}, {0, 0, 0}};
         return all_to_all_single(g, x, out[g->rank()], {g->rank(), 1, 0});
       },
       [](const List& xs) {
         const Tensor to0[] = {ops::narrow(xs[1], 0, 0, 1), ops::narrow(xs[2], 0, 0, 2)};
         const Tensor to1[] = {ops::narrow(xs[0], 0, 0, 1), ops::narrow(xs[1], 0, 1, 1),
                               ops::narrow(xs[2], 0, 2, 1)};
         return List{ops::cat(to0, 0), ops::cat(to1, 0), ops::narrow(xs[2], 0, 0, 0)};
       }},
  };
}

Tensor weigh(const Tensor& y, int rank) {
  return ops::sum(y * y * y * random({y.sizes().begin(), y.sizes().end()}, 50 + uint64_t(rank)));
}
Tensor weigh_gradient(const Tensor& y, int rank) {
  return ops::sum(y * random({y.sizes().begin(), y.sizes().end()}, 90 + uint64_t(rank)));
}

TEST(Functional, ValuesAndDerivativesAreThoseOfOneProcess) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    init();
    List xs, first;
    for (int r = 0; r < kRanks; ++r) xs.push_back(leaf(random(c.shape(r), 10 + uint64_t(r))));
    const List ys = c.all(xs);
    Tensor loss = ops::zeros(Shape{}, DType::f64), second_loss = loss;
    // Of what nobody uses the gradient is 0.
    for (int r = 0; r < kRanks; ++r)
      loss = loss + weigh(ys[size_t(r)], r) + ops::sum(no(xs[size_t(r)] * xs[size_t(r)]));
    first = grad({&loss, 1}, xs, {}, {.create_graph = true});
    for (int r = 0; r < kRanks; ++r) second_loss = second_loss + weigh_gradient(first[size_t(r)], r);
    const List second = grad({&second_loss, 1}, xs, {}, {});

    expect_none(run_threads(kRanks, [&](Group& g) {
      const size_t r = size_t(g.rank());
      const Tensor x = leaf(xs[r]);
      const Tensor y = c.call(GroupRef::share(&g), x);
      EXPECT_CLOSE(y, ys[r], 1e-12);
      const Tensor mine = weigh(y, g.rank());
      const Tensor gradient = grad({&mine, 1}, {&x, 1}, {}, {.create_graph = true})[0];
      EXPECT_CLOSE(gradient, first[r], 1e-12);
      const Tensor again = weigh_gradient(gradient, g.rank());
      EXPECT_CLOSE(grad_of(again, x), second[r], 1e-12);
      {
        NoGradGuard off;
        const Tensor plain = c.call(GroupRef::share(&g), x);
        EXPECT_FALSE(plain.requires_grad());
        EXPECT_CLOSE(plain, ys[r], 1e-12);
      }
      EXPECT_CLOSE(x, xs[r], 0.0);
    }));
  }
}

// f and g of a model spread over ranks: whatever is done with a replicated loss, gradients are the dense model's on
// each rank.
TEST(Functional, SpreadModelsHaveTheDenseGradientsOfAnyOrder) {
  init();
  const Tensor x0 = random({2, 5}, 1), w0 = random({7, 5}, 2);
  const auto model = [](const Tensor& x, const Tensor& w) { return ops::tanh(ops::linear(x, w)); };
  const auto run = [&](const std::function<Tensor(const Tensor& x, const Tensor& w)>& f, const Tensor& x,
                       const Tensor& w) {
    const Tensor y = f(x, w), loss = ops::sum(y * y * y);
    const Tensor both[] = {x, w};
    const List first = grad({&loss, 1}, both, {}, {.create_graph = true});
    const Tensor next = ops::sum(first[0] * first[0]) + ops::sum(first[1] * first[1] * 0.5);
    const List second = grad({&next, 1}, both, {}, {});
    return List{y, first[0], first[1], second[0], second[1]};
  };
  // Columns: each rank computes some outputs; all get all.
  const List dense = run(model, leaf(x0), leaf(w0));
  expect_none(run_threads(3, [&](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    const Tensor w = leaf(w0);
    const List got = run(
        [&](const Tensor& x, const Tensor& all) {
          return gather_from(group, model(copy_to(group, x), split_to(group, all, 0)), -1, parts_of(7, 3));
        },
        leaf(x0), w);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_CLOSE(got[i], dense[i], 1e-12);
  }));
  // Rows: each rank has some inputs; the outputs are added up.
  const auto plain = [](const Tensor& x, const Tensor& w) { return ops::linear(x, w); };
  const List whole = run(plain, leaf(x0), leaf(w0));
  expect_none(run_threads(2, [&](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    const List got = run(
        [&](const Tensor& x, const Tensor& w) {
          return reduce_from(group, plain(split_to(group, x), split_to(group, w, 1)));
        },
        leaf(x0), leaf(w0));
    for (size_t i = 0; i < got.size(); ++i) EXPECT_CLOSE(got[i], whole[i], 1e-12);
  }));
}

TEST(Functional, OtherJoinsHaveValuesAndSayThatTheyHaveNoGradient) {
  expect_none(run_threads(2, [](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    const Tensor x = filled({2}, DType::f32, g.rank() + 1), h = filled({4}, DType::bf16, g.rank() + 1);
    EXPECT_EQ(at(all_reduce(group, x, ReduceOp::max), 1), 2);
    EXPECT_EQ(at(reduce_scatter(group, h, 0, ReduceOp::avg, {3, 1}), 0), 1.5);
    EXPECT_EQ(at(all_gather(group, filled({1}, DType::i64, g.rank())), 1), 1);
    const auto fails = [&](Code code, const char* says, const std::function<void()>& f) {
      try {
        f();
        ADD_FAILURE() << says;
      } catch (const Error& e) {
        EXPECT_EQ(e.code, code);
        EXPECT_NE(e.message.find(says), std::string::npos) << e.message;
      }
    };
    fails(Code::autograd, "not for max", [&] { all_reduce(group, leaf(x), ReduceOp::max); });
    fails(Code::invalid_argument, "root must be 0 to 1, got 2", [&] { broadcast(group, x, 2); });
    fails(Code::invalid_argument, "sum or avg, got min", [&] { reduce_scatter(group, x, 0, ReduceOp::min); });
    double sums[] = {1.0 + g.rank(), 10};
    sum_values(g, sums, 2);
    EXPECT_EQ(sums[0], 3);
    EXPECT_EQ(sums[1], 20);
    sum_values(g, nullptr, 0);
  }));
}

// A tensor that does not fit on one rank: the others do not wait for it until their time is over.
TEST(Functional, WhatDoesNotFitOnOneRankIsToldToAll) {
  const auto told = [](const char* says, const std::function<void(const GroupRef&, bool)>& call) {
    const Failures f = run_threads(
        2, [&](Group& g) { call(GroupRef::share(&g), g.rank() == 1); }, patient(60));
    EXPECT_NE(f[1].find(says), std::string::npos) << f[1];
    EXPECT_NE(f[0].find("rank 1 aborted the group: "), std::string::npos) << f[0];
    EXPECT_NE(f[0].find(says), std::string::npos) << f[0];
  };
  const Tensor x = filled({2}, DType::f32, 1), three = filled({3}, DType::f32, 1),
               scalar = filled({}, DType::f32, 1);
  told("[reduce_scatter] a size of 3 has no 2 equal parts",
       [&](const GroupRef& g, bool bad) { reduce_scatter(g, bad ? three : x); });
  told("[reduce_scatter] the parts [2, 1] do not add up to a size of 2", [&](const GroupRef& g, bool bad) {
    reduce_scatter(g, x, 0, ReduceOp::sum, bad ? Rows{2, 1} : Rows{1, 1});
  });
  told("[all_gather] takes a size for each of 2 ranks, got 1", [&](const GroupRef& g, bool bad) {
    all_gather(g, x, 0, bad ? Rows{2} : Rows{2, 2});
  });
  told("its row says 1", [&](const GroupRef& g, bool bad) {
    gather_from(g, x, 0, bad ? Rows{1, 1} : Rows{2, 2});
  });
  told("[all_to_all_single] a size of 3 has no 2 equal parts",
       [&](const GroupRef& g, bool bad) { all_to_all_single(g, bad ? three : x); });
  told("at least 1 dimension", [&](const GroupRef& g, bool bad) { all_gather(g, bad ? scalar : x); });
}

TEST(Functional, PartsAreThoseOfTorchChunk) {
  EXPECT_EQ(parts_of(7, 3), (Rows{3, 3, 1}));
  EXPECT_EQ(parts_of(2, 3), (Rows{1, 1, 0}));
  EXPECT_EQ(parts_of(4, 3), (Rows{2, 2, 0}));
  EXPECT_EQ(parts_of(5, 4), (Rows{2, 2, 1, 0}));
  EXPECT_EQ(parts_of(0, 2), (Rows{0, 0}));
  EXPECT_EQ(part_of(7, 3, 2).begin, 6);
  EXPECT_EQ(part_of(5, 4, 3).begin, 5);
}

}  // namespace
