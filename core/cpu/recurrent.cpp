// Recurrent layers: all steps of one layer and direction, and their gradients. Each thread takes sequences of its own
// through all steps, so that no step waits for another thread, and multiplies the inputs of a few steps at a time, so
// that their products stay in its cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/recurrent.cpp"
#include "core/cpu/foreach_target.h"

#include <algorithm>

#include "core/cpu/kernel.h"
#include "core/cpu/recurrent.h"
#include "core/cpu/simd_power.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// Rows of a tile that the registers hold beside its vectors: 24, 12 and 8 sums. float64 is for tests and gradcheck.
template <class T, int kVectors>
constexpr int kTileRows = sizeof(T) == 8 ? 2
                                         : (HWY_TARGET <= HWY_AVX3   ? 24
                                            : HWY_TARGET <= HWY_AVX2 ? 12
                                                                     : 8) /
                                               kVectors;
constexpr int64_t kChunk = 48;  // rows of inputs that are multiplied at a time, or those of a step

// kRows rows of a (.., k) times a packed block w (k, kVectors lanes); sums run over k in order, whatever the tile.
template <class T, int kRows, int kVectors>
void tile(const T* a, int64_t lda, const T* w, int64_t k, T* out) {
  using V = Lanes<T>;
  constexpr int64_t L = V::kSize;
  V s[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) s[r][j] = V(0);
  for (int64_t p = 0; p < k; ++p, w += kVectors * L) {
    V v[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) v[j] = V::load(w + j * L);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const V x(a[r * lda + p]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) s[r][j] = fma(x, v[j], s[r][j]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) s[r][j].store(out + (r * kVectors + j) * L);
}
template <class T, int kVectors>
HWY_NOINLINE void tile_of(int64_t rows, const T* a, int64_t lda, const T* w, int64_t k, T* out) {
  auto some = [&]<int kRows>() HWY_ATTR {
    if constexpr (kRows <= kTileRows<T, kVectors>) tile<T, kRows, kVectors>(a, lda, w, k, out);
  };
  switch (rows) {
    case 1: return some.template operator()<1>();
    case 2: return some.template operator()<2>();
    case 3: return some.template operator()<3>();
    case 4: return some.template operator()<4>();
    case 5: return some.template operator()<5>();
    case 6: return some.template operator()<6>();
    case 7: return some.template operator()<7>();
    default: some.template operator()<8>();
  }
}

// f(row, rows, tile) for `rows` rows of a times one packed block, in tiles of nearly equal height.
template <class T, int kVectors, class F>
HWY_INLINE void each_tile(int64_t rows, const T* a, int64_t lda, const T* w, int64_t k, F&& f) {
  constexpr int kRows = kTileRows<T, kVectors>;
  HWY_ALIGN T out[kRows * kVectors * Lanes<T>::kSize];
  const int64_t tiles = (rows + kRows - 1) / kRows;
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t row = rows * i / tiles, n = rows * (i + 1) / tiles - row;
    tile_of<T, kVectors>(n, a + row * lda, lda, w, k, out);
    f(row, n, static_cast<const T*>(out));
  }
}

// Calls in float64, for a cell has five of them and each is a long polynomial.
template <class T>
HWY_INLINE Lanes<T> sigmoid(Lanes<T> x) {
  return falling_sigmoid(-x);
}
HWY_INLINE Lanes<float> squash(Lanes<float> x) { return short_tanh(x); }
HWY_NOINLINE Lanes<double> squash(Lanes<double> x) { return short_tanh(x); }

// n lanes, all but at the end of a row: one body for both.
template <class T>
HWY_INLINE Lanes<T> get(const T* p, int64_t n) {
  return n == Lanes<T>::kSize ? Lanes<T>::load(p) : Lanes<T>::load_n(p, n);
}
template <class T>
HWY_INLINE void put(T* p, int64_t n, Lanes<T> v) {
  if (n == Lanes<T>::kSize)
    v.store(p);
  else
    v.store_n(p, n);
}
template <class T, class F>
HWY_INLINE void each_vector(int64_t n, F&& f) {
  for (int64_t i = 0; i < n; i += Lanes<T>::kSize) f(i, std::min(Lanes<T>::kSize, n - i));
}

