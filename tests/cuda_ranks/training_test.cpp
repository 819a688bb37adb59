// What is built on groups, with parameters on GPUs: gradients in fewer bits, models that are joined now and then,
// optimizers that are spread. Beside the same on the CPU, over NCCL and, where it is missing, over pinned memory.
#include "core/dispatch/host_access.h"
#include "core/optim/clip.h"
#include "core/parallel/averager.h"
#include "core/parallel/compression.h"
#include "core/parallel/sharded_optimizer.h"
#include "tests/cuda_ranks/gpus.h"
#include "tests/parallel/nets.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;
using namespace haft::parallel;
using namespace haft::parallel::testing;

namespace {

constexpr int kRanks = 2;
const std::vector<std::vector<int64_t>> kShapes{{24, 16}, {16}, {40, 5}, {7}, {}};

std::vector<NamedTensor> parameters_on(Device d, DType t = DType::f32) {
  std::vector<NamedTensor> out;
  for (size_t i = 0; i < kShapes.size(); ++i) {
    Tensor p = ops::to_device(normal(kShapes[i], 40 + int64_t(i), 1, t), d);
    set_requires_grad(p, true);
    out.push_back({concat("p", int64_t(i)), p});
  }
  return out;
}
std::vector<Tensor> tensors_of(std::span<const NamedTensor> named) {
  std::vector<Tensor> out;
  for (const NamedTensor& n : named) out.push_back(n.tensor);
  return out;
}
// A loss whose gradients are these numbers, to the bit.
std::vector<Tensor> drawn_on(Device d, int step, int rank, DType t = DType::f32) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < kShapes.size(); ++i)
    out.push_back(ops::to_device(normal(kShapes[i], 1000 * step + 100 * rank + int64_t(i), 1, t), d));
  return out;
}
void back_to(std::span<const NamedTensor> parameters, std::span<const Tensor> gradients) {
  Tensor loss;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor part = ops::sum(ops::mul(parameters[i].tensor, gradients[i]));
    loss = loss.defined() ? ops::add(loss, part) : part;
  }
  back(loss);
}
std::vector<Tensor> here(std::span<const Tensor> ts) {
  std::vector<Tensor> out;
  for (const Tensor& t : ts) out.push_back(ops::clone(ops::to_device(ops::detach(t), Device{})));
  return out;
}
bool close(std::span<const Tensor> a, std::span<const Tensor> b, double bound) {
  const std::vector<Tensor> x = here(a), y = here(b);
  return x.size() == y.size() && largest_difference(x, y) <= bound;
}

struct Saver {
  const char* name;
  CompressionOptions options;
};
std::vector<Saver> savers() {
  std::vector<Saver> all;
  for (const auto& [name, kind] : {std::pair{"fp16", Compression::f16},
                                   {"bf16", Compression::bf16},
                                   {"int8", Compression::int8},
                                   {"one_bit", Compression::one_bit},
                                   {"top_k", Compression::top_k},
                                   {"random_k", Compression::random_k},
                                   {"power_sgd", Compression::power_sgd}}) {
    CompressionOptions o;
    o.kind = kind;
    o.ratio = 0.2;
    o.rank = 2;
    all.push_back({name, o});
  }
  return all;
}

