// Binary ops, ops with a scalar, ternary ops and masks. Text: included inside a namespace, see functors.h.

#define HAFT_BINARY(name, ...)         \
  struct op_##name {                   \
    template <class V>                 \
    static HAFT_FN V apply(V a, V b) { \
      __VA_ARGS__                      \
    }                                  \
  };
#define HAFT_TEST(name, ...)              \
  struct op_##name {                      \
    template <class V>                    \
    static HAFT_FN auto apply(V a, V b) { \
      __VA_ARGS__                         \
    }                                     \
  };
#define HAFT_SCALAR(name, ...)         \
  struct op_##name {                   \
    template <class V, class S>        \
    static HAFT_FN V apply(V a, S b) { \
      __VA_ARGS__                      \
    }                                  \
  };
// Integers compare with the scalar's own value, even where it does not fit their type.
#define HAFT_TEST_SCALAR(name, ...)       \
  struct op_##name {                      \
    template <class V, class S>           \
    static HAFT_FN auto apply(V a, S b) { \
      __VA_ARGS__                         \
    }                                     \
  };

HAFT_BINARY(add, return add(a, b);)
HAFT_BINARY(sub, return sub(a, b);)
HAFT_BINARY(mul, return mul(a, b);)
HAFT_BINARY(div, return a / b;)
HAFT_BINARY(pow, if constexpr (is_int<V>) return int_pow(a, int64_t(b)); else return pow(a, b);)
HAFT_BINARY(maximum, return select(a != a, a, select(a > b, a, b));)
HAFT_BINARY(minimum, return select(a != a, a, select(a < b, a, b));)
HAFT_BINARY(fmod, if constexpr (is_int<V>) return V(int_fmod(a, b)); else return fmod(a, b);)
HAFT_BINARY(
    remainder, if constexpr (is_int<V>) { return V(int_remainder(a, b)); } else {
      V r = fmod(a, b);
      return select((r != V(0)) & ((r < V(0)) != (b < V(0))), r + b, r);
    })
HAFT_BINARY(floor_divide, if constexpr (is_int<V>) return V(int_floor_div(a, b));
            else return float_floor_div(a, b);)
HAFT_BINARY(atan2, return atan2(a, b);)
// The smaller over the larger, so that no square overflows; an infinity wins over NaN, as in C.
HAFT_BINARY(hypot, V p = abs(a), q = abs(b); V m = select(p < q, q, p), n = select(p < q, p, q), r = n / m;
            V y = select((p == V(0)) & (q == V(0)), p, m* sqrt(V(1) + r * r));
            y = select(p == V(infinity()), p, y); return select(q == V(infinity()), q, y);)
HAFT_BINARY(copysign, return copysign(a, b);)
HAFT_BINARY(logaddexp, V m = select(a != a, a, select(a > b, a, b));
            return select(a == b, a + V(0.69314718055994530942), m + log1p(exp(-abs(a - b))));)
HAFT_BINARY(logaddexp2, V m = select(a != a, a, select(a > b, a, b));
            return select(a == b, a + V(1), m + log1p(exp2(-abs(a - b))) * V(1.44269504088896340736));)
HAFT_BINARY(xlogy, return select((a == V(0)) & (b == b), V(0), a* log(b));)
HAFT_TEST(eq, return a == b;)
HAFT_TEST(ne, return a != b;)
HAFT_TEST(lt, return a < b;)
HAFT_TEST(le, return a <= b;)
HAFT_TEST(gt, return a > b;)
HAFT_TEST(ge, return a >= b;)
HAFT_TEST(logical_and, return (a != V(0)) & (b != V(0));)
HAFT_TEST(logical_or, return (a != V(0)) | (b != V(0));)
HAFT_TEST(logical_xor, return (a != V(0)) != (b != V(0));)
HAFT_BINARY(bitwise_and, return V(a & b);)
HAFT_BINARY(bitwise_or, return V(a | b);)
HAFT_BINARY(bitwise_xor, return V(a ^ b);)
HAFT_BINARY(bitwise_left_shift, return V(int_shift_left(a, b, int64_t(8 * sizeof(V))));)
HAFT_BINARY(bitwise_right_shift, return V(int_shift_right(a, b));)
HAFT_BINARY(gcd, return V(int_gcd(a, b));)
HAFT_BINARY(lcm, return V(int_lcm(a, b));)

