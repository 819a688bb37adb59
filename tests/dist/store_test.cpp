// What every store promises, tried on each of them.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/dist/rendezvous.h"
#include "core/dist/sha256.h"
#include "tests/dist/server_process.h"
#include "tests/dist/store_testing.h"

using namespace haft;
using namespace haft::dist;

namespace {

struct StoreContract : testing::TestWithParam<const char*> {
  Folder folder;
  std::unique_ptr<ServerProcess> server;
  Ref<Store> first, other;

  void SetUp() override {
    const std::string kind = GetParam();
    if (kind == "hash") {
      first = other = make_ref<HashStore>();
    } else if (kind == "prefix") {
      auto inner = make_ref<HashStore>();
      inner->set("key", "of the store below");
      first = make_ref<PrefixStore>("mine", inner);
      other = make_ref<PrefixStore>("mine", inner);
    } else if (kind == "file") {
      first = make_ref<FileStore>(folder.path + "/a/b");
      other = make_ref<FileStore>(folder.path + "/a/b");
    } else if (kind == "tcp") {
      first = serve("secret");
      other = visit(*first, "secret");
    } else if (kind == "redis") {
      server = start_redis(folder.path, "pass word");
      if (!server) GTEST_SKIP() << "redis-server is not installed (apt-get install redis-server)";
      const std::string url = concat("redis://:pass%20word@127.0.0.1:", server->port, "/1");
      first = open_store(url, {.run = "run", .deadline = soon()});
      other = open_store(url, {.run = "run", .deadline = soon()});
    } else {
      server = start_etcd(folder.path);
      if (!server) GTEST_SKIP() << "etcd is not installed (apt-get install etcd-server)";
      const std::string url = concat("etcd://127.0.0.1:", server->port);
      first = open_store(url, {.run = "run", .deadline = soon()});
      other = open_store(url, {.run = "run", .deadline = soon()});
    }
  }
};

TEST_P(StoreContract, SetGetCheckRemove) {
  EXPECT_FALSE(first->check(Keys{"key"}));
  first->set("key", "value");
  EXPECT_EQ(other->get("key", soon()), "value");
  other->set("key", "");
  EXPECT_EQ(first->get("key", soon()), "");
  const std::string bytes("\0\xff\n\r\n$1 %", 9), odd = "a/b c%\xc3\xa4\"{}";
  first->set(odd, bytes);
  EXPECT_EQ(other->get(odd, soon()), bytes);
  EXPECT_TRUE(other->check(Keys{"key", odd}));
  EXPECT_FALSE(other->check(Keys{"key", "absent", odd}));
  EXPECT_TRUE(other->check(Keys{}));
  EXPECT_TRUE(first->remove("key"));
  EXPECT_FALSE(other->remove("key"));
  EXPECT_FALSE(other->check(Keys{"key"}));
  EXPECT_EQ(other->get(odd, Deadline::in(0)), bytes) << "what is there needs no time";
  const std::string large(300000, 'x'), long_key(1000, 'k');
  first->set(long_key, large);
  EXPECT_EQ(other->get(long_key, soon()), large);
}

TEST_P(StoreContract, AddCountsForAll) {
  EXPECT_EQ(first->add("n", 5), 5);
  EXPECT_EQ(other->add("n", -7), -2);
  EXPECT_EQ(first->add("n", 0), -2);
  EXPECT_EQ(first->get("n", soon()), "-2");
  first->set("text", "no number");
  EXPECT_EQ(error_of([&] { other->add("text", 1); }).code, Code::invalid_argument);
  EXPECT_EQ(first->get("text", soon()), "no number");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) (t % 2 ? first : other)->add("sum", t + 1);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(first->add("sum", 0), 25 * (1 + 2 + 3 + 4));
}

TEST_P(StoreContract, CompareSetLetsOneIn) {
  std::string current = "untouched";
  EXPECT_FALSE(first->compare_set("k", "something", "x", &current));
  EXPECT_EQ(current, "");
  EXPECT_TRUE(first->compare_set("k", "", "one", &current));
  EXPECT_EQ(current, "one");
  EXPECT_FALSE(other->compare_set("k", "", "two", &current));
  EXPECT_EQ(current, "one");
  EXPECT_TRUE(other->compare_set("k", "one", "two", &current));
  EXPECT_EQ(current, "two");
  EXPECT_EQ(first->get("k", soon()), "two");
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::string seen;
      if ((t % 2 ? first : other)->compare_set("leader", "", concat("thread ", t), &seen)) ++winners;
      EXPECT_EQ(seen.rfind("thread ", 0), 0u) << seen;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(winners, 1);
}

