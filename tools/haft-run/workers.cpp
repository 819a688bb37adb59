#include "tools/haft-run/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/sync.h"
#include "core/base/text.h"

using haft::Code;
using haft::concat;
using haft::fail;

extern char** environ;

namespace launcher {

namespace {

constexpr size_t kLongestLine = 65536;
constexpr size_t kMostUnread = 1 << 20;  // output that nobody has read yet: processes that write more wait
constexpr size_t kPiece = 4096;          // PIPE_BUF: what a pipe that can be written to takes whole

sigset_t asked_signals() {
  sigset_t s;
  sigemptyset(&s);
  for (int n : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&s, n);
  return s;
}

// One for the process: these signals are read, not handled.
int signal_file() {
  static const int fd = [] {
    const sigset_t s = asked_signals();
    sigprocmask(SIG_BLOCK, &s, nullptr);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &s, SFD_CLOEXEC | SFD_NONBLOCK);
  }();
  return fd;
}

void write_log(int fd, std::string_view s) {
  while (!s.empty()) {
    const ssize_t n = write(fd, s.data(), s.size());
    if (n > 0)
      s.remove_prefix(size_t(n));
    else if (errno != EINTR)
      return;  // the disk is full; the workers go on
  }
}

int open_log(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    fail(Code::io, concat("cannot write '", path, "': ", std::strerror(errno)), "--log-dir", "log-dir");
  return fd;
}

}  // namespace

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? concat("SIG", name) : concat("signal ", signal);
}

void Workers::start(const Environments& environments, int first_rank, const std::string& logs) {
  signal_file();
  failure_.reset();
  workers_.clear();
  workers_.resize(environments.size());
  running_ = 0;
  const pid_t parent = getpid();
  for (size_t i = 0; i < environments.size(); ++i) {
    Worker& w = workers_[i];
    w.rank = first_rank + int(i);
    int write_ends[2];
    for (int k = 0; k < 2; ++k) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) fail(Code::io, concat("pipe: ", std::strerror(errno)));
      w.streams[k].from = ends[0];
      write_ends[k] = ends[1];
      fcntl(ends[0], F_SETFL, O_NONBLOCK);
      const int bit = 1 << k;
      const bool file = (o_.redirects.of(int(i)) | o_.tee.of(int(i))) & bit;
      if (file) {
        const std::string folder = concat(logs, "/", w.rank);
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        w.streams[k].to_file = open_log(folder + (k ? "/stderr.log" : "/stdout.log"));
      }
      if (!file || o_.tee.of(int(i)) & bit) w.streams[k].to_terminal = k + 1;
    }
    // All that takes memory is done before the fork.
    std::vector<std::string> variables;
    std::vector<char*> env, argv;
    for (char** e = environ; *e; ++e) {
      const std::string_view v = *e;
      if (!environments[i].contains(std::string(v.substr(0, v.find('='))))) env.push_back(*e);
    }
    for (auto& [name, value] : environments[i]) variables.push_back(concat(name, "=", value));
    for (std::string& v : variables) env.push_back(v.data());
    env.push_back(nullptr);
    for (const std::string& a : o_.command) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    const sigset_t asked = asked_signals();
    w.pid = fork();
    if (w.pid < 0) {
      w.pid = 0;
      fail(Code::io, concat("cannot start process ", i, ": ", std::strerror(errno)));
    }
    if (w.pid == 0) {
      // It dies with haft-run, and what it starts can be ended with it.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      setpgid(0, 0);
      dup2(write_ends[0], 1);
      dup2(write_ends[1], 2);
      signal(SIGPIPE, SIG_DFL);
      sigprocmask(SIG_UNBLOCK, &asked, nullptr);
      environ = env.data();
      execvp(argv[0], argv.data());
      const char* reason = std::strerror(errno);
      for (const char* part :
           {"haft-run: cannot start ", static_cast<const char*>(argv[0]), ": ", reason, "\n"})
        (void)!write(2, part, std::strlen(part));
      _exit(127);
    }
    setpgid(w.pid, w.pid);
    ++running_;
    for (int fd : write_ends) close(fd);
  }
}

void Workers::print(const Worker& w, int to, std::string_view line) {
  if (unread_.empty() || unread_.back().to != to || unread_.back().text.size() > kLongestLine)
    unread_.push_back({to, {}});
  std::string& all = unread_.back().text;
  const size_t before = all.size();
  all += concat("[", w.rank, "] ");
  all.append(line);
  if (!all.ends_with('\n')) all += '\n';
  unread_bytes_ += all.size() - before;
}

