// Fourier transforms by Stockham's scheme with radices 8, 4, 2, 3, 5, 7, 11 and 13, in vectors of lines that lie side
// by side: several lines of a batch, or the columns and then the rows of one long line. Lengths with a larger prime
// factor are convolutions (Bluestein, 1970). An inverse transform is a forward one with both parts exchanged before and
// after.
#include "core/cpu/fourier.h"

#include <algorithm>
#include <utility>

#include "core/cpu/kernel.h"
#include "core/cpu/multiversion.h"
#include "core/schema/fourier.h"

namespace haft::cpu {

namespace {

constexpr int bytes_of(Isa i) { return i == Isa::avx512 ? 64 : i == Isa::avx2 ? 32 : 16; }
template <class T, int kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes), may_alias));
};
template <class T>
int width() {
  return bytes_of(isa()) / int(sizeof(T));
}

template <class V>
struct Pair {
  V re, im;
};

// Element k of a result, times its twiddle unless that is 1.
template <bool kTurn, class V, class T>
HAFT_BODY void put(V* y, int64_t at, int k, const Pair<V>& b, const T* w) {
  if (kTurn && k) {
    const T re = w[2 * k - 2], im = w[2 * k - 1];
    y[2 * at] = b.re * re - b.im * im;
    y[2 * at + 1] = b.re * im + b.im * re;
  } else {
    y[2 * at] = b.re;
    y[2 * at + 1] = b.im;
  }
}
// u - i v and u + i v.
template <bool kTurn, class V, class T>
HAFT_BODY void put_both(V* y, int64_t s, int k, int l, const Pair<V>& u, const Pair<V>& v, const T* w) {
  put<kTurn>(y, s * k, k, Pair<V>{u.re + v.im, u.im - v.re}, w);
  put<kTurn>(y, s * l, l, Pair<V>{u.re - v.im, u.im + v.re}, w);
}

// The transform of four numbers, which are results `first` to `first` + 3 `apart`.
template <bool kTurn, class V, class T>
HAFT_BODY void four(V* y, int64_t s, int first, int apart, const Pair<V>* a, const T* w) {
  const Pair<V> t{a[0].re + a[2].re, a[0].im + a[2].im}, u{a[0].re - a[2].re, a[0].im - a[2].im},
      v{a[1].re + a[3].re, a[1].im + a[3].im}, d{a[1].re - a[3].re, a[1].im - a[3].im};
  put<kTurn>(y, s * first, first, Pair<V>{t.re + v.re, t.im + v.im}, w);
  put<kTurn>(y, s * (first + 2 * apart), first + 2 * apart, Pair<V>{t.re - v.re, t.im - v.im}, w);
  put_both<kTurn>(y, s, first + apart, first + 3 * apart, u, d, w);
}

