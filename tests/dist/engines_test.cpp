// Engines: which one a group gets, who may take part in its mesh, and ranks on several machines, which are network
// namespaces of this one.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>

#include "core/dist/engines.h"
#include "machines.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

GroupOptions over(const char* engine) {
  GroupOptions o = patient();
  o.engine = engine;
  return o;
}

TEST(Engines, WhatIsNotThereIsRefused) {
  init();
  try {
    Group::create(make_ref<HashStore>(), 0, 1, over("pigeons"));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::unavailable);
    EXPECT_NE(e.message.find("no engine \"pigeons\" for process groups. Tried:"), std::string::npos)
        << e.message;
    EXPECT_NE(e.message.find("/libhaft_pigeons.so: no such file"), std::string::npos) << e.message;
  }
}

// A table ends where its plug-in was built; what came later is not there.
TEST(Engines, TablesOfOlderAndNewerPlugIns) {
  struct Newer {
    haft_mesh_engine now;
    void* later;
  } given = {};
  haft_mesh_engine& e = given.now;
  e.abi = HAFT_MESH_ABI;
  e.name = "pigeons";
  e.is_lost = [](haft_mesh*, int32_t) -> int32_t { return 7; };
  e.rest = [](haft_mesh*) {};
  e.take_back = [](haft_mesh*, int32_t, int32_t) -> int32_t { return 1; };
  std::string why;
  e.struct_size = offsetof(haft_mesh_engine, take_back);
  auto older = known_table(e, "pigeons", &why);
  ASSERT_TRUE(older) << why;
  EXPECT_EQ(older->is_lost(nullptr, 0), 7);
  EXPECT_EQ(older->rest, e.rest);
  EXPECT_FALSE(older->take_back);
  e.struct_size = sizeof given;
  auto newer = known_table(e, "pigeons", &why);
  ASSERT_TRUE(newer) << why;
  EXPECT_EQ(newer->take_back, e.take_back);
  e.struct_size = offsetof(haft_mesh_engine, progress);
  auto least = known_table(e, "pigeons", &why);
  ASSERT_TRUE(least) << why;
  EXPECT_FALSE(least->rest);
  EXPECT_FALSE(known_table(e, "doves", &why));
  EXPECT_EQ(why, "it is the engine pigeons");
  const std::string least_bytes = std::to_string(e.struct_size);
  e.struct_size -= 8;
  EXPECT_FALSE(known_table(e, "pigeons", &why));
  EXPECT_EQ(why, concat("its table has ", e.struct_size, " bytes of version 1 of haft/mesh.h, wanted ",
                        least_bytes, " or more of version 1"));
  e.struct_size += 8;
  e.abi = 2;
  EXPECT_FALSE(known_table(e, "pigeons", &why));
  EXPECT_NE(why.find("of version 2 of haft/mesh.h"), std::string::npos) << why;
}

// Rank 1 hears that a communicator is made and is held up, until rank 0 has given it up. The next group of these
// ranks is made: rank 0 did not go into MPI alone, which would make no other communicator meanwhile.
TEST(Engines, MpisRanksMeetBehindACommunicatorThatWasGivenUp) {
  const char* folder = getenv("HAFT_TEST_WORLD");
  if (!folder || tested_engine() != "mpi")
    GTEST_SKIP() << "wants ranks of mpirun, as the test dist.mpi starts them";
  init();
  struct HeldUp final : PrefixStore {
    using PrefixStore::PrefixStore;
    std::string get(std::string_view key, Deadline deadline) override {
      if (!key.ends_with("mpi/which")) return PrefixStore::get(key, deadline);
      PrefixStore::get("given up", Deadline::in(300 * kSecond));
      fail(Code::unavailable, "held up");
    }
  };
  const int me = atoi(getenv("OMPI_COMM_WORLD_RANK"));
  Ref<Store> files = make_ref<FileStore>(folder), store = make_ref<PrefixStore>("given-up", files);
  store->set(concat("here/", me), "1");
  store->get(concat("here/", 1 - me), Deadline::in(300 * kSecond));
  try {
    GroupOptions o = over("mpi");
    o.timeout_ns = 10 * kSecond;  // in which MPI begins, too
    Member first(Group::create(me ? Ref<Store>(make_ref<HeldUp>("given-up", files)) : store, me, 2, o));
    ADD_FAILURE() << "it was made by one rank";
  } catch (const Error& e) {
    EXPECT_NE(e.message.find(me ? "held up" : "mpi/here/1"), std::string::npos) << e.message;
  }
  if (!me) store->set("given up", "1");
  GroupOptions o = over("mpi");
  o.timeout_ns = 60 * kSecond;
  Member second(Group::create(make_ref<PrefixStore>("second", store), me, 2, o));
  Tensor x = filled({1000}, DType::f32, me + 1);
  second->run(all_reduce(x));
  EXPECT_EQ(at(x, 999), 3);
}

TEST(Engines, WithinAHostItIsSharedMemory) {
  expect_none(run_threads(
      2,
      [](Group& g) {
        if (std::string(g.engine()) != "shm") fail(Code::internal, g.engine());
      },
      over("")));
}

#ifdef HAFT_WITH_GLOO

