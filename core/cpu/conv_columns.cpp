// The library's convolution in tiles goes over the weights once an image, which costs more than the products where a
// map has fewer cells than a tile has rows: 512 channels of 4 x 4 cells, 64 images, 3 x 3, one thread of a Xeon of
// 2023: 14 ms forward, 21 ms for the input's gradient, 50 ms for the weights'. Here rows are the cells of all images,
// and a product reads the weights once.
#include "core/cpu/conv_columns.h"

#include <cstring>

#include "core/cpu/dense.h"
#include "core/cpu/matmul.h"
#include "core/cpu/packed_weights.h"

namespace haft::cpu {
namespace {

constexpr int64_t kFewCells = 25, kFewCellsForWeights = 64;  // of a map
constexpr int64_t kLeastRows = 128, kLeastWeights = 1 << 18;

struct Block {  // sixteen channels of a cell
  char bytes[32];
};

// What a row reads: of the cell (y, x) of the maps that are made, tap (ky, kx) reads the cell (y * sh + ph + ky * dh,
// ...).
struct Windows {
  int64_t h, w, blocks, rows, cols, sh, sw, ph, pw, dh, dw;

  // The windows of one tap, `stride` blocks apart: images x rows x cols of them.
  void gather(const Block* from, int64_t images, int64_t ky, int64_t kx, Block* to, int64_t stride) const {
    for (; images > 0; --images, from += blocks * h * w)
      for (int64_t y = 0; y < rows; ++y) {
        const int64_t iy = y * sh + ph + ky * dh;
        for (int64_t x = 0; x < cols; ++x, to += stride) {
          const int64_t ix = x * sw + pw + kx * dw;
          if (iy < 0 || iy >= h || ix < 0 || ix >= w) {
            std::memset(to, 0, size_t(blocks) * sizeof(Block));
            continue;
          }
          const Block* cell = from + iy * w + ix;
          for (int64_t b = 0; b < blocks; ++b) to[b] = cell[b * h * w];
        }
      }
  }
};
Windows windows_of(const ConvShape& s, ConvPass pass) {
  if (pass == ConvPass::input) return {s.oh, s.ow, s.o / 16, s.h, s.w, 1, 1, s.ph, s.pw, -s.dh, -s.dw};
  return {s.h, s.w, s.c / 16, s.oh, s.ow, s.sh, s.sw, -s.ph, -s.pw, s.dh, s.dw};
}

// (O, C, taps) as (O, taps, C), or as (taps, O, C) for the pass that makes the input's gradient.
void by_tap(const ConvShape& s, ConvPass pass, const uint16_t* from, uint16_t* to) {
  const int64_t taps = s.kh * s.kw, c = s.c;
  parallel_for(s.o, (1 << 15) / (c * taps) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      for (int64_t t = 0; t < taps; ++t) {
        const uint16_t* f = from + o * c * taps + t;
        uint16_t* out = to + (pass == ConvPass::input ? t * s.o + o : o * taps + t) * c;
        for (int64_t i = 0; i < c; ++i) out[i] = f[i * taps];
      }
  });
}

}  // namespace

bool columns_pay(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  if (p.dtype != HAFT_BFLOAT16 || !cpu_has_tiles() || s.volume || s.groups != 1 || s.kh * s.kw == 1 ||
      p.x_layout != HAFT_LAYOUT_BLOCKED16 || p.y_layout != HAFT_LAYOUT_BLOCKED16 ||
      s.o * s.c * s.kh * s.kw < kLeastWeights)
    return false;
  const bool input = p.pass == ConvPass::input;
  const int64_t cells = input ? s.x_area() : s.y_area();
  if (s.n * cells < kLeastRows || (input && s.sh * s.sw > 1)) return false;
  return cells <= (p.pass == ConvPass::weight ? kFewCellsForWeights : kFewCells);
}

void columns_maps(const ConvPlan& p, const haft_tensor_view& view, const char* from, const void* weight,
                  const char* bias, char* to) {
  constexpr uint64_t kFormat = uint64_t(0xc01) << 48;
  const ConvShape& s = p.shape;
  const bool input = p.pass == ConvPass::input;
  const Windows windows = windows_of(s, p.pass);
  const int64_t taps = s.kh * s.kw, made = p.channels(), read = input ? s.o : s.c,
                cells = windows.rows * windows.cols;
  const PackedWeights by(
      view, kFormat | uint64_t(input), s.o * s.c * taps * 2,
      [&](void* out) {
        by_tap(s, p.pass, static_cast<const uint16_t*>(weight), static_cast<uint16_t*>(out));
      },
      weight);
  const int64_t threads = in_parallel() ? 1 : num_threads();
  const int64_t piece = std::max((s.n + threads - 1) / threads, (kLeastRows + cells - 1) / cells);
  parallel_for((s.n + piece - 1) / piece, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * piece, images = std::min(piece, s.n - first), rows = images * cells;
      const HostBuffer columns(rows * taps * read * 2), result(rows * made * 2);
      const Block* maps =
          reinterpret_cast<const Block*>(from) + first * windows.blocks * windows.h * windows.w;
      for (int64_t t = 0; t < taps; ++t)
        windows.gather(maps, images, t / s.kw, t % s.kw, columns.as<Block>() + t * windows.blocks,
                       taps * windows.blocks);
      library_product(rows, made, taps * read, columns.data(), false, by.data(), !input, bias, result.data(),
                      DType::bf16);
      last_to_blocks(result.data(), to + first * made * cells * 2, images, made, cells);
    }
  });
}

void columns_weight(const ConvPlan& p, const char* dy, const char* x, float* dweight) {
  const ConvShape& s = p.shape;
  const Windows windows = windows_of(s, ConvPass::weight);
  const int64_t taps = s.kh * s.kw, rows = s.n * s.y_area(), pairs = s.o * s.c;
  const HostBuffer gradient(rows * s.o * 2), sums(taps * pairs * 4);  // (rows, O) and (taps, O, C)
  blocks_to_last(dy, gradient.data(), s.n, s.o, s.y_area());
  parallel_for(taps, 1, [&](int64_t begin, int64_t end) {
    const HostBuffer columns(rows * s.c * 2);
    for (int64_t t = begin; t < end; ++t) {
      windows.gather(reinterpret_cast<const Block*>(x), s.n, t / s.kw, t % s.kw, columns.as<Block>(),
                     windows.blocks);
      library_product(s.o, s.c, rows, gradient.data(), true, columns.data(), false, nullptr,
                      sums.as<float>() + t * pairs, DType::f32);
    }
  });
  parallel_for(pairs, (1 << 15) / taps + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t t = 0; t < taps; ++t) dweight[i * taps + t] = sums.as<float>()[t * pairs + i];
  });
}

void blocks_to_last(const void* from, void* to, int64_t images, int64_t channels, int64_t area) {
  const Block* f = static_cast<const Block*>(from);
  Block* t = static_cast<Block*>(to);
  const int64_t blocks = channels / 16;
  for (; images > 0; --images, f += blocks * area)
    for (int64_t i = 0; i < area; ++i)
      for (int64_t b = 0; b < blocks; ++b) *t++ = f[b * area + i];
}
void last_to_blocks(const void* from, void* to, int64_t images, int64_t channels, int64_t area) {
  const Block* f = static_cast<const Block*>(from);
  Block* t = static_cast<Block*>(to);
  const int64_t blocks = channels / 16;
  for (; images > 0; --images, t += blocks * area)
    for (int64_t i = 0; i < area; ++i)
      for (int64_t b = 0; b < blocks; ++b) t[b * area + i] = *f++;
}

}  // namespace haft::cpu
