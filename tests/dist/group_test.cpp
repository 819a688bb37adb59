// Works, sub-groups, and what a group does when something goes wrong.
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cmath>

#include "core/dist/shared_memory.h"
#include "ranks.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

TEST(Works, SeveralInFlightEndInOrder) {
  constexpr int n = 3, calls = 40;
  expect_none(run_threads(n, [&](Group& g) {
    std::vector<Tensor> xs;
    std::vector<Ref<Work>> works;
    std::atomic<int> called{0}, wrong{0};
    for (int i = 0; i < calls; ++i) {
      xs.push_back(filled({int64_t(1 + i * 300)}, DType::f32, i + g.rank()));
      works.push_back(g.start(all_reduce(xs.back())));
      works.back()->on_done([&, i](Work& w) {
        if (w.status() != Code::ok || called.fetch_add(1) != i) ++wrong;
      });
    }
    Tensor last = filled({5}, DType::f32, 1);
    g.run(all_reduce(last));  // comes after all of them
    for (int i = 0; i < calls; ++i) {
      if (!works[size_t(i)]->is_done()) fail(Code::internal, concat("work ", i, " runs after a later one"));
      works[size_t(i)]->check();
      if (at(xs[size_t(i)], 0) != 3 * i + 3)
        fail(Code::internal, concat("work ", i, " has ", at(xs[size_t(i)], 0)));
    }
    while (called < calls) usleep(1000);
    if (wrong) fail(Code::internal, "callbacks out of order");
    bool at_once = false;
    works[0]->on_done([&](Work&) { at_once = true; });
    if (!at_once) fail(Code::internal, "a callback of what is done was not called");
  }));
}

TEST(Works, WaitHasATimeout) {
  expect_none(run_threads(2, [&](Group& g) {
    Tensor x = filled({4}, DType::f32, 1), go = filled({1}, DType::u8, 1);
    if (g.rank() == 0) {
      Ref<Work> w = g.start(all_reduce(x));
      if (w->wait(Deadline::in(20000000))) fail(Code::internal, "done without the peer");
      g.run(send(go, 1));
      if (!w->wait(Deadline::in(300 * kSecond))) fail(Code::internal, "never done");
      w->check();
    } else {
      g.run(recv(go, 0));
      g.run(all_reduce(x));
    }
    if (at(x, 3) != 2) fail(Code::internal, "wrong sum");
  }));
}

TEST(Works, CallbacksMayIssueButNotWait) {
  expect_none(run_threads(2, [&](Group& g) {
    Tensor x = filled({4}, DType::f32, 1), y = filled({4}, DType::f32, 2);
    std::atomic<int> refused{0};
    Ref<Work> second;
    Ref<Work> first = g.start(all_reduce(x));
    std::atomic<bool> done{false};
    first->on_done([&](Work&) {
      second = g.start(all_reduce(y));
      try {
        second->wait(Deadline::never());
        if (!second->is_done())
          refused = -1;
        else
          refused = 1;  // the peer was that fast only when somebody else ran it
      } catch (const Error& e) {
        refused = e.code == Code::recursive ? 1 : -1;
      }
      done = true;
    });
    while (!done) usleep(1000);
    if (refused != 1) fail(Code::internal, "a callback waited");
    second->wait(Deadline::never());
    second->check();
    if (at(y, 0) != 4) fail(Code::internal, "wrong sum");
  }));
}

TEST(Groups, SplitAndSubgroup) {
  expect_none(run_threads(5, [&](Group& g) {
    const int me = g.rank();
    Member half(g.split(me % 2, -me, {}));
    if (half->size() != (me % 2 ? 2 : 3)) fail(Code::internal, "wrong size");
    Tensor x = filled({3}, DType::i32, me);
    half->run(all_reduce(x));
    if (at(x, 0) != (me % 2 ? 4 : 6)) fail(Code::internal, "wrong sum");
    Tensor first = filled({1}, DType::i32, me);
    half->run(job(Kind::broadcast, {}, {first}, 0));  // the largest, by key
    if (at(first, 0) != (me % 2 ? 3 : 4)) fail(Code::internal, concat("wrong order: ", at(first, 0)));
    Ref<Group> none = g.split(me == 2 ? -1 : 0, 0, {});
    Member rest(none);
    if (bool(none) != (me != 2)) fail(Code::internal, "a negative color joined");
    Member some(g.subgroup({4, 1}, {}));
    if (bool(some.g) != (me == 4 || me == 1)) fail(Code::internal, "wrong members");
    if (some.g && some->rank() != (me == 4 ? 0 : 1)) fail(Code::internal, "wrong rank");
    g.run(barrier());
  }));
}