// ---- forward: one block of units of n rows, whose products stand in `sums` (of states) and z (of inputs, and bias)
// ----

template <class T>
HWY_NOINLINE void lstm_cell(const T* sums, const T* z, int64_t n, int64_t width, T* gates, int64_t hidden,
                            T* c, T* cells, T* y, int64_t y_row) {
  using V = Lanes<T>;
  constexpr int64_t L = V::kSize;
  for (int64_t r = 0; r < n;
       ++r, sums += 4 * L, z += 4 * L, gates += 4 * hidden, c += hidden, cells += hidden, y += y_row) {
    const V in = sigmoid(V::load(z) + V::load(sums)), forget = sigmoid(V::load(z + L) + V::load(sums + L)),
            g = squash(V::load(z + 2 * L) + V::load(sums + 2 * L)),
            o = sigmoid(V::load(z + 3 * L) + V::load(sums + 3 * L));
    const V now = fma(forget, get(c, width), in * g);
    put(gates, width, in);
    put(gates + hidden, width, forget);
    put(gates + 2 * hidden, width, g);
    put(gates + 3 * hidden, width, o);
    put(c, width, now);
    put(cells, width, now);
    put(y, width, o * squash(now));
  }
}
template <class T>
HWY_NOINLINE void gru_cell(const T* sums, const T* z, int64_t n, int64_t width, T* gates, int64_t hidden,
                           const T* bias, const T* h, T* y) {
  using V = Lanes<T>;
  constexpr int64_t L = V::kSize;
  for (int64_t k = 0; k < n; ++k, sums += 3 * L, z += 3 * L, gates += 4 * hidden, h += hidden, y += hidden) {
    const V r = sigmoid(V::load(z) + V::load(sums)), u = sigmoid(V::load(z + L) + V::load(sums + L));
    V q = V::load(sums + 2 * L);
    if (bias) q = q + get(bias, width);
    const V g = squash(fma(r, q, V::load(z + 2 * L)));
    put(gates, width, r);
    put(gates + hidden, width, u);
    put(gates + 2 * hidden, width, g);
    put(gates + 3 * hidden, width, q);
    put(y, width, fma(u, get(h, width) - g, g));
  }
}
template <class T, bool kRelu>
HWY_NOINLINE void simple_cell(const T* sums, const T* z, int64_t n, int64_t width, T* gates, int64_t hidden,
                              T* y) {
  using V = Lanes<T>;
  for (int64_t r = 0; r < n; ++r, sums += 4 * V::kSize, z += 4 * V::kSize, gates += hidden, y += hidden)
    each_vector<T>(width, [&](int64_t i, int64_t m) HWY_ATTR {
      const V x = V::load(z + i) + V::load(sums + i);
      const V v = kRelu ? select(x < V(0), V(0), x) : squash(x);
      put(gates + i, m, v);
      put(y + i, m, v);
    });
}

// Products and bias of n rows of inputs in blocks [from, to), to z (blocks, pitch, stride).
template <class T>
void multiply_inputs(const Recurrent<T>& s, const T* x, int64_t n, int64_t from, int64_t to, T* z,
                     int64_t pitch) {
  const Packed<T>& w = *s.of_inputs;
  for (int64_t b = from; b < to; ++b) {
    T* const of_block = z + b * pitch * w.stride;
    const T* const bias = s.bias->at(b);
    auto put_rows = [&](int64_t r, int64_t m, const T* sums) HWY_ATTR {
      for (int64_t k = 0; k < m; ++k, sums += w.stride)
        for (int64_t i = 0; i < w.stride; i += Lanes<T>::kSize)
          (Lanes<T>::load(sums + i) + Lanes<T>::load(bias + i)).store(of_block + (r + k) * w.stride + i);
    };
    if (s.cell == Cell::gru)
      each_tile<T, 3>(n, x, s.inputs, w.at(b), w.k, put_rows);
    else
      each_tile<T, 4>(n, x, s.inputs, w.at(b), w.k, put_rows);
  }
}