// radix elements of x, `step` apart, to as many of y, s apart.
template <int R, bool kTurn, class V, class T>
HAFT_BODY void butterfly(const V* x, int64_t step, V* y, int64_t s, const T* w) {
  Pair<V> a[R];
#pragma GCC unroll 8
  for (int j = 0; j < R; ++j) a[j] = {x[2 * step * j], x[2 * step * j + 1]};
  if constexpr (R == 2) {
    put<kTurn>(y, 0, 0, Pair<V>{a[0].re + a[1].re, a[0].im + a[1].im}, w);
    put<kTurn>(y, s, 1, Pair<V>{a[0].re - a[1].re, a[0].im - a[1].im}, w);
  } else if constexpr (R == 3) {
    constexpr T root = T(0.86602540378443864676L);
    const Pair<V> t{a[1].re + a[2].re, a[1].im + a[2].im};
    put<kTurn>(y, 0, 0, Pair<V>{a[0].re + t.re, a[0].im + t.im}, w);
    put_both<kTurn>(y, s, 1, 2, Pair<V>{a[0].re - t.re * T(0.5), a[0].im - t.im * T(0.5)},
                    Pair<V>{(a[1].re - a[2].re) * root, (a[1].im - a[2].im) * root}, w);
  } else if constexpr (R == 4) {
    four<kTurn>(y, s, 0, 1, a, w);
  } else if constexpr (R == 8) {  // sums for the even results, differences times roots of 1 for the odd ones
    constexpr T half = T(0.70710678118654752440L);
    Pair<V> even[4], odd[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      even[j] = {a[j].re + a[j + 4].re, a[j].im + a[j + 4].im};
      odd[j] = {a[j].re - a[j + 4].re, a[j].im - a[j + 4].im};
    }
    odd[1] = {(odd[1].re + odd[1].im) * half, (odd[1].im - odd[1].re) * half};
    odd[2] = {odd[2].im, -odd[2].re};
    odd[3] = {(odd[3].im - odd[3].re) * half, (odd[3].re + odd[3].im) * -half};
    four<kTurn>(y, s, 0, 2, even, w);
    four<kTurn>(y, s, 1, 2, odd, w);
  } else {
    constexpr T c1 = T(0.30901699437494742410L), c2 = T(-0.80901699437494742410L),
                s1 = T(0.95105651629515357212L), s2 = T(0.58778525229247312917L);
    const Pair<V> p{a[1].re + a[4].re, a[1].im + a[4].im}, q{a[2].re + a[3].re, a[2].im + a[3].im},
        d{a[1].re - a[4].re, a[1].im - a[4].im}, e{a[2].re - a[3].re, a[2].im - a[3].im};
    put<kTurn>(y, 0, 0, Pair<V>{a[0].re + p.re + q.re, a[0].im + p.im + q.im}, w);
    put_both<kTurn>(y, s, 1, 4, Pair<V>{a[0].re + p.re * c1 + q.re * c2, a[0].im + p.im * c1 + q.im * c2},
                    Pair<V>{d.re * s1 + e.re * s2, d.im * s1 + e.im * s2}, w);
    put_both<kTurn>(y, s, 2, 3, Pair<V>{a[0].re + p.re * c2 + q.re * c1, a[0].im + p.im * c2 + q.im * c1},
                    Pair<V>{d.re * s2 - e.re * s1, d.im * s2 - e.im * s1}, w);
  }
}

// The first twiddles are 1: code without them, where vectors are wide enough to be worth it.
template <int R, bool kFirst, class V, class T>
HAFT_BODY void whole_pass(const FourierPass<T>& f, const T* tables, const V* x, V* y) {
  const int64_t m = f.m, s = f.s;
  if constexpr (kFirst)
    for (int64_t q = 0; q < s; ++q) butterfly<R, false>(x + 2 * q, s * m, y + 2 * q, s, tables);
  for (int64_t p = kFirst; p < m; ++p) {
    const T* w = tables + f.twiddles + p * (R - 1) * 2;
    for (int64_t q = 0; q < s; ++q)
      butterfly<R, true>(x + 2 * (q + s * p), s * m, y + 2 * (q + s * R * p), s, w);
  }
}

// A radix without code of its own, by its definition.
template <class V, class T>
HAFT_BODY void plain_pass(const FourierPass<T>& f, const T* tables, const V* x, V* y) {
  const int64_t m = f.m, s = f.s;
  const int r = f.radix;
  const T* roots = tables + f.roots;
  for (int64_t p = 0; p < m; ++p) {
    const T* w = tables + f.twiddles + p * (r - 1) * 2;
    for (int64_t q = 0; q < s; ++q) {
      const V* from = x + 2 * (q + s * p);
      V* to = y + 2 * (q + s * r * p);
      for (int k = 0; k < r; ++k) {
        Pair<V> b{from[0], from[1]};
        for (int j = 1, at = 0; j < r; ++j) {
          at += k;
          if (at >= r) at -= r;
          const T re = roots[2 * at], im = roots[2 * at + 1];
          const V &u = from[2 * s * m * j], &v = from[2 * s * m * j + 1];
          b.re += u * re - v * im;
          b.im += u * im + v * re;
        }
        put<true>(to, s * k, k, b, w);
      }
    }
  }
}

