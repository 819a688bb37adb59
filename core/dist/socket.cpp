#include "core/dist/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/thread_state.h"

namespace haft::dist {

namespace {

// A name that is looked up. The system's resolver knows no deadline: a thread of its own asks it, and may outlive who
// waits.
struct Question {
  const std::string host, port;
  std::mutex mutex;
  std::condition_variable changed;
  bool answered = false;
  int error = 0, system_error = 0;
  Addresses list;

  explicit Question(const Address& a) : host(a.host), port(std::to_string(a.port)) {}
  void ask(int flags) {
    addrinfo hints = {}, *found = nullptr;
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    const int e = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
    const int s = errno;
    std::lock_guard lock(mutex);
    list.reset(e == 0 ? found : nullptr);
    error = e;
    system_error = s;
    answered = true;
    changed.notify_all();
  }
};
struct Errand {
  std::shared_ptr<Question> question;
  int flags;
  static void* body(void* p) {
    enter_thread("haft-resolve");
    const std::unique_ptr<Errand> self(static_cast<Errand*>(p));
    self->question->ask(self->flags);
    return nullptr;
  }
};

// False: the deadline came first.
bool await(int fd, short events, Deadline deadline) {
  while (true) {
    pollfd p{fd, events, 0};
    timespec t;
    const int n = ppoll(&p, 1, deadline.left(t), nullptr);
    if (n > 0) return true;
    if (n == 0 && deadline.passed()) return false;
    if (n < 0 && errno != EINTR) fail(Code::io, concat("ppoll: ", std::strerror(errno)));
  }
}

Socket try_connect(const addrinfo& a, Deadline deadline, std::string* reason) {
  Socket s(socket(a.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!s) {
    *reason = std::strerror(errno);
    return {};
  }
  int error = 0;
  if (connect(s.fd(), a.ai_addr, a.ai_addrlen) != 0) error = errno;
  if (error == EINPROGRESS || error == EINTR) {
    if (!await(s.fd(), POLLOUT, deadline)) {
      *reason = "no answer";
      return {};
    }
    socklen_t size = sizeof error;
    getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error != 0) {
    *reason = std::strerror(error);
    return {};
  }
  // Without a listener a port of the system's own choice may meet itself.
  sockaddr_storage mine = {}, other = {};
  socklen_t mine_size = sizeof mine, other_size = sizeof other;
  if (getsockname(s.fd(), reinterpret_cast<sockaddr*>(&mine), &mine_size) == 0 &&
      getpeername(s.fd(), reinterpret_cast<sockaddr*>(&other), &other_size) == 0 && mine_size == other_size &&
      std::memcmp(&mine, &other, mine_size) == 0) {
    *reason = "nobody listens";
    return {};
  }
  tune(s.fd());
  return s;
}

}  // namespace

Addresses resolve(const Address& a, int flags, Deadline deadline, std::string* reason) {
  auto q = std::make_shared<Question>(a);
  q->ask(flags | AI_NUMERICHOST);  // which asks nobody
  if (q->error == 0) return std::move(q->list);
  q->answered = false;
  auto errand = std::make_unique<Errand>(q, flags);
  pthread_t thread;
  if (const int error = start_quiet_thread(thread, Errand::body, errand.get()))
    fail(Code::unavailable,
         concat("cannot look up '", a.host, "': the system starts no thread: ", std::strerror(error)),
         "an address in numbers needs none");
  (void)errand.release();
  pthread_detach(thread);
  std::unique_lock lock(q->mutex);
  while (!q->answered) {
    if (deadline.passed()) {
      *reason = "the system has not found out yet which address the name has";
      return nullptr;
    }
    if (deadline.is_never())
      q->changed.wait(lock);
    else
      q->changed.wait_until(lock,
                            std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline.at())));
  }
  if (q->error != 0)
    *reason = q->error == EAI_SYSTEM ? std::strerror(q->system_error) : gai_strerror(q->error);
  return std::move(q->list);
}

