// The TCP store's doors: who is let in, what strangers can do to it, and what clients hear when it is gone.
#include <sys/resource.h>
#include <sys/wait.h>

#include <thread>

#include "core/dist/sha256.h"
#include "core/dist/wire.h"
#include "tests/dist/server_process.h"
#include "tests/dist/store_testing.h"

using namespace haft;
using namespace haft::dist;

namespace {

Socket dial(int port) { return connect_to({"127.0.0.1", port}, soon(), "the test's server"); }
// Whether the other side hangs up, whatever it says before.
bool is_hung_up_on(Socket& s) {
  char buffer[4096];
  try {
    while (true) {
      const int64_t n = s.receive(buffer, sizeof buffer, soon());
      if (n <= 0) return n == 0;
    }
  } catch (const Error&) {
    return true;  // a reset
  }
}

TEST(TcpStore, SecretsAreChecked) {
  auto server = serve("the secret");
  server->set("key", "value");
  EXPECT_EQ(visit(*server, "the secret")->get("key", soon()), "value");
  for (const char* wrong : {"another", "", "the secret "}) {
    const Error e = error_of([&] { visit(*server, wrong); });
    EXPECT_EQ(e.code, Code::invalid_argument);
    EXPECT_TRUE(says(e, "refused")) << e.message;
    EXPECT_FALSE(says(e, "secret") || e.hint.find("the secret") != std::string::npos) << e.message;
  }
  auto open_server = serve();
  EXPECT_EQ(error_of([&] { visit(*open_server, "mine"); }).code, Code::invalid_argument);
  EXPECT_EQ(server->get("key", soon()), "value");
}

TEST(TcpStore, AClientRefusesAServerWithoutTheSecret) {
  // It says what a store says, but cannot know the proof.
  Address at{"127.0.0.1", 0};
  Socket listener = listen_at(at, "the test");
  std::thread impostor([&] {
    Socket s;
    while (!s) {
      s = Socket(accept(listener.fd(), nullptr, nullptr));
      if (!s) sleep_for(kSecond / 1000);
    }
    char hello[kHelloSize];
    (void)s.send_all(std::string(kStoreMagic) + std::string(kNonce, 'n'), soon());
    (void)s.receive_all(hello, sizeof hello, soon());
    (void)s.send_all(std::string(kMac, 'p'), soon());
    is_hung_up_on(s);
  });
  TcpStoreOptions o;
  o.where = at;
  o.secret = "mine";
  o.deadline = soon();
  const Error e = error_of([&] { TcpStore s(o); });
  impostor.join();
  EXPECT_TRUE(e.code == Code::invalid_argument && says(e, "does not know the secret")) << e.message;
}

TEST(TcpStore, WhatIsNoStoreIsToldApart) {
  Address at{"127.0.0.1", 0};
  Socket listener = listen_at(at, "the test");
  std::thread other([&] {
    Socket s;
    while (!s) {
      s = Socket(accept(listener.fd(), nullptr, nullptr));
      if (!s) sleep_for(kSecond / 1000);
    }
    (void)s.send_all("220 mail.example ESMTP, and more text than a greeting", soon());
    is_hung_up_on(s);
  });
  TcpStoreOptions o;
  o.where = at;
  o.deadline = soon();
  const Error e = error_of([&] { TcpStore s(o); });
  other.join();
  EXPECT_TRUE(e.code == Code::corrupt && says(e, "is no store")) << e.message;
}

TEST(TcpStore, GarbageIsHungUpOn) {
  auto server = serve("secret");
  const std::string garbage[] = {
      "GET / HTTP/1.1\r\n\r\n", std::string(100000, '\xff'),
      std::string(kStoreMagic) + std::string(kHelloSize - kStoreMagic.size(), '\0'),
      std::string(kStoreMagic) + std::string(kHelloSize, 'x')};
  for (const std::string& bytes : garbage) {
    Socket s = dial(server->port());
    try {
      (void)s.send_all(bytes, soon());
    } catch (const Error&) {  // hung up on before all was sent
    }
    EXPECT_TRUE(is_hung_up_on(s));
  }
  // A client that knows the secret and then breaks the rules.
  auto speak = [&](const std::string& request) {
    Socket s = dial(server->port());
    char greeting[kStoreMagic.size() + kNonce], proof[kMac];
    EXPECT_TRUE(s.receive_all(greeting, sizeof greeting, soon()));
    const std::string theirs(greeting + kStoreMagic.size(), kNonce), mine(kNonce, 'm');
    EXPECT_TRUE(s.send_all(std::string(kStoreMagic) + mine + hmac_sha256("secret", "client" + theirs + mine),
                           soon()));
    EXPECT_TRUE(s.receive_all(proof, sizeof proof, soon()));
    EXPECT_TRUE(s.send_all(request, soon()));
    return is_hung_up_on(s);
  };
  EXPECT_TRUE(speak(std::string(4, '\0')));
  EXPECT_TRUE(speak(std::string(4, '\xff')));
  EXPECT_TRUE(speak(WireWriter().number(uint8_t(99)).text("key").finish()));
  EXPECT_TRUE(speak(WireWriter().number(dist::Call::set).number(uint32_t(1000)).finish()));
  EXPECT_TRUE(speak(WireWriter().number(dist::Call::check).number(~uint32_t(0)).finish()));
  EXPECT_TRUE(speak(WireWriter().number(dist::Call::get).text("absent").finish() + "more"));
  server->set("key", "value");
  EXPECT_EQ(visit(*server, "secret")->get("key", soon()), "value");
}

TEST(TcpStore, ManyStrangersDoNotKeepOthersOut) {
  auto server = serve("secret");
  std::vector<Socket> strangers;
  for (int i = 0; i < 300; ++i) strangers.push_back(dial(server->port()));
  EXPECT_EQ(visit(*server, "secret")->add("n", 1), 1);
  // More than are borne at once: the first were hung up on.
  EXPECT_TRUE(is_hung_up_on(strangers[0]));
}

TEST(TcpStore, WhoWasHungUpOnWithoutARefusalTriesAgain) {
  Address at{"127.0.0.1", 0};
  Socket listener = listen_at(at, "the test");
  TcpStoreOptions o;
  o.where = at;
  o.secret = "s";
  o.deadline = soon();
  Ref<TcpStore> server;
  std::thread crowded([&] {
    Socket s;
    while (!s) {
      s = Socket(accept(listener.fd(), nullptr, nullptr));
      if (!s) sleep_for(kSecond / 1000);
    }
    char hello[kHelloSize];
    (void)s.send_all(std::string(kStoreMagic) + std::string(kNonce, 'n'), soon());
    (void)s.receive_all(hello, sizeof hello, soon());
    listener = Socket();
    TcpStoreOptions host = o;
    host.serve = true;
    server = make_ref<TcpStore>(host);
    s = Socket();  // as one that makes room
  });
  const Error e = error_of([&] { TcpStore(o).set("key", "value"); });
  crowded.join();
  EXPECT_EQ(e.code, Code::ok) << e.message;
}

TEST(TcpStore, ComparesTheLargestValues) {
  auto server = serve();
  auto client = visit(*server);
  const std::string one(kMaxValue, '1'), two(kMaxValue, '2');
  client->set("key", one);
  std::string current;
  EXPECT_TRUE(client->compare_set("key", one, two, &current));
  EXPECT_TRUE(current == two);
}

TEST(TcpStore, ListensAtItsAddressOnly) {
  auto server = serve("", "127.0.0.1");
  TcpStoreOptions o;
  o.where = {"127.0.0.2", server->port()};
  o.deadline = Deadline::in(kSecond / 5);
  const Error e = error_of([&] { TcpStore s(o); });
  EXPECT_EQ(e.code, Code::timeout);
  EXPECT_TRUE(says(e, "127.0.0.2") && says(e, "0.2 s") && says(e, "refused")) << e.message;
  o.where.host = "192.0.2.1";  // nobody's
  o.serve = true;
  const Error elsewhere = error_of([&] { TcpStore s(o); });
  EXPECT_TRUE(elsewhere.code == Code::io && says(elsewhere, "192.0.2.1")) << elsewhere.message;
  o.where = {"127.0.0.1", server->port()};
  const Error taken = error_of([&] { TcpStore s(o); });
  EXPECT_TRUE(taken.code == Code::io && says(taken, "in use")) << taken.message;
}

TEST(TcpStore, SpeaksIPv6) {
  Ref<TcpStore> server;
  try {
    server = serve("s", "::1");
  } catch (const Error& e) {
    GTEST_SKIP() << "no IPv6 here: " << e.message;
  }
  EXPECT_NE(server->name().find("[::1]:"), std::string::npos);
  server->set("key", "value");
  EXPECT_EQ(visit(*server, "s", "::1")->get("key", soon()), "value");
}

TEST(TcpStore, ClientsMayComeBeforeTheServer) {
  const int port = free_port();
  TcpStoreOptions o;
  o.where = {"127.0.0.1", port};
  o.deadline = soon();
  std::thread early([&] { EXPECT_EQ(make_ref<TcpStore>(o)->get("key", soon()), "value"); });
  sleep_for(kSecond / 20);
  TcpStoreOptions host = o;
  host.serve = true;
  auto server = make_ref<TcpStore>(host);
  server->set("key", "value");
  early.join();
}

TEST(TcpStore, ALostServerIsAnAnswer) {
  auto server = serve();
  auto client = visit(*server);
  std::thread waiter([&] {
    client->set("waiting", "1");
    const Error e = error_of([&] { client->get("never", soon()); });
    EXPECT_TRUE(e.code == Code::io && says(e, "lost") && says(e, client->name())) << e.message;
  });
  server->get("waiting", soon());
  server = nullptr;
  waiter.join();
  EXPECT_EQ(error_of([&] { client->get("key", soon()); }).code, Code::io)
      << "at once, not when its time is over";
}

TEST(TcpStore, AStoppedServerIsNoticed) {
  int pipe_to[2];
  ASSERT_EQ(pipe(pipe_to), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    auto server = serve();
    const int port = server->port();
    (void)!write(pipe_to[1], &port, sizeof port);
    while (true) pause();
  }
  int port = 0;
  ASSERT_EQ(read(pipe_to[0], &port, sizeof port), ssize_t(sizeof port));
  TcpStoreOptions o;
  o.where = {"127.0.0.1", port};
  o.call_timeout = 2 * kSecond;
  o.deadline = soon();
  TcpStore client(o);
  client.set("key", "value");
  kill(pid, SIGSTOP);
  int status = 0;
  waitpid(pid, &status, WUNTRACED);
  const Error e = error_of([&] { client.set("key", "other"); });
  EXPECT_TRUE(e.code == Code::timeout && says(e, "did not answer within 2 s")) << e.message;
  kill(pid, SIGCONT);
  client.set("key", "third");
  EXPECT_EQ(client.get("key", soon()), "third");
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  close(pipe_to[0]);
  close(pipe_to[1]);
}

TEST(TcpStore, AForkedProcessHasConnectionsOfItsOwn) {
  auto server = serve("s");
  auto client = visit(*server, "s");
  client->set("key", "value");
  const pid_t pid = fork();
  if (pid == 0) {
    int bad = 1;
    try {
      if (client->get("key", soon()) == "value") {
        client->set("child", "was here");
        client = nullptr;
        server = nullptr;  // the parent's thread goes on
        bad = 0;
      }
    } catch (...) {
    }
    _exit(bad);
  }
  EXPECT_EQ(client->get("child", soon()), "was here");
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(client->get("key", soon()), "value");
}

TEST(TcpStore, NothingIsLeftOpen) {
  auto open_files = [] {
    int n = 0;
    for (const auto& f : std::filesystem::directory_iterator("/proc/self/fd")) n += f.exists() || true;
    return n;
  };
  const int before = open_files();
  for (int i = 0; i < 20; ++i) {
    auto server = serve("s");
    auto client = visit(*server, "s");
    client->set("k", "v");
    (void)error_of([&] { client->get("absent", Deadline::in(1000000)); });
  }
  EXPECT_EQ(open_files(), before);
}

}  // namespace
