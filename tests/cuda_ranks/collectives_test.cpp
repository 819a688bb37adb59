// Process groups of GPUs: real processes over the simulated NCCL, and what a lost rank and a missing library lead to.
#include "core/backend/pinned.h"
#include "core/base/log.h"
#include "core/dispatch/replay.h"
#include "tests/cuda_ranks/gpus.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

std::string every_kind(Group& g) {
  const int r = g.rank();
  std::string told;
  Tensor x = there({1.0 + r, 2}, r);
  g.run(all_reduce(x));
  told += text(x);
  x = there({double(r), 5}, r);
  g.run(job(Kind::broadcast, {}, {x}, 1));
  told += ", " + text(x);
  std::vector<Tensor> all{there({0, 0}, r), there({0, 0}, r)};
  g.run(job(Kind::all_gather, {there({double(r), 10.0 * r}, r)}, all));
  told += ", " + text(all[0]) + " " + text(all[1]);
  x = there({0}, r);
  g.run(job(Kind::reduce_scatter, {there({1.0 + r}, r), there({10.0 + r}, r)}, {x}, -1, ReduceOp::sum));
  told += ", " + text(x);
  x = there({1.0 + r}, r);
  g.run(job(Kind::reduce, {x}, r == 0 ? std::vector<Tensor>{x} : std::vector<Tensor>{}, 0, ReduceOp::max));
  told += ", " + text(x);
  Tensor large = ops::full(Shape{100000}, Scalar(r + 1.0), DType::f32, gpu(r));  // more than a slot
  Ref<Work> w = g.start(all_reduce(large, ReduceOp::avg));
  w->wait(Deadline::never());
  w->check();
  told += ", " + text(ops::amax(large));
  return told;
}

// What ranks have in parts of their own, three of them; in place, too.
std::string every_part(Group& g) {
  const int r = g.rank(), n = g.size();
  std::string told;
  const auto filled = [&](int64_t count, double v) {
    return ops::full(Shape{count}, Scalar(v), DType::f32, gpu(r));
  };
  const auto list = [&](std::vector<int64_t> counts) {
    std::vector<Tensor> all;
    for (int64_t c : counts) all.push_back(filled(c, 0));
    return all;
  };
  const auto tell = [&](const std::vector<Tensor>& all) {
    for (const Tensor& t : all) told += concat(text(t), "/");
    told += " ";
  };
  // Rank r has r + 1 elements for everyone; of the last rank none.
  const auto part = [&](int from) { return from + 1 == n ? int64_t(0) : int64_t(from) + 1; };
  std::vector<int64_t> counts;
  for (int p = 0; p < n; ++p) counts.push_back(part(p));
  std::vector<Tensor> out = list(counts);
  g.run(job(Kind::all_gather, {filled(part(r), 10.0 + r)}, out));
  tell(out);
  out = r == 1 ? list(counts) : std::vector<Tensor>{};
  g.run(job(Kind::gather, {filled(part(r), 20.0 + r)}, out, 1));
  tell(out);
  std::vector<Tensor> in;
  for (int p = 0; p < n && r == 2; ++p) in.push_back(filled(p + 1, 30.0 + p));
  out = list({r + 1});
  g.run(job(Kind::scatter, in, out, 2));
  tell(out);
  in.clear();
  for (int p = 0; p < n; ++p) in.push_back(filled(part(r), 40.0 + 10 * r + p));
  out = list(counts);
  Ref<Work> w = g.start(job(Kind::all_to_all, in, out));
  w->wait(Deadline::never());
  w->check();
  tell(out);
  Tensor same = there({r * 10.0, r * 10.0 + 1, r * 10.0 + 2}, r), large = filled(int64_t(n) * 40000, r);
  Job j = job(Kind::all_to_all, {same}, {same});
  j.in_parts = j.out_parts = {1, 1, 1};
  g.run(j);
  told += text(same);
  j.in = {large};
  j.out = {filled(large.numel(), 0)};
  j.in_parts = j.out_parts = {40000, 40000, 40000};
  g.run(j);
  told += concat(" ", text(ops::amax(j.out[0])), " ", text(ops::sum(j.out[0])));
  return told;
}

TEST(CudaGroups, PartsOfTheirOwn) {
  for (const bool missing : {false, true}) {
    if (missing) setenv("HAFT_SIMULATED_WITHOUT", "nccl", 1);
    Processes p(3, [](Ref<Store> store, int rank) {
      Member m(Group::create(store, rank, 3, patient()));
      Tensor x = there({1}, rank);
      m->run(all_reduce(x));
      const int64_t before = pinned_memory_stats(gpu(rank)).allocations;
      const std::string told = every_part(*m);
      return told + (pinned_memory_stats(gpu(rank)).allocations > before ? ", by the host" : ", there");
    });
    unsetenv("HAFT_SIMULATED_WITHOUT");
    const std::string way = missing ? ", by the host" : ", there", gathered = "10/11 11// ",
                      end = " 2 120000" + way;
    EXPECT_EQ(p.told(0), gathered + " 30/ 40/50 50// 0 10 20" + end);
    EXPECT_EQ(p.told(1), gathered + "20/21 21// 31 31/ 41/51 51// 1 11 21" + end);
    EXPECT_EQ(p.told(2), gathered + " 32 32 32/ 42/52 52// 2 12 22" + end);
  }
}