// The rows of step t that belong to the sequences [begin, end).
template <class T>
HWY_INLINE int64_t active(const Recurrent<T>& s, int64_t t, int64_t begin, int64_t end) {
  return std::clamp(s.batch[t], begin, end) - begin;
}

// The sequences [begin, end) through all steps.
template <class T>
void forward_of(const Recurrent<T>& s, int64_t begin, int64_t end) {
  const Packed<T>&w = *s.states, &w_hr = *s.projection;
  const int64_t hidden = s.hidden, kept = kept_of(s.cell) * hidden,
                most = s.z ? s.rows : kChunk + end - begin;
  const bool all = begin == 0 && end == s.batch[0];  // their rows are neighbours
  T *const h = s.h + begin * s.out, *const c = s.c ? s.c + begin * hidden : nullptr;
  HostBuffer unprojected(s.projects ? (end - begin) * hidden * int64_t(sizeof(T)) : 0);
  HostBuffer products(s.z ? 0 : w.blocks * most * w.stride * int64_t(sizeof(T))),
      gathered(s.z || all ? 0 : most * s.inputs * int64_t(sizeof(T)));
  auto step_at = [&](int64_t i) { return s.reverse ? s.steps - 1 - i : i; };
  // What stands in `products`: steps before `until`, the first of them at row `base`.
  int64_t until = 0, base = 0, done = 0;
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t t = step_at(i), n = active(s, t, begin, end);
    if (!n) continue;
    const int64_t row = s.first[t] + begin;
    if (!s.z && i >= until) {
      int64_t rows = 0;
      for (until = i; until < s.steps && rows < kChunk; ++until) {
        const int64_t next = step_at(until), more = active(s, next, begin, end);
        if (!all)
          std::copy_n(s.x + (s.first[next] + begin) * s.inputs, more * s.inputs,
                      gathered.as<T>() + rows * s.inputs);
        rows += more;
      }
      base = s.first[s.reverse ? step_at(until - 1) : t];
      done = 0;
      multiply_inputs(s, all ? s.x + base * s.inputs : gathered.as<T>(), rows, 0, w.blocks, products.as<T>(),
                      most);
    }
    const T* const z = s.z ? s.z + row * w.stride : products.as<T>() + (all ? row - base : done) * w.stride;
    done += n;
    T *const gates = s.gates + row * kept, *const y = s.y + row * s.out,
             *const o = s.projects ? unprojected.as<T>() : y;
    for (int64_t b = 0; b < w.blocks; ++b) {
      const int64_t at = b * w.block, width = w.width(b);
      const T* const of_block = z + b * most * w.stride;
      T* const g = gates + at;
      if (s.cell == Cell::lstm) {
        T* const cells = s.cells + row * hidden + at;
        each_tile<T, 4>(n, h, s.out, w.at(b), w.k, [&](int64_t r, int64_t m, const T* sums) {
          lstm_cell(sums, of_block + r * w.stride, m, width, g + r * kept, hidden, c + r * hidden + at,
                    cells + r * hidden, o + r * hidden + at, hidden);
        });
      } else if (s.cell == Cell::gru) {
        each_tile<T, 3>(n, h, s.out, w.at(b), w.k, [&](int64_t r, int64_t m, const T* sums) {
          gru_cell(sums, of_block + r * w.stride, m, width, g + r * kept, hidden,
                   s.bias_n ? s.bias_n + at : nullptr, h + r * hidden + at, o + r * hidden + at);
        });
      } else {
        each_tile<T, 4>(n, h, s.out, w.at(b), w.k, [&](int64_t r, int64_t m, const T* sums) {
          (s.cell == Cell::relu ? simple_cell<T, true> : simple_cell<T, false>)(sums, of_block + r * w.stride,
                                                                                m, width, g + r * kept,
                                                                                hidden, o + r * hidden + at);
        });
      }
    }
    for (int64_t b = 0; s.projects && b < w_hr.blocks; ++b)
      each_tile<T, 4>(n, o, hidden, w_hr.at(b), hidden, [&](int64_t r, int64_t m, const T* sums) {
        for (int64_t k = 0; k < m; ++k)
          std::copy_n(sums + k * w_hr.block, w_hr.width(b), y + (r + k) * s.out + b * w_hr.block);
      });
    std::copy_n(y, n * s.out, h);
  }
}