TEST(Groups, NamesOfSubgroupsFitIntoAStore) {
  GroupOptions o = patient();
  o.name = std::string(kMaxKey - 24, 'n');  // as long as a store's key may be with what the group adds
  expect_none(run_threads(
      2,
      [&](Group& g) {
        Ref<Group> all = g.subgroup({0, 1}, {}), inner = all->subgroup({1, 0}, {});
        Member a(all), b(inner);
        if (b->rank() != 1 - g.rank()) fail(Code::internal, "rank");
        b->run(barrier());
      },
      o));
}

TEST(Groups, SeveralThreadsAndGroups) {
  expect_none(run_threads(2, [&](Group& g) {
    Member other(g.subgroup({0, 1}, {}));
    auto work = [](Group& on, int times) {
      for (int i = 0; i < times; ++i) {
        Tensor x = filled({int64_t(1 + i * 37)}, DType::f32, i);
        on.run(all_reduce(x));
        if (at(x, 0) != 2 * i) return false;
      }
      return true;
    };
    bool ok = false;
    std::thread t([&] { ok = work(*other, 200); });
    const bool mine = work(g, 200);
    t.join();
    if (!ok || !mine) fail(Code::internal, "wrong sum");
    // Two threads of a rank on one group, which do the same: whose turn it is does not matter.
    std::atomic<int> wrong{0};
    std::thread a([&] { wrong += !work(g, 0); });
    a.join();
    std::vector<std::thread> both;
    for (int k = 0; k < 2; ++k)
      both.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          Tensor x = filled({8}, DType::i32, 1);
          g.run(all_reduce(x));
          if (at(x, 7) != 2) ++wrong;
        }
      });
    for (auto& b : both) b.join();
    if (wrong) fail(Code::internal, "wrong sum");
  }));
}

TEST(Groups, TwoThreadsMayCloseOne) {
  for (int i = 0; i < 100; ++i)
    expect_none(run_threads(1, [](Group& g) {
      Tensor x = filled({4}, DType::f32, 1);
      g.start(all_reduce(x))->wait(Deadline::never());  // there is a thread to be joined
      std::atomic<int> here{0};
      std::vector<std::thread> both;
      for (int k = 0; k < 2; ++k)
        both.emplace_back([&] {
          for (++here; here < 2;) {
          }
          g.close();
        });
      for (auto& b : both) b.join();
    }));
}

TEST(Groups, WhatWasSentArrivesAfterItsSenderHasLeft) {
  std::atomic<bool> sent{false};
  expect_none(run_threads(2, [&](Group& g) {
    std::vector<Tensor> xs;
    for (int i = 0; i < 3; ++i) xs.push_back(filled({4000}, DType::f32, 7 + i - 10 * g.rank()));
    g.run(barrier());
    if (g.rank() == 0) {
      for (Tensor& x : xs) g.run(send(x, 1));
      sent = true;
      return;
    }
    while (!sent) usleep(1000);
    usleep(20000);  // and it leaves
    for (int i = 0; i < 3; ++i) {
      g.run(recv(xs[size_t(i)], 0));
      if (at(xs[size_t(i)], 3999) != 7 + i) fail(Code::internal, "wrong data");
    }
  }));
}

// ---- what goes wrong ----

