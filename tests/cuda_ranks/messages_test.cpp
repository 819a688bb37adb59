// Messages between GPUs of processes: by NCCL once both ranks have agreed on them, in whatever order; and what goes
// by way of the host.
#include "core/backend/pinned.h"
#include "core/dispatch/replay.h"
#include "tests/cuda_ranks/gpus.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

constexpr int64_t kLarge = 50000;  // elements: more than goes at once, and than a slot

Tensor filled_there(int64_t n, double v, int rank) {
  return ops::full(Shape{n}, Scalar(v), DType::f32, gpu(rank));
}
std::string ends(const Tensor& t) {
  return concat(text(ops::narrow(t, 0, 0, 1)), "..", text(ops::narrow(t, 0, t.numel() - 1, 1)));
}
void finish(Ref<Work> w) {
  w->wait(Deadline::never());
  w->check();
}

TEST(CudaMessages, StayOnTheDevice) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    std::string told;
    const int64_t before = pinned_memory_stats(gpu(rank)).allocations;
    const int other = 1 - rank;
    for (const int64_t n : {int64_t(3), kLarge}) {
      Tensor x = filled_there(n, 1.0 + rank, rank), y = filled_there(n, 0, rank);
      // One way, then the other; what is sent may be changed behind the call.
      if (rank == 0) {
        m->run(send(x, 1, 5));
        ops::fill_(x, Scalar(9.0));
        told += concat(m->receive(recv(y, -1, 6)), " ");
      } else {
        told += concat(m->receive(recv(y, 0, 5)), " ");
        m->run(send(ops::add_scalar(y, Scalar(10.0)), 0, 6));
      }
      told += concat(ends(y), ", ");
      // Both at once, asked for in another order than sent.
      x = filled_there(n, 1.0 + rank, rank);
      Tensor z = filled_there(n, 0, rank);
      std::vector<Ref<Work>> works{m->start(send(x, other, 1)),
                                   m->start(send(ops::mul_scalar(x, Scalar(100.0)), other, 2)),
                                   m->start(recv(z, other, 2)), m->start(recv(y, other, 1))};
      for (const Ref<Work>& w : works) finish(w);
      told += concat(ends(y), " ", ends(z), "; ");
      for (const Ref<Work>& w : works)
        if (!w->wait(Deadline::in(60 * kSecond)) || !w->test()) told += "not done; ";
    }
    Tensor rows = filled_there(6, 0, rank);  // into memory that is not dense
    const Tensor columns = ops::transpose(ops::reshape(rows, Shape{2, 3}), 0, 1);
    if (rank == 0) m->run(send(there({1, 2, 3, 4, 5, 6}, 0), 1));
    if (rank == 1) m->run(recv(columns, 0));
    told += text(rows);
    if (rank == 0) m->run(send(filled_there(0, 0, rank), 1));
    if (rank == 1) m->run(recv(filled_there(0, 0, rank), 0));
    told += pinned_memory_stats(gpu(rank)).allocations == before ? ", there" : ", by the host";
    return told;
  });
  EXPECT_EQ(p.told(0), "1 11..11, 2..2 200..200; 1 11..11, 2..2 200..200; 0 0 0 0 0 0, there");
  EXPECT_EQ(p.told(1), "0 1..1, 1..1 100..100; 0 1..1, 1..1 100..100; 1 3 5 2 4 6, there");
}

// Whoever sends small messages first need not wait for each other, and the host waits for no device.
TEST(CudaMessages, TheHostDoesNotWaitForTheDevice) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor y = filled_there(4, 0, rank);
    std::string told;
    for (int i = 0; i < 2; ++i) {
      Tensor x = filled_there(4, 1.0 + rank + i, rank);
      const int64_t before = waits();
      if (i) let_queries_run(false);
      m->run(send(x, 1 - rank));
      x = ops::mul_scalar(x, Scalar(2.0));
      m->run(recv(y, 1 - rank));
      y = ops::add_scalar(y, Scalar(1.0));
      if (i) told = concat(waits() - before, " waits, ");
      told += text(y) + " ";
    }
    let_queries_run(true);
    return told;
  });
  EXPECT_EQ(p.told(0), "0 waits, 4 4 4 4 ");
  EXPECT_EQ(p.told(1), "0 waits, 3 3 3 3 ");
}

// A ring in which everyone talks to two others first: communicators of pairs wait for their peer alone.
TEST(CudaMessages, RingsOfPairs) {
  constexpr int kRanks = 4;
  Processes p(kRanks, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, kRanks, patient()));
    std::string told;
    const Tensor h = numbers({1}, DType::f32, [&](int64_t) { return double(rank); });
    for (int i = 0; i < 3; ++i) {
      Tensor x = filled_there(kLarge, 10.0 * i + rank, rank), y = filled_there(kLarge, 0, rank),
             back = filled_there(kLarge, 0, rank), sum = there({1}, rank);
      const int next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
      std::vector<Ref<Work>> works{m->start(recv(y, last, 0)), m->start(send(x, next, 0)),
                                   m->start(send(x, last, 1)), m->start(recv(back, next, 1))};
      m->run(all_reduce(sum));  // between them, of the device and of the host
      m->run(all_reduce(h));
      for (const Ref<Work>& w : works) finish(w);
      told += concat(ends(y), " ", ends(back), " ", text(sum), "; ");
    }
    return told;
  });
  for (int r = 0; r < kRanks; ++r) {
    std::string wanted;
    for (int i = 0; i < 3; ++i) {
      const int y = 10 * i + (r + 3) % 4, back = 10 * i + (r + 1) % 4;
      wanted += concat(y, "..", y, " ", back, "..", back, " 4; ");
    }
    EXPECT_EQ(p.told(r), wanted) << r;
  }
}

