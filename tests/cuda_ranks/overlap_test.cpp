// Collectives beside the computation: who waits for what, told by what the simulation counts; and what becomes of
// calls under way.
#include <future>

#include "core/autograd/hooks.h"
#include "core/dispatch/replay.h"
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/optim/optimizer.h"
#include "core/parallel/fully_sharded.h"
#include "tests/cuda_ranks/gpus.h"
#include "tests/parallel/nets.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

// What a rank's work ends with; empty: it went through.
std::string end_of(Ref<Work> w) {
  try {
    if (!w->wait(Deadline::in(60 * kSecond))) return "not done";
    w->check();
    return {};
  } catch (const Error& e) {
    return e.message;
  }
}
std::string started(Group& g, Job j) {
  Ref<Work> w = g.start(std::move(j));
  w->wait(Deadline::never());
  w->check();
  return end_of(w);
}

TEST(CudaOverlap, StreamsWaitAndTheHostDoesNot) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1.0 + rank, 2}, rank), part = there({1, 2, 3, 4}, rank);
    m->run(all_reduce(x));
    text(x);
    let_queries_run(false);
    const int64_t before = waits();
    Ref<Work> w = m->start(all_reduce(x));
    w->wait(Deadline::never());
    w->check();
    std::string told = w->test() ? "done" : "not done";
    x = ops::mul_scalar(x, Scalar(2.0));
    m->run(all_reduce(x));
    x = ops::add_scalar(x, Scalar(1.0));
    // An output that is not dense is written through memory of the communication stream's.
    const Tensor columns = ops::transpose(ops::reshape(part, Shape{2, 2}), 0, 1);
    m->run(all_reduce(columns));
    part = ops::add_scalar(part, Scalar(0.5));
    told += concat(", ", waits() - before, " waits, ");
    told += concat(text(x), ", ", text(part));
    told += w->test() ? ", done" : ", not done";
    let_queries_run(true);  // the group's end waits for what nobody else has waited for
    return told;
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "not done, 0 waits, 25 33, 2.5 4.5 6.5 8.5, done");
}

// Buckets start in the midst of backward, and the step that follows is enqueued before any of it has run.
TEST(CudaOverlap, DataParallel) {
  using namespace parallel;
  using namespace parallel::testing;
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Net net(4, 6, 1 + rank, DType::f32, gpu(rank)), alone(4, 6, 1);
    DataParallelOptions o;
    o.bucket_bytes = o.first_bucket_bytes = 6 * 7 * 4;
    auto d = DataParallel::create(net.parameters, {}, m.g, o, {});
    uint64_t at_first = 0, calls = 0;
    std::string told;
    add_post_accumulate_hook(net[0], [&](const Tensor&) { at_first = m->issued(); });
    for (int step = 0; step < 3; ++step) {
      const Tensor x = ops::to_device(batch(step, 8, 6, rank, 2), gpu(rank));
      const bool measured = step == 2;
      if (measured) let_queries_run(false);
      const int64_t before = waits();
      calls = m->issued();
      net.clear();
      d->prepare();
      back(ops::mean(ops::square(net.forward(x))));
      NoGradGuard off;
      for (NamedTensor& n : net.parameters)
        ops::add_(ops::detach(n.tensor), ops::mul_scalar(gradient_of(n.tensor), Scalar(-0.1)));
      if (measured) told = concat(waits() - before, " waits, ", at_first - calls >= 2 ? "early" : "late");
    }
    for (int step = 0; step < 3; ++step) {
      alone.clear();
      back(ops::mean(ops::square(alone.forward(batch(step, 8, 6)))));
      NoGradGuard off;
      for (NamedTensor& n : alone.parameters)
        ops::add_(ops::detach(n.tensor), ops::mul_scalar(gradient_of(n.tensor), Scalar(-0.1)));
    }
    double off = 0;
    for (size_t i = 0; i < net.parameters.size(); ++i) {
      const Tensor here = ops::to_device(ops::detach(net[i]), Device{});
      for (int64_t k = 0; k < here.numel(); ++k)
        off = std::max(off, std::abs(at(here, k) - at(ops::detach(alone[i]), k)));
    }
    d->close();
    let_queries_run(true);
    return told + (off < 1e-5 ? ", equal" : concat(", off by ", off));
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "0 waits, early, equal");
}

