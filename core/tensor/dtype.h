// Element types: their sizes, names, categories and PyTorch's promotion rule.
#pragma once
#include <cstdint>

#include "core/tensor/half.h"

namespace haft {

// Values are fixed by the ABI (haft_dtype).
enum class DType : uint8_t {
  none = 0,
  boolean = 1,
  u8 = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  f16 = 7,
  bf16 = 8,
  f32 = 9,
  f64 = 10,
  c64 = 11,
  c128 = 12,
  f8e4m3fn = 13,
  f8e5m2 = 14,
};
constexpr int kDTypeCount = 15;

constexpr int64_t item_size(DType t) {
  constexpr uint8_t size[kDTypeCount] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 1, 1};
  return size[int(t)];
}
constexpr bool is_complex(DType t) { return t == DType::c64 || t == DType::c128; }
// Types of storage: elements are moved and cast, and only ops with the trait FLOAT8 take them.
constexpr bool is_float8(DType t) { return t >= DType::f8e4m3fn; }
constexpr bool is_float(DType t) {
  constexpr uint32_t kFloats = 0b1111u << int(DType::f16) | 0b11u << int(DType::f8e4m3fn);
  return kFloats >> int(t) & 1;
}
constexpr bool is_integer(DType t) { return t >= DType::u8 && t <= DType::i64; }  // bool is not an integer
// The type in which statistics of elements are kept: float32 for the 16-bit floats.
constexpr DType wide_dtype(DType t) { return t == DType::f16 || t == DType::bf16 ? DType::f32 : t; }
constexpr bool is_valid(int32_t t) { return t > 0 && t < kDTypeCount; }
// What may have a gradient.
constexpr bool is_differentiable(DType t) { return is_float(t) || is_complex(t); }
// The type of a complex number's parts, and of complex numbers whose parts are at least of type t.
constexpr DType real_dtype(DType t) {
  return t == DType::c64 ? DType::f32 : t == DType::c128 ? DType::f64 : t;
}
constexpr DType complex_dtype(DType t) {
  return t == DType::f64 || t == DType::c128 ? DType::c128 : DType::c64;
}
const char* dtype_name(DType t);  // "float32"

// The type two tensors (of dimension > 0) meet in: PyTorch's lattice, where no integer widens a float. Fails for an
// 8-bit float with another type, which meet in none.
DType promote(DType a, DType b);
// What a Python-style scalar does to a tensor's type: only a higher category changes it.
enum class Category : uint8_t { boolean, integer, floating, complex };
constexpr Category category(DType t) {
  return is_complex(t)         ? Category::complex
         : t >= DType::f16     ? Category::floating
         : t == DType::boolean ? Category::boolean
                               : Category::integer;
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::u8;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::i8;
};
template <>
struct DTypeOf<int16_t> {
  static constexpr DType value = DType::i16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::f16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::bf16;
};
template <>
struct DTypeOf<Float8E4M3> {
  static constexpr DType value = DType::f8e4m3fn;
};
template <>
struct DTypeOf<Float8E5M2> {
  static constexpr DType value = DType::f8e5m2;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};

// Fails: there is no code for elements of this type. Complex ones are computed by their parts (ops/complex_rules.cpp).
[[noreturn]] void fail_element_type(DType t);

// Calls f.template operator()<T>() with the C++ type of t.
template <class F>
decltype(auto) visit_dtype(DType t, F&& f) {
  switch (t) {
    case DType::boolean: return f.template operator()<bool>();
    case DType::u8: return f.template operator()<uint8_t>();
    case DType::i8: return f.template operator()<int8_t>();
    case DType::i16: return f.template operator()<int16_t>();
    case DType::i32: return f.template operator()<int32_t>();
    case DType::i64: return f.template operator()<int64_t>();
    case DType::f16: return f.template operator()<Half>();
    case DType::bf16: return f.template operator()<BFloat16>();
    case DType::f32: return f.template operator()<float>();
    case DType::f64: return f.template operator()<double>();
    case DType::f8e4m3fn: return f.template operator()<Float8E4M3>();
    case DType::f8e5m2: return f.template operator()<Float8E5M2>();
    default: fail_element_type(t);
  }
}

// The same with an unsigned type of the element's size: who only moves elements needs no more.
template <class F>
decltype(auto) visit_size(DType t, F&& f) {
  switch (item_size(t)) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    case 8: return f.template operator()<uint64_t>();
    default: fail_element_type(t);
  }
}

}  // namespace haft