HAFT_SCALAR(add_scalar, return add(a, V(b));)
HAFT_SCALAR(sub_scalar, return sub(a, V(b));)
HAFT_SCALAR(rsub_scalar, return sub(V(b), a);)
HAFT_SCALAR(mul_scalar, return mul(a, V(b));)
HAFT_SCALAR(div_scalar, return a / b;)
HAFT_SCALAR(rdiv_scalar, return b / a;)
HAFT_SCALAR(pow_scalar, if constexpr (is_int<V>) return int_pow(a, b); else return pow(a, b);)
HAFT_SCALAR(rpow_scalar, if constexpr (is_int<V>) return int_pow(V(b), int64_t(a)); else return pow(b, a);)
HAFT_SCALAR(fmod_scalar, if constexpr (is_int<V>) return V(int_fmod(a, b)); else return fmod(a, b);)
HAFT_SCALAR(remainder_scalar, if constexpr (is_int<V>) return V(int_remainder(a, b));
            else return op_remainder::apply(a, b);)
HAFT_SCALAR(floor_divide_scalar, if constexpr (is_int<V>) return V(int_floor_div(a, b));
            else return op_floor_divide::apply(a, b);)
HAFT_TEST_SCALAR(eq_scalar, return S(a) == b;)
HAFT_TEST_SCALAR(ne_scalar, return S(a) != b;)
HAFT_TEST_SCALAR(lt_scalar, return S(a) < b;)
HAFT_TEST_SCALAR(le_scalar, return S(a) <= b;)
HAFT_TEST_SCALAR(gt_scalar, return S(a) > b;)
HAFT_TEST_SCALAR(ge_scalar, return S(a) >= b;)
#undef HAFT_BINARY
#undef HAFT_TEST
#undef HAFT_SCALAR
#undef HAFT_TEST_SCALAR

struct op_next_after {
  template <class V, class S>
  static HAFT_FN V apply(V a, V b, S digits, S least) {
    return next_after(a, b, V(digits), V(least));
  }
};
// Half the exponent on either side of the factor, so that what fits does not overflow on its way. The ends are those of
// C99's Annex G: 0 stays 0 beside an infinity or a NaN, and at an infinite a what b comes to matters no more.
struct op_turned_exp {
  template <class V>
  static HAFT_FN V apply(V a, V b, bool even, bool odd, bool sine) {
    const bool whole = even & odd;
    V s = abs(a), h = exp(V(0.5) * (whole ? a : s)), t = sine ? sin(b) : cos(b), m = V(1);
    if (!whole) {
      V e = V(0.5) * expm1(V(-2) * s);
      m = even ? V(1) + e : copysign(e, a);
    }
    V f = m * t, y = select(f == V(0), f, h * f * h);
    auto unknown = f != f;
    y = select(unknown & (t == V(0)), t, select(unknown & (m == V(0)), m, y));
    V limit = sine ? t : m * h;
    if (whole) limit = select(a < V(0), V(0), limit);
    return select((s == V(infinity())) & (t != t), limit, y);
  }
};
struct op_incomplete_gamma {
  template <class V>
  static HAFT_FN V apply(V a, V x, bool upper) {
    return incomplete_gamma(a, x, upper);
  }
};

// An absent bound arrives as the type's own limit; max wins over min, NaN stays.
struct op_clamp {
  template <class V, class S>
  static HAFT_FN V apply(V x, S lo, S hi) {
    V y = select(x < V(lo), V(lo), x);
    return select(y > V(hi), V(hi), y);
  }
};
struct op_where {
  template <class M, class V>
  static HAFT_FN V apply(M c, V a, V b) {
    return select(c, a, b);
  }
};
struct op_masked_fill {
  template <class V, class M, class S>
  static HAFT_FN V apply(V x, M mask, S value) {
    return select(mask, V(value), x);
  }
};
struct op_addcmul {
  template <class V, class S>
  static HAFT_FN V apply(V x, V a, V b, S value) {
    return add(x, mul(mul(V(value), a), b));
  }
};
struct op_addcdiv {
  template <class V, class S>
  static HAFT_FN V apply(V x, V a, V b, S value) {
    return x + value * a / b;
  }
};
// From the nearer end, so that weight 1 gives b exactly.
struct op_lerp {
  template <class V, class S>
  static HAFT_FN V apply(V a, V b, S w) {
    return select(w < V(0.5), a + w * (b - a), b - (b - a) * (V(1) - w));
  }
};
