// Recurrent layers and cells: names and texts, packed sequences, directions, threads, refusals. What they compute is
// compared with plain loops in tests/ops/recurrent.cpp.
#include "core/autograd/hooks.h"
#include "core/base/parallel.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::backward;
using testing::expect_error;
using testing::values;

struct RecurrentLayers : testing::NnTest {};

std::vector<std::string> names(const Ref<Module>& m) {
  std::vector<std::string> all;
  for (const NamedTensor& p : m->named_parameters()) all.push_back(p.name);
  return all;
}
Tensor i64(const std::vector<int64_t>& v) {
  Tensor t = new_tensor(Shape{int64_t(v.size())}, DType::i64);
  copy_from_host(t, v.data());
  return t;
}
double largest(const Tensor& t) {
  double most = 0;
  for (double v : values(t)) most = std::max(most, std::abs(v));
  return most;
}
double difference(const Tensor& a, const Tensor& b) { return largest(ops::sub(a, b)); }

TEST_F(RecurrentLayers, NamesAndTextsArePyTorchs) {
  const Ref<Module> m = lstm(3, 4, 2, true, true, 0.5, true, 2);
  EXPECT_EQ(
      names(m),
      (std::vector<std::string>{
          "weight_ih_l0",         "weight_hh_l0",         "bias_ih_l0",           "bias_hh_l0",
          "weight_hr_l0",         "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse",
          "bias_hh_l0_reverse",   "weight_hr_l0_reverse", "weight_ih_l1",         "weight_hh_l1",
          "bias_ih_l1",           "bias_hh_l1",           "weight_hr_l1",         "weight_ih_l1_reverse",
          "weight_hh_l1_reverse", "bias_ih_l1_reverse",   "bias_hh_l1_reverse",   "weight_hr_l1_reverse"}));
  EXPECT_EQ(m->text(),
            "LSTM(3, 4, proj_size=2, num_layers=2, batch_first=True, dropout=0.5, bidirectional=True)");
  EXPECT_EQ(names(gru(3, 4, 1, false, false, 0, false)),
            (std::vector<std::string>{"weight_ih_l0", "weight_hh_l0"}));
  EXPECT_EQ(gru(3, 4, 1, false, false, 0, false)->text(), "GRU(3, 4, bias=False)");
  EXPECT_EQ(rnn_cell(3, 4, true, true)->text(), "RNNCell(3, 4, nonlinearity=relu)");
  EXPECT_EQ(names(lstm_cell(3, 4, true)),
            (std::vector<std::string>{"weight_ih", "weight_hh", "bias_ih", "bias_hh"}));
  for (const NamedTensor& p : m->named_parameters()) {
    EXPECT_LE(largest(p.tensor), 0.5) << p.name;  // 1 / sqrt(hidden_size)
    EXPECT_GT(largest(p.tensor), 0.05) << p.name;
  }
}

TEST_F(RecurrentLayers, PackedSequencesAreEachSequenceAlone) {
  const std::vector<int64_t> lengths{5, 3, 3, 1}, batch{4, 3, 3, 1, 1};
  for (const Ref<Module>& m : {rnn(3, 5, 2, true, false, 0, true, false),
                               lstm(3, 5, 2, true, false, 0, true, 2), gru(3, 5, 2, true, false, 0, true)}) {
    Tensor x = ops::randn(Shape{12, 3});
    const Tensor in[] = {x, Tensor(), Tensor(), i64(batch)};
    const bool two = m->type() == "LSTM";
    const std::vector<Tensor> all =
        two ? m->forward_many(in) : m->forward_many(std::vector<Tensor>{x, Tensor(), i64(batch)});
    for (size_t s = 0; s < lengths.size(); ++s) {
      std::vector<Tensor> rows, got;
      for (int64_t t = 0, at = 0; t < lengths[s]; at += batch[size_t(t++)]) {
        rows.push_back(ops::select(x, 0, at + int64_t(s)));
        got.push_back(ops::select(all[0], 0, at + int64_t(s)));
      }
      const Tensor alone[] = {ops::stack(rows, 0)};
      const std::vector<Tensor> want = m->forward_many(alone);
      EXPECT_LT(difference(ops::stack(got, 0), want[0]), 1e-6) << m->text();
      for (size_t k = 1; k < want.size(); ++k)
        EXPECT_LT(difference(ops::select(all[k], 1, int64_t(s)), want[k]), 1e-6) << m->text();
    }
  }
}