void expect_mismatch(const std::function<void(Group&)>& f, std::vector<std::string> parts, int n = 3) {
  Failures failures = run_threads(n, [&](Group& g) {
    f(g);
    g.run(barrier());  // who was through it before learns here
  });
  for (int r = 0; r < n; ++r) {
    EXPECT_EQ(failures[size_t(r)].substr(0, 4), "25: ") << "rank " << r << ": " << failures[size_t(r)];
    // A call may also meet the barrier of one who was through the call before it.
    if (failures[size_t(r)].find("barrier #2") != std::string::npos) continue;
    for (const std::string& p : parts)
      EXPECT_NE(failures[size_t(r)].find(p), std::string::npos) << failures[size_t(r)];
  }
}

TEST(Mismatch, CallShapeTypeRootReductionOrder) {
  auto x = [](DType t = DType::f32, int64_t n = 6) { return filled({n}, t, 1); };
  expect_mismatch(
      [&](Group& g) { g.run(g.rank() == 1 ? job(Kind::broadcast, {}, {x()}, 0) : all_reduce(x())); },
      {"broadcast #1 (float32 [6], root 0)", "all_reduce #1 (float32 [6], sum)"});
  expect_mismatch([&](Group& g) { g.run(all_reduce(x(g.rank() == 2 ? DType::f64 : DType::f32))); },
                  {"float64 [6]", "float32 [6]"});
  expect_mismatch([&](Group& g) { g.run(all_reduce(x(DType::f32, g.rank() ? 6 : 7))); }, {"[6]", "[7]"});
  expect_mismatch([&](Group& g) { g.run(all_reduce(x(DType::f32, g.rank() ? 60000 : 70000))); },
                  {"[60000]", "[70000]"});
  expect_mismatch(
      [&](Group& g) {
        g.run(all_reduce(
            filled(g.rank() ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{3, 2}, DType::f32, 1)));
      },
      {"[2, 3]", "[3, 2]"});
  expect_mismatch([&](Group& g) { g.run(job(Kind::broadcast, {}, {x()}, g.rank() == 1)); },
                  {"root 0", "root 1"});
  expect_mismatch([&](Group& g) { g.run(all_reduce(x(), g.rank() ? ReduceOp::sum : ReduceOp::max)); },
                  {"sum", "max"});
  expect_mismatch(
      [&](Group& g) {
        if (g.rank() == 0) g.run(barrier());
        g.run(all_reduce(x()));
        if (g.rank()) g.run(barrier());
      },
      {"barrier #1", "all_reduce #1"});
  expect_mismatch(
      [&](Group& g) {
        std::vector<Tensor> outs;
        for (int r = 0; r < 3; ++r) outs.push_back(x(DType::f32, r == 1 && g.rank() == 0 ? 5 : 6 + (r == 2)));
        g.run(job(Kind::all_gather, {x(DType::f32, 6 + (g.rank() == 2))}, outs));
      },
      {"rank 1 sends 6 elements to rank 0"});
}

TEST(Mismatch, WhatARankCanTellAloneLeavesTheGroupAlive) {
  expect_none(run_threads(3, [&](Group& g) {
    auto refuses = [&](Code code, Job j) {
      try {
        g.run(std::move(j));
      } catch (const Error& e) {
        if (e.code == code) return;
        fail(Code::internal, concat("code ", int(e.code), ": ", e.message));
      }
      fail(Code::internal, "it was taken");
    };
    Tensor x = filled({4}, DType::f32, 1), i = filled({4}, DType::i32, 1);
    refuses(Code::invalid_argument, job(Kind::broadcast, {}, {x}, 3));
    refuses(Code::dtype, all_reduce(i, ReduceOp::avg));
    refuses(Code::dtype, all_reduce(x, ReduceOp::bxor));
    refuses(Code::dtype, job(Kind::all_gather, {x}, {x, i}));
    refuses(Code::invalid_argument, job(Kind::all_gather, {x}, {x}));
    refuses(Code::shape, job(Kind::all_gather, {x}, std::vector<Tensor>(3, filled({3}, DType::f32, 0))));
    // Parts whose sum wraps to what fits.
    Job parts = job(Kind::all_to_all, {x}, {x});
    parts.in_parts = parts.out_parts = {INT64_MAX, INT64_MAX, 6};
    refuses(Code::invalid_argument, parts);
    refuses(Code::invalid_argument, send(x, g.rank()));
    refuses(Code::invalid_argument, send(x, 3));
    g.run(all_reduce(x));
    if (at(x, 0) != 3) fail(Code::internal, "wrong sum");
  }));
}

