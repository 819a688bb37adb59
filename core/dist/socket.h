// Streams over IPv4 and IPv6 whose every call obeys a deadline.
#pragma once
#include <netdb.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/dist/deadline.h"

namespace haft::dist {

class Socket {
  int fd_ = -1;

 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& o) noexcept : fd_(o.leak()) {}
  Socket& operator=(Socket&& o) noexcept;
  ~Socket();
  int fd() const { return fd_; }
  int leak() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  explicit operator bool() const { return fd_ >= 0; }

  // False when the deadline came first. A stream that broke is Code::io.
  [[nodiscard]] bool send_all(std::string_view bytes, Deadline deadline);
  // Some bytes, at most `room`; 0: the other side has ended. -1: the deadline came first.
  [[nodiscard]] int64_t receive(char* to, size_t room, Deadline deadline);
  [[nodiscard]] bool receive_all(char* to, size_t size, Deadline deadline);  // an end in between is Code::io
  // The other side said something, or hung up, though nobody asked it.
  bool is_spoiled() const;
};

// Connections that wait for their next call. A process that was forked has none of its parent's.
class SocketPool {
  std::mutex mutex_;
  std::vector<Socket> idle_;
  uint32_t generation_;

 public:
  SocketPool();
  Socket take();  // none: connect
  void give(Socket s);
};

// Lines and counted bytes of a peer's answer, both limited. Too late is Code::timeout, a lost stream Code::io.
class AnswerReader {
  Socket& socket_;
  Deadline deadline_;
  std::string buffer_;
  size_t at_ = 0;
  void more();

 public:
  AnswerReader(Socket& s, Deadline d) : socket_(s), deadline_(d) {}
  std::string line();  // without its end
  std::string bytes(size_t count);
};

struct Address {
  std::string host;
  int port = 0;
};
std::string to_text(const Address& a);  // [::1]:29500

struct FreedAddresses {
  void operator()(addrinfo* a) const { freeaddrinfo(a); }
};
using Addresses = std::unique_ptr<addrinfo, FreedAddresses>;
// Null and a reason when the name is not known, or not before the deadline.
Addresses resolve(const Address& a, int flags, Deadline deadline, std::string* reason);

// For short requests that wait for their answers; a stream whose other side is gone is found out in half a minute.
void tune(int fd);
// Tries all addresses of the host, again and again until one accepts, or once: then whoever refuses is Code::io.
Socket connect_to(const Address& where, Deadline deadline, const char* what, bool patient = true);
// Listens at this address only; port 0: any, which is then written there.
Socket listen_at(Address& where, const char* what);

}  // namespace haft::dist
