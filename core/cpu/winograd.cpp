#include "core/cpu/winograd.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/pack_weight.h"
#include "core/cpu/packed_weights.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {
namespace {

// A tile is 4x4 results of 3x3 taps, or 5x5 of 2x2, made from 6x6 elements of a map. Each of the 36 transformed
// elements is a matrix product of its own, (tiles, channels read) x (channels read, channels made). T is 4 or 5
// below, R 3 or 2.
constexpr int kTile = 4, kIn = 6, kPoints = 36;
constexpr int kRows = 8;  // of a product's tile in registers; two vectors wide
// Products that one register adds up before the sum joins the others: long sums lose digits.
constexpr int64_t kSum = 64;
// What one pass over some channels made holds of the transformed weights, which stay in the last-level cache.
// The transformed maps of one pass over some images should be in nearer caches, but no smaller than the
// weights, which every such pass reads again.
constexpr int64_t kWeightBytes = 10 << 20, kLeastMapBytes = 5 << 19, kMostMapBytes = 8 << 20;
// Fewer, and transforming the weights costs more than the products save.
constexpr int64_t kLeastTiles = kRows, kLeastQuarterTiles = 36;
// Tells transformed weights from other packed forms of the same memory.
constexpr uint64_t kFormat = 0x77696e6f00000000;
// Floats between points, beyond their content: 36 streams a power of two apart would share cache lines' sets.
constexpr int64_t kSkew = 16;

HAFT_BODY const f32x16u& load(const float* p) { return *reinterpret_cast<const f32x16u*>(p); }
HAFT_BODY void store(float* p, const f32x16& v) { *reinterpret_cast<f32x16u*>(p) = v; }

// The polynomials are evaluated at 0, +-kA, +-kB and infinity. These points keep the error at half of what 1
// and 2 give (Barabasz et al., arXiv:1803.10986), and all their products here are exact.
constexpr float kA = 0.625f, kB = 1.5f, kA2 = kA * kA, kB2 = kB * kB;
constexpr float kAtZero = 1 / (kA2 * kB2), kAtA = 1 / (2 * kA2 * (kA2 - kB2)),
                kAtB = 1 / (2 * kB2 * (kB2 - kA2));

// B^T d: six elements of a map, in place.
HAFT_BODY void map_points(f32x16* d, int step) {
  const f32x16 d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step],
               d5 = d[5 * step];
  const f32x16 a = d4 - d2 * kB2, b = (d3 - d1 * kB2) * kA, c = d4 - d2 * kA2, e = (d3 - d1 * kA2) * kB;
  d[0] = d0 * (kA2 * kB2) - d2 * (kA2 + kB2) + d4;
  d[step] = a + b;
  d[2 * step] = a - b;
  d[3 * step] = c + e;
  d[4 * step] = c - e;
  d[5 * step] = d1 * (kA2 * kB2) - d3 * (kA2 + kB2) + d5;
}

// A^T m: T results from six points.
template <int T>
HAFT_BODY void results_of(const f32x16* m, int step, f32x16* to, int to_step) {
  const f32x16 p = m[step] + m[2 * step], q = (m[step] - m[2 * step]) * kA, r = m[3 * step] + m[4 * step],
               s = (m[3 * step] - m[4 * step]) * kB;
  to[0] = m[0] + p + r;
  to[to_step] = q + s;
  to[2 * to_step] = p * kA2 + r * kB2;
  to[3 * to_step] = q * kA2 + s * kB2;
  if constexpr (T == 5) to[4 * to_step] = p * (kA2 * kA2) + r * (kB2 * kB2);
  to[(T - 1) * to_step] += m[5 * step];
}

// A y: six points of T gradients of results.
template <int T>
HAFT_BODY void gradient_points(const f32x16* y, int step, f32x16* to, int to_step) {
  const f32x16 y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
  f32x16 a = y0 + y2 * kA2, c = y0 + y2 * kB2;
  const f32x16 b = (y1 + y3 * kA2) * kA, e = (y1 + y3 * kB2) * kB, last = y[(T - 1) * step];
  if constexpr (T == 5) a += last * (kA2 * kA2), c += last * (kB2 * kB2);
  to[0] = y0;
  to[to_step] = a + b;
  to[2 * to_step] = a - b;
  to[3 * to_step] = c + e;
  to[4 * to_step] = c - e;
  to[5 * to_step] = last;
}

// G g: six points of R weights.
template <int R>
HAFT_BODY void weight_points(const f32x16* g, int step, f32x16* to, int to_step) {
  const f32x16 g0 = g[0], g1 = g[step], b = g1 * (kA * kAtA), e = g1 * (kB * kAtB), last = g[(R - 1) * step];
  f32x16 a = g0, c = g0;
  if constexpr (R == 3) a += last * kA2, c += last * kB2;
  a *= kAtA, c *= kAtB;
  to[0] = g0 * kAtZero;
  to[to_step] = a + b;
  to[2 * to_step] = a - b;
  to[3 * to_step] = c + e;
  to[4 * to_step] = c - e;
  to[5 * to_step] = last;
}

