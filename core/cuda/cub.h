// What CUB does for us, behind functions of few types: each of its sorts takes seconds to compile. cub.cu is the
// only file that knows it; tests/cuda/on_host/cub.cpp does the same on the host.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

// The n keys ascending by their lowest `bits` bits, in `sorted_keys`, and `sorted_values` along with them; equal
// keys keep their order. The inputs are left alone. Of 32-bit keys there are fewer than 2^32.
void sort_pairs(const Call& c, const uint32_t* keys, uint32_t* sorted_keys, const uint32_t* values,
                uint32_t* sorted_values, int64_t n, int bits);
void sort_pairs(const Call& c, const uint64_t* keys, uint64_t* sorted_keys, const uint32_t* values,
                uint32_t* sorted_values, int64_t n, int bits);
void sort_pairs(const Call& c, const uint64_t* keys, uint64_t* sorted_keys, const uint64_t* values,
                uint64_t* sorted_values, int64_t n, int bits);

}  // namespace haft::cuda