// ---- backward: one row; dh is the gradient of what the cell put out ----

template <class T>
HWY_NOINLINE void lstm_backward(const T* dh, const T* gates, const T* cell, const T* before, T* dc, T* dz,
                                int64_t hidden) {
  using V = Lanes<T>;
  each_vector<T>(hidden, [&](int64_t j, int64_t m) HWY_ATTR {
    const V i = get(gates + j, m), f = get(gates + hidden + j, m), g = get(gates + 2 * hidden + j, m),
            o = get(gates + 3 * hidden + j, m), one(1);
    const V tc = squash(get(cell + j, m)), d = get(dh + j, m);
    const V e = fma(d * o, one - tc * tc, get(dc + j, m));
    put(dz + j, m, e * g * i * (one - i));
    put(dz + hidden + j, m, e * get(before + j, m) * f * (one - f));
    put(dz + 2 * hidden + j, m, e * i * (one - g * g));
    put(dz + 3 * hidden + j, m, d * tc * o * (one - o));
    put(dc + j, m, e * f);
  });
}
// dh becomes what goes past the gates.
template <class T>
HWY_NOINLINE void gru_backward(T* dh, const T* gates, const T* before, T* dz, T* dzh, int64_t hidden) {
  using V = Lanes<T>;
  each_vector<T>(hidden, [&](int64_t j, int64_t m) HWY_ATTR {
    const V r = get(gates + j, m), z = get(gates + hidden + j, m), g = get(gates + 2 * hidden + j, m),
            q = get(gates + 3 * hidden + j, m), one(1);
    const V d = get(dh + j, m);
    const V dn = d * (one - z) * (one - g * g), dr = dn * q * r * (one - r),
            du = d * (get(before + j, m) - g) * z * (one - z);
    put(dz + j, m, dr);
    put(dz + hidden + j, m, du);
    put(dz + 2 * hidden + j, m, dn);
    put(dzh + j, m, dr);
    put(dzh + hidden + j, m, du);
    put(dzh + 2 * hidden + j, m, dn * r);
    put(dh + j, m, d * z);
  });
}
template <class T>
HWY_NOINLINE void simple_backward(const T* dh, const T* gates, T* dz, int64_t hidden, bool relu) {
  using V = Lanes<T>;
  each_vector<T>(hidden, [&](int64_t j, int64_t m) HWY_ATTR {
    const V y = get(gates + j, m), d = get(dh + j, m);
    put(dz + j, m, relu ? select(y > V(0), d, V(0)) : d * (V(1) - y * y));
  });
}
template <class T>
HWY_NOINLINE void add_row(T* to, const T* from, int64_t n) {
  each_vector<T>(n,
                 [&](int64_t i, int64_t m) HWY_ATTR { put(to + i, m, get(to + i, m) + get(from + i, m)); });
}

