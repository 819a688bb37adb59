// Own matrix kernels: tiny float products (a library call costs more than the work), float64, and integers.
#include "core/base/parallel.h"
#include "core/cpu/matmul.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/turn16.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {
namespace {

constexpr int64_t kSmallPack = 4096;  // floats on the stack
constexpr int64_t kCheapPackFlops = 2 * 32 * 32 * 32;

template <Isa I, class T>
constexpr int kLanesOf = (I == Isa::avx512 ? 64
                          : I == Isa::avx2 ? 32
                                           : 16) /
                         int(sizeof(T));

template <class T, int L>
struct Vector {
  typedef T type __attribute__((vector_size(L * sizeof(T))));
  typedef T unaligned __attribute__((vector_size(L * sizeof(T)), aligned(sizeof(T)), may_alias));
};

// Rows are short: a call of memcpy takes longer than what there is to copy.
template <class T>
HAFT_BODY void copy_row(T* to, const T* from, int64_t n) {
  constexpr int64_t kFew = 16 / sizeof(T);
  int64_t j = 0;
  for (; j + kFew <= n; j += kFew) std::memcpy(to + j, from + j, 16);
  if (j < n) std::memcpy(to + j, from + j, size_t(n - j) * sizeof(T));
}

// The first `cols` of each row of a tile (rows, width), with bias and what C holds already. Out of line: it
// would stand behind every size of tile.
template <class T>
[[gnu::noinline, gnu::noclone]] void put_tile(T* tile, int64_t rows, int64_t width, int64_t cols, T* c,
                                              const Gemm<T>& g, const T* bias, bool accumulate) {
  for (int64_t r = 0; r < rows; ++r, tile += width, c += g.ldc) {
    if (bias)
      for (int64_t j = 0; j < cols; ++j) tile[j] += g.beta * bias[r * g.bias_row + j * g.bias_col];
    if (accumulate)
      for (int64_t j = 0; j < cols; ++j) tile[j] += c[j];
    copy_row(c, tile, cols);
  }
}

// R rows by NV vectors of C from B in row-major panels; cols < NV * lanes columns are stored.
template <Isa I, int R, int NV, class T>
HAFT_BODY void tile(const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t ldb, int64_t k,
                    int64_t cols, T* c, const Gemm<T>& g, const T* bias, bool accumulate) {
  constexpr int L = kLanesOf<I, T>;
  using V = typename Vector<T, L>::type;
  using U = typename Vector<T, L>::unaligned;
  V s[R][NV] = {};
  for (int64_t p = 0; p < k; ++p) {
    V v[NV];
    for (int j = 0; j < NV; ++j) v[j] = *reinterpret_cast<const U*>(b + p * ldb + j * L);
    for (int r = 0; r < R; ++r) {
      T x = a[r * a_row + p * a_col];
      for (int j = 0; j < NV; ++j) s[r][j] += v[j] * x;
    }
  }
  if (cols == NV * L && !bias && g.alpha == T(1)) {
    for (int r = 0; r < R; ++r)
      for (int j = 0; j < NV; ++j) {
        U* at = reinterpret_cast<U*>(c + r * g.ldc + j * L);
        *at = accumulate ? *at + s[r][j] : s[r][j];
      }
    return;
  }
  alignas(64) T out[R * NV * L];
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < NV; ++j) *reinterpret_cast<V*>(out + (r * NV + j) * L) = s[r][j] * g.alpha;
  put_tile(out, R, NV * L, cols, c, g, bias, accumulate);
}

// All rows of a panel of NV vectors: as many at a time as the instruction set has registers for.
template <Isa I, int NV, class T>
HAFT_BODY void panel(const T* a, int64_t a_row, int64_t a_col, int64_t m, const T* b, int64_t ldb, int64_t k,
                     int64_t cols, T* c, const Gemm<T>& g, const T* bias, bool accumulate) {
  int64_t i = 0;
  auto rows_of = [&]<int R>() __attribute__((always_inline)) {
    for (; i + R <= m; i += R)
      tile<I, R, NV>(a + i * a_row, a_row, a_col, b, ldb, k, cols, c + i * g.ldc, g,
                     bias ? bias + i * g.bias_row : nullptr, accumulate);
  };
  if constexpr (I == Isa::avx512) {
    // Where the first cache does not hold the panel, twelve: B is read half as often.
    if (k * NV * 64 > 32 * 1024) rows_of.template operator()<12>();
    rows_of.template operator()<NV == 1 ? 8 : 6>();
    rows_of.template operator()<4>();
  } else {
    if constexpr (I == Isa::avx2) rows_of.template operator()<6>();
    rows_of.template operator()<4>();
  }
  rows_of.template operator()<2>();
  rows_of.template operator()<1>();
}

