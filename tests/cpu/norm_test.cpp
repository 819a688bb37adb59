#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

void check(DType t, int64_t rows, const Sizes& shape, bool weight, bool bias, double centre, double tol,
           bool rms = false) {
  std::mt19937 rng(5);
  const int64_t n = product(shape);
  Sizes sizes{rows};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  const Array x = Array::random(t, sizes, rng, centre - 2, centre + 2), g = Array::random(t, sizes, rng);
  const Array w = Array::random(t, shape, rng), b = Array::random(t, shape, rng);
  Array y(t, sizes), mean(t, {rows}), rstd(t, {rows}), dx(t, sizes), dw(t, shape), db(t, shape);
  const std::span<const int64_t> s(shape);
  run(k_layer_norm_stats, {&x, weight ? &w : nullptr, bias ? &b : nullptr}, {&y, &mean, &rstd},
      words(s, 1e-5, int64_t(rms)));
  run(k_layer_norm_backward, {&g, &x, weight ? &w : nullptr, &mean, &rstd}, {&dx, &dw, &db},
      words(s, int64_t(rms)));

  std::vector<double> want_y, want_dx, want_dw(size_t(n), 0), want_db(size_t(n), 0), want_mean, want_rstd;
  for (int64_t r = 0; r < rows; ++r) {
    double m = 0, var = 0;
    for (int64_t i = 0; i < n && !rms; ++i) m += x.at(r * n + i) / double(n);
    for (int64_t i = 0; i < n; ++i) var += std::pow(x.at(r * n + i) - m, 2) / double(n);
    const double inv = 1 / std::sqrt(var + 1e-5);
    want_mean.push_back(m);
    want_rstd.push_back(inv);
    double sum = 0, dot = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double norm = (x.at(r * n + i) - m) * inv, wi = weight ? w.at(i) : 1, gi = g.at(r * n + i);
      want_y.push_back(norm * wi + (bias ? b.at(i) : 0));
      if (!rms) sum += gi * wi / double(n);
      dot += gi * wi * norm / double(n);
      want_dw[size_t(i)] += gi * norm;
      want_db[size_t(i)] += gi;
    }
    for (int64_t i = 0; i < n; ++i)
      want_dx.push_back(inv *
                        (g.at(r * n + i) * (weight ? w.at(i) : 1) - sum - (x.at(r * n + i) - m) * inv * dot));
  }
  expect_near(y.values(), want_y, tol);
  expect_near(mean.values(), want_mean, tol);
  expect_near(rstd.values(), want_rstd, tol);
  expect_near(dx.values(), want_dx, tol * 8);
  expect_near(dw.values(), want_dw, tol * 16);
  expect_near(db.values(), want_db, tol * 16);
}

}  // namespace

TEST(LayerNorm, EveryDtypeAndOddSize) {
  for (DType t : kFloats)
    for (const Sizes& s : {Sizes{1}, Sizes{5}, Sizes{16}, Sizes{37}, Sizes{3, 11}}) {
      check(t, 4, s, true, true, 0, tolerance(t) * 2);
      check(t, 3, s, false, false, 0, tolerance(t) * 2);
      check(t, 3, s, true, false, 0, tolerance(t) * 2);
      check(t, 3, s, true, false, 0, tolerance(t) * 2, true);
    }
}

TEST(LayerNorm, ManyRowsSumInBlocks) {
  check(DType::f32, 2500, {40}, true, true, 0, 1e-5);
  check(DType::f64, 2500, {7}, true, true, 0, 1e-11);
}

// Few rows, each long enough for a thread of its own, meet in one sum.
TEST(LayerNorm, FewLongRowsMissNoSum) {
  const int threads = num_threads();
  set_num_threads(4);
  const int64_t rows = 8, n = 17000, shape[] = {n};
  const std::span<const int64_t> s(shape);
  const std::vector<double> ones(size_t(rows * n), 1.0);
  Array g(DType::f32, {rows, n}, ones), x(DType::f32, {rows, n}, ones), dx(DType::f32, {rows, n});
  Array m(DType::f32, {rows}, std::vector<double>(rows, 0.0)),
      r(DType::f32, {rows}, std::vector<double>(rows, 1.0));
  for (int i = 0; i < 1000; ++i) {
    Array dw(DType::f32, {n}), db(DType::f32, {n});
    run(k_layer_norm_backward, {&g, &x, nullptr, &m, &r}, {&dx, &dw, &db}, words(s, int64_t(0)));
    expect_near(dw.values(), std::vector<double>(size_t(n), double(rows)), 0);
    expect_near(db.values(), std::vector<double>(size_t(n), double(rows)), 0);
  }
  set_num_threads(threads);
}

// The variance must not cancel when the mean is far from 0.
TEST(LayerNorm, LargeMean) { check(DType::f32, 3, {256}, true, true, 1000, 2e-4); }

TEST(LayerNorm, Empty) {
  Array x(DType::f32, {0, 3}), y(DType::f32, {0, 3}), m(DType::f32, {0}), r(DType::f32, {0});
  Array dw(DType::f32, {3}, {7, 7, 7}), db(DType::f32, {3}, {7, 7, 7});
  const int64_t shape[] = {3};
  const std::span<const int64_t> s(shape);
  run(k_layer_norm_stats, {&x, nullptr, nullptr}, {&y, &m, &r}, words(s, 1e-5, int64_t(0)));
  run(k_layer_norm_backward, {&x, &x, nullptr, &m, &r}, {&y, &dw, &db}, words(s, int64_t(0)));
  expect_near(dw.values(), {0, 0, 0}, 0);
  expect_near(db.values(), {0, 0, 0}, 0);
}

TEST(LayerNorm, NaNStaysInItsRow) {
  Array x(DType::f32, {2, 3}, {kNaN, 1, 2, 1, 2, 3}), y(DType::f32, {2, 3}), m(DType::f32, {2}),
      r(DType::f32, {2});
  const int64_t shape[] = {3};
  run(k_layer_norm_stats, {&x, nullptr, nullptr}, {&y, &m, &r},
      words(std::span<const int64_t>(shape), 1e-5, int64_t(0)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y.at(i)));
  EXPECT_NEAR(y.at(4), 0, 1e-6);
}
