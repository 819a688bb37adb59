// Recurrent layers with products of bfloat16; cells, states and sums are float32. A thread takes sequences of its own
// through all steps, as in recurrent.cpp, but multiplies the inputs of a few steps at a time, so that their products
// stay in its cache.
#include "core/cpu/recurrent.h"

#include <cstring>
#include <vector>

#include "core/cpu/bf16_tiles.h"
#include "core/cpu/dense.h"
#include "core/cpu/kernel.h"

namespace haft::cpu {

#if !defined(__x86_64__)

bool bf16_recurrent(const KernelCall&) { return false; }
bool bf16_recurrent_backward(const KernelCall&) { return false; }

#else

namespace {

constexpr int64_t kChunk = 64;  // rows of inputs that are multiplied at a time, or those of a step

using Words = Scratch<uint16_t>;
using Floats = Scratch<float>;

// Memory of bfloat16 and float32, all dense; what the names mean is told by Recurrent. Packed rows of gates stand in
// blocks of 16 units, the gates of a block one behind the other.
struct Layer {
  Cell cell = Cell::tanh;
  bool reverse = false;
  int64_t inputs = 0, hidden = 0, out = 0, steps = 0, rows = 0;
  const int64_t *batch = nullptr, *first = nullptr;
  std::vector<int64_t> begins;
  const uint16_t *w_ih = nullptr, *w_hh = nullptr;  // packed
  const float *bias = nullptr, *bias_n = nullptr;   // packed; (units)
  const uint16_t *x = nullptr, *h0 = nullptr, *c0 = nullptr;
  uint16_t *y = nullptr, *h = nullptr, *c = nullptr;
  float *gates = nullptr, *cells = nullptr;
  const uint16_t *grad_y = nullptr, *grad_h = nullptr, *grad_c = nullptr;  // may be NULL
  uint16_t *dz = nullptr, *dzh = nullptr, *before = nullptr;