// Gathers ahead, computation, reductions and the optimizer's step are all enqueued before any of it has run.
TEST(CudaOverlap, FullySharded) {
  using namespace parallel;
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    std::string told;
    {
      const auto make = [](Device d) {
        Generator g(3);
        nn::Build build{.device = d, .generator = &g};
        std::vector<Ref<nn::Module>> layers;
        for (int i = 0; i < 3; ++i) layers.push_back(make_ref<nn::Linear>(6, i == 2 ? 3 : 6, true, build));
        return make_ref<nn::Sequential>(layers);
      };
      const auto rows = [](Device d, int step, int from, int count) {
        Generator g(uint64_t(100 + step));
        const Tensor all = ops::randn(Shape{8, 6}, DType::f32, Device{}, &g);
        return ops::to_device(ops::contiguous(ops::narrow(all, 0, from, count)), d);
      };
      const auto step = [](nn::Module& net, Optimizer& o, const Tensor& x) {
        o.zero_grad();
        parallel::testing::back(ops::mean(ops::square(net.call(x))));
        o.step();
      };
      Ref<nn::Module> net = make(gpu(rank)), alone = make(Device{});
      std::vector<std::shared_ptr<FullyShardedUnit>> units;
      for (const char* name : {"0", "1", ""})
        units.push_back(FullyShardedUnit::create(net->find(name), m.g, {}, {}, {}));
      std::vector<Tensor> shards;
      for (const Tensor& t : net->parameters()) shards.push_back(shard_or_self(t));
      told = concat(shards[0].device() == gpu(rank) ? "there" : "elsewhere");
      Ref<Optimizer> a = make_optimizer(OptimizerId::SGD, shards),
                     b = make_optimizer(OptimizerId::SGD, alone->parameters());
      for (int s = 0; s < 4; ++s) {
        const Tensor x = rows(gpu(rank), s, 4 * rank, 4);
        if (s == 3) let_queries_run(false);
        const int64_t before = waits();
        step(*net, *a, x);
        if (s == 3) told += concat(", ", waits() - before, " waits");
        step(*alone, *b, rows(Device{}, s, 0, 8));
      }
      int64_t ahead = 0;
      for (const auto& u : units) ahead += u->info().prefetched;
      told += ahead > 4 ? ", ahead" : ", late";
      for (const auto& u : units) u->close();
      double off = 0;
      for (size_t i = 0; i < shards.size(); ++i) {
        const Tensor here = ops::to_device(ops::detach(net->parameters()[i]), Device{}),
                     there = ops::detach(alone->parameters()[i]);
        for (int64_t k = 0; k < here.numel(); ++k) off = std::max(off, std::abs(at(here, k) - at(there, k)));
      }
      told += off < 1e-5 ? ", equal" : concat(", off by ", off);
      let_queries_run(true);
    }
    return told;
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "there, 0 waits, ahead, equal");
}

// Hosts call when they come: who waits for another one is the device.
TEST(CudaOverlap, AHostDoesNotWaitForOthersToCall) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1.0 + rank, 2}, rank),
           h = numbers({1}, DType::f32, [&](int64_t) { return 1.0 + rank; });
    m->run(all_reduce(x));  // the first makes the communicator, for which all come
    text(x);
    std::string told;
    if (rank == 1) store->get("went on", Deadline::in(60 * kSecond));
    Ref<Work> w = m->start(all_reduce(x));
    w->wait(Deadline::never());
    w->check();
    m->run(all_reduce(x));
    x = ops::add_scalar(x, Scalar(1.0));
    if (rank == 0) {
      told += w->test() || w->wait(Deadline::in(kSecond / 50)) ? "done, " : "not done, ";
      store->set("went on", "yes");
    }
    told += text(x);
    m->run(all_reduce(h));  // of the host, behind them on the same streams
    m->run(all_reduce(x));
    told +=
        concat(", ", text(h), ", ", text(x), w->wait(Deadline::in(60 * kSecond)) ? ", done" : ", not done");
    return told;
  });
  EXPECT_EQ(p.told(0), "not done, 13 17, 3, 26 34, done");
  EXPECT_EQ(p.told(1), "13 17, 3, 26 34, done");
}

