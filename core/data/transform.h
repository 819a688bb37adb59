// Transforms of one item, run by the loader's threads while the item is in cache. An image is (C, H, W).
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "core/data/dataset.h"

namespace haft {

constexpr int kDraws = 4;  // random numbers that each transform has for each item: a block of the generator

class Transform : public RefCounted {
 public:
  virtual ~Transform() = default;
  virtual const char* name() const = 0;
  // What comes out for items like `in`; fails when it does not take them.
  virtual Field output(const Field& in) const = 0;
  // dst does not overlap src. `draws`: kDraws numbers in [0, 1) of this item; nullptr unless is_random().
  virtual void apply(const Field& in, const void* src, void* dst, const double* draws) const = 0;
  virtual bool is_random() const { return false; }
};

// uint8 or any float to float32, times `scale` (1/255 for images).
Ref<Transform> make_to_float(double scale);
// (x - mean) / std by channel, the first dimension; one value serves all channels.
Ref<Transform> make_normalize(std::span<const double> mean, std::span<const double> std);
// Zeros of that width around the image, then a window of height x width at a random place.
Ref<Transform> make_random_crop(int64_t height, int64_t width, int64_t padding);
Ref<Transform> make_random_horizontal_flip(double probability);
// The same with top and bottom.
Ref<Transform> make_random_vertical_flip(double probability);
// Turns by an angle from [-degrees, degrees] about the middle; the nearest pixel, 0 outside.
Ref<Transform> make_random_rotation(double degrees);
// To height x width, or with width 0 so that the shorter side is height; mode is that of ops::interpolate. uint8 or
// float32.
Ref<Transform> make_resize(int64_t height, int64_t width, int64_t mode);
// A part of the image of an area from scale (of the whole) and of a ratio of width to height from ratio, in that size.
Ref<Transform> make_random_resized_crop(int64_t height, int64_t width, const double (&scale)[2],
                                        const double (&ratio)[2], int64_t mode);
// The middle; zeros where the image is too small.
Ref<Transform> make_center_crop(int64_t height, int64_t width);
// 0.2989 R + 0.587 G + 0.114 B, in one channel or three equal ones. uint8 or float32, as the next.
Ref<Transform> make_grayscale(int64_t channels);
// Brightness, contrast and saturation by factors from [max(0, 1 - amount), 1 + amount], hue by a part of the circle
// from [-hue, hue], in random order.
Ref<Transform> make_color_jitter(double brightness, double contrast, double saturation, double hue);

// A chain of transforms bound to what goes in. Neighbours that are arithmetic (to float, normalize) become one step.
class Pipeline {
 public:
  Pipeline() = default;
  Pipeline(std::span<const Ref<Transform>> transforms, const Field& input);

  bool empty() const { return steps_.empty(); }
  const Field& input() const { return input_; }
  const Field& output() const { return output_; }
  int random_count() const { return random_; }
  int64_t scratch_bytes() const { return scratch_; }

  // `draws`: of random transform r, kDraws numbers at draws[r]. `scratch`: scratch_bytes() of this thread.
  void run(const void* src, void* dst, const double* const* draws, void* scratch) const;

 private:
  struct Step {
    Ref<Transform> transform;
    Field in;
    int random = -1;  // which random transform it is
  };
  std::vector<Step> steps_;
  Field input_, output_;
  int random_ = 0;
  int64_t scratch_ = 0, half_ = 0;  // two buffers of half_ bytes
};

}  // namespace haft
