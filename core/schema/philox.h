// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11) and what haft draws from
// it. Every device computes the same: a number is a pure function of (seed, offset, element index i).
//
//   key          seed, low word first
//   counter      offset + i / 4 (mod 2^64) in words 0 and 1, low first; the plane in word 2; 0 in word 3
//   word         output word i % 4 of that counter with plane 0
//   word64       word << 32 | the same output word with plane 1: a second word for the same element, so that n
//                numbers advance a generator by ceil(n / 4) whatever their type
//
//   uniform      float32: (word >> 8) * 2^-24       float16: (word >> 21) * 2^-11
//                bfloat16: (word >> 24) * 2^-8      float64: (word64 >> 11) * 2^-53
//                in [low, high): low + u * (high - low) in float (double), each step rounded; what rounds up to
//                high becomes low
//   normal       Box-Muller over the two elements of a pair, e = i - i % 2, in float (double for float64):
//                  u1 = word(e) * 2^-32 + 2^-33, u2 = (word(e + 1) >> 8) * 2^-24
//                  (float64: u1 = ((word64(e) >> 11) + 1) * 2^-53, u2 = (word64(e + 1) >> 11) * 2^-53)
//                  z(e) = sqrt(-2 ln u1) cos(2 pi u2), z(e + 1) = sqrt(-2 ln u1) sin(2 pi u2)
//                the result is mean + std * z
//   integer      of `range` values: low + (word * range >> 32) for range <= 2^20, else
//                low + (word64 * range >> 64)
//   dropout      keeps element i iff (word >> 8) * 2^-24 >= p, for every dtype
//   bernoulli    1 iff uniform < p: the float64 uniform for float64, the float32 one for all others
//   permutation  the indices sorted by word64, ties by index
//   multinomial  element j of row r of (rows, n) draws, with replacement: the first index whose running sum of
//                weights (in double) exceeds u * total, u the float64 uniform of element r * n + j.
//                Without: the n indices of smallest -ln(1 - u) / weight, ascending, u the float64 uniform of
//                element r * classes + index
//   gamma        Marsaglia and Tsang's attempts k = 0, 1, ... in double: the normal variable by Box-Muller of the
//                float64 uniforms 1 - u of plane 2 + 6k and u of plane 4 + 6k (its cosine), the test by 1 - u of
//                plane 6 + 6k; below 1 a variable of a + 1 times (1 - u)^(1 / a), u of plane 0. What underflows
//                becomes the type's least normal number
//   count        Poisson and binomial variables in double (counts.h). Few expected: the search by the float64
//                uniform of plane 0; else Hoermann's attempts k = 0, 1, ...: u - 1/2 of plane 2 + 4k and 1 - u of
//                plane 4 + 4k
#pragma once
#include "core/schema/functors.h"

namespace haft::fn {

constexpr uint32_t kPhiloxM0 = 0xD2511F53u, kPhiloxM1 = 0xCD9E8D57u;
constexpr uint32_t kPhiloxW0 = 0x9E3779B9u, kPhiloxW1 = 0xBB67AE85u;

struct PhiloxWords {
  uint32_t at[4];
  bool operator==(const PhiloxWords&) const = default;
};

// The block function of the paper.
HAFT_FN constexpr PhiloxWords philox4x32(PhiloxWords c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(kPhiloxM0) * c.at[0], b = uint64_t(kPhiloxM1) * c.at[2];
    c = {{uint32_t(b >> 32) ^ c.at[1] ^ k0, uint32_t(b), uint32_t(a >> 32) ^ c.at[3] ^ k1, uint32_t(a)}};
    k0 += kPhiloxW0;
    k1 += kPhiloxW1;
  }
  return c;
}

HAFT_FN constexpr double philox_unit(uint64_t word64) { return double(int64_t(word64 >> 11)) * 0x1p-53; }

struct Philox {
  uint64_t seed, offset;

  // The words of elements 4 * quad to 4 * quad + 3.
  HAFT_FN constexpr PhiloxWords words(uint64_t quad, uint32_t plane = 0) const {
    const uint64_t counter = offset + quad;
    return philox4x32({{uint32_t(counter), uint32_t(counter >> 32), plane, 0}}, uint32_t(seed),
                      uint32_t(seed >> 32));
  }
  HAFT_FN constexpr uint32_t word(uint64_t i, uint32_t plane = 0) const {
    const PhiloxWords w = words(i / 4, plane);
    const uint32_t low = i & 1 ? w.at[1] : w.at[0], high = i & 1 ? w.at[3] : w.at[2];
    return i & 2 ? high : low;  // a device's registers have no numbers
  }
  // With another even plane than 0: further numbers for the same element.
  HAFT_FN constexpr uint64_t word64(uint64_t i, uint32_t plane = 0) const {
    return uint64_t(word(i, plane)) << 32 | word(i, plane + 1);
  }
  HAFT_FN constexpr double uniform64(uint64_t i, uint32_t plane = 0) const {
    return philox_unit(word64(i, plane));
  }
};

}  // namespace haft::fn
