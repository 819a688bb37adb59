// The plain view that kernels see (haft/view.h, public: devices are plug-ins), as C++ likes to compare it.
#pragma once
#include <haft/view.h>

#include <cstddef>
#include <cstring>

namespace haft {

// dtype, ndim, layout, contiguous and device as one word: equal words skip every check.
inline uint64_t meta(const haft_tensor_view& v) {
  static_assert(offsetof(haft_tensor_view, device_index) == offsetof(haft_tensor_view, dtype) + 6);
  uint64_t word;
  std::memcpy(&word, reinterpret_cast<const char*>(&v) + offsetof(haft_tensor_view, dtype), sizeof word);
  return word;
}
inline void set_meta(haft_tensor_view& v, uint64_t word) {
  std::memcpy(reinterpret_cast<char*>(&v) + offsetof(haft_tensor_view, dtype), &word, sizeof word);
}

}  // namespace haft