// b (k, n) with any strides into rows of `width` columns, zeros behind n.
template <Isa I, class T>
HAFT_BODY void pack(const T* b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, int64_t width, T* out) {
  if (b_col == 1) {
    for (int64_t p = 0; p < k; ++p) {
      copy_row(out + p * width, b + p * b_row, n);
      for (int64_t j = n; j < width; ++j) out[p * width + j] = T(0);
    }
    return;
  }
  int64_t j = 0;
  if constexpr (std::is_same_v<T, float> && I == Isa::avx512)
    if (b_row == 1)
      for (; j + 16 <= n; j += 16) {
        int64_t p = 0;
        for (; p + 16 <= k; p += 16) {
          f32x16 v[16];
          for (int i = 0; i < 16; ++i) load16(b + p + (j + i) * b_col, v[i]);
          turn16(v);
          for (int i = 0; i < 16; ++i) store16(v[i], out + (p + i) * width + j);
        }
        for (; p < k; ++p)
          for (int64_t i = j; i < j + 16; ++i) out[p * width + i] = b[p + i * b_col];
      }
  for (; j < width; ++j)
    for (int64_t p = 0; p < k; ++p) out[p * width + j] = j < n ? b[p * b_row + j * b_col] : T(0);
}

// AVX-512, fewer columns than NV vectors, B and C dense: vectors reach into the next rows, where what is read
// is not used and what is written is written again. The last rows, with nothing behind them, take a detour.
template <int NV>
HAFT_BODY void narrow(const Gemm<float>& g, float* packed) {
  constexpr int R = 8;
  constexpr int64_t kReach = 16 * NV;
  const float* no_bias = nullptr;
  Gemm<float> plain;
  plain.ldc = g.n;
  std::memcpy(packed, g.b, size_t(g.k * g.n) * 4);
  std::memset(packed + g.k * g.n, 0, size_t(kReach) * 4);
  int64_t i = 0;
  for (; (i + R - 1) * g.n + kReach <= g.m * g.n; i += R)
    tile<Isa::avx512, R, NV>(g.a + i * g.a_row, g.a_row, g.a_col, packed, g.n, g.k, kReach, g.c + i * g.n,
                             plain, no_bias, false);
  float last[(R + 2) * kReach];
  panel<Isa::avx512, NV>(g.a + i * g.a_row, g.a_row, g.a_col, g.m - i, packed, g.n, g.k, kReach, last, plain,
                         no_bias, false);
  std::memcpy(g.c + i * g.n, last, size_t((g.m - i) * g.n) * 4);
}

bool is_narrow(const Gemm<float>& g) {
  return isa() == Isa::avx512 && g.n < 32 && g.n % 16 && g.b_col == 1 && g.b_row == g.n && g.ldc == g.n &&
         !g.bias && g.alpha == 1 && g.k * g.n + 32 <= kSmallPack;
}

template <Isa I>
HAFT_BODY void small_gemm_f32_body(const Gemm<float>& g) {
  constexpr int64_t kTwo = 2 * kLanesOf<I, float>;
  alignas(64) float packed[kSmallPack];
  if constexpr (I == Isa::avx512)
    if (is_narrow(g)) return g.n < 16 ? narrow<1>(g, packed) : narrow<2>(g, packed);
  const float* b = g.b;
  int64_t ldb = g.b_row, width = (g.n + 15) & ~int64_t(15);
  if (g.b_col != 1 || g.n != width) {
    pack<I>(g.b, g.b_row, g.b_col, g.k, g.n, width, packed);
    b = packed;
    ldb = width;
  }
  auto bias_at = [&](int64_t j) __attribute__((always_inline)) {
    return g.bias ? g.bias + j * g.bias_col : nullptr;
  };
  int64_t j = 0;
  for (; j + kTwo <= width && j < g.n; j += kTwo)
    panel<I, 2>(g.a, g.a_row, g.a_col, g.m, b + j, ldb, g.k, g.n - j < kTwo ? g.n - j : kTwo, g.c + j, g,
                bias_at(j), false);
  if constexpr (I == Isa::avx512)  // of the others two vectors divide the width
    if (j < width)
      panel<I, 1>(g.a, g.a_row, g.a_col, g.m, b + j, ldb, g.k, g.n - j, g.c + j, g, bias_at(j), false);
}
HAFT_MULTIVERSION(small_gemm_f32, (const Gemm<float>& g), (g))

// float64: k and n in blocks of B that stay in the second cache, packed as panels of 16 columns.
constexpr int64_t kBlockK = 256, kBlockN = 256, kBlockM = 48;

