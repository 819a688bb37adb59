// POINTWISE ops: for each op and type two kernels over the functors of core/schema: `vectors` reads and writes 16
// bytes at a time where the innermost dimension of every operand is dense or one element for all, `any` takes all
// other strides and the types narrower than those with vectors, which it widens and narrows by a number that is the
// same for all threads.
#pragma once
#include <utility>

#include "core/cuda/pointwise.h"
#include "core/cuda/space.cuh"

namespace haft::cuda {

// A number of a wider type than the one in memory.
template <class T>
__device__ inline T read_as(const char* p, DType t) {
  if constexpr (sizeof(T) == 4 && fn::is_int<T>) {
    switch (t) {
      case DType::u8: return *reinterpret_cast<const uint8_t*>(p);
      case DType::i8: return *reinterpret_cast<const int8_t*>(p);
      case DType::i16: return *reinterpret_cast<const int16_t*>(p);
      default: break;
    }
  } else if constexpr (sizeof(T) == 4) {
    switch (t) {
      case DType::f16: return load(*reinterpret_cast<const half*>(p));
      case DType::bf16: return load(*reinterpret_cast<const bfloat16*>(p));
      default: break;
    }
  }
  return *reinterpret_cast<const T*>(p);
}
template <class T>
__device__ inline void write_as(char* p, DType t, T x) {
  if constexpr (sizeof(T) == 4 && fn::is_int<T>) {
    switch (t) {
      case DType::u8: *reinterpret_cast<uint8_t*>(p) = uint8_t(x); return;
      case DType::i8: *reinterpret_cast<int8_t*>(p) = int8_t(x); return;
      case DType::i16: *reinterpret_cast<int16_t*>(p) = int16_t(x); return;
      default: break;
    }
  } else if constexpr (sizeof(T) == 4) {
    switch (t) {
      case DType::f16: return store(reinterpret_cast<half*>(p), x);
      case DType::bf16: return store(reinterpret_cast<bfloat16*>(p), x);
      default: break;
    }
  }
  *reinterpret_cast<T*>(p) = x;
}

// An op as the kernels' templates know it.
template <OpId kOp>
struct FunctorOf;
#define POINTWISE(name, ...)     \
  template <>                    \
  struct FunctorOf<OpId::name> { \
    using type = fn::op_##name;  \
  };
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
template <OpId kOp>
struct Spec {
  using Functor = typename FunctorOf<kOp>::type;
  static constexpr PointwiseArgs args = kPointwiseArgs[int(kOp)];
  static constexpr int operands = args.n_in + 1;
  static constexpr bool to_bool = (op_traits(kOp) & BOOLOUT) != 0;
  static constexpr bool is_mask(int k) {
    return (k == 0 && op_traits(kOp) & MASK0) || (k == 1 && op_traits(kOp) & MASK1);
  }
  using Inputs = std::make_integer_sequence<int, args.n_in>;
  using Params = std::make_integer_sequence<int, args.n_params>;
};
// Input K in memory.
template <class S, class T, int K>
using Stored = std::conditional_t<S::is_mask(K), bool, T>;

template <class S, int K, class C>
__device__ inline auto param(const PointwiseParams& p) {
  if constexpr (S::args.kinds[K] == PointwiseArgs::boolean)
    return p.words[K] != 0;
  else if constexpr (fn::is_int<C>)
    return int64_t(p.words[K]);
  else
    return C(__longlong_as_double((long long)(p.words[K])));
}

template <class S, class T, int kN, int... A, int... P>
__device__ inline void vector_body(const Space<S::operands>& space, unsigned single,
                                   const PointwiseParams& params, std::integer_sequence<int, A...>,
                                   std::integer_sequence<int, P...>) {
  using C = Computed<T>;
  using Out = std::conditional_t<S::to_bool, bool, T>;
  char* p[S::operands];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    // An operand of one element for the whole innermost dimension is read once.
    auto read = [&]<int K>() {
      using V = Vector<Stored<S, T, K>, kN>;
      if (single >> K & 1) {
        V v;
        const auto x = *reinterpret_cast<const Stored<S, T, K>*>(p[K + 1]);
#pragma unroll
        for (int j = 0; j < kN; ++j) v.at[j] = x;
        return v;
      }
      return *reinterpret_cast<const V*>(p[K + 1]);
    };
    const auto results = [&](const auto&... v) {
      Vector<Out, kN> r;
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        if constexpr (S::to_bool)
          r.at[j] = bool(S::Functor::apply(load(v.at[j])..., param<S, P, C>(params)...));
        else
          store(&r.at[j], C(S::Functor::apply(load(v.at[j])..., param<S, P, C>(params)...)));
      }
      return r;
    };
    *reinterpret_cast<Vector<Out, kN>*>(p[0]) = results(read.template operator()<A>()...);
  }
}
template <OpId kOp, class T, int kN>
__global__ void __launch_bounds__(kThreads)
    vectors(Space<Spec<kOp>::operands> space, unsigned single, PointwiseParams params) {
  using S = Spec<kOp>;
  vector_body<S, T, kN>(space, single, params, typename S::Inputs(), typename S::Params());
}

