// The mathematical functions over Lanes; included by simd.h alone, once per target.
HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// One lane at a time, for arguments too rare for a vector path.
template <class T, class F>
HWY_NOINLINE Lanes<T> lanewise(Lanes<T> a, F f) {
  HWY_ALIGN T t[Lanes<T>::kSize];
  a.store(t);
  for (T& x : t) x = f(x);
  return Lanes<T>::load(t);
}
template <class T, class F>
HWY_NOINLINE Lanes<T> lanewise2(Lanes<T> a, Lanes<T> b, F f) {
  HWY_ALIGN T t[Lanes<T>::kSize], u[Lanes<T>::kSize];
  a.store(t);
  b.store(u);
  for (int64_t i = 0; i < Lanes<T>::kSize; ++i) t[i] = f(t[i], u[i]);
  return Lanes<T>::load(t);
}

// c[0] + c[1] x + ... + c[N-1] x^(N-1)
template <class T, int N>
HWY_INLINE Lanes<T> horner(Lanes<T> x, const T (&c)[N]) {
  Lanes<T> p(c[N - 1]);
#pragma GCC unroll 24
  for (int i = N - 2; i >= 0; --i) p = fma(p, x, Lanes<T>(c[i]));
  return p;
}

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float lo = -104.f, hi = 89.f, normal = -86.6f, log2e = 1.44269504f, ln2_hi = 0.693359375f,
                         ln2_lo = -2.12194440e-4f;
  static constexpr float magic =
      12582912.f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  static constexpr int mantissa = 23, bias = 127;
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2
  static constexpr float c[] = {0.5f, 0.16666577f, 0.0416665547f, 0.00836317307f, 0.00139261761f};
};
template <>
struct ExpConstants<double> {
  static constexpr double lo = -746., hi = 710., normal = -707., log2e = 1.4426950408889634,
                          ln2_hi = 6.93145751953125e-1, ln2_lo = 1.42860682030941723212e-6;
  static constexpr double magic = 6755399441055744.;  // 1.5 * 2^52
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double c[] = {0.5,
                                 0.16666666666666669,
                                 0.041666666666624164,
                                 0.008333333333330065,
                                 0.0013888888917196719,
                                 0.00019841269863040545,
                                 2.4801521322368692e-05,
                                 2.7557268480310024e-06,
                                 2.7620075879983367e-07,
                                 2.5100375832561234e-08};
};

// 2^k for a k that stands in the low bits of k + magic.
template <class T>
HWY_INLINE Lanes<T> exp2_of_bits(Lanes<T> shifted) {
  using C = ExpConstants<T>;
  typename Lanes<T>::D d;
  typename Lanes<T>::I di;
  auto k = hn::Add(hn::BitCast(di, shifted.v), hn::Set(di, C::bias));
  return hn::BitCast(d, hn::ShiftLeft<C::mantissa>(k));
}

// p * 2^n in two steps, so that subnormal results and overflow come out right.
template <class T>
HWY_INLINE Lanes<T> scale(Lanes<T> p, Lanes<T> n) {
  Lanes<T> magic(ExpConstants<T>::magic);
  Lanes<T> half = fma(n, Lanes<T>(T(0.5)), magic);
  return p * exp2_of_bits(half) * exp2_of_bits(n - (half - magic) + magic);
}

// exp(x) is power * 2^n, where n stands in the low bits of `shifted`.
template <class T>
struct ExpParts {
  Lanes<T> power, shifted;
};
template <class T>
HWY_INLINE ExpParts<T> exp_parts(Lanes<T> x) {
  using C = ExpConstants<T>;
  using V = Lanes<T>;
  const V shifted = fma(x, V(C::log2e), V(C::magic)), n = shifted - V(C::magic);
  const V r = fma(n, V(-C::ln2_lo), fma(n, V(-C::ln2_hi), x));
  return {fma(r * r, horner(r, C::c), r + V(1)), shifted};
}

// Clamps keep NaN: x stays x where no comparison holds.
template <class T>
HWY_INLINE Lanes<T> exp(Lanes<T> x) {
  using C = ExpConstants<T>;
  using V = Lanes<T>;
  x = select(x < V(C::lo), V(C::lo), x);
  x = select(x > V(C::hi), V(C::hi), x);
  const ExpParts<T> e = exp_parts(x);
  return scale(e.power, e.shifted - V(C::magic));
}