// G^T u: the gradients of R weights from six points.
template <int R>
HAFT_BODY void weights_of(const f32x16* u, int step, f32x16* to, int to_step) {
  const f32x16 p = (u[step] + u[2 * step]) * kAtA, q = (u[step] - u[2 * step]) * (kA * kAtA),
               r = (u[3 * step] + u[4 * step]) * kAtB, s = (u[3 * step] - u[4 * step]) * (kB * kAtB);
  to[0] = u[0] * kAtZero + p + r;
  to[to_step] = q + s;
  if constexpr (R == 3) to[2 * to_step] = p * kA2 + r * kB2;
  to[(R - 1) * to_step] += u[5 * step];
}

// One channel block of one image, cut into tiles that begin a padding before it.
struct Map {
  int64_t h, w, top, left, down, across;  // size; where tile 0 begins; tiles
};

// Vectors of an N x N window that begins at (y, x); zeros outside of the map. With S = 2 the map is every second
// element of every second row of one of twice the size.
template <int N, int S>
HAFT_BODY void load_window(const float* map, const Map& m, int64_t y, int64_t x, f32x16* d) {
  const int64_t row = m.w * S * S;
  if (y >= 0 && x >= 0 && y + N <= m.h && x + N <= m.w) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) d[i * N + j] = load(map + ((y + i) * row + (x + j) * S) * 16);
    return;
  }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      bool inside = y + i >= 0 && y + i < m.h && x + j >= 0 && x + j < m.w;
      d[i * N + j] = inside ? load(map + ((y + i) * row + (x + j) * S) * 16) : f32x16{};
    }
}

// The points of all tiles of one map: `to` is point 0 of tile 0, tiles are vectors side by side.
template <int T = kTile, int S = 1>
HAFT_TARGET_AVX512 void transform_map(const float* map, const Map& m, float* to, int64_t point) {
  f32x16 d[kPoints];
  for (int64_t ty = 0; ty < m.down; ++ty)
    for (int64_t tx = 0; tx < m.across; ++tx, to += 16) {
      load_window<kIn, S>(map, m, ty * T + m.top, tx * T + m.left, d);
      for (int j = 0; j < kIn; ++j) map_points(d + j, kIn);
      for (int i = 0; i < kIn; ++i) {
        map_points(d + i * kIn, 1);
        for (int j = 0; j < kIn; ++j) store(to + (i * kIn + j) * point, d[i * kIn + j]);
      }
    }
}

template <int T = kTile>
HAFT_TARGET_AVX512 void transform_gradient(const float* map, const Map& m, float* to, int64_t point) {
  f32x16 y[T * T], half[kIn * T], d[kIn];
  for (int64_t ty = 0; ty < m.down; ++ty)
    for (int64_t tx = 0; tx < m.across; ++tx, to += 16) {
      load_window<T, 1>(map, m, ty * T, tx * T, y);
      for (int j = 0; j < T; ++j) gradient_points<T>(y + j, T, half + j, T);
      for (int i = 0; i < kIn; ++i) {
        gradient_points<T>(half + i * T, 1, d, 1);
        for (int j = 0; j < kIn; ++j) store(to + (i * kIn + j) * point, d[j]);
      }
    }
}

// One map from the products of all its tiles; `from` is point 0 of its tile 0.
template <int T = kTile, int S = 1>
HAFT_TARGET_AVX512 void collect_map(const float* from, int64_t point, const float* bias, float* map,
                                    const Map& m) {
  f32x16 p[kIn], half[T * kIn], y[T];
  const f32x16 add = bias ? load(bias) : f32x16{};
  for (int64_t ty = 0; ty < m.down; ++ty)
    for (int64_t tx = 0; tx < m.across; ++tx, from += 16) {
      for (int i = 0; i < kIn; ++i) {
        for (int j = 0; j < kIn; ++j) p[j] = load(from + (i * kIn + j) * point);
        results_of<T>(p, 1, half + i, kIn);
      }
      const int64_t y0 = ty * T + m.top, x0 = tx * T + m.left;  // the first tiles may begin before the map
      for (int64_t j = std::max<int64_t>(0, -x0); j < std::min<int64_t>(T, m.w - x0); ++j) {
        results_of<T>(half + j * kIn, 1, y, 1);
        for (int64_t i = std::max<int64_t>(0, -y0); i < std::min<int64_t>(T, m.h - y0); ++i)
          store(map + ((y0 + i) * m.w * S * S + (x0 + j) * S) * 16, y[i] + add);
      }
    }
}

