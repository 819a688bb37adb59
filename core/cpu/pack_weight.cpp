#include "core/cpu/pack_weight.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/turn16.h"

namespace haft::cpu {
namespace {

// One block: 16 outputs (rows `stride` apart, 16 k floats each) by 16 inputs.
HAFT_TARGET_AVX512 void pack_block(WeightBlocks form, const float* from, int64_t stride, float* to,
                                   int64_t k) {
  f32x16 r[16];
  for (int64_t t = 0; t < 16 * k; t += 16) {
    for (int o = 0; o < 16; ++o) load16(from + o * stride + t, r[o]);
    turn16(r);
    int64_t i = t / k, tap = t % k;
    for (int j = 0; j < 16; ++j) {
      store16(r[j], to + (tap * 16 + i) * 16);
      if (++tap == k) tap = 0, ++i;
    }
  }
  if (form == WeightBlocks::inner_out) return;
  for (int64_t tap = 0; tap < k; ++tap) {
    for (int i = 0; i < 16; ++i) load16(to + (tap * 16 + i) * 16, r[i]);
    turn16(r);
    for (int o = 0; o < 16; ++o) store16(r[o], to + (tap * 16 + o) * 16);
  }
}

HAFT_TARGET_AVX512 void unpack_block(const float* from, float* to, int64_t stride, int64_t k) {
  f32x16 r[16];
  for (int64_t t = 0; t < 16 * k; t += 16) {
    int64_t i = t / k, tap = t % k;
    for (int j = 0; j < 16; ++j) {
      load16(from + (tap * 16 + i) * 16, r[j]);
      if (++tap == k) tap = 0, ++i;
    }
    turn16(r);
    for (int o = 0; o < 16; ++o) store16(r[o], to + o * stride + t);
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
