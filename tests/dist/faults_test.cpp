// Ranks that are killed, stopped and made again, and groups that work for long: real processes.
#include <cstdio>

#include "store_testing.h"
#include "stream.h"
#include "tests/seed.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const int kills = 10, soak = 1000;
#else  // fewer over engines that are slower within a host
const int kills = tested_engine().empty() ? 100 : 30, soak = tested_engine().empty() ? 10000 : 2000;
#endif

// Four processes meet in one round after another. In each of them one is killed at some point of a stream of
// collectives, the others hear of it and go on to the next round, to which another process comes in its place.
class Kills : public ::testing::Test {
 protected:
  static constexpr int n = 4;
  Folder folder_;
  unsigned seed_ = 0;
  pid_t pids_[n] = {};
  int ends_[n] = {-1, -1, -1, -1};

  struct Plan {
    int victim, steps;
    int64_t later_us;  // -1: between two calls, else by another thread while the stream goes on
    Plan(unsigned seed, int round) {
      std::mt19937 rng(seed + unsigned(round));
      victim = int(rng() % n);
      steps = int(rng() % 12);
      later_us = rng() % 3 ? int64_t(rng() % 500) : -1;
    }
  };

  std::string tell(int rank, int round) {
    const Plan plan(seed_, round);
    GroupOptions o = patient();
    o.name = concat("round", round);
    Member g(Group::create(make_ref<FileStore>(folder_.path), rank, n, o));
    Stream stream(seed_ + unsigned(round));
    std::string told;
    try {
      g->run(barrier());  // all have the group
      for (int i = 0;; ++i) {
        if (rank == plan.victim && i == plan.steps) {
          if (plan.later_us < 0) raise(SIGKILL);
          std::thread([us = plan.later_us] {
            usleep(useconds_t(us));
            kill(getpid(), SIGKILL);
          }).detach();
        }
        stream.step(*g);
      }
    } catch (const Error& e) {
      told = concat(int(e.code), " ", e.message);
    }
    try {
      g->run(barrier());
      told += ", but the group lives";
    } catch (const Error& e) {
      if (concat(int(e.code), " ", e.message) != told) told += concat(", and then ", e.message);
    }
    return concat(told, ", culprit ", g->failure().culprit);
  }

  void start(int rank, int first) {
    int pipe_ends[2];
    ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
    const pid_t parent = getpid(), pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      setenv("HAFT_HOSTID", tested_host(rank).c_str(), 1);
      for (int round = first; round < kills; ++round) {
        alarm(600);
        std::string line;
        try {
          line = tell(rank, round) + "\n";
        } catch (const Error& e) {
          line = concat("no group: ", e.message, "\n");
        }
        if (write(pipe_ends[1], line.data(), line.size()) < 0) _exit(1);
      }
      _exit(0);
    }
    close(pipe_ends[1]);
    pids_[rank] = pid;
    ends_[rank] = pipe_ends[0];
  }
  std::string line(int rank) {
    std::string s;
    for (char c; read(ends_[rank], &c, 1) == 1 && c != '\n';) s += c;
    return s;
  }
  void stop(int rank) {
    if (pids_[rank] > 0) {
      kill(pids_[rank], SIGKILL);
      waitpid(pids_[rank], nullptr, 0);
    }
    if (ends_[rank] >= 0) close(ends_[rank]);
    pids_[rank] = 0, ends_[rank] = -1;
  }

  void SetUp() override {
    init();
    seed_ = unsigned(haft::test::seed());
  }
  void TearDown() override {
    for (int r = 0; r < n; ++r) stop(r);
  }
};

TEST_F(Kills, AtRandomPointsOfRandomCalls) {
  for (int r = 0; r < n; ++r) start(r, 0);
  for (int round = 0; round < kills; ++round) {
    const int victim = Plan(seed_, round).victim;
    const std::string want = concat("24 rank ", victim, " has ended; rank "),
                      culprit = concat(", culprit ", victim);
    std::string first;
    for (int r = 0; r < n; ++r) {
      if (r == victim) continue;
      const std::string told = line(r), where = concat("rank ", r, " in round ", round, " of seed ", seed_);
      ASSERT_EQ(told.substr(0, want.size()), want) << told << ", " << where;
      ASSERT_TRUE(told.ends_with(culprit)) << told << ", " << where;
      if (first.empty()) first = told;
      if (tested_engine().empty()) {  // in shared memory the first reason is everybody's
        ASSERT_EQ(told, first) << where;
      }
    }
    stop(victim);
    if (round + 1 < kills) start(victim, round + 1);
  }
}

