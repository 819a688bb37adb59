// Models that are spread over ranks with a GPU each, beside the same on the CPU of the same processes: collectives
// with gradients, pipelines, tensor and sequence parallel, experts, rings, batch norm over ranks, checkpoints.
// Nothing of it takes a way through the host.
#include "core/backend/pinned.h"
#include "core/dispatch/replay.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/optim/grad_scaler.h"
#include "core/parallel/expert_parallel.h"
#include "core/parallel/fully_sharded.h"
#include "core/parallel/functional.h"
#include "core/parallel/pipeline.h"
#include "core/parallel/ring_attention.h"
#include "core/parallel/sharded_optimizer.h"
#include "core/parallel/sharded_parts.h"
#include "core/parallel/sync_batch_norm.h"
#include "core/parallel/tensor_parallel.h"
#include "tests/cuda_ranks/gpus.h"
#include "tests/parallel/nets.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;
using namespace haft::parallel;
using namespace haft::parallel::testing;

namespace {

// What a rank makes on a device, gradients included.
using Results = std::vector<Tensor>;
using Made = std::function<Results(Group&, Device)>;

Tensor trained(std::vector<int64_t> sizes, int64_t seed, Device d) {
  Tensor t = ops::to(normal(std::move(sizes), seed, 0.7), DType::none, d);
  set_requires_grad(t, true);
  return t;
}
Tensor here(const Tensor& t) { return ops::contiguous(ops::to(ops::detach(t), DType::f64, Device{})); }

// The first difference between a device's and the CPU's; "equal" when there is none.
std::string beside_cpu(Group& g, const Made& make, bool pinned = false) {
  const Device d = gpu(g.rank());
  const Results wanted = make(g, Device{});
  make(g, d);  // communicators are made
  const int64_t before = pinned_memory_stats(d).allocations;
  const Results got = make(g, d);
  std::string told = got.size() == wanted.size() ? "" : "other results; ";
  if (!pinned && pinned_memory_stats(d).allocations != before) told += "by way of the host; ";
  for (size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    if (got[i].device() != d) told += concat("result ", int64_t(i), " is on ", got[i].device(), "; ");
    const Tensor a[] = {here(got[i])}, b[] = {here(wanted[i])};
    if (const double off = largest_difference(a, b); !(off < 2e-5))
      told += concat("result ", int64_t(i), " is ", off, " off; ");
  }
  return told.empty() ? "equal" : told;
}

void expect_equal(int ranks, const Made& make, bool pinned = false) {
  Processes p(ranks, [&](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, ranks, patient()));
    return beside_cpu(*m, make, pinned);
  });
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(p.told(r), "equal") << "rank " << r;
}

TEST(CudaModels, CollectivesWithGradients) {
  expect_equal(3, [](Group& g, Device d) {
    const Ref<Group> group = Ref<Group>::share(&g);
    const int r = g.rank();
    Results out;
    const auto add = [&](const Tensor& x, const Tensor& y) {
      back(ops::sum(ops::square(y)));
      out.push_back(ops::detach(y));
      out.push_back(gradient_of(x));
    };
    const Rows uneven{2, 1, 3};
    Tensor x = trained({6, 2}, r, d);
    add(x, all_gather(group, x));
    x = trained({uneven[size_t(r)], 2}, r, d);
    add(x, all_gather(group, x, 0, uneven));
    x = trained({2, uneven[size_t(r)]}, r, d);
    add(x, gather_from(group, x, 1, uneven));
    x = trained({6, 2}, r, d);
    add(x, reduce_scatter(group, x));
    x = trained({6, 2}, r, d);
    add(x, reduce_scatter(group, x, 0, ReduceOp::avg, uneven));
    x = trained({6, 2}, r, d);
    add(x, all_to_all_single(group, x));
    x = trained({6, 2}, r, d);
    add(x, all_to_all_single(group, x, Rows(3, uneven[size_t(r)]), uneven));
    x = trained({2, 6}, 4, d);
    add(x, split_to(group, x));
    x = trained({3}, r, d);
    add(x, broadcast(group, x, 1));
    x = trained({3}, r, d);
    add(x, reduce(group, x, 2));
    return out;
  });
}

