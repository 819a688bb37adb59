// CRC-32C (Castagnoli), as event files use it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace haft {

uint32_t crc32c(const void* data, size_t bytes);

// A record that contains its own checksum would have a checksum with weak properties, hence the rotation and offset.
inline uint32_t masked_crc32c(const void* data, size_t bytes) {
  uint32_t c = crc32c(data, bytes);
  return ((c >> 15) | (c << 17)) + 0xa282ead8u;
}

}  // namespace haft
