#include "core/tensor/dtype.h"

#include "core/base/error.h"

namespace haft {
namespace {

constexpr const char* kNames[kDTypeCount] = {
    "none",     "bool",    "uint8",   "int8",      "int16",      "int32",         "int64",      "float16",
    "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"};

// Row a, column b; order of the enum. Symmetric; float16 with bfloat16 and uint8 with int8 meet in a third type.
constexpr DType none = DType::none, b1 = DType::boolean, u8 = DType::u8, i8 = DType::i8, i16 = DType::i16,
                i32 = DType::i32, i64 = DType::i64, f16 = DType::f16, bf16 = DType::bf16, f32 = DType::f32,
                f64 = DType::f64, c64 = DType::c64, c128 = DType::c128;
constexpr int kPromoted = int(DType::c128) + 1;
constexpr DType kPromote[kPromoted][kPromoted] = {
    {none, b1, u8, i8, i16, i32, i64, f16, bf16, f32, f64, c64, c128},
    {b1, b1, u8, i8, i16, i32, i64, f16, bf16, f32, f64, c64, c128},
    {u8, u8, u8, i16, i16, i32, i64, f16, bf16, f32, f64, c64, c128},
    {i8, i8, i16, i8, i16, i32, i64, f16, bf16, f32, f64, c64, c128},
    {i16, i16, i16, i16, i16, i32, i64, f16, bf16, f32, f64, c64, c128},
    {i32, i32, i32, i32, i32, i32, i64, f16, bf16, f32, f64, c64, c128},
    {i64, i64, i64, i64, i64, i64, i64, f16, bf16, f32, f64, c64, c128},
    {f16, f16, f16, f16, f16, f16, f16, f16, f32, f32, f64, c64, c128},
    {bf16, bf16, bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64, c64, c128},
    {f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f64, c64, c128},
    {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, c128, c128},
    {c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c128, c64, c128},
    {c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128},
};

}  // namespace

const char* dtype_name(DType t) { return int(t) < kDTypeCount ? kNames[int(t)] : "invalid"; }

void fail_element_type(DType t) {
  fail(Code::dtype, concat("elements of type ", dtype_name(t), " are not supported here"),
       "convert the tensor to a real floating, integer or bool type");
}

DType promote(DType a, DType b) {
  if (!is_float8(a) && !is_float8(b)) return kPromote[int(a)][int(b)];
  if (a == b || b == DType::none) return a;
  if (a == DType::none) return b;
  fail(Code::dtype,
       concat(dtype_name(a), " and ", dtype_name(b), " have no common type: 8-bit floats are not promoted"),
       "cast one of the tensors to the type that is meant");
}

}  // namespace haft
