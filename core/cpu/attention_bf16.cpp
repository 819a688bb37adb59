// Attention with products of bfloat16 and everything else in float32. Forward keeps rows of queries, backward rows of
// keys: there the weights of 16 queries lie in a vector beside the queries' sums, and none of the five products needs
// a transpose of weights.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cpu/attention.h"
#include "core/cpu/bf16_tiles.h"
#include "core/cpu/kernel.h"
#include "core/cpu/rows.h"
#include "core/cpu/turn16.h"

namespace haft::cpu {

#if !defined(__x86_64__)

bool bf16_attention_fits(const AttentionCall&) { return false; }
void bf16_attention(const AttentionCall&, const haft_tensor_view&, float*, int64_t, int64_t, int64_t,
                    int64_t) {}
void bf16_attention_backward(const AttentionCall&, const haft_tensor_view&, const haft_tensor_view&,
                             const float*, const haft_tensor_view&, const haft_tensor_view&, float*, int64_t,
                             int64_t, int64_t, int64_t) {}

#else

namespace {

constexpr int64_t kRows = 32, kKeys = 256;               // forward: a tile of scores stays in the first cache
constexpr int64_t kBackRows = 128, kBackKeys = 128;      // backward: strips of kStrip keys do
constexpr int64_t kStrip = 32, kPitch = kBackRows + 16;  // rows that begin in different sets of the cache
constexpr float kLowest = -std::numeric_limits<float>::infinity(), kLog2e = 1.44269504f, kLn2 = 0.693147181f;

using Words = Scratch<uint16_t>;
using Floats = Scratch<float>;

// `count` rows of x from element `at` on, `stride` apart, as bfloat16 with neighbouring elements: where they lie, or
// a copy.
Bf16Rows rows_of(const haft_tensor_view& x, int64_t at, int64_t count, int64_t stride, HostBuffer& copy) {
  const int64_t width = x.sizes[3], step = x.strides[3];
  if (dtype_of(x) == DType::bf16 && (step == 1 || width == 1))
    return {static_cast<const uint16_t*>(x.data) + at, count, width, stride};
  copy = HostBuffer((count * width + 1) * 2);
  Floats row(width);
  for (int64_t r = 0; r < count; ++r) {
    const int64_t from = at + r * stride;
    load_rows(x, &from, 1, width, step, row.get());
    convert_here(copy.as<uint16_t>() + r * width, DType::bf16, row.get(), DType::f32, width);
  }
  return {copy.as<uint16_t>(), count, width, width};
}
// Rows of head h of batch b: of (N, H, L, E), or of (N, L, H, E).
Bf16Rows head_of(const haft_tensor_view& x, int64_t b, int64_t h, int64_t first, int64_t count,
                 HostBuffer& copy) {
  return rows_of(x, b * x.strides[0] + h * x.strides[1] + first * x.strides[2], count, x.strides[2], copy);
}
Bf16Rows turned_head_of(const haft_tensor_view& x, int64_t b, int64_t h, int64_t first, int64_t count,
                        HostBuffer& copy) {
  return rows_of(x, b * x.strides[0] + h * x.strides[2] + first * x.strides[1], count, x.strides[1], copy);
}

// What the mask adds in columns [j, j + n) of row i, n <= 16; 0 behind them.
HAFT_TARGET_BF16 __m512 mask16(const AttentionCall& a, int64_t b, int64_t h, int64_t i, int64_t j,
                               int64_t n) {
  if (!a.mask || n <= 0) return _mm512_setzero_ps();
  const haft_tensor_view& m = *a.mask;
  const int64_t step = m.strides[3], at = b * m.strides[0] + h * m.strides[1] + i * m.strides[2] + j * step;
  const __mmask16 there = first_lanes(n);
  if (dtype_of(m) == DType::boolean) {
    const uint8_t* p = static_cast<const uint8_t*>(m.data) + at;
    __mmask16 seen = 0;
    if (step == 1)
      seen = _mm_mask_test_epi8_mask(there, _mm_maskz_loadu_epi8(there, p), _mm_set1_epi8(-1));
    else
      for (int64_t c = 0; c < std::min<int64_t>(n, 16); ++c)
        seen = __mmask16(seen | unsigned(p[c * step] != 0) << c);
    return _mm512_maskz_mov_ps(__mmask16(there & ~seen), _mm512_set1_ps(kLowest));
  }
  const float* p = static_cast<const float*>(m.data) + at;
  alignas(64) float row[16] = {};
  if (step != 1)
    for (int64_t c = 0; c < std::min<int64_t>(n, 16); ++c) row[c] = p[c * step];
  const __m512 added = step == 1 ? _mm512_maskz_loadu_ps(there, p) : _mm512_load_ps(row);
  // Finite stays finite in units of log(2), also the type's lowest number; a NaN stays one.
  const __m512 most = _mm512_set1_ps(std::numeric_limits<float>::max() / 2),
               least = _mm512_set1_ps(-std::numeric_limits<float>::max() / 2);
  const __mmask16 infinite = _mm512_cmp_ps_mask(_mm512_abs_ps(added), _mm512_set1_ps(-kLowest), _CMP_EQ_OQ);
  return _mm512_mask_mov_ps(_mm512_min_ps(most, _mm512_max_ps(least, added)), infinite, added);
}

// What dropout makes of the weights in columns [j, j + n) of row i: factors, 0 or 1 / (1 - p).
HAFT_TARGET_BF16 void draw(const AttentionCall& a, int64_t b, int64_t h, int64_t i, int64_t j, int64_t n,
                           float* factors) {
  const double p = a.dropout;
  if (p >= 1) {
    std::fill_n(factors, n, 0.0f);
    return;
  }
  alignas(64) uint32_t words[kKeys + 40];
  const uint64_t first = uint64_t(((b * a.heads + h) * a.queries + i) * a.keys + j),
                 threshold = uint64_t(std::ceil(p * 0x1p24)) << 8;
  philox_words(a.seed, a.offset + first / 4, words, n + int64_t(first % 4));
  const float kept = float(1 / (1 - p));
  for (int64_t c = 0; c < n; ++c) factors[c] = words[first % 4 + uint64_t(c)] >= threshold ? kept : 0.0f;
}
// 0 where dropped, even where x is NaN.
HAFT_BF16_INLINE __m512 dropped(__m512 x, __m512 factor) {
  return _mm512_maskz_mul_ps(_mm512_cmp_ps_mask(factor, _mm512_setzero_ps(), _CMP_NEQ_UQ), x, factor);
}

// What is known of a block of queries: the largest score so far in units of log(2), what is subtracted now, what
// earlier sums are scaled by, and the sums, 16 lanes a row.
struct Rows {
  alignas(64) float top[kRows], shift[kRows], fix[kRows], sum[kRows * 16];
};

// The largest score of a row, of whose columns [seen, all) are not seen.
HAFT_TARGET_BF16 float largest(float* x, int64_t seen, int64_t all) {
  for (int64_t c = seen / 16 * 16; c < all; c += 16)
    _mm512_storeu_ps(x + c, _mm512_mask_loadu_ps(_mm512_set1_ps(kLowest), first_lanes(seen - c), x + c));
  __m512 most = _mm512_loadu_ps(x), other = _mm512_loadu_ps(x + 16);
  for (int64_t c = 32; c < all; c += 32) {
    most = _mm512_max_ps(most, _mm512_loadu_ps(x + c));
    other = _mm512_max_ps(other, _mm512_loadu_ps(x + c + 16));
  }
  return _mm512_reduce_max_ps(_mm512_max_ps(most, other));
}
// rows.fix holds the largest of this block; `factor` turns them into units of log(2).
HAFT_TARGET_BF16 void raise(Rows& rows, float factor) {
  for (int64_t r = 0; r < kRows; r += 16) {
    const __m512 before = _mm512_load_ps(rows.top + r), lowest = _mm512_set1_ps(kLowest);
    const __m512 now = _mm512_max_ps(_mm512_mul_ps(_mm512_load_ps(rows.fix + r), _mm512_set1_ps(factor)),
                                     before);  // a NaN is left to the sums
    const __m512 shift = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(now, lowest, _CMP_NEQ_UQ), now);
    _mm512_store_ps(rows.top + r, now);
    _mm512_store_ps(rows.shift + r, shift);
    _mm512_store_ps(rows.fix + r, exp2_short(_mm512_sub_ps(before, shift)));
  }
}
// Row r of scores x as weights p.
HAFT_TARGET_BF16 void weigh(const float* x, int64_t all, float factor, const float* kept, uint16_t* p,
                            Rows& rows, int64_t r) {
  const __m512 scale = _mm512_set1_ps(factor), less = _mm512_set1_ps(-rows.shift[r]);
  __m512 low = _mm512_mul_ps(_mm512_load_ps(rows.sum + 16 * r), _mm512_set1_ps(rows.fix[r])),
         high = _mm512_setzero_ps();
  for (int64_t c = 0; c < all; c += 32) {
    __m512 u = exp2_short(_mm512_fmadd_ps(_mm512_loadu_ps(x + c), scale, less));
    __m512 v = exp2_short(_mm512_fmadd_ps(_mm512_loadu_ps(x + c + 16), scale, less));
    low = _mm512_add_ps(low, u);
    high = _mm512_add_ps(high, v);
    if (kept) u = dropped(u, _mm512_loadu_ps(kept + c)), v = dropped(v, _mm512_loadu_ps(kept + c + 16));
    _mm512_storeu_si512(p + c, bf16_of(u, v));
  }
  _mm512_store_ps(rows.sum + 16 * r, _mm512_add_ps(low, high));
}
HAFT_TARGET_BF16 float sum_of(const Rows& rows, int64_t r) {
  return _mm512_reduce_add_ps(_mm512_load_ps(rows.sum + 16 * r));
}

HAFT_TARGET_BF16 void scale_row(float* x, int64_t n, float by) {
  for (int64_t d = 0; d < n; d += 16)
    _mm512_storeu_ps(x + d, _mm512_mul_ps(_mm512_loadu_ps(x + d), _mm512_set1_ps(by)));
}

// x (n) times `by` into n elements of y from `at` on, `step` apart. x is used up.
HAFT_TARGET_BF16 void put_row(float* x, int64_t n, float by, const haft_tensor_view& y, int64_t at,
                              int64_t step) {
  if (dtype_of(y) != DType::bf16 || step != 1) {
    scale_row(x, whole(n, 16), by);
    return store_rows(x, y, &at, 1, n, step);
  }
  uint16_t* const to = static_cast<uint16_t*>(y.data) + at;
  for (int64_t d = 0; d < n; d += 16)
    _mm256_mask_storeu_epi16(to + d, first_lanes(n - d),
                             bf16_of(_mm512_mul_ps(_mm512_loadu_ps(x + d), _mm512_set1_ps(by))));
}

// Scores that weigh() cannot scale by itself, in units of log(2): the mask's, whose sums must not be rounded twice,
// and those of a scale that is not positive.
HAFT_TARGET_BF16 void add_mask(const AttentionCall& a, int64_t b, int64_t h, int64_t i, int64_t j, int64_t n,
                               float* x) {
  const __m512 scale = _mm512_set1_ps(float(a.scale) * kLog2e);
  for (int64_t c = 0; c < n; c += 16) {
    const __m512 m = mask16(a, b, h, i, j + c, n - c);
    const __mmask16 hidden = _mm512_cmp_ps_mask(m, _mm512_set1_ps(kLowest), _CMP_EQ_OQ);
    _mm512_storeu_ps(x + c, _mm512_mask_mov_ps(_mm512_fmadd_ps(_mm512_loadu_ps(x + c), scale,
                                                               _mm512_mul_ps(m, _mm512_set1_ps(kLog2e))),
                                               hidden, _mm512_set1_ps(kLowest)));
  }
}

// Query blocks part, part + parts, ... of head h of batch b.
void forward_head(const AttentionCall& a, const haft_tensor_view& out, float* lse, int64_t b, int64_t h,
                  int64_t part, int64_t parts) {
  const int64_t deep = whole(a.width, 32), wide = whole(a.value_width, 16), keys = whole(a.keys, 32),
                own = h / a.group();
  const int64_t pitch = std::min(kKeys, keys) + 32;
  const Words kt(keys * deep), v(keys * wide), q(kRows * deep), p(kRows * pitch);
  const Floats s(kRows * pitch), acc(kRows * wide);
  HostBuffer copy;
  pair_columns(head_of(a.k, b, own, 0, a.keys, copy), keys, kt.get());
  pair_rows(head_of(a.v, b, own, 0, a.keys, copy), keys, v.get());
  lse += (b * a.heads + h) * a.queries;
  const bool plain = !a.mask && a.scale > 0;
  const float factor = plain ? float(a.scale) * kLog2e : 1;
  alignas(64) float kept[kKeys] = {};
  const TilesInUse tiles;
  // A causal head's long ones first.
  for (int64_t block = (a.queries + kRows - 1) / kRows - 1 - part; block >= 0; block -= parts) {
    const int64_t i = block * kRows, rows = std::min(kRows, a.queries - i), even = whole(rows, 16);
    copy_rows(head_of(a.q, b, h, i, rows, copy), even, q.get());
    Rows state;
    std::fill_n(state.top, kRows, kLowest);
    std::fill_n(state.fix, kRows, kLowest);
    std::fill_n(state.sum, kRows * 16, 0.0f);
    const int64_t last = a.causal ? std::min(a.keys, i + rows) : a.keys;
    for (int64_t j = 0; j < last; j += kKeys) {
      const int64_t n = std::min(kKeys, last - j), all = whole(n, 32);
      auto seen = [&](int64_t r) { return a.causal ? std::clamp<int64_t>(i + r + 1 - j, 0, n) : n; };
      bf16_product(even, all, deep, q.get(), deep, kt.get() + j * deep, deep * 16, s.get(), pitch, false);
      for (int64_t r = 0; r < rows; ++r) {
        float* const x = s.get() + r * pitch;
        if (!plain) add_mask(a, b, h, i + r, j, seen(r), x);
        state.fix[r] = largest(x, seen(r), all);
      }
      raise(state, factor);
      for (int64_t r = 0; r < rows; ++r) {
        if (a.dropout > 0) draw(a, b, h, i + r, j, seen(r), kept);
        weigh(s.get() + r * pitch, all, factor, a.dropout > 0 ? kept : nullptr, p.get() + r * pitch, state,
              r);
        if (j && state.fix[r] != 1) scale_row(acc.get() + r * wide, wide, state.fix[r]);
      }
      bf16_product(even, wide, all, p.get(), pitch, v.get() + j * 16, keys * 16, acc.get(), wide, j > 0);
    }
    for (int64_t r = 0; r < rows; ++r) {
      float* const x = acc.get() + r * wide;
      const float sum = sum_of(state, r), top = state.top[r];
      const bool blind = top == kLowest && sum == 0;
      if (blind) std::fill_n(x, wide, 0.0f);
      put_row(x, a.value_width, blind ? 1 : 1 / sum, out,
              b * out.strides[0] + (i + r) * out.strides[1] + h * out.strides[2], out.strides[3]);
      lse[i + r] = blind ? kLowest : top * kLn2 + std::log(sum);
    }
  }
}

// ---- backward ----

// What a head's queries are to its keys: operands of the products, packed once.
struct Queries {
  int64_t lines;                           // queries with those that fill the last tile
  Words turned, grad_turned, rows, grads;  // pair_columns and pair_rows of queries and of gradients
  // (lines): logarithm to base 2 of a row's sum, and what its gradients have in common; gradients of queries.
  Floats shift, delta, sum;

