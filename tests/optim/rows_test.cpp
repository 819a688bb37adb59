// Gradients of rows: what lookups give a table, how they add up, who takes them and who refuses.
#include <cmath>
#include <random>

#include "core/autograd/rows.h"
#include "core/nn/factories.h"
#include "core/optim/clip.h"
#include "core/optim/grad_scaler.h"
#include "tests/optim/optim_testing.h"

namespace haft {
namespace {

using namespace haft::testing;

class Rows : public DrawnNumbers {
 protected:
  Tensor index(const std::vector<double>& v, DType t = DType::i64) {
    return tensor_of(v, {int64_t(v.size())}, t);
  }
  // The loss sum(weights * table[at]) of a lookup.
  void look_up(const Tensor& table, const Tensor& at, const Tensor& weights, bool sparse,
               int64_t padding = -1) {
    Tensor l = ops::sum(ops::mul(ops::embedding(table, at, padding, sparse), weights));
    backward({&l, 1}, {});
  }
};

Numbers dense(const Tensor& t) { return values(to_dense(t)); }

TEST_F(Rows, AreTheDenseGradient) {
  for (DType type : {DType::i64, DType::i32})
    for (int64_t padding : {-1, 3}) {
      const Numbers start = some(6 * 5);
      Tensor a = leaf(start, {6, 5}), b = leaf(start, {6, 5}), at = index({3, 0, 3, 5, 0, 3, 1}, type),
             w = tensor_of(some(7 * 5), {7, 5});
      look_up(a, at, w, true, padding);
      look_up(b, at, w, false, padding);
      const Tensor g = gradient_of(a);
      ASSERT_TRUE(is_rows(g));
      EXPECT_FALSE(is_rows(gradient_of(b)));
      EXPECT_EQ(rows_of(g).count(), padding < 0 ? 7 : 4);
      EXPECT_EQ(dense(g), values(gradient_of(b)));
      const RowGradient once = coalesce(g);
      EXPECT_EQ(values(once.indices), (padding < 0 ? Numbers{0, 1, 3, 5} : Numbers{0, 1, 5}));
      EXPECT_EQ(values(once.values), values(ops::index_select(gradient_of(b), 0, once.indices)));
      EXPECT_FALSE(rows_of(g).coalesced);  // that was a copy
    }
  Tensor a = leaf(some(6), {3, 2});  // nothing looked up
  look_up(a, index({}), tensor_of({}, {0, 2}), true);
  EXPECT_EQ(rows_of(gradient_of(a)).count(), 0);
  EXPECT_EQ(dense(gradient_of(a)), Numbers(6));
}

TEST_F(Rows, DoNotShareTheCallersIndices) {
  Tensor a = leaf(some(6), {3, 2}), at = index({1, 2}), w = tensor_of(some(4), {2, 2});
  look_up(a, at, w, true);
  const Numbers before = dense(gradient_of(a));
  ops::fill_(at, Scalar(0));
  ops::fill_(w, Scalar(0.0));
  EXPECT_EQ(dense(gradient_of(a)), before);
}

TEST_F(Rows, AddUp) {
  const Numbers start = some(8 * 3);
  Tensor a = leaf(start, {8, 3}), b = leaf(start, {8, 3});
  Tensor held;
  for (int step = 0; step < 5; ++step) {
    const Tensor at = index({double(step), 2, 7}), w = tensor_of(some(9), {3, 3}), other = index({1, 2}),
                 v = tensor_of(some(6), {2, 3});
    for (const auto& [t, sparse] : {std::pair{a, true}, {b, false}}) {  // two lookups of one table in a graph
      Tensor l = ops::add(ops::sum(ops::mul(ops::embedding(t, at, -1, sparse), w)),
                          ops::sum(ops::mul(ops::embedding(t, other, -1, sparse), v)));
      backward({&l, 1}, {});
    }
    const Tensor g = gradient_of(a);
    ASSERT_TRUE(is_rows(g));
    if (held.defined()) {
      EXPECT_EQ(g.impl(), held.impl());
    }  // who holds the gradient sees the sum
    held = g;
    EXPECT_LE(rows_of(g).count(), 2 * 8);
    const Numbers x = dense(g), y = values(gradient_of(b));
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  }
  // A dense part makes it dense, before, after and in the same graph.
  for (int order = 0; order < 3; ++order) {
    Tensor p = leaf(start, {8, 3}), q = leaf(start, {8, 3});
    const Tensor at = index({5, 5}), w = tensor_of(some(6), {2, 3});
    for (const auto& [t, sparse] : {std::pair{p, true}, {q, false}}) {
      auto rows = [&] { return ops::sum(ops::mul(ops::embedding(t, at, -1, sparse), w)); };
      auto whole = [&] { return ops::sum(ops::square(t)); };
      Tensor l = order == 0 ? rows() : order == 1 ? whole() : ops::add(rows(), whole());
      backward({&l, 1}, {});
      if (order == 2) continue;
      l = order == 0 ? whole() : rows();
      backward({&l, 1}, {});
    }
    EXPECT_FALSE(is_rows(gradient_of(p)));
    const Numbers x = values(gradient_of(p)), y = values(gradient_of(q));
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  }
}

TEST_F(Rows, AreForLeavesAndWithoutAGraph) {
  Tensor a = leaf(some(6), {3, 2});
  const Tensor at = index({1, 2});
  Tensor l = ops::sum(ops::embedding(ops::mul_scalar(a, Scalar(2.0)), at, -1, true));
  backward({&l, 1}, {});
  EXPECT_EQ(values(gradient_of(a)), (Numbers{0, 0, 2, 2, 2, 2}));
  l = ops::sum(ops::square(ops::embedding(a, at, -1, true)));
  const Tensor g = grad({&l, 1}, {&a, 1}, {}, {.create_graph = true})[0];
  EXPECT_FALSE(is_rows(g));
  EXPECT_TRUE(g.requires_grad());
  l = ops::sum(ops::embedding(a, at, -1, true));
  EXPECT_TRUE(is_rows(grad({&l, 1}, {&a, 1}, {})[0]));
}

TEST_F(Rows, AreRefusedByOperators) {
  Tensor a = leaf(some(6), {3, 2});
  look_up(a, index({1, 2}), tensor_of(some(4), {2, 2}), true);
  const Tensor g = gradient_of(a);
  const char* said = "gradient of rows of shape [3, 2]";
  expect_failure([&] { ops::mul_scalar(g, Scalar(2.0)); }, Code::unsupported, said);
  expect_failure([&] { ops::add(ops::detach(a), g); }, Code::unsupported, said);
  expect_failure([&] { ops::sum(g); }, Code::unsupported, said);
  expect_failure([&] { ops::clone(g); }, Code::unsupported, said);
  expect_failure([&] { ops::fill_(g, Scalar(1.0)); }, Code::unsupported, said);
  expect_failure([&] { ops::reshape(g, Shape{6}); }, Code::unsupported, said);
  expect_failure([&] { ops::matmul(g, ops::ones(Shape{2, 2}, DType::f64)); }, Code::unsupported, said);
  expect_failure([&] { ops::cat(std::vector{g, g}); }, Code::unsupported, said);
  double here[6];
  expect_failure([&] { copy_to_host(g, here); }, Code::unsupported, said);
  EXPECT_EQ(values(ops::zeros_like(g)), Numbers(6));  // asks for sizes only
  expect_failure(
      [&] {
        rows_from(index({0, 3}), tensor_of(some(4), {2, 2}), 3);
      },
      Code::index, "index 1 is 3");
  expect_failure(
      [&] {
        rows_from(index({0, -1}), tensor_of(some(4), {2, 2}), 3);
      },
      Code::index, "index 1 is -1");
  expect_failure([&] { rows_from(index({0}), tensor_of(some(4), {2, 2}), 3); }, Code::shape, "[2, 2]");
  expect_failure(
      [&] {
        rows_from(tensor_of({0, 1}, {2}), tensor_of(some(4), {2, 2}), 3);
      },
      Code::dtype, "float64");
  expect_failure(
      [&] {
        ops::embedding_bag(a, tensor_of({0, 1}, {1, 2}, DType::i64), {}, {}, 2, false, -1, true);
      },
      Code::unsupported, "maxima");
}

TEST_F(Rows, OfBags) {
  for (int64_t mode : {0, 1}) {
    const Numbers start = some(10);
    Tensor a = leaf(start, {5, 2}), b = leaf(start, {5, 2}), at = index({4, 1, 4, 0, 2}),
           begin = index({0, 2, 2}), w = tensor_of(some(6), {3, 2});
    for (const auto& [t, sparse] : {std::pair{a, true}, {b, false}}) {
      Tensor l = ops::sum(ops::mul(ops::embedding_bag(t, at, begin, {}, mode, false, 0, sparse), w));
      backward({&l, 1}, {});
    }
    ASSERT_TRUE(is_rows(gradient_of(a)));
    EXPECT_EQ(dense(gradient_of(a)), values(gradient_of(b)));
  }
  auto layer = nn::embedding(5, 2, kNone, true);
  Tensor l = ops::sum(layer->call(index({1, 1})));
  backward({&l, 1}, {});
  EXPECT_TRUE(is_rows(gradient_of(layer->parameters()[0])));
  EXPECT_EQ(layer->text(), "Embedding(5, 2, sparse=True)");
}

// Steps by rows beside dense steps of the same rule, where these leave other rows alone.
TEST_F(Rows, AreSteppedAsDenseOnes) {
  struct Case {
    OptimizerId id;
    OptionValues options;
  };
  const Case cases[] = {
      {OptimizerId::SGD, {{"lr", 0.1}}},
      {OptimizerId::SGD, {{"lr", 0.1}, {"maximize", 1}}},
      {OptimizerId::SGD, {{"lr", 0.1}, {"momentum", 0.9}}},
      {OptimizerId::SGD, {{"lr", 0.1}, {"momentum", 0.6}, {"dampening", 0.2}, {"maximize", 1}}},
      {OptimizerId::SGD, {{"lr", 0.1}, {"momentum", 0.6}, {"nesterov", 1}}},
      {OptimizerId::Adagrad, {{"lr", 0.1}}},
      {OptimizerId::Adagrad,
       {{"lr", 0.1}, {"lr_decay", 0.1}, {"initial_accumulator_value", 0.5}, {"maximize", 1}}}};
  for (const Case& c : cases) {
    const Numbers start = some(7 * 3);
    Tensor a = leaf(start, {7, 3}), b = leaf(start, {7, 3});
    Ref<Optimizer> o = make_optimizer(c.id, {&a, 1}, c.options), p = make_optimizer(c.id, {&b, 1}, c.options);
    for (int step = 0; step < 4; ++step) {
      const Tensor at = index({double(step), 6, 2, 6}), w = tensor_of(some(12), {4, 3});
      look_up(a, at, w, true);
      look_up(b, at, w, false);
      o->step();
      p->step();
      o->zero_grad();
      p->zero_grad();
    }
    const Numbers x = values(a), y = values(b);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12) << o->type();
  }
}

// PyTorch's SparseAdam in float64, row by row.
TEST_F(Rows, SparseAdam) {
  for (bool maximize : {false, true}) {
    const Numbers start = some(6 * 2);
    Tensor a = leaf(start, {6, 2});
    const double lr = 0.05, b1 = 0.8, b2 = 0.95, eps = 1e-6;
    Ref<Optimizer> o =
        make_optimizer(OptimizerId::SparseAdam, {&a, 1},
                       {{"lr", lr}, {"beta1", b1}, {"beta2", b2}, {"eps", eps}, {"maximize", maximize}});
    Numbers p = start, m(12), v(12);
    for (int step = 1; step <= 5; ++step) {
      const std::vector<double> rows = {double(step % 3), 5, double(step % 3)};
      const Numbers w = some(6);
      look_up(a, index(rows), tensor_of(w, {3, 2}), true);
      o->step();
      o->zero_grad();
      Numbers g(12);
      for (int i = 0; i < 6; ++i)
        g[size_t(2 * rows[size_t(i / 2)] + i % 2)] += maximize ? -w[size_t(i)] : w[size_t(i)];
      for (size_t i = 0; i < 12; ++i) {
        if (i / 2 != size_t(rows[0]) && i / 2 != 5) continue;
        m[i] += (1 - b1) * (g[i] - m[i]);
        v[i] += (1 - b2) * (g[i] * g[i] - v[i]);
        p[i] -= lr * std::sqrt(1 - std::pow(b2, step)) / (1 - std::pow(b1, step)) * m[i] /
                (std::sqrt(v[i]) + eps);
      }
    }
    const Numbers x = values(a), y = values(o->state_tensor(0, "exp_avg")),
                  z = values(o->state_tensor(0, "exp_avg_sq"));
    for (size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(x[i], p[i], 1e-12);
      EXPECT_NEAR(y[i], m[i], 1e-12);
      EXPECT_NEAR(z[i], v[i], 1e-12);
    }
    // Its state, into another one that goes on alike.
    Tensor b = leaf(values(a), {6, 2});
    Ref<Optimizer> q = make_optimizer(OptimizerId::SparseAdam, {&b, 1});
    q->load_state(o->state());
    const Tensor w = tensor_of(some(4), {2, 2});
    for (const auto& [t, one] : {std::pair{a, o}, {b, q}}) {
      look_up(t, index({4, 0}), w, true);
      one->step();
    }
    EXPECT_EQ(values(a), values(b));
  }
}

TEST_F(Rows, AreRefusedByOtherOptimizersBeforeAnythingChanges) {
  const OptimizerId all[] = {OptimizerId::Adam,      OptimizerId::AdamW,  OptimizerId::RMSprop,
                             OptimizerId::Adadelta,  OptimizerId::Adamax, OptimizerId::LAMB,
                             OptimizerId::Adafactor, OptimizerId::Muon,   OptimizerId::ASGD,
                             OptimizerId::Rprop,     OptimizerId::NAdam,  OptimizerId::RAdam};
  auto refused = [&](OptimizerId id, const OptionValues& options, const char* why) {
    Tensor other = leaf(some(4), {2, 2}), table = leaf(some(6), {3, 2});
    Ref<Optimizer> o = make_optimizer(id, std::vector{other, table}, options);
    Tensor l = ops::sum(ops::square(other));
    backward({&l, 1}, {});
    look_up(table, index({1}), tensor_of(some(2), {1, 2}), true);
    const Numbers before = values(other);
    expect_failure([&] { o->step(); }, Code::unsupported, why);
    EXPECT_EQ(values(other), before) << o->type();
    EXPECT_FALSE(o->state_tensor(0, o->kind().slots.empty() ? "step" : o->kind().slots[0].name).defined());
  };
  for (OptimizerId id : all) refused(id, {}, "gradient of rows");
  refused(OptimizerId::SGD, {{"momentum", 0.9}, {"weight_decay", 0.1}}, "weight_decay");
  refused(OptimizerId::SGD, {{"weight_decay", 0.1}}, "weight_decay");
  refused(OptimizerId::Adagrad, {{"weight_decay", 0.1}}, "weight_decay");
  refused(OptimizerId::SparseAdam, {}, "does not support dense gradients");
  Tensor table = leaf(some(6), {3, 2});
  Ref<Optimizer> o = make_optimizer(OptimizerId::LBFGS, {&table, 1});
  expect_failure(
      [&] {
        o->step([&] {
          o->zero_grad();
          Tensor l = ops::sum(ops::embedding(table, index({1}), -1, true));
          backward({&l, 1}, {});
          return l;
        });
      },
      Code::unsupported, "gradient of rows");
}

TEST_F(Rows, AreClippedUnscaledAndCleared) {
  const Numbers start = some(8);
  const Tensor at = index({3, 1, 3}), w = tensor_of(some(6), {3, 2});
  auto pair = [&] {
    std::pair both{leaf(start, {4, 2}), leaf(start, {4, 2})};
    look_up(both.first, at, w, true);
    look_up(both.second, at, w, false);
    return both;
  };
  auto expect_alike = [](const std::pair<Tensor, Tensor>& p) {
    const Numbers x = dense(gradient_of(p.first)), y = values(gradient_of(p.second));
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
    EXPECT_TRUE(is_rows(gradient_of(p.first)));
  };
  auto p = pair();
  EXPECT_NEAR(values(clip_grad_norm({&p.first, 1}, 0.1))[0], values(clip_grad_norm({&p.second, 1}, 0.1))[0],
              1e-12);
  expect_alike(p);
  p = pair();
  clip_grad_value({&p.first, 1}, 0.05);
  clip_grad_value({&p.second, 1}, 0.05);
  expect_alike(p);
  p = pair();
  GradScaler scaler({.scale = 8}, true), other({.scale = 8}, true);
  Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, {&p.first, 1}),
                 q = make_optimizer(OptimizerId::SGD, {&p.second, 1});
  scaler.unscale(*o);
  other.unscale(*q);
  expect_alike(p);
  EXPECT_TRUE(scaler.step(*o));
  o->zero_grad(false);
  q->zero_grad(false);
  EXPECT_EQ(rows_of(gradient_of(p.first)).count(), 0);
  expect_alike(p);
  p = pair();
  set_rows(gradient_of(p.first),
           {rows_of(gradient_of(p.first)).indices,
            ops::mul_scalar(rows_of(gradient_of(p.first)).values, Scalar(INFINITY)), false});
  GradScaler third({.scale = 8}, true);
  o = make_optimizer(OptimizerId::SGD, {&p.first, 1});
  EXPECT_FALSE(third.step(*o));
  EXPECT_EQ(values(p.first), start);
}

// The table is large enough that a tensor of its size for each step would be felt: the memory in use says whether
// there was one.
TEST_F(Rows, CostWhatTheyAre) {
  const int64_t rows = 1 << 17;
  Tensor table = ops::zeros(Shape{rows, 16}, DType::f32);
  set_requires_grad(table, true);
  Ref<Optimizer> o = make_optimizer(OptimizerId::Adagrad, {&table, 1});
  const Tensor at = index({1, 70000, 1}), w = ops::ones(Shape{3, 16}, DType::f32);
  look_up(table, at, w, true);
  EXPECT_EQ(rows_of(gradient_of(table)).values.bytes(), 3 * 16 * 4);
  EXPECT_EQ(gradient_of(table).impl()->storage->bytes, 0);
  o->step();
  EXPECT_EQ(coalesce(gradient_of(table)).values.bytes(), 2 * 16 * 4);
}

}  // namespace
}  // namespace haft
