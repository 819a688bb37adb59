// Records of the recurrent layers against plain loops.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

enum { kTanh, kRelu, kLstm, kGru };

struct Form {
  int64_t mode;
  Sizes batch;  // rows of each step
  int64_t inputs = 3, hidden = 4, layers = 1, projection = 0;
  bool both = false, bias = true, states = true, batch_first = false;

  int64_t gates() const { return mode == kLstm ? 4 : mode == kGru ? 3 : 1; }
  int64_t out() const { return projection ? projection : hidden; }
  int64_t runs() const { return layers * (both ? 2 : 1); }
  int64_t weights() const { return 2 + 2 * bias + (projection > 0); }
  bool packed() const { return batch.front() != batch.back(); }
  int64_t rows() const {
    int64_t n = 0;
    for (int64_t b : batch) n += b;
    return n;
  }
};

const double* row_of(const Array& a, int64_t row) { return a.v.data() + row * a.sizes[1]; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One layer and direction: y (rows, out), and the states in place.
Array run(const Form& f, const Array& x, const Array* w, Array& h, Array& c, bool reverse) {
  const int64_t steps = int64_t(f.batch.size()), hidden = f.hidden;
  const Array *b_ih = f.bias ? w + 2 : nullptr, *b_hh = f.bias ? w + 3 : nullptr,
              *w_hr = f.projection ? w + 2 + 2 * f.bias : nullptr;
  Array y({x.sizes[0], f.out()});
  std::vector<int64_t> first{0};
  for (int64_t n : f.batch) first.push_back(first.back() + n);
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reverse ? steps - 1 - i : i;
    for (int64_t b = 0; b < f.batch[size_t(t)]; ++b) {
      const int64_t row = first[size_t(t)] + b;
      std::vector<double> in(size_t(f.gates() * hidden)), rec(in.size()), now(static_cast<size_t>(hidden));
      for (size_t g = 0; g < in.size(); ++g) {
        in[g] = b_ih ? b_ih->v[g] : 0;
        rec[g] = b_hh ? b_hh->v[g] : 0;
        for (int64_t k = 0; k < x.sizes[1]; ++k) in[g] += row_of(w[0], int64_t(g))[k] * row_of(x, row)[k];
        for (int64_t k = 0; k < f.out(); ++k) rec[g] += row_of(w[1], int64_t(g))[k] * row_of(h, b)[k];
      }
      for (size_t j = 0; j < size_t(hidden); ++j) {
        auto z = [&](size_t g) { return in[g * size_t(hidden) + j] + rec[g * size_t(hidden) + j]; };
        if (f.mode == kLstm) {
          double& cell = c[{b, int64_t(j)}];
          cell = sigmoid(z(1)) * cell + sigmoid(z(0)) * std::tanh(z(2));
          now[j] = sigmoid(z(3)) * std::tanh(cell);
        } else if (f.mode == kGru) {
          const double n = std::tanh(in[2 * size_t(hidden) + j] +
                                     sigmoid(z(0)) * rec[2 * size_t(hidden) + j]),
                       u = sigmoid(z(1));
          now[j] = (1 - u) * n + u * h[{b, int64_t(j)}];
        } else {
          now[j] = f.mode == kRelu ? std::max(z(0), 0.0) : std::tanh(z(0));
        }
      }
      for (int64_t k = 0; k < f.out(); ++k) {
        double v = w_hr ? 0 : now[size_t(k)];
        for (int64_t j = 0; w_hr && j < hidden; ++j) v += row_of(*w_hr, k)[j] * now[size_t(j)];
        y[{row, k}] = v;
      }
      for (int64_t k = 0; k < f.out(); ++k) h[{b, k}] = y[{row, k}];
    }
  }
  return y;
}

Array part(const Array& a, int64_t i, const Sizes& sizes) {
  if (!a.defined) return Array(sizes);
  Array p(sizes);
  std::copy_n(a.v.begin() + i * p.numel(), p.numel(), p.v.begin());
  return p;
}

