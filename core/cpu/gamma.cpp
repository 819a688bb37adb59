// Gamma variables and how they change with their shape parameter. philox.h defines the numbers that are drawn.
#include <cmath>
#include <numbers>

#include "core/cpu/kernel.h"
#include "core/cpu/philox.h"
#include "core/cpu/rows.h"
#include "core/schema/functors.h"

namespace haft::cpu {
namespace {

constexpr int64_t kStrip = 256;

double psi(double x) { return fn::digamma(x); }

// Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000. An attempt fails with a probability
// below 0.05, so that the limit is never met.
double draw_gamma(const Philox& source, uint64_t i, double a) {
  if (a == 0) return 0;
  double boost = 1;
  if (a < 1) {
    boost = std::pow(1 - source.uniform64(i), 1 / a);
    a += 1;
  }
  const double d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (uint32_t plane = 2; plane < 512; plane += 6) {
    const double radius = std::sqrt(-2 * std::log(1 - source.uniform64(i, plane)));
    const double z = radius * std::cos(2 * std::numbers::pi * source.uniform64(i, plane + 2)), t = 1 + c * z;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(1 - source.uniform64(i, plane + 4)) < 0.5 * z * z + d - d * v + d * std::log(v)) return boost * d * v;
  }
  return boost * d;
}

// dx/da where x is the quantile of a fixed probability: -(dP/da) / p, P the regularised incomplete gamma function, p its density.
// P by its series below the mean and 1 - P by its continued fraction above, each with its derivative in a; their common factor
// cancels against p's.
double slope(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return NAN;
  if (x == 0 || a == 0) return 0;
  if (std::isinf(x) || std::isinf(a)) return std::isinf(x) ? 1 : NAN;
  if (a > 1e5) return 1 + (x - a) / (2 * a);  // a normal variable by then; the error is of the order 1 / a
  if (x < 1e-8 * a) {                         // P = x^a / Gamma(a + 1), up to a relative x
    return x / a * (psi(a + 1) - std::log(x));
  }
  if (x < a + 1) {  // P = x^a e^-x / Gamma(a + 1) * sum of x^n / ((a + 1) ... (a + n))
    double term = 1, turn = 0, sum = 1, turned = 0;
    for (int n = 1; n < 100000; ++n) {
      turn = (turn - term / (a + n)) * (x / (a + n));
      term *= x / (a + n);
      sum += term;
      turned += turn;
      if (term < 1e-17 * sum && std::abs(turn) < 1e-17 * std::abs(turned)) break;
    }
    return -x / a * (sum * (std::log(x) - psi(a + 1)) + turned);
  }
  // 1 - P = x^a e^-x / Gamma(a) * h, h = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)) by Lentz's method; d.. are derivatives.
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, dc = 0, d = 1 / b, dd = d * d, h = d, dh = dd;
  for (int n = 1; n < 100000; ++n) {
    const double f = -n * (n - a), df = n;  // the coefficient and its derivative; b's is -1
    b += 2;
    const double q = f * d + b, dq = df * d + f * dd - 1, r = b + f / c, dr = -1 + df / c - f / (c * c) * dc;
    d = 1 / (std::abs(q) < kTiny ? kTiny : q);
    dd = -dq * d * d;
    c = std::abs(r) < kTiny ? kTiny : r;
    dc = dr;
    const double step = c * d, dstep = dc * d + c * dd;
    dh = dh * step + h * dstep;
    h *= step;
    if (std::abs(step - 1) < 1e-16 && std::abs(dstep) * std::abs(h) < 1e-16 * std::abs(dh)) break;
  }
  return x * (h * (std::log(x) - psi(a)) + dh);
}

}  // namespace

// attrs: seed, offset
void k_philox_gamma(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &a = k.in(0), &out = k.out();
  const Philox source{uint64_t(k.attrs.i(0)), uint64_t(k.attrs.i(1))};
  // A variable of a small shape may lie below what the type holds; its logarithm shall be finite.
  const double least = visit_dtype(k.out_dtype(), []<class T>() -> double {
    if constexpr (std::is_floating_point_v<T>) return double(std::numeric_limits<T>::min());
    return std::is_same_v<T, Half> ? 0x1p-14 : 0x1p-126;
  });
  parallel_for((out.numel + kStrip - 1) / kStrip, 1, [&](int64_t begin, int64_t end) {
    double v[kStrip];
    for (int64_t s = begin; s < end; ++s) {
      const int64_t at = s * kStrip, n = std::min(kStrip, out.numel - at);
      load_range(a, at, n, v);
      for (int64_t i = 0; i < n; ++i) {
        if (!(v[i] >= 0) || std::isinf(v[i]))
          fail(Code::invalid_argument, concat("standard_gamma: element ", at + i, " is ", v[i]), "shape parameters are positive and finite");
        v[i] = v[i] == 0 ? 0 : std::max(draw_gamma(source, uint64_t(at + i), v[i]), least);
      }
      store_range(v, out, at, n);
    }
  });
}

void k_gamma_slope(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &a = k.in(0), &x = k.in(1), &out = k.out();
  parallel_for((out.numel + kStrip - 1) / kStrip, 1, [&](int64_t begin, int64_t end) {
    double v[kStrip], w[kStrip];
    for (int64_t s = begin; s < end; ++s) {
      const int64_t at = s * kStrip, n = std::min(kStrip, out.numel - at);
      load_range(a, at, n, v);
      load_range(x, at, n, w);
      for (int64_t i = 0; i < n; ++i) v[i] = slope(v[i], w[i]);
      store_range(v, out, at, n);
    }
  });
}

}  // namespace haft::cpu