// The same for x <= 88 (709), as in a softmax, in one step less: results below the normal range are 0.
template <class T>
HWY_INLINE Lanes<T> exp_normal(Lanes<T> x) {
  const ExpParts<T> e = exp_parts(x);
  return hn::IfThenZeroElse((x < Lanes<T>(ExpConstants<T>::normal)).m, (e.power * exp2_of_bits(e.shifted)).v);
}

template <class T>
HWY_INLINE Lanes<T> exp2(Lanes<T> x) {
  using C = ExpConstants<T>;
  using V = Lanes<T>;
  constexpr T top = C::bias + 1, bottom = -(C::bias + C::mantissa + 1);
  x = select(x < V(bottom), V(bottom), x);
  x = select(x > V(top), V(top), x);
  V magic(C::magic);
  V n = x + magic - magic;
  V r = (x - n) * V(T(0.69314718055994530942));
  return scale(fma(r * r, horner(r, C::c), r + V(1)), n);
}

template <class T>
HWY_INLINE Lanes<T> expm1(Lanes<T> x) {
  using V = Lanes<T>;
  V small = hn::Expm1(typename V::D(), select(abs(x) < V(1), x, V(1)).v);
  V y = select(abs(x) < V(1), small, exp(x) - V(1));
  return select(x == V(0), x, y);
}

template <class T>
HWY_INLINE Lanes<T> log_domain(Lanes<T> x, Lanes<T> y) {
  using V = Lanes<T>;
  y = select(x == V(0), V(-kInf<T>), y);
  y = select((x < V(0)) | (x != x), V(kNaN<T>), y);
  return select(x == V(kInf<T>), x, y);
}
template <class T>
HWY_INLINE Lanes<T> log(Lanes<T> x) {
  return log_domain(x, Lanes<T>(hn::Log(typename Lanes<T>::D(), x.v)));
}
template <class T>
HWY_INLINE Lanes<T> log2(Lanes<T> x) {
  return log_domain(x, Lanes<T>(hn::Log2(typename Lanes<T>::D(), x.v)));
}
template <class T>
HWY_INLINE Lanes<T> log10(Lanes<T> x) {
  return log_domain(x, Lanes<T>(hn::Log10(typename Lanes<T>::D(), x.v)));
}
// log(1 + x) corrected by what the addition lost.
template <class T>
HWY_INLINE Lanes<T> log1p(Lanes<T> x) {
  using V = Lanes<T>;
  V u = V(1) + x;
  V y = log(u);
  V d = u - V(1);
  y = select((d == V(0)) | (u == V(kInf<T>)) | (u <= V(0)), select(d == V(0), x, y), y * (x / d));
  return y;
}

// Beyond this a Cody-Waite reduction in three parts loses digits.
template <class T>
constexpr T kTrigLimit = T(39000);
template <class T>
HWY_INLINE Lanes<T> sin(Lanes<T> x) {
  using V = Lanes<T>;
  if ((!(abs(x) <= V(kTrigLimit<T>))).any()) [[unlikely]]
    return lanewise(x, [](T v) { return std::sin(v); });
  return hn::Sin(typename V::D(), x.v);
}
template <class T>
HWY_INLINE Lanes<T> cos(Lanes<T> x) {
  using V = Lanes<T>;
  if ((!(abs(x) <= V(kTrigLimit<T>))).any()) [[unlikely]]
    return lanewise(x, [](T v) { return std::cos(v); });
  return hn::Cos(typename V::D(), x.v);
}
template <class T>
HWY_INLINE Lanes<T> tan(Lanes<T> x) {
  using V = Lanes<T>;
  typename V::D d;
  if ((!(abs(x) <= V(kTrigLimit<T>))).any()) [[unlikely]]
    return lanewise(x, [](T v) { return std::tan(v); });
  return V(hn::Sin(d, x.v)) / V(hn::Cos(d, x.v));
}
template <class T>
HWY_INLINE Lanes<T> asin(Lanes<T> x) {
  using V = Lanes<T>;
  return select(abs(x) <= V(1), V(hn::Asin(typename V::D(), x.v)), V(kNaN<T>));
}
template <class T>
HWY_INLINE Lanes<T> acos(Lanes<T> x) {
  using V = Lanes<T>;
  return select(abs(x) <= V(1), V(hn::Acos(typename V::D(), x.v)), V(kNaN<T>));
}
template <class T>
HWY_INLINE Lanes<T> atan(Lanes<T> x) {
  return select(x != x, x, Lanes<T>(hn::Atan(typename Lanes<T>::D(), x.v)));
}
template <class T>
HWY_INLINE Lanes<T> sinh(Lanes<T> x) {
  using V = Lanes<T>;
  V a = abs(x);
  V e = expm1(min(a, V(1)));
  V t = exp(a * V(T(0.5)));
  V big = select(a > V(20), t * (V(T(0.5)) * t), V(T(0.5)) * (t * t - V(1) / (t * t)));
  return copysign(select(a < V(1), V(T(0.5)) * (e + e / (e + V(1))), big), x);
}
template <class T>
HWY_INLINE Lanes<T> cosh(Lanes<T> x) {
  using V = Lanes<T>;
  V a = abs(x);
  V t = exp(a * V(T(0.5)));
  return select(a > V(20), t * (V(T(0.5)) * t), V(T(0.5)) * (t * t + V(1) / (t * t)));
}
template <class T>
HWY_INLINE Lanes<T> tanh(Lanes<T> x) {
  return select(x != x, x, Lanes<T>(hn::Tanh(typename Lanes<T>::D(), x.v)));
}