// One block of 16 x 16 pairs of channels. `taps`: [tap][read][made], turned by half a turn where `flip`;
// `to`: point 0 of the block's first read channel.
template <int R = 3>
HAFT_TARGET_AVX512 void transform_weights(const float* taps, bool flip, float* to, int64_t point) {
  f32x16 g[R * R], half[kIn * R], d[kIn];
  for (int r = 0; r < 16; ++r, to += 16) {
    for (int t = 0; t < R * R; ++t) g[t] = load(taps + ((flip ? R * R - 1 - t : t) * 16 + r) * 16);
    for (int j = 0; j < R; ++j) weight_points<R>(g + j, R, half + j, R);
    for (int i = 0; i < kIn; ++i) {
      weight_points<R>(half + i * R, 1, d, 1);
      for (int j = 0; j < kIn; ++j) store(to + (i * kIn + j) * point, d[j]);
    }
  }
}

template <int R = 3>
HAFT_TARGET_AVX512 void collect_weights(const float* from, int64_t point, float* taps) {
  f32x16 p[kIn], half[kIn * R], g[R];
  for (int r = 0; r < 16; ++r, from += 16) {
    for (int i = 0; i < kIn; ++i) {
      for (int j = 0; j < kIn; ++j) p[j] = load(from + (i * kIn + j) * point);
      weights_of<R>(p, 1, half + i, kIn);
    }
    for (int j = 0; j < R; ++j) {
      weights_of<R>(half + j * kIn, 1, g, 1);
      for (int i = 0; i < R; ++i) store(taps + ((i * R + j) * 16 + r) * 16, g[i]);
    }
  }
}

// kRows x 16 V results: sums over `blocks` x `steps` of a (scalars, Row apart from row to row and Step from
// one step to the next) times b (vectors side by side, `b_next` to the next column of vectors).
template <int V, int64_t Row, int64_t Step>
HAFT_BODY void product_tile(const float* a, int64_t a_block, int64_t blocks, int64_t steps, const float* b,
                            int64_t b_next, float* c, int64_t c_next, bool add) {
  f32x16 s[kRows][V];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < V; ++v) s[r][v] = f32x16{};
  for (int64_t i = 0; i < blocks; ++i, a += a_block)
    for (int64_t p = 0; p < steps; ++p, b += 16) {
      f32x16 x[V];
      for (int v = 0; v < V; ++v) x[v] = load(b + v * b_next);
      for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < V; ++v) s[r][v] += x[v] * a[r * Row + p * Step];
    }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < V; ++v) {
      float* at = c + v * c_next + r * 16;
      store(at, add ? load(at) + s[r][v] : s[r][v]);
    }
}

// Some tiles of one point, [block][tile][16]; `next` floats from block to block.
template <class T>
struct Tiles {
  T* data;
  int64_t next;
};

// `rows` tiles (a multiple of kRows) of one point for 16 V made channels.
template <int V>
HAFT_BODY void product_maps(Tiles<const float> a, int64_t rows, int64_t blocks, const float* b,
                            int64_t b_next, Tiles<float> c, bool add) {
  constexpr int64_t kBlocks = kSum / 16;
  for (int64_t t = 0; t < rows; t += kRows)
    for (int64_t i = 0; i < blocks; i += kBlocks)
      product_tile<V, 16, 1>(a.data + i * a.next + t * 16, a.next, std::min(kBlocks, blocks - i), 16,
                             b + i * 256, b_next, c.data + t * 16, c.next, add || i > 0);
}
HAFT_TARGET_AVX512 void product_maps_of(int vectors, Tiles<const float> a, int64_t rows, int64_t blocks,
                                        const float* b, int64_t b_next, Tiles<float> c, bool add) {
  if (vectors == 2) return product_maps<2>(a, rows, blocks, b, b_next, c, add);
  product_maps<1>(a, rows, blocks, b, b_next, c, add);
}

// One point's gradients of 16 `blocks` read by 16 V made channels: c is [made block][read][16].
template <int V>
HAFT_BODY void product_weights(Tiles<const float> a, Tiles<const float> b, int64_t rows, int64_t blocks,
                               float* c, bool add) {
  for (int64_t r = 0; r < 16 * blocks; r += kRows)
    for (int64_t t = 0; t < rows; t += kSum)
      product_tile<V, 1, 16>(a.data + r / 16 * a.next + t * 16 + r % 16, 0, 1, std::min(kSum, rows - t),
                             b.data + t * 16, b.next, c + r * 16, blocks * 256, add || t > 0);
}
HAFT_TARGET_AVX512 void product_weights_of(int vectors, Tiles<const float> a, Tiles<const float> b,
                                           int64_t rows, int64_t blocks, float* c, bool add) {
  if (vectors == 2) return product_weights<2>(a, b, rows, blocks, c, add);
  product_weights<1>(a, b, rows, blocks, c, add);
}

