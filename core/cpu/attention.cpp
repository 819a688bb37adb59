// Attention in tiles, forward and backward: core/README.md tells the design.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/attention.cpp"
#include "core/cpu/foreach_target.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/cpu/attention.h"
#include "core/cpu/rows.h"
#include "core/cpu/simd_power.h"
#include "core/cpu/turn16.h"

#ifndef HAFT_ONCE
#define HAFT_ONCE [[gnu::noinline, gnu::noclone]]  // one copy of a function, whoever calls it
#endif

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

constexpr int64_t kRows = 6;                              // of the register kernel
constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;  // columns of it, in vectors
// Of a tile at most: multiples of the kernel's rows and columns.
constexpr int64_t kQueries = 96, kKeys = 384, kForwardKeys = 512;
// Rows whose scores become weights while they are in the first cache, and how many a state of them has room for, in
// whole vectors.
constexpr int64_t kStrip = 12, kLines = 16;
// Elements behind a row of scores: rows, and columns of them, begin in different sets of the cache.
constexpr int64_t kApart = 16;

constexpr int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
// Operands are packed with rows of whole vectors; zeros fill what is not there.
constexpr int64_t padded(int64_t width) { return up(std::max<int64_t>(width, 1), 16); }

// c (6 rows x N vectors) = a b, or += a b: a's element (m, k) at a[m * ar + k * ac], b's row k at b + k * ldb.
template <class T, int N>
HAFT_ONCE void tile(int64_t depth, const T* HWY_RESTRICT a, int64_t ar, int64_t ac, const T* HWY_RESTRICT b,
                    int64_t ldb, T* HWY_RESTRICT c, int64_t ldc, bool add) {
  using V = Lanes<T>;
  V s[kRows][N];
#pragma GCC unroll 6
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) s[m][n] = V(T(0));
  for (int64_t k = 0; k < depth; ++k, a += ac, b += ldb) {
    V row[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) row[n] = V::load(b + n * V::kSize);
#pragma GCC unroll 6
    for (int m = 0; m < kRows; ++m) {
      const V x(a[m * ar]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) s[m][n] = fma(x, row[n], s[m][n]);
    }
  }
#pragma GCC unroll 6
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {  // what was there is read last, so that no product waits for it
      T* const to = c + m * ldc + n * V::kSize;
      (add ? s[m][n] + V::load(to) : s[m][n]).store(to);
    }
}

// Which matrix of a product is empty above a diagonal: its element (m, n) is there where n <= m + offset.
struct Diagonal {
  enum Of { nothing, result, left, left_turned } of = nothing;
  int64_t offset = 0;
};

// c (rows x vectors) = or += a b; rows are rounded up to whole tiles. b lies in panels of kVectors vectors, `panel`
// apart. What the diagonal leaves out is not read, and of the result not written.
template <class T>
HAFT_ONCE void product(int64_t rows, int64_t vectors, int64_t depth, const T* a, int64_t ar, int64_t ac,
                       const T* b, int64_t ldb, int64_t panel, T* c, int64_t ldc, bool add,
                       Diagonal diagonal = {}) {
  constexpr int64_t kSize = Lanes<T>::kSize;
  for (int64_t n = 0; n < vectors; n += kVectors, b += panel)
    for (int64_t m = 0; m < rows; m += kRows) {
      int64_t some = std::min<int64_t>(kVectors, vectors - n), from = 0, to = depth;
      if (diagonal.of == Diagonal::result)
        some =
            std::min(some, up(std::max<int64_t>(m + kRows + diagonal.offset - n * kSize, 0), kSize) / kSize);
      if (diagonal.of == Diagonal::left) to = std::clamp<int64_t>(m + kRows + diagonal.offset, 0, depth);
      if (diagonal.of == Diagonal::left_turned) from = std::clamp<int64_t>(m - diagonal.offset, 0, depth);
      const T *const x = a + m * ar + from * ac, *const y = b + from * ldb;
      T* const z = c + m * ldc + n * kSize;
      switch (some) {
        case 0: break;
        case 1: tile<T, 1>(to - from, x, ar, ac, y, ldb, z, ldc, add); break;
        case 2: tile<T, 2>(to - from, x, ar, ac, y, ldb, z, ldc, add); break;
        case 3: tile<T, std::min(kVectors, 3)>(to - from, x, ar, ac, y, ldb, z, ldc, add); break;
        default: tile<T, kVectors>(to - from, x, ar, ac, y, ldb, z, ldc, add);
      }
    }
}

