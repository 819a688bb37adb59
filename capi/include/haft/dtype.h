/* Element types and the most dimensions of a tensor: what programs and device plug-ins share. */
#ifndef HAFT_DTYPE_H
#define HAFT_DTYPE_H
#include <stdint.h>

typedef int32_t haft_dtype;
enum {
  HAFT_DTYPE_NONE = 0, /* infer */
  HAFT_BOOL = 1,       /* one byte, 0 or 1 */
  HAFT_UINT8 = 2,
  HAFT_INT8 = 3,
  HAFT_INT16 = 4,
  HAFT_INT32 = 5,
  HAFT_INT64 = 6,
  HAFT_FLOAT16 = 7,
  HAFT_BFLOAT16 = 8,
  HAFT_FLOAT32 = 9,
  HAFT_FLOAT64 = 10,
  HAFT_COMPLEX64 = 11,  /* two float32, the real part first */
  HAFT_COMPLEX128 = 12, /* two float64, the real part first */
  /* 8-bit floats are stored, moved, cast and multiplied by haft_scaled_mm; nothing else computes with them. */
  HAFT_FLOAT8_E4M3FN = 13, /* 4 bits of exponent, 3 of mantissa: up to 448, NaN but no infinities */
  HAFT_FLOAT8_E5M2 = 14    /* 5 bits of exponent, 2 of mantissa: up to 57344, infinities and NaN */
};

#define HAFT_MAX_DIMS 8

#endif
