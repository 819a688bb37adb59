// Initial values: ranges, moments, seeds.
#include "core/nn/init.h"

#include "core/tape/tape.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::values;

struct Init : testing::NnTest {
  Generator gen{1234};

  struct Moments {
    double mean, std, low, high;
  };
  static Moments moments(const Tensor& t) {
    Moments m{0, 0, 1e300, -1e300};
    auto v = values(t);
    for (double x : v) {
      m.mean += x / double(v.size());
      m.low = std::min(m.low, x);
      m.high = std::max(m.high, x);
    }
    for (double x : v) m.std += (x - m.mean) * (x - m.mean) / double(v.size());
    m.std = std::sqrt(m.std);
    return m;
  }
  // Uniform in [-bound, bound]: the extremes come close to it, the moments fit.
  static void expect_uniform(const Tensor& t, double bound) {
    Moments m = moments(t);
    EXPECT_LE(m.high, bound * (1 + 1e-6));
    EXPECT_GE(m.low, -bound * (1 + 1e-6));
    EXPECT_GT(m.high, 0.98 * bound);
    EXPECT_NEAR(m.mean, 0, 0.03 * bound);
    EXPECT_NEAR(m.std, bound / std::sqrt(3.0), 0.03 * bound);
  }
};

TEST_F(Init, LayersStartAsPyTorchs) {
  Linear linear(400, 100, true, {.generator = &gen});
  expect_uniform(linear.find_parameter("weight"), 1 / std::sqrt(400.0));
  Linear wide(4, 5000, true, {.generator = &gen});
  expect_uniform(wide.find_parameter("bias"), 0.5);
  Conv conv(2, {.in_channels = 32, .out_channels = 64, .kernel_size = {3, 3}, .groups = 2},
            {.generator = &gen});
  expect_uniform(conv.find_parameter("weight"), 1 / std::sqrt(16.0 * 9));
  Embedding table(500, 64, {.padding_idx = 3}, {.generator = &gen});
  Moments m = moments(table.find_parameter("weight"));
  EXPECT_NEAR(m.mean, 0, 0.02);
  EXPECT_NEAR(m.std, 1, 0.02);
  BatchNorm norm(2, {.num_features = 3});
  EXPECT_EQ(values(norm.find_parameter("weight")), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(values(norm.find_parameter("bias")), (std::vector<double>{0, 0, 0}));
  EXPECT_TRUE(linear.find_parameter("weight").requires_grad());
  EXPECT_FALSE(norm.find_buffer("running_var").requires_grad());

  Generator a(5), b(5);
  EXPECT_EQ(values(Linear(3, 4, true, {.generator = &a}).find_parameter("weight")),
            values(Linear(3, 4, true, {.generator = &b}).find_parameter("weight")));
  Linear half(64, 64, true, {.dtype = DType::bf16});
  EXPECT_EQ(half.find_parameter("bias").dtype(), DType::bf16);
  Linear empty(0, 3);
  EXPECT_EQ(values(empty.find_parameter("bias")), (std::vector<double>{0, 0, 0}));
}

TEST_F(Init, Variances) {
  Tensor w = ops::empty(Shape{100, 60, 2, 2});
  EXPECT_EQ(fans(w).in, 240);
  EXPECT_EQ(fans(w).out, 400);
  xavier_uniform_(w, 2, &gen);
  expect_uniform(w, 2 * std::sqrt(6.0 / 640));
  xavier_normal_(w, 1, &gen);
  EXPECT_NEAR(moments(w).std, std::sqrt(2.0 / 640), 1e-3);
  kaiming_uniform_(w, 0, Fan::out, Nonlinearity::relu, &gen);
  expect_uniform(w, std::sqrt(2.0) * std::sqrt(3.0 / 400));
  kaiming_normal_(w, 0.5, Fan::in, Nonlinearity::leaky_relu, &gen);
  EXPECT_NEAR(moments(w).std, std::sqrt(2 / 1.25 / 240), 1e-3);
  uniform_(w, 2, 4, &gen);
  EXPECT_NEAR(moments(w).mean, 3, 0.02);
  normal_(w, -1, 3, &gen);
  EXPECT_NEAR(moments(w).std, 3, 0.06);
  constant_(w, 0.5);
  EXPECT_EQ(moments(w).low, 0.5);
  testing::expect_error([&] { xavier_uniform_(ops::empty(Shape{3})); }, Code::shape, "2 dimensions");
  testing::expect_error([&] { normal_(w, 0, -1); }, Code::invalid_argument, "std");
}

TEST_F(Init, Dirac) {
  for (int64_t groups : {1, 2})
    for (int64_t in : {2, 3}) {
      Tensor w = ops::ones(Shape{4, in, 3, 2}, DType::f32);
      dirac_(w, groups);
      std::vector<double> wanted(size_t(w.numel()));
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t d = 0; d < std::min(4 / groups, in); ++d)
          wanted[size_t(((g * 4 / groups + d) * in + d) * 6 + 1 * 2 + 1)] = 1;
      EXPECT_EQ(values(w), wanted);
    }
  // Such a convolution answers its input.
  Tensor w = ops::empty(Shape{3, 3, 5}, DType::f32),
         x = ops::normal(0, 1, Shape{2, 3, 7}, DType::f32, Device{}, &gen);
  dirac_(w);
  const int64_t one[] = {1}, two[] = {2};
  EXPECT_EQ(values(ops::conv1d(x, w, {}, one, two, one, 1)), values(x));
  Tensor none = ops::empty(Shape{0, 3, 5}, DType::f32);
  dirac_(none);
  testing::expect_error([&] { dirac_(ops::empty(Shape{3, 3})); }, Code::shape, "[3, 3]");
  testing::expect_error([&] { dirac_(w, 2); }, Code::invalid_argument, "divisible");
  testing::expect_error([&] { dirac_(w, 0); }, Code::invalid_argument, "divisible");
}