  Queries(const AttentionCall& a, int64_t lines)
      : lines(lines),
        turned(lines * whole(a.width, 32)),
        grad_turned(lines * whole(a.value_width, 32)),
        rows(lines * whole(a.width, 16)),
        grads(lines * whole(a.value_width, 16)),
        shift(lines),
        delta(lines),
        sum(whole(lines, kBackRows) * whole(a.width, 16)) {}
};

HAFT_TARGET_BF16 float dot(const uint16_t* x, const uint16_t* y, int64_t n) {
  __m512 s = _mm512_setzero_ps();
  for (int64_t d = 0; d < n; d += 16) {
    const __mmask16 m = first_lanes(n - d);
    s = _mm512_fmadd_ps(f32_of(_mm256_maskz_loadu_epi16(m, x + d)),
                        f32_of(_mm256_maskz_loadu_epi16(m, y + d)), s);
  }
  return _mm512_reduce_add_ps(s);
}

void read_queries(const AttentionCall& a, const haft_tensor_view& grad, const haft_tensor_view& out,
                  const float* lse, int64_t b, int64_t h, Queries& to) {
  HostBuffer copy, other;
  const Bf16Rows q = head_of(a.q, b, h, 0, a.queries, copy);
  pair_columns(q, to.lines, to.turned.get());
  pair_rows(q, to.lines, to.rows.get());
  const Bf16Rows g = turned_head_of(grad, b, h, 0, a.queries, copy),
                 y = turned_head_of(out, b, h, 0, a.queries, other);
  pair_columns(g, to.lines, to.grad_turned.get());
  pair_rows(g, to.lines, to.grads.get());
  lse += (b * a.heads + h) * a.queries;
  for (int64_t i = 0; i < to.lines; ++i) {
    const bool there = i < a.queries && lse[i] != kLowest;
    to.shift[i] = there ? lse[i] * kLog2e : -kLowest;  // a weight of 0
    to.delta[i] = there ? dot(g.data + i * g.pitch, y.data + i * y.pitch, g.width) : 0;
  }
  std::fill_n(to.sum.get(), whole(to.lines, kBackRows) * whole(a.width, 16), 0.0f);
}

// A strip: keys [key, key + kStrip), of which `there` exist, and queries [query, query + columns) of one head.
struct Strip {
  int64_t key, there, query, columns;
  const float *scores, *products;  // (kStrip, kPitch): q k and g v
  const float *mask, *kept;        // of that shape; may be NULL
  const float *shift, *delta;      // of the first query
  uint16_t *weights, *slopes;      // (kStrip, kPitch): what value's and key's gradients are made of
  uint16_t* pairs;                 // slopes as the other operand, in panels of kBackKeys * 16
};

HAFT_BF16_INLINE void slope(const Strip& s, bool causal, float factor, int64_t r, int64_t q, __m512& weight,
                            __m512& slope) {
  const int64_t at = r * kPitch + q;
  __mmask16 seen = __mmask16(r < s.there ? 0xffff : 0);
  if (causal) seen = __mmask16(seen & ~first_lanes(s.key + r - s.query - q));
  __m512 x =
      _mm512_fmsub_ps(_mm512_loadu_ps(s.scores + at), _mm512_set1_ps(factor), _mm512_loadu_ps(s.shift + q));
  if (s.mask) {
    const __m512 m = _mm512_loadu_ps(s.mask + at);
    seen = _mm512_mask_cmp_ps_mask(seen, m, _mm512_set1_ps(kLowest), _CMP_NEQ_UQ);
    x = _mm512_fmadd_ps(m, _mm512_set1_ps(kLog2e), x);
  }
  x = _mm512_min_ps(_mm512_setzero_ps(), x);  // above 0 by what rounding left of a large mask
  weight = _mm512_maskz_mov_ps(seen, exp2_short(x));
  __m512 dp = _mm512_loadu_ps(s.products + at), p = weight;
  if (s.kept) {
    const __m512 f = _mm512_loadu_ps(s.kept + at);
    weight = dropped(weight, f);
    dp = dropped(dp, f);
  }
  slope = _mm512_maskz_mul_ps(seen, p, _mm512_sub_ps(dp, _mm512_loadu_ps(s.delta + q)));
}

HAFT_TARGET_BF16 void slopes_of(const Strip& s, bool causal, float factor) {
  alignas(64) static constexpr uint16_t kZip[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                    21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                    11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i zip = _mm512_load_si512(kZip);
  causal = causal && s.key + kStrip > s.query;
  for (int64_t r = 0; r < kStrip; r += 2)
    for (int64_t q = 0; q < s.columns; q += 32) {
      __m512 p[4], d[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) slope(s, causal, factor, r + k / 2, q + k % 2 * 16, p[k], d[k]);
      const int64_t at = r * kPitch + q;
      _mm512_storeu_si512(s.weights + at, bf16_of(p[0], p[1]));
      _mm512_storeu_si512(s.weights + at + kPitch, bf16_of(p[2], p[3]));
      _mm512_storeu_si512(s.slopes + at, bf16_of(d[0], d[1]));
      _mm512_storeu_si512(s.slopes + at + kPitch, bf16_of(d[2], d[3]));
      uint16_t* const to = s.pairs + q * kBackKeys + r * 16;
      _mm512_storeu_si512(to, _mm512_permutexvar_epi16(zip, bf16_of(d[0], d[2])));
      _mm512_storeu_si512(to + 16 * kBackKeys, _mm512_permutexvar_epi16(zip, bf16_of(d[1], d[3])));
    }
}

// What the mask adds, or what dropout leaves, of a strip: keys in rows.
HAFT_TARGET_BF16 void turn_strip(const AttentionCall& a, int64_t b, int64_t h, const Strip& s, bool drawn,
                                 float* to) {
  const int64_t keys = std::min(kStrip, a.keys - s.key);
  alignas(64) float row[16][kStrip] = {};
  for (int64_t q = 0; q < s.columns; q += 16) {
    const int64_t rows = std::clamp<int64_t>(a.queries - s.query - q, 0, 16);
    if (drawn)
      for (int64_t i = 0; i < rows; ++i) draw(a, b, h, s.query + q + i, s.key, keys, row[i]);
    for (int64_t c = 0; c < kStrip; c += 16) {
      f32x16 t[16];
      for (int64_t i = 0; i < 16; ++i)
        t[i] = f32x16(drawn      ? _mm512_load_ps(row[i] + c)
                      : i < rows ? mask16(a, b, h, s.query + q + i, s.key + c, keys - c)
                                 : _mm512_setzero_ps());
      turn16(t);
      for (int64_t i = 0; i < 16; ++i) _mm512_storeu_ps(to + (c + i) * kPitch + q, __m512(t[i]));
    }
  }
}

// sum, in blocks of (width, kBackRows), as rows.
HAFT_TARGET_BF16 void write_queries(const Floats& sum, int64_t queries, int64_t wide, float* to) {
  for (int64_t i = 0; i < queries; i += 16)
    for (int64_t d = 0; d < wide; d += 16) {
      f32x16 t[16];
      const float* const from = sum.get() + i / kBackRows * kBackRows * wide + d * kBackRows + i % kBackRows;
      for (int64_t k = 0; k < 16; ++k) load16(from + k * kBackRows, t[k]);
      turn16(t);
      for (int64_t k = 0; k < std::min<int64_t>(16, queries - i); ++k) store16(t[k], to + (i + k) * wide + d);
    }
}

// Key blocks part, part + parts, ... of key head `own` of batch b.
void backward_head(const AttentionCall& a, const haft_tensor_view& grad, const haft_tensor_view& out,
                   const float* lse, const haft_tensor_view& dk, const haft_tensor_view& dv, float* dq,
                   int64_t b, int64_t own, int64_t part, int64_t parts) {
  const int64_t deep = whole(a.width, 32), wide = whole(a.value_width, 32), e = whole(a.width, 16),
                ev = whole(a.value_width, 16);
  const int64_t group = a.group(), lines = whole(a.queries, 32);
  const float factor = float(a.scale) * kLog2e;
  std::vector<Queries> heads;
  heads.reserve(size_t(group));
  for (int64_t m = 0; m < group; ++m)
    read_queries(a, grad, out, lse, b, own * group + m, heads.emplace_back(a, lines));
  const Words k(kBackKeys * deep), v(kBackKeys * wide), pairs(kBackKeys * deep), kt(kBackKeys * deep),
      weights(kBackKeys * kPitch), slopes(kBackKeys * kPitch), of_queries(kBackKeys * kBackRows);
  const Floats my_dk(kBackKeys * e), my_dv(kBackKeys * ev), s(kStrip * kPitch), g(kStrip * kPitch),
      mask(a.mask ? kStrip * kPitch : 1), kept(a.dropout > 0 ? kStrip * kPitch : 1);
  HostBuffer copy;
  const TilesInUse tiles;
  for (int64_t j = part * kBackKeys; j < a.keys; j += parts * kBackKeys) {
    const int64_t keys = std::min(kBackKeys, a.keys - j), tall = whole(keys, kStrip);
    const Bf16Rows rows = head_of(a.k, b, own, j, keys, copy);
    copy_rows(rows, tall, k.get());
    pair_columns(rows, tall, pairs.get());
    split_pairs(pairs.get(), a.width, tall, kt.get());
    copy_rows(head_of(a.v, b, own, j, keys, copy), tall, v.get());
    std::fill_n(my_dk.get(), tall * e, 0.0f);
    std::fill_n(my_dv.get(), tall * ev, 0.0f);
    for (int64_t m = 0; m < group; ++m)
      for (int64_t i = a.causal ? j / kBackRows * kBackRows : 0; i < lines; i += kBackRows) {
        const Queries& x = heads[size_t(m)];
        const int64_t n = std::min(kBackRows, lines - i);
        for (int64_t t = 0; t < tall; t += kStrip) {
          const int64_t from = a.causal ? std::clamp<int64_t>(j + t - i, 0, n) : 0, q = i + from,
                        columns = n - from;  // earlier ones see none of it
          if (!columns) continue;
          bf16_product(kStrip, columns, deep, k.get() + t * deep, deep, x.turned.get() + q * deep, deep * 16,
                       s.get(), kPitch, false);
          bf16_product(kStrip, columns, wide, v.get() + t * wide, wide, x.grad_turned.get() + q * wide,
                       wide * 16, g.get(), kPitch, false);
          const Strip strip{j + t,
                            keys - t,
                            q,
                            columns,
                            s.get(),
                            g.get(),
                            a.mask ? mask.get() : nullptr,
                            a.dropout > 0 ? kept.get() : nullptr,
                            x.shift.get() + q,
                            x.delta.get() + q,
                            weights.get() + t * kPitch + from,
                            slopes.get() + t * kPitch + from,
                            of_queries.get() + from * kBackKeys + t * 16};
          if (a.mask) turn_strip(a, b, own * group + m, strip, false, mask.get());
          if (a.dropout > 0) turn_strip(a, b, own * group + m, strip, true, kept.get());
          slopes_of(strip, a.causal, factor);
          bf16_product(kStrip, ev, columns, strip.weights, kPitch, x.grads.get() + q * 16, lines * 16,
                       my_dv.get() + t * ev, ev, true);
          bf16_product(kStrip, e, columns, strip.slopes, kPitch, x.rows.get() + q * 16, lines * 16,
                       my_dk.get() + t * e, e, true);
        }
        float* const sum = x.sum.get() + i * e;
        // On the diagonal as many keys as are seen.
        const int64_t step = a.causal && i < j + kBackKeys ? 32 : n;
        for (int64_t q = 0; q < n; q += step) {
          const int64_t seen = a.causal ? std::clamp<int64_t>(i + q + step - j, 0, tall) : tall;
          if (seen)
            bf16_product(e, step, seen, kt.get(), tall, of_queries.get() + q * kBackKeys, kBackKeys * 16,
                         sum + q, kBackRows, true);
        }
      }
    for (int64_t r = 0; r < keys; ++r) {
      put_row(my_dk.get() + r * e, a.width, float(a.scale), dk,
              b * dk.strides[0] + (j + r) * dk.strides[1] + own * dk.strides[2], dk.strides[3]);
      put_row(my_dv.get() + r * ev, a.value_width, 1, dv,
              b * dv.strides[0] + (j + r) * dv.strides[1] + own * dv.strides[2], dv.strides[3]);
    }
  }
  const int64_t rows = whole(a.queries, 6);
  for (int64_t m = 0; m < group; ++m, dq += rows * e) {
    write_queries(heads[size_t(m)].sum, a.queries, e, dq);
    std::fill_n(dq + a.queries * e, (rows - a.queries) * e, 0.0f);
  }
}

}  // namespace

bool bf16_attention_fits(const AttentionCall& a) {
  return dtype_of(a.q) == DType::bf16 && a.width > 0 && a.value_width > 0 && a.keys > 0 &&
         bf16_isa() != Bf16Isa::none;
}
void bf16_attention(const AttentionCall& a, const haft_tensor_view& out, float* lse, int64_t b, int64_t h,
                    int64_t part, int64_t parts) {
  forward_head(a, out, lse, b, h, part, parts);
}
void bf16_attention_backward(const AttentionCall& a, const haft_tensor_view& grad,
                             const haft_tensor_view& out, const float* lse, const haft_tensor_view& dk,
                             const haft_tensor_view& dv, float* dq, int64_t b, int64_t own, int64_t part,
                             int64_t parts) {
  backward_head(a, grad, out, lse, dk, dv, dq, b, own, part, parts);
}

#endif

}  // namespace haft::cpu
