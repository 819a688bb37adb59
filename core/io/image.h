// Pictures in files: PNG, JPEG, and PGM and PPM of bytes. What a file is, its first bytes say, not its name.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace haft {

// Rows from the top, the channels of a pixel side by side: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
struct Pixels {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> bytes;
};

// uint8 (C, H, W). channels: how many are wanted, 0: those of the file. `where` names the file in messages.
Tensor decode_image(std::span<const uint8_t> file, int64_t channels, const std::string& where);
Tensor read_image(const std::string& path, int64_t channels);

// Whether the name ends like those of files that decode_image takes.
bool names_image(std::string_view path);

// Of (C, H, W): bytes as they are, floats in [0, 1] times 255.
Pixels pixels_of(const Tensor& image);

}  // namespace haft
