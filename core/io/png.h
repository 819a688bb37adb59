// PNG files (ISO/IEC 15948). Written: 8-bit pixels without filters. Read: every kind, of 16 bits the upper 8.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/io/image.h"

namespace haft {

// 1 (grey), 3 (RGB) or 4 (RGBA) channels; neither side is 0. level: of zlib, 0 to 9.
std::string encode_png(const Pixels& picture, int level = 6);

// Palettes become RGB; what tRNS says becomes an alpha channel. `where` names the file in messages.
Pixels decode_png(std::span<const uint8_t> file, const std::string& where);

}  // namespace haft