// Float: erf(x) = 1 - 2^u for all x >= 0, where u / x is a polynomial; 2^f - 1 for |f| <= 1/2 keeps the digits of small
// ones. Fits weigh errors by what they make of erf.
constexpr float kErfPowerF[] = {-1.62790704f,    -0.918447614f,    -0.148277059f,
                                0.0276320297f,   0.000231402781f,  -0.00240501249f,
                                0.000912990712f, -0.000169720501f, 1.33539706e-05f};
constexpr float kPowerLess1F[] = {0.693147182f,   0.240226492f,   0.0555035733f,
                                  0.00961823761f, 0.00133907353f, 0.000154035122f};
// Double, Chebyshev fits: erf(x) / x in x^2 below 1; above, exp(x^2) erfc(x) in (x - 2) / (x + 2).
constexpr double kErfSmall[] = {1.1283791670955126,      -0.37612638903183754,    0.11283791670955121,
                                -0.02686617064512984,    0.0052239776254232985,   -0.00085483270219348297,
                                0.00012055332902888736,  -1.4925647567519332e-05, 1.6462045441468418e-06,
                                -1.6364642158167616e-07, 1.4792401209404813e-08,  -1.216456005728345e-09,
                                8.7090451290531062e-11,  -4.2309458242953377e-12};
constexpr double kErfcx[] = {
    0.25539567631050569,     -0.42718584741395849,   0.24165819424248763,     -0.078978581015712687,
    0.0037328924016564484,   0.0069974617392005748,  -0.00084714312294153333, -0.00098197711147407149,
    4.3552653598178827e-05,  0.00017436477257256738, 2.7560352756678313e-05,  -2.7640727821912852e-05,
    -1.4166339069117108e-05, 1.8594273874294019e-06, 4.1463021832684878e-06,  -2.2281295763723501e-07};

HWY_INLINE Lanes<float> erf(Lanes<float> x) {
  using V = Lanes<float>;
  V a = abs(x);
  a = select(a > V(4), V(4), a);
  const V u = a * horner(a, kErfPowerF), magic(ExpConstants<float>::magic), shifted = u + magic;
  const V f = u - (shifted - magic), power = exp2_of_bits(shifted);
  return copysign(fma(power, f * horner(f, kPowerLess1F), power - V(1)), x);
}
HWY_INLINE Lanes<double> erf(Lanes<double> x) {
  using V = Lanes<double>;
  V a = abs(x);
  a = select(a > V(6), V(6), a);
  V small = x * horner(x * x, kErfSmall);
  V large = V(1) - exp(-(a * a)) * horner((a - V(2)) / (a + V(2)), kErfcx);
  return select(a < V(1), small, copysign(large, x));
}

