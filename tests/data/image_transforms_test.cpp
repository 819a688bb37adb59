// Transforms that change sizes and colours of images.
#include <gtest/gtest.h>
#include <haft/types.h>

#include <array>
#include <cstring>
#include <set>

#include "core/base/error.h"
#include "core/data/transform.h"
#include "core/init.h"

namespace haft {
namespace {

using Bytes = std::vector<uint8_t>;

template <class T>
std::vector<T> run(const Ref<Transform>& t, std::vector<T> x, Shape sizes,
                   std::array<double, kDraws> draws = {}) {
  const Field in{DTypeOf<T>::value, sizes}, out = t->output(in);
  EXPECT_EQ(out.dtype, in.dtype);
  std::vector<T> y(size_t(out.numel()));
  t->apply(in, x.data(), y.data(), t->is_random() ? draws.data() : nullptr);
  return y;
}
template <class F>
void expect_failure(F&& f, Code code, const char* part) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code));
    EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
    return;
  }
  ADD_FAILURE() << "did not fail";
}

TEST(ImageTransforms, VerticalFlip) {
  auto flip = make_random_vertical_flip(0.5);
  const Bytes x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(run(flip, x, {2, 3, 2}, {0.4}), (Bytes{5, 6, 3, 4, 1, 2, 11, 12, 9, 10, 7, 8}));
  EXPECT_EQ(run(flip, x, {2, 3, 2}, {0.6}), x);
  EXPECT_EQ(run(flip, std::vector<float>{1, 2, 3, 4}, {1, 2, 2}, {0}), (std::vector<float>{3, 4, 1, 2}));
  expect_failure([] { make_random_vertical_flip(2); }, Code::invalid_argument, "random_vertical_flip");
}

TEST(ImageTransforms, CenterCrop) {
  const Bytes x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  EXPECT_EQ(run(make_center_crop(1, 3), x, {1, 3, 5}), (Bytes{7, 8, 9}));
  // 1.5 columns go on the left: the even number, 2.
  EXPECT_EQ(run(make_center_crop(3, 2), x, {1, 3, 5}), (Bytes{3, 4, 8, 9, 13, 14}));
  EXPECT_EQ(run(make_center_crop(1, 8), x, {1, 3, 5}), (Bytes{0, 6, 7, 8, 9, 10, 0, 0}));
  EXPECT_EQ(run(make_center_crop(4, 1), x, {1, 3, 5}), (Bytes{3, 8, 13, 0}));
  expect_failure([] { make_center_crop(0, 3); }, Code::invalid_argument, "0 x 3");
}

TEST(ImageTransforms, Resize) {
  init();
  const Bytes x{0, 100, 200, 40};
  EXPECT_EQ(run(make_resize(1, 1, HAFT_INTERPOLATE_LINEAR_ANTIALIAS), x, {1, 2, 2}), (Bytes{85}));
  EXPECT_EQ(run(make_resize(2, 4, HAFT_INTERPOLATE_NEAREST), x, {1, 2, 2}),
            (Bytes{0, 0, 100, 100, 200, 200, 40, 40}));
  EXPECT_EQ(run(make_resize(2, 2, HAFT_INTERPOLATE_LINEAR), x, {1, 2, 2}), x);
  // The shorter side becomes 2, the longer one follows.
  auto sizes_of = [](Shape of) {
    const Field out = make_resize(2, 0, 1)->output({DType::u8, of});
    return std::vector<int64_t>(out.sizes.begin(), out.sizes.end());
  };
  EXPECT_EQ(sizes_of({3, 4, 10}), (std::vector<int64_t>{3, 2, 5}));
  EXPECT_EQ(sizes_of({3, 10, 4}), (std::vector<int64_t>{3, 5, 2}));
  expect_failure([] { make_resize(2, 2, HAFT_INTERPOLATE_AREA); }, Code::invalid_argument, "mode");
  expect_failure([] { make_resize(2, 2, 1)->output({DType::i64, {3, 4, 4}}); }, Code::shape, "int64");
}