TEST(CudaModels, TensorAndSequenceParallel) {
  expect_equal(2, [](Group& g, Device d) {
    const Ref<Group> group = Ref<Group>::share(&g);
    Results out;
    for (const bool sequence : {false, true}) {
      Generator random(7);
      const nn::Build build{.device = d, .generator = &random};
      Ref<nn::Module> table = nn::embedding(9, 6, -1, false, -1, 2, false, {}, false, build),
                      up = nn::linear(6, 8, true, build), down = nn::linear(8, 6, true, build);
      const ParallelOptions o{.sequence_dim = sequence ? int64_t(0) : kNone};
      VocabParallelEmbedding embedding(group, *table, o);
      ColumnParallelLinear column(group, *up, o);
      RowParallelLinear row(group, *down, o);
      const Tensor index =
          ops::to(dist::testing::numbers({4, 3}, DType::i64, [](int64_t i) { return double(i * 5 % 9); }),
                  DType::none, d);
      Tensor y = row.call(ops::gelu(column.call(embedding.call(index))));
      if (sequence) y = gather_from(group, y, 0);
      out.push_back(y);
      back(ops::mean(ops::square(y)));
      for (nn::Module* m : std::initializer_list<nn::Module*>{&embedding, &column, &row})
        for (const Tensor& p : m->parameters()) out.push_back(gradient_of(p));
    }
    return out;
  });
}

TEST(CudaModels, Experts) {
  expect_equal(2, [](Group& g, Device d) {
    const int r = g.rank();
    const auto part = [](const Tensor& w) {
      return make_ref<nn::Callback>("Part", [w](nn::Module&, std::span<const Tensor> xs) {
        return std::vector{ops::matmul(xs[0], w)};
      });
    };
    Results out;
    for (const double room : {0.0, 0.6}) {
      const Tensor router = trained({4, 4}, 5, d), first = trained({4, 4}, 10 + 2 * r, d),
                   second = trained({4, 4}, 11 + 2 * r, d);
      ExpertOptions o;
      o.capacity_factor = room;
      MixtureOfExperts experts(Ref<Group>::share(&g), part(router), {part(first), part(second)}, o);
      const Tensor x = trained({5 + r, 4}, 20 + r, d);
      const Tensor in[] = {x};
      const std::vector<Tensor> made = experts.call_many(in);
      back(ops::add(ops::sum(ops::square(made[0])), made[1]));
      for (const Tensor& t :
           {made[0], made[1], gradient_of(x), gradient_of(router), gradient_of(first), gradient_of(second)})
        out.push_back(t);
    }
    return out;
  });
}

TEST(CudaModels, RingAttention) {
  for (const int ranks : {2, 3})
    expect_equal(ranks, [](Group& g, Device d) {
      Results out;
      for (const bool causal : {false, true}) {
        std::vector<Tensor> in;
        for (int i = 0; i < 3; ++i) in.push_back(trained({2, 3, 4, 8}, 10 * i + g.rank(), d));
        const Tensor y = ring_attention(Ref<Group>::share(&g), in[0], in[1], in[2], {causal, 0});
        back(ops::sum(ops::square(y)));
        out.push_back(y);
        for (const Tensor& t : in) out.push_back(gradient_of(t));
      }
      return out;
    });
}

