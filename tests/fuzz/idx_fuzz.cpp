#include "core/io/idx.h"

#include <zlib.h>

#include "tests/fuzz/fuzz.h"

using namespace haft;

namespace {

std::string gzip(const std::string& in, int level) {
  z_stream z{};
  FUZZ_CHECK(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(in.size() + 100, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  z.avail_in = uInt(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = uInt(out.size());
  FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> out;
  struct {
    int code, item;
  } types[] = {{8, 1}, {9, 1}, {11, 2}, {12, 4}, {13, 4}, {14, 8}};
  for (auto t : types) {
    std::string s{'\0', '\0', char(t.code), '\2', '\0', '\0', '\0', '\3', '\0', '\0', '\0', '\2'};
    for (int i = 0; i < 6 * t.item; ++i) s += char(i * 11);
    out.push_back(s);
    // Stored blocks let a mutation through to the IDX header; only the checksum at the end still refuses it.
    out.push_back(gzip(s, t.code % 2 ? 0 : 6));
    out.push_back(gzip(s.substr(0, 7), 0) + gzip(s.substr(7), 6));
  }
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Array a;
  if (accepts([&] { a = parse_idx({data, size}, "fuzz"); })) use(a);
  return 0;
}