// Rows [first, first + count) of head h of batch b of x (N, H, rows, width), times `scale`, as rows of padded(width);
// zeros up to `total` rows.
template <class T>
HAFT_ONCE void pack(const haft_tensor_view& x, int64_t b, int64_t h, int64_t first, int64_t count,
                    int64_t total, T scale, T* to) {
  const int64_t width = x.sizes[3], pitch = padded(width), step = x.strides[3];
  const int64_t origin = b * x.strides[0] + h * x.strides[1] + first * x.strides[2];
  const bool direct = dtype_of(x) == DTypeOf<T>::value && step == 1;
  for (int64_t r = 0; r < count; ++r, to += pitch) {
    const int64_t at = origin + r * x.strides[2];
    const T* from = static_cast<const T*>(x.data) + at;
    if (!direct) {
      load_rows(x, &at, 1, width, step, to);
      from = to;
    }
    if (from != to || scale != T(1))
      sweep<T>(width, [&](int64_t i, auto part) HWY_ATTR {
        (Lanes<T>::load(from + i, part, T(0)) * Lanes<T>(scale)).store(to + i, part);
      });
    std::fill(to + width, to + pitch, T(0));
  }
  std::fill(to, to + (total - count) * pitch, T(0));
}

// Rows (count, pitch) as panels of columns: [count / columns][pitch][columns]. count is a multiple of 16 and of
// columns.
template <class T>
HAFT_ONCE void turn(const T* rows, int64_t count, int64_t pitch, T* to) {
  using V = Lanes<T>;
  constexpr int64_t kColumns = kVectors * V::kSize;
  for (int64_t j = 0; j < count; j += kColumns, to += kColumns * pitch)
    if constexpr (sizeof(T) == 4 && V::kSize == 16) {
      for (int64_t c = 0; c < kColumns; c += 16)
        for (int64_t d = 0; d < pitch; d += 16) {
          f32x16 r[16];
          for (int i = 0; i < 16; ++i) {
            load16(rows + (j + c + i) * pitch + d, r[i]);
            __builtin_prefetch(rows + (j + c + i + 16) * pitch + d);
          }
          turn16(r);
          for (int i = 0; i < 16; ++i) store16(r[i], to + (d + i) * kColumns + c);
        }
    } else {
      for (int64_t d = 0; d < pitch; ++d)
        for (int64_t c = 0; c < kColumns; ++c) to[d * kColumns + c] = rows[(j + c) * pitch + d];
    }
}

// What a row of scores, columns [j, j + n) of row i, becomes by the mask; columns up to `all` are -infinity. Scores
// are in units of log(2), so that a weight is a power of 2.
template <class T>
// What a mask adds; finite stays finite, also the type's lowest number.
HWY_INLINE Lanes<T> in_powers(Lanes<T> mask) {
  using V = Lanes<T>;
  constexpr T most = std::numeric_limits<T>::max() / 2;
  const V kept = select(mask < V(-most), V(-most), select(mask > V(most), V(most), mask));
  return select(abs(mask) == V(std::numeric_limits<T>::infinity()), mask, kept) * V(kLog2e<T>);
}
template <class T>
HAFT_ONCE void mask_row(const AttentionCall& a, int64_t b, int64_t h, int64_t i, int64_t j, int64_t n,
                        int64_t all, T* x) {
  using V = Lanes<T>;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  for (int64_t c = n; c < all; ++c) x[c] = lowest;
  if (!a.mask || n <= 0) return;
  const haft_tensor_view& m = *a.mask;
  const int64_t step = m.strides[3], at = b * m.strides[0] + h * m.strides[1] + i * m.strides[2] + j * step;
  if (dtype_of(m) == DType::boolean) {
    const uint8_t* p = static_cast<const uint8_t*>(m.data) + at;
    int64_t c = 0;
    if (step == 1)
      for (; c + V::kSize <= n; c += V::kSize)
        select(LaneMask<T>::load(p + c), V::load(x + c), V(lowest)).store(x + c);
    for (; c < n; ++c) x[c] = p[c * step] ? x[c] : lowest;
  } else {
    const T* p = static_cast<const T*>(m.data) + at;
    if (step == 1)
      sweep<T>(n, [&](int64_t c, auto part) HWY_ATTR {
        (in_powers(V::load(p + c, part, T(0))) + V::load(x + c, part, T(0))).store(x + c, part);
      });
    else
      for (int64_t c = 0; c < n; ++c) {
        alignas(64) T added[V::kSize];
        in_powers(V(p[c * step])).store(added);
        x[c] += added[0];
      }
  }
}

