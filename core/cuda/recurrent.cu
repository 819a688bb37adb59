// Recurrent layers: all steps of one layer and direction, and their gradients. The product of all inputs is one
// matrix product; a step is the product of the states and one kernel that makes the next ones. Nothing is read on the
// host, so a layer can be captured.
//
// Rows stand as packed sequences do: step t has batch[t] rows from first[t] on, never fewer than the step behind it;
// row b of a step belongs to sequence b. Gates, cells and what runs from step to step backward are float where the
// layer's type is a 16-bit float.
#include <algorithm>
#include <vector>

#include "core/cuda/matmul.h"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

enum class Cell : int32_t { tanh, relu, lstm, gru };  // the modes of rnn_layer in ops.def

constexpr int64_t gates_of(Cell c) { return c == Cell::lstm ? 4 : c == Cell::gru ? 3 : 1; }
// Blocks of `hidden` elements that a row of gates keeps: r, z, n and the recurrent part of n for a GRU.
constexpr int64_t kept_of(Cell c) { return c == Cell::lstm || c == Cell::gru ? 4 : 1; }

// Elements of the layer's type, which is float, double or a 16-bit float that is computed in float.
template <class C>
struct Typed {
  void* data;
  DType type;

  __device__ C get(int64_t i) const {
    if constexpr (sizeof(C) == 4) {
      if (type == DType::f16) return load(static_cast<const half*>(data)[i]);
      if (type == DType::bf16) return load(static_cast<const bfloat16*>(data)[i]);
    }
    return static_cast<const C*>(data)[i];
  }
  __device__ void set(int64_t i, C x) const {
    if constexpr (sizeof(C) == 4) {
      if (type == DType::f16) return store(static_cast<half*>(data) + i, x);
      if (type == DType::bf16) return store(static_cast<bfloat16*>(data) + i, x);
    }
    static_cast<C*>(data)[i] = x;
  }
  Typed from(int64_t i) const {
    return {data ? static_cast<char*>(data) + i * item_size(type) : nullptr, type};
  }
};

template <class C>
__device__ inline C sigmoid(C x) {
  return C(1) / (C(1) + fn::exp(-x));
}

// All biases but the one that a GRU's reset gate scales go into the product of the inputs.
template <class C>
__global__ void __launch_bounds__(kThreads)
    join_biases(Typed<C> input, Typed<C> state, int64_t n, int64_t scaled, C* to) {
  for (int64_t i = grid_index(); i < n; i += grid_size())
    to[i] = (input.data ? input.get(i) : C(0)) + (state.data && i < scaled ? state.get(i) : C(0));
}

// One step: row r of n, unit j. `sums` (n, gates hidden) are the products of the states; `gates` holds those of the
// inputs.
template <class C>
struct ForwardStep {
  Cell cell;
  int64_t n, hidden;
  const C* sums;
  C *gates, *c, *cells;     // (n, kept hidden), (sequences, hidden), (n, hidden)
  Typed<C> bias_n, h, out;  // h (sequences, hidden): before; out (n, hidden)
  bool moves;               // out is the next state as it is: h, too
};
template <class C>
__device__ inline void put_out(const ForwardStep<C>& s, int64_t i, C x) {
  s.out.set(i, x);
  if (s.moves) s.h.set(i, x);
}
template <class C>
__global__ void __launch_bounds__(kThreads) step_forward(ForwardStep<C> s) {
  for (int64_t i = grid_index(); i < s.n * s.hidden; i += grid_size()) {
    const int64_t r = i / s.hidden, j = i % s.hidden;
    if (s.cell == Cell::lstm) {
      C* g = s.gates + r * 4 * s.hidden + j;
      const C* x = s.sums + r * 4 * s.hidden + j;
      const C in = sigmoid(g[0] + x[0]), forget = sigmoid(g[s.hidden] + x[s.hidden]),
              now = fn::tanh(g[2 * s.hidden] + x[2 * s.hidden]),
              o = sigmoid(g[3 * s.hidden] + x[3 * s.hidden]);
      const C c = forget * s.c[i] + in * now;
      g[0] = in, g[s.hidden] = forget, g[2 * s.hidden] = now, g[3 * s.hidden] = o;
      s.c[i] = s.cells[i] = c;
      put_out(s, i, o * fn::tanh(c));
    } else if (s.cell == Cell::gru) {
      C* g = s.gates + r * 4 * s.hidden + j;
      const C* x = s.sums + r * 3 * s.hidden + j;
      const C reset = sigmoid(g[0] + x[0]), update = sigmoid(g[s.hidden] + x[s.hidden]);
      const C part = x[2 * s.hidden] + (s.bias_n.data ? s.bias_n.get(j) : C(0));
      const C now = fn::tanh(reset * part + g[2 * s.hidden]);
      g[0] = reset, g[s.hidden] = update, g[2 * s.hidden] = now, g[3 * s.hidden] = part;
      put_out(s, i, update * (s.h.get(i) - now) + now);
    } else {
      const C x = s.gates[i] + s.sums[i], y = s.cell == Cell::relu ? (x < C(0) ? C(0) : x) : fn::tanh(x);
      s.gates[i] = y;
      put_out(s, i, y);
    }
  }
}