struct Run {
  std::vector<Tensor> joined;     // of the last step
  std::vector<NamedTensor> kept;  // state
  int64_t sent = 0, waits = 0;    // bytes; how often the host waited in the last step
  bool whole = true;              // what was joined and is kept are the gradients
  bool told = true;               // what was not finite, and nothing else
};
// `bad`: a step in which rank 1 has a NaN.
Run train(Group& g, Device d, const Saver& s, int steps, int bad = -1) {
  std::vector<NamedTensor> p = parameters_on(d);
  DataParallelOptions o;
  o.first_bucket_bytes = o.bucket_bytes = 500;
  Closing parallel{DataParallel::create(p, {}, Ref<Group>::share(&g), o, {})};
  parallel->set_hook(make_compression(s.options));
  std::vector<Tensor> all;
  for (const Tensor& t : tensors_of(p)) all.push_back(ops::zeros(t.sizes(), DType::f32, Device{}));
  Run run;
  for (int step = 0; step < steps; ++step) {
    std::vector<Tensor> gradients = drawn_on(d, step, g.rank());
    if (step == bad && g.rank())
      for (const Tensor& t : gradients) ops::fill_(t, Scalar(double(NAN)));
    for (NamedTensor& n : p) set_gradient(n.tensor, {});
    const bool last = step + 1 == steps && !d.is_cpu();
    if (last) let_queries_run(false);
    const int64_t before = last ? waits() : 0;
    parallel->prepare();
    back_to(p, gradients);
    if (last) run.waits = waits() - before;
    if (last) let_queries_run(true);
    run.joined.clear();
    for (const NamedTensor& n : p) run.joined.push_back(gradient_of(n.tensor));
    run.joined = here(run.joined);
    bool nan = false;
    for (size_t i = 0; i < all.size(); ++i) {
      nan |= std::isnan(at(ops::sum(run.joined[i]), 0));
      if (step != bad) ops::add_(all[i], run.joined[i]);
    }
    run.told &= nan == (step == bad);
  }
  for (const NamedTensor& n : parallel->state())
    run.kept.push_back({n.name, ops::clone(ops::to_device(n.tensor, Device{}))});
  run.sent = parallel->info().sent_bytes;
  std::vector<Tensor> wanted;
  for (size_t i = 0; i < all.size(); ++i) {
    wanted.push_back(ops::zeros_like(all[i]));
    for (int step = 0; step < steps; ++step)
      for (int r = 0; r < kRanks && step != bad; ++r)
        ops::add_(wanted[i], ops::mul_scalar(drawn_on(Device{}, step, r)[i], Scalar(1.0 / kRanks)));
    for (const NamedTensor& n : run.kept)
      if (n.name == "residual." + p[i].name) {
        Tensor mean = ops::clone(n.tensor);
        g.run(all_reduce_job(mean, ReduceOp::avg));
        ops::add_(all[i], mean);
      }
  }
  const bool narrow = s.options.kind == Compression::f16 || s.options.kind == Compression::bf16;
  run.whole &= largest_difference(all, wanted) < (narrow ? 5e-2 : 2e-5);
  return run;
}

std::string compare_savers(Group& g, bool by_nccl) {
  std::string told;
  for (const Saver& s : savers()) {
    const Run cpu = train(g, Device{}, s, 4), there = train(g, gpu(g.rank()), s, 4);
    const bool turned = s.options.kind == Compression::power_sgd;  // its products are summed in another order
    std::string wrong;
    if (!there.whole || !cpu.whole) wrong += " loses something";
    if (const double off = largest_difference(cpu.joined, there.joined); off > (turned ? 1e-4 : 2e-6))
      wrong += concat(" differs by ", off);
    if (cpu.sent != there.sent || !cpu.sent) wrong += concat(" sends ", there.sent, " for ", cpu.sent);
    if (by_nccl && there.waits) wrong += concat(" waits ", there.waits, " times");
    if (cpu.kept.size() != there.kept.size()) wrong += " keeps other things";
    const Run spoilt = train(g, gpu(g.rank()), s, 4, 1);
    bool finite = true;
    for (const NamedTensor& n : spoilt.kept)
      finite &= n.name == "step" || std::isfinite(at(ops::sum(n.tensor), 0));
    for (const Tensor& t : spoilt.joined) finite &= std::isfinite(at(ops::sum(t), 0));
    if (!finite || !spoilt.told || !there.told)
      wrong += finite ? " tells not of what is not finite" : " keeps what is not finite";
    told += wrong.empty() ? "" : concat(s.name, wrong, "; ");
  }
  return told.empty() ? "equal" : told;
}

