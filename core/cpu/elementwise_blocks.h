// The loops of POINTWISE ops over dense arrays; included once per target, after simd.h.
#if defined(HAFT_CPU_ELEMENTWISE_BLOCKS_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HAFT_CPU_ELEMENTWISE_BLOCKS_H
#undef HAFT_CPU_ELEMENTWISE_BLOCKS_H
#else
#define HAFT_CPU_ELEMENTWISE_BLOCKS_H
#endif

#include <bit>
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

template <Signature S, uint32_t kTraits, class T, class V, int K>
HWY_INLINE auto param(const uint64_t* words) {
  if constexpr (S.kinds[K] == Signature::boolean)
    return words[K] != 0;
  else if constexpr (is_int<T>)
    return int64_t(words[K]);
  else
    return V(T(std::bit_cast<double>(words[K])));
}

// Floats in, floats out: explicit vectors.
template <class Op, Signature S, uint32_t kTraits, class T, int... A, int... P>
void vector_block(const void* const* in, void* out, int64_t n, [[maybe_unused]] const uint64_t* words,
                  std::integer_sequence<int, A...>, std::integer_sequence<int, P...>) {
  using V = Lanes<T>;
  constexpr int64_t N = V::kSize;
  const T* x[] = {static_cast<const T*>(in[A])...};
  T* y = static_cast<T*>(out);
  int64_t i = 0;
  for (; i + N <= n; i += N)
    Op::apply(V::load(x[A] + i)..., param<S, kTraits, T, V, P>(words)...).store(y + i);
  if (i < n)
    Op::apply(V::load_n(x[A] + i, n - i)..., param<S, kTraits, T, V, P>(words)...).store_n(y + i, n - i);
}

// Integers, masks and bool results: the compiler vectorises these well by itself.
template <class Op, Signature S, uint32_t kTraits, class T, int... A, int... P>
void scalar_block(const void* const* in, void* out, int64_t n, [[maybe_unused]] const uint64_t* words,
                  std::integer_sequence<int, A...>, std::integer_sequence<int, P...>) {
  using Out = std::conditional_t<(kTraits & BOOLOUT) != 0 || is_bool<T>, uint8_t, T>;
  using In0 = std::conditional_t<(kTraits & MASK0) != 0, uint8_t, typename Stored<T>::type>;
  using In1 = std::conditional_t<(kTraits & MASK1) != 0, uint8_t, typename Stored<T>::type>;
  using In2 = typename Stored<T>::type;
  const In0* x0 = static_cast<const In0*>(in[0]);
  const In1* x1 = static_cast<const In1*>(S.n_in > 1 ? in[1] : nullptr);
  const In2* x2 = static_cast<const In2*>(S.n_in > 2 ? in[2] : nullptr);
  Out* y = static_cast<Out*>(out);
  auto load = [&](auto k, int64_t i) HWY_ATTR {
    constexpr bool mask =
        (k.value == 0 && (kTraits & MASK0)) || (k.value == 1 && (kTraits & MASK1)) || is_bool<T>;
    auto raw = [&]() HWY_ATTR {
      if constexpr (k.value == 0)
        return x0[i];
      else if constexpr (k.value == 1)
        return x1[i];
      else
        return x2[i];
    }();
    if constexpr (mask)
      return raw != 0;
    else
      return raw;
  };
  [[maybe_unused]] auto p = std::make_tuple(param<S, kTraits, T, T, P>(words)...);
  // An input is `out` or apart from it, so no iteration depends on another.
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i)
    y[i] = Out(Op::apply(load(std::integral_constant<int, A>(), i)..., std::get<P>(p)...));
}

template <class Op, Signature S, uint32_t kTraits, class T>
void block(const void* const* in, void* out, int64_t n, const uint64_t* words) {
  constexpr auto a = std::make_integer_sequence<int, S.n_in>();
  constexpr auto p = std::make_integer_sequence<int, S.n_params>();
  if constexpr (is_int<T> || (kTraits & (BOOLOUT | MASK0 | MASK1)) != 0)
    scalar_block<Op, S, kTraits, T>(in, out, n, words, a, p);
  else
    vector_block<Op, S, kTraits, T>(in, out, n, words, a, p);
}

// Fills a row: every POINTWISE op of ops.def that takes T. Gradients (INTERNAL) exist for floats only.
template <class T>
void fill_row(BlockFn* row) {
#define POINTWISE(name, signature, traits, ...)                                             \
  if constexpr (is_int<T> ? ((traits) & (FLOAT | INTERNAL)) == 0 : ((traits)&INTONLY) == 0) \
    row[int(OpId::name)] = block<op_##name, parse_signature(signature), uint32_t(traits), T>;
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
