// Recurrent layers and cells: parameters by PyTorch's names around the operator rnn.
#include "core/dispatch/host_access.h"
#include "core/nn/factories.h"
#include "core/nn/init.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

enum Mode { kTanh, kRelu, kLstm, kGru };  // of the operator

struct Options {
  const char* type;
  Mode mode;
  int64_t input_size, hidden_size;
  int64_t num_layers = 1;
  bool bias = true, batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  int64_t proj_size = 0;
  bool cell = false;  // one step

  int64_t gates() const { return mode == kLstm ? 4 : mode == kGru ? 3 : 1; }
  int64_t directions() const { return bidirectional ? 2 : 1; }
  int64_t out() const { return proj_size ? proj_size : hidden_size; }
};

class Recurrent final : public Module {
  Options o_;
  Ref<Generator> generator_;  // of dropout; null: the default one

 public:
  Recurrent(const Options& o, const Build& build)
      : Module(o.type), o_(o), generator_(Ref<Generator>::share(build.generator)) {
    check_size(o.input_size, type().c_str(), "input_size");
    check_size(o.hidden_size, type().c_str(), "hidden_size", 1);
    check_size(o.num_layers, type().c_str(), "num_layers", 1);
    if (!(o.dropout >= 0 && o.dropout <= 1))
      fail(Code::invalid_argument, concat(type(), ": dropout must be in [0, 1], got ", o.dropout), {},
           "dropout");
    if (o.proj_size < 0 || o.proj_size >= o.hidden_size)
      fail(Code::invalid_argument,
           concat(type(), ": proj_size must be below hidden_size, ", o.hidden_size, ", got ", o.proj_size),
           "0 is none", "proj_size");
    const double bound = 1 / std::sqrt(double(o.hidden_size));
    auto add = [&](std::string name, IntList sizes) {
      Tensor t = new_parameter(sizes, build.dtype, build.device);
      uniform_(t, -bound, bound, build.generator);
      register_parameter(std::move(name), std::move(t));
    };
    const int64_t rows = o.gates() * o.hidden_size;
    for (int64_t layer = 0; layer < o.num_layers; ++layer)
      for (int64_t d = 0; d < o.directions(); ++d) {
        const std::string end = o.cell ? "" : concat("_l", layer, d ? "_reverse" : "");
        add("weight_ih" + end, Shape{rows, layer ? o.out() * o.directions() : o.input_size});
        add("weight_hh" + end, Shape{rows, o.out()});
        for (const char* name : {"bias_ih", "bias_hh"}) {
          if (o.bias)
            add(name + end, Shape{rows});
          else if (o.cell)
            register_parameter(name + end, Tensor());
        }
        if (o.proj_size) add("weight_hr" + end, Shape{o.proj_size, o.hidden_size});
      }
  }

  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }

  // x, h (and c), the rows of each step; what comes last may be left out, and states may be undefined.
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    const bool lstm = o_.mode == kLstm;
    const size_t states = lstm ? 2 : 1;
    auto given = [&](size_t i) { return i < xs.size() ? xs[i] : Tensor(); };
    if (xs.empty() || !xs[0] || xs.size() > states + 1 + !o_.cell)
      fail(Code::invalid_argument,
           concat(type(), " takes x, ", lstm ? "h, c" : "h",
                  o_.cell ? "" : " and the rows of each step, the last ones optional", ", got ",
                  int64_t(xs.size()), " tensors"),
           {}, "inputs");
    if (lstm && given(1).defined() != given(2).defined())
      fail(Code::invalid_argument, concat(type(), ": h and c come together"), {}, "inputs");
    const Tensor &x = xs[0], h = given(1), c = lstm ? given(2) : Tensor();
    std::vector<Tensor> weights;
    for (int i = 0, n = int(o_.num_layers * o_.directions()) * (2 + 2 * o_.bias + (o_.proj_size > 0)); i < n;
         ++i)
      weights.push_back(parameter(i));
    if (o_.cell) return step(x, h, c, weights);
    std::vector<int64_t> batch;
    if (const Tensor sizes = given(states + 1)) {
      if (sizes.dtype() != DType::i64 || sizes.ndim() != 1)
        fail(Code::shape,
             concat(type(), ": the rows of each step must be a vector of int64, got shape ", sizes.sizes()),
             {}, "inputs");
      batch.resize(size_t(sizes.numel()));
      copy_to_host(sizes, batch.data());
    }
    auto [y, hn, cn] = ops::rnn(x, h, c, weights, o_.mode, o_.num_layers, o_.bidirectional, o_.batch_first,
                                o_.dropout, training(), batch, generator_.get());
    if (lstm) return {y, hn, cn};
    return {y, hn};
  }

  std::string extra() const override {
    std::string s = concat(o_.input_size, ", ", o_.hidden_size);
    if (o_.proj_size) s += concat(", proj_size=", o_.proj_size);
    if (o_.num_layers != 1) s += concat(", num_layers=", o_.num_layers);
    if (!o_.bias) s += ", bias=False";
    if (o_.batch_first) s += ", batch_first=True";
    if (o_.dropout != 0) s += concat(", dropout=", float_text(o_.dropout));
    if (o_.bidirectional) s += ", bidirectional=True";
    if (o_.cell && o_.mode == kRelu) s += ", nonlinearity=relu";
    return s;
  }

 private:
  // (N, size) or (size): a sequence of one step.
  std::vector<Tensor> step(const Tensor& x, const Tensor& h, const Tensor& c,
                           std::span<const Tensor> weights) {
    if (x.ndim() != 1 && x.ndim() != 2)
      fail(Code::shape,
           concat(type(), ": wanted x of shape (N, ", o_.input_size, ") or (", o_.input_size, "), got ",
                  x.sizes()),
           {}, "x");
    const bool single = x.ndim() == 1;
    auto state = [&](const Tensor& s) {
      return !s ? s : ops::unsqueeze(single ? ops::unsqueeze(s, 0) : s, 0);
    };
    const Tensor rows = single ? ops::unsqueeze(x, 0) : x;
    const int64_t n = rows.size(0);
    auto [y, hn, cn] =
        ops::rnn(rows, state(h), state(c), weights, o_.mode, 1, false, false, 0, false, {&n, 1}, nullptr);
    auto plain = [&](const Tensor& t) { return single ? ops::squeeze(t, 0) : t; };
    if (o_.mode == kLstm) return {plain(y), plain(ops::squeeze(cn, 0))};
    return {plain(y)};
  }
};

}  // namespace

