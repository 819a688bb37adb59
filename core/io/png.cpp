#include "core/io/png.h"

#include <zlib.h>

#include "core/base/error.h"

namespace haft {

namespace {

void put_big_endian(std::string& out, uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out += char(v >> shift);
}

void put_chunk(std::string& out, std::string_view kind, std::string_view body) {
  put_big_endian(out, uint32_t(body.size()));
  const size_t begin = out.size();
  out += kind;
  out += body;
  put_big_endian(
      out, uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(out.data() + begin), out.size() - begin)));
}

}  // namespace

std::string encode_png(const Pixels& picture, int level) {
  const int64_t height = picture.height, width = picture.width, channels = picture.channels,
                row = width * channels;
  if (height < 1 || width < 1 || height > 65535 || width > 65535 ||
      (channels != 1 && channels != 3 && channels != 4) || int64_t(picture.bytes.size()) != height * row)
    fail(Code::invalid_argument,
         concat("png: wanted a picture of 1 to 65535 rows and columns and 1, 3 or 4 channels, got ", height,
                " x ", width, " x ", channels));
  std::string lines;
  lines.reserve(size_t(height * (row + 1)));
  for (int64_t y = 0; y < height; ++y) {
    lines += '\0';  // the row as it is
    lines.append(reinterpret_cast<const char*>(picture.bytes.data()) + y * row, size_t(row));
  }
  uLongf size = compressBound(uLong(lines.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
                uLong(lines.size()), level) != Z_OK)
    fail(Code::out_of_memory, "png: no memory to compress");
  packed.resize(size);

  std::string head, out = "\x89PNG\r\n\x1a\n";
  put_big_endian(head, uint32_t(width));
  put_big_endian(head, uint32_t(height));
  head += {8, char(channels == 1 ? 0 : channels == 3 ? 2 : 6), 0, 0, 0};
  put_chunk(out, "IHDR", head);
  put_chunk(out, "IDAT", packed);
  put_chunk(out, "IEND", "");
  return out;
}

}  // namespace haft
