// Vectors for functors: Lanes<float> and Lanes<double> over Highway, once for each instruction set.
//
// A file that includes this is compiled once per target: it defines HWY_TARGET_INCLUDE as its own name and
// includes core/cpu/foreach_target.h before anything else. Everything that touches vectors lives in
// haft::cpu::HWY_NAMESPACE, functors included: only code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE
// is compiled for the target.

#if defined(HAFT_CPU_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HAFT_CPU_SIMD_H
#undef HAFT_CPU_SIMD_H
#else
#define HAFT_CPU_SIMD_H
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/schema/functors.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// True where a * b + c rounds once.
constexpr bool kFused = HWY_TARGET <= HWY_AVX2;

template <class T>
struct LaneMask {
  hn::Mask<hn::ScalableTag<T>> m;
  HWY_INLINE LaneMask operator&(LaneMask o) const { return {hn::And(m, o.m)}; }
  HWY_INLINE LaneMask operator|(LaneMask o) const { return {hn::Or(m, o.m)}; }
  HWY_INLINE LaneMask operator!=(LaneMask o) const { return {hn::Xor(m, o.m)}; }
  HWY_INLINE LaneMask operator!() const { return {hn::Not(m)}; }
  HWY_INLINE bool any() const { return !hn::AllFalse(hn::ScalableTag<T>(), m); }

  // Bytes of 0 and 1, as bool tensors are stored.
  static constexpr int64_t kSize = int64_t(HWY_LANES(T));
  using D = hn::ScalableTag<T>;
  using Bytes = hn::Rebind<uint8_t, D>;
  static HWY_INLINE LaneMask load(const uint8_t* p) {
    const hn::RebindToUnsigned<D> wide;
    if constexpr (sizeof(T) == 8) {
      const hn::Rebind<uint32_t, D> middle;
      return of(hn::PromoteTo(wide, hn::PromoteTo(middle, hn::LoadU(Bytes(), p))));
    } else {
      return of(hn::PromoteTo(wide, hn::LoadU(Bytes(), p)));
    }
  }
  HWY_INLINE void store(uint8_t* p) const {
    const hn::RebindToUnsigned<D> wide;
    const auto ones = hn::IfThenElseZero(hn::RebindMask(wide, m), hn::Set(wide, 1));
    hn::StoreU(hn::TruncateTo(Bytes(), ones), Bytes(), p);
  }
  static HWY_INLINE LaneMask load_n(const uint8_t* p, int64_t n) {
    uint8_t t[kSize] = {};
    for (int64_t i = 0; i < n; ++i) t[i] = p[i];
    return load(t);
  }
  HWY_INLINE void store_n(uint8_t* p, int64_t n) const {
    uint8_t t[kSize];
    store(t);
    for (int64_t i = 0; i < n; ++i) p[i] = t[i];
  }

 private:
  template <class V>
  static HWY_INLINE LaneMask of(V v) {
    const hn::RebindToUnsigned<D> wide;
    return {hn::RebindMask(D(), hn::Ne(v, hn::Zero(wide)))};
  }
};

// How many lanes of a vector take part: all, or the first n (the end of a row).
struct Whole {};
struct Rest {
  int64_t n;
};

template <class T>
struct Lanes {
  using D = hn::ScalableTag<T>;
  using I = hn::RebindToSigned<D>;
  using Raw = hn::Vec<D>;
  using Mask = LaneMask<T>;
  static constexpr int64_t kSize = int64_t(HWY_LANES(T));
  Raw v;

  Lanes() = default;
  HWY_INLINE Lanes(Raw r) : v(r) {}
  HWY_INLINE explicit Lanes(T x) : v(hn::Set(D(), x)) {}
  template <class U>
  requires(std::is_arithmetic_v<U> && !std::is_same_v<U, T>) HWY_INLINE explicit Lanes(U x)
      : v(hn::Set(D(), T(x))) {}

  static HWY_INLINE Lanes load(const T* p) { return hn::LoadU(D(), p); }
  HWY_INLINE void store(T* p) const { hn::StoreU(v, D(), p); }
  // The first n lanes, 0 < n < kSize. One element takes the scalar way: a masked store does not forward to a
  // later load.
  static HWY_INLINE Lanes load_n(const T* p, int64_t n) {
    if (n == 1) return Lanes(*p);
#if HWY_TARGET <= HWY_AVX2
    return hn::MaskedLoad(hn::FirstN(D(), size_t(n)), D(), p);
#else
    HWY_ALIGN T t[kSize] = {};
    for (int64_t i = 0; i < n; ++i) t[i] = p[i];
    return hn::Load(D(), t);
#endif
  }
  // The rest as in load_n, but what is not loaded holds `pad`.
  static HWY_INLINE Lanes load_n(const T* p, int64_t n, T pad) {
    return hn::IfThenElse(hn::FirstN(D(), size_t(n)), load_n(p, n).v, hn::Set(D(), pad));
  }
  HWY_INLINE void store_n(T* p, int64_t n) const {
    if (n == 1) {
      *p = hn::GetLane(v);
      return;
    }
#if HWY_TARGET <= HWY_AVX2
    hn::BlendedStore(v, hn::FirstN(D(), size_t(n)), D(), p);
#else
    HWY_ALIGN T t[kSize];
    hn::Store(v, D(), t);
    for (int64_t i = 0; i < n; ++i) p[i] = t[i];
#endif
  }