Arrays reference(const Form& f, const Arrays& in) {
  const int64_t batch = f.batch[0], steps = int64_t(f.batch.size());
  Array x = in[0];
  x.sizes = {f.rows(), f.inputs};
  auto turned = [&](const Array& a, bool back) {  // between (L, N) and (N, L)
    Array r(a.sizes);
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t k = 0; k < a.sizes[1]; ++k)
          r[{back ? b * steps + t : t * batch + b, k}] = a[{back ? t * batch + b : b * steps + t, k}];
    return r;
  };
  if (f.batch_first) x = turned(x, false);
  Array hs({f.runs(), batch, f.out()}), cs({f.mode == kLstm ? f.runs() : 0, batch, f.hidden});
  for (int64_t layer = 0, at = 0; layer < f.layers; ++layer) {
    std::vector<Array> ways;
    for (int64_t d = 0; d < (f.both ? 2 : 1); ++d, ++at) {
      Array h = part(in[1], at, {batch, f.out()}), c = part(in[2], at, {batch, f.hidden});
      ways.push_back(run(f, x, &in[size_t(3 + at * f.weights())], h, c, d == 1));
      std::copy(h.v.begin(), h.v.end(), hs.v.begin() + at * h.numel());
      if (f.mode == kLstm) std::copy(c.v.begin(), c.v.end(), cs.v.begin() + at * c.numel());
    }
    const int64_t width = f.out() * int64_t(ways.size());
    x = make_array({f.rows(), width}, [&](const Sizes& i) {
      return ways[size_t(i[1] / f.out())][{i[0], i[1] % f.out()}];
    });
  }
  if (f.batch_first) x = turned(x, true);
  if (!f.packed()) x.sizes = {f.batch_first ? batch : steps, f.batch_first ? steps : batch, x.sizes[1]};
  if (f.mode != kLstm) cs.sizes = {0};
  return {x, hs, cs};
}

std::vector<Input> inputs(const Form& f) {
  const int64_t batch = f.batch[0], steps = int64_t(f.batch.size());
  std::vector<Input> in{f.packed()      ? real({f.rows(), f.inputs})
                        : f.batch_first ? real({batch, steps, f.inputs})
                                        : real({steps, batch, f.inputs}),
                        f.states ? real({f.runs(), batch, f.out()}, -1, 1) : absent(),
                        f.states && f.mode == kLstm ? real({f.runs(), batch, f.hidden}, -1, 1) : absent()};
  for (int64_t layer = 0; layer < f.layers; ++layer)
    for (int64_t d = 0; d < (f.both ? 2 : 1); ++d) {
      in.push_back(real({f.gates() * f.hidden, layer ? f.out() * (f.both ? 2 : 1) : f.inputs}, -0.7, 0.7));
      in.push_back(real({f.gates() * f.hidden, f.out()}, -0.7, 0.7));
      for (int k = 0; k < 2 * f.bias; ++k) in.push_back(real({f.gates() * f.hidden}, -0.5, 0.5));
      if (f.projection) in.push_back(real({f.projection, f.hidden}, -0.7, 0.7));
    }
  return in;
}

void add(Record& r, const Form& f) {
  r.add(
      inputs(f),
      [f](Ins t) -> Outs {
        const Sizes packed = f.packed() ? f.batch : Sizes{};
        return ops::rnn(t[0], t[1], t[2], t.subspan(3), f.mode, f.layers, f.both, f.batch_first, 0, true,
                        packed);
      },
      [f](const Arrays& in) { return reference(f, in); });
}

}  // namespace