TEST(Engines, ARankThatCannotJoinTellsTheOthers) {
  init();
  Ref<Store> store = make_ref<HashStore>();
  std::string told;
  std::thread other([&] {
    try {
      Group::create(store, 1, 2, over("gloo"));
    } catch (const Error& e) {
      told = concat(int(e.code), ": ", e.message);
    }
  });
  PrefixStore seats("group/default/1/net", store);
  seats.get("seat/1", Deadline::in(300 * kSecond));
  seats.set("seat/0", "!its engine is missing");
  other.join();
  EXPECT_EQ(told, "13: rank 0 cannot join the group: its engine is missing");
}

TEST(Engines, AnInterfaceThatIsNotThereIsNamed) {
  setenv("HAFT_SOCKET_IFNAME", "nowhere0", 1);
  try {
    bool chosen;
    own_address("", &chosen, Deadline::never());
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(e.message.find("HAFT_SOCKET_IFNAME=nowhere0"), std::string::npos) << e.message;
    EXPECT_NE(e.message.find("lo"), std::string::npos) << e.message;
  }
  setenv("HAFT_SOCKET_IFNAME", "nowhere0,lo", 1);
  bool chosen = false;
  EXPECT_EQ(own_address("", &chosen, Deadline::never()), "127.0.0.1");
  EXPECT_TRUE(chosen);
  unsetenv("HAFT_SOCKET_IFNAME");
}

// A rank's ports are found, and strangers come before its peers do: silent ones, garbage, a wrong token.
TEST(Engines, StrangersAreHungUpOn) {
  init();
  Ref<Store> store = make_ref<HashStore>();
  constexpr int n = 3;
  std::vector<std::thread> threads;
  Failures failures(n);
  auto join = [&](int r) {
    threads.emplace_back([&, r] {
      try {
        Member m(Group::create(store, r, n, over("gloo")));
        Tensor x = filled({1000}, DType::f32, r);
        m->run(all_reduce(x));
        if (at(x, 999) != 3) fail(Code::internal, "wrong sum");
      } catch (const Error& e) {
        failures[size_t(r)] = concat(int(e.code), ": ", e.message);
      }
    });
  };
  // Ranks 0 and 1 are there and listen; rank 2 has told that it comes.
  join(0);
  join(1);
  PrefixStore net("group/default/1/net", store);
  net.set("seat/2", net.get("seat/1", Deadline::in(300 * kSecond)));
  std::vector<int> strangers;
  for (int r : {0, 1}) {
    const std::string addresses = net.get(concat("gloo/", r), Deadline::in(300 * kSecond));
    const size_t each = addresses.size() / n;
    for (int p = 0; p < n; ++p) {
      sockaddr_in where;
      std::memcpy(&where, addresses.data() + size_t(p) * each, sizeof where);
      if (p == r || where.sin_family != AF_INET) continue;
      for (int kind = 0; kind < 30; ++kind) {
        const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        strangers.push_back(s);
        (void)!connect(s, reinterpret_cast<sockaddr*>(&where), sizeof where);
        const std::string said = kind % 3 == 0   ? ""
                                 : kind % 3 == 1 ? std::string(100000, '\xff')
                                                 : std::string("haftmsh\1", 8) + std::string(24, '\0');
        (void)!::send(s, said.data(), said.size(), MSG_NOSIGNAL);
      }
    }
  }
  net.remove("seat/2");
  join(2);
  for (auto& t : threads) t.join();
  expect_none(failures);
  for (int s : strangers) close(s);
}

TEST(Machines, GroupsOverTwoUseTheNetwork) {
  Machines machines;
  if (!machines.why_not().empty()) GTEST_SKIP() << machines.why_not();
  constexpr int n = 4;
  Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
    machines.enter(r / 2);
    Member g(Group::create(std::move(store), r, n, over("")));
    Member half(g->split(r / 2, 0, {}));
    for (int64_t count : {1, 300001}) {
      Tensor x = filled({count}, DType::f32, r + 1);
      g->run(all_reduce(x));
      half->run(all_reduce(x));
      if (at(x, count - 1) != 20) return concat("sum ", at(x, 0));
    }
    return concat(g->engine(), " and ", half->engine());
  });
  for (int r = 0; r < n; ++r) EXPECT_EQ(ps.told(r), "gloo and shm");
}

TEST(Machines, APartitionEndsTheGroupOnEveryRank) {
  Machines machines;
  if (!machines.why_not().empty()) GTEST_SKIP() << machines.why_not();
  constexpr int n = 4;
  Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
    machines.enter(r / 2);
    Member g(Group::create(store, r, n, over("gloo")));
    for (int64_t i = 0;; ++i) {
      Tensor x = filled({1000}, DType::f32, r);
      try {
        g->run(within(4, all_reduce(x)));
      } catch (const Error& e) {
        return concat(int(e.code), " ", e.message);
      }
      if (at(x, 0) != 6) return concat("sum ", at(x, 0));
      if (r == 0 && i == 10) store->set("going", "1");
    }
  });
  FileStore store(ps.folder());
  store.get("going", Deadline::in(300 * kSecond));
  ASSERT_TRUE(machines.in(0, "ip link set eth0 down"));
  for (int r = 0; r < n; ++r) {
    const std::string told = ps.told(r);
    EXPECT_EQ(told.substr(0, 3), "23 ") << told;
    EXPECT_NE(told.find(" has waited 4 s in "), std::string::npos) << told;
  }
}

#endif  // HAFT_WITH_GLOO

}  // namespace
