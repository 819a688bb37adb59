// Products of small bfloat16 matrices with float32 sums, for kernels that work in tiles of their own: on a processor
// with matrix tiles (AMX) or with dot products of pairs (AVX512_BF16). Others convert to float32.
//
// c (rows, columns) = or += a b.
//   a  rows of `depth` elements, lda apart
//   b  pairs of rows: element (k, n) at b[n / 16 * panel + k / 2 * 32 + n % 16 * 2 + k % 2], panels of 16 columns
//   c  rows of float32, ldc apart
// rows and columns are multiples of 16, depth is one of 32: zeros fill what is not there.
#pragma once
#include <cstdint>

#if defined(__x86_64__)
// GCC 12 takes the undefined operands of its own intrinsics for mistakes (PR 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
// clang-format off
#define HAFT_TARGET_BF16 \
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma,f16c,bmi2,prefer-vector-width=512")]]
// clang-format on
#endif

namespace haft::cpu {

enum class Bf16Isa : uint8_t { none, pairs, tiles };
Bf16Isa bf16_isa();  // what oneDNN would use, too: ONEDNN_MAX_CPU_ISA lowers both

constexpr int64_t kLeastRows = 16, kLeastDepth = 32;
constexpr int64_t whole(int64_t n, int64_t of) { return (n + of - 1) / of * of; }

// The thread's tiles are in use while this lives: around all products of a task.
class TilesInUse {
  bool on_;

 public:
  TilesInUse();
  ~TilesInUse();
  TilesInUse(const TilesInUse&) = delete;
};

void bf16_product(int64_t rows, int64_t columns, int64_t depth, const uint16_t* a, int64_t lda,
                  const uint16_t* b, int64_t panel, float* c, int64_t ldc, bool add);

// Where `count` rows of `width` bfloat16 begin and how far they are apart. A row's elements are neighbours.
struct Bf16Rows {
  const uint16_t* data = nullptr;
  int64_t count = 0, width = 0, pitch = 0;
};
// The operand b from rows, with zeros up to `total` rows and whole(width, ..): as they are (k counts rows, n
// elements; `total` is whole(count, 32); panels of total * 16) or turned (k counts elements, n rows; panels of
// whole(width, 32) * 16).
void pair_rows(const Bf16Rows& rows, int64_t total, uint16_t* to);
void pair_columns(const Bf16Rows& rows, int64_t total, uint16_t* to);
// The operand a from rows: `total` dense rows of whole(width, 32).
void copy_rows(const Bf16Rows& rows, int64_t total, uint16_t* to);
// The rows of the transpose, (whole(width, 32), total), from pair_columns' result.
void split_pairs(const uint16_t* pairs, int64_t width, int64_t total, uint16_t* to);

#if defined(__x86_64__)
#define HAFT_BF16_INLINE HAFT_TARGET_BF16 [[gnu::always_inline]] static inline

// 2^x to 2^-18; 0 where it would not be a normal number, for those are slow.
HAFT_BF16_INLINE __m512 exp2_short(__m512 x) {
  const __mmask16 normal = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-126), _CMP_NLT_UQ);  // or NaN
  const __m512 r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | 8);                    // the fraction
  __m512 p = _mm512_set1_ps(0.0134266892f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.0522424662f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.241280209f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.693044844f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1));
  return _mm512_maskz_scalef_ps(normal, p, x);  // times 2^floor(x)
}
HAFT_BF16_INLINE __m512i bf16_of(__m512 low, __m512 high) { return __m512i(_mm512_cvtne2ps_pbh(high, low)); }
HAFT_BF16_INLINE __m256i bf16_of(__m512 x) { return __m256i(_mm512_cvtneps_pbh(x)); }
HAFT_BF16_INLINE __m512 f32_of(__m256i x) { return __m512(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16)); }
HAFT_BF16_INLINE __mmask16 first_lanes(int64_t n) {
  return n >= 16 ? __mmask16(0xffff) : __mmask16((1u << (n < 0 ? 0 : n)) - 1);
}
HAFT_BF16_INLINE __mmask32 first_32(int64_t n) {
  return n >= 32 ? ~__mmask32(0) : __mmask32((1u << (n < 0 ? 0 : n)) - 1);
}
#endif

}  // namespace haft::cpu
