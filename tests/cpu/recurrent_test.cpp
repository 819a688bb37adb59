// The recurrent kernels of every instruction set against plain loops: cells, heights of tiles, ends of vectors, both
// directions.
#include "tests/cpu/kernel_fixture.h"
#include "tests/seed.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

enum { kTanh, kRelu, kLstm, kGru };

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void check(DType t, int64_t mode, bool reverse, const Sizes& batch, int64_t inputs, int64_t hidden,
           double bound = 0.8) {
  std::mt19937 rng(uint32_t(test::seed()));
  const int64_t gates = mode == kLstm  ? 4
                        : mode == kGru ? 3
                                       : 1,
                kept = gates == 1 ? 1 : 4, n = batch[0], steps = int64_t(batch.size());
  Sizes first{0};
  for (int64_t b : batch) first.push_back(first.back() + b);
  const int64_t rows = first.back();
  const Sizes none{0};
  auto random = [&](const Sizes& s) { return Array::random(t, s, rng, -bound, bound); };
  const Array x = random({rows, inputs}), w_ih = random({gates * hidden, inputs}),
              w_hh = random({gates * hidden, hidden}), b_ih = random({gates * hidden}),
              b_hh = random({gates * hidden}), h0 = random({n, hidden}), c0 = random({n, hidden});
  const bool lstm = mode == kLstm;
  const DType wide = t == DType::f64 ? t : DType::f32;
  Array y(t, {rows, hidden}), h(t, {n, hidden}), c(t, lstm ? Sizes{n, hidden} : none),
      kept_gates(wide, {rows, kept * hidden}), cells(wide, lstm ? Sizes{rows, hidden} : none);
  const auto attrs = words(mode, int64_t(reverse), std::span<const int64_t>(batch));
  run(k_rnn_layer, {&x, &w_ih, &w_hh, &b_ih, &b_hh, nullptr, &h0, lstm ? &c0 : nullptr},
      {&y, &h, &c, &kept_gates, &cells}, attrs);

  std::vector<double> want(size_t(rows * hidden)), state = h0.values(), cell = c0.values();
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t step = reverse ? steps - 1 - i : i;
    for (int64_t b = 0; b < batch[size_t(step)]; ++b) {
      const int64_t row = first[size_t(step)] + b;
      std::vector<double> in(size_t(gates * hidden)), rec(in.size());
      for (int64_t g = 0; g < gates * hidden; ++g) {
        in[size_t(g)] = b_ih.at(g), rec[size_t(g)] = b_hh.at(g);
        for (int64_t k = 0; k < inputs; ++k)
          in[size_t(g)] += w_ih.at(g * inputs + k) * x.at(row * inputs + k);
        for (int64_t k = 0; k < hidden; ++k)
          rec[size_t(g)] += w_hh.at(g * hidden + k) * state[size_t(b * hidden + k)];
      }
      for (int64_t j = 0; j < hidden; ++j) {
        auto z = [&](int64_t g) { return in[size_t(g * hidden + j)] + rec[size_t(g * hidden + j)]; };
        double& past = state[size_t(b * hidden + j)];
        double now;
        if (lstm) {
          double& own = cell[size_t(b * hidden + j)];
          own = sigmoid(z(1)) * own + sigmoid(z(0)) * std::tanh(z(2));
          now = sigmoid(z(3)) * std::tanh(own);
        } else if (mode == kGru) {
          const double fresh = std::tanh(in[size_t(2 * hidden + j)] +
                                         sigmoid(z(0)) * rec[size_t(2 * hidden + j)]),
                       u = sigmoid(z(1));
          now = (1 - u) * fresh + u * past;
        } else {
          now = mode == kRelu ? std::max(z(0), 0.0) : std::tanh(z(0));
        }
        want[size_t(row * hidden + j)] = now;
      }
      for (int64_t j = 0; j < hidden; ++j) state[size_t(b * hidden + j)] = want[size_t(row * hidden + j)];
    }
  }
  const double tol = t == DType::f64 ? 1e-11 : t == DType::f32 ? 3e-5 : 3e-2;
  expect_near(y.values(), want, tol);
  expect_near(h.values(), state, tol);
  if (lstm) expect_near(c.values(), cell, tol);

  // Backward: the sum of w . y, told along one random direction of the inputs of the first product by differences.
  const Array g = random({rows, hidden});
  Array dz(t, {rows, gates * hidden}), dzh(t, mode == kGru ? Sizes{rows, gates * hidden} : none),
      before(t, {rows, hidden}), dh(t, {n, hidden}), dc(t, lstm ? Sizes{n, hidden} : none), dy(t, none);
  run(k_rnn_layer_backward,
      {&w_hh, nullptr, &h0, lstm ? &c0 : nullptr, &y, &kept_gates, &cells, &g, nullptr, nullptr},
      {&dz, &dzh, &before, &dh, &dc, &dy}, attrs);
  if (t != DType::f64 || mode == kRelu) return;  // differences want double, and no bend
  const Array direction = random({n, hidden});
  const double step = 1e-6;
  double moved[2];
  for (int side : {0, 1}) {
    Array shifted = random({n, hidden});
    for (int64_t i = 0; i < shifted.numel(); ++i)
      shifted.set(i, h0.at(i) + (side ? step : -step) * direction.at(i));
    Array y2(t, {rows, hidden}), h2(t, {n, hidden}), c2(t, lstm ? Sizes{n, hidden} : none),
        gates2(t, {rows, kept * hidden}), cells2(t, lstm ? Sizes{rows, hidden} : none);
    run(k_rnn_layer, {&x, &w_ih, &w_hh, &b_ih, &b_hh, nullptr, &shifted, lstm ? &c0 : nullptr},
        {&y2, &h2, &c2, &gates2, &cells2}, attrs);
    moved[side] = 0;
    for (int64_t i = 0; i < y2.numel(); ++i) moved[side] += g.at(i) * y2.at(i);
  }
  double slope = 0;
  for (int64_t i = 0; i < dh.numel(); ++i) slope += dh.at(i) * direction.at(i);
  EXPECT_NEAR(slope, (moved[1] - moved[0]) / (2 * step), 1e-6 * (1 + std::abs(slope)));
}