// f(i, j) for all i < n, j < m in parallel, j running fastest.
template <class F>
void for_pairs(int64_t n, int64_t m, F&& f) {
  parallel_for(n * m, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(k / m, k % m);
  });
}

int64_t rounded(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
// The size of equal parts of n that are no larger than `most`, which is at least 1.
int64_t equal_parts(int64_t n, int64_t most) {
  int64_t parts = (n + most - 1) / most;
  return (n + parts - 1) / parts;
}

// How a call is cut: images a pass, blocks of channels made a pass (even). Threads play no part in it.
struct Passes {
  int64_t images, group;
};
Passes cut(int64_t images, int64_t tiles, int64_t read, int64_t made) {
  int64_t weights = kPoints * 1024 * read,
          maps = kPoints * 64 * (read + made) * tiles;  // of a block; of an image
  int64_t group = rounded(equal_parts(made, std::max<int64_t>(kWeightBytes / weights, 2)), 2);
  int64_t bytes = std::clamp(group * weights, kLeastMapBytes, kMostMapBytes);
  return {equal_parts(images, std::max<int64_t>(bytes / maps, 1)), group};
}

// A kernel 4x4 with steps of 2 is four kernels 2x2 with unit steps, each over a quarter of x: the elements whose row
// and column have its parity. Result i meets its elements from i - parity on, with taps 1 - parity and 3 - parity.
// The four quarters of a channel block follow each other.
struct Quarter {
  int64_t block, row, column;
  explicit Quarter(int64_t i) : block(i / 4), row(i / 2 % 2), column(i % 2) {}
  // In an image.
  int64_t offset(const ConvShape& s) const { return ((block * s.h + row) * s.w + column) * 16; }
  // f(tap of the quarter, tap of the kernel)
  template <class F>
  void each_tap(F&& f) const {
    for (int64_t u = 0; u < 2; ++u)
      for (int64_t v = 0; v < 2; ++v) f(u * 2 + v, (2 * u + 1 - row) * 4 + 2 * v + 1 - column);
  }
  Map beginning(Map m) const {
    m.top = -row, m.left = -column;
    return m;
  }
};
// Tiles along `results` of a quarter; those of one that is made may begin one before it.
int64_t quarter_tiles(int64_t results, ConvPass pass) {
  return (results + (pass == ConvPass::input) + 4) / 5;
}

// Transformed maps of some images: [point][channel block][tile][16].
struct Points {
  int64_t rows, point;  // tiles of all images, rounded up; floats from point to point
  HostBuffer memory;
  float* data;
  Points(int64_t tiles, int64_t blocks)
      : rows(rounded(tiles, kRows)),
        point(blocks * rows * 16 + kSkew),
        memory(kPoints * point * 4),
        data(memory.as<float>()) {}
  float* at(int64_t block, int64_t tile) const { return data + (block * rows + tile) * 16; }
  template <class T = const float>
  Tiles<T> of_point(int64_t k, int64_t block, int64_t tile) const {
    return {at(block, tile) + k * point, rows * 16};
  }
  // Rows beyond the tiles are read with the others: garbage could be slow to multiply.
  void clear_rest(int64_t block, int64_t tiles) const {
    for (int k = 0; k < kPoints; ++k)
      std::fill(data + k * point + (block * rows + tiles) * 16, data + k * point + (block + 1) * rows * 16,
                0.f);
  }
};

}  // namespace

bool own_winograd(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  if (p.x_layout != HAFT_LAYOUT_BLOCKED16 || p.y_layout != HAFT_LAYOUT_BLOCKED16) return false;
  bool input = p.pass == ConvPass::input;
  int64_t h = input ? s.h : s.oh, w = input ? s.w : s.ow;
  int64_t tiles = s.n * ((h + kTile - 1) / kTile) * ((w + kTile - 1) / kTile);
  return tiles >= kLeastTiles;
}

bool winograd_quarters(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  if (p.dtype != HAFT_FLOAT32 || isa() != Isa::avx512 || p.exact || s.volume || s.groups != 1) return false;
  if (s.kh != 4 || s.kw != 4 || s.sh != 2 || s.sw != 2 || s.ph != 1 || s.pw != 1 || s.dh != 1 || s.dw != 1)
    return false;
  if (s.h % 2 || s.w % 2 || s.c % 16 || s.o % 16 || s.o < 64) return false;
  for (uint8_t layout : {p.x_layout, p.y_layout})
    if (layout != HAFT_LAYOUT_STRIDED && layout != HAFT_LAYOUT_BLOCKED16) return false;
  const int64_t tiles = quarter_tiles(s.oh, p.pass) * quarter_tiles(s.ow, p.pass);
  // Of small maps much of a tile lies beyond the edge.
  return s.n * tiles >= kLeastQuarterTiles && s.oh * s.ow * 10 >= tiles * 25 * 7;
}