// What dropout makes of the weights in columns [j, j + n) of row i: factors, 0 or 1 / (1 - p).
template <class T>
HAFT_ONCE void draw_row(const AttentionCall& a, int64_t b, int64_t h, int64_t i, int64_t j, int64_t n,
                        T* factors) {
  const double p = a.dropout;
  if (n <= 0) return;
  if (p >= 1) {
    std::fill_n(factors, n, T(0));
    return;
  }
  alignas(64) uint32_t words[kForwardKeys + 40];
  const uint64_t first = uint64_t(((b * a.heads + h) * a.queries + i) * a.keys + j);
  philox_words(a.seed, a.offset + first / 4, words, n + int64_t(first % 4));
  const uint32_t* w = words + first % 4;
  const uint64_t threshold = uint64_t(std::ceil(p * 0x1p24)) << 8;
  const T kept = T(1 / (1 - p));
  for (int64_t c = 0; c < n; ++c) factors[c] = w[c] >= threshold ? kept : T(0);
}
// x times what was drawn; 0 where dropped, even where x is NaN.
template <class T>
HWY_INLINE Lanes<T> dropped(Lanes<T> x, Lanes<T> factor) {
  return select(factor == Lanes<T>(T(0)), Lanes<T>(T(0)), x * factor);
}

// Columns of a tile that row i sees.
inline int64_t seen(const AttentionCall& a, int64_t i, int64_t j, int64_t n) {
  return a.causal ? std::clamp<int64_t>(i + 1 - j, 0, n) : n;
}
// Columns of a tile that a product reads of row i, in whole vectors: those that the last row of its six sees.
template <class T>
int64_t reach(const AttentionCall& a, int64_t i, int64_t j, int64_t n) {
  return up(seen(a, i + kRows - 1, j, n), Lanes<T>::kSize);
}

// Writes `count` rows (rows of padded(width)) to (N, rows, H, width), row r times by[r * step_by].
template <class T>
HAFT_ONCE void unpack(T* from, const haft_tensor_view& y, int64_t b, int64_t h, int64_t first, int64_t count,
                      const T* by, int64_t step_by) {
  const int64_t width = y.sizes[3], pitch = padded(width), step = y.strides[3];
  for (int64_t r = 0; r < count; ++r, from += pitch, by += step_by) {
    const int64_t at = b * y.strides[0] + (first + r) * y.strides[1] + h * y.strides[2];
    const bool direct = dtype_of(y) == DTypeOf<T>::value && step == 1;
    T* to = direct ? static_cast<T*>(y.data) + at : from;
    sweep<T>(width, [&](int64_t i, auto part) HWY_ATTR {
      (Lanes<T>::load(from + i, part, T(0)) * Lanes<T>(*by)).store(to + i, part);
    });
    if (!direct) store_rows(from, y, &at, 1, width, step);
  }
}

// What is known of queries: the largest score so far, what is subtracted now, what earlier sums are scaled by, and the
// sums, a vector a row.
template <class T>
struct Rows {
  T *top, *shift, *fix, *sum;
  Rows from(int64_t r) const { return {top + r, shift + r, fix + r, sum + r * Lanes<T>::kSize}; }
};

// The largest of whole vectors, whose maxima wait for each other in fours.
template <class T>
HAFT_ONCE T largest(const T* x, int64_t n) {
  using V = Lanes<T>;
  V most[4];
  for (V& m : most) m = V(-std::numeric_limits<T>::infinity());
  int64_t c = 0;
  for (; c + 4 * V::kSize <= n; c += 4 * V::kSize)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) most[k] = max(most[k], V::load(x + c + k * V::kSize));
  for (; c < n; c += V::kSize) most[0] = max(most[0], V::load(x + c));
  return max(max(most[0], most[1]), max(most[2], most[3])).top();
}
// rows.fix holds the largest of this block. A NaN is left to the sums.
template <class T>
HAFT_ONCE void raise(const Rows<T>& rows) {
  using V = Lanes<T>;
  const V lowest(-std::numeric_limits<T>::infinity());
  for (int64_t r = 0; r < kLines; r += V::kSize) {
    const V before = V::load(rows.top + r), now = max(V::load(rows.fix + r), before),
            shift = select(now == lowest, V(T(0)), now);
    now.store(rows.top + r);
    shift.store(rows.shift + r);
    power_of_2_or_0(before - shift).store(rows.fix + r);
  }
}
// Scores of row r, whole vectors of them, as weights.
template <class T>
HAFT_ONCE void weigh(T* x, int64_t n, const Rows<T>& rows, int64_t r) {
  using V = Lanes<T>;
  T* const sum = rows.sum + r * V::kSize;
  const V shift(rows.shift[r]);
  V total = V::load(sum) * V(rows.fix[r]);
  for (int64_t c = 0; c < n; c += V::kSize) {
    const V e = power_of_2_or_0(V::load(x + c) - shift);
    total = total + e;
    e.store(x + c);
  }
  total.store(sum);
}
// Answers the logarithms of the rows' sums, and leaves in fix what results are to be multiplied by.
template <class T>
HAFT_ONCE void finish(const Rows<T>& rows, int64_t count, T* lse) {
  using V = Lanes<T>;
  const V lowest(-std::numeric_limits<T>::infinity());
  for (int64_t r = 0; r < count; ++r) rows.fix[r] = V::load(rows.sum + r * V::kSize).sum();
  sweep<T>(count, [&](int64_t r, auto part) HWY_ATTR {
    const V sum = V::load(rows.fix + r), top = V::load(rows.top + r);
    const LaneMask<T> blind = (top == lowest) & (sum == V(T(0)));
    select(blind, lowest, fma(top, V(kLn2<T>), log(sum))).store(lse + r, part);
    select(blind, V(T(0)), V(T(1)) / sum).store(rows.fix + r);
  });
}

