#include "core/data/transform.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/data/affine.h"

namespace haft {

namespace {

[[noreturn]] void refuse(const char* name, const Field& in, std::string_view wanted) {
  fail(Code::shape,
       concat(name, ": got items of ", dtype_name(in.dtype), " ", IntList(in.sizes), ", wanted ", wanted), {},
       "transform");
}

void check_image(const char* name, const Field& in) {
  if (in.sizes.size() != 3) refuse(name, in, "images (C, H, W)");
}

// x * scale[c] + shift[c], in float32. One entry serves all channels.
struct Affine final : Transform {
  std::vector<double> scale, shift;
  const char* what;
  bool converts;  // takes uint8 and other types; else float32 only

  Affine(std::vector<double> scale, std::vector<double> shift, const char* what, bool converts)
      : scale(std::move(scale)), shift(std::move(shift)), what(what), converts(converts) {}
  const char* name() const override { return what; }

  int64_t channels(const Field& in) const { return scale.size() == 1 ? 1 : in.sizes[0]; }
  Field output(const Field& in) const override {
    bool taken = in.dtype == DType::f32 ||
                 (converts && (in.dtype == DType::u8 || in.dtype == DType::boolean || is_float(in.dtype)));
    if (!taken)
      refuse(what, in, converts ? "uint8, bool or a floating type" : "float32; convert with to_float first");
    if (scale.size() > 1 && (in.sizes.empty() || in.sizes[0] != int64_t(scale.size())))
      refuse(what, in, concat(int64_t(scale.size()), " channels, as there are means"));
    return {DType::f32, in.sizes};
  }
  void apply(const Field& in, const void* src, void* dst, const double*) const override {
    const int64_t groups = channels(in), n = groups ? in.numel() / groups : 0;
    auto* to = static_cast<float*>(dst);
    for (int64_t c = 0; c < groups; ++c, to += n) {
      const float a = float(scale[size_t(c)]), b = float(shift[size_t(c)]);
      visit_dtype(in.dtype, [&]<class T>() {
        if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, bool>) {
          affine_u8(static_cast<const uint8_t*>(src) + c * n, to, n, a, b);
        } else if constexpr (std::is_same_v<T, float>) {
          affine_f32(static_cast<const float*>(src) + c * n, to, n, a, b);
        } else {
          const T* from = static_cast<const T*>(src) + c * n;
          for (int64_t i = 0; i < n; ++i) to[i] = float(from[i]) * a + b;
        }
      });
    }
  }
};

struct RandomCrop final : Transform {
  int64_t height, width, padding;
  RandomCrop(int64_t h, int64_t w, int64_t p) : height(h), width(w), padding(p) {}
  const char* name() const override { return "random_crop"; }
  bool is_random() const override { return true; }
  Field output(const Field& in) const override {
    check_image(name(), in);
    if (in.sizes[1] + 2 * padding < height || in.sizes[2] + 2 * padding < width)
      refuse(name(), in,
             concat("images of at least ", height, " x ", width, " after a padding of ", padding));
    Field out = in;
    out.sizes[1] = height;
    out.sizes[2] = width;
    return out;
  }
  void apply(const Field& in, const void* src, void* dst, const double* draws) const override {
    const int64_t h = in.sizes[1], w = in.sizes[2], item = item_size(in.dtype);
    // Where the window begins in the image; negative inside the padding.
    const int64_t top = int64_t(draws[0] * double(h + 2 * padding - height + 1)) - padding;
    const int64_t left = int64_t(draws[1] * double(w + 2 * padding - width + 1)) - padding;
    const int64_t x0 = std::clamp<int64_t>(-left, 0, width), x1 = std::clamp<int64_t>(w - left, x0, width);
    auto* from = static_cast<const char*>(src);
    auto* to = static_cast<char*>(dst);
    for (int64_t c = 0; c < in.sizes[0]; ++c)
      for (int64_t y = 0; y < height; ++y, to += width * item) {
        const int64_t row = y + top;
        if (row < 0 || row >= h || x0 == x1) {
          std::memset(to, 0, size_t(width * item));
          continue;
        }
        std::memset(to, 0, size_t(x0 * item));
        std::memcpy(to + x0 * item, from + ((c * h + row) * w + left + x0) * item, size_t((x1 - x0) * item));
        std::memset(to + x1 * item, 0, size_t((width - x1) * item));
      }
  }
};

struct RandomFlip final : Transform {
  double probability;
  bool vertical;
  RandomFlip(double p, bool vertical) : probability(p), vertical(vertical) {}
  const char* name() const override { return vertical ? "random_vertical_flip" : "random_horizontal_flip"; }
  bool is_random() const override { return true; }
  Field output(const Field& in) const override {
    check_image(name(), in);
    return in;
  }
  void apply(const Field& in, const void* src, void* dst, const double* draws) const override {
    if (draws[0] >= probability) {
      std::memcpy(dst, src, size_t(in.bytes()));
      return;
    }
    const int64_t rows = in.sizes[0] * in.sizes[1], h = in.sizes[1], w = in.sizes[2];
    if (vertical) {
      const int64_t line = w * item_size(in.dtype);
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(static_cast<char*>(dst) + r * line,
                    static_cast<const char*>(src) + (r - r % h + h - 1 - r % h) * line, size_t(line));
      return;
    }
    visit_size(in.dtype, [&]<class T>() {
      const T* from = static_cast<const T*>(src);
      T* to = static_cast<T*>(dst);
      for (int64_t r = 0; r < rows; ++r, from += w, to += w) std::reverse_copy(from, from + w, to);
    });
  }
};

struct RandomRotation final : Transform {
  double degrees;
  explicit RandomRotation(double d) : degrees(d) {}
  const char* name() const override { return "random_rotation"; }
  bool is_random() const override { return true; }
  Field output(const Field& in) const override {
    check_image(name(), in);
    return in;
  }
  void apply(const Field& in, const void* src, void* dst, const double* draws) const override {
    const int64_t h = in.sizes[1], w = in.sizes[2];
    const double angle = (2 * draws[0] - 1) * degrees * std::numbers::pi / 180, cos = std::cos(angle),
                 sin = std::sin(angle);
    const double cy = double(h - 1) / 2, cx = double(w - 1) / 2;
    visit_size(in.dtype, [&]<class T>() {
      const T* from = static_cast<const T*>(src);
      T* to = static_cast<T*>(dst);
      for (int64_t c = 0; c < in.sizes[0]; ++c, from += h * w)
        for (int64_t y = 0; y < h; ++y)
          for (int64_t x = 0; x < w; ++x) {
            const double dy = double(y) - cy, dx = double(x) - cx;
            const int64_t sy = std::llround(cos * dy - sin * dx + cy),
                          sx = std::llround(sin * dy + cos * dx + cx);
            *to++ = sy >= 0 && sy < h && sx >= 0 && sx < w ? from[sy * w + sx] : T(0);
          }
    });
  }
};

// The two affine maps as one, when the channels allow.
Ref<Transform> fuse(const Affine& a, const Affine& b) {
  size_t n = std::max(a.scale.size(), b.scale.size());
  auto at = [](const std::vector<double>& v, size_t i) { return v[v.size() == 1 ? 0 : i]; };
  std::vector<double> scale, shift;
  for (size_t i = 0; i < n; ++i) {
    scale.push_back(at(a.scale, i) * at(b.scale, i));
    shift.push_back(at(a.shift, i) * at(b.scale, i) + at(b.shift, i));
  }
  return make_ref<Affine>(std::move(scale), std::move(shift), a.what, a.converts);
}

}  // namespace