Array as_f64(const Array& x, const Sizes& shape) {
  Array y(DType::f64, shape);
  for (int64_t i = 0; i < y.numel(); ++i) y.set(i, x.at(i));
  return y;
}
// bfloat16 beside float64 from the same values: results, and gradients of all that there is. Those begin with
// bfloat16's results, for a relu whose argument is nearly 0 has either slope.
void check_bfloat16(int64_t mode, bool reverse, const Sizes& batch, int64_t inputs, int64_t hidden,
                    bool all_gradients) {
  std::mt19937 rng(uint32_t(test::seed()));
  const int64_t gates = mode == kLstm ? 4 : mode == kGru ? 3 : 1, kept = gates == 1 ? 1 : 4, n = batch[0];
  int64_t rows = 0;
  for (int64_t b : batch) rows += b;
  const bool lstm = mode == kLstm;
  const Sizes none{0}, state{n, hidden}, cell = lstm ? state : none;
  const Sizes ins[] = {{rows, inputs},
                       {gates * hidden, inputs},
                       {gates * hidden, hidden},
                       {gates * hidden},
                       {gates * hidden},
                       state,
                       state,
                       {rows, hidden},
                       state,
                       state};
  const Sizes outs[] = {{rows, hidden},
                        state,
                        cell,
                        {rows, kept * hidden},
                        lstm ? Sizes{rows, hidden} : none,
                        {rows, gates * hidden},
                        mode == kGru ? Sizes{rows, gates * hidden} : none,
                        {rows, hidden},
                        state,
                        cell,
                        none};
  std::vector<Array> in, in64, out, out64;
  for (const Sizes& shape : ins) {
    const double bound = shape.size() == 2 && shape[0] == gates * hidden
                             ? 1 / std::sqrt(double(std::max(shape[1], hidden)))
                             : 0.5;  // as layers begin
    in.push_back(Array::random(DType::bf16, shape, rng, -bound, bound));
    in64.push_back(as_f64(in.back(), shape));
  }
  for (size_t i = 0; i < std::size(outs); ++i)
    out.emplace_back(i == 3 || i == 4 ? DType::f32 : DType::bf16, outs[i]),
        out64.emplace_back(DType::f64, outs[i]);
  const auto attrs = words(mode, int64_t(reverse), std::span<const int64_t>(batch));
  auto forward = [&](const std::vector<Array>& x, std::vector<Array>& y) {
    run(k_rnn_layer, {&x[0], &x[1], &x[2], &x[3], &x[4], nullptr, &x[5], lstm ? &x[6] : nullptr},
        {&y[0], &y[1], &y[2], &y[3], &y[4]}, attrs);
  };
  auto backward = [&](const std::vector<Array>& x, std::vector<Array>& y) {
    run(k_rnn_layer_backward,
        {&x[2], nullptr, &x[5], lstm ? &x[6] : nullptr, &y[0], &y[3], &y[4], &x[7],
         all_gradients ? &x[8] : nullptr, all_gradients && lstm ? &x[9] : nullptr},
        {&y[5], &y[6], &y[7], &y[8], &y[9], &y[10]}, attrs);
  };
  auto compare = [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      SCOPED_TRACE(i);
      expect_near(out[i].values(), out64[i].values(), 1.5e-2);
    }
  };
  forward(in, out);
  forward(in64, out64);
  compare(0, 5);
  for (size_t i : {0, 3, 4}) out64[i] = as_f64(out[i], outs[i]);
  backward(in, out);
  backward(in64, out64);
  compare(5, 11);
}

