// Recorded training steps: a replay is the step that would have been run, with the optimizer's and the generator's
// values of its time.
#include <chrono>
#include <optional>
#include <thread>

#include "core/dispatch/replay.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/optim/clip.h"
#include "core/optim/grad_scaler.h"
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
  Tensor x = on(ops::zeros(Shape{8, 6}), sim()), target = on(ops::zeros(Shape{8}, DType::i64), sim()),
         loss = on(ops::zeros(Shape{}), sim());

  explicit Training(OptimizerId id, const OptionValues& options = {{"lr", 0.05}}) {
    nn::Build build{.device = sim(), .generator = &weights};
    const bool bias = id != OptimizerId::Muon;  // which takes matrices alone
    net = make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{make_ref<nn::Linear>(6, 16, bias, build),
                                                                nn::relu(), nn::dropout(0.3),
                                                                make_ref<nn::Linear>(16, 3, bias, build)});
    optimizer = make_optimizer(id, parameters_of(*net), options);
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
    if (id == OptimizerId::LBFGS || id == OptimizerId::SparseAdam) continue;
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
    EXPECT_EQ(values(recorded.optimizer->state_tensor(0, "step")),
              values(eager.optimizer->state_tensor(0, "step")));
  }
}

// The same with a loss that is scaled; infinite where x is.
void scaled_step(Training& t, GradScaler& scaler) {
  t.optimizer->zero_grad();
  Tensor l = ops::cross_entropy(t.net->call(t.x), t.target, {});
  backward(scaler.scale(l));
  scaler.unscale(*t.optimizer);
  clip_grad_norm(parameters_of(*t.net), 1.0);
  scaler.step(*t.optimizer);
  scaler.update();
}

TEST_F(SimReplay, LeavesOutStepsWithInfiniteGradients) {
  for (int kind = 0; kind < kOptimizerCount; ++kind) {
    const auto id = OptimizerId(kind);
    if (id == OptimizerId::LBFGS || id == OptimizerId::SparseAdam) continue;
    SCOPED_TRACE(kOptimizerNames[kind]);
    const auto infinite = [](int i) { return i == 0 || i == 3 || i == 4 || i == 7; };
    const auto draw = [&](Training& t, int i) {
      t.draw(i);
      if (infinite(i)) ops::fill_(ops::select(t.x, 0, i % 8), Scalar(INFINITY));
    };
    Training eager(id), recorded(id);
    auto make = [] {
      return make_ref<GradScaler>(GradScalerState{.scale = 1024, .growth_interval = 2}, true);
    };
    auto a = make(), b = make();
    default_generator().reseed(11);
    for (int i = 0; i < 10; ++i) draw(eager, i), scaled_step(eager, *a);
    default_generator().reseed(11);
    Ref<DeviceGraph> graph;
    for (int i = 0; i < 9; ++i) {
      draw(recorded, i);
      if (i < 3) {
        scaled_step(recorded, *b);
        continue;
      }
      if (!graph) {
        const uint64_t before = default_generator().offset;
        CaptureScope scope(make_ref<MemoryArena>(sim()));
        scaled_step(recorded, *b);
        graph = scope.end();
        default_generator().offset = before;
      }
      graph->replay();
      // Asked between replays and not, the count is that of the steps that were made.
      if (i == 5) {
        EXPECT_EQ(values(recorded.optimizer->state_tensor(0, "step")), Numbers{3});
      }
    }
    draw(recorded, 9);
    scaled_step(recorded, *b);  // goes on as it would have
    auto p = parameters_of(*eager.net), q = parameters_of(*recorded.net);
    for (size_t i = 0; i < p.size(); ++i) expect_close(values(q[i]), values(p[i]), 1e-4);
    EXPECT_EQ(values(recorded.optimizer->state_tensor(0, "step")),
              values(eager.optimizer->state_tensor(0, "step")));
    for (const std::string& name : optimizer_kind(id).numbers)
      expect_close(values(recorded.optimizer->state_tensor(0, name)),
                   values(eager.optimizer->state_tensor(0, name)), 1e-6);
    EXPECT_EQ(b->state().scale, a->state().scale);
    EXPECT_EQ(b->state().growth_tracker, a->state().growth_tracker);
  }
}

// What a rule remembers from step to step is the device's while a recording may leave steps out, and the host's again
// when it is asked for or set.
TEST_F(SimReplay, NumbersOfStepsThatAreLeftOut) {
  const std::pair<OptimizerId, OptionValues> cases[] = {
      {OptimizerId::NAdam, {{"lr", 0.05}, {"momentum_decay", 0.3}}},
      {OptimizerId::ASGD, {{"lr", 0.05}, {"lambd", 0.5}, {"alpha", 0.6}, {"t0", 3.0}}}};
  for (const auto& [id, options] : cases) {
    SCOPED_TRACE(kOptimizerNames[int(id)]);
    const char* name = id == OptimizerId::NAdam ? "mu_product" : "eta";
    Tensor w[2], x[2];
    Ref<Optimizer> o[2];
    Ref<GradScaler> scaler[2];
    for (int k = 0; k < 2; ++k) {
      w[k] = leaf_on(ops::ones(Shape{5}), sim());
      x[k] = on(ops::ones(Shape{5}), sim());
      o[k] = make_optimizer(id, std::vector{w[k]}, options);
      scaler[k] = make_ref<GradScaler>(GradScalerState{.scale = 16}, true);
    }
    const auto step = [&](int k) {
      o[k]->zero_grad();
      backward(scaler[k]->scale(ops::sum(ops::mul(ops::square(w[k]), x[k]))));
      scaler[k]->step(*o[k]);
      scaler[k]->update();
    };
    // Two recordings of the same step, in turns; some steps are left out, the rate moves, and twice the state is
    // asked for or set.
    Ref<DeviceGraph> graphs[2];
    for (int i = 0; i < 14; ++i) {
      for (int k = 0; k < 2; ++k) {
        ops::fill_(x[k], Scalar(i == 1 || i == 4 || i == 5 || i == 9 ? INFINITY : 1.0 + i % 3));
        o[k]->set_lr(0, 0.05 / (1 + i % 4));
        if (i == 7) o[k]->set_state_tensor(0, name, ops::full({}, Scalar(0.25)));
      }
      if (i == 11) {
        EXPECT_EQ(values(o[1]->state_tensor(0, "step")), values(o[0]->state_tensor(0, "step")));
      }
      step(0);
      if (i < 2) {
        step(1);
        continue;
      }
      Ref<DeviceGraph>& graph = graphs[i % 2];
      if (!graph) {
        CaptureScope scope(make_ref<MemoryArena>(sim()));
        step(1);
        graph = scope.end();
      }
      graph->replay();
    }
    expect_close(values(w[1]), values(w[0]), 1e-5);
    expect_close(values(o[1]->state_tensor(0, name)), values(o[0]->state_tensor(0, name)), 1e-6);
    EXPECT_EQ(values(o[1]->state_tensor(0, "step")), Numbers{10});
  }
}

