#include "core/io/jpeg.h"

#include <memory>
#include <string_view>

#include "core/base/dynamic_library.h"
#include "core/base/error.h"

namespace haft {

namespace {

// Of turbojpeg.h, API version 2: pixel formats, the colour spaces and the subsampling that matter here.
constexpr int kRgb = 0, kGrey = 6, kCmyk = 11;
constexpr int kSpaceGrey = 2, kSpaceCmyk = 3, kSpaceYcck = 4;
constexpr int kHalved = 2, kSingle = 3;
constexpr int kWarning = 0;  // tjGetErrorCode: the picture is there, something about the file is odd
constexpr int kLimitScans = 32768;  // a progressive file may not ask for its pixels more than 500 times over

using Handle = void*;
struct Library {
  DynamicLibrary file;
  Handle (*init_decompress)();
  Handle (*init_compress)();
  int (*destroy)(Handle);
  int (*header)(Handle, const unsigned char*, unsigned long, int* width, int* height, int* subsampling,
                int* space);
  int (*decompress)(Handle, const unsigned char*, unsigned long, unsigned char*, int width, int pitch,
                    int height, int format, int flags);
  int (*compress)(Handle, const unsigned char*, int width, int pitch, int height, int format, unsigned char**,
                  unsigned long*, int subsampling, int quality, int flags);
  void (*free)(unsigned char*);
  const char* (*message)(Handle);
  int (*code)(Handle);
};

Library open_library() {
  Library l;
  std::string error;
  if (!DynamicLibrary::try_open("libturbojpeg.so.0", &l.file, &error))
    fail(Code::unavailable, concat("JPEG wants libturbojpeg.so.0: ", error),
         "install libjpeg-turbo's TurboJPEG library: libturbojpeg0 on Debian, libturbojpeg on Ubuntu, "
         "turbojpeg on Fedora");
  auto take = [&]<class Fn>(Fn& f, const char* name) { f = l.file.function<Fn>(name); };
  take(l.init_decompress, "tjInitDecompress");
  take(l.init_compress, "tjInitCompress");
  take(l.destroy, "tjDestroy");
  take(l.header, "tjDecompressHeader3");
  take(l.decompress, "tjDecompress2");
  take(l.compress, "tjCompress2");
  take(l.free, "tjFree");
  take(l.message, "tjGetErrorStr2");
  take(l.code, "tjGetErrorCode");
  l.file.keep();
  return l;
}
const Library& library() {
  static const Library l = open_library();  // asked for again where it failed
  return l;
}

// One of TurboJPEG's objects, for the time of a call.
struct Codec {
  const Library& lib = library();
  Handle handle;
  explicit Codec(bool reads) : handle(reads ? lib.init_decompress() : lib.init_compress()) {
    if (!handle) fail(Code::out_of_memory, "jpeg: no memory for the codec");
  }
  ~Codec() { lib.destroy(handle); }
  Codec(const Codec&) = delete;
};

}  // namespace

Pixels decode_jpeg(std::span<const uint8_t> file, bool grey, const std::string& where) {
  const Codec c(true);
  int width = 0, height = 0, subsampling = 0, space = 0;
  auto damaged = [&](std::string_view what) {
    // So its messages begin for kinds of JPEG that it lacks: 12 bits; before version 3 those without losses.
    if (what.find("nsupported") != what.npos)
      fail(Code::unsupported, concat(where, " is a JPEG that libturbojpeg does not read: ", what));
    fail(Code::corrupt, concat(where, " is no whole JPEG: ", what));
  };
  // It also complains where it has no name for how colours are sampled, which is nothing to the pixels.
  const int head = c.lib.header(c.handle, file.data(), file.size(), &width, &height, &subsampling, &space);
  if (width < 1 || height < 1) damaged(head ? c.lib.message(c.handle) : "it holds no picture");
  const bool cmyk = space == kSpaceCmyk || space == kSpaceYcck;
  const int format = cmyk ? kCmyk : grey || space == kSpaceGrey ? kGrey : kRgb;
  // A bit at least for each block of 8 x 8: what claims more must not get the memory.
  if (int64_t(width) * height / 640 > int64_t(file.size()))
    fail(Code::corrupt, concat(where, " is no whole JPEG: ", height, " x ", width,
                               " pixels do not come out of ", int64_t(file.size()), " bytes"));
  Pixels p{height, width, cmyk ? 4 : format == kGrey ? 1 : 3, {}};
  p.bytes.resize(size_t(checked_numel(Shape{p.height, p.width, p.channels})));
  if (c.lib.decompress(c.handle, file.data(), file.size(), p.bytes.data(), width, 0, height, format,
                       kLimitScans) != 0 &&
      (c.lib.code(c.handle) != kWarning ||
       std::string_view(c.lib.message(c.handle)).find("remature end") != std::string_view::npos))
    damaged(c.lib.message(c.handle));
  if (!cmyk) return p;
  // Files have the inks inverted, as Adobe writes them: 255 is none.
  const size_t n = p.bytes.size() / 4;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < 3; ++k)
      p.bytes[i * 3 + k] = uint8_t((p.bytes[i * 4 + k] * p.bytes[i * 4 + 3] + 127) / 255);
  p.bytes.resize(n * 3);
  p.channels = 3;
  return p;
}

std::string encode_jpeg(const Pixels& p, int64_t quality) {
  if (p.height < 1 || p.width < 1 || p.height > 65535 || p.width > 65535 ||
      (p.channels != 1 && p.channels != 3))
    fail(Code::invalid_argument,
         concat("jpeg: wanted a picture of 1 to 65535 rows and columns and 1 or 3 channels, got ", p.height,
                " x ", p.width, " x ", p.channels),
         {}, "image");
  if (quality < 1 || quality > 100)
    fail(Code::invalid_argument, concat("jpeg: quality must be 1 to 100, got ", quality), {}, "quality");
  const Codec c(false);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  const int result =
      c.lib.compress(c.handle, p.bytes.data(), int(p.width), 0, int(p.height), p.channels == 1 ? kGrey : kRgb,
                     &out, &size, p.channels == 1 ? kSingle : kHalved, int(quality), 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> hold(out, c.lib.free);
  if (result != 0) fail(Code::out_of_memory, concat("jpeg: ", c.lib.message(c.handle)));
  return std::string(reinterpret_cast<const char*>(out), size);
}

}  // namespace haft