TEST(Recurrent, Bfloat16EveryCellAndTile) {
  for (int64_t mode : {kTanh, kRelu, kLstm, kGru})
    for (bool reverse : {false, true})
      for (int64_t batch : {1, 15, 33})
        for (int64_t hidden : {1, 16, 33, 72})
          if (test::sampled())
            check_bfloat16(mode, reverse, {batch, batch, (batch + 1) / 2, 1}, hidden == 16 ? 64 : 5, hidden,
                           hidden != 33);
}
TEST(Recurrent, Bfloat16AgainstLoops) {
  for (int64_t mode : {kTanh, kRelu, kLstm, kGru})
    for (bool reverse : {false, true}) check(DType::bf16, mode, reverse, {9, 4, 4}, 7, 20);
}
// More rows than are multiplied at a time, shared by threads.
TEST(Recurrent, Bfloat16LongSequences) {
  for (int64_t mode : {kTanh, kLstm, kGru}) check_bfloat16(mode, mode == kGru, Sizes(40, 18), 48, 48, true);
}

// More rows of inputs than are multiplied at a time: in shares of the sequences, in one share, and of a single
// sequence, whose products of inputs the threads share. Small weights, for large ones carry a rounding on from step
// to step.
TEST(Recurrent, LongSequences) {
  Sizes falling(20, 18);
  falling.insert(falling.end(), 15, 7);
  falling.insert(falling.end(), 10, 2);
  for (DType t : {DType::f32, DType::f64})
    for (int64_t mode : {kTanh, kRelu, kLstm, kGru})
      for (bool reverse : {false, true}) {
        if (test::sampled()) check(t, mode, reverse, falling, 40, 48, 0.1);
        if (test::sampled()) check(t, mode, reverse, Sizes(30, 3), 5, 8, 0.1);
        if (test::sampled()) check(t, mode, reverse, Sizes(70, 1), 33, 24, 0.1);
      }
}
// Where gates saturate, also beyond what an exponential holds, and where a tanh is as small as its argument.
TEST(Recurrent, GatesOfAnySize) {
  for (DType t : {DType::f32, DType::f64}) {
    const Sizes batch{1};
    const auto attrs = words(int64_t(kLstm), int64_t(0), std::span<const int64_t>(batch));
    for (double size : {1e-30, 1e-4, 0.3, 0.62, 0.63, 3.0, 20.0, 87.0, 120.0, 1e4}) {
      auto zeros = [&](const Sizes& shape) {
        Array a(t, shape);
        for (int64_t i = 0; i < a.numel(); ++i) a.set(i, 0);
        return a;
      };
      const Array x = zeros({1, 1}), w_ih = zeros({4, 1}), w_hh = zeros({4, 1}), h0 = zeros({1, 1}),
                  c0 = zeros({1, 1});
      Array bias(t, {4}), y(t, {1, 1}), h(t, {1, 1}), c(t, {1, 1}), gates(t, {1, 4}), cells(t, {1, 1});
      for (int64_t g = 0; g < 4; ++g) bias.set(g, g == 1 ? -size : size);
      run(k_rnn_layer, {&x, &w_ih, &w_hh, &bias, nullptr, nullptr, &h0, &c0}, {&y, &h, &c, &gates, &cells},
          attrs);
      const double b = bias.at(0), want[] = {sigmoid(b), sigmoid(-b), std::tanh(b), sigmoid(b)},
                   own = want[0] * want[2];
      // Of the value, and where it vanishes.
      const double last = t == DType::f64 ? 1e-15 : 3e-7, least = t == DType::f64 ? 1e-15 : 3e-38;
      for (int64_t g = 0; g < 4; ++g)
        EXPECT_NEAR(gates.at(g), want[g], last * want[g] + least) << g << " at " << size;
      EXPECT_NEAR(y.at(0), want[3] * std::tanh(own), 3 * last * own + least) << size;
    }
  }
}

TEST(Recurrent, EveryCellAndTile) {
  for (DType t : {DType::f32, DType::f64})
    for (int64_t mode : {kTanh, kRelu, kLstm, kGru})
      for (bool reverse : {false, true})
        for (int64_t batch : {1, 3, 7, 13})
          for (int64_t hidden : {1, 8, 17, 40})
            if (test::sampled()) check(t, mode, reverse, {batch, batch, (batch + 1) / 2}, 5, hidden);
}

}  // namespace
