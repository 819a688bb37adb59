// The loop over the steps of one recurrent layer and direction, between recurrent.cpp's kernels and its vectors.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/base/parallel.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {

enum class Cell : int32_t { tanh, relu, lstm, gru };  // the modes of rnn_layer in ops.def

constexpr int64_t gates_of(Cell c) { return c == Cell::lstm ? 4 : c == Cell::gru ? 3 : 1; }
// Blocks of `hidden` elements that a row of `gates` keeps: r, z, n and the recurrent part of n for a GRU.
constexpr int64_t kept_of(Cell c) { return c == Cell::lstm || c == Cell::gru ? 4 : 1; }

// Weights packed for a call: blocks of `block` columns, each (k, stride), with zeros behind the last column. A column
// is one of four vectors side by side, or a unit with its gates in as many vectors.
template <class T>
struct Packed {
  int64_t k = 0, columns = 0, block = 1, stride = 0, blocks = 0;
  HostBuffer memory;

  Packed() = default;
  Packed(int64_t k, int64_t columns, int64_t block, int64_t stride)
      : k(k),
        columns(columns),
        block(block),
        stride(stride),
        blocks((columns + block - 1) / block),
        memory(std::max<int64_t>(1, blocks * k * stride) * int64_t(sizeof(T))) {}
  const T* at(int64_t b) const { return memory.template as<T>() + b * k * stride; }
  int64_t width(int64_t b) const { return std::min(block, columns - b * block); }
};

// Memory of T, all dense. Rows stand as packed sequences do: step t has batch[t] rows from first[t] on, never fewer
// than the step behind it; row b of a step belongs to sequence b.
template <class T>
struct Recurrent {
  Cell cell = Cell::tanh;
  bool reverse = false;
  // Elements of an input, of a cell, and of its output: fewer with a projection.
  int64_t inputs = 0, hidden = 0, out = 0;
  int64_t steps = 0, rows = 0;
  const int64_t *batch = nullptr, *first = nullptr;
  // Weights, as forward or backward multiplies by them.
  const Packed<T>*states = nullptr, *projection = nullptr;
  bool projects = false;
  // Forward: what is read of the inputs, (rows, inputs); their weights and bias, packed as `states` is; and their
  // products with the bias, (blocks, rows, stride), where all threads made them together.
  const T *x = nullptr, *z = nullptr;
  const Packed<T>*of_inputs = nullptr, *bias = nullptr;
  const T* bias_n = nullptr;  // (hidden), GRU: added to the recurrent part of n; may be NULL
  T *gates = nullptr, *cells = nullptr, *y = nullptr;  // (rows, kept hidden), (rows, hidden), (rows, out)
  // (sequences, out), (sequences, hidden): the states, the first ones at the beginning.
  T *h = nullptr, *c = nullptr;
  // Backward: h and c hold the gradients of the last states and become those of the first.
  const T *h0 = nullptr, *c0 = nullptr, *grad_y = nullptr;            // grad_y may be NULL
  T *dz = nullptr, *dzh = nullptr, *before = nullptr, *dy = nullptr;  // see rnn_layer_backward in ops.def
};

// Threads that are worth having, each with sequences of its own. S has the shape of a Recurrent.
constexpr int64_t kMostShares = 256;
template <class S>
int64_t shares_of(const S& s) {
  const int64_t most = std::max<int64_t>(1, s.rows * 2 * gates_of(s.cell) * s.hidden * s.out / (1 << 20));
  return std::min<int64_t>({kMostShares, num_threads(), s.batch[0], most});
}
// run(s, begin, end) for the sequences of each thread, shares of equal work.
template <class S>
void each_share(const S& s, void (*run)(const S&, int64_t, int64_t)) {
  const int64_t *const batch = s.batch, steps = s.steps, sequences = batch[0], rows = s.rows,
                       shares = shares_of(s);
  if (shares <= 1) return run(s, 0, sequences);
  // Sequence b is in the steps with more than b rows: lengths fall.
  int64_t from[kMostShares + 1];
  std::fill_n(from, shares + 1, sequences);
  from[0] = 0;
  int64_t t = steps, done = 0, k = 1;
  for (int64_t b = 0; b < sequences && k < shares; ++b) {
    while (t > 0 && batch[t - 1] <= b) --t;
    done += t;
    if (done * shares >= rows * k) from[k++] = b + 1;
  }
  parallel_for(shares, 1, [&](int64_t a, int64_t e) {
    for (; a < e; ++a)
      if (from[a] < from[a + 1]) run(s, from[a], from[a + 1]);
  });
}

// rnn_layer and its gradient in bfloat16 products, where the processor has them and there is no projection; false
// otherwise.
struct KernelCall;
bool bf16_recurrent(const KernelCall& k);
bool bf16_recurrent_backward(const KernelCall& k);

}  // namespace haft::cpu