  void read(const KernelCall& k, int64_t gate_rows, int64_t state) {
    cell = Cell(k.attrs.i(0));
    reverse = k.attrs.b(1);
    const std::span<const int64_t> of_steps = k.attrs.ints(2);
    batch = of_steps.data();
    steps = int64_t(of_steps.size());
    for (int64_t n : of_steps) begins.push_back(rows), rows += n;
    first = begins.data();
    hidden = gate_rows / gates_of(cell);
    out = state;
  }
  int64_t units() const { return whole(hidden, 16); }
  int64_t step_at(int64_t i) const { return reverse ? steps - 1 - i : i; }
  int64_t active(int64_t t, int64_t begin, int64_t end) const {
    return std::clamp(batch[t], begin, end) - begin;
  }
};

// w (gates units, k) as the operand b: panels of 16 units.
void pack_gates(const uint16_t* w, int64_t gates, int64_t hidden, int64_t k, uint16_t* to) {
  const int64_t deep = whole(k, 32);
  for (int64_t at = 0; at < hidden; at += 16)
    for (int64_t g = 0; g < gates; ++g, to += 16 * deep)
      pair_columns({w + (g * hidden + at) * k, std::min<int64_t>(16, hidden - at), k, k}, 16, to);
}

// ---- cells ----

HAFT_BF16_INLINE __m512 reciprocal(__m512 x) {  // of 1 and more
  const __m512 r = _mm512_rcp14_ps(x);
  return _mm512_mul_ps(r, _mm512_fnmadd_ps(x, r, _mm512_set1_ps(2)));
}
HAFT_BF16_INLINE __m512 sigmoid(__m512 x) {
  // Beyond 2^87 the reciprocal's step would meet infinity.
  const __m512 e =
      exp2_short(_mm512_min_ps(_mm512_set1_ps(87), _mm512_mul_ps(x, _mm512_set1_ps(-1.44269504f))));
  return reciprocal(_mm512_add_ps(e, _mm512_set1_ps(1)));
}
HAFT_BF16_INLINE __m512 squash(__m512 x) {  // tanh: a polynomial where 1 - 2 / (e^2x + 1) would cancel
  const __m512 size = _mm512_abs_ps(x), s = _mm512_mul_ps(x, x);
  const __m512 e =
      exp2_short(_mm512_min_ps(_mm512_set1_ps(87), _mm512_mul_ps(size, _mm512_set1_ps(2.88539008f))));
  const __m512 far =
      _mm512_fnmadd_ps(_mm512_set1_ps(2), reciprocal(_mm512_add_ps(e, _mm512_set1_ps(1))), _mm512_set1_ps(1));
  __m512 p = _mm512_set1_ps(0.0156124392f);
  p = _mm512_fmadd_ps(p, s, _mm512_set1_ps(-0.0522116901f));
  p = _mm512_fmadd_ps(p, s, _mm512_set1_ps(0.133131146f));
  p = _mm512_fmadd_ps(p, s, _mm512_set1_ps(-0.333325974f));
  const __m512 near = _mm512_fmadd_ps(_mm512_mul_ps(p, s), x, x);
  const __mmask16 small = _mm512_cmp_ps_mask(size, _mm512_set1_ps(0.6f), _CMP_LT_OQ);
  const __m512i sign = _mm512_and_si512(__m512i(x), _mm512_set1_epi32(INT32_MIN));
  return _mm512_mask_mov_ps(__m512(_mm512_or_si512(__m512i(far), sign)), small, near);
}

// One block of 16 units of n rows: products of the inputs (rows `wide` apart) and of the states, and their bias.
struct Block {
  int64_t n, live, wide, hidden, units;
  const float *z, *states, *bias, *bias_n;
  float *gates, *cells, *c, *h;  // at this block of the first row; c and h rows are `units` apart
  uint16_t* y;
};

HAFT_TARGET_BF16 void lstm_block(const Block& b) {
  const __mmask16 m = first_lanes(b.live);
  for (int64_t r = 0; r < b.n; ++r) {
    const float *z = b.z + r * b.wide, *s = b.states + r * 64;
    __m512 a[4];
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g)
      a[g] = _mm512_add_ps(_mm512_add_ps(_mm512_loadu_ps(z + 16 * g), _mm512_loadu_ps(s + 16 * g)),
                           _mm512_loadu_ps(b.bias + 16 * g));
    const __m512 in = sigmoid(a[0]), forget = sigmoid(a[1]), g = squash(a[2]), o = sigmoid(a[3]);
    const __m512 now = _mm512_fmadd_ps(forget, _mm512_loadu_ps(b.c + r * b.units), _mm512_mul_ps(in, g));
    float* const kept = b.gates + r * 4 * b.hidden;
    _mm512_mask_storeu_ps(kept, m, in);
    _mm512_mask_storeu_ps(kept + b.hidden, m, forget);
    _mm512_mask_storeu_ps(kept + 2 * b.hidden, m, g);
    _mm512_mask_storeu_ps(kept + 3 * b.hidden, m, o);
    _mm512_mask_storeu_ps(b.cells + r * b.hidden, m, now);
    _mm512_storeu_ps(b.c + r * b.units, now);
    _mm256_mask_storeu_epi16(b.y + r * b.hidden, m, bf16_of(_mm512_mul_ps(o, squash(now))));
  }
}
HAFT_TARGET_BF16 void gru_block(const Block& b) {
  const __mmask16 m = first_lanes(b.live);
  for (int64_t r = 0; r < b.n; ++r) {
    const float *z = b.z + r * b.wide, *s = b.states + r * 48;
    __m512 a[3];
#pragma GCC unroll 3
    for (int g = 0; g < 3; ++g)
      a[g] = _mm512_add_ps(_mm512_loadu_ps(z + 16 * g), _mm512_loadu_ps(b.bias + 16 * g));
    const __m512 reset = sigmoid(_mm512_add_ps(a[0], _mm512_loadu_ps(s))),
                 keep = sigmoid(_mm512_add_ps(a[1], _mm512_loadu_ps(s + 16)));
    const __m512 q = _mm512_add_ps(_mm512_loadu_ps(s + 32), _mm512_loadu_ps(b.bias_n));
    const __m512 g = squash(_mm512_fmadd_ps(reset, q, a[2]));
    const __m512 now = _mm512_fmadd_ps(keep, _mm512_sub_ps(_mm512_loadu_ps(b.h + r * b.units), g), g);
    float* const kept = b.gates + r * 4 * b.hidden;
    _mm512_mask_storeu_ps(kept, m, reset);
    _mm512_mask_storeu_ps(kept + b.hidden, m, keep);
    _mm512_mask_storeu_ps(kept + 2 * b.hidden, m, g);
    _mm512_mask_storeu_ps(kept + 3 * b.hidden, m, q);
    _mm512_storeu_ps(b.h + r * b.units, now);
    _mm256_mask_storeu_epi16(b.y + r * b.hidden, m, bf16_of(now));
  }
}
HAFT_TARGET_BF16 void simple_block(const Block& b, bool relu) {
  const __mmask16 m = first_lanes(b.live);
  for (int64_t r = 0; r < b.n; ++r) {
    const __m512 a =
        _mm512_add_ps(_mm512_add_ps(_mm512_loadu_ps(b.z + r * b.wide), _mm512_loadu_ps(b.states + r * 16)),
                      _mm512_loadu_ps(b.bias));
    const __m512 v = relu ? _mm512_max_ps(_mm512_setzero_ps(), a) : squash(a);
    _mm512_mask_storeu_ps(b.gates + r * b.hidden, m, v);
    _mm256_mask_storeu_epi16(b.y + r * b.hidden, m, bf16_of(v));
  }
}

HAFT_TARGET_BF16 void widen(const uint16_t* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n; i += 16)
    _mm512_mask_storeu_ps(to + i, first_lanes(n - i),
                          f32_of(_mm256_maskz_loadu_epi16(first_lanes(n - i), from + i)));
}
HAFT_TARGET_BF16 void narrow(const float* from, int64_t n, uint16_t* to) {
  for (int64_t i = 0; i < n; i += 16)
    _mm256_mask_storeu_epi16(to + i, first_lanes(n - i),
                             bf16_of(_mm512_maskz_loadu_ps(first_lanes(n - i), from + i)));
}

