// Training on the simulated device: the trajectory of the CPU, also when it goes on somewhere else.
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/optim/optimizer.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimTraining : DeviceTest {};

Ref<nn::Sequential> net(Device d, uint64_t seed) {
  Generator g(seed);
  nn::Build build{.device = d, .generator = &g};
  return make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{
      make_ref<nn::Linear>(6, 16, true, build), nn::relu(), make_ref<nn::Linear>(16, 3, true, build)});
}

std::vector<Tensor> parameters_of(nn::Module& m) {
  std::vector<Tensor> ts;
  for (auto& p : m.named_parameters()) ts.push_back(p.tensor);
  return ts;
}

Ref<Optimizer> make_optimizer(int id, nn::Module& m) {
  OptionValues options{{"lr", 0.05}};
  if (OptimizerId(id) != OptimizerId::Rprop) options.push_back({"weight_decay", 0.01});
  if (OptimizerId(id) == OptimizerId::SGD) options.push_back({"momentum", 0.9});
  return haft::make_optimizer(OptimizerId(id), parameters_of(m), options);
}

void step(nn::Module& m, Optimizer& o, Device d, int i) {
  Generator g(uint64_t(100 + i));
  Tensor x = on(ops::randn(Shape{8, 6}, DType::f32, Device{}, &g), d);
  Tensor target = on(ops::randint(0, 3, Shape{8}, DType::i64, Device{}, &g), d);
  o.zero_grad();
  backward(ops::cross_entropy(m.call(x), target, {}));
  o.step();
}

TEST_F(SimTraining, OptimizersWalkTheSamePath) {
  for (int kind = 0; kind < kOptimizerCount; ++kind) {
    const auto id = OptimizerId(kind);
    // These want matrices alone, a closure, and gradients of rows.
    if (id == OptimizerId::Muon || id == OptimizerId::LBFGS || id == OptimizerId::SparseAdam) continue;
    auto here = net(Device{}, 3), there = net(sim(), 3);
    auto a = make_optimizer(kind, *here), b = make_optimizer(kind, *there);
    for (int i = 0; i < 5; ++i) {
      step(*here, *a, Device{}, i);
      step(*there, *b, sim(), i);
    }
    auto p = parameters_of(*here), q = parameters_of(*there);
    for (size_t i = 0; i < p.size(); ++i) {
      EXPECT_EQ(q[i].device(), sim());
      SCOPED_TRACE("parameter " + std::to_string(i) + " of optimizer " + std::to_string(kind));
      expect_close(values(q[i]), values(p[i]), 1e-4);
    }
  }
}

TEST_F(SimTraining, StateGoesOnAcrossDevices) {
  auto here = net(Device{}, 4);
  auto a = make_optimizer(1, *here);
  for (int i = 0; i < 3; ++i) step(*here, *a, Device{}, i);
  auto there = net(sim(), 9);
  there->load_state_dict(here->state_dict());
  auto b = make_optimizer(1, *there);
  b->load_state(a->state());
  for (int i = 3; i < 6; ++i) {
    step(*here, *a, Device{}, i);
    step(*there, *b, sim(), i);
  }
  auto p = parameters_of(*here), q = parameters_of(*there);
  for (size_t i = 0; i < p.size(); ++i) expect_close(values(q[i]), values(p[i]), 1e-4);
}

// A model cut in two: activations and their gradients cross.
TEST_F(SimTraining, ModelsMaySpanDevices) {
  auto whole = net(Device{}, 5), cut = net(Device{}, 5);
  nn::Module& head = *cut->children()[0].module;
  head.to(DType::none, sim(0));
  nn::Module& tail = *cut->children()[2].module;
  tail.to(DType::none, sim(3));
  Tensor x = ops::randn(Shape{4, 6});
  Tensor h = ops::relu(head.call(on(x, sim(0))));
  Tensor y = tail.call(on(h, sim(3)));
  Tensor z = whole->call(x);
  expect_close(values(y), values(z));
  backward(ops::sum(ops::mul(y, y)));
  backward(ops::sum(ops::mul(z, z)));
  auto p = parameters_of(*whole), q = parameters_of(*cut);
  for (size_t i = 0; i < p.size(); ++i) expect_close(grad_of(q[i]), grad_of(p[i]), 1e-4);
}

}  // namespace
}  // namespace haft