// Ranks that share a GPU, a library that is missing, a peer that has the tensor on the CPU.
TEST(CudaMessages, ByWayOfTheHost) {
  for (const char* how : {"shared", "missing", "mixed"}) {
    const std::string_view kind(how);
    if (kind == "missing") setenv("HAFT_SIMULATED_WITHOUT", "nccl", 1);
    Processes p(2, [&](Ref<Store> store, int rank) {
      Member m(Group::create(store, rank, 2, patient()));
      const int device = kind == "shared" ? 0 : rank;
      std::string told;
      for (const int64_t n : {int64_t(3), kLarge, kLarge}) {
        const bool on_cpu = kind == "mixed" && rank == 1;
        Tensor x = filled_there(n, 1.0 + rank, device), y = filled_there(n, 0, device);
        if (on_cpu) x = ops::to(x, DType::none, Device{}), y = ops::to(y, DType::none, Device{});
        Ref<Work> w = m->start(send(x, 1 - rank));
        m->run(recv(y, 1 - rank));
        finish(w);
        told += ends(y) + " ";
      }
      return told;
    });
    unsetenv("HAFT_SIMULATED_WITHOUT");
    EXPECT_EQ(p.told(0), "2..2 2..2 2..2 ") << how;
    EXPECT_EQ(p.told(1), "1..1 1..1 1..1 ") << how;
  }
}

TEST(CudaMessages, WhatDoesNotFitIsTold) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    try {
      if (rank == 0) m->run(send(filled_there(kLarge, 1, 0), 1, 3));
      if (rank == 1) m->run(recv(filled_there(5, 1, 1), 0, 3));
      m->run(barrier());
      return "it went through";
    } catch (const Error& e) {
      return e.message;
    }
  });
  for (int r = 0; r < 2; ++r)
    EXPECT_NE(
        p.told(r).find("rank 0 sent 50000 elements of float32 with tag 3, rank 1 receives 5 of float32"),
        std::string::npos);
}

TEST(CudaMessages, ARankThatDoesNotReceiveIsNamed) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    if (rank == 1) {
      store->get("over", Deadline::in(60 * kSecond));
      return "";
    }
    std::string told;
    try {
      m->run(within(1, send(filled_there(kLarge, 1, 0), 1)));
    } catch (const Error& e) {
      told = e.message;
    }
    store->set("over", "yes");
    return told;
  });
  EXPECT_NE(p.told(0).find("in send for rank 1"), std::string::npos);
}

TEST(CudaMessages, ARankThatIsLostWhileTheDeviceWorks) {
  Processes p(2, [](Ref<Store> store, int rank) -> std::string {
    Member m(Group::create(store, rank, 2, patient()));
    Tensor x = filled_there(kLarge, 1, rank);
    if (rank == 0) m->run(send(x, 1));
    if (rank == 1) m->run(recv(x, 0));
    text(ops::amax(x));
    let_queries_run(false);
    Ref<Work> w = m->start(rank ? recv(x, 0) : send(x, 1));
    w->wait(Deadline::never());
    m->run(barrier());  // both have enqueued it
    if (rank == 1) _exit(0);
    let_queries_run(true);
    try {
      return w->wait(Deadline::in(60 * kSecond)) ? (w->check(), "it went through") : "not done";
    } catch (const Error& e) {
      return e.message;
    }
  });
  EXPECT_EQ(p.told(0), "rank 1 ended while the device did [send]");
}

TEST(CudaMessages, Recorded) {
  Processes p(2, [](Ref<Store> store, int rank) {
    Member m(Group::create(store, rank, 2, patient()));
    const Device d = gpu(rank);
    const int other = 1 - rank;
    Tensor x = there({1.0 + rank}, rank), y = there({0}, rank), z;
    std::string told;
    const auto refused = [&](Job j) {
      CaptureScope scope(make_ref<MemoryArena>(d));
      try {
        m->run(std::move(j));
        told += "not refused; ";
      } catch (const Error& e) {
        told += concat(e.message.substr(0, e.message.find(" while")), e.message.substr(e.message.find(": ")),
                       "; ");
      }
    };
    refused(send(x, other));
    refused(barrier());
    finish(m->start(send(x, other)));
    m->run(recv(y, other));
    refused(recv(y, -1));
    Ref<DeviceGraph> graph;
    {
      CaptureScope scope(make_ref<MemoryArena>(d));
      const Tensor twice = ops::mul_scalar(x, Scalar(2.0));
      Ref<Work> there = m->start(recv(y, other)), back = m->start(send(twice, other));
      finish(there);
      finish(back);
      z = ops::add_scalar(y, Scalar(1.0));
      graph = scope.end();
    }
    for (int i = 0; i < 2; ++i) {
      ops::fill_(x, Scalar(1.0 + rank + 10 * i));
      graph->replay();
      told += concat(text(z), "; ");
    }
    m->run(barrier());
    return told;
  });
  const std::string refusals =
      "[send]: the first message of a device between two ranks makes their communicator; "
      "[barrier]: it is the host that waits, which no replay would do again; "
      "[recv]: a recording has to know from whom it receives; ";
  EXPECT_EQ(p.told(0), refusals + "5; 25; ");
  EXPECT_EQ(p.told(1), refusals + "3; 23; ");
}

}  // namespace