// The sequences [begin, end) through all steps.
void forward_of(const Layer& s, int64_t begin, int64_t end) {
  const int64_t gates = gates_of(s.cell), kept = kept_of(s.cell) * s.hidden, hidden = s.hidden,
                units = s.units(), wide = gates * units, rows = end - begin, tall = whole(rows, 16),
                deep_x = whole(s.inputs, 32), deep_h = whole(hidden, 32), most = whole(kChunk + rows, 16);
  const bool lstm = s.cell == Cell::lstm, gru = s.cell == Cell::gru;
  const Words h(tall * deep_h), x(most * deep_x);
  const Floats z(most * wide), states(tall * gates * 16), c(lstm ? rows * units : 1),
      h_wide(gru ? rows * units : 1);
  if (lstm) std::fill_n(c.get(), rows * units, 0.0f);
  if (gru) std::fill_n(h_wide.get(), rows * units, 0.0f);
  copy_rows({s.h0 + begin * hidden, rows, hidden, hidden}, tall, h.get());
  for (int64_t r = 0; r < rows; ++r) {
    if (gru) widen(s.h0 + (begin + r) * hidden, hidden, h_wide.get() + r * units);
    if (lstm) widen(s.c0 + (begin + r) * hidden, hidden, c.get() + r * units);
  }
  const TilesInUse tiles;
  for (int64_t i = 0; i < s.steps;) {
    int64_t until = i, multiplied = 0;
    for (; until < s.steps && multiplied < kChunk; ++until) {
      const int64_t t = s.step_at(until), n = s.active(t, begin, end);
      copy_rows({s.x + (s.first[t] + begin) * s.inputs, n, s.inputs, s.inputs}, n,
                x.get() + multiplied * deep_x);
      multiplied += n;
    }
    const int64_t even = whole(multiplied, 16);
    copy_rows({nullptr, 0, s.inputs, 0}, even - multiplied, x.get() + multiplied * deep_x);
    bf16_product(even, wide, deep_x, x.get(), deep_x, s.w_ih, deep_x * 16, z.get(), wide, false);
    const float* of_step = z.get();
    for (; i < until; ++i) {
      const int64_t t = s.step_at(i), n = s.active(t, begin, end), row = s.first[t] + begin;
      if (!n) continue;
      for (int64_t at = 0; at < hidden; at += 16) {
        bf16_product(whole(n, 16), gates * 16, deep_h, h.get(), deep_h, s.w_hh + at * gates * deep_h,
                     deep_h * 16, states.get(), gates * 16, false);
        const Block b{.n = n,
                      .live = hidden - at,
                      .wide = wide,
                      .hidden = hidden,
                      .units = units,
                      .z = of_step + at * gates,
                      .states = states.get(),
                      .bias = s.bias + at * gates,
                      .bias_n = s.bias_n + at,
                      .gates = s.gates + row * kept + at,
                      .cells = lstm ? s.cells + row * hidden + at : nullptr,
                      .c = c.get() + (lstm ? at : 0),
                      .h = h_wide.get() + (gru ? at : 0),
                      .y = s.y + row * hidden + at};
        if (lstm)
          lstm_block(b);
        else if (gru)
          gru_block(b);
        else
          simple_block(b, s.cell == Cell::relu);
      }
      for (int64_t r = 0; r < n; ++r)
        std::memcpy(h.get() + r * deep_h, s.y + (row + r) * hidden, size_t(hidden) * 2);
      of_step += n * wide;
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(s.h + (begin + r) * hidden, h.get() + r * deep_h, size_t(hidden) * 2);
    if (lstm) narrow(c.get() + r * units, hidden, s.c + (begin + r) * hidden);
  }
}

// ---- backward: one row; dh is the gradient of what the cell put out, before that of its results is added ----

struct Row {
  int64_t hidden;
  const float *gates, *cells, *cells_before;  // cells_before may be NULL: c0 then
  const uint16_t *h, *c0, *grad;              // h: the state before; grad may be NULL
  float *dh, *dc;
  uint16_t *dz, *dzh, *local;  // local: what goes on to the product
};
HAFT_BF16_INLINE __m512 gradient(const Row& r, int64_t j, __mmask16 m) {
  const __m512 d = _mm512_loadu_ps(r.dh + j);
  return r.grad ? _mm512_add_ps(d, f32_of(_mm256_maskz_loadu_epi16(m, r.grad + j))) : d;
}
HAFT_BF16_INLINE void put(uint16_t* to, uint16_t* also, __mmask16 m, __m512 v) {
  const __m256i x = bf16_of(v);
  _mm256_mask_storeu_epi16(to, m, x);
  if (also) _mm256_mask_storeu_epi16(also, m, x);
}

HAFT_TARGET_BF16 void lstm_row(const Row& w) {
  const int64_t n = w.hidden;
  const __m512 one = _mm512_set1_ps(1);
  for (int64_t j = 0; j < n; j += 16) {
    const __mmask16 m = first_lanes(n - j);
    const __m512 i = _mm512_maskz_loadu_ps(m, w.gates + j), f = _mm512_maskz_loadu_ps(m, w.gates + n + j),
                 g = _mm512_maskz_loadu_ps(m, w.gates + 2 * n + j),
                 o = _mm512_maskz_loadu_ps(m, w.gates + 3 * n + j),
                 tc = squash(_mm512_maskz_loadu_ps(m, w.cells + j)), d = gradient(w, j, m);
    const __m512 was = w.cells_before ? _mm512_maskz_loadu_ps(m, w.cells_before + j)
                                      : f32_of(_mm256_maskz_loadu_epi16(m, w.c0 + j));
    const __m512 e =
        _mm512_fmadd_ps(_mm512_mul_ps(d, o), _mm512_fnmadd_ps(tc, tc, one), _mm512_loadu_ps(w.dc + j));
    put(w.dz + j, w.local + j, m,
        _mm512_mul_ps(_mm512_mul_ps(e, g), _mm512_mul_ps(i, _mm512_sub_ps(one, i))));
    put(w.dz + n + j, w.local + n + j, m,
        _mm512_mul_ps(_mm512_mul_ps(e, was), _mm512_mul_ps(f, _mm512_sub_ps(one, f))));
    put(w.dz + 2 * n + j, w.local + 2 * n + j, m,
        _mm512_mul_ps(_mm512_mul_ps(e, i), _mm512_fnmadd_ps(g, g, one)));
    put(w.dz + 3 * n + j, w.local + 3 * n + j, m,
        _mm512_mul_ps(_mm512_mul_ps(d, tc), _mm512_mul_ps(o, _mm512_sub_ps(one, o))));
    _mm512_storeu_ps(w.dc + j, _mm512_mul_ps(e, f));
  }
}
// dh becomes what goes past the gates.
HAFT_TARGET_BF16 void gru_row(const Row& w) {
  const int64_t n = w.hidden;
  const __m512 one = _mm512_set1_ps(1);
  for (int64_t j = 0; j < n; j += 16) {
    const __mmask16 m = first_lanes(n - j);
    const __m512 r = _mm512_maskz_loadu_ps(m, w.gates + j), z = _mm512_maskz_loadu_ps(m, w.gates + n + j),
                 g = _mm512_maskz_loadu_ps(m, w.gates + 2 * n + j),
                 q = _mm512_maskz_loadu_ps(m, w.gates + 3 * n + j), d = gradient(w, j, m),
                 was = f32_of(_mm256_maskz_loadu_epi16(m, w.h + j));
    const __m512 dn = _mm512_mul_ps(_mm512_mul_ps(d, _mm512_sub_ps(one, z)), _mm512_fnmadd_ps(g, g, one));
    const __m512 dr = _mm512_mul_ps(_mm512_mul_ps(dn, q), _mm512_mul_ps(r, _mm512_sub_ps(one, r)));
    const __m512 du =
        _mm512_mul_ps(_mm512_mul_ps(d, _mm512_sub_ps(was, g)), _mm512_mul_ps(z, _mm512_sub_ps(one, z)));
    put(w.dz + j, nullptr, m, dr);
    put(w.dz + n + j, nullptr, m, du);
    put(w.dz + 2 * n + j, nullptr, m, dn);
    put(w.dzh + j, w.local + j, m, dr);
    put(w.dzh + n + j, w.local + n + j, m, du);
    put(w.dzh + 2 * n + j, w.local + 2 * n + j, m, _mm512_mul_ps(dn, r));
    _mm512_storeu_ps(w.dh + j, _mm512_mul_ps(d, z));
  }
}
HAFT_TARGET_BF16 void simple_row(const Row& w, bool relu) {
  for (int64_t j = 0; j < w.hidden; j += 16) {
    const __mmask16 m = first_lanes(w.hidden - j);
    const __m512 y = _mm512_maskz_loadu_ps(m, w.gates + j), d = gradient(w, j, m);
    const __m512 slope = relu ? _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(y, _mm512_setzero_ps(), _CMP_GT_OQ), d)
                              : _mm512_mul_ps(d, _mm512_fnmadd_ps(y, y, _mm512_set1_ps(1)));
    put(w.dz + j, w.local + j, m, slope);
  }
}
HAFT_TARGET_BF16 void move_row(const float* from, int64_t n, bool add, float* to) {
  for (int64_t j = 0; j < n; j += 16) {
    const __m512 x = _mm512_loadu_ps(from + j);
    _mm512_storeu_ps(to + j, add ? _mm512_add_ps(x, _mm512_loadu_ps(to + j)) : x);
  }
}