TEST_P(StoreContract, WaitersAreServedAndOthersGoOn) {
  std::thread waiter([&] { EXPECT_EQ(other->get("late", soon()), "there"); });
  std::thread several([&] { other->wait(Keys{"now", "late"}, soon()); });
  for (int i = 0; i < 20; ++i) other->set("now", concat(i));  // while two threads wait in the same store
  first->set("late", "there");
  waiter.join();
  several.join();
  std::thread counted([&] { EXPECT_EQ(other->get("count", soon()), "1"); });
  first->add("count", 1);
  counted.join();
  std::thread won([&] { EXPECT_EQ(other->get("won", soon()), "w"); });
  std::string current;
  first->compare_set("won", "", "w", &current);
  won.join();
}

TEST_P(StoreContract, TimeoutsNameTheKey) {
  first->set("there", "1");
  const int64_t began = now_ns();
  const Error e = error_of([&] { other->get("never/set", Deadline::in(kSecond / 5)); });
  const int64_t took = now_ns() - began;
  EXPECT_EQ(e.code, Code::timeout) << e.message;
  EXPECT_TRUE(says(e, "never/set") && says(e, "0.2 s")) << e.message;
  EXPECT_GE(took, kSecond / 5);
  const Error several = error_of([&] { other->wait(Keys{"there", "missing"}, Deadline::in(kSecond / 50)); });
  EXPECT_TRUE(several.code == Code::timeout && says(several, "'") && says(several, "missing"))
      << several.message;
  EXPECT_EQ(error_of([&] { other->get("missing", Deadline::in(0)); }).code, Code::timeout);
  EXPECT_EQ(other->get("there", soon()), "1") << "the store is as good as before";
}

TEST_P(StoreContract, LeasesEnd) {
  first->lease("alive", "yes", 1000 * kSecond);
  EXPECT_EQ(other->get("alive", soon()), "yes");
  first->lease("short", "yes", kSecond / 1000);
  while (other->check(Keys{"short"})) sleep_for(kSecond / 100);
  EXPECT_FALSE(other->remove("short"));
  first->lease("short", "again", 1000 * kSecond);
  EXPECT_EQ(other->get("short", soon()), "again");
  first->lease("kept", "for a moment", kSecond / 1000);
  first->set("kept", "for good");
  EXPECT_EQ(other->get("kept", soon()), "for good");
  EXPECT_EQ(error_of([&] { first->lease("k", "v", 0); }).code, Code::invalid_argument);
}

TEST_P(StoreContract, RefusesWhatNoStoreTakes) {
  const std::string long_key(kMaxKey + 1, 'k');
  for (const std::string& key : {std::string(), long_key}) {
    EXPECT_EQ(error_of([&] { first->set(key, "v"); }).code, Code::invalid_argument);
    EXPECT_EQ(error_of([&] { first->get(key, Deadline::in(0)); }).code, Code::invalid_argument);
    EXPECT_EQ(error_of([&] { first->add(key, 1); }).code, Code::invalid_argument);
    EXPECT_EQ(error_of([&] { first->check(Keys{key}); }).code, Code::invalid_argument);
    EXPECT_EQ(error_of([&] { first->remove(key); }).code, Code::invalid_argument);
  }
  const Error e = error_of([&] { first->set("big", std::string(kMaxValue + 1, 'v')); });
  EXPECT_TRUE(e.code == Code::invalid_argument && says(e, "big' has ")) << e.message;
  first->set("n", std::to_string(INT64_MAX));
  EXPECT_EQ(error_of([&] { first->add("n", 1); }).code, Code::overflow);
  EXPECT_EQ(first->get("n", soon()), std::to_string(INT64_MAX));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract,
                         testing::Values("hash", "prefix", "file", "tcp", "redis", "etcd"),
                         [](const auto& i) { return std::string(i.param); });

TEST(HashStore, HoldsAtMostItsShare) {
  HashStore s;
  const std::string value(kMaxValue, 'v');
  int held = 0;
  Error e(Code::ok, "");
  for (; held < 100 && e.code == Code::ok; ++held) e = error_of([&] { s.set(concat("k", held), value); });
  EXPECT_TRUE(e.code == Code::overflow && says(e, "no room")) << e.message;
  EXPECT_EQ(held - 1, int(kMaxStored / (kMaxValue + 256)));
  s.set("k0", "small");  // makes room
  s.set("last", value);
  // What has expired makes room, too.
  for (int i = 1; i < held - 1; ++i) s.lease(concat("k", i), value, 1);
  s.set("more", value);
}

