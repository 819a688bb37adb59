// Vectors are sixteen columns of a row, read where they lie: a mask a tap leaves out what stands beside the plane,
// and a row of zeros stands for those above and below. Forward, a vector that was read goes into every row of results
// that it meets; the gradient for the weights holds taps in registers instead.
#include "core/cpu/conv_rows.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"
#include "core/tensor/host_allocator.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace haft::cpu {
namespace {

constexpr int kRows = 8;             // of results at a time
constexpr int64_t kSum = 256;        // products that a lane adds up: long sums lose digits
constexpr int64_t kMostPieces = 32;  // of the batch; each has sums of its own, added up in order

// Lanes of columns [at, at + 16) that lie in a row of `width`.
inline __mmask16 inside(int64_t at, int64_t width) {
  const int64_t first = std::clamp<int64_t>(-at, 0, 16), end = std::clamp<int64_t>(width - at, 0, 16);
  return __mmask16(((1u << end) - 1) & ~((1u << first) - 1));
}

// A plane in which rows outside are zeros; `zeros` is as long as a row.
struct Plane {
  const float *data, *zeros;
  int64_t h, w;
  const float* row(int64_t y) const { return y >= 0 && y < h ? data + y * w : zeros; }
};

// Rows y to y + R of results (height, width) of K x K taps that begin at (y - top, -left).
template <int K, int R>
HAFT_TARGET_AVX512 [[gnu::always_inline]] inline void make_rows(const Plane& x, int64_t top, int64_t left,
                                                                const float* w, float bias, float* to,
                                                                int64_t y, int64_t height, int64_t width) {
  const float* row[R + K - 1];
  for (int r = 0; r < R + K - 1; ++r) row[r] = x.row(y - top + r) - left;
  for (int64_t i = 0; i < width; i += 16) {
    __mmask16 mask[K];
    for (int k = 0; k < K; ++k) mask[k] = inside(i + k - left, x.w);
    __m512 sum[R];
    for (int r = 0; r < R; ++r) sum[r] = _mm512_set1_ps(bias);
#pragma GCC unroll 16
    for (int r = 0; r < R + K - 1; ++r)
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) {
        const __m512 v = _mm512_maskz_loadu_ps(mask[k], row[r] + i + k);
#pragma GCC unroll 8
        for (int o = 0; o < R; ++o)
          if (r - o >= 0 && r - o < K)
            sum[o] = _mm512_fmadd_ps(v, _mm512_set1_ps(w[(r - o) * K + k]), sum[o]);
      }
    const __mmask16 results = inside(i, width);
    for (int r = 0; r < R; ++r)
      _mm512_mask_storeu_ps(to + (y + r) * width + i, y + r < height ? results : __mmask16(0), sum[r]);
  }
}
template <int K>
HAFT_TARGET_AVX512 void make_plane(const Plane& x, int64_t top, int64_t left, const float* w, float bias,
                                   float* to, int64_t height, int64_t width) {
  for (int64_t y = 0; y < height; y += kRows)
    make_rows<K, kRows>(x, top, left, w, bias, to, y, height, width);
}

// sums (K x K vectors) += products of dy (R rows a step) and x for M rows of taps from `first` on.
template <int K, int M, int R>
HAFT_TARGET_AVX512 [[gnu::always_inline]] inline void add_taps(const Plane& x, int64_t top, int64_t left,
                                                               const Plane& dy, int first, float* sums) {
  const int64_t steps = (dy.w + 15) / 16, most = std::max<int64_t>(kSum / (steps * R), 1) * R;
  for (int64_t y0 = 0; y0 < dy.h; y0 += most) {
    __m512 part[M][K];
    for (int m = 0; m < M; ++m)
      for (int k = 0; k < K; ++k) part[m][k] = _mm512_setzero_ps();
    for (int64_t y = y0; y < std::min(dy.h, y0 + most); y += R) {
      const float *row[R + M - 1], *from[R];
      for (int r = 0; r < R + M - 1; ++r) row[r] = x.row(y - top + first + r) - left;
      for (int r = 0; r < R; ++r) from[r] = dy.row(y + r);
      for (int64_t i = 0; i < dy.w; i += 16) {
        const __mmask16 there = inside(i, dy.w);
        __mmask16 mask[K];
        for (int k = 0; k < K; ++k) mask[k] = inside(i + k - left, x.w) & there;
        __m512 g[R];
        for (int r = 0; r < R; ++r) g[r] = _mm512_maskz_loadu_ps(there, from[r] + i);
#pragma GCC unroll 8
        for (int r = 0; r < R + M - 1; ++r)
#pragma GCC unroll 8
          for (int k = 0; k < K; ++k) {
            const __m512 v = _mm512_maskz_loadu_ps(mask[k], row[r] + i + k);
#pragma GCC unroll 8
            for (int o = 0; o < R; ++o)
              if (r - o >= 0 && r - o < M) part[r - o][k] = _mm512_fmadd_ps(v, g[o], part[r - o][k]);
          }
      }
    }
    for (int m = 0; m < M; ++m)
      for (int k = 0; k < K; ++k) {
        float* to = sums + ((first + m) * K + k) * 16;
        _mm512_store_ps(to, _mm512_add_ps(_mm512_load_ps(to), part[m][k]));
      }
  }
}
template <int K>
HAFT_TARGET_AVX512 void add_plane(const Plane& x, int64_t top, int64_t left, const Plane& dy, float* sums) {
  if constexpr (K == 3) {
    add_taps<3, 3, 4>(x, top, left, dy, 0, sums);
  } else if constexpr (K == 5) {
    add_taps<5, 3, 4>(x, top, left, dy, 0, sums);
    add_taps<5, 2, 4>(x, top, left, dy, 3, sums);
  } else {
    add_taps<7, 3, 4>(x, top, left, dy, 0, sums);
    for (int first = 3; first < 7; first += 2) add_taps<7, 2, 4>(x, top, left, dy, first, sums);
  }
}