void backward_of(const Layer& s, int64_t begin, int64_t end) {
  const int64_t hidden = s.hidden, units = s.units(), kept = kept_of(s.cell) * hidden,
                wide = gates_of(s.cell) * hidden, deep = whole(wide, 32), rows = end - begin,
                tall = whole(rows, 16);
  const bool lstm = s.cell == Cell::lstm, gru = s.cell == Cell::gru;
  const Words local(tall * deep);
  const Floats dh(rows * units), dc(lstm ? rows * units : 1), back(tall * units);
  std::fill_n(local.get(), tall * deep, uint16_t(0));
  std::fill_n(dh.get(), rows * units, 0.0f);
  if (lstm) std::fill_n(dc.get(), rows * units, 0.0f);
  for (int64_t r = 0; r < rows; ++r) {
    if (s.grad_h) widen(s.grad_h + (begin + r) * hidden, hidden, dh.get() + r * units);
    if (lstm && s.grad_c) widen(s.grad_c + (begin + r) * hidden, hidden, dc.get() + r * units);
  }
  const TilesInUse tiles;
  for (int64_t i = s.steps; i-- > 0;) {
    const int64_t t = s.step_at(i), n = s.active(t, begin, end), row = s.first[t] + begin;
    if (!n) continue;
    const int64_t earlier = s.reverse ? t + 1 : t - 1;  // the step that made the state that this one read
    for (int64_t r = 0; r < n; ++r) {
      const int64_t sequence = begin + r;
      const bool begins = earlier < 0 || earlier >= s.steps || s.batch[earlier] <= sequence;
      const int64_t at = begins ? 0 : s.first[earlier] + sequence;
      Row w{.hidden = hidden,
            .gates = s.gates + (row + r) * kept,
            .cells = nullptr,
            .cells_before = nullptr,
            .h = begins ? s.h0 + sequence * hidden : s.y + at * hidden,
            .c0 = nullptr,
            .grad = s.grad_y ? s.grad_y + (row + r) * hidden : nullptr,
            .dh = dh.get() + r * units,
            .dc = nullptr,
            .dz = s.dz + (row + r) * wide,
            .dzh = nullptr,
            .local = local.get() + r * deep};
      std::memcpy(s.before + (row + r) * hidden, w.h, size_t(hidden) * 2);
      if (lstm) {
        w.cells = s.cells + (row + r) * hidden;
        w.cells_before = begins ? nullptr : s.cells + at * hidden;
        w.c0 = s.c0 + sequence * hidden;
        w.dc = dc.get() + r * units;
        lstm_row(w);
      } else if (gru) {
        w.dzh = s.dzh + (row + r) * wide;
        gru_row(w);
      } else {
        simple_row(w, s.cell == Cell::relu);
      }
    }
    bf16_product(whole(n, 16), units, deep, local.get(), deep, s.w_hh, deep * 16, back.get(), units, false);
    for (int64_t r = 0; r < n; ++r) move_row(back.get() + r * units, units, gru, dh.get() + r * units);
  }
  for (int64_t r = 0; r < rows; ++r) {
    narrow(dh.get() + r * units, hidden, s.h + (begin + r) * hidden);
    if (lstm) narrow(dc.get() + r * units, hidden, s.c + (begin + r) * hidden);
  }
}