TEST(CudaGroups, PartsOfTheirOwnInARecording) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1, 2, 3}, rank), y = there({0, 0, 0, 0}, rank), all = there({0, 0, 0}, rank), z;
    if (rank) y = there({0, 0}, rank);
    Job j = job(Kind::all_to_all, {x}, {y});
    j.in_parts = {2, 1};
    j.out_parts = rank ? std::vector<int64_t>{1, 1} : std::vector<int64_t>{2, 2};
    m->run(j);
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(gpu(rank)));
      m->run(j);
      Job k = job(Kind::gather, {ops::contiguous(ops::narrow(y, 0, 0, rank ? 1 : 2))}, {}, 1);
      if (rank) k.out = {all};
      if (rank) k.out_parts = {2, 1};
      m->run(std::move(k));
      z = ops::add_scalar(all, Scalar(0.5));
      graph = scope.end();
    }
    std::string told;
    for (int i = 0; i < 2; ++i) {
      ops::fill_(x, Scalar(10.0 * i + rank));
      graph->replay();
      told += concat(text(y), ", ", text(z), "; ");
    }
    return told;
  });
  EXPECT_EQ(p.told(0), "0 0 1 1, 0.5 0.5 0.5; 10 10 11 11, 0.5 0.5 0.5; ");
  EXPECT_EQ(p.told(1), "0 1, 0.5 0.5 0.5; 10 11, 10.5 10.5 10.5; ");
}

// A rank that expects another number than it is given: told while the device waits.
TEST(CudaGroups, PartsThatDiffer) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1, 2, 3, 4}, rank), y = there({0, 0, 0, 0}, rank);
    m->run(all_reduce(x));
    text(x);
    Job j = job(Kind::all_to_all, {x}, {y});
    j.in_parts = {2, 2};
    j.out_parts = rank ? std::vector<int64_t>{2, 2} : std::vector<int64_t>{2, 1};
    if (rank == 0) j.out = {there({0, 0, 0}, rank)};
    try {
      Ref<Work> w = m->start(j);
      if (!w->wait(Deadline::in(60 * kSecond))) return "not done";
      w->check();
      m->run(all_reduce(x));  // who had what it wanted is told by the next call
      return "it went through";
    } catch (const Error& e) {
      return e.message;
    }
  });
  for (int r = 0; r < 2; ++r) {
    const std::string told = p.told(r);
    EXPECT_NE(told.find("which wants another number, in all_to_all #2"), std::string::npos) << told;
  }
}

// Whoever names the engine hears why it cannot be; whoever lets haft choose goes by way of the host, and is told once.
TEST(CudaGroups, RanksThatShareADevice) {
  for (const std::string engine : {"nccl", ""}) {
    Processes p(2, [&](Ref<Store> store, int rank) -> std::string {
      gpu(0);  // by whose name the engine is found
      GroupOptions o = patient();
      o.engine = engine;
      static std::string log;
      set_log_sink([](void*, int32_t, const char* text) { log += concat(text, "\n"); }, nullptr,
                   LogLevel::warning);
      Member m(Group::create(store, rank, 2, o));
      try {
        for (int i = 0; i < 2; ++i) {
          Tensor x = there({1.0 + rank}, 0);
          m->run(all_reduce(x));
          log += text(x);
        }
      } catch (const Error& e) {
        log += e.message + "; " + e.hint;
      }
      set_log_sink(nullptr, nullptr, LogLevel::none);
      return log;
    });
    for (int r = 0; r < 2; ++r) {
      const std::string told = p.told(r);
      const size_t at = told.find("ranks 0 and 1 share one device, cuda ");
      EXPECT_NE(at, std::string::npos) << told;
      EXPECT_NE(told.find("(here cuda:0)"), std::string::npos) << told;
      if (engine.empty()) {
        EXPECT_EQ(told.find("share one device", at + 20), std::string::npos) << told;
        EXPECT_NE(told.find("33"), std::string::npos) << told;
      } else {
        EXPECT_NE(told.find("process group of nccl: "), std::string::npos) << told;
        EXPECT_NE(told.find("give each process a device of its own"), std::string::npos) << told;
      }
    }
  }
}

TEST(CudaGroups, EveryKindBetweenProcesses) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    return every_kind(*m);
  });
  EXPECT_EQ(p.told(0), "3 4, 1 5, 0 0 1 10, 3, 2, 1.5");
  EXPECT_EQ(p.told(1), "3 4, 1 5, 0 0 1 10, 21, 2, 1.5");
}

TEST(CudaGroups, GoByTheHostWithoutTheLibrary) {
  setenv("HAFT_SIMULATED_WITHOUT", "nccl", 1);
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    const int64_t before = pinned_memory_stats(gpu(rank)).allocations;
    const std::string told = every_kind(*m);
    return told + (pinned_memory_stats(gpu(rank)).allocations > before + 6 ? ", pinned" : ", not pinned");
  });
  unsetenv("HAFT_SIMULATED_WITHOUT");
  EXPECT_EQ(p.told(0), "3 4, 1 5, 0 0 1 10, 3, 2, 1.5, pinned");
}

TEST(CudaGroups, ALostRankIsNamed) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank);
    m->run(all_reduce(x));
    if (rank == 1) _exit(0);
    try {
      m->run(all_reduce(x));  // enqueued, whoever comes to it
      text(x);                // comes back: the group's death aborts what is under way
      m->run(all_reduce(x));
      return "it went through";
    } catch (const Error& e) {
      return e.message;
    }
  });
  EXPECT_NE(p.told(0).find("rank 1"), std::string::npos);
}

}  // namespace
