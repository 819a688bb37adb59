// Records of the elementwise operators on tensors.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNan : std::fmax(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNan : std::fmin(a, b); }
// Python's %: the sign of the divisor.
double python_mod(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// The q of a == q * b + python_mod(a, b).
double python_div(double a, double b) {
  if (b == 0) return a / b;
  const double r = std::fmod(a, b), q = (a - r) / b - (r != 0 && (r < 0) != (b < 0));
  return q == 0 ? std::copysign(0, a / b) : std::round(q);
}
double log_of_sum(double a, double b) {
  if (a == b) return a + std::log(2);
  return std::isnan(a) || std::isnan(b) ? kNan : std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}
// By bisection, which knows nothing of series.
double inverse_of_erf(double x) {
  if (!(std::fabs(x) <= 1)) return kNan;
  if (std::fabs(x) == 1) return x * HUGE_VAL;
  double low = 0, high = 6;
  const double a = std::fabs(x);
  if (a < 1e-5) return x * (std::sqrt(M_PI) / 2) * (1 + M_PI / 12 * x * x);
  for (int i = 0; i < 200; ++i) {
    const double at = (low + high) / 2;
    (a > 0.5 ? std::erfc(at) > 1 - a : std::erf(at) < a) ? low = at : high = at;
  }
  return std::copysign(high, x);
}
// The modified Bessel functions' series, with more digits than a double.
double bessel(int order, double x) {
  if (std::isnan(x)) return x;
  if (std::fabs(x) > 1000) return order ? std::copysign(HUGE_VAL, x) : HUGE_VAL;
  long double term = order ? x / 2 : 1, sum = term;
  for (int k = 1; k < 2000; ++k) sum += term *= (long double)x * x / 4 / ((long double)k * (k + order));
  return double(sum);
}
// The terms themselves, and an integral for the tail.
double slow_zeta(double s, double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x)))
    return std::isinf(x) || std::isnan(x) ? kNan : HUGE_VAL;
  if (std::isinf(x)) return 0;
  double sum = 0;
  const double end = std::fmax(x, 0) + 2000;
  std::vector<double> terms;
  for (; x < end && std::isfinite(x); x += 1) terms.push_back(std::pow(x, -s));
  sum = std::pow(x, 1 - s) / (s - 1) + std::pow(x, -s) / 2 + s * std::pow(x, -s - 1) / 12;
  for (size_t i = terms.size(); i-- > 0;) sum += terms[i];
  return sum;
}
// psi(x) = log x - 1 / 2x - ..., far enough out that three terms do.
double difference_of_lgamma(double x) {
  if (x == 0) return std::copysign(HUGE_VAL, -x);
  if (std::isnan(x) || (x < 0 && x == std::floor(x))) return kNan;
  long double tail = 0, y = x;
  if (x < 0) {
    tail = -M_PIl / std::tan(M_PIl * (y - std::round(y)));
    y = 1 - y;
  }
  for (; y < 300; ++y) tail -= 1 / y;
  return double(tail + std::log(y) - 1 / (2 * y) - 1 / (12 * y * y) + 1 / (120 * y * y * y * y));
}
int64_t whole(double x) { return int64_t(x); }

}  // namespace

