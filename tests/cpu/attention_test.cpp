// Attention's kernels of every instruction set against plain loops: tiles that break, heads that share, masks.
#include "tests/cpu/kernel_fixture.h"
#include "tests/seed.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

struct Form {
  DType type;
  int64_t heads, own, length, keys, width, value_width;
  bool causal = false, masked = false, transposed = false, added = false;
};

// (heads, rows, width) of one batch, as the kernels read it: also where rows of different heads lie side by side.
Array operand(const Form& f, int64_t heads, int64_t rows, int64_t width, std::mt19937& rng) {
  if (f.transposed) return Array::random(f.type, {1, rows, heads, width}, rng, -1, 1).transpose(1, 2);
  return Array::random(f.type, {1, heads, rows, width}, rng, -1, 1);
}

void check(const Form& f) {
  std::mt19937 rng(uint32_t(test::seed()));
  const double scale = 0.4, tol = f.type == DType::f64 ? 1e-11 : f.type == DType::f32 ? 2e-5 : 2e-2;
  const Array q = operand(f, f.heads, f.length, f.width, rng), k = operand(f, f.own, f.keys, f.width, rng);
  const Array v = operand(f, f.own, f.keys, f.value_width, rng),
              g = Array::random(f.type, {1, f.length, f.heads, f.value_width}, rng, -1, 1);
  Array mask(DType::boolean, {1, f.heads, f.length, f.keys});
  // First rows see nothing.
  for (int64_t i = 0; i < mask.numel(); ++i) mask.set(i, i / f.keys % f.length != 0 && rng() % 3 != 0);
  const DType wide = f.type == DType::f64 ? DType::f64 : DType::f32;
  Array added(wide, {1, f.heads, f.length, f.keys});
  for (int64_t i = 0; i < mask.numel(); ++i) added.set(i, mask.at(i) == 0 ? -kInf : double(i % 5) - 2);
  const Array* const m = !f.masked ? nullptr : f.added ? &added : &mask;
  Array out(f.type, {1, f.length, f.heads, f.value_width}), lse(wide, {1, f.heads, f.length});
  Array dq(f.type, {1, f.length, f.heads, f.width}), dk(f.type, {1, f.keys, f.own, f.width}),
      dv(f.type, {1, f.keys, f.own, f.value_width});
  const auto attrs = words(scale, int64_t(f.causal), 0.0, int64_t(0), int64_t(0));
  run(k_attention, {&q, &k, &v, m}, {&out, &lse}, attrs);
  run(k_attention_backward, {&g, &q, &k, &v, m, &out, &lse}, {&dq, &dk, &dv}, attrs);

  std::vector<double> want(size_t(out.numel())), want_lse(size_t(lse.numel())), want_q(size_t(dq.numel())),
      want_k(size_t(dk.numel())), want_v(size_t(dv.numel()));
  for (int64_t h = 0; h < f.heads; ++h)
    for (int64_t i = 0; i < f.length; ++i) {
      const int64_t kh = h / (f.heads / f.own);
      auto at = [&](int64_t row, int64_t heads, int64_t head, int64_t width, int64_t d) {
        return size_t((row * heads + head) * width + d);
      };
      std::vector<double> p(size_t(f.keys), -kInf), dp(p.size());
      double top = -kInf, sum = 0, mean = 0;
      for (int64_t j = 0; j < f.keys; ++j) {
        if ((f.causal && j > i) || (f.masked && mask.at((h * f.length + i) * f.keys + j) == 0)) continue;
        double s = 0;
        for (int64_t d = 0; d < f.width; ++d)
          s += scale * q.at((h * f.length + i) * f.width + d) * k.at((kh * f.keys + j) * f.width + d);
        if (f.added) s += added.at((h * f.length + i) * f.keys + j);
        p[size_t(j)] = s;
        top = std::max(top, s);
      }
      want_lse[size_t(h * f.length + i)] = -kInf;
      if (top == -kInf) continue;
      for (double& x : p) sum += x = std::exp(x - top);
      want_lse[size_t(h * f.length + i)] = top + std::log(sum);
      for (int64_t j = 0; j < f.keys; ++j) {
        p[size_t(j)] /= sum;
        for (int64_t d = 0; d < f.value_width; ++d) {
          const double x = v.at((kh * f.keys + j) * f.value_width + d),
                       dy = g.at(int64_t(at(i, f.heads, h, f.value_width, d)));
          want[at(i, f.heads, h, f.value_width, d)] += p[size_t(j)] * x;
          want_v[at(j, f.own, kh, f.value_width, d)] += p[size_t(j)] * dy;
          dp[size_t(j)] += x * dy;
        }
        mean += p[size_t(j)] * dp[size_t(j)];
      }
      for (int64_t j = 0; j < f.keys; ++j)
        for (int64_t d = 0; d < f.width; ++d) {
          const double ds = p[size_t(j)] * (dp[size_t(j)] - mean) * scale;
          want_q[at(i, f.heads, h, f.width, d)] += ds * k.at((kh * f.keys + j) * f.width + d);
          want_k[at(j, f.own, kh, f.width, d)] += ds * q.at((h * f.length + i) * f.width + d);
        }
    }
  expect_near(out.values(), want, tol);
  expect_near(lse.values(), want_lse, tol);
  for (const auto& [got, expected] : {std::pair{&dq, &want_q}, {&dk, &want_k}, {&dv, &want_v}})
    expect_near(got->values(), *expected, 4 * tol);
}

