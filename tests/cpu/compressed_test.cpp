// Gradients in fewer bits, bit for bit as loops over single elements make them, with every instruction set.
#include "core/cpu/compressed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/seed.h"

namespace {

using namespace haft::cpu;
using Floats = std::vector<float>;

constexpr int64_t kSizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 511, 513, 4095, 4096, 4097, 70001};

struct Case {
  Floats g, rest, x;
  bool keeps;
  Case(int64_t n, bool keeps, std::mt19937_64& rng) : g(size_t(n)), rest(size_t(n)), keeps(keeps) {
    std::normal_distribution<float> d;
    for (float& v : g) v = d(rng);
    for (float& v : rest) v = 0.1f * d(rng);
    if (n > 8) g[3] = rest[3] = 0;
    add_up();
  }
  void add_up() {
    x = g;
    for (size_t i = 0; keeps && i < x.size(); ++i) x[i] += rest[i];
  }
  Gradient gradient() { return {g.data(), keeps ? rest.data() : nullptr, int64_t(g.size())}; }
};

template <class F>
void each_case(F&& f) {
  std::mt19937_64 rng(haft::test::seed());
  for (int64_t n : kSizes)
    for (bool keeps : {true, false}) {
      SCOPED_TRACE(testing::Message() << n << " elements" << (keeps ? " and what is kept" : ""));
      Case c(n, keeps, rng);
      f(c);
    }
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(float)));
}

TEST(Compressed, SizesAreThoseOfTheSum) {
  each_case([](Case& c) {
    const Size s = size_of(c.gradient());
    float largest = 0;
    double sum = 0;
    for (float x : c.x) {
      largest = std::max(largest, std::abs(x));
      sum += std::abs(double(x));
    }
    EXPECT_TRUE(s.finite);
    EXPECT_EQ(s.largest, largest);
    EXPECT_NEAR(s.mean, c.x.empty() ? 0 : sum / double(c.x.size()), 1e-5);
    if (c.x.empty()) return;
    for (float bad : {NAN, INFINITY, -INFINITY}) {
      Case d = c;
      d.g.back() = bad;
      EXPECT_FALSE(size_of(d.gradient()).finite);
    }
    if (!c.keeps) return;
    c.g[0] = c.rest[0] = std::numeric_limits<float>::max();  // only their sum is too much
    EXPECT_FALSE(size_of(c.gradient()).finite);
  });
}

TEST(Compressed, Int8) {
  each_case([](Case& c) {
    const float unit = size_of(c.gradient()).largest / 127;
    std::vector<int8_t> q(c.g.size()), want(c.g.size());
    Floats rest = c.rest, sum(c.g.size(), 5.0f), want_sum(c.g.size());
    for (size_t i = 0; i < want.size(); ++i) {
      want[i] = int8_t(std::nearbyint(c.x[i] / (unit > 0 ? unit : 1)));
      const float stands_for = float(want[i]) * unit, half = float(want[i]) * (unit / 2),
                  third = float(want[i]) * (unit / 3);
      if (c.keeps) rest[i] = c.x[i] - stands_for;
      want_sum[i] = 0.0f + half;
      want_sum[i] += third;
    }
    take_int8(q.data(), c.gradient(), unit);
    EXPECT_EQ(q, want);
    EXPECT_TRUE(same_bits(c.rest, rest));
    const int8_t* from[] = {q.data(), q.data()};
    const float units[] = {unit / 2, unit / 3};
    sum_int8(sum.data(), from, units, 2, int64_t(sum.size()));
    EXPECT_TRUE(same_bits(sum, want_sum));
  });
}

TEST(Compressed, Signs) {
  each_case([](Case& c) {
    const float size = size_of(c.gradient()).mean;
    std::vector<uint8_t> bits((c.g.size() + 7) / 8, 0xff), want(bits.size());
    Floats rest = c.rest, sum(c.g.size(), 5.0f), want_sum(c.g.size());
    for (size_t i = 0; i < c.x.size(); ++i) {
      const bool above = c.x[i] > 0;
      want[i / 8] |= uint8_t(above << i % 8);
      if (c.keeps) rest[i] = c.x[i] - (above ? size : -size);
      want_sum[i] = 0.0f + (above ? size : -size);
      want_sum[i] += above ? 0.25f : -0.25f;
    }
    take_signs(bits.data(), c.gradient(), size);
    EXPECT_EQ(bits, want);
    EXPECT_TRUE(same_bits(c.rest, rest));
    const uint8_t* from[] = {bits.data(), bits.data()};
    const float sizes[] = {size, 0.25f};
    sum_signs(sum.data(), from, sizes, 2, int64_t(sum.size()));
    EXPECT_TRUE(same_bits(sum, want_sum));
  });
}

std::vector<int32_t> largest_of(const Floats& x, int64_t k) {
  std::vector<int32_t> places(x.size());
  for (size_t i = 0; i < x.size(); ++i) places[i] = int32_t(i);
  std::ranges::stable_sort(
      places, [&](int32_t a, int32_t b) { return std::abs(x[size_t(a)]) > std::abs(x[size_t(b)]); });
  places.resize(size_t(k));
  std::ranges::sort(places);
  return places;
}

TEST(Compressed, TheLargest) {
  each_case([](Case& c) {
    const auto n = int64_t(c.g.size());
    const auto check = [&](const char* what) {
      SCOPED_TRACE(what);
      c.add_up();
      for (int64_t k : {int64_t(1), n / 100, n / 3, n - 1, n}) {
        if (k < 1 || k > n) continue;
        std::vector<int32_t> places(size_t(k), -1);
        bool finite = false;
        find_largest(places.data(), c.gradient(), k, &finite);
        EXPECT_TRUE(finite);
        EXPECT_EQ(places, largest_of(c.x, k)) << k;
      }
    };
    check("as they come");
    std::fill(c.rest.begin(), c.rest.end(), 0.0f);
    for (size_t i = 0; i < c.g.size(); ++i) c.g[i] = float(int(i % 5) - 2);
    check("many are equal");
    for (size_t i = 0; i < c.g.size(); ++i)
      if (i % 300) c.g[i] = i % 2 ? 0.0f : -0.0f;
    check("most are zero");
    for (size_t i = 0; i < c.g.size(); ++i) c.g[i] = i % 64 < 16 ? 100.0f + float(i) : 1e-42f * float(i % 7);
    check("large ones stand together");
    if (c.g.empty()) return;
    c.g.back() = NAN;
    bool finite = true;
    int32_t place = -1;
    find_largest(&place, c.gradient(), 1, &finite);
    EXPECT_FALSE(finite);
    EXPECT_EQ(place, n - 1);
  });
}

TEST(Compressed, NothingIsTaken) {
  each_case([](Case& c) {
    const Floats rest = c.keeps ? c.x : c.rest;
    take_nothing(c.gradient());
    EXPECT_TRUE(same_bits(c.rest, rest));
  });
}

}  // namespace