DenseIn input(const KernelCall& k, int i) {
  return DenseIn(k.has(i) ? k.in(i) : haft_tensor_view{}, DType::bf16);
}
DenseOut output(const KernelCall& k, int i) { return DenseOut(k.out(i), DType::bf16); }
DenseOut wide_output(const KernelCall& k, int i) { return DenseOut(k.out(i), DType::f32); }

}  // namespace

bool bf16_recurrent(const KernelCall& k) {
  enum { kInput, kWeight, kRecurrent, kBias, kRecurrentBias, kProjection, kState, kCell };
  Layer s;
  s.read(k, k.in(kWeight).sizes[0], k.in(kState).sizes[1]);
  s.inputs = k.in(kInput).sizes[1];
  if (bf16_isa() == Bf16Isa::none || k.has(kProjection) || s.hidden == 0 || s.inputs == 0) return false;
  const int64_t gates = gates_of(s.cell), hidden = s.hidden, units = s.units();
  const DenseIn x = input(k, kInput), w_ih = input(k, kWeight), w_hh = input(k, kRecurrent),
                h0 = input(k, kState), c0 = input(k, kCell);
  const DenseIn b_ih(k.has(kBias) ? k.in(kBias) : haft_tensor_view{}, DType::f32),
      b_hh(k.has(kRecurrentBias) ? k.in(kRecurrentBias) : haft_tensor_view{}, DType::f32);
  const DenseOut y = output(k, 0), h = output(k, 1), c = output(k, 2), kept = wide_output(k, 3),
                 cells = wide_output(k, 4);
  const Words packed_x(gates * units * whole(s.inputs, 32)), packed_h(gates * units * whole(hidden, 32));
  pack_gates(w_ih.as<uint16_t>(), gates, hidden, s.inputs, packed_x.get());
  pack_gates(w_hh.as<uint16_t>(), gates, hidden, hidden, packed_h.get());
  // All biases but the one that a GRU's reset gate scales belong to the inputs.
  const Floats bias(gates * units), bias_n(units);
  std::fill_n(bias.get(), gates * units, 0.0f);
  std::fill_n(bias_n.get(), units, 0.0f);
  for (int64_t g = 0; g < gates; ++g)
    for (int64_t j = 0; j < hidden; ++j) {
      const float of_input = b_ih.data() ? b_ih.as<float>()[g * hidden + j] : 0,
                  of_state = b_hh.data() ? b_hh.as<float>()[g * hidden + j] : 0;
      const bool apart = s.cell == Cell::gru && g == 2;
      bias[j / 16 * 16 * gates + g * 16 + j % 16] = apart ? of_input : of_input + of_state;
      if (apart) bias_n[j] = of_state;
    }
  s.w_ih = packed_x.get(), s.w_hh = packed_h.get(), s.bias = bias.get(), s.bias_n = bias_n.get();
  s.x = x.as<uint16_t>(), s.h0 = h0.as<uint16_t>(), s.c0 = c0.as<uint16_t>();
  s.y = y.as<uint16_t>(), s.h = h.as<uint16_t>(), s.c = c.as<uint16_t>(), s.gates = kept.as<float>(),
  s.cells = cells.as<float>();
  each_share(s, forward_of);
  for (const DenseOut* o : {&y, &h, &c, &kept, &cells}) o->finish();
  return true;
}

