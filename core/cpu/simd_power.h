// Powers of 2 and what is made of them in the inner loops of attention and of recurrent cells, where arguments are
// known to be small: fewer steps than exp() and tanh() of simd_math.h, to the last bit or two.
#if defined(HAFT_CPU_SIMD_POWER_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HAFT_CPU_SIMD_POWER_H
#undef HAFT_CPU_SIMD_POWER_H
#else
#define HAFT_CPU_SIMD_POWER_H
#endif

#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

template <class T>
constexpr T kLog2e = ExpConstants<T>::log2e;
template <class T>
constexpr T kLn2 = T(0.69314718055994530942);

// 2^f for |f| <= 1/2.
template <class T>
struct Powers;
template <>
struct Powers<float> {
  static constexpr float c[] = {
      1.f, 0.693147182f, 0.240226462f, 0.0555032864f, 0.00961848907f, 0.00133999297f, 0.000153457804f};
};
template <>
struct Powers<double> {
  static constexpr double c[] = {1.,
                                 0.69314718055994529,
                                 0.24022650695910072,
                                 0.055504108664821583,
                                 0.0096181291076186653,
                                 0.0013333558146423213,
                                 0.00015403530424776526,
                                 1.5252733820795803e-05,
                                 1.3215451633221434e-06,
                                 1.0178067267449426e-07,
                                 7.0709778665081391e-09,
                                 4.45410341058704e-10};
};

// 2^x where that is a normal number.
template <class T>
HWY_INLINE Lanes<T> power_of_2(Lanes<T> x) {
  const Lanes<T> magic(ExpConstants<T>::magic), shifted = x + magic;
  return horner(x - (shifted - magic), Powers<T>::c) * exp2_of_bits(shifted);
}
// 2^x for x up to 127 (1023); 0 where it would not be normal.
template <class T>
HWY_INLINE Lanes<T> power_of_2_or_0(Lanes<T> x) {
  return hn::IfThenZeroElse((x < Lanes<T>(T(1 - ExpConstants<T>::bias))).m, power_of_2(x).v);
}

// 1 / (1 + e^x); a NaN stays one.
template <class T>
HWY_INLINE Lanes<T> falling_sigmoid(Lanes<T> x) {
  using V = Lanes<T>;
  constexpr T most = ExpConstants<T>::bias - 2;  // the reciprocal stays normal
  x = x * V(kLog2e<T>);
  x = select(x < V(-most), V(-most), x);
  x = select(x > V(most), V(most), x);
  const V d = V(T(1)) + power_of_2(x);
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(T) == 4) {  // 14 bits, and a step of Newton's
    const V r = hn::ApproximateReciprocal(d.v);
    return r * fma(-d, r, V(2));
  }
#endif
  return V(T(1)) / d;
}

// tanh: a polynomial where 1 - 2 / (e^2x + 1) would lose bits.
HWY_INLINE Lanes<float> short_tanh(Lanes<float> x) {
  using V = Lanes<float>;
  constexpr float c[] = {-0.333332807f, 0.133314416f, -0.0537397265f, 0.0206391197f, -0.00570502365f};
  const V a = abs(x), s = x * x, far = copysign(fma(V(-2), falling_sigmoid(a + a), V(1)), x);
  return select(a < V(0.625f), fma(horner(s, c) * s, x, x), far);
}
HWY_INLINE Lanes<double> short_tanh(Lanes<double> x) { return tanh(x); }

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