void tune(int fd) {
  auto set = [fd](int level, int option, int value) { setsockopt(fd, level, option, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Socket& Socket::operator=(Socket&& o) noexcept {
  if (this != &o) {
    if (fd_ >= 0) close(fd_);
    fd_ = o.leak();
  }
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

bool Socket::send_all(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      bytes.remove_prefix(size_t(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!await(fd_, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      fail(Code::io, std::strerror(errno));
    }
  }
  return true;
}

int64_t Socket::receive(char* to, size_t room, Deadline deadline) {
  while (true) {
    const ssize_t n = recv(fd_, to, room, MSG_DONTWAIT);
    if (n >= 0) return n;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!await(fd_, POLLIN, deadline)) return -1;
    } else if (errno != EINTR) {
      fail(Code::io, std::strerror(errno));
    }
  }
}

bool Socket::receive_all(char* to, size_t size, Deadline deadline) {
  while (size) {
    const int64_t n = receive(to, size, deadline);
    if (n < 0) return false;
    if (n == 0) fail(Code::io, "the other side hung up");
    to += n;
    size -= size_t(n);
  }
  return true;
}

bool Socket::is_spoiled() const {
  char c;
  const ssize_t n = recv(fd_, &c, 1, MSG_DONTWAIT | MSG_PEEK);
  return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

SocketPool::SocketPool() : generation_(fork_generation()) {}

Socket SocketPool::take() {
  std::lock_guard lock(mutex_);
  if (generation_ != fork_generation()) {
    idle_.clear();
    generation_ = fork_generation();
  }
  while (!idle_.empty()) {
    Socket s = std::move(idle_.back());
    idle_.pop_back();
    if (!s.is_spoiled()) return s;
  }
  return {};
}

void SocketPool::give(Socket s) {
  constexpr size_t kMaxIdle = 4;
  std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle && generation_ == fork_generation()) idle_.push_back(std::move(s));
}

void AnswerReader::more() {
  char chunk[16384];
  const int64_t n = socket_.receive(chunk, sizeof chunk, deadline_);
  if (n < 0) fail(Code::timeout, concat("no answer within ", deadline_.given_text()));
  if (n == 0) fail(Code::io, "the other side hung up");
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(chunk, size_t(n));
}

std::string AnswerReader::line() {
  constexpr size_t kLongest = 16384;
  while (true) {
    const size_t end = buffer_.find("\r\n", at_);
    if (end != std::string::npos) {
      std::string s = buffer_.substr(at_, end - at_);
      at_ = end + 2;
      return s;
    }
    if (buffer_.size() - at_ > kLongest) fail(Code::corrupt, "an answer without an end of line");
    more();
  }
}

std::string AnswerReader::bytes(size_t count) {
  while (buffer_.size() - at_ < count) more();
  std::string s = buffer_.substr(at_, count);
  at_ += count;
  return s;
}

std::string to_text(const Address& a) {
  return a.host.find(':') == std::string::npos ? concat(a.host, ":", a.port)
                                               : concat("[", a.host, "]:", a.port);
}

Socket connect_to(const Address& where, Deadline deadline, const char* what, bool patient) {
  std::string reason = "not tried";
  for (int64_t pause = kSecond / 100;; pause = std::min(2 * pause, kSecond / 4)) {
    // A name may come to be known later, and who listens may start later.
    Addresses list = resolve(where, 0, deadline, &reason);
    for (const addrinfo* a = list.get(); a; a = a->ai_next) {
      // One address that does not answer leaves time for the others.
      Socket s = try_connect(*a, a->ai_next ? deadline.but_within(3 * kSecond) : deadline, &reason);
      if (s) return s;
    }
    const int64_t left = deadline.left();
    if (!patient && left != 0) fail(Code::io, reason);
    if (left == 0)
      fail(Code::timeout,
           concat("waited ", deadline.given_text(), " for ", what, " at ", to_text(where), ": ", reason),
           "is the address right, and does the process there run?");
    sleep_for(std::min(pause, left));
  }
}

Socket listen_at(Address& where, const char* what) {
  std::string reason;
  Addresses list = resolve(where, AI_PASSIVE, Deadline::in(60 * kSecond), &reason);
  for (const addrinfo* a = list.get(); a; a = a->ai_next) {
    Socket s(socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int yes = 1;
    if (s) setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!s || bind(s.fd(), a->ai_addr, a->ai_addrlen) != 0 || listen(s.fd(), 1024) != 0) {
      reason = std::strerror(errno);
      continue;
    }
    sockaddr_storage mine = {};
    socklen_t size = sizeof mine;
    getsockname(s.fd(), reinterpret_cast<sockaddr*>(&mine), &size);
    where.port = ntohs(mine.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(mine).sin6_port
                                                  : reinterpret_cast<sockaddr_in&>(mine).sin_port);
    return s;
  }
  fail(Code::io, concat(what, " cannot listen at ", to_text(where), ": ", reason),
       "the address must be one of this machine's and the port free; port 0 takes any");
}

}  // namespace haft::dist
