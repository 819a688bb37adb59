// Copies: between any strides, dtypes and layouts; transposes by tiles.
#include "core/cpu/elementwise.h"
#include "core/cpu/kernel.h"
#include "core/cpu/loop.h"
#include "hwy/cache_control.h"

namespace haft::cpu {
namespace {

constexpr int64_t kCopyGrain = 1 << 20;  // bytes: ~20 us at a core's copy bandwidth

void copy_linear(char* dst, const char* src, int64_t size) {
  const bool past_caches = size >= stream_threshold() && reinterpret_cast<uintptr_t>(dst) % 64 == 0;
  constexpr int64_t unit = 64;
  parallel_for((size + unit - 1) / unit, kCopyGrain / unit, [&](int64_t b, int64_t e) {
    int64_t begin = b * unit, end = e * unit < size ? e * unit : size;
    int64_t whole = past_caches ? (end - begin) / unit * unit : 0;
    if (whole) conversions().stream(dst + begin, src + begin, whole);
    if (begin + whole < end)
      std::memcpy(dst + begin + whole, src + begin + whole, size_t(end - begin - whole));
    if (whole) hwy::FlushStream();
  });
}

// ---- transposes: dst[i][j] = src[j][i], both dense along their last index ----

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));
template <class V>
V load16(const char* p) {
  V v;
  std::memcpy(&v, p, 16);
  return v;
}
template <class V>
void store16(char* p, V v) {
  std::memcpy(p, &v, 16);
}

inline void transpose_4x4(char* dst, int64_t dst_row, const char* src, int64_t src_row) {
  u32x4 a = load16<u32x4>(src), b = load16<u32x4>(src + src_row), c = load16<u32x4>(src + 2 * src_row),
        d = load16<u32x4>(src + 3 * src_row);
  u32x4 ab = __builtin_shuffle(a, b, u32x4{0, 4, 1, 5}), cd = __builtin_shuffle(c, d, u32x4{0, 4, 1, 5});
  u32x4 ab2 = __builtin_shuffle(a, b, u32x4{2, 6, 3, 7}), cd2 = __builtin_shuffle(c, d, u32x4{2, 6, 3, 7});
  store16(dst, __builtin_shuffle(u64x2(ab), u64x2(cd), u64x2{0, 2}));
  store16(dst + dst_row, __builtin_shuffle(u64x2(ab), u64x2(cd), u64x2{1, 3}));
  store16(dst + 2 * dst_row, __builtin_shuffle(u64x2(ab2), u64x2(cd2), u64x2{0, 2}));
  store16(dst + 3 * dst_row, __builtin_shuffle(u64x2(ab2), u64x2(cd2), u64x2{1, 3}));
}
inline void transpose_2x2(char* dst, int64_t dst_row, const char* src, int64_t src_row) {
  u64x2 a = load16<u64x2>(src), b = load16<u64x2>(src + src_row);
  store16(dst, __builtin_shuffle(a, b, u64x2{0, 2}));
  store16(dst + dst_row, __builtin_shuffle(a, b, u64x2{1, 3}));
}

// rows x cols of dst; row lengths in bytes. Tiles of one cache line a side survive any stride in the
// first-level cache.
template <class U>
void transpose(char* dst, int64_t dst_row, const char* src, int64_t src_row, int64_t rows, int64_t cols) {
  constexpr int64_t S = sizeof(U), kTile = 64 / S, kUnit = S == 4 ? 4 : S == 8 ? 2 : 1;
  auto plain = [&](int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    for (int64_t i = i0; i < i1; ++i)
      for (int64_t j = j0; j < j1; ++j)
        *reinterpret_cast<U*>(dst + i * dst_row + j * S) =
            *reinterpret_cast<const U*>(src + j * src_row + i * S);
  };
  for (int64_t i = 0; i < rows; i += kTile) {
    const int64_t ie = i + kTile < rows ? i + kTile : rows;
    for (int64_t j = 0; j < cols; j += kTile) {
      const int64_t je = j + kTile < cols ? j + kTile : cols;
      if constexpr (kUnit == 1) {
        plain(i, ie, j, je);
      } else {
        const int64_t iu = i + (ie - i) / kUnit * kUnit, ju = j + (je - j) / kUnit * kUnit;
        for (int64_t jj = j; jj < ju; jj += kUnit)
          for (int64_t ii = i; ii < iu; ii += kUnit) {
            char* d = dst + ii * dst_row + jj * S;
            const char* s = src + jj * src_row + ii * S;
            if constexpr (kUnit == 4)
              transpose_4x4(d, dst_row, s, src_row);
            else
              transpose_2x2(d, dst_row, s, src_row);
          }
        if (iu < ie) plain(iu, ie, j, je);
        if (ju < je) plain(i, iu, ju, je);
      }
    }
  }
}

