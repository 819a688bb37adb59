// Transforms that change the sizes and colours of images, computed as torchvision does on tensors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/data/sampler.h"
#include "core/data/transform.h"
#include "core/ops/functions.h"

namespace haft {

namespace {

constexpr int64_t kLongest = int64_t(1) << 31;

[[noreturn]] void refuse(const char* name, const Field& in, std::string_view wanted) {
  fail(Code::shape,
       concat(name, ": got items of ", dtype_name(in.dtype), " ", IntList(in.sizes), ", wanted ", wanted), {},
       "transform");
}

// Colours are computed of bytes from 0 to 255, or of float32 from 0 to 1.
void check_colours(const char* name, const Field& in) {
  if (in.sizes.size() != 3 || (in.sizes[0] != 1 && in.sizes[0] != 3) ||
      (in.dtype != DType::u8 && in.dtype != DType::f32))
    refuse(name, in, "uint8 or float32 images (1 or 3, H, W)");
}

// A uint8 or float32 image, or the part of it that `window` says (top, left, height, width), in another size.
void resample(const Field& in, const void* src, const int64_t (&window)[4], const Field& out, void* dst,
              int64_t mode) {
  const int64_t from[] = {1, in.sizes[0], window[2], window[3]}, to[] = {out.sizes[1], out.sizes[2]};
  const int64_t h = in.sizes[1], w = in.sizes[2], steps[] = {in.sizes[0] * h * w, h * w, w, 1};
  auto memory = wrap_storage(
      Device{}, const_cast<void*>(src), in.bytes(), [](Storage&) {}, nullptr);
  const Tensor x = tensor_over(std::move(memory), from, IntList(steps), in.dtype, window[0] * w + window[1]);
  const bool same = window[2] == to[0] && window[3] == to[1];
  const Tensor y = ops::contiguous(same ? x : ops::interpolate(x, to, mode));
  std::memcpy(dst, y.data<void>(), size_t(out.bytes()));
}

struct Resize final : Transform {
  int64_t height, width;  // width 0: height is of the shorter side
  int64_t mode;
  Resize(int64_t h, int64_t w, int64_t mode) : height(h), width(w), mode(mode) {}
  const char* name() const override { return "resize"; }
  Field output(const Field& in) const override {
    if (in.sizes.size() != 3 || in.sizes[1] == 0 || in.sizes[2] == 0 ||
        (in.dtype != DType::u8 && in.dtype != DType::f32))
      refuse(name(), in, "uint8 or float32 images (C, H, W) that are not empty");
    Field out = in;
    out.sizes[1] = height, out.sizes[2] = width;
    if (width == 0) {
      const int64_t h = in.sizes[1], w = in.sizes[2],
                    longer = int64_t(double(height) * double(std::max(h, w)) / double(std::min(h, w)));
      out.sizes[1] = h <= w ? height : longer, out.sizes[2] = h <= w ? longer : height;
    }
    return out;
  }
  void apply(const Field& in, const void* src, void* dst, const double*) const override {
    resample(in, src, {0, 0, in.sizes[1], in.sizes[2]}, output(in), dst, mode);
  }
};

struct RandomResizedCrop final : Transform {
  int64_t height, width;
  double scale[2], ratio[2];
  int64_t mode;
  RandomResizedCrop(int64_t h, int64_t w, const double (&s)[2], const double (&r)[2], int64_t mode)
      : height(h), width(w), scale{s[0], s[1]}, ratio{r[0], r[1]}, mode(mode) {}
  const char* name() const override { return "random_resized_crop"; }
  bool is_random() const override { return true; }
  Field output(const Field& in) const override { return Resize(height, width, mode).output(in); }
  void apply(const Field& in, const void* src, void* dst, const double* draws) const override {
    const double h = double(in.sizes[1]), w = double(in.sizes[2]);
    auto resampled = [&](double top, double left, double rows, double columns) {
      resample(in, src, {int64_t(top), int64_t(left), int64_t(rows), int64_t(columns)}, output(in), dst,
               mode);
    };
    // Ten tries, as torchvision's, out of one block of numbers: from the second on out of their bits.
    for (uint64_t attempt = 0; attempt < 10; ++attempt) {
      double u[kDraws];
      for (int k = 0; k < kDraws; ++k)
        u[k] = attempt
                   ? double(mix_seed(std::bit_cast<uint64_t>(draws[k]), attempt, uint64_t(k)) >> 11) * 0x1p-53
                   : draws[k];
      const double area = h * w * (scale[0] + (scale[1] - scale[0]) * u[0]),
                   shape = std::exp(std::log(ratio[0]) + (std::log(ratio[1]) - std::log(ratio[0])) * u[1]),
                   columns = std::nearbyint(std::sqrt(area * shape)),
                   rows = std::nearbyint(std::sqrt(area / shape));
      if (columns >= 1 && columns <= w && rows >= 1 && rows <= h)
        return resampled(std::floor(u[2] * (h - rows + 1)), std::floor(u[3] * (w - columns + 1)), rows,
                         columns);
    }
    // The middle, as much of it as the ratio allows.
    const double now = w / h, rows = now < ratio[0] ? std::max(1.0, std::nearbyint(w / ratio[0])) : h,
                 columns = now > ratio[1] ? std::max(1.0, std::nearbyint(h * ratio[1])) : w;
    resampled(std::floor((h - rows) / 2), std::floor((w - columns) / 2), rows, columns);
  }
};

struct CenterCrop final : Transform {
  int64_t height, width;
  CenterCrop(int64_t h, int64_t w) : height(h), width(w) {}
  const char* name() const override { return "center_crop"; }
  Field output(const Field& in) const override {
    if (in.sizes.size() != 3) refuse(name(), in, "images (C, H, W)");
    Field out = in;
    out.sizes[1] = height, out.sizes[2] = width;
    return out;
  }
  // Where the window begins in a side of n: negative where the side is too short. Halves of what is cut go to the
  // even number.
  static int64_t begin(int64_t n, int64_t window) {
    return n < window ? -((window - n) / 2) : int64_t(std::nearbyint(double(n - window) / 2));
  }
  void apply(const Field& in, const void* src, void* dst, const double*) const override {
    const int64_t h = in.sizes[1], w = in.sizes[2], item = item_size(in.dtype), top = begin(h, height),
                  left = begin(w, width);
    const int64_t x0 = std::max<int64_t>(-left, 0), n = std::min(width - x0, w - std::max<int64_t>(left, 0));
    auto* from = static_cast<const char*>(src);
    auto* to = static_cast<char*>(dst);
    std::memset(dst, 0, size_t(in.sizes[0] * height * width * item));
    for (int64_t c = 0; c < in.sizes[0]; ++c)
      for (int64_t y = 0; y < height; ++y, to += width * item)
        if (const int64_t row = y + top; row >= 0 && row < h)
          std::memcpy(to + x0 * item, from + ((c * h + row) * w + left + x0) * item, size_t(n * item));
  }
};

template <class T>
float grey_of(const T* pixel, int64_t plane) {
  return 0.2989f * float(pixel[0]) + 0.587f * float(pixel[plane]) + 0.114f * float(pixel[2 * plane]);
}
// As a tensor of bytes takes floats: what is behind the point goes.
template <class T>
T stored(float v) {
  return T(v);
}
template <class T>
constexpr float kHighest = sizeof(T) == 1 ? 255.f : 1.f;
template <class T>
T blended(T x, float other, float ratio) {
  return stored<T>(std::clamp(ratio * float(x) + (1 - ratio) * other, 0.f, kHighest<T>));
}

struct Grayscale final : Transform {
  int64_t channels;
  explicit Grayscale(int64_t n) : channels(n) {}
  const char* name() const override { return "grayscale"; }
  Field output(const Field& in) const override {
    check_colours(name(), in);
    Field out = in;
    out.sizes[0] = channels;
    return out;
  }
  void apply(const Field& in, const void* src, void* dst, const double*) const override {
    const int64_t plane = in.sizes[1] * in.sizes[2];
    auto run = [&]<class T>(const T* from, T* to) {
      for (int64_t i = 0; i < plane; ++i)
        to[i] = in.sizes[0] == 1 ? from[i] : stored<T>(grey_of(from + i, plane));
      for (int64_t c = 1; c < channels; ++c) std::copy_n(to, plane, to + c * plane);
    };
    in.dtype == DType::u8 ? run(static_cast<const uint8_t*>(src), static_cast<uint8_t*>(dst))
                          : run(static_cast<const float*>(src), static_cast<float*>(dst));
  }
};

// Turns the hue of one pixel, whose channels are in [0, 1].
void turn_hue(float (&p)[3], float by) {
  const float r = p[0], g = p[1], b = p[2], high = std::max({r, g, b}), span = high - std::min({r, g, b});
  const float s = span == 0 ? 0.f : span / high, d = span == 0 ? 1.f : span;
  const float rc = (high - r) / d, gc = (high - g) / d, bc = (high - b) / d;
  float h = std::fmod((high == r ? bc - gc : high == g ? 2 + rc - bc : 4 + gc - rc) / 6 + 1, 1.f) + by;
  h -= std::floor(h);
  const float sector = std::floor(h * 6), f = h * 6 - sector;
  auto part = [&](float x) { return std::clamp(high * x, 0.f, 1.f); };
  const float dark = part(1 - s), falling = part(1 - s * f), rising = part(1 - s * (1 - f));
  const float out[6][3] = {{high, rising, dark},  {falling, high, dark}, {dark, high, rising},
                           {dark, falling, high}, {rising, dark, high},  {high, dark, falling}};
  std::copy_n(out[int64_t(sector) % 6], 3, p);
}

struct ColorJitter final : Transform {
  double amounts[4];  // brightness, contrast, saturation, hue
  explicit ColorJitter(const double (&a)[4]) { std::copy_n(a, 4, amounts); }
  const char* name() const override { return "color_jitter"; }
  bool is_random() const override { return true; }
  Field output(const Field& in) const override {
    check_colours(name(), in);
    return in;
  }
  void apply(const Field& in, const void* src, void* dst, const double* draws) const override {
    std::memcpy(dst, src, size_t(in.bytes()));
    // The order is one of 24, out of the bits of all draws.
    uint64_t mixed = mix_seed(std::bit_cast<uint64_t>(draws[0]) ^ std::bit_cast<uint64_t>(draws[1]),
                              std::bit_cast<uint64_t>(draws[2]), std::bit_cast<uint64_t>(draws[3]));
    int order[] = {0, 1, 2, 3};
    for (uint64_t i = 4; i > 1; --i, mixed /= 24) std::swap(order[i - 1], order[mixed % i]);
    for (int k : order) {
      if (amounts[k] == 0) continue;
      const double low = k == 3 ? -amounts[3] : std::max(0.0, 1 - amounts[k]),
                   high = k == 3 ? amounts[3] : 1 + amounts[k];
      const float factor = float(low + (high - low) * draws[k]);
      in.dtype == DType::u8 ? change(in, static_cast<uint8_t*>(dst), k, factor)
                            : change(in, static_cast<float*>(dst), k, factor);
    }
  }
  template <class T>
  static void change(const Field& in, T* x, int what, float factor) {
    const int64_t plane = in.sizes[1] * in.sizes[2], channels = in.sizes[0], n = plane * channels;
    if (channels == 1 && what > 1) return;  // grey has neither saturation nor hue
    auto grey = [&](int64_t i) { return channels == 1 ? x[i] : stored<T>(grey_of(x + i, plane)); };
    if (what == 0) {
      for (int64_t i = 0; i < n; ++i) x[i] = blended(x[i], 0.f, factor);
    } else if (what == 1) {
      double sum = 0;
      for (int64_t i = 0; i < plane; ++i) sum += double(grey(i));
      const float mean = plane ? float(sum / double(plane)) : 0;
      for (int64_t i = 0; i < n; ++i) x[i] = blended(x[i], mean, factor);
    } else if (what == 2) {
      for (int64_t i = 0; i < plane; ++i) {
        const float g = float(grey(i));
        for (int64_t c = 0; c < 3; ++c) x[c * plane + i] = blended(x[c * plane + i], g, factor);
      }
    } else {
      for (int64_t i = 0; i < plane; ++i) {
        float p[3];
        for (int64_t c = 0; c < 3; ++c) p[c] = float(x[c * plane + i]) / kHighest<T>;
        turn_hue(p, factor);
        // Bytes are as many equal parts of [0, 1].
        for (int64_t c = 0; c < 3; ++c) x[c * plane + i] = stored<T>(sizeof(T) == 1 ? p[c] * 255.999f : p[c]);
      }
    }
  }
};

}  // namespace

Ref<Transform> make_resize(int64_t height, int64_t width, int64_t mode) {
  if (height <= 0 || width < 0 || height > kLongest || width > kLongest)
    fail(Code::invalid_argument, concat("resize: impossible size ", height, " x ", width),
         "a width of 0 makes height that of the shorter side", "height");
  if (mode < 0 || mode > 6 || mode == 3)
    fail(Code::invalid_argument,
         concat("resize: mode must be one of HAFT_INTERPOLATE_* but area, got ", mode), {}, "mode");
  return make_ref<Resize>(height, width, mode);
}

Ref<Transform> make_random_resized_crop(int64_t height, int64_t width, const double (&scale)[2],
                                        const double (&ratio)[2], int64_t mode) {
  if (height <= 0 || width <= 0 || height > kLongest || width > kLongest)
    fail(Code::invalid_argument, concat("random_resized_crop: impossible size ", height, " x ", width), {},
         "height");
  if (!(scale[0] >= 0 && scale[0] <= scale[1] && scale[1] <= 1))
    fail(Code::invalid_argument,
         concat("random_resized_crop: scale must ascend within [0, 1], got ", scale[0], " and ", scale[1]),
         {}, "scale_low");
  if (!(ratio[0] > 0 && ratio[0] <= ratio[1] && ratio[1] <= 1e6))
    fail(Code::invalid_argument,
         concat("random_resized_crop: ratio must ascend from above 0, got ", ratio[0], " and ", ratio[1]), {},
         "ratio_low");
  make_resize(height, width, mode);  // refuses modes
  return make_ref<RandomResizedCrop>(height, width, scale, ratio, mode);
}

Ref<Transform> make_center_crop(int64_t height, int64_t width) {
  if (height <= 0 || width <= 0 || height > kLongest || width > kLongest)
    fail(Code::invalid_argument, concat("center_crop: impossible window ", height, " x ", width), {},
         "height");
  return make_ref<CenterCrop>(height, width);
}

Ref<Transform> make_grayscale(int64_t channels) {
  if (channels != 1 && channels != 3)
    fail(Code::invalid_argument, concat("grayscale: channels must be 1 or 3, got ", channels), {},
         "channels");
  return make_ref<Grayscale>(channels);
}

Ref<Transform> make_color_jitter(double brightness, double contrast, double saturation, double hue) {
  const double amounts[] = {brightness, contrast, saturation, hue};
  const char* names[] = {"brightness", "contrast", "saturation", "hue"};
  for (int k = 0; k < 4; ++k)
    if (!(amounts[k] >= 0) || amounts[k] > (k == 3 ? 0.5 : 1e6))
      fail(Code::invalid_argument,
           concat("color_jitter: ", names[k], " must be ", k == 3 ? "in [0, 0.5]" : "a finite number from 0",
                  ", got ", amounts[k]),
           {}, names[k]);
  return make_ref<ColorJitter>(amounts);
}

}  // namespace haft
