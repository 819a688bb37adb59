// Process groups of GPUs: real processes over the simulated NCCL, and what a lost rank and a missing library lead to.
#include "core/backend/pinned.h"
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
