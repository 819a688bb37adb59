// Vector code shared by softmax, layer norm and the losses: whole and partial vectors, exp, horizontal sums.
// Compiled once a target by the sources that include it after foreach_target.h, hence the toggling guard.
#if defined(HAFT_CPU_VEC_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HAFT_CPU_VEC_H
#undef HAFT_CPU_VEC_H
#else
#define HAFT_CPU_VEC_H
#endif
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How many lanes of a vector take part: all, or the first n (the end of a row).
struct Full {};
struct Part {
  size_t n;
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D d, const T* p, Full, T) {
  return hn::LoadU(d, p);
}

// Lanes beyond the part hold `pad`; memory beyond it is not touched.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D d, const T* p, Part part, T pad) {
#if HWY_TARGET <= HWY_AVX2
  const auto m = hn::FirstN(d, part.n);
  return hn::IfThenElse(m, hn::MaskedLoad(m, d, p), hn::Set(d, pad));
#else
  alignas(64) T lanes[hn::MaxLanes(d)];
  hn::Store(hn::Set(d, pad), d, lanes);
  for (size_t i = 0; i < part.n; ++i) lanes[i] = p[i];
  return hn::Load(d, lanes);
#endif
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store(hn::Vec<D> v, D d, T* p, Full) {
  hn::StoreU(v, d, p);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store(hn::Vec<D> v, D d, T* p, Part part) {
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(d, part.n), d, p);
#else
  alignas(64) T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < part.n; ++i) p[i] = lanes[i];
#endif
}

// f(i, Full or Part) for each vector of a row of n.
template <class D, class F>
HWY_INLINE void sweep(D d, size_t n, F&& f) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, Full{});
  if (i < n) f(i, Part{n - i});
}

template <class D>
HWY_INLINE hn::TFromD<D> sum_lanes(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}
template <class D>
HWY_INLINE hn::TFromD<D> max_lanes(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::MaxOfLanes(d, v));
}

// e^x to about 1 ulp for x below 88 (709); below the normal range 0, NaN stays NaN. The integer part of x /
// ln 2 is rounded in by adding 1.5 * 2^mantissa, which leaves it in the low bits, ready to become an
// exponent.
template <class V>
HWY_INLINE V exp_f32(V x) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<decltype(d)> di;
  const V magic = hn::Set(d, 12582912.0f);
  const V cut = hn::IfThenElse(hn::Gt(x, hn::Set(d, 88.72284f)), hn::Set(d, 88.72284f), x);
  const V t = hn::MulAdd(cut, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(t, magic);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), cut);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  V p = hn::MulAdd(r, hn::Set(d, 1.9875691500e-4f), hn::Set(d, 1.3981999507e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.0000001201e-1f));
  p = hn::MulAdd(hn::Mul(r, r), p, hn::Add(r, hn::Set(d, 1.0f)));
  // 2^n as 2^(n-1) * 2: n may be 128, whose power alone would be infinite.
  const auto half_scale = hn::Add(hn::ShiftLeft<23>(hn::BitCast(di, t)), hn::BitCast(di, hn::Set(d, 0.5f)));
  const V y = hn::Mul(hn::Mul(p, hn::BitCast(d, half_scale)), hn::Set(d, 2.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -86.6f)), y);
}

template <class V>
HWY_INLINE V exp_f64(V x) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<decltype(d)> di;
  const V magic = hn::Set(d, 6755399441055744.0);
  const V cut = hn::IfThenElse(hn::Gt(x, hn::Set(d, 709.782712893384)), hn::Set(d, 709.782712893384), x);
  const V t = hn::MulAdd(cut, hn::Set(d, 1.4426950408889634), magic);
  const V n = hn::Sub(t, magic);
  V r = hn::NegMulAdd(n, hn::Set(d, 6.93147180369123816490e-1), cut);
  r = hn::NegMulAdd(n, hn::Set(d, 1.90821492927058770002e-10), r);
  // Taylor's series: |r| <= ln(2)/2, so the term after the 13th is below 1e-17.
  constexpr double c[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                          1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                          1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};
  V p = hn::Set(d, c[0]);
  for (int k = 1; k < 12; ++k) p = hn::MulAdd(p, r, hn::Set(d, c[k]));
  p = hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), hn::Set(d, 1.0));
  const auto half_scale = hn::Add(hn::ShiftLeft<52>(hn::BitCast(di, t)), hn::BitCast(di, hn::Set(d, 0.5)));
  const V y = hn::Mul(hn::Mul(p, hn::BitCast(d, half_scale)), hn::Set(d, 2.0));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -707.0)), y);
}

template <class V>
HWY_INLINE V exp_vec(V x) {
  if constexpr (sizeof(hn::TFromV<V>) == 4)
    return exp_f32(x);
  else
    return exp_f64(x);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
