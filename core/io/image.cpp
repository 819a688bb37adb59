#include "core/io/image.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/dispatch/host_access.h"
#include "core/io/jpeg.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"
#include "core/io/text.h"
#include "core/ops/functions.h"

namespace haft {

namespace {

// "P5" or "P6", width, height and the highest value as text, one white character, rows. '#' begins a comment.
Pixels decode_pnm(std::span<const uint8_t> file, const std::string& where) {
  size_t at = 2;
  auto number = [&] {
    while (at < file.size() && (std::isspace(file[at]) || file[at] == '#'))
      if (file[at++] == '#')
        while (at < file.size() && file[at] != '\n') ++at;
    int64_t v = 0;
    const size_t begin = at;
    for (; at < file.size() && std::isdigit(file[at]) && v < INT32_MAX; ++at) v = v * 10 + (file[at] - '0');
    if (at == begin || v > INT32_MAX)
      fail(Code::corrupt, concat(where, ": its head is no head of a PGM or PPM"));
    return v;
  };
  Pixels p;
  p.channels = file[1] == '5' ? 1 : 3;
  p.width = number();
  p.height = number();
  const int64_t most = number();
  if (most < 1 || most > 255)
    fail(Code::unsupported, concat(where, ": its values go up to ", most, ", wanted 1 to 255"));
  ++at;
  const int64_t there = at > file.size() ? 0 : int64_t(file.size() - at), row = p.width * p.channels;
  if (row == 0 || p.height == 0 || there / row < p.height)
    fail(Code::corrupt, concat(where, ": ", p.height, " rows of ", p.width, " pixels, ", row,
                               " bytes each, do not come out of ", there, " bytes"));
  const int64_t n = p.height * row;
  p.bytes.assign(file.begin() + ptrdiff_t(at), file.begin() + ptrdiff_t(at) + n);
  if (most < 255)
    for (uint8_t& v : p.bytes) v = uint8_t((std::min<int64_t>(v, most) * 255 + most / 2) / most);
  return p;
}

// ITU-R 601's brightness in whole numbers.
uint8_t luma(const uint8_t* p) {
  return uint8_t((19595u * p[0] + 38470u * p[1] + 7471u * p[2] + 32768u) >> 16);
}

Tensor planes(const Pixels& p, int64_t wanted) {
  const int64_t n = p.height * p.width, from = p.channels, to = wanted ? wanted : from;
  Tensor out = new_tensor(Shape{to, p.height, p.width}, DType::u8);
  auto* dst = out.data<uint8_t>();
  const bool colours = to >= 3, alpha = to % 2 == 0;
  for (int64_t c = 0; c < to; ++c, dst += n) {
    const uint8_t* src = p.bytes.data();
    if (alpha && c == to - 1) {
      if (from % 2 == 0)
        for (int64_t i = 0; i < n; ++i) dst[i] = src[i * from + from - 1];
      else
        std::memset(dst, 255, size_t(n));
    } else if (!colours && from >= 3) {
      for (int64_t i = 0; i < n; ++i) dst[i] = luma(src + i * from);
    } else {
      src += from >= 3 ? c : 0;
      for (int64_t i = 0; i < n; ++i) dst[i] = src[i * from];
    }
  }
  return out;
}

constexpr std::string_view kEndings[] = {".png", ".jpg", ".jpeg", ".pgm", ".ppm"};

}  // namespace

Tensor decode_image(std::span<const uint8_t> file, int64_t channels, const std::string& where) {
  if (channels < 0 || channels > 4)
    fail(Code::invalid_argument,
         concat("a picture has 1 to 4 channels, or 0: those of the file; got ", channels), {}, "channels");
  const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min<size_t>(file.size(), 8));
  if (head == "\x89PNG\r\n\x1a\n") return planes(decode_png(file, where), channels);
  if (head.starts_with("\xff\xd8\xff"))
    return planes(decode_jpeg(file, channels == 1 || channels == 2, where), channels);
  if (head.starts_with("P5") || head.starts_with("P6")) return planes(decode_pnm(file, where), channels);
  fail(Code::unsupported, concat(where, ": no picture that the engine reads"),
       "it reads PNG, JPEG, PGM and PPM");
}

Tensor read_image(const std::string& path, int64_t channels) {
  const auto file = map_file(path);
  return decode_image({file->data, size_t(file->size)}, channels, concat("picture ", quoted(path, 4096)));
}

bool names_image(std::string_view path) {
  return std::ranges::any_of(kEndings, [&](std::string_view end) {
    return path.size() >= end.size() &&
           std::ranges::equal(path.substr(path.size() - end.size()), end,
                              [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  });
}

Pixels pixels_of(const Tensor& image) {
  if (image.ndim() != 3)
    fail(Code::shape, concat("a picture has the shape (C, H, W), got ", image.sizes()), {}, "image");
  if (image.dtype() != DType::u8 && !is_float(image.dtype()))
    fail(Code::dtype, concat("a picture is of uint8 or of a floating type, got ", dtype_name(image.dtype())),
         {}, "image");
  NoGradGuard no_grad;
  Tensor x = image;
  if (x.dtype() != DType::u8)
    x = ops::cast(ops::clamp(ops::mul_scalar(ops::cast(x, DType::f32), 255.0), Scalar(0.0), Scalar(255.0)),
                  DType::u8);
  const int64_t order[] = {1, 2, 0};
  x = ops::contiguous(ops::permute(x, order));
  Pixels p{x.size(0), x.size(1), x.size(2), std::vector<uint8_t>(size_t(x.numel()))};
  if (!p.bytes.empty()) copy_to_host(x, p.bytes.data());
  return p;
}

}  // namespace haft
