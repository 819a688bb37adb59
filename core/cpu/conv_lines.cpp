// Tiles of 5 or 6 channels by 64 columns stay in registers. A tap reads the columns of all channels from where it
// begins, so that nothing is unfolded; what stands beside a line is copied as zeros. The gradient for the weights turns
// a line, so that its vectors are channels.
#include "core/cpu/conv_lines.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/turn16.h"
#include "core/tensor/host_allocator.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace haft::cpu {
namespace {

constexpr int64_t kColumns = 64, kRows = 6;
constexpr int64_t kMostReach = 256;       // columns from the first tap to the last
constexpr int64_t kMostWeights = 200000;  // a second cache holds them beside a panel
constexpr int64_t kLeastLine = 128;       // below, panels at the ends are too much of it
constexpr int64_t kLeastResults = 512;    // of a channel in the batch: they pay for packing the weights
constexpr int64_t kTurned = 512;          // columns of a line that are turned at a time
constexpr int64_t kMostPieces = 16;       // of the batch; each has sums of its own, added up in order

int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// a b: step k of tap t multiplies a's elements at a[m * row + (t * depth + k) * step], m a row of c, by the vectors at
// b + t * tap + k * ldb.
struct Product {
  int64_t taps, depth;
  const float* a;
  int64_t row, step;
  const float* b;
  int64_t ldb, tap;
};

// c (M rows x N vectors, the last one as far as `last` says) = a b + bias, or += a b.
template <int M, int N>
HAFT_TARGET_AVX512 [[gnu::noinline]] void tile(const Product& p, const float* bias, bool add, float* c,
                                               int64_t ldc, __mmask16 last) {
  __m512 sum[M][N];
#pragma GCC unroll 6
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) sum[m][n] = bias ? _mm512_set1_ps(bias[m]) : _mm512_setzero_ps();
  const float* a = p.a;
  for (int64_t t = 0; t < p.taps; ++t) {
    const float* b = p.b + t * p.tap;
    for (int64_t k = 0; k < p.depth; ++k, a += p.step, b += p.ldb) {
      __m512 v[N];
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) v[n] = _mm512_loadu_ps(b + n * 16);
#pragma GCC unroll 6
      for (int m = 0; m < M; ++m) {
        const __m512 x = _mm512_set1_ps(a[m * p.row]);
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) sum[m][n] = _mm512_fmadd_ps(x, v[n], sum[m][n]);
      }
    }
  }
#pragma GCC unroll 6
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const __mmask16 mask = n + 1 < N ? __mmask16(0xffff) : last;
      float* const to = c + m * ldc + n * 16;
      if (add) sum[m][n] = _mm512_add_ps(sum[m][n], _mm512_maskz_loadu_ps(mask, to));
      _mm512_mask_storeu_ps(to, mask, sum[m][n]);
    }
}
using Tile = void (*)(const Product&, const float*, bool, float*, int64_t, __mmask16);
constexpr Tile kTiles[2][4] = {{tile<5, 1>, tile<5, 2>, tile<5, 3>, tile<5, 4>},
                               {tile<6, 1>, tile<6, 2>, tile<6, 3>, tile<6, 4>}};
Tile tile_of(int64_t rows, int64_t columns) { return kTiles[rows - 5][(columns + 15) / 16 - 1]; }

// Twenty rows or more as tiles of 5 or 6: tile i has those from first(i) on.
struct Rows {
  int64_t count, tiles = (count + kRows - 1) / kRows;
  int64_t first(int64_t i) const { return count * i / tiles; }
};

// Weights (made, read, taps) with these strides, as the tiles read them: [tile][tap][read][row].
struct Weights {
  const float* data;
  int64_t made, read, tap;
};
void pack_weights(const Weights& w, const Rows& rows, int64_t read, int64_t taps, float* to) {
  for (int64_t i = 0; i < rows.tiles; ++i)
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t r = 0; r < read; ++r)
        for (int64_t m = rows.first(i); m < rows.first(i + 1); ++m)
          *to++ = w.data[m * w.made + r * w.read + t * w.tap];
}