// Memory of a task, cut into pieces.
template <class T>
struct Pieces {
  HostBuffer buffer;
  T* at;
  explicit Pieces(int64_t n) : buffer((n + 64) * int64_t(sizeof(T))), at(buffer.as<T>()) {}
  T* take(int64_t n) {
    T* p = at;
    at += n;
    return p;
  }
};

// Scores of a few rows of q (pitch ldq) and n keys where they lie, `step` apart.
template <class T>
HAFT_ONCE void dots(int64_t rows, int64_t n, int64_t width, const T* q, int64_t ldq, const T* k, int64_t step,
                    T* s, int64_t ld) {
  for (int64_t c = 0; c < n; ++c, k += step)
    for (int64_t r = 0; r < rows; ++r) {
      Lanes<T> sum(T(0));
      sweep<T>(width, [&](int64_t d, auto part) HWY_ATTR {
        sum = fma(Lanes<T>::load(q + r * ldq + d, part, T(0)), Lanes<T>::load(k + d, part, T(0)), sum);
      });
      s[r * ld + c] = sum.sum();
    }
}
// True where packing would cost more than it saves, and keys and values can be read where they lie.
template <class T>
bool in_place(const AttentionCall& a) {
  for (const haft_tensor_view* x : {&a.k, &a.v})
    if (dtype_of(*x) != DTypeOf<T>::value || (x->strides[3] != 1 && x->sizes[3] != 1)) return false;
  return a.queries <= 4 && a.value_width > 0 && a.value_width % 16 == 0;
}