void winograd_maps(const ConvPlan& p, const haft_tensor_view& view, const float* from, const float* weight,
                   const float* bias, float* to) {
  const ConvShape& s = p.shape;
  const bool input = p.pass == ConvPass::input, quarters = s.kh == 4;
  const int64_t x_blocks = s.c / 16 * (quarters ? 4 : 1), read = input ? s.o / 16 : x_blocks,
                made = input ? x_blocks : s.o / 16;
  Map source{s.h, s.w, -s.ph, -s.pw, 0, 0}, target{s.oh, s.ow, 0, 0, 0, 0};
  if (input) {
    source = {s.oh, s.ow, s.ph - 2, s.pw - 2, 0, 0};
    target = {s.h, s.w, 0, 0, 0, 0};
  }
  source.down = target.down = (target.h + kTile - 1) / kTile;
  source.across = target.across = (target.w + kTile - 1) / kTile;
  if (quarters) {
    source = target = {s.oh, s.ow, 0, 0, quarter_tiles(s.oh, p.pass), quarter_tiles(s.ow, p.pass)};
    source.top = source.left = -int64_t(input);
  }
  const int64_t tiles = target.down * target.across, source_map = source.h * source.w * 16,
                target_map = target.h * target.w * 16;

  const auto [images, group] = cut(s.n, tiles, read, made);
  const int64_t weight_block = read * 256, weight_point = group * weight_block + kSkew;
  auto transform_group = [&](int64_t g0, float* to) {
    for_pairs(std::min(group, made - g0), read, [&](int64_t b, int64_t r) {
      alignas(64) float taps[9 * 256], all[16 * 256];
      const WeightBlocks form = input ? WeightBlocks::inner_in : WeightBlocks::inner_out;
      int64_t o = input ? r : g0 + b, c = input ? g0 + b : r, row = s.c * s.taps();
      if (quarters) {
        const Quarter q(c);
        pack_weight_block(form, weight + o * 16 * row + q.block * 256, row, all, 16);
        q.each_tap([&](int64_t u, int64_t t) { std::copy_n(all + t * 256, 256, taps + u * 256); });
      } else {
        pack_weight_block(form, weight + o * 16 * row + c * 144, row, taps, 9);
      }
      (quarters ? transform_weights<2> : transform_weights<3>)(taps, input, to + b * weight_block + r * 256,
                                                               weight_point);
    });
  };
  // All of them may come from the cache; a part lives as long as its turn.
  std::optional<PackedWeights> packed;
  HostBuffer part;
  const int64_t weight_bytes = kPoints * weight_point * 4;
  if (group >= made)
    packed.emplace(
        view,
        kFormat ^ uint64_t(quarters) << 47 ^ uint64_t(input) << 32 ^ uint64_t(s.c) << 16 ^ uint64_t(s.o),
        weight_bytes, [&](void* to) { transform_group(0, static_cast<float*>(to)); }, weight);
  else
    part = HostBuffer(weight_bytes);
  const float* u = packed ? static_cast<const float*>(packed->data()) : part.as<float>();
  Points v(images * tiles, read), m(images * tiles, std::min(group, made));
  int64_t ready = -1;  // the group whose weights are transformed
  for (int64_t i0 = 0; i0 < s.n; i0 += images) {
    const int64_t n = std::min(images, s.n - i0);
    for_pairs(n, read, [&](int64_t i, int64_t b) {
      const float* map = from + (i0 + i) * read * source_map;
      if (!quarters)
        transform_map(map + b * source_map, source, v.at(b, i * tiles), v.point);
      else if (input)
        transform_map<5>(map + b * source_map, source, v.at(b, i * tiles), v.point);
      else
        transform_map<5, 2>(map + Quarter(b).offset(s), Quarter(b).beginning(source), v.at(b, i * tiles),
                            v.point);
      if (i == n - 1) v.clear_rest(b, n * tiles);
    });
    for (int64_t g0 = 0; g0 < made; g0 += group) {
      const int64_t g = std::min(group, made - g0);
      if (!packed && ready != g0) transform_group(g0, part.as<float>());
      ready = g0;
      for_pairs(kPoints, (g + 1) / 2, [&](int64_t k, int64_t b) {
        product_maps_of(int(std::min<int64_t>(2, g - 2 * b)), v.of_point(k, 0, 0), v.rows, read,
                        u + k * weight_point + 2 * b * weight_block, weight_block,
                        m.of_point<float>(k, 2 * b, 0), false);
      });
      for_pairs(n, g, [&](int64_t i, int64_t b) {
        float* map = to + (i0 + i) * made * target_map;
        const float *points = m.at(b, i * tiles), *add = bias ? bias + (g0 + b) * 16 : nullptr;
        if (!quarters)
          collect_map(points, m.point, add, map + (g0 + b) * target_map, target);
        else if (!input)
          collect_map<5>(points, m.point, add, map + (g0 + b) * target_map, target);
        else
          collect_map<5, 2>(points, m.point, nullptr, map + Quarter(g0 + b).offset(s),
                            Quarter(g0 + b).beginning(target));
      });
    }
  }
}