// The end of a group waits for those that come late to what it has enqueued.
TEST(CudaOverlap, AGroupIsReleasedBeforeOthersCome) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1.0 + rank}, rank);
    m->run(all_reduce(x));
    text(x);
    if (rank == 1) store->get("called", Deadline::in(60 * kSecond));
    m->run(all_reduce(x));
    if (rank == 0) {
      store->set("called", "yes");
      return std::string("released");
    }
    return text(x);
  });
  EXPECT_EQ(p.told(0), "released");
  EXPECT_EQ(p.told(1), "6");
}

// What ranks call is compared while the device is at it: the work and the next call tell.
TEST(CudaOverlap, CallsThatDiffer) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank), y = rank ? there({1, 2, 3}, rank) : there({1, 2}, rank);
    m->run(all_reduce(x));
    text(x);
    std::string told = end_of(m->start(all_reduce(y)));
    text(y);  // comes back
    try {
      m->run(all_reduce(x));
      told += ", and it went on";
    } catch (const Error& e) {
      told += e.code == Code::mismatch && e.message == told ? "" : concat(" / ", e.message);
    }
    return told;
  });
  for (int r = 0; r < 2; ++r) {
    const std::string told = p.told(r);
    EXPECT_NE(told.find("called all_reduce #2 (float32 [2], sum)"), std::string::npos) << told;
    EXPECT_NE(told.find("called all_reduce #2 (float32 [3], sum)"), std::string::npos) << told;
    EXPECT_EQ(told.find(" / "), std::string::npos) << told;
  }
}

// An engine that sets something up at a first use waits for the others inside the call. What they call is compared
// meanwhile, so that a difference ends it at once, and who is missing is named in its time.
TEST(CudaOverlap, AnEngineThatSetsSomethingUp) {
  setenv("HAFT_SIMULATED_NCCL_SETUP", "1", 1);
  for (const bool differ : {true, false}) {
    Processes p(2, [differ](Ref<Store> store, int rank) {
      Member m(Group::create(store, rank, 2, patient()));
      Tensor x = there({1}, rank);
      for (int i = 0; i < 2; ++i) m->run(all_reduce(x));
      std::string told = text(x) + ", ";
      std::vector<Tensor> all{there({0}, rank), there({0}, rank)};
      Job gather = job(Kind::all_gather, {x}, all), other = job(Kind::broadcast, {}, {x}, 0);
      if (rank == 1 && !differ) {
        store->get("over", Deadline::in(60 * kSecond));
        return told;
      }
      told += end_of(m->start(rank     ? std::move(other)
                              : differ ? std::move(gather)
                                       : within(1, std::move(gather))));
      store->set("over", "yes");
      return told;
    });
    for (int r = 0; r < (differ ? 2 : 1); ++r) {
      const std::string told = p.told(r);
      EXPECT_EQ(told.substr(0, 3), "4, ") << told;
      if (differ) {
        EXPECT_NE(told.find("rank 0 called all_gather #3"), std::string::npos) << told;
        EXPECT_NE(told.find("rank 1 called broadcast #3"), std::string::npos) << told;
      } else {
        EXPECT_NE(told.find("for ranks [1], which have not called it"), std::string::npos) << told;
      }
    }
  }
  unsetenv("HAFT_SIMULATED_NCCL_SETUP");
}

TEST(CudaOverlap, ARankThatDoesNotCome) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank);
    m->run(all_reduce(x));
    text(x);
    if (rank == 1) {
      store->get("over", Deadline::in(60 * kSecond));
      return std::string();
    }
    Ref<Work> w = m->start(within(1, all_reduce(x)));
    w->wait(Deadline::never());
    const std::string told = end_of(w);
    store->set("over", "yes");
    return told;
  });
  EXPECT_NE(p.told(0).find("for ranks [1], which have not called it"), std::string::npos);
}