void add_pointwise(Records& r) {
  r.pointwise("abs", {{}}, CALL(ops::abs(t[0])), EACH(std::fabs(x[0])));
  r.pointwise("neg", {{}}, CALL(ops::neg(t[0])), EACH(-x[0]))
      .on(kNumbers)
      .bad({mask({2})}, CALL(ops::neg(t[0])), Code::dtype, {"[neg]", "bool"});
  r.pointwise("sign", {{}}, CALL(ops::sign(t[0])), EACH(sign(x[0])));
  r.pointwise("exp", {{}}, CALL(ops::exp(t[0])), EACH(std::exp(x[0])));
  r.pointwise("exp2", {{}}, CALL(ops::exp2(t[0])), EACH(std::exp2(x[0])));
  r.pointwise("expm1", {{}}, CALL(ops::expm1(t[0])), EACH(std::expm1(x[0])));
  r.pointwise("log", {{0.1, 3}}, CALL(ops::log(t[0])), EACH(std::log(x[0])));
  r.pointwise("log2", {{0.1, 3}}, CALL(ops::log2(t[0])), EACH(std::log2(x[0])));
  r.pointwise("log10", {{0.1, 3}}, CALL(ops::log10(t[0])), EACH(std::log10(x[0])));
  r.pointwise("log1p", {{-0.9, 3}}, CALL(ops::log1p(t[0])), EACH(std::log1p(x[0])));
  r.pointwise("sqrt", {{0.1, 3}}, CALL(ops::sqrt(t[0])), EACH(std::sqrt(x[0])));
  r.pointwise("rsqrt", {{0.1, 3}}, CALL(ops::rsqrt(t[0])), EACH(1 / std::sqrt(x[0])));
  r.pointwise("square", {{}}, CALL(ops::square(t[0])), EACH(x[0] * x[0]));
  r.pointwise("reciprocal", {{-2, 2, 0.3}}, CALL(ops::reciprocal(t[0])), EACH(1 / x[0]));
  r.pointwise("sin", {{-4, 4}}, CALL(ops::sin(t[0])), EACH(std::sin(x[0])));
  r.pointwise("cos", {{-4, 4}}, CALL(ops::cos(t[0])), EACH(std::cos(x[0])));
  r.pointwise("tan", {{-1.3, 1.3}}, CALL(ops::tan(t[0])), EACH(std::tan(x[0])));
  r.pointwise("asin", {{-0.9, 0.9}}, CALL(ops::asin(t[0])), EACH(std::asin(x[0])));
  r.pointwise("acos", {{-0.9, 0.9}}, CALL(ops::acos(t[0])), EACH(std::acos(x[0])));
  r.pointwise("atan", {{-3, 3}}, CALL(ops::atan(t[0])), EACH(std::atan(x[0])));
  r.pointwise("sinh", {{}}, CALL(ops::sinh(t[0])), EACH(std::sinh(x[0])));
  r.pointwise("cosh", {{}}, CALL(ops::cosh(t[0])), EACH(std::cosh(x[0])));
  r.pointwise("tanh", {{-3, 3}}, CALL(ops::tanh(t[0])), EACH(std::tanh(x[0])));
  r.pointwise("asinh", {{-4, 4}}, CALL(ops::asinh(t[0])), EACH(std::asinh(x[0])));
  r.pointwise("acosh", {{1.1, 4}}, CALL(ops::acosh(t[0])), EACH(std::acosh(x[0])));
  r.pointwise("atanh", {{-0.9, 0.9}}, CALL(ops::atanh(t[0])), EACH(std::atanh(x[0])));
  r.pointwise("erf", {{-3, 3}}, CALL(ops::erf(t[0])), EACH(std::erf(x[0])));
  r.pointwise("erfc", {{-3, 3}}, CALL(ops::erfc(t[0])), EACH(std::erfc(x[0])));
  r.pointwise("erfinv", {{-0.95, 0.95}}, CALL(ops::erfinv(t[0])), EACH(inverse_of_erf(x[0])))
      .tolerance(1, 100);
  r.pointwise("lgamma", {{0.2, 4}}, CALL(ops::lgamma(t[0])), EACH(std::lgamma(x[0]))).allow(1, 1);
  r.pointwise("digamma", {{0.3, 4}}, CALL(ops::digamma(t[0])), EACH(difference_of_lgamma(x[0])))
      .tolerance(1, 100)
      .allow(2, 4);
  r.pointwise("zeta", {{0.3, 4}}, CALL(ops::zeta(t[0], 3)), EACH(slow_zeta(3, x[0])))
      .with({3})
      .tolerance(1, 100)
      .allow(4, 1);
  Record& polygamma = r.op("polygamma").on(kAll).gives({float_type}).tolerance(4, 100);
  for (int n : {0, 1, 2})
    polygamma.add(
        {real({2, 5}, 0.4, 4)}, [n](Ins t) -> Outs { return ops::polygamma(n, t[0]); },
        [n](const Arrays& in) -> Arrays {
          Array y = in[0];
          for (double& v : y.v)
            v = n == 0 ? difference_of_lgamma(v) : (n == 1 ? 1 : -2) * slow_zeta(n + 1, v);
          return {y};
        });
  polygamma.bad({real({2})}, CALL(ops::polygamma(-1, t[0])), Code::invalid_argument, {"[polygamma]", "-1"});
  r.pointwise("i0", {{-4, 4}}, CALL(ops::i0(t[0])), EACH(bessel(0, x[0]))).tolerance(1, 100).allow(2);
  r.pointwise("i1", {{-4, 4, 0.2}}, CALL(ops::i1(t[0])), EACH(bessel(1, x[0]))).tolerance(1, 100).allow(2, 1);
  r.pointwise("sigmoid", {{-4, 4}}, CALL(ops::sigmoid(t[0])), EACH(1 / (1 + std::exp(-x[0]))));
  r.pointwise("floor", {{-4, 4}}, CALL(ops::floor(t[0])), EACH(std::floor(x[0])));
  r.pointwise("ceil", {{-4, 4}}, CALL(ops::ceil(t[0])), EACH(std::ceil(x[0])));
  r.pointwise("round", {{-4, 4}}, CALL(ops::round(t[0])), EACH(std::nearbyint(x[0])));
  r.pointwise("trunc", {{-4, 4}}, CALL(ops::trunc(t[0])), EACH(std::trunc(x[0])));
  r.pointwise("isnan", {{}}, CALL(ops::isnan(t[0])), EACH(std::isnan(x[0])));
  r.pointwise("isinf", {{}}, CALL(ops::isinf(t[0])), EACH(std::isinf(x[0])));
  r.pointwise("isfinite", {{}}, CALL(ops::isfinite(t[0])), EACH(std::isfinite(x[0])));
  r.pointwise("logical_not", {{}}, CALL(ops::logical_not(t[0])), EACH(x[0] == 0));
  // -1 - x is the complement of integers; that of bool is compared in test_cpu.
  r.pointwise("bitwise_not", {{-4, 4}}, CALL(ops::bitwise_not(t[0])), EACH(-1 - x[0])).on(kInts, kFloats);

  r.pointwise("add", {{}, {}}, CALL(ops::add(t[0], t[1])), EACH(x[0] + x[1]));
  r.pointwise("sub", {{}, {}}, CALL(ops::sub(t[0], t[1])), EACH(x[0] - x[1]))
      .on(kNumbers)
      .bad({mask({2}), mask({2})}, CALL(ops::sub(t[0], t[1])), Code::dtype, {"[sub]", "bool"})
      .bad({real({2}), mask({2})}, CALL(ops::sub(t[0], t[1])), Code::dtype, {"[sub]", "bool"})
      .bad({mask({2})}, CALL(ops::sub_(t[0], t[0])), Code::dtype, {"[sub]", "bool"});
  r.pointwise("mul", {{}, {}}, CALL(ops::mul(t[0], t[1])), EACH(x[0] * x[1]));
  r.pointwise("div", {{}, {-3, 3, 0.5}}, CALL(ops::div(t[0], t[1])), EACH(x[0] / x[1]));
  r.pointwise("pow", {{0.2, 2.5}, {0.2, 2.2}}, CALL(ops::pow(t[0], t[1])), EACH(std::pow(x[0], x[1])));
  r.pointwise("maximum", {{}, {}}, CALL(ops::maximum(t[0], t[1])), EACH(larger(x[0], x[1])));
  r.pointwise("minimum", {{}, {}}, CALL(ops::minimum(t[0], t[1])), EACH(smaller(x[0], x[1])));
  r.pointwise("atan2", {{-2, 2, 0.3}, {-2, 2, 0.3}}, CALL(ops::atan2(t[0], t[1])),
              EACH(std::atan2(x[0], x[1])));
  r.pointwise("hypot", {{-2, 2, 0.3}, {-2, 2, 0.3}}, CALL(ops::hypot(t[0], t[1])),
              EACH(std::hypot(x[0], x[1])));
  r.pointwise("copysign", {{-2, 2, 0.3}, {-2, 2, 0.3}}, CALL(ops::copysign(t[0], t[1])),
              EACH(std::copysign(x[0], x[1])));
  r.pointwise("logaddexp", {{}, {}}, CALL(ops::logaddexp(t[0], t[1])), EACH(log_of_sum(x[0], x[1])))
      .allow(1, 1);
  r.pointwise("logaddexp2", {{}, {}}, CALL(ops::logaddexp2(t[0], t[1])),
              EACH(log_of_sum(x[0] * std::log(2), x[1] * std::log(2)) / std::log(2)))
      .allow(1, 1);
  r.pointwise("xlogy", {{-2, 2, 0.3}, {0.2, 3}}, CALL(ops::xlogy(t[0], t[1])),
              EACH(x[0] == 0 && !std::isnan(x[1]) ? 0 : x[0] * std::log(x[1])));
  // Rounded quotients in 16 bits fall on either side of an integer: bfloat16 and float16 are compared in test_cpu.
  constexpr DTypes kWide = kAll & ~(bit(DType::f16) | bit(DType::bf16) | kBool);
  for (Record* q : {&r.pointwise("fmod", {{-4, 4}, {-3, 3, 0.7}}, CALL(ops::fmod(t[0], t[1])),
                                 EACH(std::fmod(x[0], x[1]))),
                    &r.pointwise("remainder", {{-4, 4}, {-3, 3, 0.7}}, CALL(ops::remainder(t[0], t[1])),
                                 EACH(python_mod(x[0], x[1]))),
                    &r.pointwise("floor_divide", {{-4, 4}, {-3, 3, 0.7}}, CALL(ops::floor_divide(t[0], t[1])),
                                 EACH(python_div(x[0], x[1])))}) {
    q->on(kWide, 0);
    for (Case& c : q->cases) c.exact = true;
  }
  r.pointwise("eq", {{}, {}}, CALL(ops::eq(t[0], t[1])), EACH(x[0] == x[1]));
  r.pointwise("ne", {{}, {}}, CALL(ops::ne(t[0], t[1])), EACH(x[0] != x[1]));
  r.pointwise("lt", {{}, {}}, CALL(ops::lt(t[0], t[1])), EACH(x[0] < x[1]));
  r.pointwise("le", {{}, {}}, CALL(ops::le(t[0], t[1])), EACH(x[0] <= x[1]));
  r.pointwise("gt", {{}, {}}, CALL(ops::gt(t[0], t[1])), EACH(x[0] > x[1]));
  r.pointwise("ge", {{}, {}}, CALL(ops::ge(t[0], t[1])), EACH(x[0] >= x[1]));
  r.pointwise("logical_and", {{}, {}}, CALL(ops::logical_and(t[0], t[1])), EACH(x[0] != 0 && x[1] != 0));
  r.pointwise("logical_or", {{}, {}}, CALL(ops::logical_or(t[0], t[1])), EACH(x[0] != 0 || x[1] != 0));
  r.pointwise("logical_xor", {{}, {}}, CALL(ops::logical_xor(t[0], t[1])), EACH((x[0] != 0) != (x[1] != 0)));
  r.pointwise("bitwise_and", {{-9, 9}, {-9, 9}}, CALL(ops::bitwise_and(t[0], t[1])),
              EACH(double(whole(x[0]) & whole(x[1]))));
  r.pointwise("bitwise_or", {{-9, 9}, {-9, 9}}, CALL(ops::bitwise_or(t[0], t[1])),
              EACH(double(whole(x[0]) | whole(x[1]))));
  r.pointwise("bitwise_xor", {{-9, 9}, {-9, 9}}, CALL(ops::bitwise_xor(t[0], t[1])),
              EACH(double(whole(x[0]) ^ whole(x[1]))));
  for (Record* q :
       {&r.pointwise("bitwise_left_shift", {{-9, 9}, {0, 4}}, CALL(ops::bitwise_left_shift(t[0], t[1])),
                     EACH(whole(x[1]) < 0 ? 0 : double(whole(x[0]) * (int64_t(1) << whole(x[1]))))),
        &r.pointwise("bitwise_right_shift", {{-9, 9}, {0, 4}}, CALL(ops::bitwise_right_shift(t[0], t[1])),
                     EACH(whole(x[1]) < 0 ? -double(x[0] < 0) : double(whole(x[0]) >> whole(x[1])))),
        &r.pointwise("gcd", {{-9, 9}, {-9, 9}}, CALL(ops::gcd(t[0], t[1])),
                     EACH(double(std::gcd(whole(x[0]), whole(x[1]))))),
        &r.pointwise("lcm", {{-9, 9}, {-9, 9}}, CALL(ops::lcm(t[0], t[1])),
                     EACH(double(std::lcm(whole(x[0]), whole(x[1])))))})
    q->on(kInts);

  constexpr Input::Kind kMask = Input::kMask;
  r.pointwise("where", {{0, 1, 0, kMask}, {}, {}}, CALL(ops::where(t[0], t[1], t[2])),
              EACH(x[0] != 0 ? x[1] : x[2]));
  r.pointwise("masked_fill", {{}, {0, 1, 0, kMask}}, CALL(ops::masked_fill(t[0], t[1], 2)),
              EACH(x[1] != 0 ? 2 : x[0]));
  r.pointwise("addcmul", {{}, {}, {}}, CALL(ops::addcmul(t[0], t[1], t[2], 3)), EACH(x[0] + 3 * x[1] * x[2]));
  r.all.back().gives(
      {[](DType t) { return t == DType::boolean ? DType::i64 : t; }});  // the value is an integer
  r.pointwise("addcdiv", {{}, {}, {-3, 3, 0.5}}, CALL(ops::addcdiv(t[0], t[1], t[2], 3)),
              EACH(x[0] + 3 * x[1] / x[2]));
  r.pointwise("lerp", {{}, {}}, CALL(ops::lerp(t[0], t[1], 0.3)), EACH(x[0] + 0.3 * (x[1] - x[0])))
      .with_specials = false;
}