TEST(FileStore, ProcessesShareIt) {
  Folder folder;
  constexpr int kProcesses = 4, kRounds = 50;
  for (int p = 0; p < kProcesses; ++p)
    if (fork() == 0) {
      int bad = 1;
      try {
        FileStore s(folder.path + "/run");
        std::string current;
        for (int i = 0; i < kRounds; ++i) s.add("sum", 1);
        if (s.compare_set("first", "", "taken", &current)) s.add("winners", 1);
        s.set(concat("done", p), "1");
        for (int q = 0; q < kProcesses; ++q) s.get(concat("done", q), soon());
        bad = 0;
      } catch (...) {
      }
      _exit(bad);
    }
  for (int p = 0; p < kProcesses; ++p) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  FileStore s(folder.path + "/run");
  EXPECT_EQ(s.add("sum", 0), kProcesses * kRounds);
  EXPECT_EQ(s.add("winners", 0), 1);
}

TEST(FileStore, AFileOfADeadProcessIsNoObstacle) {
  Folder folder;
  FileStore s(folder.path);
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  // As of a container that was killed: its processes have the same numbers each time.
  for (int i = 0; i < 2000; ++i)
    close(open(concat(folder.path, "/t", host, ".", getpid(), ".", i).c_str(), O_WRONLY | O_CREAT, 0600));
  s.set("key", "value");
  EXPECT_EQ(s.get("key", soon()), "value");
}

// As of a process that is stopped while it changes the folder.
TEST(FileStore, ALockThatIsNotGivenBackIsWaitedForNoLongerThanACallMayTake) {
  Folder folder;
  FileStore s(folder.path, kSecond / 100);
  s.set("key", "value");
  const int fd = open((folder.path + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  const Error e = error_of([&] { s.add("sum", 1); });
  EXPECT_TRUE(e.code == Code::timeout && says(e, "waited 0.01 s for the lock on '" + folder.path + "/lock'"))
      << e.message;
  EXPECT_EQ(s.get("key", soon()), "value");  // reading takes no lock
  close(fd);
  EXPECT_EQ(s.add("sum", 1), 1);
}

// A server that asks for a name and a password forgets who has said nothing for some minutes; here it forgets all.
TEST(EtcdStore, LogsInAgain) {
  Folder folder;
  auto server = start_etcd(folder.path);
  if (!server) GTEST_SKIP() << "etcd is not installed (apt-get install etcd-server)";
  const Address at{"127.0.0.1", server->port};
  open_store(concat("etcd://", to_text(at)), {.deadline = soon()})->set("key", "value");
  auto post = [&](const char* path, const std::string& body, const std::string& token = "") {
    Socket s = connect_to(at, soon(), "etcd");
    EXPECT_TRUE(
        s.send_all(concat("POST /v3/", path, " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ",
                          body.size(), token.empty() ? "" : "\r\nAuthorization: ", token, "\r\n\r\n", body),
                   soon()));
    std::string all;
    char part[4096];
    for (int64_t n; (n = s.receive(part, sizeof part, soon())) > 0;) all.append(part, size_t(n));
    EXPECT_NE(all.find(" 200 "), std::string::npos) << path << ": " << all;
    return all;
  };
  post("auth/user/add", R"({"name":"root","password":"geheim"})");
  post("auth/role/add", R"({"name":"root"})");
  post("auth/user/grant", R"({"user":"root","role":"root"})");
  post("auth/enable", "{}");
  auto store = open_store(concat("etcd://root:geheim@", to_text(at)), {.deadline = soon()});
  EXPECT_EQ(store->get("key", soon()), "value");
  const std::string login = post("auth/authenticate", R"({"name":"root","password":"geheim"})");
  const size_t from = login.find("\"token\":\"") + 9;
  post("auth/disable", "{}", login.substr(from, login.find('"', from) - from));
  post("auth/enable", "{}");
  EXPECT_EQ(store->get("key", soon()), "value");
  const Error e =
      error_of([&] { open_store(concat("etcd://root:falsch@", to_text(at)), {.deadline = soon()}); });
  EXPECT_TRUE(e.code == Code::io && says(e, "authenticate") && !says(e, "falsch")) << e.message;
}

TEST(FileStore, SaysWhatIsWrongWithTheFolder) {
  const Error e = error_of([] { FileStore s("/proc/nothing/here"); });
  EXPECT_TRUE(e.code == Code::io && says(e, "/proc/nothing/here")) << e.message;
}

// FIPS 180-4's and RFC 4231's examples.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      to_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_FALSE(equal_secretly("a", "b"));
  EXPECT_NE(random_bytes(16), random_bytes(16));
}

}  // namespace
