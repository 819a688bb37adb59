#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

struct Walk {
  int64_t outer = 1, n = 1, inner = 1;
};
Walk walk(const Array& x, int dim) {
  Walk w;
  for (int d = 0; d < x.view.ndim; ++d) (d < dim ? w.outer : d == dim ? w.n : w.inner) *= x.size(d);
  return w;
}

std::vector<double> softmax_reference(const Array& x, int dim, bool log) {
  const Walk w = walk(x, dim);
  const auto v = x.values();
  std::vector<double> out(v.size());
  for (int64_t o = 0; o < w.outer; ++o)
    for (int64_t k = 0; k < w.inner; ++k) {
      auto at = [&](int64_t i) { return size_t((o * w.n + i) * w.inner + k); };
      double top = -kInf, sum = 0;
      for (int64_t i = 0; i < w.n; ++i) top = std::max(top, v[at(i)]);
      for (int64_t i = 0; i < w.n; ++i) sum += std::exp(v[at(i)] - top);
      for (int64_t i = 0; i < w.n; ++i)
        out[at(i)] = log ? v[at(i)] - top - std::log(sum) : std::exp(v[at(i)] - top) / sum;
    }
  return out;
}

std::vector<double> backward_reference(const Array& g, const Array& y, int dim, bool log) {
  const Walk w = walk(y, dim);
  const auto gv = g.values(), yv = y.values();
  std::vector<double> out(yv.size());
  for (int64_t o = 0; o < w.outer; ++o)
    for (int64_t k = 0; k < w.inner; ++k) {
      auto at = [&](int64_t i) { return size_t((o * w.n + i) * w.inner + k); };
      double sum = 0;
      for (int64_t i = 0; i < w.n; ++i) sum += log ? gv[at(i)] : gv[at(i)] * yv[at(i)];
      for (int64_t i = 0; i < w.n; ++i)
        out[at(i)] = log ? gv[at(i)] - std::exp(yv[at(i)]) * sum : yv[at(i)] * (gv[at(i)] - sum);
    }
  return out;
}

void check(const Array& x, int dim, double tol) {
  Sizes sizes(x.view.sizes, x.view.sizes + x.view.ndim);
  for (bool log : {false, true}) {
    Array y(x.dtype(), sizes);
    run(log ? k_log_softmax : k_softmax, {&x}, {&y}, words(int64_t(dim)));
    expect_near(y.values(), softmax_reference(x, dim, log), tol);
    std::mt19937 rng(9);
    Array g = Array::random(x.dtype(), sizes, rng), dx(x.dtype(), sizes);
    run(log ? k_log_softmax_backward : k_softmax_backward, {&g, &y}, {&dx}, words(int64_t(dim)));
    expect_near(dx.values(), backward_reference(g, y, dim, log), tol * 4);
  }
}

}  // namespace

TEST(Softmax, EveryDtypeDimensionAndOddSize) {
  std::mt19937 rng(1);
  for (DType t : kFloats)
    for (const Sizes& s :
         {Sizes{1, 1}, Sizes{3, 5}, Sizes{7, 16}, Sizes{2, 33}, Sizes{4, 3, 37}, Sizes{2, 19, 3, 5}}) {
      const Array x = Array::random(t, s, rng, -8, 8);
      for (int d = 0; d < int(s.size()); ++d) check(x, d, tolerance(t));
    }
}

TEST(Softmax, ManyRowsAndLongRows) {
  std::mt19937 rng(2);
  check(Array::random(DType::f32, {5000, 10}, rng), 1, 1e-5);
  check(Array::random(DType::f32, {2, 100003}, rng), 1, 1e-5);
  check(Array::random(DType::f32, {100003, 2}, rng), 0, 1e-5);
}

TEST(Softmax, StridedAndExpanded) {
  std::mt19937 rng(3);
  const Array x = Array::random(DType::f32, {6, 11, 4}, rng);
  for (int d = 0; d < 3; ++d) {
    check(x.transpose(0, 2), d, 1e-5);
    check(x.every_second(1), d, 1e-5);
  }
  check(Array::random(DType::f32, {5, 1, 3}, rng).expand(1, 7), 1, 1e-5);
}

TEST(Softmax, EmptyAndScalar) {
  Array none(DType::f32, {0, 4}), out(DType::f32, {0, 4});
  run(k_softmax, {&none}, {&out}, words(int64_t(1)));
  Array hollow(DType::f32, {4, 0}), out2(DType::f32, {4, 0});
  run(k_log_softmax, {&hollow}, {&out2}, words(int64_t(1)));
  Array x(DType::f32, {}, {3.0}), y(DType::f32, {});
  run(k_softmax, {&x}, {&y}, words(int64_t(0)));
  EXPECT_EQ(y.at(0), 1.0);
}

TEST(Softmax, LargeValuesInfinityAndNaN) {
  const Array x(DType::f32, {5, 3},
                {1e4, 1e4 - 1, -1e4, -kInf, 0, 0, -kInf, -kInf, -kInf, kNaN, 1, 2, kInf, 1, 2});
  Array y(DType::f32, {5, 3});
  run(k_softmax, {&x}, {&y}, words(int64_t(-1)));
  const double e = std::exp(-1.0);
  expect_near(y.values(),
              {1 / (1 + e), e / (1 + e), 0, 0, .5, .5, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN},
              1e-6);
  run(k_log_softmax, {&x}, {&y}, words(int64_t(-1)));
  EXPECT_EQ(y.at(3), -kInf);
  EXPECT_NEAR(y.at(4), -std::log(2.0), 1e-6);
}

TEST(Softmax, InPlace) {
  Array x(DType::f32, {1, 4}, {1, 2, 3, 4});
  const auto want = softmax_reference(x, 1, false);
  run(k_softmax, {&x}, {&x}, words(int64_t(1)));
  expect_near(x.values(), want, 1e-6);
}