TEST(CudaTraining, GradientsInFewerBits) {
  Processes p(kRanks, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, kRanks, patient()));
    return compare_savers(*m, true);
  });
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(p.told(r), "equal");
}

// Their state moves between devices, and steps go on where they were.
TEST(CudaTraining, WhatIsKeptGoesOn) {
  Processes p(kRanks, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, kRanks, patient()));
    std::string told;
    for (const Saver& s : savers()) {
      std::vector<Tensor> ends[2];
      std::vector<NamedTensor> kept = train(*m, Device{}, s, 3).kept;
      for (Device d : {Device{}, gpu(rank)}) {
        std::vector<NamedTensor> p = parameters_on(d);
        Closing parallel{DataParallel::create(p, {}, m.g, {}, {})};
        parallel->set_hook(make_compression(s.options));
        parallel->load_state(kept);
        parallel->prepare();
        back_to(p, drawn_on(d, 7, rank));
        std::vector<Tensor> joined;
        for (const NamedTensor& n : p) joined.push_back(gradient_of(n.tensor));
        ends[d.is_cpu() ? 0 : 1] = here(joined);
      }
      const double off = largest_difference(ends[0], ends[1]);
      if (!(off < 1e-4)) told += concat(s.name, " is off by ", off, "; ");
    }
    return told;
  });
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(p.told(r), "");
}

std::string average(Group& g, Device d) {
  std::string told;
  for (bool outer : {false, true}) {
    Tensor w = ops::full(Shape{3}, Scalar(1.0), DType::f32, d),
           half = ops::full(Shape{2, 2}, Scalar(1.0), DType::f64, d);
    const AveragerOptions o{.period = 2, .outer = outer, .outer_lr = 0.5};
    auto averager = make_ref<ModelAverager>(std::vector{w, half}, Ref<Group>::share(&g), o);
    for (int s = 0; s < 6; ++s) {
      for (const Tensor& t : {w, half}) ops::add_scalar_(t, Scalar(0.1 * (s + 1) * (g.rank() ? 3 : 1)));
      told += averager->step() ? "1" : "0";
      if (s != 3) continue;
      std::vector<NamedTensor> state;
      for (const NamedTensor& n : averager->state())
        state.push_back({n.name, ops::clone(ops::to_device(n.tensor, Device{}))});
      averager = make_ref<ModelAverager>(std::vector{w, half}, Ref<Group>::share(&g), o);
      averager->load_state(state);
    }
    told += concat(" ", text(w), " ", text(half), " ");
  }
  return told;
}

// Stage 1 and 2 over Adam, clipped; the state of all, and the parameters behind it.
std::string spread(Group& g, Device d, bool parts) {
  std::string told;
  for (int stage : {1, 2}) {
    std::vector<NamedTensor> p = parameters_on(d), alone = parameters_on(Device{});
    Ref<Optimizer> o = make_optimizer(OptimizerId::Adam, tensors_of(p), {{"lr", 0.05}}),
                   whole = make_optimizer(OptimizerId::Adam, tensors_of(alone), {{"lr", 0.05}});
    ShardOptions how;
    how.stage = stage;
    how.bucket_bytes = 600;
    ShardedOptimizer::create(*o, Ref<Group>::share(&g), how);
    for (int step = 0; step < 3; ++step) {
      std::vector<Tensor> mean = drawn_on(Device{}, step, 0);
      for (size_t i = 0; i < mean.size(); ++i)
        mean[i] = ops::mul_scalar(ops::add(mean[i], drawn_on(Device{}, step, 1)[i]), Scalar(0.5));
      for (size_t i = 0; i < p.size(); ++i) set_gradient(alone[i].tensor, mean[i]);
      if (stage == 2)
        back_to(p, drawn_on(d, step, g.rank()));
      else
        for (size_t i = 0; i < p.size(); ++i) set_gradient(p[i].tensor, ops::to_device(mean[i], d));
      const double norm = ShardedOptimizer::of(*o)->clip_grad_norm(1.0, 2.0),
                   wanted = item(clip_grad_norm(tensors_of(alone), 1.0, 2.0)).to_double();
      if (std::abs(norm - wanted) > 1e-4) told += concat("a norm of ", norm, " for ", wanted, "; ");
      o->step();
      whole->step();
      o->zero_grad();
    }
    if (!close(tensors_of(p), tensors_of(alone), 1e-5)) told += concat("stage ", stage, " ends elsewhere; ");
    ShardedOptimizer::of(*o)->gather_state(*o, -1);
    for (size_t i = 0; i < p.size(); ++i)
      if (!close(std::vector{o->state_tensor(int64_t(i), "exp_avg_sq")},
                 std::vector{whole->state_tensor(int64_t(i), "exp_avg_sq")}, 1e-6))
        told += "another state; ";
    const ShardInfo info = ShardedOptimizer::info(*o);
    if (parts && info.state_bytes >= 2 * 4 * info.elements) told += "whole states; ";
    o->load_state(whole->state());
  }
  return told.empty() ? "equal" : told;
}

