// 8-bit floats in memory. Nothing computes with them: they are read as float and written from float.
#pragma once
#include "core/cuda/numbers.cuh"
#include "core/tensor/half.h"

namespace haft::cuda {

__device__ inline float float_of_byte(uint8_t b, DType t) {
  return __uint_as_float(t == DType::f8e4m3fn ? bits_of_float8_e4m3fn(b) : bits_of_float8_e5m2(b));
}
__device__ inline uint8_t byte_of_float(float x, DType t) {
  const uint32_t u = __float_as_uint(x);
  return t == DType::f8e4m3fn ? float8_e4m3fn_of(u) : float8_e5m2_of(u);
}
// A number of any float type in memory as float, and back.
__device__ inline float read_as_float(const void* base, DType t, int64_t i) {
  switch (t) {
    case DType::f8e4m3fn:
    case DType::f8e5m2: return float_of_byte(static_cast<const uint8_t*>(base)[i], t);
    default: return read_float<float>(base, t, i);
  }
}
__device__ inline void write_from_float(void* base, DType t, int64_t i, float x) {
  switch (t) {
    case DType::f8e4m3fn:
    case DType::f8e5m2: static_cast<uint8_t*>(base)[i] = byte_of_float(x, t); return;
    default: write_number(base, t, i, x);
  }
}

}  // namespace haft::cuda
