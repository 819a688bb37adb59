#include "core/io/crc32c.h"

#include <array>

namespace haft {

namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c >> 1) ^ (c & 1 ? 0x82f63b78u : 0);  // the polynomial, bits reversed
    t[i] = c;
  }
  return t;
}
constexpr auto kTable = make_table();

}  // namespace

uint32_t crc32c(const void* data, size_t bytes) {
  auto* p = static_cast<const uint8_t*>(data);
  uint32_t c = ~0u;
  for (size_t i = 0; i < bytes; ++i) c = kTable[(c ^ p[i]) & 255] ^ (c >> 8);
  return ~c;
}

}  // namespace haft
