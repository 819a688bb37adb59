// Averages of weights beside sums in double, and batch norm's statistics for them.
#include "core/nn/averaged.h"

#include <limits>
#include <random>

#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/nn/layers.h"
#include "tests/nn/nn_testing.h"
#include "tests/seed.h"

namespace haft::nn {
namespace {

using testing::values;

class Averaged : public testing::NnTest {
 protected:
  std::mt19937_64 random{haft::test::seed()};
  Tensor some(IntList sizes) {
    std::normal_distribution<double> normal;
    Tensor t = new_tensor(sizes, DType::f64);
    for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = normal(random);
    return t;
  }
  static Ref<Module> model() {
    const Ref<Module> layers[] = {make_ref<Linear>(3, 4, true, Build{.dtype = DType::f64}),
                                  make_ref<BatchNorm>(1, BatchNormOptions{4}, Build{.dtype = DType::f64})};
    return make_ref<Sequential>(layers);
  }
  // Other weights and buffers.
  void move(Module& m) {
    NoGradGuard off;
    for (const NamedTensor& p : m.named_parameters()) ops::copy_(p.tensor, some(p.tensor.sizes()));
    for (const NamedTensor& b : m.named_buffers())
      if (is_float(b.tensor.dtype()))
        ops::copy_(b.tensor, ops::square(some(b.tensor.sizes())));
      else
        ops::add_scalar_(b.tensor, Scalar(3));
  }
};

TEST_F(Averaged, EqualAndExponential) {
  for (double decay : {-1.0, 0.9, 0.0, 1.0})
    for (bool use_buffers : {false, true}) {
      Ref<Module> m = model();
      auto average = make_ref<AveragedModel>(model(), decay, use_buffers);
      std::vector<std::string> names;
      for (const NamedTensor& t : average->state_dict()) names.push_back(t.name);
      EXPECT_EQ(names, (std::vector<std::string>{"n_averaged", "module.0.weight", "module.0.bias",
                                                 "module.1.weight", "module.1.bias", "module.1.running_mean",
                                                 "module.1.running_var", "module.1.num_batches_tracked"}));
      std::vector<std::vector<double>> wanted;
      for (int n = 0; n < 5; ++n) {
        move(*m);
        average->update(*m);
        const auto state = m->state_dict();
        for (size_t i = 0; i < state.size(); ++i) {
          const std::vector<double> v = values(state[i].tensor);
          if (n == 0) {
            wanted.push_back(v);
            continue;
          }
          const bool averaged = i < 4 || (use_buffers && i < 6);
          for (size_t k = 0; k < v.size(); ++k)
            wanted[i][k] = !averaged   ? v[k]
                           : decay < 0 ? wanted[i][k] + (v[k] - wanted[i][k]) / (n + 1)
                                       : decay * wanted[i][k] + (1 - decay) * v[k];
        }
      }
      EXPECT_EQ(average->count(), 5);
      const auto state = average->state_dict();
      for (size_t i = 0; i < wanted.size(); ++i) {
        const std::vector<double> v = values(state[i + 1].tensor);
        for (size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(v[k], wanted[i][k], 1e-12) << state[i + 1].name;
      }
      // It runs its child, and its state goes into another.
      average->eval();
      const Tensor x = some(Shape{2, 3});
      auto other = make_ref<AveragedModel>(model(), decay, use_buffers);
      other->load_state_dict(state);
      other->eval();
      EXPECT_EQ(values(other->call(x)), values(average->find("module")->call(x)));
      EXPECT_EQ(other->count(), 5);
    }
}

TEST_F(Averaged, ByAFunctionOfOnesOwn) {
  Ref<Module> m = model();
  auto average = make_ref<AveragedModel>(model(), -1, false);
  std::vector<int64_t> before;
  for (int n = 0; n < 3; ++n) {
    move(*m);
    average->update(*m, [&](std::span<const Tensor> to, std::span<const Tensor> from, int64_t count) {
      before.push_back(count);
      for (size_t i = 0; i < to.size(); ++i) ops::copy_(to[i], ops::maximum(to[i], from[i]));
    });
  }
  EXPECT_EQ(before, (std::vector<int64_t>{1, 2}));
  // One that fails does not count.
  EXPECT_THROW(average->update(*m, [](auto...) { fail(Code::callback, "no"); }), Error);
  EXPECT_EQ(average->count(), 3);
}

TEST_F(Averaged, Refusals) {
  auto average = make_ref<AveragedModel>(model(), -1, false);
  testing::expect_error([] { AveragedModel(model(), 1.5, false); }, Code::invalid_argument, "ema_decay");
  testing::expect_error([] { AveragedModel(model(), NAN, false); }, Code::invalid_argument, "ema_decay");
  Linear fewer(3, 4), wider(3, 5, true, {.dtype = DType::f64});
  testing::expect_error([&] { average->update(fewer); }, Code::invalid_argument,
                        "4 averages and 2 parameters");
  testing::expect_error([&] { AveragedModel(make_ref<Linear>(3, 4), -1, false).update(wider); }, Code::shape,
                        "[5, 3]");
  testing::expect_error([&] { average->update(*average->find("module")); }, Code::invalid_argument, "itself");
  EXPECT_EQ(average->count(), 0);
  const Tensor t[] = {some(Shape{2})};
  testing::expect_error([&] { average_tensors(t, t, -1, -1); }, Code::invalid_argument, "before");
}

TEST_F(Averaged, AfterAsManyUpdatesAsCanBeCounted) {
  const Tensor average[] = {some(Shape{2})}, value[] = {some(Shape{2})};
  const std::vector<double> before = values(average[0]);
  average_tensors(average, value, -1, std::numeric_limits<int64_t>::max());
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(values(average[0])[i], before[i], 1e-15);
}

TEST_F(Averaged, BatchNormAnew) {
  Ref<Module> m = model();
  move(*m);
  m->eval();
  std::vector<Tensor> batches;
  for (int64_t n : {5, 2, 7}) batches.push_back(some(Shape{n, 3}));
  size_t at = 0;
  update_batch_norm(*m, [&] { return at < batches.size() ? batches[at++] : Tensor(); });
  EXPECT_FALSE(m->training());
  const auto& norm = dynamic_cast<RunningNorm&>(*m->find("1"));
  EXPECT_EQ(norm.options().momentum, 0.1);
  std::vector<double> mean(4), var(4);
  for (const Tensor& x : batches) {
    const std::vector<double> y = values(m->find("0")->call(x));
    const size_t n = y.size() / 4;
    for (size_t c = 0; c < 4; ++c) {
      double sum = 0, squares = 0;
      for (size_t i = 0; i < n; ++i) sum += y[i * 4 + c];
      for (size_t i = 0; i < n; ++i)
        squares += (y[i * 4 + c] - sum / double(n)) * (y[i * 4 + c] - sum / double(n));
      mean[c] += sum / double(n) / 3;
      var[c] += squares / double(n - 1) / 3;
    }
  }
  const std::vector<double> got = values(m->find_buffer("1.running_mean")),
                            spread = values(m->find_buffer("1.running_var"));
  for (size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(got[c], mean[c], 1e-12);
    EXPECT_NEAR(spread[c], var[c], 1e-12);
  }
  EXPECT_EQ(values(m->find_buffer("1.num_batches_tracked")), std::vector<double>{3});
  EXPECT_THROW(update_batch_norm(*m, []() -> Tensor { fail(Code::callback, "no"); }), Error);
  EXPECT_FALSE(m->training());
  EXPECT_EQ(norm.options().momentum, 0.1);
}

}  // namespace
}  // namespace haft::nn