void transpose_any(int64_t item, char* dst, int64_t dst_row, const char* src, int64_t src_row, int64_t rows,
                   int64_t cols) {
  switch (item) {
    case 1: return transpose<uint8_t>(dst, dst_row, src, src_row, rows, cols);
    case 2: return transpose<uint16_t>(dst, dst_row, src, src_row, rows, cols);
    case 4: return transpose<uint32_t>(dst, dst_row, src, src_row, rows, cols);
    default: return transpose<uint64_t>(dst, dst_row, src, src_row, rows, cols);
  }
}

// The dimension along which the source is dense while the destination's innermost is another: -1 when there is none.
int transposed_dim(const Loop& l) {
  const int inner = l.ndim - 1;
  const Operand &d = l.ops[0], &s = l.ops[1];
  if (d.item > 8 || d.strides[inner] != d.item || s.strides[inner] == s.item || l.sizes[inner] < 4) return -1;
  for (int k = 0; k < inner; ++k)
    if (s.strides[k] == s.item && l.sizes[k] >= 4) return k;
  return -1;
}

// All 2-d planes of dims (k, inner), planes and bands of rows in parallel.
void copy_transposed(const Loop& l, int k) {
  const int inner = l.ndim - 1;
  const Operand &d = l.ops[0], &s = l.ops[1];
  const int64_t rows = l.sizes[k], cols = l.sizes[inner], band = 64 / d.item;
  Loop outer = l;  // the same loop without the two dimensions
  outer.ndim = 0;
  int64_t planes = 1;
  for (int i = 0; i < inner; ++i) {
    if (i == k) continue;
    outer.sizes[outer.ndim] = l.sizes[i];
    for (int o = 0; o < 2; ++o) outer.ops[o].strides[outer.ndim] = l.ops[o].strides[i];
    ++outer.ndim;
    planes *= l.sizes[i];
  }
  const int64_t bands = (rows + band - 1) / band;
  const int64_t grain = kCopyGrain / (band * cols * d.item) + 1;
  parallel_for(planes * bands, grain, [&](int64_t b, int64_t e) {
    while (b < e) {
      const int64_t plane = b / bands, first = b % bands;
      const int64_t last = first + (e - b) < bands ? first + (e - b) : bands;
      const int64_t i0 = first * band, i1 = last * band < rows ? last * band : rows;
      Cursor c(outer, plane);
      transpose_any(d.item, c.address(outer, outer.ops[0]) + i0 * d.strides[k], d.strides[k],
                    c.address(outer, outer.ops[1]) + i0 * s.item, s.strides[inner], i1 - i0, cols);
      b += last - first;
    }
  });
}

// Equal dtypes, any strides.
void copy_strided(const Loop& l) {
  const int inner = l.ndim - 1;
  const Operand &d = l.ops[0], &s = l.ops[1];
  if (l.linear(0) && l.linear(1)) return copy_linear(d.data, s.data, l.numel * d.item);
  if (int k = transposed_dim(l); k >= 0) return copy_transposed(l, k);
  bool dst_linear = true;
  int64_t stride = d.item;
  for (int i = inner; i >= 0; --i) {
    dst_linear = dst_linear && d.strides[i] == stride;
    stride *= l.sizes[i];
  }
  const int64_t row = l.sizes[inner];
  const bool rows = d.strides[inner] == d.item && s.strides[inner] == s.item && row * d.item >= 64;
  parallel_for(l.numel, 65536, [&](int64_t b, int64_t e) {
    Cursor c(l, b);
    if (dst_linear) return gather(l, s, c, e - b, d.data + b * d.item);
    alignas(64) char buffer[kBlock * 16];
    while (b < e) {
      int64_t n = e - b;
      if (rows) {
        if (row - c.at[inner] < n) n = row - c.at[inner];
        std::memcpy(c.address(l, d), c.address(l, s), size_t(n * d.item));
      } else {
        if (n > kBlock) n = kBlock;
        gather(l, s, c, n, buffer);
        scatter(l, d, c, n, buffer);
      }
      b += n;
      c.advance(l, n);
    }
  });
}

// n <= kBlock dense elements between any two dtypes.
void convert_block(void* dst, DType to, const void* src, DType from, int64_t n) {
  const Conversions& c = conversions();
  if (from == to) {
    std::memcpy(dst, src, size_t(n * item_size(to)));
  } else if (ConvertFn f = c.cast[int(from)][int(to)]) {
    f(src, dst, n);
  } else {  // one side or both are 16- or 8-bit floats: by way of float
    alignas(64) float wide[kBlock];
    ConvertFn in = c.cast[int(from)][HAFT_FLOAT32], out = c.cast[HAFT_FLOAT32][int(to)];
    if (!in || !out)
      fail(Code::dtype, concat("no conversion from ", dtype_name(from), " to ", dtype_name(to)));
    in(src, wide, n);
    out(wide, dst, n);
  }
}

