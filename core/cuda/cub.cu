#include "core/cuda/cub.h"

#include <cub/device/device_radix_sort.cuh>

namespace haft::cuda {

namespace {

template <class T, class V, class N>
void sort(const Call& c, const T* keys, T* sorted_keys, const V* values, V* sorted_values, N n, int bits) {
  c.use_device();
  size_t room = 0;
  auto run = [&](void* temporary) {
    check(cub::DeviceRadixSort::SortPairs(temporary, room, keys, sorted_keys, values, sorted_values, n, 0,
                                          bits, c.stream),
          c.name());
  };
  run(nullptr);
  run(c.scratch_bytes(int64_t(room)));
}

}  // namespace

void sort_pairs(const Call& c, const uint32_t* keys, uint32_t* sorted_keys, const uint32_t* values,
                uint32_t* sorted_values, int64_t n, int bits) {
  if (n) sort(c, keys, sorted_keys, values, sorted_values, uint32_t(n), bits);
}
void sort_pairs(const Call& c, const uint64_t* keys, uint64_t* sorted_keys, const uint32_t* values,
                uint32_t* sorted_values, int64_t n, int bits) {
  if (n) sort(c, keys, sorted_keys, values, sorted_values, n, bits);
}
void sort_pairs(const Call& c, const uint64_t* keys, uint64_t* sorted_keys, const uint64_t* values,
                uint64_t* sorted_values, int64_t n, int bits) {
  if (n) sort(c, keys, sorted_keys, values, sorted_values, n, bits);
}

}  // namespace haft::cuda