Ref<Transform> make_to_float(double scale) {
  return make_ref<Affine>(std::vector<double>{scale}, std::vector<double>{0}, "to_float", true);
}

Ref<Transform> make_normalize(std::span<const double> mean, std::span<const double> std) {
  if (mean.empty() || mean.size() != std.size())
    fail(Code::invalid_argument,
         concat("normalize: ", int64_t(mean.size()), " means and ", int64_t(std.size()),
                " deviations, wanted one of each a channel"),
         {}, "mean");
  std::vector<double> scale, shift;
  for (size_t i = 0; i < mean.size(); ++i) {
    if (!(std[i] > 0))
      fail(Code::invalid_argument, concat("normalize: a deviation must be positive, got ", std[i]), {},
           "std");
    scale.push_back(1 / std[i]);
    shift.push_back(-mean[i] / std[i]);
  }
  return make_ref<Affine>(std::move(scale), std::move(shift), "normalize", false);
}

Ref<Transform> make_random_crop(int64_t height, int64_t width, int64_t padding) {
  if (height <= 0 || width <= 0 || padding < 0 || padding > (int64_t(1) << 31) ||
      height > (int64_t(1) << 31) || width > (int64_t(1) << 31))
    fail(Code::invalid_argument,
         concat("random_crop: impossible window ", height, " x ", width, " with padding ", padding), {},
         "height");
  return make_ref<RandomCrop>(height, width, padding);
}

static Ref<Transform> make_flip(double p, bool vertical) {
  auto flip = make_ref<RandomFlip>(p, vertical);
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat(flip->name(), ": probability must be in [0, 1], got ", p), {},
         "probability");
  return flip;
}
Ref<Transform> make_random_horizontal_flip(double p) { return make_flip(p, false); }
Ref<Transform> make_random_vertical_flip(double p) { return make_flip(p, true); }

Ref<Transform> make_random_rotation(double degrees) {
  if (!(degrees >= 0 && degrees <= 360))
    fail(Code::invalid_argument, concat("random_rotation: degrees must be in [0, 360], got ", degrees), {},
         "degrees");
  return make_ref<RandomRotation>(degrees);
}

Pipeline::Pipeline(std::span<const Ref<Transform>> transforms, const Field& input)
    : input_(input), output_(input) {
  for (const Ref<Transform>& t : transforms) {
    Field next = t->output(output_);
    auto* affine = dynamic_cast<const Affine*>(t.get());
    auto* before = steps_.empty() ? nullptr : dynamic_cast<const Affine*>(steps_.back().transform.get());
    if (affine && before)
      steps_.back().transform = fuse(*before, *affine);
    else
      steps_.push_back({t, output_, t->is_random() ? random_++ : -1});
    output_ = std::move(next);
  }
  for (size_t i = 1; i < steps_.size(); ++i)
    half_ = std::max(half_, (steps_[i].in.bytes() + 63) & ~int64_t(63));
  scratch_ = steps_.size() > 2 ? 2 * half_ : half_;
}

void Pipeline::run(const void* src, void* dst, const double* const* draws, void* scratch) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    void* to = i + 1 == steps_.size() ? dst : static_cast<char*>(scratch) + (i % 2 ? half_ : 0);
    s.transform->apply(s.in, src, to, s.random < 0 ? nullptr : draws[s.random]);
    src = to;
  }
}

}  // namespace haft
