// Real servers, started for a test and ended with it.
#pragma once
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"

namespace haft::dist {

struct ServerProcess {
  pid_t pid = -1;
  int port = 0;
  ~ServerProcess() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

// A port that was free a moment ago, below those that the system gives to whoever asks for any: these go to other
// tests meanwhile. As long as this process lives no other test takes it: it holds a lock on that byte of a file.
inline int free_port() {
  static const int locks =
      open(concat("/tmp/haft-test-ports-", geteuid()).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  static std::set<int> taken;
  std::random_device random;  // not the tests' seed: others run at once
  for (;;) {
    const int port = 10000 + int(random() % 20000);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_start = port;
    lock.l_len = 1;
    if (taken.count(port) || (locks >= 0 && fcntl(locks, F_OFD_SETLK, &lock) != 0)) continue;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in a = {};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons(uint16_t(port));
    const bool free = bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0;
    close(fd);
    if (free || fd < 0) return taken.insert(port), port;
  }
}

inline std::string program(const char* name) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/"})
    if (access((std::string(folder) + name).c_str(), X_OK) == 0) return std::string(folder) + name;
  return "";
}

// Null when there is no such program. It says what it says into the folder's `log`.
inline std::unique_ptr<ServerProcess> start_server(const char* name, std::vector<std::string> arguments,
                                                   int port, const std::string& folder) {
  const std::string path = program(name);
  if (path.empty()) return nullptr;
  std::vector<char*> argv;
  arguments.insert(arguments.begin(), path);
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  auto s = std::make_unique<ServerProcess>();
  s->port = port;
  const std::string log = folder + "/log";
  s->pid = fork();
  if (s->pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, 1);
    dup2(fd, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return s;
}

inline std::unique_ptr<ServerProcess> start_redis(const std::string& folder, const std::string& password) {
  const int port = free_port();
  return start_server("redis-server",
                      {"--port", std::to_string(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                       "--requirepass", password},
                      port, folder);
}
inline std::unique_ptr<ServerProcess> start_etcd(const std::string& folder) {
  const int port = free_port(), peers = free_port();
  const std::string client = concat("http://127.0.0.1:", port), peer = concat("http://127.0.0.1:", peers);
  return start_server(
      "etcd",
      {"--data-dir", folder + "/etcd", "--listen-client-urls", client, "--advertise-client-urls", client,
       "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
       "default=" + peer, "--unsafe-no-fsync",
       // A machine that is busy with other tests may leave it waiting for longer than its own times.
       "--heartbeat-interval", "500", "--election-timeout", "5000"},
      port, folder);
}

}  // namespace haft::dist
