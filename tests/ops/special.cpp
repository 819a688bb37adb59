// Records of special functions. Their references are the C++ library's, integrals and sums, which share nothing with
// the engine's series.
#include <cmath>

#include "tests/ops/elements.h"

namespace haft::test {

namespace {

using F = double (*)(const double*);

double scaled_erfc(double x) {
  return std::isinf(x) ? (x > 0 ? 0 : HUGE_VAL) : double(expl((long double)x * x) * erfcl(x));
}
double below(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

// By bisection, from the nearer end.
double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  if (p == 0 || p == 1) return p ? HUGE_VAL : -HUGE_VAL;
  if (p > 0.5) return -normal_quantile(1 - p);
  double low = -40, high = 0;
  for (int i = 0; i < 200; ++i) {
    const double at = (low + high) / 2;
    (below(at) < p ? low : high) = at;
  }
  return high;
}

// Bessel's and Schlaefli's integrals by the trapezoidal rule, which for periodic and for quickly falling functions is
// exact.
double bessel_j(int order, double x) {
  long double sum = 0;
  constexpr int n = 400;
  for (int k = 0; k < n; ++k) {
    const long double t = 2 * M_PIl * k / n;
    sum += cosl(order * t - x * sinl(t));
  }
  return double(sum / n);
}
double bessel_i(int order, double x) {
  long double sum = 0;
  constexpr int n = 400;
  for (int k = 0; k < n; ++k) {
    const long double c = cosl(2 * M_PIl * k / n);
    sum += expl(x * c - std::fabs(x)) * (order ? c : 1);
  }
  return double(sum / n);
}
double bessel_k(int order, double x, bool scaled) {
  long double sum = 0.5L;
  constexpr long double h = 1.0L / 32;
  for (int k = 1; k < 400; ++k) {
    const long double c = coshl(h * k);
    sum += expl(-x * (c - 1)) * (order ? c : 1);
  }
  return double(h * sum * (scaled ? 1 : expl(-x)));
}

// Q by its integral over u of t = x + e^u, P likewise up to x; each in the direction that is not 1 less the other.
double gamma_tail(double a, double x, bool upper) {
  long double sum = 0;
  constexpr long double h = 1.0L / 64;
  for (int k = -64 * 60; k < 64 * (upper ? 12 : 150); ++k) {
    const long double u = h * k, e = expl(u);
    if (upper) {
      sum += expl((a - 1) * logl(x + e) - x - e + u);
    } else {  // t = x / (1 + e)
      const long double t = x / (1 + e);
      sum += expl(a * logl(t) - t) * e / (1 + e);
    }
  }
  return double(h * sum * expl(-lgammal(a)));
}

// The same by the series of P, whose terms are all positive; quick, and exact as far as 1 less it is.
double gamma_series(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0 || x < 0) return NAN;
  if (a == 0 || x == 0) return a == 0 && x == 0 ? NAN : x == 0;
  if (x > a + 300) return 0;
  long double term = expl(a * logl(x) - x - lgammal(a + 1)), sum = term;
  for (int n = 1; n < 2000 && term > 1e-22L * sum; ++n) sum += term *= x / (a + n);
  return double(1 - sum);
}

Record& unary(Records& r, const char* name, CallFn call, F f, double low, double high, double away = 0) {
  Record& op = r.op(name).on(kAll).gives({float_type}).tolerance(8, 100);
  for (const Sizes& s : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}})
    op.add({real(s, low, high).nonzero(away)}, call, each(f));
  return op;
}

}  // namespace

