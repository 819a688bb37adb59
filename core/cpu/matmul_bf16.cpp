// bfloat16 products of a transposed A with float32 sums, as gradients of weights are, on processors with dot products
// of pairs (AVX512_BF16): the library copies all of A for each call, so that threads could not share one. Here B is
// packed once, in panels that tiles of 8 x 48 results go over, and A by whoever makes these rows. Sums run over k in
// order: the threads change no bit.
#include <algorithm>

#include "core/base/parallel.h"
#include "core/cpu/bf16_tiles.h"
#include "core/cpu/matmul.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {

#if !defined(__x86_64__)

bool transposed_gemm(const Gemm<BFloat16>&) { return false; }

#else

namespace {

constexpr int64_t kRows = 8, kPanel = 48;  // of a tile
// Rows of B that a tile adds up before its sums wait for the others: such a panel and the tile's rows of A stay in
// near caches.
constexpr int64_t kDepth = 512;
// What a task packs of A is a part of its second cache, and some rows at most.
constexpr int64_t kTaskElements = 384 << 10, kTaskRows = 256;
// Elements of B packed at a time: a quarter of a usual last-level cache.
constexpr int64_t kPackedElements = 4 << 20, kMostDepth = 16384;
constexpr int64_t kLeastFlops = 2 * 128 * 128 * 128, kFlopsATask = 4 << 20;

// A tile's rows of A and its panel of B, from the first pair of k on.
struct Factors {
  const uint16_t *a, *b;  // [pair][16 rows][2], of which 8 are these; [pair][column][2]
  int64_t pairs;
};
// Where its sums wait, or go in the end.
struct Target {
  float* sums;  // (8, width)
  bool first, last;
  uint16_t* c;
  int64_t ldc, rows, cols;
  const float* bias;  // (width), or nullptr
};

// 8 rows and 16 N columns.
template <int N>
HAFT_TARGET_BF16 void tile(const Factors& f, const Target& to) {
  __m512 s[kRows][N];
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 3
    for (int n = 0; n < N; ++n)
      s[m][n] = to.first ? _mm512_setzero_ps() : _mm512_load_ps(to.sums + (m * N + n) * 16);
  const uint16_t *a = f.a, *b = f.b;
  for (int64_t p = 0; p < f.pairs; ++p, a += 32, b += 32 * N) {
    __m512i y[N];
#pragma GCC unroll 3
    for (int n = 0; n < N; ++n) y[n] = _mm512_loadu_si512(b + n * 32);
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
      int32_t two;
      __builtin_memcpy(&two, a + m * 2, 4);
      const __m512i x = _mm512_set1_epi32(two);
#pragma GCC unroll 3
      for (int n = 0; n < N; ++n) s[m][n] = _mm512_dpbf16_ps(s[m][n], __m512bh(x), __m512bh(y[n]));
    }
  }
  if (!to.last) {
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 3
      for (int n = 0; n < N; ++n) _mm512_store_ps(to.sums + (m * N + n) * 16, s[m][n]);
    return;
  }
#pragma GCC unroll 3
  for (int n = 0; n < N; ++n) {
    const __m512 bias = to.bias ? _mm512_loadu_ps(to.bias + n * 16) : _mm512_setzero_ps();
    const __mmask16 cols = first_lanes(to.cols - n * 16);
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m)
      if (m < to.rows)
        _mm256_mask_storeu_epi16(to.c + m * to.ldc + n * 16, cols, bf16_of(_mm512_add_ps(s[m][n], bias)));
  }
}
void tile(int64_t vectors, const Factors& f, const Target& to) {
  switch (vectors) {
    case 1: return tile<1>(f, to);
    case 2: return tile<2>(f, to);
    default: return tile<3>(f, to);
  }
}

// Pairs of rows of (depth, cols): element (k, 16 v + l) comes to to[k / 2 * pair + v * vector + l * 2 + k % 2], with
// zeros beside the matrix.
HAFT_TARGET_BF16 void pack_pairs(const uint16_t* from, int64_t ld, int64_t depth, int64_t cols, uint16_t* to,
                                 int64_t pair, int64_t vector) {
  constexpr int64_t kAhead = 16;  // rows, which may be pages apart
  for (int64_t k = 0; k < depth; k += 2, from += 2 * ld, to += pair)
    for (int64_t j = 0, v = 0; j < cols; j += 16, ++v) {
      const __mmask16 lanes = first_lanes(cols - j);
      _mm_prefetch(reinterpret_cast<const char*>(from + kAhead * ld + j), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(from + (kAhead + 1) * ld + j), _MM_HINT_T0);
      const __m256i even = _mm256_maskz_loadu_epi16(lanes, from + j),
                    odd = _mm256_maskz_loadu_epi16(k + 1 < depth ? lanes : 0, from + ld + j);
      _mm512_storeu_si512(
          to + v * vector,
          _mm512_or_si512(_mm512_cvtepu16_epi32(even), _mm512_slli_epi32(_mm512_cvtepu16_epi32(odd), 16)));
    }
}

