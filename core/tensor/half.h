// float16, bfloat16 and the 8-bit floats as storage types: arithmetic happens in float.
#pragma once
#include <bit>
#include <cstdint>

namespace haft {

// IEEE 754 binary16, rounded to nearest even.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  Half(float f) : bits(encode(f)) {}
  operator float() const { return decode(bits); }

  static uint16_t encode(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f), sign = (u >> 16) & 0x8000u;
    u &= 0x7fffffffu;
    if (u > 0x7f800000u) return uint16_t(sign | 0x7e00u);   // NaN
    if (u >= 0x477ff000u) return uint16_t(sign | 0x7c00u);  // rounds to infinity
    if (u < 0x38800000u) {                                  // subnormal: let the float adder round
      float v = std::bit_cast<float>(u) + 0.5f;
      return uint16_t(sign | (std::bit_cast<uint32_t>(v) - 0x3f000000u));
    }
    return uint16_t(sign | ((u + 0xfffu + ((u >> 13) & 1) - 0x38000000u) >> 13));
  }
  static float decode(uint16_t h) {
    uint32_t sign = uint32_t(h & 0x8000u) << 16, em = h & 0x7fffu;
    if (em >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (uint32_t(em & 0x3ffu) << 13));
    if (em >= 0x400u) return std::bit_cast<float>(sign | ((em << 13) + 0x38000000u));
    float v = std::bit_cast<float>(0x3f000000u | em) - 0.5f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(v));
  }
};

// The upper half of a float, rounded to nearest even.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  BFloat16(float f) : bits(encode(f)) {}
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }

  static uint16_t encode(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return uint16_t((u >> 16) | 0x40u);
    return uint16_t((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
  }
};

// The formats of 8 bits (Micikevicius et al., arXiv:2209.05433), rounded to nearest even, with PyTorch's rules for
// what is too large: e4m3fn has no infinities, and what lies beyond its largest number, 448, becomes that; in e5m2 it
// becomes infinite. NaN keeps its sign. On bits of float32, without a library, so that every compiler of kernels
// takes them.
constexpr uint8_t float8_e4m3fn_of(uint32_t u) {
  const uint32_t sign = u >> 24 & 0x80u;
  u &= 0x7fffffffu;
  if (u > 0x7f800000u) return uint8_t(sign | 0x7fu);
  if (u > 0x43e00000u) return uint8_t(sign | 0x7eu);
  if (u >= 0x3c800000u) return uint8_t(sign | (u + 0x7ffffu + (u >> 20 & 1) - 0x3c000000u) >> 20);
  const uint32_t shift = 141 - (u >> 23);  // below 2^-6: steps of 2^-9
  if (shift > 24) return uint8_t(sign);
  const uint32_t m = (u & 0x7fffffu) | 0x800000u;
  return uint8_t(sign | (m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift);
}
constexpr uint8_t float8_e5m2_of(uint32_t u) {
  const uint32_t sign = u >> 24 & 0x80u;
  u &= 0x7fffffffu;
  if (u > 0x7f800000u) return uint8_t(sign | 0x7fu);
  if (u >= 0x47700000u) return uint8_t(sign | 0x7cu);
  if (u >= 0x38800000u) return uint8_t(sign | (u + 0xfffffu + (u >> 21 & 1) - 0x38000000u) >> 21);
  const uint32_t shift = 134 - (u >> 23);  // below 2^-14: steps of 2^-16
  if (shift > 24) return uint8_t(sign);
  const uint32_t m = (u & 0x7fffffu) | 0x800000u;
  return uint8_t(sign | (m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift);
}
// The float32's bits of a float8 with that many bits of mantissa and that bias of the exponent.
constexpr uint32_t float_of_float8(uint32_t b, uint32_t mantissa, uint32_t bias) {
  const uint32_t sign = (b & 0x80u) << 24, m = b & ((1u << mantissa) - 1);
  uint32_t e = (b & 0x7fu) >> mantissa, kept = m;
  if (e == 0) {
    if (m == 0) return sign;
    for (e = 1; !(kept >> mantissa); --e) kept <<= 1;  // wraps below 0, and the bias brings it back
    kept &= (1u << mantissa) - 1;
  }
  return sign | (e + 127 - bias) << 23 | kept << (23 - mantissa);
}
constexpr uint32_t bits_of_float8_e4m3fn(uint8_t b) {
  return (b & 0x7fu) == 0x7fu ? (b & 0x80u) << 24 | 0x7ff00000u : float_of_float8(b, 3, 7);
}
constexpr uint32_t bits_of_float8_e5m2(uint8_t b) {
  const uint32_t rest = b & 0x7fu;
  if (rest >= 0x7cu)
    return (b & 0x80u) << 24 | (rest == 0x7cu ? 0x7f800000u : 0x7fc00000u | (rest & 3u) << 21);
  return float_of_float8(b, 2, 15);
}

struct Float8E4M3 {
  uint8_t bits = 0;
  Float8E4M3() = default;
  Float8E4M3(float f) : bits(float8_e4m3fn_of(std::bit_cast<uint32_t>(f))) {}
  operator float() const { return std::bit_cast<float>(bits_of_float8_e4m3fn(bits)); }
};
struct Float8E5M2 {
  uint8_t bits = 0;
  Float8E5M2() = default;
  Float8E5M2(float f) : bits(float8_e5m2_of(std::bit_cast<uint32_t>(f))) {}
  operator float() const { return std::bit_cast<float>(bits_of_float8_e5m2(bits)); }
};

}  // namespace haft
