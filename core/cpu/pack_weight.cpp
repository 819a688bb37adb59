#include "core/cpu/pack_weight.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace haft::cpu {
namespace {

// r[j] becomes column j of the 16 x 16 matrix whose rows r held.
HAFT_TARGET_AVX512 inline void transpose16(__m512* r) {
  __m512 t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      __m512d a = _mm512_castps_pd(t[i + j]), b = _mm512_castps_pd(t[i + j + 2]);
      r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
      r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    }
  // Each 128-bit quarter q of r[4 g + c] now holds rows 4 g .. 4 g + 3 of column 4 q + c.
  for (int c = 0; c < 4; ++c) {
    __m512 ab0 = _mm512_shuffle_f32x4(r[c], r[c + 4], 0x88), ab1 = _mm512_shuffle_f32x4(r[c], r[c + 4], 0xdd);
    __m512 cd0 = _mm512_shuffle_f32x4(r[c + 8], r[c + 12], 0x88),
           cd1 = _mm512_shuffle_f32x4(r[c + 8], r[c + 12], 0xdd);
    t[c] = _mm512_shuffle_f32x4(ab0, cd0, 0x88);
    t[c + 8] = _mm512_shuffle_f32x4(ab0, cd0, 0xdd);
    t[c + 4] = _mm512_shuffle_f32x4(ab1, cd1, 0x88);
    t[c + 12] = _mm512_shuffle_f32x4(ab1, cd1, 0xdd);
  }
  for (int i = 0; i < 16; ++i) r[i] = t[i];
}

// One block: 16 outputs (rows `stride` apart, 16 k floats each) by 16 inputs.
HAFT_TARGET_AVX512 void pack_block(WeightBlocks form, const float* from, int64_t stride, float* to,
                                   int64_t k) {
  __m512 r[16];
  for (int64_t t = 0; t < 16 * k; t += 16) {
    for (int o = 0; o < 16; ++o) r[o] = _mm512_loadu_ps(from + o * stride + t);
    transpose16(r);
    int64_t i = t / k, tap = t % k;
    for (int j = 0; j < 16; ++j) {
      _mm512_storeu_ps(to + (tap * 16 + i) * 16, r[j]);
      if (++tap == k) tap = 0, ++i;
    }
  }
  if (form == WeightBlocks::inner_out) return;
  for (int64_t tap = 0; tap < k; ++tap) {
    for (int i = 0; i < 16; ++i) r[i] = _mm512_loadu_ps(to + (tap * 16 + i) * 16);
    transpose16(r);
    for (int o = 0; o < 16; ++o) _mm512_storeu_ps(to + (tap * 16 + o) * 16, r[o]);
  }
}

HAFT_TARGET_AVX512 void unpack_block(const float* from, float* to, int64_t stride, int64_t k) {
  __m512 r[16];
  for (int64_t t = 0; t < 16 * k; t += 16) {
    int64_t i = t / k, tap = t % k;
    for (int j = 0; j < 16; ++j) {
      r[j] = _mm512_loadu_ps(from + (tap * 16 + i) * 16);
      if (++tap == k) tap = 0, ++i;
    }
    transpose16(r);
    for (int o = 0; o < 16; ++o) _mm512_storeu_ps(to + o * stride + t, r[o]);
  }
}

template <class F>
void for_blocks(int64_t o, int64_t i, int64_t k, int64_t row, F&& f) {
  int64_t inner = i / 16, work = 256 * k;
  parallel_for(o / 16 * inner, (1 << 16) / work + 1, [&](int64_t b, int64_t e) {
    for (int64_t n = b; n < e; ++n) f(n * work, n / inner * 16 * row + n % inner * 16 * k);
  });
}

}  // namespace

void pack_weight_blocks(WeightBlocks form, const float* from, int64_t row, float* to, int64_t o, int64_t i,
                        int64_t k) {
  for_blocks(o, i, k, row,
             [&](int64_t blocked, int64_t plain) { pack_block(form, from + plain, row, to + blocked, k); });
}

void unpack_weight_blocks(WeightBlocks form, const float* from, float* to, int64_t o, int64_t i, int64_t k) {
  HAFT_ASSERT(form == WeightBlocks::inner_out);
  for_blocks(o, i, k, i * k,
             [&](int64_t blocked, int64_t plain) { unpack_block(from + blocked, to + plain, i * k, k); });
}

void pack_weight_block(WeightBlocks form, const float* from, int64_t row, float* to, int64_t k) {
  pack_block(form, from, row, to, k);
}
void unpack_weight_block(const float* from, float* to, int64_t row, int64_t k) {
  unpack_block(from, to, row, k);
}

}  // namespace haft::cpu

#else

namespace haft::cpu {
void pack_weight_blocks(WeightBlocks, const float*, int64_t, float*, int64_t, int64_t, int64_t) {
  HAFT_ASSERT(false);
}
void unpack_weight_blocks(WeightBlocks, const float*, float*, int64_t, int64_t, int64_t) {
  HAFT_ASSERT(false);
}
void pack_weight_block(WeightBlocks, const float*, int64_t, float*, int64_t) { HAFT_ASSERT(false); }
void unpack_weight_block(const float*, float*, int64_t, int64_t) { HAFT_ASSERT(false); }
}  // namespace haft::cpu

#endif