TEST_F(RecurrentLayers, ThreadsChangeNothing) {
  const int threads = num_threads();
  for (const Ref<Module>& m :
       {rnn(20, 40, 1, true, false, 0, false, true), lstm(20, 40, 1, true, false, 0, true, 0),
        gru(20, 40, 1, true, true, 0, false)}) {
    Tensor x = ops::randn(Shape{30, 23, 20});
    set_requires_grad(x, true);
    std::vector<std::vector<double>> results[2];
    for (int k : {0, 1}) {
      set_num_threads(k ? 3 : 1);
      m->zero_grad();
      set_gradient(x, {});
      const Tensor y = m->forward(x);
      backward(ops::sum(ops::mul(y, y)));
      results[k].push_back(values(y));
      results[k].push_back(values(gradient_of(x)));
      for (const Tensor& p : m->parameters())
        if (p.ndim() == 1) results[k].push_back(values(gradient_of(p)));
    }
    set_num_threads(threads);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(results[0][i], results[1][i]) << m->text() << " " << i;
  }
}

TEST_F(RecurrentLayers, CellsAreLayersOfOneStep) {
  struct Pair {
    Ref<Module> layer, cell;
  };
  for (const Pair& p : {Pair{rnn(3, 4, 1, true, false, 0, false, true), rnn_cell(3, 4, true, true)},
                        Pair{lstm(3, 4, 1, true, false, 0, false, 0), lstm_cell(3, 4, true)},
                        Pair{gru(3, 4, 1, true, false, 0, false), gru_cell(3, 4, true)}}) {
    const auto from = p.layer->parameters(), to = p.cell->parameters();
    {
      NoGradGuard off;
      for (size_t i = 0; i < from.size(); ++i) ops::copy_(to[i], from[i]);
    }
    Tensor x = ops::randn(Shape{1, 2, 3});
    const Tensor step = ops::select(x, 0, 0), one = ops::select(step, 0, 1);
    EXPECT_EQ(values(p.layer->forward(x)), values(p.cell->forward(step)));
    const Tensor alone = p.cell->forward(one);
    EXPECT_EQ(alone.ndim(), 1);
    EXPECT_LT(difference(alone, ops::select(p.cell->forward(step), 0, 1)), 1e-6);
    backward(ops::sum(p.cell->forward(step)));
    EXPECT_TRUE(gradient_of(to[0]).defined());
  }
}

TEST_F(RecurrentLayers, DropoutStandsBetweenLayersWhileTraining) {
  const Ref<Module> m = gru(3, 8, 2, true, false, 0.5, false);
  Tensor x = ops::randn(Shape{4, 2, 3});
  EXPECT_GT(difference(m->forward(x), m->forward(x)), 0);
  m->eval();
  EXPECT_EQ(difference(m->forward(x), m->forward(x)), 0);
}

TEST_F(RecurrentLayers, Refusals) {
  expect_error([] { lstm(3, 4, 0, true, false, 0, false, 0); }, Code::invalid_argument, "num_layers");
  expect_error([] { lstm(3, 4, 1, true, false, 0, false, 4); }, Code::invalid_argument, "proj_size");
  expect_error([] { gru(3, 4, 1, true, false, 1.5, false); }, Code::invalid_argument, "dropout");
  const Ref<Module> m = lstm(3, 4, 1, true, false, 0, false, 0);
  const Tensor x = ops::randn(Shape{2, 1, 3}), h = ops::zeros(Shape{1, 1, 4});
  expect_error([&] { m->forward_many(std::vector<Tensor>{x, h}); }, Code::invalid_argument, "together");
  expect_error(
      [&] {
        m->forward_many(std::vector<Tensor>{x, h, h, i64({1}), h});
      },
      Code::invalid_argument, "5 tensors");
  expect_error([&] { m->forward_many(std::vector<Tensor>{x, h, h, h}); }, Code::shape, "int64");
  expect_error([&] { m->forward(ops::randn(Shape{2, 1, 5})); }, Code::shape, "[rnn]");
}

}  // namespace
}  // namespace haft::nn
