#include "tests/cpu/kernel_case.h"

namespace haft::test {
namespace {

std::mt19937 rng(17);

struct Case {
  std::vector<int64_t> size;
  uint8_t layout;
};
std::vector<Case> cases() {
  return {{{4, 16, 5, 7}, HAFT_LAYOUT_STRIDED},   {{4, 16, 5, 7}, HAFT_LAYOUT_BLOCKED16},
          {{3, 32, 9, 9}, HAFT_LAYOUT_BLOCKED8},  {{3, 24, 6, 5}, HAFT_LAYOUT_BLOCKED8},
          {{5, 3, 33, 31}, HAFT_LAYOUT_STRIDED},  {{37, 10}, HAFT_LAYOUT_STRIDED},
          {{100, 130}, HAFT_LAYOUT_STRIDED},      {{6, 7, 11}, HAFT_LAYOUT_STRIDED},
          {{2, 3, 2, 3, 5}, HAFT_LAYOUT_STRIDED}, {{1, 4, 50}, HAFT_LAYOUT_STRIDED}};
}
int64_t channel(const std::vector<int64_t>& size, size_t i) {
  int64_t inner = 1;
  for (size_t d = 2; d < size.size(); ++d) inner *= size[d];
  return int64_t(i) / inner % size[1];
}

void check(const Case& c, DType t, bool affine, double offset, uint8_t grad_layout) {
  Sample x, w, b, y, mean, g, dx, dw, db, z, var;
  x.make(t, c.size, c.layout);
  x.fill(rng);
  for (double& v : x.value) v += offset;
  x.write();
  int64_t channels = c.size[1];
  DType ct = t == DType::f64 ? DType::f64 : DType::f32;
  w.make(ct, {channels});
  w.fill(rng);
  b.make(ct, {channels});
  b.fill(rng);
  y.make(t, c.size, c.layout);
  mean.make(ct, {channels});
  var.make(ct, {channels});
  AttrWriter a;
  a.add(1e-5);
  auto attrs = a.finish();
  run(cpu::k_batch_norm_stats, OpId::batch_norm_stats, {&x, affine ? &w : nullptr, affine ? &b : nullptr},
      {&y, &mean, &var}, attrs);
  std::vector<double> m(size_t(channels), 0.0), v(size_t(channels), 0.0), is(size_t(channels), 0.0);
  double n = double(x.numel() / channels);
  for (size_t i = 0; i < x.value.size(); ++i) m[size_t(channel(c.size, i))] += x.value[i] / n;
  for (size_t i = 0; i < x.value.size(); ++i) {
    size_t ch = size_t(channel(c.size, i));
    v[ch] += (x.value[i] - m[ch]) * (x.value[i] - m[ch]) / n;
  }
  for (size_t i = 0; i < is.size(); ++i) is[i] = 1 / std::sqrt(v[i] + 1e-5);
  auto weight = [&](size_t ch) { return affine ? w.value[ch] : 1.0; };
  std::vector<double> want(x.value.size());
  for (size_t i = 0; i < want.size(); ++i) {
    size_t ch = size_t(channel(c.size, i));
    want[i] = (x.value[i] - m[ch]) * is[ch] * weight(ch) + (affine ? b.value[ch] : 0.0);
  }
  std::string what =
      concat("batch norm ", dtype_name(t), " rank ", int(c.size.size()), " layout ", int(c.layout));
  expect_near(mean, m, 9, what + " mean");
  expect_near(var, v, 9, what + " variance");
  expect_near(y, want, offset ? 100 * offset * offset : 9, what);

  var.value = v;
  var.write();
  mean.value = m;
  mean.write();
  z.make(t, c.size, c.layout);
  run(cpu::k_batch_norm_apply, OpId::batch_norm_apply,
      {&x, affine ? &w : nullptr, affine ? &b : nullptr, &mean, &var}, {&z}, attrs);
  expect_near(z, want, offset ? 100 * offset * offset : 9, what + " apply");
  if (offset) return;

  g.make(t, c.size, grad_layout);
  g.fill(rng);
  dx.make(t, c.size, c.layout);
  dw.make(ct, {channels});
  db.make(ct, {channels});
  run(cpu::k_batch_norm_backward, OpId::batch_norm_backward, {&g, &x, affine ? &w : nullptr, &mean, &var},
      {&dx, &dw, &db}, attrs);
  std::vector<double> sg(size_t(channels), 0.0), sx(size_t(channels), 0.0), wx(x.value.size());
  for (size_t i = 0; i < wx.size(); ++i) {
    size_t ch = size_t(channel(c.size, i));
    sg[ch] += g.value[i];
    sx[ch] += g.value[i] * (x.value[i] - m[ch]) * is[ch];
  }
  for (size_t i = 0; i < wx.size(); ++i) {
    size_t ch = size_t(channel(c.size, i));
    wx[i] = weight(ch) * is[ch] * (g.value[i] - sg[ch] / n - (x.value[i] - m[ch]) * is[ch] * sx[ch] / n);
  }
  expect_near(dx, wx, 30, what + " dx");
  expect_near(dw, sx, n, what + " dweight");
  expect_near(db, sg, n, what + " dbias");
  Sample total;
  total.make(t, {channels});
  run(cpu::k_channel_sum, OpId::channel_sum, {&g}, {&total});
  expect_near(total, sg, n, what + " channel_sum");
}

TEST(BatchNorm, StatisticsOutputAndGradients) {
  for (const Case& c : cases())
    for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16})
      for (bool affine : {true, false}) {
        check(c, t, affine, 0, c.layout);
        check(c, t, affine, 0, HAFT_LAYOUT_STRIDED);
      }
}

