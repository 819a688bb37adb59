// The thread that moves an agent's bytes: strangers, frames, ends of connections and of times.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/log.h"
#include "core/base/thread_state.h"
#include "core/dist/handshake.h"
#include "core/dist/sha256.h"
#include "core/rpc/connection.h"

namespace haft::rpc {

namespace {

constexpr size_t kMaxStrangers = 256;  // connections that have not shown that they know the key
constexpr int64_t kStrangerTime = 5 * dist::kSecond;  // and how long one may be a stranger

}  // namespace

void Agent::wake_io() noexcept {
  const uint64_t one = 1;
  while (write(wake_.fd(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

int Agent::io_timeout() {
  std::lock_guard lock(mutex_);
  io_until_ = ends_.empty() ? INT64_MAX : ends_.begin()->first;
  if (!strangers_.empty()) io_until_ = std::min(io_until_, now_ns() + dist::kSecond / 2);
  if (io_until_ == INT64_MAX) return -1;
  return int(std::clamp<int64_t>((io_until_ - now_ns() + 999999) / 1000000, 0, 1000000));
}

void Agent::add_connection(Ref<Connection> c) {
  Connection& o = *c;
  std::lock_guard lock(mutex_);
  if (closing_) fail(Code::cancelled, "the agent is closed");
  o.number = ++next_connection_;
  epoll_event e{};
  e.events = o.events = EPOLLIN | EPOLLRDHUP;
  e.data.ptr = &o;
  connections_.emplace(&o, std::move(c));
  if (epoll_ctl(poll_.fd(), EPOLL_CTL_ADD, o.socket.fd(), &e) != 0) {
    const int error = errno;
    connections_.erase(&o);
    fail(Code::io, concat("epoll_ctl: ", std::strerror(error)));
  }
  if (!o.ours) strangers_.push_back(&o);
}

void Agent::accept_all(std::vector<Ref<Connection>>& gone) {
  while (true) {
    dist::Socket s(accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!s) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      // Out of descriptors: a stranger makes room, or the next connection that ends.
      if (strangers_.empty()) return dist::sleep_for(dist::kSecond / 100);
      hang_up(*strangers_.front(), gone);
      gone.clear();
      continue;
    }
    dist::tune(s.fd());
    gone.clear();  // nothing of this round looks at them any more: accepting comes last
    if (strangers_.size() >= kMaxStrangers) hang_up(*strangers_.front(), gone);
    auto c = make_ref<Connection>();
    c->socket = std::move(s);
    c->stranger_until = now_ns() + kStrangerTime;
    c->nonce = dist::random_bytes(kNonce);
    const std::string greeting = concat(kMagic, c->nonce);
    add_connection(c);
    if (!post(*c, greeting)) hang_up(*c, gone);
  }
}

// Sends what there is, as far as the system takes it; false: the other side is gone. The connection is locked.
bool Agent::flush(Connection& c) {
  while (!c.out.empty()) {
    const std::string& first = c.out.front();
    const ssize_t n =
        send(c.socket.fd(), first.data() + c.out_at, first.size() - c.out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) return false;
    c.out_at += size_t(n);
    c.queued -= n;
    if (c.out_at == first.size()) {
      c.out.pop_front();
      c.out_at = 0;
    }
  }
  const uint32_t events = EPOLLIN | EPOLLRDHUP | (c.out.empty() ? 0 : uint32_t(EPOLLOUT));
  if (events != c.events) {
    epoll_event e{};
    e.events = c.events = events;
    e.data.ptr = &c;
    epoll_ctl(poll_.fd(), EPOLL_CTL_MOD, c.socket.fd(), &e);
  }
  return true;
}

void Agent::break_off(Connection& c) noexcept {
  std::lock_guard lock(c.mutex);
  c.broken = true;
  ::shutdown(c.socket.fd(), SHUT_RDWR);  // which its thread finds
}

bool Agent::post(Connection& c, std::string frame) {
  std::lock_guard lock(c.mutex);
  if (c.broken) return false;
  const auto size = int64_t(frame.size());
  c.out.push_back(std::move(frame));
  c.queued += size;
  if (c.out.size() > 1 || flush(c)) return true;
  c.broken = true;
  ::shutdown(c.socket.fd(), SHUT_RDWR);  // which its thread finds
  return false;
}

// A stranger's bytes; false: it is no agent of this job.
bool Agent::greet(Connection& c) {
  char buffer[kHelloSize];
  const ssize_t n = recv(c.socket.fd(), buffer, kHelloSize - c.hello.size(), MSG_DONTWAIT);
  if (n == 0) return false;
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  c.hello.append(buffer, size_t(n));
  const std::string_view in = c.hello;
  if (in.substr(0, kMagic.size()) != kMagic.substr(0, in.size())) return false;
  if (in.size() < kHelloSize) return true;
  const std::string_view theirs = in.substr(kMagic.size(), kNonce);
  uint32_t rank = 0;
  std::memcpy(&rank, in.data() + kGreetingSize, 4);
  if (rank >= uint32_t(size_) ||
      !dist::equal_secretly(in.substr(kGreetingSize + 4),
                            dist::client_proof(key_, c.nonce, theirs, in.substr(kGreetingSize, 4)))) {
    log_warning("agent ", options_.name, " at ", to_text(address_), ": refused who does not know the secret");
    post(c, std::string(1, dist::kRefused));
    return false;
  }
  c.peer = int(rank);
  c.stranger_until = 0;
  {
    std::lock_guard lock(mutex_);
    std::erase(strangers_, &c);
    peers_[rank]->lost = false;
  }
  return post(c, dist::server_proof(key_, theirs, c.nonce));
}

// As much as there is, but others want their turn, too.
bool Agent::receive(Connection& c) {
  for (int turns = 0; turns < 64; ++turns) {
    char* to;
    size_t room;
    if (c.header_got < sizeof c.header) {
      to = reinterpret_cast<char*>(&c.header) + c.header_got;
      room = sizeof c.header - c.header_got;
    } else {
      to = reinterpret_cast<char*>(c.body->data) + c.body_got;
      room = c.header.size - c.body_got;
    }
    if (room) {
      const ssize_t n = recv(c.socket.fd(), to, room, MSG_DONTWAIT);
      if (n == 0) return false;
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
      if (c.header_got < sizeof c.header) {
        c.header_got += size_t(n);
        if (c.header_got < sizeof c.header) continue;
        if (c.header.size > uint64_t(options_.max_message) || c.header.meta > c.header.size) {
          log_warning("agent ", options_.name, ": a message of ", c.header.size, " bytes from ",
                      peer_text(c.peer), " is larger than max_message_bytes, ", options_.max_message);
          return false;
        }
        c.body = allocate_block(int64_t(c.header.size));
        c.body_got = 0;
      } else {
        c.body_got += size_t(n);
      }
    }
    if (c.header_got == sizeof c.header && c.body_got == c.header.size) {
      c.header_got = 0;
      take_frame(&c, c.header, std::move(c.body));
    }
  }
  return true;
}

bool Agent::serve(Connection& c, uint32_t events) {
  if (events & EPOLLOUT) {
    std::lock_guard lock(c.mutex);
    if (!flush(c)) return false;
  }
  if (events & EPOLLIN) return c.peer < 0 ? greet(c) : receive(c);
  return !(events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP));
}

void Agent::hang_up(Connection& c, std::vector<Ref<Connection>>& gone) noexcept {
  epoll_ctl(poll_.fd(), EPOLL_CTL_DEL, c.socket.fd(), nullptr);
  ::shutdown(c.socket.fd(), SHUT_RDWR);
  {
    std::lock_guard lock(c.mutex);
    c.broken = true;
    c.out.clear();
  }
  bool closing;  // it is this agent that goes, not the peer
  {
    std::lock_guard lock(mutex_);
    closing = closing_;
    const auto it = connections_.find(&c);
    if (it == connections_.end()) return;
    gone.push_back(std::move(it->second));
    connections_.erase(it);
    std::erase(strangers_, &c);
    if (c.peer < 0) return;
    Peer& p = *peers_[size_t(c.peer)];
    p.lost = true;
    if (p.out.get() == &c) p.out.reset();
  }
  changed_.notify_all();
  if (c.ours && closing) return fail_pending(&c, Code::cancelled, "the agent is closed", -1);
  if (c.ours) return fail_pending(&c, Code::peer_lost, "was lost before it answered", c.peer);
  try {
    Task t;
    t.gone = c.peer;
    t.connection = c.number;
    push_task(std::move(t));
  } catch (...) {  // no memory to tell who watches; its calls tell it
  }
}

void Agent::expire() noexcept {
  while (true) {
    uint64_t call;
    std::shared_ptr<const Error> error = no_memory_;
    try {
      std::lock_guard lock(mutex_);
      if (ends_.empty() || ends_.begin()->first > now_ns()) return;
      call = ends_.begin()->second;
      const Pending& p = pending_.at(call);
      error = std::make_shared<const Error>(
          Code::timeout,
          concat(text_of(p.to), " did not answer '", p.function, "' within ", double(p.timeout) / 1e9, " s"),
          "it may be busy or stopped; a call can be given more time");
    } catch (const std::bad_alloc&) {
    }
    answer(call, {}, std::move(error));
  }
}

// False: told to stop.
bool Agent::io_round(std::vector<Ref<Connection>>& gone) {
  gone.reserve(128);  // hanging up must not fail: at most one for each event, or one after the other
  epoll_event events[64];
  const int n = epoll_wait(poll_.fd(), events, 64, io_timeout());
  bool callers = false;
  for (int i = 0; i < n; ++i) {
    void* with = events[i].data.ptr;
    if (with == &wake_) {
      uint64_t count;
      if (read(wake_.fd(), &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR) return false;
      std::lock_guard lock(mutex_);
      if (closing_) return false;
      continue;
    }
    if (with == &listener_) {
      callers = true;
      continue;
    }
    auto& c = *static_cast<Connection*>(with);
    bool stays = false;
    try {
      stays = serve(c, events[i].events);
    } catch (const Error& e) {  // not of our protocol, or no memory: better hung up on than waiting for good
      log_warning("agent ", options_.name, ": hung up on ", peer_text(c.peer), ": ", e.message);
    } catch (const std::bad_alloc&) {
    }
    if (!stays) hang_up(c, gone);
  }
  gone.clear();
  if (callers) accept_all(gone);
  while (!strangers_.empty() && strangers_.front()->stranger_until <= now_ns()) {
    hang_up(*strangers_.front(), gone);
    gone.clear();
  }
  gone.clear();
  expire();
  return true;
}

void* Agent::io_body(void* self) {
  enter_thread("haft-rpc-io");
  auto agent = Ref<Agent>::adopt(static_cast<Agent*>(self));
  std::vector<Ref<Connection>> gone;
  while (true) {
    try {
      while (agent->io_round(gone)) {
      }
      break;
    } catch (...) {  // no memory
      dist::sleep_for(dist::kSecond / 100);
      std::lock_guard lock(agent->mutex_);
      if (agent->closing_) break;
    }
  }
  agent->listener_ = {};  // who comes now is refused by the system
  while (true) {
    Ref<Connection> c;
    {
      std::lock_guard lock(agent->mutex_);
      if (agent->connections_.empty()) break;
      c = agent->connections_.begin()->second;
    }
    agent->hang_up(*c, gone);
    gone.clear();
  }
  return nullptr;
}

}  // namespace haft::rpc
