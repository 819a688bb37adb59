// Pictures in files: PNG of every kind by a writer of the test's own, JPEG, PGM and PPM; folders, and the loader.
#include "core/io/image.h"

#include <zlib.h>

#include <array>
#include <functional>

#include "core/data/loader.h"
#include "core/init.h"
#include "core/io/image_folder.h"
#include "core/io/jpeg.h"
#include "core/io/png.h"
#include "tests/io/io_testing.h"

namespace haft {
namespace {

using Sampler = std::function<int(int64_t y, int64_t x, int64_t s)>;

std::string big_endian(uint32_t v) { return {char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; }
std::string chunk(std::string kind, const std::string& body) {
  const std::string whole = kind + body;
  return big_endian(uint32_t(body.size())) + whole +
         big_endian(uint32_t(crc32(0, bytes_of(whole).data(), uInt(whole.size()))));
}

struct Kind {
  int colour, depth;
  bool interlaced;
  int samples() const { return colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1; }
};

// Rows of a pass, each by another filter.
std::string filtered(const Kind& k, int64_t w, int64_t h, const Sampler& at) {
  const int64_t n = (w * k.samples() * k.depth + 7) / 8, step = std::max(1, k.samples() * k.depth / 8);
  std::string out;
  std::vector<uint8_t> before(size_t(n), 0);
  for (int64_t y = 0; w && y < h; ++y) {
    std::vector<uint8_t> row(size_t(n), 0);
    for (int64_t i = 0; i < w * k.samples(); ++i) {
      const int v = at(y, i / k.samples(), i % k.samples());
      if (k.depth == 16)
        row[size_t(2 * i)] = uint8_t(v >> 8), row[size_t(2 * i + 1)] = uint8_t(v);
      else
        row[size_t(i * k.depth / 8)] |= uint8_t(v << (8 - k.depth - i * k.depth % 8));
    }
    const int filter = int(y % 5);
    out += char(filter);
    for (int64_t i = 0; i < n; ++i) {
      const int a = i >= step ? row[size_t(i - step)] : 0, b = before[size_t(i)],
                c = i >= step ? before[size_t(i - step)] : 0, p = a + b - c, pa = std::abs(p - a),
                pb = std::abs(p - b), pc = std::abs(p - c);
      const int guess[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
      out += char(row[size_t(i)] - guess[filter]);
    }
    before = row;
  }
  return out;
}

std::string png_of(const Kind& k, int64_t w, int64_t h, const Sampler& at,
                   const std::string& before_rows = {}) {
  std::string rows;
  if (k.interlaced) {
    const int first[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                             {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    for (auto& [x0, y0, dx, dy] : first)
      rows += filtered(k, (w - x0 + dx - 1) / dx, (h - y0 + dy - 1) / dy,
                       [&, x0 = x0, y0 = y0, dx = dx, dy = dy](int64_t y, int64_t x, int64_t s) {
                         return at(y0 + y * dy, x0 + x * dx, s);
                       });
  } else {
    rows = filtered(k, w, h, at);
  }
  uLongf size = compressBound(uLong(rows.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(rows).data(), uLong(rows.size()));
  packed.resize(size);
  const std::string head = big_endian(uint32_t(w)) + big_endian(uint32_t(h)) + char(k.depth) +
                           char(k.colour) + std::string("\0\0", 2) + char(k.interlaced);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) + chunk("tEXt", "who cares") + before_rows +
         chunk("IDAT", packed.substr(0, size / 2)) + chunk("IDAT", packed.substr(size / 2)) +
         chunk("IEND", "");
}

Tensor decode(const std::string& file, int64_t channels = 0) {
  return decode_image(bytes_of(file), channels, "file 'x'");
}
std::vector<int> values(const Tensor& t) { return {t.data<uint8_t>(), t.data<uint8_t>() + t.numel()}; }

TEST(Png, EveryKind) {
  for (bool interlaced : {false, true})
    for (auto [colour, depths] : std::initializer_list<std::pair<int, std::vector<int>>>{
             {0, {1, 2, 4, 8, 16}}, {2, {8, 16}}, {3, {1, 2, 4, 8}}, {4, {8, 16}}, {6, {8, 16}}})
      for (int depth : depths)
        for (auto [w, h] : {std::pair<int64_t, int64_t>{13, 11}, {1, 1}, {3, 9}}) {
          const Kind k{colour, depth, interlaced};
          const int most = (1 << depth) - 1;
          auto at = [&](int64_t y, int64_t x, int64_t s) {
            return int((y * 7919 + x * 104729 + s * 1299709) * 31 % (most + 1));
          };
          std::string palette;
          for (int i = 0; colour == 3 && i <= most; ++i)
            palette += {char(i * 3), char(255 - i), char(i ^ 0x55)};
          const Tensor t = decode(png_of(k, w, h, at, colour == 3 ? chunk("PLTE", palette) : ""));
          const int64_t channels = colour == 3 ? 3 : k.samples();
          ASSERT_TRUE(std::ranges::equal(t.sizes(), Shape{channels, h, w})) << colour << ' ' << depth;
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t y = 0; y < h; ++y)
              for (int64_t x = 0; x < w; ++x) {
                const int v = at(y, x, colour == 3 ? 0 : c);
                const int want = colour == 3   ? uint8_t(palette[size_t(v * 3 + c)])
                                 : depth == 16 ? v >> 8
                                               : v * 255 / most;
                ASSERT_EQ(t.data<uint8_t>()[(c * h + y) * w + x], want)
                    << "colour " << colour << " depth " << depth << " interlaced " << interlaced << " at "
                    << y << ", " << x;
              }
        }
}

TEST(Png, WhatIsTransparent) {
  auto at = [](int64_t, int64_t x, int64_t) { return int(x); };
  const Tensor grey = decode(png_of({0, 8, false}, 3, 1, at, chunk("tRNS", {0, 1})));
  EXPECT_EQ(values(grey), (std::vector<int>{0, 1, 2, 255, 0, 255}));
  const Tensor colours = decode(png_of({2, 8, false}, 2, 1, at, chunk("tRNS", {0, 1, 0, 1, 0, 1})));
  EXPECT_EQ(values(colours), (std::vector<int>{0, 1, 0, 1, 0, 1, 255, 0}));
  const Tensor palette =
      decode(png_of({3, 2, true}, 3, 1, at, chunk("PLTE", "abcdefghi") + chunk("tRNS", "\x07\x08")));
  EXPECT_EQ(values(palette), (std::vector<int>{'a', 'd', 'g', 'b', 'e', 'h', 'c', 'f', 'i', 7, 8, 255}));
}

TEST(Png, ChannelsThatAreWanted) {
  auto at = [](int64_t, int64_t x, int64_t s) { return int(100 * x + 10 * s); };
  const std::string rgba = png_of({6, 8, false}, 2, 1, at), grey = png_of({0, 8, false}, 2, 1, at);
  EXPECT_EQ(values(decode(rgba, 3)), (std::vector<int>{0, 100, 10, 110, 20, 120}));
  EXPECT_EQ(values(decode(rgba, 1)), (std::vector<int>{8, 108}));
  EXPECT_EQ(values(decode(rgba, 2)), (std::vector<int>{8, 108, 30, 130}));
  EXPECT_EQ(values(decode(grey, 3)), (std::vector<int>{0, 100, 0, 100, 0, 100}));
  EXPECT_EQ(values(decode(grey, 4)), (std::vector<int>{0, 100, 0, 100, 0, 100, 255, 255}));
  expect_failure([&] { decode(grey, 5); }, Code::invalid_argument, {"got 5"});
}

TEST(Png, Damage) {
  auto at = [](int64_t y, int64_t x, int64_t s) { return int(y * 40 + x * 10 + s); };
  const std::string file = png_of({2, 8, true}, 5, 4, at);
  const size_t whole = file.size() - 12;  // the rest is IEND, which says nothing of the pixels
  for (size_t n = 8; n < whole; ++n)
    expect_failure([&] { decode(file.substr(0, n)); }, Code::corrupt, {"file 'x'"});
  for (size_t n = whole; n < file.size(); ++n)
    EXPECT_EQ(values(decode(file.substr(0, n))), values(decode(file))) << n;
  const size_t text = file.find("tEXt");
  for (size_t i = 8; i < file.size(); ++i) {
    if (i >= text && i < text + 17) continue;   // nobody reads the checksum of what is passed over
    if (i >= whole && i < whole + 4) continue;  // a last chunk that is cut off
    std::string bad = file;
    bad[i] = char(bad[i] ^ 0x10);
    EXPECT_THROW(decode(bad), Error) << "byte " << i;
  }
  auto damaged = [&](const std::string& f, const char* what) {
    expect_failure([&] { decode(f); }, Code::corrupt, {what});
  };
  const auto index = [](int64_t, int64_t x, int64_t) { return int(x); };
  damaged(png_of({3, 8, false}, 3, 1, index, chunk("PLTE", "abcdef")), "colour 2 of a palette of 2");
  damaged(png_of({3, 8, false}, 3, 1, index), "palette is missing");
  damaged(png_of({2, 4, false}, 1, 1, index), "depth 4");
  damaged(png_of({0, 8, false}, 2, 1, index).replace(16, 4, big_endian(1u << 30)), "IHDR");
  std::string large = png_of({0, 8, false}, 2, 1, index);
  large.replace(8, 25,
                chunk("IHDR", big_endian(1u << 19) + big_endian(1u << 19) + std::string("\10\0\0\0\0", 5)));
  damaged(large, "do not come out of");  // before anybody asks for the memory
  expect_failure(
      [&] {
        decode(png_of({0, 8, false}, 2, 1, index, chunk("XYZW", "")));
      },
      Code::unsupported, {"XYZW"});
  expect_failure([] { decode("GIF89a"); }, Code::unsupported, {"no picture", "file 'x'"});
  expect_failure([] { decode(""); }, Code::unsupported, {"no picture"});
}

TEST(Png, WhatIsWrittenIsRead) {
  for (int64_t channels : {1, 3, 4})
    for (int level : {0, 6, 9}) {
      Pixels p{5, 7, channels, std::vector<uint8_t>(size_t(35 * channels))};
      for (size_t i = 0; i < p.bytes.size(); ++i) p.bytes[i] = uint8_t(i * 89);
      const Pixels q = decode_png(bytes_of(encode_png(p, level)), "x");
      EXPECT_EQ(q.channels, channels);
      EXPECT_EQ(q.bytes, p.bytes);
    }
}

TEST(Pnm, GreyAndColours) {
  EXPECT_EQ(values(decode(std::string("P5\n# by hand\n3 2 # wide\n255\n\0\1\2\3\4\5", 34))),
            (std::vector<int>{0, 1, 2, 3, 4, 5}));
  const Tensor t = decode(std::string("P6 2 1 15 \0\17\1\2\3\4", 16));
  EXPECT_TRUE(std::ranges::equal(t.sizes(), Shape{3, 1, 2}));
  EXPECT_EQ(values(t), (std::vector<int>{0, 34, 255, 51, 17, 68}));
  expect_failure([] { decode("P5 2 2 255 abc"); }, Code::corrupt, {"2 rows", "out of 3 bytes"});
  expect_failure([] { decode("P6 2147483647 2147483647 255 abc"); }, Code::corrupt, {"out of 3 bytes"});
  expect_failure([] { decode("P5 2 x"); }, Code::corrupt, {"head"});
  expect_failure([] { decode("P5 2 2 65535 abcdefgh"); }, Code::unsupported, {"65535"});
  expect_failure([] { decode("P6 99999999999 99999999 255 abc"); }, Code::corrupt, {"head"});
}

// A soft picture; none where the system has no libturbojpeg.
std::string jpeg_of(int64_t channels) {
  Pixels p{24, 40, channels, {}};
  for (int64_t i = 0; i < 24 * 40; ++i)
    for (int64_t c = 0; c < channels; ++c) p.bytes.push_back(uint8_t(i / 40 * 8 + (c ? 2 * c : i % 40)));
  try {
    return encode_jpeg(p, 95);
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::unavailable);
    EXPECT_NE(e.hint.find("libturbojpeg0"), std::string::npos) << e.hint;
    return {};
  }
}

TEST(Jpeg, ThereAndBack) {
  const std::string colours = jpeg_of(3), grey = jpeg_of(1);
  if (colours.empty()) GTEST_SKIP() << "no libturbojpeg";
  const Tensor t = decode(colours), one = decode(colours, 1), g = decode(grey), rgb = decode(grey, 3);
  EXPECT_TRUE(std::ranges::equal(t.sizes(), Shape{3, 24, 40}));
  EXPECT_TRUE(std::ranges::equal(one.sizes(), Shape{1, 24, 40}));
  EXPECT_TRUE(std::ranges::equal(g.sizes(), Shape{1, 24, 40}));
  EXPECT_TRUE(std::ranges::equal(rgb.sizes(), Shape{3, 24, 40}));
  for (int64_t i = 0; i < 24 * 40; ++i) {
    EXPECT_NEAR(g.data<uint8_t>()[i], i / 40 * 8 + i % 40, 4);
    EXPECT_NEAR(t.data<uint8_t>()[i], i / 40 * 8 + i % 40, 12);
  }
  expect_failure([&] { decode(colours.substr(0, colours.size() / 2)); }, Code::corrupt, {"file 'x'", "JPEG"});
  expect_failure([&] { decode(colours.substr(0, 30)); }, Code::corrupt, {"file 'x'"});
  std::string large = colours;
  const size_t frame = large.find("\xff\xc0");
  large.replace(frame + 5, 4, "\xfd\xe8\xfd\xe8");
  expect_failure([&] { decode(large); }, Code::corrupt, {"65000 x 65000", "do not come out of"});
  expect_failure([&] { encode_jpeg({1, 1, 4, {1, 2, 3, 4}}, 90); }, Code::invalid_argument, {"1 x 1 x 4"});
  expect_failure([&] { encode_jpeg({1, 1, 1, {1}}, 0); }, Code::invalid_argument, {"quality", "0"});
}

// Grey, 24 x 8, by codes of one bit each: no block differs from the one before. Samples of a component: a byte, of
// which the upper half are those across.
std::string flat_jpeg(char luma, int depth = 8, int scans = 0) {
  const std::string zeros(15, '\0');
  auto part = [](char kind, const std::string& body) {
    return std::string{'\xff', kind} + big_endian(uint32_t(body.size() + 2)).substr(2) + body;
  };
  std::string file =
      "\xff\xd8" + part('\xdb', '\0' + std::string(64, '\1')) +
      part(scans ? '\xc2' : '\xc0',
           char(depth) + std::string("\0\10\0\30\3\1", 6) + luma + std::string("\0\2\x11\0\3\x11\0", 7)) +
      part('\xc4', std::string("\0\1", 2) + zeros + '\0') + part('\xc4', "\x10\1" + zeros + '\0');
  for (int i = 0; i < std::max(scans, 1); ++i)
    file += part('\xda', std::string("\3\1\0\2\0\3\0\0", 8) + (scans ? '\0' : '\77') + '\0') +
            std::string(8, '\0');
  return file + "\xff\xd9";
}

TEST(Jpeg, OddOnes) {
  if (jpeg_of(1).empty()) GTEST_SKIP() << "no libturbojpeg";
  for (char luma : {'\x11', '\x21', '\x31', '\x13'}) {  // the last two have no name
    const std::vector<int> v = values(decode(flat_jpeg(luma)));
    EXPECT_EQ(v, std::vector<int>(3 * 8 * 24, 128)) << int(luma);
  }
  expect_failure([] { decode(flat_jpeg('\x11', 12)); }, Code::unsupported, {"file 'x'", "precision 12"});
  expect_failure([] { decode("\xff\xd8\xff\xd9"); }, Code::corrupt, {"file 'x'", "no picture"});
  EXPECT_EQ(values(decode(flat_jpeg('\x11', 8, 3)))[0], 128);
  expect_failure([] { decode(flat_jpeg('\x11', 8, 600)); }, Code::corrupt, {"scans"});
}

void save(const std::string& path, int64_t height, int64_t width, int value) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  spew(path,
       encode_png({height, width, 3, std::vector<uint8_t>(size_t(height * width * 3), uint8_t(value))}));
}

TEST(ImageFolder, ClassesInOrderAndWhatIsBelow) {
  TempFolder dir;
  save(dir / "dog/b.PNG", 4, 5, 1);
  save(dir / "dog/a.png", 4, 5, 0);
  save(dir / "ant/deep/z.png", 6, 5, 3);
  save(dir / "ant/y.png", 4, 7, 2);
  spew(dir / "ant/notes.txt", "no picture");
  spew(dir / "readme.png", "beside the classes");
  const Ref<Dataset> d = open_image_folder(dir.path(), 3);
  EXPECT_EQ((std::vector<std::string>(d->classes().begin(), d->classes().end())),
            (std::vector<std::string>{"ant", "dog"}));
  ASSERT_EQ(d->size(), 4);
  const int want[4][3] = {{2, 7, 0}, {3, 5, 0}, {0, 5, 1}, {1, 5, 1}};  // value, width, class
  for (int64_t i = 0; i < 4; ++i) {
    const Tensor t = d->varied(i);
    EXPECT_EQ(t.data<uint8_t>()[0], want[i][0]);
    EXPECT_EQ(t.size(2), want[i][1]);
    EXPECT_EQ(*static_cast<const int64_t*>(d->address(1, i)), want[i][2]);
  }
  std::filesystem::create_directories(dir / "empty");
  expect_failure([&] { open_image_folder(dir.path(), 3); }, Code::io, {"'empty'", "no picture"});
  expect_failure([&] { open_image_folder(dir / "dog", 3); }, Code::io, {"no folder of a class"});
  expect_failure([&] { open_image_folder(dir / "nowhere", 3); }, Code::io, {"nowhere"});
  expect_failure([&] { open_image_files({}, {}, 3); }, Code::invalid_argument, {"at least one"});
}

TEST(ImageFolder, LinksBackUp) {
  TempFolder dir;
  save(dir / "ant/deep/a.png", 4, 5, 1);
  for (const char* name :
       {"ant/one", "ant/deep/two", "ant/deep/three"})  // followed, they double with each step down
    std::filesystem::create_symlink(dir / "ant", dir / name);
  save(dir / "beside/b.png", 4, 5, 2);
  std::filesystem::create_symlink(dir / "beside", dir / "ant/other");
  EXPECT_EQ(open_image_folder(dir.path(), 3)->size(), 3);
}

std::vector<Tensor> batches(const Ref<Dataset>& d, std::vector<Ref<Transform>> transforms, int workers,
                            uint64_t seed = 5) {
  init();
  LoaderOptions o;
  o.batch_size = 3;
  o.num_workers = workers;
  o.seed = seed;
  o.transforms = std::move(transforms);
  DataLoader loader(d, o);
  std::vector<Tensor> out, batch;
  while (loader.next(&batch)) out.insert(out.end(), batch.begin(), batch.end());
  return out;
}

TEST(ImageFolder, ThroughTheLoader) {
  TempFolder dir;
  for (int i = 0; i < 8; ++i) save(dir / concat(i % 2 ? "b/" : "a/", i, ".png"), 4 + i % 3, 5 + i, 10 * i);
  const Ref<Dataset> d = open_image_folder(dir.path(), 3);
  const auto chain = [] {
    return std::vector<Ref<Transform>>{make_resize(4, 0, 1), make_center_crop(4, 4), make_to_float(1)};
  };
  const std::vector<Tensor> alone = batches(d, chain(), 0), threads = batches(d, chain(), 3);
  ASSERT_EQ(alone.size(), 6u);
  ASSERT_EQ(threads.size(), 6u);
  EXPECT_TRUE(std::ranges::equal(alone[0].sizes(), Shape{3, 3, 4, 4}));
  EXPECT_TRUE(std::ranges::equal(alone[4].sizes(), Shape{2, 3, 4, 4}));
  for (size_t b = 0; b < 3; ++b) {
    for (int64_t i = 0; i < alone[2 * b].size(0); ++i) {
      const int64_t item = int64_t(b) * 3 + i, number = item < 4 ? item * 2 : (item - 4) * 2 + 1;
      EXPECT_EQ(alone[2 * b].data<float>()[i * 48], float(number * 10));
      EXPECT_EQ(alone[2 * b + 1].data<int64_t>()[i], item / 4);
    }
    EXPECT_EQ(std::memcmp(alone[2 * b].data<float>(), threads[2 * b].data<float>(),
                          size_t(alone[2 * b].numel()) * 4),
              0);
  }
  expect_failure([&] { batches(d, {make_resize(4, 0, 1)}, 0); }, Code::shape,
                 {"item 1 of sizes [3, 6, 7]", "item 0"});
  LoaderOptions labels;
  labels.transform_field = 1;
  labels.transforms = {make_to_float(1)};
  expect_failure([&] { DataLoader(d, labels); }, Code::invalid_argument, {"field 0"});
  spew(dir / "b/5.png", "broken");
  expect_failure([&] { batches(d, chain(), 2); }, Code::unsupported, {"b/5.png", "no picture"});
}

TEST(ImageFolder, OfOneSizeWithoutTransforms) {
  TempFolder dir;
  for (int i = 0; i < 4; ++i) save(dir / concat("a/", i, ".png"), 2, 3, i);
  const std::vector<Tensor> all = batches(open_image_folder(dir.path(), 1), {}, 1);
  EXPECT_TRUE(std::ranges::equal(all[0].sizes(), Shape{3, 1, 2, 3}));
  EXPECT_EQ(all[2].data<uint8_t>()[0], 3);
}

}  // namespace
}  // namespace haft