// While one is stopped the others hear that it is late, and go on without it in a group of their own; when it goes
// on, it hears so, too, and nobody else is disturbed.
TEST(Processes, AStoppedPeerIsNamedByAll) {
  constexpr int n = 4, stopped = 2;
  Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
    Member g(Group::create(store, r, n, patient()));
    Stream stream(1);
    for (int i = 0; i < 20; ++i) stream.step(*g);
    g->run(barrier());  // the others come to the next one together
    if (r == stopped) raise(SIGSTOP);
    std::string told;
    try {
      g->run(within(2, barrier()));
      // All that the first one wants of the others may have come meanwhile.
      if (r == stopped) g->run(within(2, barrier()));
    } catch (const Error& e) {
      told = concat(int(e.code), " ", e.message);
    }
    if (r == stopped) return told;
    GroupOptions o = patient();
    o.name = "rest";
    Member rest(Group::create(store, r > stopped ? r - 1 : r, n - 1, o));
    for (int i = 0; i < 100; ++i) {
      if (i == 50 && rest->rank() == 0) store->set("goes on", "");
      if (i == 50) store->get("went on", Deadline::in(300 * kSecond));
      stream.step(*rest);
    }
    return told + ", went on";
  });
  int status = 0;
  ASSERT_EQ(waitpid(ps.pid(stopped), &status, WUNTRACED), ps.pid(stopped));
  ASSERT_TRUE(WIFSTOPPED(status));
  auto store = make_ref<FileStore>(ps.folder());
  store->get("goes on", Deadline::in(300 * kSecond));
  kill(ps.pid(stopped), SIGCONT);
  const std::string late = ps.told(stopped);
  EXPECT_EQ(late.substr(0, 3), "23 ") << late;
  store->set("went on", "");
  for (int r = 0; r < n; ++r) {
    if (r == stopped) continue;
    const std::string told = ps.told(r);
    EXPECT_EQ(told.substr(0, 3), "23 ") << told;
    EXPECT_NE(told.find(concat("for ranks [", stopped, "], which have not called it")), std::string::npos)
        << told;
    EXPECT_TRUE(told.ends_with(", went on")) << told;
  }
}

// Aborted, made again of fewer ranks, aborted and made again of all, in the same process: nothing is left of any.
TEST(Groups, AreMadeAgainWithoutATrace) {
  init();
  constexpr int n = 4, rounds = 20;
  Ref<Store> store = make_ref<HashStore>();
  auto all_rounds = [&](int rounds_now) {
    std::vector<std::thread> threads;
    Failures wrong(n);
    for (int me = 0; me < n; ++me)
      threads.emplace_back([&, me] {
        for (int round = 0; round < rounds_now; ++round) {
          const int out = round % n;
          try {
            Member g(Group::create(store, me, n, patient()));
            Stream stream{unsigned(round)}, again{unsigned(round)};
            Tensor x = filled({1000}, DType::f32, 1);
            try {  // where the others are when it comes is up to them
              for (int i = 0; i < 3; ++i) stream.step(*g);
              if (me == out) g->kill("out of it");
              Ref<Work> w = g->start(all_reduce(x));
              w->wait(Deadline::never());
              w->check();
              wrong[size_t(me)] += "a sum without a rank; ";
            } catch (const Error& e) {
              if (e.code != Code::cancelled) wrong[size_t(me)] += e.message + "; ";
            }
            if (me == out) continue;
            GroupOptions o = patient();
            o.name = "fewer";
            Member fewer(Group::create(store, me > out ? me - 1 : me, n - 1, o));
            for (int i = 0; i < 3; ++i) again.step(*fewer);
          } catch (const Error& e) {
            wrong[size_t(me)] += e.message + "; ";
          }
        }
      });
    for (std::thread& t : threads) t.join();
    expect_none(wrong);
  };
  all_rounds(2);
  const Held before = Held::now();
  all_rounds(rounds);
  const Held end = Held::after(before);
  EXPECT_TRUE(end.is_within(before)) << before.text() << ", later " << end.text();
}

TEST(Processes, WorkForLongWithoutGrowing) {
  constexpr int n = 2;
  Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
    Member g(Group::create(store, r, n, patient()));
    Stream stream(7);
    Held half;
    for (int i = 0; i < soak; ++i) {
      if (i == soak / 2) half = Held::now();
      stream.step(*g);
      if (i % (soak / 20)) continue;
      alarm(600);  // it lives
      Member part(g->split(0, -r, {}));
      stream.step(*part);
    }
    const Held end = Held::after(half);
    // Room that queues and threads' caches took while a rank had to wait for its processor stays theirs.
    if (end.heap > half.heap + (1 << 20)) return concat("the heap grew by ", end.heap - half.heap);
    return end.is_within(half) ? "fine" : concat(half.text(), ", later ", end.text());
  });
  for (int r = 0; r < n; ++r) EXPECT_EQ(ps.told(r), "fine");
}

}  // namespace