void copy_cast(const Loop& l, DType to, DType from) {
  const Operand &d = l.ops[0], &s = l.ops[1];
  const bool dst_linear = l.linear(0), src_linear = l.linear(1);
  const bool past_caches =
      dst_linear && l.numel * d.item >= stream_threshold() && reinterpret_cast<uintptr_t>(d.data) % 64 == 0;
  parallel_for((l.numel + kBlock - 1) / kBlock, 64, [&](int64_t first, int64_t last) {
    alignas(64) char in[kBlock * 8], out[kBlock * 8];
    int64_t b = first * kBlock, e = last * kBlock < l.numel ? last * kBlock : l.numel;
    for (Cursor c(l, b); b < e; c.advance(l, kBlock), b += kBlock) {
      const int64_t n = e - b < kBlock ? e - b : kBlock;
      const void* src = s.data + b * s.item;
      if (!src_linear) gather(l, s, c, n, in), src = in;
      char* direct = d.data + b * d.item;
      convert_block(dst_linear && !past_caches ? direct : out, to, src, from, n);
      if (!dst_linear) {
        scatter(l, d, c, n, out);
      } else if (past_caches) {
        int64_t size = n * d.item, whole = size / 64 * 64;
        conversions().stream(direct, out, whole);
        std::memcpy(direct + whole, out + whole, size_t(size - whole));
      }
    }
    if (past_caches) hwy::FlushStream();
  });
}

// Five dimensions (N, C/b, b, H, W) that both a blocked view and its strided partner can express.
void split_channels(haft_tensor_view& blocked, haft_tensor_view& strided) {
  const int64_t b = blocked.layout == HAFT_LAYOUT_BLOCKED8 ? 8 : 16;
  const int64_t N = blocked.sizes[0], C = blocked.sizes[1], H = blocked.sizes[2], W = blocked.sizes[3];
  const int64_t sizes[5] = {N, C / b, b, H, W};
  const int64_t* t = strided.strides;
  const int64_t to_strided[5] = {t[0], t[1] * b, t[1], t[2], t[3]};
  const int64_t to_blocked[5] = {C * H * W, H * W * b, 1, W * b, b};
  blocked.layout = HAFT_LAYOUT_STRIDED;
  blocked.ndim = strided.ndim = 5;
  blocked.contiguous = strided.contiguous = 0;
  for (int d = 0; d < 5; ++d) {
    blocked.sizes[d] = strided.sizes[d] = sizes[d];
    blocked.strides[d] = to_blocked[d];
    strided.strides[d] = to_strided[d];
  }
}

}  // namespace

void copy_view(const haft_tensor_view& dst, const haft_tensor_view& src) {
  HAFT_ASSERT(dst.numel == src.numel);
  if (dst.numel == 0) return;
  if (dst.layout == src.layout && dense(dst) && dense(src)) {
    if (dst.dtype == src.dtype)
      return copy_linear(static_cast<char*>(dst.data), static_cast<const char*>(src.data), bytes(dst));
    return convert(dst.data, DType(dst.dtype), src.data, DType(src.dtype), dst.numel);
  }
  haft_tensor_view d = dst, s = src;
  if (src.layout != HAFT_LAYOUT_STRIDED)
    split_channels(s, d);
  else if (dst.layout != HAFT_LAYOUT_STRIDED)
    split_channels(d, s);
  Loop l;
  l.add(d);
  l.add(s);
  l.collapse();
  if (d.dtype == s.dtype)
    copy_strided(l);
  else
    copy_cast(l, DType(d.dtype), DType(s.dtype));
}

void to_blocked(const haft_tensor_view& dst, const haft_tensor_view& src) { copy_view(dst, src); }

void copy_dense(void* dst, const haft_tensor_view& src, DType t) {
  haft_tensor_view d = src;
  d.data = dst;
  if (t != DType::none) d.dtype = uint8_t(t);
  d.layout = HAFT_LAYOUT_STRIDED;
  d.contiguous = 1;
  int64_t stride = 1;
  for (int k = d.ndim - 1; k >= 0; --k) {
    d.strides[k] = stride;
    stride *= d.sizes[k];
  }
  copy_view(d, src);
}

void convert(void* dst, DType to, const void* src, DType from, int64_t n) {
  if (n == 0) return;
  Loop l;
  l.n = 2;
  l.ndim = 1;
  l.numel = l.sizes[0] = n;
  l.ops[0] = {static_cast<char*>(dst), item_size(to), {item_size(to)}};
  l.ops[1] = {static_cast<char*>(const_cast<void*>(src)), item_size(from), {item_size(from)}};
  if (from == to)
    copy_strided(l);
  else
    copy_cast(l, to, from);
}

void convert_here(void* dst, DType to, const void* src, DType from, int64_t n) {
  for (int64_t i = 0; i < n; i += kBlock)
    convert_block(static_cast<char*>(dst) + i * item_size(to), to,
                  static_cast<const char*>(src) + i * item_size(from), from, std::min(kBlock, n - i));
}

void k_copy(const haft_kernel_call& c) { copy_view(*c.out[0], *c.in[c.n_in - 1]); }
void k_cast(const haft_kernel_call& c) { copy_view(*c.out[0], *c.in[0]); }
void k_contiguous_copy(const haft_kernel_call& c) { copy_view(*c.out[0], *c.in[0]); }

}  // namespace haft::cpu
