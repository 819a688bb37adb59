// Recorded training steps: a replay is the step that would have been run, with the optimizer's and the generator's values of its time.
#include <chrono>
#include <optional>
#include <thread>

#include "core/dispatch/replay.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/optim/optimizer.h"
#include "tests/backend/held_stream.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimReplay : DeviceTest {};

std::vector<Tensor> parameters_of(nn::Module& m) {
  std::vector<Tensor> ts;
  for (auto& p : m.named_parameters()) ts.push_back(p.tensor);
  return ts;
}

// A net with dropout, its optimizer, and the memory that steps read and write.
struct Training {
  Generator weights{3};
  Ref<nn::Sequential> net;
  Ref<Optimizer> optimizer;
  Tensor x = on(ops::zeros(Shape{8, 6}), sim()), target = on(ops::zeros(Shape{8}, DType::i64), sim()), loss = on(ops::zeros(Shape{}), sim());

  explicit Training(OptimizerId id) {
    nn::Build build{.device = sim(), .generator = &weights};
    net = make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{make_ref<nn::Linear>(6, 16, true, build), nn::relu(), nn::dropout(0.3),
                                                                make_ref<nn::Linear>(16, 3, true, build)});
    optimizer = make_optimizer(id, parameters_of(*net), {{"lr", 0.05}});
  }
  void draw(int i) {
    Generator g(uint64_t(100 + i));
    ops::copy_(x, on(ops::randn(Shape{8, 6}, DType::f32, Device{}, &g), sim()));
    ops::copy_(target, on(ops::randint(0, 3, Shape{8}, DType::i64, Device{}, &g), sim()));
  }
  void step() {
    optimizer->zero_grad();
    Tensor l = ops::cross_entropy(net->call(x), target, {});
    backward(l);
    optimizer->step();
    NoGradGuard off;
    ops::copy_(loss, ops::detach(l));
  }
};

TEST_F(SimReplay, TrainsAsStepsDo) {
  for (int kind = 0; kind < kOptimizerCount; ++kind) {
    const auto id = OptimizerId(kind);
    if (optimizer_kind(id).whole || id == OptimizerId::SparseAdam) continue;
    SCOPED_TRACE(kOptimizerNames[kind]);
    Training eager(id), recorded(id);
    Ref<DeviceGraph> graph;
    std::vector<Numbers> losses;
    default_generator().reseed(11);
    for (int i = 0; i < 6; ++i) {
      eager.draw(i);
      eager.optimizer->set_lr(0, 0.05 / (i + 1));
      eager.step();
      losses.push_back(values(eager.loss));
    }
    default_generator().reseed(11);
    for (int i = 0; i < 6; ++i) {
      recorded.draw(i);
      recorded.optimizer->set_lr(0, 0.05 / (i + 1));
      if (i < 2) {
        recorded.step();
      } else {
        if (!graph) {
          const uint64_t before = default_generator().offset;
          CaptureScope scope(make_ref<MemoryArena>(sim()));
          recorded.step();
          graph = scope.end();
          default_generator().offset = before;  // what the recording drew is not part of this comparison
        }
        graph->replay();
      }
      SCOPED_TRACE("step " + std::to_string(i));
      expect_close(values(recorded.loss), losses[size_t(i)]);
    }
    auto p = parameters_of(*eager.net), q = parameters_of(*recorded.net);
    for (size_t i = 0; i < p.size(); ++i) expect_close(values(q[i]), values(p[i]), 1e-4);
    EXPECT_EQ(values(recorded.optimizer->state_tensor(0, "step")), values(eager.optimizer->state_tensor(0, "step")));
  }
}

TEST_F(SimReplay, NamedNumbersStayAndDrawnOnesDoNot) {
  Tensor x = on(ops::ones(Shape{64}), sim());
  ops::dropout(x, 0.5, true);
  Tensor drawn, named;
  Ref<DeviceGraph> graph;
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    drawn = ops::rand(Shape{64}, DType::f32, sim());
    named = ops::philox_uniform(Shape{64}, 0, 1, 5, 7, DType::f32, sim());
    graph = scope.end();
  }
  graph->replay();
  const Numbers first = values(drawn), kept = values(named);
  graph->replay();
  EXPECT_NE(values(drawn), first);
  EXPECT_EQ(values(named), kept);
}

// The replay before still reads its words: another stream's waits for it before it writes the next ones.
TEST_F(SimReplay, ReplaysOnSeveralStreamsHaveTheirOwnDraws) {
  Tensor sum = on(ops::zeros(Shape{64}), sim());
  auto add = [&] { ops::add_(sum, ops::rand(Shape{64}, DType::f32, sim())); };
  default_generator().reseed(3);
  add(), add();
  const Numbers wanted = values(sum);
  ops::fill_(sum, Scalar(0.0));
  Ref<DeviceGraph> graph;
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    add();
    graph = scope.end();
  }
  const haft_raw_stream other = create_stream(sim());
  const haft_raw_event done = create_event(sim());
  default_generator().reseed(3);
  synchronize(sim());
  {
    std::optional<HeldStream> held;  // other simulations wait as long as they can anyway
    if (!std::getenv("HAFT_TEST_DEVICE")) held.emplace(sim(), other);
    {
      StreamGuard guard(sim(), other);
      graph->replay();
    }
    graph->replay();
    record_event(sim(), done, 0);
    for (int i = 0; i < 100 && held; ++i) {
      ASSERT_FALSE(query_event(sim(), done));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  synchronize(sim());
  expect_close(values(sum), wanted);
  destroy_event(sim(), done);
  destroy_stream(sim(), other);
}

// Dropout's gradient reads the mask that the same replay drew.
TEST_F(SimReplay, GradientsShareTheDrawOfTheirOperator) {
  Tensor q = leaf_on(ops::randn(Shape{1, 2, 5, 4}), sim());
  auto run = [&] {
    set_gradient(q, Tensor());
    Tensor y = ops::scaled_dot_product_attention(q, q, q, Tensor(), 0.4);
    backward(ops::sum(y));
    return gradient_of(q);
  };
  run();
  Tensor g;
  Ref<DeviceGraph> graph;
  default_generator().reseed(2);
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    g = run();
    graph = scope.end();
  }
  for (int i = 0; i < 3; ++i) {
    const uint64_t at = default_generator().offset;
    graph->replay();
    const Numbers replayed = values(g);
    default_generator().offset = at;
    expect_close(values(run()), replayed);
  }
}

TEST_F(SimReplay, RefusesWhatWouldStayAsItIs) {
  Training first(OptimizerId::Adam);
  first.draw(0);
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    expect_error([&] { first.step(); }, Code::invalid_argument, "first step cannot be recorded");
  }
  Training lamb(OptimizerId::LAMB);
  lamb.draw(0);
  lamb.step();
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    expect_error([&] { lamb.step(); }, Code::unsupported, "LAMB");
    expect_error([&] { values(lamb.loss); }, Code::unsupported, "");
  }
  EXPECT_FALSE(is_recording());
  lamb.step();  // the thread works on
}

}  // namespace
}  // namespace haft