void winograd_weight(const ConvPlan& p, const float* x, const float* dy, float* dweight) {
  const ConvShape& s = p.shape;
  const bool quarters = s.kh == 4;
  const int64_t read = s.c / 16 * (quarters ? 4 : 1), made = s.o / 16;
  Map source{s.h, s.w, -s.ph, -s.pw, (s.oh + kTile - 1) / kTile, (s.ow + kTile - 1) / kTile},
      target{s.oh, s.ow, 0, 0, source.down, source.across};
  if (quarters)
    source = target = {s.oh, s.ow, 0, 0, quarter_tiles(s.oh, p.pass), quarter_tiles(s.ow, p.pass)};
  const int64_t tiles = source.down * source.across, x_image = s.c * s.h * s.w, y_map = s.oh * s.ow * 16;

  const auto [images, group] = cut(s.n, tiles, read, made);
  const int64_t block = read * 256, point = std::min(group, made) * block + kSkew;
  HostBuffer sum_memory(kPoints * point * 4);
  float* sums = sum_memory.as<float>();
  Points v(images * tiles, read), d(images * tiles, std::min(group, made));
  for (int64_t g0 = 0; g0 < made; g0 += group) {
    const int64_t g = std::min(group, made - g0);
    for (int64_t i0 = 0; i0 < s.n; i0 += images) {
      const int64_t n = std::min(images, s.n - i0);
      if (g0 == 0 || images < s.n)
        for_pairs(n, read, [&](int64_t i, int64_t b) {
          const float* image = x + (i0 + i) * x_image;
          if (quarters)
            transform_map<5, 2>(image + Quarter(b).offset(s), Quarter(b).beginning(source),
                                v.at(b, i * tiles), v.point);
          else
            transform_map(image + b * s.h * s.w * 16, source, v.at(b, i * tiles), v.point);
          if (i == n - 1) v.clear_rest(b, n * tiles);
        });
      for_pairs(n, g, [&](int64_t i, int64_t b) {
        (quarters ? transform_gradient<5> : transform_gradient<4>)(dy + ((i0 + i) * made + g0 + b) * y_map,
                                                                   target, d.at(b, i * tiles), d.point);
        if (i == n - 1) d.clear_rest(b, n * tiles);
      });
      for_pairs(kPoints, (g + 1) / 2, [&](int64_t k, int64_t b) {
        product_weights_of(int(std::min<int64_t>(2, g - 2 * b)), v.of_point(k, 0, 0), d.of_point(k, 2 * b, 0),
                           v.rows, read, sums + k * point + 2 * b * block, i0 > 0);
      });
    }
    for_pairs(g, s.c / 16, [&](int64_t b, int64_t c) {
      alignas(64) float taps[9 * 256], all[16 * 256];
      const int64_t row = s.c * s.taps();
      float* to = dweight + (g0 + b) * 16 * row + c * 16 * s.taps();
      if (!quarters) {
        collect_weights(sums + b * block + c * 256, point, taps);
        return unpack_weight_block(taps, to, row, 9);
      }
      for (int64_t i = 4 * c; i < 4 * c + 4; ++i) {
        collect_weights<2>(sums + b * block + i * 256, point, taps);
        Quarter(i).each_tap([&](int64_t u, int64_t t) { std::copy_n(taps + u * 256, 256, all + t * 256); });
      }
      unpack_weight_block(all, to, row, 16);
    });
  }
}

// ---- volumes ----

namespace {

// Planes of the maps that a pass reads and makes, and which of the first each tap of the second takes.
struct Depth {
  const ConvShape& s;
  bool input;
  int64_t read, made;
  Depth(const ConvPlan& p)
      : s(p.shape), input(p.pass == ConvPass::input), read(input ? s.od : s.d), made(input ? s.d : s.od) {}

