// Groups of one rank with a device, on which its own engine does the calls where it has one: all kinds, training,
// failures and recordings. What needs several ranks is in tests/cuda_ranks; this runs on one GPU, too
// (HAFT_TEST_DEVICE=cuda:0).
#include "core/dispatch/replay.h"
#include "core/dist/group.h"
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/optim/optimizer.h"
#include "core/parallel/calls.h"
#include "core/parallel/data_parallel.h"
#include "core/parallel/fully_sharded.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
using dist::Group;
using dist::Job;
using dist::Kind;
using dist::ReduceOp;
using dist::Work;

struct SimGroups : DeviceTest {
  Ref<Group> group = Group::create(make_ref<dist::HashStore>(), 0, 1, {});
  ~SimGroups() override { group->close(); }

  Tensor there(std::vector<double> v, DType t = DType::f32) {
    Tensor x = new_tensor(Shape{int64_t(v.size())}, DType::f64);
    std::copy(v.begin(), v.end(), x.data<double>());
    return on(ops::cast(x, t), sim());
  }
  static Job job(Kind k, std::vector<Tensor> in, std::vector<Tensor> out, ReduceOp op = ReduceOp::sum) {
    Job j;
    j.call.kind = k;
    j.call.reduce = op;
    j.call.root =
        k == Kind::broadcast || k == Kind::reduce || k == Kind::gather || k == Kind::scatter ? 0 : -1;
    j.in = std::move(in);
    j.out = std::move(out);
    return j;
  }
};

TEST_F(SimGroups, EveryKindAndType) {
  for (DType t :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::i8}) {
    if (concat(backend(sim()).name) != "cuda" && (t == DType::f16 || t == DType::bf16 || t == DType::i8))
      continue;  // which it does not join
    SCOPED_TRACE(dtype_name(t));
    const Tensor x = there({1, 2, 3}, t), y = there({0, 0, 0}, t);
    for (ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::min, ReduceOp::prod}) {
      group->run(job(Kind::all_reduce, {x}, {x}, op));
      group->run(job(Kind::reduce, {x}, {x}, op));
    }
    group->run(job(Kind::broadcast, {}, {x}));
    for (Kind k : {Kind::all_gather, Kind::gather, Kind::scatter, Kind::reduce_scatter, Kind::all_to_all}) {
      ops::fill_(y, Scalar(0.0));
      group->run(job(k, {x}, {y}));
      EXPECT_EQ(values(y), Numbers({1, 2, 3})) << int(k);
    }
    // Behind works of their own, between operators, and into memory that is not dense.
    const Tensor all = there({1, 2, 3, 4}, t), columns = ops::transpose(ops::reshape(all, Shape{2, 2}), 0, 1);
    Ref<Work> w = group->start(job(Kind::all_reduce, {columns}, {columns}));
    w->wait(dist::Deadline::never());
    w->check();
    EXPECT_EQ(values(all), Numbers({1, 2, 3, 4}));
    EXPECT_TRUE(w->wait(dist::Deadline::in(60 * dist::kSecond)));
    EXPECT_TRUE(w->test());
  }
  EXPECT_EQ(group->failure().code, Code::ok);
  EXPECT_EQ(group->finished(), group->issued());
}

TEST_F(SimGroups, ManyInARow) {
  Tensor x = there(std::vector<double>(100000, 1.0));
  std::vector<Ref<Work>> works;
  for (int i = 0; i < 50; ++i) {
    x = ops::add_scalar(x, Scalar(1.0));
    works.push_back(group->start(job(Kind::all_reduce, {x}, {x}, ReduceOp::avg)));
    works.back()->wait(dist::Deadline::never());
    x = ops::mul_scalar(x, Scalar(1.0));
  }
  EXPECT_EQ(values(ops::amax(x)), Numbers({51}));
  for (const Ref<Work>& w : works) EXPECT_TRUE(w->wait(dist::Deadline::in(60 * dist::kSecond)));
}

TEST_F(SimGroups, AnAbortLeavesTheDeviceWell) {
  Tensor x = there({1, 2});
  group->run(job(Kind::all_reduce, {x}, {x}));
  group->kill("enough");
  EXPECT_THROW(group->run(job(Kind::all_reduce, {x}, {x})), Error);
  EXPECT_EQ(values(ops::add_scalar(x, Scalar(1.0))), Numbers({2, 3}));
}

// A step with gradients joined, recorded: of the operators and of what joins them.
TEST_F(SimGroups, ARecordedStep) {
  Tensor x = there({1, 2}), y;
  group->run(job(Kind::all_reduce, {x}, {x}));
  Ref<DeviceGraph> graph;
  try {
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    y = ops::mul_scalar(x, Scalar(3.0));
    Ref<Work> w = group->start(job(Kind::all_reduce, {y}, {y}));
    w->wait(dist::Deadline::never());
    y = ops::add_scalar(y, Scalar(1.0));
    group->run(job(Kind::all_reduce, {y}, {y}));
    graph = scope.end();
  } catch (const Error& e) {  // without an engine of its own they would go by way of the host
    EXPECT_EQ(e.code, Code::unsupported);
    EXPECT_NE(e.message.find("[all_reduce] while"), std::string::npos) << e.message;
    GTEST_SKIP() << e.message;
  }
  for (int i = 1; i < 3; ++i) {
    ops::fill_(x, Scalar(double(i)));
    graph->replay();
    EXPECT_EQ(values(y), Numbers({3.0 * i + 1, 3.0 * i + 1}));
  }
}

TEST_F(SimGroups, TrainsAsTheModelAlone) {
  const auto make = [](Device d) {
    Generator g(3);
    nn::Build build{.device = d, .generator = &g};
    return make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{make_ref<nn::Linear>(6, 15, true, build),
                                                                 make_ref<nn::Linear>(15, 3, true, build)});
  };
  Ref<nn::Module> alone = make(sim()), joined = make(sim()), spread = make(sim());
  auto d = parallel::DataParallel::create(joined->named_parameters(), {}, group, {}, {});
  std::vector<std::shared_ptr<parallel::FullyShardedUnit>> units;
  for (const char* name : {"0", ""})
    units.push_back(parallel::FullyShardedUnit::create(spread->find(name), group, {}, {}, {}));
  std::vector<Tensor> shards;
  for (const Tensor& t : spread->parameters()) shards.push_back(parallel::shard_or_self(t));
  std::vector<Ref<Optimizer>> optimizers{make_optimizer(OptimizerId::Adam, alone->parameters()),
                                         make_optimizer(OptimizerId::Adam, joined->parameters()),
                                         make_optimizer(OptimizerId::Adam, shards)};
  for (int step = 0; step < 3; ++step) {
    Generator g(uint64_t(100 + step));
    const Tensor x = on(ops::randn(Shape{8, 6}, DType::f32, Device{}, &g), sim());
    for (const Ref<Optimizer>& o : optimizers) o->zero_grad();
    d->prepare();
    for (const Ref<nn::Module>& m : {alone, joined, spread}) backward(ops::mean(ops::square(m->call(x))), {});
    for (const Ref<Optimizer>& o : optimizers) o->step();
  }
  const auto want = alone->parameters(), a = joined->parameters();
  for (size_t i = 0; i < want.size(); ++i) {
    expect_close(values(a[i]), values(want[i]));
    expect_close(values(shards[i]), values(want[i]));
    EXPECT_EQ(shards[i].device(), sim());
  }
  d->close();
  for (const auto& u : units) u->close();
}

}  // namespace
}  // namespace haft
