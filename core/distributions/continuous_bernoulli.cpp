// Density exp(n x - A(n)) over [0, 1] (Loaiza-Ganem and Cunningham, "The continuous Bernoulli", NeurIPS 2019). With n =
// logits, A(n) = n / 2 + g(n), g(n) = log(sinh(n / 2) / (n / 2)). Near n = 0 closed forms cancel: series stand there.
#include "core/distributions/continuous_bernoulli.h"

#include <cmath>

#include "core/distributions/either.h"

namespace haft {

namespace {

// g is the sum of B(2k) / (2k (2k)!) n^2k over k = 1, 2, ..., B Bernoulli's numbers.
constexpr double kEven[] = {1.0 / 24,           -1.0 / 2880,     1.0 / 181440,
                            -1.0 / 9676800,     1.0 / 479001600, -691.0 / 15692092416000,
                            1.0 / 1046139494400};
constexpr double kNearMoments = 0.5, kNearValues = 0.01;

// The derivative of the series of some order, without the factor n that the first one has.
Tensor even_series(const Tensor& n, int order) {
  const Tensor square = ops::square(n);
  Tensor sum;
  for (int k = int(std::size(kEven)); k >= 1; --k) {
    const double power = 2.0 * k,
                 factor = kEven[k - 1] * (order > 0 ? power : 1) * (order > 1 ? power - 1 : 1);
    sum = sum ? sum * square + factor : ops::full_like(n, factor);
  }
  return order == 0 ? sum * square : sum;
}

// Where a series stands in, and what either needs, harmless where the other is taken: n, its size, 1 - exp(-size).
struct Parted {
  Tensor near, small, size, rest;
  Parted(const Tensor& n, double limit)
      : near(ops::lt_scalar(ops::abs(n), limit)),
        small(where_else(near, n, 0)),
        size(ops::where(near, constant_like(n, 1), ops::abs(n))),
        rest(-ops::expm1(-size)) {}
};

Tensor even_part(const Tensor& n) {
  const Parted at(n, kNearMoments);
  return ops::where(at.near, even_series(at.small, 0), at.size / 2 + ops::log(at.rest / at.size));
}
Tensor even_slope(const Tensor& n) {
  const Parted at(n, kNearMoments);
  const Tensor closed = ops::exp(-at.size) / at.rest + 0.5 - ops::reciprocal(at.size);
  return ops::where(at.near, even_series(at.small, 1) * at.small, ops::sign(n) * closed);
}

class ContinuousBernoulli final : public Trials {
  Tensor mean() const override { return even_slope(logits()) + 0.5; }
  Tensor variance() const override {
    const Parted at(logits(), kNearMoments);
    const Tensor closed = ops::reciprocal(ops::square(at.size)) - ops::exp(-at.size) / ops::square(at.rest);
    return ops::where(at.near, even_series(at.small, 2), closed);
  }
  Tensor entropy() const override {
    const Tensor n = logits();
    return even_part(n) - n * even_slope(n);
  }
  Tensor draw(IntList shape, Generator* gen) const override {
    const FloatFacts f = facts_of(given().dtype());
    return quantile(ops::clamp(ops::rand(shape, given().dtype(), given().device(), gen), f.tiny, 1 - f.eps));
  }
  Tensor log_density(const Tensor& x) const override {
    const Tensor n = logits();
    return n * x - continuous_bernoulli_normaliser(n);
  }
  // (exp(n x) - 1) / (exp(n) - 1), whose exponents are kept from growing.
  Tensor below(const Tensor& given) const override {
    const Tensor n = logits(), x = ops::clamp(given, 0, 1), spread = x * (1 - x);
    const Parted at(n, kNearValues);
    const Tensor grown = where_else(ops::gt_scalar(n, 0), ops::exp(at.size * (x - 1)), 1);
    const Tensor closed = -(grown * ops::expm1(-(at.size * x)) / at.rest);
    const Tensor bend = 0.5 - at.small * (1 - x * 2) / 12 - ops::square(at.small) * spread / 24;
    return ops::where(at.near, x - spread * at.small * bend, closed);
  }
  // From the end where the density is largest log(1 - part * rest) / size leads to the value; where that is near the
  // logarithm of 0 its argument is added up instead, and what no number holds is the other end.
  Tensor quantile(const Tensor& u) const override {
    const Tensor n = logits(), spread = u * (1 - u), grows = ops::gt_scalar(n, 0);
    const Parted at(n, kNearValues);
    const Tensor part = ops::where(grows, 1 - u, u), lost = part * at.rest;
    const Tensor steep = ops::gt_scalar(lost, 0.5);
    const Tensor left = ops::exp(-at.size) + ops::where(grows, u, 1 - u) * at.rest;
    const Tensor some = ops::ge_scalar(left, facts_of(left.dtype()).tiny), gentle = ops::logical_not(steep);
    const Tensor summed = ops::log(where_else(ops::logical_and(steep, some), left, 1));
    const Tensor direct = ops::log1p(-where_else(gentle, lost, 0));
    const Tensor way =
        where_else(ops::logical_or(gentle, some), ops::where(steep, summed, direct) / at.size, -1);
    const Tensor raw = ops::where(grows, way + 1, -way), plain = ops::detach(raw);
    const Tensor closed = raw + (ops::clamp(plain, 0, 1) - plain);  // slopes at the ends are not cut off
    const Tensor bend = (1 - u * 2) * at.small / 6 + (1 - spread * 6) * ops::square(at.small) / 24 + 0.5;
    return ops::where(at.near, u + spread * at.small * bend, closed);
  }

 public:
  ContinuousBernoulli() : Trials(0) {}
};

}  // namespace

Tensor continuous_bernoulli_normaliser(const Tensor& logits) { return logits * 0.5 + even_part(logits); }

HAFT_DISTRIBUTION(ContinuousBernoulli)

}  // namespace haft