TEST(Attention, EveryShapeOfTiles) {
  for (DType t : {DType::f32, DType::f64})
    for (int64_t length : {1, 5, 7, 97})
      for (int64_t keys : {1, 17, 65, 200})
        for (int64_t width : {1, 16, 33})
          if (test::sampled())
            check(
                {t, 2, 1, length, keys, width, width == 16 ? 48 : width, length % 2 == 1, false, keys == 17});
}
// More keys than a tile of forward or of backward takes, read where they lie and packed; queries of several blocks.
TEST(Attention, LongSequences) {
  for (DType t : {DType::f32, DType::f64})
    for (bool causal : {false, true}) {
      check({t, 1, 1, 100, 2100, 16, 16, causal});
      check({t, 1, 1, 53, 2112, 16, 16, causal});
      check({t, 2, 1, 610, 576, 16, 32, causal});
    }
}
TEST(Attention, Masks) {
  for (DType t : {DType::f32, DType::f64})
    for (int64_t keys : {3, 64, 201})
      for (bool causal : {false, true})
        for (bool added : {false, true}) check({t, 4, 2, 98, keys, 8, 24, causal, true, false, added});
}
TEST(Attention, HalfTypesComputeInFloat) {
  for (DType t : {DType::f16, DType::bf16})
    for (int64_t length : {2, 50}) check({t, 2, 2, length, 70, 32, 32, true, false, true});
}
// On a processor that has them: tiles and pairs of 16 bits, whose rows, strips and blocks end everywhere.
TEST(Attention, Bfloat16EveryShapeOfTiles) {
  for (int64_t length : {1, 15, 33, 128, 161})
    for (int64_t keys : {1, 31, 32, 129, 300})
      for (int64_t width : {1, 16, 40, 64}) {
        if (!test::sampled()) continue;
        const bool causal = length % 2 == 1;
        check({DType::bf16, 2, 1, length, keys, width, width == 16 ? 72 : width, causal, false, keys == 31});
      }
}
TEST(Attention, Bfloat16Masks) {
  for (int64_t keys : {3, 64, 201})
    for (bool causal : {false, true})
      for (bool added : {false, true})
        check({DType::bf16, 4, 2, 98, keys, 8, 24, causal, true, false, added});
}
TEST(Attention, Bfloat16LargeHeads) {
  check({DType::bf16, 1, 1, 70, 270, 256, 256, false});
  check({DType::bf16, 1, 1, 270, 270, 128, 200, true});
}

}  // namespace
