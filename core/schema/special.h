// Special functions of one double, for the functors of every device; float asks for them in double, too.
// They are rare enough that accuracy counts and vectors do not. Text: included inside a namespace after
// math_*.h, see functors.h.

// The derivative of log Gamma(x): the recurrence up to 10, there Stirling's series; for x < 0 the reflection.
HAFT_FN double digamma(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (x == 0) return copysign(infinity(), -x);
  double r = 0;
  if (x < 0) {
    if (x == floor(x)) return not_a_number();
    r = -pi / tan(pi * (x - round_even(x)));
    x = 1 - x;
  }
  for (; x < 10; ++x) r -= 1 / x;
  // B_2k / 2k
  constexpr double c[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12};
  const double y = 1 / (x * x);
  double series = 0;
  for (int k = 6; k >= 0; --k) series = (series + c[k]) * y;
  return r + log(x) - 0.5 / x - series;
}

// Hurwitz's zeta: the sum of (x + k)^-s over k = 0, 1, ... for a whole s > 1, by Euler and Maclaurin. The sum
// over all whole k depends on x - floor(x) only, which serves x far below 0.
HAFT_FN double zeta_sum(double s, double x) {
  double r = 0;
  const double enough = 10 + s;
  for (; x < enough; ++x) {
    const double term = pow(x, -s);
    r += term;
    if (x > 0 && term <= 1e-17 * abs(r)) return r;  // a large s ends soon
  }
  // clang-format off: (2k)! / B_2k
  constexpr double c[] = {12.,
                          -720.,
                          30240.,
                          -1209600.,
                          47900160.,
                          -1.8924375803183791606e9,
                          7.47242496e10,
                          -2.950130727918164224e12,
                          1.1646782814350067249e14,
                          -4.5979787224074726105e15};
  // clang-format on
  const double power = pow(x, -s);
  r += power * x / (s - 1) + 0.5 * power;
  double factor = s * power / x;
  for (int k = 0; k < 10; ++k) {
    const double term = factor / c[k];
    r += term;
    if (abs(term) < 1e-17 * abs(r)) break;
    const double n = s + 2 * k;
    factor *= (n + 1) * (n + 2) / (x * x);
  }
  return r;
}
HAFT_FN double zeta(double s, double x) {
  if (x != x || x == infinity()) return x != x ? x : 0;
  if (x <= 0 && x == floor(x)) return x == -infinity() ? not_a_number() : infinity();
  if (x > -20) return zeta_sum(s, x);
  const double f = x - floor(x), sign = fmod(s, 2.0) == 0 ? 1 : -1;
  return zeta_sum(s, f) + sign * (zeta_sum(s, 1 - f) - zeta_sum(s, 1 - x));
}

// The inverse of erf. Where Giles starts (GPU Computing Gems, Jade Edition, 2011: two polynomials in
// log(1 - x^2)) Halley's method goes on; near +-1 it starts from the asymptote of erfc.
HAFT_FN double erfinv(double x) {
  constexpr double pi = 3.14159265358979323846;
  const double a = abs(x);
  if (!(a < 1)) return a == 1 ? x * infinity() : not_a_number();
  if (a == 0) return x;
  const double w = -log((1 - a) * (1 + a));
  double y;
  if (w < 5) {
    constexpr double c[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                            -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
    double p = 0;
    for (int k = 0; k < 9; ++k) p = p * (w - 2.5) + c[k];
    y = p * a;
  } else if (w < 16) {
    constexpr double c[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                            -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
    double p = 0;
    for (int k = 0; k < 9; ++k) p = p * (sqrt(w) - 3) + c[k];
    y = p * a;
  } else {
    const double l = -log(1 - a) - 0.5 * log(pi);
    y = sqrt(l);
    for (int k = 0; k < 3; ++k) y = sqrt(l - log(y));
  }
  for (int k = 0; k < 2; ++k) {
    const double off = a < 0.5 ? erf(y) - a : (1 - a) - erfc(y);
    const double u = off / (2 / sqrt(pi) * exp(-y * y));
    y -= u / (1 + y * u);
  }
  return copysign(y, x);
}

// exp(x^2), by halves whose products are exact.
HAFT_FN double exp_of_square(double x) {
  const double head = double(float(x)), tail = (x - head) * (x + head);
  return exp(head * head) * exp(tail);
}

// exp(x^2) erfc(x): as it stands, and from 2 on by the continued fraction of erfc (Abramowitz and Stegun 7.1.14),
// from its end.
HAFT_FN double erfcx(double x) {
  if (x != x || x < -27) return x != x ? x : infinity();
  if (x < 2) return exp_of_square(x) * erfc(x);
  double t = x;
  for (int k = 6 + int(220 / (x * x)); k > 0; --k) t = x + 0.5 * k / t;
  return 0.56418958354775628695 / t;
}

// The quantile of the standard normal distribution: by erfinv, and in the tails by Halley's method from the asymptote
// of erfc.
HAFT_FN double ndtri(double p) {
  constexpr double root2 = 1.41421356237309504880, root_two_pi = 2.50662827463100050242;
  if (!(p > 0 && p < 1)) return p == 0 ? -infinity() : p == 1 ? infinity() : not_a_number();
  const double tail = p < 0.5 ? p : 1 - p;
  if (tail > 0.1) return root2 * erfinv(2 * p - 1);
  const double l = -2 * log(tail) - 1.83787706640934548356;
  double x = sqrt(l);
  for (int k = 0; k < 3; ++k) x = sqrt(l - 2 * log(x));
  for (int k = 0; k < 3; ++k) {
    const double u = (0.5 * erfc(x / root2) - tail) * root_two_pi * exp(0.5 * x * x);
    x += u / (1 - 0.5 * u * x);
  }
  return p < 0.5 ? -x : x;
}

HAFT_FN float digamma(float x) { return float(digamma(double(x))); }
HAFT_FN float zeta(float s, float x) { return float(zeta(double(s), double(x))); }
HAFT_FN float erfinv(float x) { return float(erfinv(double(x))); }
