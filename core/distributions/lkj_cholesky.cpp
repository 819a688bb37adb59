#include <cmath>
#include <numbers>

#include "core/dispatch/host_access.h"
#include "core/distributions/distribution.h"

namespace haft {

namespace {

// Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and extended onion method",
// Journal of Multivariate Analysis 100, 2009; of the factors in place of the matrices.
class LKJCholesky final : public Distribution {
  const Tensor& concentration() const { return p(1); }
  int64_t n() const { return event_[0]; }

  void prepare() override {
    if (!event_.empty()) return;  // expanded
    const double dim = item(ops::detach(p(0))).to_double();
    if (!(dim >= 2 && dim <= 1 << 24 && dim == std::floor(dim)))
      fail(Code::invalid_argument,
           concat("Expected dim to be an integer greater than or equal to 2. Found dim=", dim, "."), {},
           "dim");
    event_ = Shape{int64_t(dim), int64_t(dim)};
  }
  Tensor numbers(double from, int64_t count) const {
    return ops::arange(from, from + double(count), 1, dtype(), device());
  }
  // Each row's part below the diagonal has a direction, which is uniform, and a squared length, a Beta variable.
  Tensor draw(IntList shape, Generator* gen) const override {
    const Tensor half = numbers(0, n() - 1) * 0.5;
    const Tensor parts[] = {half + 0.5, ops::unsqueeze(concentration() + double(n() - 2) * 0.5, -1) - half};
    Shape rows(shape.first(shape.size() - 1));
    rows.back() = n() - 1;
    Tensor amounts[2];
    for (int i : {0, 1}) amounts[i] = ops::standard_gamma(ops::expand(parts[i], rows), gen);
    const Tensor squared = ops::unsqueeze(amounts[0] / (amounts[0] + amounts[1]), -1);
    const Tensor below = ops::narrow(ops::tril(normal_numbers(shape, gen), -1), -2, 1, n() - 1);
    const double tiny = facts_of(dtype()).tiny;
    const Tensor lower = below * ops::sqrt(squared / ops::clamp(sum_last(ops::square(below), true), tiny));
    const Tensor left = ops::clamp(1 - sum_last(ops::square(lower)), tiny);
    Shape one(shape);
    one[one.size() - 2] = 1;
    const Tensor all[] = {ops::zeros(one, dtype(), device()), lower};
    return ops::cat(all, -2) + ops::diag_embed(ops::pad(ops::sqrt(left), Shape{1, 0}, 0, Scalar(1)));
  }
  // prod over rows i = 2, ..., n of L_ii^(n - i + 2 (concentration - 1)), over the integral of it.
  Tensor log_density(const Tensor& factor) const override {
    const int64_t count = n() - 1;
    const Tensor own = ops::narrow(ops::diagonal(factor, 0, -2, -1), -1, 1, count);
    const Tensor powers = ops::unsqueeze(concentration() * 2 - 2, -1) + ops::flip(numbers(0, count), kLast);
    const Tensor most = concentration() + double(count) * 0.5;
    const Tensor integral = ops::mvlgamma(most - 0.5, count) - ops::lgamma(most) * double(count) +
                            double(count) * 0.5 * std::log(std::numbers::pi);
    return sum_last(powers * ops::log(own)) - integral;
  }
  static constexpr int64_t kLast[] = {-1};
};

}  // namespace

HAFT_DISTRIBUTION(LKJCholesky)

}  // namespace haft
