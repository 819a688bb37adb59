// Records of random tensors. Their numbers are compared with Philox's own in test_cpu; here a case turns them
// into something that does not depend on the draw, so that ranges, moments and reproducibility are what is checked.
#include <cmath>

#include "core/dispatch/generator.h"
#include "tests/ops/record.h"

namespace haft::test {

namespace {

// 1 when all elements of the mask are true.
Tensor holds(const Tensor& condition) { return ops::cast(ops::all(condition), DType::f32); }
Tensor within(const Tensor& x, double low, double high) {
  return holds(ops::logical_and(ops::ge_scalar(x, low), ops::le_scalar(x, high)));
}
Tensor moments(const Tensor& x, double mean, double variance, double slack) {
  Tensor w = ops::cast(x, DType::f64);
  return holds(ops::logical_and(ops::lt_scalar(ops::abs(ops::sub_scalar(ops::mean(w), mean)), slack),
                                ops::lt_scalar(ops::abs(ops::sub_scalar(ops::var(w), variance)), slack)));
}
// Two generators of one seed draw the same.
template <class F>
Tensor repeats(F&& f) {
  Generator a(42), b(42);
  return holds(ops::eq(f(&a), f(&b)));
}
Arrays yes(const Arrays&) { return {Array({}, 1)}; }
Arrays yes_yes(const Arrays&) { return {Array({}, 1), Array({}, 1)}; }
DType f32(DType) { return DType::f32; }

}  // namespace

void add_random(Records& r) {
  const Sizes big{200, 251};
  auto made = [&](const char* name) -> Record& { return r.op(name).on(kAll).gives({f32}); };
  static constexpr DType none = DType::none;
  static constexpr Device here = kDefaultDevice;
  made("rand")
      .add(
          {},
          [=](Ins) -> Outs {
            return Outs(std::vector<Tensor>{within(ops::rand(big), 0, 0.99999999),
                                            moments(ops::rand(big), 0.5, 1.0 / 12, 0.01)});
          },
          yes_yes)
      .add({}, CALL(repeats([](Generator* g) {
             return ops::rand(Sizes{7, 3}, none, here, g);
           })),
           yes)
      .add({}, CALL(within(ops::rand(Sizes{3, 5}), 0, 1)), yes)
      .bad({}, CALL(ops::rand(Sizes{2}, DType::i32)), Code::dtype, {"int32"});
  made("randn")
      .add({}, CALL(moments(ops::randn(big), 0, 1, 0.05)), yes)
      .add({}, CALL(repeats([](Generator* g) {
             return ops::randn(Sizes{7, 3}, none, here, g);
           })),
           yes)
      .add({}, CALL(within(ops::randn(Sizes{3, 5}), -9, 9)), yes)
      .bad({}, CALL(ops::randn(Sizes{2}, DType::i64)), Code::dtype, {"int64"});
  made("uniform")
      .add(
          {},
          [=](Ins) -> Outs {
            return Outs(std::vector<Tensor>{within(ops::uniform(big, -3, 5), -3, 5),
                                            moments(ops::uniform(big, -3, 5), 1, 64.0 / 12, 0.2)});
          },
          yes_yes)
      .add({}, CALL(repeats([](Generator* g) { return ops::uniform(Sizes{5}, 0, 2, none, here, g); })), yes)
      .add({}, CALL(within(ops::uniform(Sizes{7}, -3, 5), -3, 5)), yes)
      .bad({}, CALL(ops::uniform(Sizes{2}, 1, 0)), Code::invalid_argument, {"[uniform]", "low", "1", "0"});
  made("normal")
      .add({}, CALL(moments(ops::normal(3, 2, big), 3, 4, 0.2)), yes)
      .add({}, CALL(repeats([](Generator* g) { return ops::normal(0, 2, Sizes{5}, none, here, g); })), yes)
      .add({}, CALL(within(ops::normal(3, 2, Sizes{7}), -20, 26)), yes)
      .bad({}, CALL(ops::normal(0, -1, Sizes{2})), Code::invalid_argument, {"[normal]", "-1"});
  made("randint")
      .add(
          {},
          [=](Ins) -> Outs {
            return Outs(std::vector<Tensor>{within(ops::randint(-2, 5, big), -2, 4),
                                            moments(ops::randint(-2, 5, big), 1, 4, 0.1)});
          },
          yes_yes)
      .add({},
           CALL(repeats([](Generator* g) { return ops::randint(0, 1000, Sizes{5}, DType::i16, here, g); })),
           yes)
      .add({}, CALL(within(ops::randint(-2, 5, Sizes{7}), -2, 4)), yes)
      .bad({}, CALL(ops::randint(3, 3, Sizes{2})), Code::invalid_argument, {"[randint]", "3"})
      .bad({}, CALL(ops::randint(0, 300, Sizes{2}, DType::u8)), Code::invalid_argument,
           {"[randint]", "uint8", "299"});
  made("randperm")
      .add({}, CALL(holds(ops::eq(ops::sort(ops::randperm(1000))[0], ops::arange(0, 1000)))), yes)
      .add({}, CALL(repeats([](Generator* g) { return ops::randperm(50, DType::i32, here, g); })), yes)
      .add({}, CALL(holds(ops::eq(ops::randperm(0), ops::arange(0, 0)))), yes)
      .add({}, CALL(within(ops::randperm(9), 0, 8)), yes)
      .bad({}, CALL(ops::randperm(-1)), Code::invalid_argument, {"[randperm]", "-1"})
      .bad({}, CALL(ops::randperm(300, DType::i8)), Code::invalid_argument, {"[randperm]", "int8", "299"});
  auto like = [&](const char* name) -> Record& { return r.op(name).on(kFloats, 0).gives({f32}).is_random(); };
  like("rand_like")
      .add({real({50, 40})}, CALL(within(ops::rand_like(t[0]), 0, 1)), yes)
      .add({real({3, 4})}, CALL(within(ops::rand_like(t[0]), 0, 1)), yes)
      .bad({real({2})}, CALL(ops::rand_like(t[0])), Code::dtype, {"int64"}, DType::i64);
  like("randn_like")
      .on(kAll)
      .add({real({50, 40})}, CALL(moments(ops::randn_like(t[0], DType::f32), 0, 1, 0.3)), yes)
      .add({real({3, 4})}, CALL(within(ops::randn_like(t[0], DType::f32), -9, 9)), yes)
      .bad({real({2})}, CALL(ops::randn_like(t[0])), Code::dtype, {"int64"}, DType::i64);
  // Probability 0 and 1 leave no choice.
  r.op("bernoulli")
      .is_random()
      .add({real({6}).fixed([](Array& a) { a.v = {0, 1, 0, 1, 1, 0}; })}, CALL(ops::bernoulli(t[0])),
           [](const Arrays& in) -> Arrays { return {in[0]}; })
      .no_grad()
      .add({real({0})}, CALL(ops::bernoulli(t[0])), [](const Arrays& in) -> Arrays { return {in[0]}; })
      .no_grad()
      .bad({real({3})}, CALL(ops::bernoulli(t[0])), Code::dtype, {"bernoulli]", "int64"}, DType::i64);
  // The mean of a gamma variable is its shape parameter, as is its variance. 60,000 draws keep both within a tenth of
  // the slack (one standard deviation of the variance), so that no seed fails.
  r.op("standard_gamma")
      .is_random()
      .gives({f32})
      .add({real({3, 4}, 0.5, 2)}, CALL(within(ops::standard_gamma(t[0]), 0, 100)), yes)
      .no_grad()
      .add({real({300, 200}).fixed([](Array& a) { a.v.assign(a.v.size(), 3.5); })},
           CALL(moments(ops::standard_gamma(t[0]), 3.5, 3.5, 0.3)), yes)
      .no_grad()
      .add({real({300, 200}).fixed([](Array& a) { a.v.assign(a.v.size(), 0.5); })},
           CALL(moments(ops::standard_gamma(t[0]), 0.5, 0.5, 0.2)), yes)
      .no_grad()
      .bad({real({3})}, CALL(ops::standard_gamma(t[0])), Code::dtype, {"standard_gamma]", "int64"},
           DType::i64)
      .bad({real({2}).fixed([](Array& a) {
             a.v = {1, -1};
           })},
           CALL(ops::standard_gamma(t[0])), Code::invalid_argument, {"standard_gamma", "element 1", "-1"});
  // Against a difference of quantiles, found by bisection in P(a, x) summed term by term.
  const Reference slope_by_differences = [](const Arrays& in) -> Arrays {
    auto below = [](long double a, long double x) {  // P(a, x)
      long double term = 1, sum = 1;
      for (int n = 1; n < 2000; ++n) sum += term *= x / (a + n);
      return sum * std::exp(a * std::log(x) - x - std::lgamma(a + 1));
    };
    auto slope = [&](long double a, long double x, long double h) {
      return (below(a + h, x) - below(a - h, x)) / (2 * h);
    };
    Array y = in[0];
    for (size_t k = 0; k < y.v.size(); ++k) {
      const long double a = in[0].v[k], x = in[1].v[k], h = 2e-3l * a,
                        density = std::exp((a - 1) * std::log(x) - x - std::lgamma(a));
      // Two of Richardson's steps: what is left is of the order h^6.
      const long double p = slope(a, x, h), q = slope(a, x, h / 2), r = slope(a, x, h / 4);
      y.v[k] = double(-((4 * r - q) / 3 * 16 - (4 * q - p) / 3) / 15 / density);
    }
    return {y};
  };
  r.op("gamma_slope")
      .on(kFloats)
      .tolerance(1024)
      .add({real({12}).fixed([](Array& a) { a.v = {0.25, 0.25, 0.5, 0.5, 1, 1, 2, 2, 8, 8, 64, 64}; }),
            real({12}).fixed(
                [](Array& a) { a.v = {0.03125, 1.5, 0.125, 3, 0.25, 4, 0.5, 6, 3, 17, 50, 80}; })},
           CALL(ops::gamma_slope(t[0], t[1])), slope_by_differences)
      .no_grad()
      .add({real({6}, 0.5, 4).constant(), real({6}, 0.5, 6)}, CALL(ops::gamma_slope(t[0], t[1])),
           slope_by_differences)
      .bad({real({2}), real({2})}, CALL(ops::gamma_slope(t[0], t[1])), Code::dtype, {"gamma_slope", "int64"},
           DType::i64);
  r.op("multinomial")
      .is_random()
      .gives({always_i64})
      .add({real({2, 4}).fixed([](Array& a) { a.v = {0, 0, 3, 0, 1, 0, 0, 0}; })},
           CALL(ops::multinomial(t[0], 3, true)),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3}, std::vector<double>{2, 2, 2, 0, 0, 0})};
           })
      .add({real({5}, 0.1, 1)}, CALL(ops::sort(ops::multinomial(t[0], 5))[0]),
           [](const Arrays&) -> Arrays {
             return {Array({5}, std::vector<double>{0, 1, 2, 3, 4})};
           })
      // Without replacement classes of weight 0 come when there are no others, in their order.
      .add({real({4}).fixed([](Array& a) {
             a.v = {2, 0, 0, 0};
           })},
           CALL(ops::multinomial(t[0], 3)),
           [](const Arrays&) -> Arrays {
             return {Array({3}, std::vector<double>{0, 1, 2})};
           })
      .bad({real({3}, 0.1, 1)}, CALL(ops::multinomial(t[0], 4)), Code::invalid_argument,
           {"[multinomial]", "4", "3"})
      .bad({real({3}, 0.1, 1)}, CALL(ops::multinomial(t[0], 0)), Code::invalid_argument,
           {"[multinomial]", "0"})
      .bad({real({2, 2, 2}, 0.1, 1)}, CALL(ops::multinomial(t[0], 1)), Code::shape,
           {"[multinomial]", "[2, 2, 2]"});
  // Two draws with the same words: what is kept is x / (1 - p), the rest 0; the derivative is that of the kept ones.
  r.op("philox_dropout")
      .gives({same, always_bool})
      .is_random()
      .add({real({3, 7}, 0.5, 2)}, [](Ins t) -> Outs { return ops::philox_dropout(t[0], 0.4, 7, 3); }, {})
      .add(
          {real({40}, 0.5, 2)},
          [](Ins t) -> Outs {
            auto [y, kept] = ops::philox_dropout(t[0], 0.5, 7, 3);
            return ops::sub(y, ops::mul(ops::cast(kept, t[0].dtype()), ops::mul_scalar(t[0], 2.0)));
          },
          [](const Arrays& in) -> Arrays { return {Array(in[0].sizes)}; });
  r.all.back().bad({real({3})}, CALL(ops::philox_dropout(t[0], 0.5, 1, 0)), Code::dtype,
                   {"dropout]", "int64"}, DType::i64);
  r.op("dropout")
      .is_random()
      .on(kFloats, 0)
      .add({real({3, 4}, 0.5, 2)},
           [](Ins t) -> Outs {
             Generator g(5);
             return ops::dropout(t[0], 0.5, true, &g);
           },
           {})
      .add({real({3, 4})}, CALL(ops::dropout(t[0], 0.9, false)),
           [](const Arrays& in) -> Arrays { return {in[0]}; })
      .add({real({3, 4})}, CALL(ops::dropout(t[0], 0.0)), [](const Arrays& in) -> Arrays { return {in[0]}; })
      .add({real({3, 4})}, CALL(ops::dropout(t[0], 1.0)),
           [](const Arrays& in) -> Arrays { return {Array(in[0].sizes)}; })
      .bad({real({3})}, CALL(ops::dropout(t[0], 1.5)), Code::invalid_argument, {"[dropout]", "1.5"});

  auto noise = [&](const char* name, CallFn drawn, CallFn idle, CallFn wrong, const char* words) {
    r.op(name)
        .is_random()
        .on(kFloats, 0)
        .add({real({3, 4, 2}, 0.5, 2)}, drawn, {})
        .add({real({3, 4})}, idle, [](const Arrays& in) -> Arrays { return {in[0]}; })
        .bad({real({3, 4})}, wrong, Code::invalid_argument, {words});
  };
  noise(
      "feature_dropout",
      [](Ins t) -> Outs {
        Generator g(5);
        return ops::feature_dropout(t[0], 0.5, true, &g);
      },
      CALL(ops::feature_dropout(t[0], 0.9, false)), CALL(ops::feature_dropout(t[0], 1.5)),
      "[feature_dropout] p must be in 0..1, got 1.5");
  r.all.back().bad({real({3})}, CALL(ops::feature_dropout(t[0], 0.5)), Code::shape,
                   {"[feature_dropout]", "[3]"});
  r.all.back().add({real({3, 4})}, CALL(ops::feature_dropout(t[0], 1.0)),
                   [](const Arrays& in) -> Arrays { return {Array(in[0].sizes)}; });
  noise(
      "alpha_dropout",
      [](Ins t) -> Outs {
        Generator g(5);
        return ops::alpha_dropout(t[0], 0.5, true, &g);
      },
      CALL(ops::alpha_dropout(t[0], 0.0)), CALL(ops::alpha_dropout(t[0], -1)),
      "[alpha_dropout] p must be in 0..1, got -1");
  noise(
      "feature_alpha_dropout",
      [](Ins t) -> Outs {
        Generator g(5);
        return ops::feature_alpha_dropout(t[0], 0.5, true, &g);
      },
      CALL(ops::feature_alpha_dropout(t[0], 0.5, false)), CALL(ops::feature_alpha_dropout(t[0], 2)),
      "[feature_alpha_dropout] p must be in 0..1, got 2");
  auto halved = [](const Arrays& in) -> Arrays {
    Array y = in[0];
    for (double& v : y.v) v = v > 0 ? v : v / 2;
    return {y};
  };
  r.op("rrelu")
      .is_random()
      .on(kFloats, 0)
      .add({real({3, 4}, -2, 2)},
           [](Ins t) -> Outs {
             Generator g(5);
             return ops::rrelu(t[0], 0.1, 0.4, true, &g);
           },
           {})
      .add({real({3, 4}, -2, 2)}, CALL(ops::rrelu(t[0], 0.25, 0.75, false)), halved)
      .add({real({3, 4}, -2, 2)}, CALL(ops::rrelu(t[0], 0.5, 0.5)), halved)
      .bad({real({3})}, CALL(ops::rrelu(t[0], 0.5, 0.25)), Code::invalid_argument,
           {"[rrelu] lower must not be above upper, got 0.5 and 0.25"});

  made("exponential")
      .add({}, CALL(moments(ops::exponential(big, 2), 0.5, 0.25, 0.05)), yes)
      .add({}, CALL(within(ops::exponential(Sizes{3, 5}), 0, 99)), yes)
      .bad({}, CALL(ops::exponential(Sizes{2}, 0)), Code::invalid_argument, {"[exponential]", "got 0"});
  // Half of a Cauchy variable lies within sigma of the median.
  made("cauchy")
      .add({},
           CALL(moments(ops::lt_scalar(ops::abs(ops::sub_scalar(ops::cauchy(big, 3, 2), 3)), 2), 0.5, 0.25,
                        0.05)),
           yes)
      .add({}, CALL(within(ops::cauchy(Sizes{3, 5}), -1e9, 1e9)), yes)
      .bad({}, CALL(ops::cauchy(Sizes{2}, 0, -1)), Code::invalid_argument, {"[cauchy]", "got -1"});
  made("log_normal")
      .add({}, CALL(moments(ops::log(ops::log_normal(big, 0.5, 0.5)), 0.5, 0.25, 0.05)), yes)
      .add({}, CALL(within(ops::log_normal(Sizes{3, 5}), 0, 1e9)), yes)
      .bad({}, CALL(ops::log_normal(Sizes{2}, 0, 0)), Code::invalid_argument, {"[log_normal]", "got 0"});
  made("geometric")
      .add({}, CALL(moments(ops::geometric(big, 0.5), 2, 2, 0.2)), yes)
      .add({}, CALL(within(ops::geometric(Sizes{3, 5}, 0.5, DType::i64), 1, 99)), yes)
      .bad({}, CALL(ops::geometric(Sizes{2}, 1)), Code::invalid_argument, {"[geometric]", "got 1"});
  const auto filled = [](double value) {
    return real({300, 200}).fixed([value](Array& a) { a.v.assign(a.v.size(), value); });
  };
  r.op("poisson")
      .is_random()
      .gives({f32})
      .add({filled(4)}, CALL(moments(ops::poisson(t[0]), 4, 4, 0.3)), yes)
      .no_grad()
      .add({real({3, 5}, 1, 9)}, CALL(within(ops::poisson(t[0]), 0, 99)), yes)
      .no_grad()
      .add({filled(40)}, CALL(moments(ops::poisson(t[0]), 40, 40, 2)), yes)
      .no_grad()
      .bad({real({2}).fixed([](Array& a) {
             a.v = {1, -1};
           })},
           CALL(ops::poisson(t[0])), Code::invalid_argument, {"[poisson]", "at least 0"})
      .bad({real({3})}, CALL(ops::poisson(t[0])), Code::dtype, {"[poisson]", "int64"}, DType::i64);
  r.op("binomial")
      .is_random()
      .gives({f32})
      .add({filled(8), real({}).fixed([](Array& a) { a.v = {0.25}; })},
           CALL(moments(ops::binomial(t[0], t[1]), 2, 1.5, 0.2)), yes)
      .add({real({3, 5}).fixed([](Array& a) { a.v.assign(a.v.size(), 8); }), real({3, 5}, 0.1, 0.9)},
           CALL(within(ops::binomial(t[0], t[1]), 0, 8)), yes)
      .add({filled(100), real({}).fixed([](Array& a) { a.v = {0.75}; })},
           CALL(moments(ops::binomial(t[0], t[1]), 75, 18.75, 1)), yes)
      .bad({real({1}, 1, 2), real({1}, 2, 3)}, CALL(ops::binomial(t[0], t[1])), Code::invalid_argument,
           {"[binomial]", "from 0 to 1"})
      .bad({real({3}), real({3})}, CALL(ops::binomial(t[0], t[1])), Code::dtype, {"[binomial]", "int64"},
           DType::i64);
  r.op("gumbel_softmax")
      .is_random()
      .gives({f32})
      .add({real({3, 4})},
           CALL(holds(ops::lt_scalar(
               ops::abs(ops::sub_scalar(ops::sum(ops::gumbel_softmax(t[0], 0.5), Sizes{1}), 1)), 0.02))),
           yes)
      .no_grad()
      .add({real({3, 4})},
           CALL(holds(ops::eq_scalar(
               ops::sum(ops::gt_scalar(ops::gumbel_softmax(t[0], 1, true, 0), 0.5), Sizes{0}), 1))),
           yes)
      .no_grad()
      .add({real({3, 4})},
           [](Ins t) -> Outs {
             Generator noise(42);  // the same each time, so that there is something to differentiate
             return ops::cast(ops::gumbel_softmax(t[0], 0.7, false, 1, &noise),
                              t[0].dtype() == DType::f64 ? DType::f64 : DType::f32);
           },
           {})
      .bad({real({3})}, CALL(ops::gumbel_softmax(t[0])), Code::dtype, {"[gumbel_softmax]", "int64"},
           DType::i64);
}

}  // namespace haft::test