// All passes from a to b and back; the result is in a where their number is even.
template <Isa I, class T>
HAFT_BODY void all_passes(const FourierPlan<T>& plan, T* a, T* b) {
  using V = typename VectorOf<T, bytes_of(I)>::type;
  constexpr bool kFirst = I != Isa::baseline;
  const T* tables = plan.tables.data();
  for (const FourierPass<T>& f : plan.passes) {
    const V* x = reinterpret_cast<const V*>(a);
    V* y = reinterpret_cast<V*>(b);
    switch (f.radix) {
      case 2: whole_pass<2, kFirst>(f, tables, x, y); break;
      case 3: whole_pass<3, kFirst>(f, tables, x, y); break;
      case 4: whole_pass<4, kFirst>(f, tables, x, y); break;
      case 5: whole_pass<5, kFirst>(f, tables, x, y); break;
      case 8: whole_pass<8, kFirst>(f, tables, x, y); break;
      default: plain_pass(f, tables, x, y);
    }
    std::swap(a, b);
  }
}
template <Isa I, class T>
HAFT_BODY void passes_body(const FourierPlan<T>& p, T* a, T* b) {
  all_passes<I>(p, a, b);
}
HAFT_MULTIVERSION(passes, (const FourierPlan<float>& p, float* a, float* b), (p, a, b))
HAFT_MULTIVERSION(passes, (const FourierPlan<double>& p, double* a, double* b), (p, a, b))

template <class T>
T* run_passes(const FourierPlan<T>& p, T* a, T* b) {
  passes(p, a, b);
  return p.passes.size() % 2 ? b : a;
}

// Room for `width` lines of n pairs, twice.
template <class T>
struct Room {
  int64_t size;
  Scratch<T> memory;
  explicit Room(int64_t n) : size(2 * n * width<T>()), memory(2 * size) {}
  T* a() const { return memory.get(); }
  T* b() const { return memory.get() + size; }
};

// Lanes with S in their number change places between a and b: those of a go to b's lower ones and the reverse.
template <int S, class V, int... L>
HAFT_BODY void exchange(V& a, V& b, std::integer_sequence<int, L...>) {
  constexpr int W = sizeof...(L);
  const V first = __builtin_shufflevector(a, b, (L & S ? W + L - S : L)...);
  b = __builtin_shufflevector(a, b, (L & S ? W + L : L + S)...);
  a = first;
}
template <int S, int W, class V>
HAFT_BODY void turn(V* rows) {
  for (int i = 0; i < W; ++i)
    if (!(i & S)) exchange<S>(rows[i], rows[i + S], std::make_integer_sequence<int, W>());
  if constexpr (S > 1) turn<S / 2, W>(rows);
}

template <class T, int W>
struct Unaligned {
  typedef T type __attribute__((vector_size(W * sizeof(T)), aligned(alignof(T)), may_alias));
};

