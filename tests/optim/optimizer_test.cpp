// Optimizers, schedules and clipping against PyTorch's numbers, and what PyTorch's numbers do not show.
#include <gtest/gtest.h>

#include <cmath>

#include "core/optim/clip.h"
#include "core/optim/scheduler.h"
#include "tests/optim/optim_testing.h"
#include "tests/optim/trajectories.h"

namespace haft {
namespace {

using namespace haft::testing;

// The problem of generate.py.
struct Problem {
  Tensor a = leaf({0.5, -1.25, 2.0, 0.75}, {4});
  Tensor b = leaf({1.5, -0.5, 0.25, -2.0}, {2, 2});

  void backward(int i) {
    Tensor weights = tensor_of({1.0, 2.0, 0.5, 3.0}, {4});
    Tensor shifted = ops::sub_scalar(a, Scalar(0.1 * (i + 1)));
    Tensor l = ops::add(ops::sum(ops::mul(ops::square(shifted), weights)),
                        ops::sin(ops::mul(ops::select(a, 0, 0), ops::select(a, 0, 1))));
    if (i != 0 && i != 4) {
      Tensor cubes = ops::mul_scalar(ops::pow_scalar(b, Scalar(3)), Scalar(0.1));
      l = ops::add(l, ops::sum(ops::add(cubes, ops::mul(ops::cos(b), ops::select(a, 0, 2)))));
    }
    haft::backward({&l, 1}, {});
  }
  std::vector<double> point() const {
    std::vector<double> v = values(a), w = values(b);
    v.insert(v.end(), w.begin(), w.end());
    return v;
  }
};

class Optim : public ::testing::Test {
 protected:
  void SetUp() override { init(); }
};

TEST_F(Optim, FollowsPyTorch) {
  for (const Trajectory& c : kTrajectories) {
    Problem p;
    auto o = make_optimizer(c.id, std::vector{p.a, p.b}, c.options);
    for (int i = 0; i < kSteps; ++i) {
      o->zero_grad();
      p.backward(i);
      o->step();
      auto at = p.point();
      for (int k = 0; k < 8; ++k)
        EXPECT_NEAR(at[size_t(k)], c.path[i][k], 1e-12 * (1 + std::abs(c.path[i][k])))
            << c.name << " step " << i << " element " << k;
    }
  }
}

TEST_F(Optim, GoesOnFromASavedState) {
  for (const Trajectory& c : kTrajectories) {
    Problem p, q;
    auto o = make_optimizer(c.id, std::vector{p.a, p.b}, c.options);
    for (int i = 0; i < 5; ++i) {
      o->zero_grad();
      p.backward(i);
      o->step();
    }
    auto at = p.point();
    copy_from_host(q.a, at.data());
    copy_from_host(q.b, at.data() + 4);
    auto r = make_optimizer(c.id, std::vector{q.a, q.b});
    r->load_state(o->state());
    for (int i = 5; i < kSteps; ++i)
      for (auto* run : {&p, &q}) {
        auto& opt = run == &p ? o : r;
        opt->zero_grad();
        run->backward(i);
        opt->step();
      }
    EXPECT_EQ(p.point(), q.point()) << c.name;
  }
}

TEST_F(Optim, StateHasPyTorchsNames) {
  Problem p;
  auto o = make_optimizer(OptimizerId::Adam, std::vector{p.a, p.b}, {{"amsgrad", 1}});
  EXPECT_FALSE(o->state_tensor(0, "exp_avg").defined());
  p.backward(0);
  o->step();
  auto s = o->state();
  EXPECT_EQ(s.type, "Adam");
  EXPECT_TRUE(s.tensors.count("state.0.exp_avg") && s.tensors.count("state.0.exp_avg_sq") &&
              s.tensors.count("state.0.max_exp_avg_sq"));
  EXPECT_FALSE(s.tensors.count("state.1.exp_avg"));  // b had no gradient
  EXPECT_EQ(s.numbers.at("state.0.step"), 1);
  EXPECT_EQ(s.numbers.at("param_groups.0.params"), 2);
  EXPECT_EQ(item(o->state_tensor(0, "step")).to_double(), 1);
  o->set_state_tensor(1, "exp_avg", tensor_of({1, 2, 3, 4}, {2, 2}, DType::f32));
  EXPECT_EQ(values(o->state_tensor(1, "exp_avg")), (std::vector<double>{1, 2, 3, 4}));
  expect_failure([&] { o->state_tensor(0, "momentum_buffer"); }, Code::invalid_argument, "momentum_buffer");
  expect_failure([&] { o->state_tensor(2, "step"); }, Code::index, "there are 2");
  expect_failure([&] { o->set_state_tensor(1, "exp_avg", p.a); }, Code::shape, "[4]");
}

TEST_F(Optim, GroupsHaveTheirOwnOptions) {
  Problem p, q;
  auto o = make_optimizer(OptimizerId::SGD, std::vector{p.a}, {{"lr", 0.1}});
  EXPECT_EQ(o->add_group(std::vector{p.b}, o->defaults()), 1);
  o->set_lr(1, 0.5);
  o->set_option(1, "weight_decay", 0.2);
  p.backward(1);
  auto ga = values(gradient_of(p.a)), gb = values(gradient_of(p.b));
  auto before = p.point();
  o->step();
  auto after = p.point();
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(after[k], before[k] - 0.1 * ga[k], 1e-14);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(after[4 + k], before[4 + k] - 0.5 * (gb[k] + 0.2 * before[4 + k]), 1e-14);
  expect_failure([&] { o->set_option(1, "beta1", 0.5); }, Code::invalid_argument, "beta1");
  expect_failure([&] { o->set_lr(1, -1); }, Code::invalid_argument, "lr");
  expect_failure([&] { o->set_lr(2, 1); }, Code::index, "there are 2");
}

// A step ends, whatever has become of the numbers: NaN equals no other, nor itself.
TEST_F(Optim, NumbersThatAreNaN) {
  Problem p;
  // A root of -1.
  auto o = make_optimizer(OptimizerId::ASGD, std::vector{p.a, p.b}, {{"lr", 0.01}, {"lambd", -200}});
  for (int i = 1; i <= 2; ++i) {
    p.backward(1);
    o->step();
    EXPECT_TRUE(std::isnan(item(o->state_tensor(0, "eta")).to_double()));
    for (int64_t k = 0; k < 2; ++k) EXPECT_EQ(item(o->state_tensor(k, "step")).to_double(), i) << k;
  }
  for (double v : p.point()) EXPECT_TRUE(std::isnan(v));
}

TEST_F(Optim, RaisesVersionsAndRecordsNothing) {
  Problem p;
  auto o = make_optimizer(OptimizerId::SGD, std::vector{p.a, p.b});
  p.backward(1);
  uint32_t before = version_of(*p.a.impl());
  o->step();
  EXPECT_GT(version_of(*p.a.impl()), before);
  EXPECT_TRUE(is_leaf(p.a));
  // A graph that saved the parameter notices.
  Tensor l = ops::sum(ops::square(p.a));
  o->step();
  expect_failure([&] { backward({&l, 1}, {}); }, Code::autograd, "");
}

TEST_F(Optim, ZeroGrad) {
  Problem p;
  auto o = make_optimizer(OptimizerId::SGD, std::vector{p.a, p.b});
  p.backward(1);
  Tensor g = gradient_of(p.a);
  o->zero_grad(false);
  EXPECT_EQ(values(g), std::vector<double>(4, 0.0));
  EXPECT_TRUE(gradient_of(p.a).defined());
  o->zero_grad(true);
  EXPECT_FALSE(gradient_of(p.a).defined());
}

TEST_F(Optim, StridedHalfAndEmptyParameters) {
  Tensor base = leaf({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f32);
  Tensor t = ops::detach(ops::transpose(ops::detach(base), 0, 1));  // (3, 2), not dense
  set_requires_grad(t, true);
  Tensor h = leaf({1, 2}, {2}, DType::f16), e = leaf({}, {0, 3}, DType::f32);
  for (const Tensor& x : {t, h, e}) set_gradient(x, ops::full(x.sizes(), Scalar(1.0), x.dtype(), x.device()));
  auto o = make_optimizer(OptimizerId::SGD, std::vector{t, h, e}, {{"lr", 0.5}, {"momentum", 0.5}});
  o->step();
  o->step();  // -0.5 - 0.75
  EXPECT_EQ(values(t), (std::vector<double>{-0.25, 2.75, 0.75, 3.75, 1.75, 4.75}));
  EXPECT_EQ(values(h), (std::vector<double>{-0.25, 0.75}));
}

TEST_F(Optim, TakesGradientsInTheLibrarysLayout) {
  // A convolution's weight gradient may come in any layout; the result is the same as that of a copy.
  Tensor w = leaf(std::vector<double>(16 * 16 * 9, 0.5), {16, 16, 3, 3}, DType::f32);
  Tensor x = ops::full(std::vector<int64_t>{2, 16, 8, 8}, Scalar(0.25), DType::f32, Device{});
  const int64_t one[] = {1, 1};
  Tensor l = ops::sum(ops::square(ops::conv2d(x, w, Tensor(), one, one, one, 1)));
  backward({&l, 1}, {});
  auto g = values(gradient_of(w)), before = values(w);
  make_optimizer(OptimizerId::SGD, std::vector{w}, {{"lr", 0.125}})->step();
  auto after = values(w);
  for (size_t i = 0; i < g.size(); ++i)
    ASSERT_NEAR(after[i], before[i] - 0.125 * g[i], 1e-5 * (1 + std::abs(g[i])));
}

TEST_F(Optim, RefusesWhatIsNoParameter) {
  Problem p;
  std::vector<Tensor> none, twice{p.a, p.a}, result{ops::neg(p.a)},
      whole{ops::full(std::vector<int64_t>{2}, Scalar(1), DType::i64, Device{})};
  expect_failure([&] { make_optimizer(OptimizerId::SGD, none); }, Code::invalid_argument, "no parameters");
  expect_failure([&] { make_optimizer(OptimizerId::SGD, twice); }, Code::invalid_argument, "twice");
  expect_failure([&] { make_optimizer(OptimizerId::SGD, result); }, Code::autograd, "leaf");
  expect_failure([&] { make_optimizer(OptimizerId::SGD, whole); }, Code::dtype, "int64");
  auto refused = [&](OptimizerId id, const OptionValues& options, const char* part) {
    expect_failure([&] { make_optimizer(id, std::vector{p.a}, options); }, Code::invalid_argument, part);
  };
  refused(OptimizerId::SGD, {{"nesterov", 1}},
          "momentum > 0 and dampening 0, got momentum = 0, dampening = 0");
  refused(OptimizerId::SGD, {{"weight_decay", -1}}, "weight_decay must be >= 0, got -1");
  refused(OptimizerId::Adam, {{"beta2", 1}}, "beta2 must be in [0, 1), got 1");
  refused(OptimizerId::Adam, {{"lr", NAN}}, "lr must be >= 0, got nan");
  refused(OptimizerId::Adam, {{"momentum", 0.5}}, "no option 'momentum'");
  auto sgd = make_optimizer(OptimizerId::SGD, std::vector{p.a}),
       adam = make_optimizer(OptimizerId::Adam, std::vector{p.a});
  expect_failure([&] { sgd->load_state(adam->state()); }, Code::invalid_argument, "Adam");
  for (double step : {1e300, -1.0, 0.5, double(NAN)}) {
    OptimizerState bad = adam->state();
    bad.numbers["state.0.step"] = step;
    expect_failure([&] { adam->load_state(bad); }, Code::invalid_argument, "step is");
  }
  auto both = make_optimizer(OptimizerId::SGD, std::vector{p.a, p.b});
  expect_failure([&] { sgd->load_state(both->state()); }, Code::invalid_argument, "1 parameters");
}

TEST_F(Optim, SchedulesFollowPyTorch) {
  using Make = std::vector<Ref<Scheduler>> (*)(Ref<Optimizer>);
  const int64_t milestones[] = {2, 5, 5, 7};
  static std::span<const int64_t> marks;
  marks = milestones;
  const std::pair<const double*, Make> all[] = {
      {step_rates, [](Ref<Optimizer> o) { return std::vector{make_step_lr(o, 3, 0.5)}; }},
      {multi_step_rates, [](Ref<Optimizer> o) { return std::vector{make_multi_step_lr(o, marks, 0.5)}; }},
      {exponential_rates, [](Ref<Optimizer> o) { return std::vector{make_exponential_lr(o, 0.9)}; }},
      {cosine_rates, [](Ref<Optimizer> o) { return std::vector{make_cosine_annealing_lr(o, 4, 0.01)}; }},
      {linear_rates, [](Ref<Optimizer> o) { return std::vector{make_linear_lr(o, 0.25, 1, 5)}; }},
      {lambda_rates,
       [](Ref<Optimizer> o) {
         return std::vector{make_lambda_lr(o, [](int64_t e) { return 1.0 / double(1 + e); })};
       }},
      {warm_up_cosine_rates,
       [](Ref<Optimizer> o) {
         return std::vector{make_linear_lr(o, 0.1, 1, 4), make_cosine_annealing_lr(o, 12, 0)};
       }},
  };
  for (auto& [rates, make] : all) {
    Problem p;
    auto o = make_optimizer(OptimizerId::SGD, std::vector{p.a}, {{"lr", 0.4}});
    auto schedulers = make(o);
    EXPECT_NEAR(o->lr(0), rates[0], 1e-15);
    for (int i = 1; i < kRates; ++i) {
      if (i == 6) {  // in a new process
        auto o2 = make_optimizer(OptimizerId::SGD, std::vector{p.a}, {{"lr", 0.4}});
        auto s2 = make(o2);
        o2->load_state(o->state());
        for (size_t k = 0; k < s2.size(); ++k) s2[k]->load_state(schedulers[k]->state());
        o = o2;
        schedulers = s2;
      }
      for (auto& s : schedulers) s->step();
      EXPECT_NEAR(o->lr(0), rates[i], 1e-14) << schedulers[0]->type() << " step " << i;
    }
    EXPECT_EQ(schedulers[0]->last_epoch(), kRates - 1);
  }
}

// As if each group had an optimizer and a schedule of its own.
TEST_F(Optim, SchedulesWithValuesOfEachGroup) {
  const double low[] = {0.01, 0.02}, high[] = {0.2, 0.5}, slow[] = {0.7, 0.8}, fast[] = {0.9, 0.95};
  using Values = std::span<const double>;
  using Make = std::function<Ref<Scheduler>(Ref<Optimizer>, double l, double h, double s, double f, Values ls,
                                            Values hs, Values ss, Values fs)>;
  const Make all[] = {
      [](Ref<Optimizer> o, double l, double h, double s, double f, Values ls, Values hs, Values ss,
         Values fs) { return make_cyclic_lr(o, l, h, 3, kNone, true, 0.9, true, s, f, ls, hs, ss, fs); },
      [](Ref<Optimizer> o, double, double h, double s, double f, Values, Values hs, Values ss, Values fs) {
        return make_one_cycle_lr(o, h, 12, 0.3, false, true, s, f, 25, 1e4, true, hs, ss, fs);
      },
      [](Ref<Optimizer> o, double l, double, double, double, Values ls, Values, Values, Values) {
        return make_reduce_lr_on_plateau(o, false, 0.5, 0, 1e-4, false, 0, l, 1e-8, ls);
      },
      [](Ref<Optimizer> o, double, double h, double, double, Values, Values hs, Values, Values) {
        return make_swa_lr(o, h, 4, false, hs);
      }};
  for (const Make& make : all) {
    Problem p;
    auto one = [&](const Tensor& t) {
      return make_optimizer(OptimizerId::SGD, std::vector{t}, {{"lr", 0.4}, {"momentum", 0.9}});
    };
    Ref<Optimizer> both = one(p.a), alone[] = {one(p.a), one(p.b)};
    both->add_group(std::vector{p.b}, both->group(0).options);
    Ref<Scheduler> s = make(both, 9, 9, 9, 9, low, high, slow, fast);
    std::vector<Ref<Scheduler>> parts;
    for (size_t g = 0; g < 2; ++g)
      parts.push_back(make(alone[g], low[g], high[g], slow[g], fast[g], {}, {}, {}, {}));
    for (int step = 0; step < 12; ++step) {
      for (size_t g = 0; g < 2; ++g) {
        EXPECT_EQ(both->lr(int64_t(g)), alone[g]->lr(0)) << s->type() << " step " << step << " group " << g;
        EXPECT_EQ(both->option(int64_t(g), "momentum"), alone[g]->option(0, "momentum"))
            << s->type() << " step " << step;
      }
      auto advance = [](Scheduler& of) { of.wants_metric() ? of.step(1.0) : of.step(); };
      advance(*s);
      for (auto& part : parts) advance(*part);
    }
    const double three[] = {0.1, 0.2, 0.3};
    expect_failure([&] { make(both, 0.1, 0.2, 0.8, 0.9, three, three, three, three); },
                   Code::invalid_argument, "has 3 numbers, the optimizer 2 groups");
  }
}

TEST_F(Optim, SchedulesOfLengthsThatNeverEnd) {
  Problem p;
  auto rate = [&](auto&& make) {
    auto o = make_optimizer(OptimizerId::SGD, std::vector{p.a}, {{"lr", 0.4}, {"momentum", 0.9}});
    Ref<Scheduler> s = make(o);
    for (int i = 0; i < 4; ++i) s->step();
    return o->lr(0);
  };
  EXPECT_EQ(
      rate([](Ref<Optimizer> o) { return make_cosine_annealing_warm_restarts(o, 2, INT64_MAX - 1, 0); }),
      0.4);
  EXPECT_EQ(rate([](Ref<Optimizer> o) {
              return make_cyclic_lr(o, 0.25, 0.5, INT64_MAX, INT64_MAX, false, 1, false, 0.8, 0.9);
            }),
            0.25);
}

TEST_F(Optim, Clips) {
  Tensor a = leaf({0, 0}, {2}), b = leaf({0}, {1}), c = leaf({0}, {1});
  auto give = [&] {
    set_gradient(a, tensor_of({3, 0}, {2}));
    set_gradient(b, tensor_of({-4}, {1}));
  };
  std::vector<Tensor> ps{a, b, c};
  auto norm_before = [](auto... of) { return item(clip_grad_norm(of...)).to_double(); };
  give();
  EXPECT_DOUBLE_EQ(norm_before(ps, 10), 5);
  EXPECT_EQ(values(gradient_of(a))[0], 3);
  EXPECT_DOUBLE_EQ(norm_before(ps, 1), 5);
  EXPECT_NEAR(values(gradient_of(a))[0], 3 / (5 + 1e-6), 1e-15);
  give();
  EXPECT_DOUBLE_EQ(norm_before(ps, 2, INFINITY), 4);
  EXPECT_NEAR(values(gradient_of(b))[0], -2, 1e-5);
  give();
  EXPECT_DOUBLE_EQ(norm_before(ps, 100, 1), 7);
  clip_grad_value(ps, 0.5);
  EXPECT_EQ(values(gradient_of(a)), (std::vector<double>{0.5, 0}));
  EXPECT_EQ(values(gradient_of(b))[0], -0.5);
  EXPECT_EQ(norm_before(std::vector{c}, 1), 0);
  expect_failure([&] { clip_grad_norm(ps, -1); }, Code::invalid_argument, "max_norm");
  // Norms of complex gradients are real.
  Tensor z = ops::complex(tensor_of({0, 0}, {2}), tensor_of({0, 0}, {2}));
  set_requires_grad(z, true);
  set_gradient(z, ops::complex(tensor_of({3, 0}, {2}), tensor_of({0, 4}, {2})));
  give();
  const Tensor together = clip_grad_norm(std::vector{z, a, b}, 1);
  EXPECT_EQ(together.dtype(), DType::f64);
  EXPECT_DOUBLE_EQ(item(together).to_double(), std::sqrt(50.0));
  EXPECT_NEAR(values(ops::imag(gradient_of(z)))[1], 4 / std::sqrt(50.0), 1e-6);
  // As PyTorch: the gradients become NaN, or 0 where they are finite.
  for (double bad : {double(NAN), double(INFINITY)}) {
    give();
    set_gradient(b, tensor_of({bad}, {1}));
    EXPECT_EQ(std::isnan(norm_before(ps, 1)), std::isnan(bad));
    EXPECT_TRUE(std::isnan(values(gradient_of(b))[0]));
  }
  // The factor of a 16-bit gradient is not rounded to 16 bits.
  std::vector<double> whole;
  for (int i = 128; i < 256; ++i) whole.push_back(i);
  Tensor half = ops::cast(tensor_of(whole, {128}), DType::bf16), before = ops::clone(half);
  set_requires_grad(half, true);
  set_gradient(half, before);
  const Tensor norm = clip_grad_norm(std::vector{half}, 100);
  const double factor = 100 / (item(norm).to_double() + 1e-6);
  for (double& v : whole) v *= factor;
  EXPECT_EQ(values(ops::cast(gradient_of(half), DType::f64)),
            values(ops::cast(ops::cast(tensor_of(whole, {128}), DType::bf16), DType::f64)));
}

TEST_F(Optim, SchedulesOfSchedules) {
  auto o = make_optimizer(OptimizerId::SGD, std::vector{leaf({1}, {1})}, {{"lr", 1}, {"momentum", 0.9}});
  auto halves = [&] { return make_constant_lr(o, 0.5, 100); };
  std::vector<Ref<Scheduler>> all;
  all.push_back(make_chained_scheduler({halves(), halves()}));
  all.push_back(make_exponential_lr(o, 0.5));
  const int64_t milestones[] = {5};
  make_sequential_lr(o, std::move(all), milestones);
  EXPECT_EQ(o->lr(0), 0.25) << "each part of a chain begins with what the one before it has set";

  auto plateau = [&] { return make_reduce_lr_on_plateau(o, false, 0.5, 1, 1e-4, false, 0, 0, 1e-8); };
  expect_failure([&] { make_chained_scheduler({plateau()}); }, Code::invalid_argument, "wants a metric");
  expect_failure([&] { make_sequential_lr(o, {plateau()}, {}); }, Code::invalid_argument, "wants a metric");

  auto adam = make_optimizer(OptimizerId::Adam, std::vector{leaf({1}, {1})}, {{"lr", 0.75}});
  expect_failure([&] { make_one_cycle_lr(adam, 0.3, 100, 0.3, false, true, 0.85, -1.5, 25, 1e4, false); },
                 Code::invalid_argument, "beta1");
  EXPECT_EQ(adam->lr(0), 0.75) << "what could not be made has changed nothing";

  auto ends =
      make_chained_scheduler({make_exponential_lr(o, 0.5),
                              make_one_cycle_lr(o, 0.3, 2, 0.3, false, false, 0.85, 0.95, 25, 1e4, false)});
  ends->step();
  ends->step();
  const double last = o->lr(0);
  for (int i = 0; i < 3; ++i) expect_failure([&] { ends->step(); }, Code::invalid_argument, "of 2 in all");
  EXPECT_EQ(o->lr(0), last);
  EXPECT_EQ(ends->last_epoch(), 2);
}

TEST_F(Optim, ManyParametersInOneStep) {
  std::vector<Tensor> ps;
  for (int i = 0; i < 9000; ++i) {  // more than one call of the kernel takes
    ps.push_back(leaf({double(i)}, {1}, DType::f32));
    set_gradient(ps.back(), ops::full(std::vector<int64_t>{1}, Scalar(1.0), DType::f32, Device{}));
  }
  auto o = make_optimizer(OptimizerId::SGD, ps, {{"lr", 1}});
  o->step();
  for (int i : {0, 8191, 8192, 8999}) EXPECT_EQ(values(ps[size_t(i)])[0], i - 1.0);
}

}  // namespace
}  // namespace haft
