// What core/cuda/cub.h promises, by the host's std::stable_sort: a kernel of one thread, so that it runs in the
// stream's order.
#include "core/cuda/cub.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace haft::cuda {

namespace {

template <class T, class V>
void sort(const T* keys, T* sorted_keys, const V* values, V* sorted_values, int64_t n, int bits) {
  const T mask = bits >= int(8 * sizeof(T)) ? T(~T(0)) : T((T(1) << bits) - 1);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return (keys[a] & mask) < (keys[b] & mask); });
  for (int64_t i = 0; i < n; ++i) {
    sorted_keys[i] = keys[order[size_t(i)]];
    sorted_values[i] = values[order[size_t(i)]];
  }
}

}  // namespace

void sort_pairs(const Call& c, const uint32_t* keys, uint32_t* sorted_keys, const uint32_t* values,
                uint32_t* sorted_values, int64_t n, int bits) {
  if (n) launch(c, Shape3{}, sort<uint32_t, uint32_t>, keys, sorted_keys, values, sorted_values, n, bits);
}
void sort_pairs(const Call& c, const uint64_t* keys, uint64_t* sorted_keys, const uint32_t* values,
                uint32_t* sorted_values, int64_t n, int bits) {
  if (n) launch(c, Shape3{}, sort<uint64_t, uint32_t>, keys, sorted_keys, values, sorted_values, n, bits);
}
void sort_pairs(const Call& c, const uint64_t* keys, uint64_t* sorted_keys, const uint64_t* values,
                uint64_t* sorted_values, int64_t n, int bits) {
  if (n) launch(c, Shape3{}, sort<uint64_t, uint64_t>, keys, sorted_keys, values, sorted_values, n, bits);
}

}  // namespace haft::cuda