// `count` lines of pairs to their lanes: squares of numbers are turned, so that parts come to lie in vectors.
template <Isa I, class T>
HAFT_BODY void load_lanes_body(const T* in, int64_t step, int64_t n, int count, bool swap, T* a) {
  constexpr int W = bytes_of(I) / int(sizeof(T));
  using V = typename VectorOf<T, bytes_of(I)>::type;
  using U = typename Unaligned<T, W>::type;
  int64_t k = 0;  // of numbers, two an element
  if (count == W) {
    for (; k + W <= 2 * n; k += W) {
      V rows[W];
      for (int l = 0; l < W; ++l) rows[l] = *reinterpret_cast<const U*>(in + l * step + k);
      turn<W / 2, W>(rows);
      V* to = reinterpret_cast<V*>(a + k * W);
      for (int j = 0; j < W; ++j) to[j ^ int(swap)] = rows[j];
    }
  } else {
    std::fill_n(a, 2 * n * W, T(0));
  }
  for (; k < 2 * n; ++k)
    for (int l = 0; l < count; ++l) a[(k ^ int64_t(swap)) * W + l] = in[l * step + k];
}
template <Isa I, class T>
HAFT_BODY void store_lanes_body(const T* a, int64_t n, int count, bool swap, T scale, T* out, int64_t step) {
  constexpr int W = bytes_of(I) / int(sizeof(T));
  using V = typename VectorOf<T, bytes_of(I)>::type;
  using U = typename Unaligned<T, W>::type;
  int64_t k = 0;
  if (count == W)
    for (; k + W <= 2 * n; k += W) {
      V rows[W];
      const V* from = reinterpret_cast<const V*>(a + k * W);
      for (int j = 0; j < W; ++j) rows[j] = from[j ^ int(swap)] * scale;
      turn<W / 2, W>(rows);
      for (int l = 0; l < W; ++l) *reinterpret_cast<U*>(out + l * step + k) = rows[l];
    }
  for (; k < 2 * n; ++k)
    for (int l = 0; l < count; ++l) out[l * step + k] = a[(k ^ int64_t(swap)) * W + l] * scale;
}
// The same number of neighbouring elements of each of `rows` rows, `step` apart.
template <Isa I, class T>
HAFT_BODY void load_columns_body(const T* in, int64_t step, int64_t rows, int64_t count, bool swap, T* a) {
  constexpr int64_t W = bytes_of(I) / int(sizeof(T));
  if (count < W) std::fill_n(a, 2 * rows * W, T(0));
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = in + r * step;
    T *re = a + (2 * r + swap) * W, *im = a + (2 * r + !swap) * W;
    if (count == W) {
#pragma GCC ivdep
      for (int64_t i = 0; i < W; ++i) re[i] = from[2 * i], im[i] = from[2 * i + 1];
    } else {
      for (int64_t i = 0; i < count; ++i) re[i] = from[2 * i], im[i] = from[2 * i + 1];
    }
  }
}
// The way back, times `factors` where there are some, which lie as the rows do, or times `scale`.
template <Isa I, class T>
HAFT_BODY void store_columns_body(const T* a, int64_t rows, int64_t count, bool swap, T scale,
                                  const T* factors, T* out, int64_t step) {
  constexpr int64_t W = bytes_of(I) / int(sizeof(T));
  auto row = [&](auto n, int64_t r) HAFT_INLINE {
    const T *re = a + (2 * r + swap) * W, *im = a + (2 * r + !swap) * W;
    T* __restrict to = out + r * step;
    if (factors) {
      const T* f = factors + r * step;
      for (int64_t i = 0; i < n; ++i) {
        const T u = re[i], v = im[i], x = f[2 * i], y = f[2 * i + 1];
        to[2 * i] = u * x - v * y, to[2 * i + 1] = u * y + v * x;
      }
    } else {
      for (int64_t i = 0; i < n; ++i) to[2 * i] = re[i] * scale, to[2 * i + 1] = im[i] * scale;
    }
  };
  for (int64_t r = 0; r < rows; ++r) {
    if (count == W)
      row(std::integral_constant<int64_t, W>(), r);
    else
      row(count, r);
  }
}
// h pairs, the transform of the even and, times i, of the odd elements of a real line, become the elements 0 to h of
// its own, in place. V is a number or a vector of those of several lines.
template <class V, class T>
HAFT_BODY void separate(V* z, int64_t h, const T* halves) {
  const V first = z[0], second = z[1];
  z[0] = first + second, z[1] = V{};
  z[2 * h] = first - second, z[2 * h + 1] = V{};
  for (int64_t k = 1; 2 * k <= h; ++k) {
    V *a = z + 2 * k, *b = z + 2 * (h - k);
    const T half = T(0.5), wr = halves[2 * k], wi = halves[2 * k + 1];
    const V er = (a[0] + b[0]) * half, ei = (a[1] - b[1]) * half;
    const V odd_r = (a[1] + b[1]) * half, odd_i = (b[0] - a[0]) * half;
    const V tr = odd_r * wr - odd_i * wi, ti = odd_r * wi + odd_i * wr;
    a[0] = er + tr, a[1] = ei + ti;
    b[0] = er - tr, b[1] = ti - ei;
  }
}
// The way back, without a factor 2. `swap`: with both parts exchanged.
template <class V, class T>
HAFT_BODY void unite(V* z, int64_t h, const T* halves, bool swap) {
  const int re = swap, im = !swap;
  const V first = z[0] + z[2 * h], second = z[0] - z[2 * h];
  z[re] = first, z[im] = second;
  for (int64_t k = 1; 2 * k <= h; ++k) {
    V *a = z + 2 * k, *b = z + 2 * (h - k);
    const T wr = halves[2 * k], wi = -halves[2 * k + 1];
    const V er = a[0] + b[0], ei = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1];
    const V odd_r = dr * wr - di * wi, odd_i = dr * wi + di * wr;
    a[re] = er - odd_i, a[im] = ei + odd_r;
    b[re] = er + odd_i, b[im] = odd_r - ei;
  }
}
template <Isa I, class T>
HAFT_BODY void separate_lanes_body(T* z, int64_t h, const T* halves) {
  separate(reinterpret_cast<typename VectorOf<T, bytes_of(I)>::type*>(z), h, halves);
}
template <Isa I, class T>
HAFT_BODY void unite_lanes_body(T* z, int64_t h, const T* halves) {
  unite(reinterpret_cast<typename VectorOf<T, bytes_of(I)>::type*>(z), h, halves, true);
}