bool bf16_recurrent_backward(const KernelCall& k) {
  enum { kRecurrent, kProjection, kState, kCell, kOutput, kKept, kCells, kGrad, kGradState, kGradCell };
  Layer s;
  s.read(k, k.in(kRecurrent).sizes[0], k.in(kState).sizes[1]);
  if (bf16_isa() == Bf16Isa::none || k.has(kProjection) || s.hidden == 0) return false;
  const int64_t wide = gates_of(s.cell) * s.hidden, deep = whole(wide, 32);
  const DenseIn w_hh = input(k, kRecurrent), h0 = input(k, kState), c0 = input(k, kCell),
                y = input(k, kOutput), grad = input(k, kGrad), grad_h = input(k, kGradState),
                grad_c = input(k, kGradCell), kept(k.in(kKept), DType::f32), cells(k.in(kCells), DType::f32);
  const DenseOut dz = output(k, 0), dzh = output(k, 1), before = output(k, 2), dh = output(k, 3),
                 dc = output(k, 4);
  const Words packed(deep * s.units());
  pair_rows({w_hh.as<uint16_t>(), wide, s.hidden, s.hidden}, deep, packed.get());
  s.w_hh = packed.get();
  s.h0 = h0.as<uint16_t>(), s.c0 = c0.as<uint16_t>(), s.grad_y = grad.as<uint16_t>(),
  s.grad_h = grad_h.as<uint16_t>(), s.grad_c = grad_c.as<uint16_t>();
  s.y = const_cast<uint16_t*>(y.as<uint16_t>()), s.gates = const_cast<float*>(kept.as<float>()),
  s.cells = const_cast<float*>(cells.as<float>());
  s.dz = dz.as<uint16_t>(), s.dzh = dzh.as<uint16_t>(), s.before = before.as<uint16_t>(),
  s.h = dh.as<uint16_t>(), s.c = dc.as<uint16_t>();
  each_share(s, backward_of);
  for (const DenseOut* o : {&dz, &dzh, &before, &dh, &dc}) o->finish();
  return true;
}

#endif

}  // namespace haft::cpu
