// Calls between agents: values, failures, order, strangers, ends.
#include <poll.h>
#include <sys/socket.h>

#include "tests/rpc/agents.h"

namespace haft::rpc::testing {
namespace {

TEST(Agent, EveryRankCallsEveryRank) {
  expect_none(run_agents(4, add_twice, [](Agent& a) {
    std::vector<Ref<Future>> futures;
    for (int round = 0; round < 20; ++round)
      for (int to = 0; to < 4; ++to)
        futures.push_back(a.call(
            to, "twice", {{filled({3, 5}, DType::f32, a.rank() + to), filled({}, DType::i64, 7)}, "from "}));
    for (size_t i = 0; i < futures.size(); ++i) {
      const Payload p = answer_of(futures[i]);
      ASSERT_EQ(p.tensors.size(), 2u);
      EXPECT_EQ(at(p.tensors[0], 14), 2.0 * (a.rank() + int(i % 4)));
      EXPECT_EQ(at(p.tensors[1], 0), 14);
      EXPECT_EQ(p.bytes, concat("from ", a.rank()));
    }
  }));
}

TEST(Agent, AllKindsOfTensorsArrive) {
  expect_none(run_agents(
      2, [](Agent& a) { a.add_function("echo", function([](Request& r) { r.reply(r.arguments); })); },
      [](Agent& a) {
        if (a.rank()) return;
        Payload sent;
        for (int t = 1; t < kDTypeCount; ++t)
          if (DType(t) != DType::c64 && DType(t) != DType::c128)
            sent.tensors.push_back(filled({2, 0, 3}, DType(t), 1)),
                sent.tensors.push_back(filled({5, 7}, DType(t), 1));
        sent.tensors.push_back(
            ops::transpose(numbers({40, 30}, DType::f64, [](int64_t i) { return double(i); }), 0, 1));
        sent.tensors.push_back(numbers({300000}, DType::f32, [](int64_t i) { return double(i); }));
        const Payload got = answer_of(a.call(1, "echo", sent));
        ASSERT_EQ(got.tensors.size(), sent.tensors.size());
        for (size_t i = 0; i < sent.tensors.size(); ++i) {
          EXPECT_TRUE(std::ranges::equal(got.tensors[i].sizes(), sent.tensors[i].sizes()));
          EXPECT_TRUE(dist::testing::same_bits(got.tensors[i], ops::contiguous(sent.tensors[i]))) << i;
        }
      }));
}

TEST(Agent, WhatIsSentMayChangeAtOnce) {
  expect_none(run_agents(2, add_twice, [](Agent& a) {
    Tensor t = filled({200000}, DType::f32, 3);
    Ref<Future> f = a.call(1 - a.rank(), "twice", {{t}, ""});
    ops::mul_(t, filled({}, DType::f32, 0));
    EXPECT_EQ(at(answer_of(f).tensors[0], 199999), 6);
    Ref<Future> self = a.call(a.rank(), "twice", {{t}, ""});
    ops::add_(t, filled({200000}, DType::f32, 1));
    EXPECT_EQ(at(answer_of(self).tensors[0], 199999), 0);
  }));
}

TEST(Agent, FailuresCarryStatusTextAndName) {
  expect_none(run_agents(
      2,
      [](Agent& a) {
        a.add_function("bad",
                       function([](Request&) { fail(Code::shape, "sizes do not fit", "use others"); }));
        a.add_function("silent", function([](Request&) {}));
      },
      [](Agent& a) {
        for (int to : {0, 1}) {
          const Error e = failure_of(a.call(to, "bad", {}));
          EXPECT_EQ(e.code, Code::shape);
          EXPECT_EQ(e.message, concat("rank ", to, " 'worker", to, "', 'bad': sizes do not fit"));
          EXPECT_EQ(e.hint, "use others");
          const Error none = failure_of(a.call(to, "unknown", {}));
          EXPECT_EQ(none.code, Code::invalid_argument);
          EXPECT_NE(none.message.find("no function"), std::string::npos);
          EXPECT_TRUE(answer_of(a.call(to, "silent", {})).tensors.empty());
        }
        EXPECT_EQ(failure_of([&] { a.call(2, "bad", {}); }).code, Code::index);
        EXPECT_EQ(a.rank_of("worker1"), 1);
        EXPECT_EQ(failure_of([&] { a.rank_of("nobody"); }).hint, "there are: worker0, worker1");
      }));
}

TEST(Agent, AnswersComeInAnyOrderAndLater) {
  Ref<Request> held[2];
  expect_none(run_agents(
      2,
      [&](Agent& a) {
        a.add_function("hold",
                       function([&held, me = a.rank()](Request& r) { held[me] = Ref<Request>::share(&r); }));
        a.add_function("let go", function([&held, me = a.rank()](Request& r) {
                         held[me]->reply({{}, "late"});
                         EXPECT_EQ(failure_of([&] { held[me]->reply({}); }).code, Code::invalid_argument);
                         held[me].reset();
                         r.reply({{}, "now"});
                       }));
        add_twice(a);
      },
      [](Agent& a) {
        const int to = 1 - a.rank();
        Ref<Future> late = a.call(to, "hold", {});
        answer_of(a.call(to, "twice", {}));
        EXPECT_FALSE(late->wait(Deadline::in(0)));
        std::atomic<int> called{0};
        late->on_done([&](Future& f) { called += f.status() == Code::ok ? 1 : 100; });
        // "hold" ran before "twice" or beside it: until it has, nobody can let go.
        while (true) {
          try {
            if (answer_of(a.call(to, "let go", {})).bytes == "now") break;
          } catch (const Error&) {
          }
        }
        EXPECT_EQ(answer_of(late).bytes, "late");
        while (called == 0) std::this_thread::yield();
        EXPECT_EQ(called, 1);
        late->on_done([&](Future&) { ++called; });
        EXPECT_EQ(called, 2);
      },
      [] {
        AgentOptions o;
        o.threads = 1;
        return o;
      }()));
}

TEST(Agent, FunctionsCallBack) {
  expect_none(run_agents(
      3,
      [](Agent& a) {
        a.add_function(
            "down", function([&a](Request& r) {
              const int n = std::stoi(r.arguments.bytes);
              if (n == 0) return r.reply({{}, "0"});
              r.reply({{},
                       answer_of(a.call((a.rank() + 1) % 3, "down", {{}, std::to_string(n - 1)})).bytes +
                           "," + std::to_string(n)});
            }));
      },
      [](Agent& a) {
        EXPECT_EQ(answer_of(a.call((a.rank() + 1) % 3, "down", {{}, "6"})).bytes, "0,1,2,3,4,5,6");
      }));
}

// Calls whose functions call on after their caller has long been ready to go are still answered.
TEST(Agent, ShutdownWaitsForCallsOfCalls) {
  std::atomic<int> reached{0};
  expect_none(run_agents(
      3,
      [&](Agent& a) {
        a.add_function("relay", function([&a, &reached](Request& r) {
                         const int n = std::stoi(r.arguments.bytes);
                         if (n) a.call((a.rank() + 1) % 3, "relay", {{}, std::to_string(n - 1)});
                         ++reached;
                       }));
      },
      [](Agent& a) {
        a.call((a.rank() + 1) % 3, "relay", {{}, "50"});
      }));
  EXPECT_EQ(reached, 3 * 51);
}

TEST(Agent, TimeIsOver) {
  Ref<Request> held;
  std::atomic<bool> there{false};
  expect_none(run_agents(
      2,
      [&](Agent& a) {
        add_twice(a);
        a.add_function("hold", function([&](Request& r) {
                         held = Ref<Request>::share(&r);
                         there = true;
                       }));
      },
      [&](Agent& a) {
        if (a.rank()) return;
        answer_of(a.call(1, "twice", {}));  // connected: the next call's time is that of its answer
        const Error e = failure_of(a.call(1, "hold", {}, dist::kSecond / 20));
        EXPECT_EQ(e.code, Code::timeout);
        EXPECT_EQ(e.message, "rank 1 'worker1' did not answer 'hold' within 0.05 s");
        while (!there) std::this_thread::yield();
        held->reply({});  // too late: dropped
        held.reset();
      }));
}

TEST(Agent, JobsFollowEachOtherInOneStore) {
  init();
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  for (int job = 0; job < 3; ++job) {
    std::vector<std::thread> threads;
    for (int r = 0; r < 2; ++r)
      threads.emplace_back([&, r] {
        Member m(Agent::create(store, r, 2, {}));
        add_twice(*m);
        m->start(patient());
        EXPECT_EQ(answer_of(m->call(1 - r, "twice", {{}, "x"})).bytes, concat("x", r));
        m->shut_down(patient());
        EXPECT_EQ(failure_of([&] { m->call(1 - r, "twice", {}); }).code, Code::cancelled);
      });
    for (auto& t : threads) t.join();
  }
}

TEST(Agent, MissingRanksAndTakenNamesAreTold) {
  init();
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  Member a(Agent::create(store, 0, 3, {.name = "me"}));
  const Error e = failure_of([&] { a->start(Deadline::in(0)); });
  EXPECT_EQ(e.code, Code::timeout);
  EXPECT_NE(e.message.find("1 of 3 agents have come, missing are ranks [1, 2]"), std::string::npos)
      << e.message;
  EXPECT_EQ(failure_of([&] { a->call(0, "x", {}); }).code, Code::invalid_argument);
  Member b(Agent::create(store, 1, 3, {.name = "me"}));
  EXPECT_NE(failure_of([&] { b->start(patient()); }).message.find("rank 0 is called 'me' already"),
            std::string::npos);
}

TEST(Agent, MessagesAreBounded) {
  AgentOptions o;
  o.max_message = 100000;
  expect_none(run_agents(
      2,
      [](Agent& a) {
        add_twice(a);
        a.add_function("large", function([](Request& r) {
                         r.reply({{filled({100000}, DType::f32, 1)}, ""});
                       }));
      },
      [](Agent& a) {
        const int to = 1 - a.rank();
        EXPECT_EQ(failure_of([&] {
                    a.call(to, "twice", {{filled({100000}, DType::f32, 1)}, ""});
                  }).code,
                  Code::invalid_argument);
        EXPECT_EQ(failure_of(a.call(to, "large", {})).code, Code::invalid_argument);
        answer_of(a.call(to, "twice", {{filled({20000}, DType::f32, 1)}, ""}));
      },
      o));
}

// Tells an agent that a second one listens there.
void announce(Agent& a, const dist::Address& where) {
  dist::WireWriter info;
  info.text("worker1").text(where.host).number(int32_t(where.port)).text("");
  a.store().set("agent/1", std::string_view(info.bytes).substr(4));
}

// A call that tries to reach a process which does not answer keeps no other one longer than that one may take.
TEST(Agent, TimesOfCallsAreTheirOwnWhileAPeerIsReached) {
  init();
  dist::Address where{"127.0.0.1", 0};
  dist::Socket silent = dist::listen_at(where, "an agent");
  Member a(Agent::create(make_ref<dist::HashStore>(), 0, 2, {}));
  announce(*a, where);
  a->start(patient());
  std::thread first([&] { EXPECT_EQ(failure_of([&] { a->call(1, "x", {}); }).code, Code::peer_lost); });
  pollfd p{silent.fd(), POLLIN, 0};
  EXPECT_EQ(poll(&p, 1, -1), 1);
  const Error e = failure_of([&] { a->call(1, "x", {}, dist::kSecond / 50); });
  EXPECT_EQ(e.code, Code::timeout);
  EXPECT_EQ(e.message, "waited 0.02 s for another thread of this process to reach rank 1 'worker1'");
  silent = {};
  first.join();
}

// As one does with too many strangers, or with who is too slow: that is no matter of secrets.
TEST(Agent, WhoIsHungUpOnWithoutARefusalIsNotToldOfSecrets) {
  init();
  dist::Address where{"127.0.0.1", 0};
  dist::Socket listener = dist::listen_at(where, "an agent");
  Member a(Agent::create(make_ref<dist::HashStore>(), 0, 2, {}));
  announce(*a, where);
  a->start(patient());
  std::thread crowded([&] {
    pollfd p{listener.fd(), POLLIN, 0};
    EXPECT_EQ(poll(&p, 1, -1), 1);
    dist::Socket s(accept(listener.fd(), nullptr, nullptr));
    char hello[kHelloSize];
    EXPECT_TRUE(s.send_all(concat(kMagic, std::string(kNonce, 'n')), patient()));
    EXPECT_TRUE(s.receive_all(hello, sizeof hello, patient()));
  });
  const Error e = failure_of([&] { a->call(1, "x", {}); });
  crowded.join();
  EXPECT_EQ(e.code, Code::peer_lost);
  EXPECT_NE(e.message.find("the other side hung up"), std::string::npos) << e.message;
}

TEST(Agent, OtherSecretsAreRefused) {
  init();
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  Member good(Agent::create(store, 0, 2, {.secret = "one"})),
      bad(Agent::create(store, 1, 2, {.secret = "two"}));
  std::thread t([&] { bad->start(patient()); });
  good->start(patient());
  t.join();
  EXPECT_EQ(failure_of([&] { bad->call(0, "x", {}); }).code, Code::invalid_argument);
  EXPECT_EQ(failure_of([&] { good->call(1, "x", {}); }).code, Code::invalid_argument);
}

// Whatever strangers send, before and after their greeting, the agent hangs up and goes on serving.
TEST(Agent, GarbageIsHungUpOn) {
  expect_none(run_agents(2, add_twice, [](Agent& a) {
    if (a.rank()) return;
    uint64_t state = 1;
    for (int i = 0; i < 200; ++i) {
      dist::Address at = a.address();
      dist::Socket s = dist::connect_to(at, patient(), "an agent");
      char greeting[kGreetingSize];
      ASSERT_TRUE(s.receive_all(greeting, sizeof greeting, patient()));
      EXPECT_EQ(std::string_view(greeting, kMagic.size()), kMagic);
      std::string junk;
      if (i % 2) junk = kMagic;
      for (int k = 0; k < 1 + i; ++k)
        junk.push_back(char((state = state * 6364136223846793005u + 1442695040888963407u) >> 56));
      char c;
      try {
        if (!s.send_all(junk, patient())) continue;
        if (junk.size() < kHelloSize) ::shutdown(s.fd(), SHUT_WR);
        int64_t n = s.receive(&c, 1, patient());
        if (n == 1) {  // it was a whole hello
          EXPECT_EQ(c, dist::kRefused);
          n = s.receive(&c, 1, patient());
        }
        EXPECT_EQ(n, 0) << i;
      } catch (const Error& e) {
        EXPECT_EQ(e.code, Code::io);  // reset: some of it was not read
      }
    }
    answer_of(a.call(1, "twice", {}));
    answer_of(a.call(0, "twice", {}));
  }));
}

// A frame of any bytes is a message or Code::corrupt.
TEST(Message, AnyBytesAreAMessageOrCorrupt) {
  init();
  const std::string frame =
      encode(5, FrameKind::request, "function",
             {{filled({3, 4}, DType::f32, 1), filled({2}, DType::boolean, 1)}, "bytes"}, 1 << 20);
  uint64_t state = 7;
  auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  int good = 0, bad = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string f = frame;
    for (uint64_t k = random() % 4; k; --k) f[random() % std::min<size_t>(f.size(), 140)] = char(random());
    if (random() % 4 == 0) f.resize(sizeof(FrameHeader) + random() % (f.size() - sizeof(FrameHeader)));
    FrameHeader h;
    std::memcpy(&h, f.data(), sizeof h);
    h.size = f.size() - sizeof h;
    Ref<ByteBlock> body = allocate_block(int64_t(h.size));
    if (h.size) std::memcpy(body->data, f.data() + sizeof h, h.size);
    try {
      Message m = decode(h, body);
      ++good;
      for (const Tensor& t : m.payload.tensors) EXPECT_LE(t.bytes(), int64_t(h.size));
    } catch (const Error& e) {
      EXPECT_TRUE(e.code == Code::corrupt) << e.message;
      ++bad;
    }
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(bad, 1000);
}

// Rank 1 is killed with calls to it under way: every one is answered, and a process that takes its rank over is found.
TEST(Agent, AKilledPeerAnswersEveryCall) {
  Processes p(3, [](Ref<dist::Store> store, int rank) -> std::string {
    const bool again = rank == 2;  // the same rank as 1, when that is gone
    if (again) store->get("killed", patient());
    Member m(Agent::create(store, rank ? 1 : 0, 2, {}));
    m->add_function("hold", function([&](Request& r) {
                      static std::vector<Ref<Request>> held;
                      static std::mutex mutex;
                      std::lock_guard lock(mutex);
                      held.push_back(Ref<Request>::share(&r));
                      if (held.size() == 20) store->set("held", "");
                    }));
    add_twice(*m);
    m->start(patient());
    if (rank == 1) {
      store->get("never", patient());
      return "";
    }
    if (again) {
      store->set("again", "");
      m->shut_down(patient());
      return "done";
    }
    std::vector<Ref<Future>> futures;
    for (int i = 0; i < 20; ++i) futures.push_back(m->call(1, "hold", {}));
    for (auto& f : futures) {
      const Error e = failure_of(f);
      if (e.code != Code::peer_lost || e.message != "rank 1 'worker1' was lost before it answered 'hold'")
        return e.message;
    }
    const Error gone = failure_of([&] { answer_of(m->call(1, "twice", {})); });
    if (gone.code != Code::peer_lost) return gone.message;
    store->set("killed", "");
    store->get("again", patient());
    if (answer_of(m->call(1, "twice", {{}, "x"})).bytes != "x0") return "wrong answer";
    m->shut_down(patient());
    return "done";
  });
  Ref<dist::Store> store = p.store();
  store->get("held", patient());
  kill(p.pid(1), SIGKILL);
  EXPECT_EQ(p.told(0), "done");
  EXPECT_EQ(p.told(2), "done");
}

// Nobody waits at the end for who was killed: one rank knew him, the other is told by the store.
TEST(Agent, ShutdownLeavesTheDeadBehind) {
  Processes p(3, [](Ref<dist::Store> store, int rank) -> std::string {
    Member m(Agent::create(store, rank, 3, {}));
    add_twice(*m);
    m->start(patient());
    if (rank == 0) answer_of(m->call(1, "twice", {}));
    if (rank == 0) store->set("known", "");
    if (rank == 1) {
      store->get("never", patient());
      return "";
    }
    store->get("killed", patient());
    m->shut_down(patient());
    return "done";
  });
  Ref<dist::Store> store = p.store();
  store->get("known", patient());
  kill(p.pid(1), SIGKILL);
  store->set("killed", "");
  EXPECT_EQ(p.told(0), "done");
  EXPECT_EQ(p.told(2), "done");
}

// Whoever calls a process that closes hears so: no call that was not run is answered like one that was.
TEST(Agent, WhatMeetsTheEndIsNotAnsweredAsIfItHadRun) {
  init();
  for (int i = 0; i < 100; ++i) {
    Ref<dist::Store> store = make_ref<dist::HashStore>();
    Member a(Agent::create(store, 0, 2, {})), b(Agent::create(store, 1, 2, {}));
    b->add_function("here", function([](Request& r) { r.reply({{}, "here"}); }));
    std::thread t([&] { b->start(patient()); });
    a->start(patient());
    t.join();
    std::vector<Ref<Future>> calls;
    std::atomic<int> called{0};
    std::thread caller([&] {
      try {
        for (; called < 100000; ++called) calls.push_back(a->call(1, "here", {}));
      } catch (const Error&) {  // it has gone
      }
      called = 1000000;
    });
    while (called < 20) std::this_thread::yield();
    b->close();
    caller.join();
    for (const auto& f : calls) {
      ASSERT_TRUE(f->wait(patient()));
      if (f->status() == Code::ok) {
        ASSERT_EQ(f->value().bytes, "here") << i;
      }
    }
  }
}

// One that others have left behind at the end takes part again when it comes again before all are through.
TEST(Agent, WhoComesAgainIsNoLongerLost) {
  init();
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  Member a(Agent::create(store, 0, 3, {})), b(Agent::create(store, 1, 3, {})),
      c(Agent::create(store, 2, 3, {}));
  std::vector<std::thread> all;
  for (Member* m : {&a, &b, &c}) {
    add_twice(**m);
    all.emplace_back([m] { (*m)->start(patient()); });
  }
  for (auto& t : all) t.join();
  answer_of(a->call(1, "twice", {}));
  b->close();
  std::thread first([&] { a->shut_down(patient()); });
  auto wait_for = [&](const char* key) { a->store().get(key, patient()); };
  wait_for("lost/1");
  Member again(Agent::create(store, 1, 3, {}));
  add_twice(*again);
  again->start(patient());
  EXPECT_EQ(answer_of(c->call(1, "twice", {{}, "x"})).bytes, "x2");
  std::thread second([&] { c->shut_down(patient()); });
  wait_for("bye/0/2");
  dist::sleep_for(dist::kSecond / 2);  // in which the two would end
  const std::string over[] = {"over"};
  EXPECT_FALSE(a->store().check(over));
  again->shut_down(patient());
  first.join();
  second.join();
}

// Who greets a peer that does not answer hears of the end at once, and so do those who wait for him.
TEST(Agent, CloseIsHeardByWhoReachesAPeer) {
  init();
  dist::Address where{"127.0.0.1", 0};
  dist::Socket silent = dist::listen_at(where, "an agent");
  Member a(Agent::create(make_ref<dist::HashStore>(), 0, 2, {}));
  announce(*a, where);
  a->start(patient());
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      EXPECT_EQ(failure_of([&] { a->call(1, "x", {}, 30 * dist::kSecond); }).code, Code::cancelled);
    });
  pollfd p{silent.fd(), POLLIN, 0};
  EXPECT_EQ(poll(&p, 1, -1), 1);
  dist::sleep_for(dist::kSecond / 20);
  a->close();
  for (std::thread& t : callers) t.join();
}

TEST(Agent, CloseAnswersWhatIsUnderWay) {
  Ref<Request> held;
  init();
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  Member a(Agent::create(store, 0, 2, {})), b(Agent::create(store, 1, 2, {}));
  std::atomic<bool> there{false};
  b->add_function("hold", function([&](Request& r) {
                    held = Ref<Request>::share(&r);
                    there = true;
                  }));
  std::thread t([&] { b->start(patient()); });
  a->start(patient());
  t.join();
  Ref<Future> f = a->call(1, "hold", {});
  while (!there) std::this_thread::yield();
  a->close();
  EXPECT_EQ(failure_of(f).code, Code::cancelled);
  held.reset();
}

}  // namespace
}  // namespace haft::rpc::testing
