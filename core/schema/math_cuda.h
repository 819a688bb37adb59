// What functors call, for plain numbers in CUDA device code; math_host.h is its equal for the host. Text:
// functors.h includes it inside a namespace. No header is needed, so that NVRTC takes it as nvcc does.

#pragma nv_diag_suppress 186  // functors ask of every type whether it is below 0, of unsigned ones, too

#ifdef __CUDACC_RTC__
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;
using uint64_t = unsigned long;
#endif
static_assert(sizeof(int64_t) == 8, "haft's functors count in 64 bits");

HAFT_FN double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
HAFT_FN double not_a_number() { return __longlong_as_double(0x7ff8000000000000ll); }

#define HAFT_MATH1(name, for_float, for_double)          \
  HAFT_FN float name(float x) { return ::for_float(x); } \
  HAFT_FN double name(double x) { return ::for_double(x); }
#define HAFT_MATH2(name, for_float, for_double)                      \
  HAFT_FN float name(float a, float b) { return ::for_float(a, b); } \
  HAFT_FN double name(double a, double b) { return ::for_double(a, b); }
// clang-format off
HAFT_MATH1(abs, fabsf, fabs)
HAFT_MATH1(exp, expf, exp)
HAFT_MATH1(exp2, exp2f, exp2)
HAFT_MATH1(expm1, expm1f, expm1)
HAFT_MATH1(log, logf, log)
HAFT_MATH1(log2, log2f, log2)
HAFT_MATH1(log10, log10f, log10)
HAFT_MATH1(log1p, log1pf, log1p)
HAFT_MATH1(sqrt, sqrtf, sqrt)
HAFT_MATH1(sin, sinf, sin)
HAFT_MATH1(cos, cosf, cos)
HAFT_MATH1(tan, tanf, tan)
HAFT_MATH1(asin, asinf, asin)
HAFT_MATH1(acos, acosf, acos)
HAFT_MATH1(atan, atanf, atan)
HAFT_MATH1(sinh, sinhf, sinh)
HAFT_MATH1(cosh, coshf, cosh)
HAFT_MATH1(tanh, tanhf, tanh)
HAFT_MATH1(erf, erff, erf)
HAFT_MATH1(erfc, erfcf, erfc)
HAFT_MATH1(floor, floorf, floor)
HAFT_MATH1(ceil, ceilf, ceil)
HAFT_MATH1(trunc, truncf, trunc)
HAFT_MATH1(round_even, rintf, rint)
HAFT_MATH1(lgamma, lgammaf, lgamma)
HAFT_MATH2(pow, powf, pow)
HAFT_MATH2(fmod, fmodf, fmod)
HAFT_MATH2(atan2, atan2f, atan2)
HAFT_MATH2(copysign, copysignf, copysign)
// clang-format on
#undef HAFT_MATH1
#undef HAFT_MATH2
// To 2 units in the last place, 0 for divisors from 2^126 on: where an exponential is in the divisor.
HAFT_FN float quotient(float a, float b) { return __fdividef(a, b); }
// The e of x = m 2^e with m in [0.5, 1), and x 2^e.
HAFT_FN int exponent_of(double x) {
  int e;
  ::frexp(x, &e);
  return e;
}
HAFT_FN double times_power_of_two(double x, int e) { return ::ldexp(x, e); }

// 16-bit floats are stored so and computed as float: cuda_fp16.h would be a header.
struct half {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};
HAFT_FN float load(half h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
  return f;
}
HAFT_FN float load(bfloat16 h) { return __uint_as_float(uint32_t(h.bits) << 16); }
template <class T>
HAFT_FN T load(T x) {
  return x;
}
HAFT_FN void store(half* p, float f) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p->bits) : "f"(f)); }
HAFT_FN void store(bfloat16* p, float f) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(p->bits) : "f"(f)); }
HAFT_FN void store(bool* p, bool x) { *p = x; }  // from the int of bool & bool, too
template <class T>
HAFT_FN void store(T* p, T x) {
  *p = x;
}