  // The same for the vector of a row that sweep() is at: whole, or the rest.
  static HWY_INLINE Lanes load(const T* p, Whole, T) { return load(p); }
  static HWY_INLINE Lanes load(const T* p, Rest rest, T pad) { return load_n(p, rest.n, pad); }
  HWY_INLINE void store(T* p, Whole) const { store(p); }
  HWY_INLINE void store(T* p, Rest rest) const { store_n(p, rest.n); }

  HWY_INLINE T sum() const { return hn::GetLane(hn::SumOfLanes(D(), v)); }
  HWY_INLINE T top() const { return hn::GetLane(hn::MaxOfLanes(D(), v)); }

  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) { return hn::Add(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) { return hn::Sub(a.v, b.v); }
  friend HWY_INLINE Lanes operator*(Lanes a, Lanes b) { return hn::Mul(a.v, b.v); }
  friend HWY_INLINE Lanes operator/(Lanes a, Lanes b) { return hn::Div(a.v, b.v); }
  HWY_INLINE Lanes operator-() const { return hn::Neg(v); }
  friend HWY_INLINE Mask operator<(Lanes a, Lanes b) { return {hn::Lt(a.v, b.v)}; }
  friend HWY_INLINE Mask operator<=(Lanes a, Lanes b) { return {hn::Le(a.v, b.v)}; }
  friend HWY_INLINE Mask operator>(Lanes a, Lanes b) { return {hn::Gt(a.v, b.v)}; }
  friend HWY_INLINE Mask operator>=(Lanes a, Lanes b) { return {hn::Ge(a.v, b.v)}; }
  friend HWY_INLINE Mask operator==(Lanes a, Lanes b) { return {hn::Eq(a.v, b.v)}; }
  // Highway's Ne is false for NaN on some targets.
  friend HWY_INLINE Mask operator!=(Lanes a, Lanes b) { return {hn::Not(hn::Eq(a.v, b.v))}; }
};

template <class T>
HWY_INLINE Lanes<T> select(LaneMask<T> m, Lanes<T> a, Lanes<T> b) {
  return hn::IfThenElse(m.m, a.v, b.v);
}
template <class T>
HWY_INLINE Lanes<T> fma(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
  return hn::MulAdd(a.v, b.v, c.v);
}
// f(i, Whole or Rest) for each vector of a row of n elements of T.
template <class T, class F>
HWY_INLINE void sweep(int64_t n, F&& f) {
  int64_t i = 0;
  for (; i + Lanes<T>::kSize <= n; i += Lanes<T>::kSize) f(i, Whole{});
  if (i < n) f(i, Rest{n - i});
}
// What f(i, Whole or Rest, sum) adds up over the same vectors, in four sums in turn: additions to one alone would wait
// for each other.
template <class T, class F>
HWY_INLINE T sweep_sum(int64_t n, F&& f) {
  constexpr int64_t kSize = Lanes<T>::kSize;
  Lanes<T> a(0), b(0), c(0), d(0);
  int64_t i = 0;
  for (; i + 4 * kSize <= n; i += 4 * kSize) {
    f(i, Whole{}, a);
    f(i + kSize, Whole{}, b);
    f(i + 2 * kSize, Whole{}, c);
    f(i + 3 * kSize, Whole{}, d);
  }
  for (; i + kSize <= n; i += kSize) f(i, Whole{}, a);
  if (i < n) f(i, Rest{n - i}, b);
  return ((a + b) + (c + d)).sum();
}

template <class T>
HWY_INLINE Lanes<T> abs(Lanes<T> x) {
  return hn::Abs(x.v);
}
template <class T>
HWY_INLINE Lanes<T> sqrt(Lanes<T> x) {
  return hn::Sqrt(x.v);
}
template <class T>
HWY_INLINE Lanes<T> floor(Lanes<T> x) {
  return hn::Floor(x.v);
}
template <class T>
HWY_INLINE Lanes<T> ceil(Lanes<T> x) {
  return hn::Ceil(x.v);
}
template <class T>
HWY_INLINE Lanes<T> trunc(Lanes<T> x) {
  return hn::Trunc(x.v);
}
template <class T>
HWY_INLINE Lanes<T> round_even(Lanes<T> x) {
  return hn::Round(x.v);
}
template <class T>
HWY_INLINE Lanes<T> min(Lanes<T> a, Lanes<T> b) {
  return hn::Min(a.v, b.v);
}
template <class T>
HWY_INLINE Lanes<T> max(Lanes<T> a, Lanes<T> b) {
  return hn::Max(a.v, b.v);
}
template <class T>
HWY_INLINE Lanes<T> copysign(Lanes<T> a, Lanes<T> s) {
  return hn::CopySign(a.v, s.v);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "core/cpu/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {  // each of these files builds on those before it
// clang-format off
#include "core/schema/math_host.h"
#include "core/schema/functors_base.h"
#include "core/schema/functors_unary.h"
#include "core/schema/functors_binary.h"
#include "core/schema/functors_activation.h"
// clang-format on
}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
