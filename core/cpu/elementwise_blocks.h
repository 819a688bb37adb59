// The loops of POINTWISE ops over dense arrays; included once per target, after simd.h.
#if defined(HAFT_CPU_ELEMENTWISE_BLOCKS_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HAFT_CPU_ELEMENTWISE_BLOCKS_H
#undef HAFT_CPU_ELEMENTWISE_BLOCKS_H
#else
#define HAFT_CPU_ELEMENTWISE_BLOCKS_H
#endif

#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/cpu/elementwise.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// bool tensors are bytes of 0 and 1.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<bool> {
  using type = uint8_t;
};

template <PointwiseArgs S, class T, class V, int K>
HWY_INLINE auto param(const uint64_t* words) {
  if constexpr (S.kinds[K] == PointwiseArgs::boolean)
    return words[K] != 0;
  else if constexpr (is_int<T>)
    return int64_t(words[K]);
  else
    return V(T(std::bit_cast<double>(words[K])));
}

// Input K of an op as vectors: of T, or a mask of bytes.
template <uint32_t kTraits, class T, int K>
using InputLanes =
    std::conditional_t<(K == 0 && (kTraits & MASK0)) || (K == 1 && (kTraits & MASK1)), LaneMask<T>, Lanes<T>>;
template <class V, class T>
using Element = std::conditional_t<std::is_same_v<V, LaneMask<T>>, uint8_t, T>;

// Floats: explicit vectors. The whole ones and the rest share one copy of the op, which may be long.
template <class Op, PointwiseArgs S, uint32_t kTraits, bool kCheap, class T, int... A, int... P>
void vector_block(const void* const* in, void* out, int64_t n, [[maybe_unused]] const uint64_t* words,
                  std::integer_sequence<int, A...>, std::integer_sequence<int, P...>) {
  using V = Lanes<T>;
  using Result = std::conditional_t<(kTraits & BOOLOUT) != 0, LaneMask<T>, V>;
  constexpr int64_t N = V::kSize;
  const std::tuple<const Element<InputLanes<kTraits, T, A>, T>*...> x{
      static_cast<const Element<InputLanes<kTraits, T, A>, T>*>(in[A])...};
  Element<Result, T>* y = static_cast<Element<Result, T>*>(out);
  if constexpr (kCheap)
    if (n == 1) {  // losses and other single numbers: as few instructions as there can be
      Result(Op::apply(InputLanes<kTraits, T, A>::load_n(std::get<A>(x), 1)..., param<S, T, V, P>(words)...))
          .store_n(y, 1);
      return;
    }
  for (int64_t i = 0; i < n; i += N) {
    const int64_t left = n - i;
    std::tuple<InputLanes<kTraits, T, A>...> v;
    if (left >= N) [[likely]]
      ((std::get<A>(v) = InputLanes<kTraits, T, A>::load(std::get<A>(x) + i)), ...);
    else
      ((std::get<A>(v) = InputLanes<kTraits, T, A>::load_n(std::get<A>(x) + i, left)), ...);
    const Result r = Op::apply(std::get<A>(v)..., param<S, T, V, P>(words)...);
    if (left >= N) [[likely]]
      r.store(y + i);
    else
      r.store_n(y + i, left);
  }
}

// Integers: the compiler makes vectors of a loop of fixed length, without code for what is left over. The rest
// of an array is copied to such a length.
template <class Op, PointwiseArgs S, uint32_t kTraits, class T, int... A, int... P>
void scalar_block(const void* const* in, void* out, int64_t n, [[maybe_unused]] const uint64_t* words,
                  std::integer_sequence<int, A...>, std::integer_sequence<int, P...>) {
  constexpr int64_t N = 64;
  using Out = std::conditional_t<(kTraits & BOOLOUT) != 0 || is_bool<T>, uint8_t, T>;
  using In0 = std::conditional_t<(kTraits & MASK0) != 0 || is_bool<T>, uint8_t, T>;
  using In1 = std::conditional_t<(kTraits & MASK1) != 0 || is_bool<T>, uint8_t, T>;
  using In2 = typename Stored<T>::type;
  const In0* x0 = static_cast<const In0*>(in[0]);
  const In1* x1 = static_cast<const In1*>(S.n_in > 1 ? in[1] : in[0]);
  const In2* x2 = static_cast<const In2*>(S.n_in > 2 ? in[2] : in[0]);
  Out* y = static_cast<Out*>(out);
  auto value = [](auto k, auto raw) HWY_ATTR {
    if constexpr ((k.value == 0 && (kTraits & MASK0)) || (k.value == 1 && (kTraits & MASK1)) || is_bool<T>)
      return raw != 0;
    else
      return raw;
  };
  [[maybe_unused]] const auto p = std::make_tuple(param<S, T, T, P>(words)...);
  In0 rest0[N] = {};
  In1 rest1[N] = {};
  In2 rest2[N] = {};
  Out rest[N];
  for (int64_t i = 0; i < n; i += N) {
    const bool whole = n - i >= N;
    const In0* a = x0 + i;
    const In1* b = x1 + i;
    const In2* c = x2 + i;
    Out* to = y + i;
    if (!whole) {
      std::memcpy(rest0, a, size_t(n - i) * sizeof(In0)), a = rest0;
      if (S.n_in > 1) std::memcpy(rest1, b, size_t(n - i) * sizeof(In1)), b = rest1;
      if (S.n_in > 2) std::memcpy(rest2, c, size_t(n - i) * sizeof(In2)), c = rest2;
      to = rest;
    }
    // An input is `out` or apart from it, so no iteration depends on another.
#pragma GCC ivdep
#pragma GCC unroll 1
    for (int64_t j = 0; j < N; ++j) {
      auto at = [&](auto k) HWY_ATTR {
        if constexpr (k.value == 0)
          return value(k, a[j]);
        else if constexpr (k.value == 1)
          return value(k, b[j]);
        else
          return value(k, c[j]);
      };
      to[j] = Out(Op::apply(at(std::integral_constant<int, A>())..., std::get<P>(p)...));
    }
    if (!whole) std::memcpy(y + i, rest, size_t(n - i) * sizeof(Out));
  }
}

template <class Op, PointwiseArgs S, uint32_t kTraits, bool kCheap, class T>
void block(const void* const* in, void* out, int64_t n, const uint64_t* words) {
  constexpr auto a = std::make_integer_sequence<int, S.n_in>();
  constexpr auto p = std::make_integer_sequence<int, S.n_params>();
  if constexpr (is_int<T>)
    scalar_block<Op, S, kTraits, T>(in, out, n, words, a, p);
  else
    vector_block<Op, S, kTraits, kCheap, T>(in, out, n, words, a, p);
}

// Fills a row: every POINTWISE op of ops.def that takes T. Gradients (INTERNAL) exist for floats only.
template <class T>
void fill_row(BlockFn* row) {
#define POINTWISE(name, signature, traits, ...)                                             \
  if constexpr (is_int<T> ? ((traits) & (FLOAT | INTERNAL)) == 0 : ((traits)&INTONLY) == 0) \
    row[int(OpId::name)] =                                                                  \
        block<op_##name, pointwise_args(signature), uint32_t(traits), is_cheap(OpId::name, traits), T>;
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target guard