  int64_t plane(int64_t z, int64_t tap) const {  // -1: outside
    const int64_t at = input ? z + s.pd - tap * s.dd : z * s.sd - s.pd + tap * s.dd;
    if (at < 0 || (input && at % s.sd)) return -1;
    const int64_t plane = input ? at / s.sd : at;
    return plane < read ? plane : -1;
  }
  // Planes [first, end) that those made from z0 to z1 may take.
  std::pair<int64_t, int64_t> range(int64_t z0, int64_t z1) const {
    const int64_t reach = (s.kd - 1) * s.dd;
    const int64_t low = input ? z0 + s.pd - reach : z0 * s.sd - s.pd,
                  high = input ? z1 - 1 + s.pd : (z1 - 1) * s.sd - s.pd + reach;
    const int64_t first = std::max<int64_t>(low, 0), last = high < 0 ? -1 : high;
    return {input ? (first + s.sd - 1) / s.sd : first,
            std::min(read, (input && last >= 0 ? last / s.sd : last) + 1)};
  }
  // How many that are at most, for `planes` made.
  int64_t window(int64_t planes) const {
    const int64_t reach = (s.kd - 1) * s.dd;
    return std::min(read, input ? (planes - 1 + reach) / s.sd + 1 : (planes - 1) * s.sd + reach + 1);
  }
};

// Transformed planes, of which a window is kept: plane z stands where z % planes says.
struct Planes {
  int64_t tiles, rows, planes, done = 0;
  Points points;
  Planes(int64_t tiles_a_plane, int64_t kept, int64_t blocks)
      : tiles(tiles_a_plane), rows(rounded(tiles, kRows)), planes(kept), points(planes * rows, blocks) {
    // What stands behind the tiles of a plane is read with them.
    for_pairs(blocks, planes, [&](int64_t b, int64_t z) {
      for (int k = 0; k < kPoints; ++k)
        std::fill_n(points.at(b, z * rows + tiles) + k * points.point, (rows - tiles) * 16, 0.f);
    });
  }
  int64_t row(int64_t z) const { return z % planes * rows; }
  // Calls f(plane, block, where its tiles go) for the planes up to `end` that are not there yet.
  template <class F>
  void fill(int64_t first, int64_t end, int64_t blocks, F&& f) {
    first = std::max(first, done);
    if (first >= end) return;
    for_pairs(end - first, blocks,
              [&](int64_t i, int64_t b) { f(first + i, b, points.at(b, row(first + i))); });
    done = end;
  }
};

// Planes made at a time: their maps stay in near caches, but are no smaller than the weights.
int64_t planes_a_turn(const Depth& depth, int64_t rows, int64_t read, int64_t made) {
  const int64_t weights = kPoints * 1024 * read * made * depth.s.kd,
                maps = kPoints * 64 * (read + made) * rows;
  return equal_parts(depth.made,
                     std::max<int64_t>(std::clamp(weights, kLeastMapBytes, kMostMapBytes) / maps, 1));
}

}  // namespace

bool winograd_volume(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  const bool input = p.pass == ConvPass::input;
  const int64_t h = input ? s.h : s.oh, w = input ? s.w : s.ow;
  const int64_t tiles = ((h + kTile - 1) / kTile) * ((w + kTile - 1) / kTile);
  return rounded(tiles, kRows) * 3 <= tiles * 4;  // tiles fill the rows of products
}

void winograd_volume_maps(const ConvPlan& p, const haft_tensor_view& view, const float* from,
                          const float* weight, const float* bias, float* to) {
  const ConvShape& s = p.shape;
  const Depth depth(p);
  const bool input = depth.input;
  const int64_t read = (input ? s.o : s.c) / 16, made = (input ? s.c : s.o) / 16;
  Map source{s.h, s.w, -s.ph, -s.pw, 0, 0}, target{s.oh, s.ow, 0, 0, 0, 0};
  if (input) {
    source = {s.oh, s.ow, s.ph - 2, s.pw - 2, 0, 0};
    target = {s.h, s.w, 0, 0, 0, 0};
  }
  source.down = target.down = (target.h + kTile - 1) / kTile;
  source.across = target.across = (target.w + kTile - 1) / kTile;
  const int64_t tiles = target.down * target.across, rows = rounded(tiles, kRows),
                source_map = source.h * source.w * 16, target_map = target.h * target.w * 16;

  // [point][tap][made block][read][16]
  const int64_t weight_block = read * 256, weight_point = s.kd * made * weight_block + kSkew;
  auto transform_all = [&](void* u) {
    for_pairs(made, read, [&](int64_t b, int64_t r) {
      const HostBuffer taps(s.kd * 9 * 256 * 4);
      const int64_t o = input ? r : b, c = input ? b : r, row = s.c * s.kd * 9;
      pack_weight_block(input ? WeightBlocks::inner_in : WeightBlocks::inner_out,
                        weight + o * 16 * row + c * 16 * s.kd * 9, row, taps.as<float>(), s.kd * 9);
      for (int64_t t = 0; t < s.kd; ++t)
        transform_weights(taps.as<float>() + t * 9 * 256, input,
                          static_cast<float*>(u) + (t * made + b) * weight_block + r * 256, weight_point);
    });
  };
  const PackedWeights packed(
      view, kFormat ^ uint64_t(s.kd) << 40 ^ uint64_t(input) << 32 ^ uint64_t(s.c) << 16 ^ uint64_t(s.o),
      kPoints * weight_point * 4, transform_all, weight);
  const float* u = static_cast<const float*>(packed.data());

  const int64_t turn = planes_a_turn(depth, rows, read, made);
  Planes v(tiles, depth.window(turn), read);
  const Points m(turn * rows, made);
  for (int64_t n = 0; n < s.n; ++n, v.done = 0)
    for (int64_t z0 = 0; z0 < depth.made; z0 += turn) {
      const int64_t z1 = std::min(z0 + turn, depth.made);
      const auto [first, end] = depth.range(z0, z1);
      v.fill(first, end, read, [&](int64_t z, int64_t b, float* at) {
        transform_map(from + ((n * read + b) * depth.read + z) * source_map, source, at, v.points.point);
      });
      for_pairs(kPoints, (made + 1) / 2, [&](int64_t k, int64_t b) {
        const int vectors = int(std::min<int64_t>(2, made - 2 * b));
        for (int64_t z = z0; z < z1; ++z) {
          const Tiles<float> to = m.of_point<float>(k, 2 * b, (z - z0) * rows);
          bool add = false;
          for (int64_t t = 0; t < s.kd; ++t) {
            const int64_t plane = depth.plane(z, t);
            if (plane < 0) continue;
            product_maps_of(vectors, v.points.of_point(k, 0, v.row(plane)), rows, read,
                            u + k * weight_point + (t * made + 2 * b) * weight_block, weight_block, to, add);
            add = true;
          }
          if (add) continue;
          for (int i = 0; i < vectors; ++i) std::fill_n(to.data + i * to.next, rows * 16, 0.f);
        }
      });
      for_pairs(z1 - z0, made, [&](int64_t i, int64_t b) {
        collect_map(m.at(b, i * rows), m.point, bias ? bias + b * 16 : nullptr,
                    to + ((n * made + b) * depth.made + z0 + i) * target_map, target);
      });
    }
}

