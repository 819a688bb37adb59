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

template <class T> constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T> constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float lo = -104.f, hi = 89.f, log2e = 1.44269504f, ln2_hi = 0.693359375f, ln2_lo = -2.12194440e-4f;
  static constexpr float magic = 12582912.f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float c[] = {0.5f, 1.f / 6, 1.f / 24, 1.f / 120, 1.f / 720, 1.f / 5040};
};
template <>
struct ExpConstants<double> {
  static constexpr double lo = -746., hi = 710., log2e = 1.4426950408889634, ln2_hi = 6.93145751953125e-1,
                          ln2_lo = 1.42860682030941723212e-6;
  static constexpr double magic = 6755399441055744.;  // 1.5 * 2^52
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double c[] = {0.5,         1. / 6,       1. / 24,       1. / 120,       1. / 720,       1. / 5040,
                                 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
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

// Clamps keep NaN: x stays x where no comparison holds.
template <class T>
HWY_INLINE Lanes<T> exp(Lanes<T> x) {
  using C = ExpConstants<T>;
  using V = Lanes<T>;
  x = select(x < V(C::lo), V(C::lo), x);
  x = select(x > V(C::hi), V(C::hi), x);
  V magic(C::magic);
  V n = fma(x, V(C::log2e), magic) - magic;
  V r = fma(n, V(-C::ln2_lo), fma(n, V(-C::ln2_hi), x));
  return scale(fma(r * r, horner(r, C::c), r + V(1)), n);
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
template <class T> HWY_INLINE Lanes<T> log(Lanes<T> x) { return log_domain(x, Lanes<T>(hn::Log(typename Lanes<T>::D(), x.v))); }
template <class T> HWY_INLINE Lanes<T> log2(Lanes<T> x) { return log_domain(x, Lanes<T>(hn::Log2(typename Lanes<T>::D(), x.v))); }
template <class T> HWY_INLINE Lanes<T> log10(Lanes<T> x) { return log_domain(x, Lanes<T>(hn::Log10(typename Lanes<T>::D(), x.v))); }
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
template <class T> constexpr T kTrigLimit = T(39000);
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
template <class T>
HWY_INLINE Lanes<T> erf(Lanes<T> x) {
  return lanewise(x, [](T v) { return std::erf(v); });
}
template <class T>
HWY_INLINE Lanes<T> pow(Lanes<T> a, Lanes<T> b) {
  return lanewise2(a, b, [](T x, T y) { return std::pow(x, y); });
}
template <class T>
HWY_INLINE Lanes<T> fmod(Lanes<T> a, Lanes<T> b) {
  return lanewise2(a, b, [](T x, T y) { return std::fmod(x, y); });
}
template <class T>
HWY_INLINE Lanes<T> atan2(Lanes<T> a, Lanes<T> b) {
  return lanewise2(a, b, [](T x, T y) { return std::atan2(x, y); });
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