TEST(BatchNorm, LargeMeanDoesNotSpoilTheVariance) {
  for (const Case& c : cases()) check(c, DType::f32, true, 100, c.layout);
}

// The variance is not read back from 1 / sqrt(variance + eps), where eps drowns it.
TEST(BatchNorm, VarianceFarBelowEpsKeepsItsDigits) {
  for (double size : {1e-4, 1e-8, 1e-16}) {
    Sample x, y, mean, var;
    x.make(DType::f32, {7, 3, 5, 3});
    x.fill(rng);
    for (double& v : x.value) v *= size;
    x.write();
    for (size_t i = 0; i < x.value.size(); ++i) x.value[i] = x.at(int64_t(i));
    y.make(DType::f32, {7, 3, 5, 3});
    mean.make(DType::f32, {3});
    var.make(DType::f32, {3});
    AttrWriter a;
    a.add(1e-5);
    run(cpu::k_batch_norm_stats, OpId::batch_norm_stats, {&x, nullptr, nullptr}, {&y, &mean, &var},
        a.finish());
    double m[3] = {}, v[3] = {};
    for (size_t i = 0; i < x.value.size(); ++i) m[i / 15 % 3] += x.value[i] / 105;
    for (size_t i = 0; i < x.value.size(); ++i)
      v[i / 15 % 3] += (x.value[i] - m[i / 15 % 3]) * (x.value[i] - m[i / 15 % 3]) / 105;
    for (int64_t ch = 0; ch < 3; ++ch) EXPECT_NEAR(var.at(ch) / v[ch], 1, 1e-6) << size;
  }
}

TEST(BatchNorm, NanStaysInItsChannel) {
  Sample x, y, mean, var;
  x.make(DType::f32, {4, 3, 5, 5});
  x.fill(rng);
  x.value[25] = std::nan("");  // channel 1
  x.write();
  y.make(DType::f32, {4, 3, 5, 5});
  mean.make(DType::f32, {3});
  var.make(DType::f32, {3});
  AttrWriter a;
  a.add(1e-5);
  run(cpu::k_batch_norm_stats, OpId::batch_norm_stats, {&x, nullptr, nullptr}, {&y, &mean, &var}, a.finish());
  EXPECT_TRUE(std::isnan(mean.at(1)) && std::isnan(var.at(1)) && std::isnan(y.at(30)));
  EXPECT_FALSE(std::isnan(mean.at(0)) || std::isnan(var.at(2)) || std::isnan(y.at(0)));
}

}  // namespace
}  // namespace haft::test
