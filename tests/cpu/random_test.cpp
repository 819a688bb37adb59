#include <algorithm>
#include <numeric>
#include <set>

#include "core/cpu/philox.h"
#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

constexpr int64_t kSeed = 0x123456789abcdef, kOffset = 77;
const std::span<const int64_t> kAnySize;  // kernels read the output's view

Array draw(void (*kernel)(const haft_kernel_call&), DType t, int64_t n, double a, double b,
           int64_t offset = kOffset) {
  Array out(t, {n});
  run(kernel, {}, {&out}, words(kAnySize, a, b, kSeed, offset, int64_t(t), int64_t(0)));
  return out;
}

void moments(const Array& a, double* mean, double* var) {
  const auto v = a.values();
  *mean = std::accumulate(v.begin(), v.end(), 0.0) / double(v.size());
  *var = 0;
  for (double x : v) *var += (x - *mean) * (x - *mean) / double(v.size());
}

}  // namespace

// Known-answer vectors of Random123 (kat_vectors, philox4x32-10).
TEST(Philox, KnownAnswers) {
  using W = fn::PhiloxWords;
  EXPECT_EQ(philox4x32({{0, 0, 0, 0}}, 0, 0), (W{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
  EXPECT_EQ(philox4x32({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff),
            (W{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
  EXPECT_EQ(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
            (W{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST(Random, UniformFollowsItsDefinition) {
  const Philox p{uint64_t(kSeed), uint64_t(kOffset)};
  for (int64_t n : {0, 1, 3, 64, 1023, 1024, 1025, 40001}) {
    const Array f = draw(k_philox_uniform, DType::f32, n, 0, 1),
                d = draw(k_philox_uniform, DType::f64, n, 0, 1);
    const Array h = draw(k_philox_uniform, DType::f16, n, 0, 1),
                b = draw(k_philox_uniform, DType::bf16, n, 0, 1);
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t w = p.word(uint64_t(i));
      ASSERT_EQ(f.at(i), double(w >> 8) * 0x1p-24);
      ASSERT_EQ(d.at(i), p.uniform64(uint64_t(i)));
      ASSERT_EQ(h.at(i), double(w >> 21) * 0x1p-11);
      ASSERT_EQ(b.at(i), double(w >> 24) * 0x1p-8);
    }
  }
}

// On every instruction set and device, so no step may be fused with another.
TEST(Random, EachStepToOtherBoundsIsRounded) {
  const Philox p{uint64_t(kSeed), uint64_t(kOffset)};
  const double low = -0.3, high = 1.9;
  const int64_t n = 4000;
  const Array f = draw(k_philox_uniform, DType::f32, n, low, high),
              d = draw(k_philox_uniform, DType::f64, n, low, high);
  for (int64_t i = 0; i < n; ++i) {
    volatile float u = float(p.word(uint64_t(i)) >> 8) * 0x1p-24f, part = u * float(high - low);
    volatile double wide = p.uniform64(uint64_t(i)) * (high - low);
    const float v = float(low) + part;
    const double w = low + wide;
    ASSERT_EQ(f.at(i), double(v >= float(high) ? float(low) : v));
    ASSERT_EQ(d.at(i), w >= high ? low : w);
  }
}

TEST(Random, CounterCarriesIntoItsUpperWord) {
  for (int64_t offset : {int64_t(0xfffffff0), int64_t(-5)}) {
    const Philox p{uint64_t(kSeed), uint64_t(offset)};
    const Array f = draw(k_philox_uniform, DType::f32, 300, 0, 1, offset);
    for (int64_t i = 0; i < 300; ++i) ASSERT_EQ(f.at(i), double(p.word(uint64_t(i)) >> 8) * 0x1p-24);
  }
}

TEST(Random, UniformStaysBelowHigh) {
  for (DType t : kFloats) {
    const Array a = draw(k_philox_uniform, t, 100000, 1000, 1001);
    for (int64_t i = 0; i < a.numel(); ++i) {
      ASSERT_GE(a.at(i), 1000);
      ASSERT_LT(a.at(i), 1001);
    }
  }
  double mean, var;
  moments(draw(k_philox_uniform, DType::f32, 200000, -1, 3), &mean, &var);
  EXPECT_NEAR(mean, 1, 0.02);
  EXPECT_NEAR(var, 16.0 / 12, 0.02);
}

TEST(Random, NormalFollowsItsDefinition) {
  const Philox p{uint64_t(kSeed), uint64_t(kOffset)};
  for (int64_t n : {1, 2, 5, 1024, 1027, 30001}) {
    const Array f = draw(k_philox_normal, DType::f32, n, 2, 3),
                d = draw(k_philox_normal, DType::f64, n, 2, 3);
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t e = uint64_t(i - i % 2);
      const double pi2 = 6.283185307179586;
      const double u1 = double(float(p.word(e)) * 0x1p-32f + 0x1p-33f),
                   u2 = double(p.word(e + 1) >> 8) * 0x1p-24;
      const double z = std::sqrt(-2 * std::log(u1)) * (i % 2 ? std::sin(pi2 * u2) : std::cos(pi2 * u2));
      ASSERT_NEAR(f.at(i), 2 + 3 * z, 1e-5) << i;
      const double v1 = p.uniform64(e) + 0x1p-53, v2 = p.uniform64(e + 1);
      const double y = std::sqrt(-2 * std::log(v1)) * (i % 2 ? std::sin(pi2 * v2) : std::cos(pi2 * v2));
      ASSERT_NEAR(d.at(i), 2 + 3 * y, 1e-12) << i;
    }
  }
  double mean, var;
  for (DType t : kFloats) {
    moments(draw(k_philox_normal, t, 200000, 1, 2), &mean, &var);
    EXPECT_NEAR(mean, 1, 0.02);
    EXPECT_NEAR(var, 4, 0.06);
  }
}

TEST(Random, IntegersCoverTheirRange) {
  auto integers = [](DType t, int64_t n, int64_t low, int64_t high) {
    Array out(t, {n});
    run(k_philox_randint, {}, {&out}, words(kAnySize, low, high, kSeed, kOffset, int64_t(t), int64_t(0)));
    return out;
  };
  const Array a = integers(DType::i64, 60000, -3, 7);
  std::vector<int> count(10);
  for (int64_t i = 0; i < a.numel(); ++i) {
    ASSERT_GE(a.at(i), -3);
    ASSERT_LT(a.at(i), 7);
    ++count[size_t(a.at(i) + 3)];
  }
  for (int c : count) EXPECT_NEAR(c, 6000, 400);
  const Array wide = integers(DType::i64, 4000, INT64_MIN, INT64_MAX);
  int negative = 0;
  for (int64_t i = 0; i < wide.numel(); ++i) negative += wide.at(i) < 0;
  EXPECT_NEAR(negative, 2000, 200);
  const Array one = integers(DType::u8, 100, 5, 6);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(one.at(i), 5);
  EXPECT_EQ(integers(DType::f32, 10, 0, 10).values(), integers(DType::i32, 10, 0, 10).values());
  expect_error(Code::invalid_argument, {"low is 4", "high is 4"}, [&] { integers(DType::i64, 1, 4, 4); });
}

TEST(Random, Bernoulli) {
  std::mt19937 rng(3);
  for (DType t : kFloats) {
    const Array p = Array::random(t, {300, 100}, rng, 0, 1);
    Array out(t, {300, 100}), turned(t, {100, 300});
    run(k_philox_bernoulli, {&p}, {&out}, words(kSeed, kOffset));
    double wanted = 0, got = 0;
    for (int64_t i = 0; i < p.numel(); ++i) {
      ASSERT_TRUE(out.at(i) == 0 || out.at(i) == 1);
      wanted += p.at(i);
      got += out.at(i);
    }
    EXPECT_NEAR(got, wanted, 300);
    const Array pt = p.transpose(0, 1);
    run(k_philox_bernoulli, {&pt}, {&turned}, words(kSeed, kOffset));
    const Philox philox{uint64_t(kSeed), uint64_t(kOffset)};
    for (int64_t i = 0; i < 1000; ++i) {
      const double u =
          t == DType::f64 ? philox.uniform64(uint64_t(i)) : double(philox.word(uint64_t(i)) >> 8) * 0x1p-24;
      ASSERT_EQ(turned.at(i), u < pt.at(i));
    }
  }
  for (double bad : {1.5, -0.1, kNaN}) {
    const Array p(DType::f32, {3}, {0.5, bad, 0});
    Array out(DType::f32, {3});
    expect_error(Code::invalid_argument, {"element 1"},
                 [&] { run(k_philox_bernoulli, {&p}, {&out}, words(kSeed, kOffset)); });
  }
}

TEST(Random, PermutationSortsTheWords) {
  for (int64_t n : {0, 1, 2, 100, 5000}) {
    Array out(DType::i64, {n});
    run(k_philox_randperm, {}, {&out}, words(n, kSeed, kOffset, int64_t(0), int64_t(0)));
    std::vector<double> want(size_t(n), 0.0);
    std::iota(want.begin(), want.end(), 0.0);
    const Philox p{uint64_t(kSeed), uint64_t(kOffset)};
    std::stable_sort(want.begin(), want.end(),
                     [&](double a, double b) { return p.word64(uint64_t(a)) < p.word64(uint64_t(b)); });
    EXPECT_EQ(out.values(), want);
  }
}

TEST(Random, Dropout) {
  std::mt19937 rng(4);
  const Philox philox{uint64_t(kSeed), uint64_t(kOffset)};
  for (DType t : kFloats)
    for (double p : {0.0, 0.1, 0.5, 1.0})
      for (int64_t n : {0, 1, 63, 2049}) {
        Array x = Array::random(t, {n}, rng);
        if (n > 1) x.set(1, kNaN);
        Array y(t, {n}), mask(DType::boolean, {n});
        run(k_philox_dropout, {&x}, {&y, &mask}, words(p, kSeed, kOffset));
        for (int64_t i = 0; i < n; ++i) {
          const bool keep = double(philox.word(uint64_t(i)) >> 8) * 0x1p-24 >= p;
          ASSERT_EQ(mask.at(i), keep);
          if (!keep)
            ASSERT_EQ(y.at(i), 0);
          else if (std::isnan(x.at(i)))
            ASSERT_TRUE(std::isnan(y.at(i)));
          else
            ASSERT_NEAR(y.at(i), x.at(i) / (1 - p), tolerance(t) * 4);
        }
      }
  Array x(DType::f32, {2}), mask(DType::boolean, {2});
  expect_error(Code::invalid_argument, {"p is 1.5"}, [&] {
    run(k_philox_dropout, {&x}, {&x, &mask}, words(1.5, kSeed, kOffset));
  });
}

TEST(Random, Multinomial) {
  const Array w(DType::f32, {2, 4}, {1, 0, 3, 4, 5, 5, 0, 0});
  const int64_t n = 20000;
  Array out(DType::i64, {2, n});
  run(k_philox_multinomial, {&w}, {&out}, words(n, int64_t(1), kSeed, kOffset));
  double count[2][4] = {};
  for (int64_t i = 0; i < 2 * n; ++i) {
    ASSERT_TRUE(out.at(i) >= 0 && out.at(i) < 4);
    count[i / n][int64_t(out.at(i))]++;
  }
  EXPECT_EQ(count[0][1], 0);
  EXPECT_EQ(count[1][2] + count[1][3], 0);
  EXPECT_NEAR(count[0][2] / double(n), 3.0 / 8, 0.02);
  EXPECT_NEAR(count[1][0] / double(n), 0.5, 0.02);

  Array two(DType::i64, {2, 2});
  std::vector<int> first(4);
  for (int64_t k = 0; k < 3000; ++k) {
    run(k_philox_multinomial, {&w}, {&two}, words(int64_t(2), int64_t(0), kSeed, k * 2));
    ASSERT_NE(two.at(0), two.at(1));
    ASSERT_NE(two.at(0), 1);
    ASSERT_NE(two.at(1), 1);
    ++first[size_t(two.at(0))];
  }
  EXPECT_NEAR(first[3], 1500, 150);
  EXPECT_NEAR(first[0], 375, 100);

  // More than there are positive weights: those first, then the others.
  Array three(DType::i64, {2, 3});
  run(k_philox_multinomial, {&w}, {&three}, words(int64_t(3), int64_t(0), kSeed, kOffset));
  EXPECT_EQ(std::set<double>({three.at(3), three.at(4)}), std::set<double>({0, 1}));
  EXPECT_GE(three.at(5), 2);
  for (double bad : {-1.0, kNaN, kInf}) {
    const Array v(DType::f32, {2}, {1, bad});
    Array o(DType::i64, {1});
    expect_error(Code::invalid_argument, {"weight 1 of row 0"}, [&] {
      run(k_philox_multinomial, {&v}, {&o}, words(int64_t(1), int64_t(1), kSeed, kOffset));
    });
  }
  const Array zero(DType::f32, {2}, {0, 0});
  Array o(DType::i64, {1});
  expect_error(Code::invalid_argument, {"sum to 0"}, [&] {
    run(k_philox_multinomial, {&zero}, {&o}, words(int64_t(1), int64_t(1), kSeed, kOffset));
  });
}