void add_recurrent(Records& r) {
  Record& all = r.op("rnn").on(kFloats, kInts | kBool).tolerance(20, 20);
  add(all, {.mode = kTanh, .batch = {2, 2, 2}});
  add(all, {.mode = kTanh, .batch = {3, 2, 1, 1}, .layers = 2, .both = true, .bias = false});
  add(all, {.mode = kLstm, .batch = {2, 2}, .both = true, .batch_first = true});
  add(all, {.mode = kLstm, .batch = {3, 3, 1}, .layers = 2, .projection = 2, .states = false});
  add(all, {.mode = kLstm, .batch = {4, 2, 2, 1}, .hidden = 3, .both = true, .bias = false});
  add(all, {.mode = kLstm, .batch = {1, 1}, .projection = 3, .bias = false});
  add(all, {.mode = kGru, .batch = {2, 2, 2}, .layers = 2, .batch_first = true});
  add(all, {.mode = kGru, .batch = {3, 2, 2}, .both = true, .states = false});
  add(all, {.mode = kGru, .batch = {2, 2}, .bias = false});
  add(all, {.mode = kRelu, .batch = {2, 2, 2}, .both = true});
  all.no_grad();  // a bend in the way
  // Sizes at the edges of vectors and tiles.
  for (int64_t mode : {kTanh, kLstm, kGru})
    for (int64_t batch : {1, 7, 13})
      for (int64_t hidden : {1, 17, 33, 70}) {
        add(all, {.mode = mode,
                  .batch = {batch, batch, (batch + 1) / 2},
                  .inputs = 5,
                  .hidden = hidden,
                  .both = hidden == 17,
                  .states = batch != 7});
        all.no_grad();
      }
  const Input x = real({2, 2, 3}), w = real({16, 3}), u = real({16, 4}), none = absent();
  auto call = [](Ins t, int64_t mode, Sizes batch = {}) {
    return ops::rnn(t[0], t[1], t[2], t.subspan(3), mode, 1, false, false, 0, false, batch);
  };
  all.bad({x, none, none, w, u}, CALL(call(t, 7)), Code::invalid_argument, {"[rnn]", "mode", "7"})
      .bad({x, none, none, w}, CALL(call(t, kLstm)), Code::invalid_argument, {"[rnn]", "weights", "1"})
      .bad({real({3}), none, none, w, u}, CALL(call(t, kLstm)), Code::shape, {"[rnn]", "[3]"})
      .bad({real({2, 2, 5}), none, none, w, u}, CALL(call(t, kLstm)), Code::shape,
           {"[rnn]", "3 inputs", "[2, 2, 5]"})
      .bad({x, none, none, w, u},
           [=](Ins t) -> Outs {
             return call(std::vector{ops::cast(t[0], DType::f64), t[1], t[2], t[3], t[4]}, kLstm);
           },
           Code::dtype, {"[rnn]", "input is float64", "weights are float32"})
      .bad({x, real({1, 3, 4}), none, w, u}, CALL(call(t, kLstm)), Code::shape, {"[rnn]", "h0", "[1, 2, 4]"})
      .bad({x, none, real({1, 2, 4}), w, u}, CALL(call(t, kTanh)), Code::invalid_argument, {"[rnn]", "cell"})
      .bad({x, none, none, w, real({16, 5})}, CALL(call(t, kLstm)), Code::shape, {"[rnn]", "weight_hh"})
      .bad({x, none, none, w, u, real({16}), real({8})}, CALL(call(t, kLstm)), Code::shape,
           {"[rnn]", "bias_hh", "[8]"})
      .bad({real({4, 3}), none, none, w, u}, CALL(call(t, kLstm, Sizes{1, 3})), Code::invalid_argument,
           {"[rnn]", "rise"})
      .bad({real({4, 3}), none, none, w, u}, CALL(call(t, kLstm, Sizes{2, 1})), Code::shape,
           {"[rnn]", "add up"})
      .bad({real({0, 2, 3}), none, none, w, u}, CALL(call(t, kLstm)), Code::shape, {"[rnn]", "no steps"});

  const Form f{.mode = kLstm, .batch = {2, 2, 1}, .projection = 2};
  std::vector<Input> layer = inputs(f);
  Record& one = r.op("rnn_layer").gives({same, same, same}).tolerance(20, 20);
  one.add(
      layer,
      [f](Ins t) -> Outs {
        auto [y, h, c, kept, cells] =
            ops::rnn_layer(t[0], t[3], t[4], t[5], t[6], t[7], ops::select(t[1], 0, 0),
                           ops::select(t[2], 0, 0), f.mode, false, f.batch);
        return Outs(std::vector<Tensor>{y, ops::unsqueeze(h, 0), ops::unsqueeze(c, 0)});
      },
      [f](const Arrays& in) { return reference(f, in); });
}

}  // namespace haft::test