template <class T>
void backward_of(const Recurrent<T>& s, int64_t begin, int64_t end) {
  const Packed<T>&w = *s.states, &w_hr = *s.projection;
  const int64_t hidden = s.hidden, kept = kept_of(s.cell) * hidden, wide = gates_of(s.cell) * hidden;
  const bool gru = s.cell == Cell::gru;
  T *const dh = s.h + begin * s.out, *const dc = s.c ? s.c + begin * hidden : nullptr;
  HostBuffer unprojected(s.projects ? (end - begin) * hidden * int64_t(sizeof(T)) : 0);
  for (int64_t i = s.steps; i-- > 0;) {
    const int64_t t = s.reverse ? s.steps - 1 - i : i, n = active(s, t, begin, end);
    if (!n) continue;
    const int64_t row = s.first[t] + begin;
    if (s.grad_y)
      for (int64_t r = 0; r < n; ++r) add_row(dh + r * s.out, s.grad_y + (row + r) * s.out, s.out);
    T* d = dh;
    if (s.projects) {
      d = unprojected.as<T>();
      std::copy_n(dh, n * s.out, s.dy + row * s.out);
      for (int64_t b = 0; b < w_hr.blocks; ++b)
        each_tile<T, 4>(n, dh, s.out, w_hr.at(b), s.out, [&](int64_t r, int64_t m, const T* sums) {
          for (int64_t k = 0; k < m; ++k)
            std::copy_n(sums + k * w_hr.block, w_hr.width(b), d + (r + k) * hidden + b * w_hr.block);
        });
    }
    T *const dz = s.dz + row * wide, *const dzh = gru ? s.dzh + row * wide : dz;
    const int64_t earlier = s.reverse ? t + 1 : t - 1;  // the step that made the state that this one read
    for (int64_t r = 0; r < n; ++r) {
      const int64_t sequence = begin + r;
      const bool begins = earlier < 0 || earlier >= s.steps || s.batch[earlier] <= sequence;
      const int64_t at = begins ? 0 : s.first[earlier] + sequence;
      const T *const was = begins ? s.h0 + sequence * s.out : s.y + at * s.out, *const gates =
                                                                                    s.gates +
                                                                                    (row + r) * kept;
      std::copy_n(was, s.out, s.before + (row + r) * s.out);
      if (s.cell == Cell::lstm)
        lstm_backward<T>(d + r * hidden, gates, s.cells + (row + r) * hidden,
                         begins ? s.c0 + sequence * hidden : s.cells + at * hidden, dc + r * hidden,
                         dz + r * wide, hidden);
      else if (gru)
        gru_backward(d + r * hidden, gates, was, dz + r * wide, dzh + r * wide, hidden);
      else
        simple_backward(d + r * hidden, gates, dz + r * wide, hidden, s.cell == Cell::relu);
    }
    for (int64_t b = 0; b < w.blocks; ++b)
      each_tile<T, 4>(n, dzh, wide, w.at(b), wide, [&](int64_t r, int64_t m, const T* sums) {
        for (int64_t k = 0; k < m; ++k) {
          T* const to = dh + (r + k) * s.out + b * w.block;
          if (gru)
            add_row(to, sums + k * w.block, w.width(b));
          else
            std::copy_n(sums + k * w.block, w.width(b), to);
        }
      });
  }
}

int64_t lanes_f32() { return Lanes<float>::kSize; }
int64_t lanes_f64() { return Lanes<double>::kSize; }
void forward_f32(const Recurrent<float>& s, int64_t begin, int64_t end) { forward_of(s, begin, end); }
void forward_f64(const Recurrent<double>& s, int64_t begin, int64_t end) { forward_of(s, begin, end); }
void inputs_f32(const Recurrent<float>& s, int64_t begin, int64_t end, float* z) {
  multiply_inputs(s, s.x, s.rows, begin, end, z, s.rows);
}
void inputs_f64(const Recurrent<double>& s, int64_t begin, int64_t end, double* z) {
  multiply_inputs(s, s.x, s.rows, begin, end, z, s.rows);
}
void backward_f32(const Recurrent<float>& s, int64_t begin, int64_t end) { backward_of(s, begin, end); }
void backward_f64(const Recurrent<double>& s, int64_t begin, int64_t end) { backward_of(s, begin, end); }

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/dense.h"
#include "core/cpu/turn16.h"

