#include "core/cpu/bf16_tiles.h"

#include <algorithm>

#include "core/cpu/dnnl.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/turn16.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace haft::cpu {

#if !defined(__x86_64__)

Bf16Isa bf16_isa() { return Bf16Isa::none; }
TilesInUse::TilesInUse() : on_(false) {}
TilesInUse::~TilesInUse() = default;

#else

namespace {

#define HAFT_TARGET_TILES [[gnu::target("amx-tile,amx-bf16")]]

// Linux lends the registers of tiles to a process that asks.
bool tiles_allowed() {
#if defined(__linux__)
  constexpr long kRequest = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return false;
#endif
}

struct alignas(64) TileShape {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileShape kShape;

HAFT_TARGET_TILES void take_tiles() { _tile_loadconfig(&kShape); }
HAFT_TARGET_TILES void release_tiles() { _tile_release(); }

// 16 M rows and 16 N columns: tiles 0 to 3 are sums, 4 and 5 rows of a, 6 and 7 panels of b.
template <int M, int N>
HAFT_TARGET_TILES void tile_block(int64_t depth, const uint16_t* a, int64_t lda, const uint16_t* b,
                                  int64_t panel, float* c, int64_t ldc, bool add) {
  const int64_t a_step = lda * 2, c_step = ldc * 4;
  const uint16_t* const a2 = a + 16 * lda;
  float* const c2 = c + 16 * ldc;
  if (add) {
    _tile_loadd(0, c, c_step);
    if constexpr (N == 2) _tile_loadd(1, c + 16, c_step);
    if constexpr (M == 2) _tile_loadd(2, c2, c_step);
    if constexpr (M == 2 && N == 2) _tile_loadd(3, c2 + 16, c_step);
  } else {
    _tile_zero(0);
    if constexpr (N == 2) _tile_zero(1);
    if constexpr (M == 2) _tile_zero(2);
    if constexpr (M == 2 && N == 2) _tile_zero(3);
  }
  for (int64_t k = 0; k < depth; k += 32) {
    _tile_loadd(4, a + k, a_step);
    _tile_loadd(6, b + k * 16, 64);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (N == 2) {
      _tile_loadd(7, b + panel + k * 16, 64);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (M == 2) {
      _tile_loadd(5, a2 + k, a_step);
      _tile_dpbf16ps(2, 5, 6);
      if constexpr (N == 2) _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, c, c_step);
  if constexpr (N == 2) _tile_stored(1, c + 16, c_step);
  if constexpr (M == 2) _tile_stored(2, c2, c_step);
  if constexpr (M == 2 && N == 2) _tile_stored(3, c2 + 16, c_step);
}

HAFT_TARGET_TILES void tile_product(int64_t rows, int64_t columns, int64_t depth, const uint16_t* a,
                                    int64_t lda, const uint16_t* b, int64_t panel, float* c, int64_t ldc,
                                    bool add) {
  for (int64_t n = 0; n < columns; n += 32, b += 2 * panel)
    for (int64_t m = 0; m < rows; m += 32) {
      const uint16_t* const x = a + m * lda;
      float* const y = c + m * ldc + n;
      const bool tall = m + 16 < rows, broad = n + 16 < columns;
      if (tall && broad)
        tile_block<2, 2>(depth, x, lda, b, panel, y, ldc, add);
      else if (tall)
        tile_block<2, 1>(depth, x, lda, b, panel, y, ldc, add);
      else if (broad)
        tile_block<1, 2>(depth, x, lda, b, panel, y, ldc, add);
      else
        tile_block<1, 1>(depth, x, lda, b, panel, y, ldc, add);
    }
}

// 8 rows and 16 N columns.
template <int N>
HAFT_TARGET_BF16 void pair_block(int64_t depth, const uint16_t* a, int64_t lda, const uint16_t* b,
                                 int64_t panel, float* c, int64_t ldc, bool add) {
  __m512 s[8][N];
#pragma GCC unroll 8
  for (int m = 0; m < 8; ++m)
#pragma GCC unroll 3
    for (int n = 0; n < N; ++n) s[m][n] = add ? _mm512_loadu_ps(c + m * ldc + 16 * n) : _mm512_setzero_ps();
  for (int64_t k = 0; k < depth; k += 2, a += 2, b += 32) {
    __m512i y[N];
#pragma GCC unroll 3
    for (int n = 0; n < N; ++n) y[n] = _mm512_loadu_si512(b + n * panel);
#pragma GCC unroll 8
    for (int m = 0; m < 8; ++m) {
      int32_t two;
      __builtin_memcpy(&two, a + m * lda, 4);
      const __m512i x = _mm512_set1_epi32(two);
#pragma GCC unroll 3
      for (int n = 0; n < N; ++n) s[m][n] = _mm512_dpbf16_ps(s[m][n], __m512bh(x), __m512bh(y[n]));
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < 8; ++m)
#pragma GCC unroll 3
    for (int n = 0; n < N; ++n) _mm512_storeu_ps(c + m * ldc + 16 * n, s[m][n]);
}

HAFT_TARGET_BF16 void pair_product(int64_t rows, int64_t columns, int64_t depth, const uint16_t* a,
                                   int64_t lda, const uint16_t* b, int64_t panel, float* c, int64_t ldc,
                                   bool add) {
  for (int64_t n = 0; n < columns; n += 48, b += 3 * panel)
    for (int64_t m = 0; m < rows; m += 8) switch ((columns - n) / 16) {
        case 1: pair_block<1>(depth, a + m * lda, lda, b, panel, c + m * ldc + n, ldc, add); break;
        case 2: pair_block<2>(depth, a + m * lda, lda, b, panel, c + m * ldc + n, ldc, add); break;
        default: pair_block<3>(depth, a + m * lda, lda, b, panel, c + m * ldc + n, ldc, add);
      }
}

// 16 elements from i on of row r; zeros where there is nothing.
HAFT_BF16_INLINE __m256i sixteen(const Bf16Rows& x, int64_t r, int64_t i) {
  return r < x.count ? _mm256_maskz_loadu_epi16(first_lanes(x.width - i), x.data + r * x.pitch + i)
                     : _mm256_setzero_si256();
}

}  // namespace

Bf16Isa bf16_isa() {
  static const Bf16Isa best = [] {
    if (!cpu_has_bf16()) return Bf16Isa::none;
    constexpr uint32_t tiles = dnnl_cpu_isa_avx512_core_amx;
    const bool has = (uint32_t(dnnl_get_effective_cpu_isa()) & tiles) == tiles;
    return has && tiles_allowed() ? Bf16Isa::tiles : Bf16Isa::pairs;
  }();
  return best;
}

TilesInUse::TilesInUse() : on_(bf16_isa() == Bf16Isa::tiles) {
  if (on_) take_tiles();
}
TilesInUse::~TilesInUse() {
  if (on_) release_tiles();
}

void bf16_product(int64_t rows, int64_t columns, int64_t depth, const uint16_t* a, int64_t lda,
                  const uint16_t* b, int64_t panel, float* c, int64_t ldc, bool add) {
  (bf16_isa() == Bf16Isa::tiles ? tile_product : pair_product)(rows, columns, depth, a, lda, b, panel, c, ldc,
                                                               add);
}

HAFT_TARGET_BF16 void pair_rows(const Bf16Rows& x, int64_t total, uint16_t* to) {
  for (int64_t i = 0; i < x.width; i += 16)
    for (int64_t r = 0; r < total; r += 2, to += 32) {
      const __m512i first = _mm512_cvtepu16_epi32(sixteen(x, r, i)),
                    second = _mm512_cvtepu16_epi32(sixteen(x, r + 1, i));
      _mm512_storeu_si512(to, _mm512_or_si512(first, _mm512_slli_epi32(second, 16)));
    }
}

HAFT_TARGET_BF16 void pair_columns(const Bf16Rows& x, int64_t total, uint16_t* to) {
  const int64_t deep = whole(x.width, 32);
  for (int64_t r = 0; r < total; r += 16)
    for (int64_t i = 0; i < deep; i += 32, to += 32 * 16) {
      f32x16 t[16];
      for (int j = 0; j < 16; ++j)
        t[j] = f32x16(r + j < x.count
                          ? _mm512_maskz_loadu_epi16(first_32(x.width - i), x.data + (r + j) * x.pitch + i)
                          : _mm512_setzero_si512());
      turn16(t);
      for (int j = 0; j < 16; ++j) _mm512_storeu_si512(to + j * 32, __m512i(t[j]));
    }
}

HAFT_TARGET_BF16 void copy_rows(const Bf16Rows& x, int64_t total, uint16_t* to) {
  for (int64_t r = 0; r < total; ++r)
    for (int64_t i = 0; i < x.width; i += 32, to += 32)
      _mm512_storeu_si512(to, r < x.count
                                  ? _mm512_maskz_loadu_epi16(first_32(x.width - i), x.data + r * x.pitch + i)
                                  : _mm512_setzero_si512());
}

HAFT_TARGET_BF16 void split_pairs(const uint16_t* pairs, int64_t width, int64_t total, uint16_t* to) {
  const int64_t deep = whole(width, 32);
  for (int64_t r = 0; r < total; r += 16)
    for (int64_t i = 0; i < deep; i += 2, pairs += 32) {
      const __m512i both = _mm512_loadu_si512(pairs);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * total + r), _mm512_cvtepi32_epi16(both));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + (i + 1) * total + r),
                          _mm512_cvtepi32_epi16(_mm512_srli_epi32(both, 16)));
    }
}

#endif

}  // namespace haft::cpu
