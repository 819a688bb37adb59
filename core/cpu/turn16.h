// Turning 16 x 16 floats in registers: in 128-bit quarters first, then whole quarters.
#pragma once
#include <utility>

#include "core/cpu/multiversion.h"

namespace haft::cpu {

// What a step takes of two vectors: elements of each quarter in turn, pairs of them, or quarters.
enum class Mix { low, high, low_pairs, high_pairs, even_quarters, odd_quarters };
constexpr int mixed(Mix m, int lane) {  // from 16 on: of the second vector
  const int quarter = lane & 12, e = lane & 3;
  switch (m) {
    case Mix::low: return quarter + e / 2 + (e & 1) * 16;
    case Mix::high: return quarter + 2 + e / 2 + (e & 1) * 16;
    case Mix::low_pairs: return quarter + (e & 1) + (e & 2) * 8;
    case Mix::high_pairs: return quarter + 2 + (e & 1) + (e & 2) * 8;
    case Mix::even_quarters: return (lane & 4) * 2 + e + (lane & 8) * 2;
    default: return (lane & 4) * 2 + 4 + e + (lane & 8) * 2;
  }
}
template <Mix M, int... L>
HAFT_BODY void mix(const f32x16& a, const f32x16& b, f32x16& to, std::integer_sequence<int, L...>) {
  to = __builtin_shufflevector(a, b, mixed(M, L)...);
}
template <Mix M>
HAFT_BODY void mix(const f32x16& a, const f32x16& b, f32x16& to) {
  mix<M>(a, b, to, std::make_integer_sequence<int, 16>());
}

// r[j] becomes column j of the matrix whose rows r held.
HAFT_BODY void turn16(f32x16* r) {
  f32x16 t[16];
  for (int i = 0; i < 16; i += 2) {
    mix<Mix::low>(r[i], r[i + 1], t[i]);
    mix<Mix::high>(r[i], r[i + 1], t[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      mix<Mix::low_pairs>(t[i + j], t[i + j + 2], r[i + 2 * j]);
      mix<Mix::high_pairs>(t[i + j], t[i + j + 2], r[i + 2 * j + 1]);
    }
  // Quarter q of r[4 g + c] now holds rows 4 g .. 4 g + 3 of column 4 q + c.
  for (int c = 0; c < 4; ++c) {
    f32x16 ab0, ab1, cd0, cd1;
    mix<Mix::even_quarters>(r[c], r[c + 4], ab0);
    mix<Mix::odd_quarters>(r[c], r[c + 4], ab1);
    mix<Mix::even_quarters>(r[c + 8], r[c + 12], cd0);
    mix<Mix::odd_quarters>(r[c + 8], r[c + 12], cd1);
    mix<Mix::even_quarters>(ab0, cd0, t[c]);
    mix<Mix::odd_quarters>(ab0, cd0, t[c + 8]);
    mix<Mix::even_quarters>(ab1, cd1, t[c + 4]);
    mix<Mix::odd_quarters>(ab1, cd1, t[c + 12]);
  }
  for (int i = 0; i < 16; ++i) r[i] = t[i];
}

HAFT_BODY void load16(const float* p, f32x16& v) { v = *reinterpret_cast<const f32x16u*>(p); }
HAFT_BODY void store16(const f32x16& v, float* p) { *reinterpret_cast<f32x16u*>(p) = v; }

}  // namespace haft::cpu
