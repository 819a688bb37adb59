#include "core/io/png.h"
#include "tests/fuzz/fuzz.h"

using namespace haft;

std::vector<std::string> fuzz_seeds() {
  const std::string file = encode_png({3, 5, 3, std::vector<uint8_t>(45, 7)});
  std::string interlaced = file;
  interlaced[28] = 1;
  return {file, interlaced, encode_png({1, 2, 1, {1, 2}}, 0),
          encode_png({2, 2, 4, std::vector<uint8_t>(16, 200)})};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Pixels p;
  if (size >= 8 && accepts([&] { p = decode_png({data, size}, "fuzz"); }))
    FUZZ_CHECK(p.channels >= 1 && p.channels <= 4 &&
               int64_t(p.bytes.size()) == p.height * p.width * p.channels);
  return 0;
}