// The gradients of one step: row r of n, unit j. dh (n, hidden), with `grad` added where there is one, is the gradient
// of what the cell put out; a GRU leaves what goes past the gates in it.
template <class C>
struct BackwardStep {
  Cell cell;
  // Sequences below `earlier` read the step before, the others the first states.
  int64_t n, hidden, out, earlier;
  const C *gates, *cells, *cells_before;
  C *dh, *dc;
  Typed<C> grad, y_before, h0, c0, dz, dzh, before;
};
template <class C>
__global__ void __launch_bounds__(kThreads) step_backward(BackwardStep<C> s) {
  for (int64_t i = grid_index(); i < s.n * s.hidden; i += grid_size()) {
    const int64_t r = i / s.hidden, j = i % s.hidden;
    const C one = C(1), d = s.dh[i] + (s.grad.data ? s.grad.get(i) : C(0));
    if (s.cell == Cell::lstm) {
      const C* k = s.gates + r * 4 * s.hidden + j;
      const C in = k[0], forget = k[s.hidden], now = k[2 * s.hidden], o = k[3 * s.hidden];
      const C was = r < s.earlier ? s.cells_before[i] : s.c0.get(i), tc = fn::tanh(s.cells[i]);
      const C e = d * o * (one - tc * tc) + s.dc[i];
      const int64_t to = r * 4 * s.hidden + j;
      s.dz.set(to, e * now * in * (one - in));
      s.dz.set(to + s.hidden, e * was * forget * (one - forget));
      s.dz.set(to + 2 * s.hidden, e * in * (one - now * now));
      s.dz.set(to + 3 * s.hidden, d * tc * o * (one - o));
      s.dc[i] = e * forget;
    } else if (s.cell == Cell::gru) {
      const C* k = s.gates + r * 4 * s.hidden + j;
      const C reset = k[0], update = k[s.hidden], now = k[2 * s.hidden], part = k[3 * s.hidden];
      const C was = r < s.earlier ? s.y_before.get(i) : s.h0.get(i);
      const C dn = d * (one - update) * (one - now * now), dr = dn * part * reset * (one - reset),
              du = d * (was - now) * update * (one - update);
      const int64_t to = r * 3 * s.hidden + j;
      s.dz.set(to, dr), s.dz.set(to + s.hidden, du), s.dz.set(to + 2 * s.hidden, dn);
      s.dzh.set(to, dr), s.dzh.set(to + s.hidden, du), s.dzh.set(to + 2 * s.hidden, dn * reset);
      s.dh[i] = d * update;
    } else {
      const C y = s.gates[i];
      s.dz.set(i, s.cell == Cell::relu ? (y > C(0) ? d : C(0)) : d * (one - y * y));
    }
  }
  for (int64_t i = grid_index(); i < s.n * s.out; i += grid_size())
    s.before.set(i, i / s.out < s.earlier ? s.y_before.get(i) : s.h0.get(i));
}

// to += from, and both into `copy`: what a projection put out.
template <class C>
__global__ void __launch_bounds__(kThreads) add_rows(C* to, Typed<C> from, Typed<C> copy, int64_t n) {
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    const C x = to[i] + (from.data ? from.get(i) : C(0));
    to[i] = x;
    copy.set(i, x);
  }
}

struct Steps {
  Cell cell;
  bool reverse;
  std::span<const int64_t> batch;
  std::vector<int64_t> first;
  int64_t rows = 0;

  explicit Steps(const AttrReader& attrs)
      : cell(Cell(attrs.i(0))), reverse(attrs.b(1)), batch(attrs.ints(2)) {
    for (int64_t n : batch) first.push_back(rows), rows += n;
  }
  int64_t count() const { return int64_t(batch.size()); }
  int64_t at(int64_t i) const { return reverse ? count() - 1 - i : i; }  // the i-th that runs
};