// A recording that steps other parameters than the one before asks the device first how many steps of them were left
// out.
TEST_F(SimReplay, RecordingsOfDifferentParameters) {
  Tensor a = leaf_on(ops::ones(Shape{3}), sim()), b = leaf_on(ops::ones(Shape{3}), sim()),
         x = on(ops::ones(Shape{3}), sim());
  auto o = make_optimizer(OptimizerId::Adam, std::vector{a, b}, {{"lr", 0.1}});
  auto scaler = make_ref<GradScaler>(GradScalerState{.scale = 16}, true);
  const auto step = [&](bool both) {
    o->zero_grad();
    Tensor loss = ops::sum(ops::mul(ops::square(a), x));
    if (both) loss = ops::add(loss, ops::sum(ops::square(b)));
    backward(scaler->scale(loss));
    scaler->step(*o);
    scaler->update();
  };
  step(true);
  const auto record = [&](bool both) {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    step(both);
    return scope.end();
  };
  const Ref<DeviceGraph> two = record(true), one = record(false);
  for (int i = 0; i < 4; ++i) {
    ops::fill_(x, Scalar(i == 1 ? INFINITY : 1.0));
    (i % 2 ? two : one)->replay();
    ops::fill_(x, Scalar(i == 2 ? INFINITY : 1.0));
    (i % 2 ? one : two)->replay();
  }
  EXPECT_EQ(values(o->state_tensor(0, "step")), Numbers{7});
  EXPECT_EQ(values(o->state_tensor(1, "step")), Numbers{3});
  o = make_optimizer(OptimizerId::Adam, std::vector{a, b});
  step(true);
  CaptureScope scope(make_ref<MemoryArena>(sim()));
  step(true);
  expect_error([&] { step(false); }, Code::unsupported, "steps of different parameters");
}

TEST_F(SimReplay, WhatAScalerWantsBeforeARecording) {
  auto scaler = make_ref<GradScaler>(GradScalerState{}, true);
  Training t(OptimizerId::Adam);
  t.draw(0);
  t.step();
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    expect_error([&] { scaled_step(t, *scaler); }, Code::invalid_argument, "its scale is not on");
  }
  scaled_step(t, *scaler);
  {
    // A step between the two calls that no optimizer of the engine makes.
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    const Tensor g = gradient_of(parameters_of(*t.net)[0]);
    scaler->unscale(7, {&g, 1});
    EXPECT_TRUE(scaler->begin_step(7));
    expect_error([&] { scaler->end_step(7); }, Code::unsupported, "haft's own optimizers");
    scaler->update();
  }
}

// What a replay takes anew is written before it: not into memory that work ahead of its reader has used.
TEST_F(SimReplay, WorkBeforeTheStepLeavesItsSettingsAlone) {
  Tensor w = leaf_on(ops::ones(Shape{4}), sim());
  auto optimizer = make_optimizer(OptimizerId::Adam, std::vector{w}, {});
  auto step = [&] {
    // Of every size, and gone at once.
    for (int64_t n = 1; n <= 1 << 16; n *= 2) ops::full(Shape{n}, 7.0, DType::f32, sim());
    optimizer->zero_grad();
    backward(ops::sum(ops::square(w)));
    optimizer->step();
  };
  step();
  Ref<DeviceGraph> graph;
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    step();
    graph = scope.end();
  }
  for (int i = 0; i < 3; ++i) graph->replay();
  for (double v : values(w)) EXPECT_NEAR(v, 1 - 4e-3, 1e-5);
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
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    expect_error([&] { lamb.step(); }, Code::invalid_argument, "LAMB: its first step cannot be recorded");
  }
  lamb.step();
  Training lbfgs(OptimizerId::LBFGS, {});
  const Tensor some = on(ops::ones(Shape{3}), sim());
  {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    expect_error([&] { lbfgs.optimizer->step([&] { return lbfgs.loss; }); }, Code::unsupported,
                 "LBFGS: its step cannot be recorded");
    expect_error([&] { values(lamb.loss); }, Code::unsupported, "");
    expect_error([&] { ops::nonzero(some); }, Code::unsupported, "[nonzero]");
    expect_error([&] { ops::masked_select(some, ops::gt_scalar(some, 0.0)); }, Code::unsupported,
                 "[masked_select]");
  }
  EXPECT_FALSE(is_recording());
  lamb.step();  // the thread works on
}

}  // namespace
}  // namespace haft