TEST(CudaOverlap, ARankThatIsLostWhileTheDeviceWorks) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank);
    m->run(all_reduce(x));
    text(x);
    let_queries_run(false);
    Ref<Work> w = m->start(all_reduce(x));
    w->wait(Deadline::never());
    m->run(barrier());  // all have come
    if (rank == 1) _exit(0);
    let_queries_run(true);
    const std::string told = end_of(w);
    try {
      m->run(all_reduce(x));
      return "it went through";
    } catch (const Error& e) {
      return told == e.message ? told : concat(told, " / ", e.message);
    }
  });
  EXPECT_EQ(p.told(0), "rank 1 ended while the device did [all_reduce]");
}

TEST(CudaOverlap, ADeviceThatIsLate) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank);
    m->run(all_reduce(x));
    text(x);
    let_queries_run(false);
    return started(*m, within(1, all_reduce(x)));
  });
  for (int r = 0; r < 2; ++r)
    EXPECT_NE(p.told(r).find("[all_reduce] the device has not done it in time; all ranks had come"),
              std::string::npos);
}

TEST(CudaOverlap, AnAbortEndsWhatIsUnderWay) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank);
    m->run(all_reduce(x));
    text(x);
    let_queries_run(false);
    Ref<Work> w = m->start(all_reduce(x));
    w->wait(Deadline::never());
    m->run(barrier());  // all have come
    // Set by the thread that answers the call, maybe behind who waits for it.
    const auto called = std::make_shared<std::promise<std::string>>();
    w->on_done([called](Work& done) {
      called->set_value(done.status() == Code::cancelled ? "cancelled" : "otherwise");
    });
    if (rank == 0) m->kill("enough");
    return end_of(w) + ", " + called->get_future().get();
  });
  for (int r = 0; r < 2; ++r) EXPECT_EQ(p.told(r), "rank 0 aborted the group: enough, cancelled");
}

TEST(CudaOverlap, Recorded) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    const Device d = gpu(rank);
    Tensor x = there({1.0 + rank}, rank), y, z;
    std::string told;
    const auto refused = [&](const Tensor& t) {
      CaptureScope scope(make_ref<MemoryArena>(d));
      try {
        m->run(all_reduce(t));
        told += "not refused";
      } catch (const Error& e) {
        told += concat(int(e.code == Code::unsupported), " ", e.message.substr(0, e.message.find("cuda")),
                       e.message.substr(e.message.find(" records")), "; ");
      }
    };
    refused(x);
    Tensor warm = there({1}, rank);
    m->run(all_reduce(warm));
    refused(ops::cast(x, DType::i16));
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(d));
      y = ops::mul_scalar(x, Scalar(2.0));
      m->run(all_reduce(y));
      z = ops::add_scalar(y, Scalar(1.0));
      Ref<Work> w = m->start(all_reduce(z));
      w->on_done([&](Work&) { told += "told; "; });
      y = ops::neg(y);
      w->wait(Deadline::never());
      w->check();
      if (w->test()) told += "nothing to wait for; ";
      z = ops::mul_scalar(z, Scalar(10.0));
      graph = scope.end();
    }
    for (int i = 0; i < 2; ++i) {
      ops::fill_(x, Scalar(1.0 + rank + i));
      graph->replay();
      told += concat(text(y), " ", text(z), "; ");
    }
    m->run(all_reduce(warm));
    return told + text(warm);
  });
  for (int r = 0; r < 2; ++r)
    EXPECT_EQ(p.told(r),
              "1 [all_reduce] while  records: the group's first call on a device makes its communicator; "
              "1 [all_reduce] while  records: it goes through host memory, which a recording cannot hold; "
              "told; nothing to wait for; -6 140; -10 220; 4");
}

// Replays have no number that anybody waits for, but who is gone is noticed all the same.
TEST(CudaOverlap, ARankThatIsLostWhileOthersReplay) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = there({1}, rank);
    m->run(all_reduce(x));
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(gpu(rank)));
      m->run(all_reduce(x));
      graph = scope.end();
    }
    graph->replay();
    text(x);
    if (rank == 1) _exit(0);
    graph->replay();
    text(x);  // comes back, since the group's death aborts the communicator
    return m->failure().text;
  });
  EXPECT_EQ(p.told(0), "rank 1 ended while the device did a recording");
}

}  // namespace