TEST(CudaModels, Pipelines) {
  for (const PipelineSchedule schedule : {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved})
    expect_equal(2, [schedule](Group& g, Device d) {
      const auto module = [](std::function<Tensor(std::span<const Tensor>)> f) {
        return make_ref<nn::Callback>(
            "Stage", [f](nn::Module&, std::span<const Tensor> xs) { return std::vector{f(xs)}; });
      };
      const int each = schedule == PipelineSchedule::interleaved ? 2 : 1;
      std::vector<Ref<nn::Module>> stages;  // messages above and below what goes at once
      for (int k = 0; k < each; ++k) {
        Generator random(uint64_t(50 + 2 * k + g.rank()));
        Ref<nn::Module> stage = nn::linear(80, 80, true, {.device = d, .generator = &random});
        stages.push_back(make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{stage, nn::tanh()}));
      }
      PipelineOptions o;
      o.schedule = schedule;
      o.micro_batches = 4;
      o.loss =
          module([](std::span<const Tensor> xs) { return ops::mean(ops::square(ops::sub(xs[0], xs[1]))); });
      Results out;
      for (const int64_t rows : {8, 256}) {
        Ref<parallel::Pipeline> p = parallel::Pipeline::create(Ref<Group>::share(&g), stages, o);
        const Tensor x = ops::to(normal({rows, 80}, 9), DType::none, d);
        const parallel::Pipeline::Results results = p->run(std::span(&x, 1), x, true, true);
        for (const Tensor& t : results.outputs) out.push_back(t);
        if (results.losses) out.push_back(results.losses);
        for (const Ref<nn::Module>& stage : stages)
          for (const Tensor& t : stage->parameters()) out.push_back(ops::clone(gradient_of(t)));
      }
      return out;
    });
}

TEST(CudaModels, BatchNormOverRanks) {
  expect_equal(2, [](Group& g, Device d) {
    SyncBatchNorm norm(Ref<Group>::share(&g), nn::BatchNormOptions{3}, {.device = d});
    const Tensor x = trained({2 + g.rank(), 3, 4}, 30 + g.rank(), d);
    const Tensor y = norm.call(x);
    back(ops::sum(ops::mul(y, ops::square(y))));
    return Results{y, gradient_of(x), gradient_of(norm.find_parameter("weight")),
                   norm.find_buffer("running_mean"), norm.find_buffer("running_var")};
  });
}

// Written from GPUs by two ranks and read by them into others.
TEST(CudaModels, CheckpointsOfSeveralRanks) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    char name[] = "/tmp/haft-checkpoint-XXXXXX";
    if (rank == 0) store->set("folder", mkdtemp(name));
    const std::string folder = store->get("folder", Deadline::in(60 * kSecond));
    const auto model = [&](uint64_t seed) {
      Generator random(seed);
      return nn::linear(6, 5, true, {.device = gpu(rank), .generator = &random});
    };
    const auto sharded = [&](Ref<nn::Module> net, Ref<Optimizer>& o) {
      auto unit = FullyShardedUnit::create(net, m.g, {}, {}, {});
      std::vector<Tensor> shards;
      for (const Tensor& t : net->parameters()) shards.push_back(shard_or_self(t));
      o = make_optimizer(OptimizerId::Adam, shards);
      const Tensor x = ops::to(normal({4, 6}, 1), DType::none, gpu(rank));
      back(ops::mean(ops::square(net->call(x))));
      o->step();
      return unit;
    };
    Ref<nn::Module> first = model(1), second = model(2);
    Ref<Optimizer> a, b;
    auto one = sharded(first, a), two = sharded(second, b);
    CheckpointParts from, to;
    from.module = first.get(), from.optimizer = a.get();
    to.module = second.get(), to.optimizer = b.get();
    save_sharded_parts(m.g, folder, {}, from, {}, {});
    ShardedReader reader(folder);
    load_sharded_parts(reader, rank, {}, false, to);
    std::string told;
    for (size_t i = 0; i < 2; ++i) {
      const Tensor x[] = {here(shard_or_self(first->parameters()[i]))},
                   y[] = {here(shard_or_self(second->parameters()[i]))};
      if (largest_difference(x, y) != 0) told += "another parameter; ";
      const Tensor s[] = {here(a->state_tensor(int64_t(i), "exp_avg"))},
                   t[] = {here(b->state_tensor(int64_t(i), "exp_avg"))};
      if (largest_difference(s, t) != 0 || b->state_tensor(int64_t(i), "exp_avg").device() != gpu(rank))
        told += "another state; ";
    }
    m->run(barrier());
    if (rank == 0) std::filesystem::remove_all(folder);
    one->close();
    two->close();
    return told.empty() ? "equal" : told;
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "equal");
}

