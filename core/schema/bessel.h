// Bessel functions of the orders 0 and 1, of one double. Text: included inside a namespace after special.h, see
// functors.h.

// Modified ones of the first kind, times exp(-|x|) if scaled: their series, all of whose terms have one sign, and
// from 20 on their asymptotes, whose terms fall until about the 2 |x|-th (Abramowitz and Stegun 9.6.10 and 9.7.1).
HAFT_FN double bessel_i(int order, double x, bool scaled) {
  const double a = abs(x), square = 4.0 * order * order;
  if (x != x || a == infinity()) return x != x ? x : scaled ? 0 : order ? x : a;
  double sum = 1, term = 1;
  if (a < 20) {
    for (int k = 1; k < 100 && term > sum * 1e-17; ++k) sum += term *= a * a / 4 / (double(k) * (k + order));
    if (scaled) sum *= exp(-a);
    return order ? sum * x / 2 : sum;
  }
  for (int k = 1; k < 30 && abs(term) > 1e-17; ++k)
    sum += term *= -(square - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * a);
  const double half = scaled ? 1 : exp(a / 2);  // exp(a) alone would overflow first
  const double y = half / sqrt(2 * 3.14159265358979323846 * a) * sum * half;
  return order ? copysign(y, x) : y;
}

// Modified ones of the second kind times exp(x): up to 1 their series (9.6.13 and 9.6.11), beyond the integral of
// exp(-x (cosh t - 1)) cosh(order t), of which the trapezoidal rule with steps of h keeps 1 - exp(x - pi^2 / h) and
// more.
HAFT_FN double bessel_k_scaled(int order, double x) {
  constexpr double euler = 0.57721566490153286061;
  if (!(x > 0) || x == infinity()) return x == 0 ? infinity() : x > 0 ? 0 : not_a_number();
  if (x <= 1) {
    const double q = x * x / 4, l = log(x / 2);
    double term = 1, harmonic = 0, sum = order ? 1 - 2 * euler : 0;
    for (int k = 1; k < 20; ++k) {
      term *= q / (double(k) * (k + order));
      harmonic += 1.0 / k;
      sum += term * (order ? 2 * harmonic + 1.0 / (k + 1) - 2 * euler : harmonic);
    }
    const double i = bessel_i(order, x, false);
    return exp(x) * (order ? 1 / x + l * i - x / 4 * sum : sum - (l + euler) * i);
  }
  double h = 9.8 / (38 + x);
  if (x > 32 && 0.7 / sqrt(x) > h) h = 0.7 / sqrt(x);
  double sum = 0.5, term = 1;
  for (int k = 1; k < 100 && term > 1e-18; ++k) {
    const double s = sinh(0.5 * h * k), rise = 2 * s * s;
    term = exp(-x * rise) * (order ? 1 + rise : 1);
    sum += term;
  }
  return h * sum;
}
HAFT_FN double bessel_k(int order, double x) { return x > 1000 ? 0 : bessel_k_scaled(order, x) * exp(-x); }

// J (first kind) or Y (second) for x > 0. Up to 25 all J of even and odd order by Miller's recurrence from where they
// are nothing, scaled so that J0 + 2 J2 + 2 J4 + ... is 1, and Y by Neumann's series of them (9.1.88); beyond by
// Hankel's asymptotes (9.2.5).
HAFT_FN double bessel_jy(int order, bool second, double x) {
  constexpr double pi = 3.14159265358979323846, euler = 0.57721566490153286061;
  if (x > 25) {
    const double square = 4.0 * order * order;
    double p = 1, q = 0, term = 1;
    for (int k = 1; k < 30 && abs(term) > 1e-17; ++k) {
      term *= (square - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x);
      const double signed_term = k & 2 ? -term : term;
      (k & 1 ? q : p) += signed_term;
    }
    const double c = cos(x), s = sin(x), cosine = c + s, sine = s - c;  // of x - pi / 4, times the root of 2
    const double a = order ? sine : cosine, b = order ? -cosine : sine;
    return (second ? p * b + q * a : p * a - q * b) / sqrt(pi * x);
  }
  // J of k + 1 and k, and the sums of both series.
  double above = 0, now = 1, even = 0, odd_terms = 0, even_terms = 0;
  const int from = 20 + 2 * int(x);
  for (int k = from; k > 0; --k) {
    const double half = double(k / 2), sign = k / 2 & 1 ? 1 : -1;
    if (k & 1) {
      if (k > 1) odd_terms += sign * now * k / (half * (half + 1));
    } else {
      even += 2 * now;
      even_terms += sign * now / half;
    }
    const double below = 2.0 * k / x * now - above;
    above = now;
    now = below;
  }
  const double scale = 1 / (even + now), j0 = now * scale, j1 = above * scale, l = log(x / 2) + euler;
  if (!second) return order ? j1 : j0;
  return 2 / pi * (order ? (l - 1) * j1 - j0 / x + odd_terms * scale : l * j0 + 2 * even_terms * scale);
}
HAFT_FN double bessel_j(int order, double x) {
  const double a = abs(x);
  if (x != x || a == infinity()) return x != x ? x : 0;
  if (a < 1e-8) return order ? 0.5 * x : 1;
  const double y = bessel_jy(order, false, a);
  return order && x < 0 ? -y : y;
}
HAFT_FN double bessel_y(int order, double x) {
  if (!(x > 0) || x == infinity()) return x == 0 ? -infinity() : x > 0 ? 0 : not_a_number();
  if (x < 1e-8) return 0.63661977236758134308 * (order ? -1 / x : log(x / 2) + 0.57721566490153286061);
  return bessel_jy(order, true, x);
}

HAFT_FN double i0(double x) { return bessel_i(0, x, false); }
HAFT_FN double i1(double x) { return bessel_i(1, x, false); }
HAFT_FN float i0(float x) { return float(i0(double(x))); }
HAFT_FN float i1(float x) { return float(i1(double(x))); }
