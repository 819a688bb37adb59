// Processes that find each other, and those that do not.
#include "core/dist/rendezvous.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "tests/dist/environment.h"
#include "tests/dist/server_process.h"
#include "tests/dist/store_testing.h"

using namespace haft;
using namespace haft::dist;

namespace {

// Rank r of n meets the others in a thread of its own; they agree on a number.
void meet(const std::string& url, int n) {
  std::vector<std::thread> ranks;
  for (int r = 0; r < n; ++r)
    ranks.emplace_back([&, r] {
      try {
        Rendezvous v = rendezvous(url, r, n, soon());
        EXPECT_EQ(v.rank, r);
        EXPECT_EQ(v.world_size, n);
        v.store->set(concat("of ", r), "here");
        for (int q = 0; q < n; ++q) EXPECT_EQ(v.store->get(concat("of ", q), soon()), "here");
        // Rank 0's store goes with it: the last one out says so.
        if (v.store->add("out", 1) == n) v.store->set("all out", "1");
        v.store->get("all out", soon());
        if (r == 0)
          while (v.store->add("really out", 0) < n - 1) sleep_for(kSecond / 1000);
        else
          v.store->add("really out", 1);
      } catch (const Error& e) {
        ADD_FAILURE() << "rank " << r << ": " << e.message;
      }
    });
  for (auto& t : ranks) t.join();
}

TEST(Rendezvous, ByTcpAndFile) {
  Environment clean({});
  meet(concat("tcp://127.0.0.1:", free_port()), 4);
  Folder folder;
  meet("file://" + folder.path, 3);
  meet("file://" + folder.path + "/other", 1);
}

TEST(Rendezvous, AgainInTheSameStore) {
  Environment clean({});
  Folder folder;
  for (int i = 0; i < 3; ++i) {
    std::thread other([&] { rendezvous("file://" + folder.path, 1, 2, soon()); });
    rendezvous("file://" + folder.path + "?rank=0&world_size=2", -1, -1, soon());
    other.join();
  }
}

// Rank 0 begins alone, in vain, twice; then rank 1 comes for the first time.
TEST(Rendezvous, AfterAStartOfSome) {
  Environment clean({});
  Folder folder;
  const std::string url = "file://" + folder.path;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(error_of([&] { rendezvous(url, 0, 2, Deadline::in(kSecond / 100)); }).code, Code::timeout);
  meet(url, 2);
  meet(url, 2);
}

TEST(Rendezvous, ByTheLaunchersVariables) {
  const int port = free_port();
  std::vector<pid_t> pids;
  for (int r = 0; r < 3; ++r) {
    const pid_t pid = fork();
    if (pid == 0) {
      int bad = 1;
      try {
        Environment e({{"RANK", std::to_string(r)},
                       {"WORLD_SIZE", "3"},
                       {"MASTER_ADDR", "127.0.0.1"},
                       {"MASTER_PORT", std::to_string(port)},
                       {"HAFT_SECRET", "s"}});
        Rendezvous v = rendezvous("env://", -1, -1, soon());
        const bool right = v.rank == r && v.world_size == 3;
        if (v.store->add("out", 1) == 3) v.store->set("all out", "1");
        v.store->get("all out", soon());
        if (r == 0)
          while (v.store->add("gone", 0) < 2) sleep_for(kSecond / 1000);
        else
          v.store->add("gone", 1);
        bad = right ? 0 : 2;
      } catch (...) {
      }
      _exit(bad);
    }
    pids.push_back(pid);
  }
  for (pid_t pid : pids) {
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(Rendezvous, NamesWhoIsMissing) {
  Environment clean({});
  Folder folder;
  const std::string url = "file://" + folder.path;
  std::vector<std::thread> ranks;
  for (int r : {0, 1, 3})
    ranks.emplace_back([&, r] {
      const int64_t began = now_ns();
      const Error e = error_of([&] { rendezvous(url, r, 4, Deadline::in(3 * kSecond)); });
      EXPECT_EQ(e.code, Code::timeout);
      EXPECT_TRUE(says(e, "3/4 joined, missing rank 2, waited 3 s for key")) << e.message;
      EXPECT_GE(now_ns() - began, 3 * kSecond);
    });
  for (auto& t : ranks) t.join();
  const Error alone = error_of([&] { rendezvous(url + "/b", 5, 20, Deadline::in(kSecond / 100)); });
  EXPECT_TRUE(says(alone, "1/20 joined, missing ranks 0, 1, 2, 3, 4, 6, 7, 8 and 11 more")) << alone.message;
  // Nobody serves: the message names the address.
  const Error none = error_of(
      [&] { rendezvous(concat("tcp://127.0.0.1:", free_port()), 1, 2, Deadline::in(kSecond / 10)); });
  EXPECT_TRUE(none.code == Code::timeout && says(none, "127.0.0.1")) << none.message;
}

TEST(Rendezvous, RefusesWhatMakesNoSense) {
  Environment clean({});
  struct {
    const char* url;
    int rank, world;
    const char* text;
  } cases[] = {
      {"nowhere", 0, 1, "'nowhere' is no url"},
      {"ftp://host", 0, 1, "'ftp' is no kind of store"},
      {"tcp://host:99999", 0, 1, "port '99999'"},
      {"tcp://host:12x", 0, 1, "port '12x'"},
      {"tcp://:1", 0, 1, "names no host"},
      {"tcp://[::1:2", 0, 1, "without a matching ]"},
      {"file://host/path", 0, 1, "names the host"},
      {"hash://?rank", 0, 1, "name=value"},
      {"tcp://127.0.0.1:1?timeout=5", 0, 1, "'timeout' in 'tcp://127.0.0.1:1?timeout=5' says nothing"},
      {"file:///tmp?bind=a", 0, 1, "'bind' in "},
      {"tcp://secret@127.0.0.1:1", 0, 1, "takes no user"},
      {"tcp://127.0.0.1:1/folder", 0, 1, "takes no path, got /folder"},
      {"etcd://127.0.0.1:1/prefix", 0, 1, "takes no path, got /prefix"},
      {"hash://", 2, 2, "rank 2 is outside of the world of 2"},
      {"hash://", -1, 2, "nobody says the rank"},
      {"hash://?rank=0", -1, -1, "nobody says the world size"},
      {"env://", 0, 1, "MASTER_ADDR is not set"},
  };
  for (auto& c : cases) {
    const Error e = error_of([&] { rendezvous(c.url, c.rank, c.world, soon()); });
    EXPECT_TRUE(e.code == Code::invalid_argument && says(e, c.text)) << c.url << ": " << e.message;
  }
}

TEST(Rendezvous, WhoSaysAllNeedsNoLauncher) {
  // A Kubernetes job numbers its pods, whatever they are for.
  Environment half(std::map<std::string, std::string>{{"JOB_COMPLETION_INDEX", "3"}});
  EXPECT_EQ(rendezvous("hash://", 0, 1, soon()).world_size, 1);
  EXPECT_EQ(rendezvous("tcp://127.0.0.1:0?rank=0&world_size=1", -1, -1, soon()).world_size, 1);
  EXPECT_TRUE(says(error_of([] { rendezvous("hash://", -1, 1, soon()); }), "JOB_COMPLETION_INDEX is set"));
}

TEST(Rendezvous, APortStandsBehindTheHost) {
  EXPECT_EQ(with_port("tcp://host", 29400), "tcp://host:29400");
  EXPECT_EQ(with_port("tcp://host?bind=10.0.0.1", 29400), "tcp://host:29400?bind=10.0.0.1");
  EXPECT_EQ(with_port("redis://host/3", 29400), "redis://host:29400/3");
  EXPECT_EQ(with_port("tcp://[::1]?bind=::1", 29400), "tcp://[::1]:29400?bind=::1");
  EXPECT_EQ(with_port("tcp://host:1?bind=10.0.0.1", 29400), "tcp://host:1?bind=10.0.0.1");
}

TEST(Rendezvous, PasswordsStayOutOfMessages) {
  EXPECT_EQ(without_password("redis://user:p@ss@host:1/2"), "redis://...@host:1/2");
  EXPECT_EQ(without_password("redis://user:pa/ss@host:1/2"), "redis://...@host:1/2");
  EXPECT_EQ(without_password("redis://user:pass@host:1/2"), "redis://...@host:1/2");
  EXPECT_EQ(without_password("file:///a@b"), "file:///a@b");
  const Error e = error_of([] { open_store("redis://user:geheim@host:x", {}); });
  EXPECT_TRUE(says(e, "host:x") && !says(e, "geheim")) << e.message;
  const StoreUrl u = parse_store_url("redis://a%40b:c%3Ad@[fe80::1]:7/pa%20th?ttl=v%26w&rank=");
  EXPECT_EQ(u.user, "a@b");
  EXPECT_EQ(u.password, "c:d");
  EXPECT_EQ(u.at.host, "fe80::1");
  EXPECT_EQ(u.at.port, 7);
  EXPECT_EQ(u.path, "/pa th");
  EXPECT_EQ(u.query.at("ttl"), "v&w");
  EXPECT_EQ(u.query.at("rank"), "");
}

}  // namespace