#define HAFT_FOURIER_MOVES(T)                                                                                \
  HAFT_MULTIVERSION(load_lanes, (const T* in, int64_t step, int64_t n, int count, bool swap, T* a),          \
                    (in, step, n, count, swap, a))                                                           \
  HAFT_MULTIVERSION(store_lanes,                                                                             \
                    (const T* a, int64_t n, int count, bool swap, T scale, T* out, int64_t step),            \
                    (a, n, count, swap, scale, out, step))                                                   \
  HAFT_MULTIVERSION(load_columns, (const T* in, int64_t step, int64_t rows, int64_t count, bool swap, T* a), \
                    (in, step, rows, count, swap, a))                                                        \
  HAFT_MULTIVERSION(                                                                                         \
      store_columns,                                                                                         \
      (const T* a, int64_t rows, int64_t count, bool swap, T scale, const T* factors, T* out, int64_t step), \
      (a, rows, count, swap, scale, factors, out, step))                                                     \
  HAFT_MULTIVERSION(separate_lanes, (T * z, int64_t h, const T* halves), (z, h, halves))                     \
  HAFT_MULTIVERSION(unite_lanes, (T * z, int64_t h, const T* halves), (z, h, halves))
HAFT_FOURIER_MOVES(float)
HAFT_FOURIER_MOVES(double)

template <class T>
int64_t grain_of(int64_t n) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1));
}

template <class T>
void side_by_side(const FourierPlan<T>& p, const FourierLines<T>& l) {
  const int w = width<T>();
  const int64_t in = p.n + (l.real && l.inverse), out = p.n + (l.real && !l.inverse);
  parallel_for((l.count + w - 1) / w, grain_of<T>(p.n * w), [&](int64_t begin, int64_t end) {
    const Room<T> room(p.n + 1);
    for (int64_t g = begin; g < end; ++g) {
      const int count = int(std::min<int64_t>(w, l.count - g * w));
      load_lanes(l.in + g * w * l.in_step, l.in_step, in, count, l.inverse && !l.real, room.a());
      if (l.real && l.inverse) unite_lanes(room.a(), p.n, p.halves.data());
      T* y = run_passes(p, room.a(), room.b());
      if (l.real && !l.inverse) separate_lanes(y, p.n, p.halves.data());
      store_lanes(y, out, count, l.inverse, l.scale, l.out + g * w * l.out_step, l.out_step);
    }
  });
}

// One line as a matrix (rows, columns): element k = k_row + rows k_column of the result is the transform over columns
// of what the transforms over rows give, times exp(-2 pi i row column / n).
template <class T>
void one_split(const FourierPlan<T>& p, const T* in, T* out, bool inverse, T scale, T* between) {
  const int w = width<T>();
  const int64_t rows = p.columns_of->n, columns = p.rows_of->n;
  parallel_for((columns + w - 1) / w, grain_of<T>(rows * w), [&](int64_t begin, int64_t end) {
    const Room<T> room(rows);
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = 2 * g * w, count = std::min<int64_t>(w, columns - g * w);
      load_columns(in + first, 2 * columns, rows, count, inverse, room.a());
      const T* y = run_passes(*p.columns_of, room.a(), room.b());
      store_columns(y, rows, count, false, T(1), p.factors.data() + first, between + first, 2 * columns);
    }
  });
  parallel_for((rows + w - 1) / w, grain_of<T>(columns * w), [&](int64_t begin, int64_t end) {
    const Room<T> room(columns);
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = g * w, count = std::min<int64_t>(w, rows - first);
      load_lanes(between + 2 * first * columns, 2 * columns, columns, int(count), false, room.a());
      const T* y = run_passes(*p.rows_of, room.a(), room.b());
      store_columns(y, columns, count, inverse, scale, nullptr, out + 2 * first, 2 * rows);
    }
  });
}