// exp(b log a) in double: float's 24 bits survive the exponent's 8.
HWY_INLINE Lanes<float> pow(Lanes<float> a, Lanes<float> b) {
#if HWY_TARGET == HWY_SCALAR
  return lanewise2(a, b, [](float x, float y) { return std::pow(x, y); });
#else
  using V = Lanes<float>;
  using W = Lanes<double>;
  const V::D d;
  const hn::Half<V::D> dh;
  const W::D dw;
  const V m = abs(a);
  const W lo_m = hn::PromoteTo(dw, hn::LowerHalf(dh, m.v)), hi_m = hn::PromoteTo(dw, hn::UpperHalf(dh, m.v));
  const W lo_b = hn::PromoteTo(dw, hn::LowerHalf(dh, b.v)), hi_b = hn::PromoteTo(dw, hn::UpperHalf(dh, b.v));
  const W lo = exp(lo_b * log(lo_m)), hi = exp(hi_b * log(hi_m));
  V r = hn::Combine(d, hn::DemoteTo(dh, hi.v), hn::DemoteTo(dh, lo.v));
  // C's cases: signs by odd exponents, no real root of a negative number, and 1 whatever the other argument.
  const LaneMask<float> whole = trunc(b) == b, negative = copysign(V(1), a) < V(0);
  const V half = b * V(0.5f);
  const LaneMask<float> odd = whole & (trunc(half) != half) & (abs(b) < V(16777216));
  r = select(odd & negative, -r, r);
  r = select((a < V(0)) & !whole & (m < V(kInf<float>)), V(kNaN<float>), r);
  return select((b == V(0)) | (a == V(1)) | ((m == V(1)) & (abs(b) == V(kInf<float>))), V(1), r);
#endif
}
HWY_INLINE Lanes<double> pow(Lanes<double> a, Lanes<double> b) {
  return lanewise2(a, b, [](double x, double y) { return std::pow(x, y); });
}

// One lane at a time, in double.
template <class T>
HWY_INLINE Lanes<T> erfc(Lanes<T> x) {
  return lanewise(x, [](T v) { return std::erfc(v); });
}
template <class T>
HWY_INLINE Lanes<T> erfinv(Lanes<T> x) {
  return lanewise(x, [](T v) { return fn::erfinv(v); });
}
template <class T>
HWY_INLINE Lanes<T> lgamma(Lanes<T> x) {
  return lanewise(x, [](T v) { return fn::lgamma(v); });
}
template <class T>
HWY_INLINE Lanes<T> digamma(Lanes<T> x) {
  return lanewise(x, [](T v) { return fn::digamma(v); });
}
template <class T>
HWY_INLINE Lanes<T> i0(Lanes<T> x) {
  return lanewise(x, [](T v) { return fn::i0(v); });
}
template <class T>
HWY_INLINE Lanes<T> i1(Lanes<T> x) {
  return lanewise(x, [](T v) { return fn::i1(v); });
}
template <class T>
HWY_INLINE Lanes<T> zeta(Lanes<T> s, Lanes<T> x) {
  return lanewise2(s, x, [](T a, T b) { return fn::zeta(a, b); });
}

template <class T>
HWY_INLINE Lanes<T> rare(Lanes<T> x, Lanes<T> which) {
  return lanewise2(x, which, [](T a, T b) { return fn::rare(a, b); });
}
template <class T>
HWY_INLINE Lanes<T> next_after(Lanes<T> x, Lanes<T> y, Lanes<T> digits, Lanes<T> least) {
  const T d = hn::GetLane(digits.v), l = hn::GetLane(least.v);
  return lanewise2(x, y, [=](T a, T b) { return fn::next_after(a, b, d, l); });
}
template <class T>
HWY_INLINE Lanes<T> incomplete_gamma(Lanes<T> a, Lanes<T> x, bool upper) {
  return lanewise2(a, x, [=](T v, T w) { return fn::incomplete_gamma(v, w, upper); });
}

// a - trunc(a / b) b is exact with one rounding as long as the quotient is; the quotient may be one too large.
template <class T>
HWY_INLINE Lanes<T> fmod(Lanes<T> a, Lanes<T> b) {
  using V = Lanes<T>;
  const V q = trunc(a / b);
  if (!kFused || (!((abs(q) < V(4194304)) & (abs(b) < V(kInf<T>)))).any()) [[unlikely]]
    return lanewise2(a, b, [](T x, T y) { return std::fmod(x, y); });
  V r = fma(-q, b, a);
  r = select((r != V(0)) & ((r < V(0)) != (a < V(0))), r + copysign(b, a), r);
  return copysign(r, a);
}

template <class T>
HWY_INLINE Lanes<T> atan2(Lanes<T> y, Lanes<T> x) {
  using V = Lanes<T>;
  constexpr T pi = T(3.14159265358979323846);
  const V ay = abs(y), ax = abs(x);
  const LaneMask<T> steep = ay > ax;
  const V above = select(steep, ay, ax), below = select(steep, ax, ay);
  const V q = select(above == below, select(above == V(0), V(0), V(1)), below / above);
  V r = atan(q);
  r = select(steep, V(pi / 2) - r, r);
  r = select(copysign(V(1), x) < V(0), V(pi) - r, r);
  return select((x != x) | (y != y), V(kNaN<T>), copysign(r, y));
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
