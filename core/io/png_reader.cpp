// Reading PNG: chunks with their checksums, the deflated rows, filters, interlacing, palettes.
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/io/png.h"
#include "core/io/text.h"

namespace haft {

namespace {

struct Palette {
  uint8_t colour[256][4];  // RGBA
  int count = 0;
  bool alpha = false;
};

// Which pixels a pass of Adam7 holds: from x0, y0 on, every dx-th of every dy-th row.
struct Pass {
  uint8_t x0, y0, dx, dy;
};
constexpr Pass kWhole{0, 0, 1, 1};
constexpr Pass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                           {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

uint32_t big_endian(const uint8_t* p) {
  return uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 | p[3];
}

class Reader {
 public:
  Reader(std::span<const uint8_t> file, const std::string& where) : file_(file), where_(where) {}
  ~Reader() {
    if (inflating_) inflateEnd(&z_);
  }

  Pixels read() {
    bool ended = false;
    for (size_t at = 8; !ended;) {
      const uint8_t* chunk = file_.data() + at;
      const uint64_t left = file_.size() - at, size = left < 12 ? 0 : big_endian(chunk);
      if (left < 12 || size > left - 12) {
        if (filled_ == rows_.size() && !rows_.empty()) break;  // all pixels are there: only IEND was cut off
        damaged("it ends within a chunk");
      }
      const std::string_view kind(reinterpret_cast<const char*>(chunk + 4), 4);
      const std::span<const uint8_t> body(chunk + 8, size_t(size));
      const bool wanted = !(kind[0] & 32) || kind == "tRNS";  // others may be passed over
      if (wanted && crc32_z(0, chunk + 4, size_t(size) + 4) != big_endian(chunk + 8 + size))
        damaged(concat("the checksum of its chunk ", quoted(kind), " is wrong"));
      if (width_ == 0 && kind != "IHDR") damaged("it begins without IHDR");
      if (kind == "IHDR")
        take_header(body);
      else if (kind == "PLTE")
        take_palette(body);
      else if (kind == "tRNS")
        take_transparency(body);
      else if (kind == "IDAT")
        take_rows(body);
      else if (kind == "IEND")
        ended = true;
      else if (wanted)
        fail(Code::unsupported,
             concat(where_, ": chunk ", quoted(kind), " is not known and must not be passed over"));
      at += size_t(size) + 12;
    }
    if (filled_ < rows_.size() || rows_.empty())
      damaged(concat("it has ", int64_t(filled_), " bytes of rows, wanted ", int64_t(rows_.size())));
    return pixels();
  }

 private:
  [[noreturn]] void damaged(std::string_view what) const {
    fail(Code::corrupt, concat(where_, " is no whole PNG: ", what));
  }

  void take_header(std::span<const uint8_t> h) {
    if (width_) damaged("it has two IHDR");
    if (h.size() != 13) damaged("its IHDR has another size");
    const uint32_t width = big_endian(h.data()), height = big_endian(h.data() + 4);
    depth_ = h[8], colour_ = h[9], interlaced_ = h[12];
    const unsigned depths = colour_ == 0 ? 0x10116u : colour_ == 3 ? 0x116u : 0x10100u;  // a bit each
    if (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX || colour_ > 6 || colour_ == 1 ||
        colour_ == 5 || depth_ > 16 || !(depths >> depth_ & 1) || h[10] || h[11] || interlaced_ > 1)
      damaged(concat("its IHDR says ", width, " x ", height, ", depth ", depth_, ", colour type ", colour_,
                     ", compression ", int(h[10]), ", filter ", int(h[11]), ", interlacing ", interlaced_));
    samples_ = colour_ == 2 ? 3 : colour_ == 4 ? 2 : colour_ == 6 ? 4 : 1;
    width_ = width, height_ = height;
    if (width_ > (int64_t(1) << 40) / height_)
      damaged(concat(height_, " x ", width_, " pixels are too many"));
  }

  void take_palette(std::span<const uint8_t> p) {
    if (p.empty() || p.size() % 3 || p.size() > 768) damaged("its palette has another size");
    palette_.count = int(p.size() / 3);
    for (int i = 0; i < palette_.count; ++i) {
      std::copy_n(&p[size_t(i) * 3], 3, palette_.colour[i]);
      palette_.colour[i][3] = 255;
    }
  }

  void take_transparency(std::span<const uint8_t> t) {
    if (colour_ == 3) {
      if (int(t.size()) > palette_.count) damaged("tRNS has more entries than its palette");
      for (size_t i = 0; i < t.size(); ++i) palette_.colour[i][3] = t[i];
      palette_.alpha = true;
    } else if (colour_ == 0 || colour_ == 2) {
      if (int(t.size()) != 2 * samples_) damaged("its tRNS has another size");
      for (int s = 0; s < samples_; ++s) key_[s] = t[size_t(s) * 2] << 8 | t[size_t(s) * 2 + 1];
      keyed_ = true;
    }
  }

  std::span<const Pass> passes() const {
    return interlaced_ ? std::span<const Pass>(kAdam7) : std::span(&kWhole, 1);
  }
  static int64_t count(int64_t side, int first, int step) {
    return side <= first ? 0 : (side - first + step - 1) / step;
  }
  int64_t row_bytes(int64_t pixels) const { return (pixels * samples_ * depth_ + 7) / 8; }

  void take_rows(std::span<const uint8_t> data) {
    if (rows_.empty()) {
      int64_t bytes = 0;
      for (const Pass& p : passes()) {
        const int64_t w = count(width_, p.x0, p.dx), h = count(height_, p.y0, p.dy);
        if (w) bytes += h * (row_bytes(w) + 1);
      }
      // No stream of zlib unpacks to more than 1032 times its size: what claims so must not get the memory.
      if (uint64_t(bytes) / 1100 > file_.size())
        damaged(
            concat(height_, " x ", width_, " pixels do not come out of ", int64_t(file_.size()), " bytes"));
      rows_.resize(size_t(bytes));
      if (inflateInit(&z_) != Z_OK) fail(Code::out_of_memory, concat(where_, ": no memory to unpack it"));
      inflating_ = true;
    }
    z_.next_in = const_cast<Bytef*>(data.data());
    z_.avail_in = uInt(data.size());  // a chunk's size has 32 bits
    while (z_.avail_in && filled_ < rows_.size()) {
      z_.next_out = rows_.data() + filled_;
      z_.avail_out = uInt(std::min<size_t>(rows_.size() - filled_, 1u << 30));
      const uInt room = z_.avail_out;
      const int result = inflate(&z_, Z_NO_FLUSH);
      filled_ += room - z_.avail_out;
      if (result == Z_MEM_ERROR) fail(Code::out_of_memory, concat(where_, ": no memory to unpack it"));
      if (result == Z_STREAM_END) return;
      if (result != Z_OK) damaged("its rows cannot be unpacked");
    }
  }

  // The row as it was before its filter; `before` is the one above it, of the same pass.
  void unfilter(uint8_t* row, const uint8_t* before, int64_t n, int filter) const {
    const int64_t step = std::max(samples_ * depth_ / 8, 1);
    for (int64_t i = 0; i < n; ++i) {
      const int a = i >= step ? row[i - step] : 0, b = before ? before[i] : 0,
                c = before && i >= step ? before[i - step] : 0;
      int guess = 0;
      if (filter == 1) {
        guess = a;
      } else if (filter == 2) {
        guess = b;
      } else if (filter == 3) {
        guess = (a + b) / 2;
      } else {
        const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
        guess = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      }
      row[i] = uint8_t(row[i] + guess);
    }
  }

  int sample(const uint8_t* row, int64_t k) const {
    if (depth_ == 8) return row[k];
    if (depth_ == 16) return row[2 * k] << 8 | row[2 * k + 1];
    const int64_t bit = k * depth_;
    return row[bit / 8] >> (8 - depth_ - bit % 8) & ((1 << depth_) - 1);
  }

  void put(const uint8_t* row, int64_t x, uint8_t* to) const {
    if (colour_ == 3) {
      const int i = sample(row, x);
      if (i >= palette_.count) damaged(concat("a pixel has colour ", i, " of a palette of ", palette_.count));
      std::copy_n(palette_.colour[i], palette_.alpha ? 4 : 3, to);
      return;
    }
    bool is_key = keyed_;
    for (int s = 0; s < samples_; ++s) {
      const int v = sample(row, x * samples_ + s);
      is_key = is_key && v == key_[s];
      to[s] = uint8_t(depth_ == 16 ? v >> 8 : v * 255 / ((1 << depth_) - 1));
    }
    if (keyed_) to[samples_] = is_key ? 0 : 255;
  }

  Pixels pixels() {
    if (colour_ == 3 && !palette_.count) damaged("its palette is missing");
    Pixels out;
    out.height = height_, out.width = width_;
    out.channels = colour_ == 3 ? (palette_.alpha ? 4 : 3) : samples_ + keyed_;
    out.bytes.resize(size_t(height_ * width_ * out.channels));
    uint8_t* at = rows_.data();
    for (const Pass& p : passes()) {
      const int64_t w = count(width_, p.x0, p.dx), n = row_bytes(w);
      const uint8_t* before = nullptr;
      if (w == 0) continue;
      for (int64_t y = p.y0; y < height_; y += p.dy, at += n + 1) {
        if (at[0] > 4) damaged(concat("a row has filter ", int(at[0])));
        if (at[0]) unfilter(at + 1, before, n, at[0]);
        before = at + 1;
        uint8_t* to = out.bytes.data() + (y * width_ + p.x0) * out.channels;
        if (depth_ == 8 && colour_ != 3 && !keyed_ && p.dx == 1) {
          std::memcpy(to, at + 1, size_t(n));
          continue;
        }
        for (int64_t x = 0; x < w; ++x, to += p.dx * out.channels) put(at + 1, x, to);
      }
    }
    return out;
  }

  std::span<const uint8_t> file_;
  const std::string& where_;
  int64_t width_ = 0, height_ = 0;
  int depth_ = 0, colour_ = 0, interlaced_ = 0, samples_ = 0;
  Palette palette_;
  int key_[3] = {};
  bool keyed_ = false, inflating_ = false;
  z_stream z_ = {};
  std::vector<uint8_t> rows_;
  size_t filled_ = 0;
};

}  // namespace

Pixels decode_png(std::span<const uint8_t> file, const std::string& where) {
  return Reader(file, where).read();
}

}  // namespace haft
