#include "core/io/idx.h"

#include <zlib.h>

#include "tests/io/io_testing.h"

namespace haft {
namespace {

std::string header(int type, std::vector<uint32_t> sizes) {
  std::string out{'\0', '\0', char(type), char(sizes.size())};
  for (uint32_t s : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) out += char(s >> shift);
  return out;
}
std::string gzip(const std::string& in) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(in.size() + 1000, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  z.avail_in = uInt(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = uInt(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}
Array parse(const std::string& content) { return parse_idx(bytes_of(content), "file 'x'"); }

// Fails alike plain and compressed.
void refuse(const std::string& content, std::vector<std::string> parts) {
  parts.push_back("file 'x'");
  expect_failure([&] { parse(content); }, Code::corrupt, parts);
  expect_failure([&] { parse(gzip(content)); }, Code::corrupt, {"file 'x'"});
}

TEST(Idx, AllTypesPlainAndCompressed) {
  struct {
    int code;
    DType dtype;
    std::string big, little;
  } cases[] = {
      {8, DType::u8, "\x01\xff", "\x01\xff"},
      {9, DType::i8, "\x01\xff", "\x01\xff"},
      {11, DType::i16, std::string("\x01\x02\xff\xfe", 4), std::string("\x02\x01\xfe\xff", 4)},
      {12, DType::i32, std::string("\0\0\1\2\xff\xff\xff\xfe", 8),
       std::string("\2\1\0\0\xfe\xff\xff\xff", 8)},
      {13, DType::f32, std::string("\x3f\x80\0\0\xc0\0\0\0", 8), std::string("\0\0\x80\x3f\0\0\0\xc0", 8)},
      {14, DType::f64, std::string("\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16),
       std::string("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16)},
  };
  TempFolder dir;
  for (auto& c : cases) {
    std::string content = header(c.code, {2, 1}) + c.big;
    for (auto& packed : {content, gzip(content), gzip(content.substr(0, 9)) + gzip(content.substr(9))}) {
      spew(dir / "a", packed);
      for (const Array& a : {parse(packed), read_idx(dir / "a")}) {
        EXPECT_EQ(a.dtype, c.dtype);
        ASSERT_EQ(a.sizes.size(), 2);
        EXPECT_EQ(a.sizes[0], 2);
        ASSERT_EQ(size_t(a.bytes), c.little.size());
        EXPECT_EQ(std::memcmp(a.data, c.little.data(), c.little.size()), 0);
      }
    }
  }
}

TEST(Idx, EmptyAndZeroDimensional) {
  for (bool packed : {false, true}) {
    auto make = [&](const std::string& s) { return packed ? gzip(s) : s; };
    EXPECT_EQ(parse(make(header(8, {0, 28, 28}))).bytes, 0);
    Array a = parse(make(header(13, {}) + std::string("\x3f\x80\0\0", 4)));
    EXPECT_EQ(a.sizes.size(), 0);
    EXPECT_EQ(*static_cast<const float*>(a.data), 1.0f);
  }
}

TEST(Idx, RefusesBrokenHeaders) {
  refuse("", {"has 0 bytes"});
  refuse(std::string("\0\0\x8", 3), {"has 3 bytes"});
  refuse("\x89PNG....", {"begins with the bytes 137 80 78", "0 0"});
  refuse(header(10, {1}) + "x", {"bytes 0 0 10"});
  refuse(header(8, std::vector<uint32_t>(9, 1)) + "x", {"9 dimensions"});
  refuse(header(8, {1, 2}).substr(0, 10), {"inside its header"});
  refuse(header(14, {0xffffffff, 0xffffffff, 0xffffffff}), {"63 bits"});
}

TEST(Idx, RefusesDataOfAnotherLength) {
  refuse(header(8, {2, 3}) + "12345", {"uint8 of shape [2, 3] wants 6", "there are 5"});
  refuse(header(8, {2, 3}) + "1234567", {"wants 6", "there are 7"});
  // A tiny file that claims a terabyte is refused before anything is allocated.
  expect_failure(
      [] {
        parse(gzip(header(8, {1 << 20, 1 << 20}) + "x"));
      },
      Code::corrupt, {"wants 1099511627776", "compressed"});
}

TEST(Idx, RefusesDamagedStreams) {
  std::string content = header(8, {100}), packed;
  for (int i = 0; i < 100; ++i) content += char(i * 37);
  packed = gzip(content);
  for (size_t n = 2; n < packed.size(); ++n)
    expect_failure([&] { parse(packed.substr(0, n)); }, Code::corrupt, {"cut off"});
  expect_failure([&] { parse(packed + "tail"); }, Code::corrupt, {"4 bytes follow"});
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  expect_failure([&] { parse(damaged); }, Code::corrupt, {"damaged", "incorrect data check"});
}

TEST(Idx, ReadsFashionMnist) {
  std::string folder = "/usr/share/datasets/fashion-mnist/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the dataset is not installed";
  Array images = read_idx(folder + "t10k-images-idx3-ubyte.gz"),
        labels = read_idx(folder + "t10k-labels-idx1-ubyte.gz");
  ASSERT_EQ(images.bytes, 10000 * 28 * 28);
  ASSERT_EQ(labels.bytes, 10000);
  EXPECT_EQ(images.sizes[2], 28);
  auto* y = static_cast<const uint8_t*>(labels.data);
  int count[10] = {};
  for (int i = 0; i < 10000; ++i) {
    ASSERT_LT(y[i], 10);
    ++count[y[i]];
  }
  for (int c : count) EXPECT_EQ(c, 1000);
}

}  // namespace
}  // namespace haft