TEST(Faults, LateRanksAreNamed) {
  Failures f = run_threads(3, [&](Group& g) {
    g.run(barrier());
    if (g.rank() == 1) {
      while (g.failure().code == Code::ok) usleep(1000);
    }
    Tensor x = filled({4}, DType::f32, 1);
    g.run(within(2, all_reduce(x)));
  });
  for (const std::string& text : f) {
    EXPECT_EQ(text.substr(0, 4), "23: ") << text;
    EXPECT_NE(text.find("has waited 2 s in all_reduce #2 (float32 [4], sum) for ranks [1], which have not "
                        "called it: rank 1 "
                        "came as far as #1"),
              std::string::npos)
        << text;
  }
}

TEST(Faults, MissingRanksAtTheStart) {
  init();
  Ref<Store> store = make_ref<HashStore>();
  Failures f(3);
  std::vector<std::thread> threads;
  for (int r : {0, 2})
    threads.emplace_back([&, r] {
      try {
        Group::create(store, r, 3, patient(3));
      } catch (const Error& e) {
        f[size_t(r)] = concat(int(e.code), ": ", e.message);
      }
    });
  for (auto& t : threads) t.join();
  for (int r : {0, 2})
    EXPECT_NE(f[size_t(r)].find("23: 2 of 3 ranks have come to the group, missing are ranks [1]"),
              std::string::npos)
        << f[size_t(r)];
  // Now all come: rank 1 for the first time, the others for the second.
  threads.clear();
  for (int r : {0, 1, 2})
    threads.emplace_back([&, r] {
      try {
        Member(Group::create(store, r, 3, patient()))->run(barrier());
        f[size_t(r)].clear();
      } catch (const Error& e) {
        f[size_t(r)] = e.message;
      }
    });
  for (auto& t : threads) t.join();
  expect_none(f);
  try {
    Group::create(make_ref<HashStore>(), 1, 2, patient(0.3));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::timeout);
    EXPECT_TRUE(e.message.find("rank 0 has not come") != std::string::npos ||
                e.message.find("missing are ranks [0]") != std::string::npos)
        << e.message;
  }
}

TEST(Faults, AbortReachesEveryRank) {
  Failures f = run_threads(4, [&](Group& g) {
    Tensor x = filled({4}, DType::f32, 1);
    if (g.rank() == 3) {
      g.kill("the loss is NaN");
      g.kill("again");
    }
    g.run(all_reduce(x));
  });
  for (const std::string& text : f)
    EXPECT_NE(text.find("22: rank 3 aborted the group: the loss is NaN"), std::string::npos) << text;
}

// Engines may send large data from where they lie: they are the caller's again when the call returns, also when it
// fails.
TEST(Groups, LargeDataAreTheCallersAgain) {
  expect_none(run_threads(3, [](Group& g) {
    Tensor x = filled({1 << 19}, DType::f32, 0);
    for (int i = 0; i < 10; ++i) {
      ops::fill_(x, Scalar(double(i + g.rank())));
      g.run(all_reduce(x));
      for (int64_t k : {0, 174763, 349525, (1 << 19) - 1})
        if (at(x, k) != 3 * i + 3) fail(Code::internal, concat("got ", at(x, k), " at ", k, " in round ", i));
    }
  }));
}