// A number beside a tensor: a floating one makes float tensors of integers, an integer one makes int64 of bool.
void add_scalar_pointwise(Records& r) {
  DTypeRule number = [](DType t) { return t == DType::boolean ? DType::i64 : t; };
  auto scalar = [&](const char* name, Records::Range range, CallFn call, double (*f)(const double*),
                    DTypeRule rule) -> Record& {
    Record& rec = r.pointwise(name, {range}, std::move(call), f);
    if (!(rec.traits() & BOOLOUT)) rec.gives({rec.traits() & FLOAT ? float_type : rule});
    return rec;
  };
  scalar("add_scalar", {}, CALL(ops::add_scalar(t[0], 2)), EACH(x[0] + 2), number);
  scalar("sub_scalar", {}, CALL(ops::sub_scalar(t[0], 0.75)), EACH(x[0] - 0.75), float_type)
      .on(kNumbers)
      .bad({real({2})}, CALL(ops::sub_scalar(t[0], true)), Code::dtype, {"[sub_scalar]", "bool"});
  scalar("rsub_scalar", {}, CALL(ops::rsub_scalar(t[0], 2)), EACH(2 - x[0]), number)
      .on(kNumbers)
      .bad({mask({2})}, CALL(ops::rsub_scalar(t[0], 1)), Code::dtype, {"[rsub_scalar]", "bool"});
  scalar("mul_scalar", {}, CALL(ops::mul_scalar(t[0], -1.25)), EACH(x[0] * -1.25), float_type);
  scalar("div_scalar", {}, CALL(ops::div_scalar(t[0], 4)), EACH(x[0] / 4), number);
  scalar("rdiv_scalar", {-3, 3, 0.5}, CALL(ops::rdiv_scalar(t[0], 3)), EACH(3 / x[0]), number);
  scalar("pow_scalar", {-2, 2, 0.2}, CALL(ops::pow_scalar(t[0], 3)), EACH(x[0] * x[0] * x[0]), number)
      .cases[0]
      .grad = true;
  scalar("rpow_scalar", {0, 2.5}, CALL(ops::rpow_scalar(t[0], 2)), EACH(std::exp2(x[0])), number);
  constexpr DTypes kWide = kAll & ~(bit(DType::f16) | bit(DType::bf16));
  for (Record* q :
       {&scalar("fmod_scalar", {-9, 9}, CALL(ops::fmod_scalar(t[0], 3)), EACH(std::fmod(x[0], 3)), number),
        &scalar("remainder_scalar", {-9, 9}, CALL(ops::remainder_scalar(t[0], 3)), EACH(python_mod(x[0], 3)),
                number),
        &scalar("floor_divide_scalar", {-9, 9}, CALL(ops::floor_divide_scalar(t[0], 3)),
                EACH(python_div(x[0], 3)), number)}) {
    q->on(kWide, 0);
    for (Case& c : q->cases) c.exact = true;
  }
  scalar("eq_scalar", {}, CALL(ops::eq_scalar(t[0], 1)), EACH(x[0] == 1), same);
  scalar("ne_scalar", {}, CALL(ops::ne_scalar(t[0], 1)), EACH(x[0] != 1), same);
  scalar("lt_scalar", {}, CALL(ops::lt_scalar(t[0], 0.5)), EACH(x[0] < 0.5), same);
  scalar("le_scalar", {}, CALL(ops::le_scalar(t[0], 1)), EACH(x[0] <= 1), same);
  scalar("gt_scalar", {}, CALL(ops::gt_scalar(t[0], 0.5)), EACH(x[0] > 0.5), same);
  scalar("ge_scalar", {}, CALL(ops::ge_scalar(t[0], 1)), EACH(x[0] >= 1), same);
  Record& clamp = scalar("clamp", {}, CALL(ops::clamp(t[0], -1, 1)),
                         EACH(x[0] < -1  ? -1
                              : x[0] > 1 ? 1
                                         : x[0]),
                         number);
  for (int form = 0; form < 3; ++form)
    clamp.add(
        {real({17})},
        [form](Ins t) -> Outs {
          return ops::clamp(t[0], form == 0 ? Scalar() : Scalar(1), form == 1 ? Scalar() : Scalar(-1));
        },
        [form](const Arrays& in) -> Arrays {
          return {make_array(in[0].sizes, [&, k = size_t(0)](const Sizes&) mutable {
            double v = in[0].v[k++];
            if (form != 0 && v < 1) v = 1;
            return form != 1 && v > -1 ? -1 : v;
          })};
        });

  auto prelu = [](const Arrays& in) -> Arrays {
    Array y = in[0];
    size_t k = 0;
    each_index(y.sizes, [&](const Sizes& i) {
      const double slope = in[1].numel() == 1 ? in[1].v[0] : in[1].v[size_t(i[1])];
      y.v[k] = y.v[k] > 0 ? y.v[k] : slope * y.v[k];
      ++k;
    });
    return {y};
  };
  Record& r_prelu = r.op("prelu").on(kAll);
  for (auto [x, w] : {std::pair{Sizes{2, 3, 4}, Sizes{3}},
                      {Sizes{2, 3}, Sizes{3}},
                      {Sizes{2, 3}, Sizes{1}},
                      {Sizes{}, Sizes{1}}})
    r_prelu.add({real(x).nonzero(0.1), real(w)}, CALL(ops::prelu(t[0], t[1])), prelu);
  r_prelu.bad({real({2, 3}), real({2})}, CALL(ops::prelu(t[0], t[1])), Code::shape, {"[prelu]", "= 2", "= 3"})
      .bad({real({2, 3}), real({1, 3})}, CALL(ops::prelu(t[0], t[1])), Code::shape, {"[prelu]", "[1, 3]"});
}

}  // namespace haft::test
