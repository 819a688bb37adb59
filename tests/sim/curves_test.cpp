// Curves of training: networks of three kinds learn on a device as they do on the CPU, loss by loss. HAFT_TEST_STEPS
// says how many steps; without it few are taken, for a simulated device is slow.
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/optim/optimizer.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimCurves : DeviceTest {};

int steps() {
  const char* given = std::getenv("HAFT_TEST_STEPS");
  return given && *given ? std::atoi(given) : 4;
}

// A network, what it is called with and how a loss comes of that.
struct Task {
  std::vector<Ref<nn::Module>> parts;
  std::function<Tensor(const std::vector<Ref<nn::Module>>&, const Tensor& x)> scores;
  Shape input;
  int64_t classes;
};

// Two batches in turns, which are soon known by heart.
std::vector<double> curve(const std::function<Task(const nn::Build&)>& make, Device d) {
  Generator weights(11);
  const Task t = make({.device = d, .generator = &weights});
  std::vector<Tensor> parameters;
  for (const Ref<nn::Module>& m : t.parts)
    for (auto& p : m->named_parameters()) parameters.push_back(p.tensor);
  Ref<Optimizer> o = haft::make_optimizer(OptimizerId::AdamW, parameters, {{"lr", 0.004}});
  std::vector<double> losses;
  for (int i = 0; i < steps(); ++i) {
    Generator g{uint64_t(500 + i % 2)};
    const Tensor x = ops::randn(t.input, DType::f32, Device{}, &g);
    const Tensor target = ops::randint(0, t.classes, Shape{t.input[0]}, DType::i64, Device{}, &g);
    o->zero_grad();
    const Tensor loss = ops::cross_entropy(t.scores(t.parts, on(x, d)), on(target, d), {});
    backward(loss);
    o->step();
    losses.push_back(values(loss)[0]);
  }
  return losses;
}

void compare(const std::function<Task(const nn::Build&)>& make) {
  const std::vector<double> here = curve(make, Device{}), there = curve(make, sim());
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) {
    // Differences of the last bit grow from step to step.
    EXPECT_NEAR(there[i], here[i], 2e-4 * (1 + double(i))) << "step " << i;
    ASSERT_TRUE(std::isfinite(there[i])) << "step " << i;
  }
  if (here.size() >= 50) {
    const auto mean = [&](size_t from) {
      double sum = 0;
      for (size_t i = from; i < from + 10; ++i) sum += there[i];
      return sum / 10;
    };
    EXPECT_LT(mean(there.size() - 10), 0.8 * mean(0)) << "it has not learnt";
  }
}

TEST_F(SimCurves, Recurrent) {
  compare([](const nn::Build& b) {
    Task t;
    t.parts = {nn::lstm(5, 12, 2, true, true, 0, true, 0, b), nn::linear(24, 4, true, b)};
    t.scores = [](const auto& m, const Tensor& x) { return m[1]->call(ops::mean(m[0]->call(x), Shape{1})); };
    t.input = {8, 6, 5};
    t.classes = 4;
    return t;
  });
}

TEST_F(SimCurves, Transformer) {
  compare([](const nn::Build& b) {
    Task t;
    t.parts = {nn::transformer_encoder(16, 4, 2, true, 32, 0.0, true, 1e-5, true, false, true, false, b),
               nn::linear(16, 4, true, b)};
    t.scores = [](const auto& m, const Tensor& x) { return m[1]->call(ops::mean(m[0]->call(x), Shape{1})); };
    t.input = {8, 6, 16};
    t.classes = 4;
    return t;
  });
}

TEST_F(SimCurves, Convolutional) {
  compare([](const nn::Build& b) {
    Task t;
    t.parts = {nn::conv2d(3, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, true, nn::PaddingMode::zeros, b),
               nn::max_pool2d({2, 2}),
               nn::conv2d(8, 8, {3, 3}, {1, 1}, {0, 0}, {1, 1}, 1, true, nn::PaddingMode::zeros, b),
               nn::linear(8 * 9, 4, true, b)};
    t.scores = [](const auto& m, const Tensor& x) {
      const Tensor y = m[2]->call(m[1]->call(ops::relu(m[0]->call(x))));
      return m[3]->call(ops::flatten(ops::relu(y), 1));
    };
    t.input = {8, 3, 10, 10};
    t.classes = 4;
    return t;
  });
}

}  // namespace
}  // namespace haft
