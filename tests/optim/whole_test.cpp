// Optimizers that look at whole parameters: LBFGS beside PyTorch's path, LAMB and Muon beside their formulas in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/optim/optim_testing.h"
#include "tests/optim/trajectories.h"

namespace haft {
namespace {

using namespace haft::testing;

class Whole : public DrawnNumbers {};

// The valley of generate.py.
struct Valley {
  Tensor x = leaf({-1.2, 1.0}, {2}), y = leaf({0.5, 2.0}, {2, 1});
  Ref<Optimizer> o;
  Tensor last;
  int calls = 0;

  explicit Valley(const OptionValues& options)
      : o(make_optimizer(OptimizerId::LBFGS, std::vector{x, y}, options)) {}
  Tensor loss() {
    ++calls;
    o->zero_grad();
    Tensor a = ops::select(x, 0, 0), b = ops::select(x, 0, 1);
    Tensor valley = ops::square(ops::sub(b, ops::square(a)));
    Tensor l = ops::add(ops::square(ops::rsub_scalar(a, Scalar(1.0))), ops::mul_scalar(valley, Scalar(10.0)));
    l = ops::add(l, ops::cosh(ops::sum(ops::square(ops::sub(ops::flatten(y), x)))));
    backward({&l, 1}, {});
    return last = l;
  }
  Tensor value() const { return last; }
  Tensor step() {
    return o->step([this] { return loss(); });
  }
  Numbers point() const {
    Numbers p = values(x), q = values(y);
    p.insert(p.end(), q.begin(), q.end());
    return p;
  }
};
const OptionValues kPlain = {{"lr", 0.05}, {"max_iter", 7}, {"history_size", 3}},
                   kWolfe = {{"max_iter", 8}, {"max_eval", 1000}, {"strong_wolfe", 1}};

TEST_F(Whole, LbfgsGoesPyTorchsWay) {
  for (auto [options, path] : {std::pair{&kPlain, lbfgs_path}, std::pair{&kWolfe, lbfgs_wolfe_path}}) {
    Valley v(*options);
    for (int i = 0; i < 5; ++i) {
      Numbers at = values(v.step());
      for (double p : v.point()) at.push_back(p);
      at.push_back(item(v.o->state_tensor(0, "func_evals")).to_double());
      // A line search multiplies what sums of another order round differently; where it ends the valley is flat.
      for (size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(at[k], path[i][k], 1e-7 * (1 + std::abs(path[i][k]))) << i << " " << k;
    }
    EXPECT_EQ(double(v.calls), path[4][5]);
  }
}

TEST_F(Whole, TheLineSearchKeepsToTheEvaluations) {  // as from PyTorch 2 on; 1.13 searched on
  Valley v({{"max_iter", 20}, {"max_eval", 4}, {"strong_wolfe", 1}});
  v.step();
  EXPECT_LE(v.calls, 5);
  EXPECT_GE(v.calls, 4);
}

TEST_F(Whole, LbfgsGoesOnFromASavedState) {
  Valley a(kWolfe), b(kWolfe), c(kWolfe);
  a.step();
  a.step();
  Numbers at = a.point();
  for (Valley* v : {&b, &c}) {
    copy_from_host(v->x, at.data());
    copy_from_host(v->y, at.data() + 2);
  }
  OptimizerState s = a.o->state();
  EXPECT_TRUE(s.tensors.count("state.0.d") && s.tensors.count("state.0.prev_flat_grad") &&
              s.tensors.count("state.0.old_dirs.0") && s.tensors.count("state.0.old_stps.0"));
  EXPECT_TRUE(s.numbers.count("state.0.H_diag") && s.numbers.count("state.0.ro.0") &&
              s.numbers.count("state.0.n_iter"));
  b.o->load_state(s);
  for (const char* name : {"func_evals", "n_iter", "t", "H_diag", "prev_loss"})
    c.o->set_state_tensor(0, name, a.o->state_tensor(0, name));
  for (const char* name : {"d", "prev_flat_grad"}) c.o->set_state_tensor(0, name, a.o->state_tensor(0, name));
  for (const char* name : {"old_dirs.", "old_stps.", "ro."})
    for (int i = 0; a.o->state_tensor(0, concat(name, i)).defined(); ++i)
      c.o->set_state_tensor(0, concat(name, i), a.o->state_tensor(0, concat(name, i)));
  a.step();
  b.step();
  c.step();
  EXPECT_EQ(a.point(), b.point());
  EXPECT_EQ(a.point(), c.point());
  s.tensors.erase("state.0.d");
  expect_failure([&] { b.o->load_state(s); }, Code::invalid_argument, "lacks 'state.0.d'");
  EXPECT_EQ(a.o->state().numbers, b.o->state().numbers);  // nothing has changed
}

TEST_F(Whole, LbfgsSaysWhatItNeeds) {
  Valley v(kPlain);
  expect_failure([&] { v.o->step(); }, Code::invalid_argument, "needs a closure");
  expect_failure([&] { v.o->add_group(std::vector{leaf({1}, {1})}, v.o->defaults()); },
                 Code::invalid_argument, "one group");
  expect_failure([&] { v.o->step([] { return Tensor(); }); }, Code::callback, "answer the loss");
  expect_failure([&] { v.o->set_state_tensor(0, "d", v.x); }, Code::shape, "4 elements");
  expect_failure([&] { v.o->set_state_tensor(0, "ro.3", ops::ones({})); }, Code::invalid_argument,
                 "does not follow");
  expect_failure([&] { v.o->set_state_tensor(1, "t", ops::ones({})); }, Code::index, "parameter 0's");
  v.o->set_state_tensor(0, "func_evals", ops::ones({}));
  v.o->set_state_tensor(0, "n_iter", ops::ones({}));
  expect_failure([&] { v.step(); }, Code::invalid_argument, "only a part");
  const Numbers before = v.point();
  Valley w(kWolfe);
  expect_failure([&] { w.o->step([]() -> Tensor { fail(Code::callback, "no loss today"); }); },
                 Code::callback, "no loss today");
  EXPECT_FALSE(w.o->state_tensor(0, "d").defined());
  EXPECT_EQ(before, v.point());
}

TEST_F(Whole, AStepAfterAClosure) {
  Tensor p = leaf({1, -2}, {2});
  auto o = make_optimizer(OptimizerId::SGD, std::vector{p}, {{"lr", 0.25}});
  NoGradGuard off;  // the closure records all the same
  Tensor loss = o->step([&] {
    o->zero_grad();
    Tensor l = ops::sum(ops::square(p));
    backward({&l, 1}, {});
    return l;
  });
  EXPECT_EQ(values(loss), (Numbers{5}));
  EXPECT_EQ(values(p), (Numbers{0.5, -1}));
}

// What it computes is held to PyTorch's formula in tests/bindings.
TEST_F(Whole, AdafactorKeepsRowsAndColumns) {
  auto problem = [&] {
    return std::vector<Tensor>{leaf(some(24), {2, 3, 4}), leaf(some(5), {5}), leaf({0.5}, {})};
  };
  std::vector<Tensor> p = problem(), q = problem();
  auto step = [](const Ref<Optimizer>& o, const std::vector<Tensor>& parameters) {
    for (const Tensor& t : parameters)
      set_gradient(t, ops::sin(ops::mul_scalar(ops::detach(t), Scalar(3.0))));
    o->step();
  };
  auto a = make_optimizer(OptimizerId::Adafactor, p), b = make_optimizer(OptimizerId::Adafactor, q);
  step(a, p);
  OptimizerState s = a->state();
  auto sizes = [&](const char* key) {
    return std::vector<int64_t>(s.tensors.at(key).sizes().begin(), s.tensors.at(key).sizes().end());
  };
  EXPECT_EQ(sizes("state.0.row_var"), (std::vector<int64_t>{2, 3, 1}));
  EXPECT_EQ(sizes("state.0.col_var"), (std::vector<int64_t>{2, 1, 4}));
  EXPECT_EQ(sizes("state.1.variance"), (std::vector<int64_t>{5}));
  EXPECT_EQ(s.tensors.size(), 4u);
  for (size_t i = 0; i < p.size(); ++i) {
    NoGradGuard off;
    ops::copy_(q[i], p[i]);
  }
  b->load_state(s);
  step(a, p);
  step(b, q);
  for (size_t i = 0; i < p.size(); ++i) EXPECT_EQ(values(p[i]), values(q[i]));
  expect_failure([&] { b->set_state_tensor(1, "row_var", ops::zeros(Shape{5})); }, Code::shape,
                 "row_var of parameter 1");
  s.tensors.at("state.0.row_var") = ops::zeros(Shape{2, 3, 4});
  expect_failure([&] { b->load_state(s); }, Code::shape, "state.0.row_var");
  expect_failure(
      [&] {
        make_optimizer(OptimizerId::Adafactor, p, {{"beta2_decay", 0.5}});
      },
      Code::invalid_argument, "at most 0");
  // From before there was such an option.
  OptimizerState older = make_optimizer(OptimizerId::Adam, p)->state();
  older.numbers.erase("param_groups.0.decoupled_weight_decay");
  make_optimizer(OptimizerId::Adam, q)->load_state(older);
}

TEST_F(Whole, LambIsItsFormula) {
  for (DType type : {DType::f64, DType::f32}) {
    Numbers x = some(15), zero(3), m(15), v(15);
    Tensor p = leaf(x, {5, 3}, type), z = leaf(zero, {3}, type), none = leaf({}, {0}, type),
           idle = leaf({7}, {1}, type);
    auto o = make_optimizer(OptimizerId::LAMB, std::vector{p, z, none, idle},
                            {{"lr", 0.1}, {"beta1", 0.8}, {"beta2", 0.9}, {"weight_decay", 0.2}});
    if (type == DType::f32) x = values(p);
    for (int t = 1; t <= 6; ++t) {
      const Numbers g = some(15);
      Tensor gradient = ops::detach(leaf(g, {5, 3}, type));
      set_gradient(p, gradient);
      set_gradient(z, ops::zeros(Shape{3}, type));
      set_gradient(none, ops::zeros(Shape{0}, type));
      o->step();
      const Numbers given = values(gradient);
      Numbers change(15);
      double length = 0, of_change = 0;
      for (size_t i = 0; i < 15; ++i) {
        m[i] = 0.8 * m[i] + 0.2 * given[i];
        v[i] = 0.9 * v[i] + 0.1 * given[i] * given[i];
        change[i] =
            m[i] / (1 - std::pow(0.8, t)) / (std::sqrt(v[i] / (1 - std::pow(0.9, t))) + 1e-6) + 0.2 * x[i];
        length += x[i] * x[i];
        of_change += change[i] * change[i];
      }
      for (size_t i = 0; i < 15; ++i) x[i] -= 0.1 * std::sqrt(length / of_change) * change[i];
      const Numbers got = values(p);
      for (size_t i = 0; i < 15; ++i)
        EXPECT_NEAR(got[i], x[i], (type == DType::f64 ? 1e-12 : 1e-5) * (1 + std::abs(x[i])));
    }
    EXPECT_EQ(values(z), zero);  // which has no direction
    EXPECT_EQ(values(idle), (Numbers{7}));
    OptimizerState s = o->state();
    EXPECT_EQ(s.numbers.at("state.0.step"), 6);
    EXPECT_TRUE(s.tensors.count("state.0.exp_avg") && s.tensors.count("state.0.exp_avg_sq") &&
                !s.tensors.count("state.3.exp_avg"));
  }
}

// Row-major matrices in double.
Numbers product(const Numbers& a, const Numbers& b, size_t n, size_t k, size_t m) {
  Numbers c(n * m);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j)
      for (size_t l = 0; l < k; ++l) c[i * m + j] += a[i * k + l] * b[l * m + j];
  return c;
}
Numbers turned(const Numbers& a, size_t n, size_t m) {
  Numbers t(n * m);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) t[j * n + i] = a[i * m + j];
  return t;
}

TEST_F(Whole, MuonIsItsFormula) {
  struct Case {
    size_t rows, columns;
    OptionValues options;
    double scale;
    bool nesterov;
  };
  for (const Case& c : {Case{3, 5, {}, 1, true}, Case{6, 2, {}, std::sqrt(3.0), true},
                        Case{4, 4, {{"nesterov", 0}}, 1, false},
                        Case{6, 2, {{"match_rms_adamw", 1}}, 0.2 * std::sqrt(6.0), true},
                        Case{2, 8, {{"spectral_unclamped", 1}}, 0.5, true}}) {
    const size_t n = c.rows * c.columns, rows = std::min(c.rows, c.columns),
                 columns = std::max(c.rows, c.columns);
    Numbers w = some(int64_t(n)), m(n);
    OptionValues options = c.options;
    options.insert(options.end(), {{"lr", 0.05}, {"momentum", 0.9}, {"weight_decay", 0.3}});
    Tensor p = leaf(w, {int64_t(c.rows), int64_t(c.columns)}),
           single = leaf(w, {int64_t(c.rows), int64_t(c.columns)}, DType::f32);
    auto o = make_optimizer(OptimizerId::Muon, std::vector{p, single}, options);
    for (int t = 0; t < 4; ++t) {
      const Numbers g = some(int64_t(n));
      set_gradient(p, ops::detach(leaf(g, {int64_t(c.rows), int64_t(c.columns)})));
      set_gradient(single, ops::cast(gradient_of(p), DType::f32));
      o->step();
      Numbers x(n);
      double norm = 0;
      for (size_t i = 0; i < n; ++i) {
        m[i] += 0.1 * (g[i] - m[i]);
        x[i] = c.nesterov ? 0.1 * g[i] + 0.9 * m[i] : m[i];
        norm += x[i] * x[i];
      }
      for (double& v : x) v /= std::sqrt(norm);
      if (c.rows > c.columns) x = turned(x, c.rows, c.columns);
      for (int k = 0; k < 5; ++k) {
        const Numbers gram = product(x, turned(x, rows, columns), rows, columns, rows),
                      square = product(gram, gram, rows, rows, rows);
        Numbers mixed(gram.size());
        for (size_t i = 0; i < gram.size(); ++i) mixed[i] = -4.775 * gram[i] + 2.0315 * square[i];
        const Numbers more = product(mixed, x, rows, rows, columns);
        for (size_t i = 0; i < n; ++i) x[i] = 3.4445 * x[i] + more[i];
      }
      if (c.rows > c.columns) x = turned(x, rows, columns);
      for (size_t i = 0; i < n; ++i) w[i] = w[i] * (1 - 0.05 * 0.3) - 0.05 * c.scale * x[i];
      const Numbers got = values(p), f32 = values(single);
      for (size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(got[i], w[i], 1e-10 * (1 + std::abs(w[i])));
        // The iteration multiplies a rounding some hundred times.
        EXPECT_NEAR(f32[i], w[i], 2e-3 * (1 + std::abs(w[i])));
      }
    }
    EXPECT_TRUE(o->state().tensors.count("state.0.momentum_buffer"));
    EXPECT_FALSE(o->state().tensors.count("state.0.exp_avg"));
  }
  expect_failure(
      [&] {
        make_optimizer(OptimizerId::Muon, std::vector{leaf({1, 2}, {2})});
      },
      Code::shape, "wanted a matrix");
  expect_failure(
      [&] {
        make_optimizer(OptimizerId::Muon, std::vector{leaf({1, 2}, {1, 2})},
                       {{"match_rms_adamw", 1}, {"spectral_unclamped", 1}});
      },
      Code::invalid_argument, "do not go together");
}

// Up the negated valley is down the valley.
TEST_F(Whole, LbfgsClimbs) {
  for (double wolfe : {0.0, 1.0}) {
    Valley down({{"strong_wolfe", wolfe}, {"lr", 0.1}}),
        up({{"strong_wolfe", wolfe}, {"lr", 0.1}, {"maximize", 1}});
    for (int step = 0; step < 3; ++step) {
      down.step();
      Tensor first = up.o->step([&] {
        up.loss();
        for (const Tensor& p : {up.x, up.y}) set_gradient(p, ops::neg(gradient_of(p)));
        return ops::full({}, Scalar(-values(up.value())[0]), DType::f64);
      });
      EXPECT_EQ(down.point(), up.point());
    }
    EXPECT_EQ(down.calls, up.calls);
  }
}

}  // namespace
}  // namespace haft