void winograd_volume_weight(const ConvPlan& p, const float* x, const float* dy, float* dweight) {
  const ConvShape& s = p.shape;
  const Depth depth(p);
  const int64_t read = s.c / 16, made = s.o / 16;
  const Map source{s.h, s.w, -s.ph, -s.pw, (s.oh + kTile - 1) / kTile, (s.ow + kTile - 1) / kTile},
      target{s.oh, s.ow, 0, 0, source.down, source.across};
  const int64_t tiles = source.down * source.across, rows = rounded(tiles, kRows), x_map = s.h * s.w * 16,
                y_map = s.oh * s.ow * 16;

  const int64_t block = read * 256, point = s.kd * made * block + kSkew;
  const HostBuffer sum_memory(kPoints * point * 4);
  float* sums = sum_memory.as<float>();
  parallel_for(kPoints, 1, [&](int64_t b, int64_t e) { std::fill(sums + b * point, sums + e * point, 0.f); });
  const int64_t turn = planes_a_turn(depth, rows, read, made);
  Planes v(tiles, depth.window(turn), read), d(tiles, turn, made);
  for (int64_t n = 0; n < s.n; ++n, v.done = d.done = 0)
    for (int64_t z0 = 0; z0 < s.od; z0 += turn) {
      const int64_t z1 = std::min(z0 + turn, s.od);
      const auto [first, end] = depth.range(z0, z1);
      v.fill(first, end, read, [&](int64_t z, int64_t b, float* at) {
        transform_map(x + ((n * read + b) * s.d + z) * x_map, source, at, v.points.point);
      });
      d.fill(z0, z1, made, [&](int64_t z, int64_t b, float* at) {
        transform_gradient(dy + ((n * made + b) * s.od + z) * y_map, target, at, d.points.point);
      });
      for_pairs(kPoints, (made + 1) / 2, [&](int64_t k, int64_t b) {
        for (int64_t z = z0; z < z1; ++z)
          for (int64_t t = 0; t < s.kd; ++t)
            if (const int64_t plane = depth.plane(z, t); plane >= 0)
              product_weights_of(int(std::min<int64_t>(2, made - 2 * b)),
                                 v.points.of_point(k, 0, v.row(plane)), d.points.of_point(k, 2 * b, d.row(z)),
                                 rows, read, sums + k * point + (t * made + 2 * b) * block, true);
      });
    }
  for_pairs(made, read, [&](int64_t b, int64_t r) {
    const HostBuffer taps(s.kd * 9 * 256 * 4);
    for (int64_t t = 0; t < s.kd; ++t)
      collect_weights(sums + (t * made + b) * block + r * 256, point, taps.as<float>() + t * 9 * 256);
    const int64_t row = s.c * s.kd * 9;
    unpack_weight_block(taps.as<float>(), dweight + b * 16 * row + r * 16 * s.kd * 9, row, s.kd * 9);
  });
}

}  // namespace haft::cpu
