#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

void check(DType t, DType index, int64_t rows, int64_t classes, bool weighted, double smoothing, double tol) {
  std::mt19937 rng(11);
  const Array x = Array::random(t, {rows, classes}, rng, -5, 5), w = Array::random(t, {classes}, rng, 0, 2);
  Array target = Array::random(index, {rows}, rng, 0, double(classes));
  if (rows > 2) target.set(1, -100);
  Array loss(t, {rows}), row_weight(t, {rows}), lse(t, {rows}), dx(t, {rows, classes});
  Array grad = Array::random(t, {rows}, rng);
  if (rows > 2) grad.set(1, kNaN);  // of an ignored row
  run(k_cross_entropy_rows, {&x, &target, weighted ? &w : nullptr}, {&loss, &row_weight, &lse},
      words(int64_t(-100), smoothing));
  run(k_cross_entropy_rows_backward, {&grad, &x, &target, weighted ? &w : nullptr, &lse}, {&dx},
      words(int64_t(-100), smoothing));
  std::vector<double> want_loss, want_weight, want_dx;
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0, total_weight = 0, smooth = 0;
    for (int64_t c = 0; c < classes; ++c) sum += std::exp(x.at(r * classes + c));
    auto wc = [&](int64_t c) { return weighted ? w.at(c) : 1.0; };
    for (int64_t c = 0; c < classes; ++c) {
      total_weight += wc(c);
      smooth -= wc(c) * (x.at(r * classes + c) - std::log(sum));
    }
    const int64_t k = int64_t(target.at(r));
    const bool ignored = k == -100;
    want_weight.push_back(ignored ? 0 : wc(k));
    want_loss.push_back(ignored ? 0
                                : (1 - smoothing) * wc(k) * (std::log(sum) - x.at(r * classes + k)) +
                                      smoothing / double(classes) * smooth);
    for (int64_t c = 0; c < classes; ++c) {
      const double p = std::exp(x.at(r * classes + c)) / sum;
      want_dx.push_back(ignored ? 0
                                : grad.at(r) * ((1 - smoothing) * wc(k) * (p - (c == k)) +
                                                smoothing / double(classes) * (total_weight * p - wc(c))));
    }
    EXPECT_NEAR(lse.at(r), std::log(sum), tol * 10);
  }
  expect_near(loss.values(), want_loss, tol * 4);
  expect_near(row_weight.values(), want_weight, tol);
  expect_near(dx.values(), want_dx, tol * 8);
}

}  // namespace

TEST(CrossEntropy, AgainstTheFormula) {
  for (DType t : kFloats)
    for (int64_t classes : {1, 2, 10, 16, 37, 129})
      for (bool weighted : {false, true})
        for (double smoothing : {0.0, 0.1})
          check(t, DType::i64, 7, classes, weighted, smoothing, tolerance(t));
  check(DType::f32, DType::i32, 6000, 10, true, 0.2, 1e-5);
}

TEST(CrossEntropy, LargeLogits) {
  const Array x(DType::f32, {2, 2}, {1e4, 0, -1e4, -1e4}), target(DType::i64, {2}, {1, 0});
  Array loss(DType::f32, {2}), w(DType::f32, {2}), lse(DType::f32, {2});
  run(k_cross_entropy_rows, {&x, &target, nullptr}, {&loss, &w, &lse}, words(int64_t(-100), 0.0));
  EXPECT_EQ(loss.at(0), 1e4);
  EXPECT_NEAR(loss.at(1), std::log(2.0), 1e-6);
}

TEST(CrossEntropy, TargetOutOfRangeNamesRowValueAndClasses) {
  const Array x(DType::f32, {3, 4}, std::vector<double>(12, 0.0));
  Array loss(DType::f32, {3}), w(DType::f32, {3}), lse(DType::f32, {3}), dx(DType::f32, {3, 4});
  for (double bad : {4.0, -1.0}) {
    const Array target(DType::i64, {3}, {0, 3, bad});
    const std::string value = std::to_string(int(bad));
    expect_error(Code::index, {"target[2]", value, "4 classes"}, [&] {
      run(k_cross_entropy_rows, {&x, &target, nullptr}, {&loss, &w, &lse}, words(int64_t(-100), 0.0));
    });
    expect_error(Code::index, {"target[2]", value}, [&] {
      run(k_cross_entropy_rows_backward, {&w, &x, &target, nullptr, &lse}, {&dx}, words(int64_t(-100), 0.0));
    });
  }
  const Array floats(DType::f32, {3}, {0, 1, 2});
  expect_error(Code::dtype, {"float32"}, [&] {
    run(k_cross_entropy_rows, {&x, &floats, nullptr}, {&loss, &w, &lse}, words(int64_t(-100), 0.0));
  });
}

// Over memory of two rows, none of which counts.
TEST(CrossEntropy, EmptyWritesNothing) {
  const std::vector<double> two(2, 7.0), eight(8, 7.0);
  Array x(DType::f32, {2, 4}, eight), target(DType::i64, {2}, {0, 1}), loss(DType::f32, {2}, two),
      w(DType::f32, {2}, two), lse(DType::f32, {2}, two), dx(DType::f32, {2, 4}, eight);
  for (Array* a : {&x, &target, &loss, &w, &lse, &dx}) a->view.sizes[0] = a->view.numel = 0;
  run(k_cross_entropy_rows, {&x, &target, nullptr}, {&loss, &w, &lse}, words(int64_t(-100), 0.0));
  run(k_cross_entropy_rows_backward, {&w, &x, &target, nullptr, &lse}, {&dx}, words(int64_t(-100), 0.0));
  for (Array* a : {&loss, &w, &lse, &dx}) {
    a->view.sizes[0] = 2;
    a->view.numel = a == &dx ? 8 : 2;
    EXPECT_EQ(a->values(), a == &dx ? eight : two);
  }
}