haft_tensor_view view_of(void* data, DType t, std::span<const int64_t> sizes) {
  haft_tensor_view v{};
  v.data = data;
  v.dtype = uint8_t(t);
  v.ndim = uint8_t(sizes.size());
  v.contiguous = 1;
  v.numel = 1;
  for (int d = v.ndim - 1; d >= 0; --d)
    v.sizes[d] = sizes[size_t(d)], v.strides[d] = v.numel, v.numel *= v.sizes[d];
  return v;
}
// A state in the type of the computation, to be written back by copy_view: the result itself where the types agree.
template <class C>
C* running(const Call& c, const haft_tensor_view& result, const haft_tensor_view* begin) {
  const DType t = DTypeOf<C>::value;
  const haft_tensor_view v = DType(result.dtype) == t ? result : scratch_view(c, sizes(result), t);
  if (begin)
    copy_view(c, v, *begin);
  else
    c.zero(v.data, bytes(v));
  return static_cast<C*>(v.data);
}
template <class C>
void finish(const Call& c, const haft_tensor_view& result, C* state) {
  if (result.data != state) copy_view(c, result, view_of(state, DTypeOf<C>::value, sizes(result)));
}

template <class C>
void forward(const Call& c) {
  enum { kInput, kWeight, kRecurrent, kBias, kRecurrentBias, kProjection, kState, kCell };
  const Steps steps(c.attrs);
  const Cell cell = steps.cell;
  const DType type = c.dtype(), wide = DTypeOf<C>::value;
  const int64_t gates = gates_of(cell), kept = kept_of(cell), inputs = c.in(kInput).sizes[1],
                out = c.in(kState).sizes[1];
  const int64_t hidden = c.in(kWeight).sizes[0] / gates, width = gates * hidden, sequences = steps.batch[0];
  auto typed = [&](int i) { return Typed<C>{c.has(i) ? c.in(i).data : nullptr, type}; };
  C* const gate_rows = c.out_data<C>(3);
  C* const bias = c.scratch<C>(std::max<int64_t>(1, width));
  const int64_t scaled = cell == Cell::gru ? 2 * hidden : width;
  launch(c, blocks_for(c, width), join_biases<C>, typed(kBias), typed(kRecurrentBias), width, scaled, bias);
  Gemm g;
  g.type = type, g.c_type = wide;
  g.m = steps.rows, g.n = width, g.k = inputs;
  g.a = c.in(kInput).data, g.a_row = inputs, g.a_col = 1;
  g.b = c.in(kWeight).data, g.b_row = 1, g.b_col = inputs;
  g.c = gate_rows, g.c_row = kept * hidden;
  g.bias = bias, g.bias_col = 1;
  gemm(c, g);

  copy_view(c, c.out(1), c.in(kState));
  const Typed<C> h{c.out(1).data, type}, y{c.out(0).data, type};
  C* const cells = cell == Cell::lstm ? c.out_data<C>(4) : nullptr;
  C* const running_c = cell == Cell::lstm ? running<C>(c, c.out(2), &c.in(kCell)) : nullptr;
  C* const sums = c.scratch<C>(sequences * width);
  const bool projects = c.has(kProjection);
  const Typed<C> unprojected{projects ? c.scratch_bytes(sequences * hidden * item_size(type)) : nullptr,
                             type};
  Typed<C> states = h;  // what a step reads
  for (int64_t i = 0; i < steps.count(); ++i) {
    const int64_t t = steps.at(i), n = steps.batch[size_t(t)], row = steps.first[size_t(t)];
    if (n == 0) continue;
    g = Gemm{};
    g.type = type, g.c_type = wide;
    g.m = n, g.n = width, g.k = out;
    g.a = states.data, g.a_row = out, g.a_col = 1;
    g.b = c.in(kRecurrent).data, g.b_row = 1, g.b_col = out;
    g.c = sums, g.c_row = width;
    gemm(c, g);
    ForwardStep<C> s{cell,
                     n,
                     hidden,
                     sums,
                     gate_rows + row * kept * hidden,
                     running_c,
                     cells ? cells + row * hidden : nullptr,
                     {},
                     h,
                     projects ? unprojected : y.from(row * out),
                     !projects};
    s.bias_n = cell == Cell::gru && c.has(kRecurrentBias) ? typed(kRecurrentBias).from(2 * hidden)
                                                          : Typed<C>{nullptr, type};
    launch(c, blocks_for(c, n * hidden), step_forward<C>, s);
    if (projects) {
      g = Gemm{};
      g.type = g.c_type = type;
      g.m = n, g.n = out, g.k = hidden;
      g.a = unprojected.data, g.a_row = hidden, g.a_col = 1;
      g.b = c.in(kProjection).data, g.b_row = 1, g.b_col = hidden;
      g.c = y.from(row * out).data, g.c_row = out;
      gemm(c, g);
      // Who goes on reads them where they were put, unless others begin beside them; who ends here leaves them in h.
      const int64_t next = i + 1 < steps.count() ? steps.batch[size_t(steps.at(i + 1))] : 0,
                    stay = next > n ? 0 : next;
      states = next > n ? h : y.from(row * out);
      if (stay < n)
        c.copy(h.from(stay * out).data, y.from((row + stay) * out).data, (n - stay) * out * item_size(type));
    }
  }
  if (running_c) finish(c, c.out(2), running_c);
}