// Query blocks part, part + parts, ... of head h of batch b. lse (N, H, L) dense.
template <class T>
void forward_head(const AttentionCall& a, const haft_tensor_view& out, T* lse, int64_t b, int64_t h,
                  int64_t part, int64_t parts) {
  using V = Lanes<T>;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  constexpr int64_t kColumns = kVectors * V::kSize;
  const int64_t width = padded(a.width), wide = padded(a.value_width),
                keys = up(a.keys, std::max<int64_t>(kColumns, 16));
  const int64_t ld = std::min(kForwardKeys, keys) + kApart, tall = std::min(kQueries, up(a.queries, kRows)),
                own_head = h / a.group();
  const int64_t lines = (tall + kStrip - 1) / kStrip * kLines;
  const bool few = in_place<T>(a);
  Pieces<T> room((few ? 0 : keys * (2 * width + wide)) + tall * (width + wide) + kStrip * ld +
                 lines * (3 + V::kSize));
  T *q = room.take(tall * width), *acc = room.take(tall * wide), *s = room.take(kStrip * ld);
  const Rows<T> all_rows{room.take(lines), room.take(lines), room.take(lines), room.take(lines * V::kSize)};
  T* kt = nullptr;
  const T* k = static_cast<const T*>(a.k.data) + b * a.k.strides[0] + own_head * a.k.strides[1];
  const T* v = static_cast<const T*>(a.v.data) + b * a.v.strides[0] + own_head * a.v.strides[1];
  int64_t v_step = a.v.strides[2];
  if (few) {
    std::fill_n(s, kRows * ld, T(0));
  } else {
    // Rows that lie as packed ones would are read where they are.
    auto packed = [&](const haft_tensor_view& x, int64_t pitch, const T* at) HWY_ATTR {
      const bool same = keys == a.keys && dtype_of(x) == DTypeOf<T>::value && x.sizes[3] == pitch &&
                        x.strides[3] == 1 && x.strides[2] == pitch;
      return same ? at : nullptr;
    };
    T *own_k = room.take(keys * width), *own_v = room.take(keys * wide);
    kt = room.take(keys * width);
    const T* rows_k = packed(a.k, width, k);
    if (!rows_k) pack(a.k, b, own_head, 0, a.keys, keys, T(1), own_k), rows_k = own_k;
    turn(rows_k, keys, width, kt);
    if (!packed(a.v, wide, v)) pack(a.v, b, own_head, 0, a.keys, keys, T(1), own_v), v = own_v;
    v_step = wide;
  }
  lse += (b * a.heads + h) * a.queries;
  alignas(64) T factors[kForwardKeys] = {};
  const int64_t blocks = (a.queries + kQueries - 1) / kQueries;
  for (int64_t block = blocks - 1 - part; block >= 0; block -= parts) {  // a causal head's long ones first
    const int64_t i = block * kQueries, rows = std::min(kQueries, a.queries - i), even = up(rows, kRows);
    pack(a.q, b, h, i, rows, even, T(a.scale) * kLog2e<T>, q);
    std::fill_n(acc, even * wide, T(0));
    std::fill_n(all_rows.top, lines, lowest);
    std::fill_n(all_rows.fix, lines, lowest);
    std::fill_n(all_rows.sum, lines * V::kSize, T(0));
    const int64_t last = a.causal ? std::min(a.keys, i + rows) : a.keys;
    for (int64_t j = 0; j < last; j += kForwardKeys)
      for (int64_t strip = 0; strip < rows; strip += kStrip) {
        const int64_t first = i + strip, count = std::min(kStrip, rows - strip), tiles = up(count, kRows);
        const int64_t n = seen(a, first + count - 1, j, std::min(kForwardKeys, last - j)),
                      vectors = (n + V::kSize - 1) / V::kSize;
        if (!n) continue;
        const Rows<T> state = all_rows.from(strip / kStrip * kLines);
        T *const qs = q + strip * width, *const of_strip = acc + strip * wide;
        auto edge = [&](Diagonal::Of of) HWY_ATTR {
          return Diagonal{a.causal ? of : Diagonal::nothing, first - j};
        };
        if (few)
          dots(count, n, a.width, qs, width, k + j * a.k.strides[2], a.k.strides[2], s, ld);
        else
          product<T>(tiles, vectors, a.width, qs, width, 1, kt + j * width, kColumns, width * kColumns, s, ld,
                     false, edge(Diagonal::result));
        for (int64_t r = 0; r < count; ++r) {
          T* const x = s + r * ld;
          const int64_t own = seen(a, first + r, j, n), all = reach<T>(a, first + r, j, n);
          if (a.mask || own < all) mask_row(a, b, h, first + r, j, own, all, x);
          state.fix[r] = largest(x, all);
        }
        raise(state);
        for (int64_t r = 0; r < count; ++r) {
          T* const x = s + r * ld;
          weigh(x, reach<T>(a, first + r, j, n), state, r);
          if (a.dropout > 0) {
            const int64_t own = seen(a, first + r, j, n);
            draw_row(a, b, h, first + r, j, own, factors);
            sweep<T>(own, [&](int64_t c, auto part) HWY_ATTR {
              dropped(V::load(x + c, part, T(0)), V::load(factors + c, part, T(0))).store(x + c, part);
            });
          }
          const V fix(state.fix[r]);
          if (j && state.fix[r] != T(1))
            for (int64_t d = 0; d < wide; d += V::kSize)
              (V::load(of_strip + r * wide + d) * fix).store(of_strip + r * wide + d);
        }
        product<T>(tiles, wide / V::kSize, n, s, ld, 1, v + j * v_step, v_step, kColumns, of_strip, wide,
                   true, edge(Diagonal::left));
      }
    for (int64_t strip = 0; strip < rows; strip += kStrip) {
      const int64_t count = std::min(kStrip, rows - strip);
      const Rows<T> state = all_rows.from(strip / kStrip * kLines);
      finish(state, count, lse + i + strip);
      for (int64_t r = 0; r < count; ++r)
        if (state.fix[r] == T(0)) std::fill_n(acc + (strip + r) * wide, wide, T(0));
      unpack(acc + strip * wide, out, b, h, i + strip, count, state.fix, 1);
    }
  }
}