template <class S, class C, int... A, int... P>
__device__ inline void any_body(const Space<S::operands>& space, const PointwiseParams& params,
                                std::integer_sequence<int, A...>, std::integer_sequence<int, P...>) {
  char* p[S::operands];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    auto read = [&]<int K>() {
      if constexpr (S::is_mask(K))
        return *reinterpret_cast<const bool*>(p[K + 1]);
      else
        return read_as<C>(p[K + 1], params.dtype);
    };
    const auto r = S::Functor::apply(read.template operator()<A>()..., param<S, P, C>(params)...);
    if constexpr (S::to_bool)
      *reinterpret_cast<bool*>(p[0]) = bool(r);
    else
      write_as<C>(p[0], params.dtype, C(r));
  }
}
template <OpId kOp, class C>
__global__ void __launch_bounds__(kThreads) any(Space<Spec<kOp>::operands> space, PointwiseParams params) {
  using S = Spec<kOp>;
  any_body<S, C>(space, params, typename S::Inputs(), typename S::Params());
}

template <OpId kOp, class T, int kN>
void launch_vectors(const Call& c, const Walk& w, unsigned single, const PointwiseParams& params) {
  const Space<Spec<kOp>::operands> space(w, kN);
  Shape3 shape = blocks_for(c, space.count);
  // Two inputs are bound by memory, which likes a vector a thread best; more work a thread pays where functions are
  // longer.
  if constexpr (Spec<kOp>::operands > 2) shape.grid.x = (space.count + kThreads - 1) / kThreads;
  launch(c, shape, vectors<kOp, T, kN>, space, single, params);
}
template <OpId kOp, class C>
void launch_any(const Call& c, const Walk& w, const PointwiseParams& params) {
  launch(c, blocks_for(c, w.numel), any<kOp, C>, Space<Spec<kOp>::operands>(w), params);
}

// Whether an op takes a computed type: gradients (INTERNAL) exist for floats only.
template <class C>
constexpr bool takes(uint32_t traits) {
  return fn::is_int<C> ? (traits & (FLOAT | INTERNAL)) == 0 : (traits & INTONLY) == 0;
}
// 16 bytes at a time, but no more than 8 elements: more would need more registers than they spare accesses.
template <class T>
constexpr int kVectorOf = sizeof(T) == 1 ? 8 : int(16 / sizeof(T));

template <class T>
void fill_vectors(VectorsFn* row) {
#define POINTWISE(name, signature, traits, ...) \
  if constexpr (takes<Computed<T>>(traits))     \
    row[int(OpId::name)] = launch_vectors<OpId::name, T, kVectorOf<T>>;
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
}
template <class C>
void fill_any(AnyFn* row) {
#define POINTWISE(name, signature, traits, ...) \
  if constexpr (takes<C>(traits)) row[int(OpId::name)] = launch_any<OpId::name, C>;
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
}

}  // namespace haft::cuda
