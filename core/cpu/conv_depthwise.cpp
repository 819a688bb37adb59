// Sixteen channels stand in a vector and up to 21 taps in registers: a vector of dy is read once for all of them.
// What a strip of rows needs lies in a near cache, with its padding, so that no loop asks where the edges are.
#include "core/cpu/conv_depthwise.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/turn16.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {
namespace {

constexpr int64_t kStripFloats = 1 << 16;  // of x and dy together
constexpr int64_t kSum = 256;              // products that a register adds up: long sums lose digits
constexpr int64_t kMostPieces = 32;        // of the batch; each has sums of its own, added up in order

// sums (R, K; `row` floats from row to row) += products of dy (rows, cols, 16) with the vectors of x that the taps
// meet.
struct Strip {
  const float *x, *dy;
  int64_t rows, cols;            // of dy
  int64_t down, across;          // floats from one window of x to the next
  int64_t tap_down, tap_across;  // and from tap to tap
};
template <int R, int K>
HAFT_BODY void add_taps(const Strip& s, int64_t ky, int64_t kx, float* sums, int64_t row) {
  const float* x = s.x + ky * s.tap_down + kx * s.tap_across;
  const int64_t most = std::max<int64_t>(kSum / s.cols, 1);
  for (int64_t y0 = 0; y0 < s.rows; y0 += most) {
    f32x16 sum[R][K];
    for (int r = 0; r < R; ++r)
      for (int k = 0; k < K; ++k) load16(sums + (ky + r) * row + (kx + k) * 16, sum[r][k]);
    f32x16 part[R][K] = {};
    for (int64_t y = y0; y < std::min(s.rows, y0 + most); ++y) {
      const float *g = s.dy + y * s.cols * 16, *at = x + y * s.down;
      for (int64_t i = 0; i < s.cols; ++i, g += 16, at += s.across) {
        f32x16 v, w;
        load16(g, v);
        for (int r = 0; r < R; ++r)
          for (int k = 0; k < K; ++k) load16(at + r * s.tap_down + k * s.tap_across, w), part[r][k] += v * w;
      }
    }
    for (int r = 0; r < R; ++r)
      for (int k = 0; k < K; ++k) store16(sum[r][k] + part[r][k], sums + (ky + r) * row + (kx + k) * 16);
  }
}
template <int R>
HAFT_BODY void add_rows(const Strip& s, int64_t ky, int64_t kw, float* sums) {
  int64_t kx = 0;
  for (; kx + 7 <= kw; kx += 7) add_taps<R, 7>(s, ky, kx, sums, kw * 16);
  for (; kx + 5 <= kw; kx += 5) add_taps<R, 5>(s, ky, kx, sums, kw * 16);
  for (; kx + 3 <= kw; kx += 3) add_taps<R, 3>(s, ky, kx, sums, kw * 16);
  for (; kx < kw; ++kx) add_taps<R, 1>(s, ky, kx, sums, kw * 16);
}
HAFT_TARGET_AVX512 void add_strip(const Strip& s, int64_t kh, int64_t kw, float* sums) {
  int64_t ky = 0;
  for (; ky + 3 <= kh; ky += 3) add_rows<3>(s, ky, kw, sums);
  for (; ky < kh; ++ky) add_rows<1>(s, ky, kw, sums);
}

// Maps (n, channels, h, w) in either layout.
struct Maps {
  const float* data;
  bool blocked;
  int64_t channels, h, w;

  // Columns [first, end) of a row of 16 channels from c on, as vectors; channels behind the last are zeros.
  HAFT_TARGET_AVX512 void read(int64_t image, int64_t c, int64_t y, int64_t first, int64_t end,
                               float* to) const {
    const int64_t area = h * w, at = y * w + first, many = end - first;
    if (blocked) {
      std::copy_n(data + (image * channels + c) * area + at * 16, many * 16, to);
      return;
    }
    const float* from = data + (image * channels + c) * area + at;
    const int lanes = int(std::min<int64_t>(16, channels - c));
    int64_t i = 0;
    while (i < many) {
      // Some of the last sixteen may be there already.
      const int64_t begin = many >= 16 ? std::min(i, many - 16) : i;
      if (lanes == 16 && at + begin + 16 <= area) {
        f32x16 r[16];
        for (int l = 0; l < 16; ++l) load16(from + l * area + begin, r[l]);
        turn16(r);
        const int64_t columns = std::min<int64_t>(16, many - begin);
        for (int64_t l = 0; l < columns; ++l) store16(r[l], to + (begin + l) * 16);
        i = begin + 16;
        continue;
      }
      for (int l = 0; l < 16; ++l) to[i * 16 + l] = l < lanes ? from[l * area + i] : 0;
      ++i;
    }
  }
};

}  // namespace