namespace haft::cpu {
HWY_EXPORT(lanes_f32);
HWY_EXPORT(lanes_f64);
HWY_EXPORT(forward_f32);
HWY_EXPORT(forward_f64);
HWY_EXPORT(inputs_f32);
HWY_EXPORT(inputs_f64);
HWY_EXPORT(backward_f32);
HWY_EXPORT(backward_f64);

namespace {

// to[i * step + j] = from[j * k + i] for j < n, i < k.
HAFT_TARGET_AVX512 void turn_sixteen(const float* from, int64_t k, float* to, int64_t step) {
  f32x16 r[16];
  for (int64_t i = 0; i < k; i += 16) {
    for (int64_t j = 0; j < 16; ++j) load16(from + j * k + i, r[j]);
    turn16(r);
    for (int64_t j = 0; j < 16; ++j) store16(r[j], to + (i + j) * step);
  }
}
template <class T>
void turn_rows(const T* from, int64_t n, int64_t k, T* to, int64_t step) {
  if constexpr (sizeof(T) == 4)
    for (; n >= 16 && k % 16 == 0 && isa() == Isa::avx512; n -= 16, from += 16 * k, to += 16)
      turn_sixteen(from, k, to, step);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < k; ++i) to[i * step + j] = from[j * k + i];
}
// For vectors of `lanes`: w (k, columns) as blocks of four vectors of columns, or its transpose's: w is (columns, k).
template <class T>
Packed<T> pack_columns(const T* w, int64_t k, int64_t columns, bool transposed, int64_t lanes) {
  const int64_t width = 4 * lanes;
  Packed<T> p(k, columns, width, width);
  T* to = p.memory.template as<T>();
  for (int64_t b = 0; b < p.blocks; ++b, to += k * width) {
    const int64_t n = p.width(b), at = b * width;
    if (n < width) std::fill_n(to, k * width, T(0));
    if (transposed)
      turn_rows(w + at * k, n, k, to, width);
    else
      for (int64_t i = 0; i < k; ++i) std::copy_n(w + i * columns + at, n, to + i * width);
  }
  return p;
}
// w (gates units, k) as blocks of a vector of units, their gates one behind the other.
template <class T>
Packed<T> pack_gates(const T* w, int64_t gates, int64_t units, int64_t k, int64_t lanes) {
  const int64_t width = gates * lanes;
  Packed<T> p(k, units, lanes, width);
  T* to = p.memory.template as<T>();
  for (int64_t b = 0; b < p.blocks; ++b, to += k * width) {
    if (p.width(b) < lanes) std::fill_n(to, k * width, T(0));
    for (int64_t g = 0; g < gates; ++g)
      turn_rows(w + (g * units + b * lanes) * k, p.width(b), k, to + g * lanes, width);
  }
  return p;
}
// What both directions read of a call: its steps and where each begins.
template <class T>
struct Steps {
  std::vector<int64_t> first;
  int64_t rows = 0;

