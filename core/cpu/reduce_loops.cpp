// The loops of reductions, once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/reduce_loops.cpp"
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include <limits>
#include <type_traits>

#include "core/cpu/reduce.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
namespace {

template <Monoid M, class V>
HWY_INLINE V combine(V a, V b) {
  if constexpr (M == Monoid::sum || M == Monoid::sum_squares)
    return add(a, b);
  else if constexpr (M == Monoid::prod)
    return mul(a, b);
  else if constexpr (M == Monoid::max)
    return op_maximum::apply(a, b);
  else
    return op_minimum::apply(a, b);
}
template <Monoid M, class V>
HWY_INLINE V map(V x, V mean) {
  if constexpr (M == Monoid::sum_squares)
    return (x - mean) * (x - mean);
  else
    return x;
}

// The processor's own prefetching stops at the end of a page; ours does not. Beyond the data it does nothing.
template <int64_t Count, class T>
HWY_INLINE void fetch_ahead(const T* x) {
  constexpr int64_t kAhead = 2048;  // bytes
  for (int64_t i = 0; i < Count * int64_t(sizeof(T)); i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(x) + uintptr_t(kAhead + i)));
}

// The processor's maximum forgets NaN, so a mask remembers it; cheaper than comparing twice.
template <Monoid M, class T>
HWY_INLINE T extreme_row(const T* x, int64_t n) {
  using V = Lanes<T>;
  constexpr int64_t N = V::kSize;
  auto pick = [](V a, V b) HWY_ATTR { return M == Monoid::max ? max(a, b) : min(a, b); };
  V a = V::load(x), b = V::load(x + N), c = V::load(x + 2 * N), d = V::load(x + 3 * N);
  LaneMask<T> nan = (a != a) | (b != b) | (c != c) | (d != d);
  int64_t i = 4 * N;
  for (; i + 4 * N <= n; i += 4 * N) {
    fetch_ahead<4 * N>(x + i);
    const V e = V::load(x + i), f = V::load(x + i + N), g = V::load(x + i + 2 * N),
            h = V::load(x + i + 3 * N);
    nan = nan | (e != e) | (f != f) | (g != g) | (h != h);
    a = pick(a, e);
    b = pick(b, f);
    c = pick(c, g);
    d = pick(d, h);
  }
  for (; i < n; i += N) {  // the last vector may overlap the one before it
    const V e = V::load(x + (i + N <= n ? i : n - N));
    nan = nan | (e != e);
    a = pick(a, e);
  }
  if (nan.any()) return kNaN<T>;
  HWY_ALIGN T lanes[N];
  pick(pick(a, b), pick(c, d)).store(lanes);
  T best = lanes[0];
  for (int64_t j = 1; j < N; ++j)
    if (M == Monoid::max ? lanes[j] > best : lanes[j] < best) best = lanes[j];
  return best;
}

// Four vectors side by side hide the latency of the addition; their lanes meet in a fixed order at the end.
template <Monoid M, class T>
T row(const T* x, int64_t n, T mean) {
  if constexpr (is_int<T>) {
    T a = x[0];
    for (int64_t i = 1; i < n; ++i) a = combine<M>(a, x[i]);
    return a;
  } else {
    using V = Lanes<T>;
    constexpr int64_t N = V::kSize;
    const V m(mean);
    // Narrow lanes: halves keep the number of additions a lane, and so the rounding, the same.
    if (n > 256 * N) return combine<M>(row<M>(x, n / 2, mean), row<M>(x + n / 2, n - n / 2, mean));
    if (n < 4 * N) {
      T a = map<M>(x[0], mean);
      for (int64_t i = 1; i < n; ++i) a = combine<M>(a, map<M>(x[i], mean));
      return a;
    }
    if constexpr (M == Monoid::max || M == Monoid::min) return extreme_row<M>(x, n);
    V a = map<M>(V::load(x), m), b = map<M>(V::load(x + N), m), c = map<M>(V::load(x + 2 * N), m),
      d = map<M>(V::load(x + 3 * N), m);
    int64_t i = 4 * N;
    for (; i + 4 * N <= n; i += 4 * N) {
      fetch_ahead<4 * N>(x + i);
      a = combine<M>(a, map<M>(V::load(x + i), m));
      b = combine<M>(b, map<M>(V::load(x + i + N), m));
      c = combine<M>(c, map<M>(V::load(x + i + 2 * N), m));
      d = combine<M>(d, map<M>(V::load(x + i + 3 * N), m));
    }
    for (; i + N <= n; i += N) a = combine<M>(a, map<M>(V::load(x + i), m));
    HWY_ALIGN T lanes[N];
    combine<M>(combine<M>(a, b), combine<M>(c, d)).store(lanes);
    for (int64_t step = N / 2; step > 0; step /= 2)
      for (int64_t j = 0; j < step; ++j) lanes[j] = combine<M>(lanes[j], lanes[j + step]);
    for (; i < n; ++i) lanes[0] = combine<M>(lanes[0], map<M>(x[i], mean));
    return lanes[0];
  }
}