const uint16_t* words(const BFloat16* p) { return reinterpret_cast<const uint16_t*>(p); }

// Some columns of B: [block of kDepth rows][panel][pair][column][2]. The last panel is of whole vectors, too.
class PackedB {
  HostBuffer buffer_;
  int64_t depth_, cols_;

  int64_t rows_of(int64_t block) const { return std::min(kDepth, depth_ - block * kDepth); }
  uint16_t* at(int64_t block, int64_t panel) const {
    return buffer_.as<uint16_t>() + block * kDepth * whole(cols_, 16) +
           panel * kPanel * whole(rows_of(block), 2);
  }

 public:
  PackedB(const Gemm<BFloat16>& g, int64_t first, int64_t cols)
      : buffer_(whole(g.k, 2) * whole(cols, 16) * 2), depth_(g.k), cols_(cols) {
    const int64_t across = panels();
    parallel_for(blocks() * across, 2, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i / across, panel = i % across, j = panel * kPanel;
        pack_pairs(words(g.b) + block * kDepth * g.b_row + first + j, g.b_row, rows_of(block),
                   std::min(kPanel, cols_ - j), at(block, panel), vectors(panel) * 32, 32);
      }
    });
  }
  int64_t panels() const { return (cols_ + kPanel - 1) / kPanel; }
  int64_t blocks() const { return (depth_ + kDepth - 1) / kDepth; }
  int64_t vectors(int64_t panel) const { return std::min(kPanel, whole(cols_ - panel * kPanel, 16)) / 16; }
  Factors factors(int64_t block, int64_t panel) const {
    return {nullptr, at(block, panel), (rows_of(block) + 1) / 2};
  }
};

// Rows [i0, i1) by some panels of B, whose columns begin at `first` of C.
void task(const Gemm<BFloat16>& g, const PackedB& b, int64_t first, int64_t cols, int64_t i0, int64_t i1,
          int64_t panel0, int64_t panel1) {
  // A pair more than there are: panels a power of two apart would share cache lines' sets.
  const int64_t deep = whole(g.k, 2) + 2;
  const HostBuffer a(whole(i1 - i0, 16) * deep * 2), sums(kTaskRows * kPanel * 4);
  pack_pairs(words(g.a) + i0, g.a_col, g.k, i1 - i0, a.as<uint16_t>(), 32, deep * 16);
  float bias[kPanel] = {};
  Target to;
  to.ldc = g.ldc;
  to.bias = g.bias ? bias : nullptr;
  for (int64_t panel = panel0; panel < panel1; ++panel) {
    const int64_t j = first + panel * kPanel;
    to.cols = std::min(kPanel, cols - panel * kPanel);
    if (g.bias) std::copy_n(g.bias + j, to.cols, bias);
    for (int64_t block = 0; block < b.blocks(); ++block) {
      Factors f = b.factors(block, panel);
      to.first = block == 0;
      to.last = block + 1 == b.blocks();
      for (int64_t i = 0; i < i1 - i0; i += kRows) {
        f.a = a.as<uint16_t>() + i / 16 * 16 * deep + i % 16 * 2 + block * kDepth * 16;
        to.sums = sums.as<float>() + i * kPanel;
        to.rows = std::min(kRows, i1 - i0 - i);
        to.c = reinterpret_cast<uint16_t*>(g.c) + (i0 + i) * g.ldc + j;
        tile(b.vectors(panel), f, to);
      }
    }
  }
}

}  // namespace

bool transposed_gemm(const Gemm<BFloat16>& g) {
  if (bf16_isa() != Bf16Isa::pairs || g.a_row != 1 || g.b_col != 1 || g.k > kMostDepth) return false;
  if (2 * g.m * g.n * g.k < kLeastFlops) return false;
  const int64_t most = std::max(kPackedElements / g.k / kPanel, int64_t(1)) * kPanel;
  const int64_t threads = in_parallel() ? 1 : num_threads();
  for (int64_t first = 0; first < g.n; first += most) {
    const int64_t cols = std::min(most, g.n - first);
    const PackedB b(g, first, cols);
    // Some tasks a thread where the work allows; of rows, since those of columns pack A again.
    const int64_t wanted = std::clamp<int64_t>(2 * g.m * cols * g.k / kFlopsATask, 1, 4 * threads);
    const int64_t most_rows = std::clamp<int64_t>(kTaskElements / g.k / 16 * 16, 16, kTaskRows);
    const int64_t parts = std::max((g.m + most_rows - 1) / most_rows, std::min(wanted, (g.m + 15) / 16));
    const int64_t even = parts < threads ? parts : whole(parts, threads),
                  rows = whole((g.m + even - 1) / even, 16);
    const int64_t down = (g.m + rows - 1) / rows, across = std::clamp<int64_t>(wanted / down, 1, b.panels());
    parallel_for(down * across, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t i0 = t % down * rows, part = t / down;
        task(g, b, first, cols, i0, std::min(i0 + rows, g.m), part * b.panels() / across,
             (part + 1) * b.panels() / across);
      }
    });
  }
  return true;
}

#endif

}  // namespace haft::cpu
