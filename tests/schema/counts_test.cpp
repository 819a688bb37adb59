// Poisson and binomial variables against the masses of their laws.
#include "core/schema/counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace haft {
namespace {

// Pearson's statistic of n draws, of cells that expect 20 or more; outside `least` to `most` nothing is drawn.
void expect_law(const std::function<double(uint64_t)>& draw, const std::function<double(double)>& mass,
                double least, double most) {
  constexpr int kDraws = 40000;
  std::vector<int> drawn(size_t(most - least) + 1);
  for (uint64_t i = 0; i < kDraws; ++i) {
    const double k = draw(i);
    ASSERT_TRUE(k >= least && k <= most && k == std::floor(k)) << k;
    ++drawn[size_t(k - least)];
  }
  double statistic = 0, expected = 0, seen = 0, left = 1;
  int cells = 0;
  for (double k = least; k <= most; ++k) {
    const double p = mass(k);
    expected += p * kDraws, seen += drawn[size_t(k - least)], left -= p;
    if (left * kDraws >= 20 ? expected < 20 : k < most) continue;
    expected += k == most ? left * kDraws : 0;
    statistic += (seen - expected) * (seen - expected) / expected;
    expected = seen = 0, ++cells;
  }
  const double freedom = cells - 1;
  EXPECT_LT(statistic, freedom + 4 * std::sqrt(2 * freedom) + 4) << cells << " cells";
}

constexpr fn::Philox kSource{20, 3};

TEST(Counts, PoissonVariablesFollowTheirLaw) {
  for (double rate : {1e-3, 0.4, 3.0, 9.99, 10.0, 14.0, 90.0, 4000.0}) {
    SCOPED_TRACE(rate);
    const double wide = 7 * std::sqrt(rate) + 10;
    expect_law([&](uint64_t i) { return fn::draw_poisson(kSource, i, rate); },
               [&](double k) { return std::exp(k * std::log(rate) - rate - std::lgamma(k + 1)); },
               std::max(0.0, std::floor(rate - wide)), std::floor(rate + wide));
  }
}

TEST(Counts, BinomialVariablesFollowTheirLaw) {
  const std::pair<double, double> laws[] = {{1, 0.5},      {3, 0.999},   {19, 0.5},   {20, 0.5},   {50, 0.75},
                                            {100, 0.0999}, {1000, 0.99}, {1e5, 1e-4}, {30000, 0.3}};
  for (const auto& [n, p] : laws) {
    SCOPED_TRACE(::testing::Message() << n << " trials, " << p);
    const double mean = n * p, wide = 7 * std::sqrt(mean * (1 - p)) + 10;
    const auto mass = [n = n, p = p](double k) {
      return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                      (n - k) * std::log1p(-p));
    };
    expect_law([n = n, p = p](uint64_t i) { return fn::draw_binomial(kSource, i, n, p); }, mass,
               std::max(0.0, std::floor(mean - wide)), std::min(n, std::floor(mean + wide)));
  }
}

TEST(Counts, WhatCannotVaryDoesNot) {
  for (uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(fn::draw_poisson(kSource, i, 0), 0);
    EXPECT_EQ(fn::draw_poisson(kSource, i, INFINITY), INFINITY);
    for (double p : {0.0, 0.5, 1.0}) EXPECT_EQ(fn::draw_binomial(kSource, i, 0, p), 0);
    for (double n : {7.0, 1e6, double(INFINITY)}) {
      EXPECT_EQ(fn::draw_binomial(kSource, i, n, 0), 0);
      EXPECT_EQ(fn::draw_binomial(kSource, i, n, 1), n);
    }
  }
}

// A sum of masses that rounding leaves below the uniform number ends at the last count, not behind it.
TEST(Counts, SearchEndsWithTheLaw) {
  const fn::BinomialLaw law{1, 1, 0, 0};
  int ones = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    const double k = fn::count_by_search(kSource, i, law, 0.25);  // masses of 1/4 and 1/4
    EXPECT_LE(k, 1);
    ones += k == 1;
  }
  EXPECT_GT(ones, 25);
}

}  // namespace
}  // namespace haft