void add_special(Records& r) {
  unary(r, "erfcx", CALL(ops::erfcx(t[0])), EACH(scaled_erfc(x[0])), -2, 4);
  unary(r, "ndtr", CALL(ops::ndtr(t[0])), EACH(below(x[0])), -4, 4);
  unary(r, "log_ndtr", CALL(ops::log_ndtr(t[0])), EACH(std::log(below(x[0]))), -4, 3);
  r.op("ndtri")
      .on(kFloats, 0)
      .tolerance(8, 1000)
      .add({real({3, 4}, 0.02, 0.98)}, CALL(ops::ndtri(t[0])), each(EACH(normal_quantile(x[0]))));
  unary(r, "entr", CALL(ops::entr(t[0])),
        EACH(x[0] < 0   ? -HUGE_VAL
             : x[0] > 0 ? -x[0] * std::log(x[0])
                        : x[0]),
        0.2, 3);
  r.op("xlog1py")
      .on(kFloats, 0)
      .tolerance(8)
      .add({real({3, 4}), real({3, 4}, -0.6, 3)}, CALL(ops::xlog1py(t[0], t[1])),
           each(EACH(x[0] * std::log1p(x[1]))));
  unary(r, "i0e", CALL(ops::i0e(t[0])), EACH(bessel_i(0, x[0])), -30, 30, 0.1);
  unary(r, "i1e", CALL(ops::i1e(t[0])), EACH(bessel_i(1, x[0])), -30, 30, 0.1);
  constexpr DTypes kWide = bit(DType::f32) | bit(DType::f64);
  unary(r, "bessel_j0", CALL(ops::bessel_j0(t[0])), EACH(bessel_j(0, x[0])), -40, 40, 0.1).on(kWide, 0);
  unary(r, "bessel_j1", CALL(ops::bessel_j1(t[0])), EACH(bessel_j(1, x[0])), -40, 40, 0.1).on(kWide, 0);
  unary(r, "bessel_y0", CALL(ops::bessel_y0(t[0])), EACH(std::cyl_neumann(0, x[0])), 0.2, 40).on(kWide, 0);
  unary(r, "bessel_y1", CALL(ops::bessel_y1(t[0])), EACH(std::cyl_neumann(1, x[0])), 0.4, 40).on(kWide, 0);
  unary(r, "modified_bessel_k0", CALL(ops::modified_bessel_k0(t[0])), EACH(bessel_k(0, x[0], false)), 0.3, 5)
      .on(kFloats, 0);
  unary(r, "modified_bessel_k1", CALL(ops::modified_bessel_k1(t[0])), EACH(bessel_k(1, x[0], false)), 0.5, 5)
      .on(kFloats, 0);
  unary(r, "scaled_modified_bessel_k0", CALL(ops::scaled_modified_bessel_k0(t[0])),
        EACH(bessel_k(0, x[0], true)), 0.3, 60)
      .on(kFloats, 0);
  unary(r, "scaled_modified_bessel_k1", CALL(ops::scaled_modified_bessel_k1(t[0])),
        EACH(bessel_k(1, x[0], true)), 0.5, 60)
      .on(kFloats, 0);
  r.op("mvlgamma")
      .on(kFloats, 0)
      .tolerance(8, 100)
      .add({real({3, 4}, 1.5, 5)}, CALL(ops::mvlgamma(t[0], 3)),
           each(EACH(std::lgamma(x[0]) + std::lgamma(x[0] - 0.5) + std::lgamma(x[0] - 1) +
                     1.5 * std::log(M_PI))))
      .bad({real({2})}, CALL(ops::mvlgamma(t[0], 0)), Code::invalid_argument, {"[mvlgamma]", "got 0"});
  r.op("frexp")
      .on(kFloats, 0)
      .gives({same, always_i32})
      .add({real({3, 4}).nonzero(0.1)}, CALL(ops::frexp(t[0])),
           [](const Arrays& in) -> Arrays {
             Array m = in[0], e = in[0];
             for (size_t k = 0; k < m.v.size(); ++k) {
               int power;
               m.v[k] = std::frexp(m.v[k], &power);
               e.v[k] = power;
             }
             return {m, e};
           })
      .no_grad()  // mantissas jump at powers of two
      .add({real({4}, 2.2, 3.8)}, CALL(ops::frexp(t[0])),
           [](const Arrays& in) -> Arrays {
             return {each(EACH(x[0] / 4))(in)[0], Array({4}, 2)};
           })
      .bad({real({2})}, CALL(ops::frexp(t[0])), Code::dtype, {"[frexp]", "int64"}, DType::i64);
  r.op("nextafter")
      .on(kFloats, 0)
      .add({real({6}).fixed([](Array& a) { a.v = {1, 1, -1, 2, 3, 0.5}; }),
            real({6}).fixed([](Array& a) { a.v = {2, 0, 0, 2, -HUGE_VAL, HUGE_VAL}; })},
           CALL(ops::cast(ops::ne(ops::nextafter(t[0], t[1]), t[0]), t[0].dtype())),
           [](const Arrays&) -> Arrays {
             return {Array({6}, {1, 1, 1, 0, 1, 1})};
           })
      .bad({real({2}), real({2})}, CALL(ops::nextafter(t[0], t[1])), Code::dtype, {"[nextafter]", "int64"},
           DType::i64);

  // The kernels behind them.
  r.pointwise("rare", {{-2, 4}}, CALL(ops::rare(t[0], 0)), EACH(scaled_erfc(x[0])))
      .with({0})
      .tolerance(1, 100)
      .allow(8);
  for (const auto& [name, upper] : {std::pair{"igamma", false}, std::pair{"igammac", true}}) {
    Record& op = r.op(name).on(kFloats, 0).tolerance(8, 1000);
    const auto call = [upper = upper](Ins t) -> Outs {
      return upper ? ops::igammac(t[0], t[1]) : ops::igamma(t[0], t[1]);
    };
    const F f = upper ? EACH(gamma_tail(x[0], x[1], true)) : EACH(gamma_tail(x[0], x[1], false));
    op.add({real({3, 4}, 0.3, 6).constant(), real({3, 4}, 0.3, 9)}, call, each(f));
    op.bad({real({2, 3}), real({2, 2})}, call, Code::shape, {"[2, 3]", "[2, 2]"});
  }
  Record& kernel = r.pointwise("incomplete_gamma", {{0.4, 5}, {0.4, 6}},
                               CALL(ops::incomplete_gamma(t[0], t[1], true)), EACH(gamma_series(x[0], x[1])))
                       .with({1})
                       .tolerance(8, 1000)
                       .allow(100, 1e-2);
  kernel.with_specials = false;
  for (Case& c : kernel.cases) c.inputs[0].grad = false;  // its second derivative is refused
  Record& next = r.pointwise("next_after", {{}, {}}, CALL(ops::next_after(t[0], t[1], 53, -1022)),
                             EACH(std::nextafter(x[0], x[1])))
                     .with({53, -1022});
  next.with_specials = false;
  // The ends of the range are complex_functions_test.cpp's.
  const std::vector<Input> two{real({3, 4}), real({3, 4})};
  r.pointwise("turned_exp", {{-3, 3}, {-3, 3}}, CALL(ops::turned_exp(t[0], t[1], false, true, false)),
              EACH(std::sinh(x[0]) * std::cos(x[1])))
      .with({0, 1, 0})
      .allow(1, 1)
      .add(two, CALL(ops::turned_exp(t[0], t[1], true, true, false)),
           each(EACH(std::exp(x[0]) * std::cos(x[1]))))
      .add(two, CALL(ops::turned_exp(t[0], t[1], true, true, true)),
           each(EACH(std::exp(x[0]) * std::sin(x[1]))))
      .add(two, CALL(ops::turned_exp(t[0], t[1], true, false, false)),
           each(EACH(std::cosh(x[0]) * std::cos(x[1]))))
      .add(two, CALL(ops::turned_exp(t[0], t[1], true, false, true)),
           each(EACH(std::cosh(x[0]) * std::sin(x[1]))))
      .add(two, CALL(ops::turned_exp(t[0], t[1], false, true, true)),
           each(EACH(std::sinh(x[0]) * std::sin(x[1]))))
      .with_specials = false;
}

}  // namespace haft::test
