// Reading the weights is the work here, so they are read once, in order and as they come: packed for other
// methods they would be read from memory in a worse order (direct) or be four times as large (Winograd).
#include "core/cpu/conv_few.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {
namespace {

constexpr int64_t kMostResults = 64;            // of all images: four vectors
constexpr int64_t kLeastWeightBytes = 4 << 20;  // that no second cache holds
constexpr int64_t kSum = 128;                   // products that a register adds up: long sums lose digits
constexpr int64_t kAhead = 256;                 // floats of a row to prefetch
constexpr int64_t kFlopsAChunk = 2 << 20;

// Where the elements of maps (images, channels, area) lie, `block` channels of a pixel side by side.
struct Maps {
  int64_t channels, area, block;
  int64_t channel(int64_t c) const { return c / block * area * block + c % block; }
  int64_t pixel(int64_t image, int64_t at) const { return image * channels * area + at * block; }
};

int64_t block_of(uint8_t layout) {
  return layout == HAFT_LAYOUT_BLOCKED16 ? 16 : layout == HAFT_LAYOUT_BLOCKED8 ? 8 : 1;
}

// sum (R, V * 16) += w (R, n of k) @ windows (n, V * 16).
template <int R, int V>
HAFT_BODY void add_products(const float* w, int64_t k, const float* windows, int n, f32x16 (&sum)[R][V]) {
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i)
    for (int v = 0; v < V; ++v) {
      f32x16 column = *reinterpret_cast<const f32x16u*>(windows + (i * V + v) * 16);
      for (int r = 0; r < R; ++r) sum[r][v] += column * w[r * k + i];
    }
}

// out (R, V * 16) = w (R, k) @ windows (k, V * 16).
template <int R, int V>
HAFT_BODY void rows_of(const float* w, int64_t k, const float* windows, float* out) {
  for (int64_t begin = 0; begin < k; begin += kSum) {
    f32x16 sum[R][V] = {};
    int64_t i = begin, end = std::min(k, begin + kSum);
    for (; i + 16 <= end; i += 16) {
      for (int r = 0; r < R; ++r) __builtin_prefetch(w + r * k + i + kAhead);
      add_products<R, V>(w + i, k, windows + i * V * 16, 16, sum);
    }
    add_products<R, V>(w + i, k, windows + i * V * 16, int(end - i), sum);
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < V; ++v) {
        f32x16u& to = *reinterpret_cast<f32x16u*>(out + (r * V + v) * 16);
        to = begin == 0 ? sum[r][v] : to + sum[r][v];
      }
  }
}

template <int R, int V>
HAFT_BODY void all_rows(const float* w, int64_t rows, int64_t k, const float* windows, float* out) {
  int64_t r = 0;
  for (; r + R <= rows; r += R) rows_of<R, V>(w + r * k, k, windows, out + r * V * 16);
  for (; r < rows; ++r) rows_of<1, V>(w + r * k, k, windows, out + r * V * 16);
}

HAFT_TARGET_AVX512 void multiply(const float* w, int64_t rows, int64_t k, const float* windows, int64_t width,
                                 float* out) {
  switch (width / 16) {
    case 1: return all_rows<8, 1>(w, rows, k, windows, out);
    case 2: return all_rows<8, 2>(w, rows, k, windows, out);
    case 3: return all_rows<6, 3>(w, rows, k, windows, out);
    default: return all_rows<6, 4>(w, rows, k, windows, out);
  }
}

// to[i] = from[at[i]], or 0 where at[i] < 0.
HAFT_TARGET_AVX512 void collect(const float* from, const int32_t* at, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) {
    float v = from[std::max(at[i], 0)];
    to[i] = at[i] < 0 ? 0 : v;
  }
}

// Where a channel's part of the windows, (kh kw, width), comes from; -1 over the edge and behind the results.
void window_sources(const ConvShape& s, const Maps& x, int64_t width, int32_t* at) {
  std::fill(at, at + s.kh * s.kw * width, -1);
  for (int64_t tap = 0; tap < s.kh * s.kw; ++tap)
    for (int64_t i = 0; i < s.n * s.oh * s.ow; ++i) {
      int64_t iy = i / s.ow % s.oh * s.sh - s.ph + tap / s.kw * s.dh,
              ix = i % s.ow * s.sw - s.pw + tap % s.kw * s.dw;
      if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w)
        at[tap * width + i] = int32_t(x.pixel(i / (s.oh * s.ow), iy * s.w + ix));
    }
}

}  // namespace

bool few_results(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  return !s.volume && p.pass == ConvPass::forward && p.dtype == HAFT_FLOAT32 && isa() == Isa::avx512 &&
         s.groups == 1 && s.n * s.oh * s.ow <= kMostResults &&
         4 * s.o * s.c * s.kh * s.kw >= kLeastWeightBytes && s.n * s.c * s.h * s.w <= INT32_MAX;
}

void few_maps(const ConvPlan& p, const float* x, const float* weight, const float* bias, float* y) {
  const ConvShape& s = p.shape;
  const Maps from{s.c, s.h * s.w, block_of(p.x_layout)}, to{s.o, s.oh * s.ow, block_of(p.y_layout)};
  const int64_t results = s.n * to.area, width = (results + 15) & ~int64_t(15), taps = s.kh * s.kw,
                k = s.c * taps;
  HostBuffer sources(taps * width * 4), windows(k * width * 4);
  window_sources(s, from, width, sources.as<int32_t>());
  parallel_for(s.c, (1 << 14) / (taps * width) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      collect(x + from.channel(c), sources.as<int32_t>(), taps * width,
              windows.as<float>() + c * taps * width);
  });
  constexpr int64_t kRows = 24;  // both of 8 and 6
  const int64_t chunks = (s.o + kRows - 1) / kRows;
  parallel_for(chunks, kFlopsAChunk / (2 * kRows * k * width) + 1, [&](int64_t begin, int64_t end) {
    alignas(64) float out[kRows * kMostResults];
    for (int64_t first = begin * kRows; first < std::min(s.o, end * kRows); first += kRows) {
      int64_t rows = std::min(kRows, s.o - first);
      multiply(weight + first * k, rows, k, windows.as<float>(), width, out);
      for (int64_t r = 0; r < rows; ++r) {
        float* channel = y + to.channel(first + r);
        float b = bias ? bias[first + r] : 0;
        for (int64_t i = 0; i < results; ++i)
          channel[to.pixel(i / to.area, i % to.area)] = out[r * width + i] + b;
      }
    }
  });
}

}  // namespace haft::cpu
