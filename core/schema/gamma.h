// Gamma variables and how they change with their shape parameter, for every device. philox.h defines the numbers
// that are drawn.
#pragma once
#include "core/schema/philox.h"

namespace haft::fn {

// Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000. An attempt fails with a
// probability below 0.05, so that the limit is never met.
HAFT_FN double draw_gamma(const Philox& source, uint64_t i, double a) {
  if (a == 0) return 0;
  double boost = 1;
  if (a < 1) {
    boost = pow(1 - source.uniform64(i), 1 / a);
    a += 1;
  }
  const double d = a - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (uint32_t plane = 2; plane < 512; plane += 6) {
    const double radius = sqrt(-2 * log(1 - source.uniform64(i, plane)));
    const double z = radius * cos(6.283185307179586 * source.uniform64(i, plane + 2)), t = 1 + c * z;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (log(1 - source.uniform64(i, plane + 4)) < 0.5 * z * z + d - d * v + d * log(v)) return boost * d * v;
  }
  return boost * d;
}

// dx/da where x is the quantile of a fixed probability: -(dP/da) / p, P the regularised incomplete gamma function,
// p its density. P by its series below the mean and 1 - P by its continued fraction above, each with its derivative
// in a; their common factor cancels against p's.
HAFT_FN double gamma_slope(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return not_a_number();
  if (x == 0 || a == 0) return 0;
  if (x == infinity() || a == infinity()) return x == infinity() ? 1 : not_a_number();
  if (a > 1e5) return 1 + (x - a) / (2 * a);  // a normal variable by then; the error is of the order 1 / a
  if (x < 1e-8 * a) {                         // P = x^a / Gamma(a + 1), up to a relative x
    return x / a * (digamma(a + 1) - log(x));
  }
  if (x < a + 1) {  // P = x^a e^-x / Gamma(a + 1) * sum of x^n / ((a + 1) ... (a + n))
    double term = 1, turn = 0, sum = 1, turned = 0;
    for (int n = 1; n < 100000; ++n) {
      turn = (turn - term / (a + n)) * (x / (a + n));
      term *= x / (a + n);
      sum += term;
      turned += turn;
      if (term < 1e-17 * sum && abs(turn) < 1e-17 * abs(turned)) break;
    }
    return -x / a * (sum * (log(x) - digamma(a + 1)) + turned);
  }
  // 1 - P = x^a e^-x / Gamma(a) * h, h = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)) by Lentz's method; d.. are
  // derivatives.
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, dc = 0, d = 1 / b, dd = d * d, h = d, dh = dd;
  for (int n = 1; n < 100000; ++n) {
    const double f = -n * (n - a), df = n;  // the coefficient and its derivative; b's is -1
    b += 2;
    const double q = f * d + b, dq = df * d + f * dd - 1, r = b + f / c, dr = -1 + df / c - f / (c * c) * dc;
    d = 1 / (abs(q) < kTiny ? kTiny : q);
    dd = -dq * d * d;
    c = abs(r) < kTiny ? kTiny : r;
    dc = dr;
    const double step = c * d, dstep = dc * d + c * dd;
    dh = dh * step + h * dstep;
    h *= step;
    if (abs(step - 1) < 1e-16 && abs(dstep) * abs(h) < 1e-16 * abs(dh)) break;
  }
  return x * (h * (log(x) - digamma(a)) + dh);
}

}  // namespace haft::fn