// Writes what can be written without waiting for who reads it, who may be a pager: there is more to do meanwhile.
void Workers::pass_on() {
  while (!unread_.empty()) {
    Unread& first = unread_.front();
    pollfd p{first.to, POLLOUT, 0};
    if (::poll(&p, 1, 0) <= 0) return;
    const ssize_t n =
        write(first.to, first.text.data() + first.at, std::min(kPiece, first.text.size() - first.at));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    // Nobody listens any more; the workers go on.
    const size_t gone = n < 0 ? first.text.size() - first.at : size_t(n);
    unread_bytes_ -= gone;
    first.at += gone;
    if (first.at == first.text.size()) unread_.pop_front();
  }
}

void Workers::read(Worker& w, Stream& s, bool to_the_end) {
  char buffer[65536];
  while (s.from >= 0) {
    const ssize_t n = ::read(s.from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && !to_the_end) return;
    const std::string_view got(buffer, n > 0 ? size_t(n) : 0);
    if (s.to_file >= 0) write_log(s.to_file, got);
    if (s.to_terminal >= 0) {
      s.line.append(got);
      size_t at = 0;
      for (size_t end; (end = s.line.find('\n', at)) != std::string::npos; at = end + 1)
        print(w, s.to_terminal, std::string_view(s.line).substr(at, end + 1 - at));
      s.line.erase(0, at);
      if (!s.line.empty() && (n <= 0 || s.line.size() > kLongestLine)) {
        print(w, s.to_terminal, s.line);
        s.line.clear();
      }
    }
    if (n > 0) {
      if (!to_the_end) return;
      continue;
    }
    close(s.from);
    if (s.to_file >= 0) close(s.to_file);
    s.from = s.to_file = -1;
  }
}

void Workers::reap() {
  for (size_t i = 0; i < workers_.size(); ++i) {
    Worker& w = workers_[i];
    int status = 0;
    siginfo_t ended = {};
    if (!w.pid || waitid(P_PID, id_t(w.pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || !ended.si_pid)
      continue;
    // What it had started, and left behind, ends, too: as long as it is not waited for, its number is nobody else's.
    kill(-w.pid, SIGKILL);
    waitpid(w.pid, &status, 0);
    const bool exited = WIFEXITED(status);
    const int code = exited ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code != 0 && !failure_)
      failure_ =
          Failure{int(i), w.pid, code,
                  exited ? concat("exit code ", code) : concat("killed by ", signal_name(WTERMSIG(status)))};
    w.pid = 0;
    --running_;
  }
}

int Workers::poll(int milliseconds) {
  std::vector<pollfd> files = {{signal_file(), POLLIN, 0}};
  std::vector<std::pair<Worker*, Stream*>> whose = {{nullptr, nullptr}};
  const size_t streams_begin = unread_.empty() ? 1 : 2;
  if (!unread_.empty()) {
    files.push_back({unread_.front().to, POLLOUT, 0});
    whose.push_back({nullptr, nullptr});
  }
  for (Worker& w : workers_)
    for (Stream& s : w.streams)
      if (s.from >= 0 && unread_bytes_ < kMostUnread) {
        files.push_back({s.from, POLLIN, 0});
        whose.push_back({&w, &s});
      }
  ::poll(files.data(), files.size(), milliseconds);
  int asked = 0;
  signalfd_siginfo info;
  while (::read(signal_file(), &info, sizeof info) == ssize_t(sizeof info))
    if (int(info.ssi_signo) != SIGCHLD) asked_ = asked = int(info.ssi_signo);
  for (size_t i = streams_begin; i < files.size(); ++i)
    if (files[i].revents) read(*whose[i].first, *whose[i].second, false);
  reap();
  if (!running_)
    for (Worker& w : workers_)
      for (Stream& s : w.streams) read(w, s, true);
  pass_on();
  return asked;
}

void Workers::signal_all(int signal) {
  for (Worker& w : workers_)
    if (w.pid) kill(-w.pid, signal);
}

void Workers::stop() {
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // one that is stopped could not obey
  const int64_t until = haft::now_ns() + int64_t(o_.stop_after * 1e9);
  for (int64_t left; running_ && (left = until - haft::now_ns()) > 0;) poll(int(left / 1000000) + 1);
  signal_all(SIGKILL);
  while (running_) poll(100);
}

Workers::~Workers() {
  try {
    if (running_) stop();
    // Who asked haft-run to end does not wait for a reader who may never come.
    const int64_t until = haft::now_ns() + int64_t(o_.stop_after * 1e9);
    while (!unread_.empty() && (!asked_ || haft::now_ns() < until)) poll(100);
  } catch (...) {  // no memory for their output
  }
  signal_all(SIGKILL);
  for (Worker& w : workers_)
    if (w.pid) waitpid(w.pid, nullptr, 0);
  if (asked_) kill(getpid(), asked_);  // who waits next hears it, too
}

}  // namespace launcher
