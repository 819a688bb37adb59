// Whole steps of spread training in recordings: units that are fully sharded, and optimizers whose states are spread.
// Replays come to what the same steps do one by one, and so does what runs between them.
#include "core/dispatch/replay.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/parallel/fully_sharded.h"
#include "core/parallel/sharded_optimizer.h"
#include "tests/cuda_ranks/gpus.h"
#include "tests/parallel/nets.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;
using namespace haft::parallel;
using namespace haft::parallel::testing;

namespace {

// A model in training: `step` reads x, which always lies at the same place.
struct Training {
  Tensor x;
  std::function<void()> step, close;
  std::vector<Tensor> kept;  // what training changes
};
using Make = std::function<Training(Group&, Device)>;

// Two steps, recorded ones or not, one that is not recorded, and one more of the first kind.
std::vector<Tensor> trained(Group& g, Device d, const Make& make, bool recorded) {
  Training t = make(g, d);
  int step = 0;
  const auto next = [&] { ops::copy_(t.x, normal({2, t.x.size(1)}, 100 * ++step + g.rank())); };
  for (int i = 0; i < 2; ++i) next(), t.step();
  Ref<DeviceGraph> graph;
  if (recorded) {
    CaptureScope scope(make_ref<MemoryArena>(d));
    t.step();
    graph = scope.end();
  }
  for (const bool alone : {false, false, true, false}) {
    next();
    recorded && !alone ? graph->replay() : t.step();
  }
  std::vector<Tensor> out;
  for (const Tensor& k : t.kept)
    out.push_back(ops::contiguous(ops::to(ops::detach(k), DType::f64, Device{})));
  graph = {};
  t.close();
  return out;
}

void expect_same(const Make& make) {
  Processes p(2, [&](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    try {
      const std::vector<Tensor> wanted = trained(*m.g, gpu(rank), make, false),
                                got = trained(*m.g, gpu(rank), make, true);
      return concat(largest_difference(got, wanted), " off");
    } catch (const Error& e) {
      return e.message;
    }
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "0 off");
}

// The first unit's weights are large enough to be given back between forward and backward (8 MiB), which replays
// do not see: they go on in the same memory.
TEST(CudaRecorded, FullyShardedUnits) {
  expect_same([](Group& g, Device d) {
    Generator random(3);
    const nn::Build build{.device = d, .generator = &random};
    Ref<nn::Module> wide = nn::linear(1500, 1450, true, build), narrow = nn::linear(1450, 6, true, build);
    auto first = FullyShardedUnit::create(wide, Ref<Group>::share(&g), {}, {}, {}),
         second = FullyShardedUnit::create(narrow, Ref<Group>::share(&g), {}, {}, {});
    Training t;
    for (const Ref<nn::Module>& m : {wide, narrow})
      for (const Tensor& p : m->parameters()) t.kept.push_back(shard_or_self(p));
    Ref<Optimizer> o = make_optimizer(OptimizerId::Adam, t.kept, {{"lr", 0.01}});
    t.x = ops::zeros(Shape{2, 1500}, DType::f32, d);
    t.step = [=, x = t.x] {
      o->zero_grad();
      back(ops::mean(ops::square(narrow->call(ops::relu(wide->call(x))))));
      o->step();
    };
    t.close = [=] { first->close(), second->close(); };
    return t;
  });
}

// Weights that were whole before the recording are read by replays, too, when they are spread again.
TEST(CudaRecorded, AUnitThatWasWholeAlready) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    const Device d = gpu(rank);
    Generator random(3);
    Ref<nn::Module> wide = nn::linear(1500, 1450, true, {.device = d, .generator = &random});
    auto unit = FullyShardedUnit::create(wide, m.g, {}, {}, {});
    const NoGradGuard off;
    const Tensor x = ops::ones(Shape{2, 1500}, DType::f32, d);
    unit->unshard();
    const std::vector<Tensor> wanted{ops::to(wide->call(x), DType::f64, Device{})};
    Tensor y;
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(d));
      y = wide->call(x);
      graph = scope.end();
    }
    unit->reshard();
    std::vector<Tensor> others;  // what went goes when others ask for memory and all streams have come there
    for (int i = 0; i < 3; ++i) others.push_back(ops::zeros(Shape{3 << 20}, DType::f32, d)), text(x);
    graph->replay();
    const std::vector<Tensor> got{ops::to(y, DType::f64, Device{})};
    y.reset();
    graph = {};
    unit->close();
    return concat(largest_difference(got, wanted), " off");
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "0 off");
}

