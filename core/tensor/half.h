// float16 and bfloat16 as storage types: arithmetic happens in float.
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

}  // namespace haft
