// Float32 gradients in fewer bits, for core/parallel/compression.cpp: what is sent of them, what is left, and what
// that stands for. The same bits with every instruction set and any number of threads.
#pragma once
#include <cstdint>
#include <vector>

namespace haft::cpu {

// x = g + rest, or g where rest is NULL. What takes of it leaves the remainder in rest.
struct Gradient {
  const float* g;
  float* rest;
  int64_t n;
};
struct Size {
  bool finite;  // all x, and the sum of their sizes
  float largest, mean;
};
Size size_of(Gradient x);

// The nearest multiples of `unit`, even ones half-way; no x is larger than 127 of them. 0: nothing is taken.
void take_int8(int8_t* to, Gradient x, float unit);
// Whether x > 0, from each byte's lowest bit on, and 0 behind the last; each stands for `size` or -size.
void take_signs(uint8_t* to, Gradient x, float size);
// The places of the k largest sizes, rising; of equal ones the first. `finite` as in size_of; nothing is taken.
void find_largest(int32_t* places, Gradient x, int64_t k, bool* finite);
// Everything is left.
void take_nothing(Gradient x);

// The sum of what ranks have sent, in their order: out[i] = units[0] * from[0][i] + units[1] * from[1][i] + ...
void sum_int8(float* out, const int8_t* const* from, const float* units, int ranks, int64_t n);
void sum_signs(float* out, const uint8_t* const* from, const float* sizes, int ranks, int64_t n);

}  // namespace haft::cpu
