// Unary ops. Text: included inside a namespace, see functors.h.

#define HAFT_UNARY(name, ...)     \
  struct op_##name {              \
    template <class V>            \
    static HAFT_FN V apply(V x) { \
      __VA_ARGS__                 \
    }                             \
  };

HAFT_UNARY(abs, if constexpr (is_int<V>) return x < V(0) ? sub(V(0), x) : x; else return abs(x);)
HAFT_UNARY(neg, if constexpr (is_int<V>) return sub(V(0), x); else return -x;)
HAFT_UNARY(sign, return select(x > V(0), V(1), select(x < V(0), V(-1), V(0)));)
HAFT_UNARY(exp, return exp(x);)
HAFT_UNARY(exp2, return exp2(x);)
HAFT_UNARY(expm1, return expm1(x);)
HAFT_UNARY(log, return log(x);)
HAFT_UNARY(log2, return log2(x);)
HAFT_UNARY(log10, return log10(x);)
HAFT_UNARY(log1p, return log1p(x);)
HAFT_UNARY(sqrt, return sqrt(x);)
HAFT_UNARY(rsqrt, return V(1) / sqrt(x);)
HAFT_UNARY(square, return mul(x, x);)
HAFT_UNARY(reciprocal, return V(1) / x;)
HAFT_UNARY(sin, return sin(x);)
HAFT_UNARY(cos, return cos(x);)
HAFT_UNARY(tan, return tan(x);)
HAFT_UNARY(asin, return asin(x);)
HAFT_UNARY(acos, return acos(x);)
HAFT_UNARY(atan, return atan(x);)
HAFT_UNARY(sinh, return sinh(x);)
HAFT_UNARY(cosh, return cosh(x);)
HAFT_UNARY(tanh, return tanh(x);)
// The logarithms of x + sqrt(x^2 +- 1) by log1p, so that small results keep their digits; from 2^60 on that is log(2
// x).
HAFT_UNARY(asinh, V a = abs(x); auto big = a > V(0x1p60);
           V y = log1p(select(big, a, a + a * a / (V(1) + sqrt(a * a + V(1)))));
           return copysign(select(big, y + V(0.69314718055994531), y), x);)
HAFT_UNARY(acosh, V a = x - V(1); auto big = a > V(0x1p60);
           V y = log1p(select(big, a, a + sqrt(a) * sqrt(a + V(2))));
           return select(big, y + V(0.69314718055994531), y);)
HAFT_UNARY(atanh, V a = abs(x); return copysign(V(0.5) * log1p(V(2) * a / (V(1) - a)), x);)
HAFT_UNARY(erf, return erf(x);)
HAFT_UNARY(erfc, return erfc(x);)
HAFT_UNARY(erfinv, return erfinv(x);)
HAFT_UNARY(lgamma, return lgamma(x);)
HAFT_UNARY(digamma, return digamma(x);)
HAFT_UNARY(i0, return i0(x);)
HAFT_UNARY(i1, return i1(x);)
HAFT_UNARY(sigmoid, return quotient(V(1), V(1) + exp(-x));)
HAFT_UNARY(floor, if constexpr (is_int<V>) return x; else return floor(x);)
HAFT_UNARY(ceil, if constexpr (is_int<V>) return x; else return ceil(x);)
HAFT_UNARY(round, if constexpr (is_int<V>) return x; else return round_even(x);)
HAFT_UNARY(trunc, if constexpr (is_int<V>) return x; else return trunc(x);)
HAFT_UNARY(bitwise_not, if constexpr (is_bool<V>) return !x; else return V(~x);)
#undef HAFT_UNARY
struct op_rare {
  template <class V, class S>
  static HAFT_FN V apply(V x, S which) {
    return rare(x, V(which));
  }
};
struct op_zeta {
  template <class V, class S>
  static HAFT_FN V apply(V x, S s) {
    return zeta(V(s), x);
  }
};

// Tests answer with a bool; x - x is 0 but for infinities and NaN.
#define HAFT_TEST(name, ...)         \
  struct op_##name {                 \
    template <class V>               \
    static HAFT_FN auto apply(V x) { \
      __VA_ARGS__                    \
    }                                \
  };
HAFT_TEST(isnan, return x != x;)
HAFT_TEST(isinf, if constexpr (is_int<V>) return false; else return (x - x != V(0)) & (x == x);)
HAFT_TEST(isfinite, if constexpr (is_int<V>) return true; else return x - x == V(0);)
HAFT_TEST(logical_not, return x == V(0);)
#undef HAFT_TEST