// Nothing comes into memory of a call that has failed, however far it was.
TEST(Groups, LargeDataAreTheCallersAgainWhenTheCallFails) {
  for (int i = 0; i < 6; ++i)
    expect_none(run_threads(3, [i](Group& g) {
      Tensor x = filled({2 << 20}, DType::f32, g.rank());
      std::thread killer;
      if (g.rank() == 2)
        killer = std::thread([&] {
          usleep(useconds_t(700 * i));
          g.kill("enough");
        });
      try {
        for (;;) g.run(i % 2 ? job(Kind::broadcast, {}, {x}, 0) : all_reduce(x));
      } catch (const Error&) {
      }
      ops::fill_(x, Scalar(-7.0));
      if (killer.joinable()) killer.join();
      usleep(20000);
      for (int64_t k = 0; k < x.numel(); ++k)
        if (x.data<float>()[k] != -7) fail(Code::internal, concat("got ", x.data<float>()[k], " at ", k));
    }));
}

// Who waits may go to another processor; where he may compute stays what it was.
TEST(Groups, WaitingLeavesTheAffinityAsItIs) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  expect_none(run_threads(3, [&](Group& g) {
    const int here = sched_getcpu();
    cpu_set_t one, now;
    CPU_ZERO(&one);
    CPU_SET(size_t(here), &one);
    Tensor x = filled({4}, DType::f32, 1);
    for (bool alone : {true, false}) {
      if (sched_setaffinity(0, sizeof one, alone ? &one : &all)) fail(Code::internal, "sched_setaffinity");
      for (int i = 0; i < 3000; ++i) g.run(all_reduce(x));
      if (sched_getaffinity(0, sizeof now, &now) || !CPU_EQUAL(&now, alone ? &one : &all))
        fail(Code::internal, "another mask");
    }
  }));
}

TEST(Faults, AbortWakesAThreadOfTheSameRank) {
  Failures f = run_threads(2, [&](Group& g) {
    if (g.rank()) {
      while (g.failure().code == Code::ok) usleep(1000);
      return;
    }
    std::thread t([&] {
      usleep(20000);
      g.kill("enough");
    });
    Tensor x = filled({4}, DType::f32, 1);
    std::string text;
    try {
      g.run(all_reduce(x));
    } catch (const Error& e) {
      text = e.message;
    }
    t.join();
    if (text.find("enough") == std::string::npos) fail(Code::internal, text);
  });
  expect_none(f);
}

TEST(Faults, ReleaseWithPendingWork) {
  std::atomic<bool> released{false};
  Failures f = run_threads(2, [&](Group& g) {
    Tensor x = filled({4}, DType::f32, 1);
    if (g.rank()) {
      while (!released) usleep(1000);
      g.run(all_reduce(x));
      return;
    }
    Ref<Work> w = g.start(all_reduce(x));
    g.close();
    released = true;
    if (!w->is_done() || w->status() != Code::cancelled) fail(Code::internal, "the work was not answered");
  });
  EXPECT_EQ(f[0], "");
  EXPECT_NE(f[1].find("22: rank 0 released the group while calls were under way"), std::string::npos) << f[1];
}

TEST(Faults, WhoHasLeftIsNamed) {
  Failures f = run_threads(2, [&](Group& g) {
    g.run(barrier());
    if (g.rank() == 0) return;
    g.run(barrier());
  });
  EXPECT_EQ(f[0], "");
  EXPECT_NE(f[1].find("24: rank 0 has released the group; rank 1 waits for it in barrier #2"),
            std::string::npos)
      << f[1];
}

