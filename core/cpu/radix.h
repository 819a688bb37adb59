// Sorting packed words: a key in the upper half, the position in the lower, so that equal keys keep their order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

namespace haft::cpu {

// Sorts a[0, n) by all bits, given that the lower half ascends within equal keys already. tmp has n elements too.
template <class P>
void sort_packed(P* a, P* tmp, int64_t n) {
  constexpr int half = int(sizeof(P)) * 4;
  if (n < 512) {
    std::sort(a, a + n);
    return;
  }
  P* const home = a;
  for (int shift = half; shift < 2 * half; shift += 8) {
    int64_t count[256] = {};
    for (int64_t i = 0; i < n; ++i) ++count[uint8_t(a[i] >> shift)];
    if (count[uint8_t(a[0] >> shift)] == n) continue;  // this byte is the same in all keys
    int64_t at = 0;
    for (int64_t& c : count) c = std::exchange(at, at + c);
    for (int64_t i = 0; i < n; ++i) tmp[count[uint8_t(a[i] >> shift)]++] = a[i];
    std::swap(a, tmp);
  }
  if (a != home) std::copy_n(a, n, home);
}

}  // namespace haft::cpu
