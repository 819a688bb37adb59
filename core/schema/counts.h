// Poisson and binomial variables, for every device. philox.h defines the numbers that are drawn.
#pragma once
#include "core/schema/philox.h"

namespace haft::fn {

// Where fewer than this many are expected, masses are added up from 0 on.
constexpr double kFewExpected = 10;

// The hat of a transformed rejection and what is taken without a look at the law.
struct CountHat {
  double a, b, center, quick, width;
};
struct PoissonLaw {
  double mean, logged;

  HAFT_FN double growth(double k) const { return mean / k; }
  HAFT_FN double log_mass(double k) const { return k * logged - mean - lgamma(k + 1); }
};
// Of the success that is the rarer outcome; `norm` is the logarithm of the largest mass.
struct BinomialLaw {
  double n, odds, logged, norm;

  HAFT_FN double growth(double k) const { return n >= k ? odds * (n - k + 1) / k : 0; }
  HAFT_FN double mass(double k) const { return k * logged - lgamma(k + 1) - lgamma(n - k + 1); }
  HAFT_FN double log_mass(double k) const { return k > n ? -infinity() : mass(k) - norm; }
};

// The first k whose masses up to it reach a uniform number.
template <class Law>
HAFT_FN double count_by_search(const Philox& source, uint64_t i, const Law& law, double first) {
  const double u = source.uniform64(i);
  double mass = first, reached = first;
  int k = 0;
  while (k < 199 && u > reached) {  // nobody reaches 199 of 10
    mass *= law.growth(k + 1);
    if (!(mass > 0)) break;  // the last one: what rounding left out is its
    reached += mass;
    ++k;
  }
  return k;
}

// Hoermann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
// Economics 12, 1993. An attempt fails with a probability below 0.35, so that the limit is never met.
template <class Law>
HAFT_FN double count_by_rejection(const Philox& source, uint64_t i, const Law& law, const CountHat& hat) {
  for (uint32_t plane = 2; plane < 1024; plane += 4) {
    const double u = source.uniform64(i, plane) - 0.5, v = 1 - source.uniform64(i, plane + 2);
    const double us = 0.5 - abs(u), k = floor((hat.a * 2 / us + hat.b) * u + hat.center);
    if (us >= 0.07 && v <= hat.quick) return k;
    if (k >= 0 && log(v) + hat.width - log(hat.a / (us * us) + hat.b) <= law.log_mass(k)) return k;
  }
  return floor(hat.center);
}

// An infinite mean is its own variable.
HAFT_FN double draw_poisson(const Philox& source, uint64_t i, double mean) {
  if (mean == infinity()) return mean;
  const PoissonLaw law{mean, log(mean)};
  if (mean < kFewExpected) return count_by_search(source, i, law, exp(-mean));
  const double b = sqrt(mean) * 2.53 + 0.931;
  const CountHat hat{b * 0.02483 - 0.059, b, mean + 0.43, 0.9277 - 3.6224 / (b - 2),
                     log(1.1239 + 1.1328 / (b - 3.4))};
  return count_by_rejection(source, i, law, hat);
}

// Of n trials, each a success with probability p: by the rarer of success and failure.
HAFT_FN double draw_binomial(const Philox& source, uint64_t i, double n, double p) {
  const bool swapped = p > 0.5;
  if (swapped) p = 1 - p;
  if (n == infinity()) return p > 0 || swapped ? n : 0;
  const double mean = n * p, odds = p / (1 - p);
  BinomialLaw law{n, odds, log(odds), 0};
  double k;
  if (mean < kFewExpected) {
    k = count_by_search(source, i, law, exp(n * log1p(-p)));
  } else {
    law.norm = law.mass(floor((n + 1) * p));
    const double spread = sqrt(mean * (1 - p)), b = spread * 2.53 + 1.15;
    const CountHat hat{b * 0.0248 + p * 0.01 - 0.0873, b, mean + 0.5, 0.92 - 4.2 / b,
                       log((5.1 / b + 2.83) * spread)};
    k = count_by_rejection(source, i, law, hat);
  }
  return swapped ? n - k : k;
}

}  // namespace haft::fn