// Gradients through key blocks part, part + parts, ... of key head `own` of batch b; dq (group, up(L, 6),
// padded(width)) takes this part's share, not yet times the scale.
template <class T>
void backward_head(const AttentionCall& a, const haft_tensor_view& grad, const haft_tensor_view& out,
                   const T* lse, const haft_tensor_view& dk, const haft_tensor_view& dv, T* dq, int64_t b,
                   int64_t own, int64_t part, int64_t parts) {
  using V = Lanes<T>;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  constexpr int64_t kColumns = kVectors * V::kSize;
  const int64_t width = padded(a.width), wide = padded(a.value_width), group = a.group(),
                most = a.key_block(), ld = most + kApart;
  const int64_t padded_rows = up(a.queries, kRows);
  Pieces<T> room(most * (3 * width + 2 * wide) + group * padded_rows * (width + wide) + kQueries * 2 * ld +
                 group * a.queries + wide);
  T *k = room.take(most * width), *kt = room.take(most * width), *vt = room.take(most * wide);
  T *my_dk = room.take(most * width), *my_dv = room.take(most * wide);
  T *all_q = room.take(group * padded_rows * width), *all_g = room.take(group * padded_rows * wide);
  T *ds = room.take(kQueries * ld), *delta = room.take(group * a.queries),
    *s = room.take(kQueries * ld + wide);
  std::fill_n(dq, group * padded_rows * width, T(0));
  // grad and out are (N, L, H, Ev); pack() reads (N, H, L, Ev).
  auto heads_first = [](haft_tensor_view x) {
    std::swap(x.sizes[1], x.sizes[2]);
    std::swap(x.strides[1], x.strides[2]);
    return x;
  };
  const haft_tensor_view turned_grad = heads_first(grad), turned_out = heads_first(out);
  for (int64_t m = 0; m < group; ++m) {
    const int64_t h = own * group + m;
    T* const g = all_g + m * padded_rows * wide;
    pack(a.q, b, h, 0, a.queries, padded_rows, T(a.scale) * kLog2e<T>, all_q + m * padded_rows * width);
    pack(turned_grad, b, h, 0, a.queries, padded_rows, T(1), g);
    const int64_t step = std::max<int64_t>(kQueries * ld / wide, 1);  // s holds one row at least
    for (int64_t i = 0; i < a.queries; i += step) {
      const int64_t rows = std::min(step, a.queries - i);
      pack(turned_out, b, h, i, rows, rows, T(1), s);
      for (int64_t r = 0; r < rows; ++r) {
        V dot(T(0));
        for (int64_t d = 0; d < wide; d += V::kSize)
          dot = fma(V::load(g + (i + r) * wide + d), V::load(s + r * wide + d), dot);
        delta[m * a.queries + i + r] = dot.sum();
      }
    }
  }
  alignas(64) T factors[kKeys] = {};
  for (int64_t j = part * most; j < a.keys; j += parts * most) {
    const int64_t keys = std::min(most, a.keys - j),
                  full = std::min(most, up(up(keys, kRows), std::max<int64_t>(kColumns, 16)));
    pack(a.v, b, own, j, keys, full, T(1), my_dv);
    turn(my_dv, full, wide, vt);
    pack(a.k, b, own, j, keys, full, T(1), k);
    turn(k, full, width, kt);
    std::fill_n(my_dk, full * width, T(0));
    std::fill_n(my_dv, full * wide, T(0));
    for (int64_t m = 0; m < group; ++m)
      for (int64_t i = a.causal ? j / kQueries * kQueries : 0; i < a.queries; i += kQueries) {
        const int64_t h = own * group + m, rows = std::min(kQueries, a.queries - i), even = up(rows, kRows);
        const int64_t n = a.causal ? std::min(keys, i + rows - j) : keys;
        if (n <= 0) continue;
        const int64_t tall = up(n, kRows), vectors = (tall + V::kSize - 1) / V::kSize;
        auto edge = [&](Diagonal::Of of) HWY_ATTR {
          return Diagonal{a.causal ? of : Diagonal::nothing, i - j};
        };
        const T *const q = all_q + (m * padded_rows + i) * width, *const g =
                                                                      all_g + (m * padded_rows + i) * wide;
        for (int64_t r = 0; r < rows; ++r) {
          if (r % kRows == 0) {  // six rows of both products, which are in the first cache then
            const Diagonal above{a.causal ? Diagonal::result : Diagonal::nothing, i + r - j};
            product<T>(kRows, vectors, a.width, q + r * width, width, 1, kt, kColumns, width * kColumns,
                       s + r * ld, ld, false, above);
            product<T>(kRows, vectors, a.value_width, g + r * wide, wide, 1, vt, kColumns, wide * kColumns,
                       ds + r * ld, ld, false, above);
          }
          T *x = s + r * ld, *y = ds + r * ld;
          const int64_t mine = seen(a, i + r, j, n), all = reach<T>(a, i + r, j, tall);
          if (a.mask) mask_row(a, b, h, i + r, j, mine, all, x);
          const T of_row = lse[(b * a.heads + h) * a.queries + i + r];
          const V shift(of_row == lowest ? -lowest : of_row * kLog2e<T>), less(delta[m * a.queries + i + r]);
          if (a.dropout > 0) draw_row(a, b, h, i + r, j, mine, factors);
          for (int64_t c = 0; c < mine; c += V::kSize) {
            const V over = V::load(x + c) - shift;  // above 0 by what rounding left of a large mask
            const V p = power_of_2_or_0(select(over > V(T(0)), V(T(0)), over));
            V kept = p, dp = V::load(y + c);
            if (a.dropout > 0) {
              const V f = V::load(factors + c);
              kept = dropped(p, f);
              dp = dropped(dp, f);
            }
            kept.store(x + c);
            (p * (dp - less)).store(y + c);
          }
          std::fill(x + mine, x + all, T(0));
          std::fill(y + mine, y + all, T(0));
        }
        product<T>(tall, wide / V::kSize, rows, s, 1, ld, g, wide, kColumns, my_dv, wide, true,
                   edge(Diagonal::left_turned));
        product<T>(tall, width / V::kSize, rows, ds, 1, ld, q, width, kColumns, my_dk, width, true,
                   edge(Diagonal::left_turned));
        product<T>(even, width / V::kSize, n, ds, ld, 1, k, width, kColumns,
                   dq + (m * padded_rows + i) * width, width, true, edge(Diagonal::left));
      }
    constexpr T as_before = 1, of_queries = kLn2<T>;  // the queries' units are those of scores
    unpack(my_dk, dk, b, own, j, keys, &of_queries, 0);
    unpack(my_dv, dv, b, own, j, keys, &as_before, 0);
  }
}