// Planes that are worth a thread: 20 us.
int64_t grain(int64_t products) { return std::max<int64_t>((1 << 20) / std::max<int64_t>(products, 1), 1); }

HostBuffer zero_row(int64_t width) {
  HostBuffer row(width * 4);
  std::fill_n(row.as<float>(), width, 0.f);
  return row;
}

}  // namespace

bool depthwise_rows_possible(const ConvShape& s) {
  return isa() == Isa::avx512 && !s.volume && s.groups > 1 && s.groups == s.c && s.groups == s.o &&
         s.kh == s.kw && (s.kh == 3 || s.kh == 5 || s.kh == 7) && s.sh == 1 && s.sw == 1 && s.dh == 1 &&
         s.dw == 1 && s.ph < s.kh && s.pw < s.kw;
}

void depthwise_rows(const ConvShape& s, bool input, const float* from, const float* weight, const float* bias,
                    float* to) {
  const int64_t k = s.kh, taps = k * k;
  // The gradient for the input is the convolution with the filters turned by half a turn.
  const int64_t h = input ? s.oh : s.h, w = input ? s.ow : s.w, oh = input ? s.h : s.oh,
                ow = input ? s.w : s.ow;
  const int64_t top = input ? k - 1 - s.ph : s.ph, left = input ? k - 1 - s.pw : s.pw;
  const auto make = k == 3 ? make_plane<3> : k == 5 ? make_plane<5> : make_plane<7>;
  const HostBuffer zeros = zero_row(w);
  parallel_for(s.n * s.c, grain(taps * oh * ow), [&](int64_t begin, int64_t end) {
    float turned[49];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t c = i % s.c;
      const float* filter = weight + c * taps;
      if (input) {
        std::reverse_copy(filter, filter + taps, turned);
        filter = turned;
      }
      make({from + i * h * w, zeros.as<float>(), h, w}, top, left, filter, bias ? bias[c] : 0.f,
           to + i * oh * ow, oh, ow);
    }
  });
}

void depthwise_rows_weight(const ConvShape& s, const float* x, const float* dy, float* dweight) {
  const int64_t k = s.kh, taps = k * k;
  const int64_t images = (s.n + kMostPieces - 1) / kMostPieces, pieces = (s.n + images - 1) / images;
  const auto add = k == 3 ? add_plane<3> : k == 5 ? add_plane<5> : add_plane<7>;
  const HostBuffer zeros = zero_row(std::max(s.w, s.ow)), sum_memory(pieces * s.c * taps * 4);
  float* const sums = sum_memory.as<float>();
  parallel_for(pieces * s.c, grain(taps * images * s.y_area()), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t c = task % s.c, piece = task / s.c;
      alignas(64) float lanes[49 * 16] = {};
      for (int64_t n = piece * images; n < std::min(s.n, (piece + 1) * images); ++n)
        add({x + (n * s.c + c) * s.h * s.w, zeros.as<float>(), s.h, s.w}, s.ph, s.pw,
            {dy + (n * s.c + c) * s.oh * s.ow, zeros.as<float>(), s.oh, s.ow}, lanes);
      for (int64_t t = 0; t < taps; ++t) {
        float sum = 0;
        for (int lane = 0; lane < 16; ++lane) sum += lanes[t * 16 + lane];
        sums[task * taps + t] = sum;
      }
    }
  });
  for (int64_t i = 0; i < s.c * taps; ++i) {
    float sum = 0;
    for (int64_t piece = 0; piece < pieces; ++piece) sum += sums[piece * s.c * taps + i];
    dweight[i] = sum;
  }
}

}  // namespace haft::cpu

#else

namespace haft::cpu {
bool depthwise_rows_possible(const ConvShape&) { return false; }
void depthwise_rows(const ConvShape&, bool, const float*, const float*, const float*, float*) {}
void depthwise_rows_weight(const ConvShape&, const float*, const float*, float*) {}
}  // namespace haft::cpu

#endif