// Columns [first, first + count) of a line of `width`, zeros beside it.
void copy_columns(const float* line, int64_t width, int64_t first, int64_t count, float* to) {
  const int64_t begin = std::clamp<int64_t>(-first, 0, count),
                end = std::clamp<int64_t>(width - first, begin, count);
  std::fill_n(to, begin, 0.f);
  std::copy(line + first + begin, line + first + end, to + begin);
  std::fill(to + end, to + count, 0.f);
}

// Columns [first, first + count) of sixteen lines, count in sixteens: column j at to + j * step.
HAFT_TARGET_AVX512 void turn_lines(const float* lines, int64_t width, int64_t first, int64_t count, float* to,
                                   int64_t step) {
  for (int64_t j = 0; j < count; j += 16) {
    f32x16 r[16];
    alignas(64) float edge[16 * 16];
    const bool inside = first + j >= 0 && first + j + 16 <= width;
    for (int64_t i = 0; i < 16; ++i) {
      if (!inside) copy_columns(lines + i * width, width, first + j, 16, edge + i * 16);
      load16(inside ? lines + i * width + first + j : edge + i * 16, r[i]);
    }
    turn16(r);
    for (int64_t i = 0; i < 16; ++i) store16(r[i], to + (j + i) * step);
  }
}

HAFT_TARGET_AVX512 void add_into(float* to, const float* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}

int64_t reach_of(const ConvShape& s) { return (s.kw - 1) * s.dw; }
HAFT_TARGET_AVX512 bool finite(const float* x, int64_t n) {
  constexpr int kOdd = 0x99;  // infinities and both kinds of NaN
  __mmask16 odd = 0;
  for (; n > 0; n -= 16, x += 16) {
    const __mmask16 there = __mmask16(0xffffu >> (16 - std::min<int64_t>(n, 16)));
    odd |= _mm512_fpclass_ps_mask(_mm512_maskz_loadu_ps(there, x), kOdd);
  }
  return odd == 0;
}
// Of n O lines of results those whose windows reach beside the line.
bool ends_finite(const ConvShape& s, const float* dy) {
  const int64_t left = std::min(s.ow, (s.pw + s.sw - 1) / s.sw),
                right = std::clamp((s.w + s.pw - reach_of(s) + s.sw - 1) / s.sw, left, s.ow);
  for (int64_t i = 0; i < s.n * s.o; ++i, dy += s.ow)
    if (!finite(dy, left) || !finite(dy + right, s.ow - right)) return false;
  return true;
}

// Tasks that are worth a thread: 20 us, of so many products.
int64_t grain_of(int64_t products) { return (1 << 20) / std::max<int64_t>(products, 1) + 1; }

}  // namespace

bool lines_possible(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  const int64_t results = p.pass == ConvPass::input ? s.w : s.ow,
                most_step = p.pass == ConvPass::weight ? 4 : 1;
  return p.dtype == HAFT_FLOAT32 && isa() == Isa::avx512 && p.x_layout == HAFT_LAYOUT_STRIDED &&
         p.y_layout == HAFT_LAYOUT_STRIDED && !s.volume && s.groups == 1 && s.h == 1 && s.oh == 1 &&
         s.kh == 1 && s.ph == 0 && s.sw <= most_step && s.c >= 32 && s.c % 16 == 0 && s.o >= 20 &&
         results >= kLeastLine && s.n * results >= kLeastResults && reach_of(s) <= kMostReach &&
         s.c * s.o * s.kw <= kMostWeights;
}

