// sort (stable) and topk along any dimension. Elements become unsigned keys of the same order, packed with
// their position: every comparison is one of integers, ties fall to the lower position, and NaN is the largest key.
#include "core/cpu/indices.h"
#include "core/cpu/kernel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/radix.h"

namespace haft::cpu {
namespace {

inline uint32_t sort_key(float v) {
  if (v != v) return ~uint32_t(0);
  const uint32_t u = std::bit_cast<uint32_t>(v + 0.0f);  // -0 equals 0
  return u >> 31 ? ~u : u | 0x80000000u;
}
inline uint64_t sort_key(double v) {
  if (v != v) return ~uint64_t(0);
  const uint64_t u = std::bit_cast<uint64_t>(v + 0.0);
  return u >> 63 ? ~u : u | uint64_t(1) << 63;
}
inline uint32_t sort_key(int32_t v) { return uint32_t(v) ^ 0x80000000u; }
inline uint64_t sort_key(int64_t v) { return uint64_t(v) ^ uint64_t(1) << 63; }

// ---- short rows: eight side by side through one network ----

constexpr int64_t kSide = 8, kShort = 1024;
typedef uint64_t u64x8 __attribute__((vector_size(64), aligned(64)));

// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M) of any number of words.
template <Isa>
HAFT_BODY void network_body(u64x8* p, int64_t n) {
  int64_t top = 1;
  while (2 * top < n) top *= 2;
  for (int64_t span = top; span > 0; span /= 2)
    for (int64_t q = top, d = span, r = 0;; d = q - span, q /= 2, r = span) {
      for (int64_t from = r; from < n - d; from += 2 * span) {
        const int64_t end = from + span < n - d ? from + span : n - d;
        for (int64_t i = from; i < end; ++i) {
          const u64x8 a = p[i], b = p[i + d];
          p[i] = a < b ? a : b;
          p[i + d] = a < b ? b : a;
        }
      }
      if (q == span) break;
    }
}
HAFT_MULTIVERSION(network, (u64x8 * p, int64_t n), (p, n))

// As sort_rows, for rows of keys of 32 bits.
template <class C>
void sort_short_rows(const haft_tensor_view& x, const haft_tensor_view& values,
                     const haft_tensor_view& indices, const RowShape& shape, int64_t k, bool flip) {
  const RowStrides x_at(x, shape.dim), v_at(values, shape.dim), i_at(indices, shape.dim);
  const int64_t n = shape.n;
  const uint32_t turn = flip ? ~uint32_t(0) : 0;
  parallel_for((shape.rows + kSide - 1) / kSide, std::max<int64_t>(1, 2048 / (n * kSide)),
               [&](int64_t begin, int64_t end) {
                 HostBuffer packed(n * int64_t(sizeof(u64x8)));
                 Scratch<C> rows(kSide * n), sorted(kSide * k);
                 u64x8* const p = packed.as<u64x8>();
                 for (; begin < end; ++begin) {
                   const int64_t first = begin * kSide, count = std::min(kSide, shape.rows - first);
                   int64_t from[kSide], to[kSide];
                   for (int64_t r = 0; r < count; ++r)
                     from[r] = x_at.offset(shape, first + r), to[r] = v_at.offset(shape, first + r);
                   load_rows(x, from, count, n, x_at.step, rows.get());
                   if (count < kSide) std::fill_n(rows.get() + count * n, (kSide - count) * n, C(0));
                   for (int64_t i = 0; i < n; ++i) {
                     u64x8 word;
                     for (int64_t r = 0; r < kSide; ++r)
                       word[r] = uint64_t(sort_key(rows[r * n + i]) ^ turn) << 32 | uint64_t(i);
                     p[i] = word;
                   }
                   network(p, n);
                   for (int64_t r = 0; r < count; ++r) {
                     int64_t* const at = static_cast<int64_t*>(indices.data) + i_at.offset(shape, first + r);
                     for (int64_t i = 0; i < k; ++i) {
                       const int64_t place = int64_t(uint32_t(p[i][r]));
                       sorted[r * k + i] = rows[r * n + place];
                       at[i * i_at.step] = place;
                     }
                   }
                   store_rows(sorted.get(), values, to, count, k, v_at.step);
                 }
               });
}

// Sorts each row of C by its keys, packed above the position, and writes the first k of it.
template <class C>
void sort_rows(const haft_tensor_view& x, const haft_tensor_view& values, const haft_tensor_view& indices,
               int64_t dim, int64_t k, bool flip) {
  using Key = decltype(sort_key(C()));
  using P = std::conditional_t<sizeof(Key) == 4, uint64_t, unsigned __int128>;
  constexpr int half = int(sizeof(P)) * 4;
  const RowShape shape(x, dim);
  if constexpr (sizeof(Key) == 4)
    // Of long rows the few largest are found sooner than all are sorted.
    if (isa() != Isa::baseline && shape.rows >= kSide / 2 && shape.n <= (k == shape.n ? kShort : kShort / 8))
      return sort_short_rows<C>(x, values, indices, shape, k, flip);
  const RowStrides x_at(x, shape.dim), v_at(values, shape.dim), i_at(indices, shape.dim);
  const int64_t n = shape.n;
  parallel_for(shape.rows, std::max<int64_t>(1, 2048 / n), [&](int64_t begin, int64_t end) {
    HostBuffer packed(n * int64_t(sizeof(P))), tmp;
    if (k == n) tmp = HostBuffer(n * int64_t(sizeof(P)));
    Scratch<C> row(n), sorted(k);
    P* const p = packed.as<P>();
    for (int64_t r = begin; r < end; ++r) {
      const int64_t from = x_at.offset(shape, r), to = v_at.offset(shape, r);
      load_rows(x, &from, 1, n, x_at.step, row.get());
      for (int64_t i = 0; i < n; ++i) {
        const Key key = sort_key(row[i]);
        p[i] = P(flip ? Key(~key) : key) << half | P(i);
      }
      if (k == n) {
        sort_packed(p, tmp.as<P>(), n);
      } else {
        std::nth_element(p, p + k, p + n);
        std::sort(p, p + k);
      }
      int64_t* const at = static_cast<int64_t*>(indices.data) + i_at.offset(shape, r);
      for (int64_t i = 0; i < k; ++i) {
        const int64_t place = int64_t(p[i] & ((P(1) << half) - 1));
        sorted[i] = row[place];
        at[i * i_at.step] = place;
      }
      store_rows(sorted.get(), values, &to, 1, k, v_at.step);
    }
  });
}

void sort_along(const haft_kernel_call& c, int64_t dim, int64_t k, bool flip) {
  const haft_tensor_view &x = *c.in[0], &values = *c.out[0], &indices = *c.out[1];
  if (x.numel == 0 || k == 0) return;
  dim = wrap_dim(dim, x.ndim);
  const DType t = dtype_of(x);
  // Narrow keys leave room for positions below 2^32.
  const bool narrow = (x.ndim ? x.sizes[dim] : 1) < int64_t(1) << 32 && t != DType::f64 && t != DType::i64;
  if (is_float(t))
    narrow ? sort_rows<float>(x, values, indices, dim, k, flip)
           : sort_rows<double>(x, values, indices, dim, k, flip);
  else
    narrow ? sort_rows<int32_t>(x, values, indices, dim, k, flip)
           : sort_rows<int64_t>(x, values, indices, dim, k, flip);
}

}  // namespace

// attrs: dim, descending
void k_sort(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view& x = *c.in[0];
  sort_along(c, attrs.i(0), x.ndim ? x.sizes[wrap_dim(attrs.i(0), x.ndim)] : 1, attrs.b(1));
}

// attrs: k, dim, largest
void k_topk(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  sort_along(c, attrs.i(1), attrs.i(0), attrs.b(2));
}

}  // namespace haft::cpu
