#include <zlib.h>

#include <span>

#include "core/io/png.h"
#include "tests/fuzz/fuzz.h"

using namespace haft;

namespace {

std::string chunk(const std::string& kind, const std::string& body) {
  return std::string("\0\0\0", 3) + char(body.size()) + kind + body + "sums";
}

// A mutation leaves the checksum of its chunk wrong, and so nothing behind would be seen.
std::vector<uint8_t> with_checksums(std::span<const uint8_t> file) {
  std::vector<uint8_t> out(file.begin(), file.end());
  for (size_t at = 8; out.size() - at >= 12;) {
    const uint64_t size = uint32_t(out[at] << 24 | out[at + 1] << 16 | out[at + 2] << 8 | out[at + 3]);
    if (size > out.size() - at - 12) break;
    const auto sum = uint32_t(crc32_z(0, &out[at + 4], size_t(size) + 4));
    for (size_t i = 0; i < 4; ++i) out[at + 8 + size + i] = uint8_t(sum >> (24 - 8 * i));
    at += size_t(size) + 12;
  }
  return out;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  const std::string file = encode_png({3, 5, 3, std::vector<uint8_t>(45, 7)}, 0);
  std::string interlaced = encode_png({11, 8, 1, std::vector<uint8_t>(88, 2)}, 0);  // bytes are filters
  std::string palette = encode_png({2, 2, 1, {0, 1, 1, 0}}, 0);
  interlaced[23] = 9;  // rows, of which passes take more bytes
  interlaced[28] = 1;
  palette[25] = 3;
  palette.insert(33, chunk("PLTE", "abcdef") + chunk("tRNS", "x"));
  return {file, interlaced, palette, encode_png({1, 2, 1, {1, 2}}),
          encode_png({2, 2, 4, std::vector<uint8_t>(16, 200)})};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 8) return 0;
  Pixels p;
  if (accepts([&] { p = decode_png(with_checksums({data, size}), "fuzz"); }))
    FUZZ_CHECK(p.channels >= 1 && p.channels <= 4 &&
               int64_t(p.bytes.size()) == p.height * p.width * p.channels);
  return 0;
}
