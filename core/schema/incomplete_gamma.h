// The regularised incomplete gamma functions P (lower) and Q (upper) of doubles a and x. Text: included inside a
// namespace after special.h, see functors.h.

// m - log(1 + m): sm - 2 (s^3 / 3 + s^5 / 5 + ...) of s = m / (2 + m), for log(1 + m) is 2 atanh(s).
HAFT_FN double log1p_rest(double m) {
  if (abs(m) > 0.5) return m - log1p(m);
  const double s = m / (2 + m), q = s * s;
  double sum = 0;
  for (int k = 17; k >= 0; --k) sum = sum * q + 1.0 / (2 * k + 3);
  return s * m - 2 * s * q * sum;
}
// log Gamma(1 + a) for 0 <= a < 1, near 0 by its Taylor series: zeta(k) / k are the coefficients.
HAFT_FN double log_gamma_beyond_one(double a) {
  if (a > 0.01) return lgamma(1 + a);
  constexpr double c[] = {0.57721566490153286061, 0.82246703342411321824, 0.40068563438653142847,
                          0.27058080842778454788, 0.20738555102867398527, 0.16955717699740818995,
                          0.14404989676884611812, 0.12550966952474304243};
  double sum = 0;
  for (int k = 7; k >= 0; --k) sum = c[k] - a * sum;
  return -a * sum;
}
// x^a exp(-x) / Gamma(a + 1), from 10 on by Stirling's series, so that large powers cancel before they are rounded.
HAFT_FN double gamma_front(double a, double x) {
  if (a < 10) return exp(a * log(x) - x - lgamma(a + 1));
  constexpr double c[] = {1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156};
  const double y = 1 / (a * a);
  double series = 0;
  for (int k = 6; k >= 0; --k) series = series * y + c[k];
  return exp(-a * log1p_rest((x - a) / a) - series / a) / sqrt(2 * 3.14159265358979323846 * a);
}
// Large a and x near it: Temme's uniform expansion (SIAM J. Math. Anal. 10, 1979) of three terms, whose coefficients
// are power series in h, the root of 2 (m - log(1 + m)) with the sign of m = (x - a) / a.
HAFT_FN double gamma_near(double a, double m, bool upper) {
  // clang-format off
  constexpr double c0[] = {-1. / 3, 1. / 12, -2. / 135, 1. / 864, 1. / 2835, -0.0001787551440329218,
      3.919263178522438e-05, -2.185448510679992e-06, -1.85406221071516e-06, 8.296711340953087e-07,
      -1.7665952736826078e-07, 6.707853543401498e-09, 1.0261809784240309e-08, -4.382036018453353e-09,
      9.14769958223679e-10, -2.5514193994946248e-11, -5.830772132550426e-11};
  constexpr double c1[] = {-1. / 540, -1. / 288, 1. / 378, -0.0009902263374485596, 0.00020576131687242798,
      -4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06,
      4.647127802807434e-09, 1.378633446915721e-07};
  constexpr double c2[] = {0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049,
      2.0093878600823047e-06, -0.0001073665322636516, 5.2923448829120125e-05, -1.2760635188618728e-05};
  // clang-format on
  const double half_square = log1p_rest(m), h = copysign(sqrt(2 * half_square), m), y = sqrt(a * half_square);
  double s0 = 0, s1 = 0, s2 = 0;
  for (int k = 16; k >= 0; --k) s0 = s0 * h + c0[k];
  for (int k = 10; k >= 0; --k) s1 = s1 * h + c1[k];
  for (int k = 6; k >= 0; --k) s2 = s2 * h + c2[k];
  const double rest = exp(-a * half_square) / sqrt(2 * 3.14159265358979323846 * a) * (s0 + (s1 + s2 / a) / a);
  return upper ? 0.5 * erfc(m < 0 ? -y : y) + rest : 0.5 * erfc(m < 0 ? y : -y) - rest;
}

HAFT_FAR double incomplete_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0)) return not_a_number();
  if (a == 0 || x == infinity())
    return a == 0 && x == 0                     ? not_a_number()
           : a == infinity() && x == infinity() ? not_a_number()
           : upper                              ? 0
                                                : 1;
  if (x == 0 || a == infinity()) return upper ? 1 : 0;
  const double m = (x - a) / a;
  if (a > 5000 && abs(m) < 0.3) return gamma_near(a, m, upper);
  if (x < a + 1) {
    if (upper && a < 1) {  // 1 - P without its first digits
      const double l = a * log(x) - log_gamma_beyond_one(a);
      double term = 1, sum = 0;
      for (int n = 1; n < 60; ++n) {
        term *= -x / n;
        sum += term / (a + n);
      }
      return -expm1(l) - exp(l) * a * sum;
    }
    double term = 1, sum = 1;
    for (int n = 1; n < 2000 && term > 1e-17 * sum; ++n) sum += term *= x / (a + n);
    const double lower = gamma_front(a, x) * sum;
    return upper ? 1 - lower : lower;
  }
  // Legendre's continued fraction by Lentz's method.
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < 2000; ++n) {
    const double f = -n * (n - a);
    b += 2;
    d = 1 / (f * d + b);
    c = b + f / c;
    h *= c * d;
    if (abs(c * d - 1) < 1e-16) break;
  }
  const double above = gamma_front(a, x) * a * h;
  return upper ? above : 1 - above;
}
HAFT_FN float incomplete_gamma(float a, float x, bool upper) {
  return float(incomplete_gamma(double(a), double(x), upper));
}
