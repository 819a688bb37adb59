// From a dtype to the type in memory: f.template operator()<T>().
#pragma once
#include "core/cuda/device.cuh"
#include "core/cuda/kernel.h"

namespace haft::cuda {

template <class F>
void visit_float(const Call& c, DType t, F&& f) {
  switch (t) {
    case DType::f32: return f.template operator()<float>();
    case DType::f64: return f.template operator()<double>();
    case DType::f16: return f.template operator()<half>();
    case DType::bf16: return f.template operator()<bfloat16>();
    default: fail_not_float(c, t);
  }
}
// What products are made of: floats, or int64 for all integers.
template <class F>
void visit_factor(const Call& c, DType t, F&& f) {
  if (t == DType::i64) return f.template operator()<int64_t>();
  if (!is_float(t)) fail_dtype(c, t, "a floating dtype or int64");
  visit_float(c, t, std::forward<F>(f));
}
// The type that floats are computed in: float or double.
template <class F>
void visit_computed(const Call& c, DType t, F&& f) {
  if (t == DType::f64) return f.template operator()<double>();
  if (!is_float(t)) fail_not_float(c, t);
  f.template operator()<float>();
}
template <class F>
void visit_integer(const Call& c, DType t, F&& f) {
  switch (t) {
    case DType::boolean: return f.template operator()<bool>();
    case DType::u8: return f.template operator()<uint8_t>();
    case DType::i8: return f.template operator()<int8_t>();
    case DType::i16: return f.template operator()<int16_t>();
    case DType::i32: return f.template operator()<int32_t>();
    case DType::i64: return f.template operator()<int64_t>();
    default: fail_dtype(c, t, "an integer or bool");
  }
}
template <class F>
void visit_any(const Call& c, DType t, F&& f) {
  if (is_float(t)) return visit_float(c, t, std::forward<F>(f));
  visit_integer(c, t, std::forward<F>(f));
}
// For what moves elements and never looks at them: by their size alone (uint8_t, uint16_t, uint32_t, uint64_t).
template <class F>
void visit_size(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    default: return f.template operator()<uint64_t>();
  }
}

}  // namespace haft::cuda