Make spread(int stage) {
  return [stage](Group& g, Device d) {
    Generator random(3);
    const nn::Build build{.device = d, .generator = &random};
    Ref<nn::Module> net = nn::linear(7, 5, true, build), last = nn::linear(5, 3, true, build);
    Training t;
    for (const Ref<nn::Module>& m : {net, last})
      for (const Tensor& p : m->parameters()) t.kept.push_back(p);
    Ref<Optimizer> o = make_optimizer(OptimizerId::AdamW, t.kept, {{"lr", 0.05}});
    ShardOptions options;
    options.stage = stage;
    options.bucket_bytes = 100;
    ShardedOptimizer::create(*o, Ref<Group>::share(&g), options);
    t.x = ops::zeros(Shape{2, 7}, DType::f32, d);
    t.step = [=, x = t.x, parameters = t.kept, group = &g] {
      o->zero_grad();
      back(ops::mean(ops::square(last->call(ops::tanh(net->call(x))))));
      if (stage == 1)
        for (const Tensor& p : parameters) group->run(all_reduce_job(gradient_of(p), ReduceOp::avg));
      o->step();
    };
    t.close = [] {};
    return t;
  };
}
TEST(CudaRecorded, OptimizersOfStageOne) { expect_same(spread(1)); }
TEST(CudaRecorded, OptimizersOfStageTwo) { expect_same(spread(2)); }

// A state that was gathered is not told as the one of now when a replay has changed it.
TEST(CudaRecorded, AStateThatWasGatheredIsOld) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    const Device d = gpu(rank);
    Tensor w = ops::ones(Shape{4}, DType::f32, d);
    set_requires_grad(w, true);
    Ref<Optimizer> o = make_optimizer(OptimizerId::Adam, {&w, 1}, {{"lr", 0.1}});
    ShardedOptimizer::create(*o, m.g, {});
    const auto step = [&] {
      o->zero_grad();
      back(ops::sum(ops::square(w)));
      o->step();
    };
    step();
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(d));
      step();
      graph = scope.end();
    }
    ShardedOptimizer::of(*o)->gather_state(*o, -1);
    o->state_tensor(0, "exp_avg");
    graph->replay();
    text(w);  // it is over
    try {
      o->state_tensor(0, "exp_avg");
      return "told";
    } catch (const Error& e) {
      return e.message.find("was not gathered since it changed") != std::string::npos ? "refused" : e.message;
    }
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "refused");
}

// Whether other ranks have a gradient of it is asked of the device, which no recording answers.
TEST(CudaRecorded, AParameterWithoutAGradientIsRefused) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    const Device d = gpu(rank);
    Generator random(3);
    const nn::Build build{.device = d, .generator = &random};
    Ref<nn::Module> one = nn::linear(4, 4, true, build), two = nn::linear(4, 4, true, build);
    auto either = make_ref<nn::Callback>("Either", [one](nn::Module&, std::span<const Tensor> xs) {
      return std::vector<Tensor>{one->call(xs[0])};
    });
    either->add_child("one", one);
    either->add_child("two", two);
    auto unit = FullyShardedUnit::create(either, m.g, {}, {}, {});
    const Tensor x = ops::ones(Shape{2, 4}, DType::f32, d);
    const auto step = [&] { back(ops::sum(either->call(x))); };
    step();
    CaptureScope scope(make_ref<MemoryArena>(d));
    try {
      step();
      return "done";
    } catch (const Error& e) {
      return e.message;
    }
  });
  for (int r = 0; r < 2; ++r)
    EXPECT_NE(p.told(r).find("got no gradient in a step that is recorded"), std::string::npos) << p.told(r);
}

}  // namespace
