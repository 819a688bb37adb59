// What functors call, for plain numbers on the host; math_cuda.h is its equal for CUDA. Text: functors.h
// includes it inside a namespace, cpu/simd.h once more for each instruction set.

HAFT_FN double infinity() { return HUGE_VAL; }
HAFT_FN double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }

#define HAFT_MATH1(name, call)                 \
  HAFT_FN float name(float x) { return call; } \
  HAFT_FN double name(double x) { return call; }
#define HAFT_MATH2(name, call)                          \
  HAFT_FN float name(float a, float b) { return call; } \
  HAFT_FN double name(double a, double b) { return call; }
// clang-format off
HAFT_MATH1(abs, std::fabs(x))
HAFT_MATH1(exp, std::exp(x))
HAFT_MATH1(exp2, std::exp2(x))
HAFT_MATH1(expm1, std::expm1(x))
HAFT_MATH1(log, std::log(x))
HAFT_MATH1(log2, std::log2(x))
HAFT_MATH1(log10, std::log10(x))
HAFT_MATH1(log1p, std::log1p(x))
HAFT_MATH1(sqrt, std::sqrt(x))
HAFT_MATH1(sin, std::sin(x))
HAFT_MATH1(cos, std::cos(x))
HAFT_MATH1(tan, std::tan(x))
HAFT_MATH1(asin, std::asin(x))
HAFT_MATH1(acos, std::acos(x))
HAFT_MATH1(atan, std::atan(x))
HAFT_MATH1(sinh, std::sinh(x))
HAFT_MATH1(cosh, std::cosh(x))
HAFT_MATH1(tanh, std::tanh(x))
HAFT_MATH1(erf, std::erf(x))
HAFT_MATH1(erfc, std::erfc(x))
HAFT_MATH1(floor, std::floor(x))
HAFT_MATH1(ceil, std::ceil(x))
HAFT_MATH1(trunc, std::trunc(x))
HAFT_MATH1(round_even, std::nearbyint(x))
HAFT_MATH2(pow, std::pow(a, b))
HAFT_MATH2(fmod, std::fmod(a, b))
HAFT_MATH2(atan2, std::atan2(a, b))
HAFT_MATH2(copysign, std::copysign(a, b))
// clang-format on
#undef HAFT_MATH1
#undef HAFT_MATH2
// The e of x = m 2^e with m in [0.5, 1), and x 2^e.
HAFT_FN int exponent_of(double x) {
  int e;
  std::frexp(x, &e);
  return e;
}
HAFT_FN double times_power_of_two(double x, int e) { return std::ldexp(x, e); }

// lgamma_r, for lgamma writes a global.
HAFT_FN double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
HAFT_FN float lgamma(float x) { return float(lgamma(double(x))); }
