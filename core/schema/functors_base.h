// The rules of numbers that all devices share: which types are integers, wrapping, powers, division. Text:
// included inside a namespace after math_*.h, see functors.h.

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

template <class T>
HAFT_FN T select(bool c, T a, T b) {
  return c ? a : b;
}
// a / b; math_*.h may have one that is quicker and not rounded to the last digit.
template <class T>
HAFT_FN T quotient(T a, T b) {
  return a / b;
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
HAFT_FN int64_t int_shift_left(int64_t a, int64_t b, int64_t bits) {
  return b < 0 || b >= bits ? 0 : int64_t(uint64_t(a) << b);
}
HAFT_FN int64_t int_shift_right(int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }
// Of the type's least number this is the least number again, which alone has no positive one.
HAFT_FN int64_t int_gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - uint64_t(a) : uint64_t(a), y = b < 0 ? 0 - uint64_t(b) : uint64_t(b);
  while (y) {
    const uint64_t r = x % y;
    x = y;
    y = r;
  }
  return int64_t(x);
}
HAFT_FN int64_t int_lcm(int64_t a, int64_t b) {
  const auto d = uint64_t(int_gcd(a, b));
  const uint64_t x = a < 0 ? 0 - uint64_t(a) : uint64_t(a), y = b < 0 ? 0 - uint64_t(b) : uint64_t(b);
  return d ? int64_t(x / d * y) : 0;
}
HAFT_FN int64_t int_fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
HAFT_FN int64_t int_remainder(int64_t a, int64_t b) {
  int64_t r = int_fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
