// Numbers in memory of a type that is the same for all threads, read and written as the wider one that is computed
// in: one kernel instead of one a type, where an access costs more than a branch that all take alike.
#pragma once
#include "core/cuda/device.cuh"
#include "core/tensor/dtype.h"

namespace haft::cuda {

template <class C>
__device__ inline C read_stored(const void* p, DType t) {
  if constexpr (fn::is_int<C>) {
    switch (t) {
      case DType::boolean: return *static_cast<const bool*>(p);
      case DType::u8: return *static_cast<const uint8_t*>(p);
      case DType::i8: return *static_cast<const int8_t*>(p);
      case DType::i16: return *static_cast<const int16_t*>(p);
      case DType::i32: return *static_cast<const int32_t*>(p);
      default: return C(*static_cast<const int64_t*>(p));
    }
  } else {
    switch (t) {
      case DType::f16: return C(load(*static_cast<const half*>(p)));
      case DType::bf16: return C(load(*static_cast<const bfloat16*>(p)));
      case DType::f32: return C(*static_cast<const float*>(p));
      default: return *static_cast<const C*>(p);
    }
  }
}
template <class C>
__device__ inline void write_stored(void* p, DType t, C x) {
  if constexpr (fn::is_int<C>) {
    switch (t) {
      case DType::boolean: *static_cast<bool*>(p) = x != 0; return;
      case DType::u8: *static_cast<uint8_t*>(p) = uint8_t(x); return;
      case DType::i8: *static_cast<int8_t*>(p) = int8_t(x); return;
      case DType::i16: *static_cast<int16_t*>(p) = int16_t(x); return;
      case DType::i32: *static_cast<int32_t*>(p) = int32_t(x); return;
      default: *static_cast<int64_t*>(p) = x; return;
    }
  } else {
    switch (t) {
      case DType::f16: return store(static_cast<half*>(p), float(x));
      case DType::bf16: return store(static_cast<bfloat16*>(p), float(x));
      case DType::f32: *static_cast<float*>(p) = float(x); return;
      default: *static_cast<C*>(p) = x; return;
    }
  }
}

// f.template operator()<C>() with the type that t is computed in: float, double or int64_t.
template <class F>
void visit_compute(DType t, F&& f) {
  if (t == DType::f64) return f.template operator()<double>();
  if (is_float(t)) return f.template operator()<float>();
  f.template operator()<int64_t>();
}

// kN neighbouring elements of a vector of n, from element i on, at once where they are aligned and all there.
template <class T, int kN>
__device__ inline void read_some(T (&v)[kN], const T* p, int64_t i, int64_t n, bool aligned) {
  if (aligned && i + kN <= n) {
    const auto whole = *reinterpret_cast<const Vector<T, kN>*>(p + i);
#pragma unroll
    for (int j = 0; j < kN; ++j) v[j] = whole.at[j];
  } else {
#pragma unroll
    for (int j = 0; j < kN; ++j) v[j] = i + j < n ? p[i + j] : T{};
  }
}
template <class T, int kN>
__device__ inline void write_some(const T (&v)[kN], T* p, int64_t i, int64_t n, bool aligned) {
  if (aligned && i + kN <= n) {
    Vector<T, kN> whole;
#pragma unroll
    for (int j = 0; j < kN; ++j) whole.at[j] = v[j];
    *reinterpret_cast<Vector<T, kN>*>(p + i) = whole;
  } else {
#pragma unroll
    for (int j = 0; j < kN; ++j)
      if (i + j < n) p[i + j] = v[j];
  }
}
inline bool is_aligned(const void* p, int64_t to) {
  return reinterpret_cast<uintptr_t>(p) % uint64_t(to) == 0;
}

}  // namespace haft::cuda