template <class T>
void product(const T* x, const T* y, int64_t n, T* out) {
  for (int64_t i = 0; i < n; ++i) {
    const T re = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
    out[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
    out[2 * i] = re;
  }
}

// One line as a convolution with a chirp.
template <class T>
void one_chirp(const FourierPlan<T>& p, const T* in, T* out, bool inverse, T scale, T* x, T* y) {
  const int64_t m = p.padded->n;
  for (int64_t i = 0; i < p.n; ++i) {
    y[2 * i] = in[2 * i + inverse];
    y[2 * i + 1] = in[2 * i + !inverse];
  }
  product(y, p.chirp.data(), p.n, x);
  std::fill(x + 2 * p.n, x + 2 * m, T(0));
  fourier_lines<T>(*p.padded, {x, 2 * m, y, 2 * m, 1, false, T(1)});
  product(y, p.response.data(), m, x);
  fourier_lines<T>(*p.padded, {x, 2 * m, y, 2 * m, 1, true, T(1)});
  product(y, p.chirp.data(), p.n, x);
  for (int64_t i = 0; i < p.n; ++i) {
    out[2 * i + inverse] = x[2 * i] * scale;
    out[2 * i + !inverse] = x[2 * i + 1] * scale;
  }
}

}  // namespace

template <class T>
bool fourier_side_by_side(const FourierPlan<T>& p, int64_t count) {
  return !p.padded && (!p.columns_of || (p.n <= kFourierSide && count >= width<T>()));
}

template <class T>
void fourier_lines(const FourierPlan<T>& p, const FourierLines<T>& l) {
  if (fourier_side_by_side(p, l.count)) return side_by_side(p, l);
  const bool chirp = p.padded != nullptr;
  // Few long lines share their threads, many have one each.
  parallel_for(l.count, l.count < num_threads() ? l.count : grain_of<T>(p.n),
               [&](int64_t begin, int64_t end) {
                 const int64_t m = chirp ? p.padded->n : p.n;
                 const Scratch<T> room(chirp ? 4 * m : 2 * m);
                 for (int64_t i = begin; i < end; ++i) {
                   const T* in = l.in + i * l.in_step;
                   T* out = l.out + i * l.out_step;
                   if (chirp)
                     one_chirp(p, in, out, l.inverse, l.scale, room.get(), room.get() + 2 * m);
                   else
                     one_split(p, in, out, l.inverse, l.scale, room.get());
                 }
               });
}
template void fourier_lines<float>(const FourierPlan<float>&, const FourierLines<float>&);
template void fourier_lines<double>(const FourierPlan<double>&, const FourierLines<double>&);

