// PNG files (RFC 2083) of 8-bit pixels, written without filters.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace haft {

// Row-major pixels of 1 (grey), 3 (RGB) or 4 (RGBA) channels, which stand side by side; neither side is 0.
std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width, int64_t channels);

}  // namespace haft