TEST_F(Init, Sparse) {
  for (double part : {0.0, 0.1, 0.5, 1.0}) {
    Tensor w = ops::ones(Shape{33, 40}, DType::f32);
    sparse_(w, part, 2, &gen);
    const std::vector<double> v = values(w), other = [&] {
      sparse_(w, part, 2, &gen);
      return values(w);
    }();
    for (size_t c = 0; c < 40; ++c) {
      int zeros = 0;
      for (size_t r = 0; r < 33; ++r) zeros += v[r * 40 + c] == 0;
      EXPECT_EQ(zeros, int(std::ceil(part * 33)));
    }
    if (part < 1) {
      EXPECT_NE(v, other);
    }
    if (part == 0) {
      EXPECT_NEAR(moments(w).std, 2, 0.2);
    }
  }
  Tensor none = ops::empty(Shape{0, 3}, DType::f32);
  sparse_(none, 0.5);
  testing::expect_error([&] { sparse_(ops::empty(Shape{3}), 0.5); }, Code::shape, "[3]");
  testing::expect_error([&] { sparse_(ops::empty(Shape{3, 3}), 1.5); }, Code::invalid_argument, "sparsity");
  testing::expect_error([&] { sparse_(ops::empty(Shape{3, 3}), NAN); }, Code::invalid_argument, "sparsity");
  testing::expect_error([&] { sparse_(ops::empty(Shape{3, 3}), 0.5, -1); }, Code::invalid_argument, "std");
}

TEST_F(Init, TruncatedNormal) {
  Tensor t = ops::empty(Shape{40000}, DType::f64);
  trunc_normal_(t, 1, 2, -1, 3, &gen);  // +- one standard deviation
  Moments m = moments(t);
  EXPECT_GE(m.low, -1);
  EXPECT_LE(m.high, 3);
  EXPECT_GT(m.high, 2.99);
  EXPECT_NEAR(m.mean, 1, 0.02);
  EXPECT_NEAR(m.std, 2 * std::sqrt(1 - 2 * 0.24197072 / 0.68268949), 0.02);
  trunc_normal_(t, 0, 1, 4, 5, &gen);  // deep in the tail
  m = moments(t);
  EXPECT_GE(m.low, 4);
  EXPECT_NEAR(m.mean, 4.2170, 0.01);
  Tensor wide = ops::empty(Shape{1 << 24}, DType::f32);  // some draw is the very end of the range
  trunc_normal_(wide, 0, 1, -1e30, 1e30, &gen);
  m = moments(wide);
  EXPECT_GT(m.low, -7);
  EXPECT_LT(m.high, 7);
  testing::expect_error([&] { trunc_normal_(t, 0, 1, 60, 61, &gen); }, Code::invalid_argument, "too far");
  testing::expect_error([&] { trunc_normal_(t, 0, 1, 1, 1, &gen); }, Code::invalid_argument, "below");
}

TEST_F(Init, Orthogonal) {
  for (auto [rows, cols] : {std::pair<int64_t, int64_t>{5, 12}, {12, 5}, {7, 7}, {1, 3}}) {
    Tensor t = ops::empty(Shape{rows, cols}, DType::f64);
    orthogonal_(t, 2, &gen);
    Tensor gram = rows <= cols ? ops::mm(t, ops::transpose(t, 0, 1)) : ops::mm(ops::transpose(t, 0, 1), t);
    int64_t n = std::min(rows, cols);
    auto v = values(gram);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < n; ++k) EXPECT_NEAR(v[size_t(i * n + k)], i == k ? 4 : 0, 1e-12);
  }
  Tensor conv = ops::empty(Shape{4, 3, 3, 3});
  orthogonal_(conv, 1, &gen);
  EXPECT_NEAR(moments(conv).std * std::sqrt(27.0), 1, 0.05);
}

TEST_F(Init, WritesLeavesWithoutRecording) {
  Tensor t = ops::empty(Shape{4, 4});
  set_requires_grad(t, true);
  kaiming_uniform_(t);
  EXPECT_TRUE(is_leaf(t));
}

}  // namespace
}  // namespace haft::nn
