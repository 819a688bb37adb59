// Machines for tests.
#pragma once
#include <sched.h>

#include "ranks.h"

namespace haft::dist::testing {

// Machines joined by a cable: network namespaces of this one, each held by a process.
class Machines {
  std::vector<pid_t> holders_;
  std::string why_not_;

  bool run(const std::string& command) {
    if (why_not_.empty() && system((command + " 2>/dev/null").c_str()) != 0)
      why_not_ = "this fails here: " + command;
    return why_not_.empty();
  }

 public:
  Machines() {
    for (int i = 0; i < 2; ++i) {
      int ready[2];
      EXPECT_EQ(pipe2(ready, O_CLOEXEC), 0);
      const pid_t pid = fork();
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const char made = unshare(CLONE_NEWNET) == 0 ? '+' : '-';
        if (write(ready[1], &made, 1) != 1) _exit(1);
        for (;;) pause();
      }
      char made = '-';
      close(ready[1]);
      if (read(ready[0], &made, 1) != 1 || made == '-')
        why_not_ = "this process may not make network namespaces";
      close(ready[0]);
      holders_.push_back(pid);
    }
    in(0, concat("ip link add eth0 type veth peer name eth0 netns ", holders_[1]));
    for (int i = 0; i < 2; ++i) {
      in(i, concat("ip addr add 10.99.0.", i + 1, "/24 dev eth0"));
      in(i, "ip link set eth0 up");
      in(i, "ip link set lo up");
    }
  }
  ~Machines() {
    for (pid_t p : holders_) kill(p, SIGKILL), waitpid(p, nullptr, 0);
  }
  const std::string& why_not() const { return why_not_; }
  bool in(int machine, const std::string& command) {
    return run(concat("nsenter -t ", holders_[size_t(machine)], " -n ", command));
  }
  // From here on the calling process is of that machine.
  void enter(int machine) const {
    const int fd = open(concat("/proc/", holders_[size_t(machine)], "/ns/net").c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) fail(Code::internal, "cannot enter the machine");
    close(fd);
  }
};

}  // namespace haft::dist::testing