TEST(ImageTransforms, RandomResizedCrop) {
  init();
  Bytes x(16);
  for (int i = 0; i < 16; ++i) x[size_t(i)] = uint8_t(i);
  auto crop = [&](int64_t h, int64_t w, const double(&scale)[2], const double(&ratio)[2],
                  std::array<double, kDraws> draws) {
    return run(make_random_resized_crop(h, w, scale, ratio, HAFT_INTERPOLATE_NEAREST), x, {1, 4, 4}, draws);
  };
  EXPECT_EQ(crop(4, 4, {1, 1}, {1, 1}, {0.3, 0.4, 0.5, 0.6}), x);
  EXPECT_EQ(crop(2, 2, {0.25, 0.25}, {1, 1}, {0, 0, 0.5, 0.99}), (Bytes{6, 7, 10, 11}));
  EXPECT_EQ(crop(1, 4, {1, 1}, {4, 4}, {}), (Bytes{4, 5, 6, 7}));  // no such part: the middle
  // Parts of other sizes at other places.
  std::set<Bytes> parts;
  for (int i = 0; i < 64; ++i)
    parts.insert(
        crop(2, 2, {0.1, 1}, {0.5, 2}, {i / 64., i * 7 % 64 / 64., i * 13 % 64 / 64., i * 29 % 64 / 64.}));
  EXPECT_GT(parts.size(), 20u);
  // A try that does not fit says nothing about the next one: where squares are too large first, small ones follow, too.
  Bytes wide(128);
  for (int i = 0; i < 128; ++i) wide[size_t(i)] = uint8_t(i % 16);
  int small = 0;
  for (int i = 0; i < 64; ++i) {
    const Bytes part = run(make_random_resized_crop(16, 16, {0, 1}, {1, 1}, HAFT_INTERPOLATE_NEAREST), wide,
                           {1, 8, 16}, {0.6 + 0.4 * i / 64, i / 64., i * 13 % 64 / 64., i * 29 % 64 / 64.});
    small += std::set<int>(part.begin(), part.end()).size() <= 4;
  }
  EXPECT_GT(small, 5);
  expect_failure(
      [] {
        make_random_resized_crop(2, 2, {0.5, 0.1}, {1, 1}, 0);
      },
      Code::invalid_argument, "scale");
  expect_failure([] { make_random_resized_crop(2, 2, {0, 1}, {0, 1}, 0); }, Code::invalid_argument, "ratio");
  expect_failure([] { make_random_resized_crop(0, 2, {0, 1}, {1, 1}, 0); }, Code::invalid_argument, "0 x 2");
}

TEST(ImageTransforms, Grayscale) {
  EXPECT_EQ(run(make_grayscale(1), Bytes{100, 0, 0, 200, 50, 0}, {3, 1, 2}), (Bytes{35, 117}));
  EXPECT_EQ(run(make_grayscale(3), Bytes{7, 8}, {1, 1, 2}), (Bytes{7, 8, 7, 8, 7, 8}));
  expect_failure([] { make_grayscale(2); }, Code::invalid_argument, "got 2");
  expect_failure([] { make_grayscale(1)->output({DType::u8, {2, 4, 4}}); }, Code::shape, "1 or 3");
}

TEST(ImageTransforms, ColorJitterOneAtATime) {
  const Bytes x{200, 10, 100, 20, 0, 30};  // two pixels: (200, 100, 0) and (10, 20, 30)
  // A draw of 0 is the lowest factor, here 0.5, 0.75 the middle of what is above the image as it is: 1.25.
  EXPECT_EQ(run(make_color_jitter(0.5, 0, 0, 0), x, {3, 1, 2}, {0}), (Bytes{100, 5, 50, 10, 0, 15}));
  EXPECT_EQ(run(make_color_jitter(0.5, 0, 0, 0), x, {3, 1, 2}, {0.75}), (Bytes{250, 12, 125, 25, 0, 37}));
  // Greys are 118 and 18: their mean is 68.
  EXPECT_EQ(run(make_color_jitter(0, 1, 0, 0), x, {3, 1, 2}, {0, 0}), (Bytes{68, 68, 68, 68, 68, 68}));
  EXPECT_EQ(run(make_color_jitter(0, 0, 1, 0), x, {3, 1, 2}, {0, 0, 0}), (Bytes{118, 18, 118, 18, 118, 18}));
  // Half a circle: (200, 100, 0) becomes (0, 100, 200).
  EXPECT_EQ(run(make_color_jitter(0, 0, 0, 0.5), x, {3, 1, 2}, {0, 0, 0, 0}),
            (Bytes{0, 30, 100, 20, 200, 10}));
  EXPECT_EQ(run(make_color_jitter(0, 0, 1, 0.5), Bytes{7, 8}, {1, 1, 2}), (Bytes{7, 8}));  // grey stays
  EXPECT_EQ(run(make_color_jitter(0, 0, 0, 0), x, {3, 1, 2}), x);
  expect_failure([] { make_color_jitter(0, 0, 0, 0.6); }, Code::invalid_argument, "hue");
  expect_failure([] { make_color_jitter(-1, 0, 0, 0); }, Code::invalid_argument, "brightness");
}

// The order of the changes is drawn, too: some results come from brightness first, some from contrast first.
TEST(ImageTransforms, ColorJitterInAllOrders) {
  std::set<std::vector<float>> results;
  for (int i = 0; i < 200; ++i) {
    // Hue is not changed: its draw goes into the order alone.
    const double same = 0.1, other = double(i) / 200;
    results.insert(run(make_color_jitter(0.5, 0.5, 0.5, 0),
                       std::vector<float>{0.9f, 0.1f, 0.2f, 0.7f, 0.3f, 0.4f}, {3, 1, 2},
                       {same, same, same, other}));
  }
  EXPECT_GE(results.size(), 3u);
  EXPECT_LE(results.size(), 6u);
}

}  // namespace
}  // namespace haft
