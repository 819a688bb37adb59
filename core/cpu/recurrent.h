// The loop over the steps of one recurrent layer and direction, between recurrent.cpp's kernels and its vectors.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/tensor/host_allocator.h"

namespace haft::cpu {

enum class Cell : int32_t { tanh, relu, lstm, gru };  // HAFT_RECURRENT_*

constexpr int64_t gates_of(Cell c) { return c == Cell::lstm ? 4 : c == Cell::gru ? 3 : 1; }
// Blocks of `hidden` elements that a row of `gates` keeps: r, z, n and the recurrent part of n for a GRU.
constexpr int64_t kept_of(Cell c) { return c == Cell::lstm || c == Cell::gru ? 4 : 1; }

// Memory of T, all dense. Rows stand as packed sequences do: step t has batch[t] rows from first[t] on, never fewer than
// the step behind it; row b of a step belongs to sequence b.
template <class T>
struct Recurrent {
  Cell cell = Cell::tanh;
  bool reverse = false;
  int64_t hidden = 0, out = 0;  // elements of a cell, and of its output: fewer with a projection
  int64_t steps = 0;
  const int64_t *batch = nullptr, *first = nullptr;
  const T *w_hh = nullptr, *w_hr = nullptr;  // (gates hidden, out) and (out, hidden) or NULL
  const T* bias_n = nullptr;                 // (hidden), GRU: added to the recurrent part of n; may be NULL
  T *gates = nullptr, *cells = nullptr, *y = nullptr;  // (rows, kept hidden), (rows, hidden), (rows, out)
  T *h = nullptr, *c = nullptr;  // (sequences, out), (sequences, hidden): the states, the first ones at the beginning
  // Backward: h and c hold the gradients of the last states and become those of the first.
  const T *h0 = nullptr, *c0 = nullptr, *grad_y = nullptr;  // grad_y may be NULL
  T *dz = nullptr, *dzh = nullptr, *before = nullptr, *dy = nullptr;  // see rnn_layer_backward in ops.def
};

// Weights packed for a call: blocks of `block` columns, each (k, stride), with zeros behind the last column.
template <class T>
struct Packed {
  int64_t k = 0, columns = 0, block = 1, stride = 0, blocks = 0;
  HostBuffer memory;

  Packed() = default;
  Packed(int64_t k, int64_t columns, int64_t block, int64_t stride)
      : k(k), columns(columns), block(block), stride(stride), blocks((columns + block - 1) / block),
        memory(std::max<int64_t>(1, blocks * k * stride) * int64_t(sizeof(T))) {}
  const T* at(int64_t b) const { return memory.template as<T>() + b * k * stride; }
  int64_t width(int64_t b) const { return std::min(block, columns - b * block); }
};
// For vectors of `lanes`: w (k, columns), or w (columns, k) of which the transpose is meant, in blocks of four vectors; and
// w (gates units, k) in blocks of a vector of units, their gates side by side.
template <class T>
Packed<T> pack_columns(const T* w, int64_t k, int64_t columns, bool transposed, int64_t lanes);
template <class T>
Packed<T> pack_gates(const T* w, int64_t gates, int64_t units, int64_t k, int64_t lanes);

// f(begin, end) for the sequences of each thread, shares of equal work.
constexpr int64_t kMostShares = 256;
void run_shares(const int64_t* batch, int64_t steps, int64_t work_of_row, void (*run)(void*, int64_t, int64_t), void* arg);
template <class F>
void each_share(const int64_t* batch, int64_t steps, int64_t work_of_row, F f) {
  run_shares(
      batch, steps, work_of_row, [](void* g, int64_t begin, int64_t end) { (*static_cast<F*>(g))(begin, end); }, &f);
}

}  // namespace haft::cpu
