// JPEG files by libturbojpeg, which is opened when the first one is met; without it the status is `unavailable`.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/io/image.h"

namespace haft {

// RGB, or grey: of a grey file, and where that is wanted. `where` names the file in messages.
Pixels decode_jpeg(std::span<const uint8_t> file, bool grey, const std::string& where);

// 1 (grey) or 3 (RGB) channels; quality 1 to 100. Colours are halved both ways (4:2:0).
std::string encode_jpeg(const Pixels& picture, int64_t quality);

}  // namespace haft
