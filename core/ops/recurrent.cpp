// Recurrent layers: rnn_layer is one layer and direction over packed rows; rnn puts layers, directions and dropout
// together.
#include "core/ops/gradient.h"

namespace haft {

namespace {

enum RnnMode : int64_t { kTanh, kRelu, kLstm, kGru };  // the Cell of core/cpu/recurrent.h

int64_t gates_of(int64_t mode) { return mode == kLstm ? 4 : mode == kGru ? 3 : 1; }

void want_shape(const ShapeContext& c, int i, const char* name, IntList wanted) {
  if (!c.has(i)) return;
  require_same_dtype(c, i, name);
  if (!std::ranges::equal(c.in(i).sizes(), wanted))
    fail(Code::shape, concat("[rnn] ", name, " must have shape ", wanted, ", got ", c.in(i).sizes()), {},
         name);
}

}  // namespace

SHAPE(rnn_layer) {
  const Tensor &x = c.in(0), &w_ih = c.in(1), &w_hh = c.in(2);
  const int64_t mode = c.attrs.i(0), gates = gates_of(mode);
  const IntList batch = c.attrs.ints(2);
  require_float(c, x);
  if (mode < kTanh || mode > kGru)
    fail(Code::invalid_argument,
         concat("[rnn] mode must be 0 (tanh), 1 (relu), 2 (LSTM) or 3 (GRU), got ", mode), {}, "mode");
  if (x.ndim() != 2 || w_ih.ndim() != 2 || w_hh.ndim() != 2 || w_ih.size(0) % gates)
    fail(Code::shape,
         concat("[rnn] wanted rows of inputs and weights of ", gates, " gates, got shapes ", x.sizes(), ", ",
                w_ih.sizes(), " and ", w_hh.sizes()),
         {}, "weights");
  const int64_t hidden = w_ih.size(0) / gates,
                out = c.has(5) && c.in(5).ndim() == 2 ? c.in(5).size(0) : hidden;
  if (x.size(1) != w_ih.size(1))
    fail(Code::shape, concat("[rnn] weights read ", w_ih.size(1), " inputs, got input of shape ", x.sizes()),
         {}, "input");
  if (c.has(5) && mode != kLstm)
    fail(Code::invalid_argument, "[rnn] only an LSTM has a projection", {}, "weights");
  int64_t rows = 0;
  for (size_t t = 0; t < batch.size(); ++t) {
    if (batch[t] < 0 || (t && batch[t] > batch[t - 1]))
      fail(Code::invalid_argument, concat("[rnn] batch_sizes must not rise, got ", batch),
           "sort the sequences by length", "batch_sizes");
    rows += batch[t];
  }
  if (batch.empty() || rows != x.size(0))
    fail(Code::shape,
         concat("[rnn] batch_sizes ", batch, " do not add up to the ", x.size(0), " rows of input"), {},
         "batch_sizes");
  require_same_dtype(c, 1, "weights");
  want_shape(c, 2, "weight_hh", Shape{gates * hidden, out});
  want_shape(c, 3, "bias_ih", Shape{gates * hidden});
  want_shape(c, 4, "bias_hh", Shape{gates * hidden});
  want_shape(c, 5, "weight_hr", Shape{out, hidden});
  want_shape(c, 6, "h0", Shape{batch[0], out});
  want_shape(c, 7, "c0", Shape{batch[0], hidden});
  if (c.has(7) != (mode == kLstm))
    fail(Code::invalid_argument, "[rnn] an LSTM has a cell state c0, other modes have none", {}, "c0");
  const Shape none{0};
  const bool lstm = mode == kLstm;
  c.out(0, x.dtype(), Shape{rows, out});
  c.out(1, x.dtype(), Shape{batch[0], out});
  c.out(2, x.dtype(), lstm ? Shape{batch[0], hidden} : none);
  c.out(3, wide_dtype(x.dtype()), Shape{rows, (gates == 1 ? 1 : 4) * hidden});
  c.out(4, wide_dtype(x.dtype()), lstm ? Shape{rows, hidden} : none);
}

SHAPE(rnn_layer_backward) {
  const Tensor &w_hh = c.in(0), &h0 = c.in(2), &y = c.in(4);
  const int64_t mode = c.attrs.i(0), wide = w_hh.size(0), rows = y.size(0), out = h0.size(1);
  const DType t = w_hh.dtype();
  const Shape none{0};
  c.out(0, t, Shape{rows, wide});
  c.out(1, t, mode == kGru ? Shape{rows, wide} : none);
  c.out(2, t, Shape{rows, out});
  c.out(3, t, h0.sizes());
  c.out(4, t, mode == kLstm ? Shape(c.in(3).sizes()) : none);
  c.out(5, t, c.has(1) ? Shape{rows, out} : none);
}

namespace {

enum Input { kX, kWeightX, kWeightH, kBiasX, kBiasH, kProject, kH0, kC0 };

// What a step's rows have to say of the weights: the gradients of the gates on the side of the inputs and on that of
// the states, the states that were read, and with a projection the gradient of its results and what it read.
struct RowGradients {
  Tensor x, h, before, y, projected;
};
void set_weights(Backward& b, const RowGradients& g) {
  auto column_sums = [](const Tensor& t) { return ops::sum(t, Shape{0}); };
  if (b.needs(kX)) b.set(kX, ops::mm(g.x, b.in(kWeightX)));
  if (b.needs(kWeightX)) b.set(kWeightX, ops::mm(ops::t(g.x), b.in(kX)));
  if (b.needs(kWeightH))
    b.set(kWeightH, ops::mm(ops::t(g.h), b.in(kWeightH).dtype() == g.before.dtype()
                                             ? g.before
                                             : as_dtype(g.before, b.in(kWeightH).dtype())));
  Tensor sums;
  if (b.needs(kBiasX)) b.set(kBiasX, sums = column_sums(g.x));
  if (b.needs(kBiasH)) b.set(kBiasH, sums.defined() && g.h.impl() == g.x.impl() ? sums : column_sums(g.h));
  if (b.needs(kProject)) b.set(kProject, ops::mm(ops::t(g.y), g.projected));
}

Tensor top(const Tensor& x, int64_t n) { return n == x.size(0) ? x : ops::slice(x, 0, 0, n, 1); }
// x with its first rows replaced.
Tensor with_top(const Tensor& x, const Tensor& rows) {
  if (rows.size(0) == x.size(0)) return rows;
  const Tensor parts[] = {rows, ops::slice(x, 0, rows.size(0), x.size(0), 1)};
  return ops::cat(parts, 0);
}
Tensor beside(std::initializer_list<Tensor> parts) { return ops::cat({parts.begin(), parts.size()}, 1); }

// The layer and its gradient step by step, in operators that are recorded themselves.
void differentiable_layer(Backward& b) {
  const int64_t mode = b.attrs.i(0);
  const bool reverse = b.attrs.b(1);
  const IntList batch = b.attrs.ints(2);
  const int64_t steps = int64_t(batch.size());
  auto step_at = [&](int64_t i) { return size_t(reverse ? steps - 1 - i : i); };
  const Tensor &w = b.in(kWeightH), &bias = b.in(kBiasH), &project = b.in(kProject);
  struct Step {
    Tensor h, c;        // before
    Tensor p, q, r, s;  // i, f, g, o; or r, z, n and the recurrent part of n; or y
    Tensor tanh_c, unprojected;
    RowGradients g;
  };
  std::vector<Step> all(static_cast<size_t>(steps));
  const std::vector<Tensor> z =
      ops::split_sizes(ops::linear(b.in(kX), b.in(kWeightX), b.in(kBiasX)), batch, 0);
  Tensor h = b.in(kH0), c = b.in(kC0);
  for (int64_t i = 0; i < steps; ++i) {
    const size_t t = step_at(i);
    Step& s = all[t];
    s.h = top(h, batch[t]);
    const Tensor read = ops::linear(s.h, w, bias);
    Tensor y;
    if (mode == kLstm) {
      s.c = top(c, batch[t]);
      const std::vector<Tensor> a = ops::chunk(z[t] + read, 4, 1);
      s.p = ops::sigmoid(a[0]), s.q = ops::sigmoid(a[1]), s.r = ops::tanh(a[2]), s.s = ops::sigmoid(a[3]);
      const Tensor now = s.q * s.c + s.p * s.r;
      s.tanh_c = ops::tanh(now);
      y = s.s * s.tanh_c;
      c = with_top(c, now);
      if (project.defined()) s.unprojected = y, y = ops::linear(y, project, Tensor());
    } else if (mode == kGru) {
      const std::vector<Tensor> a = ops::chunk(z[t], 3, 1), r = ops::chunk(read, 3, 1);
      s.p = ops::sigmoid(a[0] + r[0]), s.q = ops::sigmoid(a[1] + r[1]), s.s = r[2];
      s.r = ops::tanh(a[2] + s.p * s.s);
      y = s.r + s.q * (s.h - s.r);
    } else {
      y = s.p = mode == kRelu ? ops::relu(z[t] + read) : ops::tanh(z[t] + read);
    }
    h = with_top(h, y);
  }
  std::vector<Tensor> grad_y(static_cast<size_t>(steps));
  if (b.has_grad(0)) grad_y = ops::split_sizes(b.grad(0), batch, 0);
  Tensor dh = b.has_grad(1) ? b.grad(1) : ops::zeros_like(h), dc;
  if (mode == kLstm) dc = b.has_grad(2) ? b.grad(2) : ops::zeros_like(c);
  for (int64_t i = steps; i-- > 0;) {
    const size_t t = step_at(i);
    Step& s = all[t];
    Tensor d = top(dh, batch[t]), past;
    if (grad_y[t].defined()) d = d + grad_y[t];
    s.g.before = s.h;
    if (project.defined()) s.g.y = d, s.g.projected = s.unprojected, d = ops::mm(d, project);
    if (mode == kLstm) {
      const Tensor &in = s.p, &forget = s.q, &g = s.r, &o = s.s;
      const Tensor e = top(dc, batch[t]) + d * o * (1.0 - s.tanh_c * s.tanh_c);
      s.g.h = s.g.x = beside({e * g * in * (1.0 - in), e * s.c * forget * (1.0 - forget),
                              e * in * (1.0 - g * g), d * s.tanh_c * o * (1.0 - o)});
      dc = with_top(dc, e * forget);
    } else if (mode == kGru) {
      const Tensor &r = s.p, &u = s.q, &n = s.r;
      const Tensor dn = d * (1.0 - u) * (1.0 - n * n), dr = dn * s.s * r * (1.0 - r),
                   du = d * (s.h - n) * u * (1.0 - u);
      s.g.x = beside({dr, du, dn});
      s.g.h = beside({dr, du, dn * r});
      past = d * u;
    } else {
      s.g.h = s.g.x = mode == kRelu ? where_or_zero(ops::gt_scalar(s.p, 0), d) : d * (1.0 - s.p * s.p);
    }
    Tensor to = ops::mm(s.g.h, w);
    if (past.defined()) to = to + past;
    dh = with_top(dh, to);
  }
  auto joined = [&](Tensor RowGradients::*part) {
    if (!(all[0].g.*part).defined()) return Tensor();
    std::vector<Tensor> parts;
    for (const Step& s : all) parts.push_back(s.g.*part);
    return ops::cat(parts, 0);
  };
  RowGradients g{joined(&RowGradients::x),
                 {},
                 joined(&RowGradients::before),
                 joined(&RowGradients::y),
                 joined(&RowGradients::projected)};
  g.h = mode == kGru ? joined(&RowGradients::h) : g.x;
  set_weights(b, g);
  if (b.needs(kH0)) b.set(kH0, dh);
  if (b.needs(kC0)) b.set(kC0, dc);
}

void fused_layer(Backward& b) {
  const int64_t mode = b.attrs.i(0);
  const Tensor kept = b.out(3), cells = b.out(4);
  auto [dz, dzh, before, dh, dc, dy] =
      ops::rnn_layer_backward(b.in(kWeightH), b.in(kProject), b.in(kH0), b.in(kC0), b.out(0), kept, cells,
                              b.grad(0), b.grad(1), b.grad(2), mode, b.attrs.b(1), b.attrs.ints(2));
  RowGradients g{dz, mode == kGru ? dzh : dz, before, dy, {}};
  if (b.needs(kProject)) {
    const int64_t hidden = cells.size(1);
    g.projected =
        as_dtype(ops::slice(kept, 1, 3 * hidden, 4 * hidden, 1) * ops::tanh(cells), b.in(kX).dtype());
  }
  set_weights(b, g);
  if (b.needs(kH0)) b.set(kH0, dh);
  if (b.needs(kC0)) b.set(kC0, dc);
}

}  // namespace

// Results 3 and 4, for backward alone, have no gradient.
GRADIENT(rnn_layer, .fused = fused_layer,
         .always = IN0 | IN1 | IN2 | IN3 | IN4 | IN5 | IN6 | IN7 | OUT0 | OUT3 | OUT4) {
  differentiable_layer(b);
}

namespace ops {

std::array<Tensor, 3> uncast::rnn(const Tensor& input, const Tensor& h0, const Tensor& c0,
                                  std::span<const Tensor> weights, int64_t mode, int64_t num_layers,
                                  bool bidirectional, bool batch_first, double dropout, bool training,
                                  IntList batch_sizes, Generator* generator) {
  const bool packed = !batch_sizes.empty(), single = !packed && input.ndim() == 2, lstm = mode == kLstm;
  if (packed ? input.ndim() != 2 : input.ndim() != 2 && input.ndim() != 3)
    fail(Code::shape,
         concat("[rnn] input must have ",
                packed ? "2 dimensions where batch_sizes are given" : "2 or 3 dimensions", ", got shape ",
                input.sizes()),
         {}, "input");
  if (!(dropout >= 0 && dropout <= 1))
    fail(Code::invalid_argument, concat("[rnn] dropout must be in 0..1, got ", dropout), {}, "dropout");
  const int64_t directions = bidirectional ? 2 : 1;
  // Else the product may have no room.
  const bool counted = num_layers > 0 && num_layers <= int64_t(weights.size());
  const int64_t runs = counted ? num_layers * directions : 0,
                per = counted ? int64_t(weights.size()) / runs : 0;
  if (per < 2 || per > 5 || per * runs != int64_t(weights.size()))
    fail(Code::invalid_argument,
         concat("[rnn] ", num_layers, " layers of ", directions, " directions have 2 to 5 weights each, got ",
                int64_t(weights.size()), " in all"),
         "weight_ih, weight_hh, then bias_ih and bias_hh, then weight_hr, each where there is one",
         "weights");
  const bool biased = per >= 4, projected = per == 3 || per == 5;
  for (const Tensor& w : weights)
    if (!w.defined()) fail(Code::invalid_argument, "[rnn] a weight is NULL", {}, "weights");
  if (weights[0].ndim() != 2 || weights[1].ndim() != 2)
    fail(Code::shape,
         concat("[rnn] weights must be matrices, got ", weights[0].sizes(), " and ", weights[1].sizes()), {},
         "weights");
  // Told in the shape that the caller gave, not in that of the layer's rows.
  if (input.size(-1) != weights[0].size(1))
    fail(Code::shape,
         concat("[rnn] weights read ", weights[0].size(1), " inputs, got input of shape ", input.sizes()), {},
         "input");
  if (input.dtype() != weights[0].dtype())
    fail(Code::dtype,
         concat("[rnn] input is ", dtype_name(input.dtype()), ", the weights are ",
                dtype_name(weights[0].dtype())),
         "cast one of them", "input");
  Tensor x = input;
  std::vector<int64_t> steps(batch_sizes.begin(), batch_sizes.end());
  if (!packed) {
    x = single ? unsqueeze(x, 1) : batch_first ? transpose(x, 0, 1) : x;
    if (x.size(0) == 0)
      fail(Code::shape, concat("[rnn] input of shape ", input.sizes(), " has no steps"), {}, "input");
    steps.assign(size_t(x.size(0)), x.size(1));
    x = reshape(x, Shape{x.size(0) * x.size(1), x.size(2)});
  }
  const int64_t batch = steps[0], hidden = weights[0].size(0) / gates_of(mode), out = weights[1].size(1);
  auto states = [&](const Tensor& given, int64_t size, const char* name) {
    if (!given.defined())
      return std::vector<Tensor>(size_t(runs), zeros(Shape{batch, size}, x.dtype(), x.device()));
    const Tensor s = single && given.ndim() == 2 ? unsqueeze(given, 1) : given;
    const int64_t wanted[] = {runs, batch, size};
    if (!std::ranges::equal(s.sizes(), wanted))
      fail(Code::shape, concat("[rnn] ", name, " must have shape ", IntList(wanted), ", got ", given.sizes()),
           {}, name);
    return unbind(s, 0);
  };
  const std::vector<Tensor> h = states(h0, out, "h0"),
                            c = lstm ? states(c0, hidden, "c0") : std::vector<Tensor>(size_t(runs));
  if (!lstm && c0.defined()) fail(Code::invalid_argument, "[rnn] only an LSTM has a cell state", {}, "c0");
  std::vector<Tensor> last_h, last_c;
  for (int64_t layer = 0; layer < num_layers; ++layer) {
    std::vector<Tensor> ways;
    for (int64_t d = 0; d < directions; ++d) {
      const size_t run = size_t(layer * directions + d);
      const std::span<const Tensor> w = weights.subspan(run * size_t(per), size_t(per));
      auto [y, hn, cn, kept, cells] =
          rnn_layer(x, w[0], w[1], biased ? w[2] : Tensor(), biased ? w[3] : Tensor(),
                    projected ? w.back() : Tensor(), h[run], c[run], mode, d == 1, steps);
      ways.push_back(y);
      last_h.push_back(hn);
      last_c.push_back(cn);
    }
    x = directions == 1 ? ways[0] : cat(ways, 1);
    if (dropout != 0 && layer + 1 < num_layers) x = ops::dropout(x, dropout, training, generator);
  }
  if (!packed) {
    x = view(x, Shape{int64_t(steps.size()), batch, x.size(1)});
    x = single ? squeeze(x, 1) : batch_first ? transpose(x, 0, 1) : x;
  }
  auto joined = [&](const std::vector<Tensor>& parts) {
    return single ? squeeze(stack(parts, 0), 1) : stack(parts, 0);
  };
  return {x, joined(last_h), lstm ? joined(last_c) : last_c[0]};
}

}  // namespace ops
}  // namespace haft