template <Isa I>
HAFT_BODY void block_f64_body(const Gemm<double>& g, int64_t i0, int64_t i1, double* pb, double* pa) {
  constexpr int64_t kTwo = 2 * kLanesOf<I, double>;
  for (int64_t j0 = 0; j0 < g.n; j0 += kBlockN) {
    int64_t nb = g.n - j0 < kBlockN ? g.n - j0 : kBlockN;
    for (int64_t p0 = 0; p0 < g.k; p0 += kBlockK) {
      int64_t kb = g.k - p0 < kBlockK ? g.k - p0 : kBlockK;
      for (int64_t j = 0; j < nb; j += 16)
        pack<I>(g.b + p0 * g.b_row + (j0 + j) * g.b_col, g.b_row, g.b_col, kb, nb - j < 16 ? nb - j : 16, 16,
                pb + j * kb);
      for (int64_t i = i0; i < i1; i += kBlockM) {
        int64_t mb = i1 - i < kBlockM ? i1 - i : kBlockM;
        for (int64_t r = 0; r < mb; ++r)
          for (int64_t p = 0; p < kb; ++p) pa[r * kBlockK + p] = g.a[(i + r) * g.a_row + (p0 + p) * g.a_col];
        for (int64_t j = 0; j < nb; j += kTwo)
          panel<I, 2>(pa, kBlockK, 1, mb, pb + j / 16 * 16 * kb + j % 16, 16, kb,
                      nb - j < kTwo ? nb - j : kTwo, g.c + i * g.ldc + j0 + j, g,
                      g.bias && p0 == 0 ? g.bias + i * g.bias_row + (j0 + j) * g.bias_col : nullptr, p0 > 0);
      }
    }
  }
}
HAFT_MULTIVERSION(block_f64, (const Gemm<double>& g, int64_t i0, int64_t i1, double* pb, double* pa),
                  (g, i0, i1, pb, pa))

template <class T>
void fill_bias(const Gemm<T>& g) {
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j)
      g.c[i * g.ldc + j] = g.bias ? T(g.beta * g.bias[i * g.bias_row + j * g.bias_col]) : T(0);
}

}  // namespace

bool small_gemm_fits(const Gemm<float>& g) {
  int64_t flops = 2 * g.m * g.n * g.k, width = (g.n + 15) & ~int64_t(15);
  if (is_narrow(g)) return flops <= kSmallFlops;
  if (g.b_col == 1 && g.n == width) return flops <= 2 * 32 * 32 * 32 || (flops <= kSmallFlops && g.k >= 32);
  // B is packed first, which costs most when it has to be turned other than in squares of 16.
  bool cheap = g.b_col == 1 || (g.b_row == 1 && g.n == width && g.k % 16 == 0);
  return flops <= (cheap ? kCheapPackFlops : 2 * 20 * 20 * 20) && g.k * width <= kSmallPack;
}

void small_gemm(const Gemm<float>& g) { small_gemm_f32(g); }

void gemm(const Gemm<double>& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) return fill_bias(g);
  // At least a megaflop a chunk; rows in multiples of the tile, so that the order of sums is the same for any split.
  int64_t grain = (1 << 20) / (2 * g.n * g.k + 1) + 1;
  int64_t tiles = (g.m + kBlockM - 1) / kBlockM;
  parallel_for(tiles, (grain + kBlockM - 1) / kBlockM, [&](int64_t b, int64_t e) {
    HostBuffer pb(kBlockK * kBlockN * 8), pa(kBlockM * kBlockK * 8);
    block_f64(g, b * kBlockM, e * kBlockM < g.m ? e * kBlockM : g.m, pb.as<double>(), pa.as<double>());
  });
}

void gemm(const Gemm<int64_t>& g) {
  if (g.m == 0 || g.n == 0) return;
  HostBuffer b_copy;
  const int64_t* b = g.b;
  int64_t ldb = g.b_row;
  if (g.b_col != 1 && g.n > 1 && g.k > 0) {
    b_copy = HostBuffer(g.k * g.n * 8);
    pack<Isa::baseline>(g.b, g.b_row, g.b_col, g.k, g.n, g.n, b_copy.as<int64_t>());
    b = b_copy.as<int64_t>();
    ldb = g.n;
  }
  const int64_t grain = (1 << 17) / (g.n * g.k + 1) + 1;
  parallel_for(g.m, grain, [&](int64_t i0, int64_t i1) {
    HostBuffer row_buffer(g.n * 8);
    uint64_t* row = row_buffer.as<uint64_t>();  // wraps without undefined behaviour
    for (int64_t i = i0; i < i1; ++i) {
      for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
      for (int64_t p = 0; p < g.k; ++p) {
        const uint64_t x = uint64_t(g.a[i * g.a_row + p * g.a_col]);
        for (int64_t j = 0; j < g.n; ++j) row[j] += x * uint64_t(b[p * ldb + j]);
      }
      for (int64_t j = 0; j < g.n; ++j) {
        uint64_t v = uint64_t(g.alpha) * row[j];
        if (g.bias) v += uint64_t(g.beta) * uint64_t(g.bias[i * g.bias_row + j * g.bias_col]);
        g.c[i * g.ldc + j] = int64_t(v);
      }
    }
  });
}

}  // namespace haft::cpu