TEST(CudaTraining, AveragesAndSpreadOptimizers) {
  for (bool missing : {false, true}) {
    if (missing) setenv("HAFT_SIMULATED_WITHOUT", "nccl", 1);
    Processes p(kRanks, [](Ref<Store> store, int rank) {
      Member m(Group::create(store, rank, kRanks, patient()));
      const std::string cpu = average(*m, Device{}), there = average(*m, gpu(rank));
      return concat(cpu == there ? "" : concat(cpu, " and ", there, "; "), spread(*m, gpu(rank), true));
    });
    unsetenv("HAFT_SIMULATED_WITHOUT");
    for (int r = 0; r < kRanks; ++r)
      EXPECT_EQ(p.told(r), "equal") << (missing ? "by way of the host" : "by NCCL");
  }
}

TEST(CudaTraining, GradientsInFewerBitsByWayOfTheHost) {
  setenv("HAFT_SIMULATED_WITHOUT", "nccl", 1);
  Processes p(kRanks, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, kRanks, patient()));
    return compare_savers(*m, false);
  });
  unsetenv("HAFT_SIMULATED_WITHOUT");
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(p.told(r), "equal");
}

// A thread's default device is nobody else's business: what these make for tensors of the CPU is the host's.
TEST(CudaTraining, TheThreadsDefaultDeviceIsNotTheirs) {
  Processes p(kRanks, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, kRanks, patient()));
    const std::string before = average(*m, Device{});
    const ScopedValue<int32_t> elsewhere(thread_state().default_device, gpu(rank).pack());
    std::string told = before == average(*m, Device{}) ? "" : "averages; ";
    for (const Saver& s : savers())
      if (!train(*m, Device{}, s, 3).whole) told += concat(s.name, "; ");
    return concat(told, spread(*m, Device{}, true));
  });
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(p.told(r), "equal");
}

TEST(CudaTraining, OneDeviceARank) {
  Processes p(1, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 1, patient()));
    Tensor a = there({1}, 0), b = numbers({1}, DType::f32, [](int64_t) { return 1.0; });
    std::string told = failure_of([&] {
      make_ref<ModelAverager>(std::vector{a, b}, m.g, AveragerOptions{});
    });
    for (Tensor* t : {&a, &b}) set_requires_grad(*t, true);
    Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, std::vector{a, b});
    told += failure_of([&] { ShardedOptimizer::create(*o, m.g, {}); });
    return told;
  });
  const std::string told = p.told(0);
  EXPECT_NE(told.find("parameters to average are on one device, got cuda:0 and cpu"), std::string::npos)
      << told;
  EXPECT_NE(told.find("parameter 1 is on cpu, others are on cuda:0"), std::string::npos) << told;
}

}  // namespace