template <class C>
void backward(const Call& c) {
  enum { kRecurrent, kProjection, kState, kCell, kOutput, kKept, kCells, kGrad, kGradState, kGradCell };
  const Steps steps(c.attrs);
  const Cell cell = steps.cell;
  const DType type = c.dtype(), wide = DTypeOf<C>::value;
  const int64_t width = c.in(kRecurrent).sizes[0], hidden = width / gates_of(cell), kept = kept_of(cell),
                out = c.in(kState).sizes[1];
  auto typed = [&](int i) { return Typed<C>{c.has(i) ? c.in(i).data : nullptr, type}; };
  auto result = [&](int i) { return Typed<C>{c.out(i).data, type}; };
  const bool projects = c.has(kProjection), gru = cell == Cell::gru, lstm = cell == Cell::lstm;
  C* const dh = running<C>(c, c.out(3), c.has(kGradState) ? &c.in(kGradState) : nullptr);
  C* const dc = lstm ? running<C>(c, c.out(4), c.has(kGradCell) ? &c.in(kGradCell) : nullptr) : nullptr;
  C* const unprojected = projects ? c.scratch<C>(steps.batch[0] * hidden) : nullptr;
  const C *const gates = c.data<C>(kKept), *const cells = lstm ? c.data<C>(kCells) : nullptr;
  for (int64_t i = steps.count(); i-- > 0;) {
    const int64_t t = steps.at(i), n = steps.batch[size_t(t)], row = steps.first[size_t(t)];
    if (n == 0) continue;
    const Typed<C> dy{projects ? result(5).from(row * out).data : nullptr, type};
    if (projects)
      launch(c, blocks_for(c, n * out), add_rows<C>, dh, typed(kGrad).from(row * out), dy, n * out);
    Gemm g;
    if (projects) {
      g.type = type, g.c_type = wide;
      g.m = n, g.n = hidden, g.k = out;
      g.a = dy.data, g.a_row = out, g.a_col = 1;
      g.b = c.in(kProjection).data, g.b_row = hidden, g.b_col = 1;
      g.c = unprojected, g.c_row = hidden;
      gemm(c, g);
    }
    // The step that made the states that this one read.
    const int64_t earlier = steps.reverse ? t + 1 : t - 1;
    const bool any = earlier >= 0 && earlier < steps.count();
    const int64_t before = any ? steps.first[size_t(earlier)] : 0;
    BackwardStep<C> s{};
    s.cell = cell, s.n = n, s.hidden = hidden, s.out = out;
    s.earlier = any ? std::min(n, steps.batch[size_t(earlier)]) : 0;
    s.gates = gates + row * kept * hidden;
    if (lstm) s.cells = cells + row * hidden, s.cells_before = cells + before * hidden;
    s.dh = projects ? unprojected : dh, s.dc = dc;
    if (!projects) s.grad = typed(kGrad).from(row * out);
    s.y_before = typed(kOutput).from(before * out), s.h0 = typed(kState), s.c0 = typed(kCell);
    s.dz = result(0).from(row * width), s.before = result(2).from(row * out);
    if (gru) s.dzh = result(1).from(row * width);
    launch(c, blocks_for(c, n * std::max(hidden, out)), step_backward<C>, s);
    g = Gemm{};
    g.type = type, g.c_type = wide;
    g.m = n, g.n = out, g.k = width;
    g.a = gru ? s.dzh.data : s.dz.data, g.a_row = width, g.a_col = 1;
    g.b = c.in(kRecurrent).data, g.b_row = out, g.b_col = 1;
    g.c = dh, g.c_row = out;
    if (gru) g.bias = dh, g.bias_row = out, g.bias_col = 1;
    gemm(c, g);
  }
  finish(c, c.out(3), dh);
  if (lstm) finish(c, c.out(4), dc);
}

}  // namespace

void k_rnn_layer(const Call& c) {
  visit_computed(c, c.dtype(), [&]<class C>() { forward<C>(c); });
}
void k_rnn_layer_backward(const Call& c) {
  visit_computed(c, c.dtype(), [&]<class C>() { backward<C>(c); });
}

}  // namespace haft::cuda