template <Monoid M, class T>
void rows(const T* x, int64_t n, int64_t count, const T* mean, T* out) {
  if (n <= 16) {  // too short for vectors: neighbouring rows overlap in the pipeline
    for (int64_t i = 0; i < count; ++i, x += n) {
      const T m = M == Monoid::sum_squares ? mean[i] : T(0);
      T a = map<M>(x[0], m);
      for (int64_t j = 1; j < n; ++j) a = combine<M>(a, map<M>(x[j], m));
      out[i] = a;
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = row<M>(x + i * n, n, M == Monoid::sum_squares ? mean[i] : T(0));
}

// Four rows at a time, added pairwise.
template <Monoid M, class T>
void columns(T* __restrict acc, const T* __restrict x, int64_t stride, int64_t rows, const T* __restrict mean,
             int64_t n) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, x += 4 * stride)
    for (int64_t j = 0; j < n; ++j) {
      const T m = M == Monoid::sum_squares ? mean[j] : T(0);
      const T a = combine<M>(map<M>(x[j], m), map<M>(x[stride + j], m));
      const T b = combine<M>(map<M>(x[2 * stride + j], m), map<M>(x[3 * stride + j], m));
      acc[j] = combine<M>(acc[j], combine<M>(a, b));
    }
  for (; r < rows; ++r, x += stride)
    for (int64_t j = 0; j < n; ++j)
      acc[j] = combine<M>(acc[j], map<M>(x[j], M == Monoid::sum_squares ? mean[j] : T(0)));
}

template <Monoid M, class T, class From>
void merge(T* __restrict totals, const From* __restrict more, int64_t n) {
  for (int64_t j = 0; j < n; ++j) totals[j] = combine<M>(totals[j], T(more[j]));
}

template <Monoid M, class T>
constexpr T identity() {
  using Limits = std::numeric_limits<T>;
  if constexpr (M == Monoid::prod)
    return T(1);
  else if constexpr (M == Monoid::max)
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  else if constexpr (M == Monoid::min)
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  else
    return T(0);
}

template <Monoid M, class T>
void fill_loops(ReduceLoops<T>* l) {
  *l = {row<M, T>,       rows<M, T>, columns<M, T>, merge<M, Total<T>, T>, merge<M, Total<T>, Total<T>>,
        identity<M, T>()};
}

}  // namespace

// clang-format off
#define HAFT_WIDE_REDUCTIONS(X)                                                                        \
  X(sum, double, f64) X(sum, int64_t, i64) X(prod, double, f64) X(prod, int64_t, i64)                  \
  X(max, double, f64) X(max, int64_t, i64) X(max, uint8_t, u8)                                         \
  X(min, double, f64) X(min, int64_t, i64) X(min, uint8_t, u8) X(sum_squares, double, f64)
#define HAFT_REDUCTIONS(X)                                                                             \
  HAFT_WIDE_REDUCTIONS(X)                                                                              \
  X(sum, float, f32) X(prod, float, f32) X(max, float, f32) X(min, float, f32) X(sum_squares, float, f32)
// clang-format on

#define HAFT_FILL(m, T, t) \
  void fill_##m##_##t(ReduceLoops<T>* l) { fill_loops<Monoid::m>(l); }
#if HWY_TARGET == HWY_AVX3  // types that AVX-512 would gain little for
#define HAFT_FILL_AVX2(m, T, t) \
  void fill_##m##_##t(ReduceLoops<T>* l) { N_AVX2::fill_##m##_##t(l); }
HAFT_WIDE_REDUCTIONS(HAFT_FILL_AVX2)
#undef HAFT_FILL_AVX2
HAFT_FILL(sum, float, f32)
HAFT_FILL(prod, float, f32)
HAFT_FILL(max, float, f32)
HAFT_FILL(min, float, f32)
HAFT_FILL(sum_squares, float, f32)
#else
HAFT_REDUCTIONS(HAFT_FILL)
#endif
#undef HAFT_FILL

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft::cpu {
#define HAFT_EXPORT(m, T, t)                           \
  HWY_EXPORT(fill_##m##_##t);                          \
  template <>                                          \
  const ReduceLoops<T>& reduce_loops<Monoid::m, T>() { \
    static const ReduceLoops<T> loops = [] {           \
      ReduceLoops<T> l;                                \
      HWY_DYNAMIC_DISPATCH(fill_##m##_##t)(&l);        \
      return l;                                        \
    }();                                               \
    return loops;                                      \
  }
HAFT_REDUCTIONS(HAFT_EXPORT)
}  // namespace haft::cpu
#endif