namespace {

constexpr int64_t kLinesAtOnce = 16;

// Lines whose elements are `columns` numbers apart, `blocks` times that many of them: as many neighbours as lanes at a
// time, long ones by way of dense copies.
template <class T>
void columns_of_blocks(const FourierPlan<T>& p, const FourierLines<T>& l, int64_t blocks, int64_t columns) {
  const int64_t w = width<T>(), n = p.n, groups = (columns + w - 1) / w;
  const bool direct = !p.padded && n <= kFourierSide;
  parallel_for(blocks * groups, grain_of<T>(n * w), [&](int64_t begin, int64_t end) {
    const Room<T> room(n);
    for (; begin < end; ++begin) {
      const int64_t first = begin % groups * w, at = 2 * (begin / groups * n * columns + first);
      const int64_t count = std::min(w, columns - first);
      T *a = room.a(), *b = room.b();
      if (direct) {
        load_columns(l.in + at, 2 * columns, n, count, l.inverse, a);
        const T* y = run_passes(p, a, b);
        store_columns(y, n, count, l.inverse, l.scale, nullptr, l.out + at, 2 * columns);
        continue;
      }
      for (int64_t k = 0; k < n; ++k)
        for (int64_t i = 0; i < count; ++i)
          std::copy_n(l.in + at + 2 * (k * columns + i), 2, a + 2 * (i * n + k));
      fourier_lines<T>(p, {a, 2 * n, b, 2 * n, count, l.inverse, l.scale});
      for (int64_t k = 0; k < n; ++k)
        for (int64_t i = 0; i < count; ++i)
          std::copy_n(b + 2 * (i * n + k), 2, l.out + at + 2 * (k * columns + i));
    }
  });
}

template <class T>
void real_forward(const T* in, T* out, int64_t n, int64_t count, T scale) {
  const int64_t h = n / 2, step = 2 * (h + 1);
  const bool even = n % 2 == 0;
  const auto plan = fourier_plan<T>(even ? h : n, even);
  if (even) {
    const bool real = fourier_side_by_side(*plan, count);
    fourier_lines<T>(*plan, {in, n, out, step, count, false, scale, real});
    if (real) return;
    return parallel_for(count, grain_of<T>(n), [&](int64_t begin, int64_t end) {
      for (; begin < end; ++begin) separate(out + begin * step, h, plan->halves.data());
    });
  }
  parallel_for((count + kLinesAtOnce - 1) / kLinesAtOnce, grain_of<T>(n * kLinesAtOnce),
               [&](int64_t b, int64_t e) {
                 const Scratch<T> room(4 * n * kLinesAtOnce);
                 for (; b < e; ++b) {
                   const int64_t first = b * kLinesAtOnce, lines = std::min(kLinesAtOnce, count - first);
                   T *x = room.get(), *y = x + 2 * n * kLinesAtOnce;
                   for (int64_t i = 0; i < n * lines; ++i) x[2 * i] = in[first * n + i], x[2 * i + 1] = 0;
                   fourier_lines<T>(*plan, {x, 2 * n, y, 2 * n, lines, false, scale});
                   for (int64_t i = 0; i < lines; ++i)
                     std::copy_n(y + 2 * n * i, step, out + (first + i) * step);
                 }
               });
}

template <class T>
void real_inverse(const T* in, T* out, int64_t n, int64_t count, T scale) {
  const int64_t h = n / 2, step = 2 * (h + 1), length = n % 2 ? n : h;
  const bool even = n % 2 == 0;
  const auto plan = fourier_plan<T>(length, even);
  if (even && fourier_side_by_side(*plan, count))
    return fourier_lines<T>(*plan, {in, step, out, n, count, true, scale, true});
  parallel_for((count + kLinesAtOnce - 1) / kLinesAtOnce, grain_of<T>(n * kLinesAtOnce),
               [&](int64_t b, int64_t e) {
                 const int64_t size =
                     2 * length * std::min(kLinesAtOnce, count) + 2;  // an element more while they are united
                 const Scratch<T> room(even ? size : 2 * size);
                 T *z = room.get(), *y = z + size;
                 for (; b < e; ++b) {
                   const int64_t first = b * kLinesAtOnce, lines = std::min(kLinesAtOnce, count - first);
                   for (int64_t i = 0; i < lines; ++i) {
                     const T* x = in + (first + i) * step;
                     T* to = z + 2 * length * i;
                     if (even) {
                       std::copy_n(x, step, to);
                       unite(to, h, plan->halves.data(), false);
                       continue;
                     }
                     to[0] = x[0], to[1] = 0;
                     for (int64_t k = 1; k <= h; ++k) {
                       to[2 * k] = to[2 * (n - k)] = x[2 * k];
                       to[2 * k + 1] = x[2 * k + 1];
                       to[2 * (n - k) + 1] = -x[2 * k + 1];
                     }
                   }
                   if (even) {
                     fourier_lines<T>(*plan, {z, 2 * length, out + first * n, n, lines, true, scale});
                   } else {
                     fourier_lines<T>(*plan, {z, 2 * n, y, 2 * n, lines, true, scale});
                     for (int64_t i = 0; i < n * lines; ++i) out[first * n + i] = y[2 * i];
                   }
                 }
               });
}

template <class T>
void transform(const KernelCall& k) {
  const auto n = k.attrs.i(0);
  const auto scale = T(k.attrs.d(2));
  const T* in = static_cast<const T*>(k.in(0).data);
  T* out = static_cast<T*>(k.out().data);
  switch (Fourier(k.attrs.i(1))) {
    case Fourier::real_forward: return real_forward(in, out, n, k.in(0).numel / n, scale);
    case Fourier::real_inverse: return real_inverse(in, out, n, k.out().numel / n, scale);
    default: {
      const auto plan = fourier_plan<T>(n, false);
      const int64_t columns = k.attrs.i(3);
      const FourierLines<T> lines{
          in, 2 * n, out, 2 * n, k.in(0).numel / (2 * n), Fourier(k.attrs.i(1)) == Fourier::inverse, scale};
      if (columns == 1) return fourier_lines<T>(*plan, lines);
      return columns_of_blocks<T>(*plan, lines, lines.count / columns, columns);
    }
  }
}

}  // namespace

// in: dense lines as Fourier says, float32 or float64; attrs: n, kind, scale, columns
void k_fourier(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.out().numel == 0) return;
  if (k.dtype() == DType::f64)
    transform<double>(k);
  else
    transform<float>(k);
}

}  // namespace haft::cpu