TEST(Faults, GroupsAreMadeAnewUnderTheSameName) {
  init();
  Ref<Store> store = make_ref<HashStore>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int r = 0; r < 2; ++r)
    threads.emplace_back([&, r] {
      for (int i = 0; i < 20; ++i) {
        Member m(Group::create(store, r, 2, patient()));
        Tensor x = filled({4}, DType::f32, i);
        try {
          m->run(all_reduce(x));
          if (at(x, 0) != 2 * i) ++wrong;
          if (i % 3 == 0) m->kill("once more");
        } catch (const Error&) {
          if (i % 3) ++wrong;  // the peer's abort may be faster than the sum
        }
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Recorder, TellsCallsAndFailure) {
  std::string json;
  run_threads(2, [&](Group& g) {
    Tensor x = filled({2, 3}, DType::f32, 1);
    g.run(all_reduce(x));
    if (g.rank()) return;
    try {
      g.run(barrier());
    } catch (const Error&) {
    }
    json = g.recorder_json();
  });
  for (const char* part :
       {"\"rank\": 0, \"size\": 2", "\"call\": \"all_reduce\", \"seq\": 1", "\"sizes\": [2, 3]",
        "\"state\": \"finished\"", "\"call\": \"barrier\", \"seq\": 2", "\"state\": \"failed\"",
        "\"culprit\": 1", "has released the group"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

// ---- processes ----

TEST(Processes, AgreeOnSums) {
  constexpr int n = 4;
  Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
    Member g(Group::create(std::move(store), r, n, patient()));
    for (int64_t count : {1, 1000, 300001}) {
      Tensor x = numbers({count}, DType::f32, [&](int64_t i) { return double(i % 100 + r); });
      g->run(all_reduce(x));
      for (int64_t i = 0; i < count; ++i)
        if (at(x, i) != double(i % 100 * n + 6))
          return concat("element ", i, " of ", count, " is ", at(x, i));
    }
    return "fine";
  });
  for (int r = 0; r < n; ++r) EXPECT_EQ(ps.told(r), "fine");
}

// A rank is killed at some point of a loop; every other has the reason, and not by waiting until its time is over.
TEST(Processes, AKilledPeerIsNamedByAll) {
  constexpr int n = 4;
  for (int victim : {0, 3}) {
    for (int large : {0, 1}) {
      Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
        Member g(Group::create(std::move(store), r, n, patient()));
        g->run(barrier());
        const int last = r == victim ? 50 : INT32_MAX;
        try {
          for (int i = 0; i < last; ++i) {
            Tensor x = filled({large ? 200000 : 100}, DType::f32, 1);
            g->run(all_reduce(x));
          }
        } catch (const Error& e) {
          return concat(int(e.code), " ", e.message);
        }
        kill(getpid(), SIGKILL);
        return "";
      });
      for (int r = 0; r < n; ++r) {
        if (r == victim) continue;
        const std::string told = ps.told(r);
        EXPECT_NE(told.find(concat("24 rank ", victim, " has ended; rank ")), std::string::npos) << told;
      }
    }
  }
}

TEST(Processes, AFrozenPeerIsLate) {
  Processes ps(2, [&](Ref<Store> store, int r) -> std::string {
    Member g(Group::create(std::move(store), r, 2, patient()));
    Tensor x = filled({100000}, DType::f32, 1);
    g->run(all_reduce(x));
    if (r) raise(SIGSTOP);
    try {
      g->run(within(1, all_reduce(x)));
      return "no failure";
    } catch (const Error& e) {
      return concat(int(e.code), " ", e.message);
    }
  });
  EXPECT_EQ(ps.told(0).substr(0, 28), "23 rank 0 has waited 1 s in ");
  kill(ps.pid(1), SIGCONT);
  // Its own time is over, or rank 0 has ended before it read what rank 0 had said.
  const std::string late = ps.told(1);
  EXPECT_TRUE(late.starts_with("23 ") || late.starts_with("24 rank 0 has ended")) << late;
}

// What is under way to it goes on from memory of the group's own.
TEST(Processes, LargeDataForAFrozenPeerAreTheCallersAgain) {
  Processes ps(2, [&](Ref<Store> store, int r) -> std::string {
    Member g(Group::create(store, r, 2, patient()));
    Tensor one = filled({1}, DType::f32, 1);
    g->run(all_reduce(one));
    std::string told;
    auto fails = [&](const Tensor& x) {
      try {
        g->run(within(1, all_reduce(x)));
      } catch (const Error& e) {
        told = concat(int(e.code), " ", e.message);
      }
    };
    if (r) {
      store->set("frozen", concat(int64_t(getpid())));
      raise(SIGSTOP);
      fails(filled({4 << 20}, DType::f32, 1));
      return told;
    }
    const pid_t peer = std::stoi(store->get("frozen", Deadline::never()));
    {
      constexpr int64_t count = 4 << 20, step = 1;
      void* memory = mmap(nullptr, count * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      fails(tensor_over(
          wrap_storage(
              Device(), memory, count * 4, [](Storage& s) { munmap(s.data, count * 4); }, nullptr),
          IntList(&count, 1), IntList(&step, 1), DType::f32));
    }
    kill(peer, SIGCONT);
    return told;
  });
  EXPECT_EQ(ps.told(0).substr(0, 28), "23 rank 0 has waited 1 s in ");
  EXPECT_EQ(ps.told(1).substr(0, 28), "23 rank 0 has waited 1 s in ");
}

TEST(Processes, AChildOfARankHasNoGroup) {
  Processes ps(2, [&](Ref<Store> store, int r) -> std::string {
    Member g(Group::create(std::move(store), r, 2, patient()));
    int status = -1;
    Tensor got = filled({1}, DType::f32, 0);
    // Which the peer does not answer before the sum.
    Ref<Work> open = g->start(r == 0 ? recv(got, 1, 5) : send(got, 0, 6));
    if (r == 0) {
      const pid_t child = fork();
      if (child == 0) {
        Tensor x = filled({4}, DType::f32, 1);
        int refused = 0;
        auto refuses = [&](const std::function<void()>& f) {
          try {
            f();
          } catch (const Error& e) {
            refused += e.code == Code::forked;
          }
        };
        refuses([&] { g->run(all_reduce(x)); });
        refuses([&] { open->on_done([](Work&) {}); });
        refuses([&] { open->wait(Deadline::never()); });
        refuses([&] { g->recorder_json(); });
        _exit(refused == 4 && g->failure().code == Code::forked && g->issued() == 0 ? 7 : 8);
      }
      waitpid(child, &status, 0);
    }
    Tensor x = filled({4}, DType::f32, 1);
    g->run(all_reduce(x));  // the child's end is nobody's
    g->run(r == 0 ? recv(got, 1, 6) : send(got, 0, 5));
    open->wait(Deadline::never());
    return concat("sum ", int64_t(at(x, 0)), " child ", WEXITSTATUS(status));
  });
  EXPECT_EQ(ps.told(0), "sum 2 child 7");
}

// Whoever finds the socket of the meeting may connect to it, and say nothing.
TEST(SharedMemoryJoin, StrangersDoNotKeepRanksOut) {
  init();
  Ref<Store> store = make_ref<HashStore>();
  Failures failures{2};
  auto create = [&](int r) {
    try {
      Member m(Group::create(store, r, 2, patient()));
      m->run(barrier());
    } catch (const Error& e) {
      failures[size_t(r)] = e.message;
    }
  };
  std::thread first([&] { create(0); });
  const std::string address = store->get("group/default/1/shm", Deadline::in(300 * kSecond)).substr(16);
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  std::memcpy(a.sun_path, address.data(), address.size());
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 40; ++i) {
    strangers.emplace_back(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(strangers.back().get(), reinterpret_cast<sockaddr*>(&a),
                      socklen_t(sizeof(sa_family_t) + address.size())),
              0);
  }
  create(1);
  first.join();
  expect_none(failures);
}

// Of two that say they are rank 1 one is told so, and the group is made with the other.
TEST(SharedMemoryJoin, ARankComesOnce) {
  Ref<Store> store = make_ref<HashStore>();
  const Deadline deadline = Deadline::in(300 * kSecond);
  std::atomic<int> refused{0}, joined{0};
  auto join = [&](int r) {
    try {
      share_memory(*store, r, 3, 4096, "", deadline);
      ++joined;
    } catch (const Error& e) {
      EXPECT_EQ(e.code, Code::invalid_argument);
      EXPECT_EQ(e.message, "rank 1 of the group is there already");
      ++refused;
      store->set("one is refused", "");
    }
  };
  std::vector<std::thread> ranks;
  for (int r : {0, 1, 1}) ranks.emplace_back(join, r);
  store->get("one is refused", deadline);
  join(2);
  for (std::thread& t : ranks) t.join();
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(joined, 3);
}

}  // namespace