void forward_f32(const AttentionCall& a, const haft_tensor_view& out, float* lse, int64_t b, int64_t h,
                 int64_t part, int64_t parts) {
  forward_head(a, out, lse, b, h, part, parts);
}
void forward_f64(const AttentionCall& a, const haft_tensor_view& out, double* lse, int64_t b, int64_t h,
                 int64_t part, int64_t parts) {
  forward_head(a, out, lse, b, h, part, parts);
}
void backward_f32(const AttentionCall& a, const haft_tensor_view& grad, const haft_tensor_view& out,
                  const float* lse, const haft_tensor_view& dk, const haft_tensor_view& dv, float* dq,
                  int64_t b, int64_t own, int64_t part, int64_t parts) {
  backward_head(a, grad, out, lse, dk, dv, dq, b, own, part, parts);
}
void backward_f64(const AttentionCall& a, const haft_tensor_view& grad, const haft_tensor_view& out,
                  const double* lse, const haft_tensor_view& dk, const haft_tensor_view& dv, double* dq,
                  int64_t b, int64_t own, int64_t part, int64_t parts) {
  backward_head(a, grad, out, lse, dk, dv, dq, b, own, part, parts);
}
void unpack_f32(float* from, const haft_tensor_view& y, int64_t b, int64_t h, int64_t first, int64_t count,
                float scale) {
  unpack(from, y, b, h, first, count, &scale, 0);
}
void unpack_f64(double* from, const haft_tensor_view& y, int64_t b, int64_t h, int64_t first, int64_t count,
                double scale) {
  unpack(from, y, b, h, first, count, &scale, 0);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/dense.h"
#include "core/cpu/kernel.h"

namespace haft::cpu {
HWY_EXPORT(forward_f32);
HWY_EXPORT(forward_f64);
HWY_EXPORT(backward_f32);
HWY_EXPORT(backward_f64);
HWY_EXPORT(unpack_f32);
HWY_EXPORT(unpack_f64);

namespace {

// q, k, v and the mask at inputs i to i + 3.
AttentionCall call_of(const haft_kernel_call& c, int i) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view &q = *c.in[i], &k = *c.in[i + 1], &v = *c.in[i + 2];
  AttentionCall a{.q = q,
                  .k = k,
                  .v = v,
                  .mask = c.in[i + 3],
                  .batch = q.sizes[0],
                  .heads = q.sizes[1],
                  .own = k.sizes[1],
                  .queries = q.sizes[2],
                  .keys = k.sizes[2],
                  .width = q.sizes[3],
                  .value_width = v.sizes[3],
                  .scale = attrs.d(0),
                  .dropout = attrs.d(2),
                  .causal = attrs.b(1),
                  .seed = uint64_t(attrs.i(3)),
                  .offset = uint64_t(attrs.i(4))};
  return a;
}

// Tasks a head: enough for any machine's threads where heads are few, by the shape alone.
int64_t parts_of(int64_t heads, int64_t blocks) {
  return std::clamp<int64_t>((16 + heads - 1) / std::max<int64_t>(heads, 1), 1, std::max<int64_t>(blocks, 1));
}
// Tasks that are worth a thread: 20 us, of products of so many elements.
int64_t grain_of(double products) { return int64_t(1e6 / (products + 1)) + 1; }

template <class T, class Kernel>
void forward(const haft_kernel_call& c, Kernel kernel) {
  const AttentionCall a = call_of(c, 0);
  const haft_tensor_view &out = *c.out[0], &lse = *c.out[1];
  if (lse.numel == 0) return;
  DenseOut sums(lse, DTypeOf<T>::value);
  // A block of queries is computed by itself, so that the number of threads may decide; each part turns the keys for
  // itself.
  const int64_t heads = a.batch * a.heads,
                parts = heads >= 4 * num_threads() ? 1 : parts_of(heads, (a.queries + 95) / 96);
  const double work =
      2.0 * double(a.queries) * double(a.keys) * double(a.width + a.value_width) / double(parts);
  parallel_for(heads * parts, grain_of(work), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      kernel(a, out, sums.as<T>(), t / parts / a.heads, t / parts % a.heads, t % parts, parts);
  });
  sums.finish();
}

template <class T, class Kernel, class Unpack>
void backward(const haft_kernel_call& c, Kernel kernel, Unpack unpack) {
  const AttentionCall a = call_of(c, 1);
  const haft_tensor_view &grad = *c.in[0], &out = *c.in[5], &dq = *c.out[0], &dk = *c.out[1], &dv = *c.out[2];
  if (a.batch * a.own == 0) return;
  DenseIn sums(*c.in[6], DTypeOf<T>::value);
  const int64_t tasks = a.batch * a.own,
                parts = parts_of(tasks, (a.keys + a.key_block() - 1) / a.key_block()), group = a.group();
  const int64_t pitch = (std::max<int64_t>(a.width, 1) + 15) / 16 * 16, rows = (a.queries + 5) / 6 * 6,
                share = group * rows * pitch;
  const double work = 5.0 * double(group) * double(a.queries) * double(a.keys) *
                      double(a.width + a.value_width) / double(parts);
  auto write = [&](T* from, int64_t t) {
    for (int64_t m = 0; m < group; ++m)
      unpack(from + m * rows * pitch, dq, t / a.own, t % a.own * group + m, 0, a.queries, T(a.scale));
  };
  if (parts == 1) {
    parallel_for(tasks, grain_of(work), [&](int64_t begin, int64_t end) {
      Scratch<T> mine(share + 1);
      for (int64_t t = begin; t < end; ++t) {
        kernel(a, grad, out, sums.as<T>(), dk, dv, mine.get(), t / a.own, t % a.own, int64_t(0), int64_t(1));
        write(mine.get(), t);
      }
    });
    return;
  }
  Scratch<T> shares(tasks * parts * share + 1);
  parallel_for(tasks * parts, grain_of(work), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      kernel(a, grad, out, sums.as<T>(), dk, dv, shares.get() + t * share, t / parts / a.own,
             t / parts % a.own, t % parts, parts);
  });
  parallel_for(tasks, grain_of(double(share * parts)), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      T* sum = shares.get() + t * parts * share;
      for (int64_t p = 1; p < parts; ++p)
        for (int64_t i = 0; i < share; ++i) sum[i] += sum[p * share + i];
      write(sum, t);
    }
  });
}

}  // namespace

void k_attention(const haft_kernel_call& c) {
  if (dtype_of(*c.in[0]) == DType::f64)
    forward<double>(c, HWY_DYNAMIC_DISPATCH(forward_f64));
  else if (bf16_attention_fits(call_of(c, 0)))
    forward<float>(c, bf16_attention);
  else
    forward<float>(c, HWY_DYNAMIC_DISPATCH(forward_f32));
}

void k_attention_backward(const haft_kernel_call& c) {
  if (dtype_of(*c.in[1]) == DType::f64)
    backward<double>(c, HWY_DYNAMIC_DISPATCH(backward_f64), HWY_DYNAMIC_DISPATCH(unpack_f64));
  else if (bf16_attention_fits(call_of(c, 1)))
    backward<float>(c, bf16_attention_backward, HWY_DYNAMIC_DISPATCH(unpack_f32));
  else
    backward<float>(c, HWY_DYNAMIC_DISPATCH(backward_f32), HWY_DYNAMIC_DISPATCH(unpack_f32));
}

}  // namespace haft::cpu
#endif