bool lines_maps(const ConvPlan& p, const float* from, const float* weight, const float* bias, float* to) {
  const ConvShape& s = p.shape;
  if (!finite(weight, s.o * s.c * s.kw)) return false;
  // The gradient for the input is the convolution with the taps in reverse.
  const bool input = p.pass == ConvPass::input;
  const int64_t made = input ? s.c : s.o, read = input ? s.o : s.c, width = input ? s.ow : s.w,
                results = input ? s.w : s.ow, reach = reach_of(s), left = input ? reach - s.pw : s.pw;
  const Rows rows{made};
  const HostBuffer packed(made * read * s.kw * 4);
  const int64_t of_o = s.c * s.kw;
  pack_weights(input ? Weights{weight + s.kw - 1, s.kw, of_o, -1} : Weights{weight, of_o, s.kw, 1}, rows,
               read, s.kw, packed.as<float>());
  const int64_t panels = (results + kColumns - 1) / kColumns, pitch = up(kColumns + reach, 16);
  parallel_for(s.n * panels, grain_of(made * read * s.kw * kColumns), [&](int64_t begin, int64_t end) {
    const HostBuffer panel(read * pitch * 4);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / panels, first = i % panels * kColumns,
                    columns = std::min(kColumns, results - first);
      const int64_t begins = first - left;
      const float* lines = from + image * read * width + begins;
      int64_t apart = width;
      if (begins < 0 || begins + kColumns + reach > width) {
        for (int64_t r = 0; r < read; ++r)
          copy_columns(from + (image * read + r) * width, width, begins, pitch,
                       panel.as<float>() + r * pitch);
        lines = panel.as<float>(), apart = pitch;
      }
      const __mmask16 last = __mmask16(0xffffu >> (up(columns, 16) - columns));
      for (int64_t t = 0; t < rows.tiles; ++t) {
        const int64_t at = rows.first(t), tall = rows.first(t + 1) - at;
        const Product product{s.kw, read, packed.as<float>() + at * read * s.kw, 1, tall, lines, apart, s.dw};
        tile_of(tall, columns)(product, bias ? bias + at : nullptr, false,
                               to + (image * made + at) * results + first, results, last);
      }
    }
  });
  return true;
}

bool lines_weight(const ConvPlan& p, const float* dy, const float* x, float* dweight) {
  const ConvShape& s = p.shape;
  if (!ends_finite(s, dy)) return false;
  const Rows rows{s.o};
  auto read = [&](int64_t columns) { return up((columns - 1) * s.sw + reach_of(s) + 1, 16); };
  const int64_t blocks = (s.ow + kTurned - 1) / kTurned, all = s.n * blocks, size = s.kw * s.o * s.c;
  const int64_t pieces = std::min(all, kMostPieces);
  const HostBuffer sums(pieces * size * 4);  // (pieces, taps, O, C)
  parallel_for(pieces, grain_of(s.flops() / 2 / pieces), [&](int64_t begin, int64_t end) {
    const HostBuffer turned(read(std::min(s.ow, kTurned)) * s.c * 4);
    for (int64_t piece = begin; piece < end; ++piece) {
      float* const sum = sums.as<float>() + piece * size;
      std::fill_n(sum, size, 0.f);
      for (int64_t i = all * piece / pieces; i < all * (piece + 1) / pieces; ++i) {
        const int64_t image = i / blocks, first = i % blocks * kTurned,
                      columns = std::min(kTurned, s.ow - first);
        for (int64_t c = 0; c < s.c; c += 16)
          turn_lines(x + (image * s.c + c) * s.w, s.w, first * s.sw - s.pw, read(columns),
                     turned.as<float>() + c, s.c);
        for (int64_t k = 0; k < s.kw; ++k)
          for (int64_t c = 0; c < s.c; c += kColumns)
            for (int64_t t = 0; t < rows.tiles; ++t) {
              const int64_t at = rows.first(t);
              const Product product{1,          columns, dy + (image * s.o + at) * s.ow + first,
                                    s.ow,       1,       turned.as<float>() + k * s.dw * s.c + c,
                                    s.sw * s.c, 0};
              tile_of(rows.first(t + 1) - at, std::min(kColumns, s.c - c))(
                  product, nullptr, true, sum + (k * s.o + at) * s.c + c, s.c, 0xffff);
            }
      }
    }
  });
  for (int64_t piece = 1; piece < pieces; ++piece)
    add_into(sums.as<float>(), sums.as<float>() + piece * size, size);
  for (int64_t i = 0; i < s.o * s.c; ++i)
    for (int64_t k = 0; k < s.kw; ++k) dweight[i * s.kw + k] = sums.as<float>()[k * s.o * s.c + i];
  return true;
}

}  // namespace haft::cpu

#else

namespace haft::cpu {
bool lines_possible(const ConvPlan&) { return false; }
bool lines_maps(const ConvPlan&, const float*, const float*, const float*, float*) { return false; }
bool lines_weight(const ConvPlan&, const float*, const float*, float*) { return false; }
}  // namespace haft::cpu

#endif