// A recorded step decides alike on all ranks at each replay, by what was found on any of them. (The units' own memory
// comes and goes in forward and backward, which no recording holds.)
TEST(CudaModels, ScaledGradientsOfPartsInARecording) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    const Device d = gpu(rank);
    Generator random(3);
    Ref<nn::Module> net = nn::linear(4, 4, false, {.device = d, .generator = &random});
    auto unit = FullyShardedUnit::create(net, m.g, {}, {}, {});
    const std::vector<Tensor> shards{shard_or_self(net->parameters()[0])};
    Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, shards, {{"lr", 0.1}});
    auto scaler = make_ref<GradScaler>(GradScalerState{.scale = 8, .growth_interval = 100}, true);
    const GradScaler::Join join{joins_largest(shards), d};
    const Tensor x = ops::to(normal({2, 4}, 5), DType::none, d), slopes = ops::ones(Shape{4}, DType::f32, d);
    const auto gradients = [&] {  // always in the same memory
      if (const Tensor g = gradient_of(shards[0])) ops::fill_(g, Scalar(0.0));
      back(scaler->scale(ops::sum(ops::mul(net->call(x), slopes))));
    };
    const auto step = [&] {
      scaler->step(*o, join);
      scaler->update();
    };
    gradients();
    step();
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(d));
      step();
      graph = scope.end();
    }
    std::string told;
    for (int i = 0; i < 3; ++i) {
      ops::fill_(ops::narrow(slopes, 0, 3, 1), Scalar(i == 1 ? double(INFINITY) : 1.0));
      const Tensor before = here(shards[0]);
      gradients();
      graph->replay();
      const Tensor a[] = {before}, b[] = {here(shards[0])};
      told += largest_difference(a, b) > 0 ? "1" : "0";
    }
    told += concat(" ", scaler->state().scale);
    unit->close();
    return told;
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "101 4");
}

// One rank's infinity leaves the step out on all, of shards and of an optimizer that has its part of the gradients.
TEST(CudaModels, ScaledGradientsOfParts) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    std::string told;
    for (const Device d : {Device{}, gpu(rank)})
      for (const bool rows : {true, false}) {
        Generator random(3);
        Ref<nn::Module> net = nn::linear(4, 4, false, {.device = d, .generator = &random});
        std::vector<Tensor> parameters = net->parameters();
        std::shared_ptr<FullyShardedUnit> unit;
        if (rows) unit = FullyShardedUnit::create(net, m.g, {}, {}, {});
        if (rows)
          for (Tensor& t : parameters) t = shard_or_self(t);
        Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, parameters, {{"lr", 0.1}});
        ShardOptions how;
        how.stage = 2;
        if (!rows) ShardedOptimizer::create(*o, m.g, how);
        GradScaler scaler({.scale = 8, .growth_interval = 100}, true);
        const GradScaler::Join join =
            rows ? GradScaler::Join{joins_largest(parameters), d} : GradScaler::Join{};
        for (int step = 0; step < 3; ++step) {
          o->zero_grad();
          const Tensor x = ops::to(normal({2, 4}, 5 + step), DType::none, d);
          // In the second step a row of the weight overflows, which is the second rank's.
          const Tensor slopes = dist::testing::numbers(
              {4}, DType::f32, [&](int64_t i) { return step == 1 && i == 3 ? double(INFINITY) : 1.0; });
          back(scaler.scale(ops::sum(ops::mul(net->call(x), ops::to(slopes, DType::none, d)))));
          told += scaler.step(*o, join) ? "1" : "0";
          scaler.update();
        }
        told += concat(" ", scaler.state().scale, "; ");
        if (unit) unit->close();
      }
    return told;
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "101 4; 101 4; 101 4; 101 4; ");
}

}  // namespace
