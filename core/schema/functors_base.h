// Plain numbers' side of what functors use. Text: included inside a namespace, see functors.h.

template <class T>
struct IsInt {
  static constexpr bool value = false;
};
template <>
struct IsInt<bool> {
  static constexpr bool value = true;
};
template <>
struct IsInt<uint8_t> {
  static constexpr bool value = true;
};
template <>
struct IsInt<int8_t> {
  static constexpr bool value = true;
};
template <>
struct IsInt<int16_t> {
  static constexpr bool value = true;
};
template <>
struct IsInt<int32_t> {
  static constexpr bool value = true;
};
template <>
struct IsInt<int64_t> {
  static constexpr bool value = true;
};
template <class T>
constexpr bool is_int = IsInt<T>::value;

template <class T>
struct IsBool {
  static constexpr bool value = false;
};
template <>
struct IsBool<bool> {
  static constexpr bool value = true;
};
template <class T>
constexpr bool is_bool = IsBool<T>::value;

// Integers wrap around: arithmetic happens in the unsigned type of the same or 32 bits.
template <class T>
struct Wrap {
  using type = uint32_t;
};
template <>
struct Wrap<int64_t> {
  using type = uint64_t;
};

#define HAFT_MATH1(name)                               \
  HAFT_FN float name(float x) { return std::name(x); } \
  HAFT_FN double name(double x) { return std::name(x); }
HAFT_MATH1(exp)
HAFT_MATH1(exp2)
HAFT_MATH1(expm1) HAFT_MATH1(log) HAFT_MATH1(log2) HAFT_MATH1(log10) HAFT_MATH1(log1p) HAFT_MATH1(sqrt)
    HAFT_MATH1(sin) HAFT_MATH1(cos) HAFT_MATH1(tan) HAFT_MATH1(asin) HAFT_MATH1(acos) HAFT_MATH1(atan)
        HAFT_MATH1(sinh) HAFT_MATH1(cosh) HAFT_MATH1(tanh) HAFT_MATH1(erf) HAFT_MATH1(floor) HAFT_MATH1(ceil)
            HAFT_MATH1(trunc)
#undef HAFT_MATH1
                HAFT_FN float round_even(float x) {
  return std::nearbyint(x);
}
HAFT_FN double round_even(double x) { return std::nearbyint(x); }
HAFT_FN float abs(float x) { return std::fabs(x); }
HAFT_FN double abs(double x) { return std::fabs(x); }
HAFT_FN float pow(float a, float b) { return std::pow(a, b); }
HAFT_FN double pow(double a, double b) { return std::pow(a, b); }
HAFT_FN float fmod(float a, float b) { return std::fmod(a, b); }
HAFT_FN double fmod(double a, double b) { return std::fmod(a, b); }
HAFT_FN float atan2(float a, float b) { return std::atan2(a, b); }
HAFT_FN double atan2(double a, double b) { return std::atan2(a, b); }

#define HAFT_SPECIAL(name)                                          \
  HAFT_FN float name(float x) { return float(special::name(x)); } \
  HAFT_FN double name(double x) { return special::name(x); }
HAFT_SPECIAL(erfinv)
HAFT_SPECIAL(lgamma)
HAFT_SPECIAL(digamma)
#undef HAFT_SPECIAL
HAFT_FN float erfc(float x) { return std::erfc(x); }
HAFT_FN double erfc(double x) { return std::erfc(x); }
HAFT_FN float zeta(float s, float x) { return float(special::zeta(s, x)); }
HAFT_FN double zeta(double s, double x) { return special::zeta(s, x); }
HAFT_FN float copysign(float a, float b) { return std::copysign(a, b); }
HAFT_FN double copysign(double a, double b) { return std::copysign(a, b); }

template <class T>
HAFT_FN T select(bool c, T a, T b) {
  return c ? a : b;
}

template <class V>
HAFT_FN V add(V a, V b) {
  if constexpr (is_bool<V>)
    return a | b;
  else if constexpr (is_int<V>)
    return V(typename Wrap<V>::type(a) + typename Wrap<V>::type(b));
  else
    return a + b;
}
template <class V>
HAFT_FN V sub(V a, V b) {
  if constexpr (is_bool<V>)
    return a != b;
  else if constexpr (is_int<V>)
    return V(typename Wrap<V>::type(a) - typename Wrap<V>::type(b));
  else
    return a - b;
}
template <class V>
HAFT_FN V mul(V a, V b) {
  if constexpr (is_bool<V>)
    return a & b;
  else if constexpr (is_int<V>)
    return V(typename Wrap<V>::type(a) * typename Wrap<V>::type(b));
  else
    return a * b;
}

// Integer powers by squaring, wrapping; a negative exponent gives 0 but for bases 1 and -1.
template <class V>
HAFT_FN V int_pow(V base, int64_t e) {
  if (e < 0) {
    if (base == V(1)) return V(1);
    if (int64_t(base) == -1) return e % 2 ? base : V(1);
    return V(0);
  }
  V r = V(1);
  for (; e; e >>= 1) {
    if (e & 1) r = mul(r, base);
    base = mul(base, base);
  }
  return r;
}

// Python's: a == q * b + r with r = remainder(a, b), where floor(a / b) is one too large when a / b rounds
// up. The value is PyTorch's: what a / b says for b = 0, a zero with the sign of a / b.
template <class V>
HAFT_FN V float_floor_div(V a, V b) {
  V r = fmod(a, b), q = (a - r) / b;
  q = select((r != V(0)) & ((r < V(0)) != (b < V(0))), q - V(1), q);
  V whole = floor(q);
  whole = select(q - whole > V(0.5), whole + V(1), whole);
  return select(b == V(0), a / b, select(q == V(0), V(0) * (a / b), whole));
}

// Integer division that cannot trap: by 0 gives 0, by -1 wraps.
HAFT_FN int64_t int_floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return int64_t(0 - uint64_t(a));
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}
HAFT_FN int64_t int_fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
HAFT_FN int64_t int_remainder(int64_t a, int64_t b) {
  int64_t r = int_fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