bool depthwise_weight_possible(const ConvShape& s, uint8_t x_layout, uint8_t y_layout) {
  auto known = [](uint8_t layout) {
    return layout == HAFT_LAYOUT_STRIDED || layout == HAFT_LAYOUT_BLOCKED16;
  };
  return isa() == Isa::avx512 && !s.volume && s.groups > 1 && s.groups == s.c && s.groups == s.o &&
         known(x_layout) && known(y_layout);
}

void depthwise_weight(const ConvShape& s, uint8_t x_layout, const float* x, uint8_t y_layout, const float* dy,
                      float* dweight) {
  const Maps xs{x, x_layout == HAFT_LAYOUT_BLOCKED16, s.c, s.h, s.w},
      ys{dy, y_layout == HAFT_LAYOUT_BLOCKED16, s.o, s.oh, s.ow};
  const int64_t blocks = (s.c + 15) / 16, taps = s.kh * s.kw;
  const int64_t images = (s.n + kMostPieces - 1) / kMostPieces, pieces = (s.n + images - 1) / images;
  const int64_t width = (s.ow - 1) * s.sw + (s.kw - 1) * s.dw + 1, reach = (s.kh - 1) * s.dh + 1;
  const int64_t rows = std::clamp<int64_t>(kStripFloats / (16 * (s.sh * width + s.ow)), 1, s.oh);
  const HostBuffer memory(pieces * blocks * taps * 16 * 4);
  float* sums = memory.as<float>();

  parallel_for(blocks * pieces, 1, [&](int64_t begin, int64_t end) {
    const HostBuffer x_strip(((rows - 1) * s.sh + reach) * width * 16 * 4), y_strip(rows * s.ow * 16 * 4);
    // Columns that x has.
    const int64_t left = std::min(s.pw, width), right = std::clamp<int64_t>(s.w + s.pw, left, width);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t piece = task / blocks, c = task % blocks * 16;
      float* to = sums + task * taps * 16;
      std::fill_n(to, taps * 16, 0.f);
      for (int64_t n = piece * images; n < std::min(s.n, (piece + 1) * images); ++n)
        for (int64_t y0 = 0; y0 < s.oh; y0 += rows) {
          const int64_t many = std::min(rows, s.oh - y0);
          for (int64_t i = 0; i < (many - 1) * s.sh + reach; ++i) {
            const int64_t y = y0 * s.sh - s.ph + i;
            float* row = x_strip.as<float>() + i * width * 16;
            if (y < 0 || y >= s.h) {
              std::fill_n(row, width * 16, 0.f);
              continue;
            }
            std::fill_n(row, left * 16, 0.f);
            xs.read(n, c, y, left - s.pw, right - s.pw, row + left * 16);
            std::fill_n(row + right * 16, (width - right) * 16, 0.f);
          }
          for (int64_t i = 0; i < many; ++i)
            ys.read(n, c, y0 + i, 0, s.ow, y_strip.as<float>() + i * s.ow * 16);
          add_strip({x_strip.as<float>(), y_strip.as<float>(), many, s.ow, s.sh * width * 16, s.sw * 16,
                     s.dh * width * 16, s.dw * 16},
                    s.kh, s.kw, to);
        }
    }
  });
  for (int64_t c = 0; c < s.c; ++c)
    for (int64_t k = 0; k < taps; ++k) {
      float sum = 0;
      for (int64_t piece = 0; piece < pieces; ++piece)
        sum += sums[((piece * blocks + c / 16) * taps + k) * 16 + c % 16];
      dweight[c * taps + k] = sum;
    }
}

}  // namespace haft::cpu