  void read(const AttrReader& attrs, Recurrent<T>& s) {
    s.cell = Cell(attrs.i(0));
    s.reverse = attrs.b(1);
    const std::span<const int64_t> batch = attrs.ints(2);
    s.batch = batch.data();
    s.steps = int64_t(batch.size());
    for (int64_t n : batch) first.push_back(rows), rows += n;
    s.first = first.data();
    s.rows = rows;
  }
};
template <class T>
[[gnu::noinline]] DenseIn dense_in(const KernelCall& k, int i) {
  return DenseIn(k.has(i) ? k.in(i) : haft_tensor_view{}, DTypeOf<T>::value);
}

[[gnu::noinline]] DenseOut dense_out(const haft_tensor_view& v, DType t) { return DenseOut(v, t); }

template <class T>
using Kernel = void (*)(const Recurrent<T>&, int64_t, int64_t);

template <class T>
using Inputs = void (*)(const Recurrent<T>&, int64_t, int64_t, T*);

template <class T>
void run_forward(const KernelCall& k, int64_t lanes, Kernel<T> kernel, Inputs<T> inputs) {
  const DType t = DTypeOf<T>::value;
  enum { kInput, kWeight, kRecurrent, kBias, kRecurrentBias, kProjection, kState, kCell };
  Recurrent<T> s;
  Steps<T> steps;
  steps.read(k.attrs, s);
  s.out = k.in(kState).sizes[1];
  const int64_t gates = gates_of(s.cell);
  s.inputs = k.in(kInput).sizes[1];
  s.hidden = k.in(kWeight).sizes[0] / gates;
  const DenseIn x = dense_in<T>(k, kInput), w_ih = dense_in<T>(k, kWeight), w_hh = dense_in<T>(k, kRecurrent),
                b_ih = dense_in<T>(k, kBias), b_hh = dense_in<T>(k, kRecurrentBias),
                w_hr = dense_in<T>(k, kProjection), h0 = dense_in<T>(k, kState), c0 = dense_in<T>(k, kCell);
  const DenseOut y = dense_out(k.out(0), t), h = dense_out(k.out(1), t), c = dense_out(k.out(2), t),
                 kept = dense_out(k.out(3), t), cells = dense_out(k.out(4), t);
  // All biases but the one that a GRU's reset gate scales go into the product of the inputs.
  const int64_t width = gates * s.hidden;
  Scratch<T> bias(std::max<int64_t>(1, width));
  const T *const of_input = b_ih.as<T>(), *const of_state = b_hh.as<T>();
  const int64_t scaled = s.cell == Cell::gru ? 2 * s.hidden : width;
  for (int64_t j = 0; j < width; ++j)
    bias[j] = (of_input ? of_input[j] : T(0)) + (of_state && j < scaled ? of_state[j] : T(0));
  if (of_state && s.cell == Cell::gru) s.bias_n = of_state + scaled;
  s.x = x.as<T>();
  s.projects = k.has(kProjection);
  s.gates = kept.as<T>(), s.cells = cells.as<T>(), s.y = y.as<T>(), s.h = h.as<T>(), s.c = c.as<T>();
  std::copy_n(h0.as<T>(), k.in(kState).numel, s.h);
  if (s.cell == Cell::lstm) std::copy_n(c0.as<T>(), k.in(kCell).numel, s.c);
  auto pack = [&](const T* from, int64_t depth) {
    return gates == 1 ? pack_columns(from, depth, s.hidden, true, lanes)
                      : pack_gates(from, gates, s.hidden, depth, lanes);
  };
  const Packed<T> w = pack(w_hh.as<T>(), s.out), of_inputs = pack(w_ih.as<T>(), s.inputs),
                  of_bias = pack(bias.get(), 1),
                  projection =
                      s.projects ? pack_columns(w_hr.as<T>(), s.hidden, s.out, true, lanes) : Packed<T>();
  s.states = &w, s.projection = &projection, s.of_inputs = &of_inputs, s.bias = &of_bias;
  HostBuffer products;
  if (num_threads() > 1 && shares_of(s) == 1) {  // the others help with what no step waits for
    products = HostBuffer(w.blocks * s.rows * w.stride * int64_t(sizeof(T)));
    s.z = products.as<T>();
    parallel_for(w.blocks, (1 << 20) / (s.rows * w.stride * s.inputs + 1) + 1,
                 [&](int64_t b, int64_t e) { inputs(s, b, e, products.as<T>()); });
  }
  each_share(s, kernel);
  for (const DenseOut* o : {&y, &h, &c, &kept, &cells}) o->finish();
}

template <class T>
void run_backward(const KernelCall& k, int64_t lanes, Kernel<T> kernel) {
  const DType t = DTypeOf<T>::value;
  enum { kRecurrent, kProjection, kState, kCell, kOutput, kKept, kCells, kGrad, kGradState, kGradCell };
  Recurrent<T> s;
  Steps<T> steps;
  steps.read(k.attrs, s);
  s.out = k.in(kState).sizes[1];
  s.hidden = k.in(kRecurrent).sizes[0] / gates_of(s.cell);
  const DenseIn w_hh = dense_in<T>(k, kRecurrent), w_hr = dense_in<T>(k, kProjection),
                h0 = dense_in<T>(k, kState), c0 = dense_in<T>(k, kCell), y = dense_in<T>(k, kOutput),
                kept = dense_in<T>(k, kKept), cells = dense_in<T>(k, kCells), grad = dense_in<T>(k, kGrad),
                grad_h = dense_in<T>(k, kGradState), grad_c = dense_in<T>(k, kGradCell);
  const DenseOut dz = dense_out(k.out(0), t), dzh = dense_out(k.out(1), t), before = dense_out(k.out(2), t),
                 dh = dense_out(k.out(3), t), dc = dense_out(k.out(4), t), dy = dense_out(k.out(5), t);
  s.projects = k.has(kProjection), s.h0 = h0.as<T>(), s.c0 = c0.as<T>();
  s.y = const_cast<T*>(y.as<T>()), s.gates = const_cast<T*>(kept.as<T>()),
  s.cells = const_cast<T*>(cells.as<T>());
  s.grad_y = grad.as<T>();
  s.dz = dz.as<T>(), s.dzh = dzh.as<T>(), s.before = before.as<T>(), s.dy = dy.as<T>();
  s.h = dh.as<T>(), s.c = dc.as<T>();
  auto begin = [](T* to, const DenseIn& from, int64_t n) {
    if (from.data())
      std::copy_n(from.as<T>(), n, to);
    else
      std::fill_n(to, n, T(0));
  };
  begin(s.h, grad_h, k.out(3).numel);
  begin(s.c, grad_c, k.out(4).numel);
  const Packed<T> w = pack_columns(w_hh.as<T>(), gates_of(s.cell) * s.hidden, s.out, false, lanes),
                  projection =
                      s.projects ? pack_columns(w_hr.as<T>(), s.out, s.hidden, false, lanes) : Packed<T>();
  s.states = &w, s.projection = &projection;
  each_share(s, kernel);
  for (const DenseOut* o : {&dz, &dzh, &before, &dh, &dc, &dy}) o->finish();
}

}  // namespace

void k_rnn_layer(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.dtype() == DType::bf16 && bf16_recurrent(k)) return;
  if (k.dtype() == DType::f64)
    run_forward<double>(k, HWY_DYNAMIC_DISPATCH(lanes_f64)(), HWY_DYNAMIC_DISPATCH(forward_f64),
                        HWY_DYNAMIC_DISPATCH(inputs_f64));
  else
    run_forward<float>(k, HWY_DYNAMIC_DISPATCH(lanes_f32)(), HWY_DYNAMIC_DISPATCH(forward_f32),
                       HWY_DYNAMIC_DISPATCH(inputs_f32));
}

void k_rnn_layer_backward(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.dtype() == DType::bf16 && bf16_recurrent_backward(k)) return;
  if (k.dtype() == DType::f64)
    run_backward<double>(k, HWY_DYNAMIC_DISPATCH(lanes_f64)(), HWY_DYNAMIC_DISPATCH(backward_f64));
  else
    run_backward<float>(k, HWY_DYNAMIC_DISPATCH(lanes_f32)(), HWY_DYNAMIC_DISPATCH(backward_f32));
}

}  // namespace haft::cpu
#endif
