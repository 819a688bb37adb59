#include "core/dist/reduce.h"

#include <algorithm>
#include <type_traits>

namespace haft::dist {

namespace {

template <class T>
struct Joined {  // the type that values are joined in; integers wrap
  using type =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
};
template <>
struct Joined<Half> {
  using type = float;
};
template <>
struct Joined<BFloat16> {
  using type = float;
};

constexpr int64_t kBlock = 512;  // elements; they stay in the first cache while ranks are added

template <class S>
bool is_nan(S v) {
  if constexpr (std::is_floating_point_v<S>)
    return v != v;
  else
    return false;
}

// Of the values as T, since unsigned ones order otherwise. NaN wins, as in PyTorch.
template <class T, ReduceOp Op, class A>
inline A join(A a, A b) {
  using S = std::conditional_t<std::is_integral_v<T>, T, A>;
  if constexpr (Op == ReduceOp::sum || Op == ReduceOp::avg)
    return A(a + b);
  else if constexpr (Op == ReduceOp::prod) {
    if constexpr (std::is_integral_v<T>)
      return A(uint64_t(a) * uint64_t(b));  // small types would widen to int
    else
      return a * b;
  } else if constexpr (Op == ReduceOp::min)
    return S(a) < S(b) || is_nan(S(a)) ? a : b;
  else if constexpr (Op == ReduceOp::max)
    return S(a) > S(b) || is_nan(S(a)) ? a : b;
  else if constexpr (Op == ReduceOp::band)
    return A(a & b);
  else if constexpr (Op == ReduceOp::bor)
    return A(a | b);
  else
    return A(a ^ b);
}

template <class T, ReduceOp Op>
void combine_as(void* out, const void* const* in, int ranks, int64_t count) {
  using A = typename Joined<T>::type;
  A acc[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = std::min(kBlock, count - at);
    const T* first = static_cast<const T*>(in[0]) + at;
    for (int64_t i = 0; i < n; ++i) acc[i] = A(first[i]);
    for (int r = 1; r < ranks; ++r) {
      const T* x = static_cast<const T*>(in[r]) + at;
      for (int64_t i = 0; i < n; ++i) acc[i] = join<T, Op, A>(acc[i], A(x[i]));
    }
    T* y = static_cast<T*>(out) + at;
    if constexpr (Op == ReduceOp::avg)
      for (int64_t i = 0; i < n; ++i) y[i] = T(acc[i] / A(ranks));
    else
      for (int64_t i = 0; i < n; ++i) y[i] = T(acc[i]);
  }
}

using Combine = void (*)(void*, const void* const*, int, int64_t);

template <class T>
Combine combine_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return combine_as<T, ReduceOp::sum>;
    case ReduceOp::prod: return combine_as<T, ReduceOp::prod>;
    case ReduceOp::min: return combine_as<T, ReduceOp::min>;
    case ReduceOp::max: return combine_as<T, ReduceOp::max>;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::band) return combine_as<T, ReduceOp::band>;
    if (op == ReduceOp::bor) return combine_as<T, ReduceOp::bor>;
    if (op == ReduceOp::bxor) return combine_as<T, ReduceOp::bxor>;
  } else if (op == ReduceOp::avg) {
    return combine_as<T, ReduceOp::avg>;
  }
  return nullptr;
}

// Truth values are bytes of 0 and 1: or, and.
ReduceOp of_truth(ReduceOp op) {
  return op == ReduceOp::sum ? ReduceOp::max : op == ReduceOp::prod ? ReduceOp::min : op;
}

Combine find(DType t, ReduceOp op) {
  if (t == DType::boolean) return combine_of<uint8_t>(of_truth(op));
  return visit_dtype(t, [&]<class T>() -> Combine {
    if constexpr (std::is_same_v<T, bool>)
      return nullptr;
    else
      return combine_of<T>(op);
  });
}

}  // namespace

void check_reduction(DType t, ReduceOp op) {
  if (!find(t, op))
    fail(Code::dtype,
         concat("elements of type ", dtype_name(t), " have no reduction \"", reduce_name(op), "\""),
         op == ReduceOp::avg ? "reduce by sum and divide, or convert to a floating type"
                             : "bits are those of integers and bool");
}

void combine(DType t, ReduceOp op, void* out, const void* const* in, int ranks, int64_t count) {
  find(t, op)(out, in, ranks, count);
}

}  // namespace haft::dist
