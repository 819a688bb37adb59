#include "core/dist/reduce.h"

#include <algorithm>
#include <type_traits>

#include "core/cpu/kernel.h"

namespace haft::dist {

namespace {

constexpr int64_t kBlock = 512;  // elements; they stay in the first cache while ranks are added

// Integers are joined in int64 and wrap on the way back; unsigned arithmetic, because a sum of theirs may wrap, too.
DType joined_in(DType t) { return t == DType::f64 ? DType::f64 : is_float(t) ? DType::f32 : DType::i64; }

// NaN wins, as in PyTorch.
template <class A, ReduceOp Op>
inline A join(A a, A b) {
  if constexpr (Op == ReduceOp::min)
    return a < b || a != a ? a : b;
  else if constexpr (Op == ReduceOp::max)
    return a > b || a != a ? a : b;
  else if constexpr (std::is_integral_v<A>) {
    const uint64_t x = uint64_t(a), y = uint64_t(b);
    if constexpr (Op == ReduceOp::sum) return A(x + y);
    if constexpr (Op == ReduceOp::prod) return A(x * y);
    if constexpr (Op == ReduceOp::band) return A(x & y);
    if constexpr (Op == ReduceOp::bor) return A(x | y);
    if constexpr (Op == ReduceOp::bxor) return A(x ^ y);
  } else if constexpr (Op == ReduceOp::prod)
    return a * b;
  else
    return a + b;
}

using Join = void (*)(void* out, const void* a, const void* b, int64_t n);

template <class A, ReduceOp Op>
void join_rows(void* out, const void* a, const void* b, int64_t n) {
  A* z = static_cast<A*>(out);
  const A *x = static_cast<const A*>(a), *y = static_cast<const A*>(b);
#pragma GCC ivdep  // out may be a or b, never beside them
  for (int64_t i = 0; i < n; ++i) z[i] = join<A, Op>(x[i], y[i]);
}

template <class A>
void divide(void* values, int divisor, int64_t n) {
  A* x = static_cast<A*>(values);
  for (int64_t i = 0; i < n; ++i) x[i] /= A(divisor);
}
void average(DType t, void* values, int divisor, int64_t n) {
  if (t == DType::f64)
    divide<double>(values, divisor, n);
  else
    divide<float>(values, divisor, n);
}

template <class A>
Join of_arithmetic(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return join_rows<A, ReduceOp::sum>;
    case ReduceOp::prod: return join_rows<A, ReduceOp::prod>;
    case ReduceOp::min: return join_rows<A, ReduceOp::min>;
    case ReduceOp::max: return join_rows<A, ReduceOp::max>;
    default: return nullptr;
  }
}

Join of_bits(ReduceOp op) {
  switch (op) {
    case ReduceOp::band: return join_rows<int64_t, ReduceOp::band>;
    case ReduceOp::bor: return join_rows<int64_t, ReduceOp::bor>;
    case ReduceOp::bxor: return join_rows<int64_t, ReduceOp::bxor>;
    default: return nullptr;
  }
}

// Null: there is none.
Join find(DType t, ReduceOp op) {
  if (is_float8(t) || is_complex(t)) return nullptr;
  if (!is_float(t)) {
    if (t == DType::boolean)  // or, and
      op = op == ReduceOp::sum ? ReduceOp::max : op == ReduceOp::prod ? ReduceOp::min : op;
    const Join arithmetic = of_arithmetic<int64_t>(op);
    return arithmetic ? arithmetic : of_bits(op);
  }
  if (op == ReduceOp::avg) op = ReduceOp::sum;
  return t == DType::f64 ? of_arithmetic<double>(op) : of_arithmetic<float>(op);
}

}  // namespace

void check_reduction(DType t, ReduceOp op) {
  if (!find(t, op))
    fail(Code::dtype,
         concat("elements of type ", dtype_name(t), " have no reduction \"", reduce_name(op), "\""),
         is_complex(t)         ? "reduce view_as_real() of it"
         : is_float8(t)        ? "cast to bfloat16 or float32 first; 8-bit floats travel, but are not added"
         : op == ReduceOp::avg ? "reduce by sum and divide, or convert to a floating type"
                               : "bits are those of integers and bool");
}

void combine(DType t, ReduceOp op, void* out, const void* const* in, int ranks, int64_t count, int divisor) {
  const Join join = find(t, op);
  const DType as = joined_in(t);
  const size_t item = item_size(t);
  alignas(64) char sum[kBlock * sizeof(int64_t)], other[kBlock * sizeof(int64_t)];
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = std::min(kBlock, count - at);
    // A rank's values where they lie, or converted to `room`.
    const auto values = [&](int rank, char* room) -> const void* {
      const char* x = static_cast<const char*>(in[rank]) + size_t(at) * item;
      if (t == as) return x;
      cpu::convert_here(room, as, x, t, n);
      return room;
    };
    char* y = static_cast<char*>(out) + size_t(at) * item;
    const void* joined = values(0, sum);
    void* to = sum;
    for (int r = 1; r < ranks; ++r) {
      if (t == as && r == ranks - 1) to = y;  // not before: `out` may be the input of a later rank
      join(to, joined, values(r, other), n);
      joined = to;
    }
    if (op == ReduceOp::avg && divisor > 1) average(as, to, divisor, n);
    if (joined != y) cpu::convert_here(y, t, joined, as, n);
  }
}

}  // namespace haft::dist