Ref<Module> rnn(int64_t input_size, int64_t hidden_size, int64_t num_layers, bool bias, bool batch_first,
                double dropout, bool bidirectional, bool relu, const Build& build) {
  return make_ref<Recurrent>(Options{"RNN", relu ? kRelu : kTanh, input_size, hidden_size, num_layers, bias,
                                     batch_first, dropout, bidirectional},
                             build);
}
Ref<Module> lstm(int64_t input_size, int64_t hidden_size, int64_t num_layers, bool bias, bool batch_first,
                 double dropout, bool bidirectional, int64_t proj_size, const Build& build) {
  return make_ref<Recurrent>(Options{"LSTM", kLstm, input_size, hidden_size, num_layers, bias, batch_first,
                                     dropout, bidirectional, proj_size},
                             build);
}
Ref<Module> gru(int64_t input_size, int64_t hidden_size, int64_t num_layers, bool bias, bool batch_first,
                double dropout, bool bidirectional, const Build& build) {
  return make_ref<Recurrent>(
      Options{"GRU", kGru, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional},
      build);
}
Ref<Module> rnn_cell(int64_t input_size, int64_t hidden_size, bool bias, bool relu, const Build& build) {
  return make_ref<Recurrent>(Options{.type = "RNNCell",
                                     .mode = relu ? kRelu : kTanh,
                                     .input_size = input_size,
                                     .hidden_size = hidden_size,
                                     .bias = bias,
                                     .cell = true},
                             build);
}
Ref<Module> lstm_cell(int64_t input_size, int64_t hidden_size, bool bias, const Build& build) {
  return make_ref<Recurrent>(Options{.type = "LSTMCell",
                                     .mode = kLstm,
                                     .input_size = input_size,
                                     .hidden_size = hidden_size,
                                     .bias = bias,
                                     .cell = true},
                             build);
}
Ref<Module> gru_cell(int64_t input_size, int64_t hidden_size, bool bias, const Build& build) {
  return make_ref<Recurrent>(Options{.type = "GRUCell",
                                     .mode = kGru,
                                     .input_size = input_size,
                                     .hidden_size = hidden_size,
                                     .bias = bias,
                                     .cell = true},
                             build);
}

}  // namespace haft::nn
